"""One step ahead by points: the template of the greedy agent.

Seats that decide at the same moment are assumed to act at random, and what is hidden is imagined once.
"""

from spielwerk.core.kernel.contract import actors, apply, imagine, legal, score
from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel


@kernel
def points_after(root, states, seat, scratch, rng, points):
    """The points of `seat` after each legal action, before chance acts; returns how many actions there are."""
    states[2] = root[0]
    imagine(states[2], seat, rng)
    trial = scratch.trial
    for other in range(trial.shape[0]):
        if (actors(states[2]) >> other) & 1:
            count = legal(states[2], other, scratch.actions)
            trial[other] = scratch.actions[below(rng, count)]
    count = legal(states[2], seat, scratch.actions)
    for i in range(count):
        states[3] = states[2]
        trial[seat] = scratch.actions[i]
        apply(states[3], trial)
        score(states[3], scratch.numbers)
        points[i] = scratch.numbers[seat]
    return count


@kernel
def best_at_random(points, count, rng):
    """The index of the highest of `count` numbers; among equals each equally likely."""
    best = points[0]
    ties = 1
    chosen = 0
    for i in range(1, count):
        if points[i] > best:
            best = points[i]
            ties = 1
            chosen = i
        elif points[i] == best:
            ties += 1
            if below(rng, ties) == 0:
                chosen = i
    return chosen


@kernel
def greedy_policy(s, seat, weights, scratch, rng):
    scratch.states[0] = s
    points_after(scratch.states, scratch.states, seat, scratch, rng, weights)
    count = legal(s, seat, scratch.actions)
    return scratch.actions[best_at_random(weights, count, rng)]
