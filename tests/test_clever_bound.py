"""Ganz schön clever alone: the counting bound, and the optimum of a player who knows all dice to come."""

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.core.errors import Unfit
from spielwerk.games.clever.bound import Relaxation, counting_bound, first_prices
from spielwerk.games.clever.clairvoyant import Beam, Line, Optimum, optimum, replay
from spielwerk.games.clever.kernel.guide import judge_prospects
from spielwerk.nets.description import Dense, Description, Head, Relu
from spielwerk.nets.network import fresh

# found by the search with a trained network
MAXIMUM_ACTIONS = """
1 34 36 41 34 7 35 38 0 36 0 35 34 40 40 36 76 69 2 38 41 59 70 37 38 15 32 1 34 12
37 68 38 43 34 57 36 39 41 44 0 36 37
"""
HARD_ACTIONS = """
2 40 34 31 36 35 34 0 36 41 36 38 37 0 34 40 76 69 1 12 38 34 0 34 3 35 44 59 40 60
36 0 37 0 1 7 1 38 1 36 38 57 36 56 38 40
"""
MAXIMUM = Line(2, 334, tuple(map(int, MAXIMUM_ACTIONS.split())))
HARD = Line(1, 324, tuple(map(int, HARD_ACTIONS.split())))  # nobody gets 334 with this seed

pytestmark = pytest.mark.xdist_group("clever-bound")


@pytest.fixture(scope="module")
def game():
    return sw.game("clever", seats=1)


@pytest.fixture(scope="module")
def relaxation():
    return Relaxation()


@pytest.fixture(scope="module")
def beam(game):
    heads = {"value": Head(1, scale=300.0)}
    description = Description("clever", "standard", game.features, heads, (Dense(8), Relu()), judges="afterstates")
    return Beam(game, fresh(description, 1), 400)


def prospects(game, relaxation, line, steps):
    """What the guide promises at every state of a line, if the points of the line are wanted."""
    guide, out, found = relaxation.guide(game, line.seed, line.points - 1, steps), np.zeros(1), []
    position, actions = game.opening(line.seed), iter(line.actions)
    while not position.over:
        if position.actor_set == 0:
            position.roll()
        else:
            position.apply(next(actions))
        game.call(judge_prospects, position.state, 1, position.events, guide.profiles, guide.worth, guide.plan, out)
        found.append(float(out[0]))
    return found


def test_counting_allows_334_points_with_one_profile(relaxation):
    """Yellow rows 1 and 4 with the diagonal (30), all of blue (56), 9 cells of green (45), 6 of orange with one 5 (41),
    7 of purple (42), four foxes at 30. 41 marks = 24 picks + 10 bonuses + 5 times +1 + those of rounds 2 and 4."""
    best = relaxation.profiles(334)
    assert counting_bound() == 334 and len(best.most) == 1
    assert best.ways[0, 2:].tolist() == [9, 6, 7]
    assert best.most[0] == 30 + 56 + 45 + 41 + 42 + 4 * 30


def test_the_dice_of_a_seed_are_those_of_the_game(game, relaxation):
    relaxation.read(game, 7)
    position, dice = game.opening(7), relaxation.dice
    position.roll()
    assert position.state["dice"][0].tolist() == dice["dice"][0, 0].tolist()
    assert all(int(tray).bit_count() == 3 for tray in dice["trays"][0])


@pytest.mark.parametrize("line", [MAXIMUM, HARD], ids=["maximum", "hard"])
def test_lines_replay_to_their_points(game, line):
    assert replay(game, line) == line.points


def test_no_prices_bound_a_match_below_what_was_played(game, relaxation):
    """Any prices that are not negative prove a bound, good or bad."""
    profiles, generator = relaxation.profiles(HARD.points), np.random.default_rng(0)
    relaxation.read(game, HARD.seed)
    for spread in (0.0, 1.0, 4.0):
        prices = np.maximum(first_prices() + spread * generator.standard_normal(len(first_prices())), 0.0)
        assert relaxation.bounds(prices, profiles).max() >= HARD.points


def test_steps_against_the_surplus_lower_the_bound(game, relaxation):
    profiles = relaxation.profiles(331)
    relaxation.guide(game, 1, 330, 40)
    found = relaxation.bounds(relaxation.prices, profiles).max()
    assert found < relaxation.bounds(first_prices(), profiles).max() - 5


@pytest.mark.parametrize("line", [MAXIMUM, HARD], ids=["maximum", "hard"])
def test_the_guide_never_promises_less_than_a_line_gets(game, relaxation, line):
    assert min(prospects(game, relaxation, line, 100)) >= line.points - 1e-6


@pytest.mark.slow
def test_the_network_alone_finds_a_line(game, beam):
    line = beam.line(4)
    assert replay(game, line) == line.points <= counting_bound()


def test_a_search_that_is_complete_lowers_the_bound(game, relaxation, beam):
    """Whatever the network says: only the order within the beam depends on it."""
    assert beam.refute(HARD.seed, 333, relaxation)
    found = optimum(beam, relaxation, HARD.seed, Optimum(HARD, counting_bound()))
    assert replay(game, found.line) == found.line.points
    assert HARD.points <= found.line.points <= found.upper == 333


def test_what_can_be_reached_is_never_refuted(relaxation, beam):
    assert not beam.refute(MAXIMUM.seed, 333, relaxation)
    assert optimum(beam, relaxation, MAXIMUM.seed, Optimum(MAXIMUM, 334)).exact


def test_other_tables_and_networks_are_refused(beam):
    heads = {"value": Head(1)}
    table = sw.game("clever", seats=2)
    description = Description("clever", "standard", table.features, heads, (Dense(4),), judges="afterstates")
    with pytest.raises(Unfit, match="one seat"):
        Beam(table, fresh(description, 1), 10)
