"""Looks: how games are drawn and their pieces are called for whoever looks right now.

A game declares its looks in the Spec. Which ones are chosen follows from the context, as the language does:

    with looking({"deck": "swiss"}):
        print(position)

A choice may be for one game only: `jass.deck`. Rules, records and notation know nothing of it.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from spielwerk.core.errors import UnknownName
from spielwerk.core.words import say

if TYPE_CHECKING:
    from spielwerk.core.game import Game

Looks = Mapping[str, str]

_chosen: ContextVar[Looks | None] = ContextVar("looks", default=None)


def chosen_looks() -> Looks:
    """What is chosen now: the name of a look, perhaps with its game, and its choice."""
    return _chosen.get() or {}


@contextmanager
def looking(chosen: Looks) -> Iterator[None]:
    """Draw and name pieces as `chosen`."""
    before = _chosen.set(chosen)
    try:
        yield
    finally:
        _chosen.reset(before)


def choose_looks(game: "Game | type[Game]", text: str) -> None:
    """From now on, until the `looking` around it ends, draw the game as `text` says. Every name in it must be known."""
    declared = {look.name: look.choices for look in game.spec.looks}
    wanted = read_looks(text) if "=" in text else {text: ""}
    for name, choice in wanted.items():
        if name not in declared:
            raise UnknownName(say("look of {game}", game=game.spec.id), name, declared)
        if choice not in declared[name]:
            raise UnknownName(say("choice of the look {look}", look=name), choice, declared[name])
    _chosen.set(wanted)


def read_looks(text: str) -> dict[str, str]:
    """'jass.deck=swiss,colours=safe' -> the looks and their choices. What has no such form is left out."""
    pairs = (part.partition("=") for part in text.split(","))
    return {name.strip(): choice.strip() for name, equals, choice in pairs if equals and name.strip()}
