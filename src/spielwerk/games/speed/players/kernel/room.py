"""How much room a player of spe_ed has: whose cells are reached first, and how long a space is filled.

`territory` grows from all heads at once, each as many cells a round as its pace says; a cell belongs to who is there
first. `filling` drives alone at speed 1 along walls until it is stuck: so many rounds are left at least in a small
space; of a large one the rest is guessed.
"""

from typing import Any, NamedTuple

import numpy as np

from spielwerk.core.linker import kernel, outlined
from spielwerk.games.speed.kernel.rules import JUMP_EVERY, STEP_X, STEP_Y
from spielwerk.games.speed.players.kernel.bits import (
    NOTHING,
    ONE,
    ROWS,
    TOP,
    WORDS,
    clear,
    copy,
    count,
    is_set,
    put,
    remove,
    spread,
)

MOST_ROUNDS = 150  # that a filler drives
MOST_FLOODS = 8  # by which a filler finds the largest of several spaces
GUESS = 0.9  # of a large space is filled
MOST_WALL = 3  # cells that a jump leads over, for territories
NEVER = 1e9

MINE, THEIRS, TOUCHING = 0, 1, 2  # places of what `territory` answers


class Boards(NamedTuple):
    """Room for boards of bits, [WORDS] each."""

    free: Any  # the cells that are free now; everything else is work space
    open: Any  # cells that nobody has reached yet
    mine: Any
    theirs: Any
    my_front: Any
    their_front: Any
    my_head: Any  # where the fronts began
    their_heads: Any
    my_new: Any
    spare: Any
    other: Any
    room: Any  # what a filler has left


def new_boards() -> Boards:
    return Boards(*(np.zeros(WORDS, np.uint64) for _ in Boards._fields))


@kernel
def advance(front, claimed, boards, wide, first, last):
    """One step of a front into the open, where its cells are claimed; returns whether it found any."""
    spread(front, boards.open, wide, first, last, boards.spare)
    some = NOTHING
    half = 0
    while half <= (ROWS if wide else 0):
        for word in range(half + first, half + last + 1):
            new = boards.spare[word]
            front[word] = new
            claimed[word] |= new
            boards.open[word] &= ~new
            some |= new
        half += ROWS
    return some != NOTHING


@kernel
def advance_both(boards, wide, first, last):
    """One step of both fronts at the same time; what both reach belongs to nobody. Returns whether anything is left of
    my front (bit 0) and of theirs (bit 1), and whether they met (bit 2)."""
    spread(boards.my_front, boards.open, wide, first, last, boards.spare)
    spread(boards.their_front, boards.open, wide, first, last, boards.other)
    my_some, their_some, met = NOTHING, NOTHING, NOTHING
    half = 0
    while half <= (ROWS if wide else 0):
        for word in range(half + first, half + last + 1):
            my_new, their_new = boards.spare[word], boards.other[word]
            both = my_new & their_new
            boards.open[word] &= ~(my_new | their_new)
            my_new &= ~both
            their_new &= ~both
            boards.my_front[word] = my_new
            boards.their_front[word] = their_new
            boards.mine[word] |= my_new
            boards.theirs[word] |= their_new
            my_some |= my_new
            their_some |= their_new
            met |= both
        half += ROWS
    return (1 if my_some != NOTHING else 0) | (2 if their_some != NOTHING else 0) | (4 if met != NOTHING else 0)


@outlined
def territory(boards, wide, height, first, last, my_pace, their_pace, late, jump, answer):
    """Who reaches the free cells first, from `my_front` and `their_front`, in the rows from `first` to `last`, driving
    so many cells a round, I so many rounds later. After `jump` rounds, and then every sixth, they may jump over walls;
    NEVER, if they do not. Counts of cells go to `answer`; TOUCHING says whether the two meet."""
    copy(boards.free, boards.open)
    copy(boards.my_front, boards.my_head)
    copy(boards.their_front, boards.their_heads)
    clear(boards.mine)
    clear(boards.theirs)
    my_step, their_step = 1.0 / my_pace, 1.0 / their_pace
    my_next, their_next = late + my_step, their_step
    mine_grows, theirs_grows, met = True, True, False
    first, last = first + 1, last + 1
    while mine_grows or theirs_grows or jump < NEVER:
        first, last = max(first - 1, 1), min(last + 1, height)
        if jump < min(my_next if mine_grows else NEVER, their_next if theirs_grows else NEVER):
            first, last = 1, height
            if jump_on(boards, wide, height):
                their_next = their_next if theirs_grows else jump + their_step
                theirs_grows = True
            jump = jump + JUMP_EVERY if mine_grows or theirs_grows else NEVER
        elif mine_grows and theirs_grows and abs(my_next - their_next) < 1e-6:
            found = advance_both(boards, wide, first, last)
            mine_grows, theirs_grows, met = found & 1 != 0, found & 2 != 0, met or found & 4 != 0
            my_next += my_step
            their_next += their_step
        elif mine_grows and (my_next < their_next or not theirs_grows):
            mine_grows = advance(boards.my_front, boards.mine, boards, wide, first, last)
            my_next += my_step
        else:
            theirs_grows = advance(boards.their_front, boards.theirs, boards, wide, first, last)
            their_next += their_step
    answer[MINE] = count(boards.mine)
    answer[THEIRS] = count(boards.theirs)
    for word in range(WORDS):  # the heads belong to it: who is surrounded at once has no cell of his own
        boards.other[word] = boards.mine[word] | boards.my_head[word]
        boards.open[word] = boards.theirs[word] | boards.their_heads[word]
    answer[TOUCHING] = met or beside(boards.other, boards.open, wide, height, boards.spare)


@kernel
def jump_on(boards, wide, height):
    """They jump over walls from wherever they are by now, and claim the open cells where they land; returns whether
    there are any."""
    landings(boards, wide, height, boards.other)
    some = NOTHING
    for word in range(WORDS):
        new = boards.other[word]
        boards.their_front[word] |= new
        boards.theirs[word] |= new
        boards.open[word] &= ~new
        some |= new
    return some != NOTHING


@outlined
def landings(boards, wide, height, out):
    """The open cells where a jump of theirs over a wall of one to three cells leads: the first cell is free."""
    free, open_cells = boards.free, boards.open
    clear(out)
    half = 0
    while half <= (ROWS if wide else 0):
        for step in (1, -1):  # downwards, upwards: what follows a claimed cell, row by row
            at, near, one, two, three = NOTHING, NOTHING, NOTHING, NOTHING, NOTHING
            word = half + (1 if step > 0 else height)
            for _ in range(height):
                wall = ~free[word]
                out[word] |= (one | two | three) & open_cells[word]
                three, two, one = two & wall, one & wall, near & wall
                near = at & free[word]
                at = boards.theirs[word] | boards.their_heads[word]
                word += step
        half += ROWS
    for word in range(1, height + 1):  # to the right (ahead) and to the left (back), both halves of a row at once
        low, high = boards.theirs[word] | boards.their_heads[word], NOTHING
        low_free, high_free = free[word], NOTHING
        if wide:
            high, high_free = boards.theirs[word + ROWS] | boards.their_heads[word + ROWS], free[word + ROWS]
        if low | high == NOTHING:
            continue
        ahead_low, ahead_high = (low << ONE) & low_free, ((high << ONE) | (low >> TOP)) & high_free
        back_low, back_high = ((low >> ONE) | (high << TOP)) & low_free, (high >> ONE) & high_free
        for _ in range(MOST_WALL):
            ahead_high = ((ahead_high << ONE) | (ahead_low >> TOP)) & ~high_free
            ahead_low = (ahead_low << ONE) & ~low_free
            back_low = ((back_low >> ONE) | (back_high << TOP)) & ~low_free
            back_high = (back_high >> ONE) & ~high_free
            out[word] |= ((ahead_low << ONE) | (back_low >> ONE) | (back_high << TOP)) & open_cells[word]
            if wide:
                landed = (ahead_high << ONE) | (ahead_low >> TOP) | (back_high >> ONE)
                out[word + ROWS] |= landed & open_cells[word + ROWS]


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
def way_is_free(room, x, y, direction, speed):
    """Whether all cells of a move are free; a filler does not jump."""
    for step in range(1, speed + 1):
        if not is_set(room, x + step * STEP_X[direction], y + step * STEP_Y[direction]):
            return False
    return True


@kernel
def note(head, x, y, direction, speed):
    head[0] = x
    head[1] = y
    head[2] = direction
    head[3] = speed


@outlined
def filling(boards, wide, height, x, y, direction, speed, hand, path):
    """For how many rounds somebody stays in who slows down and then drives along walls in `boards.free`. `hand` is 1 or
    3: where he looks first, right or left. In a large space he drives some rounds only, and the rest is guessed from
    its size. `path` gets his heads."""
    room = boards.room
    copy(boards.free, room)
    lasted, floods = 0, 0
    while lasted < MOST_ROUNDS:
        note(path[lasted], x, y, direction, speed)
        if speed > 1:
            turn = 0
            if way_is_free(room, x, y, direction, speed - 1):
                speed -= 1
            else:
                turn = hand
                if not way_is_free(room, x, y, (direction + turn) & 3, speed):
                    turn = 4 - hand
                    if not way_is_free(room, x, y, (direction + turn) & 3, speed):
                        return lasted
            direction = (direction + turn) & 3
            for step in range(1, speed + 1):
                remove(room, x + step * STEP_X[direction], y + step * STEP_Y[direction])
            x += speed * STEP_X[direction]
            y += speed * STEP_Y[direction]
            lasted += 1
            continue
        turn = along_walls(room, x, y, direction, hand)
        if turn < 0:
            return lasted
        if floods < MOST_FLOODS and parted(room, x, y, direction):
            floods += 1
            turn = larger_space(room, wide, height, x, y, direction, turn, boards)
        direction = (direction + turn) & 3
        x += STEP_X[direction]
        y += STEP_Y[direction]
        remove(room, x, y)
        lasted += 1
    note(path[lasted], x, y, direction, speed)
    return lasted + np.int64(GUESS * (flood(room, wide, height, x, y, boards) - 1))


@kernel
def along_walls(room, x, y, direction, hand):
    """Where a filler turns at speed 1: 0 ahead, 1 right, 3 left, -1 it is stuck. To the cell with the fewest exits, but
    to one without any only if there is no other."""
    best, least = -1, 9
    for look in range(3):
        turn = hand if look == 0 else (0 if look == 1 else 4 - hand)
        towards = (direction + turn) & 3
        to_x, to_y = x + STEP_X[towards], y + STEP_Y[towards]
        if is_set(room, to_x, to_y):
            free = exits(room, to_x, to_y)
            if free == 0:
                free = 8
            if free < least:
                best, least = turn, free
    return best


@kernel
def larger_space(room, wide, height, x, y, direction, best, boards):
    """Where the largest of several spaces is; `best`, if all belong to one."""
    largest, chosen = 0, best
    for look in range(4):
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
