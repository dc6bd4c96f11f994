"""The studies of Schubert (2023): they train, draw, and put the published numbers beside ours."""

import pytest

from spielwerk import studies
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.match import play
from spielwerk.games.clever.kernel import rules
from spielwerk.learn import run as runs
from spielwerk.studies.schubert import analysis, playing, prototype, whole_game

pytestmark = pytest.mark.xdist_group("clever")


def quiet(done, line):
    assert 0.0 <= done <= 1.0


@pytest.fixture
def tiny(monkeypatch):
    """Networks that have learned nothing yet."""
    few = "encoding=thesis,network=8,envs=4,n_steps=8,batch_size=16,n_epochs=1,tests=1,test_games=4"
    monkeypatch.setattr(prototype, "SMALL", few)
    for module in (prototype, whole_game, analysis):
        monkeypatch.setitem(module.MATCHES, "quick", 40)
    monkeypatch.setitem(prototype.STEPS, "quick", 64)


def test_the_prototype_with_more_dice_and_with_illegal_actions(tiny, tmp_path):
    rows = prototype.dice(quiet, tmp_path, "quick")["prototype"]
    assert [row["dice"] for row in rows] == [1, 2, 4] and [row["published"] for row in rows] == [None, 65.0, 80.0]
    forced = [row["forced no-ops per match"] for row in rows]
    assert 10 > forced[0] > forced[1] > forced[2] >= 0, "the more dice, the more often one fits"
    assert max(row["highest"] for row in rows) <= prototype.MOST
    rows = prototype.illegal(quiet, tmp_path, "quick")["illegal actions"]
    assert [row["illegal action"] for row in rows] == ["end", "penalty", "mask"]
    assert rows[0]["illegal actions per match"] <= 1 < rows[1]["illegal actions per match"]
    assert rows[0]["points"] <= rows[1]["points"] < rows[2]["points"], "nothing is learned yet: the mask is all"
    for name in ("points", "forced", "illegal"):
        assert (tmp_path / f"{name}.png").stat().st_size > 5000


def test_runs_go_on_where_they_were_and_other_options_are_refused(tiny, tmp_path):
    game = playing.table("yellow")
    first = playing.trained(tmp_path / "run", game, f"{prototype.SMALL},steps=64", quiet)
    before = first.rows()
    assert playing.trained(tmp_path / "run", game, f"{prototype.SMALL},steps=64", quiet).rows() == before
    with pytest.raises(SpielwerkError, match="other options"):
        playing.trained(tmp_path / "run", game, f"{prototype.SMALL},steps=128", quiet)


def test_forced_no_ops_are_counted_as_the_environment_counts_them():
    from spielwerk.core.position import Position

    game = playing.table("thesis")
    played = playing.matches(game, "random", 60)
    counted = playing.forced_no_ops(game, played)
    assert counted.sum() > 0
    for match, found in zip(played[:12], counted, strict=False):
        position, left, forced = game.opening(match.seed), iter(match.log.tolist()), 0
        assert isinstance(position, Position)
        while not position.settle().over:
            action = next(left)
            forced += position.state["phase"][0] == rules.PICK and position.legal(0) == (rules.PASS,)
            position.apply({0: action})
        assert forced == found


def test_histories_and_people_of_any_agent(tiny, tmp_path):
    found = whole_game.histories(quiet, tmp_path, "quick", agents="random")
    assert found["points"][1]["mean"] == 204.98 and 55 < found["points"][0]["mean"] < 75
    assert sum(found["share of the matches by forced no-ops"].values()) == pytest.approx(1.0)
    assert all((tmp_path / f"figure-{number}.png").stat().st_size > 5000 for number in (19, 20, 21, 22))
    rows = whole_game.people(quiet, tmp_path, "quick", agents="random,greedy")["points"]
    assert [row["mean"] for row in rows[2:]] == [175.75, 215.75, 204.98] and rows[0]["% above 175.75"] == 0
    assert (tmp_path / "people.png").exists()


def test_presets_are_the_published_ones_and_ours():
    game = playing.table("thesis")
    learner = runs.learner("ppo", "thesis")
    assert learner.why_not(game) is None and runs.learner("ppo", "thesis-small").why_not(game) is None
    assert (learner.envs * learner.n_steps, learner.batch_size, learner.n_epochs) == (2048, 128, 5)
    entropy = learner.schedules()["ent_coef"]
    phases = [0.1, 0, 0.1, 0, 0.1, 0]
    steps = [1.1, 2.8, 5.5, 8.9, 12.0, 15.5]  # millions, in the midst of each
    assert [entropy.at(1e6 * step / learner.steps) for step in steps] == phases


def test_every_sweep_names_options_that_exist():
    for option, (tried, said) in whole_game.SWEEPS.items():
        assert said and whole_game.BASE.get(option, "1") in tried
        for value in tried:
            options = ",".join(f"{k}={v}" for k, v in (whole_game.BASE | {option: value}).items())
            assert runs.learner(f"ppo:{options}").why_not(playing.table("thesis")) is None


def test_hyperparameters_and_the_final_agent(tiny, tmp_path, monkeypatch):
    few = {"steps": "64", "network": "8", "envs": "4", "n_steps": "8", "batch_size": "16", "test_games": "4"}
    monkeypatch.setattr(whole_game, "BASE", {"encoding": "thesis", **few})
    monkeypatch.setattr(whole_game, "SWEEPS", {"ent_coef": (("0", "0.1@0.67/0"), "said")})
    monkeypatch.setitem(whole_game.SWEEP_STEPS, "quick", 64)
    monkeypatch.setitem(whole_game.SWEEP_MATCHES, "quick", 20)
    found = whole_game.hyperparameters(quiet, tmp_path / "sweep", "quick")
    assert [row["ent_coef"] for row in found["ent_coef"]] == ["0", "0.1@0.67/0"]
    presets = runs.registry.learner_class("ppo").presets
    monkeypatch.setitem(presets, "thesis-small", {"encoding": "thesis", **few})
    monkeypatch.setitem(whole_game.PRESETS, "thesis-small", {"quick": 64})
    out = tmp_path / "schubert-final-quick"
    rows = whole_game.final(quiet, out, "quick")["final agent"]
    assert [(row["variant"], row["actions"]) for row in rows[1:]] == [
        (variant, actions) for variant in whole_game.VARIANTS for actions in ("drawn", "best")
    ]
    assert (out / "final.png").exists()
    other = tmp_path / "schubert-people-quick"
    other.mkdir()
    whole_game.people(quiet, other, "quick")
    assert not (other / "run").exists(), "the run of the part final is taken"


def test_analysis_adds_up(tiny, tmp_path):
    found = analysis.analysis(quiet, tmp_path, "quick")
    for row, areas in zip(found["points"], found["points by area"], strict=True):
        assert row["mean"] == pytest.approx(sum(value for name, value in areas.items() if name != "who"))
    for row in found["ratings, % of the matches"]:
        assert sum(value for name, value in row.items() if name != "who") == pytest.approx(100)
    spent = found["re-rolls spent by round"]
    assert len(spent) == 4 and 0 < sum(value for name, value in spent[0].items() if name != "who") <= 7
    assert (tmp_path / "analysis.png").stat().st_size > 5000
    assert analysis.short("net:model=/runs/some/one,temperature=1") == "net:model=one,temperature=1"
    assert analysis.RATED[1] == "140 to 159: a beginning"


def test_analysis_reads_records_of_any_table(tiny, tmp_path):
    records = tmp_path / "records"
    records.mkdir()
    alone, pair = registry.game("clever", 1, "official"), registry.game("clever", 2, "official")
    random = registry.agent("random")
    for seed in range(3):
        play(alone, [random], seed).save(records / f"alone-{seed}.json")
    made = play(pair, [random] * 2, 5)
    people = type(made.header)(**{**_fields(made.header), "agents": ["person", "random"]})
    type(made)(people, made.events, made.result).save(records / "pair.json")
    play(registry.game("2048"), [random], 1).save(records / "other.json")
    found = analysis.analysis(quiet, tmp_path, "quick", records=records)
    assert {row["who"]: row["matches"] for row in found["points"]} == {
        "random, official": 4, "person, official": 1,
    }  # fmt: skip
    [person] = [row for row in found["points"] if row["who"] == "person, official"]
    assert person["mean"] == made.result.scores[0]
    (tmp_path / "empty").mkdir()
    with pytest.raises(SpielwerkError, match="no record"):
        analysis.analysis(quiet, tmp_path, "quick", records=tmp_path / "empty")


def _fields(struct):
    return {name: getattr(struct, name) for name in struct.__struct_fields__}


def test_parts_are_commands(tmp_path):
    from typer.testing import CliRunner

    from spielwerk.cli.app import app

    assert studies.part("schubert-analysis") is analysis.analysis
    told = CliRunner().invoke(app, ["study", "schubert-dice", "--agents", "random", "--out", str(tmp_path)])
    assert told.exit_code != 0 and "takes no --agents" in str(told.exception or told.output)
