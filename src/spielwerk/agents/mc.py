"""mc: flat Monte Carlo (Kutsch 2017, chapter 3).

The work is cut into blocks with their own random streams, so that the answer is the same for any number of threads.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.agents.common import Objective, bind, nothing_found, only_action, playout_depth, why_unbound
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget, spend
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, seed_of
from spielwerk.core.linker import specialise
from spielwerk.core.position import View
from spielwerk.core.ranges import DEPTH, ITERATIONS, THREADS
from spielwerk.core.signs import StopSign
from spielwerk.search.kernel.monte_carlo import monte_carlo, monte_carlo_paired

BLOCKS = 64  # enough for any number of cores to share evenly


class Sums(NamedTuple):
    """Of some blocks, [blocks, actions]."""

    worth: NDArray[np.float64]
    squares: NDArray[np.float64]
    visits: NDArray[np.int64]


Work = Callable[[int, NDArray[np.int64]], Sums]  # from a block on, blocks of these sizes


@dataclass(frozen=True)
class MonteCarlo(Agent):
    """Flat Monte Carlo: every legal action equally often, random playouts, best average."""

    name: ClassVar[str] = "mc"
    presets: ClassVar[dict[str, dict[str, str]]] = {"kutsch": {"rollout_depth": "20", "method": "2"}}  # Kutsch (2017)

    iterations: Annotated[int, ITERATIONS, "playouts per legal action"] = 1000
    rollout_depth: Annotated[int | None, DEPTH, "most decisions of a playout; none = to the end"] = None
    method: Annotated[
        Literal[1, 2], "2: a playout that ended is worth one less (one seat only); 1: points as they are"
    ] = 1
    objective: Annotated[Objective, "what is maximised; game = what the game suggests"] = "game"
    evaluation: Annotated[str, "what judges the end: playout, standing or another evaluation"] = "playout"
    playouts: Annotated[Agent | None, "agent whose compiled policy plays the playouts; none = random"] = None
    paired: Annotated[bool, "all actions meet the same random numbers in each iteration"] = False
    threads: Annotated[int, THREADS, "threads for one decision"] = 1

    def why_not(self, game: Game) -> str | None:
        return why_unbound(game, self.objective, self.evaluation, self.playouts)

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        forced = only_action(view)
        if forced:
            return forced
        game, legal, view = view.game, view.legal, view.game.horizon(view)
        binding = bind(game, self.objective, self.evaluation, self.playouts)
        search = specialise(monte_carlo_paired if self.paired else monte_carlo, game, **binding.functions)
        key = np.uint64(seed_of(rng))
        method = self.method if game.seats == 1 else 1
        depth = playout_depth(game, self.rollout_depth)

        def work(first_block: int, sizes: NDArray[np.int64]) -> Sums:
            """The sums of some blocks; with weights of its own, because policies may use theirs as work space."""
            own = bind(game, self.objective, self.evaluation, self.playouts)
            leaf = own.leaf(game, depth, method, np.zeros(1, np.uint64), sign)
            shape = len(sizes), game.spec.widest
            sums = Sums(np.zeros(shape), np.zeros(shape), np.zeros(shape, np.int64))
            actions = np.zeros(game.spec.widest, np.int64)
            search(view.state, game.states(2), view.seat, first_block, sizes, key, actions, leaf, *sums)
            return sums

        with budget.watch() as sign:
            if sign.ends is None:
                wanted = budget.playouts or self.iterations
                sizes = np.full(BLOCKS, wanted // BLOCKS)
                sizes[: wanted % BLOCKS] += 1
                done = self._shared(work, 0, sizes)
            else:
                done = self._until(sign.ends, sign, work)
        worth, squares, visits = (np.concatenate(parts).sum(axis=0)[: len(legal)] for parts in zip(*done, strict=True))
        if not visits.any():
            return nothing_found(view, rng)
        played = np.maximum(visits, 1)
        mean = np.where(visits > 0, worth / played, np.nan)
        error = np.sqrt(np.maximum(squares / played - mean**2, 0.0) / played)
        return Decision(
            legal[int(np.argmax(np.where(visits > 0, mean, -np.inf)))],
            values=tuple(float(value) for value in binding.shown(mean)),
            visits=tuple(int(count) for count in visits),
            error=tuple(float(value) for value in binding.shown(error)),
            unit="worth" if method == 2 else binding.objective,
            within=game.spec.horizon,
        )

    def _shared(self, work: Work, first: int, sizes: NDArray[np.int64]) -> list[Sums]:
        """The blocks shared out among the threads, results in the order of the blocks."""
        if self.threads == 1:
            return [work(first, sizes)]
        parts = np.array_split(np.arange(len(sizes)), min(self.threads, len(sizes)))
        return list(_pool(self.threads).map(lambda part: work(first + int(part[0]), sizes[part]), parts))

    def _until(self, ends: float, sign: StopSign, work: Work) -> list[Sums]:
        """Blocks of growing size until the time is up, at least one."""
        done: list[Sums] = []

        def more(size: int) -> int:
            made = self._shared(work, len(done), np.full(self.threads, size))
            done.extend(made)
            return size if any(sums.visits.any() for sums in made) else 0

        spend(ends, more, 1, sign)
        return done


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """One pool per number of threads, kept: making one takes as long as a short decision."""
    return ThreadPoolExecutor(threads, thread_name_prefix="mc")
