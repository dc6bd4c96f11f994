"""play(): the one loop. Record and replay().

A match is a pure function of game, agents and seed: the n-th chance event always has the stream (seed, 0, n), the
agent on seat k the stream (seed, 1 + k), and random first moves have the stream (seed, OPENING). Whole matches of
agents with a compiled policy run inside compiled code, in `core.loops`, with the same streams and so with the same
result.

A record says what happened in words of the game, so that a match played elsewhere can be recorded and replayed too.
"""

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from spielwerk.core.agent import Agent, Budget, Policy
from spielwerk.core.errors import BadRecord, SpielwerkError
from spielwerk.core.game import Game, Position, States
from spielwerk.core.kernel import specialise
from spielwerk.core.loops import OPENING, batch_loop, opening_loop, points_of
from spielwerk.core.rng import Rng, below, spawn
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


def run(game: Game, agents: Sequence[Agent], seed: int, budget: Budget | None = None) -> Played:
    """Play one match; in compiled code where all agents can."""
    return run_many(game, agents, [seed], budget)[0]


def run_many(
    game: Game, agents: Sequence[Agent], seeds: Sequence[int], budget: Budget | None = None, opening: int = 0
) -> list[Played]:
    """Play one match per seed; in compiled code where all agents can. At the first `opening` moments at which anybody
    decides, everybody plays at random: the same moves for the same seed, whoever plays."""
    if len(agents) != game.seats:
        phrase = "{game}: {seats} seats need as many agents, not {agents}"
        raise SpielwerkError(say(phrase, game=game.title, seats=game.seats, agents=len(agents)))
    for agent in agents:
        agent.require(game)
    policies = compiled_policies(game, agents) if budget is None else None
    if policies:
        return _run_compiled(game, *policies, seeds, opening)
    return [_run_python(game, agents, seed, budget or Budget(), opening) for seed in seeds]


def compiled_policies(game: Game, agents: Sequence[Agent]) -> tuple[list[int], list[Policy]] | None:
    """For every seat the number of its policy, and the policies; None if whole matches cannot run compiled."""
    distinct = list(dict.fromkeys(agents))
    if len(distinct) > 3:
        return None
    policies = []
    for agent in distinct:
        policy = agent.policy(game)
        if policy is None:
            return None
        policies.append(policy)
    return [distinct.index(agent) for agent in agents], policies


def _run_compiled(
    game: Game, slots: list[int], policies: list[Policy], seeds: Sequence[int], opening: int
) -> list[Played]:
    a, b, c = [*policies, policies[0], policies[0]][:3]
    loop = specialise(batch_loop, game, policy_a=a.function, policy_b=b.function, policy_c=c.function)
    keys = np.array([seed % 2**64 for seed in seeds], np.uint64)
    states = game.states(len(seeds))
    begun, openings, events = _opened(game, keys, opening)
    rngs, rng = np.zeros((game.seats, 1), np.uint64), np.zeros(1, np.uint64)
    lengths = np.zeros(len(seeds), np.int64)
    log = np.zeros(1 << 16, np.int16)
    table, scratch = np.array(slots, np.int64), game.scratch()

    def play_from(number: int) -> int:
        """Play from match `number` on as far as the log has room; returns how many are complete then."""
        return int(
            loop(
                states, keys, events, number, table, a.weights, b.weights, c.weights, scratch, rng, rngs, log, lengths
            )
        )  # fmt: skip

    play_from(len(seeds))  # plays nothing, but compiles, which is not the time of a match
    began = time.perf_counter()
    played: list[Played] = []
    done = 0
    while done < len(seeds):
        states[done:] = begun[done:]
        upto = play_from(done)
        seconds = (time.perf_counter() - began) / max(upto - done, 1)
        if upto == done:
            log = np.zeros(int(lengths[done]), np.int16)
            continue
        scores, results = np.zeros((upto - done, game.seats)), np.zeros((upto - done, game.seats))
        game.call(points_of, states[done:upto], scores, results)
        filled = 0
        for place, number in enumerate(range(done, upto)):
            moves = np.concatenate((openings[number], log[filled : filled + lengths[number]]))
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
    """For every match its state after its random first moves, these moves, and the number of chance events so far."""
    start, count = game.opening().state, len(keys)
    events = np.zeros(count, np.int64)
    if not opening:
        return np.broadcast_to(start, count), [np.zeros(0, np.int16)] * count, events
    states = game.states(count)
    states[:] = start[0]
    log = np.zeros((count, min(opening, game.spec.longest) * game.seats), np.int16)
    lengths, rng, opening_rng = np.zeros(count, np.int64), np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    game.call(opening_loop, states, keys, opening, game.scratch(), rng, opening_rng, log, lengths, events)
    return states, [moves[:length] for moves, length in zip(log, lengths, strict=True)], events


def _run_python(game: Game, agents: Sequence[Agent], seed: int, budget: Budget, opening: int) -> Played:
    began = time.perf_counter()
    position = game.opening(seed)
    rngs, opening_rng = [spawn(seed, 1 + seat) for seat in range(game.seats)], spawn(seed, OPENING)
    moments = 0
    log: list[int] = []
    while not position.settle().over:
        moves: dict[int, int | str] = {}
        for seat in position.actors:
            if moments < opening:
                action = _at_random(position.legal(seat), opening_rng)
            else:
                action = agents[seat].decide(position.view(seat), budget, rngs[seat]).action
            moves[seat] = action
            log.append(action)
        moments += 1
        position.apply(moves)
    seconds = time.perf_counter() - began
    return Played(seed, position.score, position.result, position.state, np.array(log, np.int16), seconds)


def _at_random(legal: Sequence[int], rng: Rng) -> int:
    with np.errstate(over="ignore"):
        return legal[int(below(rng, len(legal)))]


# --- records ---------------------------------------------------------------------------------------------------------


class Header(msgspec.Struct, frozen=True):
    game: str
    variant: str
    seats: int
    seed: int | None  # None: the match was not played here, or not from a seed
    agents: list[str]
    versions: dict[str, str]


class Outcome(msgspec.Struct, frozen=True):
    scores: list[float]
    digest: str  # of the bytes of the last state


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
) -> Record:
    """Play one match and return its record."""
    played = run(game, agents, seed, budget)
    return record_of(game, [agent.spec for agent in agents], seed, played.log)


def record_of(game: Game, agents: Sequence[str], seed: int, log: Sequence[int] | NDArray[np.int16]) -> Record:
    """The record of a match that was played here, from its seed and its actions."""
    position = game.opening(seed)
    events: list[str | dict[str, str]] = []
    left = iter(log)
    while not position.over:
        if position.actor_set == 0:
            events.append(position.roll_noted())
            continue
        moves: dict[int, int | str] = {seat: int(next(left, -1)) for seat in position.actors}  # -1 is never legal
        position.apply(moves)
        events.append({str(seat): game.spec.moves[int(action)] for seat, action in moves.items()})
    header = Header(game.spec.id, game.variant, game.seats, seed, list(agents), versions())
    return Record(header, events, Outcome(list(position.score), digest(position.state)))


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
        if not last.over:
            raise BadRecord(say("the record claims a result, but the match is not over after its last event"))
        if list(last.score) != list(record.result.scores):
            phrase = "the record claims the score {claimed}, the rules give {score}"
            raise BadRecord(say(phrase, claimed=record.result.scores, score=list(last.score)))
        if digest(last.state) != record.result.digest:
            raise BadRecord(say("the last state differs from the recorded one: the rules have changed since"))
    return found
