"""safe, longest, spiral, area: simple players of spe_ed, for opponents, playouts and yardsticks.

Each looks one move ahead on the board as it is (kernel/simple.py). None plans a jump; all know when one happens.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel.contract import Room, policy
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.linker import kernel, specialise
from spielwerk.core.position import View
from spielwerk.core.ranges import Range
from spielwerk.games.speed.game import Speed
from spielwerk.games.speed.kernel.rules import FASTEST
from spielwerk.games.speed.players import say
from spielwerk.games.speed.players.kernel.simple import (
    INTEGERS,
    area_policy,
    longest_policy,
    safe_policy,
    spiral_policy,
)


@kernel
def decide_at(states, seat, weights, scratch, rng):  # type: ignore[no-untyped-def]
    return policy(states[0], seat, weights, scratch, rng)


@dataclass(frozen=True)
class Driver(Agent):
    """What the simple players share: they do not die at once if they can help it."""

    rule: ClassVar[Callable[..., Any]]
    room: ClassVar[Room] = Room()

    avoid: Annotated[bool, "keep off cells that somebody else can reach in the same round"] = True
    fastest: Annotated[int, Range(1, FASTEST), "greatest speed, unless only a higher one survives"] = FASTEST

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        rule = self.policy(view.game)
        decide = specialise(decide_at, view.game, policy=rule.function)
        return Decision(int(decide(view.state, view.seat, rule.weights, view.game.scratch(rule.room), rng)))

    def policy(self, game: Game) -> Policy:
        return Policy(type(self).rule, np.array([self.avoid, self.fastest], np.int64), self.room)

    def why_not(self, game: Game) -> str | None:
        return None if isinstance(game, Speed) else say("it knows spe_ed only")


@dataclass(frozen=True)
class Safe(Driver):
    """spe_ed: any move that does not die at once."""

    name: ClassVar[str] = "safe"
    rule: ClassVar[Callable[..., Any]] = staticmethod(safe_policy)


@dataclass(frozen=True)
class Longest(Driver):
    """spe_ed: the move with the longest free way ahead."""

    name: ClassVar[str] = "longest"
    rule: ClassVar[Callable[..., Any]] = staticmethod(longest_policy)


@dataclass(frozen=True)
class Spiral(Driver):
    """spe_ed: slowly along walls and trails, which fills the room in a spiral."""

    name: ClassVar[str] = "spiral"
    rule: ClassVar[Callable[..., Any]] = staticmethod(spiral_policy)


@dataclass(frozen=True)
class Area(Driver):
    """spe_ed: the move after which the most cells can be reached."""

    name: ClassVar[str] = "area"
    rule: ClassVar[Callable[..., Any]] = staticmethod(area_policy)
    room: ClassVar[Room] = Room(integers=INTEGERS)
