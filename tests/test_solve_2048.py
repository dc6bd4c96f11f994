"""Small boards of 2048, solved: the oracle for rules, search and learning."""

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import kernel, specialise
from spielwerk.games.twenty48.solve import played, solve, solved
from spielwerk.learn import run as runs
from spielwerk.search import ntuple_model as models
from spielwerk.search.kernel.ntuple import value


def quiet(done, line):
    pass


def recursive_value(tiles):
    """Best play on 2x2 by the definition, with lists, to check the solver against."""
    key = tuple(tiles)
    if key in known:
        return known[key]
    best = 0.0
    for lines in (((0, 1), (2, 3)), ((1, 0), (3, 2)), ((0, 2), (1, 3)), ((2, 0), (3, 1))):
        moved, points = list(tiles), 0
        for near, far in lines:
            a, b = moved[near], moved[far]
            if a == 0:
                a, b = b, 0
            elif a == b:
                a, b, points = a + 1, 0, points + 2 ** (a + 1)
            moved[near], moved[far] = a, b
        if moved != list(tiles):
            best = max(best, points + recursive_expectation(moved))
    known[key] = best
    return best


def recursive_expectation(tiles):
    total, empty = 0.0, [cell for cell in range(4) if tiles[cell] == 0]
    for cell in empty:
        for power, chance in ((1, 0.9), (2, 0.1)):
            after = list(tiles)
            after[cell] = power
            total += chance * recursive_value(after) / len(empty)
    return total


known = {}


def test_two_by_two_agrees_with_the_definition():
    start = np.mean(
        [
            recursive_expectation([power if cell == place else 0 for cell in range(4)])
            for place in range(4)
            for power in [1] * 9 + [2]
        ]
    )
    assert solved(sw.game("2048", variant="2x2")).start == pytest.approx(start, abs=1e-9)
    assert solve(sw.game("2048", variant="2x2"), None, quiet)["expected points from the start"] == pytest.approx(
        66.964149
    )


def test_two_by_three_has_its_known_value():
    found = solve(sw.game("2048", variant="2x3"), None, quiet)
    assert found["boards that can occur"] == 85844
    assert found["expected points from the start"] == pytest.approx(480.258272)


@pytest.mark.parametrize("seed", range(6))
def test_expectimax_to_the_end_finds_the_exact_values(seed):
    game = sw.game("2048", variant="2x2")
    position = game.new(seed)
    agent = sw.agent("expectimax:depth=60")  # longer than any match on this board
    exact = solved(game)
    while not position.over:
        decision = agent.decide(position.view(0), sw.Budget(), spawn(seed))
        if len(position.legal(0)) > 1:
            so_far = position.score[0]
            assert max(decision.values) - so_far == pytest.approx(
                exact.value(int(position.state["board"][0])), abs=1e-6
            )
        position.play(decision.action)


def test_a_board_is_answered_move_by_move():
    found = solve(sw.game("2048", variant="2x2"), "2 4/8 .", quiet)
    assert found["down"] == found["expected points to come"] > found["right"]


def test_large_boards_and_impossible_boards_are_refused():
    with pytest.raises(SpielwerkError, match="2x3"):
        solve(sw.game("2048"), None, quiet)
    with pytest.raises(SpielwerkError, match="cannot occur"):
        solve(sw.game("2048", variant="2x2"), "2048 2048/2048 2048", quiet)
    with pytest.raises(SpielwerkError, match="cannot occur"):
        solve(sw.game("2048", variant="2x2"), "65536 ./2 4", quiet)  # more than a cell of the solver's boards holds


@kernel
def values_of(states, network, integers, out):
    for i in range(states.shape[0]):
        out[i] = value(states[i], network, integers)


def judge_of(game, weights, layout):
    """What a network says of boards on which a new tile is to come."""
    network = models.network(game.grid, layout, weights)
    judge_all = specialise(values_of, game, **models.functions(game.grid))

    def judge(boards):
        states, out = game.states(len(boards)), np.zeros(len(boards))
        states[:] = game.opening().state[0]
        states["board"] = boards
        judge_all(states, network, np.zeros(1024, np.int64), out)
        return out

    return judge


@pytest.mark.parametrize("variant", ["2x2", "2x3"])
def test_who_knows_the_exact_values_plays_best(variant):
    game = sw.game("2048", variant=variant)
    exact = solved(game)
    found = played(game, lambda boards: np.array([exact.worth(int(board)) for board in boards]))
    assert found == pytest.approx((exact.start, exact.start))
    nobody = played(game, lambda boards: np.zeros(len(boards)))
    assert nobody.believed < nobody.actual < 0.8 * exact.start


@pytest.mark.parametrize(("variant", "matches"), [("2x2", 30_000), ("2x3", 200_000)])
def test_learning_converges_to_the_exact_value(variant, matches, tmp_path):
    """One tuple sees the whole board, so the table can hold the exact values; evaluated exactly, without matches."""
    game = sw.game("2048", variant=variant)
    run = runs.train(game, runs.learner(f"ntuple:matches={matches}", "small"), tmp_path / "run", seed=5)
    model = models.load(str(run.path), game)
    found = played(game, judge_of(game, model.weights, model.layout))
    exact = solved(game).start
    assert 0.99 * exact < found.actual <= exact + 1e-6  # nobody beats best play
    assert found.believed == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("variant", ["2x2", "2x3"])
def test_the_shipped_models_of_solved_boards_know_their_value(variant):
    game = sw.game("2048", variant=variant)
    model = models.load(None, game)
    found = played(game, judge_of(game, model.weights, model.layout))
    assert found == pytest.approx((solved(game).start,) * 2, rel=0.005)
