"""play(): one match and its record. replay(): the positions of a record.

A record says what happened in words of the game, so that a match played elsewhere can be recorded and replayed too.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget, Limit, StopSign
from spielwerk.core.errors import BadJson, BadRecord, SpielwerkError
from spielwerk.core.files import from_json
from spielwerk.core.game import Game
from spielwerk.core.position import Position
from spielwerk.core.running import run
from spielwerk.core.words import say

FORMAT = 1
EDITION = 4  # of the rules; raised when the name of a variant comes to mean other rules (see Game.recorded_variant)


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
            record = from_json(data, Record)
        except BadJson as problem:
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


def digest(position: Position) -> str:
    """A short fingerprint of a state's bytes. Fields that were added to the state later do not count where they are all
    zero, so that older records keep theirs (see Game.added)."""
    state = position.state.tobytes()
    added = position.game.added
    if added:
        begins = position.state.dtype.fields[added][1]  # type: ignore[index]
        if not any(state[begins:]):
            state = state[:begins]
    return hashlib.sha256(state).hexdigest()[:16]


def versions() -> dict[str, str]:
    try:
        own = version("spielwerk")
    except PackageNotFoundError:
        own = "source"
    return {"spielwerk": own, "numpy": np.__version__, "rules": str(EDITION)}


def edition_of(versions: Mapping[str, str]) -> int:
    """The edition of the rules among the versions of a record; the first was not written down."""
    written = versions.get("rules", "1")
    return int(written) if written.isdecimal() and len(written) < 5 else EDITION


def play(
    game: Game,
    agents: Sequence[Agent],
    seed: int = 0,
    budget: Budget | None = None,
    limit: Limit | None = None,
    at_once: bool = False,
    sign: StopSign | None = None,
) -> Record:
    """Play one match and return its record.

    `budget` is what every agent may think about a decision. With a `limit` nobody waits longer than that, and agents of
    seats that decide at the same moment think at the same time; with `at_once` they do so without a limit, too. Setting
    the `sign` ends the match with Stopped.
    """
    played = run(game, agents, seed, budget, limit=limit, at_once=at_once, sign=sign)
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
    return Record(header, events, Outcome(list(position.score), digest(position), forfeit))


def table_of(header: Header) -> Game:
    """The table at which a record was played, with the rules of its time."""
    from spielwerk.core import registry

    variant = registry.variant_now(header.game, header.variant, edition_of(header.versions))
    return registry.game(header.game, header.seats, variant)


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
        game = table_of(record.header)
    found = list(positions(game, record))
    last = found[-1]
    if record.result is not None:
        if not last.over and record.result.forfeit is None:
            raise BadRecord(say("the record claims a result, but the match is not over after its last event"))
        if list(last.score) != list(record.result.scores):
            phrase = "the record claims the score {claimed}, the rules give {score}"
            raise BadRecord(say(phrase, claimed=record.result.scores, score=list(last.score)))
        if digest(last) != record.result.digest:
            raise BadRecord(say("the last state differs from the recorded one: the rules have changed since"))
    return found
