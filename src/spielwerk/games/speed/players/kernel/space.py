"""What a search of `territory` knows of a position of spe_ed, and what a position is worth to it.

While players can meet, a position is judged by territory; once nobody can come in, by how long the own space can be
filled, and by how much of it is left if somebody jumps in. With several opponents their cells count as their mean.
Values are in cells, from the point of view of the player who searches.
"""

from typing import Any, NamedTuple

import numpy as np

from spielwerk.core.linker import kernel, outlined
from spielwerk.games.speed.kernel.paths import direction_after, speed_after
from spielwerk.games.speed.kernel.rules import (
    FASTEST,
    JUMP_EVERY,
    JUMP_FROM,
    SLOW_DOWN,
    SPEED_UP,
    STEP_X,
    STEP_Y,
    TURN_LEFT,
    TURN_RIGHT,
    jumps,
)
from spielwerk.games.speed.players.kernel.bits import clear, copy, edges, free_cells, is_set, put
from spielwerk.games.speed.players.kernel.chambers import Chambers, drivable
from spielwerk.games.speed.players.kernel.room import MINE, NEVER, THEIRS, TOUCHING, Boards, filling, territory

ACTIONS = 5
LOST, WON = -1e6, 1e6  # a round later is a little better, or worse

# places of the weights
MY_PACE, THEIR_PACE, THEIRS_COUNT, EDGE, SPEED_COST, BOTH_OUT, RISK, APART, FASTEST_OWN, CONTACT = range(10)
PATIENCE, LEAD, HURRY, BY_JUMPS, OPTIMISM, CHAMBERS = range(10, 16)

X, Y, DIRECTION, SPEED = 0, 1, 2, 3
ME, FOE = 0, 1
# places of the numbers; ALONE: nobody can come in soon; SHARED: somebody can without a jump; CAP: own speed at most;
# HELD: cells of the others, in the position that was judged last
NODES, LEAVES, ALIVE, ROUNDS, WIDE, HEIGHT, FOE_SEAT, ALONE, OPPONENTS, JUMP_IN, CAP, HELD, SHARED = range(13)


class Escapes(NamedTuple):
    """Work space of the search for a way out of the own space."""

    trail: Any  # [rounds + 1, 4] heads of a filler: x, y, direction, speed
    heads: Any  # [MOST_HEADS, 6] of run-ups: x, y, direction, speed, parent, action
    table: Any  # [TABLE] keys of the heads of the round that is searched
    home: Any  # [WORDS] the space to leave
    seen: Any  # [WORDS] other spaces that were judged
    saved: Any  # [WORDS] the free cells as they are
    left: Any  # [WORDS] what is left of them when the filler has driven for some rounds


class Space(NamedTuple):
    """Weights and work space of one search."""

    weights: Any  # [16] float64
    boards: Boards
    chambers: Chambers
    heads: Any  # [levels + 1, 2, 4] of me and of the opponent: x, y, direction, speed
    cells: Any  # [levels, 2, MOST_CELLS, 2] what a move has filled, to undo it
    counts: Any  # [levels, 2] how many cells that are
    choices: Any  # [levels, 2] the actions that are looked at
    bounds: Any  # [levels, 2]
    others: Any  # [6, 3] x, y, speed of the opponents that stand still
    numbers: Any  # [13]
    answer: Any  # [3] of `territory`
    path: Any  # [rounds + 1, 4] of `filling`
    lines: Any  # [levels + 1, levels + 1] the own actions from a level on that seem best; exact where nobody answers
    values: Any  # [5] of the own actions
    trial: Any  # [5] of a search that may not come to its end
    now: Any  # [2] what the position is worth as it stands, and how many cells the others hold
    danger: Any  # [WORDS] cells that somebody who stands still may touch in the coming round
    escapes: Escapes


@kernel
def prepare(space, s, seat):
    """Set up the search of a seat."""
    boards, numbers = space.boards, space.numbers
    free_cells(s, boards.free)
    numbers[NODES] = 0
    numbers[LEAVES] = 0
    numbers[ROUNDS] = s.rounds
    numbers[CAP] = np.int64(space.weights[FASTEST_OWN])
    numbers[WIDE] = s.width > 64
    numbers[HEIGHT] = s.height
    set_head(space, 0, ME, s, seat)
    nearest, foe = np.int64(10_000), -1
    for other in range(s.seats):
        if other != seat and (s.alive >> other) & 1:
            away = abs(np.int64(s.x[other]) - s.x[seat]) + abs(np.int64(s.y[other]) - s.y[seat])
            if away < nearest:
                nearest, foe = away, other
    numbers[FOE_SEAT] = foe if nearest <= space.weights[CONTACT] else -1
    numbers[ALIVE] = 0
    numbers[ALONE] = 0
    numbers[SHARED] = 1
    numbers[OPPONENTS] = 0
    clear(space.danger)
    for other in range(s.seats):
        if other != seat and (s.alive >> other) & 1:
            numbers[OPPONENTS] += 1
            if other == numbers[FOE_SEAT]:
                set_head(space, 0, FOE, s, other)
            else:
                stand_still(space, s, other)


@kernel
def stand_still(space, s, seat):
    """Somebody whose moves are not searched."""
    other = space.others[space.numbers[ALIVE]]
    other[X] = s.x[seat]
    other[Y] = s.y[seat]
    other[2] = s.speed[seat]
    space.numbers[ALIVE] += 1
    may_touch(space, s, seat)


@kernel
def set_head(space, level, who, s, seat):
    head = space.heads[level, who]
    head[X] = s.x[seat]
    head[Y] = s.y[seat]
    head[DIRECTION] = s.direction[seat]
    head[SPEED] = s.speed[seat]


@kernel
def may_touch(space, s, seat):
    """Mark the free cells that a seat may touch in the coming round."""
    for action in range(ACTIONS):
        direction, speed = direction_after(s, seat, action), speed_after(s, seat, action)
        if 1 <= speed <= FASTEST:
            jump = jumps(s.rounds + 1, speed)
            for step in range(1, speed + 1):
                x, y = s.x[seat] + step * STEP_X[direction], s.y[seat] + step * STEP_Y[direction]
                if not (jump and 1 < step < speed) and is_set(space.boards.free, x, y):
                    put(space.danger, x, y)


@kernel
def act(before, action, after):
    """The head before a move with its new direction and speed; False if the speed is not possible."""
    after[X] = before[X]
    after[Y] = before[Y]
    after[DIRECTION] = before[DIRECTION]
    after[SPEED] = before[SPEED]
    if action == TURN_LEFT:
        after[DIRECTION] = (before[DIRECTION] + 3) & 3
    elif action == TURN_RIGHT:
        after[DIRECTION] = (before[DIRECTION] + 1) & 3
    elif action == SPEED_UP:
        after[SPEED] += 1
    elif action == SLOW_DOWN:
        after[SPEED] -= 1
    return 1 <= after[SPEED] <= FASTEST


@kernel
def theirs_count(space):
    """What a cell of the others costs: with several opponents the mean of them counts."""
    return space.weights[THEIRS_COUNT] / max(1, space.numbers[OPPONENTS])


@kernel
def first_jump(played, speed):
    """Rounds until somebody can jump who begins to speed up now."""
    jump = JUMP_EVERY - played % JUMP_EVERY
    return jump if speed + jump >= JUMP_FROM else jump + JUMP_EVERY


@outlined
def judge_from(space, me, foe, with_foe, rounds, late):
    """What a position with these heads is worth so many rounds from now, if the others have so many rounds more."""
    boards, numbers, weights, answer = space.boards, space.numbers, space.weights, space.answer
    numbers[LEAVES] += 1
    wide, height = numbers[WIDE] != 0, numbers[HEIGHT]
    clear(boards.my_front)
    clear(boards.their_front)
    put(boards.my_front, me[X], me[Y])
    first, last = me[Y], me[Y]
    speeds, fastest, count = 0.0, np.int64(1), 0
    if with_foe:
        put(boards.their_front, foe[X], foe[Y])
        first, last = min(first, foe[Y]), max(last, foe[Y])
        speeds += foe[SPEED]
        fastest = max(fastest, foe[SPEED])
        count += 1
    for i in range(numbers[ALIVE]):
        other = space.others[i]
        put(boards.their_front, other[X], other[Y])
        first, last = min(first, other[Y]), max(last, other[Y])
        speeds += other[2]
        fastest = max(fastest, other[2])
        count += 1
    if count == 0:
        return WON
    my_pace = 1.0 + weights[MY_PACE] * (me[SPEED] - 1)
    their_pace = 1.0 + weights[THEIR_PACE] * (speeds / count - 1)
    territory(boards, wide, height, first, last, my_pace, their_pace, late, NEVER, answer)
    numbers[HELD] = answer[THEIRS]
    value = -theirs_count(space) * answer[THEIRS]
    if answer[TOUCHING]:
        mine = np.float64(answer[MINE])
        if weights[CHAMBERS] > 0:
            most = drivable(boards.mine, height, me[X], me[Y], space.chambers)
            mine += weights[CHAMBERS] * (most - mine)
        value += mine + weights[EDGE] * edges(boards.mine, wide)
        return value - weights[SPEED_COST] * (me[SPEED] - 1)
    large, path = answer[MINE], space.path
    if weights[BY_JUMPS] > 0:  # what of it is left if they jump in
        copy(boards.my_head, boards.my_front)
        copy(boards.their_heads, boards.their_front)
        jump = first_jump(numbers[ROUNDS] + rounds - np.int64(late), fastest)
        territory(boards, wide, height, first, last, my_pace, their_pace, late, jump, answer)
        value += weights[BY_JUMPS] * answer[MINE]
        answer[TOUCHING] = 0
    lasts = filling(boards, wide, height, me[X], me[Y], me[DIRECTION], me[SPEED], 1, path)
    if lasts < 0.9 * large:
        other = filling(boards, wide, height, me[X], me[Y], me[DIRECTION], me[SPEED], 3, path)
        lasts = max(lasts, other)
    if weights[OPTIMISM] > 0:
        most = drivable(boards.free, height, me[X], me[Y], space.chambers)
        lasts = lasts + weights[OPTIMISM] * (most - lasts)
    return value + weights[APART] * lasts
