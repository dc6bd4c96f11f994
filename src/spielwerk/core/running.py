"""Matches played, without their records: in compiled code where all agents can, else decision by decision.

A match is a pure function of game, agents and seed: the n-th chance event always has the stream (seed, 0, n), the
agent on seat k the stream (seed, 1 + k), random first moves (seed, OPENING). Whole matches of agents with a compiled
policy run inside compiled code, in `core.kernel.loops`, with the same streams and so with the same result.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.agent import Agent, Policy
from spielwerk.core.clock import Budget, Limit, Stopped, StopSign, Thinkers, now
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.contract import Room
from spielwerk.core.kernel.loops import (
    OPENING,
    Seating,
    batch_loop,
    decide_by_view,
    decide_openly,
    opening_loop,
    points_of,
    rules_of,
)
from spielwerk.core.kernel.rng import Rng, pick, spawn
from spielwerk.core.linker import specialise
from spielwerk.core.position import Position, States, View
from spielwerk.core.words import say

WARM_MATCHES, WARM_MOMENTS = 20, 40  # in which a choice is looked for


class Played(NamedTuple):
    """What is left of a match: enough to make its record."""

    seed: int
    scores: tuple[float, ...]
    results: tuple[float, ...]
    final: States
    log: NDArray[np.int16]  # the actions of all seats, in order of events and seats
    seconds: float
    forfeit: int | None = None  # the seat that was late and so lost the match for its team


def run(
    game: Game,
    agents: Sequence[Agent],
    seed: int,
    budget: Budget | None = None,
    *,
    opening: int = 0,
    limit: Limit | None = None,
    at_once: bool = False,
    sign: StopSign | None = None,
) -> Played:
    """Play one match; in compiled code where all agents can."""
    return run_many(game, agents, [seed], budget, opening=opening, limit=limit, at_once=at_once, sign=sign)[0]


def run_many(
    game: Game,
    agents: Sequence[Agent],
    seeds: Sequence[int],
    budget: Budget | None = None,
    *,
    opening: int = 0,
    limit: Limit | None = None,
    at_once: bool = False,
    sign: StopSign | None = None,
) -> list[Played]:
    """Play one match per seed; in compiled code where all agents can and nobody looks at the clock. At the first
    `opening` moments at which anybody decides, everybody plays at random: the same moves for the same seed, whoever
    plays. Raises Stopped when the sign is set."""
    if len(agents) != game.seats:
        phrase = "{game}: {seats} {seats:seat needs one agent|seats need as many agents}, not {agents}"
        raise SpielwerkError(say(phrase, game=game.title, seats=game.seats, agents=len(agents)))
    with StopSign(budget.sign if sign is None and budget is not None else sign) as own:
        asking = Asking(agents, replace(budget or Budget(), sign=own), limit, at_once)
        asking.prepare(game)
        policies = compiled_policies(game, agents) if budget is None and limit is None else None
        if policies:
            return _run_compiled(game, *policies, seeds, opening, own)
        return [_run_python(game, asking, seed, opening) for seed in seeds]


def compiled_policies(game: Game, agents: Sequence[Agent]) -> tuple[list[int], list[Policy]] | None:
    """For every seat the number of its policy, and the policies; None if whole matches cannot run compiled."""
    distinct = list(dict.fromkeys(agents))
    policies = [agent.policy(game) for agent in distinct]
    found = [policy for policy in policies if policy is not None]
    return ([distinct.index(agent) for agent in agents], found) if len(found) == len(distinct) else None


def _run_compiled(
    game: Game, slots: list[int], policies: list[Policy], seeds: Sequence[int], opening: int, sign: StopSign
) -> list[Played]:
    rule, weights = rules_of(policies)
    loop = specialise(batch_loop, game, rule=rule, decision=decide_by_view if game.spec.hidden else decide_openly)
    keys = np.array([seed % 2**64 for seed in seeds], np.uint64)
    states = game.states(len(seeds))
    begun, openings, events = _opened(game, keys, opening)
    lengths = np.zeros(len(seeds), np.int64)
    log = np.zeros(1 << 16, np.int16)
    rngs, rng = np.zeros((game.seats, 1), np.uint64), np.zeros(1, np.uint64)
    room = reduce(Room.and_for, (policy.room for policy in policies))
    seating = Seating(np.array(slots, np.int64), weights, game.scratch(room, sign), game.states(1), rng, rngs)

    def play_from(number: int) -> int:
        """Play from match `number` on as far as the log has room; returns how many are complete then."""
        return int(loop(states, keys, events, number, seating, log, lengths))

    play_from(len(seeds))  # plays nothing, but compiles, which is not the time of a match
    began = time.perf_counter()
    played: list[Played] = []
    done = 0
    while done < len(seeds):
        states[done:] = begun[done:] if opening else begun[0]
        upto = play_from(done)
        if sign.is_set():
            raise Stopped
        seconds = (time.perf_counter() - began) / max(upto - done, 1)
        if upto == done:
            log = np.zeros(int(lengths[done]), np.int16)
            continue
        scores, results = np.zeros((upto - done, game.seats)), np.zeros((upto - done, game.seats))
        game.call(points_of, states[done:upto], scores, results)
        filled = 0
        for place, number in enumerate(range(done, upto)):
            moves = log[filled : filled + lengths[number]]
            moves = np.concatenate((openings[number], moves)) if opening else moves.copy()
            filled += lengths[number]
            final = states[number : number + 1].copy()
            row = tuple(scores[place].tolist()), tuple(results[place].tolist())
            played.append(Played(seeds[number], *row, final, moves, seconds))
        done = upto
        began = time.perf_counter()
    return played


def _opened(
    game: Game, keys: NDArray[np.uint64], opening: int
) -> tuple[States, Sequence[NDArray[np.int16]], NDArray[np.int64]]:
    """For every match its state after its random first moves, these moves, and the number of chance events so far;
    without such moves one state for all."""
    start, count = game.opening().state, len(keys)
    events = np.zeros(count, np.int64)
    if not opening:
        return start, (), events
    states = game.states(count)
    states[:] = start[0]
    log = np.zeros((count, min(opening, game.spec.longest) * game.seats), np.int16)
    lengths, rng, opening_rng = np.zeros(count, np.int64), np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    game.call(opening_loop, states, keys, opening, game.scratch(), rng, opening_rng, log, lengths, events)
    return states, [moves[:length] for moves, length in zip(log, lengths, strict=True)], events


def _run_python(game: Game, asking: "Asking", seed: int, opening: int) -> Played:
    began = time.perf_counter()
    position = game.opening(seed)
    rngs, opening_rng = [spawn(seed, 1 + seat) for seat in range(game.seats)], spawn(seed, OPENING)
    log: list[int] = []
    moments, forfeit = 0, None
    while forfeit is None and not position.settle().over:
        actions: dict[int, int | None]
        if moments < opening:
            legal = {seat: position.legal(seat) for seat in position.actors}
            actions = {seat: allowed[pick(opening_rng, len(allowed))] for seat, allowed in legal.items()}
        else:
            actions = asking.decide(position, rngs)
        if asking.stopped():
            raise Stopped
        moments += 1
        forfeit = next((seat for seat, action in actions.items() if action is None), None)
        if forfeit is None:
            moves = {seat: action for seat, action in actions.items() if action is not None}
            log += moves.values()
            position.apply(moves)
    seconds = time.perf_counter() - began
    results = list(position.result)
    if forfeit is not None:
        teams = position.teams
        results = [-np.inf if teams[seat] == teams[forfeit] else value for seat, value in enumerate(results)]
    final = Played(seed, position.score, tuple(results), position.state, np.array(log, np.int16), seconds)
    return final._replace(forfeit=forfeit)


class Asking:
    """The agents of a match, and how they are asked. A match in which nobody is late is the same however that is."""

    def __init__(
        self, agents: Sequence[Agent], budget: Budget, limit: Limit | None = None, at_once: bool = False
    ) -> None:
        self.agents, self.budget, self.limit, self.at_once = agents, budget, limit, at_once
        self.thinkers = Thinkers()

    def stopped(self) -> bool:
        """Whether somebody stopped the match."""
        return self.budget.sign is not None and self.budget.sign.is_set()

    def prepare(self, game: Game) -> None:
        """All agents can play the game; where a clock runs, everything is compiled before it does."""
        late = self.limit.late if self.limit else None
        for agent in dict.fromkeys([*self.agents, *([late] if isinstance(late, Agent) else [])]):
            agent.require(game)
            if self.limit is not None and not self.stopped():
                warm(game, agent)

    def decide(
        self, position: Position, rngs: Sequence[Rng], seats: Sequence[int] | None = None
    ) -> dict[int, int | None]:
        """What every seat that must decide does, or only `seats`; None if its agent was late and so loses."""
        views = {seat: position.view(seat) for seat in (position.actors if seats is None else seats)}
        if self.limit is None and (not self.at_once or len(views) == 1):
            return {
                seat: self.agents[seat].decide(view, self.budget, rngs[seat]).action for seat, view in views.items()
            }
        budget, patience = self.budget, None
        if self.limit is not None:
            own = self.budget.ends()
            ends = now() + self.limit.seconds
            budget = replace(self.budget, seconds=None, deadline=ends if own is None else min(own, ends))
            patience = ends + self.limit.grace
        lent = {seat: rngs[seat].copy() for seat in views}  # who is late may still draw from it
        asked = {seat: self.thinkers.ask(self.agents[seat], view, budget, lent[seat]) for seat, view in views.items()}
        actions: dict[int, int | None] = {}
        for seat, view in views.items():
            try:
                actions[seat] = asked[seat].result(None if patience is None else max(patience - now(), 0.0)).action
                rngs[seat][0] = lent[seat][0]
            except TimeoutError:
                self.thinkers.leave(asked[seat])
                actions[seat] = self.instead(view, rngs[seat])
        return actions

    def instead(self, view: View, rng: Rng) -> int | None:
        """What the limit says of an agent that is late."""
        assert self.limit is not None, "nobody is late without a limit"
        if self.limit.late == "forfeit":
            return None
        if isinstance(self.limit.late, Agent):
            return self.limit.late.decide(view, Budget(sign=self.budget.sign), rng).action
        return view.legal[pick(rng, len(view.legal))]


def warm(game: Game, agent: Agent) -> None:
    """Let an agent decide once, where there is something to decide: what it needs is compiled then."""
    agent.require(game)
    choice = choice_in(game)
    if choice is not None:
        agent.decide(choice, Budget(seconds=0.01, playouts=8), spawn(0, 2))


def choice_in(game: Game) -> View | None:
    """What a seat knows that has something to decide, early in a match; None if hardly anybody ever has."""
    for seed in range(WARM_MATCHES):
        position = game.new(seed)
        for _ in range(WARM_MOMENTS):
            if position.over:
                break
            views = [position.view(seat) for seat in position.actors]
            choice = next((view for view in views if len(view.legal) > 1), None)
            if choice is not None:
                return choice
            position.play({view.seat: view.legal[0] for view in views})
    return None
