"""The studies of Kutsch (2017): they run, draw, and put the published numbers beside ours."""

import math
from types import SimpleNamespace

import pytest

from spielwerk import studies
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError, UnknownName
from spielwerk.studies.kutsch import search


def ignore(done, line):
    """A report that nobody reads."""


@pytest.fixture
def tiny(monkeypatch):
    """Agents that play at once."""
    spec = search._spec

    def small(name, options):
        return spec(name, options | {key: 1 for key in ("iterations", "max_nodes") if key in options})

    monkeypatch.setattr(search, "_spec", small)
    monkeypatch.setattr(search, "COLLECTOR", "mc:iterations=2,rollout_depth=5")
    monkeypatch.setattr(search, "REPEATS", 2)
    monkeypatch.setitem(search.MATCHES, "quick", 2)
    monkeypatch.setitem(search.STATES, "quick", 4)


def test_points_stand_beside_the_published_ones(tiny, tmp_path):
    rows = search.overview(ignore, tmp_path, "quick")["The agents of the thesis"]
    assert [row["thesis"] for row in rows] == [51521.0, 34713.0, 34713.0, 56989.0, 60060.0, 60197.0]
    assert all(row["from"] <= row["mean"] <= row["to"] for row in rows)
    assert (tmp_path / "figure.png").stat().st_size > 5000
    reports = []
    again = search.overview(lambda *told: reports.append(told), tmp_path, "quick")["The agents of the thesis"]
    assert (again, reports) == (rows, []), "what the folder holds is not played again"


def test_certainties_stand_beside_the_published_ones(tiny, tmp_path):
    rows = search.figure_14(ignore, tmp_path, "quick")["Figure 14"]
    assert [row["thesis"] for row in rows] == [48.1, 65.5]
    assert all(0 <= row["certainty %"] <= 100 for row in rows)
    assert (tmp_path / "figure.png").stat().st_size > 5000


def test_uct_visits_evenly(tmp_path):
    [rows] = search.table_1(ignore, tmp_path, "quick").values()
    visits = [row["uct"] for row in rows]
    assert max(visits) - min(visits) <= 2
    for name in ("uct", "uctn"):
        assert sum(row[name] for row in rows) == sum(row[f"thesis: {name}"] for row in rows) == 4000
    assert [row["thesis: mean points"] for row in rows] == [732, 823, 862, 1024]
    points = [row["mean points"] for row in rows]
    assert points == sorted(points)


SEARCHES = [name for name, part in studies.study("kutsch").parts.items() if part.__module__ == search.__name__]


@pytest.mark.parametrize("part", [name for name in SEARCHES if name not in ("figure-22", "table-1")])
def test_quick_scale_measures_the_same_quantity(part, tmp_path, monkeypatch):
    """Quick may take fewer matches and points, but the agents are those of full scale under the same labels."""
    asked = {"quick": {}, "full": {}}

    def measure(found):
        def measured(game, spec, **options):
            number = options.get("seed", len(found))
            found[number] = (spec, options.get("repeats"), options.get("collector"), options.get("per_group"))
            return SimpleNamespace(mean=1.0, ci95=None, groups=[], states=0)

        return measured

    rows = {}
    for scale, found in asked.items():
        monkeypatch.setattr(search, "evaluate", measure(found))
        monkeypatch.setattr(search, "certainty", measure(found))
        [rows[scale]] = studies.part(f"kutsch-{part}")(ignore, tmp_path, scale).values()
    assert set(asked["quick"].values()) <= set(asked["full"].values())
    said = [{key: value for key, value in row.items() if key not in ("mean", "from", "to")} for row in rows["full"]]
    for row in rows["quick"]:
        assert {key: value for key, value in row.items() if key not in ("mean", "from", "to")} in said
    assert any(row["thesis"] for row in rows["quick"]), "no published value stands beside ours"


def test_certainty_is_measured_where_the_framework_measured_it():
    game = registry.game("2048")

    def kept(board):
        return search.conclusive(game.read(board).view(0))

    assert kept("2 4 8 16 / 2 4 8 32 / 4 2 8 2 / 2 4 2 .")
    assert not kept("2 4 8 16 / 2 4 8 32 / 4 2 8 2 / 2 4 2 8"), "no empty cell"
    assert kept("2 4 8 16 / 4 2 . . / . . . . / . . . .")
    assert not kept("2 4 8 16 / 2 . . . / . . . . / . . . ."), "more than ten empty cells"
    assert not kept("2 4 8 16 / 4 . . . / 8 . . 2 / 16 . 2 8"), "left and up are mirror images"
    assert search._per_action(search._mctse)(3) == "mctse:preset=kutsch,iterations=3000,max_nodes=500"


def test_figure_6_looks_at_points_alone(monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr(search, "_certainties", lambda *given: seen.extend(agent(2) for agent in given[4].values()))
    search.figure_6(ignore, tmp_path, "full")
    assert [registry.agent(spec).method for spec in seen] == [1, 1]


def test_playouts_get_shorter_towards_the_end(tiny, tmp_path):
    [[row]] = search.figure_22(ignore, tmp_path, "quick").values()
    assert 0 < row["shortest"] < row["mean"] < row["longest"]
    assert (tmp_path / "figure.png").stat().st_size > 5000


def test_full_scale_is_what_the_thesis_played():
    tree = f"iterations=3500,rollout_depth=150,tree_depth=10,k={math.sqrt(2)},final=max"
    for written, options in (
        (search._mc(), "mc:iterations=1000,rollout_depth=20,method=2"),
        (search._mcts(), f"mcts:{tree},selection=uct"),
        (search._mctse(), f"mctse:{tree},max_nodes=500,selection=uctn"),
    ):
        assert registry.agent(written) == registry.agent(options)
    with pytest.raises(SpielwerkError, match="unknown preset of mctse 'kutch': did you mean 'kutsch'"):
        registry.agent("mctse:preset=kutch")


@pytest.mark.parametrize("paper", registry.study_names())
def test_every_part_of_a_study_says_what_it_repeats(paper):
    study = studies.study(paper)
    assert study.title and study.source and study.parts
    for name, part in study.parts.items():
        assert (part.__doc__ or "").strip(), f"{paper}-{name} does not say what it repeats"
        assert studies.part(f"{paper}-{name}") is part


def test_a_paper_is_one_registration(monkeypatch):
    def table_7(report, out, scale):
        """What a third party repeats."""
        return {}

    papers = registry._registered["spielwerk.studies"]
    monkeypatch.setitem(papers, "kutsch-again", studies.Study("Somebody (2031)", "a journal", {"table-7": table_7}))
    assert studies.part("kutsch-again-table-7") is table_7
    monkeypatch.setitem(papers, "old", table_7)
    with pytest.raises(SpielwerkError, match=r"'old' is no spielwerk\.studies\.Study"):
        studies.study("old")


def test_a_part_that_does_not_exist_is_named():
    with pytest.raises(UnknownName, match="table or figure of kutsch 'table-9': did you mean 'table-"):
        studies.part("kutsch-table-9")
    with pytest.raises(UnknownName, match="unknown study 'kutsh-table-1': did you mean 'kutsch'"):
        studies.part("kutsh-table-1")
