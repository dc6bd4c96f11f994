"""Who looks at a table, and what is sent to whom: scenes as each viewer may see them, messages in his language."""

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from spielwerk.core.looks import chosen_looks, looking
from spielwerk.core.words import language, speaking
from spielwerk.web import messages
from spielwerk.web.moments import Noted
from spielwerk.web.session import Table

MAILBOX = 64  # messages that wait for a slow viewer; older ones make room, moments last of all
MOST_MAIL = 4 * MAILBOX  # with the moments among them

NORMAL_PAUSE = 0.6  # seconds; moments stand longer or shorter in proportion to the pause


class PointOfView(NamedTuple):
    """What decides how somebody sees a scene."""

    held: tuple[int, ...]
    seat: int | None  # from whose place he wants to look
    language: str
    looks: frozenset[tuple[str, str]]


class Letter(NamedTuple):
    """A message to a viewer."""

    text: str
    must_arrive: bool = False  # a moment, which nobody may miss


class Advised(NamedTuple):
    """A hint, and what the adviser says besides."""

    hint: messages.Hint
    notes: dict[str, Any]


class Timed(NamedTuple):
    """A round that is played against the clock."""

    number: int  # events before it
    seconds: float  # that it lasts at most
    ends: float  # on the clock of the countdowns


Drawn = dict[PointOfView, Letter]


class Viewer:
    """Somebody who looks at a match over a WebSocket."""

    def __init__(self, held: tuple[int, ...], control: bool = False, seen: int | None = None, who: str = "") -> None:
        self.held = held
        self.control = control
        self.seen = seen  # events that he had seen when he came; None: he is new here
        self.who = who  # address
        self.seat: int | None = None  # from whose place he wants to look
        self.language = language()
        self.looks = frozenset(chosen_looks().items())
        self._mail: deque[Letter] = deque()
        self._there = asyncio.Event()

    @property
    def point_of_view(self) -> PointOfView:
        return PointOfView(self.held, self.seat, self.language, self.looks)

    def tell(self, text: str, must_arrive: bool = False) -> None:
        self._mail.append(Letter(text, must_arrive))
        if len(self._mail) > MAILBOX:
            older = list(self._mail)[:-1]
            passing = next((letter for letter in older if not letter.must_arrive), older[0])
            if not passing.must_arrive or len(self._mail) > MOST_MAIL:
                self._mail.remove(passing)
        self._there.set()

    async def next(self) -> str:
        while not self._mail:
            self._there.clear()
            await self._there.wait()
        return self._mail.popleft().text


class Live:
    """A table with the people around it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.viewers: set[Viewer] = set()
        self.driver: asyncio.Task[None] | None = None
        self.wanted = False  # somebody asked the agents to play on
        self.paused = False
        self.pause = NORMAL_PAUSE  # seconds between two moves of a match between agents
        self.hurried = asyncio.Event()  # whoever sets the pace of such a match wants it to go on
        self.used = time.monotonic()
        self.telling = asyncio.Lock()
        self.quick = False  # all its agents decide at once, and everything is prepared for them
        self.slow: set[int] = set()  # seats whose agents overran the limit once
        self.who = table.id  # on whose account the agents think: who came or moved last
        self.hints: dict[
            int, tuple[tuple[int, bytes, str | None], Advised]
        ] = {}  # the last by seat: what was asked, hint
        self.asking: dict[int, asyncio.Task[Advised]] = {}  # hints that are thought about, by seat
        self.counting: asyncio.Task[None] | None = None  # the countdown, if there is one
        self.timed: Timed | None = None  # the round that it counts down
        self.moved = asyncio.Event()  # something has changed at the table
        self.preparing: Callable[[], dict[str, object]] | None = None  # what everybody was told of the preparation
        self.telling_progress: asyncio.Task[None] | None = None

    def drop_hints(self) -> None:
        """The match has moved on: nobody needs the hints that are still thought about."""
        for task in self.asking.values():
            task.cancel()

    def close(self) -> None:
        self.drop_hints()
        for task in (self.driver, self.counting, self.telling_progress):
            if task is not None:
                task.cancel()

    @property
    def idle(self) -> bool:
        return not self.viewers and all(task is None or task.done() for task in (self.driver, self.counting))

    @property
    def points_of_view(self) -> set[PointOfView]:
        return {viewer.point_of_view for viewer in self.viewers}

    def show(self, drawn: Drawn) -> None:
        """Send everybody the scene as he may see it; who has just come or looks from elsewhere now gets his own."""
        for viewer in self.viewers:
            if viewer.point_of_view in drawn:
                viewer.tell(*drawn[viewer.point_of_view])

    def announce(self, message: Callable[[], dict[str, object]]) -> None:
        """Send everybody a message in his language."""
        for viewer in self.viewers:
            with speaking(viewer.language):
                viewer.tell(json.dumps(message()))

    def announce_problem(self, say_it: Callable[[], str]) -> None:
        self.announce(lambda: {"type": "problem", "detail": say_it()})

    def pace(self) -> dict[str, object]:
        return {"type": "pace", "paused": self.paused, "seconds": self.pause}


async def wait_for_viewers(live: Live, stood: float, passed: float) -> None:
    """The pause of a match between agents after a turn that took `passed` seconds: as long as its pace says, and longer
    if something must be seen that stands for `stood` seconds at normal pace. Who sets the pace ends it."""
    seconds = live.pause * max(1.0, stood / NORMAL_PAUSE) - passed
    if seconds > 0:
        with suppress(TimeoutError):
            await asyncio.wait_for(live.hurried.wait(), seconds)


def scenes(table: Table, points_of_view: set[PointOfView], since: int) -> list[Drawn]:
    """The moments from event `since` on and what is there now, each as every point of view may see it."""
    return [
        {view: letter(table, view, then) for view in points_of_view} for then in (*table.moments_since(since), None)
    ]


def letters(table: Table, point_of_view: PointOfView, since: int | None) -> list[Letter]:
    """For somebody who comes (back) to a table: the moments that he missed since then, and what is there now."""
    with table.in_step():
        missed = [] if since is None else table.moments_since(since)
        return [letter(table, point_of_view, then) for then in (*missed, None)]


def letter(table: Table, point_of_view: PointOfView, then: Noted | None) -> Letter:
    held, seat, spoken, looks = point_of_view
    with speaking(spoken), looking(dict(looks)):
        scene = table.scene(held, seat, then)
    return Letter(scene.model_dump_json(), scene.moment is not None)
