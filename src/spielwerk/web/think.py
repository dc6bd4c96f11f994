"""Work in the background, so that no page ever waits on a blocked server.

`Threads` runs what is short: tables, pictures and the store. `Preparer` compiles a game's and an agent's code on
first use, one at a time. `Thinker` runs decisions in threads of their own with a hard limit.
"""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget, Thinkers
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, pick, spawn
from spielwerk.core.linker import on_compile
from spielwerk.core.position import SPECTATOR, View
from spielwerk.core.running import warm

WARM_EVENTS = 40
R = TypeVar("R")


def warm_game(game: Game) -> None:
    """Call everything once that tables, pictures and records call."""
    position, rng = game.opening(0), spawn(0, 1)
    for _ in range(WARM_EVENTS):
        if position.over:
            break
        if position.actor_set == 0:
            before = position.copy()
            before.happen(position.roll_noted())
            continue
        moves: dict[int, int | str] = {}
        for seat in position.actors:
            view = position.view(seat)
            game.svg(view)
            moves[seat] = view.legal[pick(rng, len(view.legal))]
        position.apply(moves)
    game.svg(position.view(SPECTATOR))
    _ = (position.score, position.result, position.teams)


class Threads:
    """A small pool for whatever touches a game or the store."""

    def __init__(self, count: int) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="table")

    async def work(self, function: Callable[..., R], *args: object) -> R:
        """Run something that touches a game or the store, in a thread that speaks the visitor's language."""
        context = contextvars.copy_context()
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(context.run, function, *args))

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


class Preparer:
    """Compiles on first use, one thing after the other, and says so."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="prepare")
        self._tasks: dict[Hashable, asyncio.Future[None]] = {}
        self._compiling: dict[str, Game] = {}  # by id
        self._changed = threading.Lock()

    @property
    def compiling(self) -> list[str]:
        """The titles of the games that are being compiled right now."""
        with self._changed:
            return sorted(game.title for game in self._compiling.values())

    def is_ready(self, game: str) -> bool:
        task = self._tasks.get(game)
        return task is not None and task.done() and task.exception() is None

    async def game(self, game: Game) -> None:
        await self._once(game.spec.id, game, warm_game, game)

    async def agent(self, game: Game, spec: str) -> None:
        await self.game(game)
        await self._once((game.spec.id, spec), game, warm, game, registry.agent(spec))

    async def _once(self, key: Hashable, game: Game, work: Callable[..., None], *args: Any) -> None:
        task = self._tasks.get(key)
        if task is None or (task.done() and task.exception() is not None):
            loop = asyncio.get_running_loop()
            task = self._tasks[key] = loop.run_in_executor(self._pool, self._run, game, work, args)
        await asyncio.shield(task)

    def _run(self, game: Game, work: Callable[..., None], args: tuple[Any, ...]) -> None:
        def tell(name: str) -> None:
            with self._changed:
                self._compiling[game.spec.id] = game

        try:
            with on_compile(tell):
                work(*args)
        finally:
            with self._changed:
                self._compiling.pop(game.spec.id, None)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class Thinker:
    """Decisions in threads of their own, so many at once; see core.clock."""

    def __init__(self, at_once: int) -> None:
        self._room = asyncio.Semaphore(at_once)
        self._thinkers = Thinkers()

    @property
    def left_behind(self) -> int:
        return self._thinkers.left_behind

    async def decide(self, agent: Agent, view: View, budget: Budget, rng: Rng, limit: float) -> Decision:
        """The agent's decision, or OutOfTime after `limit` seconds."""
        async with self._room:
            return await self._thinkers.within(limit, agent, view, budget, rng)
