"""Plans of a player of spe_ed, compiled: which own moves survive on a board, and the trail that a plan draws.

Moves are numbered in the order of DommeAI: 0 speed_up, 1 slow_down, 2 change_nothing, 3 turn_left, 4 turn_right. A set
of moves is a bit set. A frame says where a plan stands: place, direction, speed, and the moves that are still to try.
"""

import numpy as np

from spielwerk.core.linker import kernel
from spielwerk.games.speed.kernel.rules import (
    CHANGE_NOTHING,
    FASTEST,
    JUMP_EVERY,
    JUMP_FROM,
    SLOW_DOWN,
    SPEED_UP,
    TURN_LEFT,
    TURN_RIGHT,
)
from spielwerk.games.speed.players.kernel.board import FREE, STEP

ACTION_OF = np.array([SPEED_UP, SLOW_DOWN, CHANGE_NOTHING, TURN_LEFT, TURN_RIGHT], np.int64)
MOVES = 5
TURN = np.array([0, 0, 0, 3, 1], np.int64)  # of each move, in quarters to the right
FASTER = np.array([1, -1, 0, 0, 0], np.int64)  # what each move adds to the speed
SIZE = np.array([bin(moves).count("1") for moves in range(1 << MOVES)], np.int64)  # of a set of moves
LOWEST = np.array([5] + [(moves & -moves).bit_length() - 1 for moves in range(1, 1 << MOVES)], np.int64)
PLACE, DIRECTION, PACE, LEFT_OVER = 0, 1, 2, 3  # places in a frame
FRAME = 4


@kernel
def jump_round(number):
    return number % JUMP_EVERY == 0


@kernel
def moves_from(board, place, direction, speed, jumping):
    """The set of moves that survive on this board; in a round for jumps only the first and the last cell matter."""
    moves = 0
    ahead, across = STEP[direction], STEP[(direction + 1) & 3]
    if board[place + ahead] == FREE:
        if jumping:
            if speed > 1 and board[place + (speed - 1) * ahead] == FREE:
                moves |= 2
            if board[place + speed * ahead] == FREE:
                moves |= 4
            if speed < FASTEST and board[place + (speed + 1) * ahead] == FREE:
                moves |= 1
        else:
            length = free_cells(board, place, ahead, min(speed + 1, FASTEST))
            if speed > 1 and length >= speed - 1:
                moves |= 2
            if length >= speed:
                moves |= 4
            if length > speed:
                moves |= 1
    if survives_turn(board, place, -across, speed, jumping):
        moves |= 8
    if survives_turn(board, place, across, speed, jumping):
        moves |= 16
    return moves


@kernel
def free_cells(board, place, step, most):
    length = 0
    while length < most:
        place += step
        if board[place] != FREE:
            break
        length += 1
    return length


@kernel
def survives_turn(board, place, step, speed, jumping):
    if jumping:
        return board[place + step] == FREE and board[place + speed * step] == FREE
    return free_cells(board, place, step, speed) == speed


@kernel
def draw_plan(board, place, direction, speed, jumping, mark):
    """Draw the move that ends at this place, or wipe it."""
    step = STEP[direction]
    board[place] = mark
    if jumping and speed >= JUMP_FROM:
        board[place - (speed - 1) * step] = mark
    else:
        for _ in range(speed - 1):
            place -= step
            board[place] = mark


@kernel
def draw_frame(board, frame, jumping, mark):
    """Draw the move that ends in this frame, or wipe it."""
    draw_plan(board, frame[PLACE], frame[DIRECTION], frame[PACE], jumping, mark)


@kernel
def drive(frames, level, move):
    """Write where the move leads from frame `level` into the next."""
    direction = (frames[level, DIRECTION] + TURN[move]) & 3
    speed = frames[level, PACE] + FASTER[move]
    frames[level + 1, PLACE] = frames[level, PLACE] + speed * STEP[direction]
    frames[level + 1, DIRECTION] = direction
    frames[level + 1, PACE] = speed
