"""A tournament: every pair of names plays, Glicko-2 ratings at the end."""

import asyncio
from itertools import combinations
from typing import TYPE_CHECKING

from spielwerk.bridges.jass_challenge.connection import Connection
from spielwerk.bridges.jass_challenge.limits import ENTRIES, Full
from spielwerk.bridges.jass_challenge.messages import Data, encode
from spielwerk.bridges.jass_challenge.ratings import Glicko, rated
from spielwerk.bridges.jass_challenge.sessions import Session
from spielwerk.bridges.jass_challenge.table import Player, Table, new_player, play_watched

if TYPE_CHECKING:
    from spielwerk.bridges.jass_challenge.server import ChallengeServer


class Tournament(Session):
    """A bot is a name with two connections and plays one game at a time."""

    def __init__(self, server: "ChallengeServer", name: str, opener: str) -> None:
        super().__init__(server, name, opener)
        self.bots: dict[str, list[Connection]] = {}
        self.crashed: set[str] = set()
        self.results: list[Data] = []  # newest first
        self.ratings: dict[str, Glicko] = {}
        self.busy: set[str] = set()
        self.free = asyncio.Condition()

    # --- the lobby ---------------------------------------------------------------------------------------------------

    def players_here(self) -> list[Connection]:
        return [connection for pair in self.bots.values() for connection in pair]

    def join(self, connection: Connection, team: int | None) -> None:
        if connection.name not in self.bots and len(self.bots) >= ENTRIES:
            raise Full(f"tournament {self.name} has {ENTRIES} bots already")
        pair = self.bots.setdefault(connection.name, [])
        if len(pair) == 2:
            connection.close("This bot has two connections already")
            return
        pair.append(connection)
        self.show_ranking()

    def greet(self, spectator: Connection) -> None:
        self.show_ranking()

    def player_left(self, connection: Connection) -> None:
        """Before the start a place is free again; later the bot has crashed."""
        if connection not in self.players_here():
            return
        if self.started:
            self.crashed.add(connection.name)
            return
        self.bots[connection.name].remove(connection)
        if not self.bots[connection.name]:
            del self.bots[connection.name]
        self.show_ranking()

    def message(self, connection: Connection, kind: str, data: Data) -> None:
        if kind != "START_TOURNAMENT" or connection not in self.spectators or self.started:
            super().message(connection, kind, data)
        elif len(self.bots) < 2 or any(len(pair) < 2 for pair in self.bots.values()):
            connection.send("ERROR", "a tournament takes at least two bots, each with two connections")
        else:
            self.started = True
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

    # --- the games ---------------------------------------------------------------------------------------------------

    async def _play(self) -> None:
        options = self.server.options
        games = []
        for first, second in combinations(self.bots, 2):
            for _ in range(options.rounds):
                number = self.server.next_game()
                seed = self.server.deal_seed(number)
                games.append(self._game(number, seed, first, second))
                if options.duplicate:
                    games.append(self._game(self.server.next_game(), seed, second, first))
        try:
            for problem in await asyncio.gather(*games, return_exceptions=True):
                if problem is not None:
                    self.server.trouble(problem)
            self._rate()
            self.show_ranking()
        finally:
            self.end("Game Finished")

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
