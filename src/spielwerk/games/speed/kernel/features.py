"""spe_ed for networks: what a seat sees of the board, as numbers. The places are listed in rules.md.

Everything is turned so that the seat drives upwards, and nothing depends on the size of the board or on the number of
seats: a network plays on any board, with any number of others. What happens far away comes in as a coarse map and as
the cells that the seat would reach first after each of its five moves.
"""

import numpy as np

from spielwerk.core.instructions import work_space
from spielwerk.core.linker import kernel
from spielwerk.games.speed.kernel.paths import (
    CHOICES,
    direction_after,
    free_ahead,
    is_contested,
    is_free,
    rounds_to_jump,
    speed_after,
    survives,
    touches,
)
from spielwerk.games.speed.kernel.reach import OWNERS, share_out
from spielwerk.games.speed.kernel.rules import (
    CELLS,
    FASTEST,
    JUMP_EVERY,
    MOST_SEATS,
    PLAYING,
    SETTING_UP,
    STEP_X,
    STEP_Y,
    is_in,
)

SIDE, AHEAD, BEHIND = 7, 10, 4  # cells beside, before and behind the head in the window
WIDE, DEEP = 2 * SIDE + 1, AHEAD + BEHIND + 1
WINDOW = WIDE * DEEP
BLOCK, BLOCKS = 5, 7  # the coarse map: blocks of 5 by 5 cells, 7 in a row, the head in the middle one
NEAREST = 2  # others that are described
ABOUT = 8  # places for each of them

BLOCKED, COVERED = 0, WINDOW
COARSE = 2 * WINDOW
ALIVE = COARSE + BLOCKS * BLOCKS
CONTESTED = ALIVE + CHOICES
SPEEDS = CONTESTED + CHOICES
JUMP = SPEEDS + FASTEST
OTHERS = JUMP + JUMP_EVERY
DISTANCES = OTHERS + MOST_SEATS - 1
SHARES = DISTANCES + 6
RIVALS = SHARES + CHOICES
ALONE = RIVALS + CHOICES
BEHIND_BEST = ALONE + CHOICES
NEIGHBOURS = BEHIND_BEST + CHOICES
FREE = NEIGHBOURS + NEAREST * ABOUT
SIZE = FREE + 1

FAR, SOME_CELLS = 20.0, 30.0  # cells that count as 1


@kernel
def features(s, seat, out):
    """The window, the coarse map, what each move does, and where the others are."""
    for place in range(SIZE):
        out[place] = 0.0
    if s.phase != SETTING_UP:
        out[FREE] = free_share(s)
    if s.phase != PLAYING or not is_in(s, seat):
        return
    x, y, direction = np.int64(s.x[seat]), np.int64(s.y[seat]), np.int64(s.direction[seat])
    write_window(s, x, y, direction, out)
    write_covered(s, seat, out)
    write_coarse(s, x, y, direction, out)
    out[SPEEDS + np.int64(s.speed[seat]) - 1] = 1.0
    out[JUMP + rounds_to_jump(s)] = 1.0
    others = 0
    for other in range(s.seats):
        if other != seat and is_in(s, other):
            others += 1
    if others > 0:
        out[OTHERS + others - 1] = 1.0
    for side in range(3):  # left, ahead, right
        length = free_ahead(s, x, y, (direction + 3 + side) & 3)
        out[DISTANCES + side] = 1.0 / (1.0 + length)
        out[DISTANCES + 3 + side] = min(length / FAR, 1.0)
    write_moves(s, seat, out)
    write_neighbours(s, seat, out)


@kernel
def free_share(s):
    free, cells = 0, np.int64(s.width) * s.height
    for cell in range(cells):
        if s.cells[cell] == 0:
            free += 1
    return free / cells


@kernel
def write_window(s, x, y, direction, out):
    """1 for a trail, a crash or a place beside the board; the row furthest ahead comes first."""
    side = (direction + 1) & 3
    place = BLOCKED
    for row in range(DEEP):
        for column in range(WIDE):
            forward, right = AHEAD - row, column - SIDE
            if not is_free(
                s,
                x + forward * STEP_X[direction] + right * STEP_X[side],
                y + forward * STEP_Y[direction] + right * STEP_Y[side],
            ):
                out[place] = 1.0
            place += 1


@kernel
def write_covered(s, seat, out):
    """1 for a cell that another can fill in the coming round by a move that it survives."""
    for other in range(s.seats):
        if other == seat or not is_in(s, other):
            continue
        for action in range(CHOICES):
            if not survives(s, other, action):
                continue
            heading, speed = direction_after(s, other, action), speed_after(s, other, action)
            for step in range(1, speed + 1):
                if touches(step, speed, s.rounds + 1):
                    place = place_in_window(
                        s, seat, s.x[other] + step * STEP_X[heading], s.y[other] + step * STEP_Y[heading]
                    )
                    if place >= 0:
                        out[COVERED + place] = 1.0


@kernel
def ahead_of(s, seat, x, y):
    """How far ahead of a seat's head a cell is, as the seat looks."""
    direction = np.int64(s.direction[seat])
    return (x - np.int64(s.x[seat])) * STEP_X[direction] + (y - np.int64(s.y[seat])) * STEP_Y[direction]


@kernel
def right_of(s, seat, x, y):
    side = (np.int64(s.direction[seat]) + 1) & 3
    return (x - np.int64(s.x[seat])) * STEP_X[side] + (y - np.int64(s.y[seat])) * STEP_Y[side]


@kernel
def place_in_window(s, seat, x, y):
    """-1 = outside."""
    row, column = AHEAD - ahead_of(s, seat, x, y), right_of(s, seat, x, y) + SIDE
    if 0 <= row < DEEP and 0 <= column < WIDE:
        return row * WIDE + column
    return -1


@kernel
def write_coarse(s, x, y, direction, out):
    """The share of every block that is blocked."""
    side = (direction + 1) & 3
    half = BLOCK * BLOCKS // 2
    for row in range(BLOCK * BLOCKS):
        for column in range(BLOCK * BLOCKS):
            forward, right = half - row, column - half
            if not is_free(
                s,
                x + forward * STEP_X[direction] + right * STEP_X[side],
                y + forward * STEP_Y[direction] + right * STEP_Y[side],
            ):
                out[COARSE + row // BLOCK * BLOCKS + column // BLOCK] += 1.0
    for block in range(BLOCKS * BLOCKS):
        out[COARSE + block] /= BLOCK * BLOCK


@kernel
def write_moves(s, seat, out):
    """Of every move: whether it survives, whether another may cross it, and who reaches how much first after it."""
    owners, rounds, queue = work_space(CELLS), work_space(CELLS), work_space(CELLS)
    counts = work_space(OWNERS)
    cells = np.float64(s.width) * s.height
    best = 0
    for action in range(CHOICES):
        if not survives(s, seat, action):
            continue
        out[ALIVE + action] = 1.0
        out[CONTESTED + action] = 1.0 if is_contested(s, seat, action) else 0.0
        met = share_out(s, seat, action, owners, rounds, queue, counts)
        rival = 0
        for other in range(MOST_SEATS):
            if other != seat:
                rival = max(rival, np.int64(counts[other]))
        own = np.int64(counts[seat])
        out[SHARES + action] = own / cells
        out[RIVALS + action] = rival / cells
        out[ALONE + action] = 0.0 if met else 1.0
        out[BEHIND_BEST + action] = own
        best = max(best, own)
    for action in range(CHOICES):
        short = best - out[BEHIND_BEST + action] if out[ALIVE + action] else SOME_CELLS
        out[BEHIND_BEST + action] = min(short / SOME_CELLS, 1.0)


@kernel
def write_neighbours(s, seat, out):
    """The nearest others, the nearest first: how far ahead and to the right, how near, where they drive, how fast."""
    described = np.int64(0)
    for n in range(NEAREST):
        nearest, least = -1, 1 << 20
        for other in range(s.seats):
            if other == seat or not is_in(s, other) or (described >> other) & 1:
                continue
            distance = abs(np.int64(s.x[other]) - s.x[seat]) + abs(np.int64(s.y[other]) - s.y[seat])
            if distance < least:
                nearest, least = other, distance
        if nearest < 0:
            return
        described |= 1 << nearest
        first = NEIGHBOURS + ABOUT * n
        x, y = np.int64(s.x[nearest]), np.int64(s.y[nearest])
        out[first] = max(-1.0, min(ahead_of(s, seat, x, y) / FAR, 1.0))
        out[first + 1] = max(-1.0, min(right_of(s, seat, x, y) / FAR, 1.0))
        out[first + 2] = 1.0 / least
        out[first + 3 + ((np.int64(s.direction[nearest]) - s.direction[seat]) & 3)] = 1.0
        out[first + 7] = s.speed[nearest] / 10.0
