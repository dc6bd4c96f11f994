"""Ganz schön clever alone: the counting bound, and the optimum of a player who knows all dice to come."""

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.games.clever.bound import Relaxation, counting_bound, first_prices
from spielwerk.games.clever.clairvoyant import Beam, Line, optimum, replay
from spielwerk.games.clever.kernel.guide import judge_prospects
from spielwerk.nets.description import Dense, Description, Head, Relu
from spielwerk.nets.network import fresh

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
    return Beam(game, fresh(description, 1), 12)


def random_line(game, seed):
    position, rng, actions = game.new(seed), np.random.default_rng(seed), []
    while not position.over:
        actions.append(int(rng.choice(position.legal(0))))
        position.play(actions[-1])
    return Line(seed, int(position.score[0]), tuple(actions))


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


def test_no_prices_bound_a_profile_below_what_was_played(game, relaxation, beam):
    """Any prices that are not negative prove a bound, good or bad."""
    line = beam.line(3)
    profiles, generator = relaxation.profiles(280), np.random.default_rng(0)
    relaxation.read(game, 3)
    for spread in (0.0, 1.0, 4.0):
        prices = np.maximum(first_prices() + spread * generator.standard_normal(len(first_prices())), 0.0)
        assert relaxation.bounds(prices, profiles).max() >= line.points


def test_steps_against_the_surplus_lower_the_bound(game, relaxation):
    profiles = relaxation.profiles(331)
    relaxation.guide(game, 1, 330, 40)
    found = relaxation.bounds(relaxation.prices, profiles).max()
    assert found < relaxation.bounds(first_prices(), profiles).max() - 5


def test_the_guide_never_promises_less_than_a_line_gets(game, relaxation, beam):
    line = beam.line(0)
    assert line.points > 200
    assert min(prospects(game, relaxation, line, 30)) >= line.points - 1e-6


def test_lines_replay_and_lie_between_the_bounds(game, relaxation, beam):
    for seed in (0, 1):
        first = beam.line(seed)
        found = optimum(beam, relaxation, seed)
        assert replay(game, found.line) == found.line.points >= first.points > random_line(game, seed).points
        assert found.line.points <= found.upper <= counting_bound()


def test_what_is_known_is_not_lost(game, relaxation, beam):
    known = optimum(beam, relaxation, 2)
    again = optimum(beam, relaxation, 2, known)
    assert again.line.points >= known.line.points and again.upper <= known.upper
