"""Rounds against the clock: the server moves for who has not chosen, whoever looks. The tests move the clock."""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.position import View
from spielwerk.web.app import create_app
from spielwerk.web.countdown import LEAD, Clock, thinking_time
from spielwerk.web.store import Header, MatchStore, Place
from test_web_api import FAST, hear, until
from web_games import Cards, Numbers


class Timed(Numbers):
    """Numbers against the clock: who has not chosen names 1."""

    spec = replace(Numbers.spec, id="timed", title="Timed number", idle="1")


class Sleeper(Agent):
    """Thinks as long as it is let, and notes how long that is."""

    name = "sleeper"

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        assert budget.seconds is not None
        return Decision(view.legal[-1], notes={"seconds": budget.seconds})


class Forever(Agent):
    """Never answers."""

    name = "forever"

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        with budget.watch() as sign:
            while not sign.is_set():
                threading.Event().wait(0.01)
        threading.Event().wait(0.3)
        return Decision(view.legal[-1])


class Hand(Clock):
    """A clock whose hand the test moves."""

    def __init__(self) -> None:
        self.time = 0.0
        self.waiting: list[tuple[float, asyncio.Event, asyncio.AbstractEventLoop]] = []

    def now(self) -> float:
        return self.time

    async def until(self, moment: float, event: asyncio.Event) -> None:
        if moment > self.time:
            self.waiting.append((moment, event, asyncio.get_running_loop()))
            await event.wait()

    def move(self, seconds: float) -> None:
        """So many seconds later. Whoever waits for a moment that has come by then goes on."""
        self.time += seconds
        due = [one for one in self.waiting if one[0] <= self.time]
        self.waiting = [one for one in self.waiting if one[0] > self.time]
        for _, event, loop in due:
            loop.call_soon_threadsafe(event.set)


@pytest.fixture(autouse=True)
def games() -> Iterator[None]:
    for known in (Timed, Cards, Sleeper, Forever):
        registry.register(known)
    yield
    for known in (Timed, Cards, Sleeper, Forever):
        registry.unregister(known)


class Desk:
    """A server with a clock of the test."""

    def __init__(self, folder: Path) -> None:
        self.app = create_app(MatchStore(folder / "matches.sqlite"), FAST, folder / "runs", folder / "results.sqlite")
        self.clock = Hand()
        self.hall = self.app.state.services.hall
        self.hall.driver.countdowns.clock = self.clock
        self.client = TestClient(self.app)

    def start(self, *who: str, **more: Any) -> dict[str, Any]:
        places = [{"who": one} if one in ("me", "friend") else {"who": "agent", "agent": one} for one in who]
        answer = self.client.post("/api/matches", json={"game": "timed", "places": places, "countdown": 2.0} | more)
        assert answer.status_code == 201, answer.text
        return dict(answer.json())

    def scene(self, match: str) -> dict[str, Any]:
        return dict(self.client.get(f"/api/matches/{match}").json())

    def after(self, match: str, number: int) -> dict[str, Any]:
        """The match once so many events have happened."""
        return dict(until(lambda: self.scene(match), lambda scene: scene["number"] >= number))

    def timed(self, match: str, number: int) -> float:
        """Wait until the round after so many events has begun; the moment at which it ends."""
        live = self.hall.lives[match]
        until(lambda: live.timed, lambda found: found is not None and found.number == number and self.clock.waiting)
        return float(live.timed.ends)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    found = Desk(tmp_path)
    with found.client:
        yield found


def moves(scene: dict[str, Any]) -> list[list[str]]:
    return [[move["move"] for move in event["moves"]] for event in scene["happened"]]


def test_who_has_not_chosen_is_idle_when_the_time_is_up(desk: Desk) -> None:
    started = desk.start("me", "random", "random", seed=3)
    match, token = started["match"], started["tokens"][0]["token"]
    assert desk.scene(match)["countdown"] == 2.0
    assert desk.timed(match, 0) == LEAD  # the first round is longer
    desk.clock.move(LEAD - 0.01)
    assert desk.scene(match)["number"] == 0
    desk.clock.move(0.02)
    assert moves(desk.after(match, 1))[0][0] == "1"
    ends = desk.timed(match, 1)
    assert ends == LEAD + 2.0  # it keeps the beat
    chosen = desk.client.post(
        f"/api/matches/{match}/actions", json={"seat": 0, "move": "3"}, headers={"X-Seat-Token": token}
    )
    assert chosen.status_code == 200 and moves(desk.after(match, 2))[1][0] == "3"  # nobody waits for the clock
    desk.timed(match, 2)
    desk.clock.move(2.0)
    assert desk.after(match, 3)["status"] == "over"


def test_everybody_hears_how_much_time_is_left(desk: Desk) -> None:
    started = desk.start("me", "random", "random")
    match, token = started["match"], started["tokens"][0]["token"]
    with desk.client.websocket_connect(f"/api/matches/{match}/live") as wire:
        wire.send_json({"type": "hello", "tokens": [token]})
        told = [hear(wire) for _ in range(3)]
        counted = next(one for one in told if one["type"] == "countdown")
        assert counted == {"type": "countdown", "number": 0, "seconds": LEAD, "left": LEAD}
        desk.timed(match, 0)
        desk.clock.move(1.0)
        with desk.client.websocket_connect(f"/api/matches/{match}/live") as other:
            other.send_json({"type": "hello", "tokens": []})
            late = next(one for one in iter(lambda: hear(other), None) if one["type"] == "countdown")
            assert late["left"] == LEAD - 1.0
        wire.send_json({"type": "act", "seat": 0, "action": 2, "number": 0})
        wire.send_json({"type": "act", "seat": 0, "action": 2, "number": 0})  # late: nobody is told off for it
        wire.send_json({"type": "act", "seat": 0, "action": 1})
        last = next(one for one in iter(lambda: hear(wire), None) if one.get("number") == 2 and one["type"] == "scene")
        assert moves(last)[0][0] == "3" and moves(last)[1][0] == "2"


def test_a_match_goes_on_when_nobody_looks_any_more(desk: Desk) -> None:
    match = desk.start("me", "random", "random")["match"]
    with desk.client.websocket_connect(f"/api/matches/{match}/live") as wire:
        wire.send_json({"type": "hello", "tokens": []})
        hear(wire)
        desk.timed(match, 0)
    live = desk.hall.lives[match]
    until(lambda: live.viewers, lambda viewers: not viewers)
    assert not live.idle
    for number in range(3):
        desk.timed(match, number)
        desk.clock.move(LEAD)
        until(lambda: live.table.number, lambda now, after=number + 1: now >= after)
    assert live.table.status == "over"
    until(lambda: live.idle, bool)


def test_the_time_begins_when_all_have_sat_down(desk: Desk) -> None:
    started = desk.start("me", "friend", "random")
    match, invitation = started["match"], started["invitations"][0]["invitation"]
    desk.scene(match)
    live = desk.hall.lives[match]
    until(lambda: live.counting, lambda task: task is not None and task.done())
    assert live.timed is None and not desk.clock.waiting
    desk.client.post(f"/api/matches/{match}/claim", json={"invitation": invitation})
    assert desk.timed(match, 0) == LEAD


def test_a_restarted_server_goes_on(tmp_path: Path) -> None:
    first = Desk(tmp_path)
    with first.client:
        match = first.start("me", "random", "random")["match"]
        first.scene(match)
        first.timed(match, 0)
        first.clock.move(LEAD)
        first.after(match, 1)
    second = Desk(tmp_path)
    with second.client:
        assert second.scene(match)["number"] == 1
        assert second.timed(match, 1) == LEAD
        second.clock.move(LEAD)
        assert second.after(match, 2)["countdown"] == 2.0


def test_agents_think_within_the_time_of_a_round(desk: Desk) -> None:
    match = desk.start("me", "sleeper", "sleeper")["match"]
    desk.scene(match)
    live = desk.hall.lives[match]
    for number in range(3):
        desk.timed(match, number)
        until(lambda: live.table.thinking_seats()[1], lambda seats: not seats)
        desk.clock.move(LEAD)
        desk.after(match, number + 1)
    frame = desk.client.get(f"/api/matches/{match}/frames/2?seat=-1").json()
    assert [thought["seat"] for thought in frame["thoughts"]] == [1, 2]
    [note] = frame["thoughts"][0]["notes"]
    assert note == {"name": "seconds", "text": f"{thinking_time(2.0):.2f}"}
    assert 0 < thinking_time(0.2) < 0.2 and thinking_time(10.0) == 9.0


def test_an_agent_that_overruns_is_idle(desk: Desk) -> None:
    match = desk.start("me", "forever", "random", countdown=0.2)["match"]
    desk.scene(match)
    desk.timed(match, 0)
    desk.clock.move(LEAD)
    assert moves(desk.after(match, 1))[0][:2] == ["1", "1"]


@pytest.mark.parametrize(("more", "status", "said"), [
    ({"countdown": 0.1}, 422, "greater than or equal"),
    ({"countdown": 1e9}, 422, "less than or equal"),
    ({"countdown": "soon"}, 422, "valid number"),
    ({"game": "cards", "places": [{"who": "me"}, {"who": "agent"}]}, 400, "not played against the clock"),
    ({"places": [{"who": "agent"}] * 3}, 400, "for people"),
])  # fmt: skip
def test_times_that_mean_nothing_are_refused(desk: Desk, more: dict[str, Any], status: int, said: str) -> None:
    body = {"game": "timed", "places": [{"who": "me"}, {"who": "agent"}, {"who": "agent"}], "countdown": 1.0} | more
    answer = desk.client.post("/api/matches", json=body)
    assert answer.status_code == status and said in answer.text


def test_the_same_match_again_keeps_its_time_and_what_if_has_none(desk: Desk) -> None:
    match = desk.start("me", "random", "random")["match"]
    desk.scene(match)
    for number in range(3):
        desk.timed(match, number)
        desk.clock.move(LEAD)
        desk.after(match, number + 1)
    again, what_if = (
        desk.client.post(f"/api/matches/{match}/branch", json={"number": number, "seat": 0}).json()["match"]
        for number in (0, 1)
    )
    assert (desk.scene(again)["countdown"], desk.scene(what_if)["countdown"]) == (2.0, None)


def test_headers_and_logs_of_old_are_read(tmp_path: Path) -> None:
    store = MatchStore(tmp_path / "matches.sqlite")
    match = store.create(Header("timed", "standard", 3, 1, [Place("person"), Place("agent", "random")]))
    store._connection.execute("update matches set header = json_remove(header, '$.countdown') where id = ?", (match,))
    store._connection.execute("insert into events values (?, 0, 0, ?)", (match, '{"kind":"pick","seat":0,"move":"2"}'))
    found = store.find(match)
    assert found is not None and found.header.countdown is None
    [event] = store.events(match)
    assert event.notes is None  # type: ignore[union-attr]


def test_a_game_says_whether_it_has_a_clock(desk: Desk) -> None:
    told = {name: desk.client.get(f"/api/games/{name}").json()["countdown"] for name in ("timed", "cards", "speed")}
    assert told == {"timed": True, "cards": False, "speed": True}
