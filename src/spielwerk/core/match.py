"""play(): the one loop. Record and replay().

A match is a pure function of game, agents and seed: the n-th chance event always has the stream (seed, 0, n), the
agent on seat k the stream (seed, 1 + k). Whole matches of agents with a compiled policy run inside compiled code, in
`core.loops`, with the same streams and so with the same result.

A record says what happened in words of the game, so that a match played elsewhere can be recorded and replayed too.
"""

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from spielwerk.core.agent import Agent, Policy
from spielwerk.core.clock import Budget, Limit, Thinkers, now
from spielwerk.core.errors import BadRecord, SpielwerkError
from spielwerk.core.game import Game, Position, States, View
from spielwerk.core.kernel.contract import Room
from spielwerk.core.kernel.loops import Seating, batch_loop, decide_by_view, decide_openly, points_of, rules_of
from spielwerk.core.kernel.rng import Rng, pick, spawn
from spielwerk.core.linker import specialise
from spielwerk.core.words import say

FORMAT = 1


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
    limit: Limit | None = None,
    at_once: bool = False,
) -> Played:
    """Play one match; in compiled code where all agents can."""
    return run_many(game, agents, [seed], budget, limit, at_once)[0]


def run_many(
    game: Game,
    agents: Sequence[Agent],
    seeds: Sequence[int],
    budget: Budget | None = None,
    limit: Limit | None = None,
    at_once: bool = False,
) -> list[Played]:
    """Play one match per seed; in compiled code where all agents can and nobody looks at the clock."""
    if len(agents) != game.seats:
        phrase = "{game}: {seats} seats need as many agents, not {agents}"
        raise SpielwerkError(say(phrase, game=game.title, seats=game.seats, agents=len(agents)))
    for agent in agents:
        agent.require(game)
    policies = compiled_policies(game, agents) if budget is None and limit is None else None
    if policies:
        return _run_compiled(game, *policies, seeds)
    if limit is not None and isinstance(limit.late, Agent):
        limit.late.require(game)
    asking = Asking(agents, budget or Budget(), limit, at_once)
    return [_run_python(game, asking, seed) for seed in seeds]


def compiled_policies(game: Game, agents: Sequence[Agent]) -> tuple[list[int], list[Policy]] | None:
    """For every seat the number of its policy, and the policies; None if whole matches cannot run compiled."""
    distinct = list(dict.fromkeys(agents))
    policies = [agent.policy(game) for agent in distinct]
    found = [policy for policy in policies if policy is not None]
    return ([distinct.index(agent) for agent in agents], found) if len(found) == len(distinct) else None


def _run_compiled(game: Game, slots: list[int], policies: list[Policy], seeds: Sequence[int]) -> list[Played]:
    rule, weights = rules_of(policies)
    loop = specialise(batch_loop, game, rule=rule, decision=decide_by_view if game.spec.hidden else decide_openly)
    opening = game.opening().state
    keys = np.array([seed % 2**64 for seed in seeds], np.uint64)
    states = game.states(len(seeds))
    lengths = np.zeros(len(seeds), np.int64)
    log = np.zeros(1 << 16, np.int16)
    rngs, rng = np.zeros((game.seats, 1), np.uint64), np.zeros(1, np.uint64)
    room = reduce(Room.and_for, (policy.room for policy in policies))
    seating = Seating(np.array(slots, np.int64), weights, game.scratch(room), game.states(1), rng, rngs)

    def play_from(number: int) -> int:
        """Play from match `number` on as far as the log has room; returns how many are complete then."""
        return int(loop(states, keys, number, seating, log, lengths))

    play_from(len(seeds))  # plays nothing, but compiles, which is not the time of a match
    began = time.perf_counter()
    played: list[Played] = []
    done = 0
    while done < len(seeds):
        states[done:] = opening[0]
        upto = play_from(done)
        seconds = (time.perf_counter() - began) / max(upto - done, 1)
        if upto == done:
            log = np.zeros(int(lengths[done]), np.int16)
            continue
        scores, results = np.zeros((upto - done, game.seats)), np.zeros((upto - done, game.seats))
        game.call(points_of, states[done:upto], scores, results)
        filled = 0
        for place, number in enumerate(range(done, upto)):
            moves = log[filled : filled + lengths[number]].copy()
            filled += lengths[number]
            final = states[number : number + 1].copy()
            row = tuple(scores[place].tolist()), tuple(results[place].tolist())
            played.append(Played(seeds[number], *row, final, moves, seconds))
        done = upto
        began = time.perf_counter()
    return played


def _run_python(game: Game, asking: "Asking", seed: int) -> Played:
    began = time.perf_counter()
    position = game.opening(seed)
    rngs = [spawn(seed, 1 + seat) for seat in range(game.seats)]
    log: list[int] = []
    forfeit = None
    while forfeit is None and not position.settle().over:
        actions = asking.decide(position, rngs)
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
            return self.limit.late.decide(view, Budget(), rng).action
        return view.legal[pick(rng, len(view.legal))]


# --- records ---------------------------------------------------------------------------------------------------------


class Header(msgspec.Struct, frozen=True):
    game: str
    variant: str
    seats: int
    seed: int | None  # None: the match was not played here, or not from a seed
    agents: list[str]
    versions: dict[str, str]


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    scores: list[float]
    digest: str  # of the bytes of the last state
    forfeit: int | None = None  # the seat that did not decide in time and so ended the match


class Record(msgspec.Struct, frozen=True):
    """One match. An event is a chance event in the game's notation, or the moves by seat."""

    header: Header
    events: list[str | dict[str, str]]
    result: Outcome | None = None  # None: not finished
    format: int = FORMAT

    def to_json(self) -> bytes:
        return msgspec.json.format(msgspec.json.encode(self), indent=0)

    @staticmethod
    def from_json(data: bytes | str) -> "Record":
        try:
            record = msgspec.json.decode(data, type=Record)
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise BadRecord(say("this is no record of a match: {problem}", problem=problem)) from problem
        if record.format > FORMAT:
            phrase = "the record has format {format}; this version reads up to {newest}: update spielwerk"
            raise BadRecord(say(phrase, format=record.format, newest=FORMAT))
        return record

    def save(self, path: str | Path) -> None:
        try:
            Path(path).write_bytes(self.to_json())
        except OSError as problem:
            phrase = "cannot write {path}: {problem}"
            raise SpielwerkError(say(phrase, path=path, problem=problem.strerror)) from problem

    @staticmethod
    def load(path: str | Path) -> "Record":
        try:
            return Record.from_json(Path(path).read_bytes())
        except OSError as problem:
            raise BadRecord(say("cannot read {path}: {problem}", path=path, problem=problem.strerror)) from problem


def digest(state: States) -> str:
    """A short fingerprint of a state's bytes."""
    return hashlib.sha256(state.tobytes()).hexdigest()[:16]


def versions() -> dict[str, str]:
    try:
        own = version("spielwerk")
    except PackageNotFoundError:
        own = "source"
    return {"spielwerk": own, "numpy": np.__version__}


def play(
    game: Game,
    agents: Sequence[Agent],
    seed: int = 0,
    budget: Budget | None = None,
    limit: Limit | None = None,
    at_once: bool = False,
) -> Record:
    """Play one match and return its record.

    `budget` is what every agent may think about a decision. With a `limit` nobody waits longer than that, and agents of
    seats that decide at the same moment think at the same time; with `at_once` they do so without a limit, too.
    """
    played = run(game, agents, seed, budget, limit, at_once)
    return record_of(game, [agent.spec for agent in agents], seed, played.log, played.forfeit)


def record_of(
    game: Game,
    agents: Sequence[str],
    seed: int,
    log: Sequence[int] | NDArray[np.int16],
    forfeit: int | None = None,
) -> Record:
    """The record of a match that was played here, from its seed and its actions."""
    position = game.opening(seed)
    events: list[str | dict[str, str]] = []
    left = iter(log)
    played = 0
    while not position.over:
        if forfeit is not None and played == len(log) and position.actor_set:
            break
        if position.actor_set == 0:
            events.append(position.roll_noted())
            continue
        moves: dict[int, int | str] = {seat: int(next(left, -1)) for seat in position.actors}  # -1 is never legal
        played += len(moves)
        position.apply(moves)
        events.append({str(seat): game.spec.moves[int(action)] for seat, action in moves.items()})
    header = Header(game.spec.id, game.variant, game.seats, seed, list(agents), versions())
    return Record(header, events, Outcome(list(position.score), digest(position.state), forfeit))


def positions(game: Game, record: Record) -> Iterator[Position]:
    """Every position of a recorded match, from the opening on. Checks each move."""
    position = game.opening(record.header.seed or 0)
    yield position.copy()
    for number, event in enumerate(record.events):
        try:
            if isinstance(event, str):
                position.happen(event)
            else:
                position.apply(_moves(event))
        except SpielwerkError as problem:
            phrase = "event {number} of {count} does not fit: {problem}"
            raise BadRecord(say(phrase, number=number + 1, count=len(record.events), problem=problem)) from problem
        yield position.copy()


def _moves(event: Mapping[str, str]) -> dict[int, int | str]:
    try:
        return {int(seat): move for seat, move in event.items()}
    except ValueError:
        raise BadRecord(say("seats are whole numbers, not {seats}", seats=", ".join(event))) from None


def replay(record: Record, game: Game | None = None) -> list[Position]:
    """All positions of a record. Raises BadRecord if a move or the recorded result does not fit the rules."""
    if game is None:
        from spielwerk.core import registry

        game = registry.game(record.header.game, record.header.seats, record.header.variant)
    found = list(positions(game, record))
    last = found[-1]
    if record.result is not None:
        if not last.over and record.result.forfeit is None:
            raise BadRecord(say("the record claims a result, but the match is not over after its last event"))
        if list(last.score) != list(record.result.scores):
            phrase = "the record claims the score {claimed}, the rules give {score}"
            raise BadRecord(say(phrase, claimed=record.result.scores, score=list(last.score)))
        if digest(last.state) != record.result.digest:
            raise BadRecord(say("the last state differs from the recorded one: the rules have changed since"))
    return found
