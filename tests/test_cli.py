"""The command line: output, errors in one line, exit codes."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest

from spielwerk.cli import main
from spielwerk.cli.app import counted


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
    assert "playouts per legal action (1 to 1000000000)" in out
    assert "evaluations: kutsch, kutsch-text, net, ntuple, playout, standing\n" in out
    code, out, _ = cli("agents", "qwixx")
    assert "evaluations: net, playout, standing\n" in out


def test_rules_end_with_what_can_be_chosen(cli):
    code, out, _ = cli("rules", "jass")
    lines = [re.sub(r" {2,}", "|", line).strip() for line in out.splitlines()]
    assert code == 0
    sets = "multiplied modes, Weis: as today, Stöck, claiming, announcing"
    assert f"schieber|Schieber|as most people play: multiplied modes, Weis and Stöck|{sets}" in [
        line.rstrip("|") for line in lines
    ]
    counted = "weis|Weis|what runs and fours in a hand count|nothing, as-in-old-books, as-today|nothing"
    switch = "stoeck|Stöck|king and queen of trump in one hand count 20|no, yes|no"
    assert {counted, switch} <= {line.rstrip("|") for line in lines}
    assert "target|target|points that win the match|1 to 10000|2500" in [line.rstrip("|") for line in lines]
    assert "deck|cards|french (French), swiss (Swiss German)" in [line.rstrip("|") for line in lines]
    code, out, _ = cli("rules", "qwixx")
    assert "pad, shuffled, striped" in out


def test_a_match_is_played_and_replayed_with_other_cards(cli, tmp_path):
    kept = [tmp_path / "french.json", tmp_path / "swiss.json"]
    shared = ("play", "jass", "--agents", "random", "--variant", "server-deal", "--seed", "3", "--record")
    _, french, _ = cli(*shared, str(kept[0]))
    code, swiss, _ = cli(*shared, str(kept[1]), "--look", "deck=swiss")
    assert code == 0
    assert kept[0].read_bytes() == kept[1].read_bytes(), "no record knows how somebody looked at it"
    cards = r"\b[hdcs](?:[6-9]|10|[JQKA])\b"
    assert re.search(cards, french) and not re.search(cards, swiss)
    assert re.search(r"seat 1: (Ro|Ei|Sche|Schi)[6-9BUOKA]\n", swiss)
    _, shown, _ = cli("replay", str(kept[0]), "--look", "deck=swiss")
    assert re.search(r"seat 1: (Ro|Ei|Sche|Schi)[6-9BUOKA]\n", shown)
    _, asked, _ = cli("ask", "jass", str(kept[0]), "--agent", "random", "--look", "deck=swiss")
    assert re.search(r"random plays (Ro|Ei|Sche|Schi)[6-9BUOKA]\n", asked)
    code, _, err = cli(*shared, str(kept[1]), "--look", "deck=tarot")
    assert (code, "known are french, swiss" in err) == (2, True)


def test_a_person_writes_swiss_cards_or_the_notation(cli, monkeypatch):
    said = iter(["Rosen", "q"])
    monkeypatch.setattr("spielwerk.cli.terminal.console.input", lambda *_, **__: next(said))
    play = ("play", "jass", "--agents", "human,random,random,random", "--seed", "3", "--look", "deck=swiss")
    code, out, _ = cli(*play)
    assert code == 0 and "seat 1: Rosen\n" in out
    said = iter(["hearts", "q"])
    code, out, _ = cli(*play)
    assert code == 0 and "seat 1: Rosen\n" in out


def test_one_point_is_one_point():
    assert [counted(number, "point") for number in (0, 1.0, 2, 1_234_567.0, 2.5)] == [
        "0 points", "1 point", "2 points", "1,234,567 points", "2.5 points",
    ]  # fmt: skip


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
        (["evaluate", "2048", "random", "--plot", "nowhere/picture.png"], "there is no folder nowhere"),
        (["evaluate", "2048", "random", "--gmaes", "2"], "--games"),
        (["evaluate", "2048", "random", "--games", "many"], "--games"),
        (["evaluate", "2048"], "agent"),
        (["evalaute", "2048", "random"], "evaluate"),
        (["evaluate", "2048", "mc:iterations=1[/red]"], "not '1[/red]'"),
        (["evaluate", "2048", "mc:iterations=[bold]"], "not '[bold]'"),
        (["evaluate", "2048", "random", "--games", "-3"], "at least 1"),
        (["evaluate", "2048", "random", "--workers", "0"], "at least 1"),
        (["certainty", "2048", "random", "--workers", "0"], "at least 1"),
        (["evaluate", "2048", "random", "--store", "/dev/null/results.sqlite"], "name another with --store"),
        (
            ["evaluate", "2048", "mctse:tree_depth=100000000000000"],
            "option tree_depth goes from 1 to 1000, not 1000000",
        ),
        (["bench", "2048", "--seconds", "0"], "--seconds"),
        (["play", "2048", "--agents", "random", "--record", "nowhere/match.json"], "there is no folder nowhere"),
        (["study", "kutsch-table-1", "--out", "/dev/null/study"], "/dev/null/study"),
        (["play", "2048", "--agents", "random,greedy"], "2048 has 1 seat, but 2 agents were named"),
        (["play", "2048", "--quiet"], "leave out --quiet"),
        (["replay", "nothing.json"], "cannot read nothing.json"),
        (["replay", "7:1"], "no match 1 of run 7"),
        (["tune", "2048"], "name a game and an agent"),
        (["tune", "2048", "mctse"], "no parameters to tune"),
        (["tune", "--resume", "nowhere"], "holds no run"),
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


def test_a_solution_is_labelled_in_the_reader_s_language(cli, monkeypatch):
    monkeypatch.setenv("SPIELWERK_LANGUAGE", "de")
    assert "Bretter, die vorkommen können: 662" in cli("solve", "2048", "--variant", "2x2")[1]
    assert '"boards that can occur": 662' in cli("solve", "2048", "--variant", "2x2", "--json")[1]


def test_a_person_plays_in_the_terminal():
    """Abbreviations, a wrong move, an ambiguous one, a key, and stopping."""
    done = subprocess.run(
        [sys.executable, "-m", "spielwerk", "play", "2048", "--seed", "3"],
        input="jump\nle\nri\nup\ndown\na\nq\n",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert "unknown move 'jump'" in done.stdout
    played = [line.rpartition("q to stop): ")[2] for line in done.stdout.splitlines() if "q to stop" in line]
    assert [line for line in played if line in ("up", "down", "left", "right")] == [
        "left",
        "right",
        "up",
        "down",
        "left",
    ]
    assert "stopped" in played[-1]


def test_tuning_is_stopped_and_resumed_without_naming_it_again(cli, tmp_path):
    agent = "mctse:evaluation=kutsch,iterations=8,max_nodes=8,rollout_depth=3"
    few = ["--population", "4", "--games", "2", "--generations", "1"]
    folder = str(tmp_path / "run")
    code, out, _ = cli("tune", "2048", agent, *few, "--seconds", "0", "--out", folder)
    assert (code, f"spielwerk tune --resume {folder}" in out) == (0, True)
    code, out, _ = cli("tune", "--resume", folder)
    assert (code, "1 generation; best member" in out, "best.json" in out) == (0, True, True)


def test_a_terminal_without_unicode_shows_what_it_can():
    done = subprocess.run(
        [sys.executable, "-m", "spielwerk", "evaluate", "2048", "random", "--games", "3"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert re.search(r"mean .*\(.* \? .*\)", done.stdout)


def test_ctrl_c_keeps_the_match_so_far(tmp_path):
    file = tmp_path / "match.json"
    command = [sys.executable, "-m", "spielwerk", "play", "2048", "--seed", "3", "--record", str(file)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write("left\n")
    process.stdin.flush()
    said = ""
    while said.count("q to stop") < 2:
        said += process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    said += process.communicate(timeout=60)[0]
    assert f"the match so far is in {file}" in said.replace("\n", "")
    assert [event for event in json.loads(file.read_text())["events"] if isinstance(event, dict)] == [{"0": "left"}]


def test_ctrl_c_in_an_evaluation_says_how_to_go_on(cli, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("spielwerk.arena.evaluate.evaluate", interrupted)
    code, out, err = cli("evaluate", "2048", "random", "--json")
    assert (code, out) == (130, "")
    assert "--resume goes on" in err


def test_what_was_never_tried_has_no_value(cli):
    """JSON knows no nan."""
    code, out, _ = cli("ask", "2048", "2 4/8 .", "--variant", "2x2", "--agent", "mctse:iterations=1", "--json")

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    values = json.loads(out, parse_constant=refuse)["values"]
    assert (code, sorted(values), list(values.values()).count(None)) == (0, ["down", "right"], 1)


def test_seats_are_counted_from_one_for_people(cli, tmp_path):
    file = tmp_path / "match.json"
    code, out, _ = cli("play", "qwixx", "--agents", "random", "--seats", "2", "--seed", "3", "--record", str(file))
    assert code == 0
    assert re.findall(r"^seat (\d) \(random\)", out, re.M) == ["1", "2"]
    assert "seat 0" not in out.lower()
    assert {seat for event in json.loads(file.read_text())["events"] if isinstance(event, dict) for seat in event} == {
        "0",
        "1",
    }
    code, out, _ = cli("replay", str(file))
    assert "seat 0" not in out.lower()
    code, out, _ = cli("ask", "qwixx", str(file), "--agent", "random", "--seat", "2", "--json", "--at", "2")
    assert (code, json.loads(out)["seat"]) == (0, 1)
    code, _, err = cli("ask", "qwixx", str(file), "--agent", "random", "--seat", "3")
    assert (code, "seat 3 has nothing to decide" in err) == (2, True)


def test_boards_and_errors_in_another_language(cli, monkeypatch):
    monkeypatch.setenv("SPIELWERK_LANGUAGE", "de")
    code, out, _ = cli("ask", "2048", "2 4/8 .", "--variant", "2x2", "--agent", "random")
    assert (code, "0 Punkte" in out) == (0, True)
    code, _, err = cli("play", "2048", "--agents", "randm")
    assert (code, "meintest du 'random'?" in err) == (2, True)


def test_asking_compiles_before_the_clock_runs(cli, monkeypatch):
    from spielwerk.agents.mc import MonteCarlo
    from spielwerk.arena.warming import TRIFLE

    budgets, decide = [], MonteCarlo.decide

    def told(agent, view, budget, rng):
        budgets.append(budget)
        return decide(agent, view, budget, rng)

    monkeypatch.setattr(MonteCarlo, "decide", told)
    boards = "2 4 8 16/. 2 . 4/. . . ./. . . ."
    code, _, _ = cli("ask", "2048", boards, "--agent", "mc:iterations=5", "--seconds", "0.2")
    assert code == 0
    assert budgets[0] == TRIFLE and [budget.seconds for budget in budgets[1:]] == [0.2]
