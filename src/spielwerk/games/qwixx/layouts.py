"""Sheets as data: which number and which colour every cell has. A new sheet is one more entry of LAYOUTS.

A row is a list of eleven (colour, number) cells from left to right and a lock, which closes the colour of the last
cell. Every row holds every number from 2 to 12 once, and a number has a different colour in each row: so a coloured
die and a white die always name exactly one cell.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ROWS, CELLS = 4, 11
COLOURS = ("red", "yellow", "green", "blue")
UP = tuple(range(2, 13))
DOWN = tuple(range(12, 1, -1))


class SheetLayout(NamedTuple):
    name: str
    numbers: tuple[tuple[int, ...], ...]  # [row][position]
    colours: tuple[tuple[int, ...], ...]  # [row][position], 0 red … 3 blue


def _plain(colour: int) -> tuple[int, ...]:
    return (colour,) * CELLS


def _striped(row: int) -> tuple[int, ...]:
    """Bands of colour that move on by one colour from row to row; first and last cell have the row's own colour."""
    order = UP if row < 2 else DOWN
    return tuple((row + (number - 3) // 2) % ROWS if 2 < number < 11 else row for number in order)


LAYOUTS = (
    SheetLayout("pad", (UP, UP, DOWN, DOWN), tuple(_plain(row) for row in range(ROWS))),
    SheetLayout(  # our own, in the manner of the published sheets with shuffled numbers
        "shuffled",
        (
            (6, 9, 3, 11, 7, 2, 10, 5, 8, 4, 12),
            (8, 4, 12, 5, 10, 7, 3, 9, 2, 6, 11),
            (5, 10, 7, 2, 9, 12, 6, 3, 11, 8, 4),
            (9, 6, 11, 8, 3, 5, 12, 7, 4, 10, 2),
        ),
        tuple(_plain(row) for row in range(ROWS)),
    ),
    SheetLayout("striped", (UP, UP, DOWN, DOWN), tuple(_striped(row) for row in range(ROWS))),  # our own too
)


def _positions() -> NDArray[np.int8]:
    """[layout, row, number] -> the position of the number."""
    table = np.full((len(LAYOUTS), ROWS, 13), -1, np.int8)
    for number_of, layout in enumerate(LAYOUTS):
        for row in range(ROWS):
            for position, number in enumerate(layout.numbers[row]):
                table[number_of, row, number] = position
    return table


def _rows() -> NDArray[np.int8]:
    """[layout, colour, number] -> the row in which the number has that colour."""
    table = np.full((len(LAYOUTS), len(COLOURS), 13), -1, np.int8)
    for number_of, layout in enumerate(LAYOUTS):
        for row in range(ROWS):
            for number, colour in zip(layout.numbers[row], layout.colours[row], strict=True):
                table[number_of, colour, number] = row
    return table


POSITION = _positions()
ROW = _rows()
