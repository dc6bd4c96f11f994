"""The six cards: as they are written, rank and suit (`Jh` … `Ks`), and as people call them."""

from spielwerk import InvalidMove, Words

say = Words.beside(__file__)

RANKS = ("jack", "queen", "king")
SUITS = ("hearts", "spades")
CARDS = tuple(rank[0].upper() + suit[0] for rank in RANKS for suit in SUITS)


def card_number(text: str) -> int:
    if text not in CARDS:
        phrase = "Leduc hold'em: '{text}' is no card; the cards are {cards}"
        raise InvalidMove(say(phrase, text=text, cards=" ".join(CARDS)))
    return CARDS.index(text)


def card_name(card: int) -> str:
    """'king of hearts'."""
    return say("{rank} of {suit}", rank=say(RANKS[card // 2]), suit=say(SUITS[card % 2]))


def rank_letter(card: int) -> str:
    """What stands in the corner of a card."""
    return say(CARDS[card][0])
