"""How much room a player of spe_ed has: whose cells are reached first, and how long a space is filled.

`territory` grows from all heads at once, round by round, each as many cells as its pace says; a cell belongs to who is
there first. `filling` drives alone at speed 1 along walls until it is stuck: a lower bound of the rounds that are left.
"""

from typing import Any, NamedTuple

import numpy as np

from spielwerk.core.linker import kernel, outlined
from spielwerk.games.speed.kernel.rules import STEP_X, STEP_Y, jumps
from spielwerk.games.speed.players.kernel.bits import (
    NOTHING,
    ROWS,
    WORDS,
    clear,
    copy,
    count,
    is_set,
    put,
    remove,
    spread,
)

MINE, THEIRS, CONTESTED, TOUCHING = 0, 1, 2, 3  # places of what `territory` answers


class Boards(NamedTuple):
    """Room for boards of bits, [WORDS] each."""

    free: Any  # the cells that are free now; everything else is work space
    open: Any  # cells that nobody has reached yet
    mine: Any
    theirs: Any
    my_front: Any
    their_front: Any
    my_new: Any
    their_new: Any
    spare: Any
    other: Any
    room: Any  # what a filler has left


def new_boards() -> Boards:
    return Boards(*(np.zeros(WORDS, np.uint64) for _ in Boards._fields))


@kernel
def grow(front, steps, boards, wide, first, last, new):
    """All cells of `boards.open` at most `steps` steps from `front` go to `new`, and the last of them to `front`;
    returns whether there are any."""
    for word in range(WORDS):
        new[word] = NOTHING
    found = False
    for _ in range(steps):
        spread(front, boards.open, wide, first, last, boards.spare)
        some = NOTHING
        for word in range(first, last + 1):
            front[word] = boards.spare[word] & ~new[word]
            new[word] |= boards.spare[word]
            some |= front[word]
        if wide:
            for word in range(ROWS + first, ROWS + last + 1):
                front[word] = boards.spare[word] & ~new[word]
                new[word] |= boards.spare[word]
                some |= front[word]
        if some == NOTHING:
            break
        found = True
    return found


@outlined
def territory(boards, wide, height, my_pace, their_pace, horizon, answer):
    """Who reaches the free cells first, from `my_front` and `their_front`, within so many rounds. Counts of cells go to
    `answer`; TOUCHING says whether the two meet, or may still do so."""
    copy(boards.free, boards.open)
    clear(boards.mine)
    clear(boards.theirs)
    my_way, their_way = 0.0, 0.0
    contested = 0
    touching = True
    for _ in range(horizon):
        my_way += my_pace
        their_way += their_pace
        my_steps, their_steps = np.int64(my_way), np.int64(their_way)
        my_way -= my_steps
        their_way -= their_steps
        more = grow(boards.my_front, my_steps, boards, wide, 1, height, boards.my_new)
        more = grow(boards.their_front, their_steps, boards, wide, 1, height, boards.their_new) or more
        if not more and my_steps > 0 and their_steps > 0:
            touching = False
            break
        half = 0
        while half <= (ROWS if wide else 0):
            for word in range(half + 1, half + height + 1):
                both = boards.my_new[word] & boards.their_new[word]
                if both != NOTHING:
                    contested += 1
                boards.mine[word] |= boards.my_new[word] & ~both
                boards.theirs[word] |= boards.their_new[word] & ~both
                boards.open[word] &= ~(boards.my_new[word] | boards.their_new[word])
            half += ROWS
    if not touching:
        touching = contested > 0 or beside(boards.mine, boards.theirs, wide, height, boards.spare)
    answer[MINE] = count(boards.mine)
    answer[THEIRS] = count(boards.theirs)
    answer[CONTESTED] = contested
    answer[TOUCHING] = touching


@kernel
def beside(some, others, wide, height, spare):
    """Whether a cell of one set is beside a cell of the other."""
    spread(some, others, wide, 1, height, spare)
    half = 0
    while half <= (ROWS if wide else 0):
        for word in range(half + 1, half + height + 1):
            if spare[word] != NOTHING:
                return True
        half += ROWS
    return False


# --- filling ----------------------------------------------------------------------------------------------------------


@outlined
def flood(room, wide, height, x, y, boards):
    """How many cells of `room` are connected with (x, y)."""
    clear(boards.my_front)
    clear(boards.my_new)
    copy(room, boards.open)
    put(boards.my_front, x, y)
    put(boards.my_new, x, y)
    first, last = y + 1, y + 1
    while True:
        first, last = max(first - 1, 1), min(last + 1, height)
        spread(boards.my_front, boards.open, wide, first, last, boards.spare)
        some = NOTHING
        half = 0
        while half <= (ROWS if wide else 0):
            for word in range(half + first, half + last + 1):
                boards.my_front[word] = boards.spare[word] & ~boards.my_new[word]
                boards.my_new[word] |= boards.spare[word]
                some |= boards.my_front[word]
            half += ROWS
        if some == NOTHING:
            return count(boards.my_new)


@kernel
def exits(room, x, y):
    """Free neighbours of a cell."""
    found = 0
    for direction in range(4):
        if is_set(room, x + STEP_X[direction], y + STEP_Y[direction]):
            found += 1
    return found


@kernel
def way_is_free(room, x, y, direction, speed, jump):
    """Whether a move touches free cells only."""
    for step in range(1, speed + 1):
        if jump and 1 < step < speed:
            continue
        if not is_set(room, x + step * STEP_X[direction], y + step * STEP_Y[direction]):
            return False
    return True


@outlined
def filling(boards, wide, height, x, y, direction, speed, rounds, hand, most):
    """For how many rounds, at most `most`, somebody stays in who slows down and then drives along walls in
    `boards.free`; `rounds` have been played. `hand` is 1 or 3: where he looks first, right or left."""
    room = boards.room
    copy(boards.free, room)
    lasted = 0
    while lasted < most:
        rounds += 1
        turn = 0
        if speed > 1:
            jump = jumps(rounds, speed - 1)
            if way_is_free(room, x, y, direction, speed - 1, jump):
                speed -= 1
            else:
                turn = hand
                jump = jumps(rounds, speed)
                if not way_is_free(room, x, y, (direction + hand) & 3, speed, jump):
                    turn = 4 - hand
                    if not way_is_free(room, x, y, (direction + turn) & 3, speed, jump):
                        return lasted
            direction = (direction + turn) & 3
            for step in range(1, speed + 1):
                if not (jump and 1 < step < speed):
                    remove(room, x + step * STEP_X[direction], y + step * STEP_Y[direction])
            x += speed * STEP_X[direction]
            y += speed * STEP_Y[direction]
            lasted += 1
            continue
        turn = along_walls(room, wide, height, x, y, direction, hand, boards)
        if turn < 0:
            return lasted
        direction = (direction + turn) & 3
        x += STEP_X[direction]
        y += STEP_Y[direction]
        remove(room, x, y)
        lasted += 1
    return lasted


@kernel
def along_walls(room, wide, height, x, y, direction, hand, boards):
    """Where a filler turns at speed 1: 0 ahead, 1 right, 3 left, -1 it is stuck. To the cell with the fewest exits, but
    never into the smaller one of two spaces."""
    best, least, ways = -1, 9, 0
    for look in range(3):
        turn = hand if look == 0 else (0 if look == 1 else 4 - hand)
        towards = (direction + turn) & 3
        to_x, to_y = x + STEP_X[towards], y + STEP_Y[towards]
        if is_set(room, to_x, to_y):
            ways += 1
            free = exits(room, to_x, to_y)
            if free == 0:
                free = 8
            if free < least:
                best, least = turn, free
    if ways < 2 or not parted(room, x, y, direction):
        return best
    largest, chosen = 0, best
    for look in range(4):  # the best by exits first, so that it wins where all belong to one space
        turn = best if look == 0 else look - 1 if look < 3 else 3
        towards = (direction + turn) & 3
        to_x, to_y = x + STEP_X[towards], y + STEP_Y[towards]
        if (look == 0 or turn != best) and is_set(room, to_x, to_y):
            size = flood(room, wide, height, to_x, to_y, boards)
            if size > largest:
                largest, chosen = size, turn
    return chosen


@kernel
def parted(room, x, y, direction):
    """Whether the free cells ahead, to the left and to the right are not connected around the corners."""
    right, left = (direction + 1) & 3, (direction + 3) & 3
    ahead = is_set(room, x + STEP_X[direction], y + STEP_Y[direction])
    on_right = is_set(room, x + STEP_X[right], y + STEP_Y[right])
    on_left = is_set(room, x + STEP_X[left], y + STEP_Y[left])
    right_corner = is_set(room, x + STEP_X[direction] + STEP_X[right], y + STEP_Y[direction] + STEP_Y[right])
    left_corner = is_set(room, x + STEP_X[direction] + STEP_X[left], y + STEP_Y[direction] + STEP_Y[left])
    if ahead and on_right and not right_corner:
        return True
    if ahead and on_left and not left_corner:
        return True
    return on_left and on_right and not ahead
