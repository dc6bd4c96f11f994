"""Messages of the spe_ed server: one JSON object per frame, a state to the players, an action back.

Whatever a frame holds, reading it gives what was asked for or raises BadMessage, nothing else. An action is read as
leniently as the official server reads it: more fields, another case of the key, white space around it and binary
frames do no harm.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import numpy as np

from spielwerk.core.errors import BadJson
from spielwerk.core.files import from_json
from spielwerk.core.game import Game
from spielwerk.core.position import States, View
from spielwerk.games.speed.game import ACTIONS, DIRECTIONS
from spielwerk.games.speed.kernel.rules import BY_CRASH, LONGEST_SIDE, OVER, PLAYING

LARGEST = 1 << 16  # bytes of a message to the server; more closes the connection
SENT = ACTIONS[:5]  # the actions that can be sent
MOST_PLAYERS = 6


class BadMessage(Exception):
    """What somebody sent is not valid; the text says why."""


# --- actions ---------------------------------------------------------------------------------------------------------


def action_text(action: int) -> str:
    return msgspec.json.encode({"action": SENT[action]}).decode()


def action_of(frame: str | bytes) -> int:
    """The action in a frame."""
    try:
        message = from_json(frame, dict[str, Any])
    except BadJson as problem:
        raise BadMessage(f"no JSON object: {problem}") from None
    found = [value for key, value in message.items() if key.lower() == "action"]
    if not found or found[-1] not in SENT:
        raise BadMessage("no known action")
    return SENT.index(found[-1])


# --- times -----------------------------------------------------------------------------------------------------------


def time_text(seconds: float) -> str:
    """A moment as the competition writes it, cut to whole seconds: 2021-01-17T12:00:07Z."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def time_of(text: str) -> float:
    """The moment that is written, in seconds since 1970."""
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise BadMessage(f"no moment of time: {text[:40]}") from None


# --- states that the server sends -------------------------------------------------------------------------------------


class Snapshot:
    """What all players see of a position; only who is asked (`you`) differs from one to the other."""

    def __init__(self, state: States, deadline: str | None = None, names: Sequence[str] = ()) -> None:
        s = state[0]
        width, height = int(s["width"]), int(s["height"])
        players: dict[str, dict[str, Any]] = {}
        for seat in range(int(s["seats"])):
            players[str(seat + 1)] = {
                "x": int(s["x"][seat]),
                "y": int(s["y"][seat]),
                "direction": DIRECTIONS[s["direction"][seat]],
                "speed": int(s["speed"][seat]),
                "active": bool(s["alive"] >> seat & 1),
            }
            if names:
                players[str(seat + 1)]["name"] = names[seat]
        cells = s["cells"][: width * height].reshape(height, width).tolist()
        known = {"width": width, "height": height, "cells": cells, "players": players}
        rest: dict[str, Any] = {"running": bool(s["phase"] != OVER)}
        if deadline is not None:
            rest["deadline"] = deadline
        self._known = msgspec.json.encode(known)[:-1].decode()
        self._rest = msgspec.json.encode(rest)[1:].decode()

    def text(self, you: int) -> str:
        """As the player with that number is told; 0 is nobody, as in the logs of the server."""
        return f'{self._known},"you":{you},{self._rest}'


# --- states that a client hears ---------------------------------------------------------------------------------------


class Player(msgspec.Struct):
    x: int
    y: int
    direction: str
    speed: int
    active: bool
    name: str = ""


class Heard(msgspec.Struct):
    """A state as it came from a server."""

    width: int
    height: int
    cells: list[list[int]]
    players: dict[str, Player]
    running: bool
    you: int = 0
    deadline: str | None = None


def heard(frame: str | bytes) -> Heard:
    """The state in a frame, with everything in it where it must be."""
    try:
        state = from_json(frame, Heard)
    except BadJson as problem:
        raise BadMessage(f"no state: {problem}") from None
    width, height = state.width, state.height
    if width < 1 or height < 1 or [len(row) for row in state.cells] != [width] * height:
        raise BadMessage(f"the cells are not {width} by {height}")
    if set(state.players) != {str(number) for number in range(1, len(state.players) + 1)}:
        raise BadMessage("the players are not numbered 1, 2, 3, …")
    if state.running and str(state.you) not in state.players:
        raise BadMessage(f"you = {state.you} is none of the players")
    for number, player in state.players.items():
        if player.direction not in DIRECTIONS:
            raise BadMessage(f"player {number} drives to no direction")
        inside = 0 <= player.x < width and 0 <= player.y < height
        if player.active and not (inside and 1 <= player.speed <= 10):
            raise BadMessage(f"player {number} is in, but not on the board")
    return state


def view_of(game: Game, state: Heard, rounds: int, out: Mapping[int, int]) -> View:
    """What an agent sees after so many rounds; `out` has the round in which a seat went out."""
    seats = len(state.players)
    if max(state.width, state.height) > LONGEST_SIDE or not 2 <= seats <= MOST_PLAYERS:
        raise BadMessage(f"agents know boards of {LONGEST_SIDE} cells a side and {MOST_PLAYERS} players at most")
    states = game.opening().state
    s = states[0]
    s["width"], s["height"], s["rounds"], s["phase"] = state.width, state.height, rounds, PLAYING
    cells = np.array(state.cells, np.int64).clip(-1, seats)
    s["cells"][: cells.size] = cells.reshape(-1)
    alive = 0
    for number, player in state.players.items():
        seat = int(number) - 1
        s["x"][seat] = min(max(player.x, -1), state.width)
        s["y"][seat] = min(max(player.y, -1), state.height)
        s["direction"][seat] = DIRECTIONS.index(player.direction)
        s["speed"][seat] = min(max(player.speed, 0), 11)
        if player.active:
            alive |= 1 << seat
        else:
            s["out"][seat], s["why"][seat] = out.get(seat, max(rounds, 1)), BY_CRASH
    s["alive"] = alive
    if alive & (alive - 1) == 0:
        s["phase"] = OVER
    return View(game, states, state.you - 1)
