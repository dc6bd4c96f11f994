"""territory: the strongest player of spe_ed: who reaches which cells first, searched some rounds ahead.

While an opponent is near, own moves and his answers are searched together and judged by territory; once nobody can meet
any more, by how long the own space can be filled, and where a jump leads to once it is nearly used up. docs/speed.md
says where the weights come from. What it cannot do: it looks at one opponent at a time, and a territory knows nothing
of jumps beyond the rounds that are searched.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.agents.common import threads_for
from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.linker import specialise
from spielwerk.core.position import View
from spielwerk.core.ranges import THREADS, Range
from spielwerk.core.signs import StopSign
from spielwerk.games.speed.game import Speed
from spielwerk.games.speed.players import say
from spielwerk.games.speed.players.kernel.bits import WORDS
from spielwerk.games.speed.players.kernel.chambers import new_chambers
from spielwerk.games.speed.players.kernel.escape import MOST_HEADS, TABLE
from spielwerk.games.speed.players.kernel.room import MOST_ROUNDS, new_boards
from spielwerk.games.speed.players.kernel.space import ACTIONS, ALONE, JUMP_IN, LOST, Escapes, Space
from spielwerk.games.speed.players.kernel.territory import (
    FORCED,
    MOST_CELLS,
    SURELY_LOST,
    best_action,
    decide_at,
    leave_if_better,
    settled,
    territory_policy,
    way_out_at,
    worth_at,
)
from spielwerk.games.speed.players.plans import Plans

PLANS = Plans()
DEEPEST = 24  # rounds
MOST_LEAVES = 100_000  # of a decision, for whole matches in compiled code


@dataclass(frozen=True)
class Territory(Agent):
    """Reaches more cells first than the others, looks some rounds ahead, and fills its space when it is alone."""

    name: ClassVar[str] = "territory"

    leaves: Annotated[int, Range(1, 10**9), "positions to judge, about, where time does not decide"] = 1000
    depth: Annotated[int, Range(1, DEEPEST), "rounds to look ahead at most"] = DEEPEST
    seconds: Annotated[float | None, Range(0.001, 86_400), "think as long as this instead"] = None
    my_pace: Annotated[float, Range(0, 1), "how far own speed carries: 0 = one cell a round, 1 = all of it"] = 0.015
    their_pace: Annotated[float, Range(0, 1), "the same for the others"] = 0.18
    theirs: Annotated[float, Range(0, 2), "what a cell of the others costs; 1 = as much as an own one is worth"] = 1.03
    edges: Annotated[float, Range(0, 2), "what two own cells beside each other are worth more"] = 0.16
    speed_cost: Annotated[float, Range(0, 100), "cells that every step of speed above 1 costs"] = 9.0
    both_out: Annotated[
        float, Range(-1000, 3000), "cells that a crash of both costs, from what the position is worth"
    ] = 640.0
    risk: Annotated[float, Range(0, 1000), "cells that it costs to drive where others may drive in this round"] = 32.0
    apart: Annotated[float, Range(0.5, 5), "what a round in the own space is worth when nobody can come in"] = 1.7
    fastest: Annotated[float, Range(1, 10), "own speed at most, but for a run-up to a jump out of the own space"] = 2.0
    contact: Annotated[float, Range(1, 160), "cells to an opponent whose answers are searched"] = 44.0
    patience: Annotated[float, Range(0, 150), "rounds left in the own space when it looks for a way out"] = 90.0
    lead: Annotated[float, Range(0, 1), "rounds that the others have more behind a jump, for every round to it"] = 0.3
    hurry: Annotated[float, Range(0, 100), "cells that a round to a jump costs while others are near"] = 10.0
    by_jumps: Annotated[float, Range(0, 5), "what a cell is worth more if jumps over walls lead there first"] = 0.5
    optimism: Annotated[float, Range(0, 1), "how far the own space counts as all that its chambers allow"] = 0.0
    chambers: Annotated[float, Range(0, 1), "the same for a territory that others can come to"] = 0.0
    threads: Annotated[int, THREADS, "threads for one decision"] = 1

    def why_not(self, game: Game) -> str | None:
        return None if isinstance(game, Speed) else say("it knows spe_ed only")

    def weights(self) -> NDArray[np.float64]:
        return np.array(
            [self.my_pace, self.their_pace, self.theirs, self.edges, self.speed_cost, self.both_out, self.risk,
             self.apart, self.fastest, self.contact, self.patience, self.lead, self.hurry, self.by_jumps,
             self.optimism, self.chambers]
        )  # fmt: skip

    def policy(self, game: Game) -> Policy | None:
        if self.leaves > MOST_LEAVES or self.seconds is not None or self.threads > 1:
            return None
        return Policy(territory_policy, (new_space(self.weights()), self.depth, self.leaves), searches=True)

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        if budget.ends() is None and self.seconds is not None:
            budget = replace(budget, seconds=self.seconds)
        with budget.watch() as sign:
            found = self._by_leaves(view, sign) if sign.ends is None else self._until(view, sign)
        best = int(specialise(best_action, view.game)(found.values))
        notes = {"depth": found.depth, "alone": found.alone}
        if found.jump_in:
            notes["rounds to the jump out"] = found.jump_in
        elif sign.ends is not None and found.alone:
            plan = PLANS.find(self.spec, view)
            if not found.settled and len(plan) > found.depth and found.values[plan[0]] > SURELY_LOST:
                best, line = plan[0], plan
                notes["planned"] = len(plan)
            else:
                line = found.lines[best]
            PLANS.keep(self.spec, view, best, line[1:])
        shown = tuple(float(value) for value in found.values) + (LOST,) * (len(view.legal) - ACTIONS)
        return Decision(best, values=shown, unit="worth", notes=notes)

    def _by_leaves(self, view: View, sign: StopSign) -> "Found":
        space, search = new_space(self.weights()), specialise(decide_at, view.game)
        depth = int(search(space, view.state, view.seat, self.depth, self.leaves, sign.cell))
        values = np.where(np.isnan(space.values), LOST, space.values)
        return Found(depth, values, bool(space.numbers[ALONE]), True, ((),) * ACTIONS, int(space.numbers[JUMP_IN]))

    def _until(self, view: View, sign: StopSign) -> "Found":
        """What was found when the time was up; the first round has a moment more if need be."""
        search = specialise(worth_at, view.game)
        spaces = [new_space(self.weights()) for _ in range(ACTIONS)]
        out = specialise(way_out_at, view.game)(spaces[0], view.state, view.seat, sign.cell)
        best = Found(0, np.full(ACTIONS, LOST), False, False, ((),) * ACTIONS, 0)

        def job(action: int, depth: int) -> float:
            return float(search(spaces[action], view.state, view.seat, action, depth, sign.cell))

        with threads_for(self.threads, sign) as pool:
            for depth in range(1, self.depth + 1):
                values = np.array(list(pool.map(partial(job, depth=depth), range(ACTIONS))))
                if np.isnan(values).any() and not best.depth and sign.last_chance():
                    values = np.array(list(pool.map(partial(job, depth=depth), range(ACTIONS))))
                if np.isnan(values).any():
                    break
                lines = tuple(tuple(int(action) for action in space.lines[0, :depth]) for space in spaces)
                done = bool(specialise(settled, view.game)(values))
                best = Found(depth, values, bool(spaces[0].numbers[ALONE]), done, lines, 0)
                if done:
                    break
        return best._replace(jump_in=int(specialise(leave_if_better, view.game)(best.values, *out)))


class Found(NamedTuple):
    """What a search knows when it ends."""

    depth: int  # rounds that were looked ahead
    values: NDArray[np.float64]  # [5] of the own actions
    alone: bool  # nobody can come to where the player is
    settled: bool  # it looked no further because it knew enough
    lines: tuple[tuple[int, ...], ...]  # the own actions that would follow each
    jump_in: int  # rounds until it wants to jump out of its space; 0 = it stays


def new_space(weights: NDArray[np.float64]) -> Space:
    heads, levels = (MOST_ROUNDS + 1, 4), DEEPEST + FORCED + 1
    return Space(
        weights=weights,
        boards=new_boards(),
        chambers=new_chambers(),
        heads=np.zeros((levels + 1, 2, 4), np.int64),
        cells=np.zeros((levels, 2, MOST_CELLS, 2), np.int64),
        counts=np.zeros((levels, 2), np.int64),
        choices=np.zeros((levels, 2), np.int64),
        bounds=np.zeros((DEEPEST, 2), np.float64),
        others=np.zeros((6, 3), np.int64),
        numbers=np.zeros(13, np.int64),
        answer=np.zeros(3, np.int64),
        path=np.zeros(heads, np.int64),
        lines=np.zeros((DEEPEST + 1, DEEPEST + 1), np.int64),
        values=np.zeros(ACTIONS, np.float64),
        trial=np.zeros(ACTIONS, np.float64),
        now=np.zeros(2, np.float64),
        danger=np.zeros(WORDS, np.uint64),
        escapes=Escapes(
            trail=np.zeros(heads, np.int64),
            heads=np.zeros((MOST_HEADS, 6), np.int64),
            table=np.zeros(TABLE, np.int64),
            **{name: np.zeros(WORDS, np.uint64) for name in ("home", "seen", "saved", "left")},
        ),
    )
