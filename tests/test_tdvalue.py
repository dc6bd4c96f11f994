"""tdvalue: λ-returns, sparse rows, gradient steps against torch, runs that depend on their seed alone."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from spielwerk import SpielwerkError
from spielwerk.arena.crews import crew_of
from spielwerk.core import registry
from spielwerk.core.linker import specialise
from spielwerk.core.models import read_arrays, write_arrays
from spielwerk.learn import run as runs
from spielwerk.learn import tdvalue_training
from spielwerk.learn.kernel.tdvalue import Store, look_back, write_sparsely
from spielwerk.learn.netlearner import Diverged
from spielwerk.learn.tdvalue_play import Manner, Players, play_part
from spielwerk.learn.tdvalue_rows import Rows, joined, place_type
from spielwerk.learn.tdvalue_update import CompiledUpdate, TorchUpdate
from spielwerk.nets.description import Dense, Description, Head, LeakyRelu, Relu, Sigmoid, Tanh
from spielwerk.nets.network import encode, fresh
from spielwerk.search.kernel.net import LEAD, POINTS, WIN
from tiny_games import Claim, CompiledNim, Hush

pytestmark = pytest.mark.xdist_group("tdvalue")
NIM = (
    "tdvalue:network=64-64,round_positions=1024,test_games=50,tests=2,epsilon=1,final_epsilon=0.3,"
    "learning_rate=0.003,batch=32"
)


@pytest.fixture
def tiny():
    registry.register(CompiledNim)
    yield
    registry.unregister(CompiledNim)


def learner(more):
    return runs.learner(more)


def random_rows(count, width, seed=0):
    noise = np.random.default_rng(seed)
    dense = (noise.random((count, width)) < 0.3).astype(np.float32)
    dense *= np.where(noise.random(dense.shape) < 0.3, noise.normal(size=dense.shape), 1.0).astype(np.float32)
    return dense, noise.random(count).astype(np.float32)


def stored(dense, targets):
    rows, width = dense.shape
    ends = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    room = np.zeros((rows + 1) * width, place_type(width)), np.zeros((rows + 1) * width, np.float32)
    store = Store(*room, *ends, targets, np.zeros(1, np.int64))
    for number, row in enumerate(dense):
        assert write_sparsely(row, number, store)
    return Rows(store.places[: ends[0][-1]], store.values[: ends[1][-1]], *ends, targets)


# --- rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "kind"), [(300, np.uint16), (70_000, np.uint32)])
def test_rows_are_stored_sparsely_and_come_back(width, kind):
    dense, targets = random_rows(7, width)
    dense[3] = 0.0
    rows = stored(dense, targets)
    assert rows.places.dtype == kind
    assert len(rows.places) == np.count_nonzero(dense)
    assert len(rows.values) == np.count_nonzero((dense != 0) & (dense != 1))
    assert np.array_equal(rows.inputs(np.arange(7), width), dense)
    together = joined([rows, stored(dense[:2], targets[:2]), rows])
    wanted = np.concatenate([dense, dense[:2], dense])
    assert np.array_equal(together.inputs(np.arange(16), width), wanted)
    assert np.array_equal(together.targets, np.concatenate([targets, targets[:2], targets]))


def test_a_store_without_room_says_so():
    store = Store(np.zeros(5, np.uint16), np.zeros(5, np.float32), *np.zeros((2, 3), np.int64), *np.zeros((2, 3)))
    assert not write_sparsely(np.ones(6, np.float32), 0, store)


# --- λ-returns -------------------------------------------------------------------------------------------------------


def forward_view(expected, broken, final, decay):
    """Sutton's forward view: the weighted sum over all n-step returns of every row, up to the first break."""
    count, found = len(expected), []
    for row in range(count):
        reach = next((n for n in range(row + 1, count) if not np.isnan(broken[n])), None)
        steps = [*expected[row + 1 : reach], final if reach is None else broken[reach]]
        weights = [(1 - decay) * decay**n for n in range(len(steps) - 1)]
        found.append(np.dot([*weights, decay ** (len(steps) - 1)], steps))
    return np.array(found)


@pytest.mark.parametrize("unit", [POINTS, LEAD, WIN])
def test_targets_are_lambda_returns(unit):
    game, rows, begin, decay, scale = Claim(), 40, 3, 0.7, 9.0
    noise = np.random.default_rng(unit)
    states = game.states(3)
    states["points"][0] = 4, 7, 7
    breaks = np.where(noise.random(rows) < 0.2, noise.normal(size=rows), np.nan)
    pending = np.array([np.nan, 2.5, np.nan])
    seats, totals, standings = noise.integers(0, 3, rows), noise.normal(size=rows), noise.normal(size=rows)
    table = SimpleNamespace(
        states=states, scratch=game.scratch(), seats=seats, totals=totals, standings=standings, breaks=breaks,
        pending=pending, known=np.zeros(3), figures=np.zeros(2),
    )  # fmt: skip
    conduct = SimpleNamespace(trace_decay=decay, weights=SimpleNamespace(unit=unit, scale=scale))
    store = SimpleNamespace(targets=np.zeros(begin + rows, np.float32))
    specialise(look_back, game)(begin, begin + rows, conduct, table, store)
    final = {POINTS: (4, 7, 7), LEAD: (-3, 0, 0), WIN: (0, 0.5, 0.5)}[unit]
    for seat in range(3):
        mine = seats == seat
        end = final[seat] if np.isnan(pending[seat]) else pending[seat]
        wanted = forward_view(totals[mine], breaks[mine], end, decay) - standings[mine]
        assert np.allclose(store.targets[begin:][mine], wanted / (1.0 if unit == WIN else scale), atol=1e-5)
    assert table.figures[1] == 4


# --- gradient steps --------------------------------------------------------------------------------------------------

SHAPES = {
    "relu": (Dense(17), Relu(), Dense(9), Relu()),
    "others": (Dense(16), LeakyRelu(0.1), Dense(8), Tanh(), Dense(5), Sigmoid()),
    "linear": (),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("unit", ["points", "win"])
def test_compiled_gradient_steps_are_those_of_torch(shape, unit):
    network = fresh(Description("any", "bits", 40, {"value": Head(1, unit=unit)}, SHAPES[shape]), 3)
    for array in network.arrays.values():
        array += np.random.default_rng(4).normal(size=array.shape).astype(np.float32) * 0.2
    rows = stored(*random_rows(50, 40))
    order = np.random.default_rng(5).permutation(50)
    ours, theirs = CompiledUpdate(network, unit == "win", 24), TorchUpdate(network, unit == "win", "cpu")
    for chosen in (order[:24], order):  # one step, then three of which the last is short
        losses = [update.learn(rows, chosen, 24, 1e-3) for update in (ours, theirs)]
        assert losses[0] == pytest.approx(losses[1], abs=1e-5)
        for name, array in theirs.network().arrays.items():
            assert np.abs(ours.network().arrays[name] - array).max() < 1e-5, name
    again = CompiledUpdate(network, unit == "win", 24)
    again.restore(ours.arrays())
    assert again.learn(rows, order, 24, 1e-3) == ours.learn(rows, order, 24, 1e-3)


# --- runs ------------------------------------------------------------------------------------------------------------


def figures(folder):
    spoken = ("positions_per_second", "evaluations_per_second")
    return [{key: value for key, value in row.items() if key not in spoken} for row in folder.rows()]


def same(one, other):
    first, second = (read_arrays(folder.path / "model.npz") for folder in (one, other))
    assert figures(one) == figures(other)
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_a_run_learns_nim_and_depends_on_its_seed_alone(tiny, tmp_path, monkeypatch):
    game, taught = CompiledNim(), learner(f"{NIM},positions=300000")
    whole = runs.train(game, taught, tmp_path / "whole", seed=1)
    same(whole, runs.train(game, taught, tmp_path / "threads", seed=1, threads=3))

    monkeypatch.setattr(tdvalue_training, "SAVE_SECONDS", 0.0)

    def die(done, line):
        if done > 0.5:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        runs.train(game, taught, tmp_path / "killed", seed=1, report=die)
    same(whole, runs.resume(tmp_path / "killed"))

    agent = registry.agent(f"net:model={whole.path}")
    right = asked = 0
    for heaps in np.ndindex(4, 5, 6):
        if np.bitwise_xor.reduce([heap % 4 for heap in heaps]):  # who moves here can win (Sprague and Grundy)
            position = game.opening()
            position.state["heaps"][0] = heaps
            action = agent.decide(position.view(0), None, np.zeros(1, np.uint64)).action
            left = list(heaps)
            left[action // 3] -= 1 + action % 3
            right += np.bitwise_xor.reduce([heap % 4 for heap in left]) == 0
            asked += 1
    assert right / asked > 0.9, f"{right} of {asked}"


@pytest.mark.parametrize("game", [Claim(), Hush()])  # interpreted: simultaneous moves, hidden cards
def test_every_seat_that_the_network_plays_is_watched(game):
    taught = learner("tdvalue:network=8,unit=lead,league=(random)")
    network, seeds = fresh(taught.description(game, 2.0), 1), np.arange(8, dtype=np.uint64)
    moments = 3 if game.spec.simultaneous else 6
    rows, figures = play_part(game, taught, network, Manner(0.2, 1.0, 0.0), seeds)
    assert rows.size == 8 * 3 * (moments - 1)  # the last moves end the match
    assert figures[0] > rows.size
    own = replace(taught, watched="own")
    assert play_part(game, own, network, Manner(0.0, 1.0, 0.0), seeds)[0].size == (
        rows.size if game.spec.simultaneous else 8 * (moments - 1)
    )
    some = play_part(game, taught, network, Manner(0.0, 1.0, 0.5), seeds)[0].size
    assert 0 < some < rows.size
    warming = play_part(game, taught, network, Manner(0.0, 1.0, 1.0), seeds)[0]
    assert warming.size == rows.size  # only the league plays, and everything is learned from
    assert set(np.round(2 * warming.targets)) <= set(range(-27, 28))


def test_networks_that_are_not_plain_are_learned_by_torch(tiny, tmp_path):
    taught = learner(f"{NIM},positions=1500,norm=true")
    assert not taught.is_compiled(fresh(taught.description(CompiledNim(), 1.0), 1))
    one, other = (runs.train(CompiledNim(), taught, tmp_path / name, seed=2) for name in "ab")
    same(one, other)


def test_a_run_that_turns_into_nonsense_stops(tiny, tmp_path):
    game, taught = CompiledNim(), learner(f"{NIM},positions=6000")
    network = fresh(taught.description(game, 1.0), 1)
    for array in network.arrays.values():
        array += np.float32(1e30)
    write_arrays(tmp_path / "wild.npz", encode(network))
    with pytest.raises(Diverged, match="lower learning_rate"):
        runs.train(game, learner(f"{NIM},positions=6000,warm_start={tmp_path / 'wild.npz'}"), tmp_path / "run")


def test_what_cannot_be_learned_is_said(tiny):
    game = CompiledNim()
    assert "update=torch" in learner("tdvalue:norm=true,update=compiled").why_not(game)
    assert "league" in learner("tdvalue:league=(mc)").why_not(game)
    assert learner("tdvalue").why_not(game) is None
    with pytest.raises(SpielwerkError, match="takes one of"):
        learner("tdvalue:unit=gold")


@pytest.mark.slow
def test_a_cluster_plays_the_same_rounds():
    import ray

    game, taught = registry.game("2048"), learner("tdvalue:network=8")
    network = fresh(taught.description(game, 1000.0), 1)
    seeds = np.arange(6, dtype=np.uint64)

    def played(backend):
        players = Players(game, taught, crew_of(backend, 2), 2, by_name=backend == "ray")
        return players.collect(players.begin(network, Manner(0.5, 0.8, 0.0), seeds), len(seeds))

    here = played("threads")
    try:
        there = played("ray")
    finally:
        ray.shutdown()
    assert all(np.array_equal(one, other) for one, other in zip(here.rows, there.rows, strict=True))
    assert here[1:] == there[1:]
    assert there.rows.size > 100
