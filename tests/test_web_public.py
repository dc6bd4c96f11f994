"""A server that others reach: hosts, limits of each visitor, turns, the token of who runs it, what anybody may stop."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from starlette.testclient import WebSocketDenialResponse

import test_web_arena as arena
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.match import play
from spielwerk.web.app import create_app
from spielwerk.web.guard import ANY_ADDRESS, answers_to, host_name
from spielwerk.web.limits import Limits, Turns, address_of
from spielwerk.web.server import LOOPBACK, Opening, opening
from spielwerk.web.store import MatchStore
from test_web_api import FAST, begin, hear, small_games, until  # noqa: F401
from test_web_arena import gate  # noqa: F401
from web_server import serving

TOKEN = "the-token-of-who-runs-this-server"
ADMIN = {"X-Admin-Token": TOKEN}


class House:
    """One server, and clients who come from different addresses."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        store = MatchStore(folder / "matches.sqlite")
        self.app = create_app(store, limits, folder / "runs", folder / "results.sqlite", admin_token=TOKEN)
        self.main = TestClient(self.app)

    def __enter__(self) -> "House":
        self.main.__enter__()
        return self

    def __exit__(self, *problem: Any) -> None:
        self.main.__exit__(*problem)

    def visitor(self, address: str) -> TestClient:
        found = TestClient(self.app, client=(address, 5000))
        found.portal = self.main.portal  # one event loop for all
        return found


def evaluation(games: int = 3, **more: Any) -> dict[str, Any]:
    return {"game": "cards", "agent": "gated", "opponents": "random", "games": games, **more}


# --- who comes next -------------------------------------------------------------------------------------------------


def test_turns_go_round_among_those_who_wait() -> None:
    turns: Turns[str] = Turns()
    for who, item in (("a", "a1"), ("a", "a2"), ("a", "a3")):
        turns.put(who, item)
    assert turns.take() == "a1"
    turns.put("b", "b1")
    turns.put("b", "b2")
    assert [turns.take() for _ in range(5)] == ["b1", "a2", "b2", "a3", None]


def test_a_visitor_is_an_address_and_in_the_new_internet_a_network() -> None:
    assert address_of(("192.0.2.7", 1)) == address_of(("::ffff:192.0.2.7", 2)) == "192.0.2.7"
    assert address_of(("2001:db8::1", 1)) == address_of(("2001:db8::ffff:2", 1)) != address_of(("2001:db8:0:1::1", 1))
    assert (address_of(None), address_of(("testclient", 1))) == ("", "testclient")


def test_one_visitor_cannot_take_all_places_of_the_arena(tmp_path: Path) -> None:
    with House(tmp_path, replace(FAST, jobs_each=2)) as house:
        greedy, modest = house.visitor("10.0.0.1"), house.visitor("10.0.0.2")
        jobs = [greedy.post("/api/evaluations", json=evaluation()).json() for _ in range(2)]
        refused = greedy.post("/api/evaluations", json=evaluation(), headers={"Accept-Language": "de"})
        assert refused.status_code == 429 and "halte eines an" in refused.json()["detail"]
        assert int(refused.headers["retry-after"]) >= 1
        other = modest.post("/api/evaluations", json=evaluation()).json()

        def states() -> list[str]:
            return [modest.get(f"/api/jobs/{job['id']}").json()["state"] for job in (*jobs, other)]

        until(states, lambda found: found == ["running", "waiting", "waiting"])
        arena.GATE.release(3)
        until(states, lambda found: found == ["done", "waiting", "running"])  # though it came last
        assert greedy.post("/api/evaluations", json=evaluation()).status_code == 201
        arena.GATE.release(100)
        until(states, lambda found: found == ["done"] * 3)


def test_who_runs_the_server_may_stop_everything_and_knows_no_limit(tmp_path: Path) -> None:
    with House(
        tmp_path, replace(FAST, jobs_each=1, job_matches=5, any_agent=False, requests_per_second=0.001)
    ) as house:
        visitor, admin = house.visitor("10.0.0.1"), house.visitor("10.0.0.2")
        assert not visitor.get("/api/status").json()["in_charge"]
        assert admin.get("/api/status", headers=ADMIN).json()["in_charge"]
        assert visitor.get("/api/status", headers={"X-Admin-Token": TOKEN[:-1]}).json()["any_agent"] is False
        assert visitor.post("/api/evaluations", json=evaluation()).status_code == 403  # on no ladder
        jobs = [admin.post("/api/evaluations", json=evaluation(6), headers=ADMIN).json() for _ in range(2)]
        mine = visitor.post("/api/evaluations", json={**evaluation(), "agent": "random"}).json()
        for token in ({}, {"X-Admin-Token": "wrong"}):
            assert visitor.post(f"/api/jobs/{jobs[1]['id']}/stop", headers=token).status_code == 403
        for job in (*jobs, mine):
            assert admin.post(f"/api/jobs/{job['id']}/stop", headers=ADMIN).json()["state"] in ("stopping", "stopped")
        arena.GATE.release(1)
        for job in (*jobs, mine):
            until(lambda job=job: admin.get(f"/api/jobs/{job['id']}").json()["state"], lambda state: state == "stopped")  # type: ignore[misc]


def test_a_match_is_ended_by_who_started_it_or_runs_the_server(tmp_path: Path) -> None:
    with House(tmp_path, FAST) as house:
        visitor, admin = house.visitor("10.0.0.1"), house.visitor("10.0.0.2")
        show, _ = begin(visitor, "numbers", "random", "random", "random")
        _, [mine] = begin(visitor, "cards", "me", "random")
        for headers in ({}, {"X-Seat-Token": mine.token or ""}, {"X-Admin-Token": "wrong"}):
            for match in (show["match"], mine.match):
                assert visitor.post(f"/api/matches/{match}/stop", headers=headers).status_code == 403
        ended = visitor.post(f"/api/matches/{show['match']}/stop", headers={"X-Seat-Token": show["control"]}).json()
        assert (ended["status"], ended["resigned"]) == ("resigned", None)
        with visitor.websocket_connect(f"/api/matches/{mine.match}/live") as wire:
            wire.send_json({"type": "hello", "tokens": [mine.token]})
            assert hear(wire)["status"] == "playing"
            assert admin.post(f"/api/matches/{mine.match}/stop", headers=ADMIN).status_code == 200
            while hear(wire)["status"] == "playing":
                continue
        assert mine.post("actions", action=0).status_code == 409
        assert admin.post(f"/api/matches/{mine.match}/stop", headers=ADMIN).status_code == 409
    with House(tmp_path, FAST) as again:  # it has ended for good
        assert again.main.get(f"/api/matches/{mine.match}").json()["status"] == "resigned"


def test_the_token_of_who_runs_the_server_sets_the_pace_over_the_websocket(tmp_path: Path) -> None:
    with House(tmp_path, FAST) as house:
        started, _ = begin(house.main, "numbers", "random", "random", "random")
        for token, answer in ((TOKEN, "pace"), ("wrong", "refused")):
            with house.main.websocket_connect(f"/api/matches/{started['match']}/live") as wire:
                wire.send_json({"type": "hello", "admin": token})
                assert hear(wire)["type"] == "pace"
                wire.send_json({"type": "pace", "paused": True})
                while (told := hear(wire))["type"] not in ("pace", "refused"):
                    continue
                assert told["type"] == answer


# --- limits ---------------------------------------------------------------------------------------------------------


def test_a_job_has_a_most_of_matches_and_says_so(tmp_path: Path) -> None:
    with House(tmp_path, replace(FAST, job_matches=10, job_seconds=90)) as house:
        status = house.main.get("/api/status").json()
        assert (status["job_matches"], status["job_seconds"]) == (10, 90)
        for path, body in (
            ("evaluations", evaluation(11)),
            ("tournaments", {"game": "cards", "agents": ["random", "greedy"], "rounds": 6}),
        ):
            refused = house.main.post(f"/api/{path}", json=body, headers={"Accept-Language": "de"})
            assert refused.status_code == 400 and "höchstens 10" in refused.json()["detail"]
        body = {"game": "cards", "agents": ["random", "greedy"], "rounds": 5}
        assert house.main.post("/api/tournaments", json=body).status_code == 201


def test_a_job_whose_time_is_up_is_stopped_keeps_what_it_has_and_goes_on(tmp_path: Path) -> None:
    with House(tmp_path, replace(FAST, job_seconds=0.05)) as house:
        started = house.main.post("/api/evaluations", json=evaluation(4), headers={"Accept-Language": "de"}).json()
        address = f"/api/jobs/{started['id']}"

        def ask() -> dict[str, Any]:
            return dict(house.main.get(address).json())

        until(ask, lambda job: job["state"] == "stopping")  # it waits at the gate, and the time is up
        arena.GATE.release(1)
        stopped = until(ask, lambda job: job["state"] == "stopped")
        assert "Mehr gibt dieser Server" in stopped["problem"]
        assert (stopped["result"] or {"games": 0})["games"] <= 1, "the match that was broken off is not kept"
        house.app.state.services.jobs.limits = FAST
        arena.GATE.release(100)
        answer = house.main.post(f"{address}/go-on", headers={"X-Job-Token": started["token"]})
        assert answer.json()["state"] in ("waiting", "running")
        assert until(ask, lambda job: job["done"] >= 1)["result"]["games"] == 4


def test_nobody_fills_the_store_alone(tmp_path: Path) -> None:
    with House(tmp_path, replace(FAST, matches_per_hour=2)) as house:
        one, two = house.visitor("10.0.0.1"), house.visitor("10.0.0.2")
        body = {"game": "2048", "places": [{"who": "me"}]}
        record = play(registry.game("2048", variant="2x2"), [registry.agent("random")], seed=4).to_json()
        assert one.post("/api/matches", json=body).status_code == 201
        assert one.post("/api/records", content=record).status_code == 201
        refused = one.post("/api/matches", json=body)
        assert refused.status_code == 429 and 1700 < int(refused.headers["retry-after"]) <= 1800
        assert one.post("/api/records", content=record).status_code == 429
        assert two.post("/api/matches", json=body).status_code == 201
        assert one.post("/api/matches", json=body, headers=ADMIN).status_code == 201


def test_too_many_requests_are_told_how_long_to_wait(tmp_path: Path) -> None:
    with House(tmp_path, replace(FAST, looks_per_second=0.1, looks_at_once=2)) as house:
        one, two = house.visitor("10.0.0.1"), house.visitor("10.0.0.2")
        answers = [one.get("/api/games") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 10
        assert answers[-1].json()["detail"] == f"too many requests; wait {answers[-1].headers['retry-after']} s"
        assert two.get("/api/games").status_code == one.get("/api/games", headers=ADMIN).status_code == 200


def test_connections_of_one_visitor_are_counted(tmp_path: Path) -> None:
    with House(tmp_path, replace(FAST, connections=2)) as house:
        one, two = house.visitor("10.0.0.1"), house.visitor("10.0.0.2")
        _, [mine] = begin(one, "cards", "me", "random")
        path = f"/api/matches/{mine.match}/live"
        with one.websocket_connect(path), one.websocket_connect(path):
            with pytest.raises(WebSocketDenialResponse) as refused, one.websocket_connect(path):
                pass
            assert refused.value.status_code == 429 and refused.value.headers["retry-after"] == "1"
            assert one.get("/api/games").status_code == 429 and two.get("/api/games").status_code == 200
        assert one.get("/api/games").status_code == 200


def test_reviews_of_one_visitor_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with House(tmp_path, replace(FAST, reviews_each=1)) as house:
        one, two = house.visitor("10.0.0.1"), house.visitor("10.0.0.2")
        reviews = house.app.state.services.reviews
        enough = threading.Event()

        async def review(live: Any, who: str) -> None:
            while not enough.is_set():
                await asyncio.sleep(0.01)

        monkeypatch.setattr(reviews, "_review", review)
        matches = []
        for client in (one, one, two):
            _, [mine] = begin(client, "cards", "me", "random")
            mine.post("resign")
            matches.append(mine.match)
        codes = [
            client.post(f"/api/matches/{match}/review").status_code
            for client, match in zip((one, one, two), matches, strict=True)
        ]
        enough.set()
        assert codes == [200, 429, 200]


# --- hosts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "answers"),
    [("localhost", True), ("LOCALHOST:2048", True), ("play.example.org", True), ("Play.Example.org.:443", True),
     ("127.0.0.1:2048", True), ("[::1]:2048", True), ("evil.example", False), ("localhost.evil.example", False),
     ("192.168.1.5", False), ("", False)],
)  # fmt: skip
def test_a_server_answers_only_to_its_names(host: str, answers: bool) -> None:
    names = Opening(hosts=("play.example.org",)).names("127.0.0.1")
    assert answers_to(host, names) is answers


def test_a_server_for_the_whole_network_answers_to_addresses_but_not_to_names() -> None:
    names = Opening().names("0.0.0.0")
    assert ANY_ADDRESS in names
    assert (
        answers_to("192.168.1.5:2048", names) and answers_to("[2001:db8::1]", names) and answers_to("localhost", names)
    )
    assert not answers_to("evil.example", names)  # DNS rebinding: a name that points here
    assert Opening().names("192.168.1.5") == (*LOOPBACK, "192.168.1.5")
    assert host_name("[::1]:2048") == "::1"


def test_under_another_name_neither_pages_nor_sockets_are_answered(tmp_path: Path) -> None:
    with House(tmp_path, replace(FAST, hosts=("testserver",))) as house:
        _, [mine] = begin(house.main, "cards", "me", "random")
        refused = house.main.get("/", headers={"host": "evil.example", "accept-language": "de"})
        assert refused.status_code == 421 and "„evil.example“" in refused.json()["detail"]
        path = f"/api/matches/{mine.match}/live"
        for headers, status in (
            ({"host": "evil.example"}, 421),
            ({"origin": "http://evil.example"}, 403),
            ({"origin": "null"}, 403),
            ({"host": "evil.example", "origin": "http://evil.example"}, 421),
        ):
            with pytest.raises(WebSocketDenialResponse) as denied, house.main.websocket_connect(path, headers=headers):
                pass
            assert denied.value.status_code == status, headers
        with house.main.websocket_connect(path, headers={"origin": "http://testserver"}) as wire:
            wire.send_json({"type": "hello"})
            assert hear(wire)["type"] == "scene"


# --- starting -------------------------------------------------------------------------------------------------------


def test_who_is_alone_with_the_server_has_no_limits_and_needs_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPIELWERK_ADMIN_TOKEN", raising=False)
    alone = opening([], [], None)
    assert alone.token("127.0.0.1") is None and alone.limits("127.0.0.1").any_agent
    assert alone.limits("127.0.0.1").job_seconds == float("inf")
    for reached, host in ((alone, "0.0.0.0"), (opening(["play.example.org"], [], None), "127.0.0.1"),
                          (opening([], ["127.0.0.1"], None), "127.0.0.1")):  # fmt: skip
        assert len(reached.token(host) or "") == 32
        limits = reached.limits(host)
        assert not limits.any_agent and limits.job_seconds == Limits.job_seconds and limits.hosts
    monkeypatch.setenv("SPIELWERK_ADMIN_TOKEN", TOKEN)
    assert opening([], [], None).token("127.0.0.1") == TOKEN
    assert opening([], [], "x" * 16).token("0.0.0.0") == "x" * 16


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: opening([], ["proxy.example.org"], None), "--trusted-proxy takes an address"),
        (lambda: opening([], [], "short"), "can be guessed"),
        (lambda: opening([], [], "with blanks in between"), "letters, digits"),
    ],
)
def test_what_cannot_be_a_proxy_or_a_token_is_refused(make: Callable[[], Opening], says: str) -> None:
    with pytest.raises(SpielwerkError, match=says):
        make()


def test_the_token_is_told_once_and_only_trusted_proxies_are_believed(tmp_path: Path) -> None:
    opened = Opening(proxies=("127.0.0.1",))
    limits = replace(opened.limits("127.0.0.1"), looks_per_second=0.001, looks_at_once=2)
    with serving(tmp_path, limits, opened) as [address, for_admin]:
        assert for_admin.startswith(f"{address}/#admin=")

        def ask(forwarded: str, **headers: str) -> int:
            return httpx.get(f"{address}/api/status", headers={"X-Forwarded-For": forwarded, **headers}).status_code

        assert [ask("203.0.113.9") for _ in range(3)] == [200, 200, 429]
        assert ask("198.51.100.1, 203.0.113.9") == 429  # the proxy adds the one who really asks
        assert ask("203.0.113.10") == 200  # another visitor of the same proxy
        assert ask("203.0.113.9", **{"X-Admin-Token": for_admin.partition("=")[2]}) == 200
    folder = tmp_path / "alone"
    folder.mkdir()
    with serving(folder, limits) as [address]:  # without trusted proxies anybody could name any address
        assert [ask(f"203.0.113.{n}") for n in range(3)] == [200, 200, 429]
