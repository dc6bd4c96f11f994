"""dqn and qlearning: the algorithms against references, on a tiny game and in Gymnasium's environments; their runs."""

import sys

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces

import spielwerk as sw
from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.models import read_arrays
from spielwerk.core.position import View
from spielwerk.learn import dqn as dqn_module
from spielwerk.learn import run as runs
from spielwerk.learn.dqn import DeepQ, Dqn, Gauge, targets
from spielwerk.learn.netlearner import Diverged
from spielwerk.learn.qlearning import QLearning, TableQ
from spielwerk.learn.replay import PackedRows, Pending, Replay, Transitions
from spielwerk.learn.run import RunFolder
from spielwerk.learn.stepping import episodes, require_gymnasium, rows_of, vector_of
from spielwerk.nets.description import Description, Head
from spielwerk.nets.network import fresh
from spielwerk.search.kernel.qtable import key_of
from spielwerk.search.qtable_model import QTable, TableCard, keys_of
from tiny_games import CompiledNim, Nim

pytestmark = pytest.mark.xdist_group("qlearners")  # they share what is compiled

SMALL = Dqn(
    network="48", steps=12_000, envs=16, memory=6_000, learning_starts=500, train_every=16, batch_size=64, n_step=2,
    learning_rate=3e-3, self_every=2_000, test_every=4_000, test_games=100,
)  # fmt: skip


@pytest.fixture
def nim():
    registry.register(CompiledNim)
    yield CompiledNim()
    registry.unregister(CompiledNim)


# --- the algorithm ---------------------------------------------------------------------------------------------------


def test_illegal_actions_are_not_the_best_in_targets():
    said = torch.tensor([[1.0, 5.0, 3.0], [1.0, 5.0, 3.0], [9.0, 9.0, 9.0]])
    by_target = torch.tensor([[10.0, 20.0, 30.0], [10.0, 20.0, 30.0], [99.0, 99.0, 99.0]])
    legal = torch.tensor([[True, False, True], [True, True, True], [False, False, False]])
    found = targets(torch.tensor([0.5, 0.5, 0.25]), torch.tensor([0.9, 0.9, 0.0]), legal, said, by_target)
    # the network likes action 1 best, but where it is illegal action 2; the target network says what that is worth
    assert found.tolist() == pytest.approx([0.5 + 0.9 * 30.0, 0.5 + 0.9 * 20.0, 0.25])


@pytest.mark.parametrize("steps", [1, 3])
def test_returns_of_several_steps_are_those_of_a_slow_reference(steps):
    noise, count, length, gamma = np.random.default_rng(5), 3, 40, 0.9
    seen = np.arange((length + 1) * count, dtype=np.float32).reshape(length + 1, count, 1)
    rewards = noise.normal(size=(length, count)).astype(np.float32)
    how = noise.choice(3, p=(0.7, 0.2, 0.1), size=(length, count))  # goes on, ends, is cut off
    pending, found = Pending(steps, gamma, count, 1), []
    for t in range(length):
        legal = np.ones((count, 2), bool)
        made = pending.push(seen[t], np.full(count, t), rewards[t], seen[t + 1], legal, how[t] == 1, how[t] == 2)
        found += zip(made.seen[:, 0], made.actions, made.gains, made.after[:, 0], made.discounts, strict=True)
    wanted = []
    for env in range(count):
        for t in range(length):
            gain, now = 0.0, t
            while True:
                gain += gamma ** (now - t) * rewards[now, env]
                now += 1
                stops = how[now - 1, env] != 0 or now - t == steps
                if stops or now == length:
                    break
            if stops:
                discount = 0.0 if how[now - 1, env] == 1 else gamma ** (now - t)
                wanted.append((seen[t, env, 0], t, gain, seen[now, env, 0], discount))
    assert np.array(sorted(found)) == pytest.approx(np.array(sorted(wanted)), abs=1e-6)


def test_packed_rows_keep_what_is_not_0_or_1_too():
    noise = np.random.default_rng(1)
    rows, kept = (noise.random((30, 21)) < 0.3).astype(np.float32), PackedRows(30, 21)
    rows[10:, 4], rows[20:, 17] = noise.normal(size=20), 7.0
    for first in range(0, 30, 5):
        kept.put(np.arange(first, first + 5), rows[first : first + 5])
    assert (kept.get(np.arange(30)) == rows).all()
    assert kept.bits.shape == (30, 3) and sorted(kept.columns) == [4, 17]


def test_the_oldest_steps_make_room():
    memory = Replay(8, 3, 2)
    for number in range(5):
        ones, row = np.ones(2, np.float32), np.full((2, 3), number, np.float32)
        memory.add(Transitions(row, np.full(2, number), ones, row, np.ones((2, 2), bool), ones))
    drawn = memory.draw(500, np.random.default_rng(0))
    assert memory.filled == 8 and set(drawn.actions) == {1, 2, 3, 4}
    assert (drawn.seen == drawn.actions[:, None]).all() and drawn.legal.all()
    again = Replay(8, 3, 2)
    again.restore(memory.arrays())
    again.add(Transitions(row, np.full(2, 5), ones, row, np.ones((2, 2), bool), ones))
    assert set(again.actions) == {2, 3, 4, 5}


def test_the_scale_is_the_size_of_returns():
    gauge, over = Gauge(2, 0.5), np.array([False, True])
    gauge.note(np.array([0.0, 0.0], np.float32), ~over)  # an episode that brings nothing does not count
    gauge.note(np.array([4.0, 3.0], np.float32), over)
    gauge.note(np.array([2.0, 0.0], np.float32), ~over)
    assert gauge.scale == pytest.approx(np.sqrt((4.0**2 + 3.0**2) / 2))


def test_observations_become_rows_as_gymnasium_flattens_them():
    space = spaces.Dict(
        {"a": spaces.Discrete(5, start=2), "b": spaces.Tuple([spaces.Discrete(3), spaces.Box(-1, 1, (2, 2))])}
    )
    space.seed(3)
    samples = [space.sample() for _ in range(6)]
    batch = {"a": [s["a"] for s in samples], "b": tuple(np.array([s["b"][part] for s in samples]) for part in (0, 1))}
    assert (rows_of(space, batch) == np.array([spaces.flatten(space, sample) for sample in samples])).all()


# --- Gymnasium's environments ----------------------------------------------------------------------------------------


def calm_lake():
    return gymnasium.make("FrozenLake-v1", is_slippery=False)


def test_a_one_layer_network_and_a_table_cross_a_calm_lake():
    deep = Dqn(
        network="linear", steps=6_000, envs=8, n_step=1, scale=1.0, memory=6_000, learning_starts=2_000, train_every=16,
        batch_size=64, learning_rate=0.02, exploration=0.9, target_rate=0.05,
    )  # fmt: skip
    network = fresh(Description("lake", "one-hot", 16, {"q": Head(4)}, deep.hidden_layers()), 1)
    table = QLearning(steps=6_000, gamma=0.99)
    learners = DeepQ(vector_of(calm_lake, 8), deep, network, 1, "cpu"), TableQ(vector_of(calm_lake, 8), table, 1)
    for learner in learners:
        while learner.step < 6_000:
            learner.advance()
        assert episodes(vector_of(calm_lake, 2), learner.best, 4, 9).tolist() == [1.0] * 4
    assert len(learners[1].rows) <= 16


def test_legal_actions_come_from_the_mask():
    """Somebody who stops where a taxi may not pays 10; with the mask nobody can."""
    taxi = max(name for name in gymnasium.registry if name.startswith("Taxi-v"))
    learner = TableQ(vector_of(lambda: gymnasium.make(taxi, max_episode_steps=50), 4), QLearning(steps=400), 2)
    while learner.step < 400:
        assert not learner.stepper.legal.all()
        learner.advance()
    assert min(gained for _, gained in learner.stepper.finished) == -50


def test_without_gymnasium_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(SpielwerkError, match=r"pip install 'spielwerk\[learn\]'"):
        require_gymnasium()
    assert "spielwerk[learn]" in QLearning().why_not(CompiledNim())


# --- runs ------------------------------------------------------------------------------------------------------------


def test_dqn_beats_random_clearly(nim, tmp_path):
    learner = registry.learner_class("dqn").build({"opponents": "random", **options_of(SMALL)}, registry.agent)
    run = runs.train(nim, learner, tmp_path / "run", seed=1)
    last = [row for row in run.rows() if "held_out" in row][-1]
    assert last["low"] > 0.6 and (run.path / "curve.png").exists()
    found = sw.evaluate(nim, learner.agent(run), opponents="random", games=400, seed=5)
    assert found.win_ci95[0] > 0.6


def options_of(learner):
    return dict(part.split("=") for part in learner.spec.partition(":")[2].split(","))


def killed(at):
    """A report that stops a run the hard way once the share `at` is done."""

    def report(done, line):
        if done >= at:
            raise KeyboardInterrupt

    return report


@pytest.mark.parametrize("learner", [SMALL, QLearning(steps=12_000, test_every=4_000, self_every=2_000, test_games=50)])
def test_killed_runs_go_on_as_if_nothing_had_happened(learner, nim, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[type(learner).__module__], "LOG_EVERY", 1_000)
    whole = runs.train(nim, learner, tmp_path / "whole", seed=4)
    with pytest.raises(KeyboardInterrupt):
        runs.train(nim, learner, tmp_path / "halted", seed=4, report=killed(0.8))
    halted = runs.resume(tmp_path / "halted", seconds=0)  # stopped again at once
    assert 0 < halted.rows()[-1]["step"] < 12_000
    runs.resume(halted.path)
    for file in ("model.npz", "checkpoint/state.npz"):
        one, other = read_arrays(whole.path / file), read_arrays(halted.path / file)
        assert one.keys() == other.keys()
        assert all(np.array_equal(one[name], other[name]) for name in one)
    assert [row for row in whole.rows() if "best" in row] == [row for row in halted.rows() if "best" in row]


def test_a_loss_that_is_no_number_ends_the_run(nim, tmp_path, monkeypatch):
    learner = registry.learner_class("dqn").build(options_of(SMALL), registry.agent)

    def spoiled(gains, *rest):
        return targets(gains, *rest) * (1.0 if len(RunFolder(tmp_path / "run").rows()) < 2 else torch.nan)

    monkeypatch.setattr(dqn_module, "targets", spoiled)
    with pytest.raises(Diverged, match="lower learning_rate"):
        runs.train(nim, learner, tmp_path / "run", seed=1)
    assert registry.agent(learner.agent(RunFolder(tmp_path / "run"))).why_not(nim) is None  # the best so far is there


# --- tables ----------------------------------------------------------------------------------------------------------


def test_a_table_plays_nim_perfectly(nim, tmp_path):
    learner = QLearning(steps=80_000, test_every=80_000, self_every=5_000, self_blunders=0.3, final_epsilon=0.3)
    run = runs.train(nim, learner, tmp_path / "run", seed=1)
    agent = registry.agent(learner.agent(run))

    def always_wins(heaps):
        """Whether the agent, who moves next, wins whatever the other does."""
        states = nim.states(1)
        states["heaps"][0] = heaps
        left = taken(heaps, agent.decide(View(nim, states, 0), Budget(), spawn(1)).action)
        answers = [taken(left, 3 * heap + more) for heap in range(3) for more in range(min(left[heap], 3))]
        return sum(left) == 0 or all(sum(rest) > 0 and always_wins(rest) for rest in answers)

    assert always_wins((3, 4, 5))
    first = agent.decide(nim.new().view(0), Budget(), spawn(1))
    assert first.unit == "win" and len(first.values) == 9 and 0.7 < max(first.values) <= 1.0
    played = sw.evaluate(nim, agent, opponents="mcts:iterations=200", games=20, seed=3, workers=1)
    assert played.win_share >= 0.5  # who begins wins


def taken(heaps, action):
    return tuple(count - (1 + action % 3 if heap == action // 3 else 0) for heap, count in enumerate(heaps))


def test_hashes_are_the_same_in_kernels():
    rows = np.array([[0, 1, 0, 1], [0, 0, 0, 0], [0.5, -2.0, 1, 0], [1, 0, 0, 1]], np.float32)
    with np.errstate(over="ignore"):
        assert [int(key_of(row, 4)) for row in rows] == keys_of(rows).tolist()
    assert len(set(keys_of(rows).tolist())) == 4


def test_a_game_that_is_too_large_is_refused(nim, tmp_path):
    with pytest.raises(SpielwerkError, match=r"more than 50 positions.*take dqn"):
        runs.train(nim, QLearning(most_positions=50), tmp_path / "run", seed=1)


def test_a_table_of_another_game_is_refused():
    table = QTable(TableCard("chess", "bits", 72), np.zeros(0, np.uint64), np.zeros((0, 9), np.float32))
    with pytest.raises(Unfit, match="plays chess, not nim"):
        table.require(Nim())
    table = QTable(TableCard("nim", "bits", 71), np.zeros(0, np.uint64), np.zeros((0, 9), np.float32))
    with pytest.raises(Unfit, match="other rules or seats"):
        table.require(Nim())
