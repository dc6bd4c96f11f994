"""How many points are possible alone: for any dice by counting marks, and for the dice of one seed by a relaxation.

*By counting*: every mark is one of 24 picks, a bonus or a +1. All ways to fill a sheet are listed that earn as many
bonuses and +1 as they need (profiles); the best has all dice as high as can be.

*By the dice of a seed*: for the profiles that could have more points than a match that is known, prices of marks are
looked for that prove as little as possible (kernel/relaxation.py). At these prices the points of every state of a match
are bounded, too: they guide the search of a player who knows all dice to come (see clairvoyant.py).
"""

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import alone
from spielwerk.games.clever.kernel.guide import Guide, set_purple_worth
from spielwerk.games.clever.kernel.profiles import (
    FIRST_BLUE,
    FIRST_YELLOW,
    LENGTHS,
    SIX_IN_PURPLE,
    Grid,
    Part,
    Profiles,
    count_demand,
    list_profiles,
    value_areas,
)
from spielwerk.games.clever.kernel.relaxation import (
    ADD,
    BONUS,
    EVENTS,
    IN_BLUE,
    IN_GREEN,
    IN_ORANGE,
    IN_PURPLE,
    IN_YELLOW,
    KINDS,
    MOST_REROLLS,
    Dice,
    count_supply,
    new_plan,
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
    SHEETS,
    YELLOW_X,
    Sheet,
)

FREE_KINDS = [BONUS + bonus - YELLOW_X for bonus in (YELLOW_X, BLUE_X, GREEN_X, ORANGE_6, PURPLE_6)]
LOST = {ORANGE_4: 2, ORANGE_5: 1}  # points that a 4 or a 5 has less than a 6


# --- sheets as parts --------------------------------------------------------------------------------------------------


def _part(ways: list[tuple[int, int, tuple[int, ...]]]) -> Part:
    """An area by its ways: points, cells, bonuses."""
    brings = np.zeros((len(ways), KINDS), np.int64)
    for way, (_, _, bonuses) in enumerate(ways):
        for bonus in bonuses:
            if bonus >= YELLOW_X:
                brings[way, BONUS + bonus - YELLOW_X] += 1
            elif bonus == EXTRA:
                brings[way, ADD] += 1
    return Part(
        points=np.array([points for points, _, _ in ways]),
        net=brings.sum(axis=1) - np.array([cells for _, cells, _ in ways]),
        foxes=np.array([bonuses.count(FOX) for _, _, bonuses in ways]),
        rerolls=np.array([bonuses.count(REROLL) for _, _, bonuses in ways]),
        brings=brings,
        low=np.array([sum(LOST.get(bonus, 0) for bonus in bonuses) for _, _, bonuses in ways]),
        values=np.zeros(len(ways)),
        chosen=np.zeros(len(ways), np.int64),
    )


def _complete(printed: tuple[int, ...], crossed: int, places: range) -> bool:
    return all(printed[place] == 0 or crossed >> place & 1 for place in places)


def _grid(printed: tuple[int, ...], ways: dict[int, tuple[int, tuple[int, ...]]]) -> tuple[Part, Grid]:
    """A grid by its sets: points and bonuses of each, as bit sets of the cells in their order."""
    kinds: dict[tuple[int, int, tuple[int, ...]], int] = {}
    classes = np.zeros(len(ways), np.int64)
    for crossed, (points, bonuses) in ways.items():
        classes[crossed] = kinds.setdefault((points, crossed.bit_count(), bonuses), len(kinds))
    return _part(list(kinds)), Grid(classes, np.array([number for number in printed if number]))


def _sets(printed: tuple[int, ...]) -> list[int]:
    """All sets of open places, in the order of the bit sets of the cells."""
    places = [place for place, number in enumerate(printed) if number]
    return [
        sum(1 << place for cell, place in enumerate(places) if crossed >> cell & 1)
        for crossed in range(1 << len(places))
    ]


def _yellow(sheet: Sheet) -> tuple[Part, Grid]:
    ways = {}
    for number, crossed in enumerate(_sets(sheet.yellow)):
        lines = [(range(4 * row, 4 * row + 4), bonus) for row, bonus in enumerate(sheet.yellow_rows)]
        lines.append((range(0, 16, 5), sheet.yellow_diagonal))
        bonuses = tuple(bonus for places, bonus in lines if _complete(sheet.yellow, crossed, places))
        columns = enumerate(sheet.yellow_columns)
        points = sum(pays for column, pays in columns if _complete(sheet.yellow, crossed, range(column, 16, 4)))
        ways[number] = points, bonuses
    return _grid(sheet.yellow, ways)


def _blue(sheet: Sheet) -> tuple[Part, Grid]:
    ways = {}
    for number, crossed in enumerate(_sets(sheet.blue)):
        lines = [(range(4 * row, 4 * row + 4), bonus) for row, bonus in enumerate(sheet.blue_rows)]
        lines += [(range(column, 12, 4), bonus) for column, bonus in enumerate(sheet.blue_columns)]
        bonuses = tuple(bonus for places, bonus in lines if _complete(sheet.blue, crossed, places))
        ways[number] = sheet.blue_points[number.bit_count()], bonuses
    return _grid(sheet.blue, ways)


def _row(points: list[int], bonuses: tuple[int, ...]) -> Part:
    return _part([(points[length], length, bonuses[:length]) for length in range(LENGTHS)])


def _places(printed: tuple[int, ...], cells: int) -> int:
    """A set of cells as a state has it: places, with those that are crossed in print."""
    places = [place for place, number in enumerate(printed) if number]
    crossed = sum(1 << place for cell, place in enumerate(places) if cells >> cell & 1)
    return crossed | sum(1 << place for place, number in enumerate(printed) if number == 0)


def _worth(
    printed: tuple[int, ...], part: Part, grid: Grid, first: int, cross: int, prices: NDArray[np.float64]
) -> NDArray[np.float64]:
    """By set of places: the bonuses of a set less what its cells cost."""
    worth = np.zeros(1 << len(printed))
    income = part.brings @ prices
    cost = np.minimum(prices[first + grid.cells], prices[cross])
    for cells, kind in enumerate(grid.classes):
        crossed = [cell for cell in range(len(grid.cells)) if cells >> cell & 1]
        worth[_places(printed, cells)] = income[kind] - cost[crossed].sum()
    return worth


class Relaxation:
    """All ways to fill a sheet, and their bounds."""

    def __init__(self, sheet: int = 0) -> None:
        made = SHEETS[sheet]
        self.sheet = sheet
        yellow, self._yellow = _yellow(made)
        blue, self._blue = _blue(made)
        orange = [6 * sum(made.orange[:length]) for length in range(LENGTHS)]
        self._parts = (
            yellow,
            blue,
            _row(list(made.green_points), made.green_bonuses),
            _row(orange, made.orange_bonuses),
            _row([6 * length for length in range(LENGTHS)], made.purple_bonuses),
        )
        self._added = made.rounds.count(EXTRA)
        self._free = made.rounds.count(BLACK)
        self._rerolls = made.rounds.count(REROLL)
        self._plan = new_plan()
        self._chain, self._before = np.zeros((LENGTHS, 7)), np.zeros((LENGTHS, 7), np.int64)

    def profiles(self, at_least: int) -> Profiles:
        """All ways to fill the sheet that could have so many points, the best first."""
        room = 1000
        while True:
            found = Profiles(
                np.zeros((room, 5), np.int64),
                np.zeros(room, np.int64),
                np.zeros(room, np.int64),
                np.zeros(room, np.int64),
            )
            spare = self._added + self._free
            count = int(alone(list_profiles)(self._parts, spare, self._rerolls, at_least, found))
            if count <= room:
                order = np.argsort(-found.most[:count], kind="stable")
                return Profiles(*(column[order] for column in found))
            room = count

    def dice(self, game: Game, seed: int) -> Dice:
        """What all chance events of a seed bring."""
        dice = Dice(np.zeros((EVENTS, 6), np.int64), np.zeros(EVENTS, np.int64))
        game.call(read_dice, game.states(1), spawn(seed, 0)[0], np.empty(1, np.uint64), dice)
        return dice

    def bounds(self, dice: Dice, prices: NDArray[np.float64], profiles: Profiles) -> NDArray[np.float64]:
        """What these prices prove: the most points of every profile."""
        alone(value_match)(dice, prices, self._plan)
        alone(value_areas)(
            self._parts, self._yellow, self._blue, self.sheet, prices, self._chain, self._before
        )
        worth = sum(part.values[profiles.ways[:, area]] for area, part in enumerate(self._parts))
        rounds = self._added * prices[ADD] + self._free * prices[FREE_KINDS].max()
        rerolls = np.minimum(profiles.rerolls, MOST_REROLLS)
        total: NDArray[np.float64] = profiles.base + worth + rounds + self._plan.rest[0, 0, rerolls]
        return total

    def surplus(self, dice: Dice, prices: NDArray[np.float64], profiles: Profiles, number: int) -> NDArray[np.int64]:
        """After `bounds`: by kind the marks that are left over in the solution for one profile."""
        alone(count_supply)(dice, prices, min(int(profiles.rerolls[number]), MOST_REROLLS), self._plan)
        surplus = self._plan.supply.copy()
        surplus[ADD] += self._added
        surplus[max(FREE_KINDS, key=lambda kind: float(prices[kind]))] += self._free
        alone(count_demand)(
            profiles.ways[number],
            self._parts,
            self._yellow,
            self._blue,
            self.sheet,
            prices,
            self._chain,
            self._before,
            surplus,
        )
        return surplus

    def guide(self, game: Game, seed: int, known: int, steps: int) -> Guide:
        """What leads a search for more points than are known: profiles that may have them, at good prices."""
        profiles, dice = self.profiles(known + 1), self.dice(game, seed)
        search = _Search(first_prices())
        for _ in range(steps if len(profiles.base) else 0):
            bounds = self.bounds(dice, search.prices, profiles)
            number = int(np.argmax(bounds))
            search.step(float(bounds[number]), known, self.surplus(dice, search.prices, profiles, number))
        prices = search.best
        self.bounds(dice, prices, profiles)
        yellow, blue, green, orange, purple = self._parts
        pairs = [
            (number, first, second)
            for number, ways in enumerate(profiles.ways)
            for first in np.flatnonzero(self._yellow.classes == ways[0])
            for second in np.flatnonzero(self._blue.classes == ways[1])
        ]
        rows = np.array([number for number, _, _ in pairs], np.int64)
        made = SHEETS[self.sheet]
        gains = np.array([0.0] + [number - prices[IN_PURPLE + number - 1] for number in range(1, 7)])
        gains[6] = 6.0 - min(prices[IN_PURPLE + 5], prices[SIX_IN_PURPLE])
        purple_worth = np.zeros((LENGTHS, 7))
        alone(set_purple_worth)(gains, purple_worth)
        rounds = [prices[ADD] if bonus == EXTRA else 0.0 for bonus in made.rounds]
        rounds = [prices[FREE_KINDS].max() if b == BLACK else worth for b, worth in zip(made.rounds, rounds, strict=True)]
        return Guide(
            yellow=np.array([_places(made.yellow, int(first)) for _, first, _ in pairs], np.int64),
            blue=np.array([_places(made.blue, int(second)) for _, _, second in pairs], np.int64),
            lengths=np.ascontiguousarray(profiles.ways[rows, 2:]),
            base=profiles.base[rows],
            rerolls=profiles.rerolls[rows],
            yellow_worth=_worth(made.yellow, yellow, self._yellow, IN_YELLOW - 1, FIRST_YELLOW, prices),
            blue_worth=_worth(made.blue, blue, self._blue, IN_BLUE - 2, FIRST_BLUE, prices),
            row_worth=np.stack([green.values, orange.values, purple.brings @ prices]),
            purple_worth=purple_worth,
            rounds_worth=np.array([sum(rounds[begun:]) for begun in range(len(rounds) + 1)]),
            owed_worth=np.append(prices[BONUS:ADD], prices[FREE_KINDS].max()),
            add_price=float(prices[ADD]),
            dice=dice,
            plan=self._plan,
        )


class _Search:
    """Steps against the surplus, as long as Polyak says: as if the bound could be lowered to what is known."""

    def __init__(self, prices: NDArray[np.float64]) -> None:
        self.prices, self.best = prices.copy(), prices.copy()
        self._lowest, self._factor, self._idle = math.inf, 1.0, 0

    def step(self, bound: float, known: int, surplus: NDArray[Any]) -> None:
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


def first_prices() -> NDArray[np.float64]:
    """Where every search begins: a mark costs about what it brings at the end of a good match."""
    prices = np.full(KINDS, 5.0)
    for number in range(1, 7):
        prices[IN_GREEN + number - 1] = 4.0 + 0.3 * number
        prices[IN_ORANGE + number - 1] = max(number - 1.0, 0.0)
        prices[IN_PURPLE + number - 1] = max(number - 1.0, 0.0)
    return prices


@cache
def counting_bound(sheet: int = 0) -> int:
    """The most points that any dice allow, by counting marks."""
    relaxation, at_least = Relaxation(sheet), 600
    while not len(relaxation.profiles(at_least).base):
        at_least -= 20
    return int(relaxation.profiles(at_least).most[0])
