"""Ganz schön clever: spec, notation, text picture, statistics."""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from spielwerk.core.errors import InvalidMove
from spielwerk.core.game import Game
from spielwerk.core.position import States, View
from spielwerk.core.spec import Option, Rung, Spec, Variant
from spielwerk.core.words import seat_number
from spielwerk.games.clever.kernel import features as inputs
from spielwerk.games.clever.kernel import rules as kernel
from spielwerk.games.clever.sheets import AREAS, BONUSES, DICE, SHEETS, YELLOW_X

LETTERS = "wybgop"  # of the dice in the notation of rolls
ROLLED = re.compile(r"((?:[wybgop][1-6] ?)+)(?:tray ([wybgop]{3}))?")
BEGINS = re.compile(r"seat ([0-3]) begins")
DRAWN = re.compile(r"bonus (.+)")
PLACES = tuple(f"{row}-{column}" for row in range(1, 5) for column in range(1, 5))

THESIS = {
    "wasted_picks": 0,
    "random_tray": 1,
    "short_end": 1,
    "drawn_bonus": 1,
    "loose_green": 1,
    "loose_purple": 1,
    "stale_roll": 1,
    "every_step": 1,
}


def _moves() -> tuple[str, ...]:
    """What people write, by action: `yellow 1-3` is the yellow die in row 1, column 3 of its area."""
    moves = ["pass", "re-roll"]
    moves += [f"yellow {place}" for place in PLACES]
    moves += [f"white yellow {place}" for place in PLACES]
    for area in AREAS[1:]:
        moves += [area, f"white {area}"]
    moves += [f"X yellow {place}" for place in PLACES]
    moves += [f"X blue {place}" for place in PLACES[:12]]
    moves += ["X green", "orange 4", "orange 5", "orange 6", "purple 6"]
    moves += ["free yellow", "free blue"]
    moves += [f"waste {die}" for die in DICE]
    return tuple(moves)


class Clever(Game):
    """The dice game by Wolfgang Warsch (2018): every die that is picked sends the lower ones to the others."""

    spec = Spec(
        id="clever",
        title="Ganz schön clever",
        summary="Pick dice and mark their numbers in five areas; every bonus leads to the next, lower dice go to others.",
        seats=(1, 2, 3, 4),
        moves=_moves(),
        widest=28,
        longest=1000,
        scale=300.0,
        objective="margin",
        options=(
            Option("sheet", 0, 0, len(SHEETS) - 1, "what is printed on the sheets", "sheet", tuple(s.name for s in SHEETS)),
            Option("wasted_picks", 1, 0, 1, "a die that fits nowhere may be picked", "wasted picks"),
            Option("random_tray", 0, 0, 1, "alone, any three dice lie on the tray, not the lowest", "random tray"),
            Option("short_end", 0, 0, 1, "the match ends with the last pick, without +1 and tray", "short end"),
            Option("drawn_bonus", 0, 0, 1, "the bonus of the fourth round is drawn, not chosen", "drawn bonus"),
            Option("loose_green", 0, 0, 1, "green takes many numbers that are too low", "loose green"),
            Option("loose_purple", 0, 0, 1, "in purple the higher of both dice counts for both", "loose purple"),
            Option("stale_roll", 0, 0, 1, "a round without +1 before it begins with old dice", "stale dice"),
            Option("every_step", 0, 0, 1, "one is asked where there is no choice, too", "every step"),
            Option("yellow_dice", 0, 0, 4, "the yellow area alone with so many dice; 0 = the whole game", "yellow dice"),
        ),
        variants={
            "official": Variant("Official", "as the rules in the box have it"),
            "harvest": Variant("Harvest sheet", "another sheet: other numbers, early bonuses", {"sheet": 1}),
            "thesis": Variant("Thesis", "as the engine of Schubert's thesis plays it", THESIS),
            "yellow": Variant("Yellow alone", "ten rolls for the yellow area, as in Schubert's prototype", {"yellow_dice": 2}),
        },
        chance=True,
        luck="dice",
        simultaneous=True,
        outcomes=kernel.MOST_OUTCOMES,
    )
    State = kernel.State
    kernel: ClassVar[Any] = kernel

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        return super().functions | {"features": inputs.features}

    @property
    def features(self) -> int:
        return inputs.SEAT * self.seats + inputs.TABLE

    @property
    def objective(self) -> str:
        """Alone one plays for points."""
        return "points" if self.seats == 1 else super().objective
