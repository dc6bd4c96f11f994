"""ismcts: information-set tree search (Cowling, Powley and Whitehouse 2012), as far as the game's horizon.

The tree search is that of `mctse`, which imagines what is hidden anew in every iteration. What is added here: it plays
for the game's horizon (a deal of a card game) and not for the whole match, because a playout to the end of a long match
says little about one card. In a game without hidden information or horizon it is a plain tree search.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from spielwerk.agents.common import only_action
from spielwerk.agents.mctse import MctsExpectimax
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.position import View
from spielwerk.core.ranges import ITERATIONS, WEIGHT

DEEPEST = 60  # decisions in the tree; a playout goes on to the horizon


@dataclass(frozen=True)
class Ismcts(Agent):
    """Information-set Monte Carlo tree search as far as the game's horizon (a deal, say), random playouts."""

    name: ClassVar[str] = "ismcts"

    iterations: Annotated[int, ITERATIONS, "iterations per decision"] = 3000
    k: Annotated[float, WEIGHT, "weight of exploration"] = 0.3

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        forced = only_action(view)
        if forced:
            return forced
        search = MctsExpectimax(
            iterations=self.iterations, tree_depth=min(DEEPEST, view.game.spec.longest), max_nodes=100_000, k=self.k,
            selection="uct",
        )  # fmt: skip
        return search.decide(view, budget, rng)
