"""The players of Janetzki's family, their tie order, the end-game rules, and the network player."""

import numpy as np
import pytest

from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.running import run
from spielwerk.games.qwixx.players.polynomial import ALPHAQWIXX, CAIRA, Gap, parse, quality, situation, written
from test_qwixx_rules import put, roll, table


def choice(position, seat, agent="alphaqwixx"):
    decision = registry.agent(agent).decide(position.view(seat), Budget(), spawn(0, seat))
    return position.game.spec.moves[decision.action]


def test_worked_example_of_figure_10():
    """Quality of crossing a 5 in yellow, red, blue and green: 2.25 (printed as 2.3), 1.5, 0 and -1.5."""
    start = [1, 2, 1, 3, 1, 12, 2, 10, 0]
    after = {"yellow": (2, 1, 5), "red": (0, 1, 5), "blue": (6, 2, 5), "green": (4, 1, 5)}
    found = {}
    for colour, (place, count, limit) in after.items():
        numbers = list(start)
        numbers[place], numbers[place + 1] = count + 1, limit
        found[colour] = quality(ALPHAQWIXX, numbers)
    assert found == pytest.approx({"yellow": 2.25, "red": 1.5, "blue": 0.0, "green": -1.5})
    position = roll(table(a1="red 2, yellow 3, green 12, blue 12 10"), (2, 3))
    assert situation(position.view(1), 1) == start
    assert choice(position, 1) == "yellow 5"


def test_worked_example_of_formula_4():
    """The study prints 6: it adds 3 for the limit of red, whose term is 1 * 2."""
    strategy = np.array([[0.0, 0.0, -1.0, 0.0], [2.0, 1.0, -1.0, -5.0], [1.0, 0.0, 0.0, 0.0]])
    assert quality(strategy, [1, 2, 2, 5, 1, 12, 2, 10, 0]) == 5.0


def test_alphaqwixx_passive_crosses_exactly_when_at_most_one_number_is_skipped():
    for rightmost, crosses in ((5, True), (6, True), (4, False), (3, False)):
        position = roll(table(a1=f"red {rightmost}, yellow 12, green 2, blue 2"), (3, 4))
        assert (choice(position, 1) == "red 7") is crosses, rightmost


def test_alphaqwixx_takes_the_smallest_skip_and_the_first_row_among_equals():
    assert choice(roll(table(a1="red 4, yellow 6, green 8, blue 9"), (3, 4)), 1) == "yellow 7"
    assert choice(roll(table(a1="red 6, yellow 6, green 8, blue 8"), (3, 4)), 1) == "red 7"
    assert choice(roll(table(a1="red 4, yellow 4, green 8, blue 8"), (3, 4)), 1) == "green 7"


def test_alphaqwixx_active_accepts_six_skipped_numbers_before_a_misthrow():
    dead = "red 2, yellow 12, green 2, blue 2"
    six = roll(table(a0=dead), (4, 5), red=5)  # white red 9 skips six; coloured red 9 and 10
    assert choice(six, 0) == "red 9"
    seven = roll(table(a0=dead), (5, 5), red=5)  # white and coloured red 10 skip seven
    assert choice(seven, 0) == "pass"
    seven.apply({0: "pass", 1: "pass"})
    assert choice(seven, 0) == "pass"


def test_alphaqwixx_adds_a_second_cross_only_if_it_skips_nothing():
    dead = ", yellow 12, green 2, blue 2"
    position = roll(table(a0="red 4" + dead), (2, 3), red=4)  # white red 5, then red 6 or 7
    assert choice(position, 0) == "red 5"
    position.apply({0: "red 5", 1: "pass"})
    assert choice(position, 0) == "red 6"
    skipping = roll(table(a0="red 4" + dead), (2, 3), red=5)  # then red 7 or 8
    skipping.apply({0: "red 5", 1: "pass"})
    assert choice(skipping, 0) == "pass"


def test_alphaqwixx_passive_lock_from_nine_but_not_from_eight():
    dead = ", yellow 11, green 3, blue 3"
    nine = roll(table(a1="red 2 3 4 5 9" + dead), (6, 6))
    assert choice(nine, 1) == "red 12"
    eight = roll(table(a1="red 2 3 4 5 8" + dead), (6, 6))
    assert choice(eight, 1) == "pass"


def test_alphaqwixx_scaled_is_the_same_player():
    game = registry.game("qwixx", 2, "study")
    scaled = registry.agent("polynomial:strategy=0 0 -6 0 / 1 -0.5 0.5 -2.5")
    alpha = registry.agent("alphaqwixx")
    for seed in range(30):
        assert run(game, [alpha, alpha], seed).scores == run(game, [scaled, scaled], seed).scores


def test_caira_takes_the_most_points():
    assert quality(CAIRA, [12, 13, 0, 1, 0, 13, 0, 13, 1]) == 78 - 5
    position = roll(table(a1="red 2 3, yellow 2"), (4, 5))
    assert choice(position, 1, "caira") == "red 9"


def test_gap_skips_at_most_k():
    dead = "yellow 12, green 2, blue 2"
    for k in range(4):
        for skipped in range(5):
            position = roll(table(a1=f"red {6 - skipped}, {dead}"), (3, 4))
            crosses = choice(position, 1, f"gap:k={k}") == "red 7"
            assert crosses is (skipped <= k), (k, skipped)
    assert Gap(2).coefficients().shape == (2, 4)


def test_endgame_rules_take_a_first_lock():
    position = roll(table(a1="red 2 3 4 5 6, yellow 11"), (6, 6))
    assert choice(position, 1) != "red 12"
    assert choice(position, 1, "alphaqwixx:endgame=true") == "red 12"


def test_endgame_rules_end_the_match_only_when_strictly_ahead():
    for lead, locks in ((True, True), (False, False)):
        position = table(a1="red 2 3 4 5 9")
        position.state["closed"] = 8  # blue is closed already
        if not lead:
            put(position, 0, "yellow 2 3 4 5 6 7 8, green 12 11 10 9 8 7")
        roll(position, (6, 6))
        assert (choice(position, 1, "gap:k=6,endgame=true") == "red 12") is locks


def test_endgame_rules_avoid_a_losing_fourth_misthrow():
    position = roll(table(a0="red 2, yellow 12, green 2, blue 2, misthrows 3", a1="red 2 3 4 5"), (5, 5), red=5)
    assert choice(position, 0) == "pass"  # and so again in the coloured action: the match would be over and lost
    assert choice(position, 0, "alphaqwixx:endgame=true") == "red 10"


def test_strategies_are_read_and_written():
    assert parse(written(ALPHAQWIXX)) == pytest.approx(ALPHAQWIXX)
    with pytest.raises(SpielwerkError, match="groups of four"):
        parse("1 2 3")
    with pytest.raises(SpielwerkError, match="no number"):
        parse("a b c d / 1 2 3 4")
    with pytest.raises(Unfit, match="Qwixx"):
        run(registry.game("2048"), [registry.agent("alphaqwixx")], 0)


def test_every_degree_plays():
    game = registry.game("qwixx", 2, "study")
    quadratic = registry.agent("polynomial:strategy=0 0 0 0 / 0.5 -0.5 0.5 -5 / 0.5 0 0 0")
    cubic = registry.agent("polynomial:strategy=0 0 0 0 / 0.5 -0.5 0.5 -5 / 0.5 0 0 0 / 0 0 0 0")
    assert run(game, [quadratic, quadratic], 1).scores == run(game, [cubic, cubic], 1).scores


def test_alphaqwixx_mean_at_two_seats():
    """Published for the study's engine: 79.4; the tolerance is four standard errors of 2000 matches."""
    game = registry.game("qwixx", 2, "study")
    alpha = registry.agent("alphaqwixx")
    scores = [np.mean(run(game, [alpha, alpha], seed).scores) for seed in range(2000)]
    assert np.mean(scores) == pytest.approx(79.4, abs=4 * np.std(scores) / 2000**0.5)
