"""2048 as SVG: the board with the colours of the original (but numbers that can be read on them), and the four moves
around it."""

from spielwerk.core.position import View
from spielwerk.core.svg import dark_style, narrow
from spielwerk.core.words import number

CELL, GAP, EDGE = 100, 12, 44
WIDER = 34  # what the moves are thicker on a phone
FRAME, EMPTY, ARROW, INK = "#bbada0", "#cdc1b4", "#6b5a49", "#33261b"
TILES = {
    1: "#eee4da",
    2: "#ede0c8",
    3: "#f2b179",
    4: "#f59563",
    5: "#f67c5f",
    6: "#f65e3b",
    7: "#edcf72",
    8: "#edcc61",
    9: "#edc850",
    10: "#edc53f",
    11: "#edc22e",
}
BEYOND, BEYOND_INK = "#3c3a32", "#f9f6f2"
DARK = {
    FRAME: "#38322c",
    EMPTY: "#4a433c",
    ARROW: "#c9b8a6",
    INK: "#17100a",
    "#eee4da": "#b5aba0",
    "#ede0c8": "#b8aa8a",
    "#f2b179": "#c48c58",
    "#f59563": "#c97c4f",
    "#f67c5f": "#cd7055",
    "#f65e3b": "#d0644a",
    "#edcf72": "#bda35a",
    "#edcc61": "#bfa24e",
    "#edc850": "#c1a141",
    "#edc53f": "#c3a035",
    "#edc22e": "#c59f28",
    BEYOND: "#14120f",
}
Cell = tuple[int, int]  # column and row, from the upper left


def powers(view: View) -> list[list[int]]:
    """The board as rows of powers of two; 0 = empty."""
    board, big = int(view.state["board"][0]), int(view.state["big"][0])
    width, height = int(view.state["width"][0]), int(view.state["height"][0])
    cells = [(board >> 4 * i & 15) + 16 * (big >> i & 1) for i in range(16)]
    return [cells[4 * row : 4 * row + width] for row in range(height)]


def cell_name(x: int, y: int) -> str:
    """The columns are a to d, the rows 1 to 4 from the top."""
    return f"{'abcd'[x]}{y + 1}"


def came_from(before: View, after: View) -> dict[str, list[str]]:
    """Where every tile was before the move that leads from one board to the other; {} if no move does."""
    old, new = powers(before), powers(after)
    wide, high = len(old[0]), len(old)
    for dx, dy in ((0, -1), (0, 1), (-1, 0), (1, 0)):
        lines = [[(x, y) for y in range(high)] for x in range(wide)]  # columns from the top
        if dx:
            lines = [[(x, y) for x in range(wide)] for y in range(high)]  # rows from the left
        if dx + dy > 0:
            lines = [line[::-1] for line in lines]
        slid: list[list[int]] = [row[:] for row in old]
        sources: dict[str, list[str]] = {}
        for line in lines:
            merged = _slid([(cell, old[cell[1]][cell[0]]) for cell in line])
            for (x, y), (cells, power) in zip(line, merged, strict=True):
                slid[y][x] = power
                if cells:
                    sources[cell_name(x, y)] = [cell_name(*cell) for cell in cells]
        changed = [(x, y) for y in range(high) for x in range(wide) if slid[y][x] != new[y][x]]
        if slid != old and len(changed) <= 1 and not any(slid[y][x] for x, y in changed):
            sources |= {cell_name(*cell): [] for cell in changed}  # a new tile
            return {name: cells for name, cells in sources.items() if cells != [name]}
    return {}


def _slid(tiles: list[tuple[Cell, int]]) -> list[tuple[list[Cell], int]]:
    """A line of (cell, power) slid to its beginning: for every place the cells its tile comes from, and its power."""
    found: list[tuple[list[Cell], int]] = []
    for cell, power in tiles:
        if not power:
            continue
        if found and found[-1][1] == power and len(found[-1][0]) == 1:
            found[-1] = ([*found[-1][0], cell], power + 1)
        else:
            found.append(([cell], power))
    return found + [([], 0)] * (len(tiles) - len(found))


def svg(view: View) -> str:
    rows = powers(view)
    wide = len(rows[0]) * (CELL + GAP) + GAP
    high = len(rows) * (CELL + GAP) + GAP
    drawn = [f'<rect x="{EDGE}" y="{EDGE}" width="{wide}" height="{high}" rx="10" fill="{FRAME}"/>']
    tiles = []
    for y, row in enumerate(rows):
        for x, power in enumerate(row):
            left = EDGE + GAP + x * (CELL + GAP)
            top = EDGE + GAP + y * (CELL + GAP)
            square = f'<rect x="{left}" y="{top}" width="{CELL}" height="{CELL}" rx="6"'
            drawn.append(f'{square} fill="{EMPTY}"/>')
            if power:
                fill, ink = (TILES[power], INK) if power in TILES else (BEYOND, BEYOND_INK)
                tile = str(2**power)
                size = {1: 52, 2: 48, 3: 40, 4: 32, 5: 26}.get(len(tile), 22)
                tiles.append(
                    f'<g data-piece="{cell_name(x, y)}">{square} fill="{fill}"/>'
                    f'<text x="{left + CELL / 2}" y="{top + CELL / 2 + size * 0.36:.0f}" text-anchor="middle" '
                    f'font-family="Clear Sans, Helvetica, Arial, sans-serif" font-weight="700" font-size="{size}" '
                    f'fill="{ink}">{tile}</text></g>'
                )
    drawn += tiles
    total_wide, total_high = wide + 2 * EDGE, high + 2 * EDGE + 36
    thick = EDGE - 6
    arrows = {  # the place of a button on a wide page, by how much it grows on a narrow one, and its sign
        0: (EDGE, 0, wide, thick, 0, -WIDER, "M-10 6 L0 -6 L10 6"),
        1: (EDGE, EDGE + high + 6, wide, thick, 0, WIDER, "M-10 -6 L0 6 L10 -6"),
        2: (0, EDGE, thick, high, -WIDER, 0, "M6 -10 L-6 0 L6 10"),
        3: (EDGE + wide + 6, EDGE, thick, high, WIDER, 0, "M-6 -10 L6 0 L-6 10"),
    }
    legal = view.legal
    for action, (x, y, w, h, more_x, more_y, path) in arrows.items():
        if action in legal:
            name = view.game.move_name(action)
            grown = narrow(x=x + min(more_x, 0), y=y + min(more_y, 0), width=w + abs(more_x), height=h + abs(more_y))
            moved = narrow(transform=f"translate({x + (w + more_x) / 2} {y + (h + more_y) / 2})")
            drawn.append(
                f'<g data-action="{action}" role="button" tabindex="0" aria-label="{name}">'
                f'<title>{name}</title><rect x="{x}" y="{y}" width="{w}" height="{h}" rx="8" fill="{ARROW}" '
                f'fill-opacity="0.2" {grown}/><path d="{path}" transform="translate({x + w / 2} {y + h / 2})" '
                f'fill="none" stroke="{ARROW}" stroke-width="4" stroke-linecap="round" stroke-linejoin="round" '
                f"{moved}/></g>"
            )
    say = view.game.say
    points = say("{points} {points:point|points}", points=number(int(view.score[0])))
    closing = f" · {say('no move left')}" if view.over else ""
    drawn.append(
        f'<text x="{total_wide / 2}" y="{total_high - 10}" text-anchor="middle" font-family="Helvetica, Arial, '
        f'sans-serif" font-size="24" font-weight="600" fill="{ARROW}" {narrow(y=total_high - 10 + WIDER)}>'
        f"{points}{closing}</text>"
    )
    room = narrow(viewBox=f"{-WIDER} {-WIDER} {total_wide + 2 * WIDER} {total_high + 2 * WIDER}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_wide} {total_high}" role="img" '
        f'aria-label="2048, {points}" class="twenty48" {room}>{dark_style("twenty48", DARK)}{"".join(drawn)}</svg>'
    )
