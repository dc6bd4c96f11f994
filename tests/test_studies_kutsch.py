"""The studies of Kutsch (2017): they run, draw, and put the published numbers beside ours."""

import pytest

from spielwerk.core import registry
from spielwerk.studies import kutsch_search


def ignore(done, line):
    """A report that nobody reads."""


@pytest.fixture
def tiny(monkeypatch):
    """Everything as small as it gets."""
    monkeypatch.setattr(kutsch_search, "QUICK_SHARE", 3500)
    monkeypatch.setitem(kutsch_search.MATCHES, "quick", 2)
    monkeypatch.setitem(kutsch_search.STATES, "quick", 4)
    monkeypatch.setitem(kutsch_search.REPEATS, "quick", 2)


def test_points_stand_beside_the_published_ones(tiny, tmp_path):
    rows = kutsch_search.overview(ignore, tmp_path, "quick")["The agents of the thesis"]
    assert [row["thesis"] for row in rows] == [51521.0, 34713.0, 56989.0, 60060.0, 60197.0]
    assert all(row["from"] <= row["mean"] <= row["to"] for row in rows)
    assert (tmp_path / "figure.png").stat().st_size > 5000
    reports = []
    again = kutsch_search.overview(lambda *told: reports.append(told), tmp_path, "quick")["The agents of the thesis"]
    assert (again, reports) == (rows, []), "what the folder holds is not played again"


def test_certainties_stand_beside_the_published_ones(tiny, tmp_path):
    rows = kutsch_search.figure_14(ignore, tmp_path, "quick")["Figure 14"]
    assert [row["thesis"] for row in rows] == [48.1, 65.5]
    assert all(0 <= row["certainty %"] <= 100 for row in rows)
    assert (tmp_path / "figure.png").stat().st_size > 5000


def test_uct_visits_evenly(tiny, tmp_path):
    [rows] = kutsch_search.table_1(ignore, tmp_path, "quick").values()
    visits = [row["uct"] for row in rows]
    assert max(visits) - min(visits) <= 2
    assert sum(row["uctn"] for row in rows) == 3500


def test_playouts_get_shorter_towards_the_end(tiny, tmp_path):
    [[row]] = kutsch_search.figure_22(ignore, tmp_path, "quick").values()
    assert 0 < row["shortest"] < row["mean"] < row["longest"]
    assert (tmp_path / "figure.png").stat().st_size > 5000


def test_full_scale_is_what_the_thesis_played():
    assert kutsch_search._mctse("full") == "mctse:iterations=3500,rollout_depth=150,tree_depth=10,max_nodes=500"
    assert kutsch_search._mc("full") == "mc:iterations=1000,rollout_depth=20"


def test_every_study_is_registered_with_a_sentence():
    names = [name for name in registry.study_names() if name.startswith("kutsch")]
    assert len(names) >= 25
    for name in names:
        assert (registry.study(name).__doc__ or "").strip(), f"{name} does not say what it repeats"
