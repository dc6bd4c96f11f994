"""Connect Four, the rules, compiled.

A set of cells is an int64 with bit 7 * column + row; columns from the left, rows from the bottom. The seventh bit of
every column stays empty, so that no row or diagonal runs from one column's top into the next column's bottom:

    6 13 20 27 34 41 48   always empty
    5 12 19 26 33 40 47
    4 11 18 25 32 39 46
    3 10 17 24 31 38 45
    2  9 16 23 30 37 44
    1  8 15 22 29 36 43
    0  7 14 21 28 35 42

Action 0..6: drop a disc into this column.
"""

import numpy as np
from spielwerk import kernel, mix

State = np.dtype(
    [
        ("discs", np.int64, 2),  # the cells of each seat, a set
        ("count", np.int8),  # discs on the board, 0..42; seat 0 moves when it is even
        ("last", np.int8),  # column of the last disc, -1 = none yet
        ("winner", np.int8),  # seat with four in a line, -1 = none
    ]
)

COLUMNS, ROWS, SEATS = 7, 6, 2
HEIGHT = ROWS + 1  # bits of a column
CELLS = COLUMNS * ROWS
BOTTOM_ROW = np.int64(sum(1 << HEIGHT * column for column in range(COLUMNS)))
LINES = (1, HEIGHT - 1, HEIGHT, HEIGHT + 1)  # from a cell to the next: up, down to the right, right, up to the right


# --- the contract ----------------------------------------------------------------------------------------------------


@kernel
def start(s, seats, options):
    s.last = -1
    s.winner = -1


@kernel
def actors(s):
    if s.winner >= 0 or s.count == CELLS:
        return -1
    return 1 << turn(s)


@kernel
def legal(s, seat, out):
    occupied = s.discs[0] | s.discs[1]
    count = 0
    for column in range(COLUMNS):
        if has_room(occupied, column):
            out[count] = column
            count += 1
    return count


@kernel
def apply(s, joint):
    seat = turn(s)
    column = joint[seat]
    s.discs[seat] |= lowest_free(s.discs[0] | s.discs[1], column)
    s.count += 1
    s.last = column
    if four_in_a_line(s.discs[seat]):
        s.winner = seat


@kernel
def chance(s, rng):
    """Nothing is left to chance."""


@kernel
def score(s, out):
    """A win counts 1, a draw one half for both."""
    for seat in range(SEATS):
        out[seat] = 0.0
        if s.winner == seat:
            out[seat] = 1.0
        elif s.winner < 0 and s.count == CELLS:
            out[seat] = 0.5


@kernel
def key(s):
    """The discs to move plus all discs and the bottom row: no two positions have the same sum (see John Tromp,
    "The Fhourstones Benchmark"), and none is 0."""
    code = s.discs[turn(s)] + (s.discs[0] | s.discs[1]) + BOTTOM_ROW
    return mix(np.uint64(code))


# --- the board -------------------------------------------------------------------------------------------------------


@kernel
def turn(s):
    """The seat that moves."""
    return np.int64(s.count & 1)


@kernel
def has_room(occupied, column):
    return (occupied >> (HEIGHT * column + ROWS - 1)) & 1 == 0


@kernel
def lowest_free(occupied, column):
    """The cell where a disc comes to rest, as a set of one: adding a disc at the bottom carries up to it."""
    return (occupied + (np.int64(1) << (HEIGHT * column))) & ~occupied


@kernel
def four_in_a_line(discs):
    for step in LINES:
        pairs = discs & (discs >> step)
        if pairs & (pairs >> (2 * step)):
            return True
    return False
