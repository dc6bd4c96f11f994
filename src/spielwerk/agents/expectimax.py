"""expectimax: all decisions and all chance outcomes to a fixed depth, then an evaluation."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from spielwerk.agents.common import Objective, bind, only_action
from spielwerk.core import entry
from spielwerk.core.agent import Agent, Budget, Decision
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import View
from spielwerk.core.kernel import specialise
from spielwerk.core.rng import Rng
from spielwerk.search.expectimax import expectimax


@dataclass(frozen=True)
class Expectimax(Agent):
    """All decisions and chance outcomes to a fixed depth, then an evaluation; every seat maximises."""

    name: ClassVar[str] = "expectimax"

    depth: Annotated[int, "decisions to look ahead; 1 = the best position right after the own move"] = 2
    samples: Annotated[int, "draws per chance event where outcomes cannot be listed"] = 8
    worlds: Annotated[int, "imagined worlds where information is hidden"] = 8
    rollout_depth: Annotated[int, "most decisions of a playout, if the evaluation is one"] = 150
    method: Annotated[Literal[1, 2], "2: a playout that ended is worth one less (one seat only); 1: points as they are"] = 1
    objective: Annotated[Objective, "what is maximised; game = what the game suggests"] = "game"
    evaluation: Annotated[str, "what judges a leaf: standing, playout or another, as name or name@source"] = "standing"
    table: Annotated[int, "entries of the transposition table (one-seat games that offer a key); 0 = none"] = 65536

    def __post_init__(self) -> None:
        if self.depth < 1 or self.samples < 1 or self.worlds < 1 or self.table < 0:
            raise SpielwerkError("expectimax: depth, samples and worlds start at 1, table at 0")

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        forced = only_action(view)
        if forced:
            return forced
        game, seat, legal = view.game, view.seat, view.legal
        binding = bind(game, self.objective, self.evaluation, None)
        search = specialise(expectimax, game, **binding.functions)
        levels = self.depth * (game.seats + 4) + 4
        stack = game.states(levels)
        widest = max(game.spec.outcomes, 1)
        ids, probs = np.zeros((levels, widest), np.int64), np.zeros((levels, widest))
        lists = np.zeros((levels, game.spec.widest), np.int64)
        joints = np.zeros((levels, game.seats), np.int64)
        values, sums = np.zeros((levels, game.seats)), np.zeros((levels, game.seats))
        linear = binding.objective == "points" and game.seats == 1
        room = self.table if linear and self.depth > 1 else 0
        keys, stored = np.zeros(room, np.uint64), np.zeros(room)
        worlds = self.worlds if game.spec.hidden else 1
        method = self.method if game.seats == 1 else 1
        totals, squares = np.zeros(len(legal)), np.zeros(len(legal))
        scratch = game.scratch()
        for _ in range(worlds):
            world = view.imagine(rng).state
            others = view.actor_set & ~(1 << seat)
            for i, action in enumerate(legal):
                stack[0] = world[0]
                joints[0, seat] = action
                if others == 0:
                    game.call(entry.apply_at, stack, joints[0])
                left = self.depth if others else self.depth - 1
                search(
                    stack, 0, left, others, seat, self.samples, binding.weights, self.rollout_depth, method,
                    binding.scale, scratch, rng, ids, probs, lists, joints, values, sums, keys, stored,
                )  # fmt: skip
                totals[i] += values[0, seat]
                squares[i] += values[0, seat] ** 2
        mean = totals / worlds
        error = np.sqrt(np.maximum(squares / worlds - mean**2, 0.0) / worlds)
        return Decision(
            legal[int(np.argmax(mean))],
            values=tuple(float(value) for value in binding.shown(mean)),
            visits=(worlds,) * len(legal),
            error=tuple(float(value) for value in binding.shown(error)),
            unit=binding.objective if self.evaluation == "standing" or method == 1 else "worth",
        )
