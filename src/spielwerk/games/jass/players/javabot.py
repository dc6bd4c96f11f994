"""javabot: the rule player that won the Zühlke Jass challenge, as ported to Python around the thesis.

An adapter around `ChallengePlayer` of the package pyschieber (MIT licence; extra `reference`), the yardstick of Eder
and Kistler (2017). Some of its inferences compare an enumeration with a text and never fire, so the Java original may
be somewhat stronger. The player remembers what it saw, an agent does not: every decision shows it the deal again from
its first card, which is all in the view. Where its strategy finds no card it takes a random one, drawn from `rng`. It
knows no Slalom and takes every trick for one of a deal in that mode. It announces every Weis.
"""

import random
from dataclasses import dataclass
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, seed_of
from spielwerk.core.position import View
from spielwerk.games.jass.cards import cards_of
from spielwerk.games.jass.game import Jass
from spielwerk.games.jass.kernel.table import ANNOUNCE, FIRST_MODE, OBEABE, POWERS, PUSH, UNDEUFE
from spielwerk.games.jass.players import say

SUITS = ("ROSE", "BELL", "ACORN", "SHIELD")  # hearts, diamonds, clubs, spades
MODES = (*SUITS, "OBE_ABE", "UNDE_UFE", "OBE_ABE")  # the last: no trump, which the port does not know


@dataclass(frozen=True)
class JavaBot(Agent):
    """The challenge's winner of 2017 in its Python port (needs the package pyschieber)."""

    name: ClassVar[str] = "javabot"

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        legal = view.legal
        if len(legal) == 1:
            return Decision(legal[0], notes={"forced": True})
        if ANNOUNCE in legal:
            return Decision(ANNOUNCE)
        with np.errstate(over="ignore"):
            random.seed(seed_of(rng))  # the port draws from Python's own generator
        state = view.state[0]
        player = _player(view.seat, int(state["hands"][view.seat]) | int(state["played"][view.seat]))
        if legal[0] >= FIRST_MODE:
            trumpf = next(player.choose_trumpf(geschoben=bool(state["pushed"]))).name
            return Decision(PUSH if trumpf == "SCHIEBEN" else FIRST_MODE + MODES.index(trumpf))
        chosen = _chosen_card(player, state)
        if chosen not in legal:  # its rules differ from ours in one rare case of trumping under
            return Decision(legal[random.randrange(len(legal))], notes={"fallback": True})
        return Decision(chosen)

    def why_not(self, game: Game) -> str | None:
        if find_spec("pyschieber") is None:
            return say("it needs the package pyschieber: pip install spielwerk[reference]")
        return None if isinstance(game, Jass) else say("it plays Jass only")


def _card(card: int) -> Any:
    from pyschieber.card import Card
    from pyschieber.suit import Suit

    return Card(Suit[SUITS[card // 9]], card % 9 + 6)


def _player(seat: int, hand: int) -> Any:
    from pyschieber.player.challenge_player.challenge_player import ChallengePlayer

    player = ChallengePlayer(name=f"seat {seat}")
    player.id = seat
    for card in cards_of(hand):
        player.set_card(_card(card))
    return player


def _chosen_card(player: Any, state: Any) -> int:
    """Show the player the whole deal so far, asking for its role in the first trick, then ask for a card."""
    from pyschieber.stich import PlayedCard, Stich, played_cards_dict, stich_dict
    from pyschieber.trumpf import Trumpf

    mode = int(state["mode"])
    trumpf = Trumpf[MODES[mode]]
    tricks: list[Any] = []
    table: list[Any] = []
    seat, best, winner = int(state["starter"]), -1, 0

    def status() -> dict[str, Any]:
        return {
            "stiche": [stich_dict(trick) for trick in tricks],
            "trumpf": trumpf.name,
            "geschoben": bool(state["pushed"]),
            "point_limit": int(state["target"]),
            "table": [played_cards_dict(card) for card in table],
            "teams": [{"points": int(points)} for points in state["points"]],
        }

    count = 4 * int(state["tricks"]) + int(state["in_trick"])
    player.role = _role(player.id, int(state["starter"]), bool(state["pushed"]))
    for number in range(count):
        card = int(state["history"][number])
        now = mode
        if state["slalom"] and (number // 4 - int(state["tricks"])) % 2:
            now = OBEABE + UNDEUFE - mode
        power = int(POWERS[36 * (4 * now + int(state["history"][number - number % 4]) // 9) + card])
        if power > best:
            best, winner = power, seat
        if seat == player.id:
            player.cards.remove(_card(card))
        player.move_made(seat, _card(card), status())
        table.append(PlayedCard(SimpleNamespace(id=seat), _card(card)))
        seat = (seat + 1) % 4
        if len(table) == 4:
            tricks.append(Stich(SimpleNamespace(id=winner), table, trumpf))
            table, seat, best = [], winner, -1
    chosen = next(player.choose_card(state=status()))
    return 9 * SUITS.index(chosen.suit.name) + int(chosen.value) - 6


def _role(seat: int, starter: int, pushed: bool) -> str:
    """As ChallengePlayer sets it in the first trick: who chose, the partner, or an opponent."""
    if (seat ^ starter) & 1:
        return "Off"
    return "Trumpf" if (seat == starter) != pushed else "Partner"
