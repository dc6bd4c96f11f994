"""Films: all positions of a match that may be shown to everybody, for replay and review."""

import threading
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np

from spielwerk.core.game import Game
from spielwerk.core.match import Record, positions
from spielwerk.core.position import SPECTATOR, Position, States
from spielwerk.web import messages
from spielwerk.web.errors import Conflict
from spielwerk.web.language import say
from spielwerk.web.moments import happening, moment
from spielwerk.web.notes import noted_in, thoughts
from spielwerk.web.session import Table, player_of

FOLLOW = -2  # drawn from the place of the seat that decides
MOST_FILMS, MOST_BYTES = 16, 64 << 20  # that are kept


class Film(NamedTuple):
    game: Game
    record: Record
    states: States  # one per frame; the first is the opening
    thoughts: list[dict[int, dict[str, Any]]]  # one per event: what agents noted of their moves, by seat

    def position(self, number: int) -> Position:
        return Position(self.game, self.states[number : number + 1], 0)


class Films:
    def __init__(self) -> None:
        self._films: OrderedDict[str, Film] = OrderedDict()
        self._lock = threading.Lock()

    def film(self, table: Table) -> Film:
        """The film of a match that is over or between agents."""
        if not table.open_to_all:
            raise Conflict(say("a match between people can be replayed when it is over"))
        with self._lock:
            found = self._films.pop(table.id, None)
        if found is None or len(found.states) != table.number + 1:
            record = table.record()
            game = table.game
            every = [position.state for position in positions(game, record)]
            states = game.states(len(every))
            np.concatenate(every, out=states)
            found = Film(game, record, states, noted_in(record.events, table.log()))
        with self._lock:
            self._films[table.id] = found
            while len(self._films) > 1 and (len(self._films) > MOST_FILMS or self._size > MOST_BYTES):
                self._films.popitem(last=False)
        return found

    @property
    def _size(self) -> int:
        return sum(film.states.nbytes for film in self._films.values())

    def forget(self, match: str) -> None:
        with self._lock:
            self._films.pop(match, None)

    def frame(self, table: Table, number: int, seat: int) -> messages.Frame:
        """The picture after `number` events, from the place of `seat` (-1: a spectator, -2: whoever decides)."""
        film = self.film(table)
        game, frames = film.game, len(film.states)
        if not 0 <= number < frames:
            raise Conflict(say("the match has pictures 0 to {last}", last=frames - 1))
        if not FOLLOW <= seat < game.seats:
            raise Conflict(say("{game} has seats 0 to {last}", game=game.title, last=game.seats - 1))
        position = film.position(number)
        if seat == FOLLOW:
            seat = self._who_decides(film, number)
        view = table.seen(position, seat)
        event = film.record.events[number - 1] if number else None
        before = table.seen(film.position(number - 1), seat) if number else None
        return messages.Frame(
            match=table.id,
            game=game.spec.id,
            title=game.title,
            variant=game.variant,
            number=number,
            frames=frames,
            seat=seat,
            svg=game.svg(view),
            moment=None if before is None else moment(before, view),
            came={} if before is None else game.came_from(before, view),
            actors=list(position.actors),
            scores=list(view.score),
            teams=list(position.teams),
            players=[player_of(game.say, i, place) for i, place in enumerate(table.header.places)],
            happened=None if event is None or before is None else happening(number - 1, event, before, view),
            thoughts=thoughts(game, table.header.places, film.thoughts[number - 1]) if number else [],
            over=position.over,
        )

    @staticmethod
    def _who_decides(film: Film, number: int) -> int:
        """The first seat that decides here, or else decided last."""
        actors = film.position(number).actors
        if actors:
            return actors[0]
        for event in reversed(film.record.events[:number]):
            if not isinstance(event, str):
                return min(map(int, event))
        return SPECTATOR if not film.game.spec.hidden else 0
