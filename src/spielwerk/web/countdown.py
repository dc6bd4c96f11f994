"""Rounds against the clock: when the time of a round is up, a move is made for everybody who has not chosen.

The time runs here and nowhere else, so a page that is slow, closed or dishonest changes nothing. It begins when all who
are expected have sat down, everything is compiled and somebody looks; from then on the match goes on to its end, even
if nobody looks any more. After a restart of the server the round begins anew as soon as somebody comes back.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from spielwerk.core.clock import now
from spielwerk.core.errors import SpielwerkError
from spielwerk.web.errors import UNWRITTEN
from spielwerk.web.language import say
from spielwerk.web.session import Table
from spielwerk.web.telling import Live, Timed

log = logging.getLogger("spielwerk.web")
RETRY = 3.0  # seconds until a round begins again whose moves could not be written down
BEAT = 0.3  # of a round that may be taken off the next one for drawing
LEAD = 3.0  # seconds that the first round has at least, so that everybody finds the own place
SPARE, SPARE_SHARE = 0.1, 0.1  # of the time that is left: seconds, or a share, in which an agent's answer is to arrive


class Clock:
    """The time that countdowns look at. Tests bring one that they move themselves."""

    def now(self) -> float:
        return now()

    async def until(self, moment: float, event: asyncio.Event) -> None:
        """Wait until a moment has come or an event is set."""
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), max(moment - self.now(), 0.0))


class Steps(NamedTuple):
    """What a countdown asks of those who drive a match."""

    ready: Callable[[Live], Awaitable[None]]  # rules and agents are compiled
    drive: Callable[[Live], None]  # let the agents choose
    change: Callable[[Live, Callable[[], bool]], Awaitable[bool]]


class Countdowns:
    """The countdowns of all tables."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.clock = Clock()

    def begin(self, live: Live) -> None:
        """Let the time of a table run, if it has one and does not run yet."""
        if live.table.header.countdown and (live.counting is None or live.counting.done()):
            live.counting = asyncio.create_task(self._count(live))

    def seconds_left(self, live: Live) -> float | None:
        """Of the round that is played; None: there is no countdown."""
        return None if live.timed is None else max(live.timed.ends - self.clock.now(), 0.0)

    def told(self, live: Live) -> dict[str, object]:
        """What everybody at the table is told of the round."""
        timed = live.timed
        assert timed is not None
        left = self.seconds_left(live)
        return {"type": "countdown", "number": timed.number, "seconds": timed.seconds, "left": left}

    async def _count(self, live: Live) -> None:
        try:
            await self.steps.ready(live)
            least = LEAD
            while is_played(live.table):
                await self._round(live, least)
                least = 0.0
        except SpielwerkError as problem:
            detail = str(problem)
            live.announce_problem(lambda: detail)
        except sqlite3.Error:
            log.exception("match %s cannot be written down", live.table.id)
            live.announce_problem(lambda: say(UNWRITTEN))
            asyncio.get_running_loop().call_later(RETRY, self.begin, live)
        except Exception:
            log.exception("the countdown of match %s has ended", live.table.id)
        finally:
            live.timed = None

    async def _round(self, live: Live, least: float) -> None:
        table = live.table
        number, seconds = table.number, max(table.header.countdown or 0.0, least)
        live.timed = Timed(number, seconds, self._begins(live) + seconds)
        live.announce(partial(self.told, live))
        self.steps.drive(live)
        while table.number == number and table.status == "playing":
            live.moved.clear()
            await self.clock.until(live.timed.ends, live.moved)
            if self.clock.now() >= live.timed.ends:
                await self.steps.change(live, partial(idle_turn, table, number))
                live.drop_hints()
                return

    def _begins(self, live: Live) -> float:
        """When the next round begins: now, or when the last one was up if that was just before. So rounds keep their
        beat, whatever it takes to draw them."""
        here = self.clock.now()
        up = live.timed is not None and 0 <= here - live.timed.ends < BEAT * live.timed.seconds
        return live.timed.ends if live.timed is not None and up else here


def thinking_time(left: float) -> float:
    """How long an agent may think in a round of which so many seconds are left."""
    return left - max(SPARE_SHARE * left, min(SPARE, left / 2))


def is_played(table: Table) -> bool:
    """Whether the match goes on and everybody has sat down."""
    missing = (place.kind == "person" and place.token is None for place in table.header.places)
    return table.status == "playing" and not any(missing)


def idle_turn(table: Table, number: int) -> bool:
    """The time of a round is up: the move that the game declares is made for all who have not chosen."""
    with table.in_step():
        if table.number != number or table.status != "playing":
            return False
        for seat in [seat for seat in table.position.actors if seat not in table.picks]:
            table.pick(seat, idle_action(table, seat), number)
        return True


def idle_action(table: Table, seat: int) -> Any:
    """What is played for a seat that has not chosen; the first legal action where the declared one is not."""
    legal = table.position.legal(seat)
    idle = table.game.action(table.game.spec.idle)
    return idle if idle in legal else legal[0]
