"""One seat of a client: what it has heard of the game, and what it answers.

It rebuilds the position from what the server tells: the own cards, the choices and the cards of all. Nothing that it
hears stops it. A message that makes no sense is reported and skipped; what was missed is made up for from the cards
that later messages show. If the position is still not clear, it plays by the own hand and the cards on the table, and
tries another card when one is refused.

The agent thinks in a thread, so that the connection stays alive. If it does not answer in time, or fails, a quick rule
player answers in its place.
"""

from typing import TYPE_CHECKING

import numpy as np

from spielwerk.bridges import Report
from spielwerk.bridges.jass_challenge.learning import place_of, played_at
from spielwerk.bridges.jass_challenge.messages import (
    TEAMS,
    BadMessage,
    Data,
    announced_mode,
    card_data,
    card_of,
    cards_of,
    decode,
    encode,
    mode_data,
    mode_of,
    score_of,
    seat_of,
)
from spielwerk.bridges.line import Socket, brief
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget, OutOfTime, Thinkers, now
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.position import Position, View
from spielwerk.games.jass.kernel.table import CHOOSE, FIRST_MODE, PLAY, PUSH, PUSHED, clear_table_at
from spielwerk.games.jass.players.rules import JassRules
from spielwerk.games.jass.view import last_trick, trick_on_table

if TYPE_CHECKING:
    from spielwerk.bridges.jass_challenge.client import JassJoining
    from spielwerk.learn.live import LearningSeat, Pupil

QUICK = JassRules()


class Unclear(Exception):
    """What the server says does not fit to what it said before."""


class Seat:
    """Plays game after game over one connection. `options` say who decides, and how fast."""

    def __init__(
        self,
        options: "JassJoining",
        number: int,
        report: Report = lambda line: None,
        pupil: "Pupil | None" = None,
    ) -> None:
        self.options = options
        self.agent: Agent = options.agent
        self.learning: LearningSeat | None = None
        if pupil is not None:
            self.agent = self.learning = pupil.seat(place_of)
        self.number = number  # of the connection
        self.report = report
        self.game = registry.game("jass", 4, options.variant)
        self.thinkers = Thinkers()
        self.games = self.won = self.decisions = self.refused = self.hurried = 0
        self.slowest = 0.0
        self._new_game()

    def _new_game(self) -> None:
        self.joined = False  # the first join message is that of the own seat
        self.seat = -1
        self.points = [0, 0]
        self.deals = 0  # of this game, the one being played included
        self.position: Position = self.game.opening()
        self.clear = False  # whether the position is what is being played
        self.hand: set[int] = set()
        self.rejected: set[int] = set()

    async def talk(self, socket: Socket) -> None:
        """Listen and answer until the connection ends."""
        async for text in socket:
            try:
                message = decode(text)
            except BadMessage:
                self.report(f"skipped what is no message: {brief(text)}")
                continue
            kind, data = message["type"], message.get("data")
            if kind in ("REQUEST_TRUMPF", "REQUEST_CARD"):
                await socket.send(await self._answer(kind, data))
            elif kind == "REQUEST_PLAYER_NAME":
                await socket.send(encode("CHOOSE_PLAYER_NAME", self.options.player))
            elif kind == "REQUEST_SESSION_CHOICE":
                await socket.send(encode("CHOOSE_SESSION", self._wish()))
            else:
                self._listen(kind, data)

    def _wish(self) -> Data:
        options = self.options
        wish: Data = {
            "sessionChoice": "JOIN_EXISTING",
            "sessionName": options.session,
            "sessionType": "TOURNAMENT" if options.type == "tournament" else "SINGLE_GAME",
        }
        if options.team is not None:
            wish["chosenTeamIndex"] = options.team
        return wish

    # --- hearing -----------------------------------------------------------------------------------------------------

    def _listen(self, kind: str, data: Data) -> None:
        try:
            self._hear(kind, data)
        except BadMessage as bad:
            self.report(f"skipped a {kind} that cannot be read: {brief(bad)}")
        except Unclear as problem:
            self.clear = False
            self.report(f"deal {self.deals} is not clear ({problem}); playing by the cards on the table")

    def _hear(self, kind: str, data: Data) -> None:
        if kind == "BROADCAST_SESSION_JOINED" and not self.joined:
            self.joined = True
            self.seat = seat_of(data)
        elif kind == "BROADCAST_TEAMS":
            self.points, self.deals = [0, 0], 0
        elif kind == "DEAL_CARDS":
            self._deal(data)
        elif kind == "BROADCAST_TRUMPF":
            self.rejected.clear()
            self._chosen(*announced_mode(data))
        elif kind == "PLAYED_CARDS":
            self.rejected.clear()
            self._trick(cards_of(data, 4))
        elif kind == "BROADCAST_STICH":
            self._trick(cards_of(data.get("playedCards") if isinstance(data, dict) else None, 4))
        elif kind in ("REJECT_CARD", "REJECT_TRUMPF"):
            self.refused += 1
            self.rejected.add(card_of(data) if kind == "REJECT_CARD" else mode_of(data))
        elif kind == "BROADCAST_GAME_FINISHED":
            for team, points in map(score_of, data if isinstance(data, list) else [data]):
                self.points[team] = points
        elif kind == "BROADCAST_WINNER_TEAM":
            own = self.seat % 2 if self.seat >= 0 else None
            self.games += 1
            self._new_game()
            winner, points = score_of(data)
            self.won += winner == own
            self.report(f"game {self.games}: {TEAMS[winner]} wins with {points} points, {self.won} won so far")
        elif kind in ("ERROR", "BAD_MESSAGE"):
            self.report(f"the server says {kind}: {brief(data, 200)}")

    def _deal(self, data: Data) -> None:
        self.deals += 1
        self.clear = False
        self.hand.clear()
        self.rejected.clear()
        cards = cards_of(data, 9)
        self.hand.update(cards)
        if self.seat < 0 or len(cards) < 9:
            raise Unclear("the own seat or cards are not known")
        self.position = self.game.opening()
        state = self.position.state
        state["points"][0] = self.points
        state["deals"] = self.deals - 1
        state["starter"] = (self.deals - 1) % 4
        self.game.call(clear_table_at, state)
        state["hands"][0][self.seat] = sum(1 << card for card in cards)
        self.clear = True

    def _chosen(self, action: int, mode: int | None) -> None:
        """Somebody has chosen: the one whose turn it is."""
        if not self.clear:
            return
        phase = int(self.position.state["phase"][0])
        if phase not in (CHOOSE, PUSHED) or (phase == PUSHED and action == PUSH):
            raise Unclear("a mode was chosen again")
        self._apply(action)
        if mode is not None:
            self.position.state["mode"] = mode

    def _trick(self, cards: list[int]) -> None:
        """The trick lies so; whatever is new in it was played by those whose turn it was."""
        self.hand.difference_update(cards)
        if not self.clear:
            return
        known = trick_on_table(self.position)
        if not known and len(cards) == 4 and cards == last_trick(self.position):
            return
        if known != cards[: len(known)]:
            raise Unclear("the trick is another one")
        for card in cards[len(known) :]:
            state = self.position.state[0]
            seat = int(state["turn"])
            gone = int(np.bitwise_or.reduce(state["played"]))
            mine = bool(int(state["hands"][self.seat]) >> card & 1)
            if state["phase"] != PLAY or gone >> card & 1 or mine != (seat == self.seat):
                raise Unclear("a card was played that cannot be")
            self._apply(card)
        if self.position.state["tricks"][0] == 9:
            self._deal_over()

    def _deal_over(self) -> None:
        """Who learns while it plays learns from the deal."""
        if self.learning is not None:
            final = View(self.game, self.position.state.copy(), self.seat)
            self.learning.ended(final, played_at(final))

    def _apply(self, action: int) -> None:
        self.game.call(entry.apply_at, self.position.state, np.full(4, action))

    # --- answering ---------------------------------------------------------------------------------------------------

    async def _answer(self, kind: str, data: Data) -> str:
        began = now()
        try:
            action = await self._decided(kind, data)
        except (BadMessage, Unclear) as problem:
            if self.clear:
                self.clear = False
                self.report(f"deal {self.deals} is not clear ({brief(problem)}); playing by the cards on the table")
            action = self._by_hand(kind, data)
        self.decisions += 1
        self.slowest = max(self.slowest, now() - began)
        if kind == "REQUEST_CARD":
            return encode("CHOOSE_CARD", card_data(action))
        return encode("CHOOSE_TRUMPF", mode_data(action))

    async def _decided(self, kind: str, data: Data) -> int:
        """What the agent does. Raises Unclear if there is no position to show it, or all that it may do was refused."""
        if kind == "REQUEST_CARD":
            self._trick(cards_of(data, 3))
        elif data is True and self.clear and self.position.state["phase"][0] == CHOOSE:
            self._chosen(PUSH, None)
        view = View(self.game, self.position.state.copy(), self.seat)
        allowed = [action for action in view.legal if action not in self.rejected] if self.clear else []
        if not allowed or (allowed[0] < FIRST_MODE) != (kind == "REQUEST_CARD") or not self._possible(view):
            raise Unclear("the server asks for something else")
        action = await self._think(view)
        return action if action in allowed else allowed[0]

    def _possible(self, view: View) -> bool:
        """Whether the hidden cards can be dealt in some way; agents that imagine them rely on it."""
        state = view.imagine(spawn(0)).state[0]
        held = zip(state["hands"], state["played"], strict=True)
        return all(int(hand).bit_count() + int(played).bit_count() == 9 for hand, played in held)

    async def _think(self, view: View) -> int:
        options = self.options
        rng = spawn(options.seed, self.number, self.decisions)
        try:
            return (await self.thinkers.within(options.hurry, self.agent, view, self._budget(), rng)).action
        except OutOfTime:
            self.hurried += 1
        except Exception as problem:  # whatever an agent raises, the game goes on
            self.report(f"{self.agent.name} failed, a rule player answers: {brief(repr(problem))}")
        return QUICK.decide(view, Budget(), spawn(0)).action

    def _budget(self) -> Budget:
        return Budget(deadline=now() + self.options.seconds)

    def _by_hand(self, kind: str, data: Data) -> int:
        """A card that follows suit if there is one, or the longest suit as trump; never one that was refused."""
        if kind == "REQUEST_TRUMPF":
            suits = sorted(range(4), key=lambda suit: -sum(card // 9 == suit for card in self.hand))
            return next((FIRST_MODE + suit for suit in suits if FIRST_MODE + suit not in self.rejected), FIRST_MODE)
        try:
            led = [card // 9 for card in cards_of(data, 3)[:1]]
        except BadMessage:
            led = []
        left = sorted(self.hand - self.rejected) or sorted(set(range(36)) - self.rejected) or [0]
        return next((card for card in left if card // 9 in led), left[0])
