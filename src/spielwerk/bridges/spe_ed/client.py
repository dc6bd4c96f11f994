"""A client that seats an agent at a spe_ed server: one start, one game, then it ends. Everything is compiled and the
server's clock is measured before it connects."""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar
from urllib.parse import quote, urlsplit, urlunsplit

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI, WebSocketException

from spielwerk.bridges import Joining, Report
from spielwerk.bridges.line import brief
from spielwerk.bridges.spe_ed.driver import Driver, table
from spielwerk.bridges.spe_ed.keeping import GameLog
from spielwerk.bridges.spe_ed.messages import Snapshot, heard, view_of
from spielwerk.bridges.spe_ed.remarks import DRAWN, LOST, WON, remark
from spielwerk.bridges.spe_ed.timing import measure, time_address
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.ranges import Range

LARGEST_HEARD = 1 << 24  # bytes of a state
PING = 30.0  # seconds between two pings, which keep the way open; nobody waits for an answer to them
REHEARSAL = 0.05  # seconds that the agent thinks about a move while things are compiled


def shown(url: str) -> str:
    """An address without what may be secret in it: a query, a name and a password."""
    scheme, separator, rest = url.partition("?")[0].rpartition("://")
    return brief(scheme + separator + rest.rpartition("@")[2])


@dataclass(frozen=True)
class SpeedJoining(Joining):
    """An agent at a spe_ed server."""

    name: ClassVar[str] = "speed client"
    example: ClassVar[str] = "spielwerk join speed random --url ws://127.0.0.1:3100/spe_ed --key alpha"

    agent: Annotated[Agent, "who plays, as name:key=value,…"]
    url: Annotated[str | None, "address of the game; none = environment variable URL"] = None
    key: Annotated[str | None, "key to play with; none = environment variable KEY"] = None
    time_url: Annotated[
        str | None,
        "address of the time service; none = environment variable TIME_URL, or beside URL; local = own clock",
    ] = None
    seconds: Annotated[float | None, Range(0.01, 3600), "most time for one decision; none = what the limit allows"] = (
        None
    )
    longest: Annotated[
        int, Range(1, 3600), "longest limit in seconds that is believed if no time service was heard"
    ] = 15
    margin: Annotated[float, Range(0, 60), "seconds before the deadline at which thinking ends"] = 0.5
    retry: Annotated[float, Range(0.01, 86_400), "seconds to wait while the key is still in another game"] = 60.0
    tries: Annotated[int | None, Range(1, 1_000_000), "how often to try then; none = until it works"] = None
    log: Annotated[str | None, "file for all states that were heard"] = None
    seed: Annotated[int, Range(0, 2**62), "seed of the agent's randomness"] = 0

    def run(self, report: Report) -> dict[str, Any]:
        return asyncio.run(self.play(report))

    async def play(self, report: Report = lambda line: None, clock: Callable[[], float] = time.time) -> dict[str, Any]:
        """Play one game; returns what came of it."""
        address, time_url = self.address(), self.time_address()
        with ExitStack() as stack:
            log = None if self.log is None else self._log(report)
            if log is not None:
                stack.callback(log.finish)
            await asyncio.to_thread(self.warm_up)
            report(f"ready, everything is compiled; connecting to {shown(address)}")
            driver = Driver(self, await measure(time_url, report, clock), report, clock, log)
            stack.callback(driver.thinkers.stop)
            try:
                await self._play(address, driver)
            except (OSError, WebSocketException, TimeoutError, UnicodeError) as problem:
                raise self._unreachable(problem) from None
        return self._summary(driver)

    async def _play(self, address: str, driver: Driver) -> None:
        attempt = 0
        while True:
            attempt += 1
            try:
                async with connect(
                    address, max_size=LARGEST_HEARD, compression=None, ping_interval=PING, ping_timeout=None
                ) as socket:
                    driver.report("connected, waiting for the game to begin")
                    with suppress(ConnectionClosed):
                        await driver.talk(socket)
                    if driver.last is None or driver.last.running:
                        code, reason = socket.protocol.close_code, socket.protocol.close_reason
                        told = f": {brief(reason)}" if reason else ""
                        driver.report(f"the connection ended before the game did (code {code}{told})")
                    return
            except InvalidStatus as refused:
                if refused.response.status_code != 429 or attempt == self.tries:
                    raise
                driver.report(f"the key is in a lobby or a game already; trying again in {self.retry:g} s")
                await asyncio.sleep(self.retry)

    # --- addresses ---------------------------------------------------------------------------------------------------

    def _place(self) -> str:
        place = self.url or os.environ.get("URL", "")
        try:
            parts = urlsplit(place)
            good = parts.scheme in ("ws", "wss") and bool(parts.hostname) and parts.port != 0
        except ValueError:  # no port, or brackets that do not close
            good = False
        if not good:
            raise SpielwerkError(
                f"speed client: '{shown(place)}' is no address of a game; "
                "give --url ws://HOST:PORT/spe_ed or the environment variable URL"
            )
        return place

    def address(self) -> str:
        """Where the game is, with the key."""
        key = self.key or os.environ.get("KEY", "")
        parts = urlsplit(self._place())
        if not key:
            raise SpielwerkError("speed client: a key is needed; give --key KEY or the environment variable KEY")
        query = "&".join(filter(None, [parts.query, f"key={quote(key, safe='')}"]))
        return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))

    def time_address(self) -> str:
        return self.time_url or os.environ.get("TIME_URL") or time_address(self._place())

    def _unreachable(self, problem: Exception) -> SpielwerkError:
        """What went wrong, and what helps; the key is not told."""
        place = shown(self._place())
        if isinstance(problem, InvalidURI):  # it repeats the whole address
            return SpielwerkError(f"{place} is no address of a game; give --url ws://HOST:PORT/spe_ed, without a name")
        if not isinstance(problem, InvalidStatus):
            return SpielwerkError(f"cannot reach {place}: {brief(problem)}; does the server run, is --url right?")
        status = problem.response.status_code
        told = brief((problem.response.body or b"").decode(errors="replace").strip())
        remedy = {
            403: "the server does not know the key; check --key or the environment variable KEY",
            404: "there is no game at this address; it usually ends with /spe_ed",
            429: "the key is still in a lobby or a game; wait, or give more --tries",
        }.get(status, told or "is this the address of a spe_ed server?")
        return SpielwerkError(f"{place} answers {status}: {remedy}")

    def _log(self, report: Report) -> GameLog:
        path = Path(str(self.log))
        if not path.parent.is_dir():
            raise SpielwerkError(f"speed client: the folder of --log {path} does not exist; create it first")
        return GameLog(path, report)

    # --- before and after --------------------------------------------------------------------------------------------

    def warm_up(self) -> None:
        """Compile everything that playing needs: play some rounds against nobody."""
        for seats in (2, 3):
            game = table(seats)
            self.agent.require(game)
            position = game.new(1)
            for rounds in range(2):
                state = heard(Snapshot(position, "").text(1))
                view = view_of(game, state, rounds, {})
                self.agent.decide(view, Budget(seconds=REHEARSAL, playouts=8), spawn(0))
                position.play(dict.fromkeys(position.actors, "change_nothing"))

    def _summary(self, driver: Driver) -> dict[str, Any]:
        kinds: dict[str, dict[str, tuple[str, ...]]] = {"won": WON, "lost": LOST, "drawn": DRAWN}
        if driver.result in kinds:
            driver.report(remark(kinds[driver.result], driver.states + (driver.last.you if driver.last else 0)))
        last = driver.last
        name = "" if last is None or str(last.you) not in last.players else last.players[str(last.you)].name
        shares = driver.shares or [0.0]
        return {
            "result": driver.result,
            "name": name,
            "rounds": driver.rounds,
            "answers": driver.answers,
            "hurried": driver.hurried,
            "slowest answer": round(driver.slowest, 3),
            "share of the limit used": round(sum(shares) / len(shares), 3),
            "largest share": round(max(shares), 3),
        }
