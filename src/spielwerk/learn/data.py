"""Matches to learn from in a compact form of a game's own. An entry point in the group `spielwerk.data` names it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielwerk.core.game import Game
from spielwerk.learn.decisions import Shard
from spielwerk.learn.gather import Source
from spielwerk.learn.run import Limits, Report


@dataclass(frozen=True)
class GameData:
    """What a game does with its own form of matches."""

    is_folder: Callable[[Path], bool]
    """Whether a folder holds matches in this form."""
    make: Callable[[Path, Game, Mapping[str, float], str | None, int, Limits, Report], object | None]
    """Fill a folder with matches of agents, each with its share of the seats, and with what a teacher would have done.
    None if time was up."""
    read: Callable[[Iterable[Path], str, Path, Report], object]
    """Fill a folder from records and logs."""
    describe: Callable[[Path, Report], dict[str, Any]]
    """How much there is, and how good it is."""
    decisions: Callable[[Path, Game, Source, str | None, int | None], Iterator[Shard]]
    """The decisions in a folder, all or those of one player, of all matches or of the first so many."""
