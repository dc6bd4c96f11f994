"""The study's experiments as commands, and searches with Qwixx playouts."""

import json

import pytest

from spielwerk import studies
from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import spawn
from spielwerk.learn import run as runs
from spielwerk.studies import janetzki


def quiet(done, line):
    assert 0.0 <= done <= 1.0


def test_figure_10_agrees_with_the_printed_qualities(tmp_path):
    found = janetzki.figure_10(quiet, tmp_path, "quick")
    for row in found["crossing a 5"]:
        assert row["quality"] == pytest.approx(row["published"], abs=0.051)
    assert "data-action" in (tmp_path / "figure-10.svg").read_text()


def test_figures_are_drawn_and_finished_runs_are_not_repeated(tmp_path, monkeypatch):
    from spielwerk.games.qwixx.learn.evolve import Evolve

    small = {
        name: {**options, "population": "20", "rounds": "1", "generations": "9"}
        for name, options in Evolve.presets.items()
    }
    monkeypatch.setattr(Evolve, "presets", small)
    found = janetzki.figure_9(quiet, tmp_path, "quick")
    assert (tmp_path / "figure-9a.png").exists() and (tmp_path / "figure-9b.png").exists()
    again = janetzki.figure_9(quiet, tmp_path, "quick")
    assert json.dumps(found) == json.dumps(again)
    assert [row["run"] for row in found["runs"]] == ["A, ours", "A, published", "B, ours", "B, published"]


def test_figures_6_and_7_train_as_the_public_trainer_did():
    for preset in ("figure-6a", "figure-6b", "figure-7"):
        learner = runs.learner("evolve", preset)
        assert (learner.degree, learner.rounds) == (2, 5)


@pytest.mark.parametrize(("figure", "runs"), [("figure_6", 8), ("figure_7", 4), ("figure_8", 6)])
def test_quick_scale_has_all_generations_and_says_what_the_study_found(figure, runs, tmp_path, monkeypatch):
    asked = []

    def evolved(folder, options, preset, seed, report):
        asked.append((options, preset, seed))
        return [{"generation": n + 1, "mean": 40.0 + n, "best": 60.0} for n in range(100)]

    monkeypatch.setattr(janetzki, "evolved", evolved)
    found = getattr(janetzki, figure)(quiet, tmp_path, "quick")
    assert len(asked) == len(found["runs"]) == runs
    assert not any("generations" in options for options, preset, seed in asked)
    assert all(row["the study"] for row in found["runs"])
    assert list(tmp_path.glob("figure-*.png"))


def test_every_figure_is_part_of_the_study():
    assert list(studies.study("janetzki").parts) == [f"figure-{number}" for number in (6, 7, 8, 9, 10)]


def test_paired_playouts_meet_the_same_dice():
    """With perfect pairing, two actions that lead to the same position have exactly the same value."""
    game = registry.game("qwixx", 2)
    agent = registry.agent("mc:iterations=16,rollout_depth=500,paired=true,playouts=(alphaqwixx)")
    position = game.opening(3).happen("seat 0 begins")
    position.happen("3+4 red 1 yellow 1 green 6 blue 6")
    decision = agent.decide(position.view(1), Budget(), spawn(1))
    values = dict(zip(position.legal(1), decision.values, strict=True))
    red, yellow = (values[game.action(move)] for move in ("red 7", "yellow 7"))
    assert abs(red - yellow) < 0.05  # nearly the same: only the coloured dice tell them apart
    assert decision == agent.decide(position.view(1), Budget(), spawn(1))


def test_tree_search_decides_the_simultaneous_action():
    agent = "mctse:iterations=30,rollout_depth=500,playouts=(gap:endgame=true)"
    game = registry.game("qwixx", 3)
    position = game.new(5)
    for seat in position.actors:
        decision = registry.agent(agent).decide(position.view(seat), Budget(), spawn(2, seat))
        assert decision.action in position.legal(seat)
        assert decision.visits is not None and sum(decision.visits) > 0
