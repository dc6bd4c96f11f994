"""Suits exchanged: a deal of Jass with hearts for spades is the same deal, if both count alike.

Where modes are multiplied, only suits with the same factor may change places: what is worth choosing depends on it.
"""

from collections.abc import Sequence
from functools import cache
from itertools import permutations

import numpy as np

from spielwerk.core.encoding import Symmetry
from spielwerk.games.jass.cards import CARDS
from spielwerk.games.jass.kernel import features, thesis
from spielwerk.games.jass.kernel.table import FIRST_MODE, FIRST_SLALOM

STANDARD_CARDS = (*range(features.HAND, features.NO_SUIT, 36), features.MASTERS, features.TAKERS)
STANDARD_SUITS = (*range(features.NO_SUIT, features.NO_TRUMPS, 4), features.MODE, features.LED)
STEPS = range(0, 9 * thesis.STEP, thesis.STEP)
# Of every encoding: its size, the first places of blocks of 36 cards, and of blocks of 4 suits
PLACES: dict[str, tuple[int, Sequence[int], Sequence[int]]] = {
    "standard": (features.STANDARD, STANDARD_CARDS, STANDARD_SUITS),
    "36": (36, (0,), ()),
    "37": (37, (0,), ()),
    "42": (42, (0,), (36,)),
    "150": (150, range(0, 144, 36), (144,)),
    "186": (186, range(0, 180, 36), (180,)),
    "187": (187, range(0, 180, 36), (180,)),
    "1302": (1302, range(0, 1296, 36), (1296,)),
    "tricks": (
        thesis.TRICKS,
        (*(step + block for step in STEPS for block in range(0, thesis.TRICK, 36)), 9 * thesis.STEP),
        [step + thesis.TRICK for step in STEPS],
    ),
}


@cache
def suits_exchanged(encoding: str, factors: tuple[int, ...]) -> tuple[Symmetry, ...]:
    """All ways to exchange suits that count alike but for leaving them as they are; `factors` of the four suits."""
    if encoding not in PLACES:
        return ()
    ways = [way for way in permutations(range(4)) if all(factors[way[suit]] == factors[suit] for suit in range(4))]
    return tuple(exchanged(encoding, way) for way in ways if way != tuple(range(4)))


def exchanged(encoding: str, way: Sequence[int]) -> Symmetry:
    """Suit s of what is told comes from suit way[s]."""
    size, card_blocks, suit_blocks = PLACES[encoding]
    cards = np.array([9 * way[card // 9] + card % 9 for card in range(len(CARDS))])
    inputs = np.arange(size)
    for first in card_blocks:
        inputs[first : first + 36] = first + cards
    for first in suit_blocks:
        inputs[first : first + 4] = first + np.array(way)
    actions = np.arange(FIRST_SLALOM + 2)
    actions[:36] = cards
    actions[FIRST_MODE : FIRST_MODE + 4] = FIRST_MODE + np.array(way)
    return Symmetry(inputs, actions)
