"""How far the server's clock is from ours, and how long a message takes: the time service is asked a few times and the
fastest answer counts. Without a good answer our own clock must do."""

import asyncio
import time
from collections.abc import Callable
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
SLOW = 0.5  # seconds; a slower answer says too little
LONGEST_ANSWER = 1 << 16  # bytes
SOON, LATEST = -3.0, 120.0  # seconds until a deadline that can be meant so


class Told(msgspec.Struct):
    """An answer of the time service."""

    time: str
    milliseconds: float = 0.0


class ServerClock(NamedTuple):
    offset: float = 0.0  # seconds that the server's clock is ahead of ours
    latency: float = 0.0  # seconds that a message takes one way
    asked: bool = False  # whether a time service has answered

    def left(self, deadline: float, here: float) -> float | None:
        """Seconds until a deadline at the moment `here` of our clock. If it makes no sense, the time service may have
        told nonsense, and our own clock is asked; None if that makes no sense, either."""
        for moment in (here + self.offset, here):
            if SOON < deadline - moment <= LATEST:
                return deadline - moment
        return None


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
    for _ in range(PROBES):
        try:
            found.append(await asyncio.wait_for(_probe(url, clock), PATIENCE))
        except TimeoutError:
            report(f"the time service {brief(url)} did not answer within {PATIENCE:g} s")
            break
        except (OSError, BadJson, BadMessage, ValueError, EOFError) as problem:
            report(f"the time service {brief(url)} is of no use: {brief(problem)}")
            break
    best = min(found, key=lambda probe: probe.latency, default=ServerClock())
    if not found or 2 * best.latency > SLOW:
        report("the own clock is used")
        return ServerClock()
    report(f"the server's clock is {best.offset:+.3f} s from ours, a message takes {1000 * best.latency:.0f} ms")
    return best


async def _probe(url: str, clock: Callable[[], float]) -> ServerClock:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SpielwerkError("its address begins with http:// or https://")
    secure = parts.scheme == "https"
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port or (443 if secure else 80), ssl=secure)
    try:
        place = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        asked = clock()
        writer.write(f"GET {place} HTTP/1.0\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode())
        status = await reader.readline()
        answered = clock()
        if b" 200" not in status[:16]:
            raise BadMessage(f"it answers {brief(status.decode(errors='replace').strip())}")
        while (await reader.readline()).strip():
            pass
        told = from_json(await reader.read(LONGEST_ANSWER), Told)
    finally:
        writer.close()
    there = time_of(told.time) + told.milliseconds / 1000
    return ServerClock(there - (asked + answered) / 2, max(answered - asked, 0.0) / 2, True)
