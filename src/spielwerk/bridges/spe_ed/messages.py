"""Messages of the spe_ed server: one JSON object per frame, a state to the players, an action back.

Whatever a frame holds, reading it gives what was asked for or raises BadMessage, nothing else. An action is read as
leniently as the official server reads it: more fields, another case of the key, white space around it and binary
frames do no harm.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from spielwerk.core.errors import BadJson, BadRecord
from spielwerk.core.files import from_json
from spielwerk.core.position import Position, View
from spielwerk.games.speed.game import ACTIONS, DIRECTIONS, Speed
from spielwerk.games.speed.kernel.rules import FASTEST
from spielwerk.games.speed.log import position_of, state_of

LARGEST = 1 << 16  # bytes of a message to the server; more closes the connection
SENT = ACTIONS[:5]  # the actions that can be sent


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

    def __init__(self, position: Position, deadline: str | None = None, names: Sequence[str] | None = None) -> None:
        text = msgspec.json.encode(state_of(position, 0, deadline, names)).decode()
        self._before, _, self._after = text.partition(',"you":0,')

    def text(self, you: int) -> str:
        """As the player with that number is told; 0 is nobody, as in the logs of the server."""
        return f'{self._before},"you":{you},{self._after}'


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
        if player.active and not (inside and 1 <= player.speed <= FASTEST):
            raise BadMessage(f"player {number} is in, but not on the board")
    return state


def means_a_state(frame: str | bytes) -> bool:
    """Whether a frame that is no good state was meant as one: a round has passed all the same."""
    try:
        return "cells" in from_json(frame, dict[str, Any])
    except BadJson:
        return False


def view_of(game: Speed, state: Heard, rounds: int, out: Mapping[int, int]) -> View:
    """What an agent sees after so many rounds; `out` has the round in which a seat went out."""
    written = msgspec.to_builtins(state)
    for player in written["players"].values():  # of the dead some servers tell more than one step beside the board
        player["x"] = min(max(player["x"], -1), state.width)
        player["y"] = min(max(player["y"], -1), state.height)
        player["speed"] = min(max(player["speed"], 0), FASTEST + 1)
    try:
        position = position_of(game, written, rounds)
    except BadRecord as problem:
        raise BadMessage(str(problem)) from problem
    for seat, number in out.items():
        position.state["out"][0][seat] = number
    return position.view(state.you - 1)
