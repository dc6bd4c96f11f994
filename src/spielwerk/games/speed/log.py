"""Logs of spe_ed: a match as the states that the official server sends, in a JSON list, as most teams keep it.

    state_of      a position as the server would send it      position_of   the position of such a state
    write_log     the log of a record                         read_log      the record of a log, every round checked

A log has no actions; they follow from each two states (see faults). States are read as in `states`.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np

from spielwerk.core.checking import Checked
from spielwerk.core.errors import BadRecord, SpielwerkError
from spielwerk.core.match import Header, Outcome, Record, digest, positions, replay, versions
from spielwerk.core.position import SPECTATOR, Position, View
from spielwerk.core.words import Words, seat_number
from spielwerk.games.speed.faults import Fault, actions_between, faults_of_round, start_faults, unofficial
from spielwerk.games.speed.game import ACTIONS, DIRECTIONS, SMALLEST_SIDE, Speed
from spielwerk.games.speed.kernel.rules import (
    BY_BORDER,
    BY_CRASH,
    BY_SPEED,
    CRASHED,
    FASTEST,
    MOST_SEATS,
    NO_ANSWER,
    OVER,
    PLAYING,
    REASONS,
    SETTING_UP,
    STEP_X,
    STEP_Y,
    UNHEARD,
)
from spielwerk.games.speed.states import Player, State, state_from, states_from

say = Words.beside(__file__)

MOST_FAULTS = 3  # of a round that are told
SHORTEST_DRAWN = 41  # side of an official board


# --- one state -------------------------------------------------------------------------------------------------------


def state_of(
    table: Position | View,
    you: int | None = None,
    deadline: str | None = None,
    names: Sequence[str] | None = None,
) -> dict[str, Any]:
    """A position or view as the official server sends it.

    `you` is the number of the player who gets it, by default that of the view's seat, and 0 for everybody else (as in
    the log of the official server). As there, the last state has the names of all players and no deadline.
    """
    s = table.state[0]
    if s["phase"] == SETTING_UP:
        raise SpielwerkError(say("spe_ed: the board is not drawn yet; settle the position first"))
    width, height, running = int(s["width"]), int(s["height"]), bool(s["phase"] == PLAYING)
    players = {}
    for seat in range(table.game.seats):
        player = {
            "x": int(s["x"][seat]),
            "y": int(s["y"][seat]),
            "direction": DIRECTIONS[int(s["direction"][seat])],
            "speed": int(s["speed"][seat]),
            "active": bool(s["alive"] >> seat & 1),
        }
        players[str(seat_number(seat))] = player if running or names is None else player | {"name": names[seat]}
    seat = table.seat if isinstance(table, View) else SPECTATOR
    state = {
        "width": width,
        "height": height,
        "cells": s["cells"][: width * height].reshape(height, width).tolist(),
        "players": players,
        "you": seat_number(seat) if you is None else you,
        "running": running,
    }
    return state if deadline is None or not running else state | {"deadline": deadline}


def position_of(game: Speed, state: Mapping[str, Any], round: int) -> Position:
    """The position of one state after so many rounds; a state does not tell how many.

    Nor does it tell when and why somebody went out: the round is taken for that of everybody who is out, and the reason
    is what fits best. Nobody's decisions depend on it, but the order of those who are out is lost.
    """
    found = state_from(state)
    if len(found.players) != game.seats:
        phrase = "spe_ed: the state is of {count} players, and the table is for {seats}; take one for as many"
        raise BadRecord(say(phrase, count=len(found.players), seats=game.seats))
    if not 0 <= round <= game.spec.longest:
        raise BadRecord(say("spe_ed: {round} rounds cannot have been played; count from 0", round=round))
    position = game.opening()
    s = position.state[0]
    s["width"], s["height"], s["rounds"] = found.width, found.height, round
    s["cells"][: found.width * found.height] = np.array(found.cells, np.int8).ravel()
    alive = 0
    for number in found.numbers:
        player, seat = found.player(number), number - 1
        s["x"][seat], s["y"][seat], s["speed"][seat] = player.x, player.y, player.speed
        s["direction"][seat] = DIRECTIONS.index(player.direction)
        if not player.active:
            s["out"][seat], s["why"][seat] = max(round, 1), _likely_reason(found, player)
        elif 1 <= player.speed <= FASTEST:
            alive |= 1 << seat
        else:
            phrase = "spe_ed: player {player} is active at speed {speed}; speeds are 1 to {most}"
            raise BadRecord(say(phrase, player=number, speed=player.speed, most=FASTEST))
    s["alive"], s["phase"] = alive, PLAYING if alive.bit_count() > 1 else OVER
    position.events = 1
    return position


def _likely_reason(state: State, player: Player) -> int:
    if not 1 <= player.speed <= FASTEST:
        return BY_SPEED
    if not state.on_board(player.x, player.y):
        return BY_BORDER
    direction = DIRECTIONS.index(player.direction)
    for back in range(player.speed):
        x, y = player.x - back * int(STEP_X[direction]), player.y - back * int(STEP_Y[direction])
        if state.on_board(x, y) and state.cells[y][x] == CRASHED:
            return BY_CRASH
    return UNHEARD


# --- whole matches ---------------------------------------------------------------------------------------------------


def write_log(record: Record) -> list[dict[str, Any]]:
    """All states of a recorded match, from the start on."""
    return _states(replay(record), record.header.agents)


def _states(shown: Sequence[Position], names: Sequence[str]) -> list[dict[str, Any]]:
    begun = [position for position in shown if position.state["phase"][0] != SETTING_UP]
    if not begun:
        raise BadRecord(say("the match in this record has not begun; there is nothing to write"))
    known = [*names, *(f"player {number}" for number in range(len(names) + 1, MOST_SEATS + 1))]
    return [state_of(position, names=known) for position in begun]


def to_json(log: Sequence[Mapping[str, Any]]) -> bytes:
    """A log as it is written to a file: a line for every state."""
    return b"[\n" + b",\n".join(map(msgspec.json.encode, log)) + b"\n]\n"


def read_log(data: bytes | str) -> Record:
    """The record of a log. BadRecord names the first round in which it breaks the rules, and what is wrong there."""
    states = states_from(data)
    faults, events = follow(states)
    if faults:
        raise BadRecord(_told(faults, len(states)))
    silence = any(isinstance(event, dict) and ACTIONS[NO_ANSWER] in event.values() for event in events)
    game = Speed(len(states[0].players), _variant(states[0], silence))
    last = states[-1]
    names = [last.player(number).name or f"player {number}" for number in last.numbers]
    header = Header(game.spec.id, game.variant, game.seats, None, names, versions())
    end = deque(positions(game, Record(header, events)), maxlen=1)[0]
    return Record(header, events, Outcome(list(end.score), digest(end)) if end.over else None)


def follow(states: Sequence[State]) -> tuple[list[Fault], list[str | dict[str, str]]]:
    """Play a log round by round: the faults of the first state that is wrong, and the events up to it."""
    first = states[0]
    faults = start_faults(first)
    if faults:
        return faults, []
    position = Speed(len(first.players), "official,no_answer=1").opening()
    players = [first.player(number) for number in first.numbers]
    places = [f"{player.x},{player.y} {player.direction}" for player in players]
    start = "; ".join([f"{first.width}x{first.height}", *places])
    position.happen(start)
    events: list[str | dict[str, str]] = [start]
    for before, after in pairwise(states):
        faults = faults_of_round(position, before, after)
        if faults:
            break
        moves = {seat: ACTIONS[action] for seat, action in actions_between(before, after).items() if action is not None}
        position.apply(moves)
        events.append({str(seat): move for seat, move in moves.items()})
    return faults, events


def _variant(start: State, silence: bool) -> str:
    """The rules of a log: a board of its size, official starts unless they are none, players who were not heard."""
    parts = ["official" if unofficial(start) is None else "any-start"]
    sides = {"width": start.width, "height": start.height}
    if min(sides.values()) >= SMALLEST_SIDE and min(sides.values()) < SHORTEST_DRAWN:
        parts += [f"{name}={side}" for name, side in sides.items()]
    return ",".join([*parts, *(["no_answer=1"] if silence else [])])


def _told(faults: Sequence[Fault], states: int) -> str:
    """The faults of one state as one line."""
    number = faults[0].round
    shown = "; ".join(fault.text for fault in faults[:MOST_FAULTS])
    if number == 0:
        phrase = "the log breaks the rules at the start (state 1 of {states}): {faults}"
        text = say(phrase, states=states, faults=shown)
    else:
        phrase = "the log breaks the rules in round {round} (state {state} of {states}): {faults}"
        text = say(phrase, round=number, state=number + 1, states=states, faults=shown)
    more = len(faults) - MOST_FAULTS
    return text if more <= 0 else text + say("; and {count} more {count:difference|differences}", count=more)


# --- the command `spielwerk check speed` -----------------------------------------------------------------------------


def check(data: bytes) -> Checked:
    """Check a log, or the record of a match."""
    is_record = data.lstrip().startswith(b"{") and b'"cells"' not in data
    record = Record.from_json(data) if is_record else read_log(data)
    if record.header.game != Speed.spec.id:
        phrase = "this is a record of {game}, not of spe_ed; `spielwerk replay FILE --check` checks it"
        raise BadRecord(say(phrase, game=record.header.game))
    shown = replay(record)
    log = _states(shown, record.header.agents)
    return Checked(record, to_json(log), _facts(state_from(log[0]), shown[-1]))


def _facts(first: State, last: Position) -> dict[str, object]:
    s, strange = last.state[0], unofficial(first)
    gone = sorted((int(s["out"][seat]), seat) for seat in range(last.game.seats) if s["out"][seat])
    phrase = "player {player} in round {round} ({why})"
    lost = [
        say(phrase, player=seat_number(seat), round=number, why=say(REASONS[int(s["why"][seat])]))
        for number, seat in gone
    ]
    if not last.over:
        result = say("the match is not over")
    elif s["alive"]:
        result = say("player {player} wins", player=int(s["alive"]).bit_length())
    else:
        result = say("nobody wins")
    return {
        "board": f"{first.width} x {first.height}",
        "players": len(first.players),
        "start": say("as on the official server") if strange is None else say("not official: {why}", why=strange),
        "rounds": int(s["rounds"]),
        "out": ", ".join(lost) or say("nobody"),
        "result": result,
    }
