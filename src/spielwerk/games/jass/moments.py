"""What people must have seen of a deal (a full trick, the result) and what a list of events says beside the cards."""

from typing import NamedTuple

import numpy as np

from spielwerk.core.moment import Moment
from spielwerk.core.position import View
from spielwerk.core.words import seat_number
from spielwerk.games.jass.cards import choice_name, factors, say, slalom_factor
from spielwerk.games.jass.kernel.table import DEAL, LAST_TRICK, OVER, PLAY
from spielwerk.games.jass.kernel.weis import weis_of
from spielwerk.games.jass.view import deal_number, is_swiss, shown_cards, team_name

STOECK = 20
ANNOUNCEMENT, TRICK, TRICK_WITH_WEIS, RESULT = 0.8, 1.2, 2.5, 8.0  # seconds


def trick_is_full(before: View, after: View) -> bool:
    return bool(before.state[0]["in_trick"] == 3 and after.state[0]["in_trick"] == 0)


def deal_is_over(before: View, after: View) -> bool:
    return bool(before.state[0]["phase"] == PLAY and after.state[0]["phase"] in (DEAL, OVER))


def factor(view: View) -> int:
    """How many times everything counts in this deal."""
    options = view.game.options
    return slalom_factor(options) if view.state["slalom"][0] else factors(options)[int(view.state["mode"][0])]


def weis_points(view: View, seat: int) -> int:
    """The points of the Weis that a seat has shown, before they are multiplied."""
    s = view.state[0]
    shown = np.int64(s["shown"][seat])
    return int(weis_of(shown, int(s["mode"]), int(s["rules"]))[1]) if shown else 0


def moment(before: View, after: View) -> Moment | None:
    if deal_is_over(before, after):
        early = after.state[0]["tricks"] < 9  # somebody claimed
        phrase = "Deal {deal} ends early: the target is reached" if early else "Deal {deal} is over"
        return Moment(RESULT, say(phrase, deal=deal_number(after)), result_table(after))
    if trick_is_full(before, after):
        value = int(after.state[0]["taken"].sum() - before.state[0]["taken"].sum()) * factor(after)
        seat = seat_number(int(after.state[0]["leader"]))
        title = say("Seat {seat} takes the trick: {points} {points:point|points}", seat=seat, points=value)
        return Moment(TRICK_WITH_WEIS if newly_shown(before, after) else TRICK, title)
    return next((Moment(ANNOUNCEMENT, line) for line in announcements(before, after)), None)


def announcements(before: View, after: View) -> list[str]:
    """Who has just announced a Weis, and what it is worth; nothing more is told of it now."""
    phrase = "Seat {seat} announces a Weis of {points} {points:point|points}"
    called, so_far = after.state[0]["called"], before.state[0]["called"]
    return [
        say(phrase, seat=seat_number(seat), points=int(called[seat]))
        for seat in range(4)
        if called[seat] and not so_far[seat]
    ]


def newly_shown(before: View, after: View) -> list[int]:
    """The seats that have just shown their Weis, the earlier player first."""
    first = int(after.state[0]["last_leader"])
    seats = [(first + number) % 4 for number in range(4)]
    return [seat for seat in seats if after.state[0]["shown"][seat] and not before.state[0]["shown"][seat]]


def news(before: View, after: View) -> list[str]:
    """Weis, Stöck, a match, and the result of a deal."""
    s, times, lines = after.state[0], factor(after), announcements(before, after)
    for seat in newly_shown(before, after):
        cards, points = shown_cards(int(s["shown"][seat]), is_swiss(after)), weis_points(after, seat) * times
        phrase = "Seat {seat} shows Weis {cards}: {points} {points:point|points}"
        lines.append(say(phrase, seat=seat_number(seat), cards=cards, points=points))
    if s["stoeck"] and not before.state[0]["stoeck"]:
        seat = seat_number(int(s["stoeck"]) - 1)
        lines.append(say("Seat {seat} has Stöck: {points} {points:point|points}", seat=seat, points=STOECK * times))
    if deal_is_over(before, after):
        for team in range(2):
            if match_points(after, team):
                phrase = "Seats {seats} make a match: {points} {points:point|points}"
                lines.append(say(phrase, seats=team_name(team, " + "), points=match_points(after, team) * times))
        results = [
            say(
                "seats {seats}: {gained} {gained:point|points}, now {points}",
                seats=team_name(team, " + "),
                gained=int(s["gained"][team]),
                points=int(s["points"][team]),
            )
            for team in range(2)
        ]
        lines.append(say("Deal {deal}: {results}", deal=deal_number(after), results="; ".join(results)))
    return lines


# --- the result of a deal --------------------------------------------------------------------------------------------


class Parts(NamedTuple):
    """What a team's points of a deal are made of, before they are multiplied."""

    cards: int
    last_trick: int
    weis: int
    stoeck: int
    match: int


def match_points(view: View, team: int) -> int:
    """The bonus for a deal in which the other team has none."""
    s = view.state[0]
    return int(s["bonus"]) if s["tricks"] == 9 and s["taken"][1 - team] == 0 else 0


def parts_of(view: View, team: int) -> Parts:
    s = view.state[0]
    last = LAST_TRICK if s["tricks"] == 9 and int(s["leader"]) & 1 == team else 0
    return Parts(
        cards=int(s["taken"][team]) - last,
        last_trick=last,
        weis=sum(weis_points(view, seat) for seat in (team, team + 2)),
        stoeck=STOECK if s["stoeck"] and (int(s["stoeck"]) - 1) & 1 == team else 0,
        match=match_points(view, team),
    )


def result_table(view: View) -> tuple[tuple[str, ...], ...]:
    """A deal in figures, the own team first. Where a team claimed the match in the middle, not all that was on the
    table counts any more, and only the sums are told."""
    s, times = view.state[0], factor(view)
    own = max(view.seat, 0) & 1
    teams = (own, 1 - own)
    names = [team_name(team, " + ") for team in teams]
    if view.seat >= 0:
        names[0] = say("{seats} (you)", seats=names[0])
    parts = [parts_of(view, team) for team in teams]
    rows: list[tuple[str, ...]] = [(say("Seats"), *names)]
    if all(sum(each) * times == s["gained"][team] for each, team in zip(parts, teams, strict=True)):
        labels = (say("Tricks"), say("Last trick"), say("Weis"), say("Stöck"), say("Match"))
        for label, pair in zip(labels, zip(*parts, strict=True), strict=True):
            if any(pair):
                rows.append((label, *map(str, pair)))
        if times > 1:
            name = say("Slalom") if s["slalom"] else choice_name(int(s["mode"]), is_swiss(view))
            rows.append((name, *[f"×{times}"] * 2))
    rows.append((say("This deal"), *(str(int(s["gained"][team])) for team in teams)))
    rows.append((say("Standing"), *(str(int(s["points"][team])) for team in teams)))
    return tuple(rows)
