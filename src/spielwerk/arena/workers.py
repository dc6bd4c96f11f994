"""Many independent matches over threads, processes or a cluster, with the same results for any number of workers."""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from spielwerk.arena.crews import Backend as Backend
from spielwerk.arena.crews import crew_of, require_ray
from spielwerk.arena.words import say
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget, Stopped, StopSign
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import seed_of, spawn
from spielwerk.core.running import Played, compiled_policies, run_many
from spielwerk.core.words import number

MOST_OPENING = 1000  # random first moves
MOST_WORKERS = 1000
LOOK = 0.05  # seconds after which a sign is looked at


class Task(NamedTuple):
    """One match to be played."""

    number: int
    seed: int
    agents: tuple[Agent, ...]  # by seat


def match_seed(seed: int, number: int) -> int:
    """The seed of the n-th match below `seed`. Fits into 53 bits, so that JSON keeps it exactly."""
    return seed_of(spawn(seed, number)) >> 11


def check_workers(workers: int) -> None:
    if workers < 1:
        raise SpielwerkError(say("{workers} workers cannot work; take at least 1", workers=workers))
    if workers > MOST_WORKERS:
        raise SpielwerkError(
            say("{workers} workers are too many; take at most {most}", workers=workers, most=MOST_WORKERS)
        )


def check_opening(opening: int) -> None:
    if not 0 <= opening <= MOST_OPENING:
        phrase = "{opening} random first moves are not possible; take 0 to {most}"
        raise SpielwerkError(say(phrase, opening=opening, most=MOST_OPENING))


def check_tasks(game: Game, tasks: Iterable[Task], workers: int, backend: Backend) -> None:
    """Raise what would go wrong before the first match."""
    check_workers(workers)
    agents = {agent for task in tasks for agent in task.agents}
    for agent in agents:
        agent.require(game)
    if backend in ("processes", "ray") and not registry.everywhere(game, agents):
        phrase = "other processes do not know what was only registered here; take the backend threads"
        raise SpielwerkError(say(phrase))
    if backend == "ray":
        require_ray()


def play_all(
    game: Game,
    tasks: Sequence[Task],
    workers: int = 1,
    backend: Backend = "auto",
    budget: Budget | None = None,
    opening: int = 0,
    sign: StopSign | None = None,
) -> Iterator[tuple[Task, Played]]:
    """Play all matches, with `opening` random first moves each, and yield them in order as they are finished. Raises
    Stopped soon after the sign is set."""
    check_tasks(game, tasks, workers, backend)
    if not tasks:
        return
    line_ups = {task.agents for task in tasks}
    fast = budget is None and all(compiled_policies(game, line_up) for line_up in line_ups)
    if backend == "auto":  # only whole matches in compiled code run side by side in threads
        everywhere = registry.everywhere(game, {agent for line_up in line_ups for agent in line_up})
        backend = "threads" if fast or not everywhere else "processes"
    pace = Pace(max(1, min(2000, len(tasks) // (8 * workers))) if fast else 1)
    with StopSign(sign) as own:
        if workers > 1 or backend == "ray":
            yield from _side_by_side(game, tasks, workers, backend, budget, opening, pace, own)
            return
        for batch in _batches(tasks, pace):
            played = _play_batch(game, batch, budget, opening, own)
            pace.learn(played[0].seconds)
            yield from zip(batch, played, strict=True)


def _side_by_side(
    game: Game,
    tasks: Sequence[Task],
    workers: int,
    backend: Backend,
    budget: Budget | None,
    opening: int,
    pace: "Pace",
    sign: StopSign,
) -> Iterator[tuple[Task, Played]]:
    if backend != "threads":  # the first match fills the cache of compiled code before the workers look for it
        [first] = _play_batch(game, tasks[:1], budget, opening, sign)
        yield tasks[0], first
        tasks = tasks[1:]
    batches = _batches(tasks, pace)
    crew = crew_of(backend, workers)
    given: deque[tuple[list[Task], Any]] = deque()  # in the order in which results are given on
    running: set[Any] = set()
    try:
        while True:
            while len(running) < crew.at_once and len(given) < 4 * workers and (batch := next(batches, None)):
                if backend == "threads":
                    asked = crew.give(_play_batch, game, batch, budget, opening, sign)
                else:
                    matches = [(task.seed, [agent.spec for agent in task.agents]) for task in batch]
                    asked = crew.give(_play_names, game.spec.id, game.seats, game.variant, matches, budget, opening)
                given.append((batch, asked))
                running.add(asked)
            if not given:
                return
            running -= crew.finished(running, LOOK)
            if sign.is_set():
                raise Stopped
            while given and given[0][1] not in running:
                batch, asked = given.popleft()
                results = crew.result(asked)
                played = results if backend == "threads" else [_filled(game, *row) for row in results]
                pace.learn(played[0].seconds)
                yield from zip(batch, played, strict=True)
    finally:
        sign.set()  # who plays in threads looks at it
        crew.leave(running)


class Pace:
    """How many matches go into one batch: as many as take about a second, so that everybody sees how it goes and a kill
    loses little. What a batch holds changes no result."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.size = 1

    def learn(self, seconds: float) -> None:
        """A match took so long."""
        self.size = max(1, min(self.most, 2 * self.size, int(1 / max(seconds, 1e-9))))


def _batches(tasks: Sequence[Task], pace: Pace) -> Iterator[list[Task]]:
    """Runs of tasks with the same line-up."""
    done = 0
    while done < len(tasks):
        upto = done + 1
        while upto < min(done + pace.size, len(tasks)) and tasks[upto].agents == tasks[done].agents:
            upto += 1
        yield list(tasks[done:upto])
        done = upto


def _play_batch(game: Game, batch: Sequence[Task], budget: Budget | None, opening: int, sign: StopSign) -> list[Played]:
    return run_many(game, batch[0].agents, [task.seed for task in batch], budget, opening=opening, sign=sign)


def _play_names(
    game_id: str,
    seats: int,
    variant: str,
    matches: Sequence[tuple[int, list[str]]],
    budget: Budget | None,
    opening: int,
) -> list[tuple[int, tuple[float, ...], tuple[float, ...], bytes, bytes, float]]:
    """In a worker process: names come in, plain data goes out."""
    game = registry.game(game_id, seats, variant)
    agents = [registry.agent(spec) for spec in matches[0][1]]
    played = run_many(game, agents, [seed for seed, _ in matches], budget, opening=opening)
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
