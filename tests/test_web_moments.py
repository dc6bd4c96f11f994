"""Moments on the server: everybody gets all of them, in order, as he may see them; and news in the list of events."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from spielwerk.core import registry
from spielwerk.core.match import Record, positions
from spielwerk.core.position import SPECTATOR
from spielwerk.web import telling
from spielwerk.web.driving import changed
from spielwerk.web.session import Table
from spielwerk.web.store import Header, MatchStore, Place
from spielwerk.web.telling import MAILBOX, MOST_MAIL, Live, Viewer, wait_for_viewers
from test_web_api import Seat, begin, client, hear, small_games  # noqa: F401
from test_web_hidden import cards_in, known_to

TWO_DEALS = "schieber,deals=2"


def scenes_to(wire: Any, ends: Callable[[dict[str, Any]], Any]) -> list[dict[str, Any]]:
    """The scenes that come over a wire, the one that `ends` them included."""
    found: list[dict[str, Any]] = []
    while not (found and ends(found[-1])):
        message = hear(wire)
        assert message["type"] in ("scene", "thinking", "pace"), message
        if message["type"] == "scene":
            found.append(message)
    return found


def my_turn(scene: dict[str, Any]) -> bool:
    return bool(scene["legal"]) or scene["status"] != "playing"


def hello(wire: Any, *seats: Seat, **more: Any) -> None:
    wire.send_json({"type": "hello", "tokens": [seat.token for seat in seats], **more})


def play_match(wire: Any) -> list[dict[str, Any]]:
    """Every scene of a match in which the first legal action is played."""
    found = scenes_to(wire, my_turn)
    while found[-1]["status"] == "playing":
        scene = found[-1]
        action = scene["legal"][0]["action"]
        wire.send_json({"type": "act", "seat": scene["seat"], "action": action, "number": scene["number"]})
        found += scenes_to(wire, my_turn)
    return found


def moments_of(record: Record) -> list[int]:
    """After how many events of a record something must be seen."""
    game = registry.game(record.header.game, record.header.seats, record.header.variant)
    every = [position.copy() for position in positions(game, record)]
    views = [position.view(SPECTATOR) for position in every]
    return [number for number in range(1, len(every)) if game.moment(views[number - 1], views[number])]


def record_of(client: TestClient, match: str) -> Record:  # noqa: F811
    return Record.from_json(client.get(f"/api/matches/{match}/record").content)


def start_jass(client: TestClient, *who: str, **more: Any) -> tuple[str, Seat]:  # noqa: F811
    started, [mine] = begin(client, "jass", *(who or ("me", "random", "random", "random")), seed=6, **more)
    return started["match"], mine


# --- the stream of scenes ---


def test_every_moment_is_sent_also_between_the_last_card_and_the_next_deal(client: TestClient) -> None:  # noqa: F811
    match, mine = start_jass(client, variant=TWO_DEALS)
    address = f"/api/matches/{match}/live"
    with client.websocket_connect(address) as wire, client.websocket_connect(address) as watching:
        hello(wire, mine)
        hello(watching)
        scenes = play_match(wire)
        watched = scenes_to(watching, lambda scene: scene["status"] == "over")
    expected = moments_of(record_of(client, match))
    assert len(expected) >= 18  # nine tricks of two deals, and what was announced
    for seat, stream in ((0, scenes), (SPECTATOR, watched)):
        numbers = [scene["number"] for scene in stream]
        assert numbers == sorted(numbers) and {scene["seat"] for scene in stream} == {seat}
        assert [scene["number"] for scene in stream if scene["moment"]] == expected
        results = [scene for scene in stream if scene["moment"] and scene["moment"]["table"]]
        assert [scene["moment"]["title"] for scene in results] == ["Deal 1 is over", "Deal 2 is over"]
        assert results[0]["svg"].count('data-piece="1-') == 4, "the last trick lies on the table, no hand any more"
        assert (results[0]["legal"], results[0]["actors"], results[0]["waiting"]) == ([], [], [])
        after = stream[stream.index(results[0]) + 1]
        assert (after["number"], after["since"]) == (results[0]["number"] + 1, results[0]["number"])
        assert 'data-piece="1-' not in after["svg"] and 'data-piece="2-' in after["svg"]
    assert scenes[-1]["moment"]["table"][0] == ["Seats", "1 + 3 (you)", "2 + 4"]
    assert watched[-1]["moment"]["table"][0] == ["Seats", "1 + 3", "2 + 4"]


def test_moments_show_no_card_that_a_seat_may_not_know(client: TestClient) -> None:  # noqa: F811
    """Also to somebody who says that he has seen nothing yet, or more than there is."""
    match, mine = start_jass(client, variant=TWO_DEALS)
    address, kept = f"/api/matches/{match}/live", []
    with client.websocket_connect(address) as wire:
        hello(wire, mine)
        scene = scenes_to(wire, my_turn)[-1]
        for _ in range(14):
            action = scene["legal"][0]["action"]
            wire.send_json({"type": "act", "seat": 0, "action": action, "number": scene["number"]})
            scene = scenes_to(wire, my_turn)[-1]
            for seat, seats in ((0, (mine,)), (SPECTATOR, ())):
                for seen in (0, -5, scene["number"] - 3, 10**30):
                    with client.websocket_connect(address) as again:
                        hello(again, *seats, seen=seen)
                        stream = scenes_to(again, lambda each, last=scene["number"]: each["number"] == last)
                        kept += [(seat, each["number"], json.dumps(each)) for each in stream]
        wire.send_json({"type": "resign", "seat": 0})
        scenes_to(wire, lambda each: each["status"] == "resigned")
    record = record_of(client, match)
    game = registry.game("jass", variant=record.header.variant)
    every = [position.copy() for position in positions(game, record)]
    played = [event for event in record.events if isinstance(event, dict)]
    assert len(played) > 40 and len(kept) > 250
    for seat, number, text in kept:
        before = {move for event in record.events[:number] if isinstance(event, dict) for move in event.values()}
        known = {game.spec.moves[card] for card in known_to(every[number], seat)}
        assert cards_in(text) <= known | before, f"seat {seat} after {number}"


def test_somebody_who_comes_back_gets_the_moments_that_he_missed(client: TestClient) -> None:  # noqa: F811
    match, mine = start_jass(client, variant=TWO_DEALS)
    address = f"/api/matches/{match}/live"
    with client.websocket_connect(address) as wire:
        hello(wire, mine)
        scenes = scenes_to(wire, my_turn)
        while not any(scene["moment"] and scene["moment"]["table"] for scene in scenes):
            scene = scenes[-1]
            action = scene["legal"][0]["action"]
            wire.send_json({"type": "act", "seat": 0, "action": action, "number": scene["number"]})
            scenes += scenes_to(wire, my_turn)
    now = scenes[-1]["number"]
    result = next(scene for scene in scenes if scene["moment"] and scene["moment"]["table"])
    assert result["number"] < now
    told = {}
    for seen in (None, result["number"] - 1, result["number"], now):
        with client.websocket_connect(address) as again:
            hello(again, mine, seen=seen)
            told[seen] = scenes_to(again, my_turn)
    assert [scene["number"] for scene in told[None]] == [now]
    assert [scene["number"] for scene in told[result["number"] - 1]] == [result["number"], now]
    first = told[result["number"] - 1][0]
    assert {**first, "since": None, "happened": []} == {**result, "since": None, "happened": []}
    assert [scene["number"] for scene in told[result["number"]]] == [now]
    assert [scene["number"] for scene in told[now]] == [now]


def test_a_match_from_the_store_still_has_its_moments(tmp_path: Path, small_games: None) -> None:  # noqa: F811
    store = MatchStore(tmp_path / "matches.sqlite")
    places = [Place("person", token="x"), *[Place("agent", "random")] * 3]
    table = Table(store.find(store.create(Header("jass", TWO_DEALS, 4, 6, places))), store)  # type: ignore[arg-type]
    while int(table.position.state["deals"][0]) == 0:
        changed(table, lambda: table.pick(0, table.position.legal(0)[0]), True, set())
    again = Table(store.find(table.id), store)  # type: ignore[arg-type]
    kept = [noted.number for noted in again.moments_since(0)]
    assert kept and kept == [noted.number for noted in table.moments_since(0)]
    then = again.moments_since(0)[-1]
    assert again.scene([0], None, then) == table.scene([0], None, table.moments_since(0)[-1])
    assert again.scene([0], None, then).moment.table  # type: ignore[union-attr]
    store.close()


def test_a_game_without_moments_sends_what_it_always_did(client: TestClient) -> None:  # noqa: F811
    started, [mine] = begin(client, "cards", "me", "random")
    with client.websocket_connect(f"/api/matches/{started['match']}/live") as wire:
        hello(wire, mine, seen=0)
        scenes = play_match(wire)
    assert {scene["number"] for scene in scenes} == set(range(1, 8))
    assert not any(scene["moment"] for scene in scenes)
    assert not any(event["news"] for scene in scenes for event in scene["happened"])


# --- undo ---


def test_what_is_taken_back_takes_its_moment_along(client: TestClient) -> None:  # noqa: F811
    started, [mine] = begin(client, "laps", "me", seed=1)
    address = f"/api/matches/{started['match']}/live"
    with client.websocket_connect(address) as wire:
        hello(wire, mine)
        scenes_to(wire, my_turn)
        for number in (0, 1):
            wire.send_json({"type": "act", "seat": 0, "action": 1, "number": number})
            scenes = scenes_to(wire, my_turn)
        assert [(scene["number"], bool(scene["moment"])) for scene in scenes] == [(2, True), (3, False)]
        assert scenes[0]["may_undo"] and scenes[0]["moment"]["table"] == [["", "you"], ["points", "4"]]
        assert scenes[-1]["happened"][-2]["news"] == ["4 points so far"]
        wire.send_json({"type": "undo", "seat": 0})
        assert [scene["number"] for scene in scenes_to(wire, my_turn)] == [1]
        with client.websocket_connect(address) as again:
            hello(again, mine, seen=3)
            assert [(scene["number"], scene["moment"]) for scene in scenes_to(again, my_turn)] == [(1, None)]
        wire.send_json({"type": "act", "seat": 0, "action": 0, "number": 1})
        scenes = scenes_to(wire, my_turn)
        assert scenes[0]["moment"]["table"] == [["", "you"], ["points", "3"]]


# --- the list of events ---


def test_news_are_told_with_their_events_in_the_language_of_the_viewer(client: TestClient) -> None:  # noqa: F811
    match, mine = start_jass(client, variant="schieber-deal")
    with client.websocket_connect(f"/api/matches/{match}/live?language=de") as wire:
        hello(wire, mine)
        scenes = play_match(wire)
    news = [line for scene in scenes for event in scene["happened"] for line in event["news"]]
    assert any(line.startswith("Runde 1: Plätze 1 + 3: ") for line in news)
    frames = len(record_of(client, match).events)
    last = client.get(f"/api/matches/{match}/frames/{frames}?seat=0").json()
    assert last["happened"]["news"][-1].startswith("Deal 1: seats 1 + 3: ")


# --- films ---


def test_films_have_the_same_moments(client: TestClient) -> None:  # noqa: F811
    match, mine = start_jass(client, variant=TWO_DEALS)
    with client.websocket_connect(f"/api/matches/{match}/live") as wire:
        hello(wire, mine)
        scenes = play_match(wire)
    told = {scene["number"]: scene["moment"] for scene in scenes if scene["moment"]}
    record = record_of(client, match)
    frames = [
        client.get(f"/api/matches/{match}/frames/{number}?seat=0").json() for number in range(len(record.events) + 1)
    ]
    assert frames[0]["moment"] is None
    assert {frame["number"]: frame["moment"] for frame in frames if frame["moment"]} == told


# --- viewers who are slow, agents who are quick ---


def test_no_moment_is_lost_however_many_pictures_wait() -> None:
    async def scenario() -> list[str]:
        viewer = Viewer(())
        for number in range(3 * MAILBOX):
            viewer.tell(str(number), number % 4 == 0)
        return [await viewer.next() for _ in range(len(viewer._mail))]

    waiting = asyncio.run(scenario())
    assert [text for text in waiting if int(text) % 4 == 0] == [str(n) for n in range(0, 3 * MAILBOX, 4)]
    assert len(waiting) <= MAILBOX and waiting[-1] == str(3 * MAILBOX - 1)


def test_a_viewer_who_never_reads_does_not_fill_the_memory() -> None:
    async def scenario() -> list[str]:
        viewer = Viewer(())
        for number in range(2 * MOST_MAIL):
            viewer.tell(str(number), True)
        viewer.tell("now")
        return [await viewer.next() for _ in range(len(viewer._mail))]

    waiting = asyncio.run(scenario())
    assert len(waiting) <= MOST_MAIL + 1 and waiting[-1] == "now"


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The seconds for which somebody would have waited."""
    found: list[float] = []

    async def instead(waiting: Any, seconds: float) -> None:
        waiting.close()
        found.append(seconds)

    monkeypatch.setattr(telling.asyncio, "wait_for", instead)
    yield found


def test_agents_among_themselves_wait_until_a_moment_has_been_seen(tmp_path: Path, waits: list[float]) -> None:
    store = MatchStore(tmp_path / "matches.sqlite")
    header = Header("jass", "server-deal", 4, 6, [Place("agent", "random")] * 4, "watch")
    live = Live(Table(store.find(store.create(header)), store))  # type: ignore[arg-type]
    for pause, stood, passed in ((0.6, 0.0, 0.1), (0.6, 1.2, 0.1), (0.15, 1.2, 0.0), (1.5, 8.0, 0.0), (0.0, 8.0, 0.0)):
        live.pause = pause
        asyncio.run(wait_for_viewers(live, stood, passed))
    assert waits == pytest.approx([0.5, 1.1, 0.3, 20.0])  # and at once, no time at all
    store.close()


def test_who_sets_the_pace_ends_the_wait(client: TestClient) -> None:  # noqa: F811
    """Whoever started the match goes on: the next card comes long before the trick has stood for its time."""
    started, _ = begin(client, "jass", *["random"] * 4, seed=6, variant="server-deal")
    with client.websocket_connect(f"/api/matches/{started['match']}/live") as wire:
        wire.send_json({"type": "hello", "tokens": [], "control": started["control"]})
        scenes = scenes_to(wire, lambda scene: True)
        wire.send_json({"type": "pace", "seconds": 10})
        began = time.monotonic()
        while scenes[-1]["status"] == "playing":
            wire.send_json({"type": "pace"})
            scenes += scenes_to(wire, lambda scene: True)
    assert len(scenes) > 36 and time.monotonic() - began < 180, "37 moves and nine tricks of ten seconds and more each"
    assert [scene["number"] for scene in scenes if scene["moment"]] == moments_of(record_of(client, started["match"]))
