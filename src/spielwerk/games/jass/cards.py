"""Cards and modes by name: a suit letter and a rank (`h6` … `hA`); modes by their usual names."""

from collections.abc import Iterator

from spielwerk.core.errors import InvalidMove

SUITS = ("hearts", "diamonds", "clubs", "spades")
RANKS = ("6", "7", "8", "9", "10", "J", "Q", "K", "A")
CARDS = tuple(suit[0] + rank for suit in SUITS for rank in RANKS)
MODES = (*SUITS, "obeabe", "undeufe")
PUSH = "push"
NUMBERS = {name: card for card, name in enumerate(CARDS)}


def cards_of(cards: int) -> Iterator[int]:
    """The cards of a set, ascending."""
    while cards:
        yield (cards & -cards).bit_length() - 1
        cards &= cards - 1


def hand_text(cards: int) -> str:
    return " ".join(CARDS[card] for card in cards_of(cards))


def set_of(text: str) -> int:
    """'h6 hA' -> the set of these cards."""
    cards = 0
    for name in text.split():
        if name not in NUMBERS:
            raise InvalidMove(
                f"Schieber Jass: '{name}' is no card; cards are h, d, c or s and a rank: h6 … h10 hJ … hA"
            )
        if cards >> NUMBERS[name] & 1:
            raise InvalidMove(f"Schieber Jass: {name} is there twice")
        cards |= 1 << NUMBERS[name]
    return cards
