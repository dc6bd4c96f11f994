"""One game of a client: what it hears, and what it answers before the time is up.

The agent thinks in a thread, so that the connection stays alive. A safe move is computed before it begins; if the agent
overruns, fails, or the state cannot be shown to it, the safe move is sent.
"""

import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from spielwerk.bridges import Report
from spielwerk.bridges.line import Socket, brief
from spielwerk.bridges.spe_ed.keeping import GameLog
from spielwerk.bridges.spe_ed.messages import (
    SENT,
    BadMessage,
    Heard,
    action_text,
    heard,
    means_a_state,
    time_of,
    view_of,
)
from spielwerk.bridges.spe_ed.safe import safe_action
from spielwerk.bridges.spe_ed.timing import ServerClock
from spielwerk.core.clock import Budget, OutOfTime, Thinkers, now
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel.rng import spawn
from spielwerk.games.speed.game import Speed

if TYPE_CHECKING:
    from spielwerk.bridges.spe_ed.client import SpeedJoining

UNKNOWN = 2.0  # seconds that are assumed where nobody knows when the deadline is
LEAST_SHARE = 0.25  # of the time that is left is for thinking, however large the margin is
TOO_SHORT = 0.005  # seconds in which there is no point in thinking


@cache
def table(seats: int) -> Speed:
    return Speed(seats)


class Driver:
    """Plays one game over one connection."""

    def __init__(
        self,
        options: "SpeedJoining",
        server_clock: ServerClock,
        report: Report = lambda line: None,
        clock: Callable[[], float] = time.time,
        log: GameLog | None = None,
    ) -> None:
        self.options = options
        self.server_clock = server_clock
        self.report = report
        self.clock = clock
        self.log = log
        self.thinkers = Thinkers()
        self.states = self.answers = self.hurried = 0
        self.slowest = 0.0
        self.shares: list[float] = []  # of the time that was left, used for an answer
        self.last: Heard | None = None
        self._out: dict[int, int] = {}  # the round in which a seat went out

    @property
    def rounds(self) -> int:
        """Rounds played when the newest state came."""
        return max(self.states - 1, 0)

    async def talk(self, socket: Socket) -> None:
        """Listen and answer until the last state."""
        async for frame in socket:
            arrived = now()
            try:
                state = heard(frame)
            except BadMessage as bad:
                self.states += means_a_state(frame)
                self.report(f"skipped what is no state ({brief(bad)}): {brief(frame)}")
                continue
            self.states += 1
            if self.log is not None:
                self.log.add(frame if isinstance(frame, str) else frame.decode())
            self._remember(state)
            if not state.running:
                return
            if state.players[str(state.you)].active:
                await socket.send(action_text(await self._answer(state, arrived)))
                self._time(state, arrived)

    def _remember(self, state: Heard) -> None:
        if self.last is None:
            self.report(f"player {state.you} of {len(state.players)} on {state.width} by {state.height} cells")
        self.last = state
        for number, player in state.players.items():
            if not player.active:
                self._out.setdefault(int(number) - 1, max(self.rounds, 1))

    # --- answering ---------------------------------------------------------------------------------------------------

    def left(self, state: Heard) -> float:
        """Seconds until the deadline of a state, as far as it is known."""
        if state.deadline is None:
            return UNKNOWN
        try:
            left = self.server_clock.left(time_of(state.deadline), self.clock(), self.options.longest)
        except BadMessage:
            left = None
        return UNKNOWN if left is None else max(left, 0.0)

    def thinking_time(self, left: float) -> float:
        """Seconds that the agent may think if so many are left."""
        seconds = max(left - self.options.margin - self.server_clock.latency, LEAST_SHARE * left)
        return seconds if self.options.seconds is None else min(seconds, self.options.seconds)

    def patience(self, left: float, seconds: float) -> float:
        """Seconds until a safe move goes out in place of the agent's, which may think for `seconds`: the middle of the
        margin, however early the agent should have been done."""
        margin = self.options.margin
        return max(left - self.server_clock.latency - margin / 2, seconds + min(margin, left - seconds) / 2)

    async def _answer(self, state: Heard, arrived: float) -> int:
        safe = safe_action(state, self.rounds)
        left = self.left(state)
        seconds = self.thinking_time(left)
        if seconds < TOO_SHORT:
            self.hurried += 1
            return safe
        rng = spawn(self.options.seed, self.rounds)
        agent = self.options.agent
        try:
            view = view_of(self._table(state), state, self.rounds, self._out)
            budget = Budget(deadline=arrived + seconds)
            action = (await self.thinkers.within(self.patience(left, seconds), agent, view, budget, rng)).action
            if 0 <= action < len(SENT):
                return action
            self.report(f"{agent.name} chose what cannot be sent, a safe move goes out")
        except OutOfTime:
            self.hurried += 1
        except BadMessage as bad:
            self.report(f"{brief(bad)}; a safe move goes out")
        except Exception as problem:  # whatever an agent raises, the game goes on
            self.report(f"{agent.name} failed, a safe move goes out: {brief(repr(problem))}")
        return safe

    @staticmethod
    def _table(state: Heard) -> Speed:
        try:
            return table(len(state.players))
        except SpielwerkError as problem:
            raise BadMessage(str(problem)) from problem

    def _time(self, state: Heard, arrived: float) -> None:
        took = now() - arrived
        self.answers += 1
        self.slowest = max(self.slowest, took)
        whole = took + self.left(state)
        self.shares.append(took / whole if whole > 0 else 1.0)

    # --- what came of it ---------------------------------------------------------------------------------------------

    @property
    def result(self) -> str:
        """won, lost, drawn, or dropped if the connection ended while we were still in."""
        if self.last is None:
            return "dropped"
        players = self.last.players
        me = players.get(str(self.last.you))
        alive = [player for player in players.values() if player.active]
        if me is not None and me.active:
            return "dropped" if self.last.running else "won"
        return "lost" if alive or self.last.running else "drawn"
