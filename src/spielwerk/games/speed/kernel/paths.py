"""What a move would touch, without playing it: whether it kills at once, where it ends, what it leaves free, compiled.

All of it looks at the board as it is and lets nobody else move, unless it says otherwise. Nothing copies the board.
"""

import numpy as np

from spielwerk.core.linker import kernel, outlined
from spielwerk.games.speed.kernel.rules import (
    FASTEST,
    JUMP_EVERY,
    MOST_SEATS,
    SLOW_DOWN,
    SPEED_UP,
    STEP_X,
    STEP_Y,
    TURN_LEFT,
    TURN_RIGHT,
    is_in,
    jumps,
)

CHOICES = 5  # actions that a player thinks about: all but not answering


@kernel
def direction_after(s, seat, action):
    if action == TURN_LEFT:
        return (np.int64(s.direction[seat]) + 3) & 3
    if action == TURN_RIGHT:
        return (np.int64(s.direction[seat]) + 1) & 3
    return np.int64(s.direction[seat])


@kernel
def speed_after(s, seat, action):
    """May be 0 or 11, which kills."""
    speed = np.int64(s.speed[seat])
    if action == SPEED_UP:
        speed += 1
    elif action == SLOW_DOWN:
        speed -= 1
    return speed


@kernel
def on_board(s, x, y):
    return 0 <= x < s.width and 0 <= y < s.height


@kernel
def is_free(s, x, y):
    return on_board(s, x, y) and s.cells[y * np.int64(s.width) + x] == 0


@kernel
def is_clear(s, x, y, direction, speed, number):
    """Whether a move from (x, y) in the round of that number meets neither the border nor a filled cell."""
    if speed < 1 or speed > FASTEST:
        return False
    step_x, step_y = STEP_X[direction], STEP_Y[direction]
    if not on_board(s, x + speed * step_x, y + speed * step_y):
        return False
    jump = jumps(number, speed)
    cell = y * np.int64(s.width) + x
    forward = step_y * np.int64(s.width) + step_x
    for step in range(1, speed + 1):
        cell += forward
        if s.cells[cell] != 0 and not (jump and 1 < step < speed):
            return False
    return True


@kernel
def survives(s, seat, action):
    """Whether `seat` outlives its own move in the coming round if nobody else moves."""
    return is_clear(
        s,
        np.int64(s.x[seat]),
        np.int64(s.y[seat]),
        direction_after(s, seat, action),
        speed_after(s, seat, action),
        s.rounds + 1,
    )


@kernel
def touches(distance, speed, number):
    """Whether a move fills the cell that many steps ahead; a jump touches its first and its last cell only."""
    if distance < 1 or distance > speed:
        return False
    return distance == 1 or distance == speed or not jumps(number, speed)


@kernel
def may_cover(s, other, x, y):
    """Whether a move of `other` in the coming round that it survives itself can fill the cell (x, y)."""
    across, down = x - np.int64(s.x[other]), y - np.int64(s.y[other])
    distance = abs(across) + abs(down)
    if (across != 0 and down != 0) or distance == 0 or distance > s.speed[other] + 1:
        return False
    for action in range(CHOICES):
        direction = direction_after(s, other, action)
        if STEP_X[direction] * distance == across and STEP_Y[direction] * distance == down:
            speed = speed_after(s, other, action)
            if touches(distance, speed, s.rounds + 1) and survives(s, other, action):
                return True
    return False


@kernel
def is_contested(s, seat, action):
    """Whether somebody else can reach a cell of the move in this very round, so that both would crash."""
    direction, speed = direction_after(s, seat, action), speed_after(s, seat, action)
    for other in range(MOST_SEATS):
        if other == seat or not is_in(s, other):
            continue
        reach = speed + s.speed[other] + 1
        if abs(np.int64(s.x[other]) - s.x[seat]) + abs(np.int64(s.y[other]) - s.y[seat]) > reach:
            continue
        x, y = np.int64(s.x[seat]), np.int64(s.y[seat])
        for step in range(1, speed + 1):
            x += STEP_X[direction]
            y += STEP_Y[direction]
            if touches(step, speed, s.rounds + 1) and may_cover(s, other, x, y):
                return True
    return False


@kernel
def column_after(s, seat, action):
    return np.int64(s.x[seat]) + speed_after(s, seat, action) * STEP_X[direction_after(s, seat, action)]


@kernel
def row_after(s, seat, action):
    return np.int64(s.y[seat]) + speed_after(s, seat, action) * STEP_Y[direction_after(s, seat, action)]


@kernel
def free_ahead(s, x, y, direction):
    """How many cells in a row are free from (x, y) on, without that cell itself."""
    step_x, step_y = STEP_X[direction], STEP_Y[direction]
    count = 0
    x += step_x
    y += step_y
    while is_free(s, x, y):
        count += 1
        x += step_x
        y += step_y
    return count


@kernel
def free_around(s, x, y):
    """How many of the four neighbours of a cell are free."""
    count = 0
    for direction in range(4):
        if is_free(s, x + STEP_X[direction], y + STEP_Y[direction]):
            count += 1
    return count


@kernel
def rounds_to_jump(s):
    """How many rounds after the coming one the next jump is: 0 = the coming round."""
    return (JUMP_EVERY - (np.int64(s.rounds) + 1) % JUMP_EVERY) % JUMP_EVERY


# --- areas ------------------------------------------------------------------------------------------------------------


@kernel
def forget_marks(s, marks):
    """Marks are one number per cell; `reachable_after` tells its own from those of earlier calls by their `mark`."""
    for cell in range(np.int64(s.width) * s.height):
        marks[cell] = 0


@outlined
def reachable_after(s, seat, action, mark, marks, queue):
    """How many free cells can be reached from where the move ends, step by step; the move's own cells are filled.
    `marks` and `queue` have room for every cell; `mark` is not used in `marks` yet."""
    width, height = np.int64(s.width), np.int64(s.height)
    direction, speed = direction_after(s, seat, action), speed_after(s, seat, action)
    cell = np.int64(s.y[seat]) * width + s.x[seat]
    forward = STEP_Y[direction] * width + STEP_X[direction]
    for step in range(1, speed + 1):
        cell += forward
        if touches(step, speed, s.rounds + 1):
            marks[cell] = mark
    queue[0] = cell
    first, end = 0, 1
    while first < end:
        cell = queue[first]
        first += 1
        y = cell // width
        x = cell - y * width
        if x > 0 and s.cells[cell - 1] == 0 and marks[cell - 1] != mark:
            marks[cell - 1] = mark
            queue[end] = cell - 1
            end += 1
        if x < width - 1 and s.cells[cell + 1] == 0 and marks[cell + 1] != mark:
            marks[cell + 1] = mark
            queue[end] = cell + 1
            end += 1
        if y > 0 and s.cells[cell - width] == 0 and marks[cell - width] != mark:
            marks[cell - width] = mark
            queue[end] = cell - width
            end += 1
        if y < height - 1 and s.cells[cell + width] == 0 and marks[cell + width] != mark:
            marks[cell + width] = mark
            queue[end] = cell + width
            end += 1
    return end - 1
