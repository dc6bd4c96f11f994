"""Profile: how somebody came to the points, in pieces that a game declares and a page draws."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spielwerk.core.words import Words


@dataclass(frozen=True)
class ProfilePart:
    """One piece of a profile: a figure for each of several things, such as the mean points of every area; see
    `Game.profile`. All texts are in the language that is spoken."""

    title: str
    labels: tuple[str, ...]  # of the figures, in the order in which they are shown
    figures: tuple[float, ...]
    share: bool = False  # the figures are shares of the matches, from 0 to 1
    notes: tuple[str, ...] = ()  # a few words on every label; empty: none


def parts_of(extras: Mapping[str, Any], matches: int, say: Words) -> list[ProfilePart]:
    """The statistics that a game has of whole matches (`Game.extras`) as pieces: what stands alone together, what is
    in groups by group; what is no number is left out. Whole numbers are counts over all matches, so they are divided
    by their number."""
    groups = {say("In these matches, all seats together"): extras}
    groups |= {say(name): value for name, value in extras.items() if isinstance(value, Mapping)}
    numbers = {
        title: {say(str(name)): value for name, value in group.items() if isinstance(value, int | float)}
        for title, group in groups.items()
    }
    return [
        ProfilePart(
            title, tuple(group), tuple(value / matches if isinstance(value, int) else value for value in group.values())
        )
        for title, group in numbers.items()
        if group
    ]
