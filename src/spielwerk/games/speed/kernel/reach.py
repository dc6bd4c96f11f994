"""Who is where first: the cells that a seat reaches before all others if everybody drives at speed 1, compiled.

A search in breadth from all heads at once. A cell that two reach in the same round belongs to nobody, and so does what
lies behind it. Jumps and higher speeds are left out.
"""

import numpy as np

from spielwerk.core.linker import kernel, outlined
from spielwerk.games.speed.kernel.paths import direction_after, speed_after, touches
from spielwerk.games.speed.kernel.rules import MOST_SEATS, STEP_X, STEP_Y, is_in

NOBODY = MOST_SEATS  # whose cells are those that two reach at once
OWNERS = MOST_SEATS + 1
UNSEEN = -1
BEFORE = -1  # the round of the cells of the move itself, which nobody else reaches


@kernel
def spread(s, cell, owner, steps, owners, rounds, queue, end):
    """Reach a cell in round `steps`; returns the new end of the queue."""
    if s.cells[cell] != 0:
        return end
    if owners[cell] == UNSEEN:
        owners[cell] = owner
        rounds[cell] = steps
        queue[end] = cell
        return end + 1
    if rounds[cell] == steps and owners[cell] != owner:
        owners[cell] = NOBODY
    return end


@outlined
def share_out(s, seat, action, owners, rounds, queue, counts):
    """Play `action` for `seat`, which must survive it, and count who reaches how many free cells first; `owners`,
    `rounds` and `queue` have room for every cell, `counts` for every seat and nobody. Returns whether somebody else
    can get where the seat can."""
    width, height = np.int64(s.width), np.int64(s.height)
    for cell in range(width * height):
        owners[cell] = UNSEEN
    for owner in range(OWNERS):
        counts[owner] = 0
    end = 0
    for other in range(s.seats):
        if other != seat and is_in(s, other):
            cell = np.int64(s.y[other]) * width + s.x[other]
            owners[cell] = other
            rounds[cell] = 0
            queue[end] = cell
            end += 1
    heads = end
    direction, speed = direction_after(s, seat, action), speed_after(s, seat, action)
    cell = np.int64(s.y[seat]) * width + s.x[seat]
    for step in range(1, speed + 1):
        cell += STEP_Y[direction] * width + STEP_X[direction]
        if touches(step, speed, s.rounds + 1):
            owners[cell] = seat
            rounds[cell] = BEFORE
    start = cell
    queue[end] = start
    end += 1
    met = False
    first = 0
    while first < end:
        cell = np.int64(queue[first])
        owner, steps = np.int64(owners[cell]), np.int64(rounds[cell]) + 1
        if cell == start:
            steps = 2
        counts[owner] += 1
        met = met or owner == NOBODY
        first += 1
        y = cell // width
        x = cell - y * width
        if x > 0:
            end = spread(s, cell - 1, owner, steps, owners, rounds, queue, end)
        if x < width - 1:
            end = spread(s, cell + 1, owner, steps, owners, rounds, queue, end)
        if y > 0:
            end = spread(s, cell - width, owner, steps, owners, rounds, queue, end)
        if y < height - 1:
            end = spread(s, cell + width, owner, steps, owners, rounds, queue, end)
    for i in range(heads + 1):
        counts[owners[queue[i]]] -= 1  # the heads themselves
    return met or borders_on_others(s, seat, owners, queue, end)


@kernel
def borders_on_others(s, seat, owners, queue, end):
    """Whether a cell of the seat touches one that another reaches first."""
    width, height = np.int64(s.width), np.int64(s.height)
    for i in range(end):
        cell = np.int64(queue[i])
        if owners[cell] != seat:
            continue
        y = cell // width
        x = cell - y * width
        if x < width - 1 and is_of_another(s, cell + 1, seat, owners):
            return True
        if y < height - 1 and is_of_another(s, cell + width, seat, owners):
            return True
        if x > 0 and is_of_another(s, cell - 1, seat, owners):
            return True
        if y > 0 and is_of_another(s, cell - width, seat, owners):
            return True
    return False


@kernel
def is_of_another(s, cell, seat, owners):
    return s.cells[cell] == 0 and owners[cell] != UNSEEN and owners[cell] != seat
