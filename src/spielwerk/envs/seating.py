"""A match as environments see it that go decision by decision: what a seat observes, may do and has gained.

The streams are those of `core.match`, so that a match is the same as in `play` and as in a batch.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.core.linker import specialise
from spielwerk.core.match import Record, record_of
from spielwerk.envs.task import Task, match_seed
from spielwerk.envs.words import say


class Seating:
    """Match `number` of an environment with a seed, and what every seat has been rewarded for."""

    def __init__(self, task: Task, seed: int, number: int) -> None:
        self.task, self.game = task, task.game
        self.seed = match_seed(seed, number)
        self.learner = task.seat_in(seed, number)
        self.position = self.game.opening(self.seed)
        self.rngs = [spawn(self.seed, 1 + seat) for seat in range(self.game.seats)]
        self.log: list[int] = []
        self.given = [0.0] * self.game.seats

    def observation(self, seat: int) -> NDArray[np.float32]:
        """What a seat knows, as its network reads it."""
        _, encoding = self.task.encoding
        out = np.zeros(encoding.size, np.float32)
        view = self.position.view(seat)
        specialise(entry.features_at, self.game, features=encoding.function)(view.state, seat, out)
        return out

    def mask(self, seat: int) -> NDArray[np.int8]:
        """What a seat may do now; nothing if it has not to decide."""
        out = np.zeros(self.game.spec.actions, np.int8)
        out[list(self.position.legal(seat))] = 1
        return out

    def instead(self, seat: int) -> int:
        """A random legal action in place of an illegal one, from the stream of the seat."""
        legal = self.position.legal(seat)
        return legal[pick(self.rngs[seat], len(legal))]

    def play(self, moves: Mapping[int, int]) -> None:
        """Play one action per deciding seat; chance does not act yet."""
        self.log += [moves[seat] for seat in sorted(moves)]
        self.position.apply(dict(moves))

    def gained(self, seat: int, over: bool) -> float:
        """What a seat is rewarded with now: what it has gained since it was last asked for, or has at the end."""
        task = self.task
        if task.at_end and not over:
            return 0.0
        if task.objective == "win":
            return float(np.float32(self.share(seat) / task.scale))
        now = self.standing(seat)
        gained = (now - self.given[seat]) / task.scale
        self.given[seat] = now
        return float(np.float32(gained))

    def standing(self, seat: int) -> float:
        """The points of a seat, or its lead over the best other team."""
        score = self.position.score
        if self.task.objective == "points":
            return score[seat]
        teams = self.position.teams
        others = [points for points, team in zip(score, teams, strict=True) if team != teams[seat]]
        return score[seat] - max(others) if others else score[seat]

    def share(self, seat: int) -> float:
        """The share of the win."""
        result, teams = self.position.result, self.position.teams
        leading = {team for value, team in zip(result, teams, strict=True) if value == max(result)}
        return 1.0 / len(leading) if teams[seat] in leading else 0.0

    def record(self, agents: list[str]) -> Record:
        """The record of the match, which must be over."""
        if not self.position.over:
            raise SpielwerkError(say("{game}: the match is not over, so it has no record yet", game=self.game.title))
        return record_of(self.game, agents, self.seed, self.log)
