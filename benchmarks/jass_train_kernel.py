"""Compiled loops for tuning the Jass rule player and fitting its mode tables."""

import numpy as np

from spielwerk.core.kernel.contract import actors, apply, chance
from spielwerk.core.linker import kernel
from spielwerk.games.jass.kernel.table import OBEABE, PLAY, UNDEUFE
from spielwerk.games.jass.players.kernel.rules import mode_worth, rules_policy


@kernel
def play_on(s, weights_a, weights_b, scratch, rng):
    """Play to the end, team 0 with weights_a, team 1 with weights_b."""
    who = actors(s)
    while who > 0:
        seat = s.turn
        weights = weights_b if seat & 1 else weights_a
        scratch.joint[seat] = rules_policy(s, seat, weights, scratch, rng)
        apply(s, scratch.joint)
        who = actors(s)


@kernel
def duel(states, deals, weights_a, weights_b, scratch, rng, leads):
    """Each deal twice, teams swapped; leads[i] = mean lead of a over b."""
    for i in range(deals):
        states[1] = states[0]
        chance(states[1], rng)
        states[2] = states[1]
        play_on(states[1], weights_a, weights_b, scratch, rng)
        play_on(states[2], weights_b, weights_a, scratch, rng)
        first = np.float64(states[1].points[0] - states[1].points[1])
        second = np.float64(states[2].points[1] - states[2].points[0])
        leads[i] = 0.5 * (first + second)


@kernel
def duel_without_trumps(states, deals, weights_a, weights_b, scratch, rng, leads):
    """The same in obeabe and undeufe only, whichever suits the starter better."""
    for i in range(deals):
        states[1] = states[0]
        chance(states[1], rng)
        high = mode_worth(states[1].hands[0], OBEABE, 0, weights_b)
        low = mode_worth(states[1].hands[0], UNDEUFE, 0, weights_b)
        states[1].mode = OBEABE if high > low else UNDEUFE
        states[1].phase = PLAY
        states[2] = states[1]
        play_on(states[1], weights_a, weights_b, scratch, rng)
        play_on(states[2], weights_b, weights_a, scratch, rng)
        first = np.float64(states[1].points[0] - states[1].points[1])
        second = np.float64(states[2].points[1] - states[2].points[0])
        leads[i] = 0.5 * (first + second)


@kernel
def all_modes(states, deals, weights, scratch, rng, hands, leads):
    """Play every deal in all six modes, chosen at once or after a push.

    hands[i] = hands of the starter and the partner, leads[i, pushed, mode] = lead of the starter's team.
    """
    for i in range(deals):
        states[1] = states[0]
        chance(states[1], rng)
        hands[i, 0] = states[1].hands[0]
        hands[i, 1] = states[1].hands[2]
        for pushed in range(2):
            for mode in range(6):
                states[2] = states[1]
                states[2].mode = mode
                states[2].pushed = pushed
                states[2].phase = PLAY
                play_on(states[2], weights, weights, scratch, rng)
                leads[i, pushed, mode] = np.float64(states[2].points[0] - states[2].points[1])
