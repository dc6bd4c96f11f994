"""What agents say of their decisions (`Decision.notes`), kept with the moves and told to people in short words.

Notes may betray what a seat knows, so they are told with a hint to the seat that asked, and of a whole match only where
everything may be shown.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from spielwerk.core import registry
from spielwerk.core.agent import Decision
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.position import View
from spielwerk.core.words import Words, number, say
from spielwerk.web import messages
from spielwerk.web.store import Event, Pick, Place

VALUES = "values"  # of the legal actions
MOST_VALUES = 8  # actions whose values are kept, and parts of a note that are told
MOST = 1500  # characters of the notes of one decision that are kept
LONGEST = 80  # characters of a text that is told


def kept(view: View, decision: Decision) -> dict[str, Any] | None:
    """The notes of a decision as the log keeps them, with the values of few actions; None: there are none, or they are
    too long."""
    notes = {str(name): _plain(value) for name, value in decision.notes.items()}
    values = decision.values
    if values and VALUES not in notes and 1 < len(view.legal) <= MOST_VALUES:
        moves = view.game.spec.moves
        notes[VALUES] = {moves[action]: _plain(value) for action, value in zip(view.legal, values, strict=False)}
    notes = {name: value for name, value in notes.items() if value is not None}
    return notes if notes and len(json.dumps(notes)) <= MOST else None


def _plain(value: Any) -> Any:
    """What JSON can hold; None where it cannot."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, bool | int | str):
        return value[:LONGEST] if isinstance(value, str) else value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else None


def told(game: Game, agent: str | None, notes: Mapping[str, Any]) -> list[messages.Note]:
    """The notes of an agent in the language that is spoken."""
    teller = Teller(game, words_of(game, agent))
    written = {name: teller.written(_plain(value)) for name, value in notes.items()}
    return [messages.Note(name=teller.name(name), text=text) for name, text in written.items() if text]


def words_of(game: Game, agent: str | None) -> Words:
    """Of the folder in which an agent is written, then of the game, then of all games."""
    try:
        own = Words.of(type(registry.agent(agent))).folders if agent else ()
    except SpielwerkError:  # one of an old match that is not known any more
        own = ()
    return Words(*own, *game.say.folders)


class Teller(NamedTuple):
    game: Game
    say: Words

    def name(self, name: str) -> str:
        """A move as people call it, or else a phrase."""
        game = self.game
        return game.move_name(game.action_ids[name]) if name in game.action_ids else self.say(name)

    def written(self, value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, bool):
            return say("yes") if value else say("no")
        if isinstance(value, int):
            return number(value)
        if isinstance(value, float):
            return number(value, digits(value))
        if isinstance(value, str):
            return self.name(value)
        if isinstance(value, dict):
            parts = [f"{self.name(name)} {self.written(each)}" for name, each in value.items() if each is not None]
        else:
            parts = [self.written(each) for each in value]
        return ", ".join(filter(None, parts[:MOST_VALUES])) + (" …" if len(parts) > MOST_VALUES else "")


def digits(value: float) -> int:
    """After the point, so that three figures are said."""
    return 0 if value == round(value) else max(0, min(3, 2 - math.floor(math.log10(abs(value)))))


def thoughts(game: Game, places: Sequence[Place], noted: Mapping[int, Mapping[str, Any]]) -> list[messages.Thought]:
    """What the agents noted on one event, by seat."""
    return [
        messages.Thought(seat=seat, notes=told(game, places[seat].agent, notes))
        for seat, notes in sorted(noted.items())
    ]


def noted_in(record: Sequence[str | Mapping[str, str]], log: Iterable[Event]) -> list[dict[int, dict[str, Any]]]:
    """For every event of a record: what the agents noted, by seat. The log has one row for each of the moves."""
    picks = (event for event in log if isinstance(event, Pick))
    found: list[dict[int, dict[str, Any]]] = []
    for event in record:
        made = [] if isinstance(event, str) else [next(picks) for _ in event]
        found.append({pick.seat: pick.notes for pick in made if pick.notes})
    return found
