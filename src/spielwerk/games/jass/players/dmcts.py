"""dmcts: determinized search for Schieber Jass over sampled worlds, exact in the last tricks.

A network can play the imagined deals (`playouts=(net:model=MODEL)`) or judge them (`evaluation=net@MODEL`).

The work is cut into blocks with their own random streams, so that the answer is the same for any number of threads.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.agents.common import nothing_found, only_action, threads_for
from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget, spend
from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.game import Game
from spielwerk.core.kernel.contract import Leaf, Room
from spielwerk.core.kernel.objective import OBJECTIVES
from spielwerk.core.kernel.rng import Rng, seed_of, spawn
from spielwerk.core.linker import specialise
from spielwerk.core.position import View
from spielwerk.core.ranges import ITERATIONS, THREADS, Range
from spielwerk.core.signs import StopSign
from spielwerk.games.jass.game import Jass
from spielwerk.games.jass.kernel.solve import new_memory
from spielwerk.games.jass.players import say
from spielwerk.games.jass.players.kernel.dmcts import NEVER, Finish, compare
from spielwerk.games.jass.players.rules import JassRules, rules_weights
from spielwerk.search.kernel.playout import standing

BLOCKS = 8


class Bound(NamedTuple):
    """What the search is specialised with, and the arguments that go with it."""

    functions: dict[str, Callable[..., Any]]
    finish: Finish
    weights: Any  # of the evaluation
    room: Room


class Block(NamedTuple):
    """Sums per action."""

    leads: NDArray[np.float64]
    squares: NDArray[np.float64]
    visits: NDArray[np.int64]


@dataclass(frozen=True)
class Dmcts(Agent):
    """Jass: all legal cards and modes compared on the same imagined deals, finished by rule players and exactly."""

    name: ClassVar[str] = "dmcts"

    worlds: Annotated[int, ITERATIONS, "imagined deals per decision"] = 200
    seconds: Annotated[
        float | None, Range(0.001, 86_400), "think as long as this instead, whatever the number of worlds"
    ] = None
    exact: Annotated[int, Range(0, 7), "tricks from the end that are solved exactly in every world"] = 3
    playouts: Annotated[Agent | None, "agent whose compiled policy plays the cards; none = rules"] = None
    evaluation: Annotated[
        str, "what judges a deal: playout = it is played to its end; or another evaluation, as net@MODEL"
    ] = "playout"
    tricks: Annotated[
        int, Range(0, 9), "tricks that are played before the evaluation judges; 0 = it judges right after the action"
    ] = 1
    threads: Annotated[int, THREADS, "threads for one decision"] = 1

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        forced = only_action(view)
        if forced:
            return forced
        game, legal = view.game, view.legal
        search = specialise(compare, game, **self._bind(game).functions)
        seed = seed_of(rng)
        root = view.state if self.evaluation == "playout" else game.horizon(view).state

        def block(number: int, worlds: int) -> Block:
            widest = game.spec.widest
            sums = Block(np.zeros(widest), np.zeros(widest), np.zeros(widest, np.int64))
            bound = self._bind(game)  # a policy may hold work space of its own
            scratch = game.scratch(bound.room, sign)
            leaf = Leaf(
                bound.weights, 0, 1, game.spec.scale, scratch, spawn(seed, number), np.zeros(4), np.zeros((4, 0))
            )
            search(root, game.states(2), view.seat, worlds, bound.finish, new_memory(14, sign), leaf, *sums)
            return sums

        if budget.ends() is None and self.seconds is not None:
            budget = replace(budget, seconds=self.seconds)
        with budget.watch() as sign, threads_for(self.threads, sign) if self.threads > 1 else nullcontext() as pool:
            if sign.ends is None:
                wanted = budget.playouts or self.worlds
                sizes = [wanted // BLOCKS + (n < wanted % BLOCKS) for n in range(BLOCKS)]
                sizes = [size for size in sizes if size]
                done = list((pool.map if pool else map)(block, range(len(sizes)), sizes))
            else:
                done = self._until(sign.ends, sign, block, pool)
        leads, squares, visits = (np.sum(parts, axis=0)[: len(legal)] for parts in zip(*done, strict=True))
        if not visits.any():
            return nothing_found(view, rng)
        worlds = int(visits.max())
        played = np.maximum(visits, 1)
        mean = np.where(visits > 0, leads / played, np.nan)
        error = np.sqrt(np.maximum(squares / played - mean**2, 0.0) / played)
        return Decision(
            legal[int(np.argmax(np.where(visits > 0, mean, -np.inf)))],
            values=tuple(float(value) for value in mean),
            visits=tuple(int(count) for count in visits),
            error=tuple(float(value) for value in error),
            unit="lead",
            within=game.spec.horizon,
            notes={"worlds": worlds},
        )

    def _until(
        self, ends: float, sign: StopSign, block: Callable[[int, int], Block], pool: ThreadPoolExecutor | None
    ) -> list[Block]:
        """Blocks of growing size until the time is up; at least one."""
        done: list[Block] = []

        def more(size: int) -> int:
            numbers = range(len(done), len(done) + self.threads)
            made = list((pool.map if pool else map)(block, numbers, [size] * self.threads))
            done.extend(made)
            return size if any(sums.visits.any() for sums in made) else 0

        spend(ends, more, 1, sign)
        return done

    def why_not(self, game: Game) -> str | None:
        if not isinstance(game, Jass):
            return say("its playouts know Jass only")
        try:
            self._bind(game)
        except SpielwerkError as problem:
            return str(problem)
        return None

    def _bind(self, game: Game) -> Bound:
        """Who plays the imagined deals, and who judges them."""
        play = self._player(game)
        modes = rules_weights()
        if self.evaluation == "playout":
            functions = {"policy": play.function, "evaluate": standing, "worth": OBJECTIVES["margin"]}
            return Bound(functions, Finish(self.exact, NEVER, False, play.weights, modes), 0, play.room)
        judge = registry.evaluation(self.evaluation, game)
        if judge.objective not in ("margin", "points"):
            phrase = "dmcts compares leads, and {evaluation} does not judge in points; take a network whose value does"
            raise Unfit(say(phrase, evaluation=self.evaluation))
        functions = {"policy": play.function, "evaluate": judge.function, "worth": OBJECTIVES[judge.objective]}
        finish = Finish(self.exact, self.tricks, judge.objective == "points", play.weights, modes)
        return Bound(functions, finish, judge.weights, judge.room.and_for(play.room))

    def _player(self, game: Game) -> Policy:
        agent = self.playouts or JassRules()
        agent.require(game)
        rule = agent.policy(game)
        if rule is None:
            phrase = "{agent} has no compiled policy for {game}, so it cannot play the imagined deals"
            raise Unfit(say(phrase, agent=agent.name, game=game.title))
        return rule
