"""Training, asking, solving and studies from the command line."""

import json

import pytest
from typer.testing import CliRunner

import spielwerk as sw
from spielwerk.cli.app import app
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.match import play
from spielwerk.core.models import find, read_card
from spielwerk.search.ntuple_model import KIND

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


@pytest.mark.parametrize("variant", sw.game("2048").spec.variants)
def test_every_shipped_model_has_a_true_card(variant):
    path = find(KIND, sw.game("2048", variant=variant))
    card = read_card(path)
    assert card.kind == "ntuple" and card.game == "2048" and card.variants == (variant,)
    assert path.stat().st_size < 40_000_000
    assert card.trained.command.startswith("spielwerk train 2048 ntuple") and "MIT" in card.licence
    assert card.measured[0].agent == "ntuple" and card.measured[0].games >= 1000


def test_any_game_is_asked_from_a_record(tmp_path):
    record = play(sw.game("qwixx"), [sw.agent("random")] * 2, seed=3)
    record.save(tmp_path / "match.json")
    answer = json.loads(spielwerk("ask", "qwixx", str(tmp_path / "match.json"), "--agent", "greedy", "--json"))
    assert answer["move"] in sw.game("qwixx").spec.moves
    with pytest.raises(SpielwerkError, match="not of 2048"):
        spielwerk("ask", "2048", str(tmp_path / "match.json"))


REST = "/. . . ./. . . ./. . . ."


@pytest.mark.parametrize(
    ("board", "said"),
    [
        ("", "4 rows of 4"),
        ("2 4 8", "has 3 in all"),
        ("2 " * 400, "has 400 in all"),
        ("2 4/. . . . . ./. . . ./. . . .", "other lengths"),
        ("3 . . ." + REST, "'3' is no tile"),
        ("1 . . ." + REST, "'1' is no tile"),
        ("-2 . . ." + REST, "'-2' is no tile"),
        ("² . . ." + REST, "is no tile"),
        ("262144 . . ." + REST, "is no tile"),
        ("2" * 5000 + " . . ." + REST, "is no tile"),
        (". . . ." + REST, "no tile on this board"),
        ("2 . . ." + REST + " score", "is no score"),
        ("2 . . ." + REST + " score -4", "is no score"),
        ("2 . . ." + REST + " score 99999999999", "is no score"),
    ],
)
def test_boards_that_are_none_are_refused(board, said):
    with pytest.raises(SpielwerkError, match=said) as refused:
        spielwerk("ask", "2048", "--agent", "random", "--", board)
    assert len(str(refused.value)) < 250


def test_boards_may_be_written_in_many_ways():
    boards = {
        sw.game("2048").read(text).view(0).text
        for text in (
            "2 4 8 16/. 2 . 4/. . . 2/. . . .",
            "2,4,8,16/0,2,0,4/0,0,0,2/0,0,0,0",
            "2 4 8 16\n. 2 . 4\n. . . 2\n. . . .\n",
            "| 2 | 4 | 8 | 16 |/| _ | 2 | _ | 4 |/| _ | _ | _ | 2 |/| _ | _ | _ | _ |",
            "2 4 8 16 - 2 - 4 - - - 2 - - - - Score 0",
        )
    }
    assert len(boards) == 1


def test_a_run_goes_on_as_it_was_begun(tmp_path):
    run = str(tmp_path / "run")
    spielwerk("train", "2048", "ntuple:matches=30", "--preset", "small", "--variant", "2x2", "--out", run)
    same = ["2048", "ntuple:matches=30", "--preset", "small", "--variant", "2x2", "--out", run, "--seed", "0"]
    for again in ([], ["2048", "ntuple"], same):
        assert "nothing was left to learn" in spielwerk("train", *again, "--resume", run)
    for other, said in (
        (["qwixx"], "game 2048"),
        (["2048", "ntuple:alpha=0.5"], "not ntuple:alpha=0.5"),
        (["--preset", "minutes"], "not ntuple:start_strategy=restart"),
        (["--variant", "3x3"], "variant 2x2"),
        (["--seed", "4"], "seed 0"),
        (["--out", run + "2"], "leave --out away"),
        (["--threads", "500"], "threads go from 1 to 256"),
    ):
        with pytest.raises(SpielwerkError, match=said):
            spielwerk("train", *other, "--resume", run)


def test_solve_prints_the_exact_value():
    found = json.loads(spielwerk("solve", "2048", "--variant", "2x2", "--json"))
    assert found["expected points from the start"] == pytest.approx(66.964149)


def test_studies_are_listed():
    listed = spielwerk("study")
    for figure in (17, 25, 26, 27, 28, 29):
        assert f"kutsch-figure-{figure}" in listed
    assert "Janetzki (2021)" in listed
    assert "Kutsch (2017)" in spielwerk("study", "kutsch") and "janetzki" not in spielwerk("study", "kutsch")
    with pytest.raises(SpielwerkError, match="quick or full"):
        spielwerk("study", "kutsch-figure-25", "--scale", "huge")
    with pytest.raises(SpielwerkError, match="table or figure of kutsch"):
        spielwerk("study", "kutsch", "figure-99")


def test_a_part_of_a_paper_is_one_word_or_two(tmp_path):
    first, second = (
        json.loads(spielwerk("study", *name, "--json", "--out", str(tmp_path)))
        for name in (["janetzki-figure-10"], ["janetzki", "figure-10"])
    )
    assert first == second and first["crossing a 5"]
