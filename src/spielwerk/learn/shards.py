"""Shards: long data cut into files that are made one by one, on threads, processes or a cluster.

A shard is a function of the numbers of its matches, so that the data are the same whoever made them. It is written when
it is complete: who goes on after a kill makes the others only.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielwerk.arena.crews import crew_of
from spielwerk.arena.workers import LOOK, Backend
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.learn.decisions import Shard, keep_shard, read_shard, shard_file
from spielwerk.learn.run import Limits
from spielwerk.learn.words import say

Maker = Callable[..., Shard]  # (…, first match, how many)


def all_there(folder: Path, shards: int) -> bool:
    """Whether no shard is missing; one that was damaged is taken away to be made again."""
    return all(shard_file(folder, number).exists() for number in range(shards))


def backend_for(game: Game, agents: Sequence[Agent], limits: Limits, compiled: bool) -> Backend:
    """Where agents play: compiled ones in threads; others in processes, if these know them."""
    everywhere = registry.everywhere(game, agents)
    if limits.backend == "auto":
        return "threads" if compiled or not everywhere else "processes"
    if limits.backend != "threads" and not everywhere:
        phrase = "other processes do not know what was only registered here; take the backend threads"
        raise SpielwerkError(say(phrase))
    return limits.backend


def clear_rests(folder: Path) -> None:
    """Take away what a kill left behind while a shard was written."""
    for file in folder.glob(".*.npz.*"):
        file.unlink()


@dataclass(frozen=True)
class ShardMaker:
    """Fills a folder with shards, in order."""

    folder: Path
    size: int  # matches per shard
    total: int | None  # matches; None: until nobody asks for more
    here: Maker  # makes a shard in this process
    elsewhere: tuple[Maker, tuple[Any, ...]]  # a function of a module, and the names that it is given first
    limits: Limits
    backend: Backend
    matches: Callable[[Shard], int] = lambda shard: int(shard["matches"][1])  # how many a shard holds

    def made(self) -> Generator[Shard, None, None]:
        """The shards, as they are made; those that are there come first. Ends early if time is up. The last one of
        fewer matches is made again."""
        clear_rests(self.folder)
        number = 0
        while self.count(number) > 0 and shard_file(self.folder, number).exists():
            shard = read_shard(self.folder, number)
            if self.matches(shard) != self.count(number):
                break
            yield shard
            number += 1
        if self.limits.threads > 1 or self.backend == "ray":
            yield from self._side_by_side(number)
            return
        while self.count(number) > 0 and not self.limits.reached:
            yield self._kept(number, self.here(number * self.size, self.count(number)))
            number += 1

    def count(self, number: int) -> int:
        """The matches of a shard; the last has those that are left."""
        return self.size if self.total is None else max(0, min(self.size, self.total - number * self.size))

    def _kept(self, number: int, shard: Shard) -> Shard:
        keep_shard(self.folder, number, shard)
        return shard

    def _side_by_side(self, number: int) -> Generator[Shard, None, None]:
        crew = crew_of(self.backend, self.limits.threads)
        function, names = self.elsewhere
        given: dict[int, Any] = {}  # shards that somebody makes
        running: set[Any] = set()
        following = number
        try:
            while self.count(number) > 0 and not self.limits.reached:
                while len(running) < crew.at_once and self.count(following) > 0:
                    what = following * self.size, self.count(following)
                    if self.backend == "threads":
                        given[following] = crew.give(self.here, *what)
                    else:
                        given[following] = crew.give(function, *names, *what)
                    running.add(given[following])
                    following += 1
                running -= crew.finished(running, LOOK)
                while number in given and given[number] not in running:
                    yield self._kept(number, crew.result(given.pop(number)))
                    number += 1
        finally:
            crew.leave(running)
