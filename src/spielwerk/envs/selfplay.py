"""Self-play: a network on the opponents' seats whose weights are refreshed while matches go on.

    mirror = Mirror(network, temperature=1.0)
    batch = Batch(game, 256, opponents=mirror)
    …                                     # steps, then an update of the learner's own network
    mirror.refresh(module.network())      # from the next step on the opponents play by it

Weights are overwritten in place, so nothing is compiled or built again, in any number of threads. A league is a list of
mirrors, one per seat, each with weights of another time.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.position import View
from spielwerk.envs.words import say
from spielwerk.nets.network import Network
from spielwerk.search.net_model import HeadName, rule


@dataclass(frozen=True, eq=False)
class Mirror(Agent):
    """A network that is still learning. It plays by a copy, which `refresh` overwrites."""

    name: ClassVar[str] = "self"

    network: Network
    by: HeadName | None = None  # the head that names actions; None = the first of policy, q and value
    temperature: float = 0.0  # 0 = the best action; above, actions are drawn by softmax(answers / temperature)
    otherwise: Agent | None = None  # who decides where the network knows none of the actions; None = any action

    def __post_init__(self) -> None:
        own = Network(self.network.description, {name: array.copy() for name, array in self.network.arrays.items()})
        object.__setattr__(self, "network", own)

    @property
    def spec(self) -> str:
        return self.name

    def why_not(self, game: Game) -> str | None:
        try:
            self.policy(game)
        except SpielwerkError as problem:
            return str(problem)
        return None

    def policy(self, game: Game) -> Policy:
        other = self.otherwise.policy(game) if self.otherwise else None
        return rule(self.network, game, self.by, self.temperature, other)

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        return Decision(self.policy(view.game).act(view, rng))

    def refresh(self, network: Network) -> None:
        """Play by these weights from the next decision on. Call it between two steps."""
        values, fresh = self.network.plan.program.values, Network(network.description, network.arrays).plan.program
        if network.description.parameters() != self.network.description.parameters():
            raise SpielwerkError(say("self-play goes on with a network of the same shape only"))
        np.copyto(values, fresh.values)
        for name, array in self.network.arrays.items():
            np.copyto(array, network.arrays[name])
