"""The search of `territory`: rounds of spe_ed, the own move first, then the answer of the nearest opponent.

A round is searched as if the opponent knew the own move, which is careful; how bad a crash of both is, the weights say.
Everybody else stands still, but what they may touch in the coming round counts as a risk. With no opponent near only
own moves are searched. space.py says what a leaf is worth, and escape.py how a space is left.

Recursion is written out as a loop over levels, one level per round.
"""

import numpy as np

from spielwerk.core.instructions import stopped
from spielwerk.core.linker import kernel, outlined
from spielwerk.games.speed.kernel.rules import (
    CHANGE_NOTHING,
    FASTEST,
    JUMP_EVERY,
    JUMP_FROM,
    LONGEST_SIDE,
    SLOW_DOWN,
    SPEED_UP,
    STEP_X,
    STEP_Y,
    TURN_LEFT,
    TURN_RIGHT,
    jumps,
)
from spielwerk.games.speed.players.kernel.bits import is_set, put, remove
from spielwerk.games.speed.players.kernel.escape import way_out
from spielwerk.games.speed.players.kernel.room import TOUCHING
from spielwerk.games.speed.players.kernel.space import (
    ACTIONS,
    ALIVE,
    ALONE,
    APART,
    BOTH_OUT,
    CAP,
    DIRECTION,
    FOE,
    FOE_SEAT,
    HEIGHT,
    HELD,
    JUMP_IN,
    LEAVES,
    LOST,
    ME,
    NODES,
    RISK,
    ROUNDS,
    SHARED,
    SPEED,
    WON,
    X,
    Y,
    act,
    judge_from,
    prepare,
    stand_still,
)

ORDER = np.array([CHANGE_NOTHING, TURN_LEFT, TURN_RIGHT, SPEED_UP, SLOW_DOWN])  # likely ones first, to search less
SURELY_LOST = LOST + 1000
SAFE_ROUNDS = 2  # that a way out must survive while an opponent is near
FORCED = 4  # own moves at most that a leaf is followed where there is no choice
GUARD, GUARD_CELLS = 3, 16  # rounds to a jump, and cells to an opponent who may jump in
GROWTH = 5  # leaves of a search that looks a round further, at least
MOST_CELLS = FASTEST + 1  # of a move, and how many there are

MY_CHOICE, THEIR_CHOICE = 0, 1
BEST, WORST = 0, 1  # of a level: the best own move so far, the worst answer to the move that is looked at

# --- moves ------------------------------------------------------------------------------------------------------------


@kernel
def my_move(space, level, action, number):
    """Make the own move in the round of that number; False, and nothing is changed, if it hits something."""
    head, cells = space.heads[level + 1, ME], space.cells[level, ME]
    space.counts[level, ME] = 0
    if not act(space.heads[level, ME], action, head):
        return False
    if action == SPEED_UP and head[SPEED] > space.numbers[CAP]:
        return False
    speed, free = head[SPEED], space.boards.free
    step_x, step_y = STEP_X[head[DIRECTION]], STEP_Y[head[DIRECTION]]
    jump = jumps(number, speed)
    count = 0
    for step in range(1, speed + 1):
        if jump and 1 < step < speed:
            continue
        x, y = head[X] + step * step_x, head[Y] + step * step_y
        if not is_set(free, x, y):
            return False
        cells[count, X] = x
        cells[count, Y] = y
        count += 1
    for i in range(count):
        remove(free, cells[i, X], cells[i, Y])
    space.counts[level, ME] = count
    head[X] += speed * step_x
    head[Y] += speed * step_y
    return True


ON, OUT, BOTH = 0, 1, 2  # what an answer leads to: both drive on, the opponent is out, both are


@kernel
def their_move(space, level, action, number):
    """Make the opponent's move after the own one. Only if both drive on anything is changed."""
    head, cells = space.heads[level + 1, FOE], space.cells[level, FOE]
    space.counts[level, FOE] = 0
    if not act(space.heads[level, FOE], action, head):
        return OUT
    speed, free = head[SPEED], space.boards.free
    step_x, step_y = STEP_X[head[DIRECTION]], STEP_Y[head[DIRECTION]]
    jump = jumps(number, speed)
    outcome = ON
    count = 0
    for step in range(1, speed + 1):
        x, y = head[X] + step * step_x, head[Y] + step * step_y
        if x < 0 or x >= LONGEST_SIDE or y < 0 or y >= space.numbers[HEIGHT]:
            outcome = OUT
            break
        if jump and 1 < step < speed:
            continue
        if is_set(free, x, y):
            cells[count, X] = x
            cells[count, Y] = y
            count += 1
        else:
            outcome = OUT
            mine = space.cells[level, ME]
            for i in range(space.counts[level, ME]):
                if mine[i, X] == x and mine[i, Y] == y:
                    return BOTH
    if outcome == ON:
        for i in range(count):
            remove(free, cells[i, X], cells[i, Y])
        space.counts[level, FOE] = count
        head[X] += speed * step_x
        head[Y] += speed * step_y
    return outcome


@kernel
def undo(space, level, who):
    cells, free = space.cells[level, who], space.boards.free
    for i in range(space.counts[level, who]):
        put(free, cells[i, X], cells[i, Y])
    space.counts[level, who] = 0


# --- the worth of a leaf ----------------------------------------------------------------------------------------------


@outlined
def judge(space, level, with_foe):
    """What the position before round `level` is worth, after the own moves that are forced there; in a space of its own
    every round before it counts as well."""
    numbers, foe = space.numbers, space.heads[level, FOE]
    last, value = level, 0.0
    while True:
        number = numbers[ROUNDS] + last + 1
        ways, only = 0, CHANGE_NOTHING
        for action in range(ACTIONS):
            if my_move(space, last, action, number):
                undo(space, last, ME)
                ways += 1
                only = action
        if ways == 0:
            value = LOST + last
            break
        if ways > 1 or last == level + FORCED:
            value = judge_from(space, space.heads[last, ME], foe, with_foe, last, 0.0)
            if not numbers[SHARED]:
                value += space.weights[APART] * last
            break
        my_move(space, last, only, number)
        last += 1
    while last > level:
        last -= 1
        undo(space, last, ME)
    return value


# --- the search -------------------------------------------------------------------------------------------------------


@outlined
def worth(space, action, depth, sign):
    """What an own action is worth, looking `depth` rounds ahead; LOST if it kills at once, nan if the sign came."""
    numbers, bounds, choices = space.numbers, space.bounds, space.choices
    duel = numbers[FOE_SEAT] >= 0
    level = 0
    choices[0, MY_CHOICE] = action - 1
    bounds[0, BEST] = 2 * LOST
    value, returning = 0.0, False
    while True:
        if returning:  # the round of `level` was looked at: `value` is what came of it
            undo(space, level, FOE)
            bounds[level, WORST] = min(bounds[level, WORST], value)
            returning = False
        else:  # a new own move on this level
            choices[level, MY_CHOICE] += 1
            if choices[level, MY_CHOICE] == ACTIONS or (level == 0 and choices[0, MY_CHOICE] > action):
                value = bounds[level, BEST]
                if level == 0:
                    return value
                level -= 1
                returning = True
                continue
            if stopped(sign):
                while level >= 0:
                    undo(space, level, FOE)
                    undo(space, level, ME)
                    level -= 1
                return np.nan
            number = numbers[ROUNDS] + level + 1
            mine = choices[level, MY_CHOICE] if level == 0 else ORDER[choices[level, MY_CHOICE]]
            if not my_move(space, level, mine, number):
                bounds[level, BEST] = max(bounds[level, BEST], LOST + level)
                continue
            numbers[NODES] += 1
            choices[level, THEIR_CHOICE] = -1
            bounds[level, WORST] = 2 * WON
        number = numbers[ROUNDS] + level + 1
        descended = False
        while bounds[level, WORST] > bounds[level, BEST]:
            choices[level, THEIR_CHOICE] += 1
            answer = choices[level, THEIR_CHOICE]
            if answer == (ACTIONS if duel else 1):
                break
            if duel:
                outcome = their_move(space, level, ORDER[answer], number)
                if outcome == BOTH:
                    bounds[level, WORST] = min(bounds[level, WORST], space.now[0] - space.weights[BOTH_OUT])
                    continue
                if outcome == OUT:
                    if numbers[ALIVE] == 0:
                        bounds[level, WORST] = min(bounds[level, WORST], WON - level)
                    else:
                        bounds[level, WORST] = min(bounds[level, WORST], judge(space, level + 1, False))
                    continue
            if level + 1 == depth:
                bounds[level, WORST] = min(bounds[level, WORST], judge(space, level + 1, duel))
                undo(space, level, FOE)
                continue
            level += 1
            choices[level, MY_CHOICE] = -1
            bounds[level, BEST] = bounds[level - 1, BEST]
            descended = True
            break
        if descended:
            continue
        worst = bounds[level, WORST]
        if level == 0:
            worst -= risk(space)
        undo(space, level, ME)
        if worst > bounds[level, BEST]:
            bounds[level, BEST] = worst
            note_line(space, level, depth)
        if level > 0 and bounds[level, BEST] >= bounds[level - 1, WORST]:  # the opponent will not let it come to this
            value = bounds[level, BEST]
            level -= 1
            returning = True


@kernel
def note_line(space, level, depth):
    """The own move that is looked at is the best so far: it and what follows becomes the line of this level."""
    choice = space.choices[level, MY_CHOICE]
    space.lines[level, level] = choice if level == 0 else ORDER[choice]
    for later in range(level + 1, depth):
        space.lines[level, later] = space.lines[level + 1, later]


@kernel
def risk(space):
    """What the first own move costs because others may touch the same cells."""
    cells = space.cells[0, ME]
    for i in range(space.counts[0, ME]):
        if is_set(space.danger, cells[i, X], cells[i, Y]):
            return space.weights[RISK]
    return 0.0


@kernel
def best_action(values):
    """The best of the own actions; ties to who changes nothing, then to the first."""
    best = CHANGE_NOTHING
    for action in range(ACTIONS):
        if values[action] > values[best]:
            best = action
    return best


@kernel
def alone(space):
    """Whether nobody can come to where the player is, but by a jump some rounds from now: then only own moves are
    searched."""
    space.now[0] = judge(space, 0, space.numbers[FOE_SEAT] >= 0)
    space.now[1] = space.numbers[HELD]
    space.numbers[SHARED] = space.answer[TOUCHING] != 0
    return not space.numbers[SHARED] and not (space.numbers[FOE_SEAT] >= 0 and may_jump_in(space))


@kernel
def may_jump_in(space):
    """Whether the opponent is near enough to jump in soon, and fast enough by then."""
    me, foe = space.heads[0, ME], space.heads[0, FOE]
    soon = JUMP_EVERY - space.numbers[ROUNDS] % JUMP_EVERY
    away = abs(me[X] - foe[X]) + abs(me[Y] - foe[Y])
    return soon <= GUARD and foe[SPEED] + soon >= JUMP_FROM and away <= GUARD_CELLS


@outlined
def set_up(space, s, seat):
    prepare(space, s, seat)
    space.numbers[ALONE] = alone(space)
    if space.numbers[ALONE]:
        if space.numbers[FOE_SEAT] >= 0:
            stand_still(space, s, space.numbers[FOE_SEAT])
        space.numbers[FOE_SEAT] = -1
    space.numbers[LEAVES] = 0


@kernel
def settled(values):
    """Whether there is nothing to choose."""
    survivors = 0
    for action in range(ACTIONS):
        if values[action] > SURELY_LOST:
            survivors += 1
    return survivors < 2


@kernel
def deepen(space, depth, leaves, sign):
    """The worth of all own actions, looking ahead as many rounds as are possible with about so many leaves, at most
    `depth`; returns how many these were."""
    used = 0
    for ahead in range(1, depth + 1):
        space.numbers[LEAVES] = 0
        for action in range(ACTIONS):
            space.trial[action] = worth(space, action, ahead, sign)
        if stopped(sign) and ahead > 1:
            return ahead - 1
        for action in range(ACTIONS):
            space.values[action] = space.trial[action]
        used += space.numbers[LEAVES]
        if settled(space.values) or used + GROWTH * space.numbers[LEAVES] > leaves:
            return ahead
    return depth


@kernel
def decide(space, depth, leaves, sign):
    """The worth of all own actions, and of a way out of the own space; returns how many rounds were looked ahead."""
    ahead = deepen(space, depth, leaves, sign)
    best, first, jump_in = safe_way_out(space, sign)
    space.numbers[JUMP_IN] = leave_if_better(space.values, best, first, jump_in)
    return ahead


@kernel
def safe_way_out(space, sign):
    """A way out that no opponent near can punish at once."""
    best, first, ahead = way_out(space, sign)
    if ahead > 0 and space.numbers[FOE_SEAT] >= 0:
        cap = space.numbers[CAP]
        space.numbers[CAP] = FASTEST
        answered = worth(space, first, SAFE_ROUNDS, sign)
        space.numbers[CAP] = cap
        if not answered > space.now[0] - space.weights[BOTH_OUT]:  # a crash of both, or worse, or no time to see it
            ahead = 0
    return best, first, ahead


@kernel
def leave_if_better(values, best, first, ahead):
    """Give the first action on a way out its worth if no other action is worth as much; returns in how many rounds the
    jump is, 0 = better stay."""
    if ahead == 0:
        return 0
    for action in range(ACTIONS):
        if values[action] >= best:
            return 0
    values[first] = best
    return ahead


@kernel
def worth_at(space, states, seat, action, depth, sign):
    set_up(space, states[0], seat)
    return worth(space, action, depth, sign)


@kernel
def way_out_at(space, states, seat, sign):
    set_up(space, states[0], seat)
    return safe_way_out(space, sign)


@kernel
def decide_at(space, states, seat, depth, leaves, sign):
    set_up(space, states[0], seat)
    return decide(space, depth, leaves, sign)


@outlined
def territory_policy(s, seat, weights, scratch, rng):
    space, depth, leaves = weights
    set_up(space, s, seat)
    decide(space, depth, leaves, scratch.sign)
    return best_action(space.values)
