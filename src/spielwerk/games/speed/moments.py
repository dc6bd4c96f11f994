"""What people must have seen of a round (somebody goes out, the end) and what a list of events says beside the moves.

At the end the winner and the last who went out have a word. Which one follows from the last state, so that everybody
hears the same, and hears it again in the replay.
"""

from spielwerk.core.moment import Moment
from spielwerk.core.position import View
from spielwerk.core.words import seat_number
from spielwerk.games.speed.board import Situation
from spielwerk.games.speed.kernel.rules import BY_BORDER, BY_CRASH, BY_SPEED, OVER, PLAYING, UNHEARD

OUT, END = 1.0, 3.5  # seconds
GOES_OUT = {
    BY_SPEED: "Player {seat} goes out: below speed 1 or above 10",
    BY_BORDER: "Player {seat} goes out: over the border",
    BY_CRASH: "Player {seat} goes out: a crash",
    UNHEARD: "Player {seat} goes out: no answer",
}
WON = (
    "That was my lane.",
    "Still room here. Anybody?",
    "I only came for the view.",
    "Thanks for the walls, they helped.",
    "One more lap of honour?",
    "I could drive here all day.",
)
LOST = (
    "Who parked that wall there?",
    "My brakes were only decoration.",
    "I meant to do that.",
    "Next time I turn the other way.",
    "It looked wider from over there.",
    "Well driven. I want a rematch.",
)
DRAWN = (
    "Nobody wins, but what a bang.",
    "The wall wins on points.",
    "All brave, none left.",
    "Shall we call it teamwork?",
)


def newly_out(before: View, after: View) -> list[int]:
    """The seats that went out between two views."""
    return [
        seat
        for seat in range(after.game.seats)
        if before.state["phase"][0] == PLAYING and after.state["out"][0][seat] and not before.state["out"][0][seat]
    ]


def ends(before: View, after: View) -> bool:
    return bool(after.state["phase"][0] == OVER and before.state["phase"][0] != OVER)


def moment(before: View, after: View) -> Moment | None:
    if ends(before, after):
        return Moment(END, " ".join([result(after), *remarks(after)[:1]]))
    out = newly_out(before, after)
    return Moment(OUT, ", ".join(leaving(after, seat) for seat in out)) if out else None


def news(before: View, after: View) -> list[str]:
    """Who goes out and why; at the end who wins, and what is said to it."""
    lines = [leaving(after, seat) for seat in newly_out(before, after)]
    return [*lines, result(after), *remarks(after)] if ends(before, after) else lines


def leaving(view: View, seat: int) -> str:
    return view.game.say(GOES_OUT[int(view.state["why"][0][seat])], seat=seat_number(seat))


def winner(view: View) -> int | None:
    """The one who is left."""
    return next((seat for seat in range(view.game.seats) if Situation(view).alive(seat)), None)


def result(view: View) -> str:
    found = winner(view)
    if found is None:
        return view.game.say("Nobody wins.")
    return view.game.say("Player {seat} wins!", seat=seat_number(found))


def remarks(view: View) -> list[str]:
    """What the winner and the last loser say; if nobody wins, what there is to say."""
    say, now, found = view.game.say, Situation(view), winner(view)
    turn = now.rounds + 3 * now.width + 5 * now.height
    if found is None:
        return [say(DRAWN[turn % len(DRAWN)])]
    last = max((seat for seat in range(view.game.seats) if seat != found), key=lambda seat: now.of("out", seat))
    spoken = ((found, WON[(turn + found) % len(WON)]), (last, LOST[(turn // 2 + last) % len(LOST)]))
    return [say("Player {seat}: “{remark}”", seat=seat_number(seat), remark=say(remark)) for seat, remark in spoken]
