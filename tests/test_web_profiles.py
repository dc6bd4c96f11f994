"""How visitors and agents came to their points: whose matches count, what is said of them, and to whom."""

from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from spielwerk.core import registry
from spielwerk.core.match import Record, replay
from spielwerk.web import profiles
from test_web_api import Seat, begin, client, open_client, small_games, until  # noqa: F401


def played(client: TestClient, *who: str, game: str = "clever", seed: int = 1, **more: Any) -> Seat:  # noqa: F811
    _, [seat] = begin(client, game, *who, seed=seed, **more)
    seat.play_on()
    return seat


def own(client: TestClient, *seats: Seat, game: str = "clever", **more: Any) -> list[dict[str, Any]]:  # noqa: F811
    held = [{"match": seat.match, "token": seat.token} for seat in seats]
    answer = client.post(f"/api/games/{game}/profiles", json={"seats": held}, **more)
    assert answer.status_code == 200, answer.text
    return answer.json()


def recorded(client: TestClient, seat: Seat) -> Record:  # noqa: F811
    return Record.from_json(client.get(f"/api/matches/{seat.match}/record").content)


def agents(client: TestClient, game: str, **asked: Any) -> list[dict[str, Any]]:  # noqa: F811
    path = f"/api/games/{game}/profiles"
    found = until(lambda: client.get(path, params=asked).json(), lambda told: told["done"], 600)
    return list(found["agents"])


def test_one_s_own_matches_are_counted_as_the_records_say(client: TestClient) -> None:  # noqa: F811
    seats = [played(client, "me", seed=seed) for seed in (1, 2, 3)]
    [table] = own(client, *seats)
    records = [recorded(client, seat) for seat in seats]
    scores = [record.result.scores[0] for record in records if record.result]
    found = table["profile"]
    assert (table["variant"], table["seats"], found["matches"]) == ("official", 1, 3)
    assert found["mean"] == pytest.approx(mean(scores)) and found["median"] == median(scores)
    assert (found["best"], found["worst"]) == (max(scores), min(scores))
    assert found["sd"] == pytest.approx(np.std(scores, ddof=1)) and found["win_share"] is None
    finals = np.concatenate([replay(record)[-1].state for record in records])
    parts = registry.game("clever", 1).profile(finals, [0, 0, 0])
    assert [(part["title"], tuple(part["labels"]), tuple(part["figures"])) for part in found["parts"]] == [
        (part.title, part.labels, part.figures) for part in parts
    ]
    areas = found["parts"][0]
    assert areas["title"] == "Points by area" and sum(areas["figures"]) == pytest.approx(found["mean"])


def test_only_the_seats_that_a_token_opens_are_told(client: TestClient) -> None:  # noqa: F811
    mine, others = played(client, "me", seed=1), played(client, "me", seed=2)
    stolen = [Seat(client, others.match, 0, token) for token in (mine.token, "wrong")]
    gone = Seat(client, "AAAAAAAAAAAA", 0, mine.token)
    assert own(client, *stolen, gone) == []
    assert own(client, mine, *stolen, gone) == own(client, mine) == own(client, mine, mine)
    assert own(client, mine)[0]["profile"]["sd"] is None
    assert own(client, mine, game="2048") == []


def test_tables_of_different_kinds_are_told_apart_and_wins_are_counted(client: TestClient) -> None:  # noqa: F811
    pair = [played(client, "random", "me", seed=seed) for seed in (1, 2)]
    tables = own(client, played(client, "me", variant="thesis"), *pair)
    assert [(table["variant"], table["seats"]) for table in tables] == [("official", 2), ("thesis", 1)]
    shares = []
    for seat in pair:
        scores = recorded(client, seat).result.scores  # type: ignore[union-attr]
        shares.append(1.0 if scores[1] > scores[0] else 0.0)
    found = tables[0]["profile"]
    assert found["win_share"] == pytest.approx(mean(shares)) and found["matches"] == 2
    assert found["mean"] == pytest.approx(mean(recorded(client, seat).result.scores[1] for seat in pair))  # type: ignore[union-attr]


def test_matches_that_were_given_up_go_on_or_repeat_another_are_left_out(client: TestClient) -> None:  # noqa: F811
    whole = played(client, "me", seed=1)
    _, [open_seat] = begin(client, "clever", "me")
    _, [given_up] = begin(client, "clever", "me")
    assert given_up.post("resign").status_code == 200
    again = []
    for number in (0, 6):
        answer = client.post(f"/api/matches/{whole.match}/branch", json={"number": number, "seat": 0}).json()
        again.append(Seat(client, answer["match"], 0, answer["tokens"][0]["token"]))
        again[-1].play_on()
    assert own(client, whole, open_seat, given_up, *again) == own(client, whole)


def test_a_move_that_is_taken_back_takes_the_match_back(client: TestClient) -> None:  # noqa: F811
    seat = played(client, "me", game="2048", variant="2x2")
    [before] = own(client, seat, game="2048")
    assert seat.post("undo").status_code == 200
    assert own(client, seat, game="2048") == []
    legal = seat.look()["legal"]
    seat.act(legal[-1]["action"])
    seat.play_on()
    [after] = own(client, seat, game="2048")
    assert after["profile"]["mean"] == seat.look()["scores"][0]
    assert before["profile"]["matches"] == after["profile"]["matches"] == 1


def test_what_was_played_is_known_after_a_restart_and_in_german(tmp_path: Path) -> None:
    with open_client(tmp_path) as first:
        seat = played(first, "me")
        english = own(first, seat)
    with open_client(tmp_path) as second:
        assert own(second, seat) == english
        [german] = own(second, seat, headers={"Accept-Language": "de"})
    assert german["rules"] == "Offiziell"
    rating = german["profile"]["parts"][2]
    assert rating["title"] == "Wertung: Anteil der Partien" and rating["share"]
    assert rating["labels"][:2] == ["unter 140", "140 bis 159"] and rating["notes"][1] == "ein Anfang"


def test_agents_play_once_and_are_told_by_strength(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(profiles, "SECONDS", 1.0)
    found = agents(client, "clever", seats=1, variant="official")
    assert [one["strength"] for one in found][:2] == ["beginner", "easy"]
    beginner, easy = found[0]["profile"], found[1]["profile"]
    assert beginner["matches"] % profiles.AT_A_TIME == 0 and 0 < beginner["matches"] <= profiles.MATCHES
    assert beginner["mean"] == pytest.approx(103, abs=15) and easy["mean"] > beginner["mean"] + 20
    assert beginner["win_share"] is None
    [table] = own(client, played(client, "me"))
    assert [part["title"] for part in table["profile"]["parts"]] == [part["title"] for part in beginner["parts"]]
    monkeypatch.setattr(profiles, "measure", None)  # nobody plays a second time
    assert agents(client, "clever", seats=1, variant="official") == found
    german = client.get("/api/games/clever/profiles?seats=1&variant=official", headers={"Accept-Language": "de"}).json()
    assert german["agents"][0]["strength"] == "Anfänger" and german["done"]


def test_games_without_words_of_their_own_tell_what_they_have(client: TestClient) -> None:  # noqa: F811
    seat = played(client, "me", "random", game="qwixx")
    [table] = own(client, seat, game="qwixx")
    [part] = table["profile"]["parts"]
    assert part["title"] == "In these matches, all seats together" and "crosses" in part["labels"]
    state = replay(recorded(client, seat))[-1].state
    assert part["figures"][part["labels"].index("turns")] == state["turns"][0]
    seat = played(client, "me", "random", "random", game="numbers")
    [table] = own(client, seat, game="numbers")
    assert table["profile"]["parts"] == [] and table["profile"]["matches"] == 1


def test_an_agent_that_takes_too_long_is_left_out(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(profiles, "SECONDS", 0.0)
    assert agents(client, "clever", seats=2, variant="official") == []


def test_what_cannot_be_asked_is_refused_with_a_sentence(client: TestClient) -> None:  # noqa: F811
    for path in ("/api/games/chess/profiles", "/api/games/%00/profiles"):
        assert client.get(path).status_code == client.post(path, json={"seats": []}).status_code == 404
    for asked in ({"variant": "nonsense"}, {"seats": 9}):
        answer = client.get("/api/games/clever/profiles", params=asked)
        assert answer.status_code == 400 and isinstance(answer.json()["detail"], str)
    many = [{"match": "AAAAAAAAAAAA", "token": "x"}] * 401
    assert client.post("/api/games/clever/profiles", json={"seats": many}).status_code == 422
