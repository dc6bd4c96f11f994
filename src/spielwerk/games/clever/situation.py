"""A moment of a match in plain numbers and words: what is on a sheet, where the dice lie, who has to do what."""

from dataclasses import dataclass

from spielwerk.core.position import View
from spielwerk.core.words import seat_number, seat_numbers
from spielwerk.games.clever.kernel import terms
from spielwerk.games.clever.sheets import BLACK, BONUSES, DICE, MARKS, NONE, SHEETS, YELLOW_X, Sheet

TIERS = (140, 160, 180, 200, 220, 240, 260, 281)  # points from which on the next word is due
RATINGS = (
    "still warming up",
    "a beginning",
    "neat",
    "sound",
    "sharp",
    "strong",
    "very strong",
    "masterly",
    "out of reach",
)


@dataclass(frozen=True)
class Seat:
    """One seat's sheet as plain numbers."""

    seat: int
    place: int  # on the table as it is drawn; 0 = in front
    sheet: Sheet
    yellow: int  # bit set of crossed places
    blue: int
    green: int  # crosses
    orange: tuple[int, ...]  # numbers as rolled
    purple: tuple[int, ...]
    foxes: int
    rerolls: tuple[int, int]  # won, used
    extras: tuple[int, int]
    areas: tuple[int, ...]  # points
    points: int
    prototype: bool  # the yellow area alone
    own: bool  # of the one who looks
    active: bool
    round: int  # that is being played, 0 = none

    @property
    def blue_crosses(self) -> int:
        return self.blue.bit_count() - 1

    def row(self, line: int) -> bool:
        return self.yellow >> 4 * line & terms.YELLOW_ROW == terms.YELLOW_ROW

    def column(self, line: int) -> bool:
        return self.yellow >> line & terms.YELLOW_COLUMN == terms.YELLOW_COLUMN

    @property
    def diagonal(self) -> bool:
        return self.yellow & terms.DIAGONAL == terms.DIAGONAL

    def blue_row(self, line: int) -> bool:
        return self.blue >> 4 * line & terms.BLUE_ROW == terms.BLUE_ROW

    def blue_column(self, line: int) -> bool:
        return self.blue >> line & terms.BLUE_COLUMN == terms.BLUE_COLUMN

    @property
    def bonuses(self) -> list[int]:
        """Every bonus of the sheet that the seat has got so far, by kind."""
        sheet, found = self.sheet, []
        found += [bonus for line, bonus in enumerate(sheet.yellow_rows) if self.row(line)]
        found += [sheet.yellow_diagonal] if self.diagonal else []
        found += [bonus for line, bonus in enumerate(sheet.blue_rows) if self.blue_row(line)]
        found += [bonus for line, bonus in enumerate(sheet.blue_columns) if self.blue_column(line)]
        found += sheet.green_bonuses[: self.green] + sheet.orange_bonuses[: len(self.orange)]
        found += sheet.purple_bonuses[: len(self.purple)]
        return [] if self.prototype else [bonus for bonus in found if bonus != NONE]


def seat_of(view: View, seat: int, place: int = 0) -> Seat:
    state = view.state[0]
    sheet = SHEETS[int(state["sheet"])]
    yellow, blue, green = (int(state[area][seat]) for area in ("yellow", "blue", "green"))
    orange = tuple(int(number) for number in state["orange"][seat][: int(state["orange_count"][seat])])
    purple = tuple(int(number) for number in state["purple"][seat][: int(state["purple_count"][seat])])
    columns = [points for line, points in enumerate(sheet.yellow_columns) if (yellow >> line & 0x1111) == 0x1111]
    areas = (
        sum(columns),
        sheet.blue_points[blue.bit_count() - 1],
        sheet.green_points[green],
        int(state["orange_sum"][seat]),
        int(state["purple_sum"][seat]),
    )
    bars = []
    for name in ("rerolls", "extras"):
        used = int(state[f"{name}_spent"][seat].sum())
        bars.append((int(state[name][seat]) + used, used))
    return Seat(
        seat,
        place,
        sheet,
        yellow,
        blue,
        green,
        orange,
        purple,
        int(state["foxes"][seat]),
        bars[0],
        bars[1],
        areas,
        int(view.score[seat]),
        int(state["yellow_dice"]) > 0,
        seat == view.seat,
        int(state["active"]) == seat and not view.over,
        0 if view.over else int(state["rounds"]),
    )


# --- what is going on ------------------------------------------------------------------------------------------------


def rating(points: float) -> int:
    """The step of the scale for those who play alone."""
    return sum(points >= tier for tier in TIERS)


def bonus_name(view: View, bonus: int) -> str:
    return view.game.say("any X, or any 6" if bonus == BLACK else BONUSES[bonus])


def headline(view: View) -> str:
    """What is going on, or what the one who looks has to do, in a sentence."""
    state, say = view.state[0], view.game.say
    phase, active = int(state["phase"]), int(state["active"])
    if phase == terms.OVER:
        return _ending(view)
    if active < 0:
        return say("Who begins?")
    if view.seat >= 0 and view.legal:
        return _task(view)
    owing = [seat for seat in range(view.game.seats) if state["owed"][seat].any()]
    if owing:
        return say("Bonus for seat {seats}", seats=seat_numbers(owing))
    seat = seat_number(active)
    if phase == terms.PICK:
        return say("Seat {seat} picks a die", seat=seat)
    if phase == terms.AFTER:
        return say("Seat {seat} may use +1", seat=seat)
    if phase == terms.TRAY:
        return say("The tray is for the others" if view.game.seats > 1 else "A die from the tray")
    if phase == terms.DRAW:
        return say("A bonus is drawn")
    return say("Seat {seat} rolls", seat=seat)


def _ending(view: View) -> str:
    say, points = view.game.say, view.score
    if view.game.seats == 1:
        total = f"{points[0]:.0f}"
        if int(view.state["yellow_dice"][0]):
            return say("Over with {points} {points:point|points}", points=total)
        word = say(RATINGS[rating(points[0])])
        return say("Over with {points} {points:point|points}: {rating}", points=total, rating=word)
    winners = [seat for seat, result in enumerate(view.result) if result == max(view.result)]
    if len(winners) == 1:
        return say("Over: seat {seat} wins", seat=seat_number(winners[0]))
    return say("Over: seats {seats} share the win", seats=seat_numbers(winners))


def _task(view: View) -> str:
    """What the seat that looks has to decide."""
    state, say = view.state[0], view.game.say
    owed = state["owed"][view.seat]
    if owed[terms.FREE]:
        return say("Choose a bonus: X or 6")
    if owed.any():
        kinds = [bonus_name(view, YELLOW_X + kind) for kind in range(MARKS) if owed[kind]]
        return say("Take your bonus: {bonuses}", bonuses=", ".join(kinds))
    phase = int(state["phase"])
    if phase == terms.PICK:
        return say("Pick a die" if _can_mark(view) else "No die fits")
    if phase == terms.TRAY and int(state["step"][view.seat]) == terms.PICKING:
        if _from_fields(view):
            return say("Take a die from the fields")
        return say("Take a die from the tray" if _can_mark(view) else "No die of the tray fits")
    return say("+1: mark any die once more")


def _can_mark(view: View) -> bool:
    return any(terms.IN_YELLOW <= action < terms.X_IN_YELLOW for action in view.legal)


def _from_fields(view: View) -> bool:
    """Whether a passive seat may take dice of the active one, since none of the tray fits."""
    tray = int(view.state["tray"][0])
    dice = {_die_of(action) for action in view.legal if action != terms.PASS}
    return bool(dice) and not any(tray >> die & 1 for die in dice)


def _die_of(action: int) -> int:
    """The die of an action that marks one."""
    if action < terms.WHITE_IN_YELLOW:
        return terms.YELLOW_DIE
    if action < terms.IN_BLUE or (action - terms.IN_BLUE) % 2:
        return terms.WHITE_DIE
    return terms.BLUE_DIE + (action - terms.IN_BLUE) // 2


def subline(view: View) -> str:
    """Round and roll, and for whom one waits."""
    state, say = view.state[0], view.game.say
    phase, rolls = int(state["phase"]), int(state["rolls"])
    if phase == terms.OVER or int(state["active"]) < 0:
        return ""
    parts = []
    if int(state["yellow_dice"]):
        parts.append(say("roll {roll} of {rolls}", roll=min(rolls + 1, 10), rolls=terms.PROTOTYPE_ROLLS))
    else:
        rounds = int(terms.ROUNDS[view.game.seats])
        parts.append(say("round {round} of {rounds}", round=int(state["rounds"]), rounds=rounds))
        if terms.ROLL <= phase <= terms.PICKED:
            parts.append(say("roll {roll} of {rolls}", roll=min(rolls + 1, 3), rolls=terms.MOST_ROLLS))
        elif phase in (terms.AFTER, terms.TRAY, terms.TRAY_ROLL):
            parts.append(say("end of the turn" if phase == terms.AFTER else "passive turn"))
    if view.game.seats > 1:
        parts.append(say("seat {seat} is active", seat=seat_number(int(state["active"]))))
    return " · ".join(parts)


def pass_name(view: View) -> str:
    """What passing means at this moment."""
    state, say = view.state[0], view.game.say
    if int(state["phase"]) == terms.PICK:
        return say("forfeit the roll")
    if int(state["phase"]) == terms.TRAY and int(state["step"][view.seat]) == terms.PICKING:
        return say("take no die")
    return say("no more +1")


def where(view: View) -> tuple[list[int], list[int], list[int]]:
    """The dice that were rolled, those on the fields, those on the tray."""
    state = view.state[0]
    if int(state["active"]) < 0 or int(state["phase"]) == terms.OVER:
        return [], [], []
    pool, tray = int(state["pool"]), int(state["tray"])
    fields = [int(die) for die in state["fields"] if die >= 0]
    others = [die for die in range(terms.DICE_COUNT) if die not in fields]
    return [die for die in others if pool >> die & 1], fields, [die for die in others if tray >> die & 1]


def die_name(view: View, die: int) -> str:
    return view.game.say(DICE[terms.YELLOW_DIE if int(view.state["yellow_dice"][0]) else die])
