"""The n-tuple agent of Kutsch (2017, chapter 6): formulas (5) to (9), the epsilon schedule, figures as studies."""

import numpy as np
import pytest

import spielwerk as sw
from spielwerk import studies
from spielwerk.core.errors import SpielwerkError
from spielwerk.learn import run as runs
from spielwerk.studies.kutsch import learning

PLAIN = "tc=false,symmetries=false,tuples=0.1.2+4.5.6"


def ignore(done, line):
    """A report that nobody reads."""


@pytest.mark.parametrize("way", ["end", "difference"])
def test_the_errors_of_a_match_add_up_to_its_points(way, tmp_path):
    """Formula (8) with gamma 1: all differences of values cancel out. Nothing is learned at this alpha to speak of."""
    game = sw.game("2048")
    spec = f"ntuple:learn={way},{PLAIN},alpha=0.000001,trace_decay=1.0,matches=20"
    [row] = runs.train(game, runs.learner(spec), tmp_path / "run", seed=4).rows()
    assert row["taught"] * game.spec.scale == pytest.approx(row["mean"], rel=1e-3)
    assert row["left_out"] == 0.0


@pytest.mark.parametrize(
    ("trace_decay", "gamma", "trace"),
    [(1.0, 1.0, None), (0.0, 1.0, 1.0), (0.5, 1.0, 2.0), (1.0, 0.5, 2.0), (0.5, 0.5, 4 / 3)],
)
def test_traces_fade_by_gamma_and_lambda(trace_decay, gamma, trace, tmp_path):
    """Formulas (7) and (9): in a first match only its end is news, and every entry learns it by its trace. The traces
    of one position add up to 1 + gamma lambda + (gamma lambda)^2 …, with 1 to the number of moves."""
    game = sw.game("2048")
    spec = f"ntuple:learn=end,{PLAIN},alpha=0.001,trace_decay={trace_decay},gamma={gamma},matches=1"
    run = runs.train(game, runs.learner(spec), tmp_path / "run", seed=4)
    [row] = run.rows()
    learned = float(np.load(run.checkpoint / "weights.npy").astype(float).sum())
    tuples = 2
    expected = 0.001 * row["mean"] / game.spec.scale * tuples * (trace or row["moves"])
    assert learned == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("exploratory_moves", ["cut", "skipped", "learned"])
def test_random_moves_are_learned_only_where_that_is_asked_for(exploratory_moves, tmp_path):
    spec = f"ntuple:learn=end,{PLAIN},alpha=0.001,epsilon=1.0,exploratory_moves={exploratory_moves},seconds=0.01"
    run = runs.train(sw.game("2048", variant="3x3"), runs.learner(spec.replace("4.5.6", "3.4.5")), tmp_path / "run")
    learned = np.load(run.checkpoint / "weights.npy")
    assert (len(learned) > 0) == (exploratory_moves != "cut")  # skipped: all but the last move of a match
    row = run.rows()[0]
    assert (row["taught"] != 0.0) == (exploratory_moves != "cut") and (row["left_out"] == 0.0) == (
        exploratory_moves == "learned"
    )


def test_epsilon_falls_to_0_at_the_last_match(tmp_path):
    spec = f"ntuple:learn=end,{PLAIN},alpha=0.001,epsilon=0.65,matches=1000"
    rows = runs.train(sw.game("2048"), runs.learner(spec), tmp_path / "run").rows()
    epsilons = {row["matches"]: row["epsilon"] for row in rows}
    assert sorted(epsilons.values(), reverse=True) == list(epsilons.values())
    assert epsilons[1000] == 0.0
    assert epsilons[500] == pytest.approx(0.65 * (1 + np.log10(0.55)), abs=1e-4)


@pytest.fixture
def tiny(monkeypatch):
    """Everything as small as it gets."""
    monkeypatch.setitem(learning.SWEEP_MATCHES, "quick", 20)
    monkeypatch.setitem(learning.CURVE_MATCHES, "quick", 60)
    monkeypatch.setitem(learning.COLLAPSE_MATCHES, "quick", 40)
    monkeypatch.setitem(learning.JUDGED_MATCHES, "quick", 5)


@pytest.mark.parametrize(
    ("figure", "choices"), [(25, "EPSILONS"), (26, "ALPHAS"), (27, "GAMMAS"), (28, "TRACE_DECAYS")]
)
def test_the_sweeps_are_drawn(figure, choices, tiny, monkeypatch, tmp_path):
    monkeypatch.setattr(learning, choices, getattr(learning, choices)[-2:])
    found = studies.part(f"kutsch-figure-{figure}")(ignore, tmp_path, "quick")
    rows = found[f"figure {figure}"]
    assert [next(iter(row.values())) for row in rows] == list(getattr(learning, choices))
    assert all(row["points after training"] > 100 for row in rows)
    assert (tmp_path / f"figure-{figure}.png").stat().st_size > 5000
    assert "best" in found["published"]


@pytest.mark.parametrize("figure", [17, 29])
def test_the_curves_are_drawn_and_a_second_call_goes_on(figure, tiny, tmp_path):
    study = studies.part(f"kutsch-figure-{figure}")
    first, second = (study(ignore, tmp_path, "quick") for _ in range(2))
    assert first == second
    assert (
        first[f"figure {figure}"][0]["best mean in training"] >= first[f"figure {figure}"][0]["last mean in training"]
    )
    assert (tmp_path / f"figure-{figure}.png").stat().st_size > 5000


def test_a_study_does_not_pass_off_another_run_as_its_own(tiny, monkeypatch, tmp_path):
    learning.figure_17(ignore, tmp_path, "quick")
    monkeypatch.setitem(learning.CURVE_MATCHES, "full", 80)
    with pytest.raises(SpielwerkError, match="another --out"):
        learning.figure_17(ignore, tmp_path, "full")


def test_the_collapse_is_shown_with_one_cause_taken_away_at_a_time(tiny, tmp_path):
    rows = learning.collapse(ignore, tmp_path, "quick")["collapse"]
    assert len(rows) == 6 and rows[0]["way"] == "as the framework"
    assert rows[0]["left out"] != 0.0 == rows[1]["left out"] == rows[4]["left out"]
    assert (tmp_path / "collapse.png").stat().st_size > 5000
