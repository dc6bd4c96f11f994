"""Runs of the n-tuple learner: kills, full disks, damaged files, other options; and the learning rule by hand."""

import errno
import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

import spielwerk as sw
from spielwerk import testing
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.grid import Grid
from spielwerk.core.linker import kernel, specialise
from spielwerk.core.models import find
from spielwerk.core.spec import Spec
from spielwerk.core.words import speaking
from spielwerk.learn import ntuple_checkpoint, ntuple_training, ntuple_workers
from spielwerk.learn import run as runs
from spielwerk.learn.kernel import ntuple as strong
from spielwerk.search import ntuple_model as models
from spielwerk.search.kernel.ntuple import places_of

GAME = "2048"


class Killed(Exception):
    """Stands for a kill: nobody saves anything."""


def killer(rounds):
    """A report that kills the run after some rounds."""
    left = iter(range(rounds))

    def report(done, line):
        if next(left, None) is None:
            raise Killed

    return report


@pytest.fixture
def hasty(monkeypatch):
    """Rounds of a thousand moves, a checkpoint after each."""
    monkeypatch.setattr(ntuple_training, "ROUND_SECONDS", 1e-6)
    monkeypatch.setattr(ntuple_training, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(ntuple_training, "SAVE_SHARE", 0)
    return monkeypatch


def learned(run):
    """Everything that learning needs to go on, as bytes."""
    names = ("learned", "weights", "rates")
    files = [run.checkpoint / f"{name}.npy" for name in names]
    return [np.load(file).tobytes() for file in files if file.exists()]


# --- a run is a function of its seed, whatever happens to it ---------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        "tuples=5x4,matches=40,start_strategy=restart",
        "tuples=5x4,matches=100,stages=7/8,start_strategy=carousel",
        "tuples=5x4,matches=100,stages=7/8,epsilon=0.3",
        "tuples=walk.20x3,matches=300,learn=end,tc=false,alpha=0.01,epsilon=0.6,symmetries=false",
    ],
)
def test_a_killed_run_ends_like_one_that_was_not(options, tmp_path, hasty):
    """The one makes rounds of a thousand moves and is killed, the other takes its time."""
    game, learner = sw.game(GAME), runs.learner(f"ntuple:{options}")
    with pytest.raises(Killed):
        runs.train(game, learner, tmp_path / "killed", seed=9, report=killer(8))
    killed = runs.RunFolder(tmp_path / "killed")
    assert 0 < json.loads((killed.checkpoint / "progress.json").read_text())["matches"] < learner.matches
    with killed.log_file.open("a") as file:
        file.write('{"matches": 99, "mov')
    runs.resume(killed.path)
    hasty.undo()
    whole = runs.train(game, learner, tmp_path / "whole", seed=9)
    assert learned(killed) == learned(whole) != []
    moves = [row["moves"] for row in killed.rows()]
    assert moves == sorted(set(moves)), "the log tells of moves that the kill has undone"
    assert killed.rows()[-1].keys() == whole.rows()[-1].keys()
    assert moves[-1] == whole.rows()[-1]["moves"]


def test_threads_that_wait_keep_their_randomness(tmp_path):
    game, learner = sw.game(GAME, variant="2x2"), runs.learner("ntuple:matches=400")
    run = runs.train(game, learner, tmp_path / "run", seconds=0.0, threads=3)
    training = ntuple_training.Training(learner, game, run, runs.Limits(threads=3), lambda done, line: None)
    training.count([worker.totals.copy() for worker in training.workers], 0.0)
    first = list(training.progress.rngs)
    ntuple_checkpoint.save(training)
    fewer = ntuple_training.Training(learner, game, run, runs.Limits(threads=1), lambda done, line: None)
    fewer.workers[0].work(50, 50)
    fewer.count([worker.totals.copy() for worker in fewer.workers], 0.0)
    assert fewer.progress.rngs[0] != first[0]
    assert fewer.progress.rngs[1:] == first[1:]


def test_interrupting_saves_what_was_learned(tmp_path, monkeypatch):
    class Pool(ntuple_training.ThreadPoolExecutor):
        """Somebody presses the keys while the main thread waits for the first round."""

        def submit(self, *task):
            job = super().submit(*task)
            wait, presses = job.result, iter([KeyboardInterrupt()])

            def result():
                wait()
                for press in presses:
                    raise press

            job.result = result
            return job

    monkeypatch.setattr(ntuple_training, "ThreadPoolExecutor", Pool)
    game, learner = sw.game(GAME), runs.learner("ntuple:tuples=5x4,matches=5000,start_strategy=restart")
    with pytest.raises(KeyboardInterrupt):
        runs.train(game, learner, tmp_path / "run", seed=9)
    run = runs.RunFolder(tmp_path / "run")
    assert 0 < run.rows()[-1]["moves"] == json.loads((run.checkpoint / "progress.json").read_text())["moves"]
    assert len(run.rows()) == 1 and run.progress()["ended"]


def test_more_seconds_go_beyond_those_of_the_preset(tmp_path):
    run = runs.train(sw.game(GAME), runs.learner("ntuple:tuples=5x4,seconds=0.01"), tmp_path / "run")
    rows = len(run.rows())
    runs.resume(run.path)
    assert len(run.rows()) == rows, "its seconds are over"
    with pytest.raises(Killed):
        runs.resume(run.path, seconds=1000.0, report=killer(0))
    assert len(run.rows()) > rows


@pytest.mark.parametrize("change", ["strategy_after", "carousel_after", "stages_after"])
def test_a_round_takes_its_two_seconds_also_after_a_change(change, tmp_path, monkeypatch):
    """The threads are unequal, so that several rounds are cut short before the change. The clock goes by moves."""
    options = f"ntuple:{change}=5,start_strategy=restart,stages=4,seconds=60"
    game, learner = sw.game(GAME, variant="2x2"), runs.learner(options)
    now, took = [1000.0], []
    monkeypatch.setattr(ntuple_training.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(ntuple_training.checkpoints, "save", lambda training: None)

    def play(training, pool, workers, moves):
        for worker, share in zip(workers, (1.0, 0.9), strict=True):
            worker.totals[:3] += 1, int(moves * share), 100
        took.append(moves / 1e6)
        now[0] += took[-1]

    monkeypatch.setattr(ntuple_training.Training, "round", play)
    runs.train(game, learner, tmp_path / "run", threads=2)
    assert max(took) < 2.5
    assert sum(seconds for seconds in took if seconds > 1.5) > 45, "rounds did not grow to two seconds again"
    assert sum(took) < 60.1, "the last round went on although the run had had its seconds"


def test_the_moving_mean_forgets(monkeypatch):
    monkeypatch.setattr(ntuple_training, "LATELY", 10)
    mean = ntuple_training.MovingMean()
    assert mean.add(0, 0.0) == 0.0
    rounds = ((5, 50.0), (5, 0.0), (4, 0.0), (1, 0.0), (20, 400.0))
    assert [mean.add(*each) for each in rounds] == [10.0, 5.0, 50.0 / 14, 0.0, 20.0]


def test_curve_and_event_files_are_drawn(tmp_path):
    run = runs.train(sw.game(GAME, variant="2x2"), runs.learner("ntuple:matches=300,epsilon=0.1"), tmp_path / "run")
    _, _, [(_, matches, means), (label, _, lately)] = runs.learner("ntuple").curve(run)
    assert matches[-1] == 300 and len(means) == len(lately) == len(matches) == len(run.rows())
    assert lately[-1] == pytest.approx(np.average(means, weights=np.diff([0, *matches]))), "less than 1,000: all"
    assert "1,000" in label and (run.path / "curve.png").stat().st_size > 5000
    [events] = run.path.glob("events.out.tfevents.*")
    assert b"moves_per_second" in events.read_bytes()


# --- folders and files that are not as they should be ----------------------------------------------------------------


def test_a_kill_after_the_renames_leaves_nothing_in_the_way(tmp_path):
    folder = runs.RunFolder(tmp_path)
    for number in range(3):
        with folder.new_checkpoint() as place:
            (place / "weights").write_text(str(number))
        shutil.copytree(tmp_path / "checkpoint", tmp_path / "checkpoint.old")  # not yet taken away
    assert (folder.checkpoint / "weights").read_text() == "2"


def test_a_full_disk_is_said_in_one_line_and_the_last_checkpoint_is_kept(tmp_path, hasty):
    game, learner = sw.game(GAME), runs.learner("ntuple:tuples=5x4,matches=200")
    write, left = models.save, iter(range(2))

    def save(path, *rest):
        write(path, *rest)
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")

    hasty.setattr(models, "save", save)
    with pytest.raises(SpielwerkError, match=r"No space left on device.*--resume"):
        runs.train(game, learner, tmp_path / "run", seed=1)
    assert not (tmp_path / "run" / "checkpoint.new").exists(), "half a checkpoint takes up room"
    hasty.undo()
    run = runs.resume(tmp_path / "run")
    assert run.rows()[-1]["matches"] == 200


def test_folders_that_cannot_be_are_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SpielwerkError, match="choose another"):
        runs.train(sw.game(GAME), runs.learner("ntuple"), tmp_path / "file" / "run")
    for seconds in (-1.0, float("nan")):
        with pytest.raises(SpielwerkError, match="seconds start at 0"):
            runs.train(sw.game(GAME), runs.learner("ntuple"), tmp_path / "run", seconds=seconds)
    assert not (tmp_path / "run").exists()
    with pytest.raises(SpielwerkError, match="holds no run"):
        runs.resume(tmp_path)
    (tmp_path / "config.json").write_text('{"game": "2048"}')
    with pytest.raises(SpielwerkError, match="variant"):
        runs.resume(tmp_path)


def test_only_one_process_trains_in_a_folder(tmp_path):
    run = runs.train(sw.game(GAME, variant="2x2"), runs.learner("ntuple:matches=3"), tmp_path / "run")
    with run.alone(), pytest.raises(SpielwerkError, match="another process"):
        runs.resume(run.path)
    runs.resume(run.path)


@pytest.mark.parametrize("name", ["weights.npy", "learned.npy", "rates.npy", "progress.json", "beginnings.npz"])
@pytest.mark.parametrize("share", [0.0, 0.6])
def test_damaged_checkpoints_are_named(name, share, tmp_path):
    learner = runs.learner("ntuple:matches=30,seconds=1000")
    run = runs.train(sw.game(GAME, variant="2x2"), learner, tmp_path / "run")
    file = run.checkpoint / name
    data = file.read_bytes()
    file.write_bytes(data[: int(share * len(data))])
    with pytest.raises(SpielwerkError, match=r"checkpoint.*cannot be read"):
        runs.resume(run.path)


def test_damaged_models_are_named(tmp_path):
    game, shipped = sw.game(GAME, variant="2x2"), find(models.KIND, sw.game(GAME, variant="2x2")).read_bytes()
    rng = np.random.default_rng(0)
    damaged = [b"", b"no model", shipped[: len(shipped) // 2], shipped[:-1]]
    for _ in range(40):
        copy = bytearray(shipped)
        for place in rng.integers(0, len(copy), 3):
            copy[place] ^= 0x55
        damaged.append(bytes(copy))
    refused = 0
    for number, data in enumerate(damaged):
        path = tmp_path / f"{number}.npz"
        path.write_bytes(data)
        try:
            assert models.load(str(path), game).weights.shape == models.load(None, game).weights.shape
        except SpielwerkError as problem:
            assert str(path) in str(problem)
            refused += 1
    assert refused > 30  # some bytes of the frame do not matter
    np.savez(tmp_path / "other.npz", weights=np.zeros(3))
    with pytest.raises(SpielwerkError, match="no ntuple model"):
        models.load(str(tmp_path / "other.npz"), game)


def test_a_model_is_found_while_its_run_replaces_it(tmp_path):
    game = sw.game(GAME, variant="2x2")
    run = runs.train(game, runs.learner("ntuple:matches=3"), tmp_path / "run")
    (run.path / "checkpoint").rename(run.path / "checkpoint.old")
    assert models.load(str(run.path), game).notes["matches"] == 3


def test_boards_are_known_by_their_size():
    assert find(models.KIND, sw.game(GAME, variant="width=3,height=3")).name == "ntuple-2048-3x3.npz"
    with pytest.raises(SpielwerkError, match=r"spielwerk train 2048 ntuple --variant .*height=2"):
        find(models.KIND, sw.game(GAME, variant="width=4,height=2"))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("ntuple:gamma=0.9", "gamma"),
        ("ntuple:final_greedy_share=0.1", "matches="),
        ("ntuple:stages_after=5", "stages"),
        ("ntuple:strategy_after=5", "start_strategy=restart"),
        ("ntuple:carousel_after=5,start_strategy=restart", "stages"),
        ("ntuple:carousel_after=5,stages=14", "start_strategy=restart"),
        ("ntuple:unpromoted_stages=2,stages=14", "unpromoted_stages"),
        ("ntuple:initial_value=inf", "initial_value|number"),
        ("ntuple:learn=end,tc=false,initial_value=9", "initial_value"),
    ],
)
def test_options_without_effect_are_refused(spec, said):
    with pytest.raises(SpielwerkError, match=said):
        runs.learner(spec)


@pytest.mark.parametrize(
    "options", ["tuples=5x9", "tuples=whole", "stages=14+14", "stages=13/13", "tuples=6.7.8.9.10.11.12.13.14"]
)
def test_a_run_that_cannot_be_leaves_no_folder(options, tmp_path):
    with pytest.raises(SpielwerkError):
        runs.train(sw.game(GAME), runs.learner(f"ntuple:{options}"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


# --- the learning rule -----------------------------------------------------------------------------------------------


@kernel
def places_at(states, network, out):
    return places_of(states[0], network, out)


def source(values, place, entries):
    """Where the entry is: in an earlier stage if this one has never learned it."""
    while np.isnan(values[place]):
        place -= entries
    return place


def by_hand(values, rates, places, rewards, alpha, trace_decay, explored, end, entries):
    """Szubert and Jaskowski (2014), Jaskowski (2016): one afterstate after the other, from the last to the first."""
    target = end
    for i in reversed(range(len(places))):
        value = sum(values[source(values, place, entries)] for place in places[i])
        if i + 1 < len(places) and explored[i + 1]:
            fresh = target = value
        else:
            delta = target - value
            fresh = value
            for place in places[i]:
                rate, known = alpha / len(places[i]), source(values, place, entries)
                if rates is not None:
                    signed, absolute = rates.get(known, (0.0, 0.0))
                    rate *= abs(signed) / absolute if absolute else 1.0
                    rates[place] = signed + delta, absolute + abs(delta)
                values[place] = values[known] + rate * delta
                fresh += rate * delta
        if i:
            target = rewards[i] + (1.0 - trace_decay) * fresh + trace_decay * target


@pytest.mark.parametrize("tc", [False, True])
@pytest.mark.parametrize("trace_decay", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    ("over", "stages", "unpromoted"), [(True, (), 0), (False, (), 0), (True, ((4,), (5,)), 0), (True, ((4,), (5,)), 1)]
)
def test_a_match_is_learned_as_the_formulas_say(tc, trace_decay, over, stages, unpromoted):
    game = sw.game(GAME)
    layout = models.Layout(4, 4, 16, game.grid.tuple_sets["5x4"], stages, unpromoted=unpromoted)
    weights = models.new_weights(layout)
    weights[: layout.entries] = np.random.default_rng(1).normal(0.0, 5.0, layout.entries)
    network = models.network(game.grid, layout, weights)
    rates = np.zeros(2 * len(weights) if tc else 0, np.float32)
    walk = [position.copy() for position in testing.random_walk(game, seed=5, most=40)]
    episode = game.states(len(walk))
    for number, position in enumerate(walk):
        episode[number] = position.apply(position.legal(0)[0]).state[0]
    explored = np.zeros(len(walk), np.bool_)
    explored[[7, 8, 20]] = True

    look, room = specialise(places_at, game, **models.functions(game.grid)), np.zeros((2, network.room), np.int64)
    places = []
    for number in range(len(walk)):
        count = look(episode[number : number + 1], network, room[0])
        places.append([int(place) for place in room[0, :count]])
    rewards = np.diff(episode["score"], prepend=0)
    final = int(episode["score"][-1]) + 6
    values = dict(enumerate(weights.astype(float)))
    known = {} if tc else None
    assert {place // layout.entries for cells in places for place in cells} == set(range(1 + len(stages)))
    none = np.zeros(0, np.int64)
    work = strong.AfterstateWorkspace(
        game.states(0), episode, explored, room, game.states(0), none, none, none, np.zeros(0), game.scratch()
    )
    learn = specialise(strong.learn_backwards, game, **models.functions(game.grid))
    for _ in range(3):
        before = weights.copy()
        learn(
            network,
            rates,
            work,
            len(walk),
            over,
            final,
            strong.AfterstateSettings(0.7, trace_decay, 0.0, strong.OPENING),
        )
        end = 6.0 if over else sum(values[place] for place in places[-1])
        by_hand(values, known, places, rewards, 0.7, trace_decay, explored, end, layout.entries)
        assert not np.array_equal(before, weights, equal_nan=True)
        np.testing.assert_allclose(weights, [values[i] for i in range(len(weights))], rtol=1e-3, atol=1e-2)


@kernel
def row_start(s, seats, options):
    s.left = 4


@kernel
def row_actors(s):
    return 1 if s.left > 0 else -1


@kernel
def row_legal(s, seat, out):
    out[0], out[1] = 0, 1
    return 2


@kernel
def row_apply(s, joint):
    s.points += s.piles[joint[0]] * s.piles[1 - joint[0]]
    s.piles[joint[0]] += 1 + joint[0]
    s.left -= 1


@kernel
def row_chance(s, rng):
    s.left = 0  # never happens


@kernel
def row_score(s, out):
    out[0] = s.points


@kernel
def row_cells(s, top, out):
    out[0], out[1], out[2] = min(s.piles[0], top), min(s.piles[1], top), s.left


class Row(Game):
    """Raise one of two piles by one or two and get their product before; no chance. Runs interpreted."""

    compiled = False
    spec = Spec(
        id="row", title="Row", summary="A tiny puzzle.", seats=(1,), moves=("left", "right"), widest=2, longest=4,
        scale=20.0,
    )  # fmt: skip
    State = np.dtype([("piles", np.int64, (2,)), ("left", np.int64), ("points", np.int64)])
    kernel = SimpleNamespace(
        start=row_start, actors=row_actors, legal=row_legal, apply=row_apply, chance=row_chance, score=row_score,
        cells=row_cells,
    )  # fmt: skip

    @property
    def grid(self):
        return Grid(1, 3, 9, symmetries=((0, 1, 2),))


def test_a_puzzle_without_chance_is_solved(tmp_path):
    game = Row()
    run = runs.train(game, runs.learner("ntuple:tuples=0.1.2,epsilon=0.5,matches=400"), tmp_path / "run", seed=1)
    agent, exact = sw.agent(f"ntuple:model={run.path}"), sw.agent("expectimax:depth=4")
    position = game.new(0)
    while not position.over:
        told, best = (each.decide(position.view(0), sw.Budget(), sw.spawn(0)).values for each in (agent, exact))
        assert max(told) == pytest.approx(max(best), abs=0.1)
        position.play(int(np.argmax(told)))
    assert position.score[0] == pytest.approx(max(best))
    fresh = runs.train(game, runs.learner("ntuple:tuples=0.1.2,initial_value=100"), tmp_path / "fresh", seconds=0.0)
    begun = game.new(0).play(0).play(1)
    told = sw.agent(f"ntuple:model={fresh.path}").decide(begun.view(0), sw.Budget(), sw.spawn(0)).values
    assert told == pytest.approx((102.0, 102.0)), "what a move leaves is judged, not what could follow"


def test_the_initial_value_is_what_every_position_is_worth_at_first(tmp_path):
    game = sw.game(GAME)
    run = runs.train(game, runs.learner("ntuple:tuples=8x6,initial_value=320000"), tmp_path / "run", seconds=0.0)
    position = game.read("2 2 4 4/. . . ./. . . ./. . . . score 100")
    decision = sw.agent(f"ntuple:model={run.path}").decide(position.view(0), sw.Budget(), sw.spawn(0))
    assert dict(zip(position.legal(0), decision.values, strict=True)) == pytest.approx(
        {1: 320_100.0, 2: 320_112.0, 3: 320_112.0}, abs=1.0
    )


def test_the_carousel_remembers_how_stages_begin(tmp_path):
    game, spec = sw.game(GAME), "ntuple:tuples=5x4,matches=60,stages=7/8,start_strategy=carousel"
    run = runs.train(game, runs.learner(spec), tmp_path / "run", seed=2)
    with np.load(run.checkpoint / "beginnings.npz") as stored:
        remembered, memory = stored["remembered"][0], stored["memories"][0].reshape(3, -1)
    assert remembered[0] == 0 < min(remembered[1:])
    for stage, highest in ((1, 7), (2, 8)):
        for state in memory[stage, : remembered[stage]]:
            assert max(int(state["board"]) >> shift & 15 for shift in range(0, 64, 4)) == highest
            assert state["pending"] == 1, "it is an afterstate: a new tile is to come"


def test_the_carousel_takes_the_place_of_restarts_and_gives_all_stages_equal_shares(tmp_path):
    spec = "ntuple:tuples=5x4,matches=4000,stages=7/8/8+7,start_strategy=restart,carousel_after=1"
    run = runs.train(sw.game(GAME), runs.learner(spec), tmp_path / "run", seed=2)
    rows = run.rows()
    with np.load(run.checkpoint / "beginnings.npz") as stored:
        remembered, walked = stored["remembered"][0], stored["walked"][0]
    assert rows[-1]["moves"] > 1_100_000, "restarts and carousel have both had their time"
    assert min(remembered[1:]) > 10
    assert walked.max() - walked.min() < 5_000, "they differ by a match or two"
    assert walked[0] < rows[-1]["moves"] - 50_000


def test_a_run_begins_with_the_tables_of_another(tmp_path):
    game, first = sw.game(GAME), tmp_path / "first"
    before = runs.train(game, runs.learner("ntuple:tuples=5x4,matches=200,stages=7"), first, seed=2)
    more = runs.learner(f"ntuple:tuples=5x4,matches=1,stages=7/8,unpromoted_stages=1,warm_start={first}")
    entries = more.layout(game.grid, 0).entries
    after = runs.train(game, more, tmp_path / "after", seed=3)
    places = [np.flatnonzero(np.unpackbits(np.load(run.checkpoint / "learned.npy"))) for run in (before, after)]
    assert np.isin(places[0], places[1]).all() and places[0].max() > entries
    old, new = np.load(before.checkpoint / "weights.npy"), np.load(after.checkpoint / "weights.npy")
    assert np.mean(old == new[np.isin(places[1], places[0])]) > 0.5, "one match more changes only what it saw"
    assert after.rows()[-1]["matches"] == 1, "what the other run played is not counted"


@pytest.mark.parametrize("options", ["tuples=4x5", "tuples=5x4,stages=8", "tuples=5x4,initial_value=5", "tuples=lines"])
def test_tables_that_do_not_fit_are_refused_and_leave_no_folder(options, tmp_path):
    game, first = sw.game(GAME), tmp_path / "first"
    runs.train(game, runs.learner("ntuple:tuples=5x4,matches=2,stages=7"), first)
    with pytest.raises(SpielwerkError, match="do not fit"):
        runs.train(game, runs.learner(f"ntuple:{options},warm_start={first}"), tmp_path / "other")
    with pytest.raises(SpielwerkError, match="holds no run"):
        runs.train(game, runs.learner(f"ntuple:tuples=5x4,warm_start={tmp_path / 'nowhere'}"), tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_match_that_is_broken_off_is_not_over(tmp_path, monkeypatch):
    """With room for one move the last afterstate is the only one; it keeps its value instead of falling to 0."""
    monkeypatch.setattr(ntuple_workers, "LONGEST_EPISODE", 1)
    spec = "ntuple:tuples=5x4,matches=20,initial_value=1000"
    run = runs.train(sw.game(GAME), runs.learner(spec), tmp_path / "run")
    assert not np.unpackbits(np.load(run.checkpoint / "learned.npy")).any()


def test_values_beyond_all_bounds_end_nowhere(tmp_path):
    spec = "ntuple:tuples=5x4,matches=60,alpha=1000,tc=false,stages=5/6"
    run = runs.train(sw.game(GAME), runs.learner(spec), tmp_path / "run")
    assert run.rows()[-1]["matches"] == 60
    assert not np.isfinite(np.load(run.checkpoint / "weights.npy")).all()


# --- folders of older versions ---------------------------------------------------------------------------------------

OLD = {
    "tc": "coherence", "trace_decay": "mixture", "final_greedy_share": "calm", "exploratory_moves": "strays",
    "start_strategy": "begin", "strategy_after": "whole", "carousel_after": "carousel", "stages_after": "parting",
    "unpromoted_stages": "anew", "warm_start": "first", "initial_value": "optimism",
}  # fmt: skip


def test_a_run_of_an_older_version_goes_on(tmp_path):
    """Its config names options as they were called then, and its model the stages without promotion."""
    spec = "ntuple:tuples=5x4,tc=false,alpha=0.1,trace_decay=0.0,start_strategy=restart,stages=7/8,unpromoted_stages=1"
    learner = runs.learner(f"{spec},initial_value=100,matches=40")
    run = runs.train(sw.game(GAME), learner, tmp_path / "run", seed=9)
    config, old = run.config(), learner.spec
    for new, name in OLD.items():
        old = old.replace(f"{new}=", f"{name}=")
    assert old != learner.spec
    run.config_file.write_text(json.dumps(config | {"learner": old}))
    before = learned(run)
    assert run.learner() == learner
    assert learned(runs.resume(run.path)) == before
    more = runs.learner(f"{spec},initial_value=100,matches=41,warm_start={run.path}")
    assert more.why_not(sw.game(GAME)) is None


@pytest.mark.parametrize(("new", "old"), OLD.items())
def test_an_old_name_of_an_option_is_told_its_new_one(new, old):
    with pytest.raises(SpielwerkError, match=f"ntuple: option {old} is now called {new}"):
        runs.learner(f"ntuple:{old}=1")


def test_errors_are_said_in_the_reader_s_language(tmp_path):
    with speaking("de"):
        with pytest.raises(SpielwerkError, match="strategy_after braucht start_strategy=restart oder carousel"):
            runs.learner("ntuple:strategy_after=5")
        with pytest.raises(SpielwerkError, match=r"ist kein Lauf: config\.json fehlt"):
            runs.resume(tmp_path)
        with pytest.raises(SpielwerkError, match="ntuple kann Qwixx nicht lernen: Es nennt kein Raster"):
            runs.train(sw.game("qwixx"), runs.learner("ntuple"), tmp_path / "run")
