"""Spec and Option: declared facts about a game that agents, arena and web can check."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Option:
    """A whole number that changes the rules."""

    name: str
    default: int
    low: int
    high: int
    help: str


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
    variants: Mapping[str, Mapping[str, int]] = field(default_factory=lambda: {"standard": {}})
    chance: bool = False  # are there random events?
    hidden: bool = False  # is there hidden information?
    symmetric: bool = True  # does every seat know as much as every other before the first decision?
    simultaneous: bool = False  # do several seats ever decide at once?
    horizon: str = ""  # what ends where `Game.horizon` ends, as a phrase: "in this deal"; "" = the match
    outcomes: int = 0  # most outcomes of an enumerable chance event; 0 = chance cannot be enumerated
    features: int = 0  # length of the network input (see Game.features); 0 = none
    ladder: tuple[Rung, ...] = ()  # from the weakest to the strongest; a pair (strength, agent) does as a rung, too
    ladder_measure: str = "wins {figure} % against '{below}'"  # what is measured of a rung, as a phrase
    keys: Mapping[str, str] = field(default_factory=dict)  # key, named as in KeyboardEvent.key -> the move it plays
    swipes: Mapping[str, str] = field(default_factory=dict)  # up, down, left or right -> the move it plays

    def __post_init__(self) -> None:
        rungs = tuple(rung if isinstance(rung, Rung) else Rung(*rung) for rung in self.ladder)
        object.__setattr__(self, "ladder", rungs)

    @property
    def actions(self) -> int:
        return len(self.moves)
