"""dommeai: the player of Huster, Kollmeier and Schulte (informatiCup 2021): most own futures, level by level.

It counts which sequences of own moves survive (kernel/dommeai.py) and has two strategies beside that: in a dead end it
prefers moves that lead to a jump out of it, in a safe zone it slows down. Where the study's program never answers,
because no move survives, this one drives on (change_nothing).
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.linker import specialise
from spielwerk.core.position import View
from spielwerk.core.ranges import ITERATIONS, Range
from spielwerk.core.signs import StopSign
from spielwerk.games.speed.game import ACTIONS, Speed
from spielwerk.games.speed.kernel.rules import JUMP_EVERY
from spielwerk.games.speed.players import say
from spielwerk.games.speed.players.kept import TREES
from spielwerk.games.speed.players.kernel.dommeai import (
    ANEW,
    CUT,
    DEAD_END,
    DEPTH,
    ENEMY_BOARD,
    KEPT,
    MOST_LEVELS,
    NODES,
    NUMBER,
    ROOM,
    SAFE_ZONE,
    UNLIMITED,
    Settings,
    Space,
    choose_at,
    dommeai_policy,
    new_space,
)
from spielwerk.games.speed.players.kernel.kept import choose_keeping, new_tree
from spielwerk.games.speed.players.kernel.plans import ACTION_OF, MOVES

ROOMS = Range(0, 200)  # T-distances and distances of heads: a board has at most 80 by 80 cells


@dataclass(frozen=True)
class DommeAI(Agent):
    """spe_ed: the move with most surviving sequences of own moves; jumps out of dead ends, slow where it is safe."""

    name: ClassVar[str] = "dommeai"
    presets: ClassVar[dict[str, dict[str, str]]] = {"study": {"buffer": "0.3"}}  # as in the competition

    levels: Annotated[int, Range(1, MOST_LEVELS), "own moves to look ahead, if neither time nor nodes limit it"] = 7
    nodes: Annotated[int | None, ITERATIONS, "most sequences to find instead; none = no limit"] = None
    seconds: Annotated[float | None, Range(0.001, 86_400), "think as long as this instead; none = no limit"] = None
    buffer: Annotated[float, Range(0, 60), "seconds before the end of its time at which it stops; the study: 0.3"] = 0.0
    least: Annotated[int, Range(1, 6), "levels that it finishes even if time or nodes are used up"] = 4
    gamma: Annotated[float, Range(0, 10), "worth of a sequence per further level"] = 0.5
    enemy_board: Annotated[bool, "avoid all cells that an enemy may cover in this round"] = True
    dead_end: Annotated[bool, "prefer moves that lead to a jump out of a dead end"] = True
    dead_end_limit: Annotated[int, ROOMS, "T-distance below which a place is a dead end"] = 14
    dead_end_bias: Annotated[float, Range(0, 1_000_000), "what a jump out of a dead end adds to a first move"] = 500.0
    safe_zone: Annotated[bool, "prefer to be slow in a safe zone"] = True
    safe_zone_limit: Annotated[int, ROOMS, "T-distance above which a place may be a safe zone"] = 35
    safe_zone_distance: Annotated[int, ROOMS, "cells to the nearest enemy above which a place may be a safe zone"] = 20
    safe_zone_bias: Annotated[float, Range(0, 1), "share by which slow_down gains and speed_up loses there"] = 0.5
    safe_zone_levels: Annotated[
        Literal["first", "all"], "what gains and loses: the first level, as in the study's program, or the whole value"
    ] = "first"

    keep: Annotated[bool, "keep the search tree from round to round and go on where it stopped"] = False
    memory: Annotated[int, Range(1000, 10_000_000), "most heads of a tree that is kept; 12 bytes each"] = 2_000_000

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        with self._within(budget).watch() as sign:
            levels = self.levels if self.nodes is None and budget.playouts is None and sign.ends is None else None
            settings = self.settings(new_space(), levels, budget.playouts)
            if self.keep:
                action = self._choose_keeping(view, settings, sign)
            else:
                action = int(specialise(choose_at, view.game)(view.state, view.seat, settings, sign.cell))
        return self._explained(view, action, settings.space)

    def _choose_keeping(self, view: View, settings: Settings, sign: StopSign) -> int:
        """Go on with the tree of the round before, and keep what it has become."""
        kept, tree = TREES.find(self.spec, view), new_tree(self.memory)
        choose = specialise(choose_keeping, view.game)
        action = int(choose(view.state, view.seat, settings, kept.tree, kept.root, tree, sign.cell))
        if settings.space.facts[DEPTH]:
            TREES.keep(self.spec, view, action, tree)
        return action

    def _within(self, budget: Budget) -> Budget:
        """The budget without the buffer; the own time if nobody else sets one."""
        if budget.ends() is None and self.seconds is not None:
            budget = replace(budget, seconds=self.seconds)
        ends = budget.ends()
        return budget if ends is None else replace(budget, seconds=None, deadline=ends - self.buffer)

    def settings(self, space: Space, levels: int | None, nodes: int | None = None) -> Settings:
        """What the search is told; None: no limit to the levels, the own limit of nodes."""
        return Settings(
            MOST_LEVELS if levels is None else levels, nodes or self.nodes or UNLIMITED, self.least, float(self.gamma),
            self.enemy_board, self.dead_end, self.dead_end_limit, float(self.dead_end_bias), self.safe_zone,
            self.safe_zone_limit, self.safe_zone_distance, float(self.safe_zone_bias), self.safe_zone_levels == "all",
            space,
        )  # fmt: skip

    def _explained(self, view: View, action: int, space: Space) -> Decision:
        """The decision with what the study's picture shows of every round."""
        facts = space.facts
        values = {int(ACTION_OF[move]): float(space.values[move]) for move in range(MOVES)}
        notes: dict[str, Any] = {
            "depth": int(facts[DEPTH]),
            "nodes": int(facts[NODES]),
            "T-distance": int(facts[ROOM]),
            "dead end": bool(facts[DEAD_END]),
            "safe zone": bool(facts[SAFE_ZONE]),
            "enemies' moves avoided": bool(facts[ENEMY_BOARD]),
            "rounds to the next jump": int(-facts[NUMBER] % JUMP_EVERY),
            "next move": ACTIONS[action],
        }
        if facts[CUT]:
            notes["cut short"] = True
        if self.keep:
            notes |= {"nodes kept": int(facts[KEPT]), "new nodes": int(facts[ANEW])}
        visits = np.zeros(max(view.legal) + 1, np.int64)
        for move in range(MOVES):
            visits[ACTION_OF[move]] = space.counts[: facts[DEPTH], move].sum()
        return Decision(
            action,
            values=tuple(values.get(legal, -1.0) for legal in view.legal),  # no answer survives nothing
            visits=tuple(int(visits[legal]) for legal in view.legal),
            unit="worth",
            notes=notes,
        )

    def policy(self, game: Game) -> Policy | None:
        if self.seconds is not None or self.keep:
            return None
        levels = self.levels if self.nodes is None else None
        return Policy(dommeai_policy, self.settings(new_space(), levels), searches=True)

    def why_not(self, game: Game) -> str | None:
        return None if isinstance(game, Speed) else say("it knows spe_ed only")
