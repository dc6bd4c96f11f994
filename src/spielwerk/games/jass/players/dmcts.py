"""dmcts: determinized search for Schieber Jass over sampled worlds, exact in the last tricks.

A network can play the imagined deals (`playouts=(net:model=MODEL)`), judge them (`evaluation=net@MODEL`), say which
cards are worth trying (`prior`), and which worlds explain what the others did (`belief`).

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
from spielwerk.agents.net import NetAgent
from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.clock import Budget, spend
from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.game import Game
from spielwerk.core.kernel.contract import Leaf, Room
from spielwerk.core.kernel.objective import OBJECTIVES
from spielwerk.core.kernel.rng import Rng, seed_of, spawn
from spielwerk.core.linker import specialise
from spielwerk.core.position import Position, View
from spielwerk.core.ranges import ITERATIONS, SHARE, THREADS, Range
from spielwerk.core.signs import StopSign
from spielwerk.games.jass.game import Jass
from spielwerk.games.jass.kernel.solve import new_memory
from spielwerk.games.jass.kernel.table import ANNOUNCE, FIRST_MODE
from spielwerk.games.jass.players import say
from spielwerk.games.jass.players.kernel.dmcts import (
    DRAWN,
    FACTS,
    NEVER,
    STATES,
    STRANGE_WORLDS,
    WORLDS,
    Belief,
    Finish,
    Sums,
    all_alike,
    compare,
    nothing,
)
from spielwerk.games.jass.players.rules import JassRules
from spielwerk.nets.network import load_network
from spielwerk.search.kernel.playout import standing
from spielwerk.search.net_look import look
from spielwerk.search.net_model import chances

BLOCKS = 8
STAGES = 4  # after each of which actions may be dropped, where worlds are counted
FEWEST = 24  # worlds before an action is dropped


NET = {"playouts": "net", "belief": "1", "proposals": "3", "drop": "3"}


class Bound(NamedTuple):
    """What the search is specialised with, and the arguments that go with it."""

    functions: dict[str, Callable[..., Any]]
    finish: Finish
    belief: Belief
    weights: Any  # of the evaluation
    room: Room


class Search:
    """One stream of worlds: its work space, and what it has found."""

    def __init__(self, agent: "Dmcts", view: View, seed: int, number: int, sign: StopSign) -> None:
        game = view.game
        self.bound = agent.bind(game)  # a policy may hold work space of its own
        self.root = view.state if agent.evaluation == "playout" else game.horizon(view).state
        self.seat, self.states, self.memory = view.seat, game.states(STATES), new_memory(14, sign)
        widest = game.spec.widest
        pairs = (widest, widest)
        self.sums = Sums(
            np.zeros(widest), np.zeros(widest), np.zeros(pairs), np.zeros(pairs), np.zeros(widest, np.int64)
        )
        scratch, rng = game.scratch(self.bound.room, sign), spawn(seed, number)
        self.leaf = Leaf(self.bound.weights, 0, 1, game.spec.scale, scratch, rng, np.zeros(4), np.zeros((4, 0)))
        self.compare = specialise(compare, game, **self.bound.functions)

    def play(self, worlds: int, tried: NDArray[np.bool_]) -> int:
        """Look at so many more worlds; returns at how many it did."""
        before, sums, bound = int(self.sums.visits.max()), self.sums, self.bound
        where = self.root, self.states, self.seat
        self.compare(*where, worlds, tried, bound.finish, bound.belief, self.memory, self.leaf, sums)
        return int(sums.visits.max()) - before


class Result(NamedTuple):
    """What all streams have found together."""

    mean: NDArray[np.float64]  # nan = never tried; of an action that was dropped: the best, less what it was behind
    error: NDArray[np.float64]
    visits: NDArray[np.int64]
    behind: NDArray[np.float64]  # standard errors of the difference by which an action is behind the best
    best: int  # of those that were tried to the end

    def with_best_card(self, announced: int, card: int) -> "Result":
        """An announcement was tried with the card that the players of imagined deals would play after it. What it gains
        over that card without it, it gains over the best one, which is found by another search."""
        mean = self.mean.copy()
        mean[announced] += np.nanmax(np.delete(mean, announced)) - mean[card]
        return self._replace(mean=mean, best=_best(mean, self.visits))

    @staticmethod
    def of(searches: list[Search], count: int) -> "Result":
        added = Sums(*(np.sum(parts, axis=0) for parts in zip(*(search.sums for search in searches), strict=True)))
        return Result.from_sums(added, sum(float(search.bound.belief.facts[DRAWN]) for search in searches), count)

    @staticmethod
    def from_sums(sums: Sums, drawn: float, count: int) -> "Result":
        """`drawn`: how many worlds differed from the one before."""
        leads, squares, gaps, square_gaps = sums.leads[:count], sums.squares[:count], sums.gaps, sums.square_gaps
        visits = sums.visits[:count]
        played = np.maximum(visits, 1)
        mean = np.where(visits > 0, leads / played, np.nan)
        best = _best(mean, visits)
        gap, square = gaps[best, :count] / played, square_gaps[best, :count] / played
        # worlds that are believed come several times in a row: only different ones are evidence
        repeated = np.sqrt(max(1.0, float(visits.max()) / max(drawn, 1.0)))
        error = repeated * np.sqrt(np.maximum(squares / played - mean**2, 0.0) / played)
        apart = repeated * np.sqrt(np.maximum(square - gap**2, 0.0) / played)
        behind = np.where(visits > 0, gap / np.maximum(apart, 1e-9), np.inf)
        dropped = (visits > 0) & (visits < visits.max())
        return Result(np.where(dropped, mean[best] - gap, mean), error, visits, behind, best)


def _best(mean: NDArray[np.float64], visits: NDArray[np.int64]) -> int:
    """The best action of those that were tried to the end."""
    return int(np.argmax(np.where((visits > 0) & (visits == visits.max()), mean, -np.inf)))


@dataclass(frozen=True)
class Candidates:
    """The legal actions, and which of them are still tried."""

    tried: NDArray[np.bool_]  # [widest]
    kept: list[int]  # these always are
    count: int
    drop: float  # see Dmcts

    def keep(self, worth: NDArray[np.bool_]) -> None:
        self.tried[: self.count] = worth
        self.tried[self.kept] = True

    def try_in(self, searches: list[Search], sizes: list[int], pool: ThreadPoolExecutor | None) -> list[int]:
        """Try them in so many more worlds of every search, then drop those that are far behind; returns in how many
        they were tried."""
        made = list((pool.map if pool else map)(Search.play, searches, sizes, [self.tried] * len(searches)))
        if self.drop > 0.0:
            found = Result.of(searches, self.count)
            if found.visits.max() >= FEWEST:
                self.keep(self.tried[: self.count] & (found.behind < self.drop))
        return made


@dataclass(frozen=True)
class Dmcts(Agent):
    """Jass: all legal cards and modes compared on the same imagined deals, finished by rule players and exactly."""

    name: ClassVar[str] = "dmcts"
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "net": NET,
        "challenge": NET | {"opponent_model": "net-jass-javabot"},  # they may play like the challenge's winner
    }

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
        int, Range(0, 9), "tricks that are played before the evaluation judges, at the next turn of who searches"
    ] = 1
    network: Annotated[
        str | None, "run folder, file or name of a network with a policy, for prior and belief; none = the shipped one"
    ] = None
    prior: Annotated[float, SHARE, "actions that the network holds less likely than this are not tried"] = 0.0
    belief: Annotated[
        float,
        Range(0, 4),
        "how much the others' choices tell of their cards: 0 = all deals that are possible are equally likely",
    ] = 0.0
    proposals: Annotated[int, Range(1, 10_000), "deals that are proposed for each that is believed and played"] = 4
    drop: Annotated[
        float, Range(0, 100), "an action so many standard errors behind the best is tried no more; 0 = all are"
    ] = 0.0
    opponent_model: Annotated[
        str | None,
        "run folder, file or name of a network that plays as opponents of another kind do; none = they play as we do",
    ] = None
    opponent_prior: Annotated[
        float, SHARE, "how likely the opponents are of that kind, before they have done anything in the deal"
    ] = 0.5
    modes: Annotated[Agent | None, "agent that chooses modes and pushes; none = the search does"] = None
    threads: Annotated[int, THREADS, "threads for one decision"] = 1

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        forced = only_action(view)
        if forced:
            return forced
        if self.modes is not None and min(view.legal) >= FIRST_MODE:
            return self.modes.decide(view, budget, rng)
        game, legal = view.game, view.legal
        specialise(compare, game, **self.bind(game).functions)
        seed = seed_of(rng)
        kept = self._announcing(view, rng)
        candidates = Candidates(np.zeros(game.spec.widest, bool), kept, len(legal), self.drop)
        candidates.keep(self._worth_trying(view, rng))
        if budget.ends() is None and self.seconds is not None:
            budget = replace(budget, seconds=self.seconds)
        with budget.watch() as sign, threads_for(self.threads, sign) if self.threads > 1 else nullcontext() as pool:

            def search(number: int) -> Search:
                return Search(self, view, seed, number, sign)

            if sign.ends is None:
                searches = self._counted(budget.playouts or self.worlds, search, candidates, pool)
            else:
                searches = self._until(sign.ends, sign, search, candidates, pool)
        found = Result.of(searches, len(legal))
        if kept:
            found = found.with_best_card(*kept)
        if not found.visits.any():
            return nothing_found(view, rng)
        return Decision(
            legal[found.best],
            values=tuple(float(value) for value in found.mean),
            visits=tuple(int(count) for count in found.visits),
            error=tuple(float(value) for value in found.error),
            unit="lead",
            within=game.spec.horizon,
            notes={"worlds": int(found.visits.max())} | self._kind_of_opponents(searches),
        )

    def _kind_of_opponents(self, searches: list[Search]) -> dict[str, float]:
        """How likely the opponents are of the other kind, if what they did says something of it. It is what the two
        networks hold of it: they need not be right about how often somebody plays a card."""
        if self.opponent_model is None or self.belief == 0.0:
            return {}
        worlds, strange = (
            sum(float(search.bound.belief.facts[fact]) for search in searches) for fact in (WORLDS, STRANGE_WORLDS)
        )
        return {"chance of opponents of the other kind": strange / worlds}

    def _announcing(self, view: View, rng: Rng) -> list[int]:
        """The place of the announcement among the legal actions, and of the card that is played after it; [] if there
        is nothing to announce."""
        if ANNOUNCE not in view.legal:
            return []
        after = Position(view.game, view.state.copy(), 0)
        after.apply({view.seat: ANNOUNCE})
        card = self._player(view.game).act(after.view(view.seat), rng.copy())
        return [view.legal.index(ANNOUNCE), view.legal.index(card)]

    def _worth_trying(self, view: View, rng: Rng) -> NDArray[np.bool_]:
        """Of the legal actions, those that the network holds likely enough, and the likeliest."""
        if self.prior == 0.0:
            return np.ones(len(view.legal), bool)
        said = look(load_network(view.game, self.network), view, rng.copy()).after
        likely = np.ones(1) if said is None else said[list(view.legal)]
        likely = np.where(np.isnan(likely), 1.0, likely)  # actions that it does not know
        worth: NDArray[np.bool_] = likely >= min(self.prior, float(likely.max()))
        return worth

    def _counted(
        self, worlds: int, search: Callable[[int], Search], candidates: Candidates, pool: ThreadPoolExecutor | None
    ) -> list[Search]:
        """So many worlds in blocks, the same whoever plays them; if actions may be dropped, in stages."""
        searches = [search(number) for number in range(min(worlds, BLOCKS))]
        stages = STAGES if self.drop and worlds >= STAGES * BLOCKS else 1
        for stage in range(stages):
            upto, before = worlds * (stage + 1) // stages, worlds * stage // stages
            sizes = [
                (upto // BLOCKS + (n < upto % BLOCKS)) - (before // BLOCKS + (n < before % BLOCKS))
                for n in range(len(searches))
            ]
            candidates.try_in(searches, sizes, pool)
        return searches

    def _until(
        self,
        ends: float,
        sign: StopSign,
        search: Callable[[int], Search],
        candidates: Candidates,
        pool: ThreadPoolExecutor | None,
    ) -> list[Search]:
        """Worlds until the time is up, more and more at a time; at least one."""
        searches = [search(number) for number in range(self.threads)]

        def more(size: int) -> int:
            return min(size, max(candidates.try_in(searches, [size] * self.threads, pool)))

        spend(ends, more, 1, sign)
        return searches

    def why_not(self, game: Game) -> str | None:
        if not isinstance(game, Jass):
            return say("its playouts know Jass only")
        try:
            self.bind(game)
            if self.modes is not None:
                self.modes.require(game)
            if self.prior > 0.0:
                load_network(game, self.network).head("policy")
        except SpielwerkError as problem:
            return str(problem)
        return None

    def bind(self, game: Game) -> Bound:
        """Who plays the imagined deals, who judges them, and who says which to believe."""
        play = self._player(game)
        believed = Policy(all_alike, 0)
        if self.belief > 0.0:
            believed = chances(load_network(game, self.network), game)
        others, their_chances, share = Policy(nothing, 0), Policy(all_alike, 0), 0.0
        if self.opponent_model is not None:
            others, share = self._compiled(NetAgent(self.opponent_model), game), self.opponent_prior
            if self.belief > 0.0:
                their_chances = chances(load_network(game, self.opponent_model), game)
        functions = {
            "policy": play.function, "log_chance": believed.function,
            "strangers_policy": others.function, "strangers_log_chance": their_chances.function,
        }  # fmt: skip
        room = play.room.and_for(believed.room).and_for(others.room).and_for(their_chances.room)
        belief = Belief(
            self.belief, self.proposals, believed.weights, share, their_chances.weights, np.zeros(FACTS),
            np.zeros(game.spec.widest),
        )  # fmt: skip
        if self.evaluation == "playout":
            functions |= {"evaluate": standing, "worth": OBJECTIVES["margin"]}
            return Bound(functions, Finish(self.exact, NEVER, False, play.weights, others.weights), belief, 0, room)
        judge = registry.evaluation(self.evaluation, game)
        if judge.objective not in ("margin", "points"):
            phrase = "dmcts compares leads, and {evaluation} does not judge in points; take a network whose value does"
            raise Unfit(say(phrase, evaluation=self.evaluation))
        functions |= {"evaluate": judge.function, "worth": OBJECTIVES[judge.objective]}
        finish = Finish(self.exact, self.tricks, judge.objective == "points", play.weights, others.weights)
        return Bound(functions, finish, belief, judge.weights, judge.room.and_for(room))

    def _player(self, game: Game) -> Policy:
        return self._compiled(self.playouts or JassRules(), game)

    @staticmethod
    def _compiled(agent: Agent, game: Game) -> Policy:
        agent.require(game)
        rule = agent.policy(game)
        if rule is None:
            phrase = "{agent} has no compiled policy for {game}, so it cannot play the imagined deals"
            raise Unfit(say(phrase, agent=agent.name, game=game.title))
        return rule
