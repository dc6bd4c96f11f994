"""Where a log of spe_ed breaks the rules: the first round that is wrong, with players, cells and the rule.

A log tells states, not actions. The action of a player follows from two states: a turned direction, a changed speed,
or neither; who is out and has not moved was not heard. The game plays these actions, and whatever differs from the log
is a fault. Cells, and who is out, are compared only if all players are where their actions lead: all else follows from
that.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spielwerk.core.position import Position
from spielwerk.core.words import Words
from spielwerk.games.speed.game import ACTIONS, DIRECTIONS
from spielwerk.games.speed.kernel.rules import (
    BY_BORDER,
    BY_CRASH,
    BY_SPEED,
    CHANGE_NOTHING,
    CRASHED,
    FASTEST,
    JUMP_EVERY,
    JUMP_FROM,
    NO_ANSWER,
    SLOW_DOWN,
    SPEED_UP,
    STEP_X,
    STEP_Y,
    TURN_LEFT,
    TURN_RIGHT,
)
from spielwerk.games.speed.states import Player, State

say = Words.beside(__file__)


class Fault(NamedTuple):
    """What is wrong, and which rule says so."""

    round: int  # 0: the start
    rule: str  # start, order, action, speed, move, border, jump, trail, crash, out or end
    text: str
    player: int | None = None
    cell: tuple[int, int] | None = None  # column and row


class Path(NamedTuple):
    """The cells of one move that are on the board, as (column, row)."""

    touched: list[tuple[int, int]]
    jumped: list[tuple[int, int]]


def start_faults(state: State) -> list[Fault]:
    """What a first state cannot be: anything but players with speed 1 on cells of their own, on an empty board."""

    def fault(text: str, number: int | None = None, cell: tuple[int, int] | None = None) -> Fault:
        return Fault(0, "start", text, number, cell)

    filled = np.count_nonzero(state.cells)
    if filled > len(state.players):
        phrase = "{count} cells are filled, not one per player; a log begins with the start of a match"
        return [fault(say(phrase, count=filled))]
    found = []
    for number in state.numbers:
        player = state.player(number)
        if not player.active:
            found.append(fault(say("player {player} is out; at the start nobody is", player=number), number))
        elif player.speed != 1:
            phrase = "player {player} has the speed {speed}; everybody starts with 1"
            found.append(fault(say(phrase, player=number, speed=player.speed), number))
        elif state.cells[player.y][player.x] != number:
            phrase = "player {player} starts at x={x}, y={y}, but that cell holds {value}; it must hold {player}"
            value = state.cells[player.y][player.x]
            text = say(phrase, player=number, x=player.x, y=player.y, value=value)
            found.append(fault(text, number, (player.x, player.y)))
    if not found and not state.running:
        found.append(fault(say("running is false; at the start the match is not over")))
    return found


def unofficial(state: State) -> str | None:
    """Why the official server would not draw this start; None if it could have."""
    zone_width, zone_height = state.width // 4, state.height // 2
    if min(zone_width, zone_height) < 1:
        return say("the board is too small")
    zones = set()
    for number in state.numbers:
        x, y = state.player(number).x, state.player(number).y
        zones.add(y // zone_height * 4 + x // zone_width if x < 4 * zone_width and y < 2 * zone_height else -1)
        left, top = 2 * x <= state.width, 2 * y <= state.height
        first = ("down" if left else "left") if top else ("right" if left else "up")
        if state.player(number).direction != first:
            return say("player {player} would drive {direction} first", player=number, direction=say(first))
    if zones != set(range(len(state.players))):
        return say("the players are not in the first {count} zones, one in each", count=len(state.players))
    return None


def action_between(before: Player, after: Player) -> int | None:
    """What a player must have sent; None if no single action leads from one to the other."""
    turned = (DIRECTIONS.index(after.direction) - DIRECTIONS.index(before.direction)) % 4
    faster = after.speed - before.speed
    if (turned, faster) == (0, 0):
        stayed = (before.x, before.y) == (after.x, after.y)
        return NO_ANSWER if stayed and not after.active else CHANGE_NOTHING
    return {(3, 0): TURN_LEFT, (1, 0): TURN_RIGHT, (0, -1): SLOW_DOWN, (0, 1): SPEED_UP}.get((turned, faster))


def actions_between(before: State, after: State) -> dict[int, int | None]:
    """The actions of all players who are in, by seat."""
    return {
        number - 1: action_between(before.player(number), after.player(number))
        for number in before.numbers
        if before.player(number).active
    }


def faults_of_round(position: Position, before: State, after: State) -> list[Fault]:
    """What is wrong with the state `after` a round. The one `before` is right; `position` is the same for the game."""
    found = list(_order_faults(int(position.state["rounds"][0]) + 1, before, after))
    if found:
        return found
    actions = actions_between(before, after)
    moves: dict[int, int | str] = {
        seat: CHANGE_NOTHING if action is None else action for seat, action in actions.items()
    }
    played = _Round(position.copy().apply(moves), before, after)
    found = [fault for seat, action in actions.items() for fault in played.player_faults(seat + 1, action)]
    if found:
        astray = {fault.player for fault in found}
        still_in = {number for number in after.numbers if after.player(number).active}
        if len(still_in) > 1 and still_in <= astray:
            phrase = "no player is where one round leads; if a state is missing before this one, add it"
            found.insert(0, Fault(played.number, "order", say(phrase)))
        return found
    return [*played.cell_faults(), *played.out_faults(), *played.end_faults()]


def _order_faults(number: int, before: State, after: State) -> Iterator[Fault]:
    """Whether the two states can follow each other at all."""
    if not before.running:
        yield Fault(number, "order", say("the match was over before; remove this state and all after it"))
        return
    if (before.width, before.height, len(before.players)) != (after.width, after.height, len(after.players)):
        phrase = "the board or the number of players has changed; this state belongs to another match"
        yield Fault(number, "order", say(phrase))
        return
    if _same(before, after):
        yield Fault(number, "order", say("the state is the same as the one before; remove it"))
        return
    for player in before.numbers:
        old, new = before.player(player), after.player(player)
        if not old.active and _fields(old) != _fields(new):
            phrase = "player {player} was out before; who is out does not change any more"
            yield Fault(number, "out", say(phrase, player=player), player)


def _fields(player: Player) -> tuple[int, int, str, int, bool]:
    return player.x, player.y, player.direction, player.speed, player.active


def _same(before: State, after: State) -> bool:
    players = all(_fields(before.player(number)) == _fields(after.player(number)) for number in before.numbers)
    return players and before.cells == after.cells


class _Round:
    """A round as the game plays it, beside what the log tells of it."""

    def __init__(self, position: Position, before: State, after: State) -> None:
        self.state = position.state[0]
        self.over = position.over
        self.number = int(self.state["rounds"])
        self.before = before
        self.after = after
        self.expected = self.state["cells"][: before.width * before.height].reshape(before.height, before.width)

    def player_faults(self, number: int, action: int | None) -> Iterator[Fault]:
        """The first pass, and where the second leads."""
        old, new = self.before.player(number), self.after.player(number)
        if action is None:
            phrase = (
                "player {player} drove {old_direction} at speed {old} and then {direction} at speed {speed}; an action "
                "turns to the left or the right, or changes the speed by 1"
            )
            directions = {"old_direction": say(old.direction), "direction": say(new.direction)}
            text = say(phrase, player=number, old=old.speed, speed=new.speed, **directions)
            yield Fault(self.number, "action", text, number)
            return
        seat = number - 1
        x, y, why = (int(self.state[field][seat]) for field in ("x", "y", "why"))
        if (x, y) == (new.x, new.y):
            return
        rule = {BY_SPEED: "speed", BY_BORDER: "border"}.get(why, "move")
        phrase = {
            "speed": "it goes out because of its speed, and so it does not move",
            "border": "that is the first step beside the board, where it stops",
            "move": "after {action} it drives {speed} {speed:cell|cells} {direction}",
        }[rule]
        reason = say(phrase, action=ACTIONS[action], speed=new.speed, direction=say(new.direction))
        phrase = "player {player} is at x={x}, y={y}, not at x={wanted_x}, y={wanted_y}: {reason}"
        text = say(phrase, player=number, x=new.x, y=new.y, wanted_x=x, wanted_y=y, reason=reason)
        yield Fault(self.number, rule, text, number)

    def cell_faults(self) -> Iterator[Fault]:
        """The second pass: every cell that differs."""
        paths = {number: self._path(number) for number in self.before.numbers if self._moved(number)}
        for y, x in np.argwhere(self.expected != np.array(self.after.cells)).tolist():
            rule, reason, player = self._cell_rule(x, y, paths)
            phrase = "the cell x={x}, y={y} holds {value}, not {wanted}: {reason}"
            value, wanted = self.after.cells[y][x], int(self.expected[y, x])
            text = say(phrase, x=x, y=y, value=value, wanted=wanted, reason=reason)
            yield Fault(self.number, rule, text, player, (x, y))

    def _cell_rule(self, x: int, y: int, paths: dict[int, Path]) -> tuple[str, str, int | None]:
        """Why a cell must hold what it holds: the rule, its words, and the first player whom it concerns."""
        here = [number for number, path in paths.items() if (x, y) in path.touched]
        above = [number for number, path in paths.items() if (x, y) in path.jumped]
        if not here and above:
            phrase = "player {player} jumps over it in round {round} at speed {speed}, which leaves it as it was"
            speed = self.after.player(above[0]).speed
            return "jump", say(phrase, player=above[0], round=self.number, speed=speed), above[0]
        if not here:
            return "trail", say("nobody drives there in this round, so it stays as it was"), None
        if len(here) > 1:
            phrase = "the players {players} drive there in the same round, which is a crash"
            return "crash", say(phrase, players=", ".join(map(str, here))), here[0]
        if self.expected[y, x] == CRASHED:
            return "crash", say("player {player} drives into a filled cell, which is a crash", player=here[0]), here[0]
        inner = (x, y) not in (paths[here[0]].touched[0], paths[here[0]].touched[-1])
        if inner and self.after.cells[y][x] == 0:
            phrase = "player {player} does not jump: jumps are in every sixth round only, at speed 3 or more"
            return "jump", say(phrase, player=here[0]), here[0]
        phrase = "player {player} drives over it; every cell of a move is drawn, behind an obstacle too"
        return "trail", say(phrase, player=here[0]), here[0]

    def out_faults(self) -> Iterator[Fault]:
        """The third pass: who is out."""
        for number in self.before.numbers:
            why, active = int(self.state["why"][number - 1]), self.after.player(number).active
            if not self.before.player(number).active or active == (why == 0):
                continue
            rule = {BY_SPEED: "speed", BY_CRASH: "crash"}.get(why, "out")
            phrase = {
                "speed": "player {player} is out: its speed is {speed}, and only 1 to {most} are allowed",
                "crash": "player {player} is out: the cell x={x}, y={y} of its move holds -1",
                "out": "player {player} is not out: its speed is allowed, it is on the board, and no cell of its move "
                "holds -1",
            }[rule]
            cell = self._crash(number) if rule == "crash" else None
            x, y = cell or (0, 0)
            text = say(phrase, player=number, speed=self.after.player(number).speed, most=FASTEST, x=x, y=y)
            yield Fault(self.number, rule, text, number, cell)

    def end_faults(self) -> Iterator[Fault]:
        if self.over == (not self.after.running):
            return
        left = int(self.state["alive"]).bit_count()
        phrase = (
            "running is true, but {left} {left:player is|players are} left; the match ends when at most one is"
            if self.over
            else "running is false, but {left} {left:player is|players are} left; the match goes on"
        )
        yield Fault(self.number, "end", say(phrase, left=left))

    def _moved(self, number: int) -> bool:
        return (
            self.before.player(number).active
            and 1 <= self.after.player(number).speed <= FASTEST
            and (self.before.player(number).x, self.before.player(number).y)
            != (self.after.player(number).x, self.after.player(number).y)
        )

    def _path(self, number: int) -> Path:
        """The cells of a player's move, by its direction and speed after the first pass."""
        old, new = self.before.player(number), self.after.player(number)
        direction = DIRECTIONS.index(new.direction)
        jumps = self.number % JUMP_EVERY == 0 and new.speed >= JUMP_FROM
        path = Path([], [])
        for step in range(1, new.speed + 1):
            cell = old.x + step * int(STEP_X[direction]), old.y + step * int(STEP_Y[direction])
            if not self.before.on_board(*cell):
                break
            (path.jumped if jumps and 1 < step < new.speed else path.touched).append(cell)
        return path

    def _crash(self, number: int) -> tuple[int, int]:
        """The first cell of a player's move that holds -1."""
        return next((x, y) for x, y in self._path(number).touched if self.expected[y, x] == CRASHED)
