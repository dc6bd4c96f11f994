"""The n-tuple network, its files, its learner and its use in search."""

import itertools
import json
from types import SimpleNamespace

import numpy as np
import pytest

import spielwerk as sw
from spielwerk import testing
from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.game import Game
from spielwerk.core.grid import Grid, symmetries_of
from spielwerk.core.kernel.contract import actors, key
from spielwerk.core.kernel.rng import below, spawn
from spielwerk.core.linker import attach, kernel, specialise
from spielwerk.core.running import run_many
from spielwerk.core.spec import Spec
from spielwerk.games.twenty48.kernel import grid as kernel_grid
from spielwerk.learn import run as runs
from spielwerk.learn.ntuple_layout import lines, random_points, random_walk, tuples_of
from spielwerk.search import ntuple_model as models
from spielwerk.search.kernel.ntuple import indices, indices_by_cell, network_worth, present, value

# --- a second grid game: raise cells, chance resets one --------------------------------------------------------------


@kernel
def pile_start(s, seats, options):
    s.left = 4


@kernel
def pile_actors(s):
    if s.fall:
        return 0
    return -1 if s.left == 0 else 1


@kernel
def pile_legal(s, seat, out):
    for cell in range(3):
        out[cell] = cell
    return 3


@kernel
def pile_apply(s, joint):
    chosen = joint[0]
    s.piles[chosen] += 1
    alone = 1
    for cell in range(3):
        if cell != chosen and s.piles[cell] == s.piles[chosen]:
            alone = 0
    s.points += alone * s.piles[chosen]
    s.left -= 1
    s.fall = 1


@kernel
def pile_chance(s, rng):
    pile_happen(s, below(rng, 3))


@kernel
def pile_score(s, out):
    out[0] = s.points


@kernel
def pile_outcomes(s, ids, probs):
    for cell in range(3):
        ids[cell] = cell
        probs[cell] = 1.0 / 3.0
    return 3


@kernel
def pile_happen(s, outcome):
    s.points += s.piles[outcome]
    s.piles[outcome] = 0
    s.fall = 0


@kernel
def pile_cells(s, top, out):
    for cell in range(3):
        out[cell] = min(s.piles[cell], top)
    out[3] = s.left


class Piles(Game):
    """Raise one of three piles; a pile that is alone in its height counts; then a random pile falls down and counts,
    also after the last move."""

    spec = Spec(
        id="piles", title="Piles", summary="A tiny grid game.", seats=(1,), moves=("left", "middle", "right"), widest=3,
        longest=8, scale=10.0, chance=True, outcomes=3,
    )  # fmt: skip
    State = np.dtype([("piles", np.int8, (3,)), ("left", np.int8), ("points", np.int32), ("fall", np.int8)])
    kernel = SimpleNamespace(
        start=pile_start, actors=pile_actors, legal=pile_legal, apply=pile_apply, chance=pile_chance, score=pile_score,
        outcomes=pile_outcomes, happen=pile_happen, cells=pile_cells,
    )  # fmt: skip

    @property
    def grid(self):
        return Grid(1, 4, 5, symmetries=((0, 1, 2, 3), (2, 1, 0, 3)))


# --- networks --------------------------------------------------------------------------------------------------------


@kernel
def active_entries(states, top, plan, base, out):
    return indices(states[0], top, plan, base, out)


@kernel
def value_at(states, network, out):
    return value(states[0], network, out)


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    """A network that has learned a little on the full board."""
    folder = tmp_path_factory.mktemp("ntuple") / "run"
    return runs.train(sw.game("2048"), runs.learner("ntuple:tuples=5x4,matches=400"), folder, seed=3)


@pytest.mark.parametrize("name", ["4x6", "8x6", "5x4", "5x6+"])
def test_the_quick_way_sees_the_same_entries_as_the_generic_one(name):
    game = sw.game("2048")
    grid, tuples = game.grid, game.grid.tuple_sets[name]
    layout = models.Layout(4, 4, 16, tuples)
    quick = models.network(grid, layout, np.zeros(1, np.float32))
    slow = models.network(Grid(4, 4, 16, grid.symmetries), layout, np.zeros(1, np.float32))
    count = layout.active(grid)
    out = np.zeros((2, count + 16), np.int64)
    ways = [
        specialise(active_entries, game, indices=grid.indices),
        specialise(active_entries, game, indices=indices_by_cell),
    ]
    for position in testing.random_walk(game, seed=8, most=60):
        for way, network, row in zip(ways, (quick, slow), out, strict=True):
            assert way(position.state, network.top, network.plan, network.base, row) == count
        assert sorted(out[0, :count]) == sorted(out[1, :count]), position.text


def test_symmetric_boards_have_the_same_value(small_run):
    game = sw.game("2048")
    agent = sw.agent(f"ntuple:model={small_run.path}")
    rows = [[2, 4, 8, 16], [4, 0, 2, 0], [2, 0, 0, 0], [2, 64, 0, 32]]
    best = set()
    for quarter in range(4):
        for board in (np.rot90(rows, quarter), np.rot90(rows, quarter)[:, ::-1]):
            position = game.read("/".join(" ".join(map(str, row)) for row in board))
            best.add(round(max(agent.decide(position.view(0), sw.Budget(), spawn(0)).values), 2))
    assert max(best) - min(best) < 0.1


def test_a_later_stage_begins_with_what_the_one_before_has_learned():
    game = sw.game("2048")
    layout = models.Layout(4, 4, 16, game.grid.tuple_sets["5x4"], stages=((5,), (5, 4)))
    weights = models.new_weights(layout)
    weights[: layout.entries] = 1.0
    network = models.network(game.grid, layout, weights)
    total = specialise(value_at, game, **models.functions(game.grid))
    out = np.zeros(1024, np.int64)
    early, middle, late = (game.read(text + " . . ./" + "/".join([". . . ."] * 3)) for text in ("16", "32", "32"))
    late = game.read("32 16 . ./" + "/".join([". . . ."] * 3))
    assert [total(p.state, network, out) for p in (early, middle, late)] == [40.0, 40.0, 40.0]
    weights[layout.entries : 2 * layout.entries] = 2.0
    assert [total(p.state, network, out) for p in (early, middle, late)] == [40.0, 80.0, 80.0]
    weights[2 * layout.entries :] = 3.0
    assert [total(p.state, network, out) for p in (early, middle, late)] == [40.0, 80.0, 120.0]
    later = game.read("64 . . ./" + "/".join([". . . ."] * 3))
    assert total(later.state, network, out) == 120.0, "two tiles that merged do not lead back"


def test_a_stage_without_promotion_knows_nothing_of_the_one_before(tmp_path):
    tuples = sw.game("2048").grid.tuple_sets["5x4"]
    layout = models.Layout(4, 4, 16, tuples, stages=((7,), (8,), (8, 7)), initial=2.0, unpromoted=1)
    weights = models.new_weights(layout).reshape(4, -1)
    weights[0, :3], weights[1, 1], weights[3, 2] = (5.0, 6.0, 7.0), 8.0, 9.0
    assert np.isnan(weights[1:3]).sum() == weights[1:3].size - 1
    models.save(tmp_path / "model.npz", layout, weights.reshape(-1))
    loaded = models.load(str(tmp_path / "model.npz"), sw.game("2048"))
    assert loaded.layout == layout
    found = loaded.weights.reshape(4, -1)
    assert found[:, :4].tolist() == [[5, 6, 7, 2], [5, 8, 7, 2], [5, 8, 7, 2], [2, 2, 9, 2]]
    assert (found[:, 4:] == 2.0).all()
    assert [layout.cut_to(stages).unpromoted for stages in range(4)] == [0, 0, 0, 1]


def test_a_model_of_the_first_format_is_read(tmp_path):
    """There the number of stages without promotion had another name."""
    layout = models.Layout(4, 4, 16, ((0, 1), (2, 3)), stages=((7,), (8,)), unpromoted=1)
    models.save(tmp_path / "new.npz", layout, models.new_weights(layout))
    with np.load(tmp_path / "new.npz") as file:
        parts = dict(file)
    head = json.loads(parts["head"].tobytes())
    head["format"], head["layout"]["anew"] = 1, head["layout"].pop("unpromoted")
    parts["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
    np.savez(tmp_path / "old.npz", **parts)
    assert models.load(str(tmp_path / "old.npz"), sw.game("2048")).layout == layout


def test_high_tiles_are_seen_at_a_glance():
    game = sw.game("2048")
    seen = specialise(present_at, game, **models.functions(game.grid))
    out = np.zeros(64, np.int64)
    for row in itertools.product([0, 4, 11, 12, 13, 14, 15], repeat=4):
        if not any(row):
            continue
        board = " ".join(str(2**power) if power else "." for power in row)
        position = game.read("/".join([". . . ."] * 3) + "/" + board)
        for lowest in (3, 12):
            expected = sum(1 << power for power in set(row) if power >= lowest)
            assert seen(position.state, 15, lowest, out) == expected


def test_stages_part_after_so_many_moves(tmp_path):
    game = sw.game("2048")
    for millions, fresh in (("0", False), ("1", True)):
        learner = runs.learner(f"ntuple:tuples=5x4,matches=60,stages=7/8,stages_after={millions}")
        run = runs.train(game, learner, tmp_path / millions, seed=1)
        entries = learner.layout(game.grid, 1).entries
        learned = np.unpackbits(np.load(run.checkpoint / "learned.npy"), count=3 * entries)
        assert learned[:entries].any()
        assert learned[entries:].any() != fresh
        weights = models.load(str(run.path), game).weights.reshape(3, entries)
        assert np.isfinite(weights).all()
        assert np.array_equal(weights[0], weights[1]) == fresh


def test_matches_are_whole_until_restarts_set_in(tmp_path):
    game = sw.game("2048")

    def played(options):
        run = runs.train(game, runs.learner(f"ntuple:tuples=5x4,seconds=0,{options}"), tmp_path / options, seed=1)
        return [(row["matches"], row["moves"]) for row in run.rows()][-1], weights_of(run)

    (_, moves), plain = played("matches=400")
    assert moves < 1_000_000
    _, whole = played("matches=400,start_strategy=restart,strategy_after=1")
    assert np.array_equal(plain, whole)
    _, restarted = played("matches=400,start_strategy=restart")
    assert not np.array_equal(plain, restarted)
    (_, moves), _ = played("matches=1500")
    (_, more), _ = played("matches=1500,start_strategy=restart,strategy_after=1")
    assert more > 1.2 * moves > 1_200_000  # matches that begin in the middle are not counted, their moves are


@kernel
def present_at(states, top, lowest, out):
    return present(states[0], top, lowest, out)


@kernel
def cells_at(states, top, out):
    return kernel_cells(states[0], top, out)


from spielwerk.core.kernel.contract import cells as kernel_cells  # noqa: E402


@pytest.mark.parametrize(
    ("board", "top", "seen"),
    [
        ("65536 32768 16384 2", 15, [15, 14, 13, 1]),  # 8192 is missing: everything above it is halved
        ("65536 4 2 .", 15, [15, 2, 1, 0]),
        ("32768 16384 8 .", 15, [15, 14, 3, 0]),  # fits
        ("32768 16384 8 .", 14, [14, 13, 3, 0]),
        ("131072 65536 2 2", 14, [14, 13, 1, 1]),
        ("8 4 2 .", 2, [2, 2, 1, 0]),  # nothing is missing: no tile vanishes
    ],
)
def test_tiles_that_do_not_fit_are_downgraded(board, top, seen):
    game = sw.game("2048")
    position = game.read(board + "/" + "/".join([". . . ."] * 3))
    out = np.zeros(16, np.int64)
    specialise(cells_at, game)(position.state, top, out)
    assert list(out[:4]) == seen


def test_a_model_survives_its_file(tmp_path):
    layout = models.Layout(4, 4, 16, ((0, 1, 2), (4, 5, 6)), stages=((11,),), initial=2.5)
    weights = models.new_weights(layout)
    places = np.arange(0, len(weights), 37)
    weights[places] = np.linspace(-90_000, 90_000, len(places), dtype=np.float32)
    models.save(tmp_path / "model.npz", layout, weights, {"matches": 7})
    read = models.load(str(tmp_path), sw.game("2048"))
    assert read.layout == layout and read.notes == {"matches": 7}
    early, late = weights.reshape(2, -1)
    late = np.where(np.isnan(late), early, late)
    np.testing.assert_allclose(read.weights, np.concatenate([early, late]), rtol=1e-3, atol=0.1)


def test_no_cell_is_looked_up_outside_the_tables(small_run):
    game = sw.game("2048")
    for top in (-1, 0, 16):
        with pytest.raises(SpielwerkError, match=r"top goes from 1 to (15|63)"):
            sw.agent(f"ntuple:top={top}").policy(game)
    position = game.read("131072 65536 32768 2/" + "/".join([". . . ."] * 3))
    for top in ("none", "1", "14"):
        decision = sw.agent(f"ntuple:top={top},model={small_run.path}").decide(position.view(0), sw.Budget(), spawn(0))
        assert np.isfinite(decision.values).all()


def test_a_model_for_another_board_is_refused(small_run):
    with pytest.raises(Unfit, match="3 x 3"):
        sw.agent(f"ntuple:model={small_run.path}").policy(sw.game("2048", variant="3x3"))
    with pytest.raises(SpielwerkError, match="run folder"):
        sw.agent("ntuple:model=/nowhere").policy(sw.game("2048"))


# --- tuples ----------------------------------------------------------------------------------------------------------


def test_tuples_can_be_named_listed_or_drawn():
    grid = sw.game("2048").grid
    assert tuples_of("0.1.5+2.3", grid, 0) == ((0, 1, 5), (2, 3))
    assert tuples_of("walk.20x3", grid, 1) == tuples_of("walk.20x3", grid, 1) != tuples_of("walk.20x3", grid, 2)
    for walk in tuples_of("walk.30x5", grid, 1):
        assert len(set(walk)) == 5
        reached, rest = {walk[0]}, set(walk[1:])
        while rest and (near := {cell for cell in rest if reached & set(grid.neighbours(cell))}):
            reached, rest = reached | near, rest - near
        assert not rest, f"{walk} is not connected"
    with np.errstate(over="ignore"):
        assert random_points(grid, 3, spawn(4)) != random_walk(grid, 3, spawn(4))
    assert lines(sw.game("2048", variant="2x3").grid) == ((0, 1, 2), (0, 3), (1, 4), (0, 1, 3, 4))
    for wrong in ("5x9", "0.0.1", "0.99", "walk.3x99"):
        with pytest.raises(SpielwerkError):
            tuples_of(wrong, grid, 0)


def test_the_named_tuples_are_those_of_the_literature():
    """As the papers and the program of Guei write them; cells 10 to 14 as a to e."""
    known = {
        "4x6": "012345 456789 012456 45689a",
        "5x6": "012345 456789 012456 45689a 89abcd",
        "6x6": "012456 456789 012345 234569 01259a 345678",
        "7x6": "012456 456789 012345 234569 01259a 345678 134567",
        "8x6": "012456 456789 012345 234569 01259a 345678 134567 01489a",
        "2x7": "0123456 456789a",
        "3x7": "0123456 456789a 89abcde",
        "2x8": "01234567 456789ab",
        "4x5": "01234 45678 01245 45689",
        "5x4": "0123 4567 0145 1256 569a",
    }
    sets = dict(sw.game("2048").grid.tuple_sets)
    more = sets.pop("5x6+")
    assert more[:5] == sets["5x6"] and {len(cells) for cells in more[5:]} == {3, 4}
    for name, written in known.items():
        assert sets.pop(name) == tuple(tuple(int(cell, 16) for cell in cells) for cells in written.split()), name
    assert sets == {}


def test_boards_have_eight_or_four_symmetries():
    assert len(symmetries_of(4, 4)) == len(set(symmetries_of(3, 3))) == 8
    assert len(symmetries_of(3, 4)) == 4
    assert symmetries_of(2, 3)[0] == (0, 1, 2, 3, 4, 5)


# --- learning --------------------------------------------------------------------------------------------------------


def weights_of(run):
    return models.load(str(run.path), sw.game("2048")).weights


def test_training_is_a_function_of_its_seed_and_can_be_resumed(tmp_path):
    game, learner = sw.game("2048"), runs.learner("ntuple:tuples=5x4,matches=60")
    once = runs.train(game, learner, tmp_path / "once", seed=9)
    again = runs.train(game, learner, tmp_path / "again", seed=9, seconds=0.0)  # stops at once, with a checkpoint
    runs.resume(again.path)
    other = runs.train(game, learner, tmp_path / "other", seed=10)
    assert np.array_equal(weights_of(once), weights_of(again))
    assert not np.array_equal(weights_of(once), weights_of(other))
    assert again.rows()[-1]["matches"] == 60
    assert (once.path / "curve.png").stat().st_size > 1000


def test_a_killed_run_goes_on_from_its_checkpoint(tmp_path):
    game, learner = sw.game("2048"), runs.learner("ntuple:tuples=5x4,matches=60")

    def kill(done, line):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runs.train(game, learner, tmp_path / "run", seed=9, report=kill)
    runs.resume(tmp_path / "run")
    whole = runs.train(game, learner, tmp_path / "whole", seed=9)
    assert np.array_equal(weights_of(runs.RunFolder(tmp_path / "run")), weights_of(whole))


@pytest.mark.parametrize(
    "options",
    [
        "tc=false,alpha=0.1,trace_decay=0.0",
        "start_strategy=restart",
        "stages=7/8/8+7,start_strategy=carousel",
        "initial_value=5000",
        "epsilon=0.1",
    ],
)
def test_every_way_learns_something(options, tmp_path):
    game = sw.game("2048")
    run = runs.train(game, runs.learner(f"ntuple:tuples=5x4,matches=150,{options}"), tmp_path / "run", seed=1)
    points = [played.scores[0] for played in run_many(game, [sw.agent(f"ntuple:model={run.path}")], range(40))]
    assert np.mean(points) > 2500, options  # random play has 1,040


def test_threads_share_the_tables(tmp_path):
    game = sw.game("2048")
    run = runs.train(game, runs.learner("ntuple:tuples=5x4,matches=300"), tmp_path / "run", seed=1, threads=2)
    assert run.rows()[-1]["matches"] == 300
    points = [played.scores[0] for played in run_many(game, [sw.agent(f"ntuple:model={run.path}")], range(40))]
    assert np.mean(points) > 3500


@pytest.mark.slow
def test_another_grid_game_learns_its_optimum(tmp_path):
    """What chance gives after the last move is learned, too; the search sees it one decision deeper."""
    game = Piles()
    sw.register(Piles)
    try:
        run = runs.train(game, runs.learner("ntuple:tuples=0.1.2.3,matches=20000"), tmp_path / "run", seed=2)
        first = game.new(0)
        exact = sw.agent("expectimax:depth=5").decide(first.view(0), sw.Budget(), spawn(0))
        learned = sw.agent(f"ntuple:model={run.path}").decide(first.view(0), sw.Budget(), spawn(0))
        assert max(learned.values) == pytest.approx(max(exact.values), rel=0.05)
    finally:
        from spielwerk.core.registry import unregister

        unregister(Piles)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["end", "difference"])
def test_the_thesis_way_learns_slowly(way, tmp_path):
    game = sw.game("2048", variant="3x3")
    options = "tuples=walk.10x3,symmetries=true,alpha=0.005,trace_decay=0.5,exploratory_moves=cut,matches=5000"
    spec = f"ntuple:learn={way},{options}"
    run = runs.train(game, runs.learner(spec, "thesis"), tmp_path / "run", seed=1)
    agents = [sw.agent(f"ntuple:model={run.path}"), sw.agent("random")]
    learned, at_random = (np.mean([p.scores[0] for p in run_many(game, [a], range(200))]) for a in agents)
    assert learned > 1.2 * at_random
    assert run.rows()[0]["epsilon"] > run.rows()[-1]["epsilon"] == 0.0


def test_the_collapse_of_the_thesis(tmp_path):
    """Traces through random moves that are not learned blow the values up; play is random when random moves end."""
    game = sw.game("2048")
    logs = {}
    for way in ("skipped", "cut"):
        spec = f"ntuple:matches=8000,final_greedy_share=0.4,exploratory_moves={way}"
        logs[way] = runs.train(game, runs.learner(spec, "thesis"), tmp_path / way, seed=0).rows()
    means = [row["mean"] for row in logs["skipped"]]
    assert max(means) > 2000 > 1500 > np.mean(means[-10:])  # random play has 1,040
    assert max(row["largest_weight"] for row in logs["skipped"]) > 0.1
    assert max(row["largest_weight"] for row in logs["cut"]) < 0.001
    assert np.mean([row["mean"] for row in logs["cut"]][-10:]) > 1.2 * np.mean(means[-10:])


def test_a_board_seen_from_one_side_has_an_entry_per_tuple(tmp_path):
    game = sw.game("2048")
    spec = "ntuple:tuples=0.1.2.3+4.5.6.7,symmetries=false,matches=200"
    run = runs.train(game, runs.learner(spec), tmp_path / "run", seed=1)
    model = models.load(str(run.path), game)
    assert model.layout.active(model.layout.fit(game)) == 2
    testing.check_policy(sw.agent(f"ntuple:model={run.path}"), game, seed=2)


def test_random_moves_teach_nothing_about_what_came_before(tmp_path):
    """With every move at random nothing but the last afterstate of a match is learned, and that one is worth 0."""
    game = sw.game("2048")
    run = runs.train(game, runs.learner("ntuple:tuples=5x4,epsilon=1.0,seconds=0.2"), tmp_path / "run", seed=1)
    assert run.rows()[-1]["matches"] > 10
    assert not weights_of(run).any()


def test_mistakes_are_named():
    for spec, said in [
        ("ntuple:start_strategy=carousel", "stages"),
        ("ntuple:learn=end", "tc=false"),
        ("ntuple:alpha=0", "alpha"),
        ("ntuple:stages_after=-1", "stages_after"),
        ("ntuple:trace_decay=2", "trace_decay"),
        ("ntuple:squash=true", "squash"),
        ("ntuple:exploratory_moves=skipped", "exploratory_moves"),
    ]:
        with pytest.raises(SpielwerkError, match=said):
            runs.learner(spec)
    assert runs.learner("ntuple").why_not(sw.game("qwixx")) == "it declares no grid"
    with pytest.raises(SpielwerkError, match="ascending"):
        runs.learner("ntuple:stages=14/13").layout(sw.game("2048").grid, 1)


# --- in search -------------------------------------------------------------------------------------------------------


def test_expectimax_of_one_ply_is_the_greedy_agent(small_run):
    game = sw.game("2048")
    greedy = sw.agent(f"ntuple:model={small_run.path}")
    search = sw.agent(f"expectimax:depth=1,evaluation=ntuple@{small_run.path}")
    for position in testing.random_walk(game, seed=3, most=40):
        if len(position.legal(0)) > 1:
            a, b = (agent.decide(position.view(0), sw.Budget(), spawn(1)) for agent in (greedy, search))
            assert a.values == pytest.approx(b.values)
            assert a.action == b.action


@pytest.mark.slow
def test_looking_ahead_helps(small_run):
    game = sw.game("2048")
    means = [
        np.mean([p.scores[0] for p in run_many(game, [sw.agent(spec)], range(30))])
        for spec in (f"ntuple:model={small_run.path}", f"expectimax:depth=2,evaluation=ntuple@{small_run.path}")
    ]
    assert means[1] > 1.2 * means[0]


def test_the_compiled_rule_decides_like_the_agent(small_run):
    game = sw.game("2048")
    testing.check_policy(sw.agent(f"expectimax:depth=2,evaluation=ntuple@{small_run.path}"), game, seed=2)
    testing.check_policy(
        sw.agent(f"expectimax:depth=2,extend_outcomes=6,evaluation=ntuple@{small_run.path}"), game, seed=2
    )
    testing.check_policy(sw.agent(f"ntuple:model={small_run.path}"), game, seed=2)


def test_threads_table_and_time_do_not_change_what_is_right(small_run, monkeypatch):
    game = sw.game("2048")
    position = game.read("2 4 8 16/4 8 16 32/8 16 32 64/. . 2 4")
    decide = lambda spec, **budget: sw.agent(spec).decide(position.view(0), sw.Budget(**budget), spawn(1))  # noqa: E731
    plain = decide(f"expectimax:depth=3,table=0,evaluation=ntuple@{small_run.path}")
    assert decide(f"expectimax:depth=3,evaluation=ntuple@{small_run.path}").values == pytest.approx(plain.values)
    assert decide(f"expectimax:depth=3,threads=2,evaluation=ntuple@{small_run.path}").values == pytest.approx(
        plain.values
    )
    deeper = decide(f"expectimax:depth=2,extend_outcomes=4,evaluation=ntuple@{small_run.path}")
    assert deeper.values == pytest.approx(plain.values)  # two empty cells or fewer after every move: one ply more
    deepest = decide(f"expectimax:depth=1,extend_outcomes=4/30/0,evaluation=ntuple@{small_run.path}")
    assert deepest.values == pytest.approx(plain.values)
    assert decide(f"expectimax:evaluation=ntuple@{small_run.path}", seconds=0.0).notes["depth"] == 1
    monkeypatch.setattr("spielwerk.agents.expectimax.DEEPEST", 3)
    timed = decide(f"expectimax:evaluation=ntuple@{small_run.path}", seconds=600.0)
    assert timed.notes["depth"] == 3
    assert timed.values == pytest.approx(plain.values)


def test_more_depth_where_chance_has_few_outcomes_is_written_as_numbers():
    for wrong in ("-1", "4/", "some", "²"):
        with pytest.raises(SpielwerkError, match="such as 6 or 8/4"):
            sw.agent(f"expectimax:extend_outcomes={wrong}")
    assert list(sw.agent("expectimax:extend_outcomes=8/0/4").deeper) == [8, 4]
    assert sw.agent("expectimax:extend_outcomes=8/4").spec == "expectimax:extend_outcomes=8/4"


def test_the_table_serves_only_evaluations_that_add_up(tmp_path):
    """A network that judges the end score knows no points so far: the same board is worth the same however it came."""
    game = sw.game("2048", variant="2x2")
    spec = "ntuple:learn=end,tuples=0.1+2.3,tc=false,alpha=0.01,matches=300"
    run = runs.train(game, runs.learner(spec), tmp_path / "run", seed=1)
    for evaluation, room in ((f"ntuple@{run.path}", 0), ("ntuple", 65536), ("standing", 65536), ("playout", 0)):
        agent = sw.agent(f"expectimax:depth=3,evaluation={evaluation}")
        assert len(agent.policy(game).weights.space.table_tags) == room, evaluation


@kernel
def key_at(states):
    return key(states[0])


def test_boards_with_the_largest_tiles_have_different_keys():
    game = sw.game("2048")
    rest = "/. . . ./. . . ./"
    boards = [
        f"65536 . . .{rest}2 . . .",
        f". 65536 . .{rest}4 . . .",
        f". . . .{rest}2 . . .",
        f". . . .{rest}4 . . .",
    ]
    assert len({specialise(key_at, game)(game.read(board).state) for board in boards}) == 4


def test_tree_search_takes_the_network_for_the_playout(small_run):
    game = sw.game("2048")
    position = game.read("2 4 8 16/4 8 . 32/8 . . 64/. . 2 4")
    agent = sw.agent(f"mctse:iterations=200,evaluation=ntuple@{small_run.path}")
    found = agent.decide(position.view(0), sw.Budget(), spawn(1))
    greedy = sw.agent(f"ntuple:model={small_run.path}").decide(position.view(0), sw.Budget(), spawn(1))
    assert found.action in position.legal(0)
    assert np.nanmax(found.values) == pytest.approx(max(greedy.values), rel=0.5)


@kernel
def reached(states):
    return helper(states)


@kernel
def helper(states):
    return actors(states[0])


def test_attached_kernels_are_kernels_again():
    game = sw.game("2048")
    quick, slow = (attach(network_worth, indices=way) for way in (kernel_grid.indices, indices_by_cell))
    assert quick is attach(network_worth, indices=kernel_grid.indices) is not slow
    assert attach(reached, indices=indices_by_cell) is reached  # nothing to replace
    assert specialise(reached, game)(game.new(0).state) == 1
