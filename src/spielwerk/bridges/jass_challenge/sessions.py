"""Sessions: a name, the players and spectators that came to it, and the single game. See tournament.py for the other
kind. A session lasts while somebody from outside is there; bots of the server alone do not keep it."""

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING

from spielwerk.bridges.jass_challenge.connection import BadMessage, Connection
from spielwerk.bridges.jass_challenge.limits import SPECTATORS, Full
from spielwerk.bridges.jass_challenge.messages import Data, decode, encode, team_of
from spielwerk.bridges.jass_challenge.table import Player, Table, new_player, play_watched

if TYPE_CHECKING:
    from spielwerk.bridges.jass_challenge.server import ChallengeServer


class Session(ABC):
    """What single games and tournaments have in common: a name, spectators, being closed."""

    def __init__(self, server: "ChallengeServer", name: str, opener: str) -> None:
        self.server = server
        self.name = name
        self.opener = opener  # address of the client that opened it
        self.spectators: list[Connection] = []
        self.started = False

    @abstractmethod
    def join(self, connection: Connection, team: int | None) -> None:
        """Seat a player, or refuse it."""

    @abstractmethod
    def player_left(self, connection: Connection) -> None:
        """A player's connection is gone."""

    @abstractmethod
    def players_here(self) -> list[Connection]:
        """The players' connections."""

    @abstractmethod
    def greet(self, spectator: Connection) -> None:
        """Tell somebody who watches from now on what there is to see."""

    def enter(self, connection: Connection, spectator: bool, team: int | None) -> None:
        """Let somebody in. Raises Full if there is no room."""
        if spectator and len(self.spectators) >= SPECTATORS:
            raise Full(f"session {self.name} has {SPECTATORS} spectators already")
        if spectator:
            self.spectators.append(connection)
            self.greet(connection)
        else:
            self.join(connection, team)
        connection.unasked = lambda text: self.unasked(connection, text)
        connection.left = lambda: self.left(connection)

    def left(self, connection: Connection) -> None:
        if connection in self.spectators:
            self.spectators.remove(connection)
        else:
            self.player_left(connection)
        if all(other.maker is not None for other in self.everybody()):
            self.end("Nobody is left")

    def everybody(self) -> list[Connection]:
        """All who hear broadcasts."""
        return [other for other in self.players_here() + self.spectators if not other.closed.is_set()]

    def message(self, connection: Connection, kind: str, data: Data) -> None:
        """A message that was not asked for; most are ignored."""
        if kind == "REQUEST_REGISTRY_BOTS":
            connection.send("SEND_REGISTRY_BOTS", [])

    def unasked(self, connection: Connection, text: str | bytes) -> None:
        with suppress(BadMessage):
            message = decode(text)
            self.message(connection, message["type"], message.get("data"))

    def broadcast(self, kind: str, data: Data = None) -> None:
        text = encode(kind, data)
        for connection in self.everybody():
            connection.post(text)

    def end(self, reason: str) -> None:
        """Close the session for all who are still there."""
        if self in self.server.sessions:
            self.server.sessions.remove(self)
            for connection in self.everybody():
                connection.close(reason)


class SingleGame(Session):
    """Four players, one game; it begins when the fourth sits down."""

    def __init__(self, server: "ChallengeServer", name: str, opener: str) -> None:
        super().__init__(server, name, opener)
        self.players: dict[int, Player] = {}
        self.latest: Data = None  # the last join message
        self.table: Table | None = None

    def players_here(self) -> list[Connection]:
        return [player.connection for player in self.players.values()]

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
            self.started = True
            self.server.start(self._play())

    def _free_seat(self, team: int | None) -> int:
        """Seats fill 0, 1, 2, 3, or those of the chosen team first; a full team sends to the other."""
        seats = range(4) if team is None else (team, team + 2, 1 - team, 3 - team)
        return next(seat for seat in seats if seat not in self.players)

    def greet(self, spectator: Connection) -> None:
        if self.latest:
            spectator.send("SESSION_JOINED", self.latest)
        if self.table:
            for text in self.table.so_far():
                spectator.post(text)

    def left(self, connection: Connection) -> None:
        if not self.started:
            for player in [player for player in self.players.values() if player.connection.maker is connection]:
                del self.players[player.seat]
                player.connection.close("The client that asked for this bot has left")
        super().left(connection)

    def player_left(self, connection: Connection) -> None:
        if self.started or connection not in self.players_here():
            return
        self.players = {seat: player for seat, player in self.players.items() if player.connection is not connection}
        reason = f"{connection.name} has left the session"
        self.broadcast("ERROR", reason)
        self.end(reason)

    def message(self, connection: Connection, kind: str, data: Data) -> None:
        if kind == "JOIN_BOT" and not self.started:
            self._seat_bot(connection, data)
        else:
            super().message(connection, kind, data)

    def _seat_bot(self, connection: Connection, data: Data) -> None:
        try:
            if not isinstance(data, dict) or data.get("sessionName", self.name) != self.name:
                raise BadMessage({"data.sessionName": [f"Session name must be that of your session, {self.name}"]})
            team = team_of(data.get("chosenTeamIndex"))
            self.enter(self.server.new_bot(connection), False, team)
        except BadMessage as bad:
            connection.send("BAD_MESSAGE", bad.reply)
        except Full as full:
            connection.send("ERROR", str(full))

    async def _play(self) -> None:
        number = self.server.next_game()
        players = [self.players[seat] for seat in range(4)]
        seed = self.server.deal_seed(number)
        self.table = Table(self.server.game, players, lambda: self.spectators, seed, None)
        try:
            self.server.keep(self.name, number, await play_watched(self.table))
        finally:
            self.end("Game Finished")
