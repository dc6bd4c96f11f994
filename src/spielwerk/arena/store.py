"""Results in one SQLite file: runs and their matches. Every match can be replayed from it.

A run is written when it starts, its matches as they are finished, so that a killed process loses a second at most and
the run can be resumed. The file is $SPIELWERK_STORE or the user's data folder.
"""

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.words import say
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.files import data_folder
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


class Store:
    """One file of results."""

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path) if path else default_path()
        with self._naming_the_file():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.connection = sqlite3.connect(self.path, timeout=PATIENCE)
            self.connection.execute("pragma journal_mode = wal")
            self.connection.executescript(SCHEMA)
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
        except (sqlite3.Error, OSError) as problem:
            said = str(problem)
            if "locked" in said:
                phrase = (
                    "{path} is being written by another process ({problem}); wait for it, or name another with --store"
                )
            elif "not a database" in said or "malformed" in said:
                phrase = "{path} is no store of results ({problem}); name another with --store"
            elif "full" in said:
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
        with self._naming_the_file():
            return self.connection.execute(statement, values).fetchall()

    def _commit(self) -> None:
        with self._naming_the_file():
            self.connection.commit()
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
        """Keep one match; committed at once if it took a while, else at least once a second."""
        self._write(
            "insert or replace into matches values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
        return [
            Run(i, kind, json.loads(config), started, finished, json.loads(summary) if summary else None, count)
            for i, kind, config, started, finished, summary, count in rows
        ]

    def matches(self, run: int, game: Game) -> dict[int, Played]:
        """The matches of a run by number."""
        rows = self._rows(
            "select number, seed, scores, results, moves, final, seconds from matches where run = ? order by number",
            (run,),
        )
        return {
            number: Played(
                int(seed),
                tuple(json.loads(scores)),
                tuple(json.loads(results)),
                self._state(game, final),
                self._log(moves),
                seconds,
            )
            for number, seed, scores, results, moves, final, seconds in rows
        }

    def record(self, run: int, number: int) -> Record:
        """The record of a stored match."""
        rows = self._rows(
            "select seed, agents, moves, config, versions from matches join runs on runs.id = run "
            "where run = ? and number = ?",
            (run, number),
        )
        if not rows:
            phrase = "there is no match {number} of run {run} in {path}; `spielwerk runs` lists the runs"
            raise SpielwerkError(say(phrase, number=number, run=run, path=self.path))
        [(seed, agents, moves, config, played_with)] = rows
        settings = json.loads(config)
        variant = registry.variant_now(settings["game"], settings["variant"], edition_of(json.loads(played_with)))
        game = registry.game(settings["game"], settings["seats"], variant)
        return record_of(game, json.loads(agents), int(seed), self._log(moves))

    def _log(self, moves: bytes) -> NDArray[np.int16]:
        return np.frombuffer(self._unpacked(moves), "<i2").astype(np.int16)

    def _state(self, game: Game, final: bytes) -> States:
        state = game.states(1)
        data = self._unpacked(final)
        if len(data) != state.nbytes:
            phrase = "{path} holds matches of {game} as another version played it; start without --resume"
            raise SpielwerkError(say(phrase, path=self.path, game=game.title))
        state[0] = np.frombuffer(data, state.dtype)[0]
        return state

    def _unpacked(self, data: bytes) -> bytes:
        try:
            return zlib.decompress(data)
        except zlib.error as problem:
            phrase = "{path} is damaged ({problem}); name another with --store"
            raise SpielwerkError(say(phrase, path=self.path, problem=problem)) from problem
