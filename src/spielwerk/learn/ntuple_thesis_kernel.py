"""Temporal-difference learning as in Kutsch (2017, chapter 6): values of positions, accumulating eligibility traces.

Formulas (5) to (9) of the thesis, with the agent of its framework: every action is tried once, chance acts, and the
action whose outcome looks best is taken, ties at random; with probability epsilon any action. Values are shares of the
highest possible score. Method 1 (`end`) learns from the end score only, method 2 (`difference`) from the points of
every move. The rate alpha is shared among the active entries.

This is on purpose not a good learner. Traces with gamma * lambda = 1 never fade: an entry that is active in n moves of
a match has weight up to n in every update until its end, so that over the whole match the step is about alpha * n. With
large rates the values run away; once they are no numbers any more, all actions look alike and play is random. The curve
of the thesis ended at random play, too; whether for this reason is not known (see `spielwerk study kutsch-collapse`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.contract import Scratch, actors, apply, legal, score
from spielwerk.core.game import States
from spielwerk.core.kernel import kernel
from spielwerk.core.rng import below, uniform
from spielwerk.search.ntuple import indices, sum_of_entries
from spielwerk.search.playout import settle

MATCHES, MOVES, POINTS, HIGHEST = 0, 1, 2, 3  # places in Desk.totals
FADED = np.float32(1e-4)  # a trace below this is dropped


class Desk(NamedTuple):
    """The work space of one thread."""

    states: States  # [3] the position, a trial, the best trial
    places: NDArray[np.int64]  # [2, active + cells] active entries of this position and of the next
    trace: NDArray[np.float32]  # [entries] eligibility
    traced: NDArray[np.int64]  # [entries] which entries have a trace
    totals: NDArray[np.float64]  # [4] matches, moves, their points, the highest
    scratch: Scratch


@kernel
def self_play(
    network, opening, desk, rng, moves, matches, alpha, mixture, gamma, epsilon, from_difference, scale
):  # fmt: skip
    """Play and learn matches until `moves` moves or `matches` matches are made."""
    states, places, trace, traced, totals = desk.states, desk.places, desk.trace, desk.traced, desk.totals
    numbers = desk.scratch.numbers
    weights = network.weights
    last_match = totals[MATCHES] + matches
    last_move = totals[MOVES] + moves
    fade = np.float32(gamma * mixture)
    while totals[MATCHES] < last_match and totals[MOVES] < last_move:
        states[0] = opening[0]
        settle(states[0], rng)
        active = indices(states[0], network.top, network.plan, network.base, places[0])
        traces = 0
        while actors(states[0]) > 0:
            score(states[0], numbers)
            before = numbers[0]
            choose(network, states, places[1], desk.scratch, rng, epsilon, from_difference, scale)
            score(states[2], numbers)
            reward = numbers[0] - before
            old = sum_of_entries(weights, places[0], active)
            if actors(states[2]) < 0:
                target = reward / scale if from_difference else numbers[0] / scale
            else:
                indices(states[2], network.top, network.plan, network.base, places[1])
                target = gamma * sum_of_entries(weights, places[1], active)
                if from_difference:
                    target += reward / scale
            traces = mark(trace, traced, traces, fade, places[0], active)
            step = np.float32(alpha * (target - old) / active)
            for i in range(traces):
                weights[traced[i]] += step * trace[traced[i]]
            states[0] = states[2]
            for i in range(active):
                places[0, i] = places[1, i]
            totals[MOVES] += 1
        for i in range(traces):
            trace[traced[i]] = np.float32(0.0)
        score(states[0], numbers)
        totals[MATCHES] += 1
        totals[POINTS] += numbers[0]
        totals[HIGHEST] = max(totals[HIGHEST], numbers[0])


@kernel
def mark(trace, traced, traces, fade, places, active):
    """Formula (7): fade all traces, add 1 to those of the current position; returns how many there are."""
    kept = 0
    for i in range(traces):
        place = traced[i]
        trace[place] *= fade
        if trace[place] < FADED:
            trace[place] = np.float32(0.0)
        else:
            traced[kept] = place
            kept += 1
    for i in range(active):
        if trace[places[i]] == np.float32(0.0):
            traced[kept] = places[i]
            kept += 1
        trace[places[i]] += np.float32(1.0)
    return kept


@kernel
def choose(network, states, places, scratch, rng, epsilon, from_difference, scale):
    """Put the next position into states[2]: any with probability epsilon, else the best-looking of one trial each."""
    joint = scratch.joint
    count = legal(states[0], 0, scratch.actions)
    if epsilon > 0.0 and uniform(rng) < epsilon:
        states[2] = states[0]
        joint[0] = scratch.actions[below(rng, count)]
        apply(states[2], joint)
        settle(states[2], rng)
        return
    best = -np.inf
    ties = 0
    for i in range(count):
        states[1] = states[0]
        joint[0] = scratch.actions[i]
        apply(states[1], joint)
        settle(states[1], rng)
        active = indices(states[1], network.top, network.plan, network.base, places)
        worth = np.float64(sum_of_entries(network.weights, places, active))
        if from_difference:
            score(states[1], scratch.numbers)
            worth += scratch.numbers[0] / scale
        if worth > best:
            best = worth
            ties = 1
            states[2] = states[1]
        elif not worth < best:  # equal, or no number at all
            ties += 1
            if below(rng, ties) == 0:
                states[2] = states[1]
