"""How many points are possible alone: for any dice by counting marks, and for the dice of one seed by a relaxation.

*By counting*: every mark is one of 24 picks, a bonus or a +1. All ways to fill a sheet are listed that earn as many
bonuses and +1 as they need (profiles); the best has all dice as high as can be.

*By the dice of a seed*: for the profiles that could have more points than a match that is known, prices of marks are
looked for that prove as little as possible (kernel/relaxation.py). At these prices the points of every state of a match
are bounded, too: they guide the search of a player who knows all dice to come (see clairvoyant.py).

A profile is what counts of a filled sheet: a class of yellow sets and one of blue sets (equal in points, bonuses and
number of cells), and how many cells are filled in green, orange and purple.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import alone, interpreted_everywhere
from spielwerk.games.clever.kernel.guide import COLUMNS, GUIDE
from spielwerk.games.clever.kernel.relaxation import (
    ADD,
    BONUS,
    IN_BLUE,
    IN_GREEN,
    IN_ORANGE,
    IN_PURPLE,
    IN_YELLOW,
    KINDS,
    MOST_REROLLS,
    PLAN,
    TURNS,
    count_supply,
    read_dice,
    value_match,
)
from spielwerk.games.clever.sheets import (
    BLACK,
    BLUE_X,
    EXTRA,
    FOX,
    GREEN_X,
    ORANGE_4,
    ORANGE_5,
    ORANGE_6,
    PURPLE_6,
    REROLL,
    ROW,
    SHEETS,
    YELLOW_X,
    Sheet,
)

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

PICKS = 4 * TURNS  # regular marks of a match: three picks of a turn, and one from the tray
LENGTHS = ROW + 1
LOST = {ORANGE_4: 2, ORANGE_5: 1}  # points that a 4 or a 5 has less than a 6
PURPLE_SIXES = [IN_PURPLE + 5, BONUS + PURPLE_6 - YELLOW_X]
ORANGE_KINDS = [*range(IN_ORANGE, IN_ORANGE + 6), *range(BONUS + ORANGE_4 - YELLOW_X, BONUS + ORANGE_6 - YELLOW_X + 1)]
ORANGE_NUMBERS = np.array([1, 2, 3, 4, 5, 6, 4, 5, 6])


def kind_of(bonus: int) -> int:
    """The kind of mark that a bonus makes."""
    return ADD if bonus == EXTRA else BONUS + bonus - YELLOW_X


FREE_KINDS = [kind_of(bonus) for bonus in (YELLOW_X, BLUE_X, GREEN_X, ORANGE_6, PURPLE_6)]

# --- areas ------------------------------------------------------------------------------------------------------------


class Ways(NamedTuple):
    """An area in all ways in which it can be filled: classes of sets in a grid, lengths of a row."""

    points: Integers  # at most
    cells: Integers
    foxes: Integers
    rerolls: Integers
    brings: Integers  # [ways, KINDS] bonus marks and +1
    low: Integers  # points that orange loses by a 4 or a 5

    @property
    def net(self) -> Integers:
        """Bonus marks and +1 less cells."""
        found: Integers = self.brings.sum(axis=1) - self.cells
        return found


def _ways(listed: list[tuple[int, int, tuple[int, ...]]]) -> Ways:
    """An area by its ways: points, cells, bonuses."""
    brings = np.zeros((len(listed), KINDS), np.int64)
    for way, (_, _, bonuses) in enumerate(listed):
        for bonus in bonuses:
            if bonus == EXTRA or bonus >= YELLOW_X:
                brings[way, kind_of(bonus)] += 1
    return Ways(
        points=np.array([points for points, _, _ in listed]),
        cells=np.array([cells for _, cells, _ in listed]),
        foxes=np.array([bonuses.count(FOX) for _, _, bonuses in listed]),
        rerolls=np.array([bonuses.count(REROLL) for _, _, bonuses in listed]),
        brings=brings,
        low=np.array([sum(LOST.get(bonus, 0) for bonus in bonuses) for _, _, bonuses in listed]),
    )


class Grid:
    """Yellow or blue: all sets of cells, and their classes."""

    def __init__(self, printed: tuple[int, ...], first: int, cross: int, points: Any, lines: Any) -> None:
        """`points` of a set of places; `lines` are ranges of places with their bonuses."""
        cells = [place for place, number in enumerate(printed) if number]
        before = sum(1 << place for place, number in enumerate(printed) if number == 0)
        self.kinds = np.array([first + printed[place] for place in cells])  # of marks by dice, by cell
        self.cross = cross  # the kind of an X
        self.members = np.arange(1 << len(cells))[:, None] >> np.arange(len(cells)) & 1  # [sets, cells]
        self.places = before + self.members @ (1 << np.array(cells))  # [sets] as a state has it
        listed: dict[tuple[int, int, tuple[int, ...]], int] = {}
        classes = []
        for crossed in self.places.tolist():
            bonuses = tuple(bonus for line, bonus in lines if all(crossed >> place & 1 for place in line))
            key = points(crossed), crossed.bit_count() - before.bit_count(), bonuses
            classes.append(listed.setdefault(key, len(listed)))
        self.ways, self.classes = _ways(list(listed)), np.array(classes)
        self._order = np.argsort(self.classes, kind="stable")
        self._starts = np.searchsorted(self.classes[self._order], np.arange(len(listed)))

    def costs(self, prices: Floats) -> Floats:
        """Of all sets: every cell by a die with its number or by an X, whatever is cheaper."""
        found: Floats = self.members @ np.minimum(prices[self.kinds], prices[self.cross])
        return found

    def values(self, prices: Floats) -> Floats:
        """By class: bonuses less the costs of the cheapest set."""
        found: Floats = self.ways.brings @ prices - np.minimum.reduceat(self.costs(prices)[self._order], self._starts)
        return found

    def demand(self, way: int, prices: Floats) -> Integers:
        """The marks of the cheapest set of a class."""
        sets = np.flatnonzero(self.classes == way)
        chosen = self.members[sets[np.argmin(self.costs(prices)[sets])]]
        kinds = np.where(prices[self.kinds] < prices[self.cross], self.kinds, self.cross)
        return np.bincount(kinds[chosen == 1], minlength=KINDS)


def _yellow(sheet: Sheet) -> Grid:
    columns = [(range(column, 16, 4), pays) for column, pays in enumerate(sheet.yellow_columns)]

    def points(crossed: int) -> int:
        return sum(pays for line, pays in columns if all(crossed >> place & 1 for place in line))

    lines = [(range(4 * row, 4 * row + 4), bonus) for row, bonus in enumerate(sheet.yellow_rows)]
    lines.append((range(0, 16, 5), sheet.yellow_diagonal))
    return Grid(sheet.yellow, IN_YELLOW - 1, kind_of(YELLOW_X), points, lines)


def _blue(sheet: Sheet) -> Grid:
    lines = [(range(4 * row, 4 * row + 4), bonus) for row, bonus in enumerate(sheet.blue_rows)]
    lines += [(range(column, 12, 4), bonus) for column, bonus in enumerate(sheet.blue_columns)]
    return Grid(sheet.blue, IN_BLUE - 2, kind_of(BLUE_X), lambda c: sheet.blue_points[c.bit_count() - 1], lines)


def _row(points: list[int], bonuses: tuple[int, ...]) -> Ways:
    return _ways([(points[length], length, bonuses[:length]) for length in range(LENGTHS)])


# --- profiles ---------------------------------------------------------------------------------------------------------


class Profiles(NamedTuple):
    """Ways to fill a sheet, the best first."""

    ways: Integers  # [n, 5] by area: yellow, blue, green, orange, purple
    base: Integers  # [n] points of yellow, blue, green and foxes, at most
    most: Integers  # [n] points if all numbers are as high as can be
    rerolls: Integers  # [n] that it earns


@dataclass(frozen=True, eq=False)
class Guide:
    """What `judge_prospects` is given: profiles, and what a state can still lead to at good prices."""

    profiles: Integers  # [n, COLUMNS]
    worth: NDArray[np.void]  # [1] of GUIDE
    plan: NDArray[np.void]  # [1] of PLAN


class Relaxation:
    """All ways to fill a sheet, and bounds of their points."""

    def __init__(self, sheet: int = 0) -> None:
        self.sheet, self._made = sheet, SHEETS[sheet]
        made = self._made
        self._yellow, self._blue = _yellow(made), _blue(made)
        self._green = _row(list(made.green_points), made.green_bonuses)
        self._orange = _row([6 * sum(made.orange[:length]) for length in range(LENGTHS)], made.orange_bonuses)
        self._purple = _row([6 * length for length in range(LENGTHS)], made.purple_bonuses)
        self._parts = (self._yellow.ways, self._blue.ways, self._green, self._orange, self._purple)
        self.prices = first_prices()  # the best of the last guide
        self._plan = _records(PLAN)
        self._listed: dict[int, Profiles] = {}

    @property
    def dice(self) -> NDArray[np.void]:
        """[1] what all chance events of the seed bring that was read: `dice` and `trays`."""
        return self._plan[["dice", "trays"]]

    def profiles(self, at_least: int) -> Profiles:
        """All ways to fill the sheet that could have so many points."""
        if at_least not in self._listed:
            self._listed[at_least] = self._profiles(at_least)
        return self._listed[at_least]

    def _profiles(self, at_least: int) -> Profiles:
        yellow, blue, green, orange, purple = self._parts
        rounds = self._made.rounds
        spare = PICKS + rounds.count(EXTRA) + rounds.count(BLACK)
        rows = [axis.ravel() for axis in np.meshgrid(*(np.arange(LENGTHS),) * 3, indexing="ij")]
        g, o, p = rows
        net = spare + green.net[g] + orange.net[o] + purple.net[p]
        foxes = green.foxes[g] + orange.foxes[o] + purple.foxes[p]
        rerolls = rounds.count(REROLL) + green.rerolls[g] + orange.rerolls[o] + purple.rerolls[p]
        lowest = np.minimum(np.minimum(green.points[g], orange.points[o]), purple.points[p])
        ceiling = green.points[g] + orange.points[o] + purple.points[p] + (foxes + 2) * lowest
        found = []
        for first in _alike(yellow):
            for second in _alike(blue):
                y, b = first[0], second[0]
                both = yellow.points[y] + blue.points[b]
                fits = np.flatnonzero((net + yellow.net[y] + blue.net[b] >= 0) & (ceiling + both >= at_least))
                low = np.where(o[fits] < ROW, yellow.low[y] + blue.low[b], 0)
                numbers = orange.points[o[fits]] - low
                least = np.minimum(np.minimum(lowest[fits], numbers), min(yellow.points[y], blue.points[b]))
                base = both + green.points[g[fits]] + (foxes[fits] + yellow.foxes[y] + blue.foxes[b]) * least
                most = base + numbers + purple.points[p[fits]]
                for i in np.flatnonzero(most >= at_least):
                    row = fits[i]
                    earned = rerolls[row] + yellow.rerolls[y] + blue.rerolls[b]
                    rest = g[row], o[row], p[row], base[i], most[i], earned
                    found += [(way, other, *rest) for way in first for other in second]
        table = np.array(found, np.int64).reshape(-1, 8)
        table = table[np.argsort(-table[:, 6], kind="stable")]
        return Profiles(np.ascontiguousarray(table[:, :5]), table[:, 5], table[:, 6], table[:, 7])

    # --- prices -------------------------------------------------------------------------------------------------------

    def read(self, game: Game, seed: int) -> None:
        """Look at what all chance events of a seed bring."""
        game.call(read_dice, game.states(1), spawn(seed, 0)[0], np.empty(1, np.uint64), self._plan)

    def bounds(self, prices: Floats, profiles: Profiles) -> Floats:
        """What these prices prove for the dice that were read: the most points of every profile."""
        alone(value_match)(prices, self._plan)
        values = (
            self._yellow.values(prices),
            self._blue.values(prices),
            self._green_values(prices),
            self._orange_values(prices),
            self._purple.brings @ prices + _numbers_after(prices)[:, 0],
        )
        worth = sum(value[profiles.ways[:, area]] for area, value in enumerate(values))
        rerolls = np.minimum(profiles.rerolls, MOST_REROLLS)
        total: Floats = profiles.base + worth + self._rounds(prices)[0] + self._plan["rest"][0, 0, 0, rerolls]
        return total

    def _green_values(self, prices: Floats) -> Floats:
        return self._green.brings @ prices - _summed(prices[self._green_kinds(prices)])

    def _green_kinds(self, prices: Floats) -> Integers:
        by_die, cross = IN_GREEN - 1 + np.array(self._made.green), kind_of(GREEN_X)
        return np.where(prices[by_die] < prices[cross], by_die, cross)

    def _orange_gains(self, prices: Floats) -> Floats:
        """[cells, kinds of marks] points less costs."""
        gains: Floats = np.outer(self._made.orange, ORANGE_NUMBERS) - prices[ORANGE_KINDS]
        return gains

    def _orange_values(self, prices: Floats) -> Floats:
        return self._orange.brings @ prices + _summed(self._orange_gains(prices).max(axis=1))

    def _rounds(self, prices: Floats) -> Floats:
        """What the rounds still bring, by rounds begun."""
        worth = [
            prices[FREE_KINDS].max() if bonus == BLACK else prices[ADD] if bonus == EXTRA else 0.0
            for bonus in self._made.rounds
        ]
        return np.array([sum(worth[begun:]) for begun in range(len(worth) + 1)])

    def surplus(self, prices: Floats, profiles: Profiles, number: int) -> Integers:
        """After `bounds`: by kind the marks that are left over in the solution for one profile."""
        alone(count_supply)(min(int(profiles.rerolls[number]), MOST_REROLLS), self._plan)
        ways = profiles.ways[number].tolist()
        surplus: Integers = self._plan["supply"][0] + sum(
            part.brings[way] for part, way in zip(self._parts, ways, strict=True)
        )
        surplus[ADD] += self._made.rounds.count(EXTRA)
        surplus[max(FREE_KINDS, key=lambda kind: float(prices[kind]))] += self._made.rounds.count(BLACK)
        surplus -= self._yellow.demand(ways[0], prices) + self._blue.demand(ways[1], prices)
        np.subtract.at(surplus, self._green_kinds(prices)[: ways[2]], 1)
        np.subtract.at(surplus, np.array(ORANGE_KINDS)[self._orange_gains(prices).argmax(axis=1)[: ways[3]]], 1)
        np.subtract.at(surplus, _purple_kinds(prices, ways[4]), 1)
        return surplus

    def guide(self, game: Game, seed: int, known: int, steps: int) -> Guide:
        """What leads a search for more points than are known: the profiles that may have them, at prices that so many
        steps have found."""
        profiles = self.profiles(known + 1)
        self.read(game, seed)
        search = _Search(first_prices())
        for _ in range(steps if len(profiles.base) else 0):
            bounds = self.bounds(search.prices, profiles)
            number = int(np.argmax(bounds))
            search.step(float(bounds[number]), known, self.surplus(search.prices, profiles, number))
        self.prices = prices = search.best
        alone(value_match)(prices, self._plan)
        worth = _records(GUIDE)
        for name, grid in (("yellow", self._yellow), ("blue", self._blue)):
            worth[name][0, grid.places] = (grid.ways.brings @ prices)[grid.classes] - grid.costs(prices)
        rows = self._green_values(prices), self._orange_values(prices), self._purple.brings @ prices
        worth["rows"][0] = np.stack(rows)
        worth["purple"][0] = _numbers_after(prices)
        worth["rounds"][0] = self._rounds(prices)
        worth["owed"][0] = np.append(prices[BONUS:ADD], prices[FREE_KINDS].max())
        return Guide(self._columns(profiles), worth, self._plan)

    def _columns(self, profiles: Profiles) -> Integers:
        """Every pair of sets of every profile."""
        rows = [
            (yellow, blue, *ways[2:], base, rerolls)
            for ways, base, rerolls in zip(profiles.ways.tolist(), profiles.base, profiles.rerolls, strict=True)
            for yellow in self._yellow.places[self._yellow.classes == ways[0]]
            for blue in self._blue.places[self._blue.classes == ways[1]]
        ]
        return np.array(rows, np.int64).reshape(-1, COLUMNS)


def _alike(ways: Ways) -> list[Integers]:
    """The ways of an area that count alike, whatever their bonuses are."""
    columns = np.stack([ways.points, ways.net, ways.foxes, ways.rerolls, ways.low], axis=1)
    _, group = np.unique(columns, axis=0, return_inverse=True)
    return [np.flatnonzero(group.ravel() == number) for number in range(int(group.max()) + 1)]


def _records(layout: np.dtype[np.void]) -> NDArray[np.void]:
    """One record. Plain for compiled code, with names for interpreted."""
    array = np.zeros(1, layout)
    return array.view(np.recarray) if interpreted_everywhere() else array


def _summed(values: Floats) -> Floats:
    """The sums of the first 0, 1, 2, … values."""
    return np.concatenate([[0.0], np.cumsum(values)])


def _purple_gains(prices: Floats) -> Floats:
    """By number: points less costs; a 6 is a die or a bonus."""
    gains: Floats = np.arange(7) - np.append(0.0, prices[IN_PURPLE : IN_PURPLE + 6])
    gains[6] = 6.0 - prices[PURPLE_SIXES].min()
    return gains


def _numbers_after(prices: Floats) -> Floats:
    """[more, last] the best that so many more numbers in purple gain after a last one: they rise, and begin again after
    a 6; 0 = there is none."""
    gains, found = _purple_gains(prices), np.zeros((LENGTHS, 7))
    for more in range(1, LENGTHS):
        total = gains + found[more - 1]
        found[more] = [total[1:].max() if last == 6 else total[last + 1 :].max() for last in range(7)]
    return found


def _purple_kinds(prices: Floats, length: int) -> list[int]:
    """The marks of the best numbers in purple."""
    gains, after, last = _purple_gains(prices), _numbers_after(prices), 0
    kinds = []
    for more in range(length - 1, -1, -1):
        lowest = 1 if last == 6 else last + 1
        last = lowest + int(np.argmax((gains + after[more])[lowest:]))
        kinds.append(min(PURPLE_SIXES, key=lambda kind: float(prices[kind])) if last == 6 else IN_PURPLE + last - 1)
    return kinds


class _Search:
    """Steps against the surplus, as long as Polyak says: as if the bound could be lowered to what is known."""

    def __init__(self, prices: Floats) -> None:
        self.prices, self.best = prices.copy(), prices.copy()
        self._lowest, self._factor, self._idle = math.inf, 1.0, 0

    def step(self, bound: float, known: int, surplus: Integers) -> None:
        if bound < self._lowest - 1e-3:
            self._lowest, self.best, self._idle = bound, self.prices.copy(), 0
        else:
            self._idle += 1
        if self._idle >= 8:
            self._factor, self._idle, self.prices = self._factor / 2, 0, self.best.copy()
            return
        length = float((surplus * surplus).sum())
        if length > 0:
            self.prices = np.maximum(self.prices - self._factor * (bound - known) / length * surplus, 0.0)


def first_prices() -> Floats:
    """Where every search begins: a mark costs about what it brings at the end of a good match."""
    prices = np.full(KINDS, 5.0)
    for number in range(1, 7):
        prices[IN_GREEN + number - 1] = 4.0 + 0.3 * number
        prices[IN_ORANGE + number - 1] = number - 1.0
        prices[IN_PURPLE + number - 1] = number - 1.0
    return prices


@cache
def counting_bound(sheet: int = 0) -> int:
    """The most points that any dice allow, by counting marks."""
    relaxation, at_least = Relaxation(sheet), 350
    while not len(relaxation.profiles(at_least).base):
        at_least -= 50
    return int(relaxation.profiles(at_least).most[0])
