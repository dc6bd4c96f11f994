"""Schieber Jass: spec, notation, text picture, statistics."""

from typing import Any, ClassVar

import numpy as np

from spielwerk.core.errors import InvalidMove
from spielwerk.core.game import Game
from spielwerk.core.kernel import entry
from spielwerk.core.position import States, View
from spielwerk.core.spec import Option, Rung, Spec
from spielwerk.games.jass import view as pictures
from spielwerk.games.jass.cards import CARDS, MODES, PUSH, card_name, choice_name, factors, hand_text, set_of
from spielwerk.games.jass.kernel import rules as kernel

DEALS = {"deals": 1}
SERVER: dict[str, int] = {}
HSLU = {"match_bonus": 0}
MULTIPLIERS = {"multipliers": 1}
SCHIEBER = {"multipliers": 1, "weis": 2, "stoeck": 1, "claim": 1}


class Jass(Game):
    """Schieber, the best known kind of Jass: two teams of two, four suits or two no-trump modes, and the push."""

    spec = Spec(
        id="jass",
        title="Schieber Jass",
        summary="Nine tricks with 36 cards; one chooses the trump, or pushes the choice to the partner.",
        seats=(4,),
        moves=(*CARDS, *MODES, PUSH),
        widest=9,
        longest=10_000,
        scale=157.0,  # the points of one deal
        objective="margin",
        options=(
            Option("target", 2500, 1, 10_000, "points that win the match"),
            Option("deals", 0, 0, 100, "the match ends after this many deals; 0 = only the target ends it"),
            Option("match_bonus", 100, 0, 100, "points for a deal in which the other team has none"),
            Option(
                "multipliers", 0, 0, 1, "modes count several times: clubs and spades twice, obeabe and undeufe thrice"
            ),
            Option("red_factor", 1, 1, 9, "with multipliers: how many times hearts and diamonds count"),
            Option("black_factor", 2, 1, 9, "with multipliers: how many times clubs and spades count"),
            Option("obeabe_factor", 3, 1, 9, "with multipliers: how many times obeabe counts"),
            Option("undeufe_factor", 3, 1, 9, "with multipliers: how many times undeufe counts"),
            Option(
                "weis", 0, 0, 2, "runs and fours in a hand: 0 = do not count, 1 = count as in old books, 2 = as today"
            ),
            Option("stoeck", 0, 0, 1, "K and Q of trump in one hand count 20"),
            Option("claim", 0, 0, 1, "the match ends the moment a team reaches the target"),
            Option("deck", 0, 0, 1, "pictures only: 0 = French cards, 1 = Swiss-German cards"),
        ),
        variants={
            "server": SERVER,
            "hslu": HSLU,
            "multipliers": MULTIPLIERS,
            "schieber": SCHIEBER,
            "server-deal": SERVER | DEALS,
            "hslu-deal": HSLU | DEALS,
            "multipliers-deal": MULTIPLIERS | DEALS,
            "schieber-deal": SCHIEBER | DEALS,
        },
        chance=True,
        hidden=True,
        horizon="in this deal",
        features=187,
        ladder=(
            Rung("beginner", "rules:error=100", 48.6, 2.3),
            Rung("easy", "rules:error=60", 12.8, 1.6),
            Rung("medium", "rules:error=30", 15.0, 1.5),
            Rung("hard", "rules", 13.2, 1.5),
            Rung("strongest", "dmcts:seconds=0.5", 18.8, 6.8),
        ),
        ladder_measure="{figure} points per deal more than '{below}'",
    )
    State = kernel.State
    kernel: ClassVar[Any] = kernel

    @classmethod
    def recorded_variant(cls, variant: str, edition: int) -> str:
        """In the first edition `schieber` and `schieber-deal` counted Weis as in old books."""
        name, *changed = variant.split(",")
        weis_is_named = any(part.startswith("weis=") for part in changed)
        if edition > 1 or weis_is_named or not name.startswith("schieber"):
            return variant
        return ",".join([name, *changed, "weis=1"])

    def chance_text(self, before: States, after: States) -> str:
        """A deal is written as the four hands: `h6 hJ … | d7 … | … | …`."""
        return " | ".join(hand_text(int(hand)) for hand in after["hands"][0])

    def chance_apply(self, states: States, text: str) -> None:
        hands = [set_of(part) for part in text.split("|")]
        if [hand.bit_count() for hand in hands] != [9] * 4 or sum(hands) != int(kernel.ALL):
            phrase = "Schieber Jass: a deal is four hands of nine different cards: 'h6 hJ … | d7 … | … | …'"
            raise InvalidMove(self.say(phrase))
        if self.call(entry.actors_at, states) != 0:
            raise InvalidMove(self.say("Schieber Jass: nothing is to be dealt now"))
        self.call(kernel.clear_table_at, states)
        states["hands"][0] = hands

    def heard(self, event: str, seat: int) -> str:
        return self.say("the cards are dealt")

    @property
    def swiss(self) -> bool:
        """Whether the cards are Swiss-German."""
        return bool(self.options[-1])

    def move_name(self, action: int) -> str:
        if action < kernel.FIRST_MODE:
            return card_name(action, self.swiss)
        return self.say(PUSH) if action == kernel.PUSH else choice_name(action - kernel.FIRST_MODE, self.swiss)

    def text(self, view: View) -> str:
        return pictures.text(view)

    def svg(self, view: View) -> str:
        return pictures.svg(view)

    def came_from(self, before: View, after: View) -> dict[str, list[str]]:
        return pictures.came_from(before, after)

    def spread(self, view: View, expected: float) -> float:
        """Of the lead of one deal: 57 points (hslu) to 71 (server) between rule players; modes multiply it."""
        mode, counts = int(view.state["mode"][0]), factors(self.options)
        return 65.0 * (counts[mode] if mode >= 0 else (sum(counts) / 6 + max(counts)) / 2)

    def horizon(self, view: View) -> View:
        """The match ends with this deal; no team has points from earlier ones."""
        state = view.state.copy()
        state["limit"] = state["deals"] + 1
        state["points"] = state["gained"]
        return View(self, state, view.seat)

    def extras(self, finals: States) -> dict[str, Any]:
        """Points per deal of both teams."""
        deals = int(finals["deals"].sum())
        if deals == 0:
            return {}
        points = finals["points"].astype(np.int64).sum(axis=0)
        return {"deals": deals, "points per deal": {f"team {i + 1}": float(points[i]) / deals for i in range(2)}}

    def groups(self, view: View) -> dict[str, int]:
        return {"tricks left": 9 - int(view.state["tricks"][0])}
