"""ntuple: the move whose afterstate a trained n-tuple network likes best (1-ply).

Deeper: `expectimax:depth=3,evaluation=ntuple@MODEL`.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from spielwerk.agents.words import say
from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.contract import Leaf
from spielwerk.core.kernel.objective import OBJECTIVES
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.linker import specialise
from spielwerk.core.models import find
from spielwerk.core.position import View
from spielwerk.core.ranges import Range
from spielwerk.search.ntuple_model import KIND, judge


@dataclass(frozen=True)
class NTupleAgent(Agent):
    """Greedy with a trained n-tuple network: the move after which most points are to be expected."""

    name: ClassVar[str] = "ntuple"

    model: Annotated[str | None, "run folder, file or name of a trained network; none = the one that is shipped"] = None
    top: Annotated[
        int | None,
        Range(1, 63),
        "no cell is looked up above this value (2048: 14 = tiles from 32768 on are downgraded)",
    ] = None

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        game, legal = view.game, view.legal
        found = judge(self.model, game, self.top)
        worth = specialise(found.evaluate, game, worth=OBJECTIVES["points"])
        leaf = Leaf(
            found.weights, 0, 1, game.spec.scale, game.scratch(found.room), rng, np.zeros(game.seats), np.zeros((1, 0))
        )
        values, trial = [], game.states(1)
        for action in legal:
            trial[0] = view.state[0]
            game.call(entry.apply_at, trial, np.array([action]))
            worth(trial, 0, leaf)
            values.append(float(leaf.value[0]) * game.spec.scale)
        return Decision(legal[int(np.argmax(values))], values=tuple(values), unit="points")

    def why_not(self, game: Game) -> str | None:
        if game.grid is None:
            return say("it declares no grid")
        if game.seats != 1 or game.spec.hidden:
            return say("it plays one-seat games without hidden information only")
        try:
            find(KIND, game, self.model)
        except SpielwerkError as problem:
            return str(problem)
        return None

    def policy(self, game: Game) -> Policy | None:
        found = judge(self.model, game, self.top)
        return Policy(found.policy, found.weights, found.room)
