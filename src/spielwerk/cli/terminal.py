"""A match in the terminal: the human agent, and the loop that shows every position."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from spielwerk.cli.app import console
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget
from spielwerk.core.errors import InvalidMove
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, spawn
from spielwerk.core.match import Header, Outcome, Record, digest, versions
from spielwerk.core.position import SPECTATOR, View
from spielwerk.core.running import Asking
from spielwerk.core.words import seat_number


class Quit(Exception):
    """The human had enough."""


class Stopped(Exception):
    """The match was stopped; carries what there is of it."""

    def __init__(self, record: Record) -> None:
        super().__init__("stopped")
        self.record = record


@dataclass(frozen=True)
class Human(Agent):
    """A person at the keyboard."""

    name: ClassVar[str] = "human"

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        moves = view.game.spec.moves
        legal = view.legal
        names = [view.game.move_text(action) for action in legal]
        keys = {move: key for key, move in view.game.spec.keys.items() if len(key) == 1 and key.isalpha()}
        shown = [
            f"{name} ({keys[moves[a]]})" if moves[a] in keys else name for a, name in zip(legal, names, strict=True)
        ]
        while True:
            try:
                who = f"seat {seat_number(view.seat)}, " if view.game.seats > 1 else ""
                asked = f"{who}your move ({' '.join(shown)}; q to stop): "
                said = console.input(asked, markup=False, emoji=False).strip()
            except (EOFError, KeyboardInterrupt):
                raise Quit from None
            if said in ("q", "quit"):
                raise Quit
            matching = [action for action, name in zip(legal, names, strict=True) if name.startswith(said)]
            exact = [
                action
                for action, name in zip(legal, names, strict=True)
                if said in (name, moves[action], keys.get(moves[action]))
            ]
            if exact or (said and len(matching) == 1):
                return Decision((exact or matching)[0])
            try:
                view.game.action(said)
                console.print(f"'{said}' is not legal here; legal are {' '.join(names)}")
            except InvalidMove as problem:
                if said and len(matching) > 1:
                    console.print(f"'{said}' could be {' or '.join(map(view.game.move_text, matching))}")
                else:
                    console.print(str(problem))


def said_moves(game: Game, event: Mapping[str, str]) -> str:
    """The moves of an event as people read them."""
    moves = {seat: game.move_text(game.action(move)) for seat, move in event.items()}
    if game.seats == 1:
        return ", ".join(moves.values())
    return ", ".join(f"seat {seat_number(int(seat))}: {move}" for seat, move in moves.items())


def watch(game: Game, asking: Asking, seed: int, report: Callable[[float, str], None] | None = None) -> Record:
    """Play a match, showing every position as a seat with a human sees it; returns the record. With `report` nothing is
    shown but how far it is."""
    agents = asking.agents
    asking.prepare(game)
    began, decisions = time.monotonic(), 0
    humans = [seat for seat, agent in enumerate(agents) if isinstance(agent, Human)]
    position = game.opening(seed)
    rngs = [spawn(seed, 1 + seat) for seat in range(game.seats)]
    events: list[str | dict[str, str]] = []
    header = Header(game.spec.id, game.variant, game.seats, seed, [agent.spec for agent in agents], versions())
    while not position.over:
        if position.actor_set == 0:
            event = position.roll_noted()
            events.append(event)
            heard = game.heard(event, humans[0] if humans else SPECTATOR)
            if heard and report is None:
                console.print(heard, style="dim")
            continue
        moves: dict[int, int | str] = {}
        for seat in position.actors:
            shown = seat if seat in humans or not humans else humans[0]
            if report is None:
                console.print(position.view(shown).text)
            try:
                action = asking.decide(position, rngs, (seat,))[seat]
            except (Quit, KeyboardInterrupt):
                raise Stopped(Record(header, events)) from None
            if action is None:
                return Record(header, events, Outcome(list(position.score), digest(position), seat))
            moves[seat] = action
        position.apply(moves)
        made = {str(seat): game.spec.moves[int(action)] for seat, action in moves.items()}
        events.append(made)
        if report is None:
            console.print(said_moves(game, made), style="bold")
        else:
            decisions += len(moves)
            points = ", ".join(f"{score:g}" for score in position.score)
            rate = f"{decisions / (time.monotonic() - began):,.1f} decisions/s"
            report(0.0, f"{rate}, {points} {'point' if points == '1' else 'points'}")
    if report is None:
        console.print(position.view(humans[0] if humans else SPECTATOR).text)
    return Record(header, events, Outcome(list(position.score), digest(position)))
