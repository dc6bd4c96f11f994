"""mc: flat Monte Carlo (Kutsch 2017, chapter 3).

The work is cut into blocks with their own random streams, so that the answer is the same for any number of threads.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from spielwerk.agents.common import Objective, bind, only_action
from spielwerk.core.agent import Agent, Budget, Decision
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import View
from spielwerk.core.kernel import specialise
from spielwerk.core.rng import Rng, seed_of, spawn
from spielwerk.search.monte_carlo import monte_carlo

BLOCKS = 8


@dataclass(frozen=True)
class MonteCarlo(Agent):
    """Flat Monte Carlo: every legal action equally often, random playouts, best average."""

    name: ClassVar[str] = "mc"

    iterations: Annotated[int, "playouts per legal action"] = 1000
    rollout_depth: Annotated[int, "most decisions of a playout"] = 20
    method: Annotated[Literal[1, 2], "2: a playout that ended is worth one less (one seat only); 1: points as they are"] = 2
    objective: Annotated[Objective, "what is maximised; game = what the game suggests"] = "game"
    evaluation: Annotated[str, "what judges the end: playout, standing or another evaluation"] = "playout"
    playouts: Annotated[Agent | None, "agent whose compiled policy plays the playouts; none = random"] = None
    threads: Annotated[int, "threads for one decision"] = 1

    def __post_init__(self) -> None:
        if self.iterations < 1 or self.rollout_depth < 0 or self.threads < 1:
            raise SpielwerkError("mc: iterations and threads start at 1, rollout_depth at 0")

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        forced = only_action(view)
        if forced:
            return forced
        game = view.game
        binding = bind(game, self.objective, self.evaluation, self.playouts)
        search = specialise(monte_carlo, game, **binding.functions)
        seed = seed_of(rng)
        method = self.method if game.seats == 1 else 1

        def block(number: int, iterations: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            sums, squares = np.zeros(game.spec.widest), np.zeros(game.spec.widest)
            actions, out = np.zeros(game.spec.widest, np.int64), np.zeros(game.seats)
            search(
                view.state, game.states(2), view.seat, iterations, actions, binding.weights, self.rollout_depth, method,
                binding.scale, game.scratch(), spawn(seed, number), out, sums, squares,
            )  # fmt: skip
            return sums, squares

        ends = budget.ends()
        wanted = budget.playouts or self.iterations
        pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        try:
            if ends is None:
                sizes = [wanted // BLOCKS + (n < wanted % BLOCKS) for n in range(BLOCKS)]
                sizes = [size for size in sizes if size]
                done = list((pool.map if pool else map)(block, range(len(sizes)), sizes))
                tries = wanted
            else:
                done, tries = self._until(ends, block, pool)
        finally:
            if pool:
                pool.shutdown()
        legal = view.legal
        mean = sum(sums for sums, _ in done)[: len(legal)] / tries
        square = sum(squares for _, squares in done)[: len(legal)] / tries
        error = np.sqrt(np.maximum(square - mean**2, 0.0) / tries)
        return Decision(
            legal[int(np.argmax(mean))],
            values=tuple(float(value) for value in binding.shown(mean)),
            visits=(tries,) * len(legal),
            error=tuple(float(value) for value in binding.shown(error)),
            unit="worth" if method == 2 else binding.objective,
        )

    def _until(self, ends: float, block, pool) -> tuple[list, int]:  # type: ignore[no-untyped-def, type-arg]
        """Blocks of growing size until the time is up; at least one."""
        done, tries, size = [], 0, 1
        while True:
            began = time.monotonic()
            numbers = range(len(done), len(done) + self.threads)
            done += list((pool.map if pool else map)(block, numbers, [size] * self.threads))
            tries += size * self.threads
            now = time.monotonic()
            left = ends - now
            per_iteration = (now - began) / size
            if left <= per_iteration:
                return done, tries
            size = max(1, min(size * 2, int(0.5 * left / per_iteration)))
