"""The web app speaks German completely, with every registered game; and to each visitor in his own language."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from fastapi.testclient import TestClient

from german import english_words, vocabulary
from spielwerk.core import registry
from spielwerk.web.app import create_app
from spielwerk.web.language import chosen, preferred
from spielwerk.web.limits import Limits
from spielwerk.web.store import MatchStore
from test_web_advice import until_done
from test_web_api import hear
from web_games import Cards

LIMITS = Limits(hint=0.05, review=0.5, requests_per_second=1000, burst=100_000, looks_per_second=1e6)
GERMAN = {"Accept-Language": "de-CH, de;q=0.9, en;q=0.5"}
QUICK = {"2048": "2x2", "qwixx": "official", "jass": "schieber-deal"}
# fields that people read
SHOWN = {"title", "summary", "rules", "name", "help", "text", "strength", "measured", "luck", "sets", "choices"}
NAMES_OF_THINGS = {"options", "variants", "looks"}  # in whose entries `name` is what is written, not what is read


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    registry.register(Cards)
    app = create_app(MatchStore(tmp_path / "matches.sqlite"), LIMITS, tmp_path / "runs", tmp_path / "results.sqlite")
    with TestClient(app) as found:
        yield found
    registry.unregister(Cards)


def shown(answer: Any) -> list[str]:
    """Every text of an answer that people read, those of its pictures among them."""
    if isinstance(answer, list):
        return [text for each in answer for text in shown(each)]
    if not isinstance(answer, dict):
        return []
    texts = []
    for field, value in answer.items():
        if field == "svg":
            texts += drawn(value)
        elif field == "svgs":
            texts += [text for svg in value for text in drawn(svg)]
        elif field in NAMES_OF_THINGS:
            texts += [text for each in value for text in shown({key: each[key] for key in each if key != "name"})]
        elif field in SHOWN and isinstance(value, str):
            texts.append(value)
        elif field in SHOWN and isinstance(value, list):
            texts += [each if isinstance(each, str) else each["title"] for each in value]
        else:
            texts += shown(value)
    return texts


def drawn(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    labels = [element.attrib["aria-label"] for element in root.iter() if "aria-label" in element.attrib]
    return [text for text in [*root.itertext(), *labels] if text.strip()]


def begin(client: TestClient, game: str, variant: str | None = None) -> tuple[str, dict[str, str]]:
    spec = registry.game_class(game).spec
    places = [{"who": "me"}, *[{"who": "agent", "agent": spec.ladder[0].agent}] * (spec.seats[0] - 1)]
    body = {"game": game, "places": places, "variant": variant, "seed": 5}
    started = client.post("/api/matches", json=body, headers=GERMAN).json()
    return started["match"], {**GERMAN, "X-Seat-Token": started["tokens"][0]["token"]}


@pytest.mark.parametrize("game", registry.game_names())
def test_every_word_of_a_match_is_german(client: TestClient, game: str) -> None:
    """Home page, table, hint, replay and review; not one word of an English phrase is left."""
    read = [client.get(path, headers=GERMAN).json() for path in (f"/api/games/{game}", f"/api/games/{game}/pictures")]
    match, headers = begin(client, game, QUICK.get(game))
    scene = client.get(f"/api/matches/{match}", headers=headers).json()
    ends, decisions = time.monotonic() + 600, 0
    while decisions < 12 and scene["status"] == "playing" and time.monotonic() < ends:
        read.append(scene)
        if scene["legal"]:
            if decisions == 2:
                hint = client.post(f"/api/matches/{match}/hint", json={"seat": 0, "step": "what"}, headers=headers)
                read.append(hint.json())
                assert hint.json()["actions"][0]["name"]
            body = {"seat": 0, "action": scene["legal"][-1]["action"]}
            scene = client.post(f"/api/matches/{match}/actions", json=body, headers=headers).json()
            decisions += 1
        else:
            time.sleep(0.01)
            scene = client.get(f"/api/matches/{match}", headers=headers).json()
    assert decisions >= 3
    if scene["status"] == "playing":
        client.post(f"/api/matches/{match}/resign", json={"seat": 0}, headers=headers)
    read += [client.get(f"/api/matches/{match}/frames/{n}?seat=-2", headers=GERMAN).json() for n in range(4)]
    read += client.get(f"/api/matches?ids={match}", headers=GERMAN).json()
    review = client.post(f"/api/matches/{match}/review", headers=GERMAN).json()
    while review["done"] < 1 and time.monotonic() < ends:
        time.sleep(0.05)
        review = client.post(f"/api/matches/{match}/review", headers=GERMAN).json()
    read.append(review)
    assert review["judgements"] and all(one["name"] for each in review["judgements"] for one in each["actions"])
    texts = shown(read)
    assert len(texts) > 100
    english = english_words(registry.game_class(game).say.folders)
    assert not {text for text in texts if vocabulary([text]) & english}
    record = client.get(f"/api/matches/{match}/record", headers=GERMAN).json()
    moves = {move for event in record["events"] if isinstance(event, dict) for move in event.values()}
    assert moves <= set(registry.game_class(game).spec.moves)


def test_each_visitor_of_a_match_hears_his_own_language(client: TestClient) -> None:
    match, headers = begin(client, "2048")
    live = f"/api/matches/{match}/live"
    hello = {"type": "hello", "tokens": [headers["X-Seat-Token"]]}
    with (
        client.websocket_connect(f"{live}?language=de") as german,
        client.websocket_connect(live, headers={"Accept-Language": "en"}) as english,
    ):
        for wire in (german, english):
            wire.send_json(hello)
            scene = hear(wire)
        german.send_json({"type": "act", "seat": 0, "action": scene["legal"][0]["action"]})
        here, there = hear(german), hear(english)
        assert "Punkte" in here["svg"] and "points" in there["svg"]
        move, spawn = here["happened"][-2:]
        assert move["moves"][0]["move"] == there["happened"][-2]["moves"][0]["move"] == scene["legal"][0]["move"]
        assert (
            move["moves"][0]["name"]
            == {"up": "hoch", "down": "runter", "left": "links", "right": "rechts"}[move["moves"][0]["move"]]
        )
        assert spawn["text"].startswith("neue ") and there["happened"][-1]["text"].startswith("a new ")
        german.send_json({"type": "act", "seat": 0, "action": 99})
        assert "darf '99' nicht spielen" in hear(german)["detail"]


def test_a_game_without_german_is_played_in_english(client: TestClient) -> None:
    match, headers = begin(client, "cards")
    scene = client.get(f"/api/matches/{match}", headers=headers).json()
    assert scene["title"] == "Three tricks"
    assert scene["players"][1]["strength"] == "leicht"  # a word that every game may use
    assert {choice["name"] for choice in scene["legal"]} <= set(Cards.spec.moves)


def test_mistakes_are_explained_in_german(client: TestClient) -> None:
    def post(path: str, body: dict[str, Any]) -> str:
        return client.post(path, json=body, headers=GERMAN).json()["detail"]

    places = [{"who": "agent", "agent": "mcc"}]
    assert "ist unbekannt" in post("/api/matches", {"game": "2048", "places": places})
    assert post("/api/matches/AAAAAAAAAAAA/claim", {"invitation": "x"}) == "Diese Partie gibt es nicht"
    unfit = post("/api/matches", {"game": "2048", "places": [{"who": "agent", "agent": "dmcts"}]})
    assert unfit == "dmcts kann 2048 nicht spielen: Seine Ausspiele kennen nur Jass"
    assert "Das ist keine Aufzeichnung" in post("/api/records", {"nothing": 1})


def test_learning_curves_have_german_labels(client: TestClient, tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "first"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(
        json.dumps({"game": "2048", "variant": "4x4", "seats": 1, "seed": 0, "learner": "ntuple"})
    )
    (folder / "log.jsonl").write_text(json.dumps({"matches": 10, "mean": 500.0}) + "\n")
    [german], [english] = (client.get("/api/runs", headers=headers).json() for headers in (GERMAN, {}))
    assert (german["across"], german["up"]) == ("Partien", "Punkte (Mittel seit der Zeile davor)")
    assert (english["across"], english["up"]) == ("matches", "points (mean since the line before)")


def test_an_evaluation_reports_in_german(client: TestClient) -> None:
    body = {"game": "2048", "agent": "random", "variant": "2x2", "games": 200}
    job = client.post("/api/evaluations", json=body, headers=GERMAN).json()
    done = until_done(lambda: client.get(f"/api/jobs/{job['id']}", headers=GERMAN).json())
    assert done["state"] == "done"
    assert "Mittel " in done["line"] and "mean" not in done["line"]


def test_the_dearest_language_that_is_spoken_here_is_chosen() -> None:
    assert preferred("fr, en;q=0.3, de-CH;q=0.8, *;q=0.1") == ["fr", "de-CH", "en", "*"]
    assert chosen(["fr", "de-CH", "en"]) == "de"
    assert chosen(["fr", "*"]) == chosen([]) == "en"
    assert preferred("de;q=much, en") == ["en"]
