"""Game: the friendly face of a kernel.

A game is a subclass of `Game` with three class attributes (`spec`, `State`, `kernel`) and, where it can do better than
the defaults, its own notation for chance events, text and SVG. An instance is a table: the game with a number of seats
and a variant.
"""

from collections.abc import Callable
from functools import cache, cached_property
from html import escape
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import IllegalMove, InvalidMove, KernelError, SpielwerkError, UnknownName
from spielwerk.core.grid import Grid
from spielwerk.core.kernel import contract, defaults, entry
from spielwerk.core.kernel.contract import Room, Scratch
from spielwerk.core.linker import interpreted_everywhere, specialise
from spielwerk.core.mistakes import signature
from spielwerk.core.position import Position, States, View
from spielwerk.core.spec import Spec
from spielwerk.core.words import Words, language, seat_number

REQUIRED = ("start", "actors", "legal", "apply", "chance", "score")
OPTIONAL = ("team", "result", "outcomes", "happen", "hide", "imagine", "key", "features", "cells")


class Game:
    """A table: one game with a number of seats and a variant. Subclass it to add a game."""

    spec: ClassVar[Spec]
    State: ClassVar[np.dtype[np.void]]
    kernel: ClassVar[Any]  # holds the functions of the contract
    compiled: ClassVar[bool] = True  # False: plain Python, never compiled
    say: ClassVar[Words]  # says a phrase in the language that is spoken; `words.<language>.toml` beside the class

    def __init_subclass__(cls) -> None:
        cls.say = Words.of(cls)

    def __init__(self, seats: int | None = None, variant: str | None = None) -> None:
        self.seats = self.spec.seats[0] if seats is None else seats
        if self.seats not in self.spec.seats:
            allowed = ", ".join(map(str, sorted(self.spec.seats)))
            phrase = "{game}: {seats} seats are not possible; possible are {allowed}"
            raise SpielwerkError(self.say(phrase, game=self.title, seats=self.seats, allowed=allowed))
        self.variant, self.options = self._parse_variant(variant)

    @classmethod
    def _parse_variant(cls, text: str | None) -> tuple[str, NDArray[np.int64]]:
        """'server' or 'server,target=1000' or 'target=1000' -> its normal form and the option values."""
        spec = cls.spec
        parts = [part.strip() for part in (text or "").split(",") if part.strip()]
        name = next(iter(spec.variants))
        if parts and "=" not in parts[0]:
            name = parts.pop(0)
        if name not in spec.variants:
            raise UnknownName(cls.say("variant of {game}", game=spec.id), name, spec.variants)
        named = {option.name: option.default for option in spec.options} | dict(spec.variants[name])
        values = dict(named)
        for part in parts:
            key, equals, value = part.partition("=")
            option = next((option for option in spec.options if option.name == key), None)
            if option is None:
                kind = cls.say("rule option of {game}", game=spec.id)
                raise UnknownName(kind, key, [o.name for o in spec.options])
            try:
                number = int(value)
            except ValueError:
                phrase = "{game}: rule option {option} takes a whole number, not '{value}'"
                raise SpielwerkError(cls.say(phrase, game=spec.id, option=key, value=value)) from None
            if not equals or not option.low <= number <= option.high:
                phrase = "{game}: rule option {option} goes from {low} to {high}"
                raise SpielwerkError(cls.say(phrase, game=spec.id, option=key, low=option.low, high=option.high))
            values[key] = number
        changed = [f"{key}={number}" for key, number in values.items() if number != named[key]]
        array = np.array([values[option.name] for option in spec.options], np.int64)
        return ",".join([name, *sorted(changed)]), array

    # --- what the kernels need ---------------------------------------------------------------------------------------

    @property
    def link_name(self) -> str:
        return "g" + "".join(c if c.isalnum() else "_" for c in self.spec.id)

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        missing = [name for name in REQUIRED if not hasattr(self.kernel, name)]
        if missing:
            where = getattr(self.kernel, "__file__", f"the kernel of {type(self).__qualname__}")
            wanted = " and ".join(signature(getattr(contract, name)) for name in missing)
            raise KernelError(f"{self.spec.title}: {where} lacks {wanted}; see core/kernel/contract.py")
        found = {name: getattr(self.kernel, name) for name in REQUIRED}
        found |= {name: getattr(self.kernel, name, getattr(defaults, name)) for name in OPTIONAL}
        return found

    @property
    def layout(self) -> np.dtype[np.void]:
        """The fields of a state at this table: `State`. Override it where a state is as large as the table (a board
        whose size is an option); kernels are compiled once for every layout that is used."""
        return self.State

    @property
    def features(self) -> int:
        """The length of the network input at this table: what the Spec says. Override it where it depends on the number
        of seats or the variant."""
        return self.spec.features

    @property
    def grid(self) -> Grid | None:
        """The board as an n-tuple network sees it; None if the game has none. Needs `cells` of the contract."""
        return None

    def states(self, count: int) -> States:
        """Room for `count` states, all zero. Plain arrays for compiled code, records for interpreted."""
        array = np.zeros(count, padded(self.layout))
        return array if self.compiled and not interpreted_everywhere() else array.view(np.recarray)

    def scratch(self, room: Room = Room()) -> Scratch:  # noqa: B008 (it never changes)
        """Work space for a policy or an evaluation that asks for `room`."""
        return Scratch(
            self.states(room.states),
            np.zeros(self.spec.widest, np.int64),
            np.zeros(self.seats, np.int64),
            np.zeros(self.seats, np.int64),
            np.zeros(max(self.spec.widest, self.seats, room.numbers), np.float64),
            np.zeros(room.integers, np.int64),
            np.zeros(room.floats, np.float32),
        )

    def call(self, template: Callable[..., Any], *args: Any) -> Any:
        """Call a kernel that needs nothing but the game."""
        return specialise(template, self)(*args)

    # --- positions ---------------------------------------------------------------------------------------------------

    def new(self, seed: int = 0) -> "Position":
        """The first position in which somebody must decide; dice and deals come from `seed`."""
        return self.opening(seed).settle()

    def opening(self, seed: int = 0) -> "Position":
        """The table before anything random has happened."""
        states = self.states(1)
        self.call(entry.start_at, states, self.seats, self.options)
        return Position(self, states, seed)

    def read(self, text: str) -> "Position":
        """The position that people write as `text`. Override it in a game whose positions can be written down."""
        phrase = "{game} has no notation for positions; give the record of a match instead"
        raise InvalidMove(self.say(phrase, game=self.title))

    def write(self, view: "View") -> str:
        """What the seat of a view knows as `read` reads it. Override both or none."""
        phrase = "{game} has no notation for positions; give the record of a match instead"
        raise InvalidMove(self.say(phrase, game=self.title))

    # --- notation: override where the game can do better -------------------------------------------------------------

    @cached_property
    def action_ids(self) -> dict[str, int]:
        return {move: action for action, move in enumerate(self.spec.moves)}

    def action(self, move: str) -> int:
        """The action id that people write as `move`."""
        found = self.action_ids.get(move.strip())
        if found is None:
            nearest = UnknownName(self.say("move"), move, self.spec.moves)
            raise InvalidMove(f"{self.title}: {nearest}")
        return found

    def illegal(self, seat: int, action: int, legal: tuple[int, ...]) -> IllegalMove:
        """The error that says what the seat may play instead."""
        moves = self.spec.moves
        move = moves[action] if 0 <= action < len(moves) else str(action)
        phrase = "{game}: seat {seat} may not play '{move}'; legal are {legal}"
        return IllegalMove(
            self.say(
                phrase,
                game=self.title,
                seat=seat_number(seat),
                move=move,
                legal=" ".join(moves[each] for each in legal),
            )
        )

    def chance_text(self, before: States, after: States) -> str:
        """What happened between two states, in the game's notation. By default the number of the outcome."""
        if not self.spec.outcomes:
            raise NotImplementedError(f"{self.spec.id} must override chance_text and chance_apply")
        ids = np.zeros(self.spec.outcomes, np.int64)
        count = self.call(entry.outcomes_at, before, ids, np.zeros(self.spec.outcomes))
        for outcome in ids[:count]:
            trial = before.copy()
            self.call(entry.happen_at, trial, outcome)
            if trial.tobytes() == after.tobytes():
                return str(int(outcome))
        raise RuntimeError(f"{self.spec.id}: chance did something that outcomes does not list")

    def chance_apply(self, states: States, text: str) -> None:
        """Let the event `text` happen (the inverse of `chance_text`)."""
        if not self.spec.outcomes:
            raise NotImplementedError(f"{self.spec.id} must override chance_text and chance_apply")
        ids = np.zeros(self.spec.outcomes, np.int64)
        count = self.call(entry.outcomes_at, states, ids, np.zeros(self.spec.outcomes))
        if text not in {str(int(outcome)) for outcome in ids[:count]}:
            raise InvalidMove(self.say("{game}: '{event}' cannot happen here", game=self.title, event=text))
        self.call(entry.happen_at, states, int(text))

    def heard(self, event: str, seat: int) -> str | None:
        """What `seat` (-1: a spectator) hears of a chance event in the game's notation; None: nothing.

        Override it in a game with hidden information whose chance events are open to all, or in part."""
        return None if self.spec.hidden else event

    # --- names, in the language that is spoken -----------------------------------------------------------------------

    @property
    def title(self) -> str:
        return self.say(self.spec.title)

    def move_name(self, action: int) -> str:
        """An action as people call it; what they write (`spec.moves`) is the same in every language."""
        return self.say(self.spec.moves[action])

    @classmethod
    def variant_name(cls, variant: str) -> str:
        """'server,match_bonus=0' -> 'server, match bonus 0'."""
        name, *changed = variant.split(",")
        parts = [part.partition("=") for part in changed]
        return ", ".join([cls.say(name), *(f"{cls.option_name(option)} {value}" for option, _, value in parts)])

    @classmethod
    def option_name(cls, option: str) -> str:
        return cls.say(option.replace("_", " "))

    @classmethod
    def rules(cls) -> str:
        """The rules in Markdown, in the language that is spoken if `rules.<language>.md` is beside the class, else from
        `rules.md`; empty if there is neither."""
        folder = cls.say.folders[0]
        files = (folder / f"rules.{language()}.md", folder / "rules.md")
        return next((file.read_text("utf-8") for file in files if file.is_file()), "")

    # --- pictures: override ------------------------------------------------------------------------------------------

    def text(self, view: "View") -> str:
        """A picture in plain text."""
        return "\n".join(f"{name}: {view.state[name][0]}" for name in self.layout.names or ())

    def svg(self, view: "View") -> str:
        """A picture in SVG; every legal action is an element with `data-action`."""
        lines = self.text(view).splitlines()
        drawn = [
            f'<text x="10" y="{24 + 18 * row}" font-family="monospace" font-size="14" xml:space="preserve">'
            f"{escape(line)}</text>"
            for row, line in enumerate(lines)
        ]
        top = 24 + 18 * len(lines)
        for row, action in enumerate(view.legal):
            drawn.append(
                f'<g data-action="{action}" role="button" tabindex="0" aria-label="{escape(self.move_name(action))}">'
                f'<rect x="10" y="{top + 26 * row}" width="200" height="22" rx="4" fill="#ddd"/>'
                f'<text x="16" y="{top + 16 + 26 * row}" font-size="14">{escape(self.move_name(action))}</text></g>'
            )
        height = top + 26 * len(view.legal) + 10
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 {height}">{"".join(drawn)}</svg>'

    def came_from(self, before: "View", after: "View") -> dict[str, list[str]]:
        """Pieces (`data-piece`) in the picture of `after` that have another name in the picture of `before`, with the
        names that they had there: several where pieces have merged, none where one is new but has the name of another
        that was there before. Both views are of the same seat."""
        return {}

    def spread(self, view: "View", expected: float) -> float:
        """How far apart equally good players end up from here, as a standard deviation in points: of the lead over the
        best other team (of a deal, say, where agents look no further), or with one seat of the points. `expected` is
        what the best action promises. A loss of points is weighed against it."""
        if self.seats > 1:
            return self.spec.scale / 2
        to_come = expected - view.score[0]
        return 0.45 * max(to_come, expected / 4, 1.0)  # measured for 2048: 0.36 (2x2) to 0.48 (4x4) of the mean

    def horizon(self, view: "View") -> "View":
        """The same view in a match that ends where it is worth looking to, and that has no points from before: with the
        deal in a card game that is played to a total. Searches by playouts look no further. By default the match
        itself."""
        return view

    def extras(self, finals: States) -> dict[str, Any]:
        """The game's own statistics over the final states of many matches."""
        return {}

    def groups(self, view: "View") -> dict[str, int]:
        """By what positions are grouped when certainty is measured, besides the number of legal actions."""
        return {}

    def __repr__(self) -> str:
        return f"<{self.spec.title}, {self.seats} seats, {self.variant}>"


@cache
def padded(dtype: np.dtype[np.void]) -> np.dtype[np.void]:
    """The same fields aligned, with every gap an explicit field and a size that is a multiple of 8 bytes.

    States are compared and hashed by their bytes, and NumPy does not copy the bytes of gaps.
    """
    formats: list[tuple[str, Any]] = []
    size = 0

    def fill(upto: int) -> None:
        nonlocal size
        if upto > size:
            formats.append((f"gap_{size}", np.uint8, (upto - size,)))  # type: ignore[arg-type]
            size = upto

    for name in dtype.names or ():
        kind = dtype.fields[name][0]  # type: ignore[index]
        fill(-(-size // kind.alignment) * kind.alignment)
        formats.append((name, kind))
        size += kind.itemsize
    fill(-(-size // 8) * 8)
    made: np.dtype[np.void] = np.dtype(formats, align=True)
    assert made.itemsize == size, f"a state of {size} bytes became {made.itemsize}"
    return made
