"""random: any legal action, each equally likely."""

from dataclasses import dataclass
from typing import ClassVar

from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, pick
from spielwerk.core.position import View
from spielwerk.search.kernel.playout import uniform_policy


@dataclass(frozen=True)
class RandomAgent(Agent):
    """Any legal action, each equally likely."""

    name: ClassVar[str] = "random"

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        legal = view.legal
        return Decision(legal[pick(rng, len(legal))])

    def policy(self, game: Game) -> Policy:
        return Policy(uniform_policy, 0)
