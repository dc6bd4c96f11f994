"""expectimax: all decisions and all chance outcomes to a fixed depth, then an evaluation.

With a time budget it deepens step by step and plays what the last finished depth says.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from spielwerk.agents.common import (
    Binding,
    Objective,
    bind,
    nothing_found,
    only_action,
    playout_depth,
    threads_for,
    why_unbound,
)
from spielwerk.agents.words import say
from spielwerk.core.agent import Agent, Decision, Policy, whole_number
from spielwerk.core.clock import Budget, afford
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, seed_of, spawn
from spielwerk.core.linker import attach, specialise
from spielwerk.core.position import States, View
from spielwerk.core.ranges import DEPTH, THREADS, Range
from spielwerk.core.signs import StopSign
from spielwerk.search.kernel.expectimax import (
    LIMIT,
    NODES,
    UNLIMITED,
    Rule,
    Workspace,
    action_worth,
    expectimax_policy,
    new_workspace,
)

MOST_ENTRIES = 1 << 24  # of the tables of all threads: 256 MB
MOST_EXTENSIONS = 8
DEEPEST = 12  # decisions, where only time limits the search
DEEPEST_RULE = 3  # decisions, for whole matches in compiled code, which cannot be interrupted
FIRST_NODES = 2000  # searched before the clock is looked at for the first time


@dataclass(frozen=True)
class Expectimax(Agent):
    """All decisions and chance outcomes to a fixed depth, then an evaluation; every seat maximises."""

    name: ClassVar[str] = "expectimax"

    depth: Annotated[int, Range(1, 200), "decisions to look ahead; 1 = the best position right after the own move"] = 2
    extend_outcomes: Annotated[
        str,
        "one decision deeper where chance has at most so many outcomes (2048: 2 per empty cell); 8/4: two at most 4",
    ] = "0"
    samples: Annotated[int, Range(1, 100_000), "draws per chance event where outcomes cannot be listed"] = 8
    nodes: Annotated[
        int | None, Range(1, 10**12), "most positions of one action; where more are needed it looks less far"
    ] = None
    worlds: Annotated[int, Range(1, 100_000), "imagined worlds where information is hidden"] = 8
    rollout_depth: Annotated[
        int | None, DEPTH, "most decisions of a playout, if the evaluation is one; none = to the end"
    ] = None
    method: Annotated[
        Literal[1, 2], "2: a match that ended is worth one less (one seat only); 1: points as they are"
    ] = 1
    objective: Annotated[Objective, "what is maximised; game = what the game suggests"] = "game"
    evaluation: Annotated[str, "what judges a leaf: standing, playout or another, as name or name@source"] = "standing"
    table: Annotated[
        int, Range(0, MOST_ENTRIES), "entries of the transposition table (one-seat games that offer a key); 0 = none"
    ] = 65536
    threads: Annotated[
        int,
        THREADS,
        "threads for one decision, one action each; where anything is drawn, several draw otherwise than one",
    ] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.table * self.threads > MOST_ENTRIES:
            phrase = "expectimax: {threads} threads have tables of at most {most} entries each, not {table}"
            most = MOST_ENTRIES // self.threads
            raise SpielwerkError(say(phrase, threads=self.threads, most=most, table=self.table))
        parts = self.extend_outcomes.split("/")
        if len(parts) > MOST_EXTENSIONS or any(whole_number(part) is None for part in parts):
            phrase = "expectimax: extend_outcomes takes numbers of outcomes such as 6 or 8/4, not '{given}'"
            raise SpielwerkError(say(phrase, given=self.extend_outcomes))

    @property
    def deeper(self) -> NDArray[np.int64]:
        """The numbers of outcomes up to which the search goes one decision deeper each."""
        return np.array([int(part) for part in self.extend_outcomes.split("/") if int(part) > 0], np.int64)

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        forced = only_action(view)
        if forced:
            return forced
        worlds = [view.imagine(rng).state for _ in range(self.worlds if view.game.spec.hidden else 1)]
        depth = self.depth
        with budget.watch() as sign:
            search = Search(self, view, rng, sign)
            if sign.ends is None:
                depth, worth = search.within_nodes(worlds)
            else:
                depth, worth = search.until(sign.ends, worlds)
            if sign.is_set():
                whole = worth[~np.isnan(worth).any(axis=1)]
                worth = whole if len(whole) else worth[:1]  # of the first world, the actions that were finished
        legal, binding = view.legal, search.binding
        mean, error = worth.mean(axis=0), worth.std(axis=0) / np.sqrt(len(worth))
        best = int(np.argmax(np.where(mean == mean, mean, -np.inf)))
        if math.isnan(mean[best]):
            return nothing_found(view, rng)
        return Decision(
            legal[best],
            values=tuple(float(value) for value in binding.shown(mean)),
            visits=tuple(0 if math.isnan(value) else len(worth) for value in mean),
            error=tuple(float(value) for value in binding.shown(error)),
            unit=binding.objective if search.method == 1 else "worth",
            notes={"depth": depth},
        )

    def why_not(self, game: Game) -> str | None:
        return why_unbound(game, self.objective, self.evaluation, None)

    def new_workspace(self, game: Game, binding: Binding, depth: int) -> Workspace:
        """Work space for `depth` decisions; with a table only where worth is points so far plus what is to come."""
        additive = binding.additive and binding.objective == "points" and game.seats == 1
        return new_workspace(game, depth + 1 + len(self.deeper), self.table if additive and depth > 1 else 0)

    def policy(self, game: Game) -> Policy | None:
        deepest = self.depth + len(self.deeper)
        at_once = game.spec.simultaneous and game.seats > 1
        if game.spec.hidden or at_once or self.threads > 1 or deepest > DEEPEST_RULE:
            return None
        binding = bind(game, self.objective, self.evaluation, None)
        leaf = binding.leaf(
            game, playout_depth(game, self.rollout_depth), self.method if game.seats == 1 else 1, np.zeros(1, np.uint64)
        )
        rule = Rule(
            self.new_workspace(game, binding, self.depth), game.states(1), self.depth, self.deeper, self.samples,
            self.nodes or UNLIMITED, np.zeros(game.spec.widest, np.int64), leaf,
        )  # fmt: skip
        return Policy(attach(expectimax_policy, **binding.functions), rule, searches=True)


class Search:
    """One decision."""

    def __init__(self, agent: Expectimax, view: View, rng: Rng, sign: StopSign) -> None:
        self.agent, self.view, self.rng, self.sign = agent, view, rng, sign
        game = view.game
        self.binding = bind(game, agent.objective, agent.evaluation, None)
        self.search = specialise(action_worth, game, **self.binding.functions)
        self.method = agent.method if game.seats == 1 else 1

    def workspace(self, depth: int, seed: int) -> Workspace:
        """Work space whose samples are those of a seed."""
        space = self.agent.new_workspace(self.view.game, self.binding, depth)
        space.draws[0] = seed
        if depth > 1 and self.agent.nodes is not None:
            space.counts[LIMIT] = self.agent.nodes
        return space

    def one_action(self, space: Workspace, world: States, action: int, depth: int, rng: Rng) -> float | None:
        """The worth of an action; None if the limit of nodes was reached, or the sign set."""
        agent, view, cell = self.agent, self.view, self.sign.cell
        leaf = self.binding.leaf(view.game, playout_depth(view.game, agent.rollout_depth), self.method, rng, self.sign)
        space.counts[NODES] = 0
        finished = self.search(space, world, view.seat, action, depth, agent.deeper, agent.samples, leaf, cell)
        return float(space.values[0, view.seat]) if finished and not self.sign.is_set() else None

    def within_nodes(self, worlds: Sequence[States]) -> tuple[int, NDArray[np.float64]]:
        """The deepest search that needs no more nodes than allowed."""
        seed, rng = seed_of(self.rng), self.rng.copy()
        for depth in range(self.agent.depth, 1, -1):
            found = self.all_worlds(worlds, depth, seed)
            if self.agent.nodes is None or self.sign.is_set() or not np.isnan(found).any():
                return depth, found
            self.rng[:] = rng
        return 1, self.all_worlds(worlds, 1, seed)

    def all_worlds(self, worlds: Sequence[States], depth: int, seed: int) -> NDArray[np.float64]:
        """The worth of every action in every world; nan where the sign or the limit of nodes came first."""
        legal = self.view.legal
        if self.agent.threads == 1:
            space = self.workspace(depth, seed)
            found = [[self.one_action(space, world, a, depth, self.rng) for a in legal] for world in worlds]
            return np.array(found, np.float64)
        jobs = [(world, action) for world in worlds for action in legal]

        def job(number: int) -> float | None:
            world, action = jobs[number]
            return self.one_action(self.workspace(depth, seed), world, action, depth, spawn(seed, number))

        with threads_for(self.agent.threads, self.sign) as pool:
            return np.array(list(pool.map(job, range(len(jobs)))), np.float64).reshape(len(worlds), len(legal))

    def until(self, ends: float, worlds: Sequence[States]) -> tuple[int, NDArray[np.float64]]:
        """The deepest search that is finished by `ends`; the first depth has a moment more if need be."""
        found = self.all_worlds(worlds, 1, seed_of(self.rng))
        if np.isnan(found).any() and self.sign.last_chance():
            found = self.all_worlds(worlds, 1, seed_of(self.rng))
        deepest = 1
        for depth in range(2, DEEPEST + 1):
            deeper = self.before(ends, worlds, depth)
            if deeper is None:
                break
            deepest, found = depth, deeper
        return deepest, found

    def before(self, ends: float, worlds: Sequence[States], depth: int) -> NDArray[np.float64] | None:
        """The worth of every action in every world, None if `ends` comes first. Works in slices of nodes."""
        seed = seed_of(self.rng)
        jobs = [(world, action) for world in worlds for action in self.view.legal]

        def job(number: int) -> float | None:
            world, action = jobs[number]
            space = self.workspace(depth, seed)

            def attempt(nodes: int) -> float | None:
                space.counts[LIMIT] = min(nodes, UNLIMITED)
                return self.one_action(space, world, action, depth, spawn(seed, number))

            return afford(ends, attempt, FIRST_NODES, self.sign)

        with threads_for(self.agent.threads, self.sign) as pool:
            values = list(pool.map(job, range(len(jobs))))
        if any(value is None for value in values):
            return None
        return np.array(values, float).reshape(len(worlds), len(self.view.legal))
