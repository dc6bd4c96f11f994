"""Compiled code on disk, and how people learn that something compiles.

Numba's own cache, with three differences. Everything is in our folder, never beside the sources. An entry that cannot
be read is compiled again. A folder that cannot be written (full, or somebody else's) stops nobody: what it holds is
used, what is new is compiled for this process, and a warning says so once.
"""

import logging
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FunctionType
from typing import Any

from numba.core import caching, config, event

log = logging.getLogger("spielwerk")


def cache_directory() -> Path:
    """Where compiled code is kept: $SPIELWERK_CACHE, else the user's cache folder."""
    chosen = os.environ.get("SPIELWERK_CACHE")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "spielwerk"


def clean() -> int:
    """Delete all compiled code; returns how many files went."""
    folder = cache_directory() / "kernels"
    files = sum(1 for path in folder.rglob("*") if path.is_file()) if folder.exists() else 0
    shutil.rmtree(folder, ignore_errors=True)
    return files


class _Locator(caching.UserProvidedCacheLocator):  # type: ignore[misc]
    def ensure_cache_path(self) -> None:
        """Whether the folder can be written is seen when something is."""
        with suppress(OSError):
            os.makedirs(self.get_cache_path(), exist_ok=True)


class _Entries(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator, caching.IPythonCacheLocator, caching.ZipCacheLocator)


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """The entries of one function."""

    _impl_class = _Entries

    def load_overload(self, *given: Any) -> Any:
        """What there is for these types, None if there is nothing. The digest does not cover the classes of record
        arguments: an entry that names one which is gone or has moved is of no use, and neither are its neighbours. The
        same is true of an entry that is damaged, in whatever way."""
        try:
            return super().load_overload(*given)
        except Exception:
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, *given: Any) -> None:
        try:
            super().save_overload(*given)
        except OSError as problem:
            warn_not_kept(problem)


def keep_on_disk(dispatcher: Any, function: FunctionType) -> None:
    """Let a dispatcher look for its code in our folder, and keep it there. What has no source file is not kept."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_directory() / "kernels")
    try:
        with suppress(RuntimeError):
            dispatcher._cache = KernelCache(function)
    finally:
        config.CACHE_DIR = before  # nobody else's functions are to land there


_warned = False


def warn_not_kept(problem: OSError) -> None:
    """Say once in a process that the cache cannot be written."""
    global _warned
    if not _warned:
        _warned = True
        log.warning(
            "spielwerk: nothing can be kept in the cache %s (%s), so it is made again next time; make room there, "
            "or name another folder in SPIELWERK_CACHE",
            cache_directory(),
            problem.strerror or problem,
        )


# --- telling people that something compiles --------------------------------------------------------------------------

_compile_listeners: list[Callable[[str], None]] = []
_announced = False


def announce(tell: Callable[[str], None]) -> None:
    """Say once in a process that something compiles and why that happens only once; $SPIELWERK_QUIET forbids it."""
    global _announced
    if not _announced and not os.environ.get("SPIELWERK_QUIET"):
        _announced = True
        tell(f"spielwerk: compiling for the first time, this takes a while (once; kept in {cache_directory()})")


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


class _Listener(event.Listener):  # type: ignore[misc]
    """Programs hear of everything that is compiled through `logging`, people who look at standard error a word."""

    def on_start(self, happened: Any) -> None:
        name = happened.data["dispatcher"].py_func.__qualname__
        log.info("compiling %s", name)
        for listener in _compile_listeners:
            listener(name)
        if not _compile_listeners and sys.stderr is not None and sys.stderr.isatty():
            announce(_print)

    def on_end(self, happened: Any) -> None:
        """Numba requires it; only the start is of interest."""


_listener: _Listener | None = None


def listen() -> None:
    global _listener
    if _listener is None:
        _listener = _Listener()
        event.register("numba:compile", _listener)


@contextmanager
def on_compile(tell: Callable[[str], None]) -> Iterator[None]:
    """Call `tell(qualified name)` for every function that is compiled (not loaded from the cache) meanwhile."""
    _compile_listeners.append(tell)
    try:
        yield
    finally:
        _compile_listeners.remove(tell)
