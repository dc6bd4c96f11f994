"""What changes in the course of an n-tuple run: random moves, where matches begin, when stages get their own tables.

Everything here follows from the options and from how far the run is, so that a run that was killed goes on as if it had
not been.
"""

import math
from typing import TYPE_CHECKING

import msgspec

from spielwerk.learn.kernel import ntuple as afterstates

if TYPE_CHECKING:
    from spielwerk.learn.ntuple import NTuple

START_STRATEGIES = {
    "opening": afterstates.OPENING,
    "restart": afterstates.RESTART,
    "carousel": afterstates.CAROUSEL,
}
EPSILON_STEPS = 200  # in which epsilon falls


class Progress(msgspec.Struct):
    """How far a run has come."""

    matches: int = 0
    moves: int = 0
    points: float = 0.0
    highest: float = 0.0
    seconds: float = 0.0
    rngs: list[int] = []


class Schedule:
    """The options that apply now."""

    def __init__(self, learner: "NTuple", progress: Progress) -> None:
        self.learner, self.progress = learner, progress

    def epsilon(self) -> float:
        """Falls logarithmically to 0 at the last match, if that is known: fast at the end, slowly at first."""
        if not self.learner.matches or not self.learner.epsilon:
            return self.learner.epsilon
        matches = self.progress.matches
        if matches < self.learner.matches:
            matches -= matches % self.epsilon_step  # rounds end by the clock, too, and must not change anything
        exploring = self.learner.matches * (1.0 - self.learner.final_greedy_share)
        done = min(matches / max(exploring, 1.0), 1.0)
        return self.learner.epsilon * max(0.0, 1.0 + math.log10(1.0 - 0.9 * done))

    @property
    def epsilon_step(self) -> int:
        """How many matches are played with the same epsilon."""
        return max(1, self.learner.matches // EPSILON_STEPS)

    @property
    def start_strategy(self) -> int:
        """Where matches begin now."""
        if self.moves_until(self.learner.strategy_after):
            return afterstates.OPENING
        if self.learner.carousel_after and not self.moves_until(self.learner.carousel_after):
            return afterstates.CAROUSEL
        return START_STRATEGIES[self.learner.start_strategy]

    @property
    def stages_share_tables(self) -> bool:
        """Whether all stages still learn in the tables of the first."""
        return self.moves_until(self.learner.stages_after) > 0

    def moves_until(self, millions: int) -> int:
        """How many moves are left until there are so many millions."""
        return max(0, 1_000_000 * millions - self.progress.moves)

    def moves_of_round(self, moves: int, threads: int) -> int:
        """At most `moves` moves of every thread, and none beyond the next change."""
        learner = self.learner
        changes = map(self.moves_until, (learner.strategy_after, learner.carousel_after, learner.stages_after))
        return min([moves, *(-(-left // threads) for left in changes if left)])

    def matches_of_round(self, threads: int) -> list[int]:
        """How many matches each thread may play in a round: none beyond the last, nor beyond the next epsilon."""
        if not self.learner.matches:
            return [1 << 40] * threads
        left = self.learner.matches - self.progress.matches
        if self.learner.epsilon:
            left = min(left, self.epsilon_step - self.progress.matches % self.epsilon_step)
        return [left // threads + (thread < left % threads) for thread in range(threads)]
