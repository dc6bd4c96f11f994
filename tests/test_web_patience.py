"""Agents that take their time, games that are used for the first time: both are told, and nobody else has to wait."""

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from fastapi.testclient import TestClient

from spielwerk.core import cache, registry
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.position import View
from spielwerk.web.think import Preparer, Urgency
from test_web_api import FAST, begin, client, hear, open_client, small_games  # noqa: F401
from web_games import Numbers


@dataclass(frozen=True)
class Brooding(Agent):
    """An agent that ends no decision without a time limit before somebody says so."""

    name: ClassVar[str] = "brooding"
    enough: ClassVar[threading.Event] = threading.Event()

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        Brooding.enough.wait(120 if budget.seconds is None else budget.seconds)
        return Decision(view.legal[0])


def test_an_agent_that_thinks_too_long_does_not_stop_the_match(tmp_path: Path) -> None:
    registry.register(Brooding)
    try:
        with open_client(tmp_path, replace(FAST, thinking=0.2)) as client:
            _, [mine] = begin(client, "cards", "me", "brooding")
            assert mine.play_on()["status"] == "over"
            assert client.app.state.services.hall.thinker.left_behind == 1  # type: ignore[attr-defined]
    finally:
        Brooding.enough.set()
        registry.unregister(Brooding)


class Slow(Numbers):
    """A game that takes its time when it is used for the first time, as compilation does."""

    spec = replace(Numbers.spec, id="slow", title="Slow game")
    prepared = threading.Event()

    def svg(self, view: View) -> str:
        assert Slow.prepared.wait(120)
        return super().svg(view)


def test_first_use_is_told_and_does_not_block_the_server(client: TestClient) -> None:  # noqa: F811
    registry.register(Slow)
    try:
        _, [mine] = begin(client, "slow", "me", "random", "random")
        with client.websocket_connect(f"/api/matches/{mine.match}/live") as wire:
            wire.send_json({"type": "hello", "tokens": [mine.token]})
            told = wire.receive_json()
            assert told == {
                "type": "preparing", "title": "Slow game", "what": "the rules", "n": 1, "of": 3, "waits": True
            }  # fmt: skip
            assert client.get("/api/status").status_code == 200
            Slow.prepared.set()
            while wire.receive_json()["type"] != "scene":
                continue
        assert next(game for game in client.get("/api/games").json() if game["id"] == "slow")["ready"]
    finally:
        registry.unregister(Slow)


@dataclass(frozen=True)
class Late(Agent):
    """An agent that takes its time when it is asked for the first time."""

    name: ClassVar[str] = "late"
    prepared: ClassVar[threading.Event] = threading.Event()

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        assert Late.prepared.wait(120)
        return Decision(view.legal[0])


def test_when_an_agent_is_prepared_this_is_told_too(client: TestClient) -> None:  # noqa: F811
    registry.register(Late)
    try:
        _, [mine] = begin(client, "cards", "me", "late", seed=1)
        with client.websocket_connect(f"/api/matches/{mine.match}/live") as wire:
            wire.send_json({"type": "hello", "tokens": [mine.token]})
            while (told := wire.receive_json())["type"] != "preparing" or told["what"] != "the agent late":
                continue
            assert told["waits"] and (told["title"], told["n"], told["of"]) == ("Three tricks", 2, 3)
            Late.prepared.set()
            while (told := wire.receive_json())["type"] != "prepared":
                continue
    finally:
        registry.unregister(Late)


def test_compilation_is_named() -> None:
    """What Numba compiles while a game is prepared shows up as that game's title."""
    preparer = Preparer()
    seen: list[list[str]] = []

    def work() -> None:
        seen.append(preparer.compiling)
        for tell in cache._compile_listeners:
            tell("some_function")
        seen.append(preparer.compiling)

    preparer.part("key", registry.game("qwixx"), str, work, Urgency.NOW).future.result(60)
    assert seen == [[], ["Qwixx"]] and preparer.compiling == []
    preparer.close()
