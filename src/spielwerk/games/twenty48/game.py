"""2048: spec, notation, text picture, statistics."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import InvalidMove, quoted
from spielwerk.core.game import Game
from spielwerk.core.grid import Grid
from spielwerk.core.kernel import entry
from spielwerk.core.position import Position, States, View
from spielwerk.core.profile import ProfilePart
from spielwerk.core.spec import Option, Rung, Spec, Variant
from spielwerk.games.twenty48 import view as pictures
from spielwerk.games.twenty48.kernel import grid as kernel_grid
from spielwerk.games.twenty48.kernel import rules as kernel

DIRECTIONS = ("up", "down", "left", "right")
EMPTY = (".", "_", "-")  # how an empty cell may be written, besides 0
HIGHEST_TILE = 131072


class Twenty48(Game):
    """The sliding puzzle by Gabriele Cirulli (2014), played on without end."""

    spec = Spec(
        id="2048",
        title="2048",
        summary="Slide and merge tiles; a new one appears after every move. Play as long as the board lets you.",
        seats=(1,),
        moves=DIRECTIONS,
        widest=4,
        longest=400_000,
        scale=3_932_156.0,  # the highest possible score, used by Kutsch (2017)
        objective="points",
        options=(
            Option("width", 4, 2, 4, "columns of the board", "width"),
            Option("height", 4, 2, 4, "rows of the board", "height"),
        ),
        variants={
            "4x4": Variant("4 × 4", "the usual board", {"width": 4, "height": 4}),
            "3x4": Variant("3 × 4", "three rows of four cells", {"width": 4, "height": 3}),
            "3x3": Variant("3 × 3", "a small board, over in minutes", {"width": 3, "height": 3}),
            "2x3": Variant("2 × 3", "two rows of three cells, solved exactly", {"width": 3, "height": 2}),
            "2x2": Variant("2 × 2", "four cells, over in a minute", {"width": 2, "height": 2}),
        },
        chance=True,
        luck="tiles",
        outcomes=32,
        ladder=(
            Rung("beginner", "blunder:agent=(ntuple),share=0.3", 4_193, 104),
            Rung("easy", "blunder:agent=(ntuple),share=0.07", 12_316, 318),
            Rung("medium", "blunder:agent=(ntuple),share=0.013", 35_607, 903),
            Rung("hard", "blunder:agent=(ntuple),share=0.0015", 108_448, 2_876),
            Rung("strongest", "expectimax:depth=3,evaluation=ntuple", 323_939, 13_416),
        ),
        ladder_measure="{figure} points on average",
        keys={f"Arrow{move.capitalize()}": move for move in DIRECTIONS} | dict(zip("wsad", DIRECTIONS, strict=True)),
        swipes={move: move for move in DIRECTIONS},
    )
    State = kernel.State
    kernel: ClassVar[Any] = kernel

    @property
    def grid(self) -> Grid:
        width, height = (int(number) for number in self.options)
        return kernel_grid.grid(height, width)

    @property
    def features(self) -> int:
        width, height = (int(number) for number in self.options)
        return 16 * width * height

    def chance_text(self, before: States, after: States) -> str:
        """A new tile is written as cell and value, the columns a to d, the rows 1 to 4 from the top: `b3=2`."""
        cell = next(i for i in range(16) if _nibble(before, i) != _nibble(after, i))
        return f"{'abcd'[cell % 4]}{cell // 4 + 1}={2 ** _nibble(after, cell)}"

    def chance_apply(self, states: States, text: str) -> None:
        place, _, value = text.partition("=")
        column, row = "abcd".find(place[:1]) if place else -1, place[1:]
        if column < 0 or row not in ("1", "2", "3", "4") or value not in ("2", "4"):
            raise InvalidMove(self.say("2048: '{text}' is no new tile; write for example b3=2", text=text))
        cell = 4 * (int(row) - 1) + column
        if not int(self.call(kernel.empty_cells_at, states)) >> 4 * cell & 1:
            phrase = "2048: a new tile cannot appear on {place}, which is not an empty cell of the board"
            raise InvalidMove(self.say(phrase, place=place))
        self.call(entry.happen_at, states, 2 * cell + (value == "4"))

    def heard(self, event: str, seat: int) -> str:
        place, _, value = event.partition("=")
        return self.say("a new {tile} on {place}", tile=value, place=place)

    def read(self, text: str) -> Position:
        """A board row by row, rows separated by / (or any blanks), an empty cell as . or 0: `2 4 8 16/. 2 . 4/…`.

        A score may follow, as in `2 4/8 . score 20`.
        """
        board, scored, points = text.lower().partition("score")
        rows = [re.split(r"[\s,;|]+", row.strip(" \t\n,;|")) for row in board.strip().split("/")]
        tiles = [word for row in rows for word in row if word]
        width, height = (int(number) for number in self.options)
        if len(tiles) != width * height:
            phrase = "2048: a board has {height} rows of {width} cells, but '{text}' has {count} in all"
            raise InvalidMove(self.say(phrase, height=height, width=width, text=quoted(text), count=len(tiles)))
        if len(rows) > 1 and [len(row) for row in rows] != [width] * height:
            phrase = "2048: a board has {height} rows of {width} cells, but the rows of '{text}' are of other lengths"
            raise InvalidMove(self.say(phrase, height=height, width=width, text=quoted(text)))
        position = self.opening()
        for number, tile in enumerate(tiles):
            value = 0 if tile in EMPTY else _whole(tile)
            if value != 0 and (value < 2 or value.bit_count() > 1 or value > HIGHEST_TILE):
                phrase = "2048: '{tile}' is no tile; write 2, 4, 8 … {highest}, and . for an empty cell"
                raise InvalidMove(self.say(phrase, tile=quoted(tile), highest=HIGHEST_TILE))
            power, cell = max(value.bit_length() - 1, 0), 4 * (number // width) + number % width
            position.state["board"][0] |= np.uint64((power & 15) << 4 * cell)
            position.state["big"][0] |= np.uint16((power >> 4) << cell)
        if not position.state["board"][0] and not position.state["big"][0]:
            raise InvalidMove(self.say("2048: there is no tile on this board; a match begins with two"))
        if scored:
            if _whole(points.strip()) < 0:
                phrase = "2048: '{text}' is no score; write for example score 1234"
                raise InvalidMove(self.say(phrase, text=quoted(points.strip())))
            position.state["score"][0] = int(points)
        self.call(kernel.decide_next_at, position.state)
        return position

    def write(self, view: View) -> str:
        rows = [" ".join(str(2**power) if power else "." for power in row) for row in pictures.powers(view)]
        return f"{'/'.join(rows)} score {int(view.score[0])}"

    def text(self, view: View) -> str:
        rows = pictures.powers(view)
        line = "+" + "------+" * len(rows[0])
        drawn = [line]
        for row in rows:
            drawn += ["|" + "|".join(f"{2**power if power else '':^6}" for power in row) + "|", line]
        drawn.append(self.say("{points} {points:point|points}", points=int(view.score[0])))
        return "\n".join(drawn) + (f", {self.say('no move left')}" if view.over else "")

    def svg(self, view: View) -> str:
        return pictures.svg(view)

    def came_from(self, before: View, after: View) -> dict[str, list[str]]:
        return pictures.came_from(before, after)

    def extras(self, finals: States) -> dict[str, Any]:
        """The share of matches that reached each tile, and how often each was the highest."""
        counts = _highest(finals)
        powers = range(int(np.flatnonzero(counts)[0]), len(counts))
        reached = {str(2**power): float(counts[power:].sum() / counts.sum()) for power in powers}
        return {"reached": reached, "highest": {str(2**p): int(counts[p]) for p in powers if counts[p]}}

    def profile(self, finals: States, seats: Sequence[int]) -> list[ProfilePart]:
        """The share of matches that reached each tile, from the one on that about everybody reaches."""
        counts = _highest(finals)
        low = max(int(self.options.prod()) // 2 - 1, 2)
        powers = range(low, max(low + 1, len(counts)))
        reached = tuple(float(counts[power:].sum() / counts.sum()) for power in powers)
        title = self.say("Tiles reached: share of the matches")
        return [ProfilePart(title, tuple(str(2**power) for power in powers), reached, share=True)]

    def groups(self, view: View) -> dict[str, int]:
        return {"empty": int(self.call(kernel.empty_cells_at, view.state)).bit_count()}


def _highest(finals: States) -> NDArray[np.int64]:
    """In how many matches each power of two was the highest tile."""
    cells = np.arange(16, dtype=np.uint64)
    low = np.asarray(finals["board"])[:, None] >> np.uint64(4) * cells & np.uint64(15)
    big = np.asarray(finals["big"], np.uint64)[:, None] >> cells & np.uint64(1)
    return np.bincount((low + np.uint64(16) * big).max(axis=1).astype(np.int64))


def _whole(text: str) -> int:
    """The whole number that is written; -1 if it is none, or one far too large."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else -1


def _nibble(states: States, cell: int) -> int:
    return (int(states["board"][0]) >> 4 * cell & 15) + 16 * (int(states["big"][0]) >> cell & 1)
