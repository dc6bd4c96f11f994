"""A client that seats an agent at a server of the Jass challenge.

It rebuilds the position from what the server tells: the own cards, the choices and the cards of all. The agent thinks
in a thread, so that the connection stays alive, and gets a time limit below that of the tournament; if it has still
not answered a little later, a quick rule player answers in its place. In a tournament a bot has two connections; one
command opens both.
"""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI

from spielwerk.bridges import Joining, Report
from spielwerk.bridges.jass_challenge.messages import (
    LARGEST,
    Data,
    card_data,
    card_of,
    decode,
    encode,
    mode_data,
    mode_of,
)
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget, OutOfTime, Thinkers, now
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.position import Position, View
from spielwerk.games.jass.kernel import rules as kernel
from spielwerk.games.jass.players.rules import JassRules

TEAMS = ("Team 1", "Team 2")
QUICK = JassRules()


@dataclass(frozen=True)
class JassJoining(Joining):
    """An agent at a server of the Jass challenge."""

    name: ClassVar[str] = "jass client"

    agent: Annotated[Agent, "who plays, as name:key=value,…"]
    url: Annotated[str, "address of the server"] = "ws://127.0.0.1:3000"
    player: Annotated[str, "name that the others see"] = "spielwerk"
    session: Annotated[str, "name of the session to join"] = "spielwerk"
    type: Annotated[Literal["single", "tournament"], "kind of session"] = "single"
    team: Annotated[int | None, "team to join, 0 or 1; none = as seats fill"] = None
    seconds: Annotated[float, "most time for one decision"] = 0.2
    hurry: Annotated[float, "seconds after which a quick rule player answers in the agent's place"] = 0.35
    variant: Annotated[str, "rules that the server plays"] = "server"
    seed: Annotated[int, "seed of the agent's randomness"] = 0

    def __post_init__(self) -> None:
        if self.team not in (None, 0, 1) or self.seconds <= 0:
            raise SpielwerkError("jass client: team is 0 or 1, seconds are above 0")

    def run(self, report: Report) -> dict[str, Any]:
        return asyncio.run(self.play(report))

    async def play(self, report: Report = lambda line: None) -> dict[str, Any]:
        """Play until the server closes the connections."""
        await asyncio.to_thread(self._warm_up)
        count = 2 if self.type == "tournament" else 1
        seats = [Seat(self, number) for number in range(count)]
        try:
            await asyncio.gather(*(seat.play(report if seat.number == 0 else lambda line: None) for seat in seats))
        except (OSError, InvalidHandshake, InvalidURI, TimeoutError) as problem:
            raise SpielwerkError(f"cannot reach {self.url}: {problem}") from problem
        return {
            "games": seats[0].games,
            "won": seats[0].won,
            "decisions": sum(seat.decisions for seat in seats),
            "slowest answer": round(max(seat.slowest for seat in seats), 3),
            "hurried": sum(seat.hurried for seat in seats),
            "refused": sum(seat.refused for seat in seats),
        }

    def _warm_up(self) -> None:
        """Compile everything before the clock runs: one choice of a mode, one card."""
        game = registry.game("jass", 4, self.variant)
        self.agent.require(game)
        position = game.new(1)
        for action in (40, None):
            seat = position.actors[0]
            for agent in (self.agent, QUICK):
                agent.decide(position.view(seat), Budget(seconds=0.01), spawn(0))
            if action is not None:
                position.play(action)


class Seat:
    """One connection and what it knows of the game."""

    def __init__(self, options: JassJoining, number: int) -> None:
        self.options = options
        self.number = number
        self.game = registry.game("jass", 4, options.variant)
        self.seat = -1
        self.position: Position = self.game.opening()
        self.cards_seen = 0  # of the trick on the table
        self.rejected: set[int] = set()
        self.games = self.won = self.decisions = self.refused = self.hurried = 0
        self.slowest = 0.0
        self.thinkers = Thinkers()

    async def play(self, report: Report) -> None:
        options = self.options
        async with connect(options.url, max_size=LARGEST, compression=None) as socket:
            try:
                async for text in socket:
                    message = decode(text)
                    await self._react(socket, message["type"], message.get("data"), report)
            except ConnectionClosed:
                report("the connection broke")

    async def _react(self, socket: ClientConnection, kind: str, data: Data, report: Report) -> None:
        options = self.options
        if kind == "REQUEST_PLAYER_NAME":
            await socket.send(encode("CHOOSE_PLAYER_NAME", options.player))
        elif kind == "REQUEST_SESSION_CHOICE":
            wish: Data = {
                "sessionChoice": "JOIN_EXISTING",
                "sessionName": options.session,
                "sessionType": "TOURNAMENT" if options.type == "tournament" else "SINGLE_GAME",
            }
            if options.team is not None:
                wish["chosenTeamIndex"] = options.team
            await socket.send(encode("CHOOSE_SESSION", wish))
        elif kind == "BROADCAST_SESSION_JOINED":
            if self.seat < 0:
                self.seat = data["player"]["seatId"]
        elif kind == "BROADCAST_TEAMS":
            self.position = self.game.opening()
        elif kind == "DEAL_CARDS":
            self._deal([card_of(card) for card in data])
        elif kind == "BROADCAST_TRUMPF":
            self._happened(mode_of(data))
        elif kind == "PLAYED_CARDS":
            self.cards_seen = len(data) % 4
            self._happened(card_of(data[-1]))
        elif kind in ("REQUEST_TRUMPF", "REQUEST_CARD"):
            await self._answer(socket, kind)
        elif kind in ("REJECT_CARD", "REJECT_TRUMPF"):
            self.refused += 1
            self.rejected.add(card_of(data) if kind == "REJECT_CARD" else mode_of(data))
        elif kind == "BROADCAST_WINNER_TEAM":
            self.games += 1
            self.won += data["name"] == TEAMS[self.seat % 2]
            self.seat = -1
            report(f"game {self.games}: {data['name']} wins with {data['points']} points, {self.won} won so far")
        elif kind in ("ERROR", "BAD_MESSAGE"):
            report(f"the server says {kind}: {data}")

    def _deal(self, cards: list[int]) -> None:
        self.game.call(kernel.clear_table_at, self.position.state)
        for seat in range(4):
            self.position.state["hands"][0][seat] = 0
        self.position.state["hands"][0][self.seat] = sum(1 << card for card in cards)

    def _happened(self, action: int) -> None:
        """Somebody has chosen or played: always the one whose turn it is."""
        self.rejected.clear()
        self.game.call(entry.apply_at, self.position.state, np.full(4, action))

    async def _answer(self, socket: ClientConnection, kind: str) -> None:
        began = now()
        view = View(self.game, self.position.state.copy(), self.seat)
        budget = Budget(deadline=began + self.options.seconds)
        rng = spawn(self.options.seed, self.number, self.decisions)
        try:
            action = (await self.thinkers.within(self.options.hurry, self.options.agent, view, budget, rng)).action
        except OutOfTime:
            self.hurried += 1
            action = QUICK.decide(view, budget, spawn(0)).action
        allowed = [other for other in view.legal if other not in self.rejected]
        if action not in allowed and allowed:
            action = allowed[0]
        if kind == "REQUEST_CARD":
            await socket.send(encode("CHOOSE_CARD", card_data(action)))
        else:
            await socket.send(encode("CHOOSE_TRUMPF", mode_data(action)))
        self.decisions += 1
        self.slowest = max(self.slowest, now() - began)
