"""Sheets as data: what is printed in every cell, what it pays, and which bonus it brings. A new sheet is one more entry
of SHEETS.

A sheet has five areas. Yellow is a grid of 4 x 4 numbers of a die, some of them crossed in print; blue is one of 3 x 4
numbers of two dice. Green, orange and purple are rows that are filled from left to right: green wants a number that is
high enough, orange multiplies it, purple wants it to rise.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

AREAS = ("yellow", "blue", "green", "orange", "purple")
DICE = ("white", *AREAS)
YELLOW, BLUE, GREEN, ORANGE, PURPLE = range(5)
GRID, BLUE_GRID, ROW = 16, 12, 11  # places of yellow and blue, cells of the other areas
MOST_ROUNDS = 6

NONE, REROLL, EXTRA, FOX, YELLOW_X, BLUE_X, GREEN_X, ORANGE_4, ORANGE_5, ORANGE_6, PURPLE_6, BLACK = range(12)
BONUSES = (
    "",
    "re-roll",
    "+1",
    "fox",
    "yellow X",
    "blue X",
    "green X",
    "orange 4",
    "orange 5",
    "orange 6",
    "purple 6",
    "black",  # a free choice: an X in yellow, blue or green, or a 6 in orange or purple
)
MARKS = BLACK - YELLOW_X  # kinds of bonuses that mark a cell, from YELLOW_X on


@dataclass(frozen=True)
class Sheet:
    name: str
    yellow: tuple[int, ...]  # [16] row by row; 0 = crossed in print
    yellow_columns: tuple[int, ...]  # [4] points
    yellow_rows: tuple[int, ...]  # [4] bonuses
    yellow_diagonal: int  # bonus, from the top left to the bottom right
    blue: tuple[int, ...]  # [12] row by row; 0 = no cell
    blue_points: tuple[int, ...]  # [12] by the number of crosses, from none on
    blue_rows: tuple[int, ...]  # [3] bonuses
    blue_columns: tuple[int, ...]  # [4] bonuses
    green: tuple[int, ...]  # [11] lowest numbers
    green_points: tuple[int, ...]  # [12] by the number of crosses, from none on
    green_bonuses: tuple[int, ...]  # [11]
    orange: tuple[int, ...]  # [11] factors
    orange_bonuses: tuple[int, ...]  # [11]
    purple_bonuses: tuple[int, ...]  # [11]
    rounds: tuple[int, ...]  # [6] bonuses at the beginning of the rounds


PAD = Sheet(
    name="pad",
    yellow=(3, 6, 5, 0, 2, 1, 0, 5, 1, 0, 2, 4, 0, 3, 4, 6),
    yellow_columns=(10, 14, 16, 20),
    yellow_rows=(BLUE_X, ORANGE_4, GREEN_X, FOX),
    yellow_diagonal=EXTRA,
    blue=(0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    blue_points=(0, 1, 2, 4, 7, 11, 16, 22, 29, 37, 46, 56),
    blue_rows=(ORANGE_5, YELLOW_X, FOX),
    blue_columns=(REROLL, GREEN_X, PURPLE_6, EXTRA),
    green=(1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6),
    green_points=(0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66),
    green_bonuses=(NONE, NONE, NONE, EXTRA, NONE, BLUE_X, FOX, NONE, PURPLE_6, REROLL, NONE),
    orange=(1, 1, 1, 2, 1, 1, 2, 1, 2, 1, 3),
    orange_bonuses=(NONE, NONE, REROLL, NONE, YELLOW_X, EXTRA, NONE, FOX, NONE, PURPLE_6, NONE),
    purple_bonuses=(
        NONE,
        NONE,
        REROLL,
        BLUE_X,
        EXTRA,
        YELLOW_X,
        FOX,
        REROLL,
        GREEN_X,
        ORANGE_6,
        EXTRA,
    ),
    rounds=(REROLL, EXTRA, REROLL, BLACK, NONE, NONE),
)

HARVEST = Sheet(  # our own, in the manner of the published one: other numbers, early bonuses, dear last cells
    name="harvest",
    yellow=(1, 4, 0, 6, 0, 2, 5, 3, 3, 0, 1, 5, 6, 2, 4, 0),
    yellow_columns=(12, 14, 14, 22),
    yellow_rows=(GREEN_X, PURPLE_6, BLUE_X, FOX),
    yellow_diagonal=REROLL,
    blue=(7, 4, 10, 0, 2, 12, 5, 9, 8, 6, 3, 11),
    blue_points=(0, 2, 4, 6, 9, 13, 18, 24, 30, 37, 45, 54),
    blue_rows=(YELLOW_X, FOX, ORANGE_5),
    blue_columns=(EXTRA, PURPLE_6, GREEN_X, REROLL),
    green=(2, 1, 3, 2, 4, 3, 5, 1, 4, 6, 5),
    green_points=(0, 1, 3, 6, 10, 15, 20, 26, 34, 44, 54, 66),
    green_bonuses=(NONE, REROLL, NONE, NONE, YELLOW_X, NONE, EXTRA, FOX, NONE, ORANGE_6, NONE),
    orange=(1, 2, 1, 1, 1, 2, 1, 1, 3, 1, 2),
    orange_bonuses=(NONE, NONE, EXTRA, BLUE_X, NONE, REROLL, FOX, NONE, NONE, GREEN_X, NONE),
    purple_bonuses=(NONE, EXTRA, NONE, YELLOW_X, REROLL, NONE, ORANGE_4, FOX, BLUE_X, REROLL, EXTRA),
    rounds=(EXTRA, REROLL, EXTRA, BLACK, NONE, NONE),
)

SHEETS = (PAD, HARVEST)


def _table(field: str) -> NDArray[np.int8]:
    return np.array([getattr(sheet, field) for sheet in SHEETS], np.int8)


def _places(grid: str, numbers: int) -> NDArray[np.int8]:
    """[sheet, number, which] -> a place in the grid with that number, -1 = no other."""
    table = np.full((len(SHEETS), numbers, 2), -1, np.int8)
    for sheet, described in enumerate(SHEETS):
        for number in range(1, numbers):
            found = [place for place, printed in enumerate(getattr(described, grid)) if printed == number]
            table[sheet, number, : len(found)] = found
    return table


def _printed(grid: str) -> NDArray[np.uint16]:
    """[sheet] -> the places that count as crossed from the beginning, as a bit set."""
    return np.array(
        [sum(1 << place for place, printed in enumerate(getattr(sheet, grid)) if printed == 0) for sheet in SHEETS],
        np.uint16,
    )


YELLOW_PLACES = _places("yellow", 7)
BLUE_PLACES = _places("blue", 13)
YELLOW_PRINTED = _printed("yellow")
BLUE_PRINTED = _printed("blue")
YELLOW_COLUMNS = _table("yellow_columns")
YELLOW_ROWS = _table("yellow_rows")
YELLOW_DIAGONAL = _table("yellow_diagonal")
BLUE_POINTS = _table("blue_points")
BLUE_ROWS = _table("blue_rows")
BLUE_COLUMNS = _table("blue_columns")
GREEN_LOWEST = _table("green")
GREEN_POINTS = _table("green_points")
GREEN_BONUSES = _table("green_bonuses")
ORANGE_FACTORS = _table("orange")
ORANGE_BONUSES = _table("orange_bonuses")
PURPLE_BONUSES = _table("purple_bonuses")
ROUND_BONUSES = _table("rounds")
