"""Simple players of spe_ed, compiled: each gives every move a value and takes the best, ties by lot.

What all share comes first: a move that survives beats one that does not, and among those one that nobody can cross in
this very round. Where every move kills, nothing is changed.

The weights are whole numbers: whether contested cells are avoided, and the greatest speed that is wanted.
"""

import numpy as np

from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel, outlined
from spielwerk.games.speed.kernel.paths import (
    CHOICES,
    column_after,
    direction_after,
    forget_marks,
    free_ahead,
    free_around,
    is_contested,
    reachable_after,
    row_after,
    speed_after,
    survives,
)
from spielwerk.games.speed.kernel.rules import CELLS, CHANGE_NOTHING

AVOIDS, FASTEST_WANTED = 0, 1  # places in the weights
DEADLY = -1.0
UNCONTESTED = 1e9  # more than any value
UNHURRIED = 1e6  # as slow as wanted; more than what a policy adds
INTEGERS = 2 * CELLS  # work space of `area_policy`


@kernel
def safety(s, seat, action, weights):
    """What comes before every value, or `DEADLY`."""
    if not survives(s, seat, action):
        return DEADLY
    worth = 0.0
    if not weights[AVOIDS] or not is_contested(s, seat, action):
        worth += UNCONTESTED
    speed = speed_after(s, seat, action)
    if speed <= weights[FASTEST_WANTED] or speed < s.speed[seat]:
        worth += UNHURRIED
    return worth


@kernel
def best_of(values, rng):
    """One of the actions with the highest value, or nothing is changed where all are deadly."""
    best, chosen, equal = DEADLY, CHANGE_NOTHING, 0
    for action in range(CHOICES):
        if values[action] == DEADLY or values[action] < best:
            continue
        if values[action] > best:
            best = values[action]
            equal = 0
        equal += 1
        if equal == 1 or below(rng, equal) == 0:
            chosen = action
    return chosen


@outlined
def safe_policy(s, seat, weights, scratch, rng):
    """Any move that survives."""
    for action in range(CHOICES):
        scratch.numbers[action] = safety(s, seat, action, weights)
    return best_of(scratch.numbers, rng)


@outlined
def longest_policy(s, seat, weights, scratch, rng):
    """Where the way ahead is longest after the move; then where the sides are, then the lower speed."""
    for action in range(CHOICES):
        worth = safety(s, seat, action, weights)
        if worth != DEADLY:
            x, y = column_after(s, seat, action), row_after(s, seat, action)
            direction = direction_after(s, seat, action)
            sides = max(free_ahead(s, x, y, (direction + 1) & 3), free_ahead(s, x, y, (direction + 3) & 3))
            worth += 1000.0 * free_ahead(s, x, y, direction) + 10.0 * sides - speed_after(s, seat, action)
        scratch.numbers[action] = worth
    return best_of(scratch.numbers, rng)


@outlined
def spiral_policy(s, seat, weights, scratch, rng):
    """As slowly as possible into the cell with the fewest ways on, but for dead ends; straight on in the open."""
    for action in range(CHOICES):
        worth = safety(s, seat, action, weights)
        if worth != DEADLY:
            ways = free_around(s, column_after(s, seat, action), row_after(s, seat, action))
            worth += 100.0 * (10 - speed_after(s, seat, action))
            worth += 10.0 * (3 - ways) if ways > 0 else 0.0
            if direction_after(s, seat, action) == s.direction[seat]:
                worth += 1.0
        scratch.numbers[action] = worth
    return best_of(scratch.numbers, rng)


@outlined
def area_policy(s, seat, weights, scratch, rng):
    """Where the most cells can be reached after the move; then the lower speed, then along walls and trails."""
    marks, queue = scratch.integers[:CELLS], scratch.integers[CELLS:]
    forget_marks(s, marks)
    for action in range(CHOICES):
        worth = safety(s, seat, action, weights)
        if worth != DEADLY:
            area = reachable_after(s, seat, action, action + 1, marks, queue)
            ways = free_around(s, column_after(s, seat, action), row_after(s, seat, action))
            worth += 100.0 * area - 5.0 * speed_after(s, seat, action) - np.float64(ways)
        scratch.numbers[action] = worth
    return best_of(scratch.numbers, rng)
