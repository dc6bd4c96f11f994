"""Spec, Option, Variant and Look: declared facts about a game that agents, arena and web can check."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

YES, NO = ("yes", "on", "true"), ("no", "off", "false")


@dataclass(frozen=True)
class Option:
    """A whole number that changes the rules.

    People read `title` and `help`, a sentence without a full stop. From 0 to 1 it is a switch; with `choices`, the
    names of low … high, a choice among them.
    """

    name: str  # in variants and records
    default: int
    low: int
    high: int
    help: str
    title: str = ""
    choices: tuple[str, ...] = ()

    @property
    def kind(self) -> Literal["switch", "choice", "number"]:
        return "choice" if self.choices else "switch" if (self.low, self.high) == (0, 1) else "number"

    @property
    def words(self) -> tuple[str, ...]:
        """What can be written in place of low … high: the names of choices, yes and no."""
        return tuple(map(_written, self.choices)) if self.choices else ("no", "yes") if self.kind == "switch" else ()

    def number(self, text: str) -> int | None:
        """The number that is written as a number or as a word; None if it is neither."""
        text = _written(text)
        if self.kind == "switch" and text in (*YES, *NO):
            return int(text in YES)
        if text in self.words:
            return self.low + self.words.index(text)
        try:
            return int(text)
        except ValueError:
            return None


def _written(name: str) -> str:
    return name.strip().casefold().replace(" ", "-")


@dataclass(frozen=True)
class Variant:
    """Rules under a name. People read `title` and `help`, a sentence without a full stop."""

    title: str
    help: str
    options: Mapping[str, int] = field(default_factory=dict)  # those that differ from their defaults, or that define it


@dataclass(frozen=True)
class Look:
    """How a game is drawn and its pieces are called, as everybody who looks likes it: a deck of cards, colours.

    It is no rule. Nobody else at the table sees it, and no record knows it. `Game.look` says what is chosen.
    """

    name: str
    title: str
    choices: Mapping[str, str]  # name -> title; the first is the default


STANDARD = Variant("Standard", "the rules as they are written")


@dataclass(frozen=True)
class Rung:
    """An agent of a game's ladder: how strong it is in a word, and as it was measured (`arena.ladder`)."""

    strength: str
    agent: str  # spec
    measured: float | None = None  # as `Spec.ladder_measure` says; None = nobody has measured it
    error: float = 0.0  # half of its 95 % interval


@dataclass(frozen=True)
class Spec:
    """Declared facts about a game that agents, arena and web can check.

    `keys` and `swipes` are for games whose moves people know as keys or as strokes of a finger; elsewhere leave them
    out. One move may have several keys. Letters are written small and work in capitals, too. A key that the page uses
    itself (`h`, `u`) then belongs to the game. A finger on the board of a game with swipes does not scroll the page.
    """

    id: str
    title: str
    summary: str  # one sentence
    seats: tuple[int, ...]  # allowed numbers of seats; the first is the default
    moves: tuple[str, ...]  # action id -> what people read and write
    widest: int  # most legal actions of one seat at once
    longest: int  # most events (decisions and chance) of any match
    scale: float  # points that count as worth 1
    objective: str = "points"  # what agents maximise unless told otherwise: points, win or margin
    options: tuple[Option, ...] = ()
    retired: tuple[str, ...] = ()  # options of old records that change nothing any more
    variants: Mapping[str, Variant] = field(default_factory=lambda: {"standard": STANDARD})  # the first is the default
    offered: str = ""  # variant that people are offered first; "" = the default
    looks: tuple[Look, ...] = ()
    chance: bool = False  # are there random events?
    luck: str = ""  # what chance brings, in the plural: "dice", "cards"
    hidden: bool = False  # is there hidden information?
    symmetric: bool = True  # does every seat know as much as every other before the first decision?
    simultaneous: bool = False  # do several seats ever decide at once?
    horizon: str = ""  # what ends where `Game.horizon` ends, as a phrase: "in this deal"; "" = the match
    outcomes: int = 0  # most outcomes of an enumerable chance event; 0 = chance cannot be enumerated
    features: int = 0  # length of the network input (see Game.features); 0 = the bits of the state
    stand_in: str = ""  # agent that decides for a network about actions that it does not know; "" = any action
    ladder: tuple[Rung, ...] = ()  # from the weakest to the strongest; a pair (strength, agent) does as a rung, too
    ladder_measure: str = "wins {figure} % against '{below}'"  # what is measured of a rung, as a phrase
    keys: Mapping[str, str] = field(default_factory=dict)  # key, named as in KeyboardEvent.key -> the move it plays
    swipes: Mapping[str, str] = field(default_factory=dict)  # up, down, left or right -> the move it plays
    idle: str = ""  # the move of who has not chosen when the time of a round is up; "" = it is not played so

    def __post_init__(self) -> None:
        rungs = tuple(rung if isinstance(rung, Rung) else Rung(*rung) for rung in self.ladder)
        object.__setattr__(self, "ladder", rungs)

    @property
    def actions(self) -> int:
        return len(self.moves)

    def option(self, name: str) -> Option | None:
        return next((option for option in self.options if option.name == name), None)

    def values(self, variant: str) -> dict[str, int]:
        """Every option in a variant."""
        return {option.name: option.default for option in self.options} | dict(self.variants[variant].options)
