"""spielwerk solve 2048: small boards exactly, by working backwards over all boards that can occur.

Every move leaves the sum of all tiles as it is and every new tile adds 2 or 4, so the boards form layers by their sum,
and the value of a board depends on later layers only. The value is the points still to come under best play.

Question: nothing for the start, or a board such as `2 4/8 .`. The 2x2 board has 662 positions,
2x3 has 85,844 (both take a second), 2x4 has 19,920,382 (a minute and 3 GB); larger ones are not offered.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.linker import specialise
from spielwerk.core.words import Words, number
from spielwerk.games.twenty48.game import Twenty48
from spielwerk.games.twenty48.kernel import solve as solving

Report = Callable[[float, str], None]
Boards = NDArray[np.uint64]

say = Words.beside(__file__)
MOST_CELLS = 8


class Layer(NamedTuple):
    """All boards with the same sum of tiles, in two kinds, sorted."""

    boards: Boards  # somebody must move
    value: NDArray[np.float64]
    after: Boards  # a new tile is to come
    worth: NDArray[np.float64]


class Solution(NamedTuple):
    start: float
    layers: dict[int, Layer]  # by sum of tiles

    @property
    def boards(self) -> int:
        return sum(len(layer.boards) for layer in self.layers.values())

    def value(self, board: int) -> float:
        """The points to come from a board on which it is to move."""
        layer = self.layers.get(tile_sum(board))
        place = -1 if layer is None else int(np.searchsorted(layer.boards, np.uint64(board)))
        if layer is None or place >= len(layer.boards) or int(layer.boards[place]) != board:
            raise _impossible()
        return float(layer.value[place])

    def worth(self, board: int) -> float:
        """The points to come from a board on which a new tile is to appear."""
        layer = self.layers[tile_sum(board)]
        return float(layer.worth[int(np.searchsorted(layer.after, np.uint64(board)))])


_known: dict[tuple[int, int], Solution] = {}  # by width and height


def tile_sum(board: int) -> int:
    return sum(1 << power for power in (board >> shift & 15 for shift in range(0, 64, 4)) if power)


def solve(game: Game, question: str | None, report: Report) -> dict[str, object]:
    """The expected points of best play from the start or from a board, and what each move is worth."""
    assert isinstance(game, Twenty48)
    solution = solved(game, report)
    found: dict[str, object] = {"board": game.variant, "boards that can occur": solution.boards}
    if question is None:
        return found | {"expected points from the start": round(solution.start, 6)}
    position = game.read(question)
    if position.state["big"][0]:
        raise _impossible()
    board = int(position.state["board"][0])
    found["expected points to come"] = round(solution.value(board), 6)
    for action in position.legal(0):
        moved = position.copy().apply(action)
        worth = moved.score[0] - position.score[0] + solution.worth(int(moved.state["board"][0]))
        found[game.spec.moves[action]] = round(worth, 6)
    return found


def _impossible() -> SpielwerkError:
    phrase = "2048: this board cannot occur in a match on a board of this size; ask about another one"
    return SpielwerkError(say(phrase))


def solved(game: Game, report: Report = lambda done, line: None) -> Solution:
    width, height = map(int, game.options)
    if width * height > MOST_CELLS:
        phrase = (
            "2048: {width}x{height} is too large to be solved; boards with up to {most} cells can be, "
            "for example --variant 2x3 or --variant width=4,height=2"
        )
        raise SpielwerkError(say(phrase, width=width, height=height, most=MOST_CELLS))
    if (width, height) not in _known:
        _known[width, height] = _solve(width, height, report)
    return _known[width, height]


class Played(NamedTuple):
    """What somebody who judges afterstates expects from the start, and what greedy play by that judgement is worth."""

    believed: float
    actual: float


def played(game: Game, judge: Callable[[Boards], NDArray[np.float64]]) -> Played:
    """Exactly, without playing a match: `judge` says for boards on which a new tile is to come which points follow."""
    solution = solved(game)
    table = Table(*map(int, game.options))
    believed: dict[int, Layer] = {}
    actual: dict[int, Layer] = {}
    for total in sorted(solution.layers, reverse=True):
        layer = solution.layers[total]
        after, points = table.slid(layer.boards)
        places = np.searchsorted(layer.after, after)
        says = judge(layer.after)
        worth = table.expected(actual, total, layer.after)
        believed[total] = layer._replace(value=table.valued(after, points, places, says, says), worth=says)
        actual[total] = layer._replace(value=table.valued(after, points, places, says, worth), worth=worth)
    return Played(table.start(believed), table.start(actual))


class Table:
    """The moves and new tiles of many boards of one size at once."""

    def __init__(self, width: int, height: int) -> None:
        game = Twenty48(variant=f"width={width},height={height}")
        self.cells = width * height
        self.empty = game.opening().state
        self.slide_all = specialise(solving.slide_all, game)
        self.spawn_all = specialise(solving.spawn_all, game)
        self.value_layer = specialise(solving.value_layer, game)

    def slid(self, boards: Boards) -> tuple[Boards, NDArray[np.int64]]:
        after, points = np.zeros((len(boards), 4), np.uint64), np.zeros((len(boards), 4), np.int64)
        self.slide_all(self.empty, boards, after, points)
        return after, points

    def spawned(self, after: Boards) -> tuple[Boards, Boards, NDArray[np.int64]]:
        room = len(after) * self.cells
        twos, fours, owner = np.zeros(room, np.uint64), np.zeros(room, np.uint64), np.zeros(room, np.int64)
        count = self.spawn_all(self.empty, after, twos, fours, owner)
        return twos[:count], fours[:count], owner[:count]

    def expected(self, layers: dict[int, Layer], total: int, after: Boards) -> NDArray[np.float64]:
        """The mean value after a new tile, for boards with the same sum."""
        if not len(after):
            return np.zeros(0)
        twos, fours, owner = self.spawned(after)
        later = 0.9 * _values(layers, total + 2, twos) + 0.1 * _values(layers, total + 4, fours)
        mean: NDArray[np.float64] = np.bincount(owner, later, len(after)) / np.bincount(owner, minlength=len(after))
        return mean

    def valued(
        self,
        after: Boards,
        points: NDArray[np.int64],
        places: NDArray[np.int64],
        believed: NDArray[np.float64],
        worth: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        value = np.zeros(len(after))
        self.value_layer(after, points, places, believed, worth, value)
        return value

    def first_tiles(self) -> tuple[Boards, Boards]:
        return self.spawned(np.zeros(1, np.uint64))[:2]

    def start(self, layers: dict[int, Layer]) -> float:
        twos, fours = (
            self.expected(layers, total, first).mean() for total, first in zip((2, 4), self.first_tiles(), strict=True)
        )
        return float(0.9 * twos + 0.1 * fours)


def _solve(width: int, height: int, report: Report) -> Solution:
    table = Table(width, height)

    # forwards: which boards can occur
    found: dict[int, list[Boards]] = {}
    for first in table.first_tiles():
        for extra, boards in zip((2, 4), table.spawned(first)[:2], strict=True):
            found.setdefault(tile_sum(int(first[0])) + extra, []).append(boards)
    moves: dict[int, tuple[Boards, Boards, NDArray[np.int64], Boards]] = {}
    while found:
        total = min(found)
        boards = np.unique(np.concatenate(found.pop(total)))
        after, points = table.slid(boards)
        distinct = np.unique(after[points >= 0])
        moves[total] = boards, after, points, distinct
        if len(distinct):
            for extra, fresh in zip((2, 4), table.spawned(distinct)[:2], strict=True):
                found.setdefault(total + extra, []).append(np.unique(fresh))
        report(0.0, say("{count} {count:board|boards}", count=number(sum(len(layer[0]) for layer in moves.values()))))

    # backwards: what they are worth
    layers: dict[int, Layer] = {}
    for done, total in enumerate(sorted(moves, reverse=True), start=1):
        boards, after, points, distinct = moves[total]
        worth = table.expected(layers, total, distinct)
        value = table.valued(after, points, np.searchsorted(distinct, after), worth, worth)
        layers[total] = Layer(boards, value, distinct, worth)
        line = say("{count} {count:board|boards} with the sum {total}", count=number(len(boards)), total=total)
        report(done / len(moves), line)
    return Solution(table.start(layers), layers)


def _values(layers: dict[int, Layer], total: int, boards: Boards) -> NDArray[np.float64]:
    layer = layers[total]
    return layer.value[np.searchsorted(layer.boards, boards)]
