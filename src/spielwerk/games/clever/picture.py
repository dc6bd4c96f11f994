"""A sheet and the dice above it as SVG.

A cell that several actions could mark is divided among them: one part for the die of the colour, one for the white die.
On a phone the areas stand below each other, and the cell that comes next in a row is wider, so that a finger finds it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spielwerk.core.position import View
from spielwerk.core.words import seat_number
from spielwerk.games.clever import drawing
from spielwerk.games.clever.drawing import Palette, box, button, cross, icon, words
from spielwerk.games.clever.kernel import terms
from spielwerk.games.clever.sheets import (
    AREAS,
    BLUE,
    DICE,
    EXTRA,
    FOX,
    GREEN,
    GRID,
    NONE,
    ORANGE,
    PURPLE,
    REROLL,
    ROW,
    YELLOW,
)
from spielwerk.games.clever.situation import Seat, bonus_name, headline, pass_name, subline, where

SLOTS = 7  # of the bars for re-rolls and +1


class Page(NamedTuple):
    """Measures of a picture."""

    width: float
    dice: tuple[tuple[float, float, float, float], ...]  # rolled, fields, tray: x, y, size, step
    buttons: tuple[float, float, float]  # their right end, top, size of the words
    sheet: float  # top of the sheet
    grids: tuple[tuple[float, float, float], ...]  # yellow, blue: x, y, width
    rows: tuple[float, float, float, float, float]  # green and those below: x, y, width, step, height of a cell
    side: tuple[float, float, float]  # rounds, bars, points: x, y, width
    height: float  # of the sheet
    touch: bool  # what is legal needs room for fingers


WIDE = Page(
    780,
    ((4, 78, 44, 50), (322, 78, 44, 50), (496, 78, 44, 46.5)),
    (776, 8, 16),
    148,
    ((12, 42, 264), (286, 42, 264)),
    (12, 288, 756, 80, 38),
    (564, 42, 204),
    534,
    False,
)
SLIM = Page(
    364,
    ((6, 71, 46, 59), (6, 156, 36, 39), (133, 156, 36, 37)),
    (358, 202, 15),
    256,
    ((6, 42, 352), (6, 288, 352)),
    (6, 518, 352, 90, 46),
    (10, 796, 344),
    1044,
    True,
)
CELL, STEP, LEFT = 46, 50, 10  # of the grids
FINGER = 45.5
TRAY, TRAY_EDGE = "#d3d7dc", "#9aa1a9"


OVER = 40  # top of the sheet when no dice lie above it any more


def top_of(view: View, page: Page) -> float:
    """Where the sheet begins, below the dice and what there is to do."""
    return OVER if view.over else page.sheet


def height_of(seat: Seat, page: Page) -> float:
    """Of a sheet; the yellow area alone needs little."""
    return page.grids[0][1] + 246 if seat.prototype else page.height


class Part(NamedTuple):
    """Of a cell that an action would mark."""

    action: int
    mark: str  # what would be written
    white: bool  # by the white die


@dataclass(frozen=True)
class Picture:
    """One sheet on one page, and the dice above it."""

    view: View
    seat: Seat
    page: Page
    colours: Palette
    legal: frozenset[int]

    # --- dice and buttons --------------------------------------------------------------------------------------------

    def table(self) -> str:
        view, page = self.view, self.page
        buttons, taken = self._buttons()
        room = page.width - 12 - (0 if page.touch else taken)
        said, more = headline(view), subline(view)
        drawn = [
            words(4, 25, said, min(21, 1.75 * room / max(len(said), 1)), drawing.WORDS, "start"),
            words(4, 45, more, min(15, 1.9 * room / max(len(more), 1)), drawing.FAINT, "start", 400),
        ]
        return "".join([*drawn, self._dice(), buttons])

    def _dice(self) -> str:
        view, page, say = self.view, self.page, self.view.game.say
        lying = where(view)
        if not any(lying):
            return ""
        drawn = []
        prototype = self.seat.prototype
        owner = seat_number(int(view.state["active"][0]))
        fields = say("fields of seat {seat}", seat=owner) if view.game.seats > 1 else say("fields")
        names = (say("rolled"), fields, say("tray"))
        for kind, (x, y, size, step) in enumerate(page.dice):
            if kind and prototype:
                break
            if kind == 1:
                for field in range(terms.MOST_ROLLS):
                    edge = f'stroke="{drawing.SLOT}" stroke-width="1.5" stroke-dasharray="4 3"'
                    drawn.append(box(x + step * field, y, size, size, "none", 8, edge))
            if kind == 2:
                edge = f'stroke="{TRAY_EDGE}" stroke-width="1.5"'
                drawn.append(box(x - 5, y - 5, 5 * step + size + 10, size + 10, TRAY, 14, edge))
            if kind or lying[kind]:
                drawn.append(words(x, y - 9, names[kind], 12, drawing.FAINT, "start", 400))
            drawn += [self._die(die, x + step * slot, y, size) for slot, die in enumerate(lying[kind])]
        return "".join(drawn)

    def _die(self, die: int, x: float, y: float, size: float) -> str:
        """A die that fits nowhere can be put aside."""
        view, say = self.view, self.view.game.say
        coloured = terms.YELLOW_DIE if self.seat.prototype else die
        fill = self.colours.band[coloured - 1] if coloured else drawing.DIE
        dots = self.colours.on_band[coloured - 1] if coloured else drawing.DOTS
        eyes = int(view.state["dice"][0][die])
        name = say("{colour} die: {eyes}", colour=say(DICE[coloured]), eyes=eyes or "–")
        piece = f"die-{die}" if self.seat.prototype else f"die-{DICE[die]}"
        drawn = drawing.die(piece, x, y, size, eyes, fill, dots, name)
        if view.seat >= 0 and int(view.state["spent"][0][view.seat]) >> die & 1:
            drawn += f'<circle cx="{x + size - 3:.1f}" cy="{y + 3:.1f}" r="9" fill="{drawing.STORED}"/>'
            drawn += words(x + size - 3, y + 7, "+1", 10, drawing.LIGHT)
        action = terms.WASTE + die
        if action not in self.legal:
            return drawn
        drawn += box(x, y, size, size, "none", 8, f'stroke="{drawing.QUIET}" stroke-width="2" stroke-dasharray="5 4"')
        drawn += words(x + size / 2, y + size + 13, say("set aside"), 10.5, drawing.FAINT, weight=400)
        return button(action, say("put the {die} die aside", die=say(DICE[die])), drawn)

    def _buttons(self) -> tuple[str, float]:
        """Buttons for what no cell stands for, and how much room they take."""
        view, say, (right, y, size) = self.view, self.view.game.say, self.page.buttons
        labels = []
        if terms.AGAIN in self.legal:
            left = int(view.state["rerolls"][0][view.seat])
            labels.append((terms.AGAIN, say("re-roll ({left} left)", left=left), drawing.BUTTON))
        if terms.PASS in self.legal:
            labels.append((terms.PASS, pass_name(view), drawing.QUIET))
        for action in (terms.FREE_YELLOW, terms.FREE_BLUE):
            if action in self.legal:
                labels.append((action, view.game.move_name(action), drawing.BUTTON))
        widths = [max(80, 26 + 0.56 * size * len(label)) for _, label, _ in labels]
        room = right - 6 - 8 * (len(widths) - 1)
        if sum(widths) > room:  # two long ones on a phone
            widths = [width * room / sum(widths) for width in widths]
        drawn, x = [], right - sum(widths) - 8 * (len(widths) - 1)
        for (action, label, fill), width in zip(labels, widths, strict=True):
            fits = min(size, (width - 12) / (0.56 * len(label)))
            shape = box(x, y, width, 45, fill, 8) + words(x + width / 2, y + 28, label, fits, drawing.LIGHT, weight=600)
            drawn.append(button(action, label, shape))
            x += width + 8
        return "".join(drawn), sum(widths) + 8 * len(widths)

    # --- the sheet ---------------------------------------------------------------------------------------------------

    def sheet(self) -> str:
        seat, page, say = self.seat, self.page, self.view.game.say
        edge = f'stroke="{drawing.ACTIVE if seat.active else drawing.EDGE}" stroke-width="{3 if seat.active else 1.5}"'
        phrase = "Seat {seat} (you)" if seat.own else "Seat {seat}"
        owner = say(phrase, seat=seat_number(seat.seat))
        drawn = [
            box(1, 1, page.width - 2, height_of(seat, page) - 2, drawing.SHEET, 14, edge),
            words(18, 29, owner + (" · " + say("active") if seat.active else ""), 19, drawing.WORDS, "start"),
            words(
                page.width - 18,
                29,
                say("{points} {points:point|points}", points=seat.points),
                19,
                drawing.WORDS,
                "end",
            ),
            self._yellow(),
        ]
        if not seat.prototype:
            drawn += [self._blue(), self._green(), self._orange(), self._purple(), self._side()]
        return "".join(drawn)

    def _yellow(self) -> str:
        seat, sheet = self.seat, self.seat.sheet
        x, y, width = self.page.grids[YELLOW]
        x = (self.page.width - width) / 2 if seat.prototype else x
        parts = [self._yellow_parts(place) for place in range(GRID)]
        columns = self._columns(x, width, parts)
        end = columns[-1][0] + columns[-1][1]
        drawn = [box(x, y, width, 238, self.colours.band[YELLOW], 12)]
        if not seat.prototype:
            drawn.append(
                f'<path d="M{columns[0][0] + 6:.1f} {y + 14} L{end + 22:.1f} {y + 222}" fill="none" '
                f'stroke="{self.colours.on_band[YELLOW]}" stroke-width="3"/>'
            )
        for place, number in enumerate(sheet.yellow):
            left, room = columns[place % 4]
            where = (left, y + 8 + STEP * (place // 4), room, CELL)
            crossed = bool(seat.yellow >> place & 1)
            drawn.append(self._cell(YELLOW, place, where, str(number or ""), crossed, "", parts[place]))
        for line in range(4):
            middle = y + 8 + STEP * line + CELL / 2
            if seat.prototype:
                drawn.append(self._pill(YELLOW, end + 24, middle + 6, sheet.yellow_columns[line], seat.row(line)))
            else:
                drawn.append(self._icon(sheet.yellow_rows[line], end + 24, middle, 28, seat.row(line)))
            left, room = columns[line]
            drawn.append(self._pill(YELLOW, left + room / 2, y + 226, sheet.yellow_columns[line], seat.column(line)))
        if not seat.prototype:
            drawn.append(self._icon(sheet.yellow_diagonal, end + 24, y + 220, 26, seat.diagonal))
        return "".join(drawn)

    def _yellow_parts(self, place: int) -> list[Part]:
        number = str(self.seat.sheet.yellow[place])
        return self._parts(
            Part(terms.IN_YELLOW + place, number, False),
            Part(terms.WHITE_IN_YELLOW + place, number, True),
            Part(terms.X_IN_YELLOW + place, "", False),
        )

    def _blue(self) -> str:
        seat, sheet, colours = self.seat, self.seat.sheet, self.colours
        x, y, width = self.page.grids[BLUE]
        total = int(self.view.state["dice"][0][terms.BLUE_DIE]) + int(self.view.state["dice"][0][terms.WHITE_DIE])
        parts = []
        for place, number in enumerate(sheet.blue):
            by_dice = [Part(terms.IN_BLUE, str(total), False), Part(terms.IN_BLUE + 1, str(total), True)]
            by_bonus = Part(terms.X_IN_BLUE + place, "", False)
            parts.append(self._parts(*(by_dice if number and number == total else []), by_bonus))
        columns = self._columns(x, width, parts)
        end = columns[-1][0] + columns[-1][1]
        drawn = [box(x, y, width, 222 if self.page.touch else 238, colours.band[BLUE], 12)]
        for place, number in enumerate(sheet.blue):
            if number:
                left, room = columns[place % 4]
                where = (left, y + 8 + STEP * (place // 4), room, CELL)
                crossed = bool(seat.blue >> place & 1)
                drawn.append(self._cell(BLUE, place, where, str(number), crossed, "", parts[place]))
        for line, bonus in enumerate(sheet.blue_rows):
            drawn.append(self._icon(bonus, end + 24, y + 8 + STEP * line + CELL / 2, 28, seat.blue_row(line)))
        for line, bonus in enumerate(sheet.blue_columns):
            left, room = columns[line]
            drawn.append(self._icon(bonus, left + room / 2, y + 175, 26, seat.blue_column(line)))
        step = (width - 2 * 8) / ROW
        for count in range(1, ROW + 1):
            reached = count == seat.blue_crosses
            left, top = x + 8 + step * (count - 1), y + (195 if self.page.touch else 203)
            fill, ink = (colours.paper[BLUE], colours.ink[BLUE]) if reached else ("none", colours.on_band[BLUE])
            drawn.append(box(left + 0.5, top, step - 1, 21, fill, 4))
            drawn.append(words(left + step / 2, top + 15, str(sheet.blue_points[count]), 12, ink))
        return "".join(drawn)

    def _green(self) -> str:
        seat, sheet, dice = self.seat, self.seat.sheet, self.view.state[0]["dice"]
        parts = self._parts(
            Part(terms.IN_GREEN, str(int(dice[terms.GREEN_DIE])), False),
            Part(terms.IN_GREEN + 1, str(int(dice[terms.WHITE_DIE])), True),
            Part(terms.X_IN_GREEN, "", False),
        )
        cells = [(f"≥{lowest}", cell < seat.green, "") for cell, lowest in enumerate(sheet.green)]
        above = [str(points) for points in sheet.green_points[1:]]
        return self._row(GREEN, cells, above, sheet.green_bonuses, seat.green, parts)

    def _orange(self) -> str:
        seat, sheet, dice = self.seat, self.seat.sheet, self.view.state[0]["dice"]
        bonuses = (Part(terms.BONUS_IN_ORANGE + more, str(4 + more), False) for more in range(3))
        parts = self._parts(
            Part(terms.IN_ORANGE, str(int(dice[terms.ORANGE_DIE])), False),
            Part(terms.IN_ORANGE + 1, str(int(dice[terms.WHITE_DIE])), True),
            *bonuses,
        )
        filled = len(seat.orange)
        numbers = [str(number * factor) for number, factor in zip(seat.orange, sheet.orange, strict=False)]
        cells = [("", True, number) for number in numbers] + [("", False, "")] * (ROW - filled)
        above = [f"×{factor}" if factor > 1 else "" for factor in sheet.orange]
        return self._row(ORANGE, cells, above, sheet.orange_bonuses, filled, parts)

    def _purple(self) -> str:
        seat, sheet, dice = self.seat, self.seat.sheet, self.view.state[0]["dice"]
        parts = self._parts(
            Part(terms.IN_PURPLE, str(int(dice[terms.PURPLE_DIE])), False),
            Part(terms.IN_PURPLE + 1, str(int(dice[terms.WHITE_DIE])), True),
            Part(terms.BONUS_IN_PURPLE, "6", False),
        )
        filled = len(seat.purple)
        cells = [("", True, str(number)) for number in seat.purple] + [("", False, "")] * (ROW - filled)
        return self._row(PURPLE, cells, [""] * ROW, sheet.purple_bonuses, filled, parts)

    def _row(
        self,
        area: int,
        cells: list[tuple[str, bool, str]],
        above: list[str],
        bonuses: Sequence[int],
        filled: int,
        parts: list[Part],
    ) -> str:
        """An area that is filled from left to right: what is printed in each cell, whether it is filled, what with."""
        x, top, width, step, height = self.page.rows
        y, on_band = top + step * (area - GREEN), self.colours.on_band[area]
        drawn = [box(x, y, width, step - 6, self.colours.band[area], 12)]
        places = self._cells_of_a_row(filled, len(parts))
        for cell, (printed, marked, number) in enumerate(cells):
            left, room = places[cell]
            own = parts if cell == filled else []
            drawn.append(words(left + room / 2, y + 13, above[cell], 11.5, on_band))
            where = (left, y + 17, room, height)
            drawn.append(self._cell(area, cell, where, printed, marked, number, own))
            if area == PURPLE and cell:
                drawn.append(words(left - 3, y + 17 + height / 2 + 4, "<", 9 if self.page.touch else 12, on_band))
            if bonuses[cell] != NONE:
                size = 18 if self.page.touch else 17
                drawn.append(self._icon(bonuses[cell], left + room / 2, y + 17 + height + 9.5, size, marked))
        return "".join(drawn)

    def _cells_of_a_row(self, following: int, parts: int) -> list[tuple[float, float]]:
        """Left ends and widths. For fingers the cell that comes next is wider than the others."""
        x, _, width, _, _ = self.page.rows
        gap, room = (5.5, width - 12) if self.page.touch else (7.0, width - 20)
        wide = FINGER * max(parts, 1.3) if self.page.touch and following < ROW else 0.0
        each = (room - wide + gap) / (ROW - (wide > 0)) - gap - (gap / (ROW - 1) if wide else 0)
        places, left = [], x + (width - room) / 2
        for cell in range(ROW):
            taken = wide if wide and cell == following else each
            places.append((left, taken))
            left += taken + gap
        return places

    def _columns(self, x: float, width: float, parts: list[list[Part]]) -> list[tuple[float, float]]:
        """Left ends and widths of the columns of a grid. For fingers a column with a divided cell is wider."""
        if not self.page.touch:
            return [(x + LEFT + STEP * line, CELL) for line in range(4)]
        room = width - LEFT - 50 - 3 * 4
        needed = [FINGER * max(len(one) for one in parts[line::4]) for line in range(4)]
        wide = [want if want > room / 4 else 0 for want in needed]
        each = (room - sum(wide)) / max(wide.count(0), 1)
        places, left = [], x + LEFT
        for want in wide:
            places.append((left, want or each))
            left += (want or each) + 4
        return places

    def _parts(self, *parts: Part) -> list[Part]:
        return [part for part in parts if part.action in self.legal]

    def _cell(
        self,
        area: int,
        place: int,
        where: tuple[float, float, float, float],
        printed: str,
        marked: bool,
        number: str,
        parts: list[Part],
    ) -> str:
        x, y, width, height = where
        middle, size = x + width / 2, min(21, 0.46 * height)
        ink, paper = self.colours.ink[area], self.colours.paper[area]
        drawn = box(x, y, width, height, paper, 7)
        piece = f"{AREAS[area]}-{self.seat.place}-{place}"
        if marked and number:
            fits = min(22 if width > 24 else 19, 1.7 * width / len(number))
            text = words(middle, y + height / 2 + 0.36 * fits, number, fits, drawing.CROSS)
            drawn += f'<g data-piece="{piece}">{text}</g>'
        elif marked and printed:
            drawn += f'<g opacity="0.45">{words(middle, y + height / 2 + 7, printed, size, ink)}</g>'
            drawn += cross(x, y, width, height, drawing.CROSS, 4.5, piece)
        elif marked:  # in print
            drawn += f'<g opacity="0.6">{cross(x, y, width, height, ink, 3)}</g>'
        elif not parts:
            narrow_cell = min(size, 0.62 * width)
            drawn += words(middle, y + height / 2 + 0.34 * narrow_cell, printed, narrow_cell, ink)
        for slot, part in enumerate(parts):
            share = width / len(parts)
            drawn += self._part(area, part, (x + share * slot, y, share, height), printed)
        return drawn

    def _part(self, area: int, part: Part, where: tuple[float, float, float, float], printed: str) -> str:
        """What an action would write; below an X one sees what is printed, since rare numbers are worth it most."""
        x, y, width, height = where
        fill, ink = (drawing.DIE, drawing.DOTS) if part.white else (self.colours.paper[area], self.colours.ink[area])
        edge = f'stroke="{drawing.LEGAL}" stroke-width="3"'
        drawn = box(x + 1, y + 1, width - 2, height - 2, fill, 7, edge)
        if part.mark:
            size = min(22, 1.5 * (width - 6) / len(part.mark))
            drawn += words(x + width / 2, y + height / 2 + 0.36 * size, part.mark, size, ink)
        else:
            size = min(21, 0.46 * height, 0.62 * width)
            drawn += words(x + width / 2, y + height / 2 + 0.34 * size, printed, size, ink)
            drawn += f'<g opacity="0.3">{cross(x, y, width, height, ink, 4)}</g>'
        return button(part.action, self.view.game.move_name(part.action), drawn)

    def _pill(self, area: int, x: float, y: float, points: int, reached: bool) -> str:
        """Points of a line; on paper when the line is complete."""
        colours = self.colours
        fill, ink = (colours.paper[area], colours.ink[area]) if reached else ("none", colours.on_band[area])
        return box(x - 17, y - 15, 34, 21, fill, 10) + words(x, y, str(points), 15, ink)

    def _icon(self, bonus: int, x: float, y: float, size: float, taken: bool) -> str:
        return icon(bonus, bonus_name(self.view, bonus), x, y, size, self.colours, taken)

    # --- rounds, bars, points ----------------------------------------------------------------------------------------

    def _side(self) -> str:
        x, y, width = self.page.side
        say, seat = self.view.game.say, self.seat
        drawn = [self._rounds(x, y, width)]
        bars = ((REROLL, say("re-rolls"), seat.rerolls), (EXTRA, say("+1 actions"), seat.extras))
        for line, (bonus, name, (won, used)) in enumerate(bars):
            top = y + 64 + 46 * line
            drawn.append(words(x, top + 10, name, 12, drawing.FAINT, "start", 400))
            step = width / SLOTS
            for slot in range(max(SLOTS, won)):
                at, middle = x + step * (slot + 0.5), top + 28
                if slot < won:
                    shown = icon(bonus, name, at, middle, 23, self.colours)
                    gone = cross(at - 14, middle - 14, 28, 28, drawing.CROSS, 3.5) if slot < used else ""
                    drawn.append(f'<g opacity="{0.5 if slot < used else 1}">{shown}</g>{gone}')
                else:
                    edge = f'stroke="{drawing.SLOT}" stroke-width="1.5"'
                    drawn.append(f'<circle cx="{at:.1f}" cy="{middle:.1f}" r="10.5" fill="{drawing.BOX}" {edge}/>')
        drawn.append(self._points(x, y + 162, width))
        return "".join(drawn)

    def _rounds(self, x: float, y: float, width: float) -> str:
        rounds = int(terms.ROUNDS[self.view.game.seats])
        step, drawn = width / rounds, []
        for number in range(1, rounds + 1):
            left, bonus = x + step * (number - 1), self.seat.sheet.rounds[number - 1]
            here = number == self.seat.round
            edge = f'stroke="{drawing.ACTIVE if here else drawing.EDGE}" stroke-width="{3 if here else 1.5}"'
            drawn.append(box(left + 2, y + 2, step - 4, 54, drawing.BOX, 7, edge))
            drawn.append(words(left + step / 2, y + 20, str(number), 15, drawing.WORDS))
            if bonus != NONE:
                drawn.append(self._icon(bonus, left + step / 2, y + 39, 22, False))
        return "".join(drawn)

    def _points(self, x: float, y: float, width: float) -> str:
        """What the areas count, and the foxes."""
        seat, colours = self.seat, self.colours
        step, drawn = width / 5, []
        lowest = min(seat.areas)
        for area, points in enumerate(seat.areas):
            left = x + step * area
            low = f'stroke="{drawing.CROSS}" stroke-width="2.5"' if points == lowest and seat.foxes else ""
            drawn.append(box(left + 2, y + 2, step - 4, 30, colours.band[area], 7, low))
            drawn.append(words(left + step / 2, y + 23, str(points), 17, colours.on_band[area]))
        drawn.append(self._icon(FOX, x + 14, y + 54, 26, False))
        said = f"{seat.foxes} × {lowest} = {seat.foxes * lowest}"
        drawn.append(words(x + 36, y + 60, said, 17, drawing.WORDS, "start"))
        return "".join(drawn)
