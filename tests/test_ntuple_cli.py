"""Training, asking, solving and studies from the command line."""

import json

import pytest
from typer.testing import CliRunner

import spielwerk as sw
from spielwerk.cli.app import app
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.match import play

BOARD = "2 4 8 16/. 2 . 4/. . . 2/. . . ."


def spielwerk(*arguments, text=None):
    found = CliRunner().invoke(app, list(arguments), input=text)
    if found.exception and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found.stdout


def test_train_then_ask(tmp_path):
    said = spielwerk("train", "2048", "ntuple:tuples=5x4,matches=30", "--out", str(tmp_path / "run"))
    assert f"ntuple:model={tmp_path / 'run'}" in said.replace("\n", "")
    answer = json.loads(spielwerk("ask", "2048", BOARD, "--agent", f"ntuple:model={tmp_path / 'run'}", "--json"))
    assert set(answer["values"]) == {"down", "left", "right"}  # up is not legal
    assert answer["move"] == max(answer["values"], key=answer["values"].get)


def test_the_shipped_model_answers_board_after_board():
    lines = spielwerk(
        "ask", "2048", "-", "--agent", "ntuple", "--json", text=f"{BOARD}\n\n{BOARD} score 100\n"
    ).splitlines()
    first, second = (json.loads(line) for line in lines)
    assert first["move"] == second["move"]
    assert second["values"]["down"] == pytest.approx(first["values"]["down"] + 100)
    assert min(first["values"].values()) > 10_000


def test_any_game_is_asked_from_a_record(tmp_path):
    record = play(sw.game("qwixx"), [sw.agent("random")] * 2, seed=3)
    record.save(tmp_path / "match.json")
    answer = json.loads(spielwerk("ask", "qwixx", str(tmp_path / "match.json"), "--agent", "greedy", "--json"))
    assert answer["move"] in sw.game("qwixx").spec.moves
    with pytest.raises(SpielwerkError, match="not of 2048"):
        spielwerk("ask", "2048", str(tmp_path / "match.json"))


@pytest.mark.parametrize("board", ["2 4 8", "3 . . ./. . . ./. . . ./. . . .", "1 . . ./. . . ./. . . ./. . . ."])
def test_boards_that_are_none_are_refused(board):
    with pytest.raises(SpielwerkError, match="2048"):
        sw.game("2048").read(board)


def test_solve_prints_the_exact_value():
    found = json.loads(spielwerk("solve", "2048", "--variant", "2x2", "--json"))
    assert found["expected points from the start"] == pytest.approx(66.964149)


def test_studies_are_listed():
    listed = spielwerk("study")
    for figure in (17, 25, 26, 27, 28, 29):
        assert f"kutsch-figure-{figure}" in listed
    with pytest.raises(SpielwerkError, match="quick or full"):
        spielwerk("study", "kutsch-figure-25", "--scale", "huge")
