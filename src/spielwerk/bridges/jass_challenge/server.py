"""The server of the Jass challenge: sessions, single games, tournaments. Bots made for the original attach unchanged.

It reacts to mistakes like the original, except where that would let one client harm another or the server; docs/jass.md
has the list. Beyond the original: deals come from a seed, a tournament can play every deal twice with the teams
swapped, and every game leaves a record.
"""

import asyncio
import logging
import re
import secrets
from collections.abc import Coroutine
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, ClassVar

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from spielwerk.bridges import Hosting, Report
from spielwerk.bridges.jass_challenge.client import JassJoining
from spielwerk.bridges.jass_challenge.connection import BadMessage, Connection, Gone, pipe
from spielwerk.bridges.jass_challenge.limits import BOTS, Full, Guests
from spielwerk.bridges.jass_challenge.messages import LARGEST, SessionChoice, brief, name_of, session_choice_of
from spielwerk.bridges.jass_challenge.seat import Seat
from spielwerk.bridges.jass_challenge.sessions import Session, SingleGame
from spielwerk.bridges.jass_challenge.table import Ended
from spielwerk.bridges.jass_challenge.tournament import Tournament
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel.rng import spawn

PATIENCE = 10  # wrong answers before the game after which a client is sent away
PING = 10.0  # seconds between two pings


@dataclass(frozen=True)
class JassHosting(Hosting):
    """A server for the Jass challenge."""

    name: ClassVar[str] = "jass server"
    example: ClassVar[str] = "spielwerk host jass --port 3000 --records games"

    host: Annotated[str, "address to listen on"] = "127.0.0.1"
    port: Annotated[int, "port to listen on; 0 = any free one"] = 3000
    variant: Annotated[str, "rules, for example server or multipliers or server,target=1000"] = "server"
    seed: Annotated[int | None, "seed of the deals; none = different every time"] = None
    limit: Annotated[float, "seconds for an answer in a tournament; 0 = no limit"] = 0.5
    rounds: Annotated[int, "games per pair of bots in a tournament"] = 1
    duplicate: Annotated[bool, "in a tournament play every game twice, same deals, teams swapped"] = False
    records: Annotated[str | None, "folder for the records of all games"] = None
    bot: Annotated[str, "agent that the server seats when a client asks for a bot"] = "rules"
    connections: Annotated[int, "most connections at the same time"] = 500
    per_address: Annotated[int, "most connections from one address at the same time"] = 200
    sessions: Annotated[int, "most sessions that clients of one address may open before they start"] = 50

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.limit < 0 or not 0 <= self.port <= 65535:
            raise SpielwerkError("jass server: rounds start at 1, limit at 0, port goes from 0 to 65535")
        if min(self.connections, self.per_address, self.sessions) < 1:
            raise SpielwerkError("jass server: connections, per_address and sessions start at 1")

    def run(self, report: Report) -> None:
        asyncio.run(self._run(report))

    async def _run(self, report: Report) -> None:
        server = ChallengeServer(self, report)
        asyncio.get_running_loop().set_exception_handler(lambda loop, what: server.trouble(what["message"]))
        async with server:
            report(f"Jass server on {server.url}, stop it with Ctrl-C")
            await asyncio.Future()


class ChallengeServer:
    """Listens while used as a context: `async with ChallengeServer(options, report) as server`."""

    def __init__(self, options: JassHosting, report: Report = lambda line: None) -> None:
        self.options = options
        self.report = report
        self.game = registry.game("jass", 4, options.variant)
        self.seed = secrets.randbits(62) if options.seed is None else options.seed
        self.bot = JassJoining(registry.agent(options.bot), player=f"{options.bot} bot", variant=options.variant)
        self.guests = Guests(options.connections, options.per_address)
        self.sessions: list[Session] = []  # in the order in which they were opened
        self.games = 0  # games begun so far
        self.cards = 0  # cards played in finished games
        self.tasks: set[asyncio.Task[None]] = set()
        self._server: Server | None = None
        if options.records:
            Path(options.records).mkdir(parents=True, exist_ok=True)

    # --- listening ---------------------------------------------------------------------------------------------------

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    @property
    def url(self) -> str:
        return f"ws://{self.options.host}:{self.port}"

    async def __aenter__(self) -> "ChallengeServer":
        await self.bot.warm_up()
        try:
            self._server = await serve(
                self._serve,
                self.options.host,
                self.options.port,
                process_request=self._admit,
                max_size=LARGEST,
                ping_interval=PING,
                compression=None,
                logger=self._logger(),
            )
        except OSError as problem:
            raise SpielwerkError(
                f"cannot listen on {self.options.host}:{self.options.port}: {problem.strerror}; choose another --port"
            ) from problem
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self._server.wait_closed()

    def _logger(self) -> logging.Logger:
        """What goes wrong with a connection becomes one line of the report, without a traceback."""
        handler = logging.Handler()
        handler.emit = lambda record: self.report(brief(record.getMessage()))  # type: ignore[method-assign]
        logger = logging.Logger("jass server", logging.WARNING)
        logger.addHandler(handler)
        return logger

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine beside everything else; its failure is reported and stays its own."""

        async def guarded() -> None:
            try:
                await work
            except Exception as problem:
                self.trouble(problem)

        task = asyncio.create_task(guarded())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def trouble(self, problem: object) -> None:
        self.report(f"internal error, the server goes on: {brief(repr(problem), 200)}")

    # --- clients -----------------------------------------------------------------------------------------------------

    def _admit(self, socket: ServerConnection, request: Request) -> Response | None:
        reason = self.guests.why_not(_address(socket))
        return None if reason is None else socket.respond(HTTPStatus.SERVICE_UNAVAILABLE, reason + "\n")

    async def _serve(self, socket: ServerConnection) -> None:
        connection = Connection(socket, socket.transport.abort, _address(socket))
        self.guests.came(connection.address)
        try:
            self.start(self._welcome(connection))
            await connection.serve()
        finally:
            self.guests.went(connection.address)

    async def _welcome(self, connection: Connection) -> None:
        """Ask for name and session until both are right."""
        for _ in range(PATIENCE):
            try:
                if not connection.name:
                    connection.name = await connection.ask("REQUEST_PLAYER_NAME", None, "CHOOSE_PLAYER_NAME", name_of)
                names = [session.name for session in self._waiting()]
                wish = await connection.ask("REQUEST_SESSION_CHOICE", names, "CHOOSE_SESSION", session_choice_of)
                self._session(wish, connection.address).enter(connection, wish.spectator, wish.team)
                return
            except BadMessage as bad:
                connection.send("BAD_MESSAGE", bad.reply)
            except Full as full:
                connection.send("ERROR", str(full))
            except Gone:
                return
        connection.close("Too many bad messages")

    def _waiting(self) -> list[Session]:
        return [session for session in self.sessions if not session.started]

    def _session(self, wish: SessionChoice, address: str) -> Session:
        """The session that somebody wishes for, a new one if there is none. Only spectators come to one that runs."""
        found = self._waiting()
        if wish.choice != "AUTOJOIN" or wish.spectator:
            found = [session for session in found if session.name == wish.name and wish.choice != "CREATE_NEW"]
        if wish.spectator:
            found += [session for session in self.sessions if session.started and session.name == wish.name]
        if found:
            return found[0]
        if sum(session.opener == address for session in self._waiting()) >= self.options.sessions:
            raise Full(f"{self.options.sessions} sessions from your address wait for players already")
        kind = Tournament if wish.tournament else SingleGame
        session: Session = kind(self, wish.name or secrets.token_hex(4), address)
        self.sessions.append(session)
        return session

    def new_bot(self, maker: Connection) -> Connection:
        """A bot of the server that somebody asks for. It plays within the process and needs no network."""
        bots = [other for session in self.sessions for other in session.everybody() if other.maker]
        if sum(bot.maker.address == maker.address for bot in bots if bot.maker) >= BOTS:
            raise Full(f"{BOTS} bots play for your address already")
        ours, its = pipe()
        connection = Connection(ours, ours.cut, maker=maker)
        connection.name = self.bot.player
        self.start(connection.serve())
        self.start(Seat(self.bot, 0).talk(its))
        return connection

    # --- games -------------------------------------------------------------------------------------------------------

    def next_game(self) -> int:
        self.games += 1
        return self.games

    def deal_seed(self, number: int) -> int:
        return int(spawn(self.seed, number)[0] >> 1)

    def keep(self, session: str, number: int, ended: Ended) -> None:
        """Write the record of a game and tell about it."""
        self.cards += sum(1 for event in ended.record.events if isinstance(event, dict))
        names = [brief(name, 30) for name in ended.record.header.agents]
        self.report(
            f"game {number} ({brief(session, 30)}): {names[0]}/{names[2]} - {names[1]}/{names[3]}, "
            f"team {ended.winner + 1} wins ({ended.reason})"
        )
        if self.options.records:
            safe = re.sub(r"[^\w-]", "_", session)[:60]
            ended.record.save(Path(self.options.records) / f"{number:05d}-{safe}.json")


def _address(socket: ServerConnection) -> str:
    place = socket.remote_address
    return str(place[0]) if place else ""
