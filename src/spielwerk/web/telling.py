"""Who looks at a table, and what is sent to whom: scenes as each viewer may see them, messages in his language."""

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable

from spielwerk.core.words import language, speaking
from spielwerk.web import messages
from spielwerk.web.session import Table

MAILBOX = 64  # messages that wait for a slow viewer; older scenes make room

PointOfView = tuple[tuple[int, ...], int | None, str]  # seats held, seat from which the board is drawn, language
Drawn = dict[PointOfView, str]


class Viewer:
    """Somebody who looks at a match over a WebSocket."""

    def __init__(self, held: tuple[int, ...], control: bool = False, who: str = "") -> None:
        self.held = held
        self.control = control
        self.who = who  # address
        self.seat: int | None = None  # from whose place he wants to look
        self.language = language()
        self._mail: deque[str] = deque(maxlen=MAILBOX)
        self._there = asyncio.Event()

    @property
    def point_of_view(self) -> PointOfView:
        return self.held, self.seat, self.language

    def tell(self, text: str) -> None:
        self._mail.append(text)
        self._there.set()

    async def next(self) -> str:
        while not self._mail:
            self._there.clear()
            await self._there.wait()
        return self._mail.popleft()


class Live:
    """A table with the people around it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.viewers: set[Viewer] = set()
        self.driver: asyncio.Task[None] | None = None
        self.wanted = False  # somebody asked the agents to play on
        self.paused = False
        self.pause = 0.6  # seconds between two moves of a match between agents
        self.used = time.monotonic()
        self.telling = asyncio.Lock()
        self.quick = False  # all its agents decide at once, and everything is prepared for them
        self.slow: set[int] = set()  # seats whose agents overran the limit once
        self.who = table.id  # on whose account the agents think: who came or moved last
        self.hints: dict[int, tuple[tuple[int, bytes], messages.Hint]] = {}  # the last by seat: number, position; hint
        self.asking: dict[int, asyncio.Task[messages.Hint]] = {}  # hints that are thought about, by seat
        self.preparing: Callable[[], dict[str, object]] | None = None  # what everybody was told of the preparation
        self.telling_progress: asyncio.Task[None] | None = None

    def drop_hints(self) -> None:
        """The match has moved on: nobody needs the hints that are still thought about."""
        for task in self.asking.values():
            task.cancel()

    def close(self) -> None:
        self.drop_hints()
        for task in (self.driver, self.telling_progress):
            if task is not None:
                task.cancel()

    @property
    def idle(self) -> bool:
        return not self.viewers and (self.driver is None or self.driver.done())

    @property
    def points_of_view(self) -> set[PointOfView]:
        return {viewer.point_of_view for viewer in self.viewers}

    def show(self, drawn: Drawn) -> None:
        """Send everybody the scene as he may see it; who has just come or looks from elsewhere now gets his own."""
        for viewer in self.viewers:
            if viewer.point_of_view in drawn:
                viewer.tell(drawn[viewer.point_of_view])

    def announce(self, message: Callable[[], dict[str, object]]) -> None:
        """Send everybody a message in his language."""
        for viewer in self.viewers:
            with speaking(viewer.language):
                viewer.tell(json.dumps(message()))

    def announce_problem(self, say_it: Callable[[], str]) -> None:
        self.announce(lambda: {"type": "problem", "detail": say_it()})

    def pace(self) -> dict[str, object]:
        return {"type": "pace", "paused": self.paused, "seconds": self.pause}


def scenes(table: Table, points_of_view: set[PointOfView]) -> Drawn:
    """The scene as each point of view may see it."""
    return {view: scene_text(table, view) for view in points_of_view}


def scene_text(table: Table, point_of_view: PointOfView) -> str:
    held, seat, spoken = point_of_view
    with speaking(spoken):
        return table.scene(held, seat).model_dump_json()
