"""Stop signs: whoever searches, plays or solves ends soon after somebody says so, or when the time is up."""

import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import wait
from types import SimpleNamespace

import numpy as np
import pytest

from spielwerk import (
    Budget,
    Game,
    Spec,
    SpielwerkError,
    Stopped,
    StopSign,
    agent,
    evaluate,
    game,
    kernel,
    spawn,
    stopped,
)
from spielwerk.agents import mctse
from spielwerk.agents.common import MOST_EDGES, MOST_NODES
from spielwerk.arena.crews import Processes
from spielwerk.core.clock import Thinkers, spend
from spielwerk.core.running import run_many
from spielwerk.core.signs import OUT_OF_TIME, stop_all
from spielwerk.games.jass.kernel.solve import new_memory
from spielwerk.games.jass.solve import lead, open_deal
from tiny_games import Claim, CompiledNim, Hush, Nim

FOREVER = 1_000_000_000
LOOKS = 150


# --- a match that never ends -----------------------------------------------------------------------------------------


@kernel
def endless_start(s, seats, options):
    s.count = 0


@kernel
def endless_actors(s):
    return 1


@kernel
def endless_legal(s, seat, out):
    out[0] = 0
    out[1] = 1
    return 2


@kernel
def endless_apply(s, joint):
    s.count += joint[0]


@kernel
def endless_chance(s, rng):
    s.count = 0


@kernel
def endless_score(s, out):
    out[0] = s.count


class Endless(Game):
    spec = Spec(
        id="endless",
        title="Endless",
        summary="It never ends.",
        seats=(1,),
        moves=("stay", "go"),
        widest=2,
        longest=1 << 40,
        scale=1.0,
    )
    State = np.dtype([("count", np.int64)])
    kernel = SimpleNamespace(
        start=endless_start,
        actors=endless_actors,
        legal=endless_legal,
        apply=endless_apply,
        chance=endless_chance,
        score=endless_score,
    )
    compiled = False


class Looks:
    """In place of the number of a sign: it is set after so many looks."""

    def __init__(self, most):
        self.left = most
        self.value = 0

    def __getitem__(self, place):
        self.left -= 1
        if self.left <= 0:
            self.value = self.value or 1
        return self.value

    def __setitem__(self, place, value):
        self.value = value


@pytest.fixture
def looks(monkeypatch):
    """Every decision is stopped after so many looks at its sign."""

    def after(most):
        sign = StopSign()
        sign.cell = Looks(most)
        monkeypatch.setattr(Budget, "watch", lambda budget: sign)
        return sign

    return after


SEARCHES = [
    f"mc:iterations={FOREVER}",
    f"mc:iterations={FOREVER},paired=true,playouts=(greedy)",
    f"mc:iterations={FOREVER},evaluation=standing",
    f"mcts:iterations={FOREVER}",
    f"mctse:iterations={FOREVER}",
    f"mctse:iterations={FOREVER},selection=puct,final=robust-max",
    f"ismcts:iterations={FOREVER}",
    f"vote:agents=(mc:iterations={FOREVER})*5",
]


TABLES = (Nim(), Claim(), Hush())
FITTING = [(spec, table) for spec in SEARCHES for table in TABLES if agent(spec).why_not(table) is None]


@pytest.mark.parametrize(("spec", "table"), FITTING, ids=lambda part: part if isinstance(part, str) else part.spec.id)
def test_a_search_ends_with_the_best_so_far(spec, table, looks):
    """Without a look at the sign none of them would ever return."""
    view = table.new(3).view(table.new(3).actors[0])
    looks(LOOKS)
    decision = agent(spec).decide(view, Budget(), spawn(1))
    assert decision.action in view.legal
    assert decision.visits is not None and 0 < sum(decision.visits) <= 2000, (
        "it searched, and what was cut is not counted"
    )


@pytest.mark.parametrize("spec", [*SEARCHES, "expectimax:depth=20,samples=100000"])
def test_who_is_stopped_at_once_decides_at_random(spec, looks):
    looks(1)
    view = Nim().new(1).view(0)
    chosen = {agent(spec).decide(view, Budget(), spawn(seed)).action for seed in range(10)}
    assert chosen <= set(view.legal) and len(chosen) > 1


@pytest.mark.parametrize("spec", ["mc", "mcts", "mctse", "ismcts", "mc:playouts=(random)"])
def test_a_playout_that_never_ends_is_cut(spec, looks):
    looks(LOOKS)
    assert agent(spec).decide(Endless().new().view(0), Budget(), spawn(1)).action in (0, 1)


def test_expectimax_keeps_the_actions_that_it_finished(looks):
    view = Nim().new(1).view(0)
    whole = agent("expectimax:depth=3").decide(view, Budget(), spawn(1))
    looks(6)
    part = agent("expectimax:depth=3").decide(view, Budget(), spawn(1))
    known = [count == 1 for count in part.visits]
    assert any(known) and not all(known) and known[view.legal.index(part.action)]
    assert [v for v, k in zip(part.values, known, strict=True) if k] == [
        v for v, k in zip(whole.values, known, strict=True) if k
    ]


# --- signs -----------------------------------------------------------------------------------------------------------


def test_a_sign_stops_those_below_it():
    top, other = StopSign(), StopSign()
    middle = StopSign(top)
    bottom = StopSign(middle)
    middle.set()
    assert bottom.is_set() and middle.is_set() and not top.is_set() and not other.is_set()
    assert StopSign(middle).is_set(), "who comes late, too"
    stop_all()
    assert top.is_set() and other.is_set()
    assert not StopSign().is_set()


def test_a_sign_is_set_when_the_time_is_up():
    late, soon = StopSign(ends=time.monotonic() + 3600), StopSign(ends=time.monotonic() + 0.02)
    while not soon.is_set():
        time.sleep(0.001)
    assert not late.is_set() and soon.wanted, "only the clock stopped it"
    past = StopSign(ends=0.0)
    while not past.is_set():
        time.sleep(0.001)
    assert past.last_chance() and not past.last_chance()
    while not past.is_set():
        time.sleep(0.001)
    past.set()
    assert not past.wanted and not past.last_chance(), "who was stopped has no chance any more"


def test_who_found_nothing_in_time_has_a_moment_more():
    sign, done = StopSign(), iter([0, 3])
    sign.set(OUT_OF_TIME)

    def work(size):
        sign.set(OUT_OF_TIME)
        return next(done)

    assert spend(time.monotonic() + 3600, work, 5, sign) == 3
    stopped_sign = StopSign()
    stopped_sign.set()
    assert spend(time.monotonic() + 3600, lambda size: 0, 5, stopped_sign) == 0


def test_a_budget_with_a_sign_is_stopped_and_one_without_says_so():
    budget = Budget(seconds=3.0, sign=StopSign())
    assert budget == Budget(seconds=3.0) and repr(budget) == repr(Budget(seconds=3.0)), "runs are resumed by it"
    budget.stop()
    assert budget.watch().is_set()
    with pytest.raises(SpielwerkError, match=r"write Budget\(sign=StopSign\(\)\)"):
        Budget().stop()


# --- compiled code ---------------------------------------------------------------------------------------------------


@kernel
def spin(sign):
    """Nothing in this loop changes memory: a plain load could be moved out of it."""
    count = 0
    while not stopped(sign):
        count += 1
    return count


def in_a_thread(work):
    """What the work raised, or None; the thread, to be waited for."""
    raised = []

    def run():
        try:
            work()
        except SpielwerkError as problem:
            raised.append(problem)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, raised


def test_compiled_code_looks_every_time():
    sign = StopSign()
    CompiledNim().call(spin, np.ones(1, np.int64))
    thread, _ = in_a_thread(lambda: CompiledNim().call(spin, sign.cell))
    sign.set()
    thread.join(60)
    assert not thread.is_alive()


def test_thinkers_are_stopped_and_answer():
    thinkers, view = Thinkers(), Nim().new(1).view(0)
    asked = thinkers.ask(agent(f"mc:iterations={FOREVER}"), view, Budget(), spawn(1))
    thinkers.stop()
    assert asked.result(60).action in view.legal
    late = thinkers.ask(agent(f"mctse:iterations={FOREVER}"), view, Budget(), spawn(1))
    thinkers.leave(late)
    assert thinkers.left_behind == 1
    while thinkers.left_behind:  # it ends although nobody hears what it says
        time.sleep(0.001)


@pytest.mark.parametrize("players", ["random", f"mc:iterations={FOREVER}"], ids=["compiled loop", "decisions"])
def test_a_match_that_never_ends_is_stopped(players):
    sign = StopSign()
    thread, raised = in_a_thread(lambda: run_many(Endless(), [agent(players)], [1, 2], sign=sign))
    sign.set()
    thread.join(60)
    assert [type(problem) for problem in raised] == [Stopped]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_evaluation_is_stopped_in_the_middle_of_a_match(workers):
    sign = StopSign()
    thread, raised = in_a_thread(
        lambda: evaluate(Endless(), "random", games=10, workers=workers, backend="threads", sign=sign)
    )
    sign.set()
    thread.join(60)
    assert [type(problem) for problem in raised] == [Stopped]


def test_processes_that_nobody_waits_for_end():
    crew = Processes(1)
    call = crew.give(signal.pause)
    crew.leave([call])
    assert wait([call], 60).done == {call}


def test_the_solver_of_open_deals_stops():
    hands = "sJ s9 sA sK sQ s10 s8 s7 s6 | hJ h9 hA hK hQ h10 h8 h7 h6 | dJ d9 dA dK dQ d10 d8 d7 d6"
    position = open_deal(game("jass"), f"spades: {hands} | cJ c9 cA cK cQ c10 c8 c7 c6")
    sign = StopSign()
    sign.set()
    with pytest.raises(Stopped):
        lead(position, new_memory(8, sign))


HEARD = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # who is started in the background may be told to ignore it
"""
INTERRUPTED = f"""{HEARD}
import os, threading, time
from spielwerk.core import signs
from spielwerk.cli import main

def interrupt():
    while not any(child._children for sign in list(signs._signs) for child in list(sign._children)):
        time.sleep(0.01)  # until a decision has begun
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
main(["evaluate", "2048", "mc:iterations={FOREVER}", "--games", "1"])
"""


def test_ctrl_c_reaches_compiled_code():
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 130, ended.stderr


WAITING = f"""{HEARD}
import threading
from spielwerk.core.signs import interrupted, interruptible, uninterrupted

def is_heard(times):
    try:
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        return True
    return False

def compiles():
    with uninterrupted():
        inside.set()
        leave.wait()

inside, leave = threading.Event(), threading.Event()
thread = threading.Thread(target=compiles)
said = []
with interruptible():
    said.append(interrupted())
    thread.start()
    inside.wait()
    said.append(is_heard(1))  # another thread compiles
    leave.set()
    thread.join()
    try:
        with uninterrupted():
            with uninterrupted():
                said.append(is_heard(1))
            said.append("one of two")
        said.append("went on")
    except KeyboardInterrupt:
        said.append(interrupted())
    try:
        with uninterrupted():
            said.append(is_heard(2))
    except KeyboardInterrupt:
        said.append("again")
said.append(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
print(said)
"""


def test_ctrl_c_waits_while_the_main_thread_compiles():
    ended = subprocess.run([sys.executable, "-c", WAITING], capture_output=True, text=True, timeout=300)
    assert ended.stdout == "[False, True, False, 'one of two', True, True, 'again', True]\n", ended.stderr


# --- memory ----------------------------------------------------------------------------------------------------------


def test_trees_have_a_limit(monkeypatch, looks):
    asked = []
    new_tree = mctse.new_tree
    monkeypatch.setattr(mctse, "new_tree", lambda game, *sizes: asked.append(sizes) or new_tree(game, *sizes))
    looks(100)
    view = Hush().new(1).view(Hush().new(1).actors[0])
    agent(f"mctse:iterations={FOREVER},selection=puct").decide(view, Budget(), spawn(1))
    [(nodes, edges, levels)] = asked
    assert nodes == MOST_NODES and edges <= MOST_EDGES + view.game.spec.widest and levels < 1002
