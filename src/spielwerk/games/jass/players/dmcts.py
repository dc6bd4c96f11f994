"""dmcts: determinized search for Schieber Jass over sampled worlds, exact in the last tricks.

The work is cut into blocks with their own random streams, so that the answer is the same for any number of threads.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from spielwerk.agents.common import only_action
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget, spend
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, seed_of, spawn
from spielwerk.core.linker import specialise
from spielwerk.core.position import View
from spielwerk.games.jass.game import Jass
from spielwerk.games.jass.kernel.solve import new_memory
from spielwerk.games.jass.players import say
from spielwerk.games.jass.players.kernel.dmcts import compare
from spielwerk.games.jass.players.rules import rules_weights

BLOCKS = 8
Block = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class Dmcts(Agent):
    """Jass: all legal cards and modes compared on the same imagined deals, finished by rule players and exactly."""

    name: ClassVar[str] = "dmcts"

    worlds: Annotated[int, "imagined deals per decision"] = 200
    seconds: Annotated[float | None, "think as long as this instead, whatever the number of worlds"] = None
    exact: Annotated[int, "tricks from the end that are solved exactly in every world"] = 3
    threads: Annotated[int, "threads for one decision"] = 1

    def __post_init__(self) -> None:
        if self.worlds < 1 or self.threads < 1 or not 0 <= self.exact <= 7:
            raise SpielwerkError(say("dmcts: worlds and threads start at 1, exact goes from 0 to 7"))
        if self.seconds is not None and self.seconds <= 0:
            raise SpielwerkError(say("dmcts: seconds must be above 0"))

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        forced = only_action(view)
        if forced:
            return forced
        game, legal = view.game, view.legal
        search = specialise(compare, game)
        weights = rules_weights()
        seed = seed_of(rng)

        def block(number: int, worlds: int) -> Block:
            sums, squares = np.zeros(game.spec.widest), np.zeros(game.spec.widest)
            search(
                view.state, game.states(2), view.seat, worlds, self.exact, weights, new_memory(14), game.scratch(),
                spawn(seed, number), sums, squares,
            )  # fmt: skip
            return sums, squares

        if budget.ends() is None and self.seconds is not None:
            budget = Budget(seconds=self.seconds)
        ends = budget.ends()
        pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        try:
            if ends is None:
                wanted = budget.playouts or self.worlds
                sizes = [wanted // BLOCKS + (n < wanted % BLOCKS) for n in range(BLOCKS)]
                sizes = [size for size in sizes if size]
                done = list((pool.map if pool else map)(block, range(len(sizes)), sizes))
                worlds = wanted
            else:
                done, worlds = self._until(ends, block, pool)
        finally:
            if pool:
                pool.shutdown()
        mean = np.sum([sums for sums, _ in done], axis=0)[: len(legal)] / worlds
        square = np.sum([squares for _, squares in done], axis=0)[: len(legal)] / worlds
        error = np.sqrt(np.maximum(square - mean**2, 0.0) / worlds)
        return Decision(
            legal[int(np.argmax(mean))],
            values=tuple(float(value) for value in mean),
            visits=(worlds,) * len(legal),
            error=tuple(float(value) for value in error),
            unit="lead",
            within=game.spec.horizon,
            notes={"worlds": worlds},
        )

    def _until(self, ends: float, block, pool) -> tuple[list[Block], int]:  # type: ignore[no-untyped-def]
        """Blocks of growing size until the time is up; at least one."""
        done: list[Block] = []

        def more(size: int) -> None:
            numbers = range(len(done), len(done) + self.threads)
            done.extend((pool.map if pool else map)(block, numbers, [size] * self.threads))

        return done, self.threads * spend(ends, more)

    def why_not(self, game: Game) -> str | None:
        return None if isinstance(game, Jass) else say("its playouts know Jass only")
