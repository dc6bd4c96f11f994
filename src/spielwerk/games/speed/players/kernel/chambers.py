"""How many cells of a space can be driven at most: chambers, and the colours of a chessboard.

A cell whose loss would cut a space in two is a door. Doors part a space into chambers, and who goes through a door
never comes back: only the best chain of chambers can be driven. Within a chamber a way at speed 1 alternates between
the two colours of a chessboard, so the rarer colour limits it. What comes out is a bound: no way is longer. (Chambers:
a1k0n's player of Tron, Google AI Challenge 2010. Doors are found as by Hopcroft and Tarjan 1973.)

Jumps are left out, and so are higher speeds, which only use up more cells.
"""

from typing import Any, NamedTuple

import numpy as np

from spielwerk.core.linker import kernel, outlined
from spielwerk.games.speed.kernel.rules import LONGEST_SIDE, STEP_X, STEP_Y
from spielwerk.games.speed.players.kernel.bits import is_set

CELLS = LONGEST_SIDE * LONGEST_SIDE
NOT_SEEN = 0


class Chambers(NamedTuple):
    """One number a cell, [CELLS] each; a cell is y * LONGEST_SIDE + x."""

    depth: Any  # of a cell in the search, from 1; NOT_SEEN
    low: Any  # the least depth that can be reached beyond a cell without going back
    parent: Any  # the cell that it was reached from
    looks: Any  # how many of its neighbours were looked at
    best: Any  # how many cells can be driven beyond it
    stack: Any  # cells of chambers that are not finished, in the order of the search


def new_chambers() -> Chambers:
    return Chambers(*(np.zeros(CELLS, np.int16) for _ in Chambers._fields))


@outlined
def drivable(room, height, x, y, chambers):
    """How many cells of `room` somebody at (x, y) can drive at most; (x, y) itself does not count."""
    depth, low, parent, looks = chambers.depth, chambers.low, chambers.parent, chambers.looks
    for cell in range(height * LONGEST_SIDE):
        depth[cell] = NOT_SEEN
    start = y * LONGEST_SIDE + x
    enter(chambers, start, start, 1, 0)
    here, top = start, 1
    while True:
        if looks[here] < 4:
            look = looks[here]
            looks[here] += 1
            row = here // LONGEST_SIDE
            to_x, to_y = here - row * LONGEST_SIDE + STEP_X[look], row + STEP_Y[look]
            if not (is_set(room, to_x, to_y) or (to_x == x and to_y == y)):
                continue
            there = to_y * LONGEST_SIDE + to_x
            if depth[there] == NOT_SEEN:
                enter(chambers, there, here, depth[here] + 1, top)
                top += 1
                here = there
            elif there != parent[here]:
                low[here] = min(low[here], depth[there])
            continue
        if here == start:
            return np.int64(chambers.best[start])
        before = np.int64(parent[here])
        if low[here] >= depth[before]:  # `before` is a door, or the start: a chamber is complete
            top = close(chambers, here, before, top)
        else:
            low[before] = min(low[before], low[here])
        here = before


@kernel
def enter(chambers, cell, parent, depth, top):
    chambers.depth[cell] = depth
    chambers.low[cell] = depth
    chambers.parent[cell] = parent
    chambers.looks[cell] = 0
    chambers.best[cell] = 0
    chambers.stack[top] = cell


@kernel
def close(chambers, first, door, top):
    """Take the cells of a chamber from the stack, down to the first one behind its door, and note what can be driven
    through it and beyond; returns the new top."""
    beyond, like_door, unlike = 0, 0, 0
    colour = colour_of(door)
    while True:
        top -= 1
        cell = np.int64(chambers.stack[top])
        beyond = max(beyond, chambers.best[cell])
        if colour_of(cell) == colour:
            like_door += 1
        else:
            unlike += 1
        if cell == first:
            break
    through = 2 * like_door + 1 if unlike > like_door else 2 * unlike
    chambers.best[door] = max(chambers.best[door], through + beyond)
    return top


@kernel
def colour_of(cell):
    row = cell // LONGEST_SIDE
    return (row + cell - row * LONGEST_SIDE) & 1
