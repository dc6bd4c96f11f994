"""A slow reference of the dice game "Ganz schön clever", written from the rules alone.

It favours being obviously right over being fast: a match is one generator that reads like the rule book from the first
roll to the last, and stops wherever somebody must decide or chance must act. Seats that act at the same time are small
generators of their own that are advanced side by side. A match can only be played forwards; it cannot be copied.

Options change single rules. With all of them off the game is the official one. All but `wasted_picks` together make the
variant that was used in a thesis about the solo game.
"""

from __future__ import annotations

import random
from collections.abc import Generator
from contextlib import suppress
from typing import Any

Move = tuple[Any, ...]
Event = tuple[Any, ...]
Deciding = Generator[set[Move], Move, None]
"""What one seat does: yields its legal moves, is sent the one it makes."""
Course = Generator["dict[int, set[Move]] | Event", Any, None]
"""What the table does: yields the moves of all seats that must decide, or what chance must do."""

# ---------------------------------------------------------------------------------------------------------------- sheet

DICE = ("white", "yellow", "blue", "green", "orange", "purple")
AREAS = ("yellow", "blue", "green", "orange", "purple")
ROUNDS = {1: 6, 2: 6, 3: 5, 4: 4}
ROUND_BONUS = {1: "re-roll", 2: "+1", 3: "re-roll", 4: "black"}
BLACK = ("yellow X", "blue X", "green X", "orange 6", "purple 6")
PASS: Move = ("pass",)

# Yellow cells are named (row, column); a 0 is a cell that is printed as crossed.
YELLOW_ROWS = [[3, 6, 5, 0], [2, 1, 0, 5], [1, 0, 2, 4], [0, 3, 4, 6]]
YELLOW = {(r, c): number for r, row in enumerate(YELLOW_ROWS, 1) for c, number in enumerate(row, 1) if number}
YELLOW_LINES = [
    ({(1, 1), (1, 2), (1, 3)}, "blue X"),
    ({(2, 1), (2, 2), (2, 4)}, "orange 4"),
    ({(3, 1), (3, 3), (3, 4)}, "green X"),
    ({(4, 2), (4, 3), (4, 4)}, "fox"),
    ({(1, 1), (2, 2), (3, 3), (4, 4)}, "+1"),
]
YELLOW_COLUMNS = {1: 10, 2: 14, 3: 16, 4: 20}

BLUE = range(2, 13)
BLUE_LINES = [
    ({2, 3, 4}, "orange 5"),
    ({5, 6, 7, 8}, "yellow X"),
    ({9, 10, 11, 12}, "fox"),
    ({5, 9}, "re-roll"),
    ({2, 6, 10}, "green X"),
    ({3, 7, 11}, "purple 6"),
    ({4, 8, 12}, "+1"),
]
BLUE_POINTS = [0, 1, 2, 4, 7, 11, 16, 22, 29, 37, 46, 56]

# The other three areas are rows of eleven cells, filled from the left. Bonuses by cell, counted from 1.
CELLS = 11
GREEN_LEAST = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6]
GREEN_POINTS = [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66]
GREEN_BONUS = {4: "+1", 6: "blue X", 7: "fox", 9: "purple 6", 10: "re-roll"}
ORANGE_TIMES = [1, 1, 1, 2, 1, 1, 2, 1, 2, 1, 3]
ORANGE_BONUS = {3: "re-roll", 5: "yellow X", 6: "+1", 8: "fox", 10: "purple 6"}
PURPLE_BONUS = {3: "re-roll", 4: "blue X", 5: "+1", 6: "yellow X", 7: "fox", 8: "re-roll"}
PURPLE_BONUS |= {9: "green X", 10: "orange 6", 11: "+1"}


class Sheet:
    """One player's sheet: what is filled in, what is noted, and the bonuses still owed."""

    def __init__(self) -> None:
        self.yellow: set[tuple[int, int]] = set()
        self.blue: set[int] = set()
        self.green = 0
        self.orange: list[int] = []
        self.purple: list[int] = []
        self.foxes = 0
        self.rerolls = 0
        self.extras = 0
        self.owed: list[str] = []

    def fill(self, area: str, place: Any, number: int) -> None:
        """Fill one cell and collect the bonuses that this fires.

        `place` names the cell in yellow and blue; `number` is what is written in orange and purple.
        """
        if area == "yellow":
            assert place in YELLOW and place not in self.yellow
            self.yellow.add(place)
            for cells, bonus in YELLOW_LINES:
                if place in cells and cells <= self.yellow:
                    self.gain(bonus)
        elif area == "blue":
            assert place in BLUE and place not in self.blue
            self.blue.add(place)
            for sums, bonus in BLUE_LINES:
                if place in sums and sums <= self.blue:
                    self.gain(bonus)
        elif area == "green":
            assert self.green < CELLS
            self.green += 1
            if self.green in GREEN_BONUS:
                self.gain(GREEN_BONUS[self.green])
        elif area == "orange":
            self.orange.append(number * ORANGE_TIMES[len(self.orange)])
            if len(self.orange) in ORANGE_BONUS:
                self.gain(ORANGE_BONUS[len(self.orange)])
        else:
            assert area == "purple" and len(self.purple) < CELLS
            self.purple.append(number)
            if len(self.purple) in PURPLE_BONUS:
                self.gain(PURPLE_BONUS[len(self.purple)])

    def gain(self, bonus: str) -> None:
        """Note a re-roll, a +1 or a fox at once; owe everything else."""
        if bonus == "re-roll":
            self.rerolls += 1
        elif bonus == "+1":
            self.extras += 1
        elif bonus == "fox":
            self.foxes += 1
        else:
            self.owed.append(bonus)

    def bonus_moves(self, bonus: str) -> set[Move]:
        """All ways to place an owed bonus; none if the area is full."""
        if bonus == "black":
            grids = {("free", each.split()[0]) for each in BLACK[:2] if self.bonus_moves(each)}
            return grids | {move for each in BLACK[2:] for move in self.bonus_moves(each)}
        if bonus == "yellow X":
            return {("bonus", bonus, cell) for cell in YELLOW if cell not in self.yellow}
        if bonus == "blue X":
            return {("bonus", bonus, number) for number in BLUE if number not in self.blue}
        filled = {"green": self.green, "orange": len(self.orange), "purple": len(self.purple)}[bonus.split()[0]]
        return {("bonus", bonus, None)} if filled < CELLS else set()

    def take(self, move: Move) -> None:
        """Place an owed bonus. A bonus that is not owed by name is the black choice, which names a grid first and its
        cell then."""
        if move[0] == "free":
            self.owed.remove("black")
            self.owed.append(f"{move[1]} X")
            return
        _, bonus, place = move
        self.owed.remove(bonus if bonus in self.owed else "black")
        area, mark = bonus.split()
        self.fill(area, place, 0 if mark == "X" else int(mark))

    def areas(self) -> dict[str, int]:
        """Points per area."""
        columns = 0
        for column, points in YELLOW_COLUMNS.items():
            if all(cell in self.yellow for cell in YELLOW if cell[1] == column):
                columns += points
        return {
            "yellow": columns,
            "blue": BLUE_POINTS[len(self.blue)],
            "green": GREEN_POINTS[self.green],
            "orange": sum(self.orange),
            "purple": sum(self.purple),
        }


# ---------------------------------------------------------------------------------------------------------------- match


class Reference:
    """One match. Ask `waiting`, then call `play` or `chance`, until it says "over"."""

    def __init__(
        self,
        seats: int,
        *,
        wasted_picks: bool = False,
        random_tray: bool = False,
        short_end: int = 0,
        drawn_bonus: bool = False,
        loose_green: bool = False,
        loose_purple: bool = False,
        stale_roll: bool = False,
        every_step: bool = False,
    ) -> None:
        self.seats = seats
        self.wasted_picks = wasted_picks
        self.random_tray = random_tray
        self.short_end = short_end
        self.drawn_bonus = drawn_bonus
        self.loose_green = loose_green
        self.loose_purple = loose_purple
        self.stale_roll = stale_roll
        self.every_step = every_step

        self.sheets = [Sheet() for _ in range(seats)]
        self.round = 0
        self.active = 0
        self.faces: dict[str, int] = {}
        self.pool: set[str] = set()
        self.fields: set[str] = set()
        self.tray: set[str] = set()
        self.kept: set[str] = set()
        """Dice that the next turn's first roll leaves as they are (only with stale_roll)."""

        self._asked: dict[int, set[Move]] = {}
        self._course = self._match()
        self.due: Event | None = None
        """What chance must do: ("begin",), ("draw",), ("roll", dice) or ("tray",); None if it is not chance's turn."""
        self._go_on(None)

    # From outside ------------------------------------------------------------------------------------------------

    def waiting(self) -> set[int] | str:
        """The seats that must decide now, or "chance", or "over"."""
        if self._asked:
            return set(self._asked)
        return "over" if self.due is None else "chance"

    def moves(self, seat: int) -> set[Move]:
        """The legal moves of a seat that must decide."""
        return set(self._asked[seat])

    def play(self, joint: dict[int, Move]) -> None:
        """Make one move for every waiting seat, all at once."""
        assert self._asked and set(joint) == set(self._asked), (joint, self._asked)
        for seat, move in joint.items():
            assert move in self._asked[seat], (seat, move, self._asked[seat])
        self._go_on(dict(joint))

    def chance(self, event: Event) -> None:
        """Let chance act. The event must be the kind that is due, and possible."""
        assert self.due is not None and not self._asked, event
        kind = self.due[0]
        if kind == "begin":
            assert event[0] == "begin" and len(event) == 2 and event[1] in range(self.seats), event
        elif kind == "draw":
            assert event[0] == "draw" and len(event) == 2 and event[1] in BLACK, event
        else:
            rolled = set(DICE) if kind == "tray" else set(self.due[1])
            assert event[0] == "roll" and set(event[1]) == rolled, (event, rolled)
            assert all(face in range(1, 7) for face in event[1].values()), event
            assert len(event) == (3 if kind == "tray" else 2), event
        if kind == "tray":
            faces, tray = event[1], set(event[2])
            assert len(tray) == 3 and tray <= set(DICE), event
            others = set(DICE) - tray
            lowest = max(faces[die] for die in tray) <= min(faces[die] for die in others)
            assert lowest or self.random_tray, event
        self._go_on(event)

    def areas(self, seat: int) -> dict[str, int]:
        """Points per area."""
        return self.sheets[seat].areas()

    def points(self, seat: int) -> int:
        """Points so far: the five areas, and every fox as much as the lowest of them."""
        areas = self.areas(seat)
        return sum(areas.values()) + self.sheets[seat].foxes * min(areas.values())

    def counters(self, seat: int) -> dict[str, int]:
        """Foxes, unused re-rolls and unused +1."""
        sheet = self.sheets[seat]
        return {"foxes": sheet.foxes, "re-rolls": sheet.rerolls, "extras": sheet.extras}

    def best(self) -> set[int]:
        """The winners: most points, then the highest single area, then shared."""
        result = {seat: (self.points(seat), max(self.areas(seat).values())) for seat in range(self.seats)}
        return {seat for seat in result if result[seat] == max(result.values())}

    def _go_on(self, answer: Any) -> None:
        """Run the match up to the next decision or chance event."""
        self._asked, self.due = {}, None
        try:
            request = self._course.send(answer)
        except StopIteration:
            return
        if isinstance(request, dict):
            self._asked = request
        else:
            self.due = request

    # Frame -------------------------------------------------------------------------------------------------------

    def _match(self) -> Course:
        """The whole match."""
        first = 0
        if self.seats > 1:
            event = yield ("begin",)
            first = event[1]
        for number in range(1, ROUNDS[self.seats] + 1):
            self.round = number
            yield from self._start_round()
            for turn in range(self.seats):
                self.active = (first + turn) % self.seats
                last = number == ROUNDS[self.seats] and turn == self.seats - 1
                yield from self._active_turn(last)
                if last and self.short_end:
                    return
                yield from self._together({self.active: self._extras(self.active)})
                yield from self._passive_turn()

    def _start_round(self) -> Course:
        """Every seat gets the bonus of the round; those who have a choice choose at the same time."""
        for sheet in self.sheets:
            if self.round == 4 and self.drawn_bonus:
                event = yield ("draw",)
                sheet.gain(event[1])
            elif self.round in ROUND_BONUS:
                sheet.gain(ROUND_BONUS[self.round])
        yield from self._together({seat: self._bonuses(seat) for seat in range(self.seats)})

    def _together(self, doing: dict[int, Deciding]) -> Course:
        """Let seats act side by side: at every moment all that are not done decide at once."""
        answers: dict[int, Any] = dict.fromkeys(doing)
        while True:
            asked: dict[int, set[Move]] = {}
            for seat, answer in answers.items():
                with suppress(StopIteration):
                    asked[seat] = doing[seat].send(answer)
            if not asked:
                return
            answers = yield asked

    # Active turn -------------------------------------------------------------------------------------------------

    def _active_turn(self, last: bool) -> Course:
        """Up to three rolls with a pick each, and the bonuses of each pick; with a short end of 2 those of the last
        pick are lost."""
        seat, sheet = self.active, self.sheets[self.active]
        self.pool, self.fields, self.tray = set(DICE), set(), set()
        rolled, self.kept = self.pool - self.kept, set()
        for number in range(3):
            if not self.pool:
                break
            event = yield ("roll", frozenset(rolled))
            self.faces.update(event[1])
            move = yield from self._active_choice()
            while move == ("re-roll",):
                sheet.rerolls -= 1
                event = yield ("roll", frozenset(self.pool))
                self.faces.update(event[1])
                move = yield from self._active_choice()
            if move != PASS:
                die = move[1]
                lower = {other for other in self.pool if self.faces[other] < self.faces[die]}
                self.fields.add(die)
                self.tray |= lower
                self.pool -= lower | {die}
            if move[0] == "mark":
                self._mark(seat, move)
                if last and self.short_end == 2 and (number == 2 or not self.pool):
                    return
                yield from self._together({seat: self._bonuses(seat)})
            rolled = set(self.pool)
        self.tray |= self.pool
        self.pool = set()

    def _active_choice(self) -> Generator[dict[int, set[Move]], dict[int, Move], Move]:
        """Ask the active seat what it does with a roll; a forfeit without alternative happens by itself."""
        seat = self.active
        marks = self._marks(seat, self.pool)
        moves = set(marks)
        if self.sheets[seat].rerolls > 0:
            moves.add(("re-roll",))
        if not marks and not (self.every_step and moves):
            moves.add(PASS)
        if self.wasted_picks:
            moves |= {("waste", die) for die in self.pool if not self._marks(seat, {die})}
        if moves == {PASS} and not self.every_step:
            return PASS
        joint = yield {seat: moves}
        return joint[seat]

    def _marks(self, seat: int, dice: set[str]) -> set[Move]:
        """All ways to mark one of these dice at its present number."""
        sheet = self.sheets[seat]
        result: set[Move] = set()
        for die in dice:
            number = self.faces[die]
            areas = AREAS if die == "white" else (die,)
            if "yellow" in areas:
                cells = {cell for cell, value in YELLOW.items() if value == number} - sheet.yellow
                result |= {("mark", die, "yellow", cell) for cell in cells}
            if "blue" in areas and self._blue_sum() not in sheet.blue:
                result.add(("mark", die, "blue", None))
            if "green" in areas and self._fits_green(sheet, number):
                result.add(("mark", die, "green", None))
            if "orange" in areas and len(sheet.orange) < CELLS:
                result.add(("mark", die, "orange", None))
            if "purple" in areas and self._fits_purple(sheet, number):
                result.add(("mark", die, "purple", None))
        return result

    def _blue_sum(self) -> int:
        """The number to cross in blue, wherever the two dice lie."""
        return self.faces["blue"] + self.faces["white"]

    def _fits_green(self, sheet: Sheet, number: int) -> bool:
        """Does a die with this number fit the next green cell?"""
        if sheet.green == CELLS:
            return False
        least = GREEN_LEAST[sheet.green]
        if self.loose_green:
            return not ((number == least - 1 and number >= 2) or (least == 2 and number == 2))
        return number >= least

    def _fits_purple(self, sheet: Sheet, number: int) -> bool:
        """Does a die with this number fit the next purple cell?"""
        if len(sheet.purple) == CELLS:
            return False
        if not sheet.purple or sheet.purple[-1] == 6:
            return True
        if self.loose_purple:
            number = max(self.faces["purple"], self.faces["white"])
        return number > sheet.purple[-1]

    def _mark(self, seat: int, move: Move) -> None:
        """Mark a die in an area."""
        _, die, area, place = move
        self.sheets[seat].fill(area, self._blue_sum() if area == "blue" else place, self.faces[die])

    # Passive turn, solo ------------------------------------------------------------------------------------------

    def _passive_turn(self) -> Course:
        """All others use the tray at the same time; alone, the same seat does with a fresh roll of all dice."""
        if self.seats > 1:
            yield from self._together({seat: self._passive(seat) for seat in range(self.seats) if seat != self.active})
        else:
            event = yield ("tray",)
            self.faces.update(event[1])
            self.tray, self.fields = set(event[2]), set()
            yield from self._together({0: self._passive(0)})

    def _passive(self, seat: int) -> Deciding:
        """One tray die, or one of the active seat's if no tray die can be marked; then bonuses and +1."""
        marks = self._marks(seat, self.tray)
        if not marks and self.seats > 1:
            marks = self._marks(seat, self.fields)
        unpicked = set(self.tray)
        if marks or self.every_step:
            move = yield marks | {PASS}
            if move != PASS:
                unpicked.discard(move[1])
                self._mark(seat, move)
                yield from self._bonuses(seat)
        if self.stale_roll and self.seats == 1 and self.sheets[seat].extras == 0:
            self.kept = set(DICE) - unpicked
        yield from self._extras(seat)

    # Actions and bonuses -----------------------------------------------------------------------------------------

    def _extras(self, seat: int) -> Deciding:
        """Use +1 actions at the end of a turn: any of the six dice, each at most once."""
        sheet = self.sheets[seat]
        unused = set(DICE)
        while sheet.extras > 0:
            marks = self._marks(seat, unused)
            if not marks:
                return
            move = yield marks | {PASS}
            if move == PASS:
                return
            sheet.extras -= 1
            unused.remove(move[1])
            self._mark(seat, move)
            yield from self._bonuses(seat)

    def _bonuses(self, seat: int) -> Deciding:
        """Place all owed bonuses in any order, with those that they fire; what cannot be placed is lost."""
        sheet = self.sheets[seat]
        while True:
            sheet.owed = [bonus for bonus in sheet.owed if sheet.bonus_moves(bonus)]
            moves = {move for bonus in sheet.owed for move in sheet.bonus_moves(bonus)}
            if not moves:
                return
            if len(moves) == 1 and not self.every_step:
                (move,) = moves
            else:
                move = yield moves
            sheet.take(move)


# ----------------------------------------------------------------------------------------------------------- self-check


def random_event(reference: Reference, rng: random.Random) -> Event:
    """A chance event with its true probability; equal dice are equally likely to get onto the solo tray."""
    assert reference.due is not None
    kind = reference.due[0]
    if kind == "begin":
        return ("begin", rng.randrange(reference.seats))
    if kind == "draw":
        return ("draw", rng.choice(BLACK))
    if kind == "roll":
        return ("roll", {die: rng.randint(1, 6) for die in DICE if die in reference.due[1]})
    faces = {die: rng.randint(1, 6) for die in DICE}
    order = rng.sample(DICE, len(DICE))
    if not reference.random_tray:
        order.sort(key=lambda die: faces[die])
    return ("roll", faces, set(order[:3]))


def random_match(reference: Reference, rng: random.Random) -> list[int]:
    """Play a whole match with moves drawn uniformly from the legal ones; returns the points of all seats."""
    waiting = reference.waiting()
    while waiting != "over":
        if isinstance(waiting, set):
            reference.play({seat: rng.choice(sorted(reference.moves(seat), key=repr)) for seat in sorted(waiting)})
        else:
            reference.chance(random_event(reference, rng))
        waiting = reference.waiting()
    return [reference.points(seat) for seat in range(reference.seats)]
