"""Symmetries: the same decision in another look."""

import numpy as np
import pytest

from spielwerk.core import registry
from spielwerk.games.jass.symmetries import PLACES, exchanged
from spielwerk.learn import run as runs
from spielwerk.learn.decisions import Decisions
from test_features import encoded


def exchange(hand, way):
    """A set of cards in which suit s holds what suit way[s] held."""
    return sum(((int(hand) >> 9 * way[suit]) & 0x1FF) << 9 * suit for suit in range(4))


def mirrored(position, way):
    """The same deal with suits exchanged."""
    state, other = position.state, position.copy()
    to = np.argsort(way)  # where a suit goes
    for field in ("hands", "played", "lacks", "shown"):
        other.state[field][0] = [exchange(cards, way) for cards in state[field][0]]
    other.state["history"][0] = [c if c < 0 else 9 * to[c // 9] + c % 9 for c in state["history"][0]]
    for field in ("mode", "led"):
        suit = int(state[field][0])
        other.state[field] = to[suit] if 0 <= suit < 4 else suit
    return other


@pytest.mark.parametrize("encoding", PLACES)
def test_an_encoding_of_exchanged_suits_is_the_exchanged_encoding(encoding):
    rng = np.random.default_rng(1)
    for seed in range(12):
        position = registry.game("jass").new(seed)
        for _ in range(int(rng.integers(30))):
            legal = position.legal(position.actors[0])
            position = position.play({position.actors[0]: legal[int(rng.integers(len(legal)))]})
        way = rng.permutation(4)
        symmetry = exchanged(encoding, way)
        seat, other = position.actors[0], mirrored(position, way)
        assert np.array_equal(encoded(other, seat, encoding), encoded(position, seat, encoding)[symmetry.inputs])
        legal = np.isin(np.arange(46), position.legal(seat))
        assert np.flatnonzero(legal[symmetry.actions]).tolist() == list(other.legal(seat))


def test_only_suits_that_count_alike_are_exchanged():
    def count(variant):
        return len(registry.game("jass", variant=variant).symmetries("standard"))

    assert count("server") == 23
    assert count("schieber") == 3  # hearts with diamonds, clubs with spades
    assert count("schieber,red_factor=2") == 23
    assert not registry.game("jass").symmetries("bits") and not registry.game("2048").symmetries("standard")


def test_a_batch_is_learned_in_another_look_as_a_whole(tmp_path):
    game = registry.game("jass", variant="server-deal")
    settings = "imitate:teacher=rules,actions=0-35,games=30,network=8,epochs=1,symmetries=true,test_games=2,tests=1"
    folder = runs.train(game, runs.learner(settings), tmp_path / "run", seed=1)
    learner = folder.learner()
    looks = learner.looks(game)
    assert len(looks) == 23
    decisions = Decisions.load(folder.path / "data", 1, 583, 36)
    batch = decisions.batch(np.arange(50))
    for look in looks:
        seen = look.of(batch)
        rows = np.arange(50)
        assert (seen.target[rows, seen.action] == 1).all() and seen.target.sum() == 50
        assert seen.legal[rows, seen.action].all()
        hands = seen.inputs[:, :36]  # what is legal is in the hand
        assert (hands[seen.legal] == 1).all() and np.array_equal(hands.sum(axis=1), batch.inputs[:, :36].sum(axis=1))


def test_of_some_actions_only_looks_that_keep_them_together_are_taken():
    game = registry.game("jass", variant="server-deal")
    assert len(runs.learner("imitate:actions=0-17,symmetries=true").looks(game)) == 3  # hearts and diamonds


def test_a_game_that_knows_no_symmetries_says_so():
    assert "symmetries=false" in runs.learner("imitate:symmetries=true").why_not(registry.game("2048"))
