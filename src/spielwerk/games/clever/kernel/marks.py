"""What is marked on a sheet of Ganz schön clever: which die fits where, which bonuses follow, what it is worth."""

import numpy as np

from spielwerk.core.linker import kernel, outlined
from spielwerk.games.clever.kernel.terms import (
    ALL_BLUE,
    ALL_YELLOW,
    BLUE_COLUMN,
    BLUE_DIE,
    BLUE_ROW,
    DIAGONAL,
    DICE_COUNT,
    FREE,
    FREE_BLUE,
    FREE_YELLOW,
    GREEN_DIE,
    IN_BLUE,
    IN_GREEN,
    IN_ORANGE,
    IN_PURPLE,
    IN_YELLOW,
    ORANGE_DIE,
    PURPLE_DIE,
    WASTE,
    WHITE_DIE,
    WHITE_IN_YELLOW,
    X_IN_BLUE,
    X_IN_GREEN,
    X_IN_YELLOW,
    YELLOW_COLUMN,
    YELLOW_DIE,
    YELLOW_ROW,
)
from spielwerk.games.clever.sheets import (
    BLACK,
    BLUE_COLUMNS,
    BLUE_GRID,
    BLUE_PLACES,
    BLUE_POINTS,
    BLUE_ROWS,
    BLUE_X,
    EXTRA,
    FOX,
    GREEN_BONUSES,
    GREEN_LOWEST,
    GREEN_POINTS,
    GREEN_X,
    MARKS,
    NONE,
    ORANGE_4,
    ORANGE_6,
    ORANGE_BONUSES,
    ORANGE_FACTORS,
    PURPLE_6,
    PURPLE_BONUSES,
    REROLL,
    ROW,
    YELLOW_COLUMNS,
    YELLOW_DIAGONAL,
    YELLOW_PLACES,
    YELLOW_ROWS,
    YELLOW_X,
)

# --- which die fits where ---------------------------------------------------------------------------------------------


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
