"""Stepping through environments: what learners see of any `gymnasium.vector.VectorEnv`.

It must reset an environment in the step that ends its episode (`AutoresetMode.SAME_STEP`). `infos["action_mask"]` says
which actions are legal; without it all are. Where an episode is cut off by a limit of time, and not by its rules, its
last position still has a value: it comes from `infos["final_obs"]`.
"""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel.rng import seed_of, spawn
from spielwerk.core.words import number
from spielwerk.learn.words import say

if TYPE_CHECKING:
    from gymnasium import Env
    from gymnasium.vector import VectorEnv

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Actions = NDArray[np.int64]
MASK = "action_mask"
LOG_EVERY = 10_000  # steps between two lines of the log


def require_gymnasium() -> None:
    try:
        import gymnasium  # noqa: F401
    except ImportError:
        raise SpielwerkError(say("environments need gymnasium: pip install 'spielwerk[learn]'")) from None


def vector_of(make: "Callable[[], Env[Any, Any]]", count: int) -> "VectorEnv[Any, Any, Any]":
    """So many equal environments, one after the other in this process."""
    require_gymnasium()
    from gymnasium.vector import AutoresetMode, SyncVectorEnv

    return SyncVectorEnv([make] * count, autoreset_mode=AutoresetMode.SAME_STEP)


def rows_of(space: Any, seen: Any) -> Floats:
    """What many environments show, as rows of numbers in the manner of `gymnasium.spaces.flatten`: a choice as one of
    many, several things one after the other."""
    from gymnasium.spaces import Dict, Discrete, Tuple

    if isinstance(space, Discrete):
        return np.eye(int(space.n), dtype=np.float32)[np.asarray(seen, np.int64) - int(space.start)]
    if isinstance(space, Tuple):
        return np.hstack([rows_of(part, each) for part, each in zip(space.spaces, seen, strict=True)])
    if isinstance(space, Dict):
        return np.hstack([rows_of(part, seen[key]) for key, part in space.spaces.items()])
    rows = np.array(seen, np.float32)
    return rows.reshape(len(rows), -1)


class Step(NamedTuple):
    """What one step of all environments has brought."""

    rewards: Floats  # [envs]
    after: Floats  # [envs, inputs] what is seen next; the last position of an episode that was cut off
    legal: Flags  # [envs, actions] the same
    ended: Flags  # [envs] by the rules
    cut: Flags  # [envs] by a limit of time


class Stepper:
    """Many environments that go on together, what is seen in each of them now, and which actions are legal."""

    def __init__(self, env: "VectorEnv[Any, Any, Any]", seed: int) -> None:
        self.env, self.count, self.space = env, env.num_envs, env.single_observation_space
        self.actions = int(env.single_action_space.n)  # type: ignore[attr-defined]
        seen, infos = env.reset(seed=seed_of(spawn(seed, 0)) >> 33)
        self.seen = rows_of(self.space, seen)
        self.inputs = self.seen.shape[1]
        self.legal = self._legal(infos)
        self.sums = np.zeros(self.count)  # rewards of the present episodes
        self.finished: list[tuple[int, float]] = []  # environment and sum of rewards of every episode that has ended

    def step(self, actions: Actions) -> Step:
        from gymnasium.spaces import flatten

        seen, rewards, ended, cut, infos = self.env.step(actions)
        self.seen, self.legal = rows_of(self.space, seen), self._legal(infos)
        after, legal = self.seen, self.legal
        cut = cut & ~ended
        if cut.any():
            after, legal = after.copy(), legal.copy()
            after[cut] = np.array([flatten(self.space, last) for last in infos["final_obs"][cut]], np.float32)
            legal[cut] = self._legal(infos.get("final_info", {}))[cut]
        self.sums += rewards
        for row in np.flatnonzero(ended | cut).tolist():
            self.finished.append((row, float(self.sums[row])))
            self.sums[row] = 0.0
        return Step(np.asarray(rewards, np.float32), after, legal, ended, cut)

    def show(self, env: "VectorEnv[Any, Any, Any]") -> None:
        """Go on in another environment of the same kind, which is where this one was, or where it was kept."""
        self.env = env
        shown = env.batch  # type: ignore[attr-defined]
        self.seen, self.legal = shown.observations.copy(), shown.masks.copy()

    def _legal(self, infos: dict[str, Any]) -> Flags:
        if MASK not in infos:
            return np.ones((self.count, self.actions), bool)
        legal: Flags = np.asarray(infos[MASK]).reshape(self.count, self.actions) != 0
        return legal


def best_legal(values: NDArray[Any], legal: Flags) -> Actions:
    """The legal action of the highest value in every row."""
    chosen: Actions = np.where(legal, values, -np.inf).argmax(axis=1)
    return chosen


def any_legal(legal: Flags, generator: np.random.Generator) -> Actions:
    """A legal action of every row, each of them equally likely."""
    chosen: Actions = np.where(legal, generator.random(legal.shape), -1.0).argmax(axis=1)
    return chosen


def explored(best: Actions, legal: Flags, epsilon: float, generator: np.random.Generator) -> Actions:
    """The best actions, with a share of `epsilon` any other legal ones."""
    anything = any_legal(legal, generator)
    return np.where(generator.random(len(best)) < epsilon, anything, best)


def falling(first: float, last: float, share: float) -> float:
    """A number that goes from `first` to `last` in a straight line while `share` goes from 0 to 1, and stays there."""
    return first + (last - first) * min(max(share, 0.0), 1.0)


def generator_of(seed: int, *path: int) -> np.random.Generator:
    """The randomness of the moment at `path`, the same whoever comes there, and whatever was interrupted before."""
    return np.random.default_rng(seed_of(spawn(seed, *path)))


def passed(before: int, now: int, every: int) -> bool:
    """Whether a multiple of `every` lies between two numbers of steps."""
    return before // every != now // every


class Pace:
    """Lines of progress."""

    def __init__(self) -> None:
        self.at, self.step = time.monotonic(), 0

    def line(self, step: int, figures: Mapping[str, float]) -> str:
        now = time.monotonic()
        rate, self.at, self.step = (step - self.step) / max(now - self.at, 1e-9), now, step
        if "reward" not in figures:
            return say("{rate} steps/s, no whole match yet", rate=number(rate))
        return say("{rate} steps/s, reward {reward} per match", rate=number(rate), reward=number(figures["reward"], 3))


def episodes(
    env: "VectorEnv[Any, Any, Any]", act: Callable[[Floats, Flags], Actions], count: int, seed: int
) -> NDArray[np.float64]:
    """The sums of rewards of at least `count` whole episodes, as many in each environment: the first that end anywhere
    would be short ones."""
    stepper, each = Stepper(env, seed), -(-count // env.num_envs)
    sums: list[list[float]] = [[] for _ in range(env.num_envs)]
    while min(map(len, sums)) < each:
        stepper.step(act(stepper.seen, stepper.legal))
        for row, gained in stepper.finished:
            sums[row].append(gained)
        stepper.finished.clear()
    return np.array([gained for one in sums for gained in one[:each]])
