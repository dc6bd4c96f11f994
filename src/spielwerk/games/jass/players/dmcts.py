"""dmcts: determinized search for Schieber Jass over sampled worlds, exact in the last tricks.

The work is cut into blocks with their own random streams, so that the answer is the same for any number of threads.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.agents.common import nothing_found, only_action, threads_for
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget, spend
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, seed_of, spawn
from spielwerk.core.linker import specialise
from spielwerk.core.position import View
from spielwerk.core.ranges import ITERATIONS, THREADS, Range
from spielwerk.core.signs import StopSign
from spielwerk.games.jass.game import Jass
from spielwerk.games.jass.kernel.solve import new_memory
from spielwerk.games.jass.players import say
from spielwerk.games.jass.players.kernel.dmcts import compare
from spielwerk.games.jass.players.rules import rules_weights

BLOCKS = 8


class Block(NamedTuple):
    """Sums per action."""

    leads: NDArray[np.float64]
    squares: NDArray[np.float64]
    visits: NDArray[np.int64]


@dataclass(frozen=True)
class Dmcts(Agent):
    """Jass: all legal cards and modes compared on the same imagined deals, finished by rule players and exactly."""

    name: ClassVar[str] = "dmcts"

    worlds: Annotated[int, ITERATIONS, "imagined deals per decision"] = 200
    seconds: Annotated[
        float | None, Range(0.001, 86_400), "think as long as this instead, whatever the number of worlds"
    ] = None
    exact: Annotated[int, Range(0, 7), "tricks from the end that are solved exactly in every world"] = 3
    threads: Annotated[int, THREADS, "threads for one decision"] = 1

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        forced = only_action(view)
        if forced:
            return forced
        game, legal = view.game, view.legal
        search = specialise(compare, game)
        weights = rules_weights()
        seed = seed_of(rng)

        def block(number: int, worlds: int) -> Block:
            widest = game.spec.widest
            sums = Block(np.zeros(widest), np.zeros(widest), np.zeros(widest, np.int64))
            search(
                view.state, game.states(2), view.seat, worlds, self.exact, weights, new_memory(14, sign),
                game.scratch(sign=sign), spawn(seed, number), *sums,
            )  # fmt: skip
            return sums

        if budget.ends() is None and self.seconds is not None:
            budget = replace(budget, seconds=self.seconds)
        with budget.watch() as sign, threads_for(self.threads, sign) if self.threads > 1 else nullcontext() as pool:
            if sign.ends is None:
                wanted = budget.playouts or self.worlds
                sizes = [wanted // BLOCKS + (n < wanted % BLOCKS) for n in range(BLOCKS)]
                sizes = [size for size in sizes if size]
                done = list((pool.map if pool else map)(block, range(len(sizes)), sizes))
            else:
                done = self._until(sign.ends, sign, block, pool)
        leads, squares, visits = (np.sum(parts, axis=0)[: len(legal)] for parts in zip(*done, strict=True))
        if not visits.any():
            return nothing_found(view, rng)
        worlds = int(visits.max())
        played = np.maximum(visits, 1)
        mean = np.where(visits > 0, leads / played, np.nan)
        error = np.sqrt(np.maximum(squares / played - mean**2, 0.0) / played)
        return Decision(
            legal[int(np.argmax(np.where(visits > 0, mean, -np.inf)))],
            values=tuple(float(value) for value in mean),
            visits=tuple(int(count) for count in visits),
            error=tuple(float(value) for value in error),
            unit="lead",
            within=game.spec.horizon,
            notes={"worlds": worlds},
        )

    def _until(
        self, ends: float, sign: StopSign, block: Callable[[int, int], Block], pool: ThreadPoolExecutor | None
    ) -> list[Block]:
        """Blocks of growing size until the time is up; at least one."""
        done: list[Block] = []

        def more(size: int) -> int:
            numbers = range(len(done), len(done) + self.threads)
            made = list((pool.map if pool else map)(block, numbers, [size] * self.threads))
            done.extend(made)
            return size if any(sums.visits.any() for sums in made) else 0

        spend(ends, more, 1, sign)
        return done

    def why_not(self, game: Game) -> str | None:
        return None if isinstance(game, Jass) else say("its playouts know Jass only")
