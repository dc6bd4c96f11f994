"""What agents note of their decisions: kept with the moves, told in words, and to nobody who may not know it."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.position import View
from spielwerk.core.words import speaking
from spielwerk.web.notes import MOST, kept, noted_in, told
from spielwerk.web.store import Chance, Pick
from test_web_api import open_client, until
from web_games import GAMES


class Talker(Agent):
    """Notes everything that can be noted."""

    name = "talker"

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        notes = {"depth": np.int64(1234), "share": 0.125, "forced": True, "move": view.game.spec.moves[view.legal[0]]}
        return Decision(view.legal[0], values=tuple(float(i) for i in range(len(view.legal))), notes=notes)


@pytest.fixture(autouse=True)
def games() -> Iterator[None]:
    for known in (*GAMES, Talker):
        registry.register(known)
    yield
    for known in (*GAMES, Talker):
        registry.unregister(known)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with open_client(tmp_path) as found:
        yield found


def start(client: TestClient, game: str, *who: str) -> dict[str, Any]:
    places = [{"who": "me"} if one == "me" else {"who": "agent", "agent": one} for one in who]
    return dict(client.post("/api/matches", json={"game": game, "places": places}).json())


def test_notes_are_said_in_words() -> None:
    game = registry.game("numbers")
    view = game.new(1).view(0)
    notes = kept(view, registry.agent("talker").decide(view, Budget(), np.zeros(1, np.uint64)))
    assert notes is not None
    said = {note.name: note.text for note in told(game, "talker", notes)}
    assert said == {"depth": "1,234", "share": "0.125", "forced": "yes", "move": "1", "values": "1 0, 2 1, 3 2"}
    with speaking("de"):
        said = {note.name: note.text for note in told(game, "nobody known", notes)}
        assert said == {"Tiefe": "1.234", "share": "0,125", "erzwungen": "ja", "Zug": "1", "Werte": "1 0, 2 1, 3 2"}


@pytest.mark.parametrize(("notes", "expected"), [
    ({}, None),
    ({"long": "x" * 50, "many": list(range(MOST))}, None),
    ({"odd": object(), "none": None, "nan": math.nan, "infinite": math.inf}, None),
    ({"list": (1, 2.5), "table": {"a": np.float64(0.5)}}, {"list": [1, 2.5], "table": {"a": 0.5}}),
])  # fmt: skip
def test_only_what_is_short_and_plain_is_kept(notes: dict[str, Any], expected: dict[str, Any] | None) -> None:
    view = registry.game("numbers").new(1).view(0)
    assert kept(view, Decision(0, notes=notes)) == expected


def test_notes_belong_to_their_events() -> None:
    record: list[str | dict[str, str]] = ["deal", {"0": "a", "1": "b"}, {"1": "c"}]
    log = [Chance("deal"), Pick(1, "b", {"n": 1}), Pick(0, "a"), Pick(1, "c", {"n": 2})]
    assert noted_in(record, log) == [{}, {1: {"n": 1}}, {1: {"n": 2}}]


def test_nobody_hears_notes_while_people_play(client: TestClient) -> None:
    started = start(client, "numbers", "me", "talker", "random")
    match, token = started["match"], {"X-Seat-Token": started["tokens"][0]["token"]}
    for number in range(3):
        until(lambda: client.get(f"/api/matches/{match}").json(), lambda scene: scene["waiting"] == [0])
        scene = client.post(f"/api/matches/{match}/actions", json={"seat": 0, "action": number}, headers=token).json()
        assert scene["thoughts"] == [] or scene["status"] == "over"
    over = until(lambda: client.get(f"/api/matches/{match}").json(), lambda scene: scene["status"] == "over")
    assert [thought["seat"] for thought in over["thoughts"]] == [1]
    frame = client.get(f"/api/matches/{match}/frames/1?seat=0", headers={"Accept-Language": "de"}).json()
    assert {"name": "Tiefe", "text": "1.234"} in frame["thoughts"][0]["notes"]
    assert client.get(f"/api/matches/{match}/frames/0?seat=0").json()["thoughts"] == []
    assert "depth" not in client.get(f"/api/matches/{match}/record").text


def test_any_agent_can_be_asked_for_a_hint_and_tells_its_notes(client: TestClient) -> None:
    started = start(client, "numbers", "me", "random", "random")
    match, token = started["match"], {"X-Seat-Token": started["tokens"][0]["token"]}
    asked = {"seat": 0, "step": "what", "agent": "talker"}
    hint = client.post(f"/api/matches/{match}/hint", json=asked, headers=token).json()
    assert hint["agent"] == "talker" and {"name": "depth", "text": "1,234"} in hint["notes"]
    first = client.post(f"/api/matches/{match}/hint", json=asked | {"step": "where"}, headers=token).json()
    assert first["notes"] == [] and first["actions"] == []
    other = client.post(f"/api/matches/{match}/hint", json={"seat": 0, "step": "what"}, headers=token).json()
    assert other["agent"] != "talker"
    for nonsense in ("no such agent", "x" * 500):
        refused = client.post(f"/api/matches/{match}/hint", json=asked | {"agent": nonsense}, headers=token)
        assert refused.status_code in (400, 422)


def test_matches_between_agents_tell_what_they_note(client: TestClient) -> None:
    match = start(client, "numbers", "talker", "talker", "random")["match"]
    with client.websocket_connect(f"/api/matches/{match}/live") as wire:
        wire.send_json({"type": "hello", "tokens": []})
        scene = next(one for one in iter(wire.receive_json, None) if one["type"] == "scene" and one["number"] > 0)
        assert [thought["seat"] for thought in scene["thoughts"]] == [0, 1]
