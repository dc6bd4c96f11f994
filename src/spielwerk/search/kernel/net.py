"""Rules and evaluations made of a neural network, for any game.

A network sees what one seat may know, so in a game with hidden information the view is made first. A policy or a Q head
names an action at once; a value head of afterstates is asked about what every action leaves, before chance acts. Other
seats that decide at the same moment are taken to do anything, the same for all actions; what is hidden is imagined
once. What actions leave differs in few places: the first layer is worked out once, then changed by the differences.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.kernel.contract import (
    actors,
    apply,
    features,
    hide,
    imagine,
    legal,
    score,
    team,
    worth,
)
from spielwerk.core.kernel.objective import win
from spielwerk.core.kernel.rng import below, uniform
from spielwerk.core.linker import contracted, kernel, outlined, stub
from spielwerk.nets.kernel.forward import SIZE, TARGET, UNITS, WEIGHT, Program, forward
from spielwerk.search.kernel.playout import rollout, settle

WORLD, AFTER, VIEW = 0, 1, 3  # places among the spare states
POINTS, LEAD, WIN = 0, 1, 2  # units of values
SURE = 30.0  # the logit of what is certain
AT, COUNT, BEGIN, END, FIRST = 0, 1, 2, 3, 4  # places in a spot


class NetWeights(NamedTuple):
    """A network and how it is asked."""

    net: Program
    trunk: NDArray[np.int64]  # the first operations, which all heads share
    inputs: int
    policy: NDArray[np.int64]  # the spots of the heads: where the answer stands, how many numbers, which operations
    value: NDArray[np.int64]  # lead to it, and the first action that it is about
    unit: int  # of the value: POINTS, LEAD or WIN
    aims_at_lead: bool  # whether a value of points is compared with those of the others, who are asked, too
    scale: float  # points that a value of 1 means
    temperature: float  # 0 = the best; else actions are drawn by softmax(answers / temperature)
    two_sided: bool  # whether what one team gains the other loses
    base: int  # where the floats begin in which the first layer of the first afterstate is kept; 0 = nowhere
    other: tuple[Any, bool]  # weights of the rule for actions that the head does not know; False = it takes any


@stub
def observe(s, seat, scratch, out):
    """Write what `seat` knows as the network reads it."""


@stub
def otherwise(s, seat, weights, scratch, rng):
    """The rule for decisions whose actions the network does not know."""


@kernel
def observe_openly(s, seat, scratch, out):
    features(s, seat, out)


@kernel
def observe_by_view(s, seat, scratch, out):
    scratch.states[VIEW] = s
    hide(scratch.states[VIEW], seat)
    features(scratch.states[VIEW], seat, out)


@kernel
def any_action(s, seat, weights, scratch, rng):
    return scratch.actions[below(rng, legal(s, seat, scratch.actions))]


# --- answers ---------------------------------------------------------------------------------------------------------


@kernel
def ask_trunk(s, seat, weights, scratch):
    observe(s, seat, scratch, scratch.floats[: weights.inputs])
    forward(weights.net, weights.trunk[0], weights.trunk[1], scratch.floats, scratch.integers)


@kernel
def ask_head(weights, spot, scratch):
    """After the trunk: the answer of a head stands in the floats from spot[AT] on."""
    forward(weights.net, spot[BEGIN], spot[END], scratch.floats, scratch.integers)


@kernel
def answer_to(action, spot, floats):
    """What a head says of an action; -inf if it does not know it."""
    place = action - spot[FIRST]
    return np.float64(floats[spot[AT] + place]) if 0 <= place < spot[COUNT] else -np.inf


@kernel
def knows(action, spot):
    """Whether a head says something of an action."""
    return 0 <= action - spot[FIRST] < spot[COUNT]


@kernel
def knows_all(actions, count, spot):
    for i in range(count):
        if not knows(actions[i], spot):
            return False
    return True


@kernel
def tossed(answer, temperature, rng):
    """An answer with so much noise that the largest is drawn with the probability of its softmax (Gumbel 1954)."""
    if temperature <= 0.0 or answer == -np.inf:
        return answer
    return answer / temperature - math.log(-math.log(1.0 - uniform(rng)))


# --- rules -----------------------------------------------------------------------------------------------------------


@outlined
def policy_by_head(s, seat, weights, scratch, rng):
    """The legal action that a policy or Q head likes best. Where it does not know some of them, another rule is asked
    first, and has its way if it wants one of those."""
    count = legal(s, seat, scratch.actions)
    chosen = scratch.actions[0]
    if count == 1:
        return chosen
    spot = weights.policy
    if weights.other[1] and not knows_all(scratch.actions, count, spot):
        wanted = otherwise(s, seat, weights.other[0], scratch, rng)
        if not knows(wanted, spot):
            return wanted
        count = legal(s, seat, scratch.actions)
    ask_trunk(s, seat, weights, scratch)
    ask_head(weights, spot, scratch)
    best = -np.inf
    for i in range(count):
        answer = tossed(answer_to(scratch.actions[i], spot, scratch.floats), weights.temperature, rng)
        if answer > best:
            best = answer
            chosen = scratch.actions[i]
    if best == -np.inf:
        return otherwise(s, seat, weights.other[0], scratch, rng)
    return chosen


@outlined
def policy_by_value(s, seat, weights, scratch, rng):
    """The legal action that leaves most."""
    count = legal(s, seat, scratch.actions)
    chosen = scratch.actions[0]
    if count == 1:
        return chosen
    count = imagine_world(s, seat, scratch, rng)
    best = -np.inf
    for i in range(count):
        after = afterstate_value(i, seat, weights, scratch)
        after = tossed(after, weights.temperature * weights.scale, rng)
        if after > best:
            best = after
            chosen = scratch.actions[i]
    return chosen


@kernel
def afterstate_values_at(states, seat, weights, scratch, rng, out):
    """What every legal action of a view leaves."""
    for i in range(imagine_world(states[0], seat, scratch, rng)):
        out[i] = afterstate_value(i, seat, weights, scratch)


@kernel
def imagine_world(s, seat, scratch, rng):
    """Fill in once what a seat does not know, and what others do at the same moment. The list of actions holds those of
    the seat then; returns how many."""
    set_others(s, seat, scratch, rng)
    count = legal(s, seat, scratch.actions)
    scratch.states[WORLD] = s
    imagine(scratch.states[WORLD], seat, rng)
    return count


@kernel
def set_others(s, seat, scratch, rng):
    """Let the other seats that decide now do anything."""
    who = actors(s)
    for other in range(scratch.trial.shape[0]):
        if other != seat and (who >> other) & 1:
            scratch.trial[other] = scratch.actions[below(rng, legal(s, other, scratch.actions))]


@kernel
def afterstate_value(i, seat, weights, scratch):
    """What action number i of the list leaves to the seat, in points, or as a logit of the win."""
    scratch.states[AFTER] = scratch.states[WORLD]
    after = scratch.states[AFTER]
    scratch.trial[seat] = scratch.actions[i]
    apply(after, scratch.trial)
    if actors(after) < 0:
        return final_value(after, seat, LEAD if weights.aims_at_lead else weights.unit, scratch)
    observe(after, seat, scratch, scratch.floats[: weights.inputs])
    if weights.base == 0:
        forward(weights.net, weights.trunk[0], weights.trunk[1], scratch.floats, scratch.integers)
    else:
        forward_near(weights, i == 0, scratch.floats, scratch.integers)
    own = answered_total(after, seat, weights, scratch)
    if weights.aims_at_lead:
        own -= best_other_total(after, seat, weights, scratch)
    return own


@kernel
def answered_total(s, seat, weights, scratch):
    """What a seat has at the end, in points, or the logit of its win; the trunk has been asked."""
    ask_head(weights, weights.value, scratch)
    grown = np.float64(scratch.floats[weights.value[AT]])
    if weights.unit == WIN:
        return grown
    return standing_of(s, seat, weights.unit, scratch) + weights.scale * grown


@kernel
def best_other_total(s, seat, weights, scratch):
    """The most that a seat of another team has at the end."""
    side, best = team(s, seat), -np.inf
    for other in range(scratch.trial.shape[0]):
        if team(s, other) != side:
            ask_trunk(s, other, weights, scratch)
            best = max(best, answered_total(s, other, weights, scratch))
    return best


@contracted
def forward_near(weights, first, floats, places):
    """The trunk, whose first layer is that of the first afterstate, changed where the inputs differ from its."""
    layer = weights.net.operations
    size, units = layer[SIZE], layer[UNITS]
    inputs = floats[:size]
    outputs = floats[layer[TARGET] : layer[TARGET] + units]
    kept = floats[weights.base : weights.base + units]
    known = floats[weights.base + units : weights.base + units + size]
    if first:
        forward(weights.net, weights.trunk[0], weights.trunk[0] + 1, floats, places)
        for j in range(units):
            kept[j] = outputs[j]
        for i in range(size):
            known[i] = inputs[i]
    else:
        for j in range(units):
            outputs[j] = kept[j]
        count = 0
        for i in range(size):
            places[count] = i
            if inputs[i] != known[i]:
                count += 1
        for n in range(count):
            i = places[n]
            x = inputs[i] - known[i]
            row = weights.net.values[layer[WEIGHT] + i * units : layer[WEIGHT] + (i + 1) * units]
            for j in range(units):
                outputs[j] += x * row[j]
    forward(weights.net, weights.trunk[0] + 1, weights.trunk[1], floats, places)


# --- what a value means ----------------------------------------------------------------------------------------------


@kernel
def standing_of(s, seat, unit, scratch):
    """The points of a seat, or its lead over the best other team."""
    numbers = scratch.numbers
    score(s, numbers)
    own = numbers[seat]
    if unit == POINTS:
        return own
    best = -np.inf
    side = team(s, seat)
    for other in range(scratch.trial.shape[0]):
        if team(s, other) != side and numbers[other] > best:
            best = numbers[other]
    return own if best == -np.inf else own - best


@kernel
def final_value(s, seat, unit, scratch):
    """The same of a match that is over, or the logit of who has won it."""
    if unit != WIN:
        return standing_of(s, seat, unit, scratch)
    shares = scratch.numbers[: scratch.trial.shape[0]]
    win(s, 1.0, shares)
    return SURE * (2.0 * shares[seat] - 1.0)


@kernel
def worth_of(total, unit, scale):
    """A value as a search counts it: in shares of the scale, or between 0 and 1."""
    if unit == POINTS:
        return total / scale
    if unit == LEAD:
        return 0.5 + 0.5 * total / (scale + abs(total))
    return 1.0 / (1.0 + math.exp(-total))


@kernel
def judge(s, seat, leaf):
    """What the value head says of a seat, as a search counts it; the trunk has been asked."""
    weights = leaf.weights
    total = answered_total(s, seat, weights, leaf.scratch)
    if weights.aims_at_lead:
        return worth_of(total - best_other_total(s, seat, weights, leaf.scratch), LEAD, leaf.scale)
    return worth_of(total, weights.unit, leaf.scale)


@kernel
def tell_prior(s, seat, leaf):
    """How likely the policy head holds every legal action of a seat; the trunk has been asked. One that it does not
    know is as likely as the likeliest, so that a search looks at it."""
    weights, scratch = leaf.weights, leaf.scratch
    spot = weights.policy
    ask_head(weights, spot, scratch)
    count = legal(s, seat, scratch.actions)
    highest = -np.inf
    for i in range(count):
        highest = max(highest, answer_to(scratch.actions[i], spot, scratch.floats))
    total = 0.0
    for i in range(count):
        action = scratch.actions[i]
        answer = answer_to(action, spot, scratch.floats)
        leaf.prior[seat, action] = 1.0 if answer == -np.inf else math.exp(answer - highest)
        total += leaf.prior[seat, action]
    for i in range(count):
        leaf.prior[seat, scratch.actions[i]] /= total


@outlined
def chance_by_head(s, seat, action, weights, scratch):
    """The log of how likely the policy head holds an action among the legal ones; 0 if it does not know it."""
    spot = weights.policy
    ask_trunk(s, seat, weights, scratch)
    ask_head(weights, spot, scratch)
    said = answer_to(action, spot, scratch.floats)
    if said == -np.inf:
        return 0.0
    count = legal(s, seat, scratch.actions)
    highest, total = said, 0.0
    for i in range(count):
        highest = max(highest, answer_to(scratch.actions[i], spot, scratch.floats))
    for i in range(count):
        total += math.exp(answer_to(scratch.actions[i], spot, scratch.floats) - highest)
    return said - highest - math.log(total)


# --- evaluations -----------------------------------------------------------------------------------------------------


@outlined
def position_worth(states, i, leaf):
    """An evaluation: what a network says of positions in which somebody decides; with a policy head also the prior.
    Between two teams the first who decides is asked, and the others have what it leaves them."""
    s = states[i]
    who = settle(s, leaf.rng)
    if who < 0:
        worth(s, leaf.scale, leaf.value)
        return
    weights, scratch = leaf.weights, leaf.scratch
    asked = -1
    for seat in range(leaf.value.shape[0]):
        decides = (who >> seat) & 1
        from_asked = weights.two_sided and (asked >= 0 or not decides)
        likely = decides and leaf.prior.shape[1] > 0
        if likely or not from_asked:
            ask_trunk(s, seat, weights, scratch)
        if likely:
            tell_prior(s, seat, leaf)
        if not from_asked:
            leaf.value[seat] = judge(s, seat, leaf)
            asked = seat
    if weights.two_sided:
        for seat in range(leaf.value.shape[0]):
            if team(s, seat) == team(s, asked):
                leaf.value[seat] = leaf.value[asked]
            else:
                leaf.value[seat] = 1.0 - leaf.value[asked]


@outlined
def afterstate_worth(states, i, leaf):
    """An evaluation: what a network says of what is left when everybody who decides has done what it likes best."""
    s = states[i]
    weights, scratch = leaf.weights, leaf.scratch
    who = actors(s)
    if who > 0:
        for seat in range(leaf.value.shape[0]):
            if (who >> seat) & 1:
                scratch.joint[seat] = policy_by_value(s, seat, weights, scratch, leaf.rng)
        apply(s, scratch.joint)
        who = actors(s)
    if who < 0:
        worth(s, leaf.scale, leaf.value)
        return
    for seat in range(leaf.value.shape[0]):
        ask_trunk(s, seat, weights, scratch)
        if weights.aims_at_lead:
            leaf.value[seat] = answered_total(s, seat, weights, scratch)
        else:
            leaf.value[seat] = judge(s, seat, leaf)
    if weights.aims_at_lead:
        totals_to_leads(s, leaf)


@kernel
def totals_to_leads(s, leaf):
    """From what every seat has at the end to the worth of its lead over the best of another team."""
    totals = leaf.value
    first, first_team = totals[0], team(s, 0)
    for seat in range(totals.shape[0]):
        if totals[seat] > first:
            first, first_team = totals[seat], team(s, seat)
    second = -np.inf
    for seat in range(totals.shape[0]):
        if team(s, seat) != first_team and totals[seat] > second:
            second = totals[seat]
    for seat in range(totals.shape[0]):
        best_other = second if team(s, seat) == first_team else first
        totals[seat] = worth_of(totals[seat] - best_other, LEAD, leaf.scale)


@outlined
def prior_and_rollout(states, i, leaf):
    """An evaluation by a network without a value: the prior is its own, the worth that of a random playout."""
    s = states[i]
    who = settle(s, leaf.rng)
    if leaf.prior.shape[1] > 0:
        for seat in range(leaf.value.shape[0]):
            if who > 0 and (who >> seat) & 1:
                ask_trunk(s, seat, leaf.weights, leaf.scratch)
                tell_prior(s, seat, leaf)
    rollout(states, i, leaf)
