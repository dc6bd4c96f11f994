"""spe_ed, the rules, compiled. In the words and the order of the task sheet (informatiCup 2021) and of its server.

The cell in column x and row y, counted from the top left corner, has the number `y * width + x`. Seat n draws the
number n + 1. Directions are 0 up, 1 right, 2 down, 3 left; y grows downwards.

Actions: 0 turn_left, 1 turn_right, 2 slow_down, 3 speed_up, 4 change_nothing; 5 no_answer, which only the option of
that name offers: a player who was not heard in time.

All who are still in decide at once. A round has three passes over the players: apply the actions, move, test for
crashes. Nothing depends on the order of the players.
"""

import numpy as np

from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel

MOST_SEATS = 6
LONGEST_SIDE = 80
CELLS = LONGEST_SIDE * LONGEST_SIDE
FASTEST = 10
JUMP_EVERY = 6  # rounds
JUMP_FROM = 3  # speed
CRASHED = -1  # what a cell holds where somebody crashed

UP, RIGHT, DOWN, LEFT = 0, 1, 2, 3
TURN_LEFT, TURN_RIGHT, SLOW_DOWN, SPEED_UP, CHANGE_NOTHING, NO_ANSWER = 0, 1, 2, 3, 4, 5
SETTING_UP, PLAYING, OVER = 0, 1, 2
STILL_IN, BY_SPEED, BY_BORDER, BY_CRASH, UNHEARD = 0, 1, 2, 3, 4
REASONS = {BY_SPEED: "speed", BY_BORDER: "border", BY_CRASH: "crash", UNHEARD: "no answer"}  # phrases: why one is out

STEP_X = np.array([0, 1, 0, -1], np.int64)
STEP_Y = np.array([-1, 0, 1, 0], np.int64)

State = np.dtype(
    [
        ("cells", np.int8, (CELLS,)),  # 0 free, n + 1 the trail of seat n, -1 a crash; only width * height are used
        ("x", np.int16, (MOST_SEATS,)),  # column of the head; -1 or width: left the board
        ("y", np.int16, (MOST_SEATS,)),  # row of the head, from the top; -1 or height: left the board
        ("out", np.int16, (MOST_SEATS,)),  # the round in which the seat went out, 0 = it is still in
        ("direction", np.int8, (MOST_SEATS,)),  # 0 up, 1 right, 2 down, 3 left
        ("speed", np.int8, (MOST_SEATS,)),  # cells per round, 1..10; 0 or 11: that is why the seat is out
        ("why", np.int8, (MOST_SEATS,)),  # 0 still in, out by 1 its speed, 2 the border, 3 a crash, 4 no answer
        ("width", np.int16),  # columns; 0 = not drawn yet
        ("height", np.int16),  # rows; 0 = not drawn yet
        ("rounds", np.int16),  # rounds played
        ("seats", np.int8),  # 2..6
        ("alive", np.uint8),  # bit set of the seats that are still in
        ("phase", np.int8),  # 0 setting up, 1 playing, 2 over
        ("shortest", np.int8),  # option: sides of the board are drawn from here
        ("longest", np.int8),  # option: to here
        ("any_start", np.uint8),  # option: start on any cell in any direction
        ("no_answer", np.uint8),  # option: a seat may fail to answer
    ]
)


@kernel
def start(s, seats, options):
    s.seats = seats
    s.width = options[0]
    s.height = options[1]
    s.shortest = options[2]
    s.longest = options[3]
    s.any_start = options[4]
    s.no_answer = options[5]


@kernel
def actors(s):
    if s.phase == OVER:
        return -1
    return np.int64(s.alive)


@kernel
def legal(s, seat, out):
    """Whatever is on the list may be sent, also what kills at once."""
    count = 6 if s.no_answer else 5
    for action in range(count):
        out[action] = action
    return count


@kernel
def apply(s, joint):
    s.rounds += 1
    for seat in range(s.seats):
        if is_in(s, seat):
            apply_action(s, seat, joint[seat])
    moving = np.int64(s.alive)
    crashed = False
    for seat in range(s.seats):
        if (moving >> seat) & 1:
            crashed = move(s, seat) or crashed
    if crashed:
        for seat in range(s.seats):
            if (moving >> seat) & 1 and is_in(s, seat) and crossed_a_crash(s, seat):
                leave(s, seat, BY_CRASH)
    alive = np.int64(s.alive)
    if alive & (alive - 1) == 0:  # at most one is left
        s.phase = OVER


@kernel
def chance(s, rng):
    """The only chance event: the size of the board, unless it is given, and where everybody starts."""
    if s.width == 0:
        s.width = s.shortest + below(rng, 1 + np.int64(s.longest) - np.int64(s.shortest))
    if s.height == 0:
        s.height = s.shortest + below(rng, 1 + np.int64(s.longest) - np.int64(s.shortest))
    if s.any_start:
        start_anywhere(s, rng)
    else:
        start_in_zones(s, rng)
    begin(s)


@kernel
def score(s, out):
    """How many others a seat has outlived."""
    for seat in range(s.seats):
        out[seat] = 0.0
        for other in range(s.seats):
            if s.out[other] != 0 and (s.out[seat] == 0 or s.out[other] < s.out[seat]):
                out[seat] += 1.0


@kernel
def result(s, out):
    """The round in which a seat went out; who is still in comes after all others."""
    for seat in range(s.seats):
        out[seat] = s.out[seat] if s.out[seat] != 0 else s.rounds + 1.0


# --- set-up -----------------------------------------------------------------------------------------------------------


@kernel
def start_in_zones(s, rng):
    """As the official server: the board is cut into four columns and two rows; n players start in the first n zones,
    one in each, in an order that is drawn, and drive where there is room."""
    zones = 0  # that are taken, a bit set
    zone_width, zone_height = np.int64(s.width) // 4, np.int64(s.height) // 2
    for seat in range(s.seats):
        skip = below(rng, np.int64(s.seats) - seat)
        zone = 0
        while (zones >> zone) & 1 or skip > 0:
            if (zones >> zone) & 1 == 0:
                skip -= 1
            zone += 1
        zones |= 1 << zone
        x = zone % 4 * zone_width + below(rng, zone_width)
        y = zone // 4 * zone_height + below(rng, zone_height)
        set_out(s, seat, x, y, first_direction(s, x, y))


@kernel
def first_direction(s, x, y):
    """Left and top: down; right and top: left; left and bottom: right; right and bottom: up."""
    left, top = 2 * x <= s.width, 2 * y <= s.height
    if top:
        return DOWN if left else LEFT
    return RIGHT if left else UP


@kernel
def start_anywhere(s, rng):
    for seat in range(s.seats):
        x, y = np.int64(0), np.int64(0)
        taken = True
        while taken:
            x, y = below(rng, np.int64(s.width)), below(rng, np.int64(s.height))
            taken = s.cells[y * s.width + x] != 0
        set_out(s, seat, x, y, below(rng, 4))


@kernel
def set_out(s, seat, x, y, direction):
    """A seat starts with speed 1; its cell is filled already."""
    s.x[seat] = x
    s.y[seat] = y
    s.direction[seat] = direction
    s.speed[seat] = 1
    s.cells[np.int64(y) * s.width + x] = seat + 1


@kernel
def begin(s):
    s.alive = (1 << np.int64(s.seats)) - 1
    s.phase = PLAYING


@kernel
def set_out_at(states, seat, x, y, direction):
    set_out(states[0], seat, x, y, direction)


@kernel
def begin_at(states):
    begin(states[0])


# --- a round ----------------------------------------------------------------------------------------------------------


@kernel
def is_in(s, seat):
    return (s.alive >> seat) & 1 != 0


@kernel
def leave(s, seat, why):
    s.alive &= 255 ^ (1 << seat)
    s.out[seat] = s.rounds
    s.why[seat] = why


@kernel
def apply_action(s, seat, action):
    """The first pass. Who goes out here does not move; the illegal speed stays visible."""
    if action == TURN_LEFT:
        s.direction[seat] = (s.direction[seat] + 3) & 3
    elif action == TURN_RIGHT:
        s.direction[seat] = (s.direction[seat] + 1) & 3
    elif action == SPEED_UP:
        s.speed[seat] += 1
        if s.speed[seat] > FASTEST:
            leave(s, seat, BY_SPEED)
    elif action == SLOW_DOWN:
        s.speed[seat] -= 1
        if s.speed[seat] < 1:
            leave(s, seat, BY_SPEED)
    elif action == NO_ANSWER:
        leave(s, seat, UNHEARD)


@kernel
def jumps(number, speed):
    """Whether a move in the round of that number is a jump: only its first and its last cell are touched."""
    return number % JUMP_EVERY == 0 and speed >= JUMP_FROM


@kernel
def move(s, seat):
    """The second pass: every cell of the move is filled, or holds -1 if it was filled before. An obstacle does not stop
    the walk, the border does. Returns whether there is a -1."""
    direction, speed = s.direction[seat], np.int64(s.speed[seat])
    step_x, step_y = STEP_X[direction], STEP_Y[direction]
    x, y = np.int64(s.x[seat]), np.int64(s.y[seat])
    width, height = np.int64(s.width), np.int64(s.height)
    jump = jumps(s.rounds, speed)
    crashed = False
    for step in range(speed):
        x += step_x
        y += step_y
        if x < 0 or x >= width or y < 0 or y >= height:
            leave(s, seat, BY_BORDER)
            break
        if jump and 0 < step < speed - 1:
            continue
        cell = y * width + x
        if s.cells[cell] == 0:
            s.cells[cell] = seat + 1
        else:
            s.cells[cell] = CRASHED
            crashed = True
    s.x[seat] = x
    s.y[seat] = y
    return crashed


@kernel
def crossed_a_crash(s, seat):
    """The third pass: whether a cell of the seat's move of this round holds -1."""
    direction, speed = s.direction[seat], np.int64(s.speed[seat])
    back = -(STEP_Y[direction] * np.int64(s.width) + STEP_X[direction])
    cell = np.int64(s.y[seat]) * s.width + s.x[seat]
    jump = jumps(s.rounds, speed)
    for step in range(speed):
        if not (jump and 0 < step < speed - 1) and s.cells[cell] == CRASHED:
            return True
        cell += back
    return False
