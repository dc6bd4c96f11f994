"""Temporal-difference learning of afterstate values by self-play, whole matches in compiled code.

Sources: Szubert and Jaskowski 2014 (afterstates), Beal and Smith 1999 with Jaskowski 2016 (temporal coherence),
Matsuzaki 2017 (backward updates and restart), Jaskowski 2016 (TD(lambda), carousel).

A match is played greedily and its afterstates are kept; then it is learned backwards, from its end to its beginning, so
that news of the end reaches the beginning within one match. The target of an afterstate is the reward of the next move
plus the next afterstate's value and its own target, mixed by lambda (`trace_decay`); after the last move it is what
chance still gave (nothing in 2048), and where a match was broken off the value itself.

A random move (epsilon) says nothing about best play. So the afterstate before it learns nothing from it, and what comes
before starts again from that afterstate's value: values are those of play without random moves (as Watkins' Q(lambda)).

Several threads may learn in the same tables without locks: a lost update now and then does no harm.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.instructions import prefetch, prefetch_to_write
from spielwerk.core.kernel.contract import Scratch, actors, apply, legal, score
from spielwerk.core.kernel.rng import below, uniform
from spielwerk.core.linker import kernel
from spielwerk.core.position import States
from spielwerk.search.kernel.ntuple import learned_place, places_of, stage_of, sum_at
from spielwerk.search.kernel.playout import settle

MATCHES, MOVES, POINTS, HIGHEST = 0, 1, 2, 3  # places in AfterstateWorkspace.totals
LENGTH, FIRST_STAGE = 0, 1  # places in AfterstateWorkspace.marks
OPENING, RESTART, CAROUSEL = 0, 1, 2  # where a match begins
SHORTEST_RESTART = 10  # moves


class AfterstateSettings(NamedTuple):
    """How to learn."""

    alpha: float  # learning rate, shared among the active entries
    trace_decay: float  # lambda: 0 = learn from the next value, 1 = from the end
    epsilon: float  # share of random moves
    start_strategy: int  # OPENING, RESTART or CAROUSEL


class AfterstateWorkspace(NamedTuple):
    """The work space of one thread. It also remembers where the next match is to begin."""

    states: States  # [1 + widest] a position and its afterstates
    episode: States  # [longest episode] the afterstates of a match
    explored: NDArray[np.bool_]  # [longest episode] whether the move to the afterstate was a random one
    places: NDArray[np.int64]  # [max(widest, 2), active + cells] active entries of each
    memory: States  # [stages * slots] afterstates with which stages began, for the carousel
    remembered: NDArray[np.int64]  # [stages] how many there were
    walked: NDArray[np.int64]  # [stages] moves of the matches that began with each stage, for the carousel
    marks: NDArray[np.int64]  # [2] length of the last episode; stage of the carousel with which it began
    totals: NDArray[np.float64]  # [4] whole matches, moves, their points, the highest
    scratch: Scratch


# --- playing ---------------------------------------------------------------------------------------------------------


@kernel
def best_afterstate(network, states, places, scratch):
    """The number i of the afterstate with the most points to come; the afterstates are put into states[1:].

    All afterstates are made, and their entries fetched, before the first is summed up: waiting for memory is what
    learning in large tables consists of.
    """
    joint = scratch.joint
    count = legal(states[0], 0, scratch.actions)
    active = 0
    for i in range(count):
        states[1 + i] = states[0]
        joint[0] = scratch.actions[i]
        apply(states[1 + i], joint)
        active = places_of(states[1 + i], network, places[i])
        for j in range(active):
            prefetch(network.weights, np.uint64(places[i, j]))
    best = -np.inf
    chosen = 0
    for i in range(count):
        score(states[1 + i], scratch.numbers)
        worth = scratch.numbers[0] + sum_at(network, places[i], active)
        if worth > best:
            best = worth
            chosen = i
    return chosen


@kernel
def self_play(network, rates, opening, work, stop, rng, moves, matches, settings):
    """Play and learn matches until `moves` moves or `matches` whole matches are made.

    Who has made its moves sets `stop`, which all threads share, and the others end with their match: nobody waits long
    for a thread that is slower.
    """
    states, episode, places, scratch, totals = work.states, work.episode, work.places, work.scratch, work.totals
    epsilon, start_strategy = settings.epsilon, settings.start_strategy
    last_match = totals[MATCHES] + matches
    last_move = totals[MOVES] + moves
    while totals[MATCHES] < last_match and totals[MOVES] < last_move and stop[0] == 0:
        whole = set_up(opening, work, rng, start_strategy)
        settle(states[0], rng)
        length = 0
        stage = stage_of(states[0], network, scratch.integers)
        while actors(states[0]) > 0 and length < episode.shape[0]:
            explored = epsilon > 0.0 and uniform(rng) < epsilon
            if explored:
                states[1] = states[0]
                scratch.joint[0] = scratch.actions[below(rng, legal(states[0], 0, scratch.actions))]
                apply(states[1], scratch.joint)
                chosen = 0
            else:
                chosen = best_afterstate(network, states, places, scratch)
            episode[length] = states[1 + chosen]
            work.explored[length] = explored
            length += 1
            states[0] = states[1 + chosen]
            if start_strategy == CAROUSEL:
                stage = remember(stage, network, work, rng)
            settle(states[0], rng)
        score(states[0], scratch.numbers)
        final = scratch.numbers[0]
        if length > 0:  # a match that begins in the middle may be over after the new tile
            over = actors(states[0]) < 0
            learn_backwards(network, rates, work, length, over, final, settings)
        work.marks[LENGTH] = length
        work.walked[work.marks[FIRST_STAGE]] += length
        totals[MOVES] += length
        if whole:
            totals[MATCHES] += 1
            totals[POINTS] += final
            totals[HIGHEST] = max(totals[HIGHEST], final)
    if totals[MOVES] >= last_move:
        stop[0] = 1


# --- where a match begins --------------------------------------------------------------------------------------------


@kernel
def set_up(opening, work, rng, start_strategy):
    """Put the beginning of the next match into states[0]; returns whether it is a whole match.

    Restart: from the middle of the last one, as long as that was not too short. Carousel: from a remembered beginning
    of a stage, always of the one for which the fewest moves were made, so that all have equal shares of the work.
    """
    if start_strategy == RESTART and work.marks[LENGTH] > SHORTEST_RESTART:
        work.states[0] = work.episode[work.marks[LENGTH] // 2]
        return False
    if start_strategy == CAROUSEL:
        stages = work.remembered.shape[0]
        stage = 0
        for other in range(1, stages):
            if work.remembered[other] > 0 and work.walked[other] < work.walked[stage]:
                stage = other
        work.marks[FIRST_STAGE] = stage
        if stage > 0:
            slots = work.memory.shape[0] // stages
            work.states[0] = work.memory[stage * slots + below(rng, min(slots, work.remembered[stage]))]
            return False
    work.states[0] = opening[0]
    return True


@kernel
def remember(stage, network, work, rng):
    """Keep the afterstate states[0] if a stage begins with it (a random sample of all such); returns its stage."""
    fresh = stage_of(work.states[0], network, work.scratch.integers)
    if fresh > stage:
        slots = work.memory.shape[0] // work.remembered.shape[0]
        seen = work.remembered[fresh]
        if seen == 0:  # from now on as many as the others
            work.walked[fresh] = work.walked[0]
        work.remembered[fresh] = seen + 1
        slot = seen if seen < slots else below(rng, seen + 1)
        if slot < slots:
            work.memory[fresh * slots + slot] = work.states[0]
    return fresh


# --- learning --------------------------------------------------------------------------------------------------------


@kernel
def learn_backwards(network, rates, work, length, over, final, settings):
    """Learn a match from its last afterstate to its first, fetching the entries of the next one meanwhile.

    `over`: it has ended, with `final` points; else it was longer than there is room.
    """
    episode, explored, places, numbers = work.episode, work.explored, work.places, work.scratch.numbers
    alpha, trace_decay = settings.alpha, settings.trace_decay
    score(episode[length - 1], numbers)
    later = numbers[0]
    active = announce(episode[length - 1], network, rates, places[(length - 1) & 1])
    target = final - later if over else np.float64(sum_at(network, places[(length - 1) & 1], active))
    for i in range(length - 1, -1, -1):
        if i > 0:
            announce(episode[i - 1], network, rates, places[(i - 1) & 1])
        if i + 1 < length and explored[i + 1]:
            fresh = sum_at(network, places[i & 1], active)
            target = fresh
        else:
            fresh = learn(network, rates, target, alpha, places[i & 1], active)
        if i > 0:
            score(episode[i - 1], numbers)
            target = (later - numbers[0]) + (1.0 - trace_decay) * fresh + trace_decay * target
            later = numbers[0]


@kernel
def announce(s, network, rates, places):
    """Write the entries of an afterstate into `places` and have them fetched; returns how many."""
    active = places_of(s, network, places)
    for j in range(active):
        prefetch_to_write(network.weights, np.uint64(places[j]))
        if rates.shape[0] > 0:
            prefetch_to_write(rates, np.uint64(2 * places[j]))
    return active


@kernel
def learn(network, rates, target, alpha, places, active):
    """Move the value of an afterstate with the entries `places` towards `target`; returns its value after that.

    With temporal coherence (`rates` not empty) every entry has its own rate |sum of errors| / sum of |errors|. An entry
    that is promoted to a later stage takes its rate with it: learned anew at full rate, the first noisy matches would
    make the stage look so bad that play avoids it for ever.
    """
    before = sum_at(network, places, active)
    delta = np.float32(target - before)
    step = np.float32(alpha) * delta / np.float32(active)
    weights = network.weights
    if rates.shape[0] == 0:
        for i in range(active):
            weights[np.uint64(places[i])] = weights[learned_place(network, places[i])] + step
        return before + step * np.float32(active)
    change = np.float32(0.0)
    size = abs(delta)
    for i in range(active):
        place = np.uint64(places[i])
        source = learned_place(network, places[i])
        errors = rates[np.uint64(2) * source]
        sizes = rates[np.uint64(2) * source + np.uint64(1)]
        own = step
        if sizes > np.float32(0.0):
            own = step * abs(errors) / sizes
        weights[place] = weights[source] + own
        rates[np.uint64(2) * place] = errors + delta
        rates[np.uint64(2) * place + np.uint64(1)] = sizes + size
        change += own
    return before + change
