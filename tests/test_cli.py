"""The command line: output, errors in one line, exit codes."""

import json
import subprocess
import sys

import pytest

from spielwerk.cli import main


@pytest.fixture
def cli(capsys):
    """Run a command; returns (exit code, standard output, standard error)."""

    def run(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main(list(arguments))
        said = capsys.readouterr()
        return stopped.value.code or 0, said.out, said.err

    return run


def test_games_and_agents_are_listed(cli):
    code, out, _ = cli("games")
    assert code == 0
    assert "2048" in out
    code, out, _ = cli("agents", "2048")
    assert code == 0
    assert "playouts per legal action" in out


def test_evaluate_prints_one_object(cli):
    code, out, _ = cli("evaluate", "2048", "random", "--games", "20", "--seed", "3", "--json")
    assert code == 0
    found = json.loads(out)
    wanted = "game variant seats agent games seed mean sd ci95 median min max seconds decisions_per_second extras"
    assert set(wanted.split()) <= set(found)
    assert (found["game"], found["games"], found["seed"], found["agent"]) == ("2048", 20, 3, "random")


def test_tournament_prints_standings(cli):
    code, out, _ = cli("tournament", "2048", "random", "greedy", "--rounds", "5", "--json")
    assert code == 0
    for row in json.loads(out)["standings"]:
        assert {"agent", "matches", "win_share", "ci95", "mean_score"} <= set(row)


def test_tables_for_people(cli, tmp_path):
    code, out, _ = cli("evaluate", "2048", "random", "--games", "30", "--plot", str(tmp_path / "h.png"))
    assert code == 0
    assert "mean" in out
    assert "reached" in out
    assert (tmp_path / "h.png").stat().st_size > 5000
    code, out, _ = cli(
        "certainty", "2048", "random", "--states", "12", "--repeats", "4", "--plot", str(tmp_path / "c.svg")
    )
    assert code == 0
    assert "normalised certainty" in out
    assert (tmp_path / "c.svg").read_text().lstrip().startswith("<?xml")
    code, out, _ = cli("runs")
    assert "evaluate" in out


def test_a_match_is_recorded_checked_and_shown(cli, tmp_path):
    file = tmp_path / "match.json"
    code, out, _ = cli("play", "2048", "--agents", "greedy", "--seed", "3", "--record", str(file), "--quiet")
    assert (code, "points" in out) == (0, True)
    code, out, _ = cli("replay", str(file), "--check")
    assert (code, "ok:" in out) == (0, True)
    code, out, _ = cli("replay", str(file))
    assert "no move left" in out
    record = json.loads(file.read_text())
    record["events"][5] = {"0": "nowhere"} if isinstance(record["events"][5], dict) else "q"
    file.write_text(json.dumps(record))
    code, _, err = cli("replay", str(file), "--check")
    assert code == 2
    assert "event 6" in err


def test_a_stored_match_is_shown(cli, tmp_path):
    cli("evaluate", "2048", "random", "--games", "2")
    code, out, _ = cli("replay", "1:1", "--check", "--export", str(tmp_path / "r.json"))
    assert (code, "ok:" in out) == (0, True)
    code, out, _ = cli("replay", str(tmp_path / "r.json"), "--check")
    assert code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["evaluate", "2408", "random"], "did you mean '2048'"),
        (["evaluate", "2048", "randm"], "did you mean 'random'"),
        (["evaluate", "2048", "mc:iterations=x"], "takes a whole number"),
        (["evaluate", "2048", "random", "--variant", "4x5"], "unknown variant"),
        (["evaluate", "2048", "random", "--seats", "2"], "2 seats are not possible"),
        (["evaluate", "2048", "random", "--backend", "cloud"], "unknown backend"),
        (["evaluate", "2048", "random", "--games", "2", "--plot", "picture.xyz"], "cannot draw"),
        (["play", "2048", "--agents", "random,greedy"], "2 agents were named"),
        (["replay", "nothing.json"], "cannot read nothing.json"),
        (["replay", "7:1"], "no match 1 of run 7"),
        (["train", "2048", "cmaes"], "needs tuned=…"),
        (["train", "2048", "lernen"], "unknown learner"),
        (["train", "--resume", "nowhere"], "holds no run"),
        (["solve", "chess"], "unknown game with a solver"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_two(cli, arguments, said):
    code, _, err = cli(*arguments)
    assert code == 2
    assert said in err
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) == 1


def test_a_person_plays_in_the_terminal():
    """Abbreviations, a wrong move, an ambiguous one, and stopping."""
    done = subprocess.run(
        [sys.executable, "-m", "spielwerk", "play", "2048", "--seed", "3"],
        input="jump\nle\nri\nup\ndown\nq\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert "unknown move 'jump'" in done.stdout
    assert "seat 0: left" in done.stdout or "is not legal here" in done.stdout
    assert "stopped" in done.stdout


def test_boards_and_errors_in_another_language(cli, monkeypatch):
    monkeypatch.setenv("SPIELWERK_LANGUAGE", "de")
    code, out, _ = cli("ask", "2048", "2 4/8 .", "--variant", "2x2", "--agent", "random")
    assert (code, "0 Punkte" in out) == (0, True)
    code, _, err = cli("play", "2048", "--agents", "randm")
    assert (code, "meintest du 'random'?" in err) == (2, True)
