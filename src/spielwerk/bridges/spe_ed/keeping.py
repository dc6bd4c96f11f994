"""What is left of a game: its log, the states in one JSON array as web player and teams of the competition keep them,
and its record. A file has its name when it is whole: whenever a server is killed, no finished game is lost."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from spielwerk.bridges import Report
from spielwerk.core.files import write_atomically
from spielwerk.core.match import Record


class GameLog:
    """The states of one game on their way into a file. A full disk costs the log, not the game."""

    def __init__(self, path: Path, report: Report = lambda line: None) -> None:
        self.path = path
        self.report = report
        self._temporary = path.with_name(f".{path.name}.{os.getpid()}")
        self._file: IO[str] | None = None
        self._states = 0
        with self._forgiving():
            self._file = self._temporary.open("w", encoding="utf-8")

    def add(self, text: str) -> None:
        with self._forgiving():
            if self._file is not None:
                self._file.write(("[\n" if self._states == 0 else ",\n") + text)
        self._states += 1

    def finish(self) -> None:
        """Give the file its name; without a state there is nothing to keep, and an older file stays."""
        with self._forgiving():
            if self._file is not None and self._states:
                self._file.write("\n]\n")
                self._file.close()
                os.replace(self._temporary, self.path)
        self.discard()

    def discard(self) -> None:
        """Leave nothing behind of what has no name yet."""
        with suppress(OSError):
            if self._file is not None:
                self._file.close()
        with suppress(OSError):
            self._temporary.unlink(missing_ok=True)

    @contextmanager
    def _forgiving(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            self._file = None
            self.report(f"the log {self.path} cannot be written, the game goes on without it: {problem.strerror}")


def keep(record: Record, path: Path, report: Report) -> None:
    """Write the record of a game."""
    try:
        write_atomically(path, record.to_json())
    except OSError as problem:
        report(f"the record {path} cannot be written: {problem.strerror}")
