"""solved: perfect play of Qwixx alone, by the table of `spielwerk solve qwixx`.

The first use solves the game (about a minute) unless the table is in the cache folder already.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spielwerk.agents.common import nothing_found
from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget, Stopped, StopSign
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.linker import specialise
from spielwerk.core.position import View
from spielwerk.games.qwixx.game import Qwixx
from spielwerk.games.qwixx.players import say
from spielwerk.games.qwixx.players.kernel.pairvalue import MOST_PLANS
from spielwerk.games.qwixx.players.kernel.polynomial import decide_at
from spielwerk.games.qwixx.players.kernel.solved import solved_policy
from spielwerk.games.qwixx.solve import solved

MOST_TABLES = 2  # 44 MB each
_tables: dict[str, NDArray[np.float64]] = {}  # by variant


def _table(variant: str, sign: StopSign | None = None) -> NDArray[np.float64]:
    def look(done: float, line: str) -> None:
        if sign is not None and not sign.wanted:
            raise Stopped

    if variant not in _tables:
        while len(_tables) >= MOST_TABLES:
            _tables.pop(next(iter(_tables)))
        _tables[variant] = solved(Qwixx(1, variant), look)
    return _tables[variant]


@dataclass(frozen=True)
class Solved(Agent):
    """Perfect play of Qwixx alone."""

    name: ClassVar[str] = "solved"

    def why_not(self, game: Game) -> str | None:
        if not isinstance(game, Qwixx) or game.seats != 1:
            return say("only Qwixx with one seat is solved")
        return None if int(game.options[-1]) == 0 else say("only the sheet 'pad' is solved")

    def policy(self, game: Game) -> Policy | None:
        if self.why_not(game):
            return None
        return Policy(solved_policy, (_table(game.variant), np.zeros((MOST_PLANS, 2), np.int64)))

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        game = view.game
        self.require(game)
        try:
            with budget.watch() as sign:
                weights = (_table(game.variant, sign), np.zeros((MOST_PLANS, 2), np.int64))
        except Stopped:
            return nothing_found(view, rng)
        search = specialise(decide_at, game, policy=solved_policy)
        return Decision(int(search(view.state, view.seat, weights, game.scratch(), rng)))
