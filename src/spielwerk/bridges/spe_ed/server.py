"""A server for spe_ed, on which clients of the competition play unchanged: one port for the game, the time service and
a page to watch.

It reacts like the official server; docs/speed-server.md says where it is kinder. Beyond the official one: limits,
lobby and opponents are options, starts come from a seed, and every game leaves a log and a record.
"""

import asyncio
import re
import secrets
import signal
import tempfile
from collections.abc import Awaitable
from contextlib import ExitStack, suppress
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from spielwerk.bridges import Report
from spielwerk.bridges.line import Line
from spielwerk.bridges.listening import Guests, Listener, address_of
from spielwerk.bridges.spe_ed import pages
from spielwerk.bridges.spe_ed.keeping import GameLog, keep
from spielwerk.bridges.spe_ed.lobby import Lobby
from spielwerk.bridges.spe_ed.match import Clock, Match, Pace, Player
from spielwerk.bridges.spe_ed.messages import LARGEST
from spielwerk.bridges.spe_ed.names import pseudonyms
from spielwerk.bridges.spe_ed.options import LONGEST_KEY, SpeedHosting
from spielwerk.bridges.spe_ed.results import Results
from spielwerk.core import registry
from spielwerk.core.clock import Budget, Thinkers
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel.rng import pick, spawn

FAREWELL = 10.0  # seconds in which a client must have read its last state
LEFT_BEHIND = 32  # built-in opponents that think on although nobody waits
KEPT = re.compile(r"(\d{5,9})\.(record\.)?json", re.ASCII)  # files of a game


class SpeedServer(Listener):
    """Keys, lobbies and running games."""

    largest = LARGEST
    ping = None  # several clients do not answer while they think

    def __init__(self, options: SpeedHosting, report: Report = lambda line: None, clock: Clock | None = None) -> None:
        super().__init__(options.host, options.port, Guests(options.connections, options.per_address), report)
        self.options = options
        self.clock = clock or Clock()
        self.seed = secrets.randbits(61) if options.seed is None else options.seed
        self.salt = secrets.randbits(61) if options.seed is None else options.seed
        self.keys = options.known_keys()
        self.fillers = options.fillers()
        self.games = [registry.game("speed", seats, options.variant) for seats in range(2, 7)]
        self.pace = Pace(options.shortest, options.longest, options.grace, options.thinking)
        self.thinkers = Thinkers(LEFT_BEHIND)
        self.holders: dict[str, ServerConnection] = {}  # who plays with a key
        self.lobby: Lobby | None = None
        self.begun = self.ended = 0  # games of this start; seeds follow from their order
        self.matches: dict[int, Match] = {}  # that run
        self.results = Results()
        self.pictures: dict[int, tuple[int, asyncio.Future[bytes]]] = {}  # the newest of every game that was looked at
        self.finished = asyncio.Event()  # all games that were asked for are over
        self._things = ExitStack()
        self.folder = self._folder()
        self.first = 1 + self._highest()  # the number of the first game: finished ones are never overwritten

    def _folder(self) -> Path:
        if self.options.records is None:
            return Path(self._things.enter_context(tempfile.TemporaryDirectory(prefix="spe_ed")))
        folder = Path(self.options.records)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise SpielwerkError(
                f"speed server: cannot write to {folder} ({problem.strerror}); choose another --records"
            ) from problem
        return folder

    def _highest(self) -> int:
        """The highest number of a game in the folder."""
        found = (KEPT.fullmatch(path.name) for path in self.folder.iterdir())
        return max((int(name[1]) for name in found if name is not None), default=0)

    async def run(self) -> None:
        """Serve until all games are played, or until stopped."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, what: self.trouble(what["message"]))
        with suppress(NotImplementedError, RuntimeError, ValueError):  # some systems and threads have no signals
            loop.add_signal_handler(signal.SIGTERM, self.finished.set)
        async with self:
            self.report(f"spe_ed server on {self.url}/spe_ed?key=KEY, stop it with Ctrl-C")
            self.report(f"time service: {self.page}/spe_ed_time, to watch: {self.page}/")
            try:
                await self.finished.wait()
            finally:
                for line in self.results.table():
                    self.report(line)

    @property
    def page(self) -> str:
        return f"http://{self.host}:{self.port}"

    async def __aexit__(self, *_: object) -> None:
        await super().__aexit__(*_)
        self.thinkers.stop()
        self._things.close()

    async def _prepare(self) -> None:
        await asyncio.to_thread(self._rehearse)

    def _rehearse(self) -> None:
        """Compile everything before a clock runs."""
        for agent in set(self.fillers):
            for seats in (2, 3):
                view = self.games[seats - 2].new(1).view(0)
                agent.decide(view, Budget(seconds=0.01, playouts=8), spawn(0))
        self.games[0].svg(self.games[0].new(1).view(-1))

    # --- requests ----------------------------------------------------------------------------------------------------

    def _admit(self, socket: ServerConnection, request: Request) -> Awaitable[Response | None] | Response | None:
        reason = self.guests.why_not(address_of(socket))
        if reason is not None:
            return socket.respond(HTTPStatus.SERVICE_UNAVAILABLE, reason + "\n")
        path = urlsplit(request.path).path
        if path == "/spe_ed":
            return self._refused(socket, request)
        if path == "/spe_ed_time":
            return pages.time_service(self.clock.time())
        return pages.answer(self, path, request.headers)

    def _refused(self, socket: ServerConnection, request: Request) -> Response | None:
        """Why somebody may not play; None if it may."""
        key = key_of(request)
        if not key or len(key) > LONGEST_KEY or (self.keys is not None and key not in self.keys):
            return socket.respond(HTTPStatus.FORBIDDEN, "the key is missing or not known: /spe_ed?key=KEY\n")
        if key in self.holders:
            return socket.respond(HTTPStatus.TOO_MANY_REQUESTS, "the key is in a lobby or a game already\n")
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return socket.respond(HTTPStatus.BAD_REQUEST, "this is a WebSocket: connect with ws://\n")
        full = self._full()
        return None if full is None else socket.respond(HTTPStatus.SERVICE_UNAVAILABLE, full + "\n")

    def _full(self) -> str | None:
        """Why nobody can come now, not even with a good key."""
        if self.lobby is not None:
            return None
        if self.options.games is not None and self.begun >= self.options.games:
            return "all games of this server have begun"
        running = self.begun - self.ended
        if running < self.options.at_once:
            return None
        return "a game is running" if running == 1 else f"{running} games are running"

    def _answered(self, socket: ServerConnection, request: Request, response: Response) -> Response | None:
        """Whoever is let in holds its key from now on, until the connection ends or the game does."""
        if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            return None
        refused = self._refused(socket, request)
        if refused is None:
            key = key_of(request)
            self.holders[key] = socket
            self.start(self._give_back(key, socket))
        return refused

    async def _give_back(self, key: str, socket: ServerConnection) -> None:
        await socket.wait_closed()
        self.free(key, socket)

    def free(self, key: str, socket: object) -> None:
        """Whoever has the key may play again."""
        if self.holders.get(key) is socket:
            del self.holders[key]

    async def _serve(self, socket: ServerConnection) -> None:
        assert socket.request is not None
        line = Line(socket, socket.transport.abort, address_of(socket))
        full = self._full()
        if full is not None:  # others came while this one was let in
            await socket.close(1013, full)
            return
        if self.lobby is None:
            self.lobby = Lobby(self, self.options.players or 2 + pick(spawn(self.seed, self.begun + 1, 1), 5))
        self.lobby.enter(Player(key_of(socket.request), line))
        await line.serve()

    # --- games -------------------------------------------------------------------------------------------------------

    def begin(self, players: list[Player], seats: int) -> None:
        """Begin a game; built-in opponents take the seats that are left."""
        self.lobby = None
        self.begun += 1
        missing = seats - len(players)
        players = players + [Player(agent=self.fillers[i % len(self.fillers)]) for i in range(missing)]
        secret = [player.key or f"{self.begun}/{seat}" for seat, player in enumerate(players)]
        for player, name in zip(players, pseudonyms(secret, self.salt), strict=True):
            player.name = name
        self.start(self._play(self.begun, players))

    async def _play(self, turn: int, players: list[Player]) -> None:
        """Play the game that began as the `turn`-th one."""
        number = self.first + turn - 1
        log = None
        try:
            log = GameLog(self.folder / f"{number:05d}.json", self.report)
            seed = int(spawn(self.seed, turn)[0] >> 1)
            game = self.games[len(players) - 2]
            match = Match(game, players, seed, self.pace, log, self.clock, self.thinkers, self.report)
            self.matches[number] = match
            self.report(f"game {number} begins: {', '.join(player.title for player in players)}")
            record = await match.play(lambda: self._free_all(players))
            keep(record, self.folder / f"{number:05d}.record.json", self.report)
            self._forget_the_oldest()
            self.report(self.results.add(number, match))
        finally:
            if log is not None:
                log.discard()
            self.matches.pop(number, None)
            self._free_all(players)
            for player in players:
                if player.line is not None:
                    player.line.close("the game is over")
                    self.start(self._farewell(player.line))
            self.ended += 1
            if self.ended == self.options.games:
                self.finished.set()

    def _forget_the_oldest(self) -> None:
        """Where nothing is kept, the files of a game go when the page does not list it any more."""
        number = self.results.leaving
        if self.options.records is None and number is not None:
            for kind in ("json", "record.json"):
                with suppress(OSError):
                    (self.folder / f"{number:05d}.{kind}").unlink(missing_ok=True)

    def _free_all(self, players: list[Player]) -> None:
        for player in players:
            if player.line is not None:
                self.free(player.key, player.line.socket)

    async def _farewell(self, line: Line) -> None:
        """Close the connection of a client that does not read what is left."""
        try:
            await asyncio.wait_for(line.closed.wait(), FAREWELL)
        except TimeoutError:
            line.cut()


def key_of(request: Request) -> str:
    return parse_qs(urlsplit(request.path).query).get("key", [""])[0]
