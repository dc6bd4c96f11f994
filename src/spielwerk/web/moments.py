"""Events as each viewer hears of them: the moves or what chance did, the news that they brought, and the moments that
must have been seen before a match goes on. Everything is asked of the views of the seat that looks."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from spielwerk.core.game import Game
from spielwerk.core.position import SPECTATOR, Position, States, View
from spielwerk.core.words import language
from spielwerk.web import messages


def happening(number: int, event: str | dict[str, str], before: View, after: View) -> messages.Happening:
    """An event of a record as the seat of two views heard of it."""
    game, news = after.game, list(after.game.news(before, after))
    if isinstance(event, str):
        return messages.Happening(number=number, kind="chance", text=game.heard(event, after.seat), news=news)
    moves = [
        messages.SeatMove(seat=int(who), move=move, name=game.move_name(game.action(move)))
        for who, move in event.items()
    ]
    return messages.Happening(number=number, kind="moves", moves=moves, news=news)


def moment(before: View, after: View) -> messages.Moment | None:
    """What the seat of two views must have seen of the event between them."""
    found = after.game.moment(before, after)
    if found is None:
        return None
    return messages.Moment(seconds=found.seconds, title=found.title, table=[list(row) for row in found.table])


class Still:
    """The table between two events. Views of it are kept while they are asked for again and again."""

    def __init__(self, game: Game, state: States) -> None:
        self.position = Position(game, state, 0)
        self.views: dict[int, View] = {}

    def view(self, seat: int) -> View:
        if seat not in self.views:
            self.views[seat] = self.position.view(seat)
        return self.views[seat]


Listener = tuple[int, str, tuple[str, ...]]  # seat, language and looks


class Noted:
    """An event of a match with the table before and after it, and how each seat heard of it as far as somebody has
    asked."""

    def __init__(
        self, number: int, event: str | dict[str, str], before: Still, after: Still, thoughts: dict[int, dict[str, Any]]
    ) -> None:
        self.number, self.event, self.before, self.after = number, event, before, after
        self.thoughts = thoughts  # what agents noted of their moves, by seat
        self._told: dict[Listener, tuple[messages.Happening, messages.Moment | None]] = {}

    def _told_to(self, seat: int) -> tuple[messages.Happening, messages.Moment | None]:
        listener = seat, language(), self.after.position.game.looks()
        if listener not in self._told:
            before, after = self.before.view(seat), self.after.view(seat)
            self._told[listener] = happening(self.number, self.event, before, after), moment(before, after)
        return self._told[listener]

    def heard_by(self, seat: int) -> messages.Happening:
        return self._told_to(seat)[0]

    def moment_for(self, seat: int) -> messages.Moment | None:
        return self._told_to(seat)[1]

    @cached_property
    def stands(self) -> float:
        """For how many seconds the table after it must be seen; 0: it need not."""
        game = self.after.position.game
        if type(game).moment is Game.moment:
            return 0.0
        found = game.moment(self.before.view(SPECTATOR), self.after.view(SPECTATOR))
        return 0.0 if found is None else found.seconds


def drawn_before(known: Sequence[Noted]) -> Noted | None:
    """The event after which the picture before the last of these was drawn: somebody decided there, or it must be
    seen."""
    for noted, following in zip(known[-2::-1], known[:0:-1], strict=True):
        if isinstance(following.event, dict) or noted.stands:
            return noted
    return None
