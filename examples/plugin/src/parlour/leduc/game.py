"""Leduc hold'em: spec, notation of the deals, statistics."""

from typing import Any, ClassVar

import numpy as np
from spielwerk import Game, InvalidMove, Option, Rung, Spec, States, Variant, View

from parlour.leduc import kernel
from parlour.leduc import view as pictures
from parlour.leduc.cards import CARDS, card_name, card_number

MOST_HANDS = 100
LONGEST_HAND = 2 + 2 * kernel.LONGEST_ROUND  # the deal, the turn and two betting rounds


class Leduc(Game):
    """Leduc hold'em, the smallest poker with an open card (Southey et al. 2005)."""

    spec = Spec(
        id="leduc",
        title="Leduc hold'em",
        summary="Poker with six cards: one in the hand, one on the table, and two rounds of betting.",
        seats=(2,),
        moves=("fold", "check", "call", "bet", "raise"),
        widest=3,
        longest=MOST_HANDS * LONGEST_HAND,
        scale=13.0,  # the most chips that a hand can cost
        options=(Option("hands", 1, 1, MOST_HANDS, "how many hands a match has", "hands"),),
        variants={
            "hand": Variant("One hand", "a single hand decides", {"hands": 1}),
            "match": Variant("Twenty hands", "chips are counted over twenty hands", {"hands": 20}),
        },
        chance=True,
        luck="cards",
        hidden=True,
        horizon="in this hand",
        outcomes=kernel.CARDS * (kernel.CARDS - 1),
        ladder=(
            Rung("easy", "random"),
            Rung("medium", "mc:iterations=300"),
            Rung("strongest", "mctse:iterations=2000"),  # more iterations win no more chips
        ),
    )
    State = kernel.State
    kernel: ClassVar[Any] = kernel

    def chance_text(self, before: States, after: States) -> str:
        """A deal is written as the two cards, `Jh Ks`; the turn as the open card, `Qs`."""
        if int(before["phase"][0]) == kernel.DEAL:
            return " ".join(CARDS[card] for card in after["cards"][0])
        return CARDS[int(after["board"][0])]

    def chance_apply(self, states: States, text: str) -> None:
        cards = [card_number(word) for word in text.split()]
        dealing = int(states["phase"][0]) == kernel.DEAL
        seen = [] if dealing else [int(card) for card in states["cards"][0]]
        if len(cards) != (2 if dealing else 1) or len({*cards, *seen}) != len(cards) + len(seen):
            phrase = (
                "Leduc hold'em: '{text}' is no deal; write two different cards: Jh Ks"
                if dealing
                else "Leduc hold'em: '{text}' cannot be turned now; write one card that nobody holds: Qs"
            )
            raise InvalidMove(self.say(phrase, text=text))
        self.call(kernel.happen_at, states, kernel.CARDS * cards[0] + cards[1] if dealing else cards[0])

    def heard(self, event: str, seat: int) -> str:
        """Everybody sees the turn, and of a deal the own card."""
        cards = [card_number(word) for word in event.split()]
        if len(cards) == 1:
            return self.say("the open card is the {card}", card=card_name(cards[0]))
        if seat < 0:
            return self.say("the cards are dealt")
        return self.say("you get the {card}", card=card_name(cards[seat]))

    def text(self, view: View) -> str:
        return pictures.text(view)

    def svg(self, view: View) -> str:
        return pictures.svg(view)

    def horizon(self, view: View) -> View:
        """A search looks to the end of the hand: chips from other hands change nothing."""
        state = view.state.copy()
        state["hands"] = state["hand"] + 1
        state["chips"] = 0
        return View(self, state, view.seat)

    def spread(self, view: View, expected: float) -> float:
        """Of the lead: a hand between equal players moves 5 chips either way."""
        return 10.0

    def extras(self, finals: States) -> dict[str, Any]:
        """Chips per hand of seat 0, the measure of the papers."""
        return {"chips per hand of seat 0": float(np.mean(finals["chips"][:, 0] / finals["hands"]))}
