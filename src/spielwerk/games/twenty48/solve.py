"""spielwerk solve 2048: small boards exactly, by working backwards over all boards that can occur.

Every move leaves the sum of all tiles as it is and every new tile adds 2 or 4, so the boards form layers by their sum,
and the value of a board depends on later layers only. The value is the points still to come under best play.

Question: nothing for the start, or a board such as `2 4/8 .`. The 2x2 board has 662 positions,
2x3 has 85,844 (both take a second), 2x4 has 19,920,382 (a minute and 3 GB); larger ones are not offered.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel import specialise
from spielwerk.games.twenty48 import kernel_solve as solving
from spielwerk.games.twenty48.game import Twenty48

Report = Callable[[float, str], None]
Boards = NDArray[np.uint64]

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
            raise SpielwerkError("2048: this board cannot occur")
        return float(layer.value[place])

    def worth(self, board: int) -> float:
        """The points to come from a board on which a new tile is to appear."""
        layer = self.layers[tile_sum(board)]
        return float(layer.worth[int(np.searchsorted(layer.after, np.uint64(board)))])


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
    board = int(position.state["board"][0])
    found["expected points to come"] = round(solution.value(board), 6)
    for action in position.legal(0):
        moved = position.copy().apply(action)
        worth = moved.score[0] - position.score[0] + solution.worth(int(moved.state["board"][0]))
        found[game.spec.moves[action]] = round(worth, 6)
    return found


def solved(game: Game, report: Report = lambda done, line: None) -> Solution:
    width, height = (int(number) for number in game.options)
    if width * height > MOST_CELLS:
        raise SpielwerkError(
            f"2048: {width}x{height} is too large to be solved; boards with up to {MOST_CELLS} cells can be, "
            f"for example --variant 2x3 or --variant width=4,height=2"
        )
    return _solved(width, height, report)


@lru_cache(maxsize=4)
def _solved(width: int, height: int, report: Report) -> Solution:
    game = Twenty48(variant=f"width={width},height={height}")
    empty = game.opening().state
    slide = specialise(solving.slide_all, game)
    spawn = specialise(solving.spawn_all, game)
    value_layer = specialise(solving.value_layer, game)

    def spawned(after: Boards) -> tuple[Boards, Boards, NDArray[np.int64]]:
        room = len(after) * width * height
        twos, fours, owner = np.zeros(room, np.uint64), np.zeros(room, np.uint64), np.zeros(room, np.int64)
        count = spawn(empty, after, twos, fours, owner)
        return twos[:count], fours[:count], owner[:count]

    def expected(layers: dict[int, Layer], total: int, after: Boards) -> NDArray[np.float64]:
        """The mean value after a new tile, for boards with the same sum."""
        twos, fours, owner = spawned(after)
        later = 0.9 * _values(layers, total + 2, twos) + 0.1 * _values(layers, total + 4, fours)
        return np.bincount(owner, later, len(after)) / np.bincount(owner, minlength=len(after))

    # forwards: which boards can occur
    first_twos, first_fours, _ = spawned(np.zeros(1, np.uint64))
    found: dict[int, list[Boards]] = {}
    for first in (first_twos, first_fours):
        for extra, boards in zip((2, 4), spawned(first)[:2], strict=True):
            found.setdefault(tile_sum(int(first[0])) + extra, []).append(boards)
    moves: dict[int, tuple[Boards, Boards, NDArray[np.int64], Boards]] = {}
    while found:
        total = min(found)
        boards = np.unique(np.concatenate(found.pop(total)))
        after, points = np.zeros((len(boards), 4), np.uint64), np.zeros((len(boards), 4), np.int64)
        slide(empty, boards, after, points)
        distinct = np.unique(after[points >= 0])
        moves[total] = boards, after, points, distinct
        if len(distinct):
            for extra, fresh in zip((2, 4), spawned(distinct)[:2], strict=True):
                found.setdefault(total + extra, []).append(np.unique(fresh))
        report(0.0, f"{sum(len(layer[0]) for layer in moves.values()):,} boards")

    # backwards: what they are worth
    layers: dict[int, Layer] = {}
    for number, total in enumerate(sorted(moves, reverse=True)):
        boards, after, points, distinct = moves[total]
        worth = expected(layers, total, distinct) if len(distinct) else np.zeros(0)
        value = np.zeros(len(boards))
        value_layer(after, points, np.searchsorted(distinct, after), worth, value)
        layers[total] = Layer(boards, value, distinct, worth)
        report((number + 1) / len(moves), f"{len(boards):,} boards with the sum {total}")

    twos, fours = (expected(layers, total, first).mean() for total, first in ((2, first_twos), (4, first_fours)))
    start = float(0.9 * twos + 0.1 * fours)
    return Solution(start, layers)


def _values(layers: dict[int, Layer], total: int, boards: Boards) -> NDArray[np.float64]:
    layer = layers[total]
    return layer.value[np.searchsorted(layer.boards, boards)]
