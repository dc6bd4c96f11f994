"""Repeated matches: what is played again without chance says nothing new.

Two matches are the same if the same line-up made the same moves and came to the same final state. Where neither agents
nor game are random, a match follows from its line-up and its random first moves: all matches with the same beginning
are the same, and only the first of them is evidence. Where chance is at work, matches that began alike go on
differently; then two may agree by chance, and both count. That an agent against itself plays the same match on every
seat in turn is no repetition either: it has the same seed.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spielwerk.arena.words import say
from spielwerk.arena.workers import MOST_OPENING, Task
from spielwerk.core.agent import Agent
from spielwerk.core.game import Game
from spielwerk.core.running import Played
from spielwerk.core.words import number

SUGGESTED = 4  # random first moves, for who has none yet


class Repeats(NamedTuple):
    prints: dict[int, bytes]  # by number of the match; the same for the same match
    fresh: frozenset[int]  # numbers of the matches that say something new

    @property
    def distinct(self) -> int:
        return len(set(self.prints.values()))

    @property
    def repeated(self) -> int:
        """How many matches say nothing new."""
        return len(self.prints) - len(self.fresh)


def repeats(game: Game, tasks: Sequence[Task], played: Mapping[int, Played], opening: int) -> Repeats:
    """Which of the matches that have been played repeat others."""
    first_actions = opening * (game.seats if game.spec.simultaneous else 1)
    numbers: dict[tuple[Agent, ...], int] = {}  # of the line-ups
    prints: dict[int, bytes] = {}
    begun: dict[tuple[int, bytes], bytes] = {}  # line-up and first actions -> the first match that began so
    by_chance: set[int] = set()  # line-ups
    for task in tasks:
        match = played[task.number]
        line_up = numbers.setdefault(task.agents, len(numbers))
        actions = match.log.tobytes()
        seen = hashlib.blake2b(f"{line_up} {len(actions)} ".encode() + actions, digest_size=16)
        seen.update(match.final.tobytes())
        prints[task.number] = seen.digest()
        beginning = line_up, actions[: first_actions * match.log.itemsize]
        if begun.setdefault(beginning, prints[task.number]) != prints[task.number]:
            by_chance.add(line_up)
    fresh: set[int] = set()
    first: dict[bytes, int] = {}  # match -> the seed from which it was played first
    for task in tasks:
        seed = first.setdefault(prints[task.number], task.seed)
        if numbers[task.agents] in by_chance or seed == task.seed:
            fresh.add(task.number)
    return Repeats(prints, frozenset(fresh))


def remark(matches: int | None, distinct: int | None, repeated: int | None, opening: int) -> str | None:
    """What people should know about matches that repeat others; None if none does, or if it was not counted."""
    if matches is None or distinct is None or not repeated:
        return None
    phrase = (
        "{matches} matches, only {distinct} different: where neither agents nor game are random, matches repeat; "
        "add --opening {more} for random first moves"
    )
    more = min(2 * opening, MOST_OPENING) or SUGGESTED
    return say(phrase, matches=number(matches), distinct=number(distinct), more=more)
