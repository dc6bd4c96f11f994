"""2048 as a grid: quick table indices of n-tuples on the 4x4 board, and the tuple sets of the literature.

The eight symmetric boards are made with a few bit operations each. The cells of a tuple, ascending, are cut out of a
board as runs of neighbouring nibbles: a run is one shift and one mask. So the index of a tuple is the number whose
hexadecimal digits are its cells, the lowest cell last.
"""

import numpy as np

from spielwerk.core.grid import Grid, Tuples, symmetries_of
from spielwerk.core.linker import kernel
from spielwerk.games.twenty48.kernel.rules import ONES, U1, U2, U3, lowered, mirrored, transposed
from spielwerk.search.kernel.ntuple import sum_of_entries

FOUR_BY_SIX: Tuples = ((0, 1, 2, 3, 4, 5), (4, 5, 6, 7, 8, 9), (0, 1, 2, 4, 5, 6), (4, 5, 6, 8, 9, 10))
SIX_BY_SIX: Tuples = (
    (0, 1, 2, 4, 5, 6), (4, 5, 6, 7, 8, 9), (0, 1, 2, 3, 4, 5), (2, 3, 4, 5, 6, 9), (0, 1, 2, 5, 9, 10),
    (3, 4, 5, 6, 7, 8),
)  # fmt: skip
SEVEN_BY_SIX: Tuples = (*SIX_BY_SIX, (1, 3, 4, 5, 6, 7))

TUPLE_SETS: dict[str, Tuples] = {
    "4x6": FOUR_BY_SIX,  # Yeh et al. 2016
    "5x6": (*FOUR_BY_SIX, (8, 9, 10, 11, 12, 13)),  # Jaskowski 2016, without the redundant small ones
    "5x6+": (*FOUR_BY_SIX, (8, 9, 10, 11, 12, 13), (0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 4, 5), (1, 2, 5, 6),
             (5, 6, 9, 10), (0, 1, 2), (4, 5, 6)),  # … with lines of four and three and squares
    "6x6": SIX_BY_SIX,  # Matsuzaki 2016, as the next two
    "7x6": SEVEN_BY_SIX,
    "8x6": (*SEVEN_BY_SIX, (0, 1, 4, 8, 9, 10)),
    "2x7": (tuple(range(7)), tuple(range(4, 11))),
    "3x7": (tuple(range(7)), tuple(range(4, 11)), tuple(range(8, 15))),
    "2x8": (tuple(range(8)), tuple(range(4, 12))),
    "4x5": ((0, 1, 2, 3, 4), (4, 5, 6, 7, 8), (0, 1, 2, 4, 5), (4, 5, 6, 8, 9)),
    "5x4": ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 4, 5), (1, 2, 5, 6), (5, 6, 9, 10)),
}  # fmt: skip


@kernel
def eight_boards(s, top):
    """The board in all its symmetries, as signed numbers (they are only ever shifted and masked)."""
    board, _ = lowered(s, top)
    turned = transposed(board)
    return (
        np.int64(board),
        np.int64(mirrored(board)),
        np.int64(upended(board)),
        np.int64(upended(mirrored(board))),
        np.int64(turned),
        np.int64(mirrored(turned)),
        np.int64(upended(turned)),
        np.int64(upended(mirrored(turned))),
    )


@kernel
def cut(board, shift, mask, other_shift, other_mask):
    """Two runs of cells, side by side."""
    return ((board >> shift) & mask) + ((board >> other_shift) & other_mask)


@kernel
def indices(s, top, plan, base, out):
    """The table indices of all tuples in all eight symmetries; returns how many."""
    a, b, c, d, e, f, g, h = eight_boards(s, top)
    n = 0
    for t in range(plan.shape[0]):
        i = base[t]
        u, v, x, y = plan[t, 0, 0], plan[t, 0, 1], plan[t, 1, 0], plan[t, 1, 1]
        out[n] = i + cut(a, u, v, x, y)
        out[n + 1] = i + cut(b, u, v, x, y)
        out[n + 2] = i + cut(c, u, v, x, y)
        out[n + 3] = i + cut(d, u, v, x, y)
        out[n + 4] = i + cut(e, u, v, x, y)
        out[n + 5] = i + cut(f, u, v, x, y)
        out[n + 6] = i + cut(g, u, v, x, y)
        out[n + 7] = i + cut(h, u, v, x, y)
        for run in range(2, plan.shape[1]):
            u, v = plan[t, run, 0], plan[t, run, 1]
            out[n] += (a >> u) & v
            out[n + 1] += (b >> u) & v
            out[n + 2] += (c >> u) & v
            out[n + 3] += (d >> u) & v
            out[n + 4] += (e >> u) & v
            out[n + 5] += (f >> u) & v
            out[n + 6] += (g >> u) & v
            out[n + 7] += (h >> u) & v
        n += 8
    return n


@kernel
def total(s, top, plan, base, weights, out):
    """The sum of all active entries; without the detour over `out` where two runs are enough for every tuple."""
    if plan.shape[1] > 2:
        return sum_of_entries(weights, out, indices(s, top, plan, base, out))
    a, b, c, d, e, f, g, h = eight_boards(s, top)
    p = q = r = z = np.float32(0.0)
    for t in range(plan.shape[0]):
        i = base[t]
        u, v, x, y = plan[t, 0, 0], plan[t, 0, 1], plan[t, 1, 0], plan[t, 1, 1]
        p += weights[np.uint64(i + cut(a, u, v, x, y))]
        q += weights[np.uint64(i + cut(b, u, v, x, y))]
        r += weights[np.uint64(i + cut(c, u, v, x, y))]
        z += weights[np.uint64(i + cut(d, u, v, x, y))]
        p += weights[np.uint64(i + cut(e, u, v, x, y))]
        q += weights[np.uint64(i + cut(f, u, v, x, y))]
        r += weights[np.uint64(i + cut(g, u, v, x, y))]
        z += weights[np.uint64(i + cut(h, u, v, x, y))]
    return (p + q) + (r + z)


@kernel
def upended(board):
    """The order of the rows reversed."""
    board = (board >> np.uint64(32)) | (board << np.uint64(32))
    low = np.uint64(0x0000FFFF0000FFFF)
    return ((board & low) << np.uint64(16)) | ((board >> np.uint64(16)) & low)


@kernel
def present(s, top, lowest, out):
    """The set of powers on the board from `lowest` up: bit p = there is a tile 2**p."""
    board, _ = lowered(s, top)
    if lowest >= 12:  # four powers are left, which all have their two upper bits set
        high = (board >> U3) & (board >> U2) & ONES
        odd = high & board
        upper = high & (board >> U1)
        return (
            (np.int64((upper & odd) != 0) << 15)
            | (np.int64((upper & ~odd) != 0) << 14)
            | (np.int64((odd & ~upper) != 0) << 13)
            | (np.int64((high & ~odd & ~upper) != 0) << 12)
        )
    seen = np.int64(0)
    for cell in range(16):
        seen |= np.int64(1) << np.int64((board >> np.uint64(4 * cell)) & np.uint64(15))
    return seen >> lowest << lowest


def plan(tuples: Tuples) -> np.ndarray:
    """Shift and mask of every run of neighbouring cells, [tuples, runs, 2]; spare runs cut out nothing."""
    cuts = []
    for chosen in tuples:
        runs: dict[int, int] = {}
        for digit, cell in enumerate(sorted(chosen)):
            shift = 4 * (cell - digit)
            runs[shift] = runs.get(shift, 0) | 15 << 4 * digit
        cuts.append(list(runs.items()))
    table = np.zeros((len(cuts), max(2, *map(len, cuts)), 2), np.int64)
    for t, runs_of_tuple in enumerate(cuts):
        for r, run in enumerate(runs_of_tuple):
            table[t, r] = run
    return table


def grid(rows: int, columns: int) -> Grid:
    """The grid of a board; the quick way and the tuple sets of the literature exist for 4x4."""
    symmetries = symmetries_of(rows, columns)
    if (rows, columns) == (4, 4):
        return Grid(4, 4, 16, symmetries, TUPLE_SETS, plan, indices, total, present)
    return Grid(rows, columns, 16, symmetries)
