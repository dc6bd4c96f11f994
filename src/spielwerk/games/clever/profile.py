"""How sheets came to their points: by area, by foxes, on the scale of those who play alone, and when re-rolls and +1
were used. All of it is in the last state of a match."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.game import Game
from spielwerk.core.position import States
from spielwerk.core.profile import ProfilePart
from spielwerk.games.clever import situation
from spielwerk.games.clever.kernel import terms
from spielwerk.games.clever.sheets import AREAS, SHEETS

Numbers = NDArray[np.int64]


def scale(say: Callable[..., str]) -> tuple[str, ...]:
    """The steps of the rating, by points."""
    lows, highs = (None, *situation.TIERS), (*situation.TIERS, None)
    return tuple(
        say("below {points}", points=high)
        if low is None
        else say("{points} up", points=low)
        if high is None
        else say("{low} to {high}", low=low, high=high - 1)
        for low, high in zip(lows, highs, strict=True)
    )


SCALE = scale(str.format)  # the same for statistics, which are in English


class Counted(NamedTuple):
    """What stands on sheets when a match is over."""

    points: Numbers  # [sheet, area]
    cells: Numbers  # [sheet, area] that were marked, without those that are printed
    foxes: Numbers  # [sheet]
    rerolls: Numbers  # [sheet, round] that were used
    extras: Numbers  # [sheet, round] +1 that were used

    @property
    def by_foxes(self) -> Numbers:
        """[sheet] points: every fox brings those of the weakest area."""
        found: Numbers = self.foxes * self.points.min(axis=1)
        return found

    @property
    def totals(self) -> Numbers:
        found: Numbers = self.points.sum(axis=1) + self.by_foxes
        return found


def counted(finals: States, seats: Sequence[int]) -> Counted:
    """The sheet of a seat for each of the last states, all of which are of the same kind of sheet."""
    rows, columns = np.arange(len(finals)), np.asarray(seats, np.int64)
    sheet = SHEETS[int(finals["sheet"][0])]

    def own(field: str) -> Numbers:
        return np.asarray(finals[field])[rows, columns].astype(np.int64)

    yellow, blue, green = own("yellow"), own("blue"), own("green")
    full = [(yellow >> line & terms.YELLOW_COLUMN) == terms.YELLOW_COLUMN for line in range(4)]
    crossed = np.bitwise_count(yellow) - sheet.yellow.count(0), np.bitwise_count(blue) - sheet.blue.count(0)
    points = [
        sum(points * column for points, column in zip(sheet.yellow_columns, full, strict=True)),
        np.array(sheet.blue_points)[crossed[1]],
        np.array(sheet.green_points)[green],
        own("orange_sum"),
        own("purple_sum"),
    ]
    cells = [*crossed, green, own("orange_count"), own("purple_count")]
    return Counted(
        np.stack(points, axis=1).astype(np.int64),
        np.stack(cells, axis=1).astype(np.int64),
        own("foxes"),
        own("rerolls_spent"),
        own("extras_spent"),
    )


def of_every_seat(game: Game, finals: States) -> Counted:
    """All sheets of matches."""
    return counted(np.repeat(np.asarray(finals), game.seats), np.tile(np.arange(game.seats), len(finals)).tolist())


def ratings(totals: Numbers) -> list[float]:
    """The share of the sheets on every step of the scale."""
    steps = np.bincount([situation.rating(total) for total in totals], minlength=len(SCALE))
    return [float(count / len(totals)) for count in steps]


def parts(game: Game, finals: States, seats: Sequence[int]) -> list[ProfilePart]:
    """What the browser shows of the matches of somebody."""
    say, found = game.say, counted(finals, seats)
    if int(finals["yellow_dice"][0]):
        figures = float(found.points[:, 0].mean()), float(found.cells[:, 0].mean())
        return [ProfilePart(say("The yellow area"), (say("points"), say("marked cells")), figures)]
    areas = (*map(say, AREAS), say("foxes"))
    told = [
        ProfilePart(say("Points by area"), areas, means(found.points, found.by_foxes)),
        ProfilePart(say("Marked cells and foxes"), areas, means(found.cells, found.foxes)),
    ]
    if game.seats == 1:
        told.append(
            ProfilePart(
                say("Rating: share of the matches"),
                scale(say),
                tuple(ratings(found.totals)),
                share=True,
                notes=tuple(map(say, situation.RATINGS)),
            )
        )
    rounds = range(int(terms.ROUNDS[game.seats]))
    names = tuple(say("round {round}", round=number + 1) for number in rounds)
    for title, spent in (
        (say("Re-rolls used, by round"), found.rerolls),
        (say("+1 actions used, by round"), found.extras),
    ):
        told.append(ProfilePart(title, names, means(spent[:, : len(names)])))
    return told


def means(*columns: Numbers) -> tuple[float, ...]:
    """The mean of every column, [sheet] or [sheet, column]."""
    return tuple(float(mean) for each in columns for mean in np.atleast_1d(each.mean(axis=0)))
