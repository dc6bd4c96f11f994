"""The server of the Jass challenge: sessions, single games, tournaments. Bots made for the original attach unchanged.

It reacts to mistakes like the original, except that nothing a client does ends the server, that a refused name or
session choice is asked for again, and that a refused start of a tournament can be repeated. Beyond the original: deals
come from a seed, a tournament can play every deal twice with the teams swapped, and every game leaves a record.
"""

import asyncio
import contextlib
import re
import secrets
from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, ClassVar

from websockets.asyncio.server import Server, ServerConnection, serve

from spielwerk.bridges import Hosting, Report
from spielwerk.bridges.jass_challenge.connection import BadMessage, Connection, Gone
from spielwerk.bridges.jass_challenge.messages import (
    LARGEST,
    Data,
    SessionChoice,
    decode,
    encode,
    name_of,
    session_choice_of,
)
from spielwerk.bridges.jass_challenge.ratings import Glicko, rated
from spielwerk.bridges.jass_challenge.table import Ended, Player, Table, new_player
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel.rng import spawn

PATIENCE = 10  # wrong answers before the game after which a client is sent away
PING = 10.0  # seconds between two pings


@dataclass(frozen=True)
class JassHosting(Hosting):
    """A server for the Jass challenge."""

    name: ClassVar[str] = "jass server"

    host: Annotated[str, "address to listen on"] = "127.0.0.1"
    port: Annotated[int, "port to listen on; 0 = any free one"] = 3000
    variant: Annotated[str, "rules, for example server or multipliers or server,target=1000"] = "server"
    seed: Annotated[int | None, "seed of the deals; none = different every time"] = None
    limit: Annotated[float, "seconds for an answer in a tournament; 0 = no limit"] = 0.5
    rounds: Annotated[int, "games per pair of bots in a tournament"] = 1
    duplicate: Annotated[bool, "in a tournament play every game twice, same deals, teams swapped"] = False
    records: Annotated[str | None, "folder for the records of all games"] = None
    bot: Annotated[str, "agent that the server seats when a client asks for a bot"] = "rules"

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.limit < 0 or not 0 <= self.port <= 65535:
            raise SpielwerkError("jass server: rounds start at 1, limit at 0, port goes from 0 to 65535")

    def run(self, report: Report) -> None:
        asyncio.run(self._run(report))

    async def _run(self, report: Report) -> None:
        server = ChallengeServer(self, report)
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
        self.sessions: list[Session] = []  # those that have not started
        self.games = 0  # games begun so far
        self.cards = 0  # cards played in finished games
        self.tasks: set[asyncio.Task[None]] = set()
        self._server: Server | None = None
        if options.records:
            Path(options.records).mkdir(parents=True, exist_ok=True)

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    @property
    def url(self) -> str:
        return f"ws://{self.options.host}:{self.port}"

    async def __aenter__(self) -> "ChallengeServer":
        try:
            self._server = await serve(
                self._serve,
                self.options.host,
                self.options.port,
                max_size=LARGEST,
                ping_interval=PING,
                compression=None,
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

    def start(self, work) -> None:  # type: ignore[no-untyped-def]
        """Run a coroutine beside everything else; its failure is reported and stays its own."""

        async def guarded() -> None:
            try:
                await work
            except Exception as problem:
                self.report(f"internal error, the server goes on: {problem!r}")

        task = asyncio.create_task(guarded())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def deal_seed(self, number: int) -> int:
        return int(spawn(self.seed, number)[0] >> 1)

    async def _serve(self, socket: ServerConnection) -> None:
        connection = Connection(socket)
        self.start(self._welcome(connection))
        await connection.serve()

    async def _welcome(self, connection: Connection) -> None:
        """Ask for name and session until both are right."""
        for _ in range(PATIENCE):
            try:
                if not connection.name:
                    connection.name = name_of(await connection.ask("REQUEST_PLAYER_NAME", None, "CHOOSE_PLAYER_NAME"))
                names = [session.name for session in self.sessions]
                data = await connection.ask("REQUEST_SESSION_CHOICE", names, "CHOOSE_SESSION")
                self._enter(connection, session_choice_of(data))
                return
            except BadMessage as bad:
                connection.send("BAD_MESSAGE", bad.reply)
            except Gone:
                return
        connection.close("Too many bad messages")

    def _enter(self, connection: Connection, wish: SessionChoice) -> None:
        session = None
        if wish.choice == "AUTOJOIN" and not wish.spectator and self.sessions:
            session = self.sessions[0]
        elif wish.choice != "CREATE_NEW":
            session = next((session for session in self.sessions if session.name == wish.name), None)
        if session is None:
            kind = Tournament if wish.tournament else SingleGame
            session = kind(self, wish.name or secrets.token_hex(4))
            self.sessions.append(session)
        connection.unasked = lambda text: session.unasked(connection, text)
        if wish.spectator:
            connection.left = lambda: session.spectators.remove(connection)
            session.spectators.append(connection)
            session.spectator_joined(connection)
        else:
            connection.left = lambda: session.player_left(connection)
            session.join(connection, wish.team)

    def keep(self, session: str, number: int, ended: Ended) -> None:
        """Write the record of a game and tell about it."""
        self.cards += sum(1 for event in ended.record.events if isinstance(event, dict))
        names = ended.record.header.agents
        self.report(
            f"game {number} ({session}): {names[0]}/{names[2]} - {names[1]}/{names[3]}, team {ended.winner + 1} wins "
            f"({ended.reason})"
        )
        if self.options.records:
            safe = re.sub(r"[^\w-]", "_", session)[:60]
            ended.record.save(Path(self.options.records) / f"{number:05d}-{safe}.json")


class Session(ABC):
    """What single games and tournaments have in common: a name, spectators, being closed."""

    def __init__(self, server: ChallengeServer, name: str) -> None:
        self.server = server
        self.name = name
        self.spectators: list[Connection] = []
        self.started = False

    def begin(self) -> None:
        self.started = True
        self.server.sessions.remove(self)

    @abstractmethod
    def join(self, connection: Connection, team: int | None) -> None:
        """Seat a player, or refuse it."""

    @abstractmethod
    def player_left(self, connection: Connection) -> None:
        """A player's connection is gone."""

    @abstractmethod
    def everybody(self) -> list[Connection]:
        """All who hear broadcasts."""

    @abstractmethod
    def spectator_joined(self, connection: Connection) -> None:
        """Somebody watches from now on."""

    def message(self, connection: Connection, kind: str, data: Data) -> None:
        """A message that was not asked for; most are ignored."""
        if kind == "REQUEST_REGISTRY_BOTS":
            connection.send("SEND_REGISTRY_BOTS", [])

    def unasked(self, connection: Connection, text: str | bytes) -> None:
        with contextlib.suppress(BadMessage):
            message = decode(text)
            self.message(connection, message["type"], message.get("data"))

    def broadcast(self, kind: str, data: Data = None) -> None:
        text = encode(kind, data)
        for connection in self.everybody():
            connection.post(text)

    def close_all(self, reason: str) -> None:
        for connection in self.everybody():
            connection.close(reason)

    def abandon(self, reason: str) -> None:
        """Close a session that has not started."""
        self.begin()
        self.broadcast("ERROR", reason)
        self.close_all(reason)


class SingleGame(Session):
    def __init__(self, server: ChallengeServer, name: str) -> None:
        super().__init__(server, name)
        self.players: dict[int, Player] = {}
        self.latest: Data = None  # the last join message

    def everybody(self) -> list[Connection]:
        return [player.connection for player in self.players.values()] + self.spectators

    def join(self, connection: Connection, team: int | None) -> None:
        player = new_player(self._free_seat(team), connection)
        self.players[player.seat] = player
        self.latest = {
            "sessionName": self.name,
            "player": player.data,
            "playersInSession": [self.players[seat].data for seat in sorted(self.players)],
        }
        self.broadcast("BROADCAST_SESSION_JOINED", self.latest)
        if len(self.players) == 4:
            self.begin()
            self.server.start(self._play())

    def _free_seat(self, team: int | None) -> int:
        """Seats fill 0, 1, 2, 3, or those of the chosen team first; a full team sends to the other."""
        seats = range(4) if team is None else (team, team + 2, 1 - team, 3 - team)
        return next(seat for seat in seats if seat not in self.players)

    def spectator_joined(self, connection: Connection) -> None:
        if self.latest:
            connection.send("SESSION_JOINED", self.latest)

    def player_left(self, connection: Connection) -> None:
        if not self.started:
            self.players = {s: p for s, p in self.players.items() if p.connection is not connection}
            self.abandon(f"{connection.name} has left the session")

    def message(self, connection: Connection, kind: str, data: Data) -> None:
        if kind == "JOIN_BOT" and not self.started and isinstance(data, dict):
            from spielwerk.bridges.jass_challenge.client import JassJoining

            team = data.get("chosenTeamIndex")
            bot = JassJoining(
                url=self.server.url,
                player=f"{self.server.options.bot} bot",
                session=self.name,
                team=team if team in (0, 1) else None,
                agent=registry.agent(self.server.options.bot),
            )
            self.server.start(bot.play())
        else:
            super().message(connection, kind, data)

    async def _play(self) -> None:
        self.server.games += 1
        number = self.server.games
        players = [self.players[seat] for seat in range(4)]
        table = Table(self.server.game, players, lambda: self.spectators, self.server.deal_seed(number), None)
        ended = await play_watched(table)
        self.server.keep(self.name, number, ended)
        self.close_all("Game Finished")


async def play_watched(table: Table) -> Ended:
    """Play; a player who leaves ends the game at once, also while another one is being asked."""
    playing = asyncio.create_task(table.play())
    leaving = [asyncio.create_task(player.connection.closed.wait()) for player in table.players]
    try:
        await asyncio.wait([playing, *leaving], return_when=asyncio.FIRST_COMPLETED)
        if playing.done():
            return playing.result()
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        gone = next(player for player in table.players if player.connection.closed.is_set())
        return table.forfeited(gone.seat, "left")
    finally:
        for task in (playing, *leaving):
            task.cancel()


class Tournament(Session):
    """Every pair of names plays; a bot is a name with two connections and plays one game at a time."""

    def __init__(self, server: ChallengeServer, name: str) -> None:
        super().__init__(server, name)
        self.bots: dict[str, list[Connection]] = {}
        self.crashed: set[str] = set()
        self.results: list[Data] = []  # newest first
        self.ratings: dict[str, Glicko] = {}
        self.busy: set[str] = set()
        self.free = asyncio.Condition()

    def everybody(self) -> list[Connection]:
        return [connection for pair in self.bots.values() for connection in pair] + self.spectators

    def join(self, connection: Connection, team: int | None) -> None:
        pair = self.bots.setdefault(connection.name, [])
        if len(pair) == 2:
            connection.left = lambda: None
            connection.close("This bot has two connections already")
            return
        pair.append(connection)
        self.show_ranking()

    def spectator_joined(self, connection: Connection) -> None:
        self.show_ranking()

    def player_left(self, connection: Connection) -> None:
        if not self.started:
            self.bots[connection.name].remove(connection)
            if not self.bots[connection.name]:
                del self.bots[connection.name]
            self.abandon(f"{connection.name} has left the tournament")
        else:
            self.crashed.add(connection.name)

    def message(self, connection: Connection, kind: str, data: Data) -> None:
        if kind != "START_TOURNAMENT" or connection not in self.spectators or self.started:
            super().message(connection, kind, data)
        elif len(self.bots) < 2 or any(len(pair) < 2 for pair in self.bots.values()):
            connection.send("ERROR", "a tournament takes at least two bots, each with two connections")
        else:
            self.begin()
            self.broadcast("BROADCAST_TOURNAMENT_STARTED")
            self.server.start(self._play())

    def show_ranking(self) -> None:
        rows: list[Data] = []
        for name, pair in self.bots.items():
            row: Data = {"playerName": name, "connectedClients": sum(not c.closed.is_set() for c in pair)}
            if name in self.ratings:
                better = sum(other.rating > self.ratings[name].rating for other in self.ratings.values())
                row |= {"rank": 1 + better, "rating": round(self.ratings[name].rating, 1)}
            if name in self.crashed:
                row["crashed"] = True
            rows.append(row)
        rows.sort(key=lambda row: row.get("rank", 0))
        self.broadcast("BROADCAST_TOURNAMENT_RANKING_TABLE", {"ranking": rows, "pairingResults": self.results})

    async def _play(self) -> None:
        options = self.server.options
        games = []
        for first, second in combinations(self.bots, 2):
            for _ in range(options.rounds):
                self.server.games += 1
                number = self.server.games
                seed = self.server.deal_seed(number)
                games.append(self._game(number, seed, first, second))
                if options.duplicate:
                    self.server.games += 1
                    games.append(self._game(self.server.games, seed, second, first))
        await asyncio.gather(*games)
        self._rate()
        self.show_ranking()
        self.close_all("Game Finished")

    async def _game(self, number: int, seed: int, first: str, second: str) -> None:
        async with self.free:
            await self.free.wait_for(lambda: not self.busy & {first, second})
            self.busy |= {first, second}
        try:
            if self.crashed & {first, second}:
                winner = int(first in self.crashed)
            else:
                winner = await self._played(number, seed, first, second)
            result = {"player1": first, "player2": second, "firstPlayerWon": winner == 0, "id": number}
            self.results.insert(0, result)
            self.show_ranking()
        finally:
            async with self.free:
                self.busy -= {first, second}
                self.free.notify_all()

    async def _played(self, number: int, seed: int, first: str, second: str) -> int:
        a, b = self.bots[first], self.bots[second]
        players: list[Player] = []
        for seat, connection in enumerate((a[0], b[0], a[1], b[1])):
            players.append(new_player(seat, connection))
            joined = {
                "sessionName": self.name,
                "player": players[-1].data,
                "playersInSession": [p.data for p in players],
            }
            text = encode("BROADCAST_SESSION_JOINED", joined)
            for player in players:
                player.connection.post(text)
        table = Table(self.server.game, players, lambda: (), seed, self.server.options.limit or None)
        ended = await play_watched(table)
        if ended.reason == "left" and ended.culprit:
            self.crashed.add(ended.culprit.name)
        self.server.keep(self.name, number, ended)
        return ended.winner

    def _rate(self) -> None:
        """All games are one rating period; everybody starts level."""
        before = Glicko()
        for name in self.bots:
            own = []
            for result in self.results:
                if name in (result["player1"], result["player2"]):
                    won = result["firstPlayerWon"] == (name == result["player1"])
                    own.append((before, float(won)))
            self.ratings[name] = rated(before, own)
