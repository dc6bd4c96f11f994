"""Looks over the wire: each viewer of a match sees the own cards, everywhere; rules and records know nothing of it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from spielwerk.core import registry
from spielwerk.core.match import play
from test_web_api import begin, hear, open_client, small_games, until  # noqa: F401

SWISS = {"X-Looks": "jass.deck=swiss"}
SWISS_CARD = re.compile(r"^(Rosen|Eichel|Schellen|Schilten) (6|7|8|9|Banner|Under|Ober|König|Ass)$")
FRENCH_CARD = re.compile(r"^\w+ of (hearts|diamonds|clubs|spades)$")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with open_client(tmp_path) as found:
        yield found


def test_a_game_tells_its_variants_options_looks_and_teams(client: TestClient) -> None:
    jass = client.get("/api/games/jass").json()
    schieber = next(variant for variant in jass["variants"] if variant["name"] == "schieber")
    assert jass["offered"] == "schieber" and jass["variants"][0]["name"] == "server"
    assert schieber["help"] and schieber["values"]["weis"] == 2 and schieber["values"]["target"] == 2500
    assert schieber["sets"] == ["multiplied modes", "Weis: as today", "Stöck", "claiming", "announcing"]
    kinds = {option["name"]: option["kind"] for option in jass["options"]}
    assert (kinds["weis"], kinds["stoeck"], kinds["target"]) == ("choice", "switch", "number") and "deck" not in kinds
    assert jass["teams"] == [[0, 1, 0, 1]] and jass["luck"] == "cards"
    [deck] = jass["looks"]
    assert [choice["name"] for choice in deck["choices"]] == ["french", "swiss"]
    qwixx = client.get("/api/games/qwixx", headers={"Accept-Language": "de"}).json()
    sheet = qwixx["options"][-1]
    assert (sheet["kind"], sheet["choices"]) == ("choice", ["vom Block", "gemischte Zahlen", "gestreift"])
    assert qwixx["teams"][qwixx["seats"].index(3)] == [0, 1, 2] and qwixx["luck"] == "Würfel"
    numbers = client.get("/api/games/numbers").json()
    assert numbers["luck"] == "" and numbers["variants"][0]["title"] == "Standard"


def test_two_viewers_of_one_match_see_different_cards(client: TestClient) -> None:
    """Boards, legal moves and the log, each in the cards of who looks; while the match goes on, too."""
    _, [seat] = begin(client, "jass", "me", "random", "random", "random", variant="server-deal", seed=6)
    live, hello = f"/api/matches/{seat.match}/live", {"type": "hello", "tokens": [seat.token]}
    with (
        client.websocket_connect(f"{live}?looks=jass.deck%3Dswiss") as swiss,
        client.websocket_connect(live) as french,
    ):
        for wire in (swiss, french):
            wire.send_json(hello)
        scenes = [scene_with_choices(wire) for wire in (swiss, french)]
        assert [names(scene)[0] for scene in scenes] == ["trump Rosen", "trump hearts"]
        swiss.send_json({"type": "act", "seat": 0, "action": 36})
        scenes = [scene_with_choices(wire, after=scenes[0]["number"]) for wire in (swiss, french)]
        assert all(SWISS_CARD.match(name) for name in names(scenes[0]))
        assert all(FRENCH_CARD.match(name) for name in names(scenes[1]))
        assert ">Rosen<" in scenes[0]["svg"] and ">hearts<" in scenes[1]["svg"]
        said = [[move for event in scene["happened"] for move in event["moves"]] for scene in scenes]
        assert [move["move"] for move in said[0]] == [move["move"] for move in said[1]]
        assert said[0][0]["name"] == "trump Rosen" and said[1][0]["name"] == "trump hearts"
        assert all(SWISS_CARD.match(move["name"]) for move in said[0][1:])
        assert all(FRENCH_CARD.match(move["name"]) for move in said[1][1:])


def scene_with_choices(wire: Any, after: int = -1) -> dict[str, Any]:
    while True:
        message = hear(wire)
        if message["type"] == "scene" and message["legal"] and message["number"] > after:
            return message


def names(scene: dict[str, Any]) -> list[str]:
    return [choice["name"] for choice in scene["legal"]]


def test_hints_films_reviews_and_cards_on_the_home_page_follow_the_look(client: TestClient) -> None:
    _, [seat] = begin(client, "jass", "me", "random", "random", "random", variant="server-deal", seed=6)
    scene = seat.turn()
    while scene["legal"][0]["action"] >= 36:
        scene = seat.play_on(1)
    path = f"/api/matches/{seat.match}"
    for headers, card in ((SWISS, SWISS_CARD), ({}, FRENCH_CARD)):
        asked = {"seat": 0, "step": "what"}
        hint = client.post(f"{path}/hint", json=asked, headers={**seat.headers, **headers}).json()
        assert all(card.match(one["name"]) for one in hint["actions"])
    seat.play_on()
    last = client.get(f"{path}/frames/0").json()["frames"] - 1
    for headers, card, mode in ((SWISS, SWISS_CARD, "trump Rosen"), ({}, FRENCH_CARD, "trump hearts")):
        frames = [client.get(f"{path}/frames/{number}", headers=headers).json() for number in (2, last)]
        assert frames[0]["happened"]["moves"][0]["name"] == mode
        assert card.match(frames[1]["happened"]["moves"][0]["name"])

        def review(headers: dict[str, str] = headers) -> dict[str, Any]:
            return dict(client.post(f"{path}/review", headers=headers).json())

        judged = until(review, lambda found: found["done"] == 1)["judgements"]
        assert all(card.match(one["name"]) for each in judged[1:] for one in each["actions"])
    pictures = [client.get("/api/games/jass/pictures", headers=headers).json() for headers in (SWISS, {}, SWISS)]
    assert pictures[0] == pictures[2] != pictures[1]


@pytest.mark.parametrize("looks", ["", "jass.deck=tarot", "deck", "=,=,=", "jass.deck=" + "x" * 5000, "%00\u00ff"])
def test_looks_that_nobody_knows_change_nothing(client: TestClient, looks: str) -> None:
    usual = client.get("/api/games/jass/pictures").json()
    assert client.get("/api/games/jass/pictures", params={"looks": looks}).json() == usual


def test_a_record_with_a_deck_is_brought_and_shown_as_the_viewer_likes(client: TestClient) -> None:
    record = play(registry.game("jass", variant="server-deal"), [registry.agent("random")] * 4, seed=4)
    written = json.loads(record.to_json())
    written["header"]["variant"] = "server-deal,deck=1"
    answer = client.post("/api/records", content=json.dumps(written))
    assert answer.status_code == 201, answer.text
    path = f"/api/matches/{answer.json()['match']}"
    french, swiss = (client.get(f"{path}/frames/5", headers=headers).json() for headers in ({}, SWISS))
    assert FRENCH_CARD.match(french["happened"]["moves"][0]["name"])
    assert SWISS_CARD.match(swiss["happened"]["moves"][0]["name"])
    again = client.get(f"{path}/record", headers=SWISS).json()
    assert again["events"] == written["events"] and again["result"] == written["result"]
