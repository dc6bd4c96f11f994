"""Position and View: a state of a match that knows everything, and what one seat may know of it."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import IllegalMove, InvalidMove, SpielwerkError
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.rng import Rng, branch, spawn
from spielwerk.core.words import seat_number, seat_numbers

if TYPE_CHECKING:
    from spielwerk.core.game import Game

States = NDArray[np.void]
SPECTATOR = -1


def duplicate(states: States) -> States:
    """A copy, by bytes: NumPy would go field by field, which takes ten times as long."""
    return states.view(np.uint8).copy().view(states.dtype)


class _Table:
    """What a position and a view have in common."""

    def __init__(self, game: "Game", state: States) -> None:
        self.game = game
        self.state = state

    @property
    def actor_set(self) -> int:
        return int(self.game.call(entry.actors_at, self.state))

    @property
    def actors(self) -> tuple[int, ...]:
        """The seats that must decide now."""
        bits = self.actor_set
        return () if bits <= 0 else tuple(seat for seat in range(self.game.seats) if bits >> seat & 1)

    def _must_decide(self, seat: int) -> bool:
        bits = self.actor_set
        return 0 <= seat < self.game.seats and bits > 0 and bool(bits >> seat & 1)

    @property
    def over(self) -> bool:
        return self.actor_set < 0

    def _heading(self, whose: str) -> str:
        """'<2048 4x4, 1 seat, seat 1 to move>'; seats as people count them."""
        game, actors = self.game, self.actors
        turn = "over" if self.over else "chance is next"
        if actors:
            turn = f"{'seat' if len(actors) == 1 else 'seats'} {seat_numbers(actors)} to move"
        seats = f"{game.seats} seat{'s' if game.seats > 1 else ''}"
        return f"<{', '.join(filter(None, (f'{game.spec.title} {game.variant}', seats, turn, whose)))}>"

    @property
    def score(self) -> tuple[float, ...]:
        """Points per seat so far."""
        out = np.zeros(self.game.seats)
        self.game.call(entry.score_at, self.state, out)
        return tuple(float(points) for points in out)

    @property
    def result(self) -> tuple[float, ...]:
        """What decides the match, per seat; more is better."""
        out = np.zeros(self.game.seats)
        self.game.call(entry.result_at, self.state, out)
        return tuple(float(value) for value in out)

    @property
    def teams(self) -> tuple[int, ...]:
        return tuple(int(self.game.call(entry.team_at, self.state, seat)) for seat in range(self.game.seats))

    def _legal(self, seat: int) -> tuple[int, ...]:
        out = np.zeros(self.game.spec.widest, np.int64)
        count = self.game.call(entry.legal_at, self.state, seat, out)
        return tuple(int(action) for action in out[:count])


class Position(_Table):
    """A state of a match that knows everything, with the source of its dice and cards."""

    def __init__(self, game: "Game", state: States, seed: int, events: int = 0) -> None:
        super().__init__(game, state)
        self.seed = seed
        self.events = events  # chance events so far; the n-th always has the same randomness

    @cached_property
    def _chance_key(self) -> Any:
        return spawn(self.seed, 0)[0]

    def copy(self) -> "Position":
        return Position(self.game, duplicate(self.state), self.seed, self.events)

    def legal(self, seat: int) -> tuple[int, ...]:
        """The legal action ids of a seat, ascending; none if it has nothing to decide now."""
        return self._legal(seat) if self._must_decide(seat) else ()

    def view(self, seat: int) -> "View":
        """What `seat` may know (-1: a spectator)."""
        if not SPECTATOR <= seat < self.game.seats:
            phrase = "{game}: there is no seat {seat}; to programs they are 0 to {last}, and -1 a spectator"
            raise SpielwerkError(self.game.say(phrase, game=self.game.title, seat=seat, last=self.game.seats - 1))
        state = duplicate(self.state)
        self.game.call(entry.hide_at, state, seat)
        return View(self.game, state, seat)

    def open_view(self) -> "View":
        """What a spectator sees who may see everything: all hands lie open."""
        return View(self.game, duplicate(self.state), SPECTATOR)

    def play(self, moves: Mapping[int, int | str] | int | str) -> Self:
        """Play one action per deciding seat, then let chance act until somebody must decide again."""
        self.apply(moves)
        return self.settle()

    def apply(self, moves: Mapping[int, int | str] | int | str) -> Self:
        """Play one action per deciding seat; chance does not act yet."""
        actors = self.actors
        say, title = self.game.say, self.game.title
        if not actors:
            phrase = (
                "{game}: nobody has to decide now, the match is over"
                if self.over
                else "{game}: nobody has to decide now"
            )
            raise IllegalMove(say(phrase, game=title))
        if not isinstance(moves, Mapping):
            if len(actors) > 1:
                phrase = "{game}: seats {seats} decide together; give one move for each"
                raise IllegalMove(say(phrase, game=title, seats=seat_numbers(actors)))
            moves = {actors[0]: moves}
        if set(moves) != set(actors):
            phrase = "{game}: seats {seats} must decide, but moves came for {others}"
            seats, others = seat_numbers(actors), seat_numbers(moves) or say("nobody")
            raise IllegalMove(say(phrase, game=title, seats=seats, others=others))
        joint = np.zeros(self.game.seats, np.int64)
        for seat, move in moves.items():
            action = self.game.action(move) if isinstance(move, str) else int(move)
            allowed = self._legal(seat)
            if action not in allowed:
                raise self.game.illegal(seat, action, allowed)
            joint[seat] = action
        self.game.call(entry.apply_at, self.state, joint)
        return self

    def roll(self) -> Self:
        """Let the next random event happen."""
        rng = np.empty(1, np.uint64)
        with np.errstate(over="ignore"):
            branch(self._chance_key, self.events, rng)
        self.events += 1
        self.game.call(entry.chance_at, self.state, rng)
        return self

    def roll_noted(self) -> str:
        """Let the next random event happen; returns it in the game's notation."""
        before = duplicate(self.state)
        self.roll()
        return self.game.chance_text(before, self.state)

    def happen(self, text: str) -> Self:
        """Let a given random event happen."""
        if self.actor_set != 0:
            phrase = "{game}: '{event}' cannot happen here"
            raise InvalidMove(self.game.say(phrase, game=self.game.title, event=text))
        self.game.chance_apply(self.state, text)
        self.events += 1
        return self

    def settle(self) -> Self:
        """Let chance act until somebody must decide or the match is over."""
        while self.actor_set == 0:
            self.roll()
        return self

    @property
    def text(self) -> str:
        return self.game.text(View(self.game, self.state, self._open_seat()))

    @property
    def svg(self) -> str:
        return self.game.svg(View(self.game, self.state, self._open_seat()))

    def _repr_svg_(self) -> str:
        return self.svg

    def _open_seat(self) -> int:
        actors = self.actors
        return actors[0] if actors else SPECTATOR

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"{self._heading('all hands open' if self.game.spec.hidden else '')}\n{self.text}"


class View(_Table):
    """What one seat may know of a position. Agents get a view, never the state. It does not change, so whose turn it
    is, the score and the legal actions are worked out once."""

    def __init__(self, game: "Game", state: States, seat: int) -> None:
        super().__init__(game, state)
        self.seat = seat

    @cached_property
    def actor_set(self) -> int:
        return super().actor_set

    @cached_property
    def actors(self) -> tuple[int, ...]:
        """The seats that must decide now."""
        return super().actors

    @cached_property
    def score(self) -> tuple[float, ...]:
        """Points per seat so far."""
        return super().score

    @cached_property
    def legal(self) -> tuple[int, ...]:
        """The legal action ids of the view's own seat."""
        return self._legal(self.seat) if self._must_decide(self.seat) else ()

    def imagine(self, rng: Rng) -> Position:
        """A position that is consistent with all that the seat knows."""
        state = duplicate(self.state)
        self.game.call(entry.imagine_at, state, self.seat, rng)
        return Position(self.game, state, int(rng[0]))

    @property
    def text(self) -> str:
        return self.game.text(self)

    @property
    def svg(self) -> str:
        return self.game.svg(self)

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        whose = "as a spectator sees it" if self.seat == SPECTATOR else f"as seat {seat_number(self.seat)} sees it"
        return f"{self._heading(whose if self.game.spec.hidden else '')}\n{self.text}"
