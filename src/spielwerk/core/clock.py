"""One clock for all who think until a deadline: agents, matches, the web app, competitions.

`Budget` says how long an agent may think; `budget.watch()` is the stop sign of one decision, which its searches look
at. `spend` works in growing pieces until the time is up, `afford` makes one piece of work of unknown size if the time
allows it, `share` divides what is left. `Thinkers` let agents think in threads of their own and stop who overruns; what
a match does then is its `Limit`.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.signs import StopSign as StopSign
from spielwerk.core.signs import now as now
from spielwerk.core.words import say

if TYPE_CHECKING:
    from spielwerk.core.agent import Agent, Decision

T = TypeVar("T")
LARGEST_PIECE = 0.5  # of the time that is left, so that a piece that takes longer than expected does no harm
CAREFUL = 0.9  # of what seems to be affordable


@dataclass(frozen=True)
class Budget:
    """How long an agent may think about one decision. Nothing given: as much as its own options say. Whoever keeps the
    `sign` can stop it: then the agent answers with the best it has found so far."""

    seconds: float | None = None
    playouts: int | None = None
    deadline: float | None = None  # on the clock of `now`
    sign: StopSign | None = field(default=None, repr=False, compare=False)

    def ends(self) -> float | None:
        """The moment at which thinking must end, on the clock of `now`; None = not limited."""
        moments = []
        if self.deadline is not None:
            moments.append(self.deadline)
        if self.seconds is not None:
            moments.append(now() + self.seconds)
        return min(moments) if moments else None

    def watch(self) -> StopSign:
        """A sign for one decision that begins now, for a `with` statement: it is set when the time is up, and when
        whoever asked wants no more. `sign.ends` is when the time is up; None = not limited."""
        return StopSign(self.sign, self.ends())

    def stop(self) -> None:
        """Whoever thinks with this budget comes to an end."""
        if self.sign is None:
            raise SpielwerkError(say("a budget without a sign cannot be stopped; write Budget(sign=StopSign())"))
        self.sign.set()


LAST_CHANCES = 20  # moments more for who has done nothing when the time is up


def spend(ends: float, work: Callable[[int], int | None], first: int = 1, sign: StopSign | None = None) -> int:
    """Call work(size) with growing sizes until `ends` or the sign, at least once with `first`; returns how much was
    done. Work that the sign cuts short returns how much it did; if that is nothing and only the time was up (spent on
    compiling, say), it has a moment more."""
    done, size, chances = 0, first, LAST_CHANCES
    while True:
        began = now()
        made = work(size)
        done += size if made is None else made
        if sign is not None and sign.is_set():
            chances -= 1
            if done or chances < 0 or not sign.last_chance():
                return done
            continue
        here = now()
        left, each = ends - here, max(here - began, 1e-9) / size
        if left <= each:
            return done
        size = max(1, min(2 * size, int(LARGEST_PIECE * left / each)))


def afford(ends: float, attempt: Callable[[int], T | None], first: int, sign: StopSign | None = None) -> T | None:
    """The answer of attempt(effort), which is None if the effort was too small: with `first`, then with as much as the
    time allows. None if that is not enough, or if the sign is set."""
    effort = first
    while (began := now()) < ends and not (sign is not None and sign.is_set()):
        found = attempt(effort)
        if found is not None:
            return found
        here = now()
        affordable = int(CAREFUL * effort * (ends - here) / max(here - began, 1e-9))
        if affordable <= effort:  # what was done so far would have to be done again, and no more
            return None
        effort = affordable
    return None


def share(ends: float, parts: int) -> float:
    """When the first of `parts` equal parts of the time until `ends` is over."""
    here = now()
    return here + max(ends - here, 0.0) / parts


# --- overrunning -----------------------------------------------------------------------------------------------------


class OutOfTime(SpielwerkError):
    """A decision took longer than allowed."""


class Stopped(SpielwerkError):
    """Somebody stopped the work before there was a result."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text or say("stopped"))


class Thinkers:
    """Decisions in threads of their own.

    Python cannot stop a thread: one that overruns has its sign set, is left behind and counted, and when too many are
    left behind nobody thinks any more until they have ended.
    """

    def __init__(self, most_left_behind: int = 8) -> None:
        self._most_left_behind = most_left_behind
        self._late: set[Future[Decision]] = set()
        self._signs: dict[Future[Decision], StopSign] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy begins without anybody who thinks."""
        return Thinkers, (self._most_left_behind,)

    @property
    def left_behind(self) -> int:
        return len(self._late)

    def ask(self, agent: "Agent", view: Any, budget: Budget, rng: Any) -> "Future[Decision]":
        """The decision of an agent that begins to think now."""
        if self.left_behind >= self._most_left_behind:
            raise OutOfTime(say("too many agents are still busy with decisions that took too long; try again later"))
        asked: Future[Decision] = Future()
        sign = StopSign(budget.sign)
        with self._lock:
            self._signs[asked] = sign

        def work() -> None:
            try:
                decision = agent.decide(view, replace(budget, sign=sign), rng)
            except BaseException as problem:
                self._answer(asked, partial(asked.set_exception, problem))
            else:
                self._answer(asked, partial(asked.set_result, decision))

        threading.Thread(target=work, name=f"think-{agent.name}", daemon=True).start()
        return asked

    def _answer(self, asked: "Future[Decision]", answer: Callable[[], None]) -> None:
        with self._lock:
            self._late.discard(asked)
            self._signs.pop(asked)
            if not asked.cancelled():
                answer()

    def leave(self, asked: "Future[Decision]") -> None:
        """Wait no longer; whatever comes is not heard any more."""
        with self._lock:
            if asked in self._signs and asked.cancel():
                self._late.add(asked)
                self._signs[asked].set()

    def stop(self) -> None:
        """All who think come to an end; who is waited for answers with the best so far."""
        with self._lock:
            for sign in self._signs.values():
                sign.set()

    async def within(self, seconds: float, agent: "Agent", view: Any, budget: Budget, rng: Any) -> "Decision":
        """The decision of an agent for programs that serve others meanwhile; OutOfTime after so many seconds."""
        asked = self.ask(agent, view, budget, rng)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(asked), seconds)
        except TimeoutError:
            phrase = "{agent} needs more than the {limit} s that are allowed"
            raise OutOfTime(say(phrase, agent=agent.spec, limit=f"{seconds:g}")) from None
        finally:
            self.leave(asked)  # out of time, or nobody waits any more


@dataclass(frozen=True)
class Limit:
    """A time limit per decision of a match, and what happens to an agent that does not keep it.

    Agents are told the limit as their budget. `late` is "random" (a random legal move is played), "forfeit" (the match
    ends, the team has lost), or an agent that decides in its place, for example a rule player.
    """

    seconds: float
    late: "str | Agent" = "random"
    grace: float = 0.05  # seconds that an answer may be late: for the way there and back

    def __post_init__(self) -> None:
        if self.seconds <= 0 or self.grace < 0:
            raise SpielwerkError(say("a time limit is above 0 seconds, and its grace not below 0"))
        if isinstance(self.late, str) and self.late not in ("random", "forfeit"):
            phrase = (
                "an agent that is late plays at random ('random') or loses ('forfeit'), or another agent decides; "
                "'{late}' is none of these"
            )
            raise SpielwerkError(say(phrase, late=self.late))
