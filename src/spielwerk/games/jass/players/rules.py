"""rules: a solid heuristic player of Schieber Jass that counts cards."""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel.contract import policy
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.linker import kernel, specialise
from spielwerk.core.models import Arrays, Kind, load
from spielwerk.core.position import View
from spielwerk.core.ranges import Range
from spielwerk.games.jass.game import Jass
from spielwerk.games.jass.players import say
from spielwerk.games.jass.players.kernel.rules import WEIGHTS, erring_policy, rules_policy


def _decode(arrays: Arrays) -> NDArray[np.float64]:
    weights: NDArray[np.float64] = arrays["weights"].astype(np.float64)
    if weights.shape != (WEIGHTS,):
        raise ValueError(say("there are {count} weights instead of {wanted}", count=weights.size, wanted=WEIGHTS))
    return weights


KIND = Kind("jass-rules", _decode, "python benchmarks/jass_tune.py 600")


@cache
def rules_weights() -> NDArray[np.float64]:
    """The weights that are shipped: of the card rules, then the mode tables (see kernel/rules.py)."""
    return load(KIND, Jass()).content


@kernel
def decide_at(states, seat, weights, scratch, rng):  # type: ignore[no-untyped-def]
    return policy(states[0], seat, weights, scratch, rng)


@dataclass(frozen=True)
class JassRules(Agent):
    """Counts cards, draws trumps while opponents hold some, smears the partner, keeps what is worth keeping."""

    name: ClassVar[str] = "rules"

    error: Annotated[
        float, Range(0, 1000), "points by which it misjudges a card or a mode at most; learners make many such errors"
    ] = 0.0

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        rule = self.policy(view.game)
        decide = specialise(decide_at, view.game, policy=rule.function)
        return Decision(int(decide(view.state, view.seat, rule.weights, view.game.scratch(), rng)))

    def policy(self, game: Game) -> Policy:
        if self.error == 0.0:
            return Policy(rules_policy, rules_weights())
        return Policy(erring_policy, np.append(rules_weights(), self.error))

    def why_not(self, game: Game) -> str | None:
        return None if isinstance(game, Jass) else say("it knows the rules of thumb of Jass only")
