"""Ganz schön clever for networks: what a seat sees of a table, as numbers. The places are listed in rules.md.

Numbers that grow are thermometers: place i is 1 if the number is above i. Dice that are about to be rolled have no
numbers, so that what a pick leaves and what a re-roll leaves compare naturally; dice that lie have theirs, since +1 and
the tray can still use them. The economy of bonuses is told outright: which kinds are one mark away, and how near those
in the rows are.
"""

import numpy as np

from spielwerk.core.linker import kernel
from spielwerk.games.clever.kernel.marks import (
    area_points,
    blue_crosses,
    blue_fits,
    green_fits,
    purple_fits,
    yellow_places,
)
from spielwerk.games.clever.kernel.terms import (
    ALL_DICE,
    BLUE_COLUMN,
    BLUE_DIE,
    BLUE_ROW,
    DIAGONAL,
    DICE_COUNT,
    GREEN_DIE,
    MOST_ROLLS,
    MOST_SEATS,
    ORANGE_DIE,
    OVER,
    PICKED,
    ROLL,
    ROUNDS,
    TRAY,
    WHITE_DIE,
    YELLOW_COLUMN,
    YELLOW_DIE,
    YELLOW_ROW,
)
from spielwerk.games.clever.sheets import (
    BLACK,
    BLUE_COLUMNS,
    BLUE_GRID,
    BLUE_ROWS,
    GREEN_BONUSES,
    GRID,
    MARKS,
    MOST_ROUNDS,
    NONE,
    ORANGE_4,
    ORANGE_BONUSES,
    PURPLE_6,
    PURPLE_BONUSES,
    REROLL,
    ROW,
    YELLOW_DIAGONAL,
    YELLOW_ROWS,
)

KINDS = 8  # of bonuses: re-roll, +1, fox, X in yellow, blue, green, a number in orange, in purple
MISSING = 3  # of a line: one-hot for none, one and two missing marks
YELLOW_LINES, BLUE_LINES = 9, 7
MOST_REROLLS, MOST_EXTRAS, MOST_FOXES = 7, 7, 5
FITS = 10  # by the die of each colour, then by the white one
AREAS = 5
SHEET = (
    GRID
    + MISSING * YELLOW_LINES
    + BLUE_GRID
    + MISSING * BLUE_LINES
    + 4 * ROW  # crosses of blue and green, filled cells of orange and purple
    + 2  # points of orange and purple
    + 7  # the number that purple must exceed
    + MOST_REROLLS
    + MOST_EXTRAS
    + MOST_FOXES
    + 3 * AREAS  # points, how far above the lowest, which is the lowest
    + 3  # lowest area, points by foxes, points
    + 2 * KINDS  # one mark away, pull of the rows
    + MARKS
    + 1  # owed
)
SEAT = SHEET + FITS + DICE_COUNT + 5  # what fits, dice used by +1, active, picking, using +1, must decide, lead
PHASES = OVER
TABLE = MOST_ROUNDS + PHASES + MOST_ROLLS + 1 + 2 + 3 * DICE_COUNT + 6 * DICE_COUNT + 11
OWN = SEAT + TABLE + MOST_SEATS + 1  # turns until the own active one, how many of those are left
LOW, HIGH, ALL = 40.0, 100.0, 300.0  # points that count as 1: of an area, of foxes, of a match


@kernel
def features(s, seat, out):
    """All sheets from the own one on, then the table."""
    seats = np.int64(s.seats)
    for i in range(SEAT * seats + TABLE):
        out[i] = 0.0
    for i in range(seats):
        write_seat(s, (seat + i) % seats, seat, out, SEAT * i)
    write_table(s, out, SEAT * seats)


@kernel
def own_features(s, seat, out):
    """The own sheet, the table and when one's own turns are: as many numbers however many sit there."""
    for i in range(OWN):
        out[i] = 0.0
    write_seat(s, seat, seat, out, 0)
    write_table(s, out, SEAT)
    seats = np.int64(s.seats)
    if s.active >= 0:
        until = (seat + seats - np.int64(s.active)) % seats
        begun = (np.int64(s.active) + seats - np.int64(s.first)) % seats
        over = begun > (seat + seats - np.int64(s.first)) % seats
        out[SEAT + TABLE + until] = 1.0
        out[SEAT + TABLE + MOST_SEATS] = (
            np.int64(ROUNDS[seats]) - np.int64(s.rounds) + (0 if over else 1)
        ) / MOST_ROUNDS


@kernel
def write_table(s, out, first):
    seats = np.int64(s.seats)
    if s.rounds > 0:
        out[first + np.int64(s.rounds) - 1] = 1.0
    first += MOST_ROUNDS
    if s.phase < OVER:
        out[first + np.int64(s.phase)] = 1.0
    first += PHASES
    if ROLL <= s.phase <= PICKED:
        out[first + min(np.int64(s.rolls), MOST_ROLLS)] = 1.0
    first += MOST_ROLLS + 1
    turn = (np.int64(s.active) + seats - np.int64(s.first)) % seats
    left = np.int64(ROUNDS[seats]) * seats - (np.int64(s.rounds) - 1) * seats - turn
    out[first] = left / 6.0 / seats
    out[first + 1] = 1.0 if seats == 1 else ((seats + turn - 1) % seats) / seats
    first += 2
    write_dice(s, out, first)


@kernel
def write_seat(s, seat, own, out, first):
    at = write_grids(s, seat, out, first)
    at = write_rows(s, seat, out, at)
    at = write_counters(s, seat, out, at)
    at = write_points(s, seat, out, at)
    at = write_economy(s, seat, out, at)
    for kind in range(MARKS + 1):
        if s.owed[seat, kind] > 0:
            out[at + kind] = 1.0
    at += MARKS + 1
    write_fits(s, seat, out, at)
    at += FITS
    for die in range(DICE_COUNT):
        if (np.int64(s.spent[seat]) >> die) & 1:
            out[at + die] = 1.0
    at += DICE_COUNT
    out[at] = 1.0 if seat == s.active else 0.0
    if s.phase == TRAY and s.step[seat] < 2:
        out[at + 1 + np.int64(s.step[seat])] = 1.0
    out[at + 3] = (np.int64(s.waiting) >> seat) & 1
    if seat != own:
        out[at + 4] = (total_points(s, own) - total_points(s, seat)) / HIGH


@kernel
def write_grids(s, seat, out, at):
    """Crosses of yellow and blue, and how much their lines miss."""
    yellow, blue = np.int64(s.yellow[seat]), np.int64(s.blue[seat])
    for place in range(GRID):
        if (yellow >> place) & 1:
            out[at + place] = 1.0
    at += GRID
    for line in range(4):
        write_missing(YELLOW_ROW & ~(yellow >> (4 * line)), out, at + MISSING * line)
        write_missing(YELLOW_COLUMN & ~(yellow >> line), out, at + MISSING * (4 + line))
    write_missing(DIAGONAL & ~yellow, out, at + MISSING * 8)
    at += MISSING * YELLOW_LINES
    for place in range(BLUE_GRID):
        if (blue >> place) & 1:
            out[at + place] = 1.0
    at += BLUE_GRID
    for line in range(3):
        write_missing(BLUE_ROW & ~(blue >> (4 * line)), out, at + MISSING * line)
    for line in range(4):
        write_missing(BLUE_COLUMN & ~(blue >> line), out, at + MISSING * (3 + line))
    return at + MISSING * BLUE_LINES


@kernel
def write_missing(missing, out, at):
    count = bits(missing)
    if count < MISSING:
        out[at + count] = 1.0


@kernel
def bits(places):
    count = np.int64(0)
    while places != 0:
        places &= places - 1
        count += 1
    return count


@kernel
def write_rows(s, seat, out, at):
    """How far blue, green, orange and purple are; points of orange and purple; what purple must exceed."""
    at = write_up_to(blue_crosses(s, seat), ROW, out, at)
    at = write_up_to(np.int64(s.green[seat]), ROW, out, at)
    at = write_up_to(np.int64(s.orange_count[seat]), ROW, out, at)
    at = write_up_to(np.int64(s.purple_count[seat]), ROW, out, at)
    out[at] = s.orange_sum[seat] / LOW
    out[at + 1] = s.purple_sum[seat] / LOW
    count = np.int64(s.purple_count[seat])
    if count < ROW:
        last = np.int64(s.purple[seat, count - 1]) if count > 0 else np.int64(0)
        out[at + 2 + last % 6] = 1.0
    return at + 9


@kernel
def write_up_to(number, most, out, at):
    for i in range(min(number, most)):
        out[at + i] = 1.0
    return at + most


@kernel
def write_counters(s, seat, out, at):
    at = write_up_to(np.int64(s.rerolls[seat]), MOST_REROLLS, out, at)
    at = write_up_to(np.int64(s.extras[seat]), MOST_EXTRAS, out, at)
    return write_up_to(np.int64(s.foxes[seat]), MOST_FOXES, out, at)


@kernel
def lowest_area(s, seat):
    lowest = area_points(s, seat, 0)
    for area in range(1, AREAS):
        lowest = min(lowest, area_points(s, seat, area))
    return lowest


@kernel
def total_points(s, seat):
    total = np.int64(s.foxes[seat]) * lowest_area(s, seat)
    for area in range(AREAS):
        total += area_points(s, seat, area)
    return total


@kernel
def write_points(s, seat, out, at):
    lowest = lowest_area(s, seat)
    total = np.int64(0)
    for area in range(AREAS):
        found = area_points(s, seat, area)
        total += found
        out[at + area] = found / LOW
        out[at + AREAS + area] = (found - lowest) / LOW
        if found == lowest:
            out[at + 2 * AREAS + area] = 1.0
    by_foxes = np.int64(s.foxes[seat]) * lowest
    out[at + 3 * AREAS] = lowest / LOW
    out[at + 3 * AREAS + 1] = by_foxes / HIGH
    out[at + 3 * AREAS + 2] = (total + by_foxes) / ALL
    return at + 3 * AREAS + 3


@kernel
def kind_of(bonus):
    """A bonus as one of eight kinds."""
    if bonus < ORANGE_4:
        return bonus - REROLL
    return 6 if bonus < PURPLE_6 else 7


@kernel
def write_economy(s, seat, out, at):
    """By kind of bonus: lines that miss one mark; how near the bonuses of the rows are, 1 + 1/2 + 1/3 …"""
    yellow, blue, sheet = np.int64(s.yellow[seat]), np.int64(s.blue[seat]), s.sheet
    for line in range(4):
        one_away(YELLOW_ROW & ~(yellow >> (4 * line)), np.int64(YELLOW_ROWS[sheet, line]), out, at)
        one_away(BLUE_COLUMN & ~(blue >> line), np.int64(BLUE_COLUMNS[sheet, line]), out, at)
    for line in range(3):
        one_away(BLUE_ROW & ~(blue >> (4 * line)), np.int64(BLUE_ROWS[sheet, line]), out, at)
    one_away(DIAGONAL & ~yellow, np.int64(YELLOW_DIAGONAL[sheet]), out, at)
    at += KINDS
    for cell in range(np.int64(s.green[seat]), ROW):
        pull(np.int64(GREEN_BONUSES[sheet, cell]), cell - np.int64(s.green[seat]), out, at)
    for cell in range(np.int64(s.orange_count[seat]), ROW):
        pull(np.int64(ORANGE_BONUSES[sheet, cell]), cell - np.int64(s.orange_count[seat]), out, at)
    for cell in range(np.int64(s.purple_count[seat]), ROW):
        pull(np.int64(PURPLE_BONUSES[sheet, cell]), cell - np.int64(s.purple_count[seat]), out, at)
    return at + KINDS


@kernel
def one_away(missing, bonus, out, at):
    if bonus != NONE and bits(missing) == 1:
        out[at + kind_of(bonus)] += 0.5


@kernel
def pull(bonus, distance, out, at):
    if bonus != NONE and bonus != BLACK:
        out[at + kind_of(bonus)] += 1.0 / (1.0 + distance)


@kernel
def write_fits(s, seat, out, at):
    """In which areas the dice that lie could be marked: each in its own, then the white one."""
    for die in range(YELLOW_DIE, DICE_COUNT):
        for by_white in range(2):
            spent = WHITE_DIE if by_white else die
            number = np.int64(s.dice[spent])
            if number == 0:
                continue
            if die == YELLOW_DIE:
                fits = yellow_places(s, seat, number) != 0
            elif die == BLUE_DIE:
                fits = s.dice[BLUE_DIE] > 0 and s.dice[WHITE_DIE] > 0 and blue_fits(s, seat)
            elif die == GREEN_DIE:
                fits = green_fits(s, seat, number)
            elif die == ORANGE_DIE:
                fits = s.orange_count[seat] < ROW
            else:
                fits = purple_fits(s, seat, spent)
            if fits:
                out[at + 5 * by_white + die - YELLOW_DIE] = 1.0


@kernel
def write_dice(s, out, first):
    """Where the dice lie, their numbers, and the sum for blue."""
    fields = ALL_DICE & ~(np.int64(s.pool) | np.int64(s.tray))
    for die in range(DICE_COUNT):
        if (np.int64(s.pool) >> die) & 1:
            out[first + die] = 1.0
        if (np.int64(s.tray) >> die) & 1:
            out[first + DICE_COUNT + die] = 1.0
        if (fields >> die) & 1:
            out[first + 2 * DICE_COUNT + die] = 1.0
        if s.dice[die] > 0:
            out[first + 3 * DICE_COUNT + 6 * die + np.int64(s.dice[die]) - 1] = 1.0
    if s.dice[BLUE_DIE] > 0 and s.dice[WHITE_DIE] > 0:
        out[first + 9 * DICE_COUNT + np.int64(s.dice[BLUE_DIE]) + np.int64(s.dice[WHITE_DIE]) - 2] = 1.0
