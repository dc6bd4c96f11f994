"""What the tables of a network are, as it is written.

Tuples: a named set of the game, a list of cells, or random ones as in Thill, Koch and Konen (2012). Stages: the values
that must be on the board for each of them.
"""

import re

import numpy as np

from spielwerk.core.agent import whole_number
from spielwerk.core.errors import SpielwerkError, UnknownName
from spielwerk.core.grid import Grid, Tuples
from spielwerk.core.kernel.rng import Rng, below, spawn
from spielwerk.learn.words import say

LARGEST = 9  # cells of a tuple
WHOLE_BOARD = 6  # cells of a board that one tuple sees as a whole, if nothing else is said

Stages = tuple[tuple[int, ...], ...]


def tuples_of(text: str, grid: Grid, seed: int) -> Tuples:
    """The tuples written as `4x6` (a set that the game names), `0.1.2+4.5.6` (cells), `walk.20x3` or `points.20x3`
    (twenty random tuples of three cells), `lines` (rows, columns and squares) or `whole` (one tuple of all cells).

    `auto` is the first set that the game names, else `whole` on a small board and `lines` on a larger one.
    """
    if text == "auto":
        text = next(iter(grid.tuple_sets), "whole" if grid.cells <= WHOLE_BOARD else "lines")
    if text in grid.tuple_sets:
        return grid.tuple_sets[text]
    if text == "lines":
        return lines(grid)
    if text == "whole":
        if grid.cells > LARGEST:
            phrase = "'whole': one tuple sees at most {most} cells, not {cells}; write 'lines'"
            raise SpielwerkError(say(phrase, most=LARGEST, cells=grid.cells))
        return (tuple(range(grid.cells)),)
    drawn = re.fullmatch(r"(walk|points)\.(\d+)x(\d+)", text)
    if drawn:
        count, size = int(drawn[2]), int(drawn[3])
        if not 1 <= count <= 100 or not 1 <= size <= min(LARGEST, grid.cells):
            phrase = "'{text}': between 1 and 100 tuples of 1 to {most} cells are possible"
            raise SpielwerkError(say(phrase, text=text, most=min(LARGEST, grid.cells)))
        rng = spawn(seed, 2048)
        draw = random_walk if drawn[1] == "walk" else random_points
        with np.errstate(over="ignore"):  # 64-bit arithmetic that wraps around on purpose
            return tuple(draw(grid, size, rng) for _ in range(count))
    if re.fullmatch(r"\d+(\.\d+)*(\+\d+(\.\d+)*)*", text):
        chosen = tuple(tuple(int(cell) for cell in part.split(".")) for part in text.split("+"))
        for cells in chosen:
            if len(set(cells)) != len(cells) or max(cells) >= grid.cells or len(cells) > LARGEST:
                phrase = "'{text}': a tuple has up to {most} different cells from 0 to {last}"
                raise SpielwerkError(say(phrase, text=text, most=LARGEST, last=grid.cells - 1))
        return chosen
    known = [*grid.tuple_sets, "lines", "whole", "walk.20x3", "points.20x3", "0.1.2+4.5.6"]
    raise UnknownName(say("set of tuples"), text, known)


def stages_of(text: str, grid: Grid) -> Stages:
    """The values that begin each stage after the first, written as `14/14+13`; `none` = there is only one stage."""
    stages: list[tuple[int, ...]] = []
    for part in () if text == "none" else text.split("/"):
        values = [whole_number(value) for value in part.split("+")]
        if any(value is None or value >= grid.values for value in values):
            phrase = "ntuple: stages={stages}: write values below {values}, e.g. 14/14+13"
            raise SpielwerkError(say(phrase, stages=text, values=grid.values))
        stages.append(tuple(value for value in values if value is not None))
        if len(set(stages[-1])) < len(stages[-1]):
            raise SpielwerkError(say("ntuple: stages={stages}: a stage names a value once, e.g. 14+13", stages=text))
    sets = [sum(1 << value for value in values) for values in stages]
    if sets != sorted(set(sets)):
        raise SpielwerkError(say("ntuple: stages={stages}: write them ascending, e.g. 13/13+12/14", stages=text))
    return tuple(stages)


def lines(grid: Grid) -> Tuples:
    """Rows, columns and squares of four, one of each kind that is the same by symmetry: enough for small boards."""
    width, cells = grid.columns, range(grid.cells)
    rows = [tuple(range(row * width, (row + 1) * width)) for row in range(grid.rows)]
    columns = [tuple(range(column, grid.cells, width)) for column in range(width)]
    squares = [
        (cell, cell + 1, cell + width, cell + width + 1)
        for cell in cells
        if cell % width < width - 1 and cell + width < grid.cells
    ]
    kinds = (
        min(tuple(sorted(turn[cell] for cell in line)) for turn in grid.symmetries) for line in rows + columns + squares
    )
    return tuple(dict.fromkeys(kinds))


def random_points(grid: Grid, size: int, rng: Rng) -> tuple[int, ...]:
    """Any cells."""
    left = list(range(grid.cells))
    return tuple(sorted(left.pop(int(below(rng, len(left)))) for _ in range(size)))


def random_walk(grid: Grid, size: int, rng: Rng) -> tuple[int, ...]:
    """A first cell, then always a neighbour of the one before; a walk that cannot go on begins anew."""
    while True:
        walk = [int(below(rng, grid.cells))]
        while len(walk) < size:
            ways = [cell for cell in grid.neighbours(walk[-1]) if cell not in walk]
            if not ways:
                break
            walk.append(ways[int(below(rng, len(ways)))])
        if len(walk) == size:
            return tuple(sorted(walk))
