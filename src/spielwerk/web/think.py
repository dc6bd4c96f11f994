"""Work in the background, so that no page ever waits on a blocked server.

`Threads` runs what is short: tables, pictures and the store. `Preparer` compiles a game's and an agent's code on
first use, one at a time, the most urgent first. `Thinker` runs decisions in threads of their own with a hard limit.
"""

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from typing import NamedTuple, TypeVar

from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget, Thinkers
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, pick, spawn
from spielwerk.core.linker import on_compile
from spielwerk.core.position import SPECTATOR, View
from spielwerk.core.running import warm
from spielwerk.web.language import say
from spielwerk.web.limits import Turns

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


class Urgency(IntEnum):
    """What is prepared first."""

    NOW = 0  # somebody waits for it
    SOON = 1  # a match has begun that will need it
    SOMETIME = 2  # a picture on the home page


@dataclass(eq=False)
class Part:
    """Something that is compiled on first use."""

    key: Hashable
    game: Game
    name: Callable[[], str]  # in the language that is spoken
    work: Callable[[], None]
    urgency: Urgency
    number: int  # the order in which they were asked for
    future: Future[None] = field(default_factory=Future)

    @property
    def done(self) -> bool:
        return self.future.done()


class Needs(NamedTuple):
    """What a match needs that is compiled on first use."""

    match: list[Part]  # the rules and the agents
    hints: list[Part]  # people can play before this is there

    @property
    def done(self) -> bool:
        return all(part.done for part in (*self.match, *self.hints))


class Preparer:
    """Compiles on first use, one thing after the other, and says so. What somebody waits for comes before what will be
    needed soon, and that before the pictures of the home page."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="prepare")
        self._parts: dict[Hashable, Part] = {}
        self._waiting: list[Part] = []
        self._current: Part | None = None
        self._compiling = False  # the current part does not only load what was compiled before
        self._count = 0
        self._changed = threading.Lock()

    @property
    def compiling(self) -> list[str]:
        """The titles of the games that are being compiled right now."""
        with self._changed:
            return [self._current.game.title] if self._current and self._compiling else []

    def is_ready(self, game: str) -> bool:
        part = self._parts.get(game)
        return part is not None and part.done and not part.future.cancelled() and part.future.exception() is None

    async def game(self, game: Game, urgency: Urgency = Urgency.NOW) -> None:
        await self.finish(self.game_part(game, urgency))

    async def agent(self, game: Game, spec: str, urgency: Urgency = Urgency.NOW) -> None:
        await self.game(game, urgency)
        await self.finish(self.agent_part(game, spec, urgency))

    def game_part(self, game: Game, urgency: Urgency = Urgency.NOW) -> Part:
        return self.part(game.spec.id, game, lambda: say("the rules"), partial(warm_game, game), urgency)

    def agent_part(self, game: Game, spec: str, urgency: Urgency = Urgency.NOW) -> Part:
        agent = registry.agent(spec)
        return self.part(
            (game.spec.id, spec),
            game,
            lambda: say("the agent {agent}", agent=agent.name),
            partial(warm, game, agent),
            urgency,
        )

    def part(
        self, key: Hashable, game: Game, name: Callable[[], str], work: Callable[[], None], urgency: Urgency
    ) -> Part:
        """Something to prepare. It is prepared once, and sooner if somebody asks for it more urgently; what failed is
        tried again."""
        with self._changed:
            part = self._parts.get(key)
            if part is None or (part.done and (part.future.cancelled() or part.future.exception() is not None)):
                self._count += 1
                part = self._parts[key] = Part(key, game, name, work, urgency, self._count)
                self._waiting.append(part)
                self._pool.submit(self._work)
            part.urgency = min(part.urgency, urgency)
            return part

    async def finish(self, part: Part) -> None:
        """Wait until a part is prepared; raises what went wrong with it."""
        await asyncio.shield(asyncio.wrap_future(part.future))

    def progress(self, game: Game, needs: Needs) -> dict[str, object]:
        """What a page is told: what is prepared for a match, and how far it is. `waits`: it cannot go on before."""
        parts = [*needs.match, *needs.hints]
        with self._changed:
            current = self._current
        what = ""
        if current is not None and current in parts:
            what = current.name()
        elif current is not None:  # another's, which was begun before
            what = say("first {game}", game=current.game.title)
        done = sum(part.done for part in parts)
        waits = not all(part.done for part in needs.match)
        place = {"n": min(done + 1, len(parts)), "of": len(parts)}
        return {"type": "preparing", "title": game.title, "what": what, **place, "waits": waits}

    def _work(self) -> None:
        """In the thread: prepare what is most urgent."""
        with self._changed:
            part = min(self._waiting, key=lambda waiting: (waiting.urgency, waiting.number))
            self._waiting.remove(part)
            self._current, self._compiling = part, False
        try:
            with on_compile(self._tell):
                part.work()
        except BaseException as problem:
            self._end(part)
            part.future.set_exception(problem)
        else:
            self._end(part)
            part.future.set_result(None)

    def _tell(self, name: str) -> None:
        self._compiling = True

    def _end(self, part: Part) -> None:
        with self._changed:
            self._current, self._compiling = None, False

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        with self._changed:
            for part in self._waiting:
                part.future.cancel()


class Places:
    """So many at once; whoever else wants one waits, and visitors take turns."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: Turns[asyncio.Future[None]] = Turns()

    @asynccontextmanager
    async def place(self, who: str) -> AsyncIterator[None]:
        if self._free:
            self._free -= 1
        else:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.put(who, turn)
            try:
                await turn
            except asyncio.CancelledError:
                if not turn.cancelled():  # it had just been given
                    self._leave()
                raise
        try:
            yield
        finally:
            self._leave()

    def _leave(self) -> None:
        while (turn := self._waiting.take()) is not None:
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class Thinker:
    """Decisions in threads of their own, so many at once; see core.clock. Who waits no longer for one stops it."""

    def __init__(self, at_once: int) -> None:
        self._places = Places(at_once)
        self._thinkers = Thinkers()

    @property
    def left_behind(self) -> int:
        return self._thinkers.left_behind

    async def decide(self, agent: Agent, view: View, budget: Budget, rng: Rng, limit: float, who: str = "") -> Decision:
        """The agent's decision, or OutOfTime after `limit` seconds. `who` asks: visitors take turns."""
        async with self._places.place(who):
            return await self._thinkers.within(limit, agent, view, budget, rng)
