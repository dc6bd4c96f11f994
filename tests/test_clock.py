"""One clock: pieces of work until a deadline, agents that overrun, matches with a time limit."""

import asyncio
import threading
from dataclasses import dataclass
from typing import ClassVar

import pytest

from spielwerk import Agent, Budget, Decision, Limit, Record, SpielwerkError, agent, game, play, replay
from spielwerk.core import clock
from spielwerk.core.clock import OutOfTime, Thinkers, afford, share, spend
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.running import run
from tiny_games import Claim, Whisper


class Hands:
    """A clock that stands still unless somebody works."""

    def __init__(self, monkeypatch):
        self.time = 100.0
        monkeypatch.setattr(clock, "now", lambda: self.time)

    def work(self, seconds):
        self.time += seconds


def test_pieces_grow_and_end_before_the_deadline(monkeypatch):
    hands, sizes = Hands(monkeypatch), []

    def work(size):
        sizes.append(size)
        hands.work(0.01 * size)

    assert spend(110.0, work, first=3) == sum(sizes)
    assert sizes[:4] == [3, 6, 12, 24] and sizes[-1] == 1
    assert 109.9 < hands.time <= 110.0
    assert spend(0.0, sizes.append) == 1, "at least one piece is worked on"


def test_work_of_unknown_size_is_done_if_it_is_affordable(monkeypatch):
    hands = Hands(monkeypatch)

    def attempt(effort, needed=500):
        hands.work(0.01 * min(effort, needed))
        return "done" if effort >= needed else None

    assert afford(110.0, attempt, 10) == "done"
    assert hands.time < 110.0
    hands.time = 100.0
    assert afford(110.0, lambda effort: attempt(effort, needed=5000), 10) is None
    assert hands.time < 110.0
    assert afford(90.0, attempt, 10_000) is None, "nothing is begun after the deadline"


def test_the_rest_of_the_time_is_shared(monkeypatch):
    Hands(monkeypatch)
    assert share(110.0, 4) == 102.5
    assert share(90.0, 4) == 100.0


@dataclass(frozen=True)
class Brooding(Agent):
    """Decides when somebody says so."""

    name: ClassVar[str] = "brooding"
    enough: ClassVar[threading.Event] = threading.Event()
    budgets: ClassVar[list[Budget]] = []

    def decide(self, view, budget, rng):
        if budget.playouts is None:  # it is not asked before the clock runs
            Brooding.budgets.append(budget)
            Brooding.enough.wait(60)
        return Decision(view.legal[-1])


@pytest.fixture
def brooding():
    Brooding.enough.clear()
    Brooding.budgets.clear()
    yield Brooding()
    Brooding.enough.set()


def test_who_overruns_is_left_behind_and_counted(brooding):
    thinkers, view = Thinkers(most_left_behind=2), Claim().new(1).view(0)
    for _ in range(2):
        with pytest.raises(OutOfTime, match=r"brooding needs more than the 0\.01 s"):
            asyncio.run(thinkers.within(0.01, brooding, view, Budget(), spawn(1)))
    assert thinkers.left_behind == 2
    with pytest.raises(OutOfTime, match="still busy"):
        thinkers.ask(brooding, view, Budget(), spawn(1))
    Brooding.enough.set()
    while thinkers.left_behind:
        pass
    assert asyncio.run(thinkers.within(60, brooding, view, Budget(), spawn(1))).action == view.legal[-1]


def test_what_an_agent_raises_reaches_who_asked():
    class Broken(Brooding):
        def decide(self, view, budget, rng):
            raise KeyError("nothing")

    with pytest.raises(KeyError):
        asyncio.run(Thinkers().within(60, Broken(), Claim().new(1).view(0), Budget(), spawn(1)))


def test_an_agent_that_is_late_moves_at_random(brooding):
    limit = Limit(0.01, "random", grace=0.0)
    record = play(Whisper(), [brooding, agent("random")], seed=4, limit=limit)
    assert replay(record, Whisper())[-1].over
    assert len(Brooding.budgets) == 3 and all(budget.deadline is not None for budget in Brooding.budgets)
    assert record == play(Whisper(), [brooding, agent("random")], seed=4, limit=limit), "late moves repeat, too"


def test_an_agent_that_is_late_is_replaced(brooding):
    @dataclass(frozen=True)
    class Lowest(Agent):
        name: ClassVar[str] = "lowest"

        def decide(self, view, budget, rng):
            return Decision(view.legal[0])

    record = play(Whisper(), [brooding, agent("random")], seed=4, limit=Limit(0.01, Lowest(), grace=0.0))
    moves = [event["0"] for event in record.events if isinstance(event, dict) and "0" in event]
    assert moves == sorted(moves), "the lowest card each time"


def test_an_agent_that_is_late_loses_the_match(brooding):
    table, limit = game("jass"), Limit(0.01, "forfeit", grace=0.0)
    [first] = table.new(2).actors
    record = play(table, [brooding] * 4, seed=2, limit=limit)
    assert record.result.forfeit == first
    again = Record.from_json(record.to_json())
    assert again == record and not replay(again)[-1].over
    lost = [value == float("-inf") for value in run(table, [brooding] * 4, 2, limit=limit).results]
    assert lost == [seat % 2 == first % 2 for seat in range(4)], "so does the partner"


def test_in_time_a_limit_changes_nothing():
    players = [agent("mctse:iterations=20,rollout_depth=5")] * 3
    plain = play(Claim(), players, seed=3)
    assert play(Claim(), players, seed=3, at_once=True) == plain
    assert b"forfeit" not in plain.to_json(), "a match without one says nothing of it"
    random = [agent("random")] * 3
    assert play(Claim(), random, seed=3, limit=Limit(60.0)) == play(Claim(), random, seed=3)


def test_seats_that_decide_at_once_think_at_the_same_time():
    @dataclass(frozen=True)
    class Together(Agent):
        """Goes on only when all three think."""

        name: ClassVar[str] = "together"
        barrier: ClassVar[threading.Barrier] = threading.Barrier(3)

        def decide(self, view, budget, rng):
            self.barrier.wait(60)
            return Decision(view.legal[0])

    assert replay(play(Claim(), [Together()] * 3, seed=1, at_once=True), Claim())[-1].over


@pytest.mark.parametrize(
    ("seconds", "late", "said"), [(0.0, "random", "above 0 seconds"), (1.0, "weep", "'weep' is none of these")]
)
def test_a_limit_that_makes_no_sense_is_refused(seconds, late, said):
    with pytest.raises(SpielwerkError, match=said):
        Limit(seconds, late)


def test_what_must_be_compiled_is_compiled_before_the_clock_runs():
    @dataclass(frozen=True)
    class Sluggish(Agent):
        """Takes a while the first time."""

        name: ClassVar[str] = "sluggish"
        ready: ClassVar[list[bool]] = []

        def decide(self, view, budget, rng):
            if budget.playouts is not None:
                self.ready.append(True)
            elif not self.ready:
                threading.Event().wait(60)
            return Decision(view.legal[0])

    record = play(Whisper(), [Sluggish(), agent("random")], seed=4, limit=Limit(30.0, "forfeit"))
    assert record.result.forfeit is None
