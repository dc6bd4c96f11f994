"""States of spe_ed in the JSON of the official server, whoever wrote them; their form is checked.

    {"width": 60, "height": 45, "cells": [[0, …], …], "you": 1, "running": true, "deadline": "2021-01-17T12:00:07Z",
     "players": {"1": {"x": 2, "y": 1, "direction": "right", "speed": 1, "active": true}, …}}

Cells are written row by row, `cells[y][x]`: 0 free, -1 a crash, or the number of a player. Players have the numbers 1
to n. Who is out may be one step beside the board and have the speed 0 or 11. The number of the round is not written.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from spielwerk.core.errors import BadJson, BadRecord
from spielwerk.core.files import from_json
from spielwerk.core.words import Words
from spielwerk.games.speed.kernel.rules import FASTEST, LONGEST_SIDE, MOST_SEATS

say = Words.beside(__file__)

LZ4 = b"\x04\x22\x4d\x18"  # how a file begins that is packed as the official server packs its logs
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Direction = Literal["up", "right", "down", "left"]
Cell = Annotated[int, msgspec.Meta(ge=-1, le=MOST_SEATS)]


class Player(msgspec.Struct, frozen=True):
    x: int
    y: int
    direction: Direction
    speed: Annotated[int, msgspec.Meta(ge=0, le=FASTEST + 1)]
    active: bool
    name: str | None = None


class State(msgspec.Struct, frozen=True):
    width: int
    height: int
    cells: list[list[Cell]]
    players: dict[str, Player]
    running: bool

    @property
    def numbers(self) -> range:
        """The numbers of the players."""
        return range(1, len(self.players) + 1)

    def player(self, number: int) -> Player:
        return self.players[str(number)]

    def on_board(self, x: int, y: int) -> bool:
        return 0 <= x < self.width and 0 <= y < self.height


def state_from(written: Mapping[str, Any]) -> State:
    """One state as it comes out of a JSON parser."""
    try:
        state = msgspec.convert(written, State)
    except msgspec.ValidationError as problem:
        raise BadRecord(say("this is no state of spe_ed: {problem}", problem=problem)) from problem
    wrong = form_problem(state)
    if wrong is not None:
        raise BadRecord(say("this is no state of spe_ed: {problem}", problem=wrong))
    return state


def states_from(data: bytes | str) -> list[State]:
    """The states of a log: a JSON list, or one state per line. A first line that tells who plays is passed over."""
    data = (data.encode() if isinstance(data, str) else data).removeprefix(BYTE_ORDER_MARK).strip()
    if data.startswith(LZ4):
        raise BadRecord(say("the log is packed; unpack it first: lz4 -d FILE"))
    try:
        if data.startswith(b"{"):
            data = _joined(data.splitlines())
        states = from_json(data, list[State])
    except BadJson as problem:
        phrase = "this is no log of spe_ed: {problem}; a log is a JSON list of states as the server sends them"
        raise BadRecord(say(phrase, problem=problem)) from problem
    if not states:
        raise BadRecord(say("the log has no states; it needs one for the start and one for every round"))
    for number, state in enumerate(states, 1):
        wrong = form_problem(state)
        if wrong is not None:
            phrase = "state {number} of {count}: {problem}"
            raise BadRecord(say(phrase, number=number, count=len(states), problem=wrong))
    return states


def _joined(lines: list[bytes]) -> bytes:
    """One state per line as a list."""
    if len(lines) > 1 and "cells" not in from_json(lines[0], dict):
        lines = lines[1:]
    return b"[" + b",".join(line for line in lines if line.strip()) + b"]"


def form_problem(state: State) -> str | None:
    """What contradicts itself in a state, or is more than the game has room for; a clause with its remedy."""
    width, height, players = state.width, state.height, state.players
    if not (1 <= width <= LONGEST_SIDE and 1 <= height <= LONGEST_SIDE):
        phrase = "a board of {width} by {height} cells cannot be read; sides are 1 to {most}"
        return say(phrase, width=width, height=height, most=LONGEST_SIDE)
    if len(state.cells) != height or any(len(row) != width for row in state.cells):
        phrase = "the cells are not {height} rows of {width} cells, as width and height say; write cells[y][x]"
        return say(phrase, width=width, height=height)
    if not 2 <= len(players) <= MOST_SEATS:
        phrase = "{count} {count:player is|players are} not possible; there are 2 to {most}"
        return say(phrase, count=len(players), most=MOST_SEATS)
    if set(players) != {str(number) for number in state.numbers}:
        phrase = "players have the numbers 1 to {count} without a gap, not {numbers}"
        return say(phrase, count=len(players), numbers=", ".join(sorted(players))[:80])
    if max(map(max, state.cells)) > len(players):
        phrase = "a cell holds the number of a player who does not exist; cells are -1 to {count}"
        return say(phrase, count=len(players))
    for number in state.numbers:
        wrong = _player_problem(state, state.player(number))
        if wrong is not None:
            return say("player {player}: {problem}", player=number, problem=wrong)
    return None


def _player_problem(state: State, player: Player) -> str | None:
    x, y = player.x, player.y
    if not (-1 <= x <= state.width and -1 <= y <= state.height):
        return say("x={x}, y={y} is more than one step beside the board", x=x, y=y)
    if player.active and not state.on_board(x, y):
        return say("x={x}, y={y} is beside the board, so active must be false", x=x, y=y)
    return None
