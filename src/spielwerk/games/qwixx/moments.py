"""What people must have seen of a turn (a row is locked) and what a list of events says beside the crosses."""

from spielwerk.core.moment import Moment
from spielwerk.core.position import View
from spielwerk.core.words import seat_number
from spielwerk.games.qwixx.kernel.rules import LAST, ROWS
from spielwerk.games.qwixx.layouts import COLOURS

LOCK = 1.5  # seconds


def locks(before: View, after: View) -> list[str]:
    """Who locked which row, in words."""
    lock, say = LAST + 1, after.game.say
    fresh = after.state[0]["crosses"] & ~before.state[0]["crosses"]
    return [
        say("Seat {seat} locks {colour}", seat=seat_number(seat), colour=say(COLOURS[row]))
        for seat in range(after.game.seats)
        for row in range(ROWS)
        if int(fresh[seat, row]) >> lock & 1
    ]


def moment(before: View, after: View) -> Moment | None:
    locked = locks(before, after)
    return Moment(LOCK, ", ".join(locked)) if locked else None


def news(before: View, after: View) -> list[str]:
    """Locked rows, and misthrows, which also come of themselves."""
    more = after.state[0]["penalties"] > before.state[0]["penalties"]
    phrase = "Seat {seat} has a misthrow"
    misthrows = [after.game.say(phrase, seat=seat_number(seat)) for seat in range(after.game.seats) if more[seat]]
    return locks(before, after) + misthrows
