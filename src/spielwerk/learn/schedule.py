"""Numbers that change in the course of a run, as people write them.

3e-4              always the same
3e-4..0           along a line from the first to the second
0.02@0.6/0.02..0  in phases: the first until 60 % of the run are done, then the next; without shares all are equal
"""

import math
from dataclasses import dataclass
from typing import Literal

from spielwerk.core.errors import SpielwerkError
from spielwerk.learn.words import say

WARM_UP = 0.2  # share of a run in which the rate of one cycle rises


@dataclass(frozen=True)
class Phase:
    """Along a line from `first` to `last`, until the share `until` of the run is done."""

    first: float
    last: float
    until: float


@dataclass(frozen=True)
class Schedule:
    phases: tuple[Phase, ...]

    def at(self, done: float) -> float:
        """The number when the share `done` of the run is done."""
        begin = 0.0
        for phase in self.phases:
            if done < phase.until or phase is self.phases[-1]:
                share = (done - begin) / (phase.until - begin)
                return phase.first + (phase.last - phase.first) * min(max(share, 0.0), 1.0)
            begin = phase.until
        raise AssertionError("a schedule has phases")

    @property
    def highest(self) -> float:
        return max(max(phase.first, phase.last) for phase in self.phases)


def schedule(option: str, text: str, low: float, high: float) -> Schedule:
    """Read a schedule whose numbers go from `low` to `high`; `option` says whose it is."""
    written = text.split("/")
    phases: list[Phase] = []
    for number, part in enumerate(written):
        line, _, share = part.partition("@")
        first, dots, last = line.partition("..")
        ends = _number(option, text, first), _number(option, text, last if dots else first)
        until = _number(option, text, share) if share else (number + 1) / len(written)
        begin = phases[-1].until if phases else 0.0
        if number == len(written) - 1:
            until = 1.0
        if not begin < until <= 1.0:
            phrase = "{option}={text}: the shares of the phases grow from 0 to 1"
            raise SpielwerkError(say(phrase, option=option, text=text))
        if not all(low <= end <= high for end in ends):
            phrase = "{option}={text}: its numbers go from {low} to {high}"
            raise SpielwerkError(say(phrase, option=option, text=text, low=f"{low:g}", high=f"{high:g}"))
        phases.append(Phase(*ends, until))
    return Schedule(tuple(phases))


def _number(option: str, text: str, part: str) -> float:
    try:
        number = float(part)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        phrase = "{option}={text} is no number, line or phases, as 3e-4, 3e-4..0 or 0.02@0.6/0.02..0"
        raise SpielwerkError(say(phrase, option=option, text=text))
    return number


def rate_at(done: float, schedule: Literal["one_cycle", "cosine", "constant"]) -> float:
    """The share of the learning rate at some place of a run, from 0 to 1. One cycle: Smith and Topin (2017)."""
    if schedule == "constant":
        return 1.0
    if schedule == "one_cycle":
        if done < WARM_UP:
            return 0.04 + 0.48 * (1.0 - math.cos(math.pi * done / WARM_UP))
        done = (done - WARM_UP) / (1.0 - WARM_UP)
    return 0.5 * (1.0 + math.cos(math.pi * done))
