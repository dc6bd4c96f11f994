"""net: the action that a neural network names, or whose afterstate it likes best.

Deeper: `expectimax:depth=2,evaluation=net@MODEL`, or its policy as prior: `mctse:selection=puct,evaluation=net@MODEL`.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from spielwerk.agents.words import say
from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.position import View
from spielwerk.core.ranges import Range
from spielwerk.nets.network import Network, load_network
from spielwerk.search.net_look import Look, look
from spielwerk.search.net_model import Aim, HeadName, first_head, rule


@dataclass(frozen=True)
class NetAgent(Agent):
    """A trained neural network: its most likely action, that of the highest value, or one drawn by its policy."""

    name: ClassVar[str] = "net"

    model: Annotated[str | None, "run folder, file or name of a trained network; none = the one that is shipped"] = None
    by: Annotated[
        Literal["auto", "policy", "q", "value"], "the head that decides; auto = the first that there is, in this order"
    ] = "auto"
    temperature: Annotated[
        float, Range(0, 1000), "0 = the best action; above, actions are drawn by softmax(answers / temperature)"
    ] = 0.0
    aim: Annotated[
        Aim,
        "what a value of points is for at a table of several: the own points, or the lead over the best other, who is "
        "asked, too; auto = what the game is about",
    ] = "auto"
    otherwise: Annotated[
        Agent | None, "agent that decides about actions that the network does not know; none = the game's own, or any"
    ] = None

    def why_not(self, game: Game) -> str | None:
        try:
            self._rule(game)
        except SpielwerkError as problem:
            return str(problem)
        return None

    def policy(self, game: Game) -> Policy:
        return self._rule(game)

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        """The values are how likely the policy holds each action, or what it is worth."""
        game, made = view.game, self._rule(view.game)
        head = self._head(load_network(game, self.model))
        seen = self.look(view, rng.copy())
        action = made.act(view, rng)
        said = {"policy": seen.after, "q": seen.q, "value": seen.left}[head]
        values = None if said is None else [float(said[legal]) for legal in view.legal]
        if values is None or np.isnan(values).any():  # the decision of `otherwise`
            return Decision(action)
        unit = "likely" if head == "policy" else seen.unit
        return Decision(action, values=tuple(values), unit=unit)

    def look(self, view: View, rng: Rng) -> Look:
        """All that the network says in a position, also of actions that are not legal."""
        return look(load_network(view.game, self.model), view, rng, self.aim)

    def _head(self, network: Network) -> HeadName:
        return first_head(network) if self.by == "auto" else self.by

    def _rule(self, game: Game) -> Policy:
        network = load_network(game, self.model)
        return rule(network, game, self._head(network), self.temperature, self._stand_in(game, network), self.aim)

    def _stand_in(self, game: Game, network: Network) -> Policy | None:
        """The rule for actions that the network does not know: that of `otherwise`, or else of who the game says."""
        if self.otherwise is not None:
            self.otherwise.require(game)
            other = self.otherwise.policy(game)
            if other is None:
                phrase = "{agent} has no compiled policy for {game}, so it cannot stand in for a network"
                raise Unfit(say(phrase, agent=self.otherwise.name, game=game.title))
            return other
        name = self._head(network)
        if not game.spec.stand_in or name == "value" or network.head(name).outputs == game.spec.actions:
            return None
        agent = registry.agent(game.spec.stand_in)
        return agent.policy(game) if agent.why_not(game) is None else None
