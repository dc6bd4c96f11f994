"""Hints, reviews, arena jobs and learning curves of the web app."""

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any, ClassVar

import pytest
from fastapi.testclient import TestClient

from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.position import View
from spielwerk.learn import run as learn
from spielwerk.web import advice, messages
from spielwerk.web.advice import judged, judgement, milder, shown_unit, worth_a_look
from spielwerk.web.learning import learning_runs, thinned
from spielwerk.web.review import even_sample, worst_three
from test_web_api import begin, client, small_games, until  # noqa: F401
from web_games import Numbers


def until_done(ask: Any) -> dict[str, Any]:
    return dict(until(ask, lambda found: found["done"] >= 1))


# --- hints ---


def test_a_hint_first_says_where_then_what(client: TestClient) -> None:  # noqa: F811
    _, [mine] = begin(client, "2048", "me", seed=3)
    legal = {choice["action"] for choice in mine.look()["legal"]}
    where = mine.post("hint", step="where").json()
    assert where["actions"] == [] and len(where["look_at"]) >= 2
    assert where["look_at"] == sorted(where["look_at"]) and set(where["look_at"]) <= legal
    what = mine.post("hint", step="what").json()
    assert what["unit"] == "points" and {one["action"] for one in what["actions"]} == legal
    assert [one["rank"] for one in what["actions"]] == list(range(1, len(legal) + 1))
    assert what["actions"][0]["action"] in where["look_at"]
    assert all(one["value"] > 0 and one["low"] is None for one in what["actions"])  # expectimax computes, not samples


@dataclass(frozen=True)
class Sage(Agent):
    """Knows the chance to win of every action at once; what it says does not depend on the time it has."""

    name: ClassVar[str] = "sage"

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        values = tuple(0.9 - 0.4 * place for place in range(len(view.legal)))
        return Decision(view.legal[0], values=values, error=(0.1,) * len(view.legal), unit="win")


class Advised(Numbers):
    spec = replace(Numbers.spec, id="advised", ladder=(("easy", "random"), ("strongest", "sage")))


def test_hints_for_several_seats_speak_of_the_chance_to_win(client: TestClient) -> None:  # noqa: F811
    registry.register(Sage)
    registry.register(Advised)
    try:
        _, seats = begin(client, "advised", "me", "me", "random")
        for mine in seats:
            hint = mine.post("hint", step="what").json()
            assert (hint["unit"], hint["agent"], hint["seat"]) == ("win", "sage", mine.seat)
            assert [one["value"] for one in hint["actions"]] == pytest.approx([0.9, 0.5, 0.1])
            assert all(0 <= one["low"] <= one["value"] <= one["high"] <= 1 for one in hint["actions"])
            assert hint["actions"][0]["high"] == 1 and hint["actions"][-1]["low"] == 0  # no chance lies beyond
    finally:
        registry.unregister(Sage)
        registry.unregister(Advised)


@pytest.fixture
def view() -> Any:
    return registry.game("2048").new(3).view(0)


def test_values_that_are_no_points_are_only_ranked(view: Any) -> None:
    legal = view.legal
    decision = Decision(legal[1], values=tuple(float(i) for i in range(len(legal))), unit="worth")
    assert shown_unit(decision) == "rank"
    assert shown_unit(Decision(0)) == "rank"
    assert shown_unit(Decision(0, values=(math.nan, math.nan))) == "rank"
    assert shown_unit(Decision(0, values=(0.5,), unit="margin")) == "rank"
    actions = judged(view, decision, "rank")
    assert actions[0].action == legal[1] and all(one.value is None for one in actions)
    assert len(worth_a_look(actions)) == 2


def test_an_action_that_was_never_tried_has_no_value(view: Any) -> None:
    count = len(view.legal)
    decision = Decision(view.legal[0], values=(5.0, *[math.nan] * (count - 1)), error=(1.0, *[math.inf] * (count - 1)))
    certain = judged(view, Decision(view.legal[0], values=(5.0,) * count, error=(0.0,) * count), "points")
    assert all(one.value == 5.0 and one.low is None for one in certain)
    actions = judged(view, decision, "points")
    assert (actions[0].value, actions[0].low, actions[0].high) == (5.0, pytest.approx(3.04), pytest.approx(6.96))
    assert all(one.value is None and one.low is None for one in actions[1:])


@pytest.mark.parametrize(
    ("lost", "error", "verdict"),
    [
        (0.00, 0.001, "good"),
        (0.04, 0.001, "good"),
        (0.06, 0.001, "inaccuracy"),
        (0.11, 0.001, "mistake"),
        (0.20, 0.001, "blunder"),
        (0.20, 0.2, "good"),  # within the uncertainty
    ],
)
def test_a_verdict_is_a_threshold_on_the_chance_lost(view: Any, lost: float, error: float, verdict: str) -> None:
    legal = view.legal
    values = (0.6, 0.6 - lost, *[0.1] * (len(legal) - 2))
    decision = Decision(legal[0], values=values, error=(error,) * len(legal), unit="win")
    found = judgement(7, view, legal[1], decision, "win")
    assert (found.verdict, found.number) == (verdict, 7)
    assert found.lost == pytest.approx(lost) and found.value == 0.6
    assert judgement(7, view, legal[0], decision, "win").verdict == "best"


def level_contest(lost: float, spread: float) -> float:
    """By how much a loss lowers the chance to be ahead of an equal, for an outcome spread like the normal curve."""
    return NormalDist(0, spread).cdf(lost) - 0.5


def test_points_lost_alone_are_the_chance_lost_against_an_equal(view: Any) -> None:
    legal = view.legal
    assert view.score == (0.0,)
    spread = 450 * math.sqrt(2 / 10)  # of the difference between two means of ten matches
    for lost, verdict in ((20.0, "good"), (30.0, "inaccuracy"), (60.0, "mistake"), (300.0, "blunder")):
        values = (1000.0, 1000.0 - lost, *[0.0] * (len(legal) - 2))
        found = judgement(0, view, legal[1], Decision(legal[0], values=values), "points")
        assert found.share == pytest.approx(level_contest(lost, spread)) and found.verdict == verdict


@pytest.mark.parametrize(
    ("variant", "lost", "verdict"),
    [("server", 6.0, "good"), ("server", 12.0, "inaccuracy"), ("server", 20.0, "mistake"), ("server", 30.0, "blunder"),
     ("multipliers", 30.0, "inaccuracy")],
)  # fmt: skip
def test_a_lead_lost_is_weighed_against_the_spread_of_a_deal(variant: str, lost: float, verdict: str) -> None:
    asked = registry.game("jass", variant=variant).new(1)
    view = asked.view(asked.actors[0])
    values = (-40.0, -40.0 - lost, *[-90.0] * (len(view.legal) - 2))
    decision = Decision(view.legal[0], values=values, error=(1.0,) * len(values), unit="lead", within="in this deal")
    assert shown_unit(decision) == "lead"
    assert judgement(0, view, view.legal[1], decision, "lead").verdict == verdict


def test_the_milder_of_two_judgements_counts(view: Any) -> None:
    legal = view.legal

    def seen(lost: float, best: int = 0) -> messages.Judgement:
        values = [0.1] * len(legal)
        values[best], values[1 - best] = 0.6, 0.6 - lost
        return judgement(0, view, legal[1], Decision(legal[best], values=tuple(values), unit="win"), "win")

    assert milder(seen(0.2), seen(0.07)).verdict == "inaccuracy"
    assert milder(seen(0.12), seen(0.3)).verdict == "mistake"
    assert milder(seen(0.2), seen(0.05, best=1)).verdict == "best"


# --- review ---


def test_a_review_judges_every_decision_and_is_kept(client: TestClient) -> None:  # noqa: F811
    _, [mine] = begin(client, "cards", "me", "random", seed=2)
    assert client.post(f"/api/matches/{mine.match}/review").status_code == 409
    mine.play_on()
    review = until_done(lambda: client.post(f"/api/matches/{mine.match}/review").json())
    assert review["done"] == 1 and review["unit"] == "win" and review["judged"] == review["decisions"] == 3
    assert [one["seat"] for one in review["judgements"]] == [0, 0, 0]
    assert review["judgements"][-1]["verdict"] == "forced"
    assert all(place in range(3) for place in review["worst"])
    assert client.post(f"/api/matches/{mine.match}/review").json() == review


def test_after_a_move_was_taken_back_hint_and_review_are_of_what_was_played_instead(client: TestClient) -> None:  # noqa: F811
    _, [mine] = begin(client, "2048", "me", seed=3, variant="2x2")
    first, second = [choice["action"] for choice in mine.look()["legal"]][:2]
    mine.act(first)
    before = mine.post("hint", step="what").json()
    mine.post("undo")
    scene = mine.act(second)
    hint = mine.post("hint", step="what").json()
    assert {one["action"] for one in hint["actions"]} == {choice["action"] for choice in scene["legal"]}
    assert hint["number"] == before["number"] and hint["actions"] != before["actions"]
    mine.play_on()
    address = f"/api/matches/{mine.match}/review"
    old = until_done(lambda: client.post(address).json())
    assert mine.post("undo").json()["status"] == "playing"
    assert client.post(address).status_code == 409
    mine.act(mine.look()["legal"][-1]["action"])
    mine.play_on()
    new = until_done(lambda: client.post(address).json())
    moves = [
        next(iter(event.values()))
        for event in client.get(f"/api/matches/{mine.match}/record").json()["events"]
        if isinstance(event, dict)
    ]
    assert [one["move"] for one in new["judgements"]] == moves != [one["move"] for one in old["judgements"]]


def test_a_review_that_runs_while_a_move_is_taken_back_is_dropped(client: TestClient) -> None:  # noqa: F811
    _, [mine] = begin(client, "2048", "me", seed=3, variant="2x2")
    mine.play_on()
    assert client.post(f"/api/matches/{mine.match}/review").json()["done"] < 1
    mine.post("undo")
    store = client.app.state.services.hall.store  # type: ignore[attr-defined]
    store.keep_review(mine.match, "{}")  # what a review writes that ends at this very moment
    assert store.review(mine.match) is None
    mine.play_on()
    assert client.post(f"/api/matches/{mine.match}/review").json()["done"] < 1  # begins anew


def test_long_matches_are_sampled_evenly() -> None:
    decisions = [(n, 0, 0) for n in range(1000)]
    assert even_sample(decisions, 2000) == decisions
    sample = even_sample(decisions, 10)
    assert [n for n, _, _ in sample] == list(range(0, 1000, 100))
    assert worst_three([]) == []


# --- arena and learning ---


CONFIG = {"game": "2048", "variant": "4x4", "seats": 1, "learner": "ntuple", "seed": 0}


def test_learning_curves_come_from_the_run_folders(tmp_path: Path) -> None:
    assert learning_runs(tmp_path / "none") == []
    folder = tmp_path / "first"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG | {"learner": "no-such-learner"}))
    (folder / "log.jsonl").write_text('{"games": 1}\n{"games": 2}\n{"ga')
    [run] = learning_runs(tmp_path)
    assert (run.name, run.game, run.rows) == ("first", "2048", 2)
    assert run.problem and "no-such-learner" in run.problem
    assert (run.state, run.done) == ("running", None)
    assert thinned([float(n) for n in range(1000)], 11) == [0, 100, 200, 300, 400, 500, 599, 699, 799, 899, 999]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.json", "[1, 2]"), ("config.json", "{"), ("config.json", '{"game": "2048"}'),
        ("log.jsonl", "5\n"), ("log.jsonl", '{"matches": "many", "mean": []}\n'), ("log.jsonl", b"\xff\xfe\n"),
        ("progress.json", "[]"), ("progress.json", '{"done": "much"}'),
    ],
)  # fmt: skip
def test_a_broken_run_folder_says_so_and_hides_no_other(
    client: TestClient,  # noqa: F811
    tmp_path: Path,
    file: str,
    content: str | bytes,
) -> None:
    for name in ("good", "broken"):
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps(CONFIG))
        (folder / "log.jsonl").write_text('{"matches": 1, "mean": NaN}\n{"matches": 2, "mean": 7}\n')
    (tmp_path / "runs" / "broken" / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    runs = {run["name"]: run for run in client.get("/api/runs").json()}
    assert runs["good"]["problem"] is None and runs["good"]["lines"][0]["ys"] == [7.0]
    assert runs["broken"]["problem"]


def test_a_short_run_keeps_what_it_learned_and_is_seen_from_its_first_second(tmp_path: Path) -> None:
    """Stopped by the clock before its first regular check: it has a log line, a checkpoint, a curve and an agent."""
    learner = learn.learner("pairtd:matches=1000000,warm_up=1000,checkpoint_every=1000000,test_matches=4")
    seen: list[messages.LearningRun] = []

    def look(done: float, line: str) -> None:
        seen.extend(learning_runs(tmp_path))

    learn.train(registry.game("qwixx"), learner, tmp_path.with_suffix(".first"), seconds=0.2)  # compiles, on the clock
    folder = learn.train(registry.game("qwixx"), learner, tmp_path / "short", seconds=0.2, report=look)
    assert seen[0].state == "running" and seen[0].done is not None and seen[0].rows == 0
    [run] = learning_runs(tmp_path)
    assert (run.state, run.rows) == ("ended", 1) and "matches/s" in run.line and 0 < (run.done or 0) < 1
    assert run.problem is None and len(run.lines[0].xs) == 1 and run.lines[0].xs[0] >= 1000
    assert folder.checkpoint is not None
    registry.agent(learner.agent(folder)).require(registry.game("qwixx"))


def test_playouts_of_an_adviser_are_played_by_a_rule_that_does_not_search():
    game = registry.game("speed")
    guided = [spec for spec in advice._advisers(game) if "playouts" in spec]
    assert guided == ["mctse:objective=win,playouts=(blunder:agent=(area),share=0.0015)"]
