"""Expert iteration: generations follow each other, survive kills, and get better."""

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.learn import run as runs
from spielwerk.learn.decisions import Decisions
from spielwerk.learn.run import RunFolder
from tiny_games import Nim

pytestmark = pytest.mark.xdist_group("imitate")
SMALL = (
    "expertiteration:teacher=(mctse:iterations=40),search=(mctse:iterations=30,selection=puct,evaluation=net@{model}),"
    "generations=2,games=40,network=16,epochs=2,tests=1,test_games=10,noise=0.2,target=visits"
)
QUICK = SMALL.replace("iterations=40", "iterations=8").replace("iterations=30", "iterations=8").replace("=40", "=16")


@pytest.fixture(autouse=True)
def known():
    registry.register(Nim)
    yield
    registry.unregister(Nim)


def held_out_rows(folder):
    return [row for row in folder.rows() if "held_out" in row]


class Killed(Exception):
    """Stands for a kill: nobody saves anything."""


def test_generations_follow_each_other(tmp_path):
    folder = runs.train(Nim(), runs.learner(SMALL), tmp_path / "run", seed=2)
    rows = held_out_rows(folder)
    assert [row["step"] for row in rows] == [1, 2] and all(0.0 <= row["accuracy"] <= 1.0 for row in rows)
    first, second = (RunFolder(folder.path / f"generation-{n}") for n in range(2))
    assert first.rows()[0]["matches"] == 40
    assert second.rows()[0]["matches"] == 80  # it remembers the generation before
    assert (folder.path / "model.npz").is_file()
    begun, learned = (np.load(path) for path in (second.path / "first.npz", first.path / "model.npz"))
    assert all(np.array_equal(begun[name], learned[name]) for name in learned.files if name.endswith("weight"))
    assert sw.evaluate(Nim(), f"net:model={folder.path}", opponents="random", games=200, seed=5).win_share > 0.5
    assert folder.learner().curve(folder)[0] == "generation"


@pytest.mark.parametrize("reports", [1, 4])
def test_a_run_that_was_killed_ends_as_one_that_was_not(tmp_path, reports):
    whole = runs.train(Nim(), runs.learner(QUICK), tmp_path / "whole", seed=3)
    left = iter(range(reports))

    def killer(done, line):
        if next(left, None) is None:
            raise Killed

    with pytest.raises(Killed):
        runs.train(Nim(), runs.learner(QUICK), tmp_path / "killed", seed=3, report=killer)
    again = runs.resume(tmp_path / "killed")
    one, other = (np.load(folder.path / "model.npz") for folder in (whole, again))
    assert all(np.array_equal(one[name], other[name]) for name in one.files)
    assert held_out_rows(whole) == held_out_rows(again)


def test_decisions_of_several_folders_stay_apart(tmp_path):
    folder = runs.train(Nim(), runs.learner(QUICK), tmp_path / "run", seed=4)
    parts = [(folder.path / f"generation-{n}" / "data", 1) for n in range(2)]
    size, actions = 24, Nim().spec.actions
    size = Nim().features
    together = Decisions.load_all(parts, size, actions)
    alone = [Decisions.load(path, 1, size, actions) for path, _ in parts]
    assert len(together) == sum(map(len, alone)) and together.matches == 32
    assert together.arrays["match"].max() == 31 and (np.diff(together.arrays["match"]) >= 0).all()
    last = together.batch(np.arange(len(together) - 5, len(together)))
    assert np.array_equal(last.inputs, alone[1].batch(np.arange(len(alone[1]) - 5, len(alone[1]))).inputs)


def test_a_search_without_a_place_for_the_network_is_refused():
    assert "{model}" in runs.learner("expertiteration:search=(mctse:iterations=3)").why_not(Nim())
    assert "mctsee" in runs.learner("expertiteration:search=(mctsee:evaluation=net@{model})").why_not(Nim())


def test_the_preset_for_jass_fits():
    learner = runs.learner("expertiteration", "jass")
    assert learner.why_not(sw.game("jass", variant="server-deal")) is None
    assert sw.agent(learner.search.replace("{model}", "net-jass-server")).why_not(sw.game("jass")) is None


def test_a_generation_keeps_the_same_network_however_often_it_was_stopped(tmp_path, monkeypatch):
    whole = runs.train(Nim(), runs.learner(QUICK), tmp_path / "whole", seed=6)
    asked = iter(range(10_000))
    monkeypatch.setattr(runs.Limits, "reached", property(lambda limits: next(asked) % 3 == 2))
    runs.train(Nim(), runs.learner(QUICK), tmp_path / "stopped", seed=6)
    stops = 0
    while len(held_out_rows(RunFolder(tmp_path / "stopped"))) < 2:
        runs.resume(tmp_path / "stopped")
        stops += 1
    assert stops >= 2
    for part in ("generation-0/model.npz", "generation-1/model.npz", "model.npz"):
        assert (tmp_path / "stopped" / part).read_bytes() == (whole.path / part).read_bytes(), part


def test_a_search_that_cannot_play_the_game_is_refused_before_anything_is_made(tmp_path):
    learner = runs.learner(
        QUICK.replace("(mctse:iterations=8,selection=puct,evaluation=net@{model})", "(dmcts:playouts=net)")
    )
    assert "does not say where the network goes" in learner.why_not(Nim())
    learner = runs.learner("expertiteration:teacher=random,search=(dmcts:playouts=(net:model={model}))")
    assert "Jass only" in learner.why_not(Nim())
    with pytest.raises(SpielwerkError, match="a path with a comma"):
        runs.train(Nim(), runs.learner(QUICK), tmp_path / "one,two", seed=3)
