"""Hands and what every mode is worth with them, compiled."""

import numpy as np

from spielwerk.core.kernel.contract import chance, features
from spielwerk.core.kernel.rng import uniform
from spielwerk.core.linker import kernel
from spielwerk.games.jass.kernel.table import OBEABE, PUSHED, factor
from spielwerk.games.jass.players.kernel.rules import mean_factor, mode_worth, push_worth

CHOICES = 7  # six modes and the push
# the rating of Eder and Kistler, from the source of their bot: a trump by its rank, a sure trick beside the trumps and
# without trumps; whoever has no mode of at least so many points should push, or loses
OF_TRUMPS = np.array([10, 10, 10, 15, 10, 30, 10, 10, 12], np.int64)
SURE_SIDE, SURE = 4, 11
ENOUGH, NOT_PUSHED = 55, -30


@kernel
def rated_hands(start, states, pushed_share, thesis, weights, rng, inputs, ratings):
    """Deal hands, as many as there are inputs; a share of them to a partner who must choose after a push. Ratings are
    the expected lead in points by the tables of the rule player, or those of the thesis; nan = not allowed."""
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
        if thesis:
            rate_as_thesis(s.hands[seat], pushed, ratings[n])
        else:
            rate_by_tables(s, s.hands[seat], pushed, weights, ratings[n])
        if pushed and ratings.shape[1] == CHOICES:
            ratings[n, 6] = np.nan


@kernel
def rate_by_tables(s, hand, pushed, weights, out):
    for mode in range(6):
        out[mode] = factor(s, mode) * mode_worth(hand, mode, pushed, weights)
    if out.shape[0] == CHOICES:
        out[6] = mean_factor(s) * push_worth(hand, weights)


@kernel
def rate_as_thesis(hand, pushed, out):
    best = 0.0
    for mode in range(6):
        out[mode] = thesis_points(hand, mode)
        best = max(best, out[mode])
    if out.shape[0] == CHOICES:
        out[6] = 0.0
        if best < ENOUGH and not pushed:
            for mode in range(6):
                out[mode] = NOT_PUSHED


@kernel
def thesis_points(hand, mode):
    """What the thesis' rating gives a mode."""
    total = 0
    for suit in range(4):
        cards = (hand >> (9 * suit)) & 0x1FF
        if mode >= OBEABE:
            total += SURE * sure_tricks(cards, mode == OBEABE)
        elif suit != mode:
            total += SURE_SIDE * sure_tricks(cards, True)
        else:
            for rank in range(9):
                total += OF_TRUMPS[rank] * ((cards >> rank) & 1)
    return total


@kernel
def sure_tricks(cards, from_above):
    """How many cards of a suit in one hand follow each other from the ace down, or from the six up."""
    for count in range(9):
        rank = 8 - count if from_above else count
        if not (cards >> rank) & 1:
            return count
    return 9
