"""Grid: the board of a game as an n-tuple network sees it, cells that hold small numbers.

Cells are numbered row by row from the upper left. A game with a board declares its grid (`Game.grid`) and supplies
`cells` of the contract; a learner then knows geometry and values, but no rules.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Tuples = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Grid:
    """Geometry and values of a board, and optionally quicker ways to look at it than cell by cell."""

    rows: int
    columns: int
    values: int  # a cell holds 0 … values - 1
    symmetries: Tuples  # symmetries[k][cell] = the cell that is seen in its place; the first is the identity
    tuple_sets: Mapping[str, Tuples] = field(default_factory=dict)  # proven sets of tuples by name

    # quicker ways, all or none of them; what they do is said in search.ntuple
    plan: Callable[[Tuples], NDArray[np.int64]] | None = None
    indices: Callable[..., Any] | None = None
    total: Callable[..., Any] | None = None
    present: Callable[..., Any] | None = None

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    def unturned(self) -> "Grid":
        """The same board, seen from one side only (the quicker ways look at it from all sides)."""
        return Grid(self.rows, self.columns, self.values, self.symmetries[:1], self.tuple_sets)

    def neighbours(self, cell: int) -> tuple[int, ...]:
        """The cells that share an edge with `cell`."""
        row, column = divmod(cell, self.columns)
        around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
        return tuple(r * self.columns + c for r, c in around if 0 <= r < self.rows and 0 <= c < self.columns)


def symmetries_of(rows: int, columns: int) -> Tuples:
    """The symmetries of a board without marks: eight if it is square, else four."""
    board = np.arange(rows * columns).reshape(rows, columns)
    seen: dict[tuple[int, ...], None] = {}
    for turned in (np.rot90(board, quarter) for quarter in range(4)):
        for image in (turned, turned[:, ::-1]):
            if image.shape == board.shape:
                seen[tuple(int(cell) for cell in image.ravel())] = None
    return tuple(seen)
