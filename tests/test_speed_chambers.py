"""How many cells of a space can be driven at most: drawn rooms, and all ways tried out in small ones."""

import random

import numpy as np
import pytest

from spielwerk.core import registry
from spielwerk.core.linker import kernel
from spielwerk.games.speed.kernel.rules import STEP_X, STEP_Y
from spielwerk.games.speed.players.kernel.bits import WORDS, put
from spielwerk.games.speed.players.kernel.chambers import drivable, new_chambers


@kernel
def put_at(room, x, y):
    put(room, x, y)


@kernel
def drivable_at(room, height, x, y, chambers):
    return drivable(room, height, x, y, chambers)


def bound(free, height, x, y, chambers=None):
    game = registry.game("speed", 2)
    room = np.zeros(WORDS, np.uint64)
    for cell in free:
        game.call(put_at, room, *cell)
    return game.call(drivable_at, room, height, x, y, chambers or new_chambers())


def drawn(*rows):
    """Free cells (.) and the driver (o)."""
    cells = {(x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}
    (x, y) = next(cell for cell, mark in cells.items() if mark == "o")
    return {cell for cell, mark in cells.items() if mark == "."}, len(rows), x, y


def neighbours(cell, free):
    return [near for dx, dy in zip(STEP_X, STEP_Y, strict=True) if (near := (cell[0] + dx, cell[1] + dy)) in free]


def longest_way(cell, free):
    ways = [1 + longest_way(near, free - {near}) for near in neighbours(cell, free)]
    return max(ways, default=0)


def reached(cell, free):
    seen, last = {cell}, [cell]
    while last:
        last = [near for here in last for near in set(neighbours(here, free - seen))]
        seen |= set(last)
    return len(seen) - 1


@pytest.mark.parametrize(
    ("rows", "most"),
    [
        (("o....",), 4),
        (("..o....",), 4),  # one of two ways
        (("o..", "...", "..."), 8),  # all of it
        ((".o.", "...", "..."), 7),  # five of one colour, but the way begins on the other: 2 * 3 + 1
        (("#.#", "#o#", "#.#"), 1),
        (("....#....", "o........", "....#...."), 24),  # both chambers and the door
        (("..#...", "o#....", "..#..."), 2),  # what is behind a wall does not count
    ],
)
def test_the_best_chain_of_chambers_counts(rows, most):
    assert bound(*drawn(*rows)) == most


def test_a_room_of_one_colour_more_is_not_all_driven():
    """Nothing but every second cell of the last row is left: teeth of a comb."""
    free, height, x, y = drawn("o.....", ".#.#.#")
    assert bound(free, height, x, y) == longest_way((x, y), free) == 5


def test_no_way_is_longer_and_no_bound_is_larger_than_the_space():
    chambers, ways, bounds, spaces = new_chambers(), 0, 0, 0
    for seed in range(150):
        choose = random.Random(seed)
        width, height = choose.choice([(5, 5), (6, 4), (8, 3)])
        free = {(x, y) for x in range(width) for y in range(height) if choose.random() < 0.75}
        cell = choose.randrange(width), choose.randrange(height)
        free.discard(cell)
        way, most, space = longest_way(cell, free), bound(free, height, *cell, chambers), reached(cell, free)
        assert way <= most <= space
        ways, bounds, spaces = ways + way, bounds + most, spaces + space
    assert bounds - ways < (spaces - ways) / 3  # nearer to the longest way than the size of the space is


def test_rows_beyond_the_first_word_belong_to_the_room():
    free = {(x, y) for x in range(60, 80) for y in range(80)} - {(62, 40)}
    assert bound(free, 80, 62, 40) == 1599
