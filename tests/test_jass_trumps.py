"""A network that chooses the mode, learned from a rating of hands."""

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.models import read_arrays
from spielwerk.games.jass.cards import CARDS
from spielwerk.games.jass.learn.kernel.trumps import rate_as_thesis, thesis_points
from spielwerk.games.jass.learn.trumps import Dealer
from spielwerk.learn import run as runs
from spielwerk.nets.network import load_network

pytestmark = pytest.mark.xdist_group("jass_deals")
SMALL = "trumps:rounds=150,hands=512,tests=1,test_games=4,learning_rate=0.005"


@pytest.fixture(scope="module")
def game():
    return sw.game("jass", variant="server-deal")


def test_the_best_rated_choice_is_that_of_the_rule_player(game):
    learner = runs.learner("trumps:hands=40")
    inputs, ratings = Dealer(game, learner, 7).deal(5)
    for row, rated in zip(inputs, ratings, strict=True):
        hand = " ".join(game.spec.moves[card] for card in np.flatnonzero(row[:36]))
        position = game.read(f"hand={hand}" + ("; push=yes; seat=3" if row[36] else ""))
        view = position.view(position.actors[0])
        chosen = sw.agent("rules").decide(view, Budget(), spawn(1)).action
        assert 36 + int(np.nanargmax(rated)) == chosen and np.isnan(rated[6]) == bool(row[36])


def test_hands_are_learned(game, tmp_path):
    run = runs.train(game, runs.learner(SMALL), tmp_path / "run", seed=1)
    rows = [row for row in run.rows() if "accuracy" in row]
    assert rows[-1]["accuracy"] > 0.6 > 2 * rows[0]["accuracy"]
    network = load_network(game, str(run.path))
    assert (network.description.inputs, network.description.heads["q"].outputs) == (37, 7)
    agent = sw.agent(run.learner().agent(run))
    view = game.read("hand=h6 h8 h9 hJ hA d9 d10 s8 s10").view(0)  # the thesis' own example
    assert game.spec.moves[agent.decide(view, Budget(), spawn(1)).action] == "hearts"


def test_the_same_after_a_kill(game, tmp_path, monkeypatch):
    small = "trumps:rounds=6,hands=64,tests=2,test_games=2,encoding=36,network=8"
    whole = runs.train(game, runs.learner(small), tmp_path / "whole", seed=2)

    class Killed(BaseException):
        pass

    def killer(done, line):
        if done > 0.5:
            raise Killed

    monkeypatch.setattr("spielwerk.learn.playing.SAVE", 0.0)
    with pytest.raises(Killed):
        runs.train(game, runs.learner(small), tmp_path / "cut", seed=2, report=killer)
    again = runs.resume(tmp_path / "cut")
    one, other = (read_arrays(run.path / "checkpoint" / "state.npz") for run in (whole, again))
    assert all(np.array_equal(one[name], other[name]) for name in one)


def test_the_same_after_a_kill_before_the_first_checkpoint(game, tmp_path):
    """The first test is made again: what is kept must be the best of all tests, the first one among them."""
    small = "trumps:rounds=4,hands=64,tests=1,test_games=4,network=8"
    whole = runs.train(game, runs.learner(small), tmp_path / "whole", seed=2)

    class Killed(BaseException):
        pass

    def killer(done, line):
        raise Killed

    with pytest.raises(Killed):
        runs.train(game, runs.learner(small), tmp_path / "cut", seed=2, report=killer)
    assert (tmp_path / "cut" / "model.npz").exists() and not (tmp_path / "cut" / "checkpoint").exists()
    again = runs.resume(tmp_path / "cut")
    assert again.rows() == whole.rows()
    assert (again.path / "model.npz").read_bytes() == (whole.path / "model.npz").read_bytes()


def test_the_rating_of_the_thesis(game):
    """hJ 30, h9 15, hA 12, h6 and h8 10 each; no ace beside the trumps, and nothing sure without trumps but from hA."""
    hand = sum(1 << CARDS.index(card) for card in ["h6", "h8", "h9", "hJ", "hA", "d9", "d10", "s8", "s10"])
    rate = [int(thesis_points(hand, mode)) for mode in range(6)]
    assert rate == [77, 20 + 5 + 4, 4, 20 + 4, 11, 11]
    out = np.zeros(7)
    rate_as_thesis(hand, 0, out)
    assert out.tolist() == [*rate, 0]  # hearts are enough: the push is rated 0, and so worse
    poor = sum(1 << CARDS.index(card) for card in ["h7", "h8", "d7", "d8", "c7", "c8", "s7", "s8", "sQ"])
    rate_as_thesis(poor, 0, out)
    assert out.tolist() == [-30] * 6 + [0]
    rate_as_thesis(poor, 1, out)
    assert out.max() == out[3] == 30  # after a push one must choose


def test_it_is_for_jass_and_its_encodings(game):
    assert "Jass" in runs.learner("trumps").why_not(sw.game("2048"))
    assert "36 or 37" in runs.learner("trumps:encoding=186").why_not(game)
