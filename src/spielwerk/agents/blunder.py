"""blunder: another agent that errs now and then, for people who want an opponent they can beat.

With a fixed chance it plays any legal move instead of the agent's. An agent with a compiled policy keeps it.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, fraction, pick
from spielwerk.core.linker import attach
from spielwerk.core.position import View
from spielwerk.core.ranges import SHARE
from spielwerk.search.kernel.blunder import Weights, blunder_policy


@dataclass(frozen=True)
class Blunder(Agent):
    """Plays like another agent, but with some chance any legal move."""

    name: ClassVar[str] = "blunder"

    agent: Annotated[Agent, "who plays otherwise"]
    share: Annotated[float, SHARE, "of the moves, chosen at random"] = 0.2

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        legal = view.legal
        if fraction(rng) < self.share:
            return Decision(legal[pick(rng, len(legal))], notes={"blunder": True})
        return self.agent.decide(view, budget, rng)

    def policy(self, game: Game) -> Policy | None:
        rule = self.agent.policy(game)
        if rule is None:
            return None
        return rule._replace(
            function=attach(blunder_policy, policy=rule.function), weights=Weights(self.share, rule.weights)
        )

    def why_not(self, game: Game) -> str | None:
        return self.agent.why_not(game)
