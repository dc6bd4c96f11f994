"""Results in one SQLite file: runs and their matches. Every match can be replayed from it.

A run is written when it starts, its matches as they are finished, so that a killed process loses a second at most and
the run can be resumed. The file is $SPIELWERK_STORE or the user's data folder.
"""

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np

from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game, States
from spielwerk.core.match import Played, Record, record_of, versions

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


def default_path() -> Path:
    chosen = os.environ.get("SPIELWERK_STORE")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "spielwerk" / "results.sqlite"


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
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self.connection = sqlite3.connect(self.path, timeout=30)
            self.connection.execute("pragma journal_mode = wal")
            self.connection.executescript(SCHEMA)
        except sqlite3.DatabaseError as problem:
            raise SpielwerkError(
                f"{self.path} is no store of results ({problem}); name another with --store"
            ) from problem
        self._committed = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.commit()
        self.connection.close()

    # --- writing -----------------------------------------------------------------------------------------------------

    def begin(self, kind: str, config: Mapping[str, Any]) -> int:
        cursor = self.connection.execute(
            "insert into runs (kind, config, versions, started) values (?, ?, ?, ?)",
            (kind, json.dumps(dict(config), sort_keys=True), json.dumps(versions()), time.time()),
        )
        self.connection.commit()
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def unfinished(self, kind: str, config: Mapping[str, Any]) -> int | None:
        """The newest run of the same kind and configuration that was not finished."""
        row = self.connection.execute(
            "select id from runs where kind = ? and config = ? and versions = ? and finished is null order by id desc",
            (kind, json.dumps(dict(config), sort_keys=True), json.dumps(versions())),
        ).fetchone()
        return int(row[0]) if row else None

    def add(self, run: int, number: int, agents: Iterable[str], played: Played) -> None:
        """Keep one match; committed at once if it took a while, else at least once a second."""
        self.connection.execute(
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
            self.connection.commit()
            self._committed = time.monotonic()

    def finish(self, run: int, summary: Mapping[str, Any]) -> None:
        self.connection.execute(
            "update runs set finished = ?, summary = ? where id = ?", (time.time(), json.dumps(dict(summary)), run)
        )
        self.connection.commit()

    # --- reading -----------------------------------------------------------------------------------------------------

    def runs(self) -> list[Run]:
        rows = self.connection.execute(
            "select id, kind, config, started, finished, summary, (select count(*) from matches where run = runs.id) "
            "from runs order by id"
        )
        return [
            Run(i, kind, json.loads(config), started, finished, json.loads(summary) if summary else None, count)
            for i, kind, config, started, finished, summary, count in rows
        ]

    def matches(self, run: int, game: Game) -> dict[int, Played]:
        """The matches of a run by number."""
        rows = self.connection.execute(
            "select number, seed, scores, results, moves, final, seconds from matches where run = ? order by number",
            (run,),
        )
        return {
            number: Played(
                int(seed),
                tuple(json.loads(scores)),
                tuple(json.loads(results)),
                _state(game, zlib.decompress(final)),
                np.frombuffer(zlib.decompress(moves), "<i2").astype(np.int16),
                seconds,
            )
            for number, seed, scores, results, moves, final, seconds in rows
        }

    def record(self, run: int, number: int) -> Record:
        """The record of a stored match."""
        row = self.connection.execute(
            "select seed, agents, moves, config from matches join runs on runs.id = run where run = ? and number = ?",
            (run, number),
        ).fetchone()
        if row is None:
            raise SpielwerkError(
                f"there is no match {number} of run {run} in {self.path}; `spielwerk runs` lists the runs"
            )
        seed, agents, moves, config = row
        settings = json.loads(config)
        game = registry.game(settings["game"], settings["seats"], settings["variant"])
        log = np.frombuffer(zlib.decompress(moves), "<i2")
        return record_of(game, json.loads(agents), int(seed), log)


def _state(game: Game, data: bytes) -> States:
    state = game.states(1)
    plain = np.frombuffer(data, state.dtype)
    state[0] = plain[0]
    return state
