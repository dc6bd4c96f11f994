"""Whatever a visitor sends: at most his own connection is lost, nobody else notices, the log has no traceback."""

import json
import logging
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import WebSocketDisconnect
from fastapi.testclient import TestClient
from websockets.exceptions import ConnectionClosed

from spielwerk.arena.store import Store
from spielwerk.core import registry
from spielwerk.core.match import play
from spielwerk.web.app import create_app
from spielwerk.web.store import MatchStore
from test_web_api import FAST, Seat, begin, hear, small_games  # noqa: F401
from web_server import serving

DIGITS = "9" * 400
JSON = {"content-type": "application/json"}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """What goes wrong in the server becomes an answer, as with real visitors."""
    app = create_app(MatchStore(tmp_path / "m.sqlite"), FAST, tmp_path / "runs", tmp_path / "results.sqlite")
    with TestClient(app, raise_server_exceptions=False) as found:
        yield found


@pytest.fixture(autouse=True)
def no_traceback(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    with caplog.at_level(logging.INFO):
        yield
    for record in caplog.records:
        assert record.exc_info is None, record.getMessage()
        assert "\n" not in record.getMessage() and len(record.getMessage()) < 1000


def must_be_refused(answer: Any) -> None:
    assert 400 <= answer.status_code < 500, (answer.status_code, answer.text[:300])
    assert answer.json()["detail"]
    json.loads(answer.text, parse_constant=pytest.fail)  # neither NaN nor Infinity


SPECS = [
    "vote:agents=(random)*²", "vote:agents=(random)*" + "9" * 300, "mc:iterations=²", f"mc:iterations={'9' * 350}",
    "(" * 190 + "random" + ")" * 190 + ")", "vote:agents=" + "(" * 190, "\x00", "mc:iterations=nan", "none",
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS)
def test_no_agent_that_can_be_written_breaks_a_route(client: TestClient, spec: str) -> None:
    must_be_refused(client.post("/api/evaluations", json={"game": "cards", "agent": spec, "games": 1}))
    must_be_refused(client.post("/api/tournaments", json={"game": "cards", "agents": ["random", spec], "rounds": 1}))
    places = [{"who": "me"}, {"who": "agent", "agent": spec}]
    must_be_refused(client.post("/api/matches", json={"game": "cards", "places": places}))


def test_whatever_a_parser_raises_is_a_sentence(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a third party's agent."""

    def broken(spec: str) -> None:
        raise ZeroDivisionError("in a plug-in")

    monkeypatch.setattr(registry, "agent", broken)
    answer = client.post(
        "/api/evaluations", json={"game": "cards", "agent": "x", "games": 1}, headers={"Accept-Language": "de"}
    )
    assert answer.status_code == 400 and "nicht zu verstehen" in answer.json()["detail"]


BODIES: list[str | bytes] = [
    "[" * 20_000, '{"a":' * 20_000, '{"game": NaN}', '{"game": "cards", "places": [{"who": "me", "seconds": 1e999}]}',
    '{"game": "\\ud800", "places": [{"who": "me"}]}', b'{"game": "\xff"}', b"\xff\xfe\x00", "", "null", "\x00",
    '{"game": "cards", "games": ' + DIGITS + "}", '{"game": "cards", "seed": ' + "9" * 5000 + "}", "[" * 500,
    '{"header": {"game": "cards", "variant": "", "seats": 2, "agents": [], "versions": {}, "seed": ' + DIGITS + "}}",
]  # fmt: skip


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
@pytest.mark.parametrize("path", ["matches", "records", "evaluations", "tournaments"])
def test_no_body_breaks_a_route(client: TestClient, path: str, body: str | bytes) -> None:
    must_be_refused(client.post(f"/api/{path}", content=body, headers=JSON))


NUMBERS = ("9" * 30, "9" * 5000, "-1", "²", "1e3", "NaN", "%00", "%ff")


def test_no_number_in_an_address_breaks_a_route(client: TestClient, tmp_path: Path) -> None:
    with Store(tmp_path / "results.sqlite") as store:
        from spielwerk import evaluate

        evaluate("cards", "random", games=2, store=store)
    _, [mine] = begin(client, "cards", "me", "random")
    mine.post("resign")
    assert client.post("/api/jobs/run-1/matches/1").status_code == 201
    for number in NUMBERS:
        must_be_refused(client.post(f"/api/jobs/run-1/matches/{number}"))
        must_be_refused(client.get(f"/api/matches/{mine.match}/frames/{number}"))
        must_be_refused(client.get(f"/api/jobs/run-{number}"))
        must_be_refused(client.post(f"/api/jobs/run-{number}/go-on"))
        must_be_refused(client.get(f"/api/matches/{number}"))
        must_be_refused(client.get(f"/api/games/{number}"))
        must_be_refused(client.get(f"/api/matches?count={number}"))
        if number != "-1":  # a spectator
            must_be_refused(client.get(f"/api/matches/{mine.match}/frames/0?seat={number}"))


@pytest.mark.parametrize("what", ["actions", "undo", "resign", "claim", "pace", "branch", "hint"])
def test_no_message_of_a_seat_breaks_its_match(client: TestClient, what: str) -> None:
    _, [mine] = begin(client, "cards", "me", "random", seed=1)
    before = mine.turn()
    for body in (
        '{"seat": ' + DIGITS + "}", '{"seat": 0, "action": ' + DIGITS + "}", '{"seat": 0, "action": NaN}',
        '{"seat": 0, "move": "\\ud800"}', '{"seat": 0, "move": "²"}', '{"invitation": "\\ud800"}', '{"seconds": NaN}',
        '{"seconds": ' + DIGITS + "}", '{"seat": 0, "action": 1, "number": ' + DIGITS + "}", "[" * 9000,
    ):  # fmt: skip
        must_be_refused(
            client.post(f"/api/matches/{mine.match}/{what}", content=body, headers={**JSON, **mine.headers})
        )
    assert mine.look()["number"] == before["number"]


def test_no_record_breaks_the_server(client: TestClient) -> None:
    good = json.loads(play(registry.game("cards"), [registry.agent("random")] * 2, seed=4).to_json())
    bad: list[dict[str, Any]] = [{**good, "header": {**good["header"], "seats": seats}} for seats in (0, -1, 10**18)]
    bad += [{**good, "header": {**good["header"], "variant": variant}} for variant in ("²", f"a={DIGITS}", "9" * 5000)]
    events = ("²", "9" * 5000, "|" * 100, {"9" * 400: "one"}, {"²": "one"}, {}, {"0": "\ud800"}, {"-1": "one"})
    bad += [{**good, "events": [event, *good["events"]]} for event in events]
    for record in bad:
        must_be_refused(client.post("/api/records", content=json.dumps(record)))
    assert client.post("/api/records", content=json.dumps(good)).status_code == 201
    for seed in (-1, 10**18):  # the record's own; nothing is played from it
        strange = {**good, "header": {**good["header"], "seed": seed}}
        assert client.post("/api/records", content=json.dumps(strange)).status_code == 201


# --- WebSockets -----------------------------------------------------------------------------------------------------


def talk(client: TestClient, seat: Seat) -> Any:
    return client.websocket_connect(f"/api/matches/{seat.match}/live")


NOT_EVEN_A_MESSAGE: list[str | bytes] = [
    b"\x00\xff", b"{}", "", "[" * 9000, '{"type": NaN}', '{"type": Infinity}', '{"type": "\\ud800"}', "x" * 60_000,
]  # fmt: skip


@pytest.mark.parametrize("nonsense", NOT_EVEN_A_MESSAGE, ids=range(len(NOT_EVEN_A_MESSAGE)))
@pytest.mark.parametrize("greeted", [False, True])
def test_nonsense_costs_its_sender_the_connection_and_nobody_else(
    client: TestClient, caplog: pytest.LogCaptureFixture, nonsense: str | bytes, greeted: bool
) -> None:
    _, [mine] = begin(client, "cards", "me", "random", seed=1)
    mine.turn()
    with talk(client, mine) as friend:
        friend.send_json({"type": "hello"})
        number = hear(friend)["number"]
        with talk(client, mine) as wire:
            if greeted:
                wire.send_json({"type": "hello", "tokens": [mine.token]})
                assert hear(wire)["type"] == "scene"
            (wire.send_bytes if isinstance(nonsense, bytes) else wire.send_text)(nonsense)  # type: ignore[operator]
            assert hear(wire)["type"] == "problem"
            with pytest.raises(WebSocketDisconnect):
                hear(wire)
        said = [record for record in caplog.records if "a message that is none" in record.getMessage()]
        assert len(said) == 1
        friend.send_json({"type": "look", "seat": 0})
        assert hear(friend)["number"] == number


@pytest.mark.parametrize(
    "message",
    [
        '{"type": "hello", "tokens": ["\\u0000"]}', '{"type": "hello", "tokens": "x", "control": 5, "admin": []}',
        '{"type": "hello", "tokens": [null, {}, ' + DIGITS + "]}",
    ],
)  # fmt: skip
def test_a_strange_greeting_opens_nothing(client: TestClient, message: str) -> None:
    _, [mine] = begin(client, "cards", "me", "random", seed=1)
    with talk(client, mine) as wire:
        wire.send_text(message)
        told = hear(wire)
        assert told["type"] == "refused" or told["held"] == []


@pytest.mark.parametrize("field", ["seat", "action", "number", "seconds"])
def test_numbers_of_four_hundred_digits_are_refused_and_the_talk_goes_on(client: TestClient, field: str) -> None:
    _, [mine] = begin(client, "cards", "me", "random", seed=1)
    mine.turn()
    with talk(client, mine) as wire:
        wire.send_json({"type": "hello", "tokens": [mine.token]})
        number = hear(wire)["number"]
        for kind in ("act", "undo", "pace"):
            sent = {"type": kind, "seat": 0, "action": 0, "number": 0, field: int(DIGITS)}
            wire.send_text(json.dumps(sent))
            assert hear(wire)["type"] in ("problem", "refused")
        wire.send_json({"type": "look", "seat": 0})
        assert hear(wire)["number"] == number


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        (b"\xff\xfe", True),
        (b"\xff\xfe", False),
        (b"x" * (1 << 20), True),
        (b"x" * (1 << 20), False),
        (b"[" * 9000, True),
    ],
    ids=["invalid UTF-8", "binary", "oversize text", "oversize binary", "nested"],
)
def test_a_real_connection_is_closed_without_a_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], sent: bytes, text: bool
) -> None:
    sync = pytest.importorskip("websockets.sync.client")
    with serving(tmp_path, FAST) as [address]:
        places = [{"who": "me"}, {"who": "agent", "agent": "random"}]
        match = httpx.post(f"{address}/api/matches", json={"game": "cards", "places": places}).json()["match"]
        where = f"{address.replace('http', 'ws')}/api/matches/{match}/live"
        with sync.connect(where) as friend:
            friend.send(json.dumps({"type": "hello"}))
            assert json.loads(friend.recv(60))["type"] in ("scene", "preparing")
            for greeted in (False, True):
                with sync.connect(where) as wire, suppress(ConnectionClosed):
                    if greeted:
                        wire.send(json.dumps({"type": "hello"}))
                    wire.send(sent, text=text)
                    while True:
                        wire.recv(60)
                assert wire.close_code not in (None, 1000, 1011)
            friend.send(json.dumps({"type": "look", "seat": 0}))
            while json.loads(friend.recv(60))["type"] != "scene":
                continue
    assert "Traceback" not in "".join(capfd.readouterr())
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) <= 2


def test_what_is_no_http_costs_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with serving(tmp_path, FAST) as [address]:
        port = int(address.rpartition(":")[2])
        for nonsense in (b"\x16\x03\x01\x02\x00", b"GET / HTTP/1.1\r\nHost: \xff\xff\r\n\r\n", b"\x00" * 70_000):
            with socket.create_connection(("127.0.0.1", port), 60) as wire, suppress(OSError):
                wire.sendall(nonsense)
                wire.shutdown(socket.SHUT_WR)
                while wire.recv(65_536):
                    continue
        assert httpx.get(f"{address}/api/status").status_code == 200
    assert "Traceback" not in "".join(capfd.readouterr())
