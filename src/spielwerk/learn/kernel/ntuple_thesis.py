"""Temporal-difference learning as in Kutsch (2017, chapter 6): values of positions, accumulating eligibility traces.

Formulas (5) to (9) of the thesis, and what its framework (GBG, public source of 2017) does beyond them: every action is
tried once, chance acts, the action whose outcome looks best is taken, ties at random, and chance acts anew; with
probability epsilon any action. Values are shares of the highest possible score, the tanh of the sum of the entries; the
rate alpha is that of each entry. Method 1 (`end`) learns from the end score only, method 2 (`difference`) from the
points of every move. A random move is not learned unless it is the last one (`SKIPPED`), but the traces run on.

This is on purpose not a good learner. With lambda = 1 the errors of a match must add up to the end score minus the
first value. If those of the random moves, which mostly lose value, are left out, what is left over is too large in
every match, and values grow until the tanh stops them. Play gets better all the same, as long as there are random
moves; when they end the values fall back, and what was learned is lost (see `spielwerk study kutsch-collapse`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.kernel.contract import Scratch, actors, apply, legal, score
from spielwerk.core.kernel.rng import below, uniform
from spielwerk.core.linker import kernel
from spielwerk.core.position import States
from spielwerk.search.kernel.ntuple import indices, squashed, sum_of_entries
from spielwerk.search.kernel.playout import settle

MATCHES, MOVES, POINTS, HIGHEST, TAUGHT, LEFT_OUT = 0, 1, 2, 3, 4, 5  # places in TraceWorkspace.totals
CUT, SKIPPED, LEARNED = 0, 1, 2  # what becomes of an exploratory move
FADED = np.float32(1e-4)  # a trace below this is dropped


class TraceSettings(NamedTuple):
    """How to learn."""

    alpha: float  # learning rate of each entry
    trace_decay: float  # lambda
    gamma: float  # discount of the next value
    epsilon: float  # share of random moves
    exploratory_moves: int  # CUT, SKIPPED or LEARNED
    from_difference: bool  # method 2: learn from the points of every move, not from the end score only
    squash: bool  # values are the tanh of the sum of their entries
    scale: float  # the highest possible score


class TraceWorkspace(NamedTuple):
    """The work space of one thread."""

    states: States  # [3] the position, a trial, the next position
    places: NDArray[np.int64]  # [2, active + cells] active entries of this position and of the next
    trace: NDArray[np.float32]  # [entries] eligibility
    traced: NDArray[np.int64]  # [entries] which entries have a trace
    totals: NDArray[np.float64]  # [6] matches, moves, their points, the highest, sum of errors learned and left out
    scratch: Scratch


@kernel
def self_play(network, opening, work, rng, moves, matches, settings):
    """Play and learn matches until `moves` moves or `matches` matches are made."""
    states, places, trace, traced, totals = work.states, work.places, work.trace, work.traced, work.totals
    numbers = work.scratch.numbers
    alpha, gamma, exploratory_moves = settings.alpha, settings.gamma, settings.exploratory_moves
    from_difference, squash, scale = settings.from_difference, settings.squash, settings.scale
    weights = network.weights
    last_match = totals[MATCHES] + matches
    last_move = totals[MOVES] + moves
    fade = np.float32(gamma * settings.trace_decay)
    while totals[MATCHES] < last_match and totals[MOVES] < last_move:
        states[0] = opening[0]
        settle(states[0], rng)
        active = indices(states[0], network.top, network.plan, network.base, places[0])
        traces = 0
        while actors(states[0]) > 0:
            old = squashed(sum_of_entries(weights, places[0], active), squash)
            slope = np.float32(1.0 - old * old) if squash else np.float32(1.0)
            traces = mark(trace, traced, traces, fade, places[0], active, slope)
            score(states[0], numbers)
            before = numbers[0]
            explored = choose(network, work, rng, settings)
            over = actors(states[2]) < 0
            indices(states[2], network.top, network.plan, network.base, places[1])
            score(states[2], numbers)
            target = (numbers[0] - before) / scale if from_difference else 0.0
            if not over:
                target += gamma * squashed(sum_of_entries(weights, places[1], active), squash)
            elif not from_difference:
                target = numbers[0] / scale
            if not explored or exploratory_moves == LEARNED or (over and exploratory_moves == SKIPPED):
                totals[TAUGHT] += target - old
                step = np.float32(alpha * (target - old))
                for i in range(traces):
                    weights[traced[i]] += step * trace[traced[i]]
            else:
                totals[LEFT_OUT] += target - old
                if exploratory_moves == CUT:
                    traces = forget(trace, traced, traces)
            states[0] = states[2]
            for i in range(active):
                places[0, i] = places[1, i]
            totals[MOVES] += 1
        forget(trace, traced, traces)
        score(states[0], numbers)
        totals[MATCHES] += 1
        totals[POINTS] += numbers[0]
        totals[HIGHEST] = max(totals[HIGHEST], numbers[0])


@kernel
def mark(trace, traced, traces, fade, places, active, slope):
    """Formula (7): fade all traces, add to those of the current position; returns how many there are."""
    kept = traces
    if fade < np.float32(1.0):
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
        if trace[places[i]] == np.float32(0.0) and slope > np.float32(0.0):
            traced[kept] = places[i]
            kept += 1
        trace[places[i]] += slope
    return kept


@kernel
def forget(trace, traced, traces):
    """Drop all traces; returns how many there are then."""
    for i in range(traces):
        trace[traced[i]] = np.float32(0.0)
    return 0


@kernel
def choose(network, work, rng, settings):
    """Put the next position into states[2]; returns whether the move was a random one.

    Else it is the best-looking of one trial each: the end score of a trial that ends, the value of one that does not.
    """
    states, places, scratch, joint = work.states, work.places[1], work.scratch, work.scratch.joint
    from_difference, squash, scale = settings.from_difference, settings.squash, settings.scale
    count = legal(states[0], 0, scratch.actions)
    explored = settings.epsilon > 0.0 and uniform(rng) < settings.epsilon
    chosen = scratch.actions[0]
    if explored:
        chosen = scratch.actions[below(rng, count)]
    else:
        best = -np.inf
        ties = 0
        for i in range(count):
            states[1] = states[0]
            joint[0] = scratch.actions[i]
            apply(states[1], joint)
            over = settle(states[1], rng) < 0
            worth = 0.0
            if from_difference or over:
                score(states[1], scratch.numbers)
                worth = scratch.numbers[0] / scale
            if not over:
                active = indices(states[1], network.top, network.plan, network.base, places)
                worth += squashed(sum_of_entries(network.weights, places, active), squash)
            if worth > best:
                best = worth
                ties = 1
                chosen = scratch.actions[i]
            elif not worth < best:  # equal, or no number at all
                ties += 1
                if below(rng, ties) == 0:
                    chosen = scratch.actions[i]
    states[2] = states[0]
    joint[0] = chosen
    apply(states[2], joint)
    settle(states[2], rng)
    return explored
