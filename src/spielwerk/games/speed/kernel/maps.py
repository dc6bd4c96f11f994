"""Maps of a spe_ed board for people, compiled: whose territory every cell is, and where danger lies.

They are drawn over the board and played by nobody, so they are simple: the way to a cell is counted in steps over free
cells and turned into rounds at the present speed; jumps, and the cells that a fast move needs ahead, are left out.
"""

import numpy as np

from spielwerk.core.linker import kernel
from spielwerk.games.speed.kernel.paths import CHOICES, direction_after, speed_after
from spielwerk.games.speed.kernel.rules import (
    BY_BORDER,
    BY_CRASH,
    BY_SPEED,
    FASTEST,
    STEP_X,
    STEP_Y,
    STILL_IN,
    is_in,
    jumps,
)

NOBODY, CONTESTED = -1, -2
UNREACHED = 1 << 20


@kernel
def territory_at(states, owner, rounds, queue):
    """owner[cell] = the seat that needs the fewest rounds to a free cell, -1 if nobody gets there, -2 if several get
    there first; rounds[cell] = how many. `queue` has room for twice the cells."""
    s = states[0]
    width, height = np.int64(s.width), np.int64(s.height)
    cells = width * height
    steps = cells  # where the distances begin in `queue`
    for cell in range(cells):
        owner[cell] = NOBODY
        rounds[cell] = UNREACHED
    for seat in range(s.seats):
        if not is_in(s, seat):
            continue
        for cell in range(cells):
            queue[steps + cell] = -1
        first, last = 0, 1
        queue[0] = s.y[seat] * width + s.x[seat]
        queue[steps + queue[0]] = 0
        while first < last:
            cell = queue[first]
            first += 1
            x, y = cell % width, cell // width
            for direction in range(4):
                next_x, next_y = x + STEP_X[direction], y + STEP_Y[direction]
                if next_x < 0 or next_x >= width or next_y < 0 or next_y >= height:
                    continue
                near = next_y * width + next_x
                if s.cells[near] != 0 or queue[steps + near] >= 0:
                    continue
                queue[steps + near] = queue[steps + cell] + 1
                queue[last] = near
                last += 1
        speed = np.int64(s.speed[seat])
        for cell in range(cells):
            if queue[steps + cell] <= 0:
                continue
            needed = (queue[steps + cell] + speed - 1) // speed
            if needed < rounds[cell]:
                rounds[cell] = needed
                owner[cell] = seat
            elif needed == rounds[cell]:
                owner[cell] = CONTESTED


@kernel
def reach_at(states, seat, count):
    """count[cell] += the actions of a seat with which its next move touches a cell of the board."""
    s = states[0]
    width, height = np.int64(s.width), np.int64(s.height)
    for action in range(CHOICES):
        direction, speed = direction_after(s, seat, action), speed_after(s, seat, action)
        if speed < 1 or speed > FASTEST:
            continue
        x, y = np.int64(s.x[seat]), np.int64(s.y[seat])
        jump = jumps(s.rounds + 1, speed)
        for step in range(speed):
            x += STEP_X[direction]
            y += STEP_Y[direction]
            if x < 0 or x >= width or y < 0 or y >= height:
                break
            if not (jump and 0 < step < speed - 1):
                count[y * width + x] += 1


@kernel
def fate_at(states, seat, action, out):
    """What becomes of a seat that plays an action while nobody else moves. out: 0, 1 the cell where its move ends, or
    where it first hits something; 2 whether it jumps."""
    s = states[0]
    width, height = np.int64(s.width), np.int64(s.height)
    direction, speed = direction_after(s, seat, action), speed_after(s, seat, action)
    x, y = np.int64(s.x[seat]), np.int64(s.y[seat])
    out[0], out[1], out[2] = x, y, 0
    if speed < 1 or speed > FASTEST:
        return BY_SPEED
    jump = jumps(s.rounds + 1, speed)
    out[2] = 1 if jump else 0
    for step in range(speed):
        x += STEP_X[direction]
        y += STEP_Y[direction]
        if x < 0 or x >= width or y < 0 or y >= height:
            return BY_BORDER
        out[0], out[1] = x, y
        if not (jump and 0 < step < speed - 1) and s.cells[y * width + x] != 0:
            return BY_CRASH
    return STILL_IN
