"""Results in one SQLite file: runs and their matches. Every match can be replayed from it.

A run is written when it starts, its matches as they are finished, so that a killed process loses a second at most and
the run can be resumed. The file is $SPIELWERK_STORE or the user's data folder.
"""

import errno
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, NamedTuple, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.words import say
from spielwerk.core import registry
from spielwerk.core.errors import BadJson, SpielwerkError, quoted
from spielwerk.core.files import data_folder, from_own_json
from spielwerk.core.game import Game
from spielwerk.core.match import Record, edition_of, record_of, versions
from spielwerk.core.position import States
from spielwerk.core.running import Played

SCHEMA = """
create table if not exists runs (
    id integer primary key, kind text not null, config text not null, versions text not null,
    started real not null, finished real, summary text
);
create table if not exists matches (
    run integer not null references runs, number integer not null, seed text not null, agents text not null,
    scores text not null, results text not null, moves blob not null, final blob not null, seconds real not null,
    primary key (run, number)
);
"""

A_WHILE = 0.05  # seconds of a match, beside which the time for a commit does not count
PATIENCE = 30.0  # seconds to wait for another process that writes
LARGEST_NUMBER = 2**63 - 1  # that SQLite knows
LATEST = 2.0**35  # seconds since 1970, the year 3058


class AnotherVersion(SpielwerkError):
    """Matches whose states have another form."""


def default_path() -> Path:
    chosen = os.environ.get("SPIELWERK_STORE")
    return Path(chosen) if chosen else data_folder() / "results.sqlite"


class Run(NamedTuple):
    id: int
    kind: str
    config: dict[str, Any]
    started: float
    finished: float | None
    summary: dict[str, Any] | None
    matches: int
    problem: str = ""  # what is damaged; such a run has an empty config


# What is read of a run. There is more in it, and in older stores less.
class _Table(msgspec.Struct):
    game: str
    variant: str
    seats: int
    seed: int


class _Evaluation(_Table):
    agent: str
    games: int


class _Tournament(_Table):
    agents: list[str]
    rounds: int


class _Mean(msgspec.Struct):
    mean: float
    ci95: tuple[float, float] | None


class _Standing(msgspec.Struct):
    agent: str


class _Standings(msgspec.Struct):
    standings: Annotated[list[_Standing], msgspec.Meta(min_length=1)]


FORMS: Mapping[str, tuple[type, type]] = {"evaluate": (_Evaluation, _Mean), "tournament": (_Tournament, _Standings)}


class Store:
    """One file of results."""

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path) if path else default_path()
        with self._naming_the_file():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.connection = sqlite3.connect(self.path, timeout=PATIENCE)
            self.connection.text_factory = _text
            self.connection.execute("pragma journal_mode = wal")
            self.connection.executescript(SCHEMA)
        self._unwritten: list[tuple[Any, ...]] = []  # matches; the file is locked only while they are written
        self._committed = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._commit()
        finally:
            self.connection.close()

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        """What goes wrong with the file becomes an error that says which file, and what to do."""
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeDecodeError) as problem:  # the names of damaged tables are no Unicode
            said = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
            if "locked" in said:
                phrase = (
                    "{path} is being written by another process ({problem}); wait for it, or name another with --store"
                )
            elif "not a database" in said or "malformed" in said:
                phrase = "{path} is no store of results ({problem}); name another with --store"
            elif "full" in said or getattr(problem, "errno", None) == errno.ENOSPC:
                phrase = (
                    "{path} cannot grow ({problem}); make room and go on with --resume, or name another with --store"
                )
            else:
                phrase = "{path} cannot be used ({problem}); name another with --store"
            raise SpielwerkError(say(phrase, path=self.path, problem=said)) from problem

    def _write(self, statement: str, values: Sequence[Any]) -> int | None:
        """The number of the row that was written."""
        with self._naming_the_file():
            return self.connection.execute(statement, values).lastrowid

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        if self._unwritten:
            self._commit()
        with self._naming_the_file():
            return self.connection.execute(statement, values).fetchall()

    def _commit(self) -> None:
        with self._naming_the_file():
            self.connection.executemany(
                "insert or replace into matches values (?, ?, ?, ?, ?, ?, ?, ?, ?)", self._unwritten
            )
            self.connection.commit()
        self._unwritten.clear()
        self._committed = time.monotonic()

    # --- writing -----------------------------------------------------------------------------------------------------

    def begin(self, kind: str, config: Mapping[str, Any]) -> int:
        run = self._write(
            "insert into runs (kind, config, versions, started) values (?, ?, ?, ?)",
            (kind, json.dumps(dict(config), sort_keys=True), json.dumps(versions()), time.time()),
        )
        self._commit()
        assert run is not None
        return run

    def same(self, kind: str, config: Mapping[str, Any]) -> int | None:
        """The newest run of the same kind and configuration, before all one that was not finished."""
        rows = self._rows(
            "select id from runs where kind = ? and config = ? and versions = ? order by finished is not null, id desc",
            (kind, json.dumps(dict(config), sort_keys=True), json.dumps(versions())),
        )
        return int(rows[0][0]) if rows else None

    def add(self, run: int, number: int, agents: Iterable[str], played: Played) -> None:
        """Keep one match; written at once if it took a while, else at least once a second."""
        self._unwritten.append(
            (
                run,
                number,
                str(played.seed),
                json.dumps(list(agents)),
                json.dumps(played.scores),
                json.dumps(played.results),
                zlib.compress(played.log.astype("<i2").tobytes(), 6),
                zlib.compress(played.final.tobytes(), 6),
                played.seconds,
            ),
        )
        if played.seconds > A_WHILE or time.monotonic() - self._committed > 1:
            self._commit()

    def finish(self, run: int, summary: Mapping[str, Any]) -> None:
        self._write(
            "update runs set finished = ?, summary = ? where id = ?", (time.time(), json.dumps(dict(summary)), run)
        )
        self._commit()

    # --- reading -----------------------------------------------------------------------------------------------------

    def runs(self) -> list[Run]:
        rows = self._rows(
            "select id, kind, config, started, finished, summary, (select count(*) from matches where run = runs.id) "
            "from runs order by id"
        )
        return [_run(*row) for row in rows]

    def matches(self, run: int, game: Game) -> dict[int, Played]:
        """The matches of a run by number."""
        rows = self._rows(
            "select number, seed, scores, results, moves, final, seconds from matches where run = ? order by number",
            (run,),
        )
        found = {}
        for number, seed, scores, results, moves, final, seconds in rows:
            with self._naming_the_match(run, number):
                points, worth = (from_own_json(text, list[float]) for text in (scores, results))
                if not len(points) == len(worth) == game.seats:
                    raise BadJson(say("it has the points of {count} {count:seat|seats}", count=len(points)))
                state, log = self._state(game, final), _log(moves)
                found[number] = Played(_seed(seed), tuple(points), tuple(worth), state, log, float(seconds))
        return found

    def record(self, run: int, number: int) -> Record:
        """The record of a stored match."""
        asked = (
            "select seed, agents, moves, config, versions from matches join runs on runs.id = run "
            "where run = ? and number = ?"
        )
        rows = self._rows(asked, (run, number)) if max(run, number) <= LARGEST_NUMBER else []
        if not rows:
            phrase = "there is no match {number} of run {run} in {path}; `spielwerk runs` lists the runs"
            raise SpielwerkError(say(phrase, number=number, run=run, path=self.path))
        [(seed, agents, moves, config, played_with)] = rows
        with self._naming_the_match(run, number):
            settings = from_own_json(config, _Table)
            edition = edition_of(from_own_json(played_with, dict[str, str]))
            variant = registry.variant_now(settings.game, settings.variant, edition)
            game = registry.game(settings.game, settings.seats, variant)
            return record_of(game, from_own_json(agents, list[str]), _seed(seed), _log(moves))

    @contextmanager
    def _naming_the_match(self, run: int, number: int) -> Iterator[None]:
        """What is wrong with a stored match becomes an error that says which it is."""
        try:
            yield
        except AnotherVersion:
            raise
        except (zlib.error, ValueError, TypeError) as problem:  # SpielwerkErrors are among them
            phrase = (
                "match {number} of run {run} in {path} is damaged ({problem}); play it again without --resume, or "
                "name another store with --store"
            )
            raise SpielwerkError(say(phrase, number=number, run=run, path=self.path, problem=problem)) from problem

    def _state(self, game: Game, final: bytes) -> States:
        state = game.states(1)
        data = zlib.decompress(final)
        if len(data) != state.nbytes:
            phrase = "{path} holds matches of {game} as another version played it; start without --resume"
            raise AnotherVersion(say(phrase, path=self.path, game=game.title))
        state[0] = np.frombuffer(data, state.dtype)[0]
        return state


def _run(number: int, kind: Any, config: Any, started: Any, finished: Any, summary: Any, matches: int) -> Run:
    """A row of the table of runs; one that is damaged says so, and keeps nobody from the others."""
    moments = [value if isinstance(value, float) and 0.0 <= value < LATEST else None for value in (started, finished)]
    begun, ended = moments[0] or 0.0, moments[1]
    try:
        if kind not in FORMS:
            raise BadJson(say("there is no kind of run '{kind}'", kind=quoted(str(kind))))
        asked, found = FORMS[kind]
        settings, result = from_own_json(config, dict[str, Any]), None
        msgspec.convert(settings, asked)
        if summary:
            result = from_own_json(summary, dict[str, Any])
            msgspec.convert(result, found)
    except (ValueError, TypeError) as problem:
        return Run(number, str(kind), {}, begun, ended, None, matches, str(problem))
    return Run(number, kind, settings, begun, ended, result, matches)


def _seed(text: Any) -> int:
    """A seed is kept as text: SQLite knows no numbers of 64 bits without a sign."""
    try:
        return int(text)
    except ValueError:
        raise BadJson(say("'{text}' is no seed", text=quoted(str(text)))) from None


def _log(moves: bytes) -> NDArray[np.int16]:
    return np.frombuffer(zlib.decompress(moves), "<i2").astype(np.int16)


def _text(data: bytes) -> str:
    """Text that is no Unicode is read all the same: only the run that it belongs to is damaged."""
    return data.decode("utf-8", "replace")
