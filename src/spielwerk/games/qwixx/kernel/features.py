"""Qwixx for networks: what a seat sees of a table, as numbers. The places are listed in rules.md.

Numbers that grow are thermometers: place i is 1 if the number is above i. So the points of a row, 1 + 2 + … + n, are a
weighted sum of its places. Dice mean something only until the turn ends: between two turns all that belongs to a roll
is 0, and what is left is the position that a turn leaves behind.
"""

import numpy as np

from spielwerk.core.linker import kernel
from spielwerk.games.qwixx.kernel.rules import (
    COLOURED,
    LAST,
    MOST_PENALTIES,
    ROWS,
    WHITE,
    coloured_crosses,
    cross_action,
    may_cross,
    points,
    position_of,
    white_crosses,
)

NUMBERS = 11  # in a row
MOST_CROSSES = 12  # in a row, with the lock
SHEET = ROWS * (NUMBERS + MOST_CROSSES) + MOST_PENALTIES
CELLS = ROWS * NUMBERS
SEAT = SHEET + 3  # a sheet, and for every seat: active, must decide, points
ROLLED = 2 * 6 + NUMBERS + ROWS * 6 + 4 * CELLS + ROWS
TABLE = 2 * ROWS + 3 + 4 + 1 + ROWS + ROLLED  # closed and locked rows, action, lead, what was crossed, the roll
POINTS_SCALE, CLOSE_LEAD = 100.0, 20.0


@kernel
def features(s, seat, out):
    """All sheets from the own one on, then the table."""
    seats = np.int64(s.seats)
    for i in range(SEAT * seats + TABLE):
        out[i] = 0.0
    for i in range(seats):
        write_sheet(s, (seat + i) % seats, out, SHEET * i)
    first = SHEET * seats
    for i in range(seats):
        other = (seat + i) % seats
        out[first + i] = 1.0 if other == s.active else 0.0
        out[first + seats + i] = (np.int64(s.waiting) >> other) & 1
        out[first + 2 * seats + i] = points(s, other) / POINTS_SCALE
    first += 3 * seats
    for row in range(ROWS):
        out[first + row] = (np.int64(s.closed) >> row) & 1
        out[first + ROWS + row] = ((np.int64(s.locked) & ~np.int64(s.closed)) >> row) & 1
    first += 2 * ROWS
    if s.phase >= WHITE:
        out[first + s.phase - WHITE] = 1.0
    first += 3
    write_lead(s, seat, out, first)
    first += 4
    if s.phase == COLOURED:
        out[first] = s.crossed
        if s.white_row >= 0:
            out[first + 1 + s.white_row] = 1.0
    first += 1 + ROWS
    if s.phase == WHITE or s.phase == COLOURED:
        write_dice(s, out, first)
        write_cells(s, seat, out, first + 2 * 6 + NUMBERS + ROWS * 6)


@kernel
def write_sheet(s, seat, out, first):
    """Of every row the numbers that are used up and the crosses; then the misthrows."""
    for row in range(ROWS):
        for i in range(s.reach[seat, row]):
            out[first + i] = 1.0
        for i in range(s.count[seat, row]):
            out[first + NUMBERS + i] = 1.0
        first += NUMBERS + MOST_CROSSES
    for i in range(s.penalties[seat]):
        out[first + i] = 1.0


@kernel
def write_lead(s, seat, out, first):
    """By how much the seat leads the best other: as a number, finer where it is close, and the sign."""
    seats = np.int64(s.seats)
    if seats == 1:
        return
    best = points(s, (seat + 1) % seats)
    for i in range(2, seats):
        best = max(best, points(s, (seat + i) % seats))
    lead = points(s, seat) - best
    out[first] = lead / POINTS_SCALE
    out[first + 1] = max(-1.0, min(1.0, lead / CLOSE_LEAD))
    out[first + 2] = 1.0 if lead > 0 else 0.0
    out[first + 3] = 1.0 if lead < 0 else 0.0


@kernel
def write_dice(s, out, first):
    """The lower white die and the higher one, their sum while it can be crossed, and the coloured dice in the game."""
    low, high = min(s.white[0], s.white[1]), max(s.white[0], s.white[1])
    out[first + low - 1] = 1.0
    out[first + 6 + high - 1] = 1.0
    if s.phase == WHITE:
        out[first + 12 + low + high - 2] = 1.0
    first += 12 + NUMBERS
    for row in range(ROWS):
        if (s.closed >> row) & 1 == 0:
            out[first + 6 * row + s.coloured[row] - 1] = 1.0


@kernel
def write_cells(s, seat, out, first):
    """The cells that the seat can cross, with the white sum and then with a coloured die: by number as in the actions,
    and by how many open numbers a cross would skip. At last the rows that another seat could lock with the white sum.

    In the white action the cells for coloured dice are those that would be open if the seat crossed nothing now.
    """
    if s.phase == WHITE:
        write_crosses(s, seat, white_crosses(s, seat), out, first)
    if seat == s.active:
        write_crosses(s, seat, coloured_crosses(s), out, first + 2 * CELLS)
    if s.phase == WHITE:
        for row in range(ROWS):
            if position_of(s, row, np.int64(s.white[0]) + np.int64(s.white[1])) == LAST:
                for other in range(s.seats):
                    if other != seat and may_cross(s, other, row, LAST):
                        out[first + 4 * CELLS + row] = 1.0


@kernel
def write_crosses(s, seat, crosses, out, first):
    """A set of actions, by number and by what they skip."""
    for row in range(ROWS):
        numbers = (crosses >> cross_action(row, 2)) & 0x7FF
        if numbers == 0:
            continue
        for number in range(2, 13):
            if (numbers >> (number - 2)) & 1:
                skipped = position_of(s, row, number) - s.reach[seat, row]
                out[first + NUMBERS * row + number - 2] = 1.0
                out[first + CELLS + NUMBERS * row + skipped] = 1.0
