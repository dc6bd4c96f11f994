"""Files that are whole or not there, where those of a user are kept, and JSON that anybody may have written."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from spielwerk.core.errors import BadJson
from spielwerk.core.words import say

T = TypeVar("T")


def data_folder() -> Path:
    """Where results, matches and models of this user are kept."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "spielwerk"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A place to write to; what was written takes the place of `path` when the block ends without an error."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees the old or the new content, never a part."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


# --- JSON ------------------------------------------------------------------------------------------------------------


def from_json(data: bytes | str, kind: type[T]) -> T:
    """The value of that kind that is written in JSON, whoever wrote it; BadJson if it is none."""
    with _saying_what_is_wrong():
        return msgspec.json.decode(data, type=kind)


def from_own_json(data: bytes | str, kind: type[T]) -> T:
    """The same for what Python's `json` has written: it knows NaN and Infinity, too (what a lost match is worth)."""
    with _saying_what_is_wrong():
        return msgspec.convert(json.loads(data), kind)


@contextmanager
def _saying_what_is_wrong() -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise BadJson(say("it is nested too deeply")) from None
    except ValueError as problem:  # of msgspec, of json, and of texts that are not Unicode
        raise BadJson(str(problem)) from problem
