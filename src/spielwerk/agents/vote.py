"""vote: the action that most of n agents choose; ties at random (Kutsch 2017, 7.2).

Every voter has its own random stream, so that the answer is the same for any number of threads.
"""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from spielwerk.core.agent import Agent, Budget, Decision
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game, View
from spielwerk.core.rng import Rng, below, seed_of, spawn


@dataclass(frozen=True)
class Vote(Agent):
    """The majority of several agents; ties at random."""

    name: ClassVar[str] = "vote"

    agents: Annotated[tuple[Agent, ...], "who votes, e.g. (mctse:iterations=500)*10+(mc)*2"]
    threads: Annotated[int, "threads for one decision"] = 1

    def __post_init__(self) -> None:
        if self.threads < 1 or not self.agents:
            raise SpielwerkError("vote: it takes at least one agent and one thread")

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        legal = view.legal
        if len(legal) == 1:
            return Decision(legal[0], notes={"forced": True})
        voters = self.agents
        seed = seed_of(rng)

        def ballot(number: int) -> int:
            return voters[number].decide(view, budget, spawn(seed, number)).action

        if self.threads > 1:
            with ThreadPoolExecutor(self.threads) as pool:
                ballots = list(pool.map(ballot, range(len(voters))))
        else:
            ballots = [ballot(number) for number in range(len(voters))]
        votes = Counter(ballots)
        most = max(votes.values())
        winners = sorted(action for action, count in votes.items() if count == most)
        with np.errstate(over="ignore"):
            chosen = winners[int(below(rng, len(winners)))]
        return Decision(
            chosen,
            values=tuple(votes[action] / len(voters) for action in legal),
            visits=tuple(votes[action] for action in legal),
            unit="worth",
            notes={"votes": {view.game.spec.moves[action]: count for action, count in sorted(votes.items())}},
        )

    def why_not(self, game: Game) -> str | None:
        for voter in self.agents:
            reason = voter.why_not(game)
            if reason:
                return f"its voter {voter.name}: {reason}"
        return None
