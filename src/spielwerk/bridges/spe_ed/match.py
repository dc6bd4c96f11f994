"""One game: a state to everybody, answers until the last one is in or the time is up, the rules, and so on.

Reactions are those of the official server. No answer in time, one that makes no sense and a second one while others
still think put a player out without moving. What comes after the last answer of a round waits for the next round. Dead
players are told everything; what they send is ignored.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from spielwerk.bridges import Report
from spielwerk.bridges.line import Line, brief
from spielwerk.bridges.spe_ed.keeping import GameLog
from spielwerk.bridges.spe_ed.messages import BadMessage, Snapshot, action_of, time_text
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget, OutOfTime, Thinkers
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.core.match import Header, Outcome, Record, digest, versions
from spielwerk.core.position import View, duplicate
from spielwerk.games.speed.game import ACTIONS
from spielwerk.games.speed.kernel.rules import NO_ANSWER

QUEUE = 5  # answers of one player that wait for the next round
MOST_CHATTER = 1000  # messages of one player in one round; more cut the connection
BOT_SHARE = 0.5  # of the time limit is the most that a built-in opponent thinks


class Clock:
    """The time of a server: what it tells, and how it waits."""

    def time(self) -> float:
        """Seconds since 1970."""
        return time.time()

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@dataclass
class Player:
    """Who plays: a client with its line, or a built-in agent."""

    key: str = ""
    line: Line | None = None
    agent: Agent | None = None
    name: str = ""
    queue: deque[str | bytes] = field(default_factory=deque)
    chatter: int = 0  # messages since the last state

    @property
    def title(self) -> str:
        """For the operator of the server."""
        return brief(self.key, 30) if self.agent is None else f"({self.agent.spec})"


@dataclass(frozen=True)
class Pace:
    """How much time there is for an answer."""

    shortest: int  # seconds of a limit that is drawn for every round
    longest: int
    grace: float  # seconds that an answer may come after the limit
    thinking: float  # seconds that a built-in opponent thinks


class Match:
    """Plays one game; `players` by seat."""

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        seed: int,
        pace: Pace,
        log: GameLog,
        clock: Clock,
        thinkers: Thinkers,
        report: Report,
    ) -> None:
        self.game = registry.game(game.spec.id, game.seats, f"{game.variant},no_answer=1")
        self.plain = game  # as built-in opponents know it
        self.players = players
        self.seed = seed
        self.pace = pace
        self.log = log
        self.clock = clock
        self.thinkers = thinkers
        self.report = report
        self.position = self.game.opening(seed)
        self.events: list[str | dict[str, str]] = [self.position.roll_noted()]
        self.snapshot = Snapshot(self.position)
        self._answers: dict[int, int] = {}
        self._open = False  # whether answers are taken
        self._complete = asyncio.Event()
        for seat, player in enumerate(players):
            if player.line is not None:
                self._listen(seat, player.line)

    def _listen(self, seat: int, line: Line) -> None:
        line.unasked = lambda frame: self._hear(seat, frame)
        line.left = lambda: self._left(seat)

    # --- hearing -----------------------------------------------------------------------------------------------------

    def _is_in(self, seat: int) -> bool:
        return bool(self.position.state["alive"][0] >> seat & 1)

    def _hear(self, seat: int, frame: str | bytes) -> None:
        player = self.players[seat]
        player.chatter += 1
        if player.chatter > MOST_CHATTER and player.line is not None:
            player.line.cut()
        elif not self._is_in(seat):
            return
        elif self._open:
            self._judge(seat, frame)
        elif len(player.queue) < QUEUE:
            player.queue.append(frame)

    def _judge(self, seat: int, frame: str | bytes) -> None:
        if seat in self._answers:
            self._answers[seat] = NO_ANSWER  # one answer too many
            return
        try:
            action = action_of(frame)
        except BadMessage as bad:
            action = NO_ANSWER
            self.report(f"{self.players[seat].title} is out, it sent what is no action: {brief(bad)}")
        self._answer(seat, action)

    def _left(self, seat: int) -> None:
        if self._open and self._is_in(seat):
            self._answer(seat, NO_ANSWER)

    def _answer(self, seat: int, action: int) -> None:
        self._answers.setdefault(seat, action)
        if len(self._answers) == int(self.position.state["alive"][0]).bit_count():
            self._open = False
            self._complete.set()

    # --- playing -----------------------------------------------------------------------------------------------------

    async def play(self, ending: Callable[[], None] = lambda: None) -> Record:
        """Play to the end; `ending` is called before the last state goes out."""
        while not self.position.over:
            await self._round()
        names = [player.name for player in self.players]
        self.snapshot = Snapshot(self.position, names=names)
        self.log.add(self.snapshot.text(0))
        self.log.finish()
        ending()
        self._tell()
        agents = [player.name if player.agent is None else player.agent.spec for player in self.players]
        header = Header(self.game.spec.id, self.game.variant, self.game.seats, self.seed, agents, versions())
        return Record(header, self.events, Outcome(list(self.position.score), digest(self.position)))

    async def _round(self) -> None:
        """One round; whoever was not heard when it ends is out."""
        limit = self.pace.shortest + pick(
            spawn(self.seed, 2, len(self.events)), 1 + self.pace.longest - self.pace.shortest
        )
        self.snapshot = Snapshot(self.position, time_text(self.clock.time() + limit))
        self.log.add(self.snapshot.text(0))
        self._answers.clear()
        self._complete.clear()
        self._open = True
        work = [asyncio.create_task(self.clock.wait(limit + self.pace.grace))]
        self._tell()
        for seat in self.position.actors:
            player = self.players[seat]
            if player.agent is not None:
                work.append(asyncio.create_task(self._think(seat, player.agent, limit)))
            elif player.line is None or player.line.closed.is_set():
                self._left(seat)
            while player.queue and self._open:
                self._judge(seat, player.queue.popleft())
        complete = asyncio.create_task(self._complete.wait())
        try:
            await asyncio.wait([work[0], complete], return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._open = False
            for task in [*work, complete]:
                task.cancel()
        moves: dict[int, int | str] = {seat: self._answers.get(seat, NO_ANSWER) for seat in self.position.actors}
        self.position.apply(moves)
        self.events.append({str(seat): ACTIONS[int(action)] for seat, action in moves.items()})

    async def _think(self, seat: int, agent: Agent, limit: float) -> None:
        """What a built-in opponent does. It does not know that one may fail to answer."""
        state = duplicate(self.position.state)
        state["no_answer"] = 0
        view = View(self.plain, state, seat)
        budget = Budget(seconds=min(self.pace.thinking, BOT_SHARE * limit))
        rng = spawn(self.seed, 3, seat, len(self.events))
        try:
            action = (await self.thinkers.within(limit, agent, view, budget, rng)).action
        except OutOfTime:
            action = NO_ANSWER
        except Exception as problem:  # whatever an agent raises, the game goes on
            self.report(f"{agent.name} failed and is out: {brief(repr(problem))}")
            action = NO_ANSWER
        if self._open:
            self._answer(seat, action if action in view.legal else NO_ANSWER)

    def _tell(self) -> None:
        for seat, player in enumerate(self.players):
            player.chatter = 0
            if player.line is not None:
                player.line.post(self.snapshot.text(seat + 1))

    # --- what came of it ---------------------------------------------------------------------------------------------

    @property
    def rounds(self) -> int:
        return int(self.position.state["rounds"][0])

    @property
    def winner(self) -> int | None:
        """The seat that has outlived all others; None if there is none, or not yet."""
        alive = int(self.position.state["alive"][0])
        return alive.bit_length() - 1 if self.position.over and alive else None
