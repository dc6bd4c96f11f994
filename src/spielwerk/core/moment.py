"""Moment: something in a match that people must have seen before it goes on."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Moment:
    """A picture that stands for a while, or until its viewer goes on; see `Game.moment`.

    A full trick needs a second and a title; the result of a deal also a table, which is shown over the board when the
    board itself has been seen. All texts are in the language that is spoken.
    """

    seconds: float  # how long it stands at normal speed, more than 0
    title: str = ""  # what happened, in a few words
    table: tuple[tuple[str, ...], ...] = ()  # rows of equally many cells; the first is the head, first cells are labels
