"""Filled sheets for the upper bound of a match alone, compiled: which can be filled at all, and what they are worth at
given prices of marks (see relaxation.py).

A profile is what counts of a filled sheet: a class of yellow sets and one of blue sets (equal in points, bonuses and
number of cells), and how many cells are filled in green, orange and purple. Every mark is a die of the 24 picks, a
bonus or a +1, so a profile must earn as many bonuses and +1 as it has cells beyond 24.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.linker import kernel, outlined
from spielwerk.games.clever.kernel.relaxation import (
    BONUS,
    IN_BLUE,
    IN_GREEN,
    IN_ORANGE,
    IN_PURPLE,
    IN_YELLOW,
    KINDS,
    NEVER,
)
from spielwerk.games.clever.sheets import (
    BLUE_X,
    GREEN_LOWEST,
    GREEN_X,
    ORANGE_4,
    ORANGE_6,
    ORANGE_FACTORS,
    PURPLE_6,
    ROW,
    YELLOW_X,
)

PICKS = 24  # regular marks of a match: six turns with three picks, six trays
LENGTHS = ROW + 1
FIRST_YELLOW, FIRST_BLUE, FIRST_GREEN = BONUS, BONUS + BLUE_X - YELLOW_X, BONUS + GREEN_X - YELLOW_X  # the X
FOUR_IN_ORANGE, SIX_IN_ORANGE = BONUS + ORANGE_4 - YELLOW_X, BONUS + ORANGE_6 - YELLOW_X
SIX_IN_PURPLE = BONUS + PURPLE_6 - YELLOW_X


class Part(NamedTuple):
    """An area in all ways in which it can be filled: classes of sets in a grid, lengths of a row."""

    points: NDArray[np.int64]  # at most
    net: NDArray[np.int64]  # bonus marks and +1 less cells
    foxes: NDArray[np.int64]
    rerolls: NDArray[np.int64]
    brings: NDArray[np.int64]  # [ways, KINDS] bonus marks and +1
    low: NDArray[np.int64]  # points that a full 6 in orange loses by its 4 or 5
    values: NDArray[np.float64]  # at the prices: bonuses less costs; of orange and purple with points
    chosen: NDArray[np.int64]  # the set that is cheapest


class Grid(NamedTuple):
    """The sets of a grid."""

    classes: NDArray[np.int64]  # [sets] of each set
    cells: NDArray[np.int64]  # [cells] what is printed


class Profiles(NamedTuple):
    """Columns; the first `count` rows are used."""

    ways: NDArray[np.int64]  # [n, 5] by area: yellow, blue, green, orange, purple
    base: NDArray[np.int64]  # [n] points of yellow, blue, green and foxes
    most: NDArray[np.int64]  # [n] points if all numbers are as high as can be
    rerolls: NDArray[np.int64]  # [n] that it earns


@outlined
def list_profiles(parts, spare, rerolls, at_least, out):
    """All profiles with `at_least` so many points that can be filled with the marks there are; `spare` are those that
    the rounds bring. Returns how many; those beyond the room of `out` are only counted."""
    yellow, blue, green, orange, purple = parts
    count = 0
    for y in range(yellow.points.shape[0]):
        for b in range(blue.points.shape[0]):
            for g in range(LENGTHS):
                net = PICKS + spare + yellow.net[y] + blue.net[b] + green.net[g]
                low = yellow.low[y] + blue.low[b]
                points = yellow.points[y] + blue.points[b] + green.points[g]
                lowest = min(yellow.points[y], blue.points[b], green.points[g])
                foxes = yellow.foxes[y] + blue.foxes[b] + green.foxes[g]
                foxes_left = orange.foxes[ROW] + purple.foxes[ROW]
                if points + (foxes + foxes_left) * lowest + orange.points[ROW] + purple.points[ROW] < at_least:
                    continue
                for o in range(LENGTHS):
                    orange_points = orange.points[o] - (low if o < ROW else 0)
                    for p in range(LENGTHS):
                        if net + orange.net[o] + purple.net[p] < 0:
                            continue
                        least = min(lowest, orange_points, purple.points[p])
                        base = points + (foxes + orange.foxes[o] + purple.foxes[p]) * least
                        most = base + orange_points + purple.points[p]
                        if most < at_least:
                            continue
                        if count < out.base.shape[0]:
                            out.ways[count, 0], out.ways[count, 1], out.ways[count, 2] = y, b, g
                            out.ways[count, 3], out.ways[count, 4] = o, p
                            out.base[count], out.most[count] = base, most
                            earned = yellow.rerolls[y] + blue.rerolls[b] + green.rerolls[g]
                            out.rerolls[count] = rerolls + earned + orange.rerolls[o] + purple.rerolls[p]
                        count += 1
    return count


# --- what areas are worth ---------------------------------------------------------------------------------------------


@kernel
def income(part, way, prices):
    total = 0.0
    for kind in range(KINDS):
        total += part.brings[way, kind] * prices[kind]
    return total


@outlined
def value_grid(part, grid, first, cross, prices):
    """Every cell by a die with its number or by an X, whatever is cheaper; by class the cheapest set."""
    for way in range(part.values.shape[0]):
        part.values[way] = NEVER
    for crossed in range(grid.classes.shape[0]):
        cost = 0.0
        for cell in range(grid.cells.shape[0]):
            if (crossed >> cell) & 1:
                cost += min(prices[first + grid.cells[cell]], prices[cross])
        way = grid.classes[crossed]
        if -cost > part.values[way]:
            part.values[way] = -cost
            part.chosen[way] = crossed
    for way in range(part.values.shape[0]):
        part.values[way] += income(part, way, prices)


@kernel
def value_green(part, sheet, prices):
    cost = 0.0
    for length in range(LENGTHS):
        if length > 0:
            cost += min(prices[IN_GREEN + GREEN_LOWEST[sheet, length - 1] - 1], prices[FIRST_GREEN])
        part.values[length] = income(part, length, prices) - cost


@kernel
def orange_kind(factor, prices):
    """The mark in orange that leaves most."""
    best = IN_ORANGE
    for number in range(2, 7):
        kind = IN_ORANGE + number - 1
        if factor * number - prices[kind] > orange_gain(best, factor, prices):
            best = kind
    for bonus in range(FOUR_IN_ORANGE, SIX_IN_ORANGE + 1):
        if orange_gain(bonus, factor, prices) > orange_gain(best, factor, prices):
            best = bonus
    return best


@kernel
def orange_gain(kind, factor, prices):
    number = kind - IN_ORANGE + 1 if kind < FOUR_IN_ORANGE else 4 + kind - FOUR_IN_ORANGE
    return factor * number - prices[kind]


@kernel
def value_orange(part, sheet, prices):
    total = 0.0
    for length in range(LENGTHS):
        if length > 0:
            factor = np.int64(ORANGE_FACTORS[sheet, length - 1])
            total += orange_gain(orange_kind(factor, prices), factor, prices)
        part.values[length] = income(part, length, prices) + total


@kernel
def purple_gain(number, prices):
    """A 6 is a die or a bonus."""
    if number == 6:
        return 6.0 - min(prices[IN_PURPLE + 5], prices[SIX_IN_PURPLE])
    return number - prices[IN_PURPLE + number - 1]


@outlined
def value_purple(part, prices, chain, before):
    """By length and last number: numbers rise, and may begin again after a 6. before[length, last] = the last but one."""
    for last in range(7):
        chain[0, last] = 0.0 if last == 6 else NEVER
    part.values[0] = income(part, 0, prices)
    for length in range(1, LENGTHS):
        best = NEVER
        for last in range(1, 7):
            chain[length, last] = NEVER
            for old in range(1, 7):
                total = chain[length - 1, old] + purple_gain(last, prices)
                if (old == 6 or old < last) and total > chain[length, last]:
                    chain[length, last] = total
                    before[length, last] = old
            best = max(best, chain[length, last])
        part.values[length] = income(part, length, prices) + best


# --- the marks of a profile -------------------------------------------------------------------------------------------


@outlined
def count_demand(ways, parts, yellow_grid, blue_grid, sheet, prices, chain, before, surplus):
    """Add to the surplus what a profile brings, and take away what it needs."""
    yellow, blue, green, orange, purple = parts
    count_income(yellow, ways[0], surplus)
    count_income(blue, ways[1], surplus)
    count_income(green, ways[2], surplus)
    count_income(orange, ways[3], surplus)
    count_income(purple, ways[4], surplus)
    count_grid(yellow.chosen[ways[0]], yellow_grid, IN_YELLOW - 1, FIRST_YELLOW, prices, surplus)
    count_grid(blue.chosen[ways[1]], blue_grid, IN_BLUE - 2, FIRST_BLUE, prices, surplus)
    for cell in range(ways[2]):
        kind = IN_GREEN + np.int64(GREEN_LOWEST[sheet, cell]) - 1
        surplus[kind if prices[kind] < prices[FIRST_GREEN] else FIRST_GREEN] -= 1
    for cell in range(ways[3]):
        surplus[orange_kind(np.int64(ORANGE_FACTORS[sheet, cell]), prices)] -= 1
    length, last = ways[4], 6
    for number in range(1, 7):
        if chain[length, number] > chain[length, last]:
            last = number
    while length > 0:
        kind = IN_PURPLE + last - 1
        surplus[SIX_IN_PURPLE if last == 6 and prices[SIX_IN_PURPLE] < prices[kind] else kind] -= 1
        last = before[length, last]
        length -= 1


@kernel
def count_income(part, way, surplus):
    for kind in range(KINDS):
        surplus[kind] += part.brings[way, kind]


@kernel
def count_grid(crossed, grid, first, cross, prices, surplus):
    for cell in range(grid.cells.shape[0]):
        if (crossed >> cell) & 1:
            kind = first + grid.cells[cell]
            surplus[kind if prices[kind] < prices[cross] else cross] -= 1


@outlined
def value_areas(parts, yellow_grid, blue_grid, sheet, prices, chain, before):
    yellow, blue, green, orange, purple = parts
    value_grid(yellow, yellow_grid, IN_YELLOW - 1, FIRST_YELLOW, prices)
    value_grid(blue, blue_grid, IN_BLUE - 2, FIRST_BLUE, prices)
    value_green(green, sheet, prices)
    value_orange(orange, sheet, prices)
    value_purple(purple, prices, chain, before)
