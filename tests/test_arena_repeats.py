"""Matches that repeat others: they are counted, they are no evidence, and random first moves make them differ."""

import json
from collections.abc import Iterator

import msgspec
import numpy as np
import pytest

import spielwerk as sw
from spielwerk.arena.evaluate import Evaluation, evaluate
from spielwerk.arena.evaluate import so_far as evaluated_so_far
from spielwerk.arena.repeats import remark
from spielwerk.arena.statistics import share_summary, summary
from spielwerk.arena.store import Store
from spielwerk.arena.tournament import Tournament, tournament
from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel.loops import OPENING
from spielwerk.core.kernel.rng import below, spawn
from spielwerk.core.match import record_of
from spielwerk.core.running import run_many
from spielwerk.core.words import speaking
from test_cli import cli  # noqa: F401
from tiny_games import Claim, CompiledClaim, CompiledNim, Nim

SHORT, LONG = "expectimax:depth=1", "expectimax:depth=3"


@pytest.fixture
def nim() -> Iterator[str]:
    """Nim, as the command line knows it."""
    registry.register(CompiledNim)
    yield "nim"
    registry.unregister(CompiledNim)


# --- counting --------------------------------------------------------------------------------------------------------


def test_repeated_matches_are_counted_and_are_no_evidence():
    alone = evaluate(CompiledNim(), LONG, games=40)
    assert (alone.games, alone.distinct, alone.repeated) == (40, 1, 39)
    assert alone.ci95 is None
    against = evaluate(CompiledNim(), LONG, opponents=SHORT, games=41)
    assert (against.distinct, against.repeated) == (2, 39), "one match for each seat of the agent"
    assert against.ci95 is None and against.win_ci95 is None, "the odd match is no second group of evidence"
    assert against.win_share is not None


def test_matches_that_agree_by_chance_count():
    """Random agents on a small game play some matches twice; each was drawn anew."""
    found = evaluate(CompiledNim(), "random", opponents=SHORT, games=2000, seed=3)
    assert found.distinct < found.games
    assert found.repeated == 0
    low, high = found.win_ci95
    assert 0 < high - low < 0.06


def test_an_agent_against_itself_does_not_repeat():
    """It sits on both seats in turn, with the same seed."""
    for opening in (0, 4):
        found = evaluate(CompiledNim(), "random", opponents="random", games=20, opening=opening)
        assert (found.distinct, found.repeated) == (10, 0)
    assert evaluate(CompiledNim(), LONG, opponents=LONG, games=20).repeated == 18


def test_chance_makes_matches_distinct():
    found = evaluate("2048", SHORT, games=10)
    assert (found.distinct, found.repeated) == (10, 0)
    assert found.ci95 is not None


def test_a_tournament_counts_per_pairing():
    found = tournament(CompiledNim(), [SHORT, LONG, "random"], rounds=30, seed=1)
    assert found.matches == 180
    cells = {(cell.first, cell.second): cell for cell in found.cross_table}
    settled, open_ = cells[SHORT, LONG], cells[SHORT, "random"]
    assert (settled.matches, settled.distinct, settled.ci95, settled.win_ci95) == (60, 2, None, None)
    assert open_.distinct > 20 and open_.ci95 is not None
    assert found.repeated == 58
    assert found.distinct == sum(cells[pair].distinct for pair in cells if pair[0] < pair[1])
    assert all(row.ci95 is not None for row in found.standings), "everybody has met the random agent"
    assert tournament(CompiledNim(), [SHORT, LONG], rounds=30).standings[0].ci95 is None


def test_ratings_know_a_repeated_match_once():
    once, often = (tournament(CompiledNim(), [SHORT, LONG], rounds=rounds) for rounds in (1, 30))
    assert [row.rating_sd for row in often.standings] == [row.rating_sd for row in once.standings]


def test_copies_do_not_narrow_an_interval():
    values = [1.0, 3.0, 4.0, 7.0]
    assert summary(values * 5, independent=4).ci95 == pytest.approx(summary(values).ci95)
    groups, pairs = [0, 0, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3]
    assert summary(values * 2, pairs, independent=2).ci95 == pytest.approx(summary(values, groups).ci95)
    assert summary(values * 5, independent=1).ci95 is None
    assert share_summary([1.0] * 50, independent=10).ci95 == share_summary([1.0] * 10).ci95
    assert summary(values, independent=4) == summary(values)


def test_results_from_before_can_still_be_read():
    for found, kind in (
        (evaluate(Nim(), "random", games=2), Evaluation),
        (tournament(Nim(), ["random", SHORT], rounds=1), Tournament),
    ):
        data = msgspec.to_builtins(found)
        for name in ("opening", "distinct", "repeated"):
            del data[name]
        data.pop("matches", None)
        old = msgspec.convert(data, kind)
        assert (old.opening, old.distinct, old.repeated) == (0, None, None)
        assert remark(2, old.distinct, old.repeated, old.opening) is None


# --- random first moves ----------------------------------------------------------------------------------------------


def test_random_first_moves_make_matches_distinct():
    found = evaluate(CompiledNim(), LONG, opponents=SHORT, games=100, opening=4)
    assert found.opening == 4
    assert found.distinct > 60
    assert found.win_ci95 is not None
    few = evaluate(CompiledNim(), LONG, opponents=SHORT, games=400, opening=1)
    assert (few.distinct, few.repeated) == (18, 382), "nine first moves, two seats"
    as_if_once = evaluate(CompiledNim(), LONG, opponents=SHORT, games=40, opening=1)
    width, wide = (high - low for low, high in (few.win_ci95, as_if_once.win_ci95))
    assert width > 0.5 * wide, "the same nine openings again and again say no more"


@pytest.mark.parametrize("opening", [1, 3, 1000])
def test_compiled_and_python_matches_open_alike(opening):
    for game, agents in ((CompiledNim(), [SHORT, LONG]), (Nim(), ["random", "greedy"]), (Claim(), ["random"] * 3)):
        line_up = [sw.agent(spec) for spec in agents]
        fast = run_many(game, line_up, range(12), opening=opening)
        slow = run_many(game, line_up, range(12), Budget(), opening=opening)
        for one, other in zip(fast, slow, strict=True):
            assert one.log.tolist() == other.log.tolist()
            assert one.final.tobytes() == other.final.tobytes()
            assert one.scores == other.scores


def test_the_opening_is_the_same_whoever_plays():
    for game, per_moment in ((CompiledNim(), 1), (CompiledClaim(), 3)):
        line_ups = [[sw.agent("random")] * game.seats, [sw.agent("greedy")] * game.seats]
        first, second = (run_many(game, line_up, range(20), opening=2) for line_up in line_ups)
        for one, other in zip(first, second, strict=True):
            assert one.log[: 2 * per_moment].tolist() == other.log[: 2 * per_moment].tolist()
        assert len({tuple(match.log[: 2 * per_moment]) for match in first}) > 10


def test_the_opening_has_a_stream_of_its_own():
    [match] = run_many(Nim(), [sw.agent(SHORT)] * 2, [7], opening=2)
    position, rng = Nim().new(7), spawn(7, OPENING)
    with np.errstate(over="ignore"):
        for action in match.log[:2]:
            legal = position.legal(position.actors[0])
            assert action == legal[int(below(rng, len(legal)))]
            position.play(int(action))
    assert match.log[2] == sw.agent(SHORT).decide(position.view(position.actors[0]), Budget(), spawn(7, 1)).action


def test_a_match_that_ends_within_its_opening_counts(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        found = evaluate(CompiledNim(), SHORT, opponents=LONG, games=200, opening=1000, store=store)
        assert found.games == 200
        assert found.win_share == 0.5, "the same random match for both seats of the agent"
        registry.register(CompiledNim)
        try:
            assert sw.replay(store.record(found.run, 5))[-1].over
        finally:
            registry.unregister(CompiledNim)


def test_records_of_matches_with_openings_replay():
    for game in (Nim(), Claim()):
        agents = [sw.agent("greedy")] * game.seats
        [match] = run_many(game, agents, [3], opening=2)
        record = record_of(game, ["greedy"] * game.seats, 3, match.log)
        assert sw.replay(record, game)[-1].state.tobytes() == match.final.tobytes()


def test_workers_do_not_change_openings():
    def figures(found):
        return found.mean, found.ci95, found.win_ci95, found.distinct, found.repeated, found.histogram

    options = {"opponents": SHORT, "games": 30, "opening": 3, "seed": 2}
    assert figures(evaluate(CompiledNim(), LONG, **options)) == figures(
        evaluate(CompiledNim(), LONG, **options, workers=2)
    )
    spec = "mc:iterations=2,rollout_depth=3"
    alone = evaluate("2048", spec, games=4, opening=5)
    assert figures(evaluate("2048", spec, games=4, opening=5, workers=2, backend="processes")) == figures(alone)
    assert figures(evaluate("2048", spec, games=4)) != figures(alone)
    agents = [SHORT, LONG]
    assert tournament(CompiledNim(), agents, rounds=5, opening=3) == tournament(
        CompiledNim(), agents, rounds=5, opening=3, workers=2
    )


def test_another_opening_is_another_run(tmp_path, nim):
    with Store(tmp_path / "results.sqlite") as store:
        first = evaluate(nim, SHORT, games=6, opening=2, store=store)
        assert evaluate(nim, SHORT, games=6, opening=2, store=store, resume=True).run == first.run
        assert evaluate(nim, SHORT, games=6, opening=3, store=store, resume=True).run != first.run
        assert evaluate(nim, SHORT, games=6, store=store, resume=True).run not in (first.run, None)
        assert [run.config["opening"] for run in store.runs()] == [2, 3, 0]
        [run, *_] = store.runs()
        assert evaluated_so_far(store, run) == first
        old = run._replace(config={name: value for name, value in run.config.items() if name != "opening"})
        assert evaluated_so_far(store, old).opening == 0
        cup = tournament(nim, [SHORT, LONG], rounds=2, opening=2, store=store)
        assert tournament(nim, [SHORT, LONG], rounds=2, opening=1, store=store, resume=True).run != cup.run


# --- what people read ------------------------------------------------------------------------------------------------


def test_the_remark_names_the_remedy():
    assert remark(100, 100, 0, 0) is None
    assert remark(100, 2, 98, 0) == (
        "100 matches, only 2 different: where neither agents nor game are random, matches repeat; "
        "add --opening 4 for random first moves"
    )
    assert "--opening 6 " in remark(1500, 20, 1480, 3)
    assert "--opening 1000 " in remark(1500, 20, 1480, 900)
    with speaking("de"):
        assert remark(1500, 20, 1480, 3).startswith("1.500 Partien, nur 20 verschiedene")


def test_the_command_line_says_that_matches_repeat(cli, nim):  # noqa: F811
    code, out, err = cli("evaluate", nim, LONG, "--opponents", SHORT, "--games", "10")
    assert code == 0
    assert "10 matches (2 different)" in out
    assert "10 matches, only 2 different: where neither agents nor game are random, matches repeat; " in err
    code, out, err = cli("evaluate", nim, LONG, "--opponents", SHORT, "--games", "10", "--opening", "4", "--json")
    assert json.loads(out)["distinct"] > 5 and json.loads(out)["opening"] == 4
    code, out, err = cli("tournament", nim, SHORT, LONG, "--rounds", "3", "--json")
    assert json.loads(out)["distinct"] == 2
    assert "6 matches, only 2 different" in err
    code, out, err = cli("tournament", nim, SHORT, LONG, "--rounds", "3", "--opening", "3")
    assert code == 0 and "only 2 different" not in err


@pytest.mark.parametrize("opening", ["-1", "1001"])
@pytest.mark.parametrize("command", [["evaluate", "nim", SHORT], ["tournament", "nim", SHORT, LONG]])
def test_impossible_openings_are_refused_in_one_line(cli, nim, command, opening):  # noqa: F811
    code, out, err = cli(*command, "--opening", opening)
    assert code == 2 and out == ""
    assert (
        len(err.strip().splitlines()) == 1 and opening in err and ("take 0 to 1000" in err or "take at least 0" in err)
    )


def test_impossible_openings_are_refused_before_anything_is_kept(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        for opening in (-1, 1001):
            with pytest.raises(SpielwerkError, match="take 0 to 1000"):
                evaluate(Nim(), "random", opening=opening, store=store)
            with pytest.raises(SpielwerkError, match="take 0 to 1000"):
                tournament(Nim(), ["random", SHORT], opening=opening, store=store)
        assert store.runs() == []
