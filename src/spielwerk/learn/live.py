"""A network that learns from matches that are played elsewhere, on a server for example, decision by decision.

It is a run of `policygradient` whose matches come from outside: the same rule, the same folder. `spielwerk train
--resume` goes on with it in the compiled environment, `net:model=RUN` plays it. Several seats may share one pupil. What
it learns with is kept apart from what it plays with, so that an answer never waits for a step of the optimiser.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, fraction, pick, spawn
from spielwerk.core.match import versions
from spielwerk.core.position import View
from spielwerk.envs.selfplay import Mirror
from spielwerk.learn.gather import standing
from spielwerk.learn.netlearner import NetRun, device_of, optimiser_of, restore_training, torch_threads, training_arrays
from spielwerk.learn.playing import update_seed
from spielwerk.learn.policygradient import PolicyGradient, Step, played
from spielwerk.learn.run import Limits, RunFolder, learner
from spielwerk.learn.words import say
from spielwerk.nets.network import Network, encode
from spielwerk.search.net_look import features_of

WARM_UP = 6  # decisions


class Noted(NamedTuple):
    """A decision of the pupil that has been played."""

    inputs: NDArray[np.float32]
    legal: NDArray[np.bool_]  # of the actions that it learns
    action: int  # counted from the first of them
    standing: float  # what its seat had then, in the unit of the reward


Place = Callable[[View], int]  # numbers the decisions of a seat, so that what was played can be found again


class Pupil:
    """Who learns. `take` is given the decisions of one seat in one match, and what it had at the end."""

    def __init__(self, path: Path, game: Game, begin: str, seed: int, otherwise: Agent | None = None) -> None:
        """A run that is there goes on; else one of the learner `begin` is begun. Nobody else works on it until `close`.
        `otherwise` decides where the network is not asked; None = who did so while it learned."""
        from spielwerk.nets.module import NetworkModule

        self.folder, self.game = RunFolder(path), game
        if not self.folder.config_file.exists():
            made = learner(begin)
            reason = made.why_not(game)
            if reason:
                phrase = "{learner} cannot learn {game}: {reason}"
                raise SpielwerkError(say(phrase, learner=made.name, game=game.title, reason=reason))
            names = {"game": game.spec.id, "variant": game.variant, "seats": game.seats, "learner": made.spec}
            self.folder.create(names | {"seed": seed, "threads": 1, "versions": versions()})
        begun = self.folder.game()
        if (begun.spec.id, begun.variant) != (game.spec.id, game.variant):
            phrase = "{folder} learns {found}, not {wanted}; name another folder"
            other, wanted = (f"{table.spec.id} ({table.variant})" for table in (begun, game))
            raise SpielwerkError(say(phrase, folder=path, found=other, wanted=wanted))
        found = self.folder.learner()
        if not isinstance(found, PolicyGradient) or found.kind != "q":
            phrase = (
                "{folder} is a run of {learner}; who learns while it plays is policygradient with rule=returns or td"
            )
            raise SpielwerkError(say(phrase, folder=path, learner=found.name))
        self._held = ExitStack()
        self._held.enter_context(self.folder.alone())
        self.learner = found
        self.limits = Limits(seed=int(self.folder.config()["seed"]))
        first = found.begun(game, self.folder, self.limits.seed)
        self.module = NetworkModule(first).to(device_of("auto"))
        self.optimiser = optimiser_of(found.optimiser, self.module, found.learning_rate)
        self.run = NetRun(found, game, self.folder, self.limits)
        self.run.counters = {"step": 0}
        kept = self.run.restore()
        if kept is not None:
            restore_training(kept, self.module, self.optimiser)
        self.mirror = Mirror(self.module.network(), by="q", otherwise=otherwise or found.otherwise)
        self.waiting: list[tuple[list[Noted], float]] = []
        self._playing = Lock()  # who plays and who overwrites what is played with
        self._desk = ThreadPoolExecutor(1, thread_name_prefix="pupil")  # learns beside the game
        self._work: list[Future[None]] = []

    @property
    def network(self) -> Network:
        return self.mirror.network

    @property
    def epsilon(self) -> float:
        """The share of random actions now."""
        done = min(1.0, float(self.run.counters["step"]) / self.learner.rounds)
        return self.learner.epsilon + (self.learner.final_epsilon - self.learner.epsilon) * done

    def seat(self, place: Place) -> "LearningSeat":
        """An agent for one more seat."""
        return LearningSeat(self, place)

    def warm_up(self) -> None:
        """Compile what playing needs: decide once about every kind of choice in a match."""
        position, rng = self.game.new(1), spawn(0)
        seat = self.seat(lambda view: 0)
        for _ in range(WARM_UP):
            if not position.over:
                who = position.actors[0]
                position.play({who: seat.decide(position.view(who), Budget(), rng).action})

    def choose(self, view: View, budget: Budget, rng: Rng) -> int:
        with self._playing:
            return self.mirror.decide(view, budget, rng).action

    def take(self, decisions: list[Noted], final: float) -> None:
        """One match of one seat. After as many as the learner plays at once it learns from them, beside the game."""
        if not decisions:
            return
        self.waiting.append((decisions, final))
        if len(self.waiting) >= self.learner.envs:
            matches, self.waiting = self.waiting, []
            self._work.append(self._desk.submit(self._learn, matches))

    def close(self) -> None:
        """Learn from what is left, and keep everything. What went wrong while it learned is raised here."""
        if self.waiting:
            self._work.append(self._desk.submit(self._learn, self.waiting))
        self._desk.shutdown()
        try:
            for work in self._work:
                work.result()
            self.run.judge_where_it_stops(lambda: encode(self.module.network()))
            self.run.save(training_arrays(self.module, self.optimiser))
        finally:
            self.run.close()
            self._held.close()

    def _learn(self, matches: list[tuple[list[Noted], float]]) -> None:
        import torch

        scale = np.float32(self.learner.scale_of(self.game))
        torch.manual_seed(update_seed(self.limits, self.run.counters["step"]))
        with torch_threads(self.learner.torch_threads):
            seen = played(_steps(matches, scale), len(matches), self.learner.gamma)
            learned = self.learner.learn_from(self.module, self.optimiser, seen, self.run)
        self.run.counters["step"] += 1
        counts = {"decisions": float(len(seen.actions)), "matches": float(len(matches))}
        self.run.log(**learned._asdict(), reward=seen.reward, **counts)
        self.run.save(training_arrays(self.module, self.optimiser))
        with self._playing:
            self.mirror.refresh(self.module.network())


def _steps(matches: list[tuple[list[Noted], float]], scale: np.float32) -> list[Step]:
    """The n-th decisions of all matches are one step."""
    steps = []
    for number in range(max(len(decisions) for decisions, _ in matches)):
        rows = [row for row, (decisions, _) in enumerate(matches) if len(decisions) > number]
        noted = [matches[row][0][number] for row in rows]
        later = [
            matches[row][0][number + 1].standing if len(matches[row][0]) > number + 1 else matches[row][1]
            for row in rows
        ]
        gained = np.array([end - one.standing for end, one in zip(later, noted, strict=True)], np.float32) / scale
        steps.append(
            Step(
                np.array(rows),
                np.array([one.inputs for one in noted]),
                np.array([one.legal for one in noted]),
                np.array([one.action for one in noted]),
                gained,
            )
        )
    return steps


@dataclass(frozen=True, eq=False)
class LearningSeat(Agent):
    """One seat of a pupil: it plays, and remembers what it did in the present match."""

    name: ClassVar[str] = "pupil"

    pupil: Pupil
    place: Place
    noted: dict[int, Noted] = field(default_factory=dict)  # by place

    @property
    def spec(self) -> str:
        return self.name

    def why_not(self, game: Game) -> str | None:
        return self.pupil.mirror.why_not(game)

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        head = self.pupil.network.description.heads["q"]
        known = [action for action in view.legal if 0 <= action - head.first < head.outputs]
        chosen = self.pupil.choose(view, budget, rng)
        if not known:
            return Decision(chosen)
        if fraction(rng) < self.pupil.epsilon:
            chosen = known[pick(rng, len(known))]
        legal = np.zeros(head.outputs, bool)
        legal[[action - head.first for action in known]] = True
        had = standing(view, view.seat, self.pupil.learner.unit(view.game))
        self.noted[self.place(view)] = Noted(features_of(self.pupil.network, view), legal, chosen - head.first, had)
        return Decision(chosen)

    def ended(self, final: View, played_at: Mapping[int, int]) -> None:
        """The match is over; what was played at every place says which decisions were its own: somebody else may have
        answered in its place."""
        first = self.pupil.network.description.heads["q"].first
        noted = [one for place, one in sorted(self.noted.items()) if played_at.get(place) == one.action + first]
        self.noted.clear()
        self.pupil.take(noted, standing(final, final.seat, self.pupil.learner.unit(final.game)))
