"""qtable: the action that a table of Q values likes best, learned by `qlearning`."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.position import View
from spielwerk.search.qtable_model import load_table, rule


@dataclass(frozen=True)
class QTableAgent(Agent):
    """A table of Q values: its best action, or any where it has seen nothing."""

    name: ClassVar[str] = "qtable"

    model: Annotated[str | None, "run folder, file or name of a table; none = the one that is shipped"] = None

    def why_not(self, game: Game) -> str | None:
        try:
            load_table(game, self.model)
        except SpielwerkError as problem:
            return str(problem)
        return None

    def policy(self, game: Game) -> Policy:
        return rule(load_table(game, self.model), game)

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        """The values are the table's, in its unit; none where it has seen nothing."""
        game, table = view.game, load_table(view.game, self.model)
        made = rule(table, game)
        action = made.act(view, rng)
        found = table.values_of(view)
        if found is None:
            return Decision(action)
        return Decision(action, values=tuple(float(found[legal]) for legal in view.legal), unit=table.card.unit)
