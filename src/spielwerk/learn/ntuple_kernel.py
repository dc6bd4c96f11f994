"""Temporal-difference learning of afterstate values by self-play, whole matches in compiled code.

Sources: Szubert and Jaskowski 2014 (afterstates), Beal and Smith 1999 with Jaskowski 2016 (temporal coherence),
Matsuzaki 2017 (backward updates and restart), Jaskowski 2016 (TD(lambda), carousel).

A match is played greedily and its afterstates are kept; then it is learned backwards, from its end to its beginning, so
that news of the end reaches the beginning within one match. The target of an afterstate is the reward of the next move
plus a mixture of the next afterstate's value and the next afterstate's own target; after the last move it is 0.

Several threads may learn in the same tables without locks: a lost update now and then does no harm.
"""

import numpy as np

from spielwerk.core.contract import actors, apply, chance, legal, score
from spielwerk.core.kernel import kernel, prefetch
from spielwerk.core.rng import below
from spielwerk.search.ntuple import entry, indices, promoted_sum, stage_of, sum_of_entries
from spielwerk.search.playout import settle

MATCHES, MOVES, POINTS = 0, 1, 2  # places in the totals


@kernel
def best_afterstate(states, network, scratch, joint, places):
    """The number i of the afterstate with the most points to come; the afterstates are in states[1:].

    All afterstates are made, and their entries fetched, before the first is summed up: waiting for memory is what
    learning in large tables consists of.
    """
    count = legal(states[0], 0, scratch.actions)
    active = 0
    for i in range(count):
        states[1 + i] = states[0]
        joint[0] = scratch.actions[i]
        apply(states[1 + i], joint)
        active = indices(states[1 + i], network.top, network.plan, network.base, places[i])
        for j in range(active):
            prefetch(network.weights, np.uint64(places[i, j]))
    best = -np.inf
    chosen = 0
    for i in range(count):
        score(states[1 + i], scratch.numbers)
        worth = scratch.numbers[0] + sum_in_stage(states[1 + i], network, places[i], active, scratch.integers)
        if worth > best:
            best = worth
            chosen = i
    return chosen


@kernel
def sum_in_stage(s, network, places, active, out):
    stage = stage_of(s, network, out)
    if stage == 0:
        return sum_of_entries(network.weights, places, active)
    return promoted_sum(network, stage, places, active)


@kernel
def learn(s, network, rates, target, alpha, places, active, out):
    """Move the value of an afterstate with the entries `places` towards `target`; returns its value after that.

    With temporal coherence (`rates` not empty) every entry has its own rate |sum of errors| / sum of |errors|.
    """
    stage = stage_of(s, network, out)
    if stage == 0:
        before = sum_of_entries(network.weights, places, active)
    else:
        before = promoted_sum(network, stage, places, active)
    delta = np.float32(target - before)
    step = np.float32(alpha) * delta / np.float32(active)
    weights = network.weights
    offset = stage * network.entries
    if rates.shape[0] == 0:
        for i in range(active):
            weights[np.uint64(offset + places[i])] = entry(network, stage, places[i]) + step
        return before + step * np.float32(active)
    change = np.float32(0.0)
    size = abs(delta)
    for i in range(active):
        place = np.uint64(offset + places[i])
        errors = rates[np.uint64(2) * place]
        sizes = rates[np.uint64(2) * place + np.uint64(1)]
        own = step
        if sizes > np.float32(0.0):
            own = step * abs(errors) / sizes
        weights[place] = entry(network, stage, places[i]) + own
        rates[np.uint64(2) * place] = errors + delta
        rates[np.uint64(2) * place + np.uint64(1)] = sizes + size
        change += own
    return before + change


@kernel
def self_play(network, rates, opening, states, episode, places, scratch, rng, moves, alpha, mixture, totals):
    """Play and learn whole matches until `moves` moves are made."""
    joint = scratch.joint
    done = 0
    while done < moves:
        states[0] = opening[0]
        settle(states[0], rng)
        length = 0
        while actors(states[0]) > 0 and length < episode.shape[0]:
            chosen = best_afterstate(states, network, scratch, joint, places)
            episode[length] = states[1 + chosen]
            length += 1
            states[0] = states[1 + chosen]
            settle(states[0], rng)
        learn_backwards(network, rates, episode, length, scratch, alpha, mixture, places)
        done += length
        score(states[0], scratch.numbers)
        totals[MATCHES] += 1
        totals[MOVES] += length
        totals[POINTS] += scratch.numbers[0]


@kernel
def learn_backwards(network, rates, episode, length, scratch, alpha, mixture, places):
    """Learn a match from its last afterstate to its first, fetching the entries of the next one meanwhile."""
    numbers = scratch.numbers
    target = 0.0
    score(episode[length - 1], numbers)
    later = numbers[0]
    active = announce(episode[length - 1], network, rates, places[(length - 1) & 1])
    for i in range(length - 1, -1, -1):
        if i > 0:
            announce(episode[i - 1], network, rates, places[(i - 1) & 1])
        fresh = learn(episode[i], network, rates, target, alpha, places[i & 1], active, scratch.integers)
        if i > 0:
            score(episode[i - 1], numbers)
            target = (later - numbers[0]) + (1.0 - mixture) * fresh + mixture * target
            later = numbers[0]


@kernel
def announce(s, network, rates, places):
    """Write the entries of an afterstate into `places` and have them fetched; returns how many."""
    active = indices(s, network.top, network.plan, network.base, places)
    for j in range(active):
        prefetch(network.weights, np.uint64(places[j]))
        if rates.shape[0] > 0:
            prefetch(rates, np.uint64(2 * places[j]))
    return active
