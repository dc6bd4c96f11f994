"""The preliminary studies: exact optima against known ones, pictures, and (slow) that they are reached."""

import gymnasium
import numpy as np
import pytest

from spielwerk.core.errors import SpielwerkError
from spielwerk.studies.eder_kistler import STUDY, exact, pictures, preliminary


def quiet(done, line):
    assert 0.0 <= done <= 1.0 + 1e-9


def test_what_is_best_in_frozen_lake_and_in_blackjack_is_known():
    lake = exact.rules_of(gymnasium.make("FrozenLake-v1"))
    best = exact.best_actions(lake, 0.99)
    assert exact.best_worth(lake, 100) == pytest.approx(0.744, abs=0.001)  # counting steps helps a little
    assert exact.policy_worth(lake, best, 100) == pytest.approx(0.740, abs=0.001)
    assert exact.policy_worth(lake, best, 10_000) == pytest.approx(14 / 17)  # without a limit of time
    rules = exact.Blackjack()
    assert rules.worth == pytest.approx(-0.0466, abs=0.0001)
    # as every table of basic strategy says
    assert [rules.action(12, shown, False) for shown in range(1, 11)] == [1, 1, 1, 0, 0, 0, 1, 1, 1, 1]
    assert [rules.action(18, shown, True) for shown in range(1, 11)] == [1, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    careful = exact.Blackjack(lambda total, shown, usable: int(total < 12))
    assert careful.worth < rules.worth


def test_blackjack_is_that_of_gymnasium():
    """The exact worth of a rule, and of many rounds of the real thing."""
    env = gymnasium.make("Blackjack-v1", natural=False, sab=False)
    total, rounds = 0.0, 4000
    for seed in range(rounds):
        (own, _, _), _ = env.reset(seed=seed)
        over = False
        while not over:
            (own, _, _), reward, over, _, _ = env.step(int(own < 17))
        total += reward
    wanted = exact.Blackjack(lambda own, shown, usable: int(own < 17)).worth
    assert total / rounds == pytest.approx(wanted, abs=4 * 0.95 / np.sqrt(rounds))


def test_pictures_are_drawn(tmp_path):
    best = exact.Blackjack().action
    pictures.blackjack_chart(tmp_path / "chart.png", {"nobody": lambda *hand: 1}, best)
    pictures.lake(tmp_path / "lake.png", np.array([list("SF"), list("HG")], "S1"), np.eye(4), np.zeros(4, int))
    pictures.curves(tmp_path / "curve.png", "title", {"a": [(1.0, 0.2), (2.0, 0.3)]}, 0.5, "worth")
    assert all((tmp_path / f"{name}.png").stat().st_size > 5000 for name in ("chart", "lake", "curve"))


def test_without_gymnasium_a_study_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gymnasium", None)
    for part in ("frozen-lake", "taxi", "blackjack"):
        with pytest.raises(SpielwerkError, match=r"pip install 'spielwerk\[learn\]'"):
            STUDY.parts[part](quiet, tmp_path, "quick")


@pytest.mark.slow
def test_quick_studies_come_near_to_the_optimum(tmp_path):
    lake = preliminary.frozen_lake(quiet, tmp_path, "quick")["success of what was learned"]
    assert lake[0]["exact"] > 0.70 and (tmp_path / "policy.png").exists()
    taxi = preliminary.taxi(quiet, tmp_path, "quick")["reward per episode"]
    assert min(row["exact"] for row in taxi[1:]) > 7.5
    rounds = preliminary.blackjack(quiet, tmp_path, "quick")["reward per round"]
    assert min(row["exact"] for row in rounds) > -0.065
