"""Files that are whole or not there, and where those of a user are kept."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
