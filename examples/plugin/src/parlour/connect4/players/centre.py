"""centre: a rule player of Connect Four. It looks two moves ahead and likes the middle."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from spielwerk import Agent, Budget, Decision, Game, Policy, Range, Rng, View

from parlour.connect4.game import Connect4
from parlour.connect4.players.kernel.centre import centre_policy, centre_policy_at


@dataclass(frozen=True)
class Centre(Agent):
    """Connect Four: wins if it can, else blocks, else plays near the centre."""

    name: ClassVar[str] = "centre"

    careful: Annotated[bool, "avoid columns above which the opponent would win"] = True
    mistakes: Annotated[float, Range(0, 1), "chance of a random move"] = 0.0

    @property
    def weights(self) -> NDArray[np.float64]:
        """The options as the policy reads them."""
        return np.array([self.mistakes, self.careful], np.float64)

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        action = view.game.call(centre_policy_at, view.state, view.seat, self.weights, view.game.scratch(), rng)
        return Decision(int(action))

    def policy(self, game: Game) -> Policy:
        return Policy(centre_policy, self.weights)

    def why_not(self, game: Game) -> str | None:
        return None if isinstance(game, Connect4) else Connect4.say("it plays Connect Four only")
