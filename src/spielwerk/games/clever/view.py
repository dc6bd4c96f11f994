"""Ganz schön clever as text and as SVG: the dice, the own sheet large with clickable cells, other sheets below."""

from collections.abc import Sequence
from html import escape

from spielwerk.core.position import View
from spielwerk.core.svg import dark_style, narrow
from spielwerk.core.words import language
from spielwerk.games.clever import drawing
from spielwerk.games.clever.picture import SLIM, TRAY, TRAY_EDGE, WIDE, Page, Picture, height_of, top_of
from spielwerk.games.clever.sheets import AREAS, BLUE, GREEN, ORANGE, PURPLE, ROW, YELLOW
from spielwerk.games.clever.situation import Seat, die_name, headline, seat_of, subline, where

KEPT: dict[tuple[str, int, str, Seat], str] = {}  # other seats' sheets
MOST_KEPT = 256

# --- text ------------------------------------------------------------------------------------------------------------


def text(view: View) -> str:
    say, state = view.game.say, view.state[0]
    lines = [headline(view), subline(view)]
    for name, dice in zip(("rolled", "fields", "tray"), where(view), strict=True):
        if dice:
            shown = ", ".join(f"{die_name(view, die)} {int(state['dice'][die]) or '–'}" for die in dice)
            lines.append(f"{say(name)}: {shown}")
    for number in range(view.game.seats):
        seat = seat_of(view, number)
        lines.append(say("seat {seat}: {points} {points:point|points}", seat=number + 1, points=seat.points))
        lines += [f"  {line}" for line in _sheet_text(view, seat)]
    return "\n".join(filter(None, lines))


def _sheet_text(view: View, seat: Seat) -> list[str]:
    say, sheet = view.game.say, seat.sheet

    def grid(numbers: Sequence[int], crossed: int, none: str) -> list[str]:
        cells = [
            " X" if number and crossed >> place & 1 else f"{number or none:>2}" for place, number in enumerate(numbers)
        ]
        return [" ".join(cells[line : line + 4]) for line in range(0, len(cells), 4)]

    lines = [f"{say('yellow'):7s} {' / '.join(grid(sheet.yellow, seat.yellow, '#'))}  ({seat.areas[YELLOW]})"]
    if seat.prototype:
        return lines
    green = ["X" if cell < seat.green else f">{lowest - 1}" for cell, lowest in enumerate(sheet.green)]
    orange = [str(number) for number in seat.orange] + [f"x{factor}" for factor in sheet.orange[len(seat.orange) :]]
    purple = [str(number) for number in seat.purple] + ["."] * (ROW - len(seat.purple))
    lines.append(f"{say('blue'):7s} {' / '.join(grid(sheet.blue, seat.blue, '-'))}  ({seat.areas[BLUE]})")
    for area, cells in ((GREEN, green), (ORANGE, orange), (PURPLE, purple)):
        lines.append(f"{say(AREAS[area]):7s} {' '.join(f'{cell:>2}' for cell in cells)}  ({seat.areas[area]})")
    phrase = "re-rolls {rerolls}, +1 {extras}, foxes {foxes}"
    left = (won - used for won, used in (seat.rerolls, seat.extras))
    lines.append(say(phrase, rerolls=next(left), extras=next(left), foxes=seat.foxes))
    return lines


# --- SVG -------------------------------------------------------------------------------------------------------------


def svg(view: View) -> str:
    seats, look = view.game.seats, view.game.look("colours")
    front = view.seat if view.seat >= 0 else max(int(view.state["active"][0]), 0)
    others = [seat_of(view, (front + step) % seats, step) for step in range(1, seats)]
    own = seat_of(view, front)

    def draw(page: Page) -> str:
        picture = Picture(view, own, page, drawing.PALETTES[look], frozenset(view.legal))
        return f'<g>{picture.table()}<g transform="translate(0 {top_of(view, page):g})">{picture.sheet()}</g></g>'

    drawn = [drawing.both(draw, WIDE, SLIM)]
    tall, slim_tall = (top_of(view, page) + height_of(own, page) + 12 for page in (WIDE, SLIM))
    small = height_of(own, WIDE)
    scale, slim_scale = min(0.4, (1 - 0.012 * len(others)) / max(len(others), 1)), SLIM.width / WIDE.width
    for place, seat in enumerate(others):
        x = place * WIDE.width * (scale + 0.012)
        y = slim_tall + place * (small * slim_scale + 10)
        moved = narrow(transform=f"translate(0 {y:.0f}) scale({slim_scale:.4f})")
        sheet = other_sheet(view, seat, look)
        drawn.append(f'<g transform="translate({x:.1f} {tall:.0f}) scale({scale:.4f})" {moved}>{sheet}</g>')
    height = tall + (small * scale + 4 if others else 0)
    slim_height = slim_tall + len(others) * (small * slim_scale + 10)
    room = narrow(viewBox=f"0 0 {SLIM.width} {slim_height:.0f}")
    dark = dark_style("clever", drawing.dark_colours(look) | {TRAY: "#3a4047", TRAY_EDGE: "#6a727b"})
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE.width} {height:.0f}" role="img" '
        f'aria-label="{escape(view.game.title)}: {escape(headline(view))}" class="clever" {room}>{dark}'
        f"{''.join(drawn)}</svg>"
    )


def other_sheet(view: View, seat: Seat, look: str) -> str:
    """Sheets of others seldom change: what has been drawn is kept for a while."""
    key = (language(), view.game.seats, look, seat)
    drawn = KEPT.get(key)
    if drawn is None:
        drawn = Picture(view, seat, WIDE, drawing.PALETTES[look], frozenset()).sheet()
        if len(KEPT) >= MOST_KEPT:
            KEPT.clear()
        KEPT[key] = drawn
    return drawn
