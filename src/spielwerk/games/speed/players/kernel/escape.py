"""How `territory` leaves a space that is nearly used up: or that is not worth staying in: by a jump into another one.

A filler drives along the walls until it is stuck. Some rounds before every jump that it could make on the way, all
run-ups are searched instead, breadth first, that end with a jump out of the space. What lies behind the wall is judged
as any position, and every round that was spent before is gained. Where the space lasts long, or others are in it, only
the next two rounds of jumps are looked at; in a shared space, the sooner the better.

Two run-ups to the same head count as one, so that a way out may be missed. Everybody else stands still meanwhile, but
arrives a little earlier behind the wall than from where he is now; the plan is made anew in every round.
"""

from spielwerk.core.instructions import stopped
from spielwerk.core.linker import kernel, outlined
from spielwerk.games.speed.kernel.rules import (
    CHANGE_NOTHING,
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
from spielwerk.games.speed.players.kernel.bits import clear, copy, count, is_set, join, remove
from spielwerk.games.speed.players.kernel.room import MOST_ROUNDS, filling, flood, way_is_free
from spielwerk.games.speed.players.kernel.space import (
    ACTIONS,
    APART,
    DIRECTION,
    FOE,
    FOE_SEAT,
    HEIGHT,
    HELD,
    HURRY,
    LEAD,
    LOST,
    ME,
    PATIENCE,
    RISK,
    ROUNDS,
    SHARED,
    SPEED,
    WIDE,
    X,
    Y,
    act,
    judge_from,
    theirs_count,
)

FASTEST_JUMP = 6  # over a wall of four cells; nobody speeds up beyond it
RUN_UP = 12  # rounds at most, the jump included
MOST_HEADS = 16_384  # of run-ups
MOST_IN_ROUND = MOST_HEADS // RUN_UP
MOST_PLACES = 8  # that are judged behind the walls for each round of a jump; beyond that only one of every new space
TABLE = 1 << 13
EMPTY = -1
PARENT, ACTION = 4, 5  # of a head of a run-up, after X, Y, DIRECTION and SPEED


@outlined
def way_out(space, sign):
    """What the best jump out of the own space is worth, the first action on the way to it, and how many rounds away it
    is; 0 if there is none, or no need to look for one."""
    boards, escapes, rounds = space.boards, space.escapes, space.numbers[ROUNDS]
    best, first, ahead = 2 * LOST, CHANGE_NOTHING, 0
    if not other_spaces(space):
        return best, first, ahead
    lasts = RUN_UP - 1
    for place in range(4):
        escapes.trail[0, place] = space.heads[0, ME, place]
    if not space.numbers[SHARED]:
        filled = min(longest_filling(space), MOST_ROUNDS)
        if filled <= space.weights[PATIENCE]:
            lasts = filled
    copy(boards.free, escapes.saved)
    copy(boards.free, escapes.left)
    wait = 0
    for jump in range(JUMP_EVERY - rounds % JUMP_EVERY, lasts + 2, JUMP_EVERY):
        if stopped(sign):
            break
        while wait < jump - RUN_UP:
            wait += 1
            fill_on(space, wait)
        value, action = best_jump(space, wait, jump)
        if value > best:
            best, first, ahead = value, action, jump
    copy(escapes.saved, boards.free)
    return best, first, ahead


# --- filling ----------------------------------------------------------------------------------------------------------


@kernel
def longest_filling(space):
    """How long somebody who drives along walls stays in, with the better of both hands; the trail gets his heads."""
    right, left = fill_with(space, 1), fill_with(space, 3)
    return left if left >= right else fill_with(space, 1)


@kernel
def fill_with(space, hand):
    head, numbers = space.heads[0, ME], space.numbers
    x, y, direction, speed, wide = head[X], head[Y], head[DIRECTION], head[SPEED], numbers[WIDE] != 0
    trail = space.escapes.trail
    return filling(space.boards, wide, numbers[HEIGHT], x, y, direction, speed, hand, trail)


@kernel
def fill_on(space, number):
    """Take away what the filler fills in a round; they are counted from 1."""
    escapes = space.escapes
    head = escapes.trail[number]
    for back in range(head[SPEED]):
        remove(escapes.left, head[X] - back * STEP_X[head[DIRECTION]], head[Y] - back * STEP_Y[head[DIRECTION]])


@kernel
def other_spaces(space):
    """Whether there are free cells that cannot be reached without a jump."""
    head, free = space.heads[0, ME], space.boards.free
    own = flood(free, space.numbers[WIDE] != 0, space.numbers[HEIGHT], head[X], head[Y], space.boards) - 1
    return count(free) > own


@kernel
def filler_action(trail):
    """What the filler does in the first round."""
    turn = (trail[1, DIRECTION] - trail[0, DIRECTION]) & 3
    if turn == 1:
        return TURN_RIGHT
    if turn == 3:
        return TURN_LEFT
    return SLOW_DOWN if trail[1, SPEED] < trail[0, SPEED] else CHANGE_NOTHING


# --- run-ups ----------------------------------------------------------------------------------------------------------


@outlined
def best_jump(space, wait, jump):
    """The worth of the best jump out of the own space `jump` rounds from now, after `wait` rounds of filling, and the
    first action on the way to it."""
    boards, escapes, numbers, weights = space.boards, space.escapes, space.numbers, space.weights
    wide, height = numbers[WIDE] != 0, numbers[HEIGHT]
    free, heads, after = boards.free, escapes.heads, space.heads[1, ME]
    for place in range(4):
        heads[0, place] = escapes.trail[wait, place]
    heads[0, PARENT] = -1
    copy(escapes.left, free)
    flood(free, wide, height, heads[0, X], heads[0, Y], boards)
    copy(boards.my_new, escapes.home)
    clear(escapes.seen)
    begin, end = run_ups(escapes, free, numbers[ROUNDS] + wait, jump - wait - 1)
    best, first, judged = 2 * LOST, CHANGE_NOTHING, 0
    for node in range(begin, end):
        for action in range(ACTIONS):
            if not (advance(heads[node], action, after) and leads_out(escapes, free, node, after)):
                continue
            known = is_set(escapes.seen, after[X], after[Y])
            if known and judged >= MOST_PLACES:
                continue
            draw(escapes, free, node, after)
            if not can_go_on(free, after):
                copy(escapes.left, free)
                continue
            judged += 1
            late = weights[LEAD] * jump
            value = judge_from(space, after, space.heads[0, FOE], numbers[FOE_SEAT] >= 0, jump, late)
            value -= theirs_count(space) * max(0.0, space.now[1] - numbers[HELD])  # that they lose cells is not sure
            value += jump * (-weights[HURRY] if numbers[SHARED] else weights[APART])
            if jump == 1 and is_set(space.danger, after[X], after[Y]):
                value -= weights[RISK]
            if value > best:
                best, first = value, filler_action(escapes.trail) if wait else first_action(heads, node, action)
            if not known:
                flood(free, wide, height, after[X], after[Y], boards)
                join(boards.my_new, escapes.seen)
            copy(escapes.left, free)
    return best, first


@outlined
def run_ups(escapes, free, rounds, ahead):
    """All heads that the first one leads to in so many rounds without a jump, when `rounds` have been played; some are
    left out if they are too many. Returns the first head of the last round and how many heads there are."""
    first, used = 0, 1
    for number in range(rounds + 1, rounds + ahead + 1):
        for place in range(TABLE):
            escapes.table[place] = EMPTY
        last = used
        for node in range(first, last):
            for action in range(ACTIONS):
                if used < last + MOST_IN_ROUND:
                    used = drive(escapes, free, node, action, number, used)
        first = last
    return first, used


@kernel
def drive(escapes, free, node, action, number, used):
    """Add the head after a move in the round of that number, if it is possible and new, and no jump; returns how many
    heads there are."""
    heads = escapes.heads
    after = heads[used]
    if not advance(heads[node], action, after) or jumps(number, after[SPEED]):
        return used
    for back in range(after[SPEED]):
        x, y = after[X] - back * STEP_X[after[DIRECTION]], after[Y] - back * STEP_Y[after[DIRECTION]]
        if not is_set(free, x, y) or on_the_way(heads, node, x, y):
            return used
    if not is_new(escapes.table, after):
        return used
    after[PARENT] = node
    after[ACTION] = action
    return used + 1


@kernel
def advance(before, action, after):
    """The head after a move, whatever lies on its way; False if the speed is not possible."""
    if not act(before, action, after) or (action == SPEED_UP and after[SPEED] > FASTEST_JUMP):
        return False
    after[X] += after[SPEED] * STEP_X[after[DIRECTION]]
    after[Y] += after[SPEED] * STEP_Y[after[DIRECTION]]
    return True


@kernel
def on_the_way(heads, node, x, y):
    """Whether the way to a head fills a cell."""
    while heads[node, PARENT] >= 0:
        head = heads[node]
        for back in range(head[SPEED]):
            if head[X] - back * STEP_X[head[DIRECTION]] == x and head[Y] - back * STEP_Y[head[DIRECTION]] == y:
                return True
        node = head[PARENT]
    return False


@kernel
def is_new(table, head):
    """Whether no such head was found in this round; now it is."""
    key = ((head[Y] * 128 + head[X]) * 4 + head[DIRECTION]) * 16 + head[SPEED]
    place = (key * 40503 >> 3) & (TABLE - 1)
    while table[place] != EMPTY:
        if table[place] == key:
            return False
        place = (place + 1) & (TABLE - 1)
    table[place] = key
    return True


@kernel
def leads_out(escapes, free, node, after):
    """Whether a jump from a head to another one leads out of the own space to a free cell."""
    if after[SPEED] < JUMP_FROM or not is_set(free, after[X], after[Y]) or is_set(escapes.home, after[X], after[Y]):
        return False
    head = escapes.heads[node]
    x, y = head[X] + STEP_X[after[DIRECTION]], head[Y] + STEP_Y[after[DIRECTION]]
    return is_set(free, x, y) and not on_the_way(escapes.heads, node, x, y)


@kernel
def draw(escapes, free, node, after):
    """Fill the way to a head and the two cells of the jump behind it."""
    heads = escapes.heads
    step_x, step_y = STEP_X[after[DIRECTION]], STEP_Y[after[DIRECTION]]
    remove(free, after[X], after[Y])
    remove(free, heads[node, X] + step_x, heads[node, Y] + step_y)
    while heads[node, PARENT] >= 0:
        head = heads[node]
        for back in range(head[SPEED]):
            remove(free, head[X] - back * STEP_X[head[DIRECTION]], head[Y] - back * STEP_Y[head[DIRECTION]])
        node = head[PARENT]


@kernel
def can_go_on(free, head):
    """Whether there is a move from a head, in a round without jumps."""
    x, y, direction, speed = head[X], head[Y], head[DIRECTION], head[SPEED]
    return (
        way_is_free(free, x, y, direction, speed - 1 if speed > 1 else speed)
        or way_is_free(free, x, y, (direction + 1) & 3, speed)
        or way_is_free(free, x, y, (direction + 3) & 3, speed)
    )


@kernel
def first_action(heads, node, action):
    """The first move on the way to a head, or `action` if it is the first head."""
    while heads[node, PARENT] >= 0:
        action = heads[node, ACTION]
        node = heads[node, PARENT]
    return action
