"""The web app's API: seats and their tokens, what is hidden, what survives a restart, limits."""

import json
import re
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import WebSocketDisconnect
from fastapi.testclient import TestClient

from spielwerk.core import registry
from spielwerk.core.match import Record, play, replay
from spielwerk.web.app import create_app
from spielwerk.web.limits import Limits, Rates
from spielwerk.web.store import MatchStore
from web_games import GAMES, UNKNOWN, Cards

FAST = Limits(hint=0.05, review=0.5, requests_per_second=1000, burst=100_000, looks_per_second=1e6)


@pytest.fixture(autouse=True)
def small_games() -> Iterator[None]:
    for game in GAMES:
        registry.register(game)
    yield
    for game in GAMES:
        registry.unregister(game)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with open_client(tmp_path) as found:
        yield found


def open_client(folder: Path, limits: Limits = FAST) -> TestClient:
    store = MatchStore(folder / "matches.sqlite")
    return TestClient(create_app(store, limits, folder / "runs", folder / "results.sqlite"))


def until(ask: Callable[[], Any], holds: Callable[[Any], Any], seconds: float = 120) -> Any:
    """Ask until the answer is what is waited for."""
    ends = time.monotonic() + seconds
    while not holds(found := ask()):
        assert time.monotonic() < ends, found
        time.sleep(0.01)
    return found


def hear(wire: Any) -> dict[str, Any]:
    """The next message that says something about the match; what is being prepared is told only when it takes long."""
    while (message := wire.receive_json())["type"] in ("preparing", "prepared"):
        continue
    return dict(message)


class Seat:
    """A seat of a match, with its token."""

    def __init__(self, client: TestClient, match: str, seat: int, token: str | None) -> None:
        self.client, self.match, self.seat, self.token = client, match, seat, token

    @property
    def headers(self) -> dict[str, str]:
        return {"X-Seat-Token": self.token} if self.token else {}

    def look(self) -> dict[str, Any]:
        answer = self.client.get(f"/api/matches/{self.match}", headers=self.headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, what: str, **body: Any) -> Any:
        return self.client.post(
            f"/api/matches/{self.match}/{what}", json={"seat": self.seat, **body}, headers=self.headers
        )

    def act(self, action: int) -> dict[str, Any]:
        answer = self.post("actions", action=action)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def play_on(self, decisions: int = 10_000) -> dict[str, Any]:
        """Choose the first legal action until the match is over, while agents answer."""
        while (scene := self.turn())["legal"] and decisions:
            self.act(scene["legal"][0]["action"])
            decisions -= 1
        return scene

    def turn(self) -> dict[str, Any]:
        """The scene when this seat has to decide, or the match is over."""
        return dict(until(self.look, lambda scene: scene["legal"] or scene["status"] != "playing"))


def begin(client: TestClient, game: str, *who: str, **more: Any) -> tuple[dict[str, Any], list[Seat]]:
    """Start a match; returns the answer and the seats of 'me'."""
    places = [{"who": each} if each in ("me", "friend") else {"who": "agent", "agent": each} for each in who]
    answer = client.post("/api/matches", json={"game": game, "places": places, **more})
    assert answer.status_code == 201, answer.text
    started = answer.json()
    return started, [Seat(client, started["match"], one["seat"], one["token"]) for one in started["tokens"]]


def invitation(started: dict[str, Any]) -> dict[str, Any]:
    return {"invitation": started["invitations"][0]["invitation"]}


def join(client: TestClient, started: dict[str, Any]) -> Seat:
    answer = client.post(f"/api/matches/{started['match']}/claim", json=invitation(started))
    assert answer.status_code == 200, answer.text
    return Seat(client, started["match"], answer.json()["seat"], answer.json()["token"])


def drawn_hands(svg: str) -> list[int]:
    """The two hands as the default picture of a state writes them."""
    found = re.search(r"hands: \[([ 0-9]+)\]", svg)
    assert found is not None
    return [int(hand) for hand in found[1].split()]


# --- what can be played ---


def test_every_registered_game_is_offered_with_its_ladder(client: TestClient) -> None:
    games = client.get("/api/games").json()
    assert [game["id"] for game in games] == registry.game_names()
    for game in games:
        assert game["variants"] and game["seats"] and game["summary"]
        assert [rung["agent"] for rung in game["ladder"]] == [
            rung.agent for rung in registry.game_class(game["id"]).spec.ladder
        ]
        if game["id"] in ("2048", "qwixx", "jass"):  # what was measured is told beside each strength
            assert all("±" in rung["measured"] for rung in game["ladder"])
    agents = {agent["name"]: agent for agent in client.get("/api/agents").json()}
    assert set(agents) == set(registry.agent_names())
    ranges = {option["name"]: (option["low"], option["high"]) for option in agents["mc"]["options"]}
    assert ranges["threads"] == (1, 64) and ranges["objective"] == (None, None)


def test_the_card_of_a_game_shows_boards(client: TestClient) -> None:
    pictures = client.get("/api/games/2048/pictures").json()
    assert len(pictures["svgs"]) == 8
    assert all(svg.startswith("<svg") for svg in pictures["svgs"])
    assert client.get("/api/games/chess/pictures").status_code == 404


# --- seats and tokens ---


def test_a_seat_is_played_only_with_its_own_token(client: TestClient) -> None:
    started, [mine] = begin(client, "cards", "me", "friend")
    friend = join(client, started)
    _, [elsewhere] = begin(client, "cards", "me", "random")
    wrong = [None, "wrong", friend.token if mine.seat == 0 else mine.token, elsewhere.token]
    for token in wrong:
        for what, body in (("actions", {"action": 0}), ("resign", {}), ("undo", {}), ("hint", {"step": "what"})):
            answer = Seat(client, mine.match, mine.seat, token).post(what, **body)
            assert answer.status_code == 403, (what, token)
    assert client.get(f"/api/matches/{mine.match}", headers={"X-Seat-Token": "wrong"}).status_code == 403
    assert mine.look()["held"] == [mine.seat]


def test_an_invitation_is_used_up_by_the_first_who_sits_down(client: TestClient) -> None:
    started, [mine] = begin(client, "cards", "me", "friend")
    assert not mine.look()["players"][1]["seated"]
    assert Seat(client, mine.match, 1, invitation(started)["invitation"]).post("actions", action=0).status_code == 403
    friend = join(client, started)
    assert friend.seat == 1 and mine.look()["players"][1]["seated"]
    again = client.post(f"/api/matches/{mine.match}/claim", json=invitation(started))
    assert again.status_code == 403


def test_hidden_cards_leave_the_process_for_nobody_else(client: TestClient) -> None:
    """The deal is 'hand|hand' in the log; no answer to the other seat or to a spectator may hold it in any form."""
    started, [mine] = begin(client, "cards", "me", "friend")
    friend = join(client, started)
    deal = next(e for e in client.app.state.services.hall.store.events(mine.match) if hasattr(e, "text")).text  # type: ignore[attr-defined]
    hands = [{Cards.spec.moves[int(card) - 1] for card in part} for part in deal.split("|")]
    for seat in (mine, friend):
        scene = seat.look()
        assert deal not in json.dumps(scene)
        assert scene["seed"] is None
        legal = {choice["move"] for choice in scene["legal"]}
        assert legal in (set(), hands[seat.seat])
        assert scene["happened"][0]["text"] is None
        drawn = drawn_hands(scene["svg"])
        assert drawn[1 - seat.seat] == UNKNOWN != drawn[seat.seat]
    spectator = Seat(client, mine.match, 0, None).look()
    assert spectator["legal"] == [] and spectator["seat"] == -1
    assert drawn_hands(spectator["svg"]) == [UNKNOWN, UNKNOWN]
    assert deal not in json.dumps(spectator)
    for path in ("record", "frames/1"):
        assert client.get(f"/api/matches/{mine.match}/{path}").status_code == 409
    assert client.post(f"/api/matches/{mine.match}/branch", json={"number": 0, "seat": 0}).status_code == 409
    assert client.post(f"/api/matches/{mine.match}/review").status_code == 409


def test_hidden_cards_cannot_be_seen_over_the_websocket(client: TestClient) -> None:
    started, [mine] = begin(client, "cards", "me", "friend")
    friend = join(client, started)
    with client.websocket_connect(f"/api/matches/{mine.match}/live") as wire:
        wire.send_json({"type": "hello", "tokens": [mine.token]})
        assert hear(wire)["seat"] == mine.seat
        wire.send_json({"type": "look", "seat": friend.seat})
        scene = hear(wire)
        assert scene["seat"] == mine.seat and drawn_hands(scene["svg"])[friend.seat] == UNKNOWN
        wire.send_json({"type": "act", "seat": friend.seat, "action": 0})
        assert hear(wire)["type"] == "refused"
    with client.websocket_connect(f"/api/matches/{mine.match}/live") as wire:
        wire.send_json({"type": "hello", "tokens": ["wrong"]})
        assert hear(wire)["type"] == "refused"


@pytest.mark.parametrize(
    "message",
    [
        {}, {"type": "act"}, {"type": "act", "seat": True, "action": 0}, {"type": "act", "seat": 0, "action": "1"},
        {"type": "act", "seat": 0, "action": 10**30}, {"type": "act", "seat": 0, "action": 0, "number": "x"},
        {"type": "look"}, {"type": "look", "seat": []}, {"type": "undo", "seat": 0.0}, {"type": "none", "seat": 0},
        {"type": "pace", "seconds": "much"}, {"type": "resign", "seat": 10**30},
    ],
)  # fmt: skip
def test_a_message_that_makes_no_sense_is_refused_and_the_talk_goes_on(client: TestClient, message: Any) -> None:
    _, [mine] = begin(client, "cards", "me", "random", seed=1)
    with client.websocket_connect(f"/api/matches/{mine.match}/live") as wire:
        wire.send_json({"type": "hello", "tokens": [mine.token]})
        while not (scene := wire.receive_json()).get("legal"):
            continue
        wire.send_json(message)
        assert hear(wire)["type"] in ("problem", "refused")
        wire.send_json({"type": "look", "seat": 0})
        assert hear(wire)["number"] == scene["number"]
    with client.websocket_connect(f"/api/matches/{mine.match}/live") as wire:
        wire.send_text("[" * 9000)
        assert wire.receive_json()["type"] == "problem"


def test_a_choice_stays_secret_until_all_have_chosen(client: TestClient) -> None:
    started, [mine] = begin(client, "numbers", "me", "friend", "random")
    friend = join(client, started)
    scene = mine.act(2)
    assert scene["legal"] == [] and scene["players"][0]["ready"] and scene["number"] == 0
    theirs = friend.look()
    assert theirs["happened"] == [] and theirs["waiting"][0] == 1
    assert mine.post("actions", action=1).status_code == 409
    until(friend.look, lambda scene: 2 not in scene["waiting"])
    scene = friend.act(0)
    assert scene["number"] == 1
    assert [(m["seat"], m["move"]) for m in scene["happened"][0]["moves"]][:2] == [(0, "3"), (1, "1")]


def test_a_seed_cannot_be_chosen_against_a_friend(client: TestClient) -> None:
    places = [{"who": "me"}, {"who": "friend"}]
    assert client.post("/api/matches", json={"game": "cards", "places": places, "seed": 1}).status_code == 409


# --- playing ---


def test_a_match_against_an_agent_is_played_to_its_end(client: TestClient) -> None:
    for game, who in (("cards", ("me", "random")), ("numbers", ("random", "me", "random"))):
        _, [mine] = begin(client, game, *who, seed=3)
        scene = mine.play_on()
        assert scene["status"] == "over" and scene["seed"] == 3
        record = Record.from_json(client.get(f"/api/matches/{mine.match}/record").content)
        assert replay(record)[-1].over
        assert list(replay(record)[-1].score) == scene["scores"]


def test_illegal_and_late_moves_are_refused_with_help(client: TestClient) -> None:
    _, [mine] = begin(client, "2048", "me", seed=1)
    scene = mine.look()
    illegal = next(a for a in range(4) if a not in {c["action"] for c in scene["legal"]})
    answer = mine.post("actions", action=illegal)
    assert answer.status_code == 400 and "legal are" in answer.json()["detail"]
    assert mine.post("actions", action=scene["legal"][0]["action"], number=scene["number"] - 1).status_code == 409
    assert mine.post("actions", move="sideways").status_code == 400
    assert mine.post("actions").status_code == 400
    assert mine.look()["number"] == scene["number"]


def test_undo_takes_one_decision_back_and_the_same_dice_follow(client: TestClient) -> None:
    _, [mine] = begin(client, "2048", "me", seed=1)
    before = mine.look()
    assert not before["may_undo"] and mine.post("undo").status_code == 409
    action = before["legal"][0]["action"]
    after = mine.act(action)
    back = mine.post("undo").json()
    assert (back["number"], back["svg"]) == (before["number"], before["svg"])
    assert mine.act(action)["svg"] == after["svg"]
    _, [two] = begin(client, "cards", "me", "random")
    two.play_on(1)
    assert two.post("undo").status_code == 409


def test_resigning_ends_the_match(client: TestClient) -> None:
    _, [mine] = begin(client, "cards", "me", "random")
    scene = mine.post("resign").json()
    assert scene["status"] == "resigned" and scene["resigned"] == mine.seat and scene["legal"] == []
    assert mine.post("actions", action=0).status_code == 409


def test_what_if_goes_on_from_any_point_with_the_same_cards(client: TestClient) -> None:
    _, [mine] = begin(client, "cards", "me", "random", seed=5)
    mine.play_on()
    whole = client.get(f"/api/matches/{mine.match}/record").json()["events"]
    answer = client.post(f"/api/matches/{mine.match}/branch", json={"number": 3, "seat": mine.seat})
    branch = Seat(client, answer.json()["match"], mine.seat, answer.json()["tokens"][0]["token"])
    branch.play_on()
    again = client.get(f"/api/matches/{branch.match}/record").json()["events"]
    assert again[:3] == whole[:3] and len(again) == len(whole)
    assert client.post(f"/api/matches/{mine.match}/branch", json={"number": 99, "seat": 0}).status_code == 409
    same = client.post(f"/api/matches/{mine.match}/branch", json={"number": 0, "seat": 1}).json()
    Seat(client, same["match"], 1, same["tokens"][0]["token"]).play_on()
    assert client.get(f"/api/matches/{same['match']}/record").json()["events"][0] == whole[0]


def test_agents_play_among_themselves_while_somebody_watches(client: TestClient) -> None:
    started, _ = begin(client, "numbers", "random", "random", "random")
    match, control = started["match"], started["control"]
    assert client.post(f"/api/matches/{match}/pace", json={"paused": True}).status_code == 403
    answer = client.post(f"/api/matches/{match}/pace", json={"seconds": 0}, headers={"X-Seat-Token": control})
    assert answer.json() == {"paused": False, "seconds": 0}
    with client.websocket_connect(f"/api/matches/{match}/live") as wire:
        wire.send_json({"type": "hello", "control": control})
        status, numbers = "playing", []
        while status == "playing":
            message = wire.receive_json()
            if message["type"] == "scene":
                status = message["status"]
                numbers.append(message["number"])
        assert numbers == sorted(numbers) and numbers[-1] == 3
    assert match in {one["match"] for one in client.get("/api/matches").json()}


# --- nothing is lost ---


def test_a_restarted_server_continues_every_match(tmp_path: Path) -> None:
    with open_client(tmp_path) as client:
        _, [solo] = begin(client, "2048", "me", seed=7)
        solo.play_on(20)
        solo.post("undo")
        _, [cards] = begin(client, "cards", "me", "random", seed=7)
        cards.play_on(1)
        started, [numbers] = begin(client, "numbers", "me", "friend", "random")
        numbers.act(1)
        until(numbers.look, lambda scene: 2 not in scene["waiting"])
        seen = [seat.look() for seat in (solo, cards, numbers)]
    with open_client(tmp_path) as client:
        for seat, before in zip((solo, cards, numbers), seen, strict=True):
            seat.client = client
            after = seat.look()
            assert (after["svg"], after["happened"]) == (before["svg"], before["happened"])
        assert numbers.look()["players"][0]["ready"]
        assert cards.play_on()["status"] == "over"
        join(client, started)


def test_a_record_can_be_brought_and_replayed(client: TestClient) -> None:
    game = registry.game("2048", variant="2x2")
    record = play(game, [registry.agent("random")], seed=4)
    started = client.post("/api/records", content=record.to_json()).json()
    match = started["match"]
    last = len(record.events)
    frame = client.get(f"/api/matches/{match}/frames/{last}").json()
    assert frame["frames"] == last + 1 and frame["over"] and frame["scores"] == list(record.result.scores)  # type: ignore[union-attr]
    assert client.get(f"/api/matches/{match}/frames/{last + 1}").status_code == 409
    assert client.get(f"/api/matches/{match}/record").json()["events"] == record.events
    broken = json.loads(record.to_json())
    broken["events"][3] = {"0": "sideways"}
    for bad in (json.dumps(broken), "{}", "nothing", '{"header": 1}'):
        answer = client.post("/api/records", content=bad)
        assert answer.status_code == 400, bad
    broken["header"]["game"] = "chess"
    assert client.post("/api/records", content=json.dumps(broken)).status_code == 404
    assert client.post("/api/records", content=record.to_json()).json()["match"] == match  # kept only once


def test_a_record_without_a_seed_has_none_afterwards_and_gives_the_same_cards(client: TestClient) -> None:
    record = json.loads(play(registry.game("cards"), [registry.agent("random")] * 2, seed=4).to_json())
    record["header"]["seed"] = None
    match = client.post("/api/records", content=json.dumps(record)).json()["match"]
    assert client.get(f"/api/matches/{match}/record").json()["header"]["seed"] is None
    for number in (0, 3):
        started = client.post(f"/api/matches/{match}/branch", json={"number": number, "seat": 0}).json()
        Seat(client, started["match"], 0, started["tokens"][0]["token"]).play_on()
        again = client.get(f"/api/matches/{started['match']}/record").json()
        kept = max(number, 1)  # the deal
        assert again["events"][:kept] == record["events"][:kept] and again["header"]["seed"] is not None


# --- limits ---


def test_limits_are_kept(tmp_path: Path) -> None:
    tight = Limits(body=1000, matches=1, requests_per_second=0.001, burst=4, any_agent=False, hosts=("testserver",))
    with open_client(tmp_path, tight) as client:
        assert client.post("/api/records", content=b"x" * 1001).status_code == 413
        places = [{"who": "agent", "agent": "mc:iterations=100000000"}]
        assert client.post("/api/matches", json={"game": "2048", "places": places}).status_code == 403
        begin(client, "2048", "me")
        full = client.post("/api/matches", json={"game": "2048", "places": [{"who": "me"}]})
        assert full.status_code == 503
        assert client.post("/api/matches", json={}).status_code == 429
        assert client.get("/api/games").status_code == 200
        assert client.get("/api/games", headers={"host": "evil.example"}).status_code == 421
    with open_client(tmp_path) as client:
        body = {"game": "2048", "places": [{"who": "me"}]}
        assert client.post("/api/matches", json=body, headers={"origin": "http://evil.example"}).status_code == 403


def test_a_full_store_takes_no_new_match_and_old_ones_do_not_count(tmp_path: Path) -> None:
    with open_client(tmp_path, replace(FAST, matches=1)) as client:
        body = {"game": "2048", "places": [{"who": "me"}]}
        begin(client, "2048", "me")
        assert client.post("/api/matches", json=body).status_code == 503
        client.app.state.services.hall.store._all("update matches set updated = 0")  # type: ignore[attr-defined]
        assert client.post("/api/matches", json=body).status_code == 201
    with open_client(tmp_path, replace(FAST, store=4096)) as client:
        record = play(registry.game("2048", variant="2x2"), [registry.agent("random")], seed=4)
        assert client.post("/api/matches", json=body).status_code == 503
        assert client.post("/api/records", content=record.to_json()).status_code == 503


def test_who_looks_too_often_has_to_wait(tmp_path: Path) -> None:
    with open_client(tmp_path, replace(FAST, looks_per_second=0.001, looks_at_once=3)) as client:
        assert [client.get("/api/games").status_code for _ in range(4)] == [200, 200, 200, 429]


def test_a_place_that_does_not_exist_is_a_page_for_people_and_a_message_for_programs(client: TestClient) -> None:
    page = client.get("/tabel/abc")
    assert page.status_code == 404 and page.headers["content-type"].startswith("text/html")
    for path in ("/api/none", "/api/matches/abcdefghijkl/none"):
        answer = client.get(path, headers={"accept-language": "de"})
        assert answer.status_code == 404 and answer.json()["detail"] == "Hier ist nichts"


def test_a_locked_database_is_told_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spielwerk.web.store.BUSY", 0.05)
    with open_client(tmp_path) as client:
        _, [solo] = begin(client, "2048", "me", seed=7)
        started, _ = begin(client, "cards", "me", "friend")
        before = solo.look()
        action = before["legal"][0]["action"]
        with client.websocket_connect(f"/api/matches/{solo.match}/live?language=de") as wire:
            wire.send_json({"type": "hello", "tokens": [solo.token]})
            assert hear(wire)["number"] == before["number"]
            other = sqlite3.connect(tmp_path / "matches.sqlite", isolation_level=None)
            other.execute("begin immediate")
            refused = [
                solo.post("actions", action=action),
                client.post(f"/api/matches/{started['match']}/claim", json=invitation(started)),
                client.post("/api/matches", json={"game": "2048", "places": [{"who": "me"}]}),
            ]
            assert [answer.status_code for answer in refused] == [503, 503, 503]
            wire.send_json({"type": "act", "seat": 0, "action": action})
            told = hear(wire)
            assert told["type"] == "problem" and told["detail"].startswith("Die Partien lassen sich")
            other.rollback()
            other.close()
            assert solo.look() == before
            wire.send_json({"type": "act", "seat": 0, "action": action})
            assert hear(wire)["number"] == before["number"] + 2
        assert join(client, started).look()["held"] == [1]


def test_a_match_that_cannot_be_read_now_is_not_given_up(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    _, [mine] = begin(client, "2048", "me")

    def unreadable(match: str) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as broken:
        broken.setattr(client.app.state.services.hall.store, "find", unreadable)  # type: ignore[attr-defined]
        with client.websocket_connect(f"/api/matches/{mine.match}/live") as wire:
            wire.send_json({"type": "hello", "tokens": [mine.token]})
            assert wire.receive_json()["type"] == "problem"  # 'refused' would end the page's tries
            with pytest.raises(WebSocketDisconnect):
                wire.receive_json()
    assert mine.look()["legal"]


def test_a_mistake_of_the_server_is_an_answer_too(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client.app.state.services.hall, "listed", lambda stored: 1 / 0)  # type: ignore[attr-defined]
    begin(client, "2048", "random")
    answer = client.get("/api/matches", headers={"accept-language": "de"})
    assert answer.status_code == 500 and answer.json()["detail"].startswith("Etwas ging schief")
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_token_bucket_fills_again() -> None:
    now = 100.0
    rates = Rates(per_second=2.0, burst=3, clock=lambda: now)
    assert [rates.allows("a") for _ in range(4)] == [True, True, True, False]
    assert rates.allows("b")
    now += 1.0
    assert [rates.allows("a") for _ in range(3)] == [True, True, False]
    now += 1000.0
    assert [rates.allows("a") for _ in range(4)] == [True, True, True, False]


def test_headers_guard_the_pages(client: TestClient) -> None:
    for path in ("/", "/arena", "/table/abc", "/static/js/main.js", "/api/games", "/api/none"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"], path
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"


def test_ids_and_tokens_cannot_be_guessed_and_are_kept_as_digests(client: TestClient, tmp_path: Path) -> None:
    started, [mine] = begin(client, "2048", "me")
    assert len(started["match"]) == 12 and len(mine.token or "") == 32
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("matches.sqlite*"))
    assert started["match"].encode() in kept and (mine.token or "").encode() not in kept
    assert client.get("/api/matches").json() == []
    assert [one["match"] for one in client.get(f"/api/matches?ids={mine.match}").json()] == [mine.match]


def test_a_port_in_use_is_one_line_with_the_remedy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from spielwerk.cli import main

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SystemExit) as stopped:
            main(["serve", "--port", str(taken.getsockname()[1]), "--store", str(tmp_path / "matches.sqlite")])
    assert stopped.value.code == 2
    assert "choose another with --port" in capsys.readouterr().err
