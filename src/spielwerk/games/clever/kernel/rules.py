"""Ganz schön clever, the rules, compiled. In the words and the order of the rule book (Wolfgang Warsch, Schmidt 2018).

Dice 0 white, 1 yellow, 2 blue, 3 green, 4 orange, 5 purple; a set of dice is a bit set. What is printed on the sheet is
data (see sheets.py). Places of the yellow and the blue grid are counted row by row; cells of other areas from the left.

Actions (the moment says whether a die is picked, taken from the tray or used once more):

    0          pass: stop, decline, forfeit a roll
    1          re-roll
    2 .. 17    the yellow die crosses a place of yellow     18 .. 33   the white die does
    34, 35     the blue die, the white die crosses blue     36, 37     the same in green
    38, 39     the same in orange                           40, 41     the same in purple
    42 .. 57   a bonus crosses a place of yellow            58 .. 69   of blue
    70         a bonus crosses green                        71, 72, 73 it writes a 4, 5, 6 into orange
    74         it writes a 6 into purple                    75, 76     the free choice is an X in yellow, in blue
    77 .. 82   put a die that fits nowhere on a field

A seat is asked only where it has a choice: a bonus that can be taken in one way only is taken, a roll that fits nowhere
is forfeited (the thesis' engine asks in any case). A roll always draws all six dice, also those that lie still, so that
the n-th roll of a match is the same whatever has been picked.
"""

import numpy as np

from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel, outlined
from spielwerk.games.clever.sheets import (
    BLACK,
    BLUE_COLUMNS,
    BLUE_GRID,
    BLUE_PLACES,
    BLUE_POINTS,
    BLUE_PRINTED,
    BLUE_ROWS,
    BLUE_X,
    EXTRA,
    FOX,
    GREEN_BONUSES,
    GREEN_LOWEST,
    GREEN_POINTS,
    GREEN_X,
    GRID,
    MARKS,
    MOST_ROUNDS,
    NONE,
    ORANGE_4,
    ORANGE_6,
    ORANGE_BONUSES,
    ORANGE_FACTORS,
    PURPLE_6,
    PURPLE_BONUSES,
    REROLL,
    ROUND_BONUSES,
    ROW,
    YELLOW_COLUMNS,
    YELLOW_DIAGONAL,
    YELLOW_PLACES,
    YELLOW_PRINTED,
    YELLOW_ROWS,
    YELLOW_X,
)

MOST_SEATS = 4
DICE_COUNT = 6
ALL_DICE = (1 << DICE_COUNT) - 1
WHITE_DIE, YELLOW_DIE, BLUE_DIE, GREEN_DIE, ORANGE_DIE, PURPLE_DIE = range(DICE_COUNT)
MOST_ROLLS = 3  # of an active turn, and dice fields
MOST_OUTCOMES = 36  # of a roll that is listed
PROTOTYPE_ROLLS = 10  # of a match with the yellow area alone
ROUNDS = np.array([0, 6, 6, 5, 4], np.int8)  # by the number of seats

PASS, AGAIN = 0, 1
IN_YELLOW, WHITE_IN_YELLOW = 2, 2 + GRID
IN_BLUE, IN_GREEN, IN_ORANGE, IN_PURPLE = 34, 36, 38, 40  # by the die of the colour; one more: by the white die
X_IN_YELLOW, X_IN_BLUE = 42, 42 + GRID
X_IN_GREEN, BONUS_IN_ORANGE, BONUS_IN_PURPLE = 70, 71, 74
FREE_YELLOW, FREE_BLUE = 75, 76
WASTE = 77
ACTIONS = WASTE + DICE_COUNT

BEGIN, DRAW, ROUND, ROLL, PICK, PICKED, AFTER, TRAY_ROLL, TRAY, OVER = range(10)
PICKING, ADDING, DONE = 0, 1, 2  # what a seat is about: the tray, +1, nothing any more
FREE = MARKS  # place of the free choice among the owed bonuses, after those that mark a cell

YELLOW_ROW, YELLOW_COLUMN, DIAGONAL = 0x000F, 0x1111, 0x8421
BLUE_ROW, BLUE_COLUMN = 0x00F, 0x111
ALL_YELLOW, ALL_BLUE = 0xFFFF, 0xFFF
DRAWN = np.array([YELLOW_X, BLUE_X, GREEN_X, ORANGE_6, PURPLE_6], np.int8)

State = np.dtype(
    [
        ("yellow", np.uint16, (MOST_SEATS,)),  # bit p: place p is crossed, by the seat or in print
        ("blue", np.uint16, (MOST_SEATS,)),  # the same; the place without a cell counts as crossed
        ("orange_sum", np.int16, (MOST_SEATS,)),  # points of orange
        ("purple_sum", np.int16, (MOST_SEATS,)),  # points of purple
        ("green", np.int8, (MOST_SEATS,)),  # crosses, 0..11
        ("orange_count", np.int8, (MOST_SEATS,)),  # filled cells, 0..11
        ("purple_count", np.int8, (MOST_SEATS,)),
        ("orange", np.int8, (MOST_SEATS, ROW)),  # the numbers as rolled, 0 = empty
        ("purple", np.int8, (MOST_SEATS, ROW)),
        ("foxes", np.int8, (MOST_SEATS,)),  # 0..5
        ("rerolls", np.int8, (MOST_SEATS,)),  # unused
        ("extras", np.int8, (MOST_SEATS,)),  # unused +1
        ("rerolls_spent", np.int8, (MOST_SEATS, MOST_ROUNDS)),  # by round
        ("extras_spent", np.int8, (MOST_SEATS, MOST_ROUNDS)),
        ("owed", np.int8, (MOST_SEATS, MARKS + 1)),  # bonuses to be taken now, from YELLOW_X on; last the free choice
        ("spent", np.uint8, (MOST_SEATS,)),  # dice that the seat has used by +1 in this turn
        ("step", np.int8, (MOST_SEATS,)),  # 0 picking from the tray, 1 using +1, 2 done
        ("dice", np.int8, (DICE_COUNT,)),  # numbers, 0 = not rolled
        ("last", np.int8, (DICE_COUNT,)),  # the last roll, 0 = not rolled then; a forfeited one is seen here only
        ("fields", np.int8, (MOST_ROLLS,)),  # dice on the fields of the active seat, -1 = none
        ("pool", np.uint8),  # dice that are rolled; in a passive turn alone those that are not on the tray
        ("rolling", np.uint8),  # dice that the next roll rolls
        ("stale", np.uint8),  # dice that alone are rolled at the beginning of the next turn (thesis), 0 = all
        ("tray", np.uint8),  # dice on the silver tray
        ("seats", np.int8),  # 1..4
        ("first", np.int8),  # the seat that begins every round
        ("active", np.int8),  # the seat whose turn it is, -1 = not drawn yet
        ("rounds", np.int8),  # rounds begun, 1..6
        ("phase", np.int8),  # see above
        ("rolls", np.int8),  # of this turn, picked or forfeited
        ("last_tray", np.uint8),  # the tray of the last roll, 0 = it made none
        ("asked", np.int8),  # the seat whose bonus is drawn next
        ("drawn", np.int8),  # the bonus that was drawn last
        ("waiting", np.uint8),  # seats that must decide now
        ("sheet", np.uint8),  # option: which sheet
        ("wasted_picks", np.uint8),  # option: a die that fits nowhere may be picked
        ("random_tray", np.uint8),  # option: alone, the tray holds any three dice
        ("short_end", np.uint8),  # option: the match ends with the last pick
        ("drawn_bonus", np.uint8),  # option: the free choice of a round is drawn
        ("loose_green", np.uint8),  # option: green refuses only some numbers that are too low
        ("loose_purple", np.uint8),  # option: purple looks at the better of both dice
        ("stale_roll", np.uint8),  # option: a round may begin with dice that were not rolled again
        ("every_step", np.uint8),  # option: seats are asked where they have no choice, too
        ("yellow_dice", np.int8),  # option: the yellow area alone with so many dice, 0 = the whole game
    ]
)


@kernel
def start(s, seats, options):
    s.seats = seats
    s.sheet = options[0]
    s.wasted_picks = options[1]
    s.random_tray = options[2]
    s.short_end = options[3]
    s.drawn_bonus = options[4]
    s.loose_green = options[5]
    s.loose_purple = options[6]
    s.stale_roll = options[7]
    s.every_step = options[8]
    s.yellow_dice = options[9]
    for seat in range(MOST_SEATS):
        s.yellow[seat] = YELLOW_PRINTED[s.sheet]
        s.blue[seat] = BLUE_PRINTED[s.sheet]
    for field in range(MOST_ROLLS):
        s.fields[field] = -1
    s.active = -1
    s.phase = BEGIN
    if seats == 1:
        begin(s, 0)
        go_on(s)


@kernel
def actors(s):
    if s.phase == OVER:
        return -1
    return np.int64(s.waiting)


@outlined
def legal(s, seat, out):
    if owes(s, seat):
        return bonus_moves(s, seat, out)
    if s.phase == PICK:
        return pick_moves(s, seat, out)
    out[0] = PASS
    if s.phase == TRAY and s.step[seat] == PICKING:
        return marks(s, seat, offered(s, seat), out, 1)
    return marks(s, seat, ALL_DICE & ~np.int64(s.spent[seat]), out, 1)


@outlined
def apply(s, joint):
    waiting = np.int64(s.waiting)
    for seat in range(np.int64(s.seats)):
        if (waiting >> seat) & 1:
            choice(s, seat, joint[seat])
    go_on(s)


@kernel
def chance(s, rng):
    """Who begins; the bonus of a round (thesis); a roll of all dice, those that lie still keep their number."""
    if s.phase == BEGIN:
        begin(s, below(rng, np.int64(s.seats)))
    elif s.phase == DRAW:
        draw_bonus(s, DRAWN[below(rng, 5)])
    else:
        rolling = np.int64(s.rolling)
        for die in range(DICE_COUNT):
            number = 1 + below(rng, 6)
            if (rolling >> die) & 1:
                s.dice[die] = number
        if s.phase == TRAY_ROLL:
            set_tray(s, drawn_tray(s, rng))
        rolled(s)
    go_on(s)


@kernel
def score(s, out):
    for seat in range(np.int64(s.seats)):
        out[seat] = points(s, seat)


@kernel
def result(s, out):
    """A tie goes to the seat with the highest single area."""
    for seat in range(np.int64(s.seats)):
        best = np.int64(0)
        for area in range(5):
            best = max(best, area_points(s, seat, area))
        out[seat] = 1000 * points(s, seat) + best


# --- rounds and turns -------------------------------------------------------------------------------------------------


@kernel
def begin(s, seat):
    s.first = seat
    begin_round(s)


@kernel
def begin_round(s):
    """Every seat gets the bonus of the round; a free choice is made by all at once."""
    s.rounds += 1
    s.active = s.first
    if s.yellow_dice > 0:
        begin_turn(s)
        return
    bonus = np.int64(ROUND_BONUSES[s.sheet, s.rounds - 1])
    if bonus == BLACK and s.drawn_bonus != 0:
        s.phase = DRAW
        s.asked = 0
        s.waiting = 0
        return
    s.phase = ROUND
    for seat in range(np.int64(s.seats)):
        grant(s, seat, bonus)


@kernel
def draw_bonus(s, bonus):
    s.drawn = bonus
    grant(s, np.int64(s.asked), np.int64(bonus))
    s.asked += 1
    if s.asked == s.seats:
        s.phase = ROUND


@kernel
def begin_turn(s):
    """All dice go to the active seat."""
    if s.stale != 0:
        s.rolling = s.stale
        s.stale = 0
    else:
        s.rolling = ALL_DICE
        for die in range(DICE_COUNT):
            s.dice[die] = 0
    s.pool = ALL_DICE
    s.tray = 0
    s.rolls = 0
    for field in range(MOST_ROLLS):
        s.fields[field] = -1
    for seat in range(np.int64(s.seats)):
        s.spent[seat] = 0
        s.step[seat] = PICKING
    if s.yellow_dice > 0:
        s.pool = (1 << np.int64(s.yellow_dice)) - 1
        s.rolling = s.pool
    s.phase = ROLL


@kernel
def rolled(s):
    """The dice lie on the table: the active seat picks one, or forfeits the roll if none fits."""
    rolling = np.int64(s.rolling)
    for die in range(DICE_COUNT):
        s.last[die] = s.dice[die] if (rolling >> die) & 1 else 0
    if s.phase == TRAY_ROLL:
        s.last_tray = s.tray
        s.phase = TRAY
    else:
        s.last_tray = 0
        s.phase = PICK
        s.rolling = s.pool


@outlined
def go_on(s):
    """Bonuses first; then whatever comes next, until somebody must decide or chance acts."""
    while s.phase != DRAW:
        waiting = np.int64(0)
        for seat in range(np.int64(s.seats)):
            take_bonuses(s, seat)
            if owes(s, seat) or (s.phase == TRAY and seat_goes_on(s, seat)):
                waiting |= np.int64(1) << seat
        if waiting == 0 and (s.phase == PICK or s.phase == AFTER) and active_goes_on(s):
            waiting = np.int64(1) << np.int64(s.active)
        s.waiting = waiting
        if waiting != 0:
            return
        if s.phase == ROUND:
            begin_turn(s)
        elif s.phase == PICK:
            pick(s, np.int64(s.active), PASS)
        elif s.phase == PICKED and more_rolls(s):
            roll_again(s)
        elif s.phase == PICKED:
            end_of_picks(s)
        elif s.phase == AFTER:
            begin_passive_turn(s)
        elif s.phase == TRAY:
            next_turn(s)
        else:
            return  # chance is next, or the match is over


@kernel
def active_goes_on(s):
    """Whether the active seat has something to decide: which die it picks, or a +1."""
    seat = np.int64(s.active)
    if s.phase == AFTER:
        return s.step[seat] == ADDING and can_add(s, seat)
    if s.every_step != 0 or s.rerolls[seat] > 0 or s.wasted_picks != 0:
        return True
    return can_mark(s, seat, np.int64(s.pool))


@kernel
def more_rolls(s):
    if s.yellow_dice > 0:
        return s.rolls < PROTOTYPE_ROLLS
    return s.rolls < MOST_ROLLS and s.pool != 0


@kernel
def roll_again(s):
    pool = np.int64(s.pool)
    for die in range(DICE_COUNT):
        if (pool >> die) & 1:
            s.dice[die] = 0
    s.rolling = s.pool
    s.phase = ROLL


@kernel
def end_of_picks(s):
    """All dice that are not on the fields go to the tray; then the active seat may use +1."""
    if s.yellow_dice > 0:
        next_turn(s)
        return
    if s.short_end != 0 and is_last_turn(s):
        finish(s)
        return
    s.tray |= s.pool
    s.pool = 0
    s.phase = AFTER
    s.step[s.active] = ADDING


@kernel
def begin_passive_turn(s):
    """All other seats take a die from the tray, at once. Alone one rolls all dice for a tray."""
    if s.seats > 1:
        s.phase = TRAY
        s.step[s.active] = DONE
        return
    s.pool = ALL_DICE
    s.rolling = ALL_DICE
    s.tray = 0
    s.spent[0] = 0
    s.step[0] = PICKING
    for die in range(DICE_COUNT):
        s.dice[die] = 0
    for field in range(MOST_ROLLS):
        s.fields[field] = -1
    s.phase = TRAY_ROLL


@kernel
def drawn_tray(s, rng):
    """Alone: the three lowest dice; of equal ones chance takes any."""
    order = np.int64(0)
    tray = np.int64(0)
    for _ in range(3):
        lowest, best = np.int64(-1), np.int64(0)
        for die in range(DICE_COUNT):
            if (tray >> die) & 1:
                continue
            order = below(rng, 1 << 20)
            if s.random_tray == 0:
                order += np.int64(s.dice[die]) << 20
            if lowest < 0 or order < best:
                lowest, best = np.int64(die), order
        tray |= np.int64(1) << lowest
    return tray


@kernel
def set_tray(s, tray):
    s.tray = tray
    s.pool = ALL_DICE & ~np.int64(tray)


@kernel
def seat_goes_on(s, seat):
    """Whether a passive seat has something to decide. What it cannot do is passed over."""
    if s.step[seat] == PICKING:
        if s.every_step != 0 or can_mark(s, seat, offered(s, seat)):
            return True
        s.step[seat] = ADDING
    if s.step[seat] == ADDING:
        if can_add(s, seat):
            return True
        if s.stale_roll != 0 and s.seats == 1 and s.extras[seat] == 0 and s.spent[seat] == 0:
            s.stale = s.tray
        s.step[seat] = DONE
    return False


@kernel
def next_turn(s):
    seats = np.int64(s.seats)
    following = (np.int64(s.active) + 1) % seats
    if following != s.first:
        s.active = following
        begin_turn(s)
    elif s.rounds < ROUNDS[s.seats] and s.yellow_dice == 0:
        begin_round(s)
    else:
        finish(s)


@kernel
def is_last_turn(s):
    return s.rounds == ROUNDS[s.seats] and (np.int64(s.active) + 1) % np.int64(s.seats) == s.first


@kernel
def finish(s):
    s.phase = OVER


# --- rolls that are few enough to be listed ---------------------------------------------------------------------------


@kernel
def outcomes(s, ids, probs):
    """Who begins, a drawn bonus, and rolls of one or two dice: the first die counts ones, the other sixes."""
    if s.phase == BEGIN:
        count = np.int64(s.seats)
    elif s.phase == DRAW:
        count = np.int64(5)
    else:
        count = np.int64(1)
        rolling = np.int64(s.rolling)
        for die in range(DICE_COUNT):
            if (rolling >> die) & 1:
                count *= 6
        if s.phase == TRAY_ROLL or count > MOST_OUTCOMES:
            return 0
    for outcome in range(count):
        ids[outcome] = outcome
        probs[outcome] = 1.0 / count
    return count


@kernel
def happen(s, outcome):
    if s.phase == BEGIN:
        begin(s, outcome)
    elif s.phase == DRAW:
        draw_bonus(s, DRAWN[outcome])
    else:
        rolling = np.int64(s.rolling)
        for die in range(DICE_COUNT):
            if (rolling >> die) & 1:
                s.dice[die] = 1 + outcome % 6
                outcome //= 6
        rolled(s)
    go_on(s)


# --- decisions --------------------------------------------------------------------------------------------------------


@outlined
def choice(s, seat, action):
    if owes(s, seat):
        take_bonus(s, seat, action)
    elif s.phase == PICK:
        pick(s, seat, action)
    elif action == PASS:
        s.step[seat] = DONE if s.step[seat] == ADDING else ADDING
    elif s.phase == TRAY and s.step[seat] == PICKING:
        s.step[seat] = ADDING
        if s.stale_roll != 0 and s.seats == 1:
            set_tray(s, np.int64(s.tray) & ~(np.int64(1) << die_of(action)))
        mark(s, seat, action)
    else:
        s.extras[seat] -= 1
        s.extras_spent[seat, s.rounds - 1] += 1
        s.spent[seat] = np.int64(s.spent[seat]) | (np.int64(1) << die_of(action))
        mark(s, seat, action)


@outlined
def pick(s, seat, action):
    """Put a die on the next field and mark it: all lower dice go to the tray. Or roll again, or forfeit the roll."""
    if action == AGAIN:
        s.rerolls[seat] -= 1
        s.rerolls_spent[seat, s.rounds - 1] += 1
        roll_again(s)
        return
    s.phase = PICKED
    s.rolls += 1
    if action == PASS:
        return
    if s.yellow_dice > 0:
        cross_yellow(s, seat, action - IN_YELLOW)
        return
    die = die_of(action)
    if action < WASTE:
        mark(s, seat, action)
    s.fields[s.rolls - 1] = die
    pool = np.int64(s.pool) & ~(np.int64(1) << die)
    tray = np.int64(s.tray)
    for other in range(DICE_COUNT):
        if (pool >> other) & 1 and s.dice[other] < s.dice[die]:
            tray |= np.int64(1) << other
    s.tray = tray
    s.pool = pool & ~tray


@outlined
def pick_moves(s, seat, out):
    """Any rolled die that fits; rolling again; forfeiting the roll, if no die fits."""
    pool = np.int64(s.pool)
    fits = can_mark(s, seat, pool)
    count = 0
    if not fits and (s.every_step == 0 or s.rerolls[seat] == 0):
        out[count] = PASS
        count += 1
    if s.rerolls[seat] > 0:
        out[count] = AGAIN
        count += 1
    if fits:
        count = marks(s, seat, pool, out, count)
    if s.wasted_picks != 0:
        for die in range(DICE_COUNT):
            if (pool >> die) & 1 and not die_fits(s, seat, die):
                out[count] = WASTE + die
                count += 1
    return count


@kernel
def offered(s, seat):
    """The dice that a passive seat may take: those on the tray; if none of them fits, those of the active seat."""
    tray = np.int64(s.tray)
    if s.seats == 1 or can_mark(s, seat, tray):
        return tray
    fields = np.int64(0)
    for field in range(MOST_ROLLS):
        if s.fields[field] >= 0:
            fields |= np.int64(1) << np.int64(s.fields[field])
    return fields


@kernel
def can_add(s, seat):
    """+1: any die that the seat has not used that way in this turn, wherever it lies."""
    return s.extras[seat] > 0 and can_mark(s, seat, ALL_DICE & ~np.int64(s.spent[seat]))


@kernel
def die_of(action):
    """The die of an action that marks or wastes one."""
    if action >= WASTE:
        return action - WASTE
    if action < WHITE_IN_YELLOW:
        return YELLOW_DIE
    if action < IN_BLUE or (action - IN_BLUE) % 2 == 1:
        return WHITE_DIE
    return BLUE_DIE + (action - IN_BLUE) // 2


# --- marking ----------------------------------------------------------------------------------------------------------


@outlined
def can_mark(s, seat, dice):
    """Whether one of a set of dice fits somewhere."""
    if s.yellow_dice > 0:
        return prototype_places(s, seat) != 0
    for die in range(DICE_COUNT):
        if (dice >> die) & 1 and die_fits(s, seat, die):
            return True
    return False


@outlined
def die_fits(s, seat, die):
    """Whether a die can be marked: in the area of its colour, the white one in any."""
    if (die == YELLOW_DIE or die == WHITE_DIE) and yellow_places(s, seat, np.int64(s.dice[die])) != 0:
        return True
    if (die == BLUE_DIE or die == WHITE_DIE) and blue_fits(s, seat):
        return True
    if (die == GREEN_DIE or die == WHITE_DIE) and green_fits(s, seat, np.int64(s.dice[die])):
        return True
    if (die == ORANGE_DIE or die == WHITE_DIE) and s.orange_count[seat] < ROW:
        return True
    return (die == PURPLE_DIE or die == WHITE_DIE) and purple_fits(s, seat, die)


@outlined
def marks(s, seat, dice, out, count):
    """All marks that a set of dice can make, as actions in ascending order; returns how many are in the list then."""
    if s.yellow_dice > 0:
        return listed(prototype_places(s, seat), IN_YELLOW, out, count)
    white = dice & 1
    if (dice >> YELLOW_DIE) & 1:
        count = listed(yellow_places(s, seat, np.int64(s.dice[YELLOW_DIE])), IN_YELLOW, out, count)
    if white:
        count = listed(yellow_places(s, seat, np.int64(s.dice[WHITE_DIE])), WHITE_IN_YELLOW, out, count)
    for die in range(BLUE_DIE, DICE_COUNT):
        for by_white in range(2):
            spent = WHITE_DIE if by_white else die
            if (dice >> spent) & 1 == 0:
                continue
            number = np.int64(s.dice[spent])
            if (
                (die == BLUE_DIE and blue_fits(s, seat))
                or (die == GREEN_DIE and green_fits(s, seat, number))
                or (die == ORANGE_DIE and s.orange_count[seat] < ROW)
                or (die == PURPLE_DIE and purple_fits(s, seat, spent))
            ):
                out[count] = IN_BLUE + 2 * (die - BLUE_DIE) + by_white
                count += 1
    return count


@kernel
def listed(places, first, out, count):
    """A set of places as actions from `first` on."""
    place = 0
    while places != 0:
        if places & 1:
            out[count] = first + place
            count += 1
        places >>= 1
        place += 1
    return count


@kernel
def yellow_places(s, seat, number):
    """The open places of a number, as a bit set."""
    places = np.int64(0)
    for which in range(2):
        place = np.int64(YELLOW_PLACES[s.sheet, number, which])
        if place >= 0:
            places |= np.int64(1) << place
    return places & ~np.int64(s.yellow[seat])


@kernel
def prototype_places(s, seat):
    """The yellow area alone: every die is yellow."""
    places = np.int64(0)
    for die in range(np.int64(s.yellow_dice)):
        places |= yellow_places(s, seat, np.int64(s.dice[die]))
    return places


@kernel
def blue_place(s):
    """Blue is always the sum of the blue and the white die, wherever they lie."""
    return np.int64(BLUE_PLACES[s.sheet, np.int64(s.dice[BLUE_DIE]) + np.int64(s.dice[WHITE_DIE]), 0])


@kernel
def blue_fits(s, seat):
    return (np.int64(s.blue[seat]) >> blue_place(s)) & 1 == 0


@kernel
def green_fits(s, seat, number):
    """The number must reach that of the next cell. (The thesis' engine refuses only the number just below it, from 2
    on, and a 2 where a 2 is wanted.)"""
    if s.green[seat] >= ROW:
        return False
    lowest = np.int64(GREEN_LOWEST[s.sheet, s.green[seat]])
    if s.loose_green != 0:
        return not ((number == lowest - 1 and number >= 2) or (number == 2 and lowest == 2))
    return number >= lowest


@kernel
def purple_fits(s, seat, die):
    """The number must exceed the one before it, unless that is a 6. (In the thesis' engine the purple or the white die
    must, whichever of them is marked.)"""
    count = np.int64(s.purple_count[seat])
    if count >= ROW:
        return False
    last = np.int64(s.purple[seat, count - 1]) if count > 0 else np.int64(0)
    if last == 6 or s.dice[die] > last:
        return True
    return s.loose_purple != 0 and (s.dice[PURPLE_DIE] > last or s.dice[WHITE_DIE] > last)


@outlined
def mark(s, seat, action):
    """Mark the number of the die that the action names."""
    number = np.int64(s.dice[die_of(action)])
    if action < WHITE_IN_YELLOW:
        cross_yellow(s, seat, action - IN_YELLOW)
    elif action < IN_BLUE:
        cross_yellow(s, seat, action - WHITE_IN_YELLOW)
    elif action < IN_GREEN:
        cross_blue(s, seat, blue_place(s))
    elif action < IN_ORANGE:
        cross_green(s, seat)
    elif action < IN_PURPLE:
        write_orange(s, seat, number)
    else:
        write_purple(s, seat, number)


@kernel
def cross_yellow(s, seat, place):
    """A complete row brings a bonus, and so does the diagonal."""
    crossed = np.int64(s.yellow[seat]) | (np.int64(1) << place)
    s.yellow[seat] = crossed
    if s.yellow_dice > 0:
        return
    row = place // 4
    if (crossed >> (4 * row)) & YELLOW_ROW == YELLOW_ROW:
        grant(s, seat, np.int64(YELLOW_ROWS[s.sheet, row]))
    if place % 5 == 0 and crossed & DIAGONAL == DIAGONAL:
        grant(s, seat, np.int64(YELLOW_DIAGONAL[s.sheet]))


@kernel
def cross_blue(s, seat, place):
    """A complete row or column brings a bonus."""
    crossed = np.int64(s.blue[seat]) | (np.int64(1) << place)
    s.blue[seat] = crossed
    row, column = place // 4, place % 4
    if (crossed >> (4 * row)) & BLUE_ROW == BLUE_ROW:
        grant(s, seat, np.int64(BLUE_ROWS[s.sheet, row]))
    if (crossed >> column) & BLUE_COLUMN == BLUE_COLUMN:
        grant(s, seat, np.int64(BLUE_COLUMNS[s.sheet, column]))


@kernel
def cross_green(s, seat):
    cell = np.int64(s.green[seat])
    s.green[seat] = cell + 1
    grant(s, seat, np.int64(GREEN_BONUSES[s.sheet, cell]))


@kernel
def write_orange(s, seat, number):
    cell = np.int64(s.orange_count[seat])
    s.orange_count[seat] = cell + 1
    s.orange[seat, cell] = number
    s.orange_sum[seat] += number * np.int64(ORANGE_FACTORS[s.sheet, cell])
    grant(s, seat, np.int64(ORANGE_BONUSES[s.sheet, cell]))


@kernel
def write_purple(s, seat, number):
    cell = np.int64(s.purple_count[seat])
    s.purple_count[seat] = cell + 1
    s.purple[seat, cell] = number
    s.purple_sum[seat] += number
    grant(s, seat, np.int64(PURPLE_BONUSES[s.sheet, cell]))


# --- bonuses ----------------------------------------------------------------------------------------------------------


@kernel
def grant(s, seat, bonus):
    """Re-rolls, +1 and foxes are kept; everything else must be marked at once, and is owed until then."""
    if bonus == NONE:
        return
    if bonus == REROLL:
        s.rerolls[seat] += 1
    elif bonus == EXTRA:
        s.extras[seat] += 1
    elif bonus == FOX:
        s.foxes[seat] += 1
    else:
        s.owed[seat, bonus - YELLOW_X] += 1


@kernel
def owes(s, seat):
    """Whether the seat must take a bonus before anything else."""
    for kind in range(MARKS + 1):
        if s.owed[seat, kind] > 0:
            return True
    return False


@outlined
def take_bonuses(s, seat):
    """What can be taken in one way only is taken; what cannot be placed any more is lost."""
    while owes(s, seat):
        count, action = bonus_choices(s, seat)
        if count == 0:
            for kind in range(MARKS + 1):
                s.owed[seat, kind] = 0
            return
        if count > 1 or s.every_step != 0:
            return
        take_bonus(s, seat, action)


@kernel
def bonus_choices(s, seat):
    """In how many ways the seat can take a bonus, 2 = or more, and one of them."""
    count, action = 0, np.int64(-1)
    free = s.owed[seat, FREE] > 0
    yellow = ALL_YELLOW & ~np.int64(s.yellow[seat])
    blue = ALL_BLUE & ~np.int64(s.blue[seat])
    if yellow != 0 and is_owed(s, seat, YELLOW_X):
        count += 1 if free or yellow & (yellow - 1) == 0 else 2
        action = FREE_YELLOW if free else X_IN_YELLOW + lowest_bit(yellow)
    if blue != 0 and is_owed(s, seat, BLUE_X):
        count += 1 if free or blue & (blue - 1) == 0 else 2
        action = FREE_BLUE if free else X_IN_BLUE + lowest_bit(blue)
    for bonus in range(GREEN_X, BLACK):
        if is_owed(s, seat, bonus) and has_room(s, seat, bonus):
            count += 1
            action = np.int64(X_IN_GREEN + bonus - GREEN_X)
    return count, action


@outlined
def bonus_moves(s, seat, out):
    """All bonuses that are owed, in any order. A free choice names the area, and then the place."""
    count = 0
    free = s.owed[seat, FREE] > 0
    if not free and is_owed(s, seat, YELLOW_X):
        count = listed(ALL_YELLOW & ~np.int64(s.yellow[seat]), X_IN_YELLOW, out, count)
    if not free and is_owed(s, seat, BLUE_X):
        count = listed(ALL_BLUE & ~np.int64(s.blue[seat]), X_IN_BLUE, out, count)
    for bonus in range(GREEN_X, BLACK):
        if is_owed(s, seat, bonus) and has_room(s, seat, bonus):
            out[count] = X_IN_GREEN + bonus - GREEN_X
            count += 1
    if free and s.yellow[seat] != ALL_YELLOW:
        out[count] = FREE_YELLOW
        count += 1
    if free and s.blue[seat] != ALL_BLUE:
        out[count] = FREE_BLUE
        count += 1
    return count


@kernel
def is_owed(s, seat, bonus):
    """The free choice is an X in yellow, blue or green, or a 6 in orange or purple."""
    if s.owed[seat, bonus - YELLOW_X] > 0:
        return True
    return s.owed[seat, FREE] > 0 and (bonus <= GREEN_X or bonus >= ORANGE_6)


@kernel
def has_room(s, seat, bonus):
    """Of the areas that are filled from left to right: whether a cell is left."""
    if bonus == GREEN_X:
        return s.green[seat] < ROW
    if bonus == PURPLE_6:
        return s.purple_count[seat] < ROW
    return s.orange_count[seat] < ROW


@outlined
def take_bonus(s, seat, action):
    if action >= FREE_YELLOW:
        s.owed[seat, FREE] -= 1
        grant(s, seat, YELLOW_X if action == FREE_YELLOW else BLUE_X)
        return
    if action < X_IN_BLUE:
        bonus = YELLOW_X
    elif action < X_IN_GREEN:
        bonus = BLUE_X
    else:
        bonus = GREEN_X + action - X_IN_GREEN
    if s.owed[seat, FREE] > 0:
        s.owed[seat, FREE] -= 1
    else:
        s.owed[seat, bonus - YELLOW_X] -= 1
    if bonus == YELLOW_X:
        cross_yellow(s, seat, action - X_IN_YELLOW)
    elif bonus == BLUE_X:
        cross_blue(s, seat, action - X_IN_BLUE)
    elif bonus == GREEN_X:
        cross_green(s, seat)
    elif bonus == PURPLE_6:
        write_purple(s, seat, 6)
    else:
        write_orange(s, seat, 4 + bonus - ORANGE_4)


@kernel
def lowest_bit(places):
    place = np.int64(0)
    while (places >> place) & 1 == 0:
        place += 1
    return place


# --- points -----------------------------------------------------------------------------------------------------------


@outlined
def points(s, seat):
    """The areas, and for every fox the lowest of them. (The prototype pays yellow columns and rows.)"""
    if s.yellow_dice > 0:
        return yellow_points(s, seat) + yellow_row_points(s, seat)
    total, lowest = np.int64(0), np.int64(1000)
    for area in range(5):
        found = area_points(s, seat, area)
        total += found
        lowest = min(lowest, found)
    return total + np.int64(s.foxes[seat]) * lowest


@kernel
def area_points(s, seat, area):
    if area == 0:
        return yellow_points(s, seat)
    if area == 1:
        return np.int64(BLUE_POINTS[s.sheet, blue_crosses(s, seat)])
    if area == 2:
        return np.int64(GREEN_POINTS[s.sheet, s.green[seat]])
    return np.int64(s.orange_sum[seat]) if area == 3 else np.int64(s.purple_sum[seat])


@kernel
def yellow_points(s, seat):
    total = np.int64(0)
    for column in range(4):
        if (np.int64(s.yellow[seat]) >> column) & YELLOW_COLUMN == YELLOW_COLUMN:
            total += np.int64(YELLOW_COLUMNS[s.sheet, column])
    return total


@kernel
def yellow_row_points(s, seat):
    total = np.int64(0)
    for row in range(4):
        if (np.int64(s.yellow[seat]) >> (4 * row)) & YELLOW_ROW == YELLOW_ROW:
            total += np.int64(YELLOW_COLUMNS[s.sheet, row])
    return total


@kernel
def blue_crosses(s, seat):
    count = np.int64(-1)  # the place without a cell
    for place in range(BLUE_GRID):
        count += (np.int64(s.blue[seat]) >> place) & 1
    return count


# --- what happened elsewhere ------------------------------------------------------------------------------------------


@kernel
def begin_at(states, seat):
    begin(states[0], seat)
    go_on(states[0])


@kernel
def draw_bonus_at(states, bonus):
    draw_bonus(states[0], bonus)
    go_on(states[0])


@kernel
def rolled_at(states, tray):
    """The dice have their numbers; `tray` is the tray that was rolled alone, 0 = none."""
    if tray != 0:
        set_tray(states[0], tray)
    rolled(states[0])
    go_on(states[0])
