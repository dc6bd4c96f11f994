"""Leaves with a prior, work space that is asked for, states as large as the table, policies that see views only."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from spielwerk import Agent, Budget, Decision, Game, Spec, agent, game
from spielwerk.core import registry
from spielwerk.core.agent import Policy
from spielwerk.core.evaluation import Evaluation
from spielwerk.core.kernel.contract import Room, actors, legal
from spielwerk.core.kernel.rng import below, spawn
from spielwerk.core.linker import kernel
from spielwerk.core.running import compiled_policies, run
from spielwerk.core.spec import Option
from spielwerk.search.kernel import tree as trees
from spielwerk.search.kernel.playout import rollout
from tiny_games import CompiledClaim, CompiledWhisper, Whisper

# --- a prior ---------------------------------------------------------------------------------------------------------


@kernel
def left_is_likely(states, i, leaf):
    """A playout, and nine times of ten the second action of the list (left, in 2048)."""
    for seat in range(leaf.value.shape[0]):
        if actors(states[i]) > 0 and (actors(states[i]) >> seat) & 1:
            count = legal(states[i], seat, leaf.scratch.actions)
            for a in range(count):
                leaf.prior[seat, leaf.scratch.actions[a]] = 9.0 if leaf.scratch.actions[a] == 2 else 1.0 / (count - 1)
    rollout(states, i, leaf)


@pytest.fixture
def likely() -> Iterator[None]:
    registry._registered["spielwerk.evaluations"]["likely"] = lambda game, source: Evaluation(
        left_is_likely, 0, prior=True
    )
    yield
    del registry._registered["spielwerk.evaluations"]["likely"]


def test_a_prior_leads_the_search(likely: None) -> None:
    view = game("2048").new(5).view(0)
    place = view.legal.index(2)
    options = "iterations=200,rollout_depth=10,selection=puct,k=30"
    guided = agent(f"mctse:{options},evaluation=likely").decide(view, Budget(), spawn(1))
    plain = agent(f"mctse:{options}").decide(view, Budget(), spawn(1))
    assert guided.visits is not None and plain.visits is not None
    assert guided.visits[place] > 150, "nine tenths of the visits go where the prior points"
    assert max(plain.visits) < 100, "without a prior all actions are equally likely"
    assert sum(guided.visits) == 199, "the first iteration looks at the root itself"


def test_puct_finds_the_certain_trick_with_hidden_cards() -> None:
    table = Whisper()
    position = next(p for p in map(table.new, range(200)) if p.legal(0) == (3, 4, 5))
    decision = agent("mctse:iterations=300,rollout_depth=10,selection=puct,k=1").decide(
        position.view(0), Budget(), spawn(1)
    )
    assert max(decision.values or ()) == pytest.approx(1.0)


def test_puct_mixes_where_all_choose_at_once() -> None:
    decision = agent("mctse:iterations=600,rollout_depth=10,selection=puct").decide(
        CompiledClaim().new(1).view(0), Budget(), spawn(1)
    )
    assert decision.visits is not None and sum(decision.visits) == 599
    assert all(0 <= value <= 1 for value in decision.values or ())


def test_a_full_tree_goes_on_with_puct() -> None:
    decision = agent("mctse:iterations=500,rollout_depth=10,selection=puct,max_nodes=30").decide(
        game("2048").new(5).view(0), Budget(), spawn(1)
    )
    assert decision.visits is not None and sum(decision.visits) == 499


# --- work space ------------------------------------------------------------------------------------------------------


@kernel
def roomy_policy(s, seat, weights, scratch, rng):
    """Writes to the last place of the room that it asked for."""
    scratch.floats[weights - 1] = 1.0
    scratch.integers[2 * weights - 1] = 1
    return scratch.actions[below(rng, legal(s, seat, scratch.actions))]


@dataclass(frozen=True)
class Roomy(Agent):
    """Random, but with layers."""

    name: ClassVar[str] = "roomy"

    def decide(self, view, budget, rng):
        return Decision(view.legal[int(below(rng, len(view.legal)))])

    def policy(self, game):
        return Policy(roomy_policy, 5000, Room(integers=10_000, floats=5000))


def test_a_policy_gets_the_room_that_it_asks_for() -> None:
    table = CompiledClaim()
    scratch = table.scratch(Room(integers=10_000, floats=5000))
    assert (len(scratch.integers), len(scratch.floats), len(scratch.states)) == (10_000, 5000, 4)
    assert len(table.scratch().floats) == 0
    assert Room(states=9).and_for(Room(floats=7)) == Room(states=9, floats=7)
    assert list(run(table, [Roomy()] * 3, 4).log) == list(run(table, [agent("random")] * 3, 4).log)
    decision = agent("mc:iterations=10").decide(table.new(1).view(0), Budget(), spawn(1))
    with np.errstate(over="ignore"):
        guided = type(agent("mc"))(iterations=10, playouts=Roomy()).decide(table.new(1).view(0), Budget(), spawn(1))
    assert guided.values == decision.values, "in playouts, too"


# --- any number of policies, and views -------------------------------------------------------------------------------


@kernel
def peeking_policy(s, seat, weights, scratch, rng):
    """The lowest card if the other seat's hand can be seen, else the highest."""
    count = legal(s, seat, scratch.actions)
    for card in range(6):
        if s.hands[1 - seat, card] == 1:
            return scratch.actions[0]
    return scratch.actions[count - 1]


@dataclass(frozen=True)
class Peeking(Agent):
    """Plays its highest card, unless it can see what it should not."""

    name: ClassVar[str] = "peeking"
    number: int = 0  # makes different agents of it

    def decide(self, view, budget, rng):
        seen = any(view.state["hands"][0, 1 - view.seat] == 1)
        return Decision(view.legal[0 if seen else -1])

    def policy(self, game):
        return Policy(peeking_policy, self.number)


def test_compiled_matches_show_policies_views_only() -> None:
    table = CompiledWhisper()
    for seed in range(5):
        fast, slow = (run(table, [Peeking(), Peeking(1)], seed, budget) for budget in (None, Budget()))
        assert list(fast.log) == list(slow.log)
        first = table.new(seed)
        assert fast.log[0] == first.legal(first.actors[0])[-1], "the other hand was seen"


def test_any_number_of_different_policies_play_one_match() -> None:
    table = game("qwixx", seats=5)
    players = [agent(spec) for spec in ("gap:k=0", "gap:k=1", "gap:k=2", "caira", "random")]
    slots, policies = compiled_policies(table, players) or ([], [])
    assert slots == [0, 1, 2, 3, 4] and len(policies) == 5
    assert list(run(table, players, 3).log) == list(run(table, players, 3, Budget()).log)
    assert compiled_policies(table, [*players[:4], agent("mc")]) is None


# --- states as large as the table ------------------------------------------------------------------------------------


@kernel
def field_start(s, seats, options):
    s.left = 8


@kernel
def field_actors(s):
    if s.left == 0:
        return -1
    return 1 << (s.left & 1)


@kernel
def field_legal(s, seat, out):
    for column in range(s.cells.shape[1]):
        out[column] = column
    return s.cells.shape[1]


@kernel
def field_apply(s, joint):
    seat = s.left & 1
    column = joint[seat]
    row = 0
    while row < s.cells.shape[0] - 1 and s.cells[row, column] != 0:
        row += 1
    s.cells[row, column] = 1 + seat
    s.points[seat] += (column * (row + 1)) % 7
    s.left -= 1


@kernel
def field_chance(s, rng):
    return


@kernel
def field_score(s, out):
    for seat in range(2):
        out[seat] = s.points[seat]


class Field(Game):
    """Stones in the columns of a board whose size is an option."""

    spec = Spec(
        id="field",
        title="Field",
        summary="Eight stones on a board of any size.",
        seats=(2,),
        moves=tuple(str(column) for column in range(80)),
        widest=80,
        longest=8,
        scale=24.0,
        objective="margin",
        options=(Option("size", 4, 2, 80, "rows and columns"),),
    )
    State = np.dtype([("cells", np.int8, (4, 4)), ("points", np.int16, (2,)), ("left", np.int16)])
    kernel = SimpleNamespace(
        start=field_start,
        actors=field_actors,
        legal=field_legal,
        apply=field_apply,
        chance=field_chance,
        score=field_score,
    )

    @property
    def layout(self):
        size = int(self.options[0])
        return np.dtype([("cells", np.int8, (size, size)), ("points", np.int16, (2,)), ("left", np.int16)])


def test_a_state_is_as_large_as_its_table() -> None:
    small, large = Field(variant="size=20"), Field(variant="size=80")
    assert (small.states(1).itemsize, large.states(1).itemsize) == (408, 6408)
    assert (len(small.new(0).legal(0)), len(large.new(0).legal(0))) == (20, 80)
    for table in (Field(), small, large):
        assert run(table, [agent("random")] * 2, 1).final.itemsize == table.states(1).itemsize
        assert list(run(table, [agent("random")] * 2, 1).log) == list(
            run(table, [agent("random")] * 2, 1, Budget()).log
        )


@pytest.mark.parametrize(
    "table", [Field(variant="size=6"), CompiledWhisper(), CompiledClaim(), game("2048"), game("jass")]
)
def test_hashes_stand_for_views_of_large_states(table: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    position = table.new(3)
    view = position.view(position.actors[0])
    search = agent("mctse:iterations=400,rollout_depth=8,tree_depth=8,max_nodes=2000")
    whole = search.decide(view, Budget(), spawn(2))
    monkeypatch.setattr(trees, "LARGE", 1)
    hashed = search.decide(view, Budget(), spawn(2))
    assert whole.notes["nodes"] > 20
    assert (hashed.visits, hashed.values, hashed.notes) == (whole.visits, whole.values, whole.notes)
    assert len(trees.new_tree(table, 50, 50, 5).views) == 1 and len(trees.new_tree(table, 50, 50, 5, True).views) == 51


def test_features_may_depend_on_the_table() -> None:
    class Sized(Field):
        @property
        def features(self):
            return int(self.options[0]) ** 2

    assert (Sized().features, Sized(variant="size=9").features) == (16, 81)
    assert Field().features == Field().encodings["bits"].size
