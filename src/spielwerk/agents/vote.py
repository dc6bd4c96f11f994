"""vote: the action that most of n agents choose; ties at random (Kutsch 2017, 7.2).

Every voter has its own random stream, so that the answer is the same for any number of threads. Ballots are counted in
the order of the voters until the rest cannot change the outcome any more: the action is the same as with all of them.
Time to think is shared among the voters that have yet to vote.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from spielwerk.agents.common import threads_for
from spielwerk.agents.words import say
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget, share
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, pick, seed_of, spawn
from spielwerk.core.position import View
from spielwerk.core.ranges import THREADS
from spielwerk.core.signs import StopSign


@dataclass(frozen=True)
class Vote(Agent):
    """The majority of several agents; ties at random."""

    name: ClassVar[str] = "vote"

    agents: Annotated[tuple[Agent, ...], "who votes, e.g. (mctse:iterations=500)*10+(mc)*2"]
    threads: Annotated[int, THREADS, "threads for one decision"] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.agents:
            raise SpielwerkError(say("vote: it takes at least one agent"))

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        legal = view.legal
        if len(legal) == 1:
            return Decision(legal[0], notes={"forced": True})
        voters = self.agents
        seed = seed_of(rng)

        def ballot(number: int) -> int:
            return voters[number].decide(view, self.part(budget, sign, number), spawn(seed, number)).action

        votes: Counter[int] = Counter()
        with budget.watch() as sign:
            for cast in self.ballots(ballot, sign):
                votes[cast] += 1
                if _decided(votes, len(voters) - votes.total()) or sign.is_set():
                    break
        most = max(votes.values())
        winners = sorted(action for action, count in votes.items() if count == most)
        chosen = winners[pick(rng, len(winners))]
        return Decision(
            chosen,
            values=tuple(votes[action] / votes.total() for action in legal),
            visits=tuple(votes[action] for action in legal),
            unit="worth",
            notes={"votes": {view.game.spec.moves[action]: count for action, count in sorted(votes.items())}},
        )

    def part(self, budget: Budget, sign: StopSign, number: int) -> Budget:
        """What is left of the time until the sign, in equal parts for the voters from `number` on."""
        turns = -(-(len(self.agents) - number) // self.threads)
        deadline = None if sign.ends is None else share(sign.ends, turns)
        return replace(budget, seconds=None, deadline=deadline, sign=sign)

    def ballots(self, ballot: Callable[[int], int], sign: StopSign) -> Iterator[int]:
        """What the voters choose, in their order; as many at once as there are threads."""
        count = len(self.agents)
        if self.threads == 1:
            yield from map(ballot, range(count))
            return
        with threads_for(self.threads, sign) as pool:
            for first in range(0, count, self.threads):
                yield from pool.map(ballot, range(first, min(first + self.threads, count)))

    def why_not(self, game: Game) -> str | None:
        for voter in self.agents:
            reason = voter.why_not(game)
            if reason:
                return say("its voter {agent}: {reason}", agent=voter.name, reason=reason)
        return None


def _decided(votes: Counter[int], left: int) -> bool:
    """Whether the leader stays ahead even if all ballots that are left go to the second."""
    first, *second = sorted(votes.values(), reverse=True)
    return first - (second[0] if second else 0) > left
