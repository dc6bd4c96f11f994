"""Self-play and TD(lambda) for the two-sheet network of `pairvalue`, compiled.

Every match is played to its end by the network and a league of polynomial players. What a seat saw after every turn is
written down; at the end the lambda-returns of final difference and of ending ahead are passed back through the turns
(Sutton 1988), and every position is one step of AdaGrad (Duchi et al. 2011), which suits tables that are looked up
rarely.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.kernel.contract import Scratch, actors, apply, chance, start
from spielwerk.core.kernel.rng import below, branch, uniform
from spielwerk.core.linker import kernel
from spielwerk.core.position import States
from spielwerk.games.qwixx.kernel.rules import ROLL, points
from spielwerk.games.qwixx.players.kernel.pairvalue import (
    DEEP,
    GROWTH_SCALE,
    HIDDEN,
    INPUTS,
    LEAD,
    LEAD_SCALE,
    STANDING,
    forward,
    look,
    pair_policy,
    squeezed,
)
from spielwerk.games.qwixx.players.kernel.polynomial import polynomial_policy

NETWORK = -1  # a seat that is played by the network; others are numbers in the league
MOST_TURNS = 256
WATCHED = 2  # pairs of sheets from which a match is learned


class PairTdSettings(NamedTuple):
    """How to learn."""

    network_share: float  # share of the seats that the network plays
    two_seat_share: float  # share of the matches with two seats; the others have three to five
    trace_decay: float  # lambda: 0 = learn from the next position, 1 = from the end
    alpha: float  # learning rate


class PairTdWorkspace(NamedTuple):
    """Work space of the training."""

    states: States  # [2] the position; an empty one
    joint: NDArray[np.int64]  # [seats] the actions of all seats
    kinds: NDArray[np.int64]  # [seats] who plays: NETWORK or a number in the league
    pairs: NDArray[np.int64]  # [WATCHED, 2] the seat that looks, and the seat with which it compares itself
    inputs: NDArray[np.int64]  # [WATCHED, MOST_TURNS, INPUTS + 1] what it saw after every turn: looked-up rows
    leads: NDArray[np.float32]  # [WATCHED, MOST_TURNS, 2] and lead and standing
    lengths: NDArray[np.int64]  # [WATCHED] how many turns were noted
    slope: NDArray[np.float32]  # [HIDDEN]
    scratch: Scratch
    rng: NDArray[np.uint64]  # [1]
    dice: NDArray[np.uint64]  # [1]


@kernel
def train_matches(work, options, weights, sums, league, key, first, count, settings, figures):
    """Play and learn from matches first .. first + count - 1. figures: squared error, Brier score, positions."""
    states, kinds, pairs, rng = work.states, work.kinds, work.pairs, work.rng
    s = states[0]
    for number in range(first, first + count):
        branch(key, number, rng)
        states[0] = states[1]
        seats = 2
        if uniform(rng) >= settings.two_seat_share:
            seats = 3 + below(rng, 3)
        start(s, seats, options)
        for seat in range(seats):
            kinds[seat] = NETWORK if uniform(rng) < settings.network_share else below(rng, league.shape[0])
        for pair in range(WATCHED):
            pairs[pair, 0] = pair % seats
            pairs[pair, 1] = (pair + 1 + below(rng, seats - 1)) % seats
            work.lengths[pair] = 0
        branch(rng[0], 1, work.dice)
        play_noted(work, weights, league)
        for pair in range(WATCHED):
            difference = points(s, pairs[pair, 0]) - points(s, pairs[pair, 1])
            learn_from(work, pair, weights, sums, difference, settings, figures)


@kernel
def play_noted(work, weights, league):
    """Play states[0] to the end and note what the watching seats see after every turn."""
    joint, kinds, pairs, lengths, leads = work.joint, work.kinds, work.pairs, work.lengths, work.leads
    scratch, rng = work.scratch, work.rng
    s = work.states[0]
    seen = weights.work
    turns = 0
    while True:
        who = actors(s)
        if who < 0:
            return
        if who == 0:
            if s.phase == ROLL and s.active >= 0 and s.turns > turns:
                turns = np.int64(s.turns)
                for pair in range(WATCHED):
                    at = lengths[pair]
                    if at < work.inputs.shape[1]:
                        look(s, pairs[pair, 0], pairs[pair, 1], np.int64(s.active), seen)
                        for i in range(INPUTS + 1):
                            work.inputs[pair, at, i] = seen.ids[i]
                        leads[pair, at, 0] = seen.dense[0]
                        leads[pair, at, 1] = seen.dense[1]
                        lengths[pair] = at + 1
            chance(s, work.dice)
            continue
        for seat in range(s.seats):
            if (who >> seat) & 1:
                if kinds[seat] == NETWORK:
                    joint[seat] = pair_policy(s, seat, weights, scratch, rng)
                else:
                    joint[seat] = polynomial_policy(s, seat, league[kinds[seat]], scratch, rng)
        apply(s, joint)


@kernel
def learn_from(work, pair, weights, sums, difference, settings, figures):
    """One pass from the last noted position of a watched pair to the first."""
    inputs, leads, length, slope = work.inputs[pair], work.leads[pair], work.lengths[pair], work.slope
    trace_decay, alpha = settings.trace_decay, np.float32(settings.alpha)
    net, seen = weights.net, weights.work
    final = np.float64(difference)
    ahead = 0.5 if difference == 0 else (1.0 if difference > 0 else 0.0)
    for back in range(length):
        at = length - 1 - back
        for i in range(INPUTS + 1):
            seen.ids[i] = inputs[at, i]
        seen.dense[0] = leads[at, 0]
        seen.dense[1] = leads[at, 1]
        forward(net, seen)
        lead = np.float64(leads[at, 0]) * LEAD_SCALE
        expected = lead + GROWTH_SCALE * np.float64(seen.out[0])
        chance_ahead = squeezed(np.float64(seen.out[1]))
        growth_error = (expected - final) / GROWTH_SCALE
        ahead_error = chance_ahead - ahead
        figures[0] += (expected - final) ** 2
        figures[1] += ahead_error**2
        figures[2] += 1.0
        step(net, sums, seen, slope, np.float32(growth_error), np.float32(2.0 * ahead_error), alpha)
        final = trace_decay * final + (1.0 - trace_decay) * expected
        ahead = trace_decay * ahead + (1.0 - trace_decay) * chance_ahead


@kernel
def step(net, sums, seen, slope, growth_error, ahead_error, alpha):
    """One step against the slope of both errors at the position in `seen`. `slope`: work space [HIDDEN]."""
    hidden, deep = seen.hidden, seen.deep
    zero = np.float32(0.0)
    for j in range(HIDDEN):
        slope[j] = zero
    for k in range(DEEP):
        if deep[k] > zero:
            down = growth_error * net.third[0, k] + ahead_error * net.third[1, k]
            g = growth_error * deep[k]
            sums.third[0, k] += g * g
            net.third[0, k] -= alpha * g / np.sqrt(sums.third[0, k])
            g = ahead_error * deep[k]
            sums.third[1, k] += g * g
            net.third[1, k] -= alpha * g / np.sqrt(sums.third[1, k])
            sums.second_bias[k] += down * down
            net.second_bias[k] -= alpha * down / np.sqrt(sums.second_bias[k])
            deep[k] = down  # from here on `deep` holds the slope of the second layer
    sums.third_bias[0] += growth_error * growth_error
    net.third_bias[0] -= alpha * growth_error / np.sqrt(sums.third_bias[0])
    sums.third_bias[1] += ahead_error * ahead_error
    net.third_bias[1] -= alpha * ahead_error / np.sqrt(sums.third_bias[1])
    for j in range(HIDDEN):
        h = hidden[j]
        if h > zero:
            down = zero
            for k in range(DEEP):
                down += deep[k] * net.second[j, k]
            slope[j] = down
            for k in range(DEEP):
                g = h * deep[k]
                sums.second[j, k] += g * g
                net.second[j, k] -= alpha * g / np.sqrt(sums.second[j, k])
    for i in range(seen.ids[INPUTS]):
        place = seen.ids[i]
        for j in range(HIDDEN):
            g = slope[j]
            sums.embed[place, j] += g * g
            net.embed[place, j] -= alpha * g / np.sqrt(sums.embed[place, j])
    for d in range(2):
        place = LEAD if d == 0 else STANDING
        for j in range(HIDDEN):
            g = slope[j] * seen.dense[d]
            sums.embed[place, j] += g * g
            net.embed[place, j] -= alpha * g / np.sqrt(sums.embed[place, j])
