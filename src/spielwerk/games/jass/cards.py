"""Cards and modes: as they are written, a suit letter and a rank (`h6` … `hA`), and as people call them."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import InvalidMove
from spielwerk.core.words import Words

say = Words.beside(__file__)

SUITS = ("hearts", "diamonds", "clubs", "spades")
RANKS = ("6", "7", "8", "9", "10", "J", "Q", "K", "A")
CARDS = tuple(suit[0] + rank for suit in SUITS for rank in RANKS)
MODES = (*SUITS, "obeabe", "undeufe")
PUSH = "push"
ANNOUNCE = "announce"
SLALOMS = ("slalom-obeabe", "slalom-undeufe")  # by the mode of the first trick
NUMBERS = {name: card for card, name in enumerate(CARDS)}

RANK_NAMES = (*RANKS[:5], "jack", "queen", "king", "ace")
SWISS = ("Rosen", "Eichel", "Schellen", "Schilten")  # instead of SUITS; the two that count twice are the last in both
SWISS_RANKS = ("6", "7", "8", "9", "B", "U", "O", "K", "A")
SWISS_RANK_NAMES = (*RANKS[:4], "Banner", "Under", "Ober", "König", "Ass")
SWISS_CARDS = tuple(suit + rank for suit in ("Ro", "Ei", "Sche", "Schi") for rank in SWISS_RANKS)
SWISS_MODES = (*SWISS, *MODES[len(SWISS) :])


def cards_of(cards: int) -> Iterator[int]:
    """The cards of a set, ascending."""
    while cards:
        yield (cards & -cards).bit_length() - 1
        cards &= cards - 1


def hand_text(cards: int, names: Sequence[str] = CARDS) -> str:
    return " ".join(names[card] for card in cards_of(cards))


def set_of(text: str) -> int:
    """'h6 hA' -> the set of these cards."""
    cards = 0
    for name in text.split():
        if name not in NUMBERS:
            phrase = "Schieber Jass: '{name}' is no card; cards are h, d, c or s and a rank: h6 … h10 hJ … hA"
            raise InvalidMove(say(phrase, name=name))
        if cards >> NUMBERS[name] & 1:
            raise InvalidMove(say("Schieber Jass: {card} is there twice", card=name))
        cards |= 1 << NUMBERS[name]
    return cards


def factors(options: NDArray[np.int64]) -> tuple[int, ...]:
    """How many times the points of each mode count at a table with these options."""
    multiplied, red, black, obeabe, undeufe = (int(option) for option in options[3:8])
    return (red, red, black, black, obeabe, undeufe) if multiplied else (1,) * len(MODES)


def slalom_factor(options: NDArray[np.int64]) -> int:
    """The same of a Slalom."""
    return int(options[13]) if options[3] else 1


# --- as people call them ---------------------------------------------------------------------------------------------


def card_name(card: int, swiss: bool) -> str:
    """'jack of hearts', or 'Rosen Under' with Swiss-German cards."""
    suit, rank = divmod(card, 9)
    name = (SWISS_RANK_NAMES if swiss else RANK_NAMES)[rank]
    if swiss:
        return f"{SWISS[suit]} {name}"
    return say("{rank} of {suit}", rank=say(name) if name.isalpha() else name, suit=say(SUITS[suit]))


def rank_letter(rank: int, swiss: bool) -> str:
    """What stands in the corner of a card."""
    letter = (SWISS_RANKS if swiss else RANKS)[rank]
    return letter if swiss or letter.isdigit() else say(letter)


def mode_name(mode: int, swiss: bool) -> str:
    return SWISS[mode] if swiss and mode < len(SWISS) else say(MODES[mode])


def choice_name(mode: int, swiss: bool) -> str:
    """What somebody says who chooses the mode."""
    return say("trump {suit}", suit=mode_name(mode, swiss)) if mode < len(SUITS) else mode_name(mode, swiss)


def slalom_name(mode: int) -> str:
    """A Slalom by the mode of its first trick."""
    return say("Slalom, first {mode}", mode=mode_name(mode, swiss=False))
