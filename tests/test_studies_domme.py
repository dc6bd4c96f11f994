"""The study of DommeAI: its parts run, draw, and put the study's words beside our figures."""

import json

import pytest

from spielwerk import studies
from spielwerk.studies.domme import looking, playing, tree
from spielwerk.studies.domme.common import SMALL, open_board, views_of_matches


def quiet(done, line=""):
    assert 0.0 <= done <= 1.0


@pytest.fixture
def tiny(monkeypatch):
    """Agents that look two moves ahead, and few of everything."""
    monkeypatch.setitem(looking.VIEWS, "quick", 2)
    monkeypatch.setitem(looking.SECONDS, "quick", (0.001, 0.01))
    monkeypatch.setitem(looking.DEEPEST, "quick", 3)
    monkeypatch.setitem(looking.BUDGETS, "quick", (100,))
    monkeypatch.setattr(looking, "OFFICIAL", SMALL)
    monkeypatch.setitem(playing.MATCHES, "quick", 2)
    monkeypatch.setitem(playing.WATCHED, "quick", 1)
    monkeypatch.setitem(playing.PLAYED, "quick", 20)
    monkeypatch.setitem(playing.DEPTHS, "quick", (1, 2))
    monkeypatch.setitem(playing.GAMMAS, "quick", (0.1,))
    monkeypatch.setattr(playing, "WHOLE", "dommeai:levels=2")
    monkeypatch.setattr(playing, "OFFICIAL", SMALL)
    monkeypatch.setattr(playing, "OFFICIAL_SIX", SMALL)
    short = {what: f"{spec},levels=2" for what, spec in (playing.WITHOUT | playing.OTHERWISE).items()}
    monkeypatch.setattr(playing, "WITHOUT", {what: short[what] for what in playing.WITHOUT})
    monkeypatch.setattr(playing, "OTHERWISE", {what: short[what] for what in playing.OTHERWISE})
    monkeypatch.setattr(tree, "OFFICIAL", SMALL)
    monkeypatch.setattr(tree, "LONG", 300)
    monkeypatch.setattr(tree, "SHORT", 30)
    for name, values in (("NODES", (50,)), ("SECONDS", (0.001,)), ("ROUNDS", 8), ("MATCHES", 2)):
        monkeypatch.setitem(getattr(tree, name), "quick", values)


PARTS = studies.study("domme").parts
SAID = {
    "levels": "a depth of 8 as usual",
    "sequences": "after 7 levels up to 78,125",
    "doubling": "it may not finish one level more",
    "depth": "the depth decides how good the solution is",
    "strategies": "both strategies improve the play",
    "gamma": "0.5 by default",
    "speeds": "a speed in the middle is aimed at",
    "simulator": "thousands of games per second",
    "kept-tree": "where a short limit follows a long one",
}


@pytest.mark.parametrize("name", PARTS)
def test_every_part_has_the_words_of_the_study_beside_its_figures(name, tiny, tmp_path):
    found = studies.part(f"domme-{name}")(quiet, tmp_path, "quick")
    assert SAID[name] in found["the study"]
    assert json.loads(json.dumps(found)) == found, "results are plain data"
    tables = [rows for rows in found.values() if isinstance(rows, list)]
    assert tables and all(rows for rows in tables)
    if name not in ("doubling", "simulator"):
        assert (tmp_path / "figure.png").stat().st_size > 5000


def test_what_was_played_is_not_played_again(tiny, tmp_path):
    found = playing.depth(quiet, tmp_path, "quick")
    reports = []
    assert playing.depth(lambda *told: reports.append(told), tmp_path, "quick") == found
    assert reports == []


def test_three_turns_to_one_side_collide(tmp_path, monkeypatch):
    monkeypatch.setitem(looking.DEEPEST, "quick", 3)
    rows = looking.sequences(quiet, tmp_path, "quick")["Sequences by level"]
    assert [row["the study: at most"] for row in rows] == [5, 25, 125]
    assert rows[2]["speed 6"] == 123, "all but three turns to the left or to the right"
    assert rows[2]["speed 3"] == 122, "and who slows down three times stands still"


def test_full_scale_plays_the_agents_of_quick_scale_and_more():
    for sizes in (playing.DEPTHS, playing.GAMMAS, looking.SECONDS, tree.NODES):
        assert set(sizes["quick"]) <= set(sizes["full"])


def test_views_to_think_about():
    view = open_board(4, rounds=5)
    assert (int(view.state["speed"][0, 0]), int(view.state["rounds"][0]), view.seat) == (4, 5, 0)
    views = views_of_matches(SMALL, 2, agent="dommeai:levels=1")
    assert [view.state.tobytes() for view in views] == [
        view.state.tobytes() for view in views_of_matches(SMALL, 2, agent="dommeai:levels=1")
    ]
