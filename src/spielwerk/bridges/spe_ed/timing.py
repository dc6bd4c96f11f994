"""How far the server's clock is from ours, and how long a message takes: the time service is asked a few times and the
fastest answer counts. Without an answer our own clock must do."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

import msgspec

from spielwerk.bridges import Report
from spielwerk.bridges.line import brief
from spielwerk.bridges.spe_ed.messages import BadMessage, time_of
from spielwerk.core.errors import BadJson, SpielwerkError
from spielwerk.core.files import from_json

LOCAL = "local"  # in place of an address: do not ask anybody
PROBES = 5
PATIENCE = 1.0  # seconds for one answer
MOST_MISSES = 2  # answers that did not come, then nobody is asked any more
SLOW = 0.5  # seconds; the moment of a slower answer is too uncertain to think until the last of them
LONGEST_ANSWER = 1 << 16  # bytes
SOON, LATEST = -3.0, 3610.0  # seconds until a deadline that can be meant so: a limit has up to an hour
SLACK = 1.0  # seconds by which our own clock may make a limit longer


class Told(msgspec.Struct):
    """An answer of the time service."""

    time: str
    milliseconds: float = 0.0


class ServerClock(NamedTuple):
    offset: float = 0.0  # seconds that the server's clock is ahead of ours
    latency: float = 0.0  # seconds that a message takes one way
    asked: bool = False  # whether a time service has answered

    def left(self, deadline: float, here: float, longest: float) -> float | None:
        """Seconds until a deadline at the moment `here` of our clock. If it makes no sense, the time service may have
        told nonsense, and our own clock is asked; None if that makes no sense, either. Our clock may be wrong: more
        than the `longest` limit is not believed of it, because whoever thinks too long is out."""
        told = deadline - here - self.offset
        if self.asked and SOON < told <= LATEST:
            return told
        own = deadline - here
        return own if SOON < own <= longest + SLACK else None


def time_address(url: str) -> str:
    """Where a server tells the time that has its game at `url`."""
    parts = urlsplit(url)
    scheme = "https" if parts.scheme == "wss" else "http"
    return urlunsplit((scheme, parts.netloc, parts.path + "_time", "", ""))


async def measure(url: str, report: Report, clock: Callable[[], float] = time.time) -> ServerClock:
    """Ask the time service at `url`."""
    if url == LOCAL:
        return ServerClock()
    found: list[ServerClock] = []
    misses = 0
    for _ in range(PROBES):
        try:
            found.append(await asyncio.wait_for(_probe(url, clock), PATIENCE))
        except TimeoutError:
            misses += 1
            report(f"the time service {brief(url)} did not answer within {PATIENCE:g} s")
            if misses == MOST_MISSES:
                break
        except (OSError, HTTPException, BadJson, BadMessage, ValueError) as problem:
            report(f"the time service {brief(url)} is of no use: {brief(problem)}")
            break
    if not found:
        report("using our own clock")
        return ServerClock()
    best = min(found, key=lambda probe: probe.latency)
    if 2 * best.latency > SLOW:  # nobody knows which of the two ways took so long
        best = best._replace(latency=2 * best.latency)
    report(f"the server's clock is {best.offset:+.3f} s from ours, a message takes {1000 * best.latency:.0f} ms")
    return best


async def _probe(url: str, clock: Callable[[], float]) -> ServerClock:
    """One question, in a thread that nobody waits for if it hangs."""
    found: Future[ServerClock] = Future()
    found.set_running_or_notify_cancel()

    def work() -> None:
        try:
            found.set_result(_asked(url, clock))
        except BaseException as problem:
            found.set_exception(problem)

    threading.Thread(target=work, name="time-service", daemon=True).start()
    return await asyncio.wrap_future(found)


def _asked(url: str, clock: Callable[[], float]) -> ServerClock:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SpielwerkError("its address begins with http:// or https://")
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    with closing(kind(parts.hostname, parts.port, timeout=PATIENCE)) as connection:
        connection.connect()
        asked = clock()
        place = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("GET", place, headers={"Connection": "close"})
        with connection.getresponse() as response:
            answered = clock()
            if response.status != HTTPStatus.OK:
                raise BadMessage(f"it answers {response.status} {brief(response.reason)}".strip())
            told = from_json(response.read(LONGEST_ANSWER), Told)
    there = time_of(told.time) + told.milliseconds / 1000
    return ServerClock(there - (asked + answered) / 2, max(answered - asked, 0.0) / 2, True)
