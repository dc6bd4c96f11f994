"""Events as each viewer hears of them: the moves or what chance did, the news that they brought, and the moments that
must have been seen before a match goes on. Everything is asked of the views of the seat that looks."""

from functools import cached_property

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


Listener = tuple[int, str, tuple[str, ...]]  # seat, language and looks


class Noted:
    """An event of a match with the table before and after it, and how each seat heard of it as far as somebody has
    asked."""

    def __init__(self, game: Game, number: int, event: str | dict[str, str], before: States, after: States) -> None:
        self.game, self.number, self.event = game, number, event
        self._before, self._after = before, after
        self._told: dict[Listener, tuple[messages.Happening, messages.Moment | None]] = {}

    @property
    def position(self) -> Position:
        """The table after the event."""
        return Position(self.game, self._after, 0)

    def _views(self, seat: int) -> tuple[View, View]:
        return Position(self.game, self._before, 0).view(seat), self.position.view(seat)

    def _told_to(self, seat: int) -> tuple[messages.Happening, messages.Moment | None]:
        listener = seat, language(), self.game.looks()
        if listener not in self._told:
            before, after = self._views(seat)
            self._told[listener] = happening(self.number, self.event, before, after), moment(before, after)
        return self._told[listener]

    def heard_by(self, seat: int) -> messages.Happening:
        return self._told_to(seat)[0]

    def moment_for(self, seat: int) -> messages.Moment | None:
        return self._told_to(seat)[1]

    @cached_property
    def stands(self) -> float:
        """For how many seconds the table after it must be seen; 0: it need not."""
        found = self.game.moment(*self._views(SPECTATOR))
        return 0.0 if found is None else found.seconds

    @cached_property
    def is_drawn(self) -> bool:
        """Whether the table after it is drawn: somebody decides there, it is over, or it must be seen."""
        return self.position.actor_set != 0 or self.stands > 0
