"""2048, the rules, compiled.

The board is a bitboard: cell i (row-major from the upper left, four to a row also on smaller boards) is nibble i of
`board`, holding the power of two (0 = empty, 1 = the tile 2, … 15 = the tile 32768). Tiles from 65536 up do not fit
into a nibble: bit i of `big` adds 16 to cell i. Such boards, and boards on which two 32768 could merge, are slid cell
by cell; all others row by row through a table.

Actions: 0 up, 1 down, 2 left, 3 right.
Outcomes of a spawn: 2 * cell for a tile 2, 2 * cell + 1 for a tile 4.
"""

import numpy as np

from spielwerk.core.kernel.rng import draw, mix
from spielwerk.core.linker import kernel

State = np.dtype(
    [
        ("board", np.uint64),  # nibble i: power of two in cell i, low four bits
        ("inside", np.uint64),  # lowest bit of nibble i: cell i belongs to the board
        ("score", np.int32),  # points so far
        ("big", np.uint16),  # bit i: cell i holds 16 more than its nibble says
        ("width", np.uint8),  # 1..4
        ("height", np.uint8),  # 1..4
        ("pending", np.uint8),  # tiles that chance has yet to place; 0 = the seat must move
        ("moves", np.uint8),  # bit a: action a is legal; only meaningful when nothing is pending
    ]
)

UP, DOWN, LEFT, RIGHT = 0, 1, 2, 3

ONES = np.uint64(0x1111111111111111)  # the lowest bit of every nibble
NOT_LAST_COLUMN = np.uint64(0x0111011101110111)
NOT_LAST_ROW = np.uint64(0x0000111111111111)
A_TENTH = np.uint64(429496730)  # of 2**32
LOW_32 = np.uint64(0xFFFFFFFF)

U1, U2, U3, U4 = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
U12, U16, U32, U48, U60 = np.uint64(12), np.uint64(16), np.uint64(32), np.uint64(48), np.uint64(60)


def _rows_slid_left() -> np.ndarray:
    """For every row of four nibbles: the row after sliding left (low half) and a quarter of its points (high half).

    A merge of two 32768 does not fit; rows that need it are never looked up.
    """
    table = np.zeros(1 << 16, np.uint32)
    for row in range(1 << 16):
        tiles = [row >> shift & 15 for shift in (0, 4, 8, 12) if row >> shift & 15]
        slid, points, i = [], 0, 0
        while i < len(tiles):
            if i + 1 < len(tiles) and tiles[i] == tiles[i + 1]:
                slid.append(min(tiles[i] + 1, 15))
                points += 2 << tiles[i]
                i += 2
            else:
                slid.append(tiles[i])
                i += 1
        packed = sum(tile << 4 * place for place, tile in enumerate(slid))
        table[row] = packed | (points // 4) << 16
    return table


ROWS = _rows_slid_left()
ROW_MASK = np.uint64(0xFFFF)


@kernel
def start(s, seats, options):
    s.width = options[0]
    s.height = options[1]
    inside = np.uint64(0)
    for row in range(options[1]):
        for column in range(options[0]):
            inside |= U1 << np.uint64(16 * row + 4 * column)
    s.inside = inside
    s.pending = 2


@kernel
def actors(s):
    if s.pending > 0:
        return 0
    if s.moves == 0:
        return -1
    return 1


@kernel
def legal(s, seat, out):
    moves = np.int64(s.moves)
    count = 0
    for action in range(4):
        out[count] = action
        count += (moves >> action) & 1
    return count


@kernel
def apply(s, joint):
    slide(s, joint[0])
    s.pending = 1


@kernel
def chance(s, rng):
    """A new tile on an empty cell, each equally likely: in 90 % of the cases a 2, else a 4."""
    free = empty_cells(s)
    count = (free * ONES) >> U60  # the nibbles of free * ONES count the empty cells up to each cell
    if count == 0:
        count = U16
    bits = draw(rng)
    nth = ((bits >> U32) * count) >> U32
    chosen = nth_of(free, nth)
    if bits & LOW_32 < A_TENTH:
        chosen <<= U1
    place(s, chosen)


@kernel
def score(s, out):
    out[0] = s.score


@kernel
def outcomes(s, ids, probs):
    free = empty_cells(s)
    count = 0
    for cell in range(16):
        if (free >> np.uint64(4 * cell)) & U1:
            ids[count] = 2 * cell
            ids[count + 1] = 2 * cell + 1
            count += 2
    for i in range(0, count, 2):
        probs[i] = 1.8 / count
        probs[i + 1] = 0.2 / count
    return count


@kernel
def happen(s, outcome):
    place(s, U1 << np.uint64(4 * (outcome >> 1) + (outcome & 1)))


@kernel
def key(s):
    seen = s.board ^ (np.uint64(s.pending) * ONES)
    if s.big:
        seen ^= mix(np.uint64(s.big))
    return mix(seen) | U1


@kernel
def features(s, seat, out):
    """Of every cell, row by row, its power of two as one of sixteen; the last stands for 32768 and all above."""
    high = np.int64(s.height)
    wide = np.int64(s.width)
    for i in range(16 * high * wide):
        out[i] = 0.0
    first = np.int64(0)
    for row in range(high):
        powers = np.int64((s.board >> np.uint64(16 * row)) & ROW_MASK)
        big = np.int64(s.big) >> (4 * row)
        for _ in range(wide):
            out[first + ((powers | -(big & 1)) & 15)] = 1.0
            powers >>= 4
            big >>= 1
            first += 16


# --- how it is done --------------------------------------------------------------------------------------------------


@kernel
def occupied(board):
    """The lowest bit of every nibble that is not zero."""
    board |= board >> U2
    board |= board >> U1
    return board & ONES


@kernel
def spread(bits):
    """Bit i of a 16-bit set becomes the lowest bit of nibble i."""
    x = np.uint64(bits)
    x = (x | (x << np.uint64(24))) & np.uint64(0x000000FF000000FF)
    x = (x | (x << U12)) & np.uint64(0x000F000F000F000F)
    x = (x | (x << np.uint64(6))) & np.uint64(0x0303030303030303)
    x = (x | (x << U3)) & ONES
    return x


@kernel
def empty_cells(s):
    taken = occupied(s.board)
    if s.big:
        taken |= spread(s.big)
    return s.inside & ~taken


@kernel
def empty_cells_at(states):
    return empty_cells(states[0])


@kernel
def decide_next_at(states):
    """No new tile is to come: the seat must move, or the match is over."""
    states[0].pending = 0
    states[0].moves = legal_moves(states[0])


@kernel
def nth_of(free, nth):
    """The nth (from 0) set bit of a set of nibbles, found without a loop through the counts in free * ONES."""
    differs = (free * ONES) ^ (((nth + U1) & np.uint64(15)) * ONES)
    return free & ~occupied(differs)


@kernel
def place(s, tile):
    s.board |= tile
    s.pending -= 1
    if s.pending == 0:
        s.moves = legal_moves(s)


@kernel
def legal_moves(s):
    """A set of actions: those that change the board."""
    board = s.board
    taken = occupied(board)
    beside = board ^ (board >> U4)  # nibble 0: equal to its right neighbour
    below = board ^ (board >> U16)  # nibble 0: equal to the cell below
    differs_beside = occupied(beside)
    differs_below = occupied(below)
    if s.big:
        big = spread(s.big)
        taken |= big
        differs_beside |= big ^ (big >> U4)
        differs_below |= big ^ (big >> U16)
    free = s.inside & ~taken
    pairs_beside = s.inside & (s.inside >> U4) & NOT_LAST_COLUMN
    pairs_below = s.inside & (s.inside >> U16) & NOT_LAST_ROW
    merges_beside = taken & ~differs_beside & pairs_beside
    merges_below = taken & ~differs_below & pairs_below
    up = (free & (taken >> U16) & pairs_below) | merges_below
    down = (taken & (free >> U16) & pairs_below) | merges_below
    left = (free & (taken >> U4) & pairs_beside) | merges_beside
    right = (taken & (free >> U4) & pairs_beside) | merges_beside
    return np.int64(up != 0) | (np.int64(down != 0) << 1) | (np.int64(left != 0) << 2) | (np.int64(right != 0) << 3)


@kernel
def slide(s, action):
    board = s.board
    largest = board & (board >> U1) & (board >> U2) & (board >> U3) & ONES  # the tiles 32768
    if s.big or largest & (largest - U1):
        slide_cell_by_cell(s, action)
        return
    if action <= DOWN:
        board = transposed(board)
        gap = 4 - np.int64(s.height)
    else:
        gap = 4 - np.int64(s.width)
    if action == DOWN or action == RIGHT:
        board = mirrored(board)
        slid, points = slid_left(board)
        board = mirrored(slid) >> np.uint64(4 * gap)
    else:
        board, points = slid_left(board)
    if action <= DOWN:
        board = transposed(board)
    s.board = board
    s.score += points


@kernel
def slid_left(board):
    """All four rows slid left through the table, and the points."""
    a = ROWS[board & ROW_MASK]
    b = ROWS[(board >> U16) & ROW_MASK]
    c = ROWS[(board >> U32) & ROW_MASK]
    d = ROWS[board >> U48]
    slid = (
        (np.uint64(a) & ROW_MASK)
        | ((np.uint64(b) & ROW_MASK) << U16)
        | ((np.uint64(c) & ROW_MASK) << U32)
        | ((np.uint64(d) & ROW_MASK) << U48)
    )
    points = 4 * ((np.int64(a) >> 16) + (np.int64(b) >> 16) + (np.int64(c) >> 16) + (np.int64(d) >> 16))
    return slid, points


@kernel
def mirrored(board):
    """Every row reversed."""
    board = ((board & np.uint64(0x00FF00FF00FF00FF)) << np.uint64(8)) | (
        (board >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
    )
    return ((board & np.uint64(0x0F0F0F0F0F0F0F0F)) << U4) | ((board >> U4) & np.uint64(0x0F0F0F0F0F0F0F0F))


@kernel
def transposed(board):
    """Rows become columns."""
    a = board & np.uint64(0xF0F00F0FF0F00F0F)
    b = board & np.uint64(0x0000F0F00000F0F0)
    c = board & np.uint64(0x0F0F00000F0F0000)
    board = a | (b << U12) | (c >> U12)
    a = board & np.uint64(0xFF00FF0000FF00FF)
    b = board & np.uint64(0x00FF00FF00000000)
    c = board & np.uint64(0x00000000FF00FF00)
    return a | (b >> np.uint64(24)) | (c << np.uint64(24))


@kernel
def tile(s, cell):
    """The power of two in a cell; 0 = empty."""
    low = np.int64((s.board >> np.uint64(4 * cell)) & np.uint64(15))
    return low + 16 * ((np.int64(s.big) >> cell) & 1)


@kernel
def set_tile(s, cell, power):
    shift = np.uint64(4 * cell)
    s.board = (s.board & ~(np.uint64(15) << shift)) | (np.uint64(power & 15) << shift)
    s.big = (np.int64(s.big) & ~(1 << cell)) | ((power >> 4) << cell)


@kernel
def slide_cell_by_cell(s, action):
    """The same for boards with tiles that the row table cannot hold."""
    across = np.int64(s.width) if action <= DOWN else np.int64(s.height)  # number of lines
    along = np.int64(s.height) if action <= DOWN else np.int64(s.width)  # cells in a line
    for line in range(across):
        if action <= DOWN:
            first, step = line, 4
        else:
            first, step = 4 * line, 1
        if action == DOWN or action == RIGHT:
            first += step * (along - 1)
            step = -step
        target = 0
        last = 0  # the tile before target, 0 = none or already merged
        for i in range(along):
            cell = first + step * i
            power = tile(s, cell)
            if power == 0:
                continue
            set_tile(s, cell, 0)
            if power == last:
                set_tile(s, first + step * (target - 1), power + 1)
                s.score += np.int64(2) << power
                last = 0
            else:
                set_tile(s, first + step * target, power)
                target += 1
                last = power


# --- the board as a grid, for n-tuple networks -----------------------------------------------------------------------


@kernel
def cells(s, top, out):
    """The powers of two, row by row, none above `top` (see `lowered`)."""
    board, big = lowered(s, top)
    cell = 0
    for row in range(np.int64(s.height)):
        for column in range(np.int64(s.width)):
            place = 4 * row + column
            out[cell] = np.int64((board >> np.uint64(4 * place)) & np.uint64(15)) + 16 * ((big >> place) & 1)
            cell += 1


@kernel
def lowered(s, top):
    """Board and big tiles with no power above `top`, for looking up only: tile downgrading (Guei, Chen and Wu 2022).

    As long as a tile is too high, the highest power that is missing below the highest tile is found, and every tile
    above it is halved. What matters for the next moves, the order of the tiles, stays as it is. If no power is missing
    only the highest tile is halved.
    """
    board = s.board
    big = np.int64(s.big)
    if big == 0 and top >= 15:
        return board, big
    if big == 0 and top == 14 and (board & (board >> U1) & (board >> U2) & (board >> U3) & ONES) == 0:
        return board, big
    while True:
        seen = np.int64(0)
        highest = 0
        for cell in range(16):
            power = np.int64((board >> np.uint64(4 * cell)) & np.uint64(15)) + 16 * ((big >> cell) & 1)
            seen |= np.int64(1) << power
            highest = max(highest, power)
        if highest <= top:
            return board, big
        missing = highest - 1
        while missing > 0 and (seen >> missing) & 1:
            missing -= 1
        if missing == 0:
            missing = highest - 1
        fresh = np.uint64(0)
        fresh_big = np.int64(0)
        for cell in range(16):
            power = np.int64((board >> np.uint64(4 * cell)) & np.uint64(15)) + 16 * ((big >> cell) & 1)
            if power > missing:
                power -= 1
            fresh |= np.uint64(power & 15) << np.uint64(4 * cell)
            fresh_big |= (power >> 4) << cell
        board = fresh
        big = fresh_big
