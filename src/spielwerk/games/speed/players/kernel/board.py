"""What a player of spe_ed looks at, compiled: a board for looking ahead, what enemies may cover next, free room.

The board has one byte per cell and a margin of taken cells around it, as wide as the longest move, so that nobody must
ask where it ends. The place of column x and row y is `place_of(x, y)`, and one step in a direction is `STEP[direction]`
places. Where a byte is odd nobody can drive; the own trail of a plan is drawn and wiped again while plans are made.

Free room is measured as DommeAI does (Huster, Kollmeier and Schulte 2021, 2.3.1): the T-distance is the way to an end
and from there the longer way to a side, the greatest of the three directions. An end that has no cell beside it does
not count, the cell before it is asked then: in a gap of one cell's width nobody can go on.
"""

import numpy as np

from spielwerk.core.linker import kernel
from spielwerk.games.speed.kernel.rules import FASTEST, LONGEST_SIDE, STEP_X, STEP_Y, is_in, jumps

MARGIN = FASTEST
STRIDE = LONGEST_SIDE + 2 * MARGIN
PLACES = STRIDE * STRIDE
FREE, TAKEN, PLANNED, THREATENED = 0, 1, 2, 3  # what a byte of the board says; odd: nobody can drive there
FAR = 1 << 30

STEP = STEP_Y * STRIDE + STEP_X


@kernel
def place_of(x, y):
    return (np.int64(y) + MARGIN) * STRIDE + np.int64(x) + MARGIN


@kernel
def lay_out(s, board):
    """Draw the cells of a state on the board."""
    width, height = np.int64(s.width), np.int64(s.height)
    for place in range((height + 2 * MARGIN) * STRIDE):
        board[place] = TAKEN
    for y in range(height):
        for x in range(width):
            if s.cells[y * width + x] == 0:
                board[place_of(x, y)] = FREE


@kernel
def draw_threats(s, seat, board):
    """The enemy board: mark every free cell that a move of a living enemy covers in this round, also a deadly one."""
    number = np.int64(s.rounds) + 1
    for enemy in range(s.seats):
        if enemy == seat or not is_in(s, enemy):
            continue
        place, direction, speed = (
            place_of(s.x[enemy], s.y[enemy]),
            np.int64(s.direction[enemy]),
            np.int64(s.speed[enemy]),
        )
        for changed in range(max(speed - 1, 1), min(speed + 1, FASTEST) + 1):
            draw_move(board, place, STEP[direction], changed, number, THREATENED)
        draw_move(board, place, STEP[(direction + 3) & 3], speed, number, THREATENED)
        draw_move(board, place, STEP[(direction + 1) & 3], speed, number, THREATENED)


@kernel
def draw_move(board, place, step, speed, number, mark):
    """Mark the free cells that a move in the round of that number covers."""
    jump = jumps(number, speed)
    for cell in range(1, speed + 1):
        if not (jump and 1 < cell < speed) and board[place + cell * step] == FREE:
            board[place + cell * step] = mark


@kernel
def wipe_threats(s, board):
    """Back to the plain board."""
    for y in range(s.height):
        for x in range(s.width):
            if board[place_of(x, y)] == THREATENED:
                board[place_of(x, y)] = FREE


@kernel
def nearest_enemy(s, seat):
    """The Manhattan distance to the nearest living enemy."""
    least = FAR
    for enemy in range(s.seats):
        if enemy != seat and is_in(s, enemy):
            apart = abs(np.int64(s.x[enemy]) - np.int64(s.x[seat])) + abs(np.int64(s.y[enemy]) - np.int64(s.y[seat]))
            least = min(least, apart)
    return least


# --- free room --------------------------------------------------------------------------------------------------------


@kernel
def is_open(board, place):
    """Whether the cell is free but for a plan."""
    return board[place] & 1 == 0


@kernel
def way(board, place, step):
    """How many open cells lie ahead."""
    length = 0
    while is_open(board, place + step):
        place += step
        length += 1
    return length


@kernel
def open_beside(board, place, direction):
    """Whether a driver can turn there."""
    across = STEP[(direction + 1) & 3]
    return is_open(board, place + across) or is_open(board, place - across)


@kernel
def way_to_a_side(board, place, direction):
    """The longer way to the left or to the right; only as far as there is an open cell beside it."""
    longest = 0
    for turn in (3, 1):
        sideways = (direction + turn) & 3
        length = way(board, place, STEP[sideways])
        while length > longest and not open_beside(board, place + length * STEP[sideways], sideways):
            length -= 1
        longest = max(longest, length)
    return longest


@kernel
def t_distance(board, place, direction):
    """The free room around a head: the longest way with one turn at its end."""
    longest = 0
    for turn in (3, 0, 1):
        ahead = (direction + turn) & 3
        length = way(board, place, STEP[ahead])
        while length > 0:
            side = way_to_a_side(board, place + length * STEP[ahead], ahead)
            if side > 0:
                longest = max(longest, length + side)
                break
            length -= 1
    return longest


@kernel
def over_a_trail(board, place, step, speed):
    """Whether the cells that a jump leaves out hold anything but the own plan."""
    for cell in range(2, speed):
        if not is_open(board, place + cell * step):
            return True
    return False
