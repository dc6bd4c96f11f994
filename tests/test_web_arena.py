"""Evaluations and tournaments in the browser: live, stopped, interrupted, gone on with."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fastapi.testclient import TestClient

from spielwerk import evaluate, tournament
from spielwerk.arena.store import Store
from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.position import View
from test_web_advice import until_done
from test_web_api import client, open_client, small_games, until  # noqa: F401
from tiny_games import Nim

GATE = threading.Semaphore(0)


@dataclass(frozen=True)
class Gated(Agent):
    """Plays the first legal action; waits at the gate before its first decision of a match."""

    name: ClassVar[str] = "gated"

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        if len(view.legal) == 3:
            GATE.acquire(timeout=300)
        return Decision(view.legal[0])


@pytest.fixture(autouse=True)
def gate() -> Iterator[None]:
    global GATE
    GATE = threading.Semaphore(0)
    registry.register(Gated)
    yield
    GATE.release(10_000)
    for thread in threading.enumerate():
        if thread.name == "arena":  # whose server has ended; the next gate is not for it
            thread.join(60)
    registry.unregister(Gated)


def begin(client: TestClient, games: int = 12) -> tuple[str, dict[str, str]]:  # noqa: F811
    """The id of an evaluation, and the header with the token of who started it."""
    body = {"game": "cards", "agent": "gated", "opponents": "random", "games": games, "seed": 3}
    answer = client.post("/api/evaluations", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"]), {"X-Job-Token": answer.json()["token"]}


def played(job: dict[str, Any]) -> int:
    return int(job["result"]["games"]) if job["result"] else 0


def test_an_evaluation_and_a_tournament_run_in_the_background(client: TestClient) -> None:  # noqa: F811
    body = {"game": "2048", "variant": "2x2", "agent": "random", "games": 30}
    job = client.post("/api/evaluations", json=body).json()
    done = until_done(lambda: client.get(f"/api/jobs/{job['id']}").json())
    assert done["state"] == "done", done
    assert sum(done["result"]["histogram"]["counts"]) == 30
    cup = client.post("/api/tournaments", json={"game": "cards", "agents": ["random", "greedy"], "rounds": 3}).json()
    done = until_done(lambda: client.get(f"/api/jobs/{cup['id']}").json())
    assert {row["agent"] for row in done["result"]["standings"]} == {"random", "greedy"}
    assert {one["id"] for one in client.get("/api/jobs").json()} == {job["id"], cup["id"]}
    match = client.post(f"/api/jobs/{job['id']}/matches/0").json()["match"]
    assert client.get(f"/api/matches/{match}/frames/1").status_code == 200
    assert client.get("/api/jobs/none").status_code == 404
    twice = {"game": "2048", "agents": ["random", "random"]}
    assert client.post("/api/tournaments", json=twice).status_code == 400


def test_an_evaluation_shows_how_it_stands_while_it_runs(client: TestClient) -> None:  # noqa: F811
    job, _ = begin(client)

    def ask() -> dict[str, Any]:
        return dict(client.get(f"/api/jobs/{job}").json())

    assert until(ask, lambda found: found["state"] == "running")["result"] is None
    until(lambda: client.get("/api/jobs").json(), lambda jobs: [one["id"] for one in jobs] == [job])  # listed once
    for matches in (3, 7):
        GATE.release(matches - played(ask()))
        found = until(ask, lambda found, matches=matches: min(played(found), 12 * found["done"]) > matches - 0.5)  # type: ignore[misc]
        assert found["state"] == "running" and found["done"] == pytest.approx(matches / 12)
        assert sum(found["result"]["histogram"]["counts"]) == matches
        low, high = found["result"]["ci95"]
        assert low <= found["result"]["mean"] <= high
    GATE.release(100)
    done = until_done(ask)
    assert done["state"] == "done" and played(done) == 12


def test_a_tournament_shows_its_tables_while_it_runs(client: TestClient) -> None:  # noqa: F811
    body = {"game": "cards", "agents": ["gated", "random"], "rounds": 6, "seed": 3}
    job = client.post("/api/tournaments", json=body).json()["id"]

    def ask() -> dict[str, Any]:
        return dict(client.get(f"/api/jobs/{job}").json())

    GATE.release(4)
    found = until(ask, lambda found: bool(found["result"]) and found["result"]["standings"][0]["matches"] >= 4)
    assert found["state"] == "running"
    assert {row["agent"] for row in found["result"]["standings"]} == {"gated", "random"}
    cell = found["result"]["cross_table"][0]
    assert cell["win_ci95"][0] <= cell["win_share"] <= cell["win_ci95"][1]
    GATE.release(100)
    done = until_done(ask)["result"]
    whole = tournament("cards", ["gated", "random"], rounds=6, seed=3)
    assert [row["mean_score"] for row in done["standings"]] == [row.mean_score for row in whole.standings]


def test_a_result_tells_how_many_matches_differ(client: TestClient, tmp_path: Path) -> None:  # noqa: F811
    body = {"game": "nim", "agent": "expectimax:depth=1", "games": 6}
    registry.register(Nim)
    try:
        found = []
        for opening in (0, 3):
            job = client.post("/api/evaluations", json={**body, "opening": opening}).json()["id"]
            found.append(until_done(lambda job=job: client.get(f"/api/jobs/{job}").json())["result"])  # type: ignore[misc]
        assert [(one["distinct"], one["repeated"]) for one in found] == [(1, 5), (6, 0)]
        assert (found[0]["ci95"], found[1]["opening"]) == (None, 3)
        cup = {"game": "nim", "agents": ["expectimax:depth=1", "expectimax:depth=2"], "rounds": 3}
        job = client.post("/api/tournaments", json=cup).json()["id"]
        result = until_done(lambda: client.get(f"/api/jobs/{job}").json())["result"]
        assert (result["matches"], result["distinct"], result["repeated"]) == (6, 2, 4)
        for wrong in (-1, 1001):
            assert client.post("/api/evaluations", json={**body, "opening": wrong}).status_code == 422
    finally:
        registry.unregister(Nim)


def test_an_interrupted_run_goes_on_with_its_opening(tmp_path: Path) -> None:
    with open_client(tmp_path) as server:
        with Store(tmp_path / "results.sqlite") as store:
            whole = evaluate("cards", "random", opponents="greedy", games=12, opening=2, store=store)
            store.connection.execute("update runs set finished = null, summary = null")
            store.connection.execute("delete from matches where number > 4")
        [listed] = server.get("/api/jobs").json()
        assert listed["state"] == "interrupted"
        assert server.post(f"/api/jobs/{listed['id']}/go-on").status_code == 200
        done = until_done(lambda: server.get(f"/api/jobs/{listed['id']}").json())["result"]
        assert (done["mean"], done["opening"], done["run"]) == (whole.mean, 2, whole.run)


def test_a_job_that_is_stopped_keeps_what_it_has_and_can_go_on(client: TestClient) -> None:  # noqa: F811
    (job, mine), (waiting, also_mine) = begin(client), begin(client, games=2)

    def ask() -> dict[str, Any]:
        return dict(client.get(f"/api/jobs/{job}").json())

    assert client.post(f"/api/jobs/{waiting}/stop", headers=also_mine).json()["state"] == "stopped"
    GATE.release(5)
    until(ask, lambda found: played(found) == 5 and found["done"] > 4.5 / 12)
    assert client.post(f"/api/jobs/{job}/go-on", headers=mine).status_code == 409
    assert client.post(f"/api/jobs/{job}/stop", headers=mine).json()["state"] == "stopping"
    GATE.release(1)  # an agent written in Python is not broken off in the middle of a decision
    stopped = until(ask, lambda found: found["state"] == "stopped")
    assert played(stopped) in (5, 6)
    record = client.post(f"/api/jobs/{job}/matches/0").json()["match"]
    assert client.get(f"/api/matches/{record}/frames/1").status_code == 200
    GATE.release(100)
    assert client.post(f"/api/jobs/{job}/go-on", headers=mine).json()["state"] in ("waiting", "running")
    done = until_done(ask)
    whole = evaluate("cards", "gated", opponents="random", games=12, seed=3)
    assert (done["result"]["mean"], done["result"]["win_share"]) == (whole.mean, whole.win_share)
    assert len(client.get("/api/jobs").json()) == 2


def test_a_job_is_stopped_and_gone_on_with_only_by_who_started_it(client: TestClient) -> None:  # noqa: F811
    (job, mine), (_, of_another_job) = begin(client), begin(client)
    assert len(mine["X-Job-Token"]) == 32
    assert mine["X-Job-Token"] not in client.get("/api/jobs").text + client.get(f"/api/jobs/{job}").text
    for headers in ({}, {"X-Job-Token": "wrong"}, of_another_job):
        for what in ("stop", "go-on"):
            answer = client.post(f"/api/jobs/{job}/{what}", headers={**headers, "Accept-Language": "de"})
            assert answer.status_code == 403 and answer.json()["detail"].startswith("Nur wer eine Messung")
    assert client.get(f"/api/jobs/{job}").json()["state"] in ("waiting", "running")
    assert client.post(f"/api/jobs/{job}/stop", headers=mine).json()["state"] in ("stopped", "stopping")
    GATE.release(1)
    until(lambda: client.get(f"/api/jobs/{job}").json(), lambda found: found["state"] == "stopped")
    assert client.post(f"/api/jobs/{job}/go-on").status_code == 403
    assert client.post(f"/api/jobs/{job}/go-on", headers=mine).json()["token"] is None  # the same token holds


def test_a_restarted_server_shows_what_was_reached_and_goes_on(tmp_path: Path) -> None:
    with open_client(tmp_path) as first:
        job, _ = begin(first)
        GATE.release(6)
        until(lambda: dict(first.get(f"/api/jobs/{job}").json()), lambda found: played(found) == 6)
    GATE.release(1)
    with open_client(tmp_path) as again:
        [listed] = until(lambda: again.get("/api/jobs").json(), lambda found: found and found[0]["done"])
        assert listed["state"] == "interrupted" and listed["done"] < 1 and listed["title"] == "gated – random"
        found = until(lambda: again.get(f"/api/jobs/{listed['id']}").json(), lambda found: played(found) >= 6)
        assert played(found) <= 7 and sum(found["result"]["histogram"]["counts"]) == played(found)
        GATE.release(100)
        assert not listed["held"]  # whoever goes on with it holds it
        assert again.post(f"/api/jobs/{listed['id']}/go-on").json()["token"]
        done = until_done(lambda: again.get(f"/api/jobs/{listed['id']}").json())
        assert done["state"] == "done" and played(done) == 12
        assert done["result"]["mean"] == evaluate("cards", "gated", opponents="random", games=12, seed=3).mean
        assert [one["state"] for one in again.get("/api/jobs").json()] == ["done"]
        assert again.post("/api/jobs/run-99/go-on").status_code == 404
