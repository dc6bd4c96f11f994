"""Connect Four as text and SVG.

In the SVG the discs lie behind the face of the board, whose cells are holes. Above every column that has room hangs the
disc that could be dropped next; `came_from` says that a new disc was that one, so the page lets it fall.
"""

from html import escape
from typing import NamedTuple

from spielwerk import View, dark_style, seat_number

from parlour.connect4.kernel import COLUMNS, HEIGHT, LINES, ROWS

CELL, HOLE, MARGIN = 90, 36, 25  # side of a cell, radius of its hole, space around the board
HEADLINE, TOP = 56, 136  # height of the headline, and where the cells begin
HANGING = 26  # radius of the discs above the board
WIDE, HIGH = COLUMNS * CELL + 2 * MARGIN, TOP + ROWS * CELL + 74
PAPER, INK, FACE, EDGE = "#f4f1ea", "#25303b", "#2c62b4", "#1d4788"
SIGNS = ("X", "O")  # of the seats in text


class Discs(NamedTuple):
    """How the discs of both seats are called and drawn."""

    names: tuple[str, str]
    fill: tuple[str, str]
    rim: tuple[str, str]
    dark: tuple[str, str]  # what the discs become on a dark page


DISCS = {  # by what is chosen of the look `discs`
    "classic": Discs(("Red", "Yellow"), ("#d6402f", "#f4c531"), ("#9c2519", "#b98a0d"), ("#c23b2b", "#d2a722")),
    "calm": Discs(("Blue", "Orange"), ("#7fb0e6", "#f08a24"), ("#2f5f94", "#9a4f06"), ("#6a9acf", "#cf761c")),
}
DARK = {  # and the other colours
    PAPER: "#24282d",
    INK: "#ebe6dc",
    FACE: "#234f92",
    EDGE: "#173768",
}


# --- what lies where -------------------------------------------------------------------------------------------------


def cells_of(discs: int) -> list[tuple[int, int]]:
    """The cells (column, row) of a set."""
    return [(column, row) for column in range(COLUMNS) for row in range(ROWS) if discs >> HEIGHT * column + row & 1]


def discs_of(view: View) -> dict[tuple[int, int], int]:
    """The seat whose disc lies in a cell (column, row)."""
    return {cell: seat for seat in range(2) for cell in cells_of(int(view.state["discs"][0][seat]))}


def heights(view: View) -> list[int]:
    """How many discs lie in each column."""
    columns = [column for column, _ in discs_of(view)]
    return [columns.count(column) for column in range(COLUMNS)]


def winning_cells(view: View) -> list[tuple[int, int]]:
    """The cells of the line, or lines, that won."""
    winner = int(view.state["winner"][0])
    if winner < 0:
        return []
    discs, found = int(view.state["discs"][0][winner]), 0
    for step in LINES:
        starts = discs & discs >> step & discs >> 2 * step & discs >> 3 * step
        for place in range(4):
            found |= starts << place * step
    return cells_of(found)


def last_cell(view: View) -> tuple[int, int] | None:
    """Where the last disc lies."""
    column = int(view.state["last"][0])
    return (column, heights(view)[column] - 1) if column >= 0 else None


def came_from(before: View, after: View) -> dict[str, list[str]]:
    """A new disc has fallen from above its column."""
    old, room = discs_of(before), [height < ROWS for height in heights(before)]
    return {
        _piece(column, row): [_hanging_piece(column)]
        for column, row in discs_of(after)
        if (column, row) not in old and room[column] and not before.over
    }


def _piece(column: int, row: int) -> str:
    return f"disc-{column + 1}-{row + 1}"


def _hanging_piece(column: int) -> str:
    return f"hanging-{column + 1}"


# --- text ------------------------------------------------------------------------------------------------------------


def headline(view: View, names: tuple[str, str]) -> str:
    """What is going on; `names` are those of the discs of both seats."""
    say, winner = view.game.say, int(view.state["winner"][0])
    if winner >= 0:
        return say("{name} wins (seat {seat})", name=names[winner], seat=seat_number(winner))
    if view.over:
        return say("a draw: the board is full")
    turn = view.actors[0]
    return say("{name} to move (seat {seat})", name=names[turn], seat=seat_number(turn))


def text(view: View) -> str:
    discs = discs_of(view)
    lines = []
    for row in reversed(range(ROWS)):
        lines.append(
            " ".join(SIGNS[discs[column, row]] if (column, row) in discs else "." for column in range(COLUMNS))
        )
    lines.append(" ".join(str(column + 1) for column in range(COLUMNS)))
    return "\n".join([*lines, headline(view, SIGNS)])


# --- SVG -------------------------------------------------------------------------------------------------------------


def svg(view: View) -> str:
    say, discs = view.game.say, DISCS[view.game.look("discs")]
    label = headline(view, (say(discs.names[0]), say(discs.names[1])))
    drawn = [f'<rect width="{WIDE}" height="{HIGH}" rx="18" fill="{PAPER}"/>', _headline(view, discs, label)]
    for (column, row), seat in discs_of(view).items():
        drawn.append(_disc(discs, _piece(column, row), _middle_of(column), _height_of(row), HOLE + 3, seat))
    drawn.append(_face())
    drawn += _marks(view)
    drawn += [_column(view, discs, column) for column in range(COLUMNS)]
    dark = dark_style("connect4", DARK | dict(zip(discs.fill, discs.dark, strict=True)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" role="img" '
        f'aria-label="{escape(view.game.title)}: {escape(label)}" font-family="Helvetica, Arial, sans-serif" '
        f'class="connect4">{dark}{"".join(drawn)}</svg>'
    )


def _middle_of(column: int) -> float:
    return MARGIN + CELL * (column + 0.5)


def _height_of(row: int) -> float:
    """The middle of a row."""
    return TOP + CELL * (ROWS - row - 0.5)


def _headline(view: View, discs: Discs, label: str) -> str:
    seat = int(view.state["winner"][0]) if view.over else view.actors[0]
    words = f'<text x="{MARGIN + 46}" y="41" font-size="28" font-weight="600" fill="{INK}">{escape(label)}</text>'
    return words + (_circle(MARGIN + 18, 31, 14, discs.fill[seat], discs.rim[seat], 3) if seat >= 0 else "")


def _circle(x: float, y: float, radius: float, fill: str, stroke: str, wide: int) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{stroke}" stroke-width="{wide}"/>'


def _disc(discs: Discs, piece: str, x: float, y: float, radius: float, seat: int) -> str:
    """A disc; that of the second seat has a bold ring, for eyes that do not tell the colours apart."""
    inner = _circle(x, y, radius * (0.6 if seat else 0.7), "none", discs.rim[seat], 4 if seat else 2)
    return f'<g data-piece="{piece}">{_circle(x, y, radius, discs.fill[seat], discs.rim[seat], 2)}{inner}</g>'


def _face() -> str:
    """The board with a hole for every cell, and the numbers of the columns below."""
    left, top, wide, high = MARGIN - 12, TOP - 10, COLUMNS * CELL + 24, ROWS * CELL + 64
    corner = "a16 16 0 0 1"
    board = (
        f"M{left} {top + 16}{corner} 16 -16h{wide - 32}{corner} 16 16v{high - 32}{corner} -16 16h{32 - wide}"
        f"{corner} -16 -16z"
    )
    half = f"a{HOLE} {HOLE} 0 1 0"
    holes = "".join(
        f"M{_middle_of(column) - HOLE:g} {_height_of(row):g}{half} {2 * HOLE} 0{half} {-2 * HOLE} 0z"
        for column in range(COLUMNS)
        for row in range(ROWS)
    )
    numbers = "".join(
        f'<text x="{_middle_of(column):g}" y="{TOP + ROWS * CELL + 38}" text-anchor="middle" font-size="30" '
        f'font-weight="700" fill="#ffffff">{column + 1}</text>'
        for column in range(COLUMNS)
    )
    return f'<path d="{board}{holes}" fill="{FACE}" fill-rule="evenodd" stroke="{EDGE}" stroke-width="3"/>{numbers}'


def _marks(view: View) -> list[str]:
    """Rings around the discs that won, a dot on the last one."""
    last = last_cell(view)
    rings = [
        _circle(_middle_of(column), _height_of(row), HOLE, "none", "#ffffff", 7) for column, row in winning_cells(view)
    ]
    return rings + ([_circle(_middle_of(last[0]), _height_of(last[1]), 9, "#ffffff", INK, 2)] if last else [])


def _column(view: View, discs: Discs, column: int) -> str:
    """What can be clicked: the disc above a column, and the column."""
    if view.over or heights(view)[column] == ROWS:
        return ""
    disc = _disc(discs, _hanging_piece(column), _middle_of(column), TOP - 44, HANGING, view.actors[0])
    if column not in view.legal:
        return f'<g opacity="0.3">{disc}</g>'
    name = escape(view.game.move_name(column))
    return (
        f'<g data-action="{column}" role="button" tabindex="0" aria-label="{name}"><title>{name}</title>{disc}'
        f'<rect x="{MARGIN + CELL * column}" y="{HEADLINE}" width="{CELL}" height="{HIGH - HEADLINE - 12}" '
        f'fill="#ffffff" fill-opacity="0"/></g>'
    )
