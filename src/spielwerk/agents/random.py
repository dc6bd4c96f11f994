"""random: any legal action, each equally likely."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spielwerk.core.agent import Agent, Budget, Decision, Policy
from spielwerk.core.game import Game, View
from spielwerk.core.kernel.rng import Rng, below
from spielwerk.search.kernel.playout import uniform_policy


@dataclass(frozen=True)
class RandomAgent(Agent):
    """Any legal action, each equally likely."""

    name: ClassVar[str] = "random"

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        legal = view.legal
        with np.errstate(over="ignore"):
            return Decision(legal[int(below(rng, len(legal)))])

    def policy(self, game: Game) -> Policy:
        return Policy(uniform_policy, 0)
