"""Moments and news: they are well formed, come to everybody at once, and follow from what the seat may see."""

from collections.abc import Iterator, Sequence
from math import isfinite

from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.core.moment import Moment
from spielwerk.core.position import SPECTATOR, Position, View
from spielwerk.testing.walks import must

LONGEST = 60.0  # seconds for which a moment may stand


def check_moments(game: Game, seed: int, most: int = 400) -> None:
    """Every seat and a spectator have their moments with the same events; a moment stands for a while and its rows are
    equally long; and what is said follows from the two views alone. A game that remembers what was hidden would say
    something else when another match has been played at its table."""
    said = []
    for before, after in event_pairs(game, seed, most):
        moments = [said_of(*views) for views in both_views(before, after)]
        known = [moment for moment, _ in moments if moment is not None]
        for moment in known:
            must(len(known) == len(moments), after, f"not everybody has the moment '{moment.title}'")
            check_moment(moment, after)
        for _, news in moments:
            must(not isinstance(news, str), after, "news is a string; it must be a list of lines")
            must(all(isinstance(line, str) and line for line in news), after, f"the news {list(news)} has empty lines")
        said.append((before, after, moments))
    for _ in event_pairs(game, seed + 1, most):
        pass
    for before, after, moments in said:
        again = [said_of(*views) for views in both_views(before, after)]
        same = [first == second for first, second in zip(moments, again, strict=True)]
        must(all(same), after, "moment or news says something else of the same two views when it is asked again")


def check_moment(moment: Moment, position: Position) -> None:
    """A moment can be shown."""
    lasts = isfinite(moment.seconds) and 0 < moment.seconds <= LONGEST
    must(lasts, position, f"a moment stands for {moment.seconds} seconds; it must be more than 0, {LONGEST:g} at most")
    wide = {len(row) for row in moment.table}
    must(len(wide) <= 1, position, f"the rows of the moment '{moment.title}' have {sorted(wide)} cells")
    must(not wide or min(wide) > 0, position, f"the rows of the moment '{moment.title}' are empty")
    cells = [moment.title, *(cell for row in moment.table for cell in row)]
    must(all(isinstance(cell, str) for cell in cells), position, f"the moment {moment} has cells that are no text")


def event_pairs(game: Game, seed: int, most: int) -> Iterator[tuple[Position, Position]]:
    """The positions before and after each event of a random match, which is written down as at a table in the web."""
    position, rng = game.opening(seed), spawn(seed, 94)
    for _ in range(most):
        if position.over:
            return
        before = position.copy()
        if position.actor_set == 0:
            position.roll_noted()
        else:
            legal = {seat: position.legal(seat) for seat in position.actors}
            position.apply({seat: actions[pick(rng, len(actions))] for seat, actions in legal.items()})
        yield before, position.copy()


def both_views(before: Position, after: Position) -> list[tuple[View, View]]:
    """What each seat and a spectator see before and after an event."""
    return [(before.view(seat), after.view(seat)) for seat in (*range(before.game.seats), SPECTATOR)]


def said_of(before: View, after: View) -> tuple[Moment | None, Sequence[str]]:
    return after.game.moment(before, after), after.game.news(before, after)
