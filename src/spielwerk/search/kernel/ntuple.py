"""The n-tuple network: the value of a position as a sum of table entries, one per tuple of cells and symmetry.

Source: Lucas (2008) for the network; Szubert and Jaskowski (2014) for afterstates in 2048; Wu et al. (2014) for stages;
Jaskowski (2016) for their promotion. It knows cells and values, no game: geometry and symmetries come from
`core.grid`, the cells of a position from `cells` of the contract.

With stages every stage has its own tables. A stage begins when the set of values on the board, read as a binary number,
reaches a given one: 14 (16384 is there), then 14+13 (16384 and 8192), then 15. An entry of a later stage that was never
learned (nan) is looked up in the stage before.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.instructions import prefetch
from spielwerk.core.kernel.contract import actors, apply, cells, legal, score, worth
from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel, stub
from spielwerk.search.kernel.playout import settle


class Network(NamedTuple):
    weights: NDArray[np.float32]  # [stages * entries] in points
    entries: int  # of one stage
    base: NDArray[np.int64]  # [tuples] where the table of a tuple begins
    plan: NDArray[np.int64]  # what `indices` needs to know of the tuples; its first length is the number of tuples
    needs: NDArray[np.int64]  # [stages - 1] set of values with which the next stage begins, ascending
    lowest: int  # the lowest of these values
    top: int  # no cell is looked up with a higher value
    active: int  # entries that add up to a value
    room: int  # work space for their indices


class PositionNetwork(NamedTuple):
    """A network in the manner of Kutsch (2017), with what its values mean."""

    network: Network
    counts_score: float  # 1 = values are points to come, 0 = the end score
    squash: bool  # values are the tanh of the sum of entries
    scale: float


# --- what a game may do quicker --------------------------------------------------------------------------------------


@stub
def indices(s, top, plan, base, out):
    """Write the indices of all active entries into `out` (with room for the cells behind them); returns how many."""


@stub
def total(s, top, plan, base, weights, out):
    """The sum of all active entries of the first stage; `out` is work space."""


@stub
def present(s, top, lowest, out):
    """The set of values on the board, not counting those below `lowest`; `out` is work space."""


@kernel
def indices_by_cell(s, top, plan, base, out):
    """The generic way. plan[t, k, j] = the cell that tuple t sees in place j under symmetry k; the last = values."""
    size = plan.shape[2] - 1
    count = plan.shape[0] * plan.shape[1]
    cells(s, top, out[count:])
    n = 0
    for t in range(plan.shape[0]):
        for k in range(plan.shape[1]):
            index = 0
            for j in range(size):
                cell = plan[t, k, j]
                if cell >= 0:
                    index = index * plan[t, k, size] + out[count + cell]
            out[n] = base[t] + index
            n += 1
    return count


@kernel
def total_by_cell(s, top, plan, base, weights, out):
    return sum_of_entries(weights, out, indices_by_cell(s, top, plan, base, out))


@kernel
def present_by_cell(s, top, lowest, out):
    for cell in range(64):
        out[cell] = -1
    cells(s, top, out)
    seen = np.int64(0)
    for cell in range(64):
        if out[cell] >= lowest:
            seen |= np.int64(1) << out[cell]
    return seen


# --- values ----------------------------------------------------------------------------------------------------------


@kernel
def stage_of(s, network, out):
    """The stage of a position: how many stages have begun. `out` is work space."""
    stage = 0
    if network.needs.shape[0] > 0:
        seen = present(s, network.top, network.lowest, out)
        while stage < network.needs.shape[0] and seen >= network.needs[stage]:
            stage += 1
    return stage


@kernel
def places_of(s, network, out):
    """Write the places of all active entries, in the tables of the position's stage, into `out`; returns how many."""
    offset = stage_of(s, network, out) * network.entries
    count = indices(s, network.top, network.plan, network.base, out)
    if offset > 0:
        for i in range(count):
            out[i] += offset
    return count


@kernel
def learned_place(network, place):
    """Where the entry of `place` is: in an earlier stage if this one has never learned it."""
    while network.weights[np.uint64(place)] != network.weights[np.uint64(place)]:
        if place < network.entries:  # values that have grown beyond all bounds
            break
        place -= network.entries
    return np.uint64(place)


@kernel
def sum_at(network, places, count):
    """The sum of the entries at `places`."""
    plain = sum_of_entries(network.weights, places, count)
    if network.needs.shape[0] == 0 or plain == plain:
        return plain
    promoted = np.float32(0.0)
    for i in range(count):
        promoted += network.weights[learned_place(network, places[i])]
    return promoted


@kernel
def sum_of_entries(weights, out, count):
    """Four sums side by side: the look-ups overlap instead of waiting for each other."""
    a = b = c = d = np.float32(0.0)
    whole = count & ~3
    for i in range(0, whole, 4):
        a += weights[np.uint64(out[i])]
        b += weights[np.uint64(out[i + 1])]
        c += weights[np.uint64(out[i + 2])]
        d += weights[np.uint64(out[i + 3])]
    for i in range(whole, count):
        a += weights[np.uint64(out[i])]
    return (a + b) + (c + d)


@kernel
def value(s, network, out):
    """The points still to come from an afterstate, as the network sees it. `out` is work space."""
    if network.needs.shape[0] == 0:
        return total(s, network.top, network.plan, network.base, network.weights, out)
    return sum_at(network, out, places_of(s, network, out))


@kernel
def best_action(s, network, scratch):
    """The action after which most points are to be expected, and these points (the score so far included)."""
    count = legal(s, 0, scratch.actions)
    for i in range(count):  # have all entries fetched before the first is needed: waiting for memory takes longest
        scratch.states[0] = s
        scratch.trial[0] = scratch.actions[i]
        apply(scratch.states[0], scratch.trial)
        score(scratch.states[0], scratch.numbers[i:])
        out = scratch.integers[i * network.room :]
        for j in range(places_of(scratch.states[0], network, out)):
            prefetch(network.weights, np.uint64(out[j]))
    best = -np.inf
    chosen = scratch.actions[0]
    for i in range(count):
        out = scratch.integers[i * network.room :]
        scratch.numbers[i] += sum_at(network, out, network.active)
        if scratch.numbers[i] > best:
            best = scratch.numbers[i]
            chosen = scratch.actions[i]
    return chosen, best


# --- what a search and a match are specialised with ------------------------------------------------------------------


@kernel
def network_policy(s, seat, weights, scratch, rng):
    """Greedy over afterstates."""
    chosen, _ = best_action(s, weights, scratch)
    return chosen


@kernel
def network_worth(states, i, leaf):
    """An evaluation: points so far and to come. A position in which it is to move is as good as its best move."""
    s = states[i]
    weights, scratch = leaf.weights, leaf.scratch
    who = actors(s)
    score(s, scratch.numbers)
    points = scratch.numbers[0]
    if who == 0:
        points += value(s, weights, scratch.integers)
    elif who > 0:
        _, points = best_action(s, weights, scratch)
    leaf.value[0] = points / leaf.scale


@kernel
def successor_worth(states, i, leaf):
    """The same for games without chance, in which every position is what somebody's move has left."""
    s = states[i]
    scratch = leaf.scratch
    score(s, scratch.numbers)
    points = scratch.numbers[0]
    if actors(s) >= 0:
        points += value(s, leaf.weights, scratch.integers)
    leaf.value[0] = points / leaf.scale


@kernel
def position_worth(states, i, leaf):
    """The same for networks that judge positions in which somebody must decide, in shares of the scale."""
    position_value(states[i], leaf.weights, leaf.scale, leaf.scratch, leaf.rng, leaf.value)


@kernel
def position_value(s, weights, scale, scratch, rng, out):
    who = settle(s, rng)
    worth(s, scale, out)
    if who > 0:
        ahead = squashed(value(s, weights.network, scratch.integers), weights.squash)
        out[0] = ahead + out[0] * weights.counts_score


@kernel
def squashed(total, squash):
    """A sum of entries as the value of a position: between -1 and 1 if `squash` is set."""
    return math.tanh(total) if squash else np.float64(total)


@kernel
def position_policy(s, seat, weights, scratch, rng):
    """Greedy over one random successor of each action; ties at random."""
    count = legal(s, 0, scratch.actions)
    best = -np.inf
    ties = 0
    chosen = scratch.actions[0]
    for i in range(count):
        scratch.states[0] = s
        scratch.trial[0] = scratch.actions[i]
        apply(scratch.states[0], scratch.trial)
        position_value(scratch.states[0], weights, weights.scale, scratch, rng, scratch.numbers)
        if scratch.numbers[0] > best:
            best = scratch.numbers[0]
            ties = 1
            chosen = scratch.actions[i]
        elif not scratch.numbers[0] < best:  # equal, or no number at all
            ties += 1
            if below(rng, ties) == 0:
                chosen = scratch.actions[i]
    return chosen
