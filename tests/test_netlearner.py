"""What learners of networks share: what a run began with stays, networks fit together or are refused, nothing is left
behind by what was refused."""

import json

import numpy as np
import pytest

from spielwerk import SpielwerkError
from spielwerk.core import registry
from spielwerk.core.models import read_arrays
from spielwerk.learn import run as runs
from spielwerk.nets.network import decode, load_network
from tiny_games import CompiledNim

pytestmark = pytest.mark.xdist_group("netlearner")
FEW = "steps=3000,learning_starts=500,test_every=1000,test_games=20,envs=16"


@pytest.fixture
def nim():
    registry.register(CompiledNim)
    yield CompiledNim()
    registry.unregister(CompiledNim)


def stopped(done, line):
    raise KeyboardInterrupt


def layers(tmp_path, *given):
    file = tmp_path / "layers.json"
    file.write_text(json.dumps(given))
    return file


def test_a_run_keeps_the_network_that_it_began_with(nim, tmp_path, monkeypatch):
    monkeypatch.setattr("spielwerk.learn.dqn.LOG_EVERY", 500)
    file = layers(tmp_path, {"kind": "dense", "units": 8}, {"kind": "relu"})
    taught = runs.learner(f"dqn:{FEW},network={file}")
    whole = runs.train(nim, taught, tmp_path / "whole", seed=2)
    with pytest.raises(KeyboardInterrupt):
        runs.train(nim, taught, tmp_path / "halted", seed=2, report=stopped)
    layers(tmp_path, {"kind": "dense", "units": 5}, {"kind": "tanh"})
    halted = runs.resume(tmp_path / "halted")
    one, other = (read_arrays(run.path / "model.npz") for run in (whole, halted))
    assert all(np.array_equal(one[name], other[name]) for name in one) and one.keys() == other.keys()
    assert whole.rows()[-1]["step"] == halted.rows()[-1]["step"]


def test_rows_from_before_the_first_checkpoint_are_not_there_twice(nim, tmp_path, monkeypatch):
    monkeypatch.setattr("spielwerk.learn.dqn.LOG_EVERY", 500)
    with pytest.raises(KeyboardInterrupt):
        runs.train(nim, runs.learner(f"dqn:{FEW}"), tmp_path / "run", seed=2, report=stopped)
    assert runs.RunFolder(tmp_path / "run").rows() and not runs.RunFolder(tmp_path / "run").checkpoint
    run = runs.resume(tmp_path / "run")
    steps = [row["step"] for row in run.rows() if "loss" in row]
    assert steps == sorted(set(steps))


def test_who_is_told_to_stop_says_what_was_reached(nim, tmp_path, monkeypatch):
    monkeypatch.setattr("spielwerk.learn.dqn.LOG_EVERY", 500)
    ended = []
    monkeypatch.setattr(runs.Limits, "reached", property(lambda limits: bool(ended)))

    def report(done, line):
        ended.append(done)

    run = runs.train(nim, runs.learner(f"dqn:{FEW}"), tmp_path / "run", seed=2, report=report)
    tested = [row["step"] for row in run.rows() if "held_out" in row]
    assert tested == [run.rows()[-1]["step"]] and 0 < tested[0] < 1000


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([{"kind": "dense", "units": 8, "activation": "relu"}], "activation"),
        ([{"kind": "gru", "units": 4, "steps": 1000}], "equal steps"),
        ([{"kind": "conv", "rows": 9, "columns": 9, "channels": 9, "filters": 1}], "takes 729 numbers"),
    ],
)
def test_layers_that_cannot_be_are_refused_before_a_folder_is_made(nim, tmp_path, given, said):
    for name in ("dqn", "tdvalue", "imitate", "ppo", "policygradient"):
        with pytest.raises(SpielwerkError, match=said):
            runs.train(nim, runs.learner(f"{name}:network={layers(tmp_path, *given)}"), tmp_path / "run")
        assert not (tmp_path / "run").exists()


def test_options_that_would_say_nothing_are_refused(nim, tmp_path):
    for more in ("activation=tanh", "norm=true", "dropout=0.5"):
        with pytest.raises(SpielwerkError, match="go with units"):
            runs.train(nim, runs.learner(f"dqn:network=linear,{more}"), tmp_path / "run")


def test_a_warm_start_must_fit_and_keeps_what_it_means(nim, tmp_path):
    small = "tdvalue:network=8,positions=2000,round_positions=500,tests=1,test_games=10"
    first = runs.train(nim, runs.learner(f"{small},unit=points,scale=1"), tmp_path / "first", seed=1)
    for other in ("unit=points,activation=tanh", "unit=win"):
        with pytest.raises(SpielwerkError, match="of another kind"):
            runs.train(nim, runs.learner(f"{small},warm_start={first.path},{other}"), tmp_path / "next")
        assert not (tmp_path / "next").exists()
    taught = runs.learner(f"{small},unit=points,warm_start={first.path},scale=4")
    then = runs.train(nim, taught, tmp_path / "next", seed=1)
    began = decode(read_arrays(then.path / "first.npz"))
    known = load_network(nim, str(first.path))
    assert (known.head("value").scale, began.head("value").scale) == (1.0, 4.0)
    assert np.allclose(began.arrays["value.0.weight"] * 4.0, known.arrays["value.0.weight"])
    assert np.array_equal(began.arrays["layers.0.weight"], known.arrays["layers.0.weight"])


def test_dqn_goes_on_in_the_scale_of_its_warm_start(nim, tmp_path):
    first = runs.train(nim, runs.learner(f"dqn:{FEW},scale=3"), tmp_path / "first", seed=1)
    then = runs.train(nim, runs.learner(f"dqn:{FEW},warm_start={first.path}"), tmp_path / "next", seed=2)
    assert load_network(nim, str(then.path)).head("q").scale == 3.0
    began, known = decode(read_arrays(then.path / "first.npz")), load_network(nim, str(first.path))
    assert all(np.array_equal(began.arrays[name], array) for name, array in known.arrays.items())


def test_ppo_takes_the_network_of_its_warm_start(nim, tmp_path):
    small = "policygradient:rounds=1,envs=8,network=8,test_games=10,tests=1"
    first = runs.train(nim, runs.learner(small), tmp_path / "first")
    with pytest.raises(SpielwerkError, match="leave network out"):
        runs.train(nim, runs.learner(f"ppo:warm_start={first.path},network=64"), tmp_path / "run")


@pytest.mark.parametrize("name", ["dqn", "ppo", "imitate", "tdvalue", "policygradient"])
def test_without_an_accelerator_nothing_is_begun(nim, tmp_path, name):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is an accelerator")
    with pytest.raises(SpielwerkError, match="cuda"):
        runs.train(nim, runs.learner(name), tmp_path / "run", device="cuda")
    assert not (tmp_path / "run").exists()


def test_tables_grow(tmp_path):
    game = registry.game("2048")
    run = runs.train(game, runs.learner("qlearning:steps=6000,test_every=6000,test_games=4"), tmp_path / "run", seed=1)
    assert run.rows()[-1]["step"] >= 6000
    with pytest.raises(SpielwerkError, match="more than 1500 positions"):
        runs.train(game, runs.learner("qlearning:steps=60000,most_positions=1500"), tmp_path / "other", seed=1)
