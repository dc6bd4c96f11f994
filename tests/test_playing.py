"""Learners that play: ppo and policygradient, on games of a few moves."""

import numpy as np
import pytest
import torch

import spielwerk as sw
from spielwerk.arena.evaluate import evaluate
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.models import read_arrays
from spielwerk.learn import run as runs
from spielwerk.learn.policygradient import Played, Step, bootstrapped, played
from spielwerk.learn.ppo import Ppo
from spielwerk.learn.run import RunFolder
from spielwerk.nets.module import NetworkModule
from spielwerk.nets.network import load_network
from tiny_games import CompiledNim

pytestmark = pytest.mark.xdist_group("playing")
SMALL = "envs=32,network=32,test_games=50,tests=2"
PPO = f"ppo:{SMALL},n_steps=16,batch_size=128,steps=4096,learning_rate=3e-3"
GRADIENT = f"policygradient:{SMALL},rounds=12,learning_rate=3e-3"
STILL = PPO.replace("3e-3", "0")
ALONE = "envs=64,network=64,test_games=50,tests=2,gamma=1,learning_rate=5e-3,opponents=random"
LONG_PPO = f"ppo:{ALONE},n_steps=16,batch_size=256,n_epochs=8,steps=20000"
LONG_GRADIENT = f"policygradient:{ALONE},rounds=120"


@pytest.fixture(autouse=True)
def known():
    registry.register(CompiledNim)
    yield
    registry.unregister(CompiledNim)


def trained(game, spec, out, **more):
    return runs.train(registry.game(game), runs.learner(spec), out, seed=3, **more)


def learned(run):
    return read_arrays(run.path / "checkpoint" / "state.npz")


def same(first, second):
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("spec", [LONG_PPO, LONG_GRADIENT])
def test_nim_is_learned(spec, tmp_path):
    run = trained("nim", spec, tmp_path / "run")
    found = evaluate("nim", f"net:model={run.path}", opponents="random", games=400, seed=9)
    assert found.win_ci95[0] > 0.65
    rows = run.rows()
    assert max(row["held_out"] for row in rows if "held_out" in row) == max(
        row["held_out"] for row in rows if row.get("best")
    )
    assert (run.path / "curve.png").is_file()


@pytest.mark.parametrize("spec", [PPO, GRADIENT, f"{GRADIENT},rule=returns", f"{GRADIENT},rule=td,max_grad_value=1"])
def test_the_same_seed_learns_the_same(spec, tmp_path):
    first = trained("nim", spec, tmp_path / "first", threads=1)
    second = trained("nim", spec, tmp_path / "second", threads=2)
    assert same(learned(first), learned(second))


@pytest.mark.parametrize("spec", [PPO, GRADIENT])
def test_a_killed_run_goes_on_as_if_nothing_had_happened(spec, tmp_path, monkeypatch):
    whole = trained("nim", spec, tmp_path / "whole")

    class Killed(BaseException):
        pass

    told = []

    def killer(done, line):
        told.append(done)
        if len(told) == 5:
            raise Killed

    monkeypatch.setattr("spielwerk.learn.playing.SAVE", 0.0)
    with pytest.raises(Killed):
        trained("nim", spec, tmp_path / "cut", report=killer)
    run = runs.resume(tmp_path / "cut")
    assert same(learned(whole), learned(run))
    assert [row["step"] for row in run.rows()] == [row["step"] for row in whole.rows()]
    assert same(read_arrays(whole.path / "model.npz"), read_arrays(run.path / "model.npz"))


def test_returns_are_discounted_from_the_end_of_each_match():
    """Two matches: the first of three decisions, the second of one."""
    rewards = [np.array([1.0, 5.0]), np.array([0.0]), np.array([2.0])]
    rows = [np.array([0, 1]), np.array([0]), np.array([0])]
    steps = [
        Step(row, np.zeros((len(row), 2), np.float32), np.ones((len(row), 3), bool), row, reward.astype(np.float32))
        for row, reward in zip(rows, rewards, strict=True)
    ]
    found = played(steps, 2, gamma=0.5)
    assert found.returns.tolist() == [1.0 + 0.25 * 2.0, 5.0, 1.0, 2.0]
    assert found.rewards.tolist() == [1.0, 5.0, 0.0, 2.0] and found.following.tolist() == [2, -1, 3, -1]
    assert found.reward == 4.0


def test_a_comma_in_the_path_of_a_run_is_none_between_options(tmp_path):
    run = trained("nim", GRADIENT.replace("rounds=12", "rounds=1"), tmp_path / "first, second")
    assert sw.agent(run.learner().agent(run)).model == str(run.path)


def test_the_largest_part_of_a_gradient_is_told_before_it_is_clipped(tmp_path):
    plain, clipped = (
        trained("nim", f"{GRADIENT},max_grad_norm=1e9{more}", tmp_path / f"run{len(more)}")
        for more in ("", ",max_grad_value=1e-4")
    )
    first, second = ([row["gradient"] for row in run.rows() if "gradient" in row] for run in (plain, clipped))
    assert first[0] == second[0] > 1e-4 and not same(learned(plain), learned(clipped))


def test_td_adds_what_the_network_expects_of_the_best_legal_action_next():
    class Says:
        """Its answers are its inputs."""

        def __call__(self, inputs):
            return {"q": inputs}

        def parameters(self):
            return iter([torch.zeros(1)])

    seen = np.array([[0, 0, 0], [0, 0, 0], [3, 8, 1], [-1, -2, -3]], np.float32)
    masks = np.array([[1, 1, 1], [1, 1, 1], [1, 0, 1], [0, 1, 1]], bool)
    rewards, following = np.array([1, 5, 0, 2], np.float32), np.array([2, -1, 3, -1])
    found = Played(seen, masks, np.zeros(4, np.int64), rewards, rewards, following, 0.0)
    assert bootstrapped(Says(), found, 0.5).tolist() == [1 + 0.5 * 3, 5.0, 0.5 * -2, 2.0]


def test_a_network_of_cards_learns_while_somebody_else_chooses_the_mode(tmp_path):
    game = registry.game("jass", variant="server-deal")
    spec = (
        "policygradient:rule=returns,encoding=150,network=16,actions=0-35,otherwise=rules,opponents=(random),"
        "partners=self,envs=16,rounds=2,tests=1,test_games=4,gamma=0.95"
    )
    run = runs.train(game, runs.learner(spec), tmp_path / "run", seed=1)
    network = load_network(game, str(run.path))
    head = network.description.heads["q"]
    assert (head.first, head.outputs, head.unit) == (0, 36, "lead")
    learner = run.learner()
    assert learner.agent(run).endswith("otherwise=(rules)")
    others = learner.environment(game, network, learner.mirror(game, network))["opponents"]
    assert [agent.name for agent in others] == ["random", "self", "random"]


@pytest.mark.parametrize(
    ("options", "said"),
    [("actions=3-1", "0-42"), ("otherwise=(dmcts)", "no compiled policy"), ("otherwise=(alphaqwixx)", "Qwixx")],
)
def test_what_is_not_learned_needs_somebody_who_can_decide_it(options, said):
    assert said in str(runs.learner(f"policygradient:{options}").why_not(registry.game("jass")))


def test_a_network_goes_on_with_another_learner(tmp_path):
    """The policy is taken over; its values begin anew where they count something else."""
    first = trained("nim", GRADIENT, tmp_path / "first")
    known = load_network(registry.game("nim"), str(first.path))
    start = runs.learner(f"{PPO},warm_start={first.path}").first_for(registry.game("nim"), 1)
    assert list(start.description.heads) == ["policy", "value"]
    assert all(np.array_equal(array, start.arrays[name]) for name, array in known.arrays.items())
    sharp = runs.learner(f"{PPO},warm_start={first.path},sharpen=3").first_for(registry.game("nim"), 1)
    seen = np.ones((1, known.description.inputs), np.float32)
    assert np.allclose(sharp.outputs(seen)["policy"], 3 * start.outputs(seen)["policy"], rtol=1e-4)
    assert np.array_equal(sharp.outputs(seen)["value"], start.outputs(seen)["value"])
    second = trained("nim", f"{STILL},warm_start={first.path}", tmp_path / "second")
    after = load_network(registry.game("nim"), str(second.path))
    assert all(np.array_equal(array, after.arrays[name]) for name, array in known.arrays.items())


def test_values_that_ppo_begins_with_mean_the_same_points():
    game = registry.game("jass", 4, "server-deal")
    known = load_network(game, "net-jass-server")
    start = runs.learner("ppo:warm_start=net-jass-server,reward_scale=100").first_for(game, 1)
    seen = (np.random.default_rng(1).random((5, known.description.inputs)) < 0.2).astype(np.float32)
    before, after = known.outputs(seen)["value"], start.outputs(seen)["value"]
    assert np.abs(before).max() > 0.1
    assert np.allclose(before * known.head("value").scale, after * start.head("value").scale, rtol=1e-4)
    assert start.head("value").scale == 100.0
    wins = runs.learner("ppo:warm_start=net-jass-server,objective=win").first_for(game, 1)
    assert wins.head("value").unit == "win" and not np.allclose(wins.outputs(seen)["value"], before)


def test_a_run_that_diverges_keeps_its_best(tmp_path, monkeypatch):
    from sb3_contrib import MaskablePPO

    learn = MaskablePPO.train

    def spoil(model):
        learn(model)
        if model.num_timesteps > 2000:
            next(model.policy.parameters()).data.fill_(np.nan)

    monkeypatch.setattr(MaskablePPO, "train", spoil)
    with pytest.raises(SpielwerkError, match=r"not a number.*learning_rate"):
        trained("nim", PPO, tmp_path / "run")
    assert load_network(registry.game("nim"), str(tmp_path / "run")).size > 0


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("ppo:learning_rate=fast", "learning_rate=fast"),
        ("ppo:ent_coef=1@0.5/2@0.2/0", "shares"),
        ("ppo:envs=3,n_steps=3,batch_size=8", "batch_size"),
        ("ppo:seat=7", "no seat 7"),
        ("policygradient:encoding=none", "encoding"),
        ("ppo:network=wide", "units"),
    ],
)
def test_bad_options_are_named(spec, said, tmp_path):
    with pytest.raises(SpielwerkError, match=said):
        trained("nim", spec, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_illegal_actions_cost_where_they_are_not_masked(tmp_path):
    """The network learns to avoid them: fewer matches are spoiled in the end than in the beginning."""
    run = trained("nim", f"{LONG_PPO},illegal=end", tmp_path / "run")
    rewards = [row["reward"] for row in run.rows() if "reward" in row]
    assert np.mean(rewards[-3:]) > np.mean(rewards[:3]) + 0.3


def test_phases_change_the_rates(tmp_path):
    game = registry.game("nim")
    learner = runs.learner(PPO.replace("3e-3", "1e-3@0.5/1e-4"))
    assert isinstance(learner, Ppo)
    run = runs.train(game, learner, tmp_path / "run", seed=1)
    rates = [row["learning_rate"] for row in run.rows() if "learning_rate" in row]
    assert rates[0] == pytest.approx(1e-3) and rates[-1] == pytest.approx(1e-4)


def test_the_cross_entropy_of_a_return_moves_the_action_that_was_played(tmp_path):
    """Towards what the network says itself, with the return in the place of the action: a good one becomes likelier, a
    bad one less likely, and what would be just as likely as it is moves nothing."""
    learner = runs.learner(
        "policygradient:rule=returns,loss=cross_entropy,network=linear,optimiser=sgd,learning_rate=0.5"
    )
    game = registry.game("nim")
    start = learner.begun(game, RunFolder(tmp_path), 1)
    inputs, row = np.ones((1, game.features), np.float32), np.zeros(1, np.int64)

    def likely(network):
        return torch.softmax(torch.from_numpy(network.outputs(inputs)["q"].copy()), 1)[0].numpy()

    before = likely(start)
    for wanted, sign in ((1.0, 1), (-1.0, -1), (before[0], 0)):
        module = NetworkModule(start)
        seen = Played(inputs, np.ones((1, len(before)), bool), row, row.astype(np.float32), row, row - 1, 0.0)
        sgd = torch.optim.SGD(module.parameters(), 0.5)
        learner.learn(module, sgd, seen, np.full(1, wanted, np.float32), row)
        moved = likely(module.network())[0] - before[0]
        assert moved == pytest.approx(0.0, abs=1e-6) if sign == 0 else sign * moved > 1e-3
