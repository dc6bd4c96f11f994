"""Self-play for learning values of afterstates, compiled: matches become rows of sparse inputs and their targets.

Whenever everybody who decides has moved, what is left is written down for every seat that is watched, before chance
acts: what the seat then knows as the network reads it, its standing, and what the network expects. When the match is
over the targets follow backwards, seat by seat: the λ-return (Sutton 1988), in points of the seat's final standing, or
as its share of the win. The end is known exactly.

A seat that tries something out (ε) breaks its chain there: what came before is told what the best action would have
left. So values are those of the network's own play, however much is tried out (Watkins 1989).
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.kernel.contract import Scratch, actors, apply, chance, hide, legal
from spielwerk.core.kernel.loops import rule
from spielwerk.core.kernel.objective import win
from spielwerk.core.kernel.rng import below, branch, mix, uniform
from spielwerk.core.linker import kernel, outlined, stub
from spielwerk.nets.kernel.forward import forward
from spielwerk.search.kernel.net import (
    AT,
    POINTS,
    WIN,
    NetWeights,
    afterstate_value,
    ask_head,
    imagine_world,
    observe,
    standing_of,
)

WHO = 0x0E00  # the stream that says who plays a seat, beyond the numbers of seats
UNKNOWN = np.nan
EVALUATIONS, SCORED = 0, 1  # places among the figures: evaluations of the network, points of the first seat
MATCH, VIEW, OPENING = 0, 1, 2  # places among the states of a table


class Conduct(NamedTuple):
    """How matches are played and what is learned from them."""

    weights: NetWeights
    others: Any  # weights of the league, nested
    members: int  # of the league
    league_share: float  # of the seats that the league plays
    epsilon: float  # share of the decisions in which any action is tried out
    trace_decay: float
    own_only: bool  # watch a seat after its own moves only
    openly: bool  # whether nothing is hidden


class Store(NamedTuple):
    """Rows: first the places of all ones, then those of other numbers, which follow among the values."""

    places: NDArray[Any]  # uint16 or uint32
    values: NDArray[np.float32]
    place_ends: NDArray[np.int64]  # [rows]
    value_ends: NDArray[np.int64]  # [rows]
    targets: NDArray[np.float32]  # [rows]
    match_ends: NDArray[np.int64]  # [matches] rows up to the end of each match


class Table(NamedTuple):
    """Room for one match at a time."""

    states: Any  # [3] the match, what a seat may know of it, how it begins
    scratch: Scratch
    slots: NDArray[np.int64]  # [seats] 0 = the network, else a member of the league
    seats: NDArray[np.int64]  # [rows] whose row it is
    totals: NDArray[np.float64]  # [rows] what was expected there: the final standing, or the share of the win
    standings: NDArray[np.float64]  # [rows]
    breaks: NDArray[np.float64]  # [rows] what the best action would have left, if something else was tried out
    pending: NDArray[np.float64]  # [seats] the same of the moves that are just made
    known: NDArray[np.float64]  # [seats] what the network expects of the afterstate that is just chosen
    rng: NDArray[np.uint64]
    rngs: NDArray[np.uint64]  # [seats, 1]
    figures: NDArray[np.float64]


@stub
def decision(states, seat, conduct, table):
    """The action of `seat` in the match."""


@kernel
def decide_openly(states, seat, conduct, table):
    return decide(states[MATCH], seat, conduct, table)


@kernel
def decide_by_view(states, seat, conduct, table):
    states[VIEW] = states[MATCH]
    hide(states[VIEW], seat)
    return decide(states[VIEW], seat, conduct, table)


@kernel
def play_matches(seeds, conduct, table, store):
    """Play one match per seed, as long as the store has room; returns how many are done."""
    rows = 0
    for number in range(seeds.shape[0]):
        rows = play_match(seeds[number], rows, conduct, table, store)
        if rows < 0:
            return number
        store.match_ends[number] = rows
    return seeds.shape[0]


@kernel
def play_match(seed, begin, conduct, table, store):
    """One match, whose rows begin at number `begin`; returns where they end, -1 if the store is too small."""
    states, joint = table.states, table.scratch.joint
    states[MATCH] = states[OPENING]
    key = mix(seed)
    take_seats(key, conduct, table)
    branch(key, 0, table.rng)
    chance_key = table.rng[0]
    events, row = 0, begin
    while True:
        who = actors(states[MATCH])
        if who < 0:
            break
        if who == 0:
            branch(chance_key, events, table.rng)
            events += 1
            chance(states[MATCH], table.rng)
            continue
        for seat in range(joint.shape[0]):
            if (who >> seat) & 1:
                joint[seat] = decision(states, seat, conduct, table)
        apply(states[MATCH], joint)
        if actors(states[MATCH]) < 0:
            break
        as_imagined = conduct.openly and who & (who - 1) == 0
        for seat in range(joint.shape[0]):
            if not as_imagined:
                table.known[seat] = UNKNOWN
            watched = table.slots[seat] == 0 or conduct.league_share >= 1.0
            if watched and ((who >> seat) & 1 or not conduct.own_only):
                row = write_down(seat, row, begin, conduct, table, store)
                if row < 0:
                    return row
    look_back(begin, row, conduct, table, store)
    return row


@kernel
def take_seats(key, conduct, table):
    """Who plays where; nobody has decided anything yet."""
    branch(key, WHO, table.rng)
    for seat in range(table.slots.shape[0]):
        table.slots[seat] = 0
        if conduct.members > 0 and uniform(table.rng) < conduct.league_share:
            table.slots[seat] = 1 + below(table.rng, conduct.members)
        branch(key, 1 + seat, table.rngs[seat])
        table.pending[seat] = UNKNOWN
        table.known[seat] = UNKNOWN


@outlined
def decide(s, seat, conduct, table):
    """The action of a seat: the one that leaves most, sometimes any, or that of a member of the league."""
    weights, scratch, rng = conduct.weights, table.scratch, table.rngs[seat]
    if table.slots[seat] > 0:
        return rule(s, seat, table.slots[seat] - 1, conduct.others, scratch, rng)
    count = legal(s, seat, scratch.actions)
    chosen = scratch.actions[0]
    if count == 1:
        return chosen
    tried = below(rng, count) if uniform(rng) < conduct.epsilon else -1
    count = imagine_world(s, seat, scratch, rng)
    best, number, left = -np.inf, 0, 0.0
    for i in range(count):
        after = afterstate_value(i, seat, weights, scratch)
        if after > best:
            best, number = after, i
        if i == tried:
            left = after
    table.figures[EVALUATIONS] += count
    if tried < 0 or tried == number:
        table.known[seat] = expected(best, weights)
        return scratch.actions[number]
    table.pending[seat] = expected(best, weights)
    table.known[seat] = expected(left, weights)
    return scratch.actions[tried]


@kernel
def expected(value, weights):
    """What is expected of the end: points as they are, a chance to win from its logit."""
    return 1.0 / (1.0 + math.exp(-value)) if weights.unit == WIN else value


@kernel
def write_down(seat, row, begin, conduct, table, store):
    """Append what the moves have left to a seat; returns the number of the next row, -1 if there is no room."""
    weights, scratch = conduct.weights, table.scratch
    s = table.states[MATCH]
    if row >= store.targets.shape[0]:
        return -1
    observe(s, seat, scratch, scratch.floats[: weights.inputs])
    if not write_sparsely(scratch.floats[: weights.inputs], row, store):
        return -1
    standing = standing_of(s, seat, weights.unit, scratch) if weights.unit != WIN else 0.0
    total = table.known[seat]
    if math.isnan(total):
        forward(weights.net, weights.trunk[0], weights.trunk[1], scratch.floats, scratch.integers)
        ask_head(weights, weights.value, scratch)
        grown = np.float64(scratch.floats[weights.value[AT]])
        total = expected(grown if weights.unit == WIN else standing + weights.scale * grown, weights)
        table.figures[EVALUATIONS] += 1.0
    place = row - begin
    table.known[seat] = UNKNOWN
    table.seats[place] = seat
    table.totals[place] = total
    table.standings[place] = standing
    table.breaks[place] = table.pending[seat]
    table.pending[seat] = UNKNOWN
    return row + 1


@kernel
def write_sparsely(inputs, row, store):
    """Append the inputs that are not 0 to the store; False if there is no room."""
    place = store.place_ends[row - 1] if row > 0 else 0
    value = store.value_ends[row - 1] if row > 0 else 0
    size = inputs.shape[0]
    if place + size > store.places.shape[0] or value + size > store.values.shape[0]:
        return False
    places, zero, one = store.places, np.float32(0.0), np.float32(1.0)
    for i in range(size):
        places[place] = i
        if inputs[i] == one:
            place += 1
    for i in range(size):
        x = inputs[i]
        if x != zero and x != one:
            places[place] = i
            place += 1
            store.values[value] = x
            value += 1
    store.place_ends[row] = place
    store.value_ends[row] = value
    return True


@kernel
def look_back(begin, end, conduct, table, store):
    """Write the targets of a match that is over."""
    weights, numbers = conduct.weights, table.scratch.numbers
    returns = table.known
    s = table.states[MATCH]
    table.figures[SCORED] += standing_of(s, 0, POINTS, table.scratch)
    for seat in range(returns.shape[0]):
        if weights.unit == WIN:
            win(s, 1.0, numbers[: returns.shape[0]])
            returns[seat] = numbers[seat]
        else:
            returns[seat] = standing_of(s, seat, weights.unit, table.scratch)
        if not math.isnan(table.pending[seat]):
            returns[seat] = table.pending[seat]
    unit = 1.0 if weights.unit == WIN else weights.scale
    for row in range(end - 1, begin - 1, -1):
        place = row - begin
        seat = table.seats[place]
        store.targets[row] = (returns[seat] - table.standings[place]) / unit
        if math.isnan(table.breaks[place]):
            returns[seat] += (1.0 - conduct.trace_decay) * (table.totals[place] - returns[seat])
        else:
            returns[seat] = table.breaks[place]
