"""Ganz schön clever, the rules, compiled. In the words and the order of the rule book (Wolfgang Warsch, Schmidt 2018):
rounds, turns and decisions. What a mark does is in marks.py, the state and the actions are in terms.py.

A seat is asked only where it has a choice: a bonus that can be taken in one way only is taken, a roll that fits nowhere
is forfeited (the thesis' engine asks in any case). A roll always draws all six dice, also those that lie still, so that
the n-th roll of a match is the same whatever has been picked.
"""

import numpy as np

from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel, outlined
from spielwerk.games.clever.kernel.marks import (
    area_points,
    bonus_moves,
    can_mark,
    cross_yellow,
    die_fits,
    die_of,
    grant,
    mark,
    marks,
    owes,
    points,
    take_bonus,
    take_bonuses,
)
from spielwerk.games.clever.kernel.terms import (
    ADDING,
    AFTER,
    AGAIN,
    ALL_DICE,
    AT_ONCE,
    BEGIN,
    DICE_COUNT,
    DONE,
    DRAW,
    DRAWN,
    IN_YELLOW,
    MOST_OUTCOMES,
    MOST_ROLLS,
    MOST_SEATS,
    OVER,
    PASS,
    PICK,
    PICKED,
    PICKING,
    PROTOTYPE_ROLLS,
    ROLL,
    ROUND,
    ROUNDS,
    TRAY,
    TRAY_ROLL,
    WASTE,
)
from spielwerk.games.clever.sheets import BLACK, BLUE_PRINTED, ROUND_BONUSES, YELLOW_PRINTED


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
        if s.phase == PICKED and s.short_end == AT_ONCE and is_last_turn(s) and not more_rolls(s):
            finish(s)  # what the last pick brings is lost
            return
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
    s.waiting = 0


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
