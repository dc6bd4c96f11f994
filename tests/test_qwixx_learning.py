"""The evolutionary trainer, TD learning of the network player, and the exact solver."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.running import run
from spielwerk.core.words import speaking
from spielwerk.games.qwixx import solve
from spielwerk.games.qwixx.kernel import solve as kernel_solve
from spielwerk.games.qwixx.learn.evolve import Evolve, Points, champion_of, generations_of
from spielwerk.games.qwixx.learn.evolvetune import EvolveTune
from spielwerk.games.qwixx.learn.pairtd import PairTd
from spielwerk.games.qwixx.players.pairvalue import ahead_of_all, chances_to_win
from spielwerk.games.qwixx.players.polynomial import ALPHAQWIXX
from spielwerk.learn import run as runs
from spielwerk.learn.run import RunFolder

STUDY = registry.game("qwixx", 3, "study")
SMALL = Evolve(population=20, group=3, generations=12, rounds=3)


# --- evolve ----------------------------------------------------------------------------------------------------------


def test_evolution_is_the_same_for_any_number_of_threads(tmp_path):
    one = runs.train(STUDY, SMALL, tmp_path / "one", seed=3)
    two = runs.train(STUDY, SMALL, tmp_path / "two", seed=3, threads=2)
    assert generations_of(one) == generations_of(two)
    assert (champion_of(one) == champion_of(two)).all()


def killed(at):
    """A report that stops a run the hard way once the share `at` is done."""

    def report(done, line):
        if done >= at:
            raise KeyboardInterrupt

    return report


def test_killed_evolution_goes_on_as_if_nothing_had_happened(tmp_path):
    whole = runs.train(STUDY, SMALL, tmp_path / "whole", seed=4)
    with pytest.raises(KeyboardInterrupt):
        runs.train(STUDY, SMALL, tmp_path / "halted", seed=4, report=killed(11 / 12))
    halted = RunFolder(tmp_path / "halted")
    with np.load(halted.checkpoint / "population.npz") as stored:
        assert int(stored["done"]) == 10
    runs.resume(halted.path)
    assert generations_of(halted) == generations_of(whole)
    assert (champion_of(halted) == champion_of(whole)).all()
    assert (whole.path / "curve.png").exists()


def test_ranking_puts_players_with_high_variance_into_the_middle():
    """Figure 5: 80 steady players, 70 survivors, so 50 at the top and 20 in the middle."""
    evolve = Evolve(population=100, group=2, steady_share=0.8, survivors=0.7, children=0.84)
    rng = np.random.default_rng(0)
    means, spread = rng.permutation(100).astype(float), np.where(np.arange(100) < 20, 50.0, 1.0)
    groups = np.tile(np.arange(100).reshape(50, 2), (2, 1))
    scores = np.concatenate([(means + spread)[groups[:50]], (means - spread)[groups[:50]]])
    ranking = evolve.ranked(Points(100, groups, scores))
    assert len(ranking.top) == 50 and sorted(ranking.middle) == list(range(20))
    assert list(means[ranking.top]) == sorted(means[20:], reverse=True)[:50]


def test_children_are_the_mean_of_neighbours_in_the_ranking_and_strangers_fill_up():
    evolve = Evolve(population=100, group=2, steady_share=0.8, survivors=0.7, children=0.84, mutation_rate=0.0)
    people = np.random.default_rng(1).uniform(-10, 10, (100, 2, 4))
    groups = np.tile(np.arange(100).reshape(50, 2), (2, 1))
    scores = np.arange(100.0)[groups] + np.repeat([0.0, 1.0], 50)[:, None]
    ranking = evolve.ranked(Points(100, groups, scores))
    following, fresh = evolve.next_generation(people, ranking, 0, 0)
    assert fresh == 25 and len(following) == 100
    first, second = ranking.top[:2]
    assert following[70] == pytest.approx((people[first] + people[second]) / 2)
    assert not (following[95:, None] == people[None]).all(axis=(2, 3)).any()


def test_mutation_changes_about_its_share_of_the_coefficients():
    evolve = Evolve(population=200, group=2, survivors=1.0, steady_share=1.0, mutation_rate=0.05)
    people = np.full((200, 2, 4), 100.0)
    groups = np.arange(200).reshape(100, 2)
    ranking = evolve.ranked(Points(200, groups, np.zeros((100, 2))))
    following, _ = evolve.next_generation(people, ranking, 0, 0)
    share = (following != 100.0).mean()
    assert 0.03 < share < 0.07


def test_run_a_changes_nobody(tmp_path):
    """All copies of AlphaQwixx, nobody dies, nobody mutates."""
    evolve = Evolve(
        population=12, group=3, generations=3, rounds=2, survivors=1.0, mutation_rate=0.0, start="alphaqwixx"
    )
    folder = runs.train(STUDY, evolve, tmp_path / "a")
    assert [row["strategies"] for row in generations_of(folder)] == [1, 1, 1]
    assert champion_of(folder) == pytest.approx(ALPHAQWIXX)


def test_population_can_be_loaded_and_must_fit(tmp_path):
    first = runs.train(STUDY, SMALL, tmp_path / "first")
    again = Evolve(population=10, group=3, generations=1, rounds=1, start=str(first.path))
    assert len(generations_of(runs.train(STUDY, again, tmp_path / "again"))) == 1
    wrong = Evolve(population=10, group=3, generations=1, degree=2, start=str(first.path))
    with pytest.raises(SpielwerkError, match="degree"):
        runs.train(STUDY, wrong, tmp_path / "wrong")


def test_evolution_beats_random_players_quickly(tmp_path):
    evolve = Evolve(population=60, group=3, generations=40, rounds=6, own_copies=True)
    rows = generations_of(runs.train(STUDY, evolve, tmp_path / "run"))
    assert rows[0]["mean"] < 10
    assert np.mean([row["mean"] for row in rows[-10:]]) > 40


def test_wins_as_fitness(tmp_path):
    evolve = Evolve(population=30, group=3, generations=15, rounds=6, fitness="wins")
    assert runs.train(STUDY, evolve, tmp_path / "run").checkpoint is not None
    with pytest.raises(SpielwerkError, match="own copies"):
        Evolve(own_copies=True, fitness="wins")


def test_impossible_settings_are_refused():
    with pytest.raises(SpielwerkError, match=r"survivors goes from 0 to 1, not 1\.5"):
        Evolve(survivors=1.5)
    with pytest.raises(SpielwerkError, match="group goes from 2 to 5, not 6"):
        Evolve(group=6)


def test_the_trainers_own_parameters_are_halved_down_to_one(tmp_path):
    tune = EvolveTune(settings=4, generations=2, seeds=1, population=12, rounds=2)
    folder = runs.train(STUDY, tune, tmp_path / "tune")
    rows = folder.rows()
    assert [sum(row["stage"] == stage for row in rows) for stage in (0, 1)] == [4, 2]
    scores = run(STUDY, [registry.agent(tune.agent(folder))] * 3, 1).scores
    assert len(scores) == 3


# --- the network player ----------------------------------------------------------------------------------------------


def test_td_learning_is_reproducible_and_can_be_resumed(tmp_path):
    game = registry.game("qwixx", 2)
    learner = PairTd(matches=400, warm_up=200, checkpoint_every=200, test_matches=2)
    whole = runs.train(game, learner, tmp_path / "whole", seed=1)
    with pytest.raises(KeyboardInterrupt):
        runs.train(game, learner, tmp_path / "halted", seed=1, report=killed(1.0))
    halted = RunFolder(tmp_path / "halted")
    with np.load(halted.checkpoint / "training.npz") as stored:
        assert int(stored["done"]) == 200
    runs.resume(halted.path)
    with np.load(whole.checkpoint / "training.npz") as a, np.load(halted.checkpoint / "training.npz") as b:
        assert int(a["done"]) == int(b["done"]) == 400
        assert (a["net_embed"] == b["net_embed"]).all()
        assert np.isfinite(a["net_embed"]).all()


def test_shipped_network_beats_alphaqwixx():
    game = registry.game("qwixx", 2)
    agents = [registry.agent("pairvalue"), registry.agent("alphaqwixx")]
    won = 0.0
    for number in range(600):
        seat = number % 2
        scores = run(game, agents if seat == 0 else agents[::-1], 10_000 + number // 2).scores
        won += 0.5 + 0.5 * np.sign(scores[seat] - scores[1 - seat])
    assert won / 600 > 0.6


def test_network_ends_a_won_match_and_not_a_lost_one():
    from test_qwixx_rules import put, roll, table

    for ahead in (True, False):
        position = table(a1="red 2 3 4 5 6 7 8 9 10")
        position.state["closed"] = 8
        if not ahead:
            put(position, 0, "yellow 2 3 4 5 6 7 8 9, green 12 11 10 9 8 7 6 5 4")
        roll(position, (6, 6))
        decision = registry.agent("pairvalue").decide(position.view(1), Budget(), spawn(0))
        assert (position.game.spec.moves[decision.action] == "red 12") is ahead


def test_chances_against_each_make_a_chance_against_all():
    """By Thurstone's model: with everybody's points spread alike, the chances of all seats add up to one."""
    expected = np.array([0.0, 0.7, -0.4, 1.5])
    against = [
        [NormalDist().cdf((own - other) / math.sqrt(2)) for j, other in enumerate(expected) if j != i]
        for i, own in enumerate(expected)
    ]
    chances = [ahead_of_all(each) for each in against]
    points = expected + np.random.default_rng(1).normal(size=(200_000, 4))
    assert np.allclose(chances, np.bincount(points.argmax(axis=1)) / 200_000, atol=0.005)
    assert sum(chances) == pytest.approx(1)
    assert ahead_of_all([0.8]) == pytest.approx(0.8) and ahead_of_all([0.5] * 3) == pytest.approx(0.25)
    for each, chance in zip(against, chances, strict=True):
        product = math.prod(each)
        less, same, more = chances_to_win([0.5 * product, product, 1.2 * product], each)
        assert less < same < more <= 1 and same == pytest.approx(chance)
    assert chances_to_win([-0.1, 0.0, 1.0], [0.5, 0.6]) == pytest.approx([0, 0, 1], abs=1e-3)


def test_what_the_network_player_says_of_four_equals_adds_up():
    position = registry.game("qwixx", 4).new(3)
    decisions = [registry.agent("pairvalue").decide(position.view(seat), Budget(), spawn(0)) for seat in range(4)]
    assert all(decision.unit == "win" for decision in decisions)
    assert 0.8 < sum(max(decision.values) for decision in decisions) < 1.3
    assert all(0 <= value <= 1 for decision in decisions for value in decision.values)


@pytest.mark.slow
def test_search_over_the_network_is_deterministic_and_legal():
    game = registry.game("qwixx", 3)
    agent = registry.agent("pairvalue:samples=4,turns=1")
    first = run(game, [agent] * 3, 5)
    assert first.scores == run(game, [agent] * 3, 5).scores


def test_network_player_says_where_it_cannot_play(tmp_path):
    with pytest.raises(Unfit, match="somebody"):
        run(registry.game("qwixx", 1), [registry.agent("pairvalue")], 0)
    with pytest.raises(SpielwerkError, match=r"no pairvalue model.*pairtd"):
        run(registry.game("qwixx", 2), [registry.agent(f"pairvalue:net={tmp_path / 'none.npz'}")] * 2, 0)


# --- the solver ------------------------------------------------------------------------------------------------------


def test_row_states_of_the_solver():
    states = {(kernel_solve.reach_of(row), kernel_solve.count_of(row)) for row in range(kernel_solve.CLOSED)}
    assert states == {(0, 0)} | {(reach, count) for reach in range(1, 11) for count in range(1, reach + 1)}
    assert kernel_solve.TABLE * kernel_solve.PENALTIES == 5_468_124


def test_mean_of_the_best_of_four_dice_agrees_with_counting():
    rng = np.random.default_rng(0)
    best = rng.normal(size=(13, 4, 11, 4))
    rows, floor = np.array([0, 3, kernel_solve.CLOSED, 7]), 0.2
    found = kernel_solve.mean_of_best(rows, best, 7, 3, 1, floor, np.zeros(32), np.zeros(32, int))

    def worth(row, die):
        positions = [n - 2 if row < 2 else 12 - n for n in (3 + die, 4 + die)]
        return max(best[7, row, position, 1] for position in positions)

    total = 0.0
    for a in range(1, 7):
        for b in range(1, 7):
            for c in range(1, 7):
                total += max(floor, worth(0, a), worth(1, b), worth(3, c))
    assert found == pytest.approx(total / 216)


def test_sheets_are_read_and_impossible_ones_refused():
    rows, counts, misthrows = solve.read_sheet("red 2 3 4 5 6 12, blue 12, misthrows 2")
    assert rows[0] == kernel_solve.CLOSED and counts == [7, 0, 0, 1] and misthrows == 2
    with pytest.raises(SpielwerkError, match="red 2"):
        solve.read_sheet("red 3 2")
    with pytest.raises(SpielwerkError, match="cannot read"):
        solve.read_sheet("purple 3")


def test_only_the_plain_sheet_can_be_solved():
    with pytest.raises(SpielwerkError, match="pad"):
        solve.solve(registry.game("qwixx", 1, "striped"), None, lambda done, line: None)


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "optimum"), [("official", 115.483), ("late-end", 115.911)])
def test_exact_optimum_alone(variant, optimum):
    found = solve.solve(registry.game("qwixx", 1, variant), None, lambda done, line: None)
    assert round(float(found["expected total"]), 3) == optimum


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "optimum"), [("official", 115.483), ("late-end", 115.911)])
def test_perfect_player_scores_what_the_solver_says(variant, optimum):
    """The oracle of the rules: solver and engine are written independently and must agree."""
    game = registry.game("qwixx", 1, variant)
    perfect = registry.agent("solved")
    scores = [run(game, [perfect], seed).scores[0] for seed in range(20_000)]
    assert np.mean(scores) == pytest.approx(optimum, abs=4 * np.std(scores) / 20_000**0.5)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pairtd:decay=0.7,rate=0.02,last_rate=0.01,start=DIR,check=5,test=4", PairTd(
            trace_decay=0.7, alpha=0.02, final_alpha=0.01, warm_start="DIR", checkpoint_every=5, test_matches=4
        )),
        ("pairtd:own_share=0.5,pair_share=0.4", PairTd(network_share=0.5, two_seat_share=0.4)),
        ("evolve:least_variance=0.9,mutation=0.1,dice=3", Evolve(steady_share=0.9, mutation_rate=0.1, dice_seed=3)),
        ("evolvetune:judge=wins", EvolveTune(fitness="wins")),
    ],
)  # fmt: skip
def test_a_run_of_an_older_version_is_read_by_the_new_names(old, new, tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.create({"game": "qwixx", "seats": 2, "variant": "official", "seed": 0, "learner": old})
    assert folder.learner() == new
    with pytest.raises(SpielwerkError, match="is now called"):
        runs.learner(old)


def test_learners_speak_the_reader_s_language():
    with speaking("de"), pytest.raises(SpielwerkError, match="group geht von 2 bis 5, nicht 9"):
        runs.learner("evolve:group=9")
    with speaking("de"):
        assert PairTd().why_not(registry.game("2048")) == "Es vergleicht Qwixx-Zettel"
