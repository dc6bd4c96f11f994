"""The values that an option takes, declared with it: `Annotated[int, Range(1, 64), "what it means"]`.

They stand in the help of the command line and in what the web app says of agents, and a value outside is refused before
anything is made of it.
"""

from typing import NamedTuple

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.words import say


class Range(NamedTuple):
    """From `low` to `high`, both included."""

    low: float
    high: float

    def __str__(self) -> str:
        return say("{low} to {high}", low=_plain(self.low), high=_plain(self.high))

    def check(self, option: str, value: float) -> None:
        """Refuse a number outside; `option` says whose it is."""
        if not self.low <= value <= self.high:
            phrase = "{option} goes from {low} to {high}, not {value}"
            low, high = _plain(self.low), _plain(self.high)
            raise SpielwerkError(say(phrase, option=option, low=low, high=high, value=_plain(value)))


def _plain(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:g}"


THREADS = Range(1, 64)
ITERATIONS = Range(1, 1_000_000_000)
DEPTH = Range(0, 1_000_000)  # decisions of a playout
WEIGHT = Range(0, 1_000_000)
SHARE = Range(0, 1)
