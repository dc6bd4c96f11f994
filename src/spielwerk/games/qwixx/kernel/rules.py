"""Qwixx, the rules, compiled. In the words and the order of the rule sheet (Steffen Benndorf, NSV 2012).

Rows 0 red, 1 yellow, 2 green, 3 blue. A cell is known by its position 0..10 from the left; which number and colour it
has is a matter of the layout (see layouts.py). Seats are 0..4.

Actions: 0 pass; 1 + 11 * row + (number - 2) cross that number in that row; 45 misthrow, which only the study's engine
offers to passive seats. A white cross and a coloured cross have the same name: the moment tells them apart.

A seat that could only pass is not asked. A roll always draws all six dice, also those that have left the game, so that
the n-th roll of a match is the same whatever has been closed.
"""

import numpy as np

from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel
from spielwerk.games.qwixx.layouts import POSITION, ROW

MOST_SEATS = 5
ROWS = 4
LAST = 10  # position of the number that closes a row
NEEDED = 5  # crosses in a row before its last number may be crossed
PASS, MISTHROW = 0, 45
MOST_PENALTIES = 4

ROLL, WHITE, COLOURED, OVER = 0, 1, 2, 3

State = np.dtype(
    [
        ("crosses", np.uint16, (MOST_SEATS, ROWS)),  # bit p: position p is crossed; bit 11: the lock
        ("reach", np.int8, (MOST_SEATS, ROWS)),  # positions that are used up: 0 = no cross yet .. 11 = row finished
        ("count", np.int8, (MOST_SEATS, ROWS)),  # crosses, the lock included, 0..12
        ("penalties", np.int8, (MOST_SEATS,)),  # misthrows, 0..4
        ("white", np.int8, (2,)),  # the white dice, 0 = not rolled yet
        ("coloured", np.int8, (ROWS,)),  # the coloured dice, also those that have left the game
        ("seats", np.int8),  # 1..5
        ("active", np.int8),  # the seat whose turn it is; -1 = not drawn yet
        ("phase", np.int8),  # 0 roll, 1 white action, 2 coloured action, 3 over
        ("waiting", np.uint8),  # seats that must decide now
        ("closed", np.uint8),  # rows that are closed for everybody
        ("locked", np.uint8),  # rows whose lock was crossed in this turn
        ("white_row", np.int8),  # row of the active seat's white cross in this turn, -1 = none
        ("crossed", np.uint8),  # 1: the active seat has crossed something in this turn
        ("turns", np.int16),  # turns begun
        ("late_closing", np.uint8),  # option: rows close at the end of the turn
        ("late_end", np.uint8),  # option: the end is tested at the end of the turn
        ("same_turn_lock", np.uint8),  # option: the white cross counts towards the five in the coloured action
        ("passive_misthrow", np.uint8),  # option: a passive seat may take a misthrow
        ("layout", np.uint8),  # option: the sheet
    ]
)


@kernel
def start(s, seats, options):
    s.seats = seats
    s.late_closing = options[0]
    s.late_end = options[1]
    s.same_turn_lock = options[2]
    s.passive_misthrow = options[3]
    s.layout = options[4]
    s.active = 0 if seats == 1 else -1
    s.white_row = -1


@kernel
def actors(s):
    if s.phase == OVER:
        return -1
    return np.int64(s.waiting)


@kernel
def legal(s, seat, out):
    out[0] = PASS
    count = 1
    crosses = white_crosses(s, seat) if s.phase == WHITE else coloured_crosses(s)
    for action in range(1, MISTHROW):
        if (crosses >> action) & 1:
            out[count] = action
            count += 1
    if s.phase == WHITE and may_take_misthrow(s, seat):
        out[count] = MISTHROW
        count += 1
    return count


@kernel
def apply(s, joint):
    if s.phase == WHITE:
        for seat in range(s.seats):
            if (s.waiting >> seat) & 1:
                white_choice(s, seat, joint[seat])
        after_white_action(s)
    else:
        seat = np.int64(s.active)
        if joint[seat] != PASS:
            row = row_of(joint[seat])
            cross(s, seat, row, position_of(s, row, number_of(joint[seat])))
            s.crossed = 1
        end_turn(s)


@kernel
def chance(s, rng):
    """First who begins (everybody is equally likely to roll the first six), then all six dice."""
    if s.active < 0:
        begin(s, below(rng, np.int64(s.seats)))
        return
    s.white[0] = 1 + below(rng, 6)
    s.white[1] = 1 + below(rng, 6)
    for row in range(ROWS):
        s.coloured[row] = 1 + below(rng, 6)
    begin_turn(s)


@kernel
def score(s, out):
    for seat in range(s.seats):
        out[seat] = points(s, seat)


# --- a turn -----------------------------------------------------------------------------------------------------------


@kernel
def begin(s, seat):
    s.active = seat


@kernel
def begin_turn(s):
    """The dice lie on the table: everybody who can cross the white sum decides, all at once."""
    s.turns += 1
    s.crossed = 0
    s.white_row = -1
    s.locked = 0
    s.phase = WHITE
    waiting = 0
    for seat in range(s.seats):
        if white_crosses(s, seat) != 0 or may_take_misthrow(s, seat):
            waiting |= 1 << seat
    s.waiting = waiting
    if waiting == 0:
        after_white_action(s)


@kernel
def begin_at(states, seat):
    begin(states[0], seat)


@kernel
def begin_turn_at(states):
    begin_turn(states[0])


@kernel
def white_choice(s, seat, action):
    if action == PASS:
        return
    if action == MISTHROW:
        s.penalties[seat] += 1
        return
    row = row_of(action)
    cross(s, seat, row, position_of(s, row, number_of(action)))
    if seat == s.active:
        s.crossed = 1
        s.white_row = row


@kernel
def after_white_action(s):
    """A row that was locked closes at once and its die leaves the game; two closed rows end the match at once."""
    if s.late_closing == 0:
        s.closed |= s.locked
    if s.late_end == 0 and end_is_reached(s):
        finish(s)
        return
    s.phase = COLOURED
    if coloured_crosses(s) != 0:
        s.waiting = np.int64(1) << np.int64(s.active)
    else:
        end_turn(s)


@kernel
def end_turn(s):
    """An active seat that crossed nothing takes a misthrow. Then the next seat rolls, unless the match is over."""
    if s.crossed == 0:
        s.penalties[s.active] += 1
    s.closed |= s.locked
    if end_is_reached(s):
        finish(s)
        return
    s.active = (np.int64(s.active) + 1) % np.int64(s.seats)
    s.phase = ROLL
    s.waiting = 0


@kernel
def end_is_reached(s):
    """A fourth misthrow of anybody, or two closed rows, whoever closed them."""
    closed = np.int64(s.closed)
    if closed & (closed - 1):
        return True
    for seat in range(s.seats):
        if s.penalties[seat] >= MOST_PENALTIES:
            return True
    return False


@kernel
def finish(s):
    s.phase = OVER
    s.waiting = 0


# --- crossing ---------------------------------------------------------------------------------------------------------


@kernel
def cross(s, seat, row, position):
    """Cross a number; with the last one the lock too, which counts as one more cross."""
    s.crosses[seat, row] = np.int64(s.crosses[seat, row]) | (1 << position)
    s.reach[seat, row] = position + 1
    s.count[seat, row] += 1
    if position == LAST:
        s.crosses[seat, row] = np.int64(s.crosses[seat, row]) | (1 << (LAST + 1))
        s.count[seat, row] += 1
        s.locked = np.int64(s.locked) | (1 << row)


@kernel
def may_cross(s, seat, row, position):
    """Only to the right of the rightmost cross, in a row that is open; the last number needs five crosses."""
    if position < s.reach[seat, row] or (s.closed >> row) & 1:
        return False
    if position < LAST:
        return True
    return crosses_for_lock(s, seat, row) >= NEEDED


@kernel
def crosses_for_lock(s, seat, row):
    """The crosses that count towards the five: all of them, or (option) only those from before this turn."""
    count = np.int64(s.count[seat, row])
    if s.phase == COLOURED and s.same_turn_lock == 0 and row == s.white_row:
        count -= 1
    return count


@kernel
def white_crosses(s, seat):
    """Set of actions (bit a): the sum of both white dice, in any row where the seat may cross it."""
    number = np.int64(s.white[0]) + np.int64(s.white[1])
    crosses = np.int64(0)
    for row in range(ROWS):
        if may_cross(s, seat, row, position_of(s, row, number)):
            crosses |= np.int64(1) << cross_action(row, number)
    return crosses


@kernel
def coloured_crosses(s):
    """Set of actions of the active seat: one white die and one coloured die, in the cell of that number and colour."""
    crosses = np.int64(0)
    seat = np.int64(s.active)
    for colour in range(ROWS):
        if (s.closed >> colour) & 1:  # this die has left the game
            continue
        for die in range(2):
            number = np.int64(s.white[die]) + np.int64(s.coloured[colour])
            row = np.int64(ROW[s.layout, colour, number])
            if row >= 0 and may_cross(s, seat, row, position_of(s, row, number)):
                crosses |= np.int64(1) << cross_action(row, number)
    return crosses


@kernel
def coloured_row_after(s, seat, colour, die, white_row, white_position):
    """The row that the active seat could cross with a coloured and a white die after a white cross that it has not
    made yet (white_row -1: without one); -1 if it could not. For players that plan the whole turn."""
    if (s.closed >> colour) & 1:
        return np.int64(-1)
    number = np.int64(s.white[die]) + np.int64(s.coloured[colour])
    row = np.int64(ROW[s.layout, colour, number])
    position = position_of(s, row, number)
    if white_row >= 0 and white_position == LAST and s.late_closing == 0 and (colour == white_row or row == white_row):
        return np.int64(-1)
    if row != white_row:
        return row if may_cross(s, seat, row, position) else np.int64(-1)
    if position <= white_position:
        return np.int64(-1)
    if position == LAST and np.int64(s.count[seat, row]) + np.int64(s.same_turn_lock) < NEEDED:
        return np.int64(-1)
    return row


@kernel
def may_take_misthrow(s, seat):
    return s.passive_misthrow != 0 and seat != s.active and s.penalties[seat] < MOST_PENALTIES


@kernel
def position_of(s, row, number):
    return np.int64(POSITION[s.layout, row, number])


@kernel
def cross_action(row, number):
    return 11 * row + number - 1


@kernel
def row_of(action):
    return (action - 1) // 11


@kernel
def number_of(action):
    return (action - 1) % 11 + 2


@kernel
def points(s, seat):
    """n crosses in a row count 1 + 2 + … + n; every misthrow takes 5 off."""
    total = -5 * np.int64(s.penalties[seat])
    for row in range(ROWS):
        n = np.int64(s.count[seat, row])
        total += n * (n + 1) // 2
    return total
