"""Game: the friendly face of a kernel.

A game is a subclass of `Game` with three class attributes (`spec`, `State`, `kernel`) and, where it can do better than
the defaults, its own notation for chance events, text and SVG. An instance is a table: the game with a number of seats
and a variant.
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from html import escape
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.encoding import Encoding, Symmetry
from spielwerk.core.errors import IllegalMove, InvalidMove, KernelError, SpielwerkError, UnknownName
from spielwerk.core.grid import Grid
from spielwerk.core.kernel import contract, defaults, entry
from spielwerk.core.kernel.contract import Room, Scratch
from spielwerk.core.linker import interpreted_everywhere, specialise
from spielwerk.core.looks import chosen_looks
from spielwerk.core.memory import on_lines
from spielwerk.core.mistakes import signature
from spielwerk.core.moment import Moment
from spielwerk.core.position import Position, States, View
from spielwerk.core.profile import ProfilePart, parts_of
from spielwerk.core.signs import StopSign
from spielwerk.core.spec import Option, Spec
from spielwerk.core.svg import dark_style
from spielwerk.core.words import Words, language, number, seat_number

REQUIRED = ("start", "actors", "legal", "apply", "chance", "score")
OPTIONAL = ("team", "result", "outcomes", "happen", "hide", "imagine", "key", "features", "cells")


class Game:
    """A table: one game with a number of seats and a variant. Subclass it to add a game."""

    spec: ClassVar[Spec]
    State: ClassVar[np.dtype[np.void]]
    kernel: ClassVar[Any]  # holds the functions of the contract
    added: ClassVar[str] = ""  # first field of State that was added after matches had been recorded (see match.digest)
    compiled: ClassVar[bool] = True  # False: plain Python, never compiled
    say: ClassVar[Words]  # says a phrase in the language that is spoken; `words.<language>.toml` beside the class

    def __init_subclass__(cls) -> None:
        cls.say = Words.of(cls)

    def __init__(self, seats: int | None = None, variant: str | None = None) -> None:
        self.seats = self.spec.seats[0] if seats is None else seats
        if self.seats not in self.spec.seats:
            allowed = ", ".join(map(str, sorted(self.spec.seats)))
            phrase = "{game}: {seats} {seats:seat is|seats are} not possible; possible are {allowed}"
            raise SpielwerkError(self.say(phrase, game=self.title, seats=self.seats, allowed=allowed))
        self.variant, self.options = self._parse_variant(variant)

    @classmethod
    def _parse_variant(cls, text: str | None) -> tuple[str, NDArray[np.int64]]:
        """'server' or 'server,target=1000' or 'target=1000' -> its normal form and the option values."""
        spec = cls.spec
        if not isinstance(text, str | None):
            phrase = "{game}: a variant is written as a name and options, as 'name,key=value', not {given}"
            raise SpielwerkError(cls.say(phrase, game=spec.id, given=repr(text)))
        parts = [part.strip() for part in (text or "").split(",") if part.strip()]
        name = next(iter(spec.variants))
        if parts and "=" not in parts[0]:
            name = parts.pop(0)
        if name not in spec.variants:
            raise UnknownName(cls.say("variant of {game}", game=spec.id), name, spec.variants)
        named = spec.values(name)
        values = dict(named)
        for part in parts:
            key, _, value = part.partition("=")
            option = spec.option(key)
            if option is not None:
                values[key] = cls._parse_option(option, value)
            elif key not in spec.retired:
                kind = cls.say("rule option of {game}", game=spec.id)
                raise UnknownName(kind, key, [o.name for o in spec.options])
        changed = [f"{key}={number}" for key, number in values.items() if number != named[key]]
        array = np.array([values[option.name] for option in spec.options], np.int64)
        return ",".join([name, *sorted(changed)]), array

    @classmethod
    def recorded_variant(cls, variant: str, edition: int) -> str:
        """What a variant is called now that was written down when `core.match.EDITION` was `edition`. Override it where
        the name of a variant has come to mean other rules, so that old records keep theirs."""
        return variant

    @classmethod
    def _parse_option(cls, option: Option, value: str) -> int:
        """'1000', or 'yes' for a switch, or the name of a choice."""
        number = option.number(value)
        if number is None and option.words:
            phrase = "{game}: rule option {option} takes one of {allowed}, not '{value}'"
            allowed = ", ".join(option.words)
            raise SpielwerkError(cls.say(phrase, game=cls.spec.id, option=option.name, allowed=allowed, value=value))
        if number is None:
            phrase = "{game}: rule option {option} takes a whole number, not '{value}'"
            raise SpielwerkError(cls.say(phrase, game=cls.spec.id, option=option.name, value=value))
        if not option.low <= number <= option.high:
            phrase = "{game}: rule option {option} goes from {low} to {high}"
            low, high = option.low, option.high
            raise SpielwerkError(cls.say(phrase, game=cls.spec.id, option=option.name, low=low, high=high))
        return number

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
        """The length of the network input at this table: what the Spec says, or that of the bits of a state. Override
        it where it depends on the number of seats or the variant."""
        return self.spec.features or self._bits

    @property
    def objective(self) -> str:
        """What agents maximise at this table unless told otherwise: what the Spec says. Override it where that depends
        on the number of seats."""
        return self.spec.objective

    @property
    def _bits(self) -> int:
        return 8 * (padded(self.layout).itemsize + 1)

    @property
    def encodings(self) -> dict[str, Encoding]:
        """The ways to tell a network what a seat knows; the first is `features` of the contract. Override it to add
        others; every game has the bits of its state."""
        bits = Encoding(self._bits, defaults.features)
        own = self.functions["features"]
        return ({} if own is defaults.features else {"standard": Encoding(self.features, own)}) | {"bits": bits}

    @property
    def last_action(self) -> int:
        """The last action that is ever legal at this table: of others a network learns nothing."""
        return self.spec.actions - 1

    @property
    def related_variants(self) -> Sequence[str]:
        """Variants whose models play this one where none is shipped for it, the best first; none by default."""
        return ()

    def symmetries(self, encoding: str) -> Sequence[Symmetry]:
        """Other looks of a decision that are worth as much at this table, for learners that know an encoding; none by
        default. Override it in a game with suits or mirror images that are all alike."""
        return ()

    @property
    def grid(self) -> Grid | None:
        """The board as an n-tuple network sees it; None if the game has none. Needs `cells` of the contract."""
        return None

    def states(self, count: int) -> States:
        """Room for `count` states, all zero. Plain arrays for compiled code, records for interpreted."""
        array = np.zeros(count, padded(self.layout))
        return array if self.compiled and not interpreted_everywhere() else array.view(np.recarray)

    def scratch(self, room: Room = Room(), sign: StopSign | None = None) -> Scratch:  # noqa: B008 (it never changes)
        """Work space for a policy or an evaluation that asks for `room`; whoever works in it stops at the sign."""
        return Scratch(
            self.states(room.states),
            np.zeros(self.spec.widest, np.int64),
            np.zeros(self.seats, np.int64),
            np.zeros(self.seats, np.int64),
            np.zeros(max(self.spec.widest, self.seats, room.numbers), np.float64),
            np.zeros(room.integers, np.int64),
            on_lines(room.floats, np.float32),
            np.zeros(1, np.int64) if sign is None else sign.cell,
        )

    def call(self, template: Callable[..., Any], *args: Any) -> Any:
        """Call a kernel that needs nothing but the game."""
        return specialise(template, self)(*args)

    @cached_property
    def interpreted(self) -> Self:
        """The same table with rules that run as plain Python, without being compiled."""
        kind: Any = type(self)
        twin: Self = _interpreted(kind)(self.seats, self.variant) if self.compiled else self
        return twin

    @cached_property
    def teams(self) -> tuple[int, ...]:
        """The team of every seat when a match begins. Nothing is compiled for it."""
        return self.interpreted.opening().teams if hasattr(self.kernel, "team") else tuple(range(self.seats))

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
        move = self.move_text(action) if 0 <= action < self.spec.actions else str(action)
        phrase = "{game}: seat {seat} may not play '{move}'; legal are {legal}"
        return IllegalMove(
            self.say(
                phrase,
                game=self.title,
                seat=seat_number(seat),
                move=move,
                legal=" ".join(map(self.move_text, legal)),
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

    def move_text(self, action: int) -> str:
        """An action as people write it in the terminal: the notation, unless a look has another."""
        return self.spec.moves[action]

    @classmethod
    def variant_name(cls, variant: str) -> str:
        """'server,match_bonus=0,weis=1' -> 'Tournament server, match bonus 0, with Weis'."""
        name, *changed = variant.split(",")
        declared = cls.spec.variants.get(name)
        parts = [cls.say(declared.title) if declared else name]
        for part in changed:
            key, _, value = part.partition("=")
            option = cls.spec.option(key)
            number = option.number(value) if option else None
            if option and number is not None:
                parts.append(cls.option_set(option, number))
        return ", ".join(parts)

    @classmethod
    def variant_sets(cls, variant: str) -> list[str]:
        """The options that a variant sets: 'Weis', 'match bonus 0'."""
        given = cls.spec.variants[variant].options
        options = [(option, given[option.name]) for option in cls.spec.options if option.name in given]
        return [
            cls.option_name(option) if option.kind == "switch" and number else cls.option_set(option, number)
            for option, number in options
        ]

    @classmethod
    def option_set(cls, option: Option, number: int) -> str:
        """An option and what it is set to: 'target 1000', 'without Weis', 'sheet: striped'."""
        title = cls.option_name(option)
        if option.kind == "switch":
            return cls.say("with {option}", option=title) if number else cls.say("without {option}", option=title)
        if option.kind == "choice":
            return f"{title}: {cls.say(option.choices[number - option.low])}"
        return f"{title} {number}"

    @classmethod
    def option_name(cls, option: Option) -> str:
        return cls.say(option.title or option.name.replace("_", " "))

    @classmethod
    def look(cls, name: str) -> str:
        """What is chosen of a look that the game declares, or else its default."""
        [declared] = (look for look in cls.spec.looks if look.name == name)
        chosen = chosen_looks()
        wanted = chosen.get(f"{cls.spec.id}.{name}", chosen.get(name, ""))
        return wanted if wanted in declared.choices else next(iter(declared.choices))

    @classmethod
    def looks(cls) -> tuple[str, ...]:
        """What is chosen of every look; part of the key wherever pictures or names are kept."""
        return tuple(cls.look(look.name) for look in cls.spec.looks)

    @classmethod
    def strength_measured(cls, rung: int) -> str:
        """What was measured of a rung of the ladder, in words; empty if nothing was."""
        ladder = cls.spec.ladder
        found = ladder[rung]
        if found.measured is None:
            return ""
        digits = 1 if abs(found.measured) < 1000 else 0
        figure = f"{number(found.measured, digits)} ± {number(found.error, digits)}"
        below = cls.say(ladder[rung - 1].strength if rung else "random moves")
        return cls.say(cls.spec.ladder_measure, figure=figure, below=below)

    @classmethod
    def rules(cls) -> str:
        """The rules in Markdown, in the language that is spoken if `rules.<language>.md` is beside the class, else from
        `rules.md`; empty if there is neither."""
        return next((file.read_text("utf-8") for _, file in cls._rules_files() if file.is_file()), "")

    @classmethod
    def rules_language(cls) -> str:
        """The language in which `rules` are written."""
        return next((written for written, file in cls._rules_files() if file.is_file()), "en")

    @classmethod
    def _rules_files(cls) -> tuple[tuple[str, Path], ...]:
        """Languages, and where rules in them may be; the first that are there count."""
        folder = cls.say.folders[0]
        return (language(), folder / f"rules.{language()}.md"), ("en", folder / "rules.md")

    # --- pictures: override ------------------------------------------------------------------------------------------

    def text(self, view: "View") -> str:
        """A picture in plain text."""
        return "\n".join(f"{name}: {view.state[name][0]}" for name in self.layout.names or ())

    def svg(self, view: "View") -> str:
        """A picture in SVG; every legal action is an element with `data-action`."""
        lines = self.text(view).splitlines()
        drawn = [
            f'<text x="10" y="{24 + 18 * row}" font-family="monospace" font-size="14" fill="#222222" '
            f'xml:space="preserve">{escape(line)}</text>'
            for row, line in enumerate(lines)
        ]
        top = 24 + 18 * len(lines)
        for row, action in enumerate(view.legal):
            drawn.append(
                f'<g data-action="{action}" role="button" tabindex="0" aria-label="{escape(self.move_name(action))}">'
                f'<rect x="10" y="{top + 54 * row}" width="380" height="48" rx="6" fill="#dddddd"/>'
                f'<text x="22" y="{top + 30 + 54 * row}" font-size="16" fill="#222222">'
                f"{escape(self.move_name(action))}</text></g>"
            )
        height = top + 54 * len(view.legal) + 10
        colours = dark_style("plain", {"#222222": "#ebe6dc", "#dddddd": "#3a4047"})
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 {height}" class="plain">{colours}'
            f"{''.join(drawn)}</svg>"
        )

    def came_from(self, before: "View", after: "View") -> dict[str, list[str]]:
        """Pieces (`data-piece`) in the picture of `after` that have another name in the picture of `before`, with the
        names that they had there: several where pieces have merged, none where one is new but has the name of another
        that was there before. Both views are of the same seat."""
        return {}

    def moment(self, before: "View", after: "View") -> Moment | None:
        """What people must have seen of the event between two views before the match goes on: a full trick, the result
        of a deal. Both views are of the same seat, one event apart (the moves of all actors, or chance). Every seat and
        a spectator have their moments with the same events; what a moment says is up to the view."""
        return None

    def news(self, before: "View", after: "View") -> Sequence[str]:
        """What the event between two views brought beside the moves themselves, for the list of what happened: a line
        for each, such as who showed which cards. Both views are as in `moment`."""
        return ()

    def won_by_nobody(self, position: "Position") -> bool:
        """Whether a match that is over has no winner at all, rather than several who share the win."""
        return False

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

    def profile(self, finals: States, seats: Sequence[int]) -> Sequence[ProfilePart]:
        """How seats came to their points: `finals` has the last state of a match for each of `seats`. By default what
        `extras` says of these matches; override it to tell the seats from each other, and with better words."""
        return parts_of(self.extras(finals), len(finals), self.say)

    def groups(self, view: "View") -> dict[str, int]:
        """By what positions are grouped when certainty is measured, besides the number of legal actions."""
        return {}

    def __repr__(self) -> str:
        return f"<{self.spec.title}, {self.seats} seats, {self.variant}>"


@cache
def _interpreted(kind: Any) -> Any:
    return type(kind.__name__, (kind,), {"compiled": False, "__module__": kind.__module__})


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
