"""What a match needs is compiled when it is made, the most urgent first; a new press of the hint stops the old one."""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
from fastapi.testclient import TestClient

from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.position import View
from spielwerk.core.words import speaking
from spielwerk.web.advice import Adviser
from spielwerk.web.think import Needs, Places, Preparer, Thinker, Urgency
from test_web_api import begin, client, small_games, until  # noqa: F401
from web_games import Numbers


@dataclass(frozen=True)
class Oracle(Agent):
    """An adviser that has to be compiled, and whose decisions take as long as the tests want."""

    name: ClassVar[str] = "oracle"
    compiled: ClassVar[threading.Event] = threading.Event()
    thinking: ClassVar[list["threading.Event"]] = []  # one per decision that was asked for in a match

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        assert Oracle.compiled.wait(120)
        if view.game.spec.id == "asked" and threading.current_thread().name.startswith("think"):
            answer = threading.Event()
            Oracle.thinking.append(answer)
            assert answer.wait(120)
        return Decision(view.legal[0], values=(0.5,) * len(view.legal), unit="win")


class Asked(Numbers):
    spec = replace(Numbers.spec, id="asked", title="Asked", ladder=(("easy", "random"), ("strongest", "oracle")))


@pytest.fixture(autouse=True)
def oracle() -> Iterator[None]:
    Oracle.compiled, Oracle.thinking = threading.Event(), []
    registry.register(Oracle)
    registry.register(Asked)
    yield
    Oracle.compiled.set()
    for answer in Oracle.thinking:
        answer.set()
    registry.unregister(Oracle)
    registry.unregister(Asked)


def in_background(work: Any) -> tuple[threading.Thread, list[Any]]:
    """Work in a thread; what comes out is in the list when the thread has ended."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()), daemon=True)
    thread.start()
    return thread, found


def test_what_a_match_needs_is_prepared_when_it_is_made_and_told_step_by_step(client: TestClient) -> None:  # noqa: F811
    _, [mine] = begin(client, "asked", "me", "random", "random")
    preparer = client.app.state.services.hall.preparer  # type: ignore[attr-defined]
    until(lambda: preparer._current, lambda part: part is not None and part.name() == "hints")  # nobody has asked yet
    for language, what in (("en", "hints"), ("de", "die Tipps")):
        with client.websocket_connect(f"/api/matches/{mine.match}/live?language={language}") as wire:
            wire.send_json({"type": "hello", "tokens": [mine.token]})
            while (told := wire.receive_json())["type"] != "preparing":
                continue
            assert (told["title"], told["what"], told["n"], told["of"]) == ("Asked", what, 3, 3)
            assert not told["waits"]  # one can play meanwhile
            wire.send_json({"type": "act", "seat": 0, "action": 0})
            while wire.receive_json().get("number") != (1 if language == "en" else 2):
                continue
            if language == "de":
                Oracle.compiled.set()
                while wire.receive_json()["type"] != "prepared":
                    continue
    asked, found = in_background(lambda: mine.post("hint", step="where"))
    until(lambda: Oracle.thinking, bool)
    Oracle.thinking[0].set()
    asked.join(60)
    assert found[0].json()["agent"] == "oracle"


def test_what_somebody_waits_for_is_compiled_before_the_pictures_of_the_home_page() -> None:
    preparer, game, order = Preparer(), registry.game("numbers"), []
    begun, enough = threading.Event(), threading.Event()

    def first() -> None:
        begun.set()
        assert enough.wait(60)

    def part(name: str, urgency: Urgency, work: Any = None) -> Any:
        return preparer.part(name, game, lambda: name, work or (lambda: order.append(name)), urgency)

    running = part("running", Urgency.SOMETIME, first)
    assert begun.wait(60)
    cards = [part(name, Urgency.SOMETIME) for name in ("card one", "card two", "card three")]
    adviser, rules = part("adviser", Urgency.SOON), part("rules", Urgency.NOW)
    assert part("card three", Urgency.NOW) is cards[2]  # somebody opens a table of this game
    progress = preparer.progress(game, Needs([rules], [adviser]))
    assert (progress["what"], progress["n"], progress["of"], progress["waits"]) == ("first Lonely number", 1, 2, True)
    with speaking("de"):
        assert preparer.progress(game, Needs([rules, running], []))["what"] == "running"
        assert preparer.progress(game, Needs([rules], []))["what"] == "zuerst Lonely number"
    enough.set()
    for each in (*cards, adviser, rules):
        each.future.result(60)
    assert order == ["card three", "rules", "adviser", "card one", "card two"]
    preparer.close()


def test_what_failed_is_prepared_again_and_everything_else_only_once() -> None:
    preparer, game, calls = Preparer(), registry.game("numbers"), []

    def work() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("the disk is full")

    for _ in range(3):
        part = preparer.part("key", game, str, work, Urgency.NOW)
        until(lambda part=part: part.done, bool)  # type: ignore[misc]
    assert len(calls) == 2 and part.future.exception() is None
    preparer.close()


def test_a_new_press_stops_the_old_hint_and_begins_at_once(client: TestClient) -> None:  # noqa: F811
    Oracle.compiled.set()
    _, [mine, other] = begin(client, "asked", "me", "me", "random")
    first, first_answer = in_background(lambda: mine.post("hint", step="where"))
    until(lambda: len(Oracle.thinking), lambda count: count == 1)
    second, second_answer = in_background(lambda: mine.post("hint", step="where"))
    until(lambda: len(Oracle.thinking), lambda count: count == 2)  # while the first still thinks
    first.join(60)
    assert first_answer[0].status_code == 409 and "asked for again" in first_answer[0].json()["detail"]
    Oracle.thinking[0].set()  # so that its place is free
    third, third_answer = in_background(lambda: other.post("hint", step="where"))  # another seat stops nobody
    until(lambda: len(Oracle.thinking), lambda count: count == 3)
    for answer in Oracle.thinking:
        answer.set()
    for thread in (second, third):
        thread.join(60)
    assert [found[0].json()["seat"] for found in (second_answer, third_answer)] == [0, 1]
    assert mine.post("hint", step="what").json()["actions"] and len(Oracle.thinking) == 3  # nobody is asked again


def test_a_hint_is_dropped_when_the_match_moves_on(client: TestClient) -> None:  # noqa: F811
    Oracle.compiled.set()
    _, [mine] = begin(client, "asked", "me", "random", "random")
    thread, answer = in_background(lambda: mine.post("hint", step="where"))
    until(lambda: Oracle.thinking, bool)
    mine.act(0)
    thread.join(60)
    assert answer[0].status_code == 409 and "moved on" in answer[0].json()["detail"]


def test_places_go_round_among_visitors_and_who_leaves_takes_none() -> None:
    order: list[str] = []

    async def main() -> None:
        places = Places(1)
        free = asyncio.Event()

        async def think(who: str, name: str) -> None:
            async with places.place(who):
                await free.wait()
                order.append(name)

        tasks = [asyncio.create_task(think(name[0], name)) for name in ("a1", "a2", "a3", "b1", "c1", "b2")]
        await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.sleep(0)
        free.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with places.place("d"):
            order.append("d")

    asyncio.run(main())
    assert order == ["a1", "b1", "c1", "a3", "b2", "d"]


def test_an_adviser_that_was_prepared_is_compiled_by_no_hint() -> None:
    Oracle.compiled.set()
    compiled: list[str] = []
    preparer = Preparer()
    adviser = Adviser(preparer, Thinker(1), limit=60)
    game = registry.game("asked")
    decide = Oracle.decide

    def counting(self: Oracle, view: View, budget: Budget, rng: Rng) -> Decision:
        compiled.append(threading.current_thread().name)
        return decide(self, view, budget, rng)

    Oracle.decide = counting  # type: ignore[method-assign]
    try:
        adviser.part(game).future.result(60)
        before = len(compiled)
        assert before and all(name.startswith("prepare") for name in compiled)
        Oracle.thinking.clear()

        async def ask() -> None:
            asked = asyncio.create_task(adviser.ask(game.new(1).view(0), 60, 1))
            while not Oracle.thinking:
                await asyncio.sleep(0.01)
            Oracle.thinking[0].set()
            assert (await asked).agent == "oracle"

        asyncio.run(ask())
        assert [name.startswith("think") for name in compiled[before:]] == [True]  # only the decision itself
    finally:
        Oracle.decide = decide  # type: ignore[method-assign]
        preparer.close()
