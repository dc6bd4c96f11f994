"""polynomial: Qwixx by a polynomial in nine numbers (Janetzki 2021), and the named players of that family.

The situation after a turn is nine numbers: in every row the crosses and the limit (the rightmost number), and the
misthrows. Its quality is a polynomial of degree 1 to 3 with four coefficients per power: crosses, limit in red and
yellow, limit in green and blue, misthrows. The turn with the highest quality is played (kernel/polynomial.py).

alphaqwixx  the study's champion: crosses - 0.5 * steps - 2.5 * misthrows, the same numbers over a factor
caira       a player of the study's repository: the points on the sheet
gap         crosses while at most k numbers are skipped, and at most six to avoid a misthrow
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.linker import specialise
from spielwerk.core.position import View
from spielwerk.core.ranges import Range
from spielwerk.games.qwixx.game import Qwixx
from spielwerk.games.qwixx.players import say
from spielwerk.games.qwixx.players.kernel.polynomial import (
    COUNTS,
    ENDGAME,
    FALLING,
    LENGTH,
    MISTHROWS,
    RISING,
    decide_at,
    polynomial_policy,
)

Coefficients = NDArray[
    np.float64
]  # [degree + 1, 4]: by power (0 first), then crosses, rising limit, falling limit, misthrows
KINDS = 4

ALPHAQWIXX = np.array([[0.0, 0.0, -9.0, 0.0], [1.5, -0.75, 0.75, -3.75]])  # formula 8 of the study
CAIRA = np.array([[0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, -5.0], [0.5, 0.0, 0.0, 0.0]])


def tables(coefficients: Coefficients, endgame: bool = False) -> NDArray[np.float64]:
    """What every part of a sheet is worth, as `polynomial_policy` reads it."""

    def worth(kind: int, x: NDArray[np.int64]) -> NDArray[np.float64]:
        return sum(
            (coefficients[power, kind] * x.astype(float) ** power for power in range(1, len(coefficients))),
            np.zeros(len(x)),
        )

    weights = np.zeros(LENGTH)
    weights[COUNTS : COUNTS + 13] = worth(0, np.arange(13))
    weights[RISING : RISING + 13] = worth(1, np.arange(1, 14))  # the limit before the first cross is 1
    weights[FALLING : FALLING + 13] = worth(2, np.arange(13, 0, -1))
    weights[MISTHROWS : MISTHROWS + 5] = worth(3, np.arange(5))
    weights[ENDGAME] = float(endgame)
    return weights


def situation(view: View, seat: int) -> list[int]:
    """The study's nine numbers of a sheet: crosses and limit of red, yellow, green, blue, then the misthrows."""
    state = view.state[0]
    numbers = []
    for row in range(4):
        behind = int(state["reach"][seat, row]) + int(state["reach"][seat, row] == 11)
        numbers += [int(state["count"][seat, row]), 1 + behind if row < 2 else 13 - behind]
    return [*numbers, int(state["penalties"][seat])]


def quality(coefficients: Coefficients, numbers: list[int]) -> float:
    """Formula 3 of the study (and 5 and 6 for the other degrees)."""
    kinds = (0, 1, 0, 1, 0, 2, 0, 2, 3)
    return float(
        sum(
            coefficients[power, kind] * float(x) ** power
            for kind, x in zip(kinds, numbers, strict=True)
            for power in range(len(coefficients))
        )
    )


def parse(text: str) -> Coefficients:
    """'0 0 -9 0 / 1.5 -0.75 0.75 -3.75' -> coefficients, the constants first."""
    try:
        rows = [[float(number) for number in part.split()] for part in text.split("/")]
    except ValueError:
        raise SpielwerkError(say("polynomial: '{text}' holds something that is no number", text=text)) from None
    if not 2 <= len(rows) <= 4 or any(len(row) != KINDS for row in rows):
        phrase = (
            "polynomial: coefficients are two to four groups of four numbers, the constants first, "
            "for example '0 0 -9 0 / 1.5 -0.75 0.75 -3.75'"
        )
        raise SpielwerkError(say(phrase))
    return np.array(rows)


def written(coefficients: Coefficients) -> str:
    return " / ".join(" ".join(f"{number:.6g}" for number in row) for row in coefficients)


@dataclass(frozen=True)
class SheetRule(Agent, ABC):
    """What the players of this family share: they look at their own sheet only and play by a compiled rule."""

    @abstractmethod
    def coefficients(self) -> Coefficients:
        """The polynomial that judges a sheet."""

    def has_endgame(self) -> bool:
        return False

    def why_not(self, game: Game) -> str | None:
        return None if isinstance(game, Qwixx) else say("it reads Qwixx sheets")

    def policy(self, game: Game) -> Policy:
        return Policy(polynomial_policy, _weights(self))

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        game = view.game
        rule = self.policy(game)
        search = specialise(decide_at, game, policy=rule.function)
        return Decision(int(search(view.state, view.seat, rule.weights, game.scratch(), rng)))


@lru_cache(maxsize=4096)
def _weights(agent: SheetRule) -> NDArray[np.float64]:
    return tables(agent.coefficients(), agent.has_endgame())


@dataclass(frozen=True)
class Polynomial(SheetRule):
    """Qwixx by a polynomial in the nine numbers of a sheet, degree 1 to 3."""

    name: ClassVar[str] = "polynomial"

    strategy: Annotated[
        str, "coefficients by power, constants first, each: crosses, limit up, limit down, misthrows"
    ] = "0 0 -9 0 / 1.5 -0.75 0.75 -3.75"
    endgame: Annotated[bool, "lock first; end the match only when ahead"] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        parse(self.strategy)

    def coefficients(self) -> Coefficients:
        return parse(self.strategy)

    def has_endgame(self) -> bool:
        return self.endgame


@dataclass(frozen=True)
class AlphaQwixx(SheetRule):
    """The champion of Janetzki (2021): crosses - 0.5 * steps - 2.5 * misthrows."""

    name: ClassVar[str] = "alphaqwixx"

    endgame: Annotated[bool, "lock first; end the match only when ahead"] = False

    def coefficients(self) -> Coefficients:
        return ALPHAQWIXX

    def has_endgame(self) -> bool:
        return self.endgame


@dataclass(frozen=True)
class Caira(SheetRule):
    """Always the most points on the own sheet."""

    name: ClassVar[str] = "caira"

    endgame: Annotated[bool, "lock first; end the match only when ahead"] = False

    def coefficients(self) -> Coefficients:
        return CAIRA

    def has_endgame(self) -> bool:
        return self.endgame


@dataclass(frozen=True)
class Gap(SheetRule):
    """Crosses while at most k numbers are skipped, six to avoid a misthrow."""

    name: ClassVar[str] = "gap"

    k: Annotated[int, Range(0, 6), "most numbers to skip"] = 1
    endgame: Annotated[bool, "lock first; end the match only when ahead"] = False

    def coefficients(self) -> Coefficients:
        return np.array([[0.0] * KINDS, [self.k + 1.5, -1.0, 1.0, self.k - 6.0]])

    def has_endgame(self) -> bool:
        return self.endgame
