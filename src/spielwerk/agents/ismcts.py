"""ismcts: information-set tree search for Schieber Jass (Cowling, Powley and Whitehouse 2012), one deal deep.

The tree search is that of `mctse`, which imagines the hidden cards anew in every iteration. What is added here: it
plays for the deal and not for the match (a playout to 2500 points says little about a card), and maximises the lead.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from spielwerk.agents.common import only_action
from spielwerk.agents.mctse import MctsExpectimax
from spielwerk.agents.words import say
from spielwerk.core.agent import Agent, Budget, Decision
from spielwerk.core.game import Game, View
from spielwerk.core.rng import Rng


@dataclass(frozen=True)
class Ismcts(Agent):
    """Jass: information-set Monte Carlo tree search to the end of the deal, random playouts."""

    name: ClassVar[str] = "ismcts"

    iterations: Annotated[int, "iterations per decision"] = 3000
    k: Annotated[float, "weight of exploration"] = 0.3

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        forced = only_action(view)
        if forced:
            return forced
        search = MctsExpectimax(
            iterations=self.iterations, rollout_depth=38, tree_depth=36, max_nodes=100_000, k=self.k, selection="uct",
            final="robust", objective="margin",
        )  # fmt: skip
        return search.decide(this_deal(view), budget, rng)

    def why_not(self, game: Game) -> str | None:
        return None if game.spec.id == "jass" else say("it knows where a deal of Jass ends only; use mctse")


def this_deal(view: View) -> View:
    """The same view in a match that ends with this deal, both teams without points from earlier deals."""
    state = view.state.copy()
    state["limit"] = state["deals"] + 1
    state["points"] = state["gained"]
    return View(view.game, state, view.seat)
