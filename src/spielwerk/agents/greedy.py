"""greedy: the action with the most points right after it; ties at random.

It looks one step ahead and no further. Seats that decide at the same moment are assumed to act at random, and what is
hidden is imagined once.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.linker import specialise
from spielwerk.core.position import View
from spielwerk.search.kernel.greedy import best_at_random, greedy_policy, points_after


@dataclass(frozen=True)
class Greedy(Agent):
    """The action with the most points right after it; ties at random."""

    name: ClassVar[str] = "greedy"

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        game = view.game
        points = np.zeros(game.spec.widest)
        scratch = game.scratch()
        count = specialise(points_after, game)(view.state, scratch.states, view.seat, scratch, rng, points)
        chosen = game.call(best_at_random, points, count, rng)
        return Decision(view.legal[chosen], values=tuple(float(value) for value in points[:count]), unit="points")

    def policy(self, game: Game) -> Policy | None:
        return None if game.spec.hidden else Policy(greedy_policy, np.zeros(game.spec.widest))
