"""Hands and what every mode is worth with them, compiled."""

import numpy as np

from spielwerk.core.kernel.contract import chance, features
from spielwerk.core.kernel.rng import uniform
from spielwerk.core.linker import kernel
from spielwerk.games.jass.kernel.table import PUSHED, factor
from spielwerk.games.jass.players.kernel.rules import mean_factor, mode_worth, push_worth

CHOICES = 7  # six modes and the push


@kernel
def rated_hands(start, states, pushed_share, weights, rng, inputs, ratings):
    """Deal hands, as many as there are inputs; a share of them to a partner who must choose after a push. Ratings are
    the expected lead in points by the tables of the rule player; nan = not allowed."""
    s = states[0]
    for n in range(inputs.shape[0]):
        states[0] = start[0]
        chance(s, rng)
        seat = s.turn
        pushed = 0
        if uniform(rng) < pushed_share:
            pushed = 1
            s.pushed = 1
            s.phase = PUSHED
            seat = (seat + 2) & 3
            s.turn = seat
        features(s, seat, inputs[n])
        hand = s.hands[seat]
        for mode in range(6):
            ratings[n, mode] = factor(s, mode) * mode_worth(hand, mode, pushed, weights)
        if ratings.shape[1] == CHOICES:
            ratings[n, 6] = np.nan if pushed else mean_factor(s) * push_worth(hand, weights)
