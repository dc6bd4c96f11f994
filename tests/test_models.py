"""The store of models: where they are found, what is wrong with them, how they are saved and shipped."""

import hashlib
import importlib
import json
import os
import shlex
from pathlib import Path

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

import spielwerk as sw
from spielwerk.cli.app import app
from spielwerk.core import models, registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.models import Card, Kind, find, load, named, save
from spielwerk.games.jass.players import rules
from spielwerk.games.qwixx.players import pairvalue
from spielwerk.learn import run as runs
from spielwerk.learn.ship import ship
from spielwerk.nets import network
from spielwerk.search import ntuple_model

GAME = sw.game("2048", variant="2x2")
NUMBERS = Kind("numbers", lambda arrays: arrays["numbers"].tolist(), "spielwerk train {game} numbers", format=2)
KINDS = {kind.name: kind for kind in (network.KIND, ntuple_model.KIND, rules.KIND, pairvalue.KIND)}


def card(**facts):
    return Card(**{"kind": "numbers", "game": "2048", **facts})


def numbers(*values):
    return {"numbers": np.array(values)}


def content(source=None, game=GAME):
    return load(NUMBERS, game, source).content


def spielwerk(*arguments):
    found = CliRunner().invoke(app, list(arguments))
    if found.exception and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found.stdout


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The folder of models of an installed package that is not ours."""
    root = tmp_path / "site"
    folder = root / "their_game" / "weights"
    folder.mkdir(parents=True)
    info = root / "their_game-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-game\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[spielwerk.models]\ntheir-game = their_game.weights\n")
    monkeypatch.syspath_prepend(str(root))
    importlib.invalidate_caches()
    registry.model_folders.cache_clear()
    yield folder
    monkeypatch.undo()
    registry.model_folders.cache_clear()


# --- what is shipped -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(registry.model_folders()[0].glob("*.npz")), ids=lambda path: path.stem)
def test_every_shipped_model_has_a_card_and_is_the_one_that_it_describes(path):
    found = models.read_card(path)
    assert found is not None and found.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.what and found.trained.command and "MIT" in found.licence
    assert found.measured and all(each.command.startswith("spielwerk evaluate") for each in found.measured)
    assert found.kind in KINDS and found.format <= KINDS[found.kind].format
    seats = found.seats[0] if found.seats else None
    for variant in found.variants or sw.game(found.game).spec.variants:
        game = sw.game(found.game, seats, variant)
        assert find(KINDS[found.kind], game, path.stem) == path
        assert (find(KINDS[found.kind], game) == path) is not found.named_only


# --- find ------------------------------------------------------------------------------------------------------------


def test_a_third_party_ships_models_like_we_do(package):
    with pytest.raises(SpielwerkError, match="no numbers model is shipped"):
        find(NUMBERS, GAME)
    save(package, "theirs", card(), numbers(1))
    assert package in registry.model_folders() and registry.model_folders()[0].name == "models"
    assert content() == content("theirs") == [1]
    assert "theirs" in spielwerk("models")


def test_paths_come_before_your_models_and_these_before_shipped_ones(package, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(package, "model", card(), numbers(1))
    assert content("model") == [1]
    save(models.user_folder(), "model", card(), numbers(2))
    assert content("model") == [2]
    save(tmp_path / "elsewhere", "other", card(), numbers(3))
    assert content("elsewhere/other.npz") == [3]
    for place, value in (("model", 4), ("model/checkpoint.old", 5), ("model/checkpoint", 6)):
        Path(place).mkdir()
        assert content("model") != [value]
        models.write_arrays(Path(place) / "model.npz", numbers(value))
        assert content("model") == [value]
    assert content() == [1], "your own models are taken only if they are named"


def test_the_best_match_is_shipped_for_variant_and_seats(package):
    save(package, "all", card(), numbers(0))
    save(package, "board", card(variants=("2x2", "unknown")), numbers(1))
    save(package, "another", card(variants=("3x3",)), numbers(2))
    assert content() == content(game=sw.game("2048", variant="width=2,height=2")) == [1]
    assert content(game=sw.game("2048", variant="3x3")) == [2]
    assert content(game=sw.game("2048")) == [0]
    save(package, "a-likeness", card(variants=("3x3",), named_only=True), numbers(4))
    assert content(game=sw.game("2048", variant="3x3")) == [2]
    assert content("a-likeness", game=sw.game("2048", variant="3x3")) == [4]
    related = {"related_variants": property(lambda game: ("4x4", "3x3"))}
    whole = type(sw.game("2048"))
    other = type("Kin", (whole,), related)(variant="2x3")
    (package / "all.json").unlink()
    with pytest.raises(SpielwerkError, match=r"no numbers model is shipped for 2048 \(3x4\)"):
        content(game=sw.game("2048", variant="3x4"))
    assert content(game=other) == [2]  # for want of one of its own and of the first relative
    save(package, "pair", card(game="qwixx", seats=(2,)), numbers(3))
    assert content(game=sw.game("qwixx", 2)) == [3]
    with pytest.raises(SpielwerkError, match="spielwerk train qwixx numbers"):
        content(game=sw.game("qwixx", 3))


def test_what_is_missing_is_told_with_what_there_is(package):
    save(package, "there", card(), numbers(1))
    save(package, "of-another-game", card(game="jass"), numbers(1))
    with pytest.raises(SpielwerkError, match=r"'their'.*\(there\).*spielwerk train 2048 numbers"):
        find(NUMBERS, GAME, "their")
    with pytest.raises(SpielwerkError, match="did you mean 'there'"):
        named("theer")


# --- load ------------------------------------------------------------------------------------------------------------


def test_a_model_is_read_once_until_it_changes(tmp_path):
    path = save(tmp_path, "model", card(), numbers(1)).path
    first = load(NUMBERS, GAME, str(path))
    assert load(NUMBERS, GAME, str(path)) is first
    save(tmp_path, "model", card(), numbers(2), replace=True)
    assert content(str(path)) == [2]


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"kind": "letters"}, "kind letters, not numbers"),
        ({"game": "qwixx"}, "plays qwixx, not 2048; train one with: spielwerk train 2048 numbers"),
        ({"format": 3}, "format 3; this version reads up to 2: update"),
    ],
)
def test_models_that_are_not_meant_are_refused(facts, said, tmp_path):
    path = save(tmp_path, "model", card(**facts), numbers(1)).path
    with pytest.raises(SpielwerkError, match=said):
        content(str(path))


def test_damaged_models_are_named(tmp_path):
    path = save(tmp_path, "model", card(), numbers(*range(50))).path
    whole = path.read_bytes()
    for data in (b"", whole[:-9], whole[:100] + b"\x55" + whole[101:]):
        path.write_bytes(data)
        with pytest.raises(SpielwerkError, match=r"model\.npz is damaged.*--force"):
            content(str(path))
    path.with_suffix(".json").unlink()
    with pytest.raises(SpielwerkError, match=r"model\.npz is no numbers model"):
        content(str(path))
    path.write_bytes(whole)
    assert content(str(path)) == list(range(50)), "a file alone needs no card"


def test_a_card_that_cannot_be_read_hides_no_other_model(package):
    save(package, "broken", card(), numbers(1))
    save(package, "whole", card(), numbers(2))
    (package / "broken.json").write_text('{"kind": 7}')
    save(package, "last", card(), numbers(2))
    assert content() == [2]
    with pytest.raises(SpielwerkError, match=r"broken\.json cannot be read"):
        content("broken")
    with pytest.raises(SpielwerkError, match=r"broken\.json cannot be read"):
        spielwerk("models", "broken")
    assert "broken" in spielwerk("models") and "whole" in spielwerk("models")


# --- save ------------------------------------------------------------------------------------------------------------


def test_a_card_is_read_as_it_was_written(tmp_path):
    measured = models.Measured(agent="a", games=3, mean=1.5, ci95=(1.0, 2.0), command="c", seed=4)
    written = card(variants=("2x2",), seats=(1,), trained=models.Trained(learner="l", seed=1), measured=(measured,))
    saved = save(tmp_path, "model-1.2", written, numbers(1))
    assert models.read_card(saved.path) == saved.card == msgspec.structs.replace(written, digest=saved.card.digest)
    with np.load(saved.path, allow_pickle=False) as stored:
        assert stored["numbers"] == [1]


def test_names_are_not_taken_twice(tmp_path):
    save(tmp_path, "model", card(), numbers(1))
    with pytest.raises(SpielwerkError, match="--force"):
        save(tmp_path, "model", card(), numbers(2))
    for name in ("", ".hidden", "a/b", "a,b", "a b"):
        with pytest.raises(SpielwerkError, match="name of a model"):
            save(tmp_path, name, card(), numbers(2))
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["model.json", "model.npz"]


def test_nothing_is_pickled(tmp_path):
    with pytest.raises(TypeError, match="pickled"):
        save(tmp_path, "model", card(), {"numbers": np.array([object()])})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("replaced", [0, 1])
def test_a_kill_leaves_the_old_model_or_none(replaced, package, monkeypatch):
    """The kill comes before the first file takes its place, or between the two."""

    class Killed(BaseException):
        pass

    replace, left = os.replace, iter(range(replaced))

    def killed(*places):
        if next(left, None) is None:
            raise Killed
        replace(*places)

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", killed)
        with pytest.raises(Killed):
            save(package, "model", card(), numbers(1))
    assert not list(package.glob("*.json")) and not list(package.glob(".*"))
    with pytest.raises(SpielwerkError, match="no numbers model in 'model'"):
        content("model")
    save(package, "model", card(), numbers(2))
    assert content("model") == [2]


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SpielwerkError, match="cannot write"):
        save(tmp_path / "file", "model", card(), numbers(1))


# --- ship ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    return runs.train(GAME, runs.learner("ntuple:matches=2000,epsilon=0.1"), folder, seed=3)


def test_an_ntuple_run_is_shipped_with_what_was_measured(run):
    said = spielwerk("ship", str(run.path), "--as", "tiny", "--games", "300", "--seed", "8", "--licence", "MIT")
    found = named("tiny")
    assert found.path.parent == models.user_folder() and str(found.path) in said
    made = found.card
    assert (made.kind, made.game, made.variants, made.seats, made.licence) == ("ntuple", "2048", ("2x2",), (1,), "MIT")
    assert made.trained.matches == 2000 and made.trained.seconds is not None and made.trained.seed == 3
    assert made.trained.command == f"spielwerk train 2048 {made.trained.learner} --variant 2x2 --seed 3 --threads 1"
    [measured] = made.measured
    assert measured.agent == "ntuple:model=tiny" and measured.command in said
    again = json.loads(spielwerk(*shlex.split(measured.command)[1:], "--json"))
    assert (again["mean"], tuple(again["ci95"]), again["games"]) == (measured.mean, measured.ci95, 300)
    assert measured.mean > sw.evaluate(GAME, "random", games=300, seed=8).mean
    weights = ntuple_model.load(str(run.path), GAME).weights
    assert (ntuple_model.load("tiny", GAME).weights == weights).all()
    assert f"{measured.mean:,.1f} ±" in spielwerk("models", "--game", "2048")
    assert measured.command in spielwerk("models", "tiny")
    assert json.loads(spielwerk("models", "tiny", "--json"))["digest"] == made.digest


def test_a_run_is_shipped_for_those_who_name_it(run):
    spielwerk("ship", str(run.path), "--as", "likeness", "--games", "2", "--named-only")
    assert named("likeness").card.named_only
    assert "only where it is named" in spielwerk("models", "likeness")


def test_shipping_takes_no_name_twice_and_no_seed_of_the_training(run, tmp_path):
    first = ship(run.path, "tiny", games=2, to=tmp_path / "to")
    assert first.card.measured[0].seed == 1003
    assert first.card.measured[0].agent == f"ntuple:model={first.path}", "no name: the folder is not looked into"
    with pytest.raises(SpielwerkError, match="--force"):
        ship(run.path, "tiny", games=2, to=tmp_path / "to")
    with pytest.raises(SpielwerkError, match="trained with seed 3"):
        ship(run.path, "tiny", games=2, to=tmp_path / "to", seed=3, force=True)
    again = ship(run.path, "tiny", games=3, to=tmp_path / "to", force=True)
    assert again.card.digest == first.card.digest and again.card.measured[0].games == 3


def test_a_model_that_is_killed_while_it_is_measured_is_not_there(run, tmp_path):
    def killed(done, line):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ship(run.path, "tiny", games=5, to=tmp_path / "to", report=killed)
    assert not (tmp_path / "to").exists()


def test_what_learned_least_is_left_out(run, tmp_path):
    whole = ship(run.path, "whole", games=2)
    megabytes = 0.9 * whole.path.stat().st_size / 1e6
    small = ship(run.path, "small", games=2, trim={"megabytes": str(megabytes)})
    assert 0 < small.path.stat().st_size <= 1e6 * megabytes
    kept = ntuple_model.load("small", GAME)
    assert 0.0 < kept.notes["kept"] < 1.0 and "the better learned" in small.card.what
    before = ntuple_model.load("whole", GAME).weights
    assert set(np.unique(kept.weights)) < {0.0, *np.unique(before)}
    for trim, said in (
        ({"megabytes": "0.00001"}, "cannot be made smaller"),
        ({"stages": "2"}, "stages go from 1 to 1"),
        ({"megabytes": "much"}, "are numbers"),
        ({"sizes": "3"}, "unknown way to trim"),
    ):
        with pytest.raises(SpielwerkError, match=said):
            ship(run.path, "other", games=2, trim=trim)


def test_the_first_stages_can_be_shipped_alone(tmp_path):
    game = sw.game("2048")
    staged = runs.train(game, runs.learner("ntuple:tuples=5x4,matches=60,stages=6/7"), tmp_path / "run", seed=2)
    ship(staged.path, "all", games=2)
    ship(staged.path, "first", games=2, trim={"stages": "1"})
    every, first = (ntuple_model.load(name, game) for name in ("all", "first"))
    assert first.layout == every.layout.cut_to(0) and len(every.layout.stages) == 2
    assert (first.weights == every.weights[: every.layout.entries]).all()


@pytest.mark.slow
def test_a_pairtd_run_is_shipped(tmp_path):
    game = sw.game("qwixx", 2)
    taught = runs.train(
        game,
        runs.learner("pairtd:matches=400,warm_up=200,checkpoint_every=200,test_matches=20"),
        tmp_path / "run",
        seed=1,
    )
    made = ship(taught.path, "sheets", games=40).card
    assert (made.kind, made.game, made.variants, made.seats) == ("pairvalue", "qwixx", ("official",), (2, 3, 4, 5))
    [measured] = made.measured
    assert measured.opponents == "alphaqwixx" and measured.win_ci95[0] <= measured.win_share <= measured.win_ci95[1]
    assert made.trained.matches == 400 and "--opponents alphaqwixx" in measured.command
    again = sw.evaluate(game, "pairvalue:net=sheets", opponents="alphaqwixx", games=40, seed=measured.seed)
    assert (again.mean, again.win_share) == (measured.mean, measured.win_share)
    assert "against alphaqwixx" in spielwerk("models", "sheets")
    with pytest.raises(SpielwerkError, match="unknown way to trim"):
        ship(taught.path, "smaller", games=2, trim={"stages": "1"})


def test_a_learner_without_a_model_says_where_its_result_is(tmp_path):
    game = sw.game("qwixx", 2)
    spec = "evolve:population=6,group=2,generations=1,rounds=1"
    evolved = runs.train(game, runs.learner(spec), tmp_path / "run")
    with pytest.raises(SpielwerkError, match=r"evolve makes no model.*polynomial:strategy="):
        spielwerk("ship", str(evolved.path), "--as", "strategy")


def test_a_run_without_a_checkpoint_cannot_be_shipped(tmp_path):
    with pytest.raises(SpielwerkError, match="holds no run"):
        ship(tmp_path, "nothing")
    config = {"game": "2048", "variant": "2x2", "seats": 1, "learner": "ntuple", "seed": 0}
    runs.RunFolder(tmp_path).create(config)
    with pytest.raises(SpielwerkError, match="--resume"):
        ship(tmp_path, "nothing")
