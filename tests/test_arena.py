"""Evaluation, certainty, tournament, store, tuning: figures, determinism, killed runs."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.arena.bench import bench
from spielwerk.arena.certainty import certainty, normalised
from spielwerk.arena.evaluate import evaluate
from spielwerk.arena.rating import rate
from spielwerk.arena.statistics import half_width, share_summary, summary, win_shares
from spielwerk.arena.store import Store
from spielwerk.arena.tournament import line_ups, schedule, tournament
from spielwerk.arena.workers import Pace, Task, _batches, match_seed
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.linker import specialise
from spielwerk.core.running import run_many
from spielwerk.games.twenty48.kernel.bench import monte_carlo_by_hand
from spielwerk.learn import cmaes
from spielwerk.learn import run as runs
from tiny_games import Claim, Whisper


def test_summary_by_hand():
    figures = summary([1.0, 2.0, 3.0, 4.0])
    assert figures.mean == 2.5
    assert figures.sd == pytest.approx(1.2909944)
    assert figures.ci95 == pytest.approx((2.5 - 2.05426, 2.5 + 2.05426), abs=1e-4)  # t(3, 0.975) = 3.18245
    assert figures.median == 2.5
    assert (figures.min, figures.max) == (1.0, 4.0)
    assert half_width(1.0, 1) == float("inf")
    assert summary([1.0]).ci95 is None


def test_values_of_one_group_count_as_one():
    pairs = [1.0, 2.0, 3.0, 4.0, 8.0, 6.0]
    grouped, means = summary(pairs, [7, 7, 8, 8, 9, 9]), summary([1.5, 3.5, 7.0])
    assert (grouped.mean, grouped.size) == (means.mean, 6)
    assert grouped.ci95 == pytest.approx(means.ci95)
    assert summary(pairs, range(6)) == summary(pairs)
    assert summary(pairs, [1] * 6).ci95 is None, "all of one match: nothing is known about another"
    copies = summary([1.0, 1.0, 3.0, 3.0, 4.0, 4.0], [0, 0, 1, 1, 2, 2])
    assert copies.ci95 == pytest.approx(summary([1.0, 3.0, 4.0]).ci95), "a copy adds no knowledge"


def test_shares_stay_between_nothing_and_all():
    assert share_summary([0.0, 1.0, 1.0]).ci95 == (0.0, 1.0)
    assert share_summary([0.5]).ci95 is None
    assert share_summary([1.0] * 10).ci95 == pytest.approx((0.7225, 1.0), abs=1e-4)  # Wilson, 10 of 10
    assert share_summary([0.0] * 10, [n // 2 for n in range(10)]).ci95 == pytest.approx((0.0, 0.4345), abs=1e-4)
    close = [0.4, 0.5, 0.6, 0.5]
    assert share_summary(close) == summary(close)


def test_wins_are_shared_between_teams():
    assert win_shares([5, 3, 5], [0, 1, 2]) == [0.5, 0.0, 0.5]
    assert win_shares([9, 2, 9, 2], [0, 1, 0, 1]) == [1.0, 0.0, 1.0, 0.0]
    assert win_shares([4, 4, 4, 4], [0, 1, 0, 1]) == [0.5, 0.5, 0.5, 0.5]


def test_random_play_of_2048_has_the_known_mean():
    found = evaluate("2048", "random", games=3000, seed=5)
    assert found.ci95[0] < 1092 < found.ci95[1] or abs(found.mean - 1092) < 25
    assert found.extras["reached"]["64"] > 0.9
    assert sum(found.extras["highest"].values()) == 3000
    assert sum(found.histogram["counts"]) == 3000


def figures(found):
    """All that must not depend on workers and clocks."""
    return (found.mean, found.sd, found.ci95, found.median, found.quantiles, found.extras, found.histogram)


def test_the_number_of_workers_changes_nothing():
    alone = evaluate("2048", "mc:iterations=2,rollout_depth=3", games=6, seed=2)
    for count, backend in ((2, "processes"), (2, "threads"), (3, "auto")):
        again = evaluate("2048", "mc:iterations=2,rollout_depth=3", games=6, seed=2, workers=count, backend=backend)
        assert figures(again) == figures(alone)
    assert figures(evaluate("2048", "random", games=50)) == figures(evaluate("2048", "random", games=50, workers=2))


def test_evaluation_against_opponents_sits_on_every_seat():
    found = evaluate(Claim(), "random", opponents="greedy", games=30)
    assert found.games == 30
    assert 0 <= found.win_share <= 1
    same = evaluate(Whisper(), "mctse:iterations=60,rollout_depth=10", opponents="random", games=20, seed=1)
    assert same.win_share > 0.5


def test_an_agent_against_itself_wins_its_share():
    """With the same dice on every seat in turn the shares of an agent among equals sum to 1 in every group."""
    found = evaluate(Claim(), "mc:iterations=1", opponents="mc:iterations=1", games=30, seed=4)
    assert found.win_share == pytest.approx(1 / 3)
    assert found.win_ci95 == pytest.approx((1 / 3, 1 / 3))


def test_bad_evaluations_are_refused():
    with pytest.raises(SpielwerkError, match="at least 1"):
        evaluate("2048", "random", games=0)
    with pytest.raises(SpielwerkError, match="no opponents"):
        evaluate("2048", "random", opponents="greedy")
    with pytest.raises(SpielwerkError, match="at least 1"):
        evaluate("2048", "random", games=2, workers=0)
    with pytest.raises(SpielwerkError, match="at least 1"):
        certainty("2048", "random", states=2, workers=0)


def test_what_cannot_be_played_is_not_begun(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        for agent, workers in (("random", 0), ("rules", 1), ("mctse:evaluation=kutsch@nowhere", 1)):
            with pytest.raises(SpielwerkError):
                evaluate("2048", agent, games=2, workers=workers, store=store)
        assert store.runs() == []


def test_batches_grow_with_the_speed_and_hold_every_match_once():
    pace = Pace(most=50)
    tasks = [Task(n, n, (sw.agent("random" if n < 70 else "greedy"),)) for n in range(100)]
    sizes = []
    for batch in _batches(tasks, pace):
        sizes.append(len(batch))
        assert len({task.agents for task in batch}) == 1
        pace.learn(0.001 if len(sizes) < 7 else 0.4)
    assert sizes[:6] == [1, 2, 4, 8, 16, 32]
    assert sizes[6:8] == [7, 2], "another line-up, and matches that take their time"
    assert sum(sizes) == 100


def test_what_is_only_registered_here_stays_here():
    for backend in ("processes", "ray"):
        with pytest.raises(SpielwerkError, match="take the backend threads"):
            evaluate(Claim(), "random", games=4, workers=2, backend=backend)
    alone = evaluate(Claim(), "mc:iterations=1", games=4)
    assert figures(evaluate(Claim(), "mc:iterations=1", games=4, workers=2)) == figures(alone)


def test_a_cluster_without_ray_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SpielwerkError, match=r"pip install spielwerk\[cluster\]"):
        evaluate("2048", "random", games=2, backend="ray")


def test_the_store_keeps_every_match_replayable(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        found = evaluate("2048", "greedy", games=5, seed=3, store=store)
        scores = []
        for number in range(5):
            record = store.record(found.run, number)
            assert record.header.agents == ["greedy"]
            assert record.header.seed == match_seed(3, number)
            scores.append(sw.replay(record)[-1].score[0])
        assert np.mean(scores) == found.mean
        [run] = store.runs()
        assert (run.kind, run.matches, run.summary["mean"]) == ("evaluate", 5, found.mean)
        with pytest.raises(SpielwerkError, match="no match 99 of run 1"):
            store.record(1, 99)


def test_the_store_keeps_the_rules_of_the_time_of_a_run(tmp_path):
    """`schieber-deal` meant the old Weis before the edition of the rules was written down."""
    with Store(tmp_path / "results.sqlite") as store:
        found = evaluate("jass", "random", variant="schieber-deal", games=1, store=store)
        assert store.record(found.run, 0).header.variant == "schieber-deal"
        store.connection.execute("update runs set versions = ?", ('{"spielwerk": "0.1.0"}',))
        record = store.record(found.run, 0)
    assert record.header.variant == "schieber-deal,announce=0,weis=1" and sw.replay(record)[-1].over


def test_a_file_that_is_no_store_is_named(tmp_path):
    (tmp_path / "notes.txt").write_text("these are my notes, not a database " * 50)
    with pytest.raises(SpielwerkError, match=r"notes.txt is no store"):
        Store(tmp_path / "notes.txt")


def test_a_store_that_cannot_be_used_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(SpielwerkError, match=r"results.sqlite cannot be used .* name another"):
        Store(tmp_path / "file" / "results.sqlite")
    monkeypatch.setattr("spielwerk.arena.store.PATIENCE", 0.05)
    with Store(tmp_path / "results.sqlite") as store, Store(tmp_path / "results.sqlite") as other:
        run = evaluate("2048", "random", games=2, store=store).run
        other.connection.execute("begin immediate")
        with pytest.raises(SpielwerkError, match="is being written by another process"):
            store.begin("evaluate", {})
        other.connection.rollback()
        store.connection.execute(f"pragma max_page_count = {store._rows('pragma page_count')[0][0]}")
        with pytest.raises(SpielwerkError, match=r"cannot grow .* make room"):
            store.begin("evaluate", {"agent": "x" * 100_000})
        store.connection.rollback()
        store.connection.execute("update matches set moves = x'00'")
        with pytest.raises(SpielwerkError, match="is damaged"):
            store.record(run, 0)


def test_matches_that_are_being_added_lock_nobody_out(tmp_path, monkeypatch):
    monkeypatch.setattr("spielwerk.arena.store.PATIENCE", 0.0)
    game = sw.game("2048")
    [played] = run_many(game, [sw.agent("random")], [1])
    with Store(tmp_path / "results.sqlite") as store, Store(tmp_path / "results.sqlite") as other:
        run = store.begin("evaluate", {})
        store.add(run, 0, ["random"], played)
        other.begin("evaluate", {})
        assert [found.matches for found in store.runs()] == [1, 0]


def test_a_run_that_lacks_only_its_end_is_finished(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        whole = evaluate("2048", "random", games=5, store=store)
        store.connection.execute("update runs set finished = null, summary = null")
        again = evaluate("2048", "random", games=5, store=store, resume=True, workers=2)
        assert again == whole
        assert [run.finished is not None for run in store.runs()] == [True]
        evaluate("2048", "random", games=5, store=store)
        assert evaluate("2048", "random", games=5, store=store, resume=True).run == 2, "the newest"
        store.connection.execute("update runs set finished = null where id = 1")
        assert evaluate("2048", "random", games=5, store=store, resume=True).run == 1, "before all what is not finished"
        assert len(store.runs()) == 2


def test_a_killed_evaluation_is_resumed_with_the_same_result(tmp_path):
    path = tmp_path / "results.sqlite"
    spec, games = "mc:iterations=30,rollout_depth=10", 8
    command = [sys.executable, "-m", "spielwerk", "evaluate", "2048", spec, "--games", str(games), "--store", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(1200):
        time.sleep(0.05)
        if process.poll() is not None:
            break
        if path.exists():
            with Store(path) as store:
                if store.runs() and 2 <= store.runs()[0].matches < games:
                    process.send_signal(signal.SIGKILL)
                    break
    process.wait()
    with Store(path) as store:
        [run] = store.runs()
        finished_before = run.matches
        resumed = evaluate("2048", spec, games=games, store=store, resume=True)
        assert len(store.runs()) == 1
    assert 2 <= finished_before <= games
    assert figures(resumed) == figures(evaluate("2048", spec, games=games))


def test_certainty_of_a_sure_and_of_a_random_agent():
    assert normalised(0.75, 2) == 0.5
    assert normalised(0.7, 4) == pytest.approx(0.6)
    sure = certainty("2048", "expectimax:depth=1,evaluation=standing", states=20, repeats=4, collector="random")
    assert sure.mean == 1.0
    unsure = certainty("2048", "random", states=40, repeats=40, seed=1)
    assert 0.05 < unsure.mean < 0.4  # the most frequent of 40 random choices is a little above even
    assert {"legal", "empty"} == set(unsure.groups[0].key)
    again = certainty("2048", "random", states=40, repeats=40, seed=1, workers=2)
    assert again == unsure


def test_line_ups():
    assert line_ups(3, 2) == [(0, 1), (0, 2), (1, 2)]
    assert line_ups(2, 3) == [(0, 0, 1), (0, 1, 1)]
    assert line_ups(3, 1) == [(0,), (1,), (2,)]


def test_every_line_up_is_played_on_every_seat_with_the_same_seed():
    agents = [sw.agent("random"), sw.agent("greedy"), sw.agent("mc:iterations=1")]
    tasks, rounds = schedule(Claim(), agents, 2, seed=0)
    assert rounds == [0, 0, 0, 1, 1, 1]
    assert [task.seed for task in tasks] == [match_seed(0, number) for number in rounds]
    for seat in range(3):
        assert {task.agents[seat] for task in tasks[:3]} == set(agents)


def test_a_tournament_of_hidden_cards():
    found = tournament(Whisper(), ["random", "mctse:iterations=60,rollout_depth=10"], rounds=15, seed=2)
    first, second = found.standings
    assert first.agent.startswith("mctse")
    assert first.win_share + second.win_share == pytest.approx(1)
    assert first.matches == second.matches == 30
    assert first.rating > second.rating
    cell = next(c for c in found.cross_table if c.first == first.agent)
    assert cell.score_difference > 0
    again = tournament(Whisper(), ["random", "mctse:iterations=60,rollout_depth=10"], rounds=15, seed=2)
    assert again == found


def test_a_tournament_of_one_seat_compares_points():
    found = tournament("2048", ["random", "mc:iterations=2,rollout_depth=5"], rounds=5, workers=2)
    assert found.standings[0].agent.startswith("mc")
    assert found.standings[0].win_share > 0.5
    assert found == tournament("2048", ["random", "mc:iterations=2,rollout_depth=5"], rounds=5)


def test_bad_tournaments_are_refused():
    for agents in (["random"], ["random", "random"]):
        with pytest.raises(SpielwerkError, match="at least two agents, all different"):
            tournament("2048", agents)


def test_ratings_follow_the_wins():
    ratings = rate(3, [[(0, 1.0), (1, 0.0)], [(0, 1.0), (2, 0.0)], [(1, 1.0), (2, 0.0)]] * 10)
    assert ratings[0].mean > ratings[1].mean > ratings[2].mean


def test_bench_compares_the_same_work():
    """The generic Monte Carlo and the loop written by hand for 2048 find the same values."""
    game = sw.game("2048")
    view = game.new(3).view(0)
    generic = sw.agent("mc:iterations=4000,rollout_depth=20,method=1").decide(view, sw.Budget(), sw.spawn(1))
    sums, numbers, joint = np.zeros(4), np.zeros(4), np.zeros(1, np.int64)
    lists = np.zeros(4, np.int64), np.zeros(4, np.int64)
    by_hand = specialise(monte_carlo_by_hand, game)
    by_hand(game.states(1), view.state, 4000, 20, 1.0, *lists, joint, numbers, sw.spawn(2), sums)
    alive = sums / 4000  # in points; the rare playouts that ended within 20 moves cost 1, which is nothing here
    assert alive == pytest.approx(generic.values, abs=6 * max(generic.error) + 1)
    figures = bench("2048", 0.02, lambda done, line: None)
    assert all(figure.value > 0 for figure in figures)
    assert any("hand-written" in figure.what for figure in figures)


TUNED = (
    "cmaes:tuned=(mctse:evaluation=kutsch,iterations=8,max_nodes=8,rollout_depth=3),population=4,games=2,generations=3"
)


def test_tuning_can_be_stopped_and_resumed(tmp_path):
    game = sw.game("2048")
    whole = runs.train(game, runs.learner(TUNED), tmp_path / "whole", seed=4)
    stopped = runs.train(game, runs.learner(TUNED), tmp_path / "stopped", seed=4, seconds=0.0)
    assert stopped.rows() == []
    lines = (tmp_path / "whole" / "members.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "stopped" / "members").mkdir(exist_ok=True)
    (tmp_path / "stopped" / "members.jsonl").write_text("".join(lines[:5]) + lines[5][:10])  # killed while writing
    resumed = runs.resume(tmp_path / "stopped")
    assert resumed.rows() == whole.rows()
    assert len(resumed.rows()) == 3
    assert (tmp_path / "whole" / "curve.png").stat().st_size > 5000
    spec = runs.learner(TUNED).agent(whole)
    assert sw.agent(spec).decide(game.new(1).view(0), sw.Budget(), sw.spawn(1)).action in (0, 1, 2, 3)


def test_tuning_refuses_what_has_no_parameters(tmp_path):
    with pytest.raises(SpielwerkError, match="no parameters to tune"):
        runs.train(sw.game("2048"), runs.learner("cmaes:tuned=(mctse)"), tmp_path / "run")
    with pytest.raises(SpielwerkError, match="random has no evaluation"):
        runs.train(sw.game("2048"), runs.learner("cmaes:tuned=(random)"), tmp_path / "run")


def test_run_folders_survive_a_kill_between_renames(tmp_path):
    folder = runs.RunFolder(tmp_path / "run")
    folder.create({"game": "2048"})
    for number in range(2):
        with folder.new_checkpoint() as place:
            (place / "weights").write_text(str(number))
    assert (folder.checkpoint / "weights").read_text() == "1"
    os.rename(tmp_path / "run" / "checkpoint", tmp_path / "run" / "checkpoint.old")
    assert (folder.checkpoint / "weights").read_text() == "1", "the old checkpoint comes back"
    with pytest.raises(RuntimeError), folder.new_checkpoint() as place:
        (place / "weights").write_text("half")
        raise RuntimeError("killed")
    assert (folder.checkpoint / "weights").read_text() == "1"
    folder.log(step=1)
    with folder.log_file.open("a") as file:
        file.write('{"step": 2, "me')
    assert folder.rows() == [{"step": 1}]
    with pytest.raises(SpielwerkError, match="already holds a run"):
        folder.create({"game": "2048"})
    with pytest.raises(SpielwerkError, match="holds no run"):
        runs.RunFolder(tmp_path / "nothing").config()


PITTED = (
    "cmaes:tuned=(dommeai:levels=1),options=gamma/dead_end_bias,opponents=(safe)+(spiral),"
    "population=4,games=5,generations=2,start=default"
)
TABLE = {"name": "speed", "seats": 3, "variant": "width=10,height=10"}


def test_options_are_tuned_by_matches_against_opponents(tmp_path):
    game = sw.game(**TABLE)
    whole = runs.train(game, runs.learner(PITTED), tmp_path / "whole", seed=4)
    again = runs.train(game, runs.learner(PITTED), tmp_path / "again", seed=4, threads=2)
    assert whole.rows() == again.rows() and len(whole.rows()) == 2
    assert all(0 <= row["mean"] <= row["best"] <= 1 for row in whole.rows())
    lines = (tmp_path / "whole" / "members.jsonl").read_text().splitlines(keepends=True)
    stopped = runs.train(game, runs.learner(PITTED), tmp_path / "stopped", seed=4, seconds=0.0)
    (tmp_path / "stopped" / "members.jsonl").write_text("".join(lines[:4]))
    assert stopped.rows() == [] and runs.resume(tmp_path / "stopped").rows() == whole.rows()
    best = sw.agent(runs.learner(PITTED).agent(whole))
    assert best.name == "dommeai" and best.levels == 1 and 0 <= best.gamma <= 10 and best.dead_end_bias >= 0


def test_a_member_meets_every_opponent_on_every_seat(monkeypatch, tmp_path):
    seen = []

    def play_all(game, tasks, threads):
        seen.extend(tasks)
        return original(game, tasks, threads)

    original = cmaes.play_all
    monkeypatch.setattr(cmaes, "play_all", play_all)
    runs.train(sw.game(**TABLE), runs.learner(PITTED), tmp_path / "run")
    member = seen[:6]  # 5 matches are no whole round of three seats: 6 are played
    assert [[agent.name for agent in task.agents].index("dommeai") for task in member] == [0, 1, 2, 0, 1, 2]
    assert [len({task.seed for task in member[at : at + 3]}) for at in (0, 3)] == [1, 1]
    others = [{agent.name for agent in task.agents} - {"dommeai"} for task in member]
    assert others == [{"safe"}] * 3 + [{"spiral"}] * 3


@pytest.mark.parametrize(
    ("learner", "said"),
    [
        ("cmaes:tuned=(gap),options=depth", "must name numbers that gap takes, each once: k"),
        ("cmaes:tuned=(gap),options=k/k", "each once"),
        ("cmaes:tuned=(gap),options=endgame", "must name numbers"),
        ("cmaes:tuned=(random),options=k", "each once: none"),
        ("cmaes:tuned=(gap),options=k", "two numbers or more"),
        ("cmaes:tuned=(gap),options=k,opponents=(rules)", "rules: it knows the rules of thumb of Jass only"),
    ],
)
def test_what_cannot_be_tuned_is_refused(learner, said, tmp_path):
    with pytest.raises(SpielwerkError, match=said):
        runs.train(sw.game("qwixx"), runs.learner(learner), tmp_path / "run")
