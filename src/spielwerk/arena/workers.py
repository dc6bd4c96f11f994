"""Many independent matches over threads, processes or a cluster, with the same results for any number of workers."""

import time
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from spielwerk.arena.words import say
from spielwerk.core import registry
from spielwerk.core.agent import Agent, Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.match import Played, compiled_policies, run_many
from spielwerk.core.rng import seed_of, spawn
from spielwerk.core.words import number

Backend = Literal["auto", "threads", "processes", "ray"]


class Task(NamedTuple):
    """One match to be played."""

    number: int
    seed: int
    agents: tuple[Agent, ...]  # by seat


def match_seed(seed: int, number: int) -> int:
    """The seed of the n-th match below `seed`. Fits into 53 bits, so that JSON keeps it exactly."""
    return seed_of(spawn(seed, number)) >> 11


def play_all(
    game: Game, tasks: Sequence[Task], workers: int = 1, backend: Backend = "auto", budget: Budget | None = None
) -> Iterator[tuple[Task, Played]]:
    """Play all matches and yield them in order as they are finished."""
    if workers < 1:
        raise SpielwerkError(f"{workers} workers cannot work; take at least 1")
    agents = {agent for task in tasks for agent in task.agents}
    for agent in agents:
        agent.require(game)
    fast = bool(tasks) and all(compiled_policies(game, line_up) for line_up in {task.agents for task in tasks})
    if backend == "auto":  # only whole matches in compiled code run side by side in threads
        backend = "threads" if fast or not registry.everywhere(game, agents) else "processes"
    if workers == 1 and backend != "ray":
        for batch in _batches(tasks, 1, fast):
            yield from zip(batch, _play_batch(game, batch, budget), strict=True)
        return
    from joblib import Parallel, delayed, parallel_config

    batches = _batches(tasks, workers, fast)
    if backend == "threads":
        with parallel_config("threading", n_jobs=workers):
            played = Parallel(return_as="generator")(delayed(_play_batch)(game, batch, budget) for batch in batches)
            for batch, results in zip(batches, played, strict=True):
                yield from zip(batch, results, strict=True)
        return
    if backend == "ray":
        _register_ray()
    _play_batch(game, [tasks[0]], budget)  # fill the cache of compiled code before the workers look for it
    name = "loky" if backend == "processes" else "ray"
    with parallel_config(name, n_jobs=workers):
        calls = (
            delayed(_play_names)(
                game.spec.id,
                game.seats,
                game.variant,
                [(task.seed, [agent.spec for agent in task.agents]) for task in batch],
                budget,
            )
            for batch in batches
        )
        if name == "ray":  # joblib's generators are only offered by its own backends
            for batch, results in zip(batches, Parallel()(calls), strict=True):
                yield from zip(batch, [_filled(game, *row) for row in results], strict=True)
            return
        for batch, results in zip(batches, Parallel(return_as="generator")(calls), strict=True):
            yield from zip(batch, [_filled(game, *row) for row in results], strict=True)


def _batches(tasks: Sequence[Task], workers: int, fast: bool) -> list[list[Task]]:
    """Runs of tasks with the same line-up; large where matches run in compiled code, single matches elsewhere."""
    size = max(1, min(2000, len(tasks) // (8 * workers))) if fast else 1
    batches: list[list[Task]] = []
    for task in tasks:
        if batches and len(batches[-1]) < size and batches[-1][0].agents == task.agents:
            batches[-1].append(task)
        else:
            batches.append([task])
    return batches


def _play_batch(game: Game, batch: Sequence[Task], budget: Budget | None) -> list[Played]:
    return run_many(game, batch[0].agents, [task.seed for task in batch], budget)


def _play_names(
    game_id: str, seats: int, variant: str, matches: Sequence[tuple[int, list[str]]], budget: Budget | None
) -> list[tuple[int, tuple[float, ...], tuple[float, ...], bytes, bytes, float]]:
    """In a worker process: names come in, plain data goes out."""
    game = registry.game(game_id, seats, variant)
    agents = [registry.agent(spec) for spec in matches[0][1]]
    played = run_many(game, agents, [seed for seed, _ in matches], budget)
    return [(p.seed, p.scores, p.results, p.final.tobytes(), p.log.tobytes(), p.seconds) for p in played]


def _filled(
    game: Game,
    seed: int,
    scores: tuple[float, ...],
    results: tuple[float, ...],
    final: bytes,
    log: bytes,
    seconds: float,
) -> Played:
    state = game.states(1)
    state[0] = np.frombuffer(final, state.dtype)[0]
    return Played(seed, scores, results, state, np.frombuffer(log, np.int16), seconds)


def _register_ray() -> None:
    try:
        from ray.util.joblib import register_ray
    except ImportError:
        raise SpielwerkError("the backend ray needs the extra 'cluster': pip install spielwerk[cluster]") from None
    register_ray()


class Rate:
    """Matches per second for a progress line."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.count = 0

    def line(self, more: str) -> str:
        self.count += 1
        per_second = self.count / max(time.monotonic() - self.began, 1e-9)
        if per_second >= 1:
            rate = say("{count}/s", count=number(per_second, 1))
        else:
            rate = say("{seconds} s each", seconds=number(1 / per_second, 1))
        return f"{rate}, {more}" if more else rate
