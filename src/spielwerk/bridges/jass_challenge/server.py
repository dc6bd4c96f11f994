"""The server of the Jass challenge: sessions, single games, tournaments. Bots made for the original attach unchanged.

It reacts to mistakes like the original, except where that would let one client harm another or the server; docs/jass.md
has the list. Beyond the original: deals come from a seed, a tournament can play every deal twice with the teams
swapped, and every game leaves a record.
"""

import asyncio
import re
import secrets
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, ClassVar

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from spielwerk.bridges import Hosting, Report
from spielwerk.bridges.jass_challenge.client import JassJoining
from spielwerk.bridges.jass_challenge.connection import BadMessage, Connection, Gone, pipe
from spielwerk.bridges.jass_challenge.limits import BOTS, Full
from spielwerk.bridges.jass_challenge.messages import LARGEST, SessionChoice, name_of, session_choice_of
from spielwerk.bridges.jass_challenge.seat import Seat
from spielwerk.bridges.jass_challenge.sessions import Session, SingleGame
from spielwerk.bridges.jass_challenge.table import Ended
from spielwerk.bridges.jass_challenge.tournament import Tournament
from spielwerk.bridges.line import brief
from spielwerk.bridges.listening import Guests, Listener, address_of
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


class ChallengeServer(Listener):
    """Sessions and who comes to them."""

    largest = LARGEST
    ping = PING

    def __init__(self, options: JassHosting, report: Report = lambda line: None) -> None:
        super().__init__(options.host, options.port, Guests(options.connections, options.per_address), report)
        self.options = options
        self.game = registry.game("jass", 4, options.variant)
        self.seed = secrets.randbits(62) if options.seed is None else options.seed
        self.bot = JassJoining(registry.agent(options.bot), player=f"{options.bot} bot", variant=options.variant)
        self.sessions: list[Session] = []  # in the order in which they were opened
        self.games = 0  # games begun so far
        self.cards = 0  # cards played in finished games
        if options.records:
            Path(options.records).mkdir(parents=True, exist_ok=True)

    async def _prepare(self) -> None:
        await self.bot.warm_up()

    # --- clients -----------------------------------------------------------------------------------------------------

    def _admit(self, socket: ServerConnection, request: Request) -> Response | None:
        reason = self.guests.why_not(address_of(socket))
        return None if reason is None else socket.respond(HTTPStatus.SERVICE_UNAVAILABLE, reason + "\n")

    async def _serve(self, socket: ServerConnection) -> None:
        connection = Connection(socket, socket.transport.abort, address_of(socket))
        self.start(self._welcome(connection))
        await connection.serve()

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
