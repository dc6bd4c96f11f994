"""A small network that compares two Qwixx sheets, and the rule that plays by it, compiled.

The input is the position between two turns, seen by one seat against one other: for every row the pair of row states
(57 each: crosses and reach, or closed), misthrows, closed rows, whose turn comes when, and the points so far. All rows
share one table of pairs, so red and blue are the same to it. A table lookup per row, one hidden layer of 64 and one of
32 numbers give two answers: by how many points the difference will still grow, and the chance to end ahead.

A turn is judged by the position after it, with the other seats' sheets as they are now. Against several others the
chances are multiplied, which orders the turns well; what is shown as the chance to win is worked out from them in
pairvalue.py. Positions after the end are known exactly. A short search can look some turns further.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.instructions import stopped
from spielwerk.core.kernel.contract import actors, apply, chance
from spielwerk.core.kernel.rng import branch, draw
from spielwerk.core.linker import kernel, outlined
from spielwerk.games.qwixx.kernel.rules import (
    PASS,
    ROWS,
    WHITE,
    coloured_crosses,
    coloured_row_after,
    cross,
    cross_action,
    end_is_reached,
    may_cross,
    number_of,
    points,
    position_of,
    row_of,
)

HIDDEN, DEEP = 64, 32
CLOSED = 56  # row states: 0 empty; 1 + reach (reach - 1) / 2 + crosses - 1 for reach 1..10; 56 closed
STATES = 57

# rows of the table `embed`
OWN, OTHER, THIRD = 0, STATES, 2 * STATES
OWN_MISTHROWS, OTHER_MISTHROWS = 171, 176
CLOSED_ROWS = 181
OWN_TURN, OTHER_TURN = 183, 208  # 5 * (seats - 1) + turns until the seat is active
LEAD, STANDING = 233, 234  # these two are multiplied by a number
PAIRS = 235
EMBEDDED = PAIRS + STATES * STATES
INPUTS = 24  # most looked-up rows

LEAD_SCALE, STANDING_SCALE, GROWTH_SCALE = 50.0, 100.0, 20.0
STEEPNESS = 0.07  # logit per point of expected final difference, before the network corrects it
MOST_PLANS = 64


class Net(NamedTuple):
    embed: NDArray[np.float32]  # [EMBEDDED, HIDDEN]
    second: NDArray[np.float32]  # [HIDDEN, DEEP]
    second_bias: NDArray[np.float32]  # [DEEP]
    third: NDArray[np.float32]  # [2, DEEP]
    third_bias: NDArray[np.float32]  # [2]


class PairWorkspace(NamedTuple):
    """Work space of the network."""

    ids: NDArray[np.int64]  # [INPUTS + 1] looked-up rows, the last place says how many
    dense: NDArray[np.float32]  # [2] lead and standing
    hidden: NDArray[np.float32]  # [HIDDEN]
    deep: NDArray[np.float32]  # [DEEP]
    out: NDArray[np.float32]  # [2]
    plans: NDArray[np.int64]  # [MOST_PLANS, 2] white and coloured action
    worth: NDArray[np.float64]  # [MOST_PLANS]


class ShortSearch(NamedTuple):
    """Work space and settings of the short search."""

    plans: NDArray[np.int64]  # [most plans that are searched, 2]
    sums: NDArray[np.float64]  # [the same]
    first: NDArray[np.float64]  # [1] what the network thinks of the best plan
    width: NDArray[np.float64]  # [1] plans that are worse by more than this are not searched
    samples: NDArray[np.int64]  # [1] dice sequences
    turns: NDArray[np.int64]  # [1] turns after the present one
    kept: NDArray[np.int64]  # [1] plans that were searched; sums holds their total worth
    made: NDArray[np.int64]  # [1] samples that were made: all of them, unless the sign was set
    joint: NDArray[np.int64]  # [seats]
    dice: NDArray[np.uint64]  # [1]


class PairWeights(NamedTuple):
    net: Net
    work: PairWorkspace
    search: ShortSearch
    blend: float  # weight of the chance that the expected lead suggests


@kernel
def row_state(s, seat, row):
    if (s.closed >> row) & 1:
        return np.int64(CLOSED)
    reach = np.int64(s.reach[seat, row])
    if reach == 0:
        return np.int64(0)
    return reach * (reach - 1) // 2 + np.int64(s.count[seat, row])


@kernel
def look(s, own, other, active, work):
    """Write down which table rows describe the position before `active` rolls, as `own` sees it against `other`."""
    ids = work.ids
    n = 0
    seats = np.int64(s.seats)
    closed = 0
    for row in range(ROWS):
        a = row_state(s, own, row)
        b = row_state(s, other, row)
        if a == CLOSED:
            closed += 1
        ids[n] = OWN + a
        ids[n + 1] = OTHER + b
        ids[n + 2] = PAIRS + STATES * a + b
        n += 3
        if seats > 2:
            best = np.int64(-1)
            for third in range(seats):
                ahead = best < 0 or s.count[third, row] > s.count[best, row]
                if third != own and third != other and ahead:
                    best = third
            ids[n] = THIRD + row_state(s, best, row)
            n += 1
    ids[n] = OWN_MISTHROWS + np.int64(s.penalties[own])
    ids[n + 1] = OTHER_MISTHROWS + np.int64(s.penalties[other])
    ids[n + 2] = CLOSED_ROWS + min(closed, 1)
    ids[n + 3] = OWN_TURN + 5 * (seats - 1) + (own - active + seats) % seats
    ids[n + 4] = OTHER_TURN + 5 * (seats - 1) + (other - active + seats) % seats
    ids[INPUTS] = n + 5
    mine = np.float64(points(s, own))
    work.dense[0] = np.float32((mine - points(s, other)) / LEAD_SCALE)
    work.dense[1] = np.float32(mine / STANDING_SCALE)


@kernel
def forward(net, work):
    """The two answers for what `look` wrote down: out[0] growth of the lead (scaled), out[1] logit of ending ahead."""
    hidden, deep = work.hidden, work.deep
    lead, standing = work.dense[0], work.dense[1]
    for j in range(HIDDEN):
        hidden[j] = lead * net.embed[LEAD, j] + standing * net.embed[STANDING, j]
    for i in range(work.ids[INPUTS]):
        place = work.ids[i]
        for j in range(HIDDEN):
            hidden[j] += net.embed[place, j]
    for k in range(DEEP):
        deep[k] = net.second_bias[k]
    zero = np.float32(0.0)
    for j in range(HIDDEN):
        h = hidden[j]
        if h > zero:
            for k in range(DEEP):
                deep[k] += h * net.second[j, k]
        else:
            hidden[j] = zero
    growth, logit = net.third_bias[0], net.third_bias[1]
    for k in range(DEEP):
        if deep[k] > zero:
            growth += deep[k] * net.third[0, k]
            logit += deep[k] * net.third[1, k]
        else:
            deep[k] = zero
    work.out[0] = growth
    work.out[1] = logit + np.float32(STEEPNESS) * (lead * np.float32(LEAD_SCALE) + growth * np.float32(GROWTH_SCALE))


@kernel
def squeezed(x):
    return 1.0 / (1.0 + np.exp(-x))


@kernel
def chance_against(s, seat, other, active, weights):
    """The chance to end ahead of another seat, before `active` rolls: a mean of the network's own and of what its
    expected lead suggests, which is less noisy."""
    work = weights.work
    look(s, seat, other, active, work)
    forward(weights.net, work)
    lead = np.float64(points(s, seat) - points(s, other)) + GROWTH_SCALE * np.float64(work.out[0])
    return (1.0 - weights.blend) * squeezed(np.float64(work.out[1])) + weights.blend * squeezed(STEEPNESS * lead)


@outlined
def worth_between_turns(s, seat, active, over, weights):
    """The product of the chances against all other seats, before `active` rolls."""
    total = 1.0
    for other in range(s.seats):
        if other == seat:
            continue
        if over:
            now = points(s, seat) - points(s, other)
            total *= 0.5 if now == 0 else (1.0 if now > 0 else 0.0)
        else:
            total *= chance_against(s, seat, other, active, weights)
    return total


@kernel
def list_plans(s, seat, plans):
    """All turns that a seat can still choose, as (white action, coloured action); returns how many."""
    active = seat == s.active
    white = s.phase == WHITE
    number = np.int64(s.white[0]) + np.int64(s.white[1])
    count = 0
    for white_row in range(-1, ROWS if white else 0):
        white_action = PASS
        white_position = np.int64(-1)
        if white_row >= 0:
            white_position = position_of(s, white_row, number)
            if not may_cross(s, seat, white_row, white_position):
                continue
            white_action = cross_action(white_row, number)
        plans[count, 0] = white_action
        plans[count, 1] = PASS
        count += 1
        if not active:
            continue
        for colour in range(ROWS):
            for die in range(2):
                row = coloured_row_after(s, seat, colour, die, white_row, white_position)
                if row >= 0 and (die == 0 or s.white[0] != s.white[1]):
                    plans[count, 0] = white_action
                    plans[count, 1] = cross_action(row, np.int64(s.white[die]) + np.int64(s.coloured[colour]))
                    count += 1
    return count


@kernel
def carry_out(s, seat, white_action, coloured_action):
    """The rest of a turn of one seat, up to the moment before the turn is closed. The other seats do nothing."""
    if white_action != PASS:
        row = row_of(white_action)
        cross(s, seat, row, position_of(s, row, number_of(white_action)))
        if s.late_end == 0:  # a white cross may end the match; then there is no coloured action
            before = s.closed
            s.closed |= s.locked
            if end_is_reached(s):
                return
            s.closed = before
    if coloured_action != PASS:
        row = row_of(coloured_action)
        cross(s, seat, row, position_of(s, row, number_of(coloured_action)))
    if seat == s.active and white_action == PASS and coloured_action == PASS and s.crossed == 0:
        s.penalties[seat] += 1


@outlined
def judge_plans(s, seat, weights, scratch):
    """Fill work.plans and work.worth; returns how many there are."""
    work = weights.work
    count = list_plans(s, seat, work.plans)
    x = scratch.states[0]
    for i in range(count):
        scratch.states[0] = s
        carry_out(x, seat, work.plans[i, 0], work.plans[i, 1])
        x.closed |= x.locked
        after = (np.int64(x.active) + 1) % np.int64(x.seats)
        work.worth[i] = worth_between_turns(x, seat, after, end_is_reached(x), weights)
    return count


@kernel
def judge_plans_at(states, seat, weights, scratch):
    return judge_plans(states[0], seat, weights, scratch)


@kernel
def expect_replies_at(states, seat, weights, scratch):
    """Let the other seats that decide at the same time do what seems best to them. For what is shown only: a turn is
    chosen with their sheets as they are, which promises too much."""
    s, work = states[0], weights.work
    if s.phase != WHITE:
        return
    closed = s.closed
    for other in range(s.seats):
        if other == seat:
            continue
        count = judge_plans(s, other, weights, scratch)
        best = 0
        for i in range(1, count):
            if work.worth[i] > work.worth[best]:
                best = i
        carry_out(s, other, work.plans[best, 0], work.plans[best, 1])
        s.closed = closed  # rows close when all have decided


@kernel
def chances_against_at(states, seat, weights, out):
    """The chances of a seat against each of the others, as the sheets are now."""
    s = states[0]
    count = 0
    for other in range(s.seats):
        if other != seat:
            out[count] = chance_against(s, seat, other, np.int64(s.active), weights)
            count += 1
    return count


@kernel
def pair_policy(s, seat, weights, scratch, rng):
    """The first part of the turn after which the position is worth most."""
    work = weights.work
    count = judge_plans(s, seat, weights, scratch)
    chosen = 0
    for i in range(1, count):
        if work.worth[i] > work.worth[chosen]:
            chosen = i
    return work.plans[chosen, 0] if s.phase == WHITE else work.plans[chosen, 1]


@outlined
def search_policy(s, seat, weights, scratch, rng):
    """Short search: the best plans are carried out with sampled dice, everybody plays on by the network for some turns,
    and the network judges the end. All plans meet the same dice."""
    work, search = weights.work, weights.search
    count = judge_plans(s, seat, weights, scratch)
    kept = 0
    for _ in range(search.plans.shape[0]):  # the best plans first
        best = -1
        for i in range(count):
            if work.worth[i] > -np.inf and (best < 0 or work.worth[i] > work.worth[best]):
                best = i
        if best < 0 or (kept > 0 and work.worth[best] < search.first[0] - search.width[0]):
            break
        search.plans[kept, 0] = work.plans[best, 0]
        search.plans[kept, 1] = work.plans[best, 1]
        search.sums[kept] = 0.0
        if kept == 0:
            search.first[0] = work.worth[best]
        kept += 1
        work.worth[best] = -np.inf
    chosen = 0
    search.kept[0] = kept
    if kept > 1:
        key = draw(rng)
        search.made[0] = 0
        for sample in range(search.samples[0]):
            if stopped(scratch.sign):
                break
            search.made[0] += 1
            for i in range(kept):
                branch(key, sample, search.dice)
                scratch.states[1] = s
                search.sums[i] += sampled_worth(
                    scratch.states[1], seat, search.plans[i, 0], search.plans[i, 1], weights, scratch, rng
                )
        for i in range(1, kept):
            if search.sums[i] > search.sums[chosen]:
                chosen = i
    return search.plans[chosen, 0] if s.phase == WHITE else search.plans[chosen, 1]


@outlined
def sampled_worth(x, seat, white_action, coloured_action, weights, scratch, rng):
    """Carry out a plan and play on for search.turns turns; what the position is then worth."""
    search = weights.search
    last = np.int64(x.turns) + search.turns[0]
    planned = True  # the own plan is not finished yet
    turn = np.int64(x.turns)
    while True:
        who = actors(x)
        if who < 0:
            return worth_between_turns(x, seat, np.int64(0), True, weights)
        if who == 0:
            if x.turns >= last:
                return worth_between_turns(x, seat, np.int64(x.active), False, weights)
            chance(x, search.dice)
            continue
        planned = planned and x.turns == turn
        for other in range(x.seats):
            if (who >> other) & 1:
                if other == seat and planned:
                    action = white_action if x.phase == WHITE else coloured_action
                    if x.phase != WHITE and (coloured_crosses(x) >> action) & 1 == 0:
                        action = PASS  # somebody has closed the row in the meantime
                else:
                    action = pair_policy(x, other, weights, scratch, rng)
                search.joint[other] = action
        apply(x, search.joint)
