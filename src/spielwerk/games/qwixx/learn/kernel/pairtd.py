"""Self-play and TD(lambda) for the two-sheet network of `pairvalue`, compiled.

Every match is played to its end by the network and a league of polynomial players. What a seat saw after every turn is
written down; at the end the lambda-returns of final difference and of ending ahead are passed back through the turns
(Sutton 1988), and every position is one step of AdaGrad (Duchi et al. 2011), which suits tables that are looked up
rarely.
"""

import numpy as np

from spielwerk.core.kernel.contract import actors, apply, chance, start
from spielwerk.core.kernel.rng import below, branch, uniform
from spielwerk.core.linker import kernel
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


@kernel
def train_matches(
    states, options, joint, kinds, eyes, weights, sums, league, notes, leads, lengths, slope, key, first, count,
    own_share, pair_share, decay, rate, scratch, rng, dice, figures
):  # fmt: skip
    """Play and learn from matches first .. first + count - 1. figures: squared error, Brier score, positions."""
    s = states[0]
    for number in range(first, first + count):
        branch(key, number, rng)
        states[0] = states[1]
        seats = 2
        if uniform(rng) >= pair_share:
            seats = 3 + below(rng, 3)
        start(s, seats, options)
        for seat in range(seats):
            kinds[seat] = NETWORK if uniform(rng) < own_share else below(rng, league.shape[0])
        for e in range(2):  # two pairs of sheets are watched
            eyes[e, 0] = e % seats
            eyes[e, 1] = (e + 1 + below(rng, seats - 1)) % seats
            lengths[e] = 0
        branch(rng[0], 1, dice)
        play_noted(states, joint, kinds, eyes, weights, league, notes, leads, lengths, scratch, rng, dice)
        for e in range(2):
            learn_from(
                weights, sums, notes[e], leads[e], lengths[e], points(s, eyes[e, 0]) - points(s, eyes[e, 1]), slope,
                decay, rate, figures
            )  # fmt: skip


@kernel
def play_noted(states, joint, kinds, eyes, weights, league, notes, leads, lengths, scratch, rng, dice):
    """Play states[0] to the end and note what the watching seats see after every turn."""
    s = states[0]
    desk = weights.desk
    turns = 0
    while True:
        who = actors(s)
        if who < 0:
            return
        if who == 0:
            if s.phase == ROLL and s.active >= 0 and s.turns > turns:
                turns = np.int64(s.turns)
                for e in range(2):
                    at = lengths[e]
                    if at < notes.shape[1]:
                        look(s, eyes[e, 0], eyes[e, 1], np.int64(s.active), desk)
                        for i in range(INPUTS + 1):
                            notes[e, at, i] = desk.ids[i]
                        leads[e, at, 0] = desk.dense[0]
                        leads[e, at, 1] = desk.dense[1]
                        lengths[e] = at + 1
            chance(s, dice)
            continue
        for seat in range(s.seats):
            if (who >> seat) & 1:
                if kinds[seat] == NETWORK:
                    joint[seat] = pair_policy(s, seat, weights, scratch, rng)
                else:
                    joint[seat] = polynomial_policy(s, seat, league[kinds[seat]], scratch, rng)
        apply(s, joint)


@kernel
def learn_from(weights, sums, notes, leads, length, difference, slope, decay, rate, figures):
    """One pass from the last noted position to the first."""
    desk, net = weights.desk, weights.net
    final = np.float64(difference)
    ahead = 0.5 if difference == 0 else (1.0 if difference > 0 else 0.0)
    zero = np.float32(0.0)
    for back in range(length):
        at = length - 1 - back
        for i in range(INPUTS + 1):
            desk.ids[i] = notes[at, i]
        desk.dense[0] = leads[at, 0]
        desk.dense[1] = leads[at, 1]
        forward(net, desk)
        lead = np.float64(leads[at, 0]) * LEAD_SCALE
        expected = lead + GROWTH_SCALE * np.float64(desk.out[0])
        chance_ahead = squeezed(np.float64(desk.out[1]))
        growth_error = (expected - final) / GROWTH_SCALE
        ahead_error = chance_ahead - ahead
        figures[0] += (expected - final) ** 2
        figures[1] += ahead_error**2
        figures[2] += 1.0
        step(net, sums, desk, slope, np.float32(growth_error), np.float32(2.0 * ahead_error), np.float32(rate), zero)
        final = decay * final + (1.0 - decay) * expected
        ahead = decay * ahead + (1.0 - decay) * chance_ahead


@kernel
def step(net, sums, desk, slope, growth_error, ahead_error, rate, zero):
    """One step against the slope of both errors at the position in `desk`. `slope`: work space [HIDDEN]."""
    hidden, deep = desk.hidden, desk.deep
    for j in range(HIDDEN):
        slope[j] = zero
    for k in range(DEEP):
        if deep[k] > zero:
            down = growth_error * net.third[0, k] + ahead_error * net.third[1, k]
            g = growth_error * deep[k]
            sums.third[0, k] += g * g
            net.third[0, k] -= rate * g / np.sqrt(sums.third[0, k])
            g = ahead_error * deep[k]
            sums.third[1, k] += g * g
            net.third[1, k] -= rate * g / np.sqrt(sums.third[1, k])
            sums.second_bias[k] += down * down
            net.second_bias[k] -= rate * down / np.sqrt(sums.second_bias[k])
            deep[k] = down  # from here on `deep` holds the slope of the second layer
    sums.third_bias[0] += growth_error * growth_error
    net.third_bias[0] -= rate * growth_error / np.sqrt(sums.third_bias[0])
    sums.third_bias[1] += ahead_error * ahead_error
    net.third_bias[1] -= rate * ahead_error / np.sqrt(sums.third_bias[1])
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
                net.second[j, k] -= rate * g / np.sqrt(sums.second[j, k])
    for i in range(desk.ids[INPUTS]):
        place = desk.ids[i]
        for j in range(HIDDEN):
            g = slope[j]
            sums.embed[place, j] += g * g
            net.embed[place, j] -= rate * g / np.sqrt(sums.embed[place, j])
    for d in range(2):
        place = LEAD if d == 0 else STANDING
        for j in range(HIDDEN):
            g = slope[j] * desk.dense[d]
            sums.embed[place, j] += g * g
            net.embed[place, j] -= rate * g / np.sqrt(sums.embed[place, j])
