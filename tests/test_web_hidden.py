"""Attacks on the hidden cards of a Jass match: nothing that another seat or a spectator can get holds them, in no form.

Everything that every party receives during a match is kept: answers of the API, messages of the WebSocket, hints,
refusals. When the match is over, its record tells who could know which cards after which event, and everything is read
again for cards that its reader could not know: as notation, as names, as pieces of the picture, as numbers of actions.
"""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from fastapi.testclient import TestClient

from spielwerk.core import registry
from spielwerk.core.match import Record, positions
from spielwerk.core.position import Position
from spielwerk.web.limits import Limits
from test_web_api import Seat, begin, join, open_client

PATIENT = Limits(hint=0.02, requests_per_second=1e6, burst=1_000_000, looks_per_second=1e6)
SPECTATOR = -1
NOTATION = re.compile(r"(?<![A-Za-z0-9#])([hdcs](?:10|[6-9JQKA]))(?![A-Za-z0-9])")
ENGLISH = {"hearts": "h", "diamonds": "d", "clubs": "c", "spades": "s"}
GERMAN = {"Herz": "h", "Ecken": "d", "Kreuz": "c", "Schaufel": "s"}
RANKS = {"jack": "J", "queen": "Q", "king": "K", "ace": "A", "Bauer": "J", "Dame": "Q", "König": "K", "Ass": "A"}


class Heard(NamedTuple):
    """Something that a party received, and the number of events that had happened by then at most."""

    reader: int
    text: str
    number: int


def cards_in(text: str) -> set[str]:
    """Every card that a text mentions, however it is written."""
    found = set(NOTATION.findall(text))
    for rank, suit in re.findall(r"(\w+) of (hearts|diamonds|clubs|spades)", text):
        if rank in RANKS or rank in ("6", "7", "8", "9", "10"):
            found.add(ENGLISH[suit] + RANKS.get(rank, rank))
    for suit, rank in re.findall(r"\b(Herz|Ecken|Kreuz|Schaufel)[ -](\w+)", text):
        if rank in RANKS or rank in ("6", "7", "8", "9", "10"):
            found.add(GERMAN[suit] + RANKS.get(rank, rank))
    return found


def known_to(position: Position, seat: int) -> set[int]:
    """The cards whose place a seat may know: its own, those played in this deal, those shown as Weis."""
    s = position.state[0]
    known = int(s["hands"][seat]) if seat >= 0 else 0
    for other in range(4):
        known |= int(s["played"][other]) | int(s["shown"][other])
    return {card for card in range(36) if known >> card & 1}


class Match:
    """A match of Jass between two people and two agents, with everything that anybody got to see."""

    def __init__(self, client: TestClient, variant: str) -> None:
        self.client = client
        started, [mine] = begin(client, "jass", "me", "friend", "random", "rules", variant=variant)
        self.id: str = started["match"]
        self.people = {mine.seat: mine, 1: join(client, started)}
        self.heard: list[Heard] = []
        self.names = registry.game_class("jass").spec.moves

    def keep(self, reader: int, text: str, number: int) -> None:
        self.heard.append(Heard(reader, text, number))

    def look(self) -> None:
        for language in ("en", "de"):
            for seat, person in [*self.people.items(), (SPECTATOR, Seat(self.client, self.id, 0, None))]:
                headers = {**person.headers, "accept-language": language}
                answer = self.client.get(f"/api/matches/{self.id}", headers=headers)
                self.keep(seat, answer.text, answer.json()["number"])

    def attack(self, number: int) -> None:
        """All that somebody could try who wants to know more; everything is refused, and the refusals tell nothing."""
        tokens = [None, "wrong", *(person.token for person in self.people.values())]
        for victim in range(4):
            for token in tokens:
                if victim in self.people and token == self.people[victim].token:
                    continue
                thief = next((seat for seat, person in self.people.items() if person.token == token), SPECTATOR)
                robber = Seat(self.client, self.id, victim, token)
                for what, body in (
                    ("hint", {"step": "what"}),
                    ("hint", {"step": "where"}),
                    ("undo", {}),
                    ("resign", {}),
                ):
                    answer = robber.post(what, **body)
                    assert answer.status_code == 403, (what, victim, answer.text)
                    self.keep(thief, answer.text, number)
                answer = robber.post("actions", action=0)
                assert answer.status_code == 403, answer.text
                self.keep(thief, answer.text, number)
        for seat in (SPECTATOR, *self.people):
            headers = {} if seat == SPECTATOR else self.people[seat].headers
            for path in ("record", *(f"frames/{n}?seat={s}" for n in (0, 1, number) for s in (-2, -1, 0, 1, 2, 3))):
                answer = self.client.get(f"/api/matches/{self.id}/{path}", headers=headers)
                assert answer.status_code == 409, (path, answer.text)
                self.keep(seat, answer.text, number)
            for what, body in (
                ("review", {}),
                ("branch", {"number": 0, "seat": 0}),
                ("branch", {"number": 1, "seat": 2}),
            ):
                answer = self.client.post(f"/api/matches/{self.id}/{what}", json=body, headers=headers)
                assert answer.status_code == 409, (what, answer.text)
                self.keep(seat, answer.text, number)
            for path in (f"/api/matches?ids={self.id}", "/api/matches", "/api/games/jass", f"/table/{self.id}"):
                self.keep(seat, self.client.get(path, headers=headers).text, number)

    def play(self) -> None:
        """To the end: whoever's turn it is asks for a hint and plays the last of its legal actions."""
        turns = 0
        while True:
            scenes = {seat: person.look() for seat, person in self.people.items()}
            if scenes[0]["status"] != "playing":
                return
            turn = next((seat for seat, scene in scenes.items() if scene["legal"]), None)
            if turn is None:
                time.sleep(0.005)
                continue
            self.look()
            number = scenes[turn]["number"]
            if turns in (0, 3, 9):
                self.attack(number)
            if turns % 4 == 1:
                hint = self.people[turn].post("hint", step="what")
                assert hint.status_code == 200, hint.text
                self.keep(turn, hint.text, number)
            legal = [choice["action"] for choice in scenes[turn]["legal"]]
            if legal[0] < 36:  # an illegal move; the refusal lists what is legal
                refused = self.people[turn].post("actions", move="push")
                assert refused.status_code == 400
                self.keep(turn, refused.text, number)
            answer = self.people[turn].post("actions", action=legal[-1])
            if answer.json()["status"] == "playing":  # afterwards everything may be told
                self.keep(turn, answer.text, answer.json()["number"])
            turns += 1

    def leaks(self) -> list[str]:
        """What somebody got to see and could not know, in a match of one deal."""
        game = registry.game("jass", variant=self.client.get(f"/api/matches/{self.id}").json()["variant"])
        record = Record.from_json(self.client.get(f"/api/matches/{self.id}/record").content)
        every = list(positions(game, record))
        deals = [event for event in record.events if isinstance(event, str)]
        found = []
        for reader, text, number in self.heard:
            known = known_to(every[number], reader)
            last = self.names_of(known) | self.recent(record, number)
            found += [f"seat {reader} after {number}: {card}" for card in cards_in(text) - last]
            others = [hand for deal in deals for seat, hand in enumerate(deal.split(" | ")) if seat != reader]
            found += [f"seat {reader} read a whole hand" for hand in others if hand in text]
            for seat in range(4):
                hand = int(every[number].state[0]["hands"][seat])
                if seat != reader and hand > 10**6 and str(hand) in text:
                    found.append(f"seat {reader} after {number}: the hand of seat {seat} as a number")
            for action in re.findall(r'"action":\s*(\d+)', text):
                if int(action) < 36 and int(action) not in known:
                    found.append(f"seat {reader} after {number}: action {action}")
            if str(record.header.seed) in text:
                found.append(f"seat {reader} after {number}: the seed")
        return found

    def names_of(self, cards: set[int]) -> set[str]:
        return {self.names[card] for card in cards}

    def recent(self, record: Record, number: int) -> set[str]:
        """The cards of the last moves, which everybody has seen and a scene tells again."""
        return {move for event in record.events[:number] if isinstance(event, dict) for move in event.values()}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with open_client(tmp_path, PATIENT) as found:
        yield found


@pytest.mark.parametrize("variant", ["server-deal", "schieber-deal"])
def test_no_card_can_be_found_that_is_not_ones_own(client: TestClient, variant: str) -> None:
    match = Match(client, variant)
    address = f"/api/matches/{match.id}/live"
    with (
        client.websocket_connect(address) as first,
        client.websocket_connect(address) as second,
        client.websocket_connect(address) as watching,
    ):
        wires = {0: first, 1: second, SPECTATOR: watching}
        for seat, wire in wires.items():
            wire.send_json({"type": "hello", "tokens": [match.people[seat].token] if seat >= 0 else []})
            for other in range(-1, 4):  # asks to be shown the table from everybody's place, plays for everybody
                wire.send_json({"type": "look", "seat": other})
                if other != seat:
                    wire.send_json({"type": "act", "seat": other, "action": 0})
                    wire.send_json({"type": "resign", "seat": other})
        match.play()
        for seat, wire in wires.items():
            number, status = 0, "playing"
            while status == "playing":
                message = json.loads(text := wire.receive_text())
                if message["type"] == "scene":
                    number, status = message["number"], message["status"]
                if status == "playing":
                    assert message.get("seat", seat) == seat
                    match.keep(seat, text, number)
    assert len(match.heard) > 300
    assert {one.reader for one in match.heard} == {0, 1, SPECTATOR}
    assert match.leaks() == []


def test_the_search_for_leaks_finds_them(client: TestClient) -> None:
    """The other way round: a scene of one seat in the hands of another is found, card by card."""
    match = Match(client, "server-deal")
    for person in match.people.values():
        person.look()
    theirs = match.people[1].look()
    match.keep(SPECTATOR, json.dumps(theirs), theirs["number"])
    german = client.get(f"/api/matches/{match.id}", headers={**match.people[0].headers, "accept-language": "de"})
    names = [choice["name"] for choice in german.json()["legal"] if choice["action"] < 36]
    match.play()
    found = {leak.rpartition(" ")[2] for leak in match.leaks()}
    assert len(found) >= 9, found
    assert all(cards_in(name) for name in names)
    assert cards_in("Herz Bauer, Schaufel-10; jack of clubs, dA") == {"hJ", "s10", "cJ", "dA"}


def test_a_picture_shows_as_many_faces_as_the_seat_knows() -> None:
    """Own hand, the trick and the one before face up, everything else as backs whose names are places only."""
    position = registry.game("jass").new(5)
    while not position.over and int(position.state["deals"][0]) == 0:
        for seat in range(-1, 4):
            svg = position.view(seat).svg
            faces = set(re.findall(r'data-piece="1-([hdcs](?:10|[6-9JQKA]))"', svg))
            backs = re.findall(r'data-piece="1-(back-(\d)-(\d))"', svg)
            assert faces <= {registry.game_class("jass").spec.moves[card] for card in known_to(position, seat)}
            assert len(faces) + len(backs) == len(re.findall("data-piece=", svg))
            s = position.state[0]
            for other in range(4):
                held = int(s["hands"][other]).bit_count()
                assert sum(int(owner) == other for _, owner, _ in backs) == (0 if other == seat else held)
        position.play({position.actors[0]: position.legal(position.actors[0])[-1]})


FACES = re.compile(r'data-piece="\d+-([hdcs](?:10|[6-9JQKA]))"')


def test_whoever_watches_agents_sees_all_hands(client: TestClient) -> None:
    """A match in which only agents play has no secrets; from the place of a seat only that hand is open."""
    started, seats = begin(client, "jass", "random", "rules", "random", "rules", variant="server-deal")
    assert seats == []
    scene = client.get(f"/api/matches/{started['match']}").json()
    assert scene["status"] == "playing" and scene["seat"] == SPECTATOR and scene["legal"] == []
    assert len(FACES.findall(scene["svg"])) == 36 and "back-" not in scene["svg"]
    with client.websocket_connect(f"/api/matches/{started['match']}/live") as wire:
        wire.send_json({"type": "hello", "tokens": []})
        wire.send_json({"type": "look", "seat": 2})
        while (message := wire.receive_json()).get("seat") != 2:
            assert message["type"] != "scene" or "back-" not in message["svg"]
        assert "back-" in message["svg"] or message["status"] != "playing"
    for number in (1, scene["number"]):
        frame = client.get(f"/api/matches/{started['match']}/frames/{number}?seat=-1").json()
        assert "back-" not in frame["svg"] and FACES.search(frame["svg"])


def test_with_a_person_at_the_table_spectators_see_backs_until_the_end(client: TestClient) -> None:
    started, [mine] = begin(client, "jass", "me", "random", "rules", "random", variant="server-deal")
    address = f"/api/matches/{started['match']}"
    for _ in range(7):
        scene = mine.turn()
        outside = client.get(address).json()
        assert outside["status"] == "playing" and outside["seat"] == SPECTATOR
        assert "back-" in outside["svg"] and len(FACES.findall(outside["svg"])) <= 8, "two tricks at most"
        assert client.get(f"{address}/frames/{outside['number']}?seat=-1").status_code == 409
        mine.act(scene["legal"][0]["action"])
    mine.post("resign")
    outside = client.get(address).json()
    assert outside["seat"] == SPECTATOR and "back-" not in outside["svg"] and FACES.search(outside["svg"])
