"""Damaged files: a store of results or a run folder in which something is wrong gets one clear line, never a traceback,
and what is whole stays usable."""

import json
import random
import shutil
import sqlite3

import pytest

from spielwerk.arena.evaluate import evaluate
from spielwerk.arena.store import Store
from spielwerk.arena.tournament import tournament
from spielwerk.cli import main
from spielwerk.core.errors import SpielwerkError
from spielwerk.web.jobs import Jobs


@pytest.fixture
def cli(capsys):
    """Run a command; returns (exit code, standard output, standard error). Everything else fails the test."""

    def run(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main(list(map(str, arguments)))
        said = capsys.readouterr()
        code = stopped.value.code or 0
        assert code in (0, 2), said.err
        if code == 2:
            told = [line for line in said.err.splitlines() if not line.startswith("spielwerk: compiling")]
            assert len(told) == 1 and told[0].startswith("error: ") and len(told[0]) > 20, said.err
        return code, said.out, said.err

    return run


# --- the store of results --------------------------------------------------------------------------------------------

ODD = [None, "", "abc", "{}", "[]", "[1]", "null", "NaN", "1" * 50, "[" * 100_000, '{"game": 7}', "²", -1, 2**62, 1e300]
ODD += [b"", b"\xff\xfe", b"\x78\x9c\x00", float("inf")]
COLUMNS = {
    "runs": ("kind", "config", "versions", "started", "finished", "summary"),
    "matches": ("seed", "agents", "scores", "results", "moves", "final", "seconds", "number"),
}


@pytest.fixture(scope="module")
def whole_store(tmp_path_factory):
    """Three runs: an evaluation, a tournament, and an evaluation that was not finished."""
    path = tmp_path_factory.mktemp("store") / "results.sqlite"
    with Store(path) as store:
        evaluate("2048", "random", games=2, variant="2x2", store=store)
        tournament("2048", ["random", "greedy"], rounds=1, variant="2x2", store=store)
        evaluate("2048", "random", games=3, variant="2x2", store=store)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("update runs set finished = null, summary = null where id = 3")
        connection.execute("delete from matches where run = 3 and number = 2")
    connection.close()
    return path


@pytest.fixture
def store(whole_store, tmp_path):
    return shutil.copy(whole_store, tmp_path / "copy.sqlite")


def damaged(path, table, column, value, run):
    key = "id" if table == "runs" else "run"
    connection = sqlite3.connect(path)
    try:
        with connection:
            connection.execute(f"update or ignore {table} set {column} = ? where {key} = ?", (value, run))
        return True
    except sqlite3.IntegrityError:  # the schema forbids nothing
        return False
    finally:
        connection.close()


def everything_that_reads(cli, path):
    yield cli("runs", "--store", path)
    for run in (1, 2, 3):
        yield cli("replay", f"{run}:0", "--check", "--store", path)
    again = ("evaluate", "2048", "random", "--games", 3, "--variant", "2x2", "--resume", "--store", path)
    yield cli(*again)
    again = ("tournament", "2048", "random", "greedy", "--rounds", 1, "--variant", "2x2", "--resume", "--store", path)
    yield cli(*again)


QUICK_AND_THOROUGH = [pytest.param(False, id="quick"), pytest.param(True, id="thorough", marks=pytest.mark.slow)]


@pytest.mark.parametrize("thorough", QUICK_AND_THOROUGH)
@pytest.mark.parametrize(("table", "column"), [(table, column) for table in COLUMNS for column in COLUMNS[table]])
def test_every_value_of_a_store_may_be_odd(cli, whole_store, tmp_path, table, column, thorough):
    values = ODD if thorough else random.Random(column).sample(ODD, 3)
    for number, value in enumerate(values):
        path = shutil.copy(whole_store, tmp_path / f"{number}.sqlite")
        if damaged(path, table, column, value, 1 + number % 3):
            assert len(list(everything_that_reads(cli, path))) == 6


def test_a_damaged_run_is_listed_as_such_beside_the_others(cli, store):
    damaged(store, "runs", "config", "{}", 1)
    damaged(store, "runs", "summary", "[]", 2)
    code, out, _ = cli("runs", "--store", store)
    lines = out.splitlines()[1:]
    assert code == 0 and len(lines) == 3
    assert "damaged: Object missing required field `game`" in lines[0]
    assert "damaged: Expected `object`, got `array`" in lines[1]
    assert "not finished" in lines[2] and "2048" in lines[2]


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("seed", "abc", "'abc' is no seed"),
        ("moves", b"nonsense", "match 0 of run 1"),
        ("agents", "[" * 100_000, "nested too deeply"),
    ],
)
def test_a_damaged_match_is_named(cli, store, column, value, said):
    damaged(store, "matches", column, value, 1)
    code, _, err = cli("replay", "1:0", "--store", store)
    assert code == 2 and said in err and "is damaged" in err and "--store" in err
    assert cli("replay", "2:0", "--check", "--store", store)[0] == 0


def test_a_store_that_is_cut_off_or_no_file_at_all(cli, whole_store, tmp_path):
    data = whole_store.read_bytes()
    broken = random.Random(1)
    for number, size in enumerate((0, 1, 100, 4096, len(data) // 2, len(data) - 1)):
        path = tmp_path / f"{number}.sqlite"
        path.write_bytes(data[:size])
        assert len(list(everything_that_reads(cli, path))) == 6
    for number in range(8):
        path = tmp_path / f"bytes{number}.sqlite"
        changed = bytearray(data)
        for _ in range(30):
            changed[broken.randrange(len(changed))] = broken.randrange(256)
        path.write_bytes(changed)
        assert len(list(everything_that_reads(cli, path))) == 6
    (tmp_path / "folder.sqlite").mkdir()
    assert [code for code, _, _ in everything_that_reads(cli, tmp_path / "folder.sqlite")] == [2] * 6


def test_the_web_app_lists_a_damaged_run_as_failed(store):
    damaged(store, "runs", "config", "[]", 1)
    jobs = Jobs(store, 1)
    try:
        found = {job.id: job for job in jobs.all()}
        assert found["run-1"].state == "failed" and "Expected `object`" in found["run-1"].problem
        assert found["run-2"].state == "done"
        with pytest.raises(SpielwerkError, match="damaged"):
            jobs.wanted("run-1")
    finally:
        jobs.close()


def test_matches_that_were_lost_by_the_clock_are_read_again(tmp_path):
    """Such a result is minus infinity, which JSON does not know."""
    with Store(tmp_path / "r.sqlite") as store:
        evaluate("2048", "random", games=1, variant="2x2", store=store)
        store.connection.execute("update matches set results = '[-Infinity]'")
        from spielwerk.core import registry

        assert store.matches(1, registry.game("2048", variant="2x2"))[0].results == (-float("inf"),)


# --- run folders -----------------------------------------------------------------------------------------------------

LEARNERS = {
    "ntuple": ("2048", "ntuple:tuples=lines,matches=40", "2x2"),
    "cmaes": ("2048", "cmaes:tuned=(mctse:evaluation=kutsch,iterations=1),population=2,games=1,generations=1", "2x2"),
    "evolve": ("qwixx", "evolve:population=4,group=2,generations=2,rounds=1", "official"),
    "evolvetune": ("qwixx", "evolvetune:settings=2,generations=1,seeds=1,population=4,group=2,rounds=1", "official"),
}
ODD_FILES = [b"", b"{}", b"[]", b"null", b"abc", b"\xff\xfe\x00", b"[" * 100_000, b'{"seed": "abc"}', b"NaN"]


@pytest.fixture(scope="module", params=LEARNERS)
def whole_run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / request.param
    game, learner, variant = LEARNERS[request.param]
    with pytest.raises(SystemExit) as stopped:
        main(["train", game, learner, "--variant", variant, "--out", str(folder)])
    assert not stopped.value.code
    return folder


def files_of(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.name != "lock")


def everything_that_reads_a_run(cli, folder):
    yield cli("train", "--resume", folder)
    yield cli("ship", folder, "--as", "it", "--games", 1, "--to", folder.parent / "models", "--force")


@pytest.mark.parametrize("thorough", QUICK_AND_THOROUGH)
def test_every_file_of_a_run_may_be_damaged(cli, whole_run, tmp_path, monkeypatch, thorough):
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *args, **more: None)  # it takes most of the time
    chance = random.Random(2)
    for number, file in enumerate(files_of(whole_run)):
        whole = (whole_run / file).read_bytes()
        damages = [*ODD_FILES, whole[: len(whole) // 2], whole[:-1], None]
        for turn, content in enumerate(damages if thorough else chance.sample(damages, 1)):
            folder = shutil.copytree(whole_run, tmp_path / f"{number}-{turn}")
            (folder / file).unlink()
            if content is None:
                (folder / file).mkdir()  # a folder where a file is expected
            else:
                (folder / file).write_bytes(content)
            assert len(list(everything_that_reads_a_run(cli, folder))) == 2


@pytest.mark.parametrize(
    "change",
    [
        *({"seed": "abc"}, {"seed": -1}, {"seats": "two"}, {"seats": 10**30}, {"learner": 5}, {"learner": "nobody"}),
        *({"learner": "(" * 3000}, {"game": []}, {"game": "nothing"}, {"threads": 0}, {"variant": None}),
    ],
)
def test_odd_settings_of_a_run_are_named(cli, whole_run, tmp_path, change):
    folder = shutil.copytree(whole_run, tmp_path / "run")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | change))
    for code, _, err in everything_that_reads_a_run(cli, folder):
        assert code == 2
        assert "Traceback" not in err


def test_a_run_without_settings_says_what_to_do(cli, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    code, _, err = cli("train", "--resume", tmp_path)
    assert (code, "missing required field `game`" in err, "begin another one" in err) == (2, True, True)
