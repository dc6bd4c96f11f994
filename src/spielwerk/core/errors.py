"""Errors that people see. Each says what is wrong and names the remedy; the command line prints it as one line."""

from collections.abc import Iterable
from difflib import get_close_matches

from spielwerk.core.words import say

LONGEST_QUOTE = 80  # characters of what people wrote, in what is said about it


def quoted(text: str) -> str:
    """What people wrote, short enough for one line about it."""
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"


class SpielwerkError(ValueError):
    """Base of every error that a user can cause and mend."""


class UnknownName(SpielwerkError):
    """A game, agent, option, variant or preset that does not exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names, name = sorted(known), quoted(name)
        near = get_close_matches(name, names, n=1, cutoff=0.3)
        if near:
            hint = say("did you mean '{name}'?", name=near[0])
        elif names:
            hint = say("known are {names}", names=", ".join(names))
        else:
            hint = say("none is known")
        super().__init__(say("unknown {kind} '{name}': {hint}", kind=kind, name=name, hint=hint))

    def __reduce__(self) -> tuple[type[SpielwerkError], tuple[str]]:
        """On its way from a worker process only the message is kept."""
        return SpielwerkError, (str(self),)


class InvalidMove(SpielwerkError):
    """A text that is no move of the game at all."""


class IllegalMove(SpielwerkError):
    """A move of the game that is not allowed here."""


class BadJson(SpielwerkError):
    """A text that is no JSON, or not of the form that is expected; the message is a clause that says why."""


class BadRecord(SpielwerkError):
    """A record that cannot be read or does not fit the rules."""


class Unfit(SpielwerkError):
    """An agent that cannot play a game; the message says why."""


class KernelError(SpielwerkError):
    """A mistake in a kernel; the message names file, line and remedy."""
