"""Qwixx as text and as SVG: the dice, the own sheet large with clickable cells, everybody else's sheet below.

On a phone each row of the own sheet breaks in two, so that a finger finds its cells.
"""

from dataclasses import dataclass
from typing import NamedTuple

from spielwerk.core.position import View
from spielwerk.core.svg import EYES, dark_style, narrow
from spielwerk.core.words import seat_number, seat_numbers
from spielwerk.games.qwixx.kernel.rules import (
    COLOURED,
    LAST,
    MISTHROW,
    MOST_PENALTIES,
    OVER,
    PASS,
    ROWS,
    WHITE,
    cross_action,
)
from spielwerk.games.qwixx.layouts import CELLS, COLOURS, LAYOUTS, SheetLayout

CELL, GAP, ROW_HEIGHT = 46, 6, 60
SHEET_WIDTH = 30 + 12 * (CELL + GAP) + 24
SHEET_HEIGHT = 40 + ROWS * ROW_HEIGHT + 52
TRAY_HEIGHT = 96
SMALL = 0.49

# on a narrow page: six cells in a line, two lines in a row
NARROW_WIDTH, NARROW_TRAY, NARROW_ROW, NARROW_LINE, NARROW_STEP = 364, 146, 106, 48, 58
NARROW_BOX = 1.35  # how much larger the misthrows are
NARROW_SHEET = 40 + ROWS * NARROW_ROW + 60


class Palette(NamedTuple):
    """Red, yellow, green and blue."""

    band: tuple[str, ...]  # of a row and its die
    ink: tuple[str, ...]  # strong
    paper: tuple[str, ...]  # and pale


PALETTES = {  # by what is chosen of the look `colours`
    "box": Palette(
        ("#b3202c", "#e3b505", "#1f7a3a", "#23499c"),
        ("#a31d28", "#735300", "#1b6831", "#1f4291"),
        ("#f6d5d7", "#fbeebd", "#d3ecd9", "#d5def4"),
    ),
    "safe": Palette(  # told apart by eyes without red, green or blue: Okabe and Ito (2008), darker
        ("#c44e00", "#f0e442", "#009e73", "#004f86"),
        ("#a64200", "#6e6600", "#00694c", "#004a7e"),
        ("#fbe0cf", "#fdfad0", "#d2f2e8", "#d0e4f4"),
    ),
}
DARK_PALETTES = {
    "box": Palette(
        ("#8e1a24", "#a98704", "#195f2e", "#1c3a7d"),
        ("#ffb9bd", "#f3d36b", "#9fdcb1", "#b9caff"),
        ("#4a2226", "#40360f", "#1b3825", "#1f2c50"),
    ),
    "safe": Palette(
        ("#9c3e00", "#a8a02a", "#00694c", "#003d68"),
        ("#ffb380", "#e6de6a", "#7fdcc0", "#9fd0ff"),
        ("#43240f", "#3a370f", "#0f3a2e", "#0f2c44"),
    ),
}
SHEET, WORDS, EDGE, ACTIVE, CROSS, LEGAL = "#f7f6f2", "#333333", "#bbbbbb", "#222222", "#1b1b1b", "#111111"
DIE, DOTS, BOX, BUTTON, WARNING, LIGHT = "#fdfdfb", "#303030", "#fffffe", "#555555", "#8c2f2f", "#ffffff"
DARK = {
    SHEET: "#24282d",
    WORDS: "#ebe6dc",
    EDGE: "#4a5057",
    ACTIVE: "#cfc8bb",
    CROSS: "#f2eee6",
    LEGAL: "#ffe08a",
    DIE: "#d9d5cc",
    BOX: "#171a1d",
}
FONT = 'font-family="Helvetica, Arial, sans-serif"'


@dataclass(frozen=True)
class Sheet:
    """One seat's sheet as plain numbers."""

    seat: int
    layout: SheetLayout
    crosses: tuple[int, ...]  # [row] bit set of positions; bit 11 is the lock
    reach: tuple[int, ...]
    misthrows: int
    closed: int
    points: int
    place: int  # on the table as it is drawn; 0 = in front

    def crossed(self, row: int, position: int) -> bool:
        return bool(self.crosses[row] >> position & 1)


def sheet_of(view: View, seat: int, place: int = 0) -> Sheet:
    state = view.state[0]
    return Sheet(
        seat,
        LAYOUTS[int(state["layout"])],
        tuple(int(bits) for bits in state["crosses"][seat]),
        tuple(int(reach) for reach in state["reach"][seat]),
        int(state["penalties"][seat]),
        int(state["closed"]),
        int(view.score[seat]),
        place,
    )


def headline(view: View) -> str:
    """What is going on, in a sentence."""
    state, say = view.state[0], view.game.say
    phase, active = int(state["phase"]), int(state["active"])
    if phase == OVER:
        best = max(view.score)
        winners = [seat for seat, points in enumerate(view.score) if points == best]
        if view.game.seats == 1:
            return say("Over with {points} {points:point|points}", points=f"{best:.0f}")
        if len(winners) == 1:
            return say("Over: seat {seat} wins", seat=seat_number(winners[0]))
        return say("Over: seats {seats} share the win", seats=seat_numbers(winners))
    if active < 0:
        return say("Who begins?")
    seat = seat_number(active)
    if phase == WHITE:
        total = int(state["white"].sum())
        return say("Seat {seat} has rolled: everybody may cross the white {total}", seat=seat, total=total)
    if phase == COLOURED:
        return say("Seat {seat} may cross a white and a coloured die", seat=seat)
    return say("Seat {seat} rolls next", seat=seat)


# --- text ------------------------------------------------------------------------------------------------------------


def text(view: View) -> str:
    state, say = view.state[0], view.game.say
    lines = [headline(view)]
    if int(state["white"][0]):
        dice = [f"{say('white')} {int(state['white'][0])} {int(state['white'][1])}"]
        dice += [
            f"{say(colour)} {int(state['coloured'][row])}"
            for row, colour in enumerate(COLOURS)
            if not int(state["closed"]) >> row & 1
        ]
        lines.append("  ".join(dice))
    for seat in range(view.game.seats):
        sheet = sheet_of(view, seat)
        phrase = "seat {seat}: {points} {points:point|points}, {misthrows} {misthrows:misthrow|misthrows}"
        lines.append(say(phrase, seat=seat_number(seat), points=sheet.points, misthrows=sheet.misthrows))
        for row, colour in enumerate(COLOURS):
            cells = [
                " X" if sheet.crossed(row, position) else (" ." if position < sheet.reach[row] else f"{number:2d}")
                for position, number in enumerate(sheet.layout.numbers[row])
            ]
            lock = "X" if sheet.crossed(row, LAST + 1) else ("-" if sheet.closed >> row & 1 else "o")
            lines.append(f"  {say(colour):6s} {' '.join(cells)}  {lock}")
    return "\n".join(lines)


# --- SVG -------------------------------------------------------------------------------------------------------------


def svg(view: View) -> str:
    seats = view.game.seats
    front = view.seat if view.seat >= 0 else max(int(view.state["active"][0]), 0)
    others = [(front + step) % seats for step in range(1, seats)]
    drawn = [_tray(view)]
    own, moved = _sheet(view, sheet_of(view, front), view.legal), narrow(transform=f"translate(0 {NARROW_TRAY})")
    drawn.append(f'<g transform="translate(0 {TRAY_HEIGHT})" {moved}>{own}</g>')
    top = TRAY_HEIGHT + SHEET_HEIGHT + 14
    for place, seat in enumerate(others):
        x = (place % 2) * SHEET_WIDTH * (1 - SMALL)
        y = top + (place // 2) * (SHEET_HEIGHT * SMALL + 10)
        sheet = _sheet(view, sheet_of(view, seat, 1 + place), ())
        below = NARROW_TRAY + NARROW_SHEET + 14 + place * (SHEET_HEIGHT * SMALL + 10)
        moved = narrow(
            transform=f"translate({(NARROW_WIDTH - SHEET_WIDTH * SMALL) / 2:.0f} {below:.0f}) scale({SMALL})"
        )
        drawn.append(f'<g transform="translate({x:.0f} {y:.0f}) scale({SMALL})" {moved}>{sheet}</g>')
    height = top + (len(others) + 1) // 2 * (SHEET_HEIGHT * SMALL + 10)
    narrow_height = NARROW_TRAY + NARROW_SHEET + 14 + len(others) * (SHEET_HEIGHT * SMALL + 10)
    room = narrow(viewBox=f"0 0 {NARROW_WIDTH} {narrow_height:.0f}")
    dark = dark_style("qwixx", _dark(view))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SHEET_WIDTH} {height:.0f}" role="img" '
        f'aria-label="Qwixx: {headline(view)}" class="qwixx" {room}>{dark}{"".join(drawn)}</svg>'
    )


def _dark(view: View) -> dict[str, str]:
    """What the colours become on a dark page."""
    chosen = view.game.look("colours")
    pairs = zip(PALETTES[chosen], DARK_PALETTES[chosen], strict=True)
    return DARK | {light: dark for lights, darks in pairs for light, dark in zip(lights, darks, strict=True)}


def _tray(view: View) -> str:
    state, say, colours = view.state[0], view.game.say, PALETTES[view.game.look("colours")]
    said = headline(view)
    smaller = narrow(font_size=min(20, 2 * NARROW_WIDTH // len(said)))
    drawn = [f'<text x="4" y="24" {FONT} font-size="20" font-weight="600" fill="{WORDS}" {smaller}>{said}</text>']
    if int(state["white"][0]):
        faces = [(int(die), DIE, DOTS, say("white")) for die in state["white"]]
        pieces = ["white-1", "white-2", *(COLOURS[row] for row in range(ROWS) if not int(state["closed"]) >> row & 1)]
        closed = int(state["closed"])
        for row in range(ROWS):
            if not closed >> row & 1:
                dots = DOTS if row == 1 else LIGHT
                faces.append((int(state["coloured"][row]), colours.band[row], dots, say(COLOURS[row])))
        for place, (eyes, fill, dots, colour) in enumerate(faces):
            name = say("{colour} die: {eyes}", colour=colour, eyes=eyes)
            drawn.append(_die(f"die-{pieces[place]}", 4 + 54 * place, 40, eyes, fill, dots, name))
    if PASS in view.legal:
        warning = _pass_costs_a_misthrow(view)
        label = say("pass: misthrow, 5 points off") if warning else view.game.move_name(PASS)
        width = max(110, 30 + 8.8 * len(label))
        x = SHEET_WIDTH - width - 4
        below = narrow(transform=f"translate({NARROW_WIDTH - SHEET_WIDTH} 50)")
        drawn.append(
            f'<g data-action="{PASS}" role="button" tabindex="0" aria-label="{label}" {below}><title>{label}</title>'
            f'<rect x="{x:.0f}" y="40" width="{width:.0f}" height="46" rx="8" fill="{WARNING if warning else BUTTON}"/>'
            f'<text x="{x + width / 2:.0f}" y="69" text-anchor="middle" {FONT} font-size="18" font-weight="600" '
            f'fill="{LIGHT}">{label}</text></g>'
        )
    return "".join(drawn)


def _pass_costs_a_misthrow(view: View) -> bool:
    state = view.state[0]
    return int(state["phase"]) == COLOURED and int(state["crossed"]) == 0


def _die(piece: str, x: float, y: float, eyes: int, fill: str, dots: str, name: str) -> str:
    places = EYES[eyes]
    spots = "".join(f'<circle cx="{x + 11 + 11 * a}" cy="{y + 11 + 11 * b}" r="4" fill="{dots}"/>' for a, b in places)
    return (
        f'<g data-piece="{piece}" role="img" aria-label="{name}"><title>{name}</title>'
        f'<rect x="{x}" y="{y}" width="44" height="44" rx="8" fill="{fill}" stroke="#555" '
        f'stroke-width="1.5"/>{spots}</g>'
    )


def _sheet(view: View, sheet: Sheet, legal: tuple[int, ...]) -> str:
    active = int(view.state["active"][0]) == sheet.seat and not view.over
    edge = ACTIVE if active else EDGE
    say = view.game.say
    front = sheet.place == 0
    owner = say("Seat {seat} (you)" if sheet.seat == view.seat else "Seat {seat}", seat=seat_number(sheet.seat))
    drawn = [
        f'<rect x="1" y="1" width="{SHEET_WIDTH - 2}" height="{SHEET_HEIGHT - 2}" rx="14" fill="{SHEET}" '
        f'stroke="{edge}" stroke-width="{3 if active else 1.5}"'
        f"{' ' + narrow(width=NARROW_WIDTH - 2, height=NARROW_SHEET - 2) if front else ''}/>",
        f'<text x="18" y="29" {FONT} font-size="20" font-weight="700" fill="{WORDS}"'
        f"{' ' + narrow(font_size=17) if front else ''}>{owner}{' · ' + say('active') if active else ''}</text>",
        f'<text x="{SHEET_WIDTH - 18}" y="29" text-anchor="end" {FONT} font-size="20" font-weight="700" fill="{WORDS}"'
        f"{' ' + narrow(x=NARROW_WIDTH - 18, font_size=17) if front else ''}>"
        f"{say('{signed} {points:point|points}', signed=_signed(sheet.points), points=sheet.points)}</text>",
    ]
    drawn += [_row(view, sheet, row, legal) for row in range(ROWS)]
    drawn.append(_misthrows(view, sheet, legal))
    return "".join(drawn)


def _signed(points: int) -> str:
    return str(points).replace("-", "\N{MINUS SIGN}")


def _narrow_place(sheet: Sheet, row: int, position: int) -> str:
    """Where a cell (or the lock, the last of a row) of the own sheet is on a narrow page."""
    if sheet.place:
        return ""
    line, column = divmod(position, 6)
    x = NARROW_STEP * column - (CELL + GAP) * position - 7
    y = (NARROW_ROW - ROW_HEIGHT) * row + NARROW_LINE * line
    return narrow(transform=f"translate({x} {y})")


def _row(view: View, sheet: Sheet, row: int, legal: tuple[int, ...]) -> str:
    top, colours = 40 + row * ROW_HEIGHT, PALETTES[view.game.look("colours")]
    closed = bool(sheet.closed >> row & 1)
    place = narrow(x=6, y=40 + row * NARROW_ROW, width=NARROW_WIDTH - 12, height=NARROW_ROW - 6)
    drawn = [
        f'<rect x="12" y="{top}" width="{SHEET_WIDTH - 24}" height="{ROW_HEIGHT - 6}" rx="10" '
        f'fill="{colours.band[row]}" opacity="{0.35 if closed else 1}" {"" if sheet.place else place}/>'
    ]
    for position in range(CELLS):
        number, colour = sheet.layout.numbers[row][position], sheet.layout.colours[row][position]
        x, y = 22 + position * (CELL + GAP), top + 4
        crossed = sheet.crossed(row, position)
        faded = not crossed and (closed or position < sheet.reach[row])
        cell = (
            f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="7" fill="{colours.paper[colour]}" '
            f'opacity="{0.45 if faded else 1}"/>'
            f'<text x="{x + CELL / 2}" y="{y + 31}" text-anchor="middle" {FONT} font-size="22" font-weight="700" '
            f'fill="{colours.ink[colour]}" opacity="{0.3 if faded else 1}">{number}</text>'
        )
        if crossed:
            cell += _cross(f"cross-{sheet.place}-{row}-{position}", x, y, CELL)
        action = cross_action(row, number)
        if action in legal:
            name = view.game.move_name(action)
            cell = (
                f'<g data-action="{action}" role="button" tabindex="0" aria-label="{name}"><title>{name}</title>{cell}'
                f'<rect x="{x - 1}" y="{y - 1}" width="{CELL + 2}" height="{CELL + 2}" rx="8" fill="none" '
                f'stroke="{LEGAL}" stroke-width="4"/></g>'
            )
        drawn.append(f"<g {_narrow_place(sheet, row, position)}>{cell}</g>")
    lock = _lock(sheet, row, closed, colours, 22 + CELLS * (CELL + GAP) + 25, top + 27)
    drawn.append(f"<g {_narrow_place(sheet, row, CELLS)}>{lock}</g>")
    return "".join(drawn)


def _lock(sheet: Sheet, row: int, closed: bool, colours: Palette, x: float, y: float) -> str:
    shackle = "M-7 -2 V-8 A7 7 0 0 1 7 -8 V-2" if closed else "M-7 -2 V-10 A7 7 0 0 1 6 -13"
    drawn = (
        f'<circle cx="{x}" cy="{y}" r="22" fill="{colours.paper[row]}"/><g transform="translate({x} {y + 2})">'
        f'<path d="{shackle}" fill="none" stroke="{colours.ink[row]}" stroke-width="3.5"/>'
        f'<rect x="-10" y="-3" width="20" height="15" rx="3" fill="{colours.ink[row]}"/></g>'
    )
    return drawn + (_cross(f"lock-{sheet.place}-{row}", x - 23, y - 23, 46) if sheet.crossed(row, LAST + 1) else "")


def _cross(piece: str, x: float, y: float, size: float) -> str:
    a, b = 0.16 * size, 0.84 * size
    return (
        f'<path data-piece="{piece}" d="M{x + a:.1f} {y + a:.1f} L{x + b:.1f} {y + b:.1f} M{x + b:.1f} {y + a:.1f} '
        f'L{x + a:.1f} {y + b:.1f}" '
        f'stroke="{CROSS}" stroke-width="5" stroke-linecap="round"/>'
    )


def _misthrows(view: View, sheet: Sheet, legal: tuple[int, ...]) -> str:
    top = 40 + ROWS * ROW_HEIGHT + 8
    left = SHEET_WIDTH - 18 - MOST_PENALTIES * 40
    drawn = [
        f'<text x="{left - 10}" y="{top + 22}" text-anchor="end" {FONT} font-size="16" fill="{WORDS}"'
        f"{' ' + narrow(font_size=11) if sheet.place == 0 else ''}>"
        f"{view.game.say('misthrows, −5 each')}</text>"
    ]
    for number in range(MOST_PENALTIES):
        x = left + 40 * number
        box = (
            f'<rect x="{x}" y="{top}" width="32" height="32" rx="5" fill="{BOX}" stroke="#808080" stroke-width="1.5"/>'
        )
        if number < sheet.misthrows:
            box += _cross(f"misthrow-{sheet.place}-{number}", x, top, 32)
        elif number == sheet.misthrows and MISTHROW in legal:
            name = view.game.move_name(MISTHROW)
            box = (
                f'<g data-action="{MISTHROW}" role="button" tabindex="0" aria-label="{name}">'
                f'<title>{name}</title>{box}<rect x="{x - 2}" y="{top - 2}" width="36" height="36" rx="6" '
                f'fill="none" stroke="{LEGAL}" stroke-width="3"/></g>'
            )
        drawn.append(box)
    if sheet.place:
        return "".join(drawn)
    corner = SHEET_WIDTH - 18, top  # stays in its place while the boxes grow
    target = NARROW_WIDTH - 14, 40 + ROWS * NARROW_ROW + 6
    moved = (target[0] - NARROW_BOX * corner[0], target[1] - NARROW_BOX * corner[1])
    grown = narrow(transform=f"translate({moved[0]:.1f} {moved[1]:.1f}) scale({NARROW_BOX})")
    return f"<g {grown}>{''.join(drawn)}</g>"
