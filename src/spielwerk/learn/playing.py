"""What learners share that learn from the matches they play: opponents, rewards, and the compiled batch of matches."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from spielwerk.core.agent import Agent
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import seed_of, spawn
from spielwerk.core.ranges import Range
from spielwerk.core.words import number
from spielwerk.envs.selfplay import Mirror
from spielwerk.learn.matches import MatchOptions
from spielwerk.learn.netlearner import Arrays, NetLearner, NetRun, usual_scale
from spielwerk.learn.run import Limits, Report
from spielwerk.learn.words import say
from spielwerk.nets.network import Network, encode

MATCHES, UPDATES = 0x504C, 0x5550  # streams: seeds of matches, what an update draws
SAVE = 30.0  # seconds between two checkpoints


@dataclass(frozen=True)
class PlayingLearner(MatchOptions, NetLearner):
    """Somebody who trains a network by playing matches with it. Opponents that are the learner itself are what it was
    at the last update."""

    envs: Annotated[int, Range(1, 1_000_000), "matches that are played at the same time"] = 256
    reward_scale: Annotated[
        float | None, Range(1e-9, 1e12), "points that count as a reward of 1; none = by the game and by random play"
    ] = None
    partners: Annotated[
        Literal["opponents", "self"], "who sits on the other seats of the own team, where there are opponents"
    ] = "opponents"
    tests: Annotated[int, Range(1, 1_000_000), "how often held-out matches are played in the course of a run"] = 20

    def why_not(self, game: Game) -> str | None:
        return super().why_not(game) or self.opponents_problem(game)

    def scale_of(self, game: Game) -> float:
        """Points that count as a reward of 1."""
        if self.reward_scale is not None:
            return self.reward_scale
        return 1.0 if self.unit(game) == "win" else usual_scale(game)

    def mirror(self, game: Game, network: Network) -> Mirror | None:
        """The network on the other seats, drawing its actions, to be refreshed after every update; None if others sit
        there."""
        if game.seats == 1 or (self.opponents is not None and self.partners == "opponents"):
            return None
        drawn = 1.0 if "policy" in network.description.heads else 0.0
        return Mirror(network, temperature=drawn, otherwise=self.instead(game))

    def instead(self, game: Game) -> Agent | None:
        """Who decides where the network knows none of the actions; None = nobody needs to."""
        return None

    def environment(self, game: Game, network: Network, mirror: Mirror | None) -> dict[str, Any]:
        """The options of the environment whose matches are learned from."""
        return {
            "seat": "rotate" if self.seat is None else self.seat,
            "opponents": self._others(game, mirror),
            "encoding": network.description.encoding,
            "objective": self.objective,
            "reward": self.reward,
            "scale": self.scale_of(game),
        }

    def _others(self, game: Game, mirror: Mirror | None) -> Agent | str | list[Agent]:
        """Who sits on the other seats, from the learner's left on. Teams are the same from every seat."""
        if mirror is None or self.opponents is None:
            return mirror or self.opponents or "random"
        seat = self.seat or 0
        around = [(seat + place) % game.seats for place in range(1, game.seats)]
        return [mirror if game.teams[other] == game.teams[seat] else self.opponents for other in around]


def first_seed(limits: Limits) -> int:
    """The seed of the first match of a run."""
    return seed_of(spawn(limits.seed, MATCHES)) >> 11


def update_seed(limits: Limits, number: int) -> int:
    """What update number `number` draws from: the same after a kill."""
    return seed_of(spawn(limits.seed, UPDATES, number)) >> 33


class Course:
    """The course of a run: a line of the log after every update, tests in equal steps, checkpoints by the clock."""

    def __init__(
        self,
        run: NetRun,
        total: int,
        tests: int,
        arrays: Callable[[], Arrays],
        network: Callable[[], Network],
        report: Report,
        rounds: bool = False,  # total is one of rounds, which take long, and not of steps
    ) -> None:
        self.run, self.total, self.tests, self.rounds = run, total, tests, rounds
        self.arrays, self.network, self.report = arrays, network, report
        self.began = self.saved = time.monotonic()
        self.first = self.step
        if run.best == -math.inf:  # also where a kill came before the first checkpoint, whose test does not count
            run.test(network())

    @property
    def step(self) -> int:
        return int(self.run.counters["step"])

    @property
    def done(self) -> float:
        return self.step / self.total

    @property
    def goes_on(self) -> bool:
        return self.step < self.total and not self.run.limits.reached

    def advance(self, steps: int, **figures: float) -> None:
        """An update was made from so many steps."""
        run, before = self.run, self.done
        run.counters["step"] = self.step + steps
        run.log(**figures)
        tested = int(before * self.tests) < int(self.done * self.tests)
        if tested:
            run.test(self.network())
        if tested or time.monotonic() - self.saved > SAVE:
            self.save()
        rate = (self.step - self.first) / max(time.monotonic() - self.began, 1e-9)
        phrase = "{rate} steps/s, reward {reward} per match, best {best}"
        if self.rounds:
            phrase = "{rate} rounds/s, reward {reward} per match, best {best}"
        reward, best = number(figures.get("reward", 0.0), 3), number(run.best, 3)
        self.report(min(self.done, 1.0), say(phrase, rate=number(rate, int(self.rounds)), reward=reward, best=best))

    def end(self) -> None:
        self.run.judge_where_it_stops(lambda: encode(self.network()))
        self.save()

    def save(self) -> None:
        self.run.save(self.arrays())
        self.saved = time.monotonic()
