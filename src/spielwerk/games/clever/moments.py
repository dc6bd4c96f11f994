"""What people must have seen of a turn (a fox, a long chain, the free choice) and what a list of events says beside the
moves: bonuses that were earned, taken and lost by themselves, forfeited rolls."""

from collections import Counter

from spielwerk.core.moment import Moment
from spielwerk.core.position import View
from spielwerk.core.words import seat_number
from spielwerk.games.clever.drawing import area_of
from spielwerk.games.clever.kernel import terms
from spielwerk.games.clever.sheets import AREAS, BLACK, FOX, MARKS, SHEETS, YELLOW_X
from spielwerk.games.clever.situation import Seat, bonus_name, seat_of

STANDS, LONG = 1.5, 3  # seconds; bonuses of a chain


def moment(before: View, after: View) -> Moment | None:
    say, titles = after.game.say, []
    for seat in range(after.game.seats):
        earned = _earned(before, after, seat)
        if len(earned) >= LONG or FOX in earned:
            titles.append(_line(after, seat, earned))
    if _round_bonus(before, after) == BLACK:
        number, name = int(after.state["rounds"][0]), bonus_name(after, BLACK)
        titles.append(say("Round {round}, for everybody: {bonus}", round=number, bonus=name))
    return Moment(STANDS, "; ".join(titles)) if titles else None


def news(before: View, after: View) -> list[str]:
    say, lines = after.game.say, []
    if int(before.state["phase"][0]) == terms.ROLL and int(after.state["phase"][0]) != terms.PICK:
        lines.append(say("No die fits: the roll is forfeited"))
    for seat in range(after.game.seats):
        earned = _earned(before, after, seat)
        if earned:
            lines.append(_line(after, seat, earned))
        lost = _lost(before, after, seat, earned)
        if lost:
            bonuses = ", ".join(bonus_name(after, bonus) for bonus in lost)
            lines.append(say("Seat {seat} cannot use {bonuses}", seat=seat_number(seat), bonuses=bonuses))
    bonus = _round_bonus(before, after)
    if bonus:
        name, number = bonus_name(after, bonus), int(after.state["rounds"][0])
        lines.append(say("Round {round}, for everybody: {bonus}", round=number, bonus=name))
    return lines


def _line(view: View, seat: int, earned: list[int]) -> str:
    bonuses = ", ".join(bonus_name(view, bonus) for bonus in earned)
    return view.game.say("Bonus for seat {seat}: {bonuses}", seat=seat_number(seat), bonuses=bonuses)


def _round_bonus(before: View, after: View) -> int:
    """What the round that has just begun brings to all, 0 = no round has, or it brings nothing."""
    rounds = int(after.state["rounds"][0])
    if rounds == int(before.state["rounds"][0]) or int(after.state["yellow_dice"][0]):
        return 0
    bonus = SHEETS[int(after.state["sheet"][0])].rounds[rounds - 1]
    drawn = bonus == BLACK and int(after.state["drawn_bonus"][0])  # then the draw itself is told
    return 0 if drawn else bonus


def _earned(before: View, after: View, seat: int) -> list[int]:
    """Bonuses of the sheet that the event brought."""
    fresh = Counter(seat_of(after, seat).bonuses) - Counter(seat_of(before, seat).bonuses)
    return list(fresh.elements())


def _lost(before: View, after: View, seat: int, earned: list[int]) -> list[int]:
    """Bonuses whose area is full: more were due than cells were marked."""
    owed = [view.state[0]["owed"][seat] for view in (before, after)]
    cells = [_cells(seat_of(view, seat)) for view in (before, after)]
    lost: list[int] = []
    for area in range(len(AREAS)):
        kinds = [YELLOW_X + kind for kind in range(MARKS) if area_of(YELLOW_X + kind) == area]
        due = [bonus for bonus in earned if bonus in kinds]
        due += [bonus for bonus in kinds for _ in range(int(owed[0][bonus - YELLOW_X]))]
        later = sum(int(owed[1][bonus - YELLOW_X]) for bonus in kinds)
        missing = len(due) - later - (cells[1][area] - cells[0][area])
        lost += due[len(due) - missing :] if missing > 0 else []
    return lost


def _cells(seat: Seat) -> tuple[int, ...]:
    return (seat.yellow.bit_count(), seat.blue.bit_count(), seat.green, len(seat.orange), len(seat.purple))
