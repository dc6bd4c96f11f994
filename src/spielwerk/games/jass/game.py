"""Schieber Jass: spec, notation, text picture, statistics."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from spielwerk.core.encoding import Encoding, Symmetry
from spielwerk.core.errors import InvalidMove
from spielwerk.core.game import Game
from spielwerk.core.kernel import entry
from spielwerk.core.moment import Moment
from spielwerk.core.position import Position, States, View
from spielwerk.core.profile import ProfilePart
from spielwerk.core.spec import Look, Option, Rung, Spec, Variant
from spielwerk.games.jass import moments, notation
from spielwerk.games.jass import view as pictures
from spielwerk.games.jass.cards import (
    ANNOUNCE,
    CARDS,
    MODES,
    PUSH,
    SLALOMS,
    SWISS_CARDS,
    SWISS_MODES,
    card_name,
    choice_name,
    factors,
    hand_text,
    set_of,
    slalom_factor,
    slalom_name,
)
from spielwerk.games.jass.kernel import features as inputs
from spielwerk.games.jass.kernel import rules as kernel
from spielwerk.games.jass.kernel import table, thesis
from spielwerk.games.jass.symmetries import suits_exchanged

DOUBLED = "clubs and spades (Schellen and Schilten) count twice, obeabe and undeufe three times"
FACTOR = "how many times it counts, if modes are multiplied"
WEIS_COUNTED = ("nothing", "as in old books", "as today")
DEALS = {"deals": 1}
SERVER: dict[str, int] = {}
HSLU = {"match_bonus": 0}
MULTIPLIERS = {"multipliers": 1}
SCHIEBER = {"multipliers": 1, "weis": 2, "stoeck": 1, "claim": 1, "announce": 1}
SCHIEBER_1000 = SCHIEBER | {"multipliers": 0, "target": 1000}
THESIS = {  # the inputs of Eder and Kistler (2017)
    "36": Encoding(36, thesis.hand),
    "37": Encoding(37, thesis.hand_and_push),
    "42": Encoding(42, thesis.status),
    "150": Encoding(150, thesis.binary),
    "186": Encoding(186, thesis.counting),
    "187": Encoding(187, thesis.counting_and_push),
    "1302": Encoding(1302, thesis.everything),
    "tricks": Encoding(thesis.TRICKS, thesis.tricks),
}


class Jass(Game):
    """Schieber, the best known kind of Jass: two teams of two, four suits or two no-trump modes, and the push."""

    spec = Spec(
        id="jass",
        title="Schieber Jass",
        summary="Nine tricks with 36 cards; one chooses the trump, or pushes the choice to the partner.",
        seats=(4,),
        moves=(*CARDS, *MODES, PUSH, ANNOUNCE, *SLALOMS),
        widest=10,
        longest=10_000,
        scale=157.0,  # the points of one deal
        objective="margin",
        options=(
            Option("target", 2500, 1, 10_000, "points that win the match", "target"),
            Option("deals", 0, 0, 100, "after so many deals the match ends; 0: only the target ends it", "deals"),
            Option("match_bonus", 100, 0, 100, "points for a deal in which the other team has none", "match bonus"),
            Option("multipliers", 0, 0, 1, DOUBLED, "multiplied modes"),
            Option("red_factor", 1, 1, 9, FACTOR, "factor of hearts and diamonds"),
            Option("black_factor", 2, 1, 9, FACTOR, "factor of clubs and spades"),
            Option("obeabe_factor", 3, 1, 9, FACTOR, "factor of obeabe"),
            Option("undeufe_factor", 3, 1, 9, FACTOR, "factor of undeufe"),
            Option("weis", 0, 0, 2, "what runs and fours in a hand count", "Weis", WEIS_COUNTED),
            Option("stoeck", 0, 0, 1, "king and queen of trump in one hand count 20", "Stöck"),
            Option("claim", 0, 0, 1, "the match ends the moment a team reaches the target", "claiming"),
            Option("announce", 0, 0, 1, "Weis count for those who announce them; 0: by themselves", "announcing"),
            Option("slalom", 0, 0, 1, "a mode can be chosen that goes from obeabe to undeufe and back", "Slalom"),
            Option("slalom_factor", 3, 1, 9, FACTOR, "factor of Slalom"),
        ),
        retired=("deck",),
        variants={
            "server": Variant("Tournament server", "all modes count once, as in the Zühlke challenge of 2017", SERVER),
            "hslu": Variant("HSLU", "all modes count once, and there is no match bonus", HSLU),
            "multipliers": Variant("Multiplied modes", DOUBLED, MULTIPLIERS),
            "schieber": Variant("Schieber", "as most people play: multiplied modes, Weis and Stöck", SCHIEBER),
            "schieber-1000": Variant(
                "Schieber to 1000", "all modes count once, with Weis and Stöck, to 1000 points", SCHIEBER_1000
            ),
            "server-deal": Variant(
                "Tournament server, one deal", "a single deal, all modes count once", SERVER | DEALS
            ),
            "hslu-deal": Variant("HSLU, one deal", "a single deal without a match bonus", HSLU | DEALS),
            "multipliers-deal": Variant("Multiplied modes, one deal", DOUBLED, MULTIPLIERS | DEALS),
            "schieber-deal": Variant("Schieber, one deal", "a single deal with Weis and Stöck", SCHIEBER | DEALS),
        },
        offered="schieber",
        looks=(Look("deck", "cards", {"french": "French", "swiss": "Swiss German"}),),
        chance=True,
        luck="cards",
        hidden=True,
        horizon="in this deal",
        features=inputs.STANDARD,
        stand_in="rules",
        ladder=(
            Rung("beginner", "rules:error=100", 48.6, 2.3),
            Rung("easy", "rules:error=60", 12.8, 1.6),
            Rung("medium", "rules:error=30", 15.0, 1.5),
            Rung("hard", "rules", 13.2, 1.5),
            Rung("strongest", "dmcts:preset=net,seconds=0.5", 17.0, 4.8),
        ),
        ladder_measure="{figure} points per deal more than '{below}'",
    )
    State = table.State
    added = "called"
    kernel: ClassVar[Any] = kernel

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        return super().functions | {"features": inputs.features}

    @property
    def last_action(self) -> int:
        announce, slalom = self.options[11:13]
        return table.FIRST_SLALOM + 1 if slalom else table.ANNOUNCE if announce else table.PUSH

    @property
    def related_variants(self) -> Sequence[str]:
        """A network plays cards alike whatever Weis and matches count; it chooses modes by what they count."""
        return ("server" if len(set(factors(self.options))) == 1 else "schieber",)

    @property
    def encodings(self) -> dict[str, Encoding]:
        return super().encodings | THESIS

    def symmetries(self, encoding: str) -> Sequence[Symmetry]:
        return suits_exchanged(encoding, tuple(factors(self.options)[:4]))

    @classmethod
    def recorded_variant(cls, variant: str, edition: int) -> str:
        """In the first edition `schieber` and `schieber-deal` counted Weis as in old books, and up to the third nobody
        announced them."""
        name, *changed = variant.split(",")
        if not name.startswith("schieber"):
            return variant
        named = {part.partition("=")[0] for part in changed}
        if edition < 2 and "weis" not in named:
            changed.append("weis=1")
        if edition < 4 and "announce" not in named:
            changed.append("announce=0")
        return ",".join([name, *changed])

    def chance_text(self, before: States, after: States) -> str:
        """A deal is written as the four hands: `h6 hJ … | d7 … | … | …`."""
        return " | ".join(hand_text(int(hand)) for hand in after["hands"][0])

    def chance_apply(self, states: States, text: str) -> None:
        hands = [set_of(part) for part in text.split("|")]
        if [hand.bit_count() for hand in hands] != [9] * 4 or sum(hands) != int(table.ALL):
            phrase = "Schieber Jass: a deal is four hands of nine different cards: 'h6 hJ … | d7 … | … | …'"
            raise InvalidMove(self.say(phrase))
        if self.call(entry.actors_at, states) != 0:
            raise InvalidMove(self.say("Schieber Jass: nothing is to be dealt now"))
        self.call(table.clear_table_at, states)
        states["hands"][0] = hands

    def read(self, text: str) -> Position:
        """What the seat that must decide knows, as `hand=h6 hJ …; mode=hearts; trick=d6 dA`; see `notation`."""
        return notation.read(self, text)

    def write(self, view: View) -> str:
        return notation.write(view)

    def heard(self, event: str, seat: int) -> str:
        return self.say("the cards are dealt")

    @property
    def swiss(self) -> bool:
        """Whether who looks has Swiss-German cards."""
        return self.look("deck") == "swiss"

    def move_name(self, action: int) -> str:
        if action < table.FIRST_MODE:
            return card_name(action, self.swiss)
        if action >= table.FIRST_SLALOM:
            return slalom_name(table.OBEABE + action - table.FIRST_SLALOM)
        if action >= table.PUSH:
            return self.say(self.spec.moves[action])
        return choice_name(action - table.FIRST_MODE, self.swiss)

    def move_text(self, action: int) -> str:
        moves = self.spec.moves
        return (*SWISS_CARDS, *SWISS_MODES, *moves[table.PUSH :])[action] if self.swiss else moves[action]

    def text(self, view: View) -> str:
        return pictures.text(view)

    def svg(self, view: View) -> str:
        return pictures.svg(view)

    def came_from(self, before: View, after: View) -> dict[str, list[str]]:
        return pictures.came_from(before, after)

    def moment(self, before: View, after: View) -> Moment | None:
        return moments.moment(before, after)

    def news(self, before: View, after: View) -> list[str]:
        return moments.news(before, after)

    def spread(self, view: View, expected: float) -> float:
        """Of the lead of one deal: 57 points (hslu) to 71 (server) between rule players; modes multiply it."""
        mode, counts = int(view.state["mode"][0]), factors(self.options)
        if view.state["slalom"][0]:
            return 65.0 * slalom_factor(self.options)
        return 65.0 * (counts[mode] if mode >= 0 else (sum(counts) / 6 + max(counts)) / 2)

    def horizon(self, view: View) -> View:
        """The match ends with this deal; no team has points from earlier ones."""
        state = view.state.copy()
        state["limit"] = state["deals"] + 1
        state["points"] = state["gained"]
        return View(self, state, view.seat)

    def extras(self, finals: States) -> dict[str, Any]:
        """Points per deal of both teams."""
        deals = deals_played(finals)
        if deals == 0:
            return {}
        points = finals["points"].astype(np.int64).sum(axis=0)
        return {"deals": deals, "points per deal": {f"team {i + 1}": float(points[i]) / deals for i in range(2)}}

    def profile(self, finals: States, seats: Sequence[int]) -> list[ProfilePart]:
        """Points per deal of the own team and of the other, and how many deals there were."""
        rows, own = np.arange(len(finals)), np.asarray(seats) % 2
        deals, points = deals_played(finals), finals["points"].astype(np.int64)
        teams = [float(points[rows, team].sum() / max(deals, 1)) for team in (own, 1 - own)]
        return [
            ProfilePart(self.say("Points per deal"), (self.say("own team"), self.say("other team")), tuple(teams)),
            ProfilePart(self.say("Deals per match"), (self.say("deals"),), (deals / len(finals),)),
        ]

    def groups(self, view: View) -> dict[str, int]:
        return {"tricks left": 9 - int(view.state["tricks"][0])}


def deals_played(finals: States) -> int:
    """The deals of matches that are over. One in which the match was claimed does not count as finished."""
    claimed = (finals["rules"] & table.CLAIM > 0) & (finals["points"].max(axis=1) >= finals["target"])
    return int(finals["deals"].sum() + claimed.sum())
