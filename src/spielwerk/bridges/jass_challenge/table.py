"""One game of the challenge at one table: four connections, perhaps spectators, the rules of the game, a record."""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from typing import NamedTuple

from spielwerk.bridges.jass_challenge.connection import BadMessage, Connection, Gone, Late
from spielwerk.bridges.jass_challenge.messages import TEAMS, Data, card_data, card_of, encode, mode_data, mode_of
from spielwerk.core.game import Game
from spielwerk.core.match import Header, Outcome, Record, digest, versions
from spielwerk.games.jass.cards import cards_of
from spielwerk.games.jass.kernel.table import FIRST_MODE, PLAY
from spielwerk.games.jass.view import last_trick, trick_on_table

MOST_TRIES = 100  # answers to one request that break the rules of the game; the original waits for ever


class Player(NamedTuple):
    id: str
    seat: int
    connection: Connection

    @property
    def data(self) -> Data:
        return {"id": self.id, "seatId": self.seat, "name": self.connection.name}


def new_player(seat: int, connection: Connection) -> Player:
    return Player(str(uuid.uuid4()), seat, connection)


class Ended(NamedTuple):
    winner: int  # team 0 or 1
    reason: str  # "points", or what a player of the losing team did
    culprit: Connection | None
    record: Record


class Forfeit(Exception):
    """A player has lost the game for its team."""

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(reason)
        self.seat = seat
        self.reason = reason


class Table:
    """Plays one game. `players` by seat; `spectators` is asked anew for every broadcast."""

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        spectators: Callable[[], Sequence[Connection]],
        seed: int,
        limit: float | None,
    ) -> None:
        self.game = game
        self.players = players
        self.spectators = spectators
        self.limit = limit
        self.position = game.opening(seed)
        self.header = Header(
            game.spec.id, game.variant, 4, seed, [player.connection.name for player in players], versions()
        )
        self.events: list[str | dict[str, str]] = []

    def broadcast(self, kind: str, data: Data = None) -> None:
        text = encode(kind, data)
        for player in self.players:
            player.connection.post(text)
        for spectator in self.spectators():
            spectator.post(text)

    async def play(self) -> Ended:
        self.broadcast("BROADCAST_TEAMS", self._teams())
        try:
            while not self.position.over:
                if self.position.actor_set == 0:
                    self._deal()
                elif self.position.state["phase"][0] == PLAY:
                    await self._card()
                else:
                    await self._mode()
        except Forfeit as lost:
            return self.forfeited(lost.seat, lost.reason)
        points = self.position.score
        winner = int(points[1] > points[0])
        self.broadcast("BROADCAST_WINNER_TEAM", self._score(winner) | {"currentRoundPoints": 0})
        result = Outcome(list(points), digest(self.position))
        return Ended(winner, "points", None, Record(self.header, self.events, result))

    def forfeited(self, seat: int, reason: str) -> Ended:
        """The game is lost for the team of `seat`, at the score so far."""
        winner = 1 - seat % 2
        if reason == "left":
            self.broadcast("ERROR", f"{self.players[seat].connection.name} has left the game")
        self.broadcast("BROADCAST_WINNER_TEAM", self._score(winner))
        return Ended(winner, reason, self.players[seat].connection, Record(self.header, self.events))

    def so_far(self) -> list[str]:
        """What somebody must hear who watches from now on: who plays, the mode, the cards on the table."""
        told = [encode("BROADCAST_TEAMS", self._teams())]
        mode = int(self.position.state["mode"][0])
        if mode >= 0:
            told.append(encode("BROADCAST_TRUMPF", mode_data(FIRST_MODE + mode)))
        cards = trick_on_table(self.position)
        if cards:
            told.append(encode("PLAYED_CARDS", [card_data(card) for card in cards]))
        return told

    def _teams(self) -> Data:
        return [
            {"name": TEAMS[side], "players": [self.players[seat].data for seat in (side, side + 2)]}
            for side in range(2)
        ]

    def _score(self, side: int) -> Data:
        state = self.position.state[0]
        return {
            "name": TEAMS[side],
            "points": int(state["points"][side]),
            "currentRoundPoints": int(state["gained"][side]),
        }

    def _deal(self) -> None:
        self.events.append(self.position.roll_noted())
        for player in self.players:
            hand = int(self.position.state["hands"][0][player.seat])
            player.connection.send("DEAL_CARDS", [card_data(card) for card in cards_of(hand)])

    async def _ask(
        self, seat: int, request: str, data: Data, answer: str, parse: Callable[[Data], int], legal: Sequence[int]
    ) -> int:
        """A legal action. Who sends something else than an action, or tries too often, loses the game."""
        connection = self.players[seat].connection
        try:
            for _ in range(MOST_TRIES):
                action = await connection.ask(request, data, answer, parse, self.limit)
                if action in legal:
                    return action
                if action < FIRST_MODE:
                    connection.send("REJECT_CARD", card_data(action))
                else:
                    connection.send("REJECT_TRUMPF", mode_data(action))
        except Late:
            raise Forfeit(seat, "late") from None
        except Gone:
            raise Forfeit(seat, "left") from None
        except BadMessage as bad:
            connection.send("BAD_MESSAGE", bad.reply)
            raise Forfeit(seat, "bad message") from None
        raise Forfeit(seat, "too many tries")

    async def _mode(self) -> None:
        seat = self.position.actors[0]
        pushed = bool(self.position.state["pushed"][0])
        legal = self.position.legal(seat)
        action = await self._ask(seat, "REQUEST_TRUMPF", pushed, "CHOOSE_TRUMPF", mode_of, legal)
        self._apply(seat, action)
        self.broadcast("BROADCAST_TRUMPF", mode_data(action))

    async def _card(self) -> None:
        position = self.position
        seat = position.actors[0]
        table = [card_data(card) for card in trick_on_table(position)]
        card = await self._ask(seat, "REQUEST_CARD", table, "CHOOSE_CARD", card_of, position.legal(seat))
        self._apply(seat, card)
        self.broadcast("PLAYED_CARDS", [*table, card_data(card)])
        if len(table) == 3:
            self._trick_over()

    def _apply(self, seat: int, action: int) -> None:
        self.position.apply({seat: action})
        self.events.append({str(seat): self.game.spec.moves[action]})

    def _trick_over(self) -> None:
        state = self.position.state[0]
        winner = self.players[int(state["winner"])]
        side = winner.seat % 2
        scores = [self._score(side), self._score(1 - side)]
        cards = [card_data(card) for card in last_trick(self.position)]
        self.broadcast(
            "BROADCAST_STICH",
            {
                "name": winner.connection.name,
                "id": winner.id,
                "seatId": winner.seat,
                "playedCards": cards,
                "teams": scores,
            },
        )
        if state["tricks"] == 9:
            self.broadcast("BROADCAST_GAME_FINISHED", scores)


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
