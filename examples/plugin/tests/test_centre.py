"""The agent centre: the conformance suite, and what its rules of thumb do."""

import pytest
from spielwerk import Budget, SpielwerkError, agent, play, spawn, speaking, testing

from parlour.connect4.game import Connect4
from parlour.connect4.players.centre import Centre
from parlour.leduc.game import Leduc

WRITTEN = ("centre", "centre:careful=False", "centre:mistakes=0.5")


@pytest.fixture(scope="module")
def game():
    return Connect4()


def column(moves, centre=None):
    """The column that is played after `moves`."""
    position = Connect4().read(moves)
    decision = (centre or Centre()).decide(position.view(position.actors[0]), Budget(), spawn(1))
    return decision.action + 1


@pytest.mark.parametrize("written", WRITTEN)
def test_conformance(game, written):
    testing.check_agent(agent(written), game, seed=1)
    testing.check_match(agent(written), game, seed=2)
    testing.check_policy(agent(written), game, seed=3)


@pytest.mark.parametrize("written", WRITTEN)
def test_it_is_written_with_its_options(written):
    assert agent(written).spec == written
    assert isinstance(agent(written), Centre)


def test_it_is_on_the_ladder(game):
    ladder = [agent(rung.agent) for rung in game.spec.ladder]
    assert [type(each) for each in ladder[:2]] == [Centre, Centre]


def test_it_begins_in_the_centre():
    assert column("") == 4


def test_it_wins_before_it_blocks():
    assert column("171717") == 1


def test_it_blocks():
    assert column("17171") == 1


def test_careful_does_not_open_a_win():
    """
    . . O . . . .
    . . X . X X .   O moves; on top of a disc in the centre X would complete this row
    . . O . O X .
    1 2 3 4 5 6 7
    """
    assert column("6335635", Centre(careful=False)) == 4
    assert column("6335635") == 3


def test_mistakes_are_random_moves(game):
    view = game.new().view(0)
    played = {Centre(mistakes=1.0).decide(view, Budget(), spawn(seed)).action for seed in range(100)}
    assert played == set(range(7))


@pytest.mark.parametrize("written", ["centre:mistakes=1.5", "centre:mistakes=-1"])
def test_a_chance_is_from_0_to_1(written):
    with pytest.raises(SpielwerkError, match="from 0 to 1"):
        agent(written)


def test_it_says_why_it_cannot_play_other_games():
    with pytest.raises(SpielwerkError, match="centre cannot play Leduc hold'em: it plays Connect Four only"):
        play(Leduc(), [Centre()] * 2)
    with speaking("de"):
        assert Centre().why_not(Leduc()) == "er spielt nur Vier gewinnt"


def test_it_plays_the_playouts_of_a_search(game):
    testing.check_match(agent("mc:iterations=5,playouts=(centre:mistakes=0.2)"), game, seed=1)
