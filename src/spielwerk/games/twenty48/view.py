"""2048 as SVG: the board with the colours of the original, and the four moves around it."""

from spielwerk.core.position import View
from spielwerk.core.words import number

CELL, GAP, EDGE = 100, 12, 44
COLOURS = {
    0: ("#cdc1b4", "#776e65"),
    1: ("#eee4da", "#776e65"),
    2: ("#ede0c8", "#776e65"),
    3: ("#f2b179", "#f9f6f2"),
    4: ("#f59563", "#f9f6f2"),
    5: ("#f67c5f", "#f9f6f2"),
    6: ("#f65e3b", "#f9f6f2"),
    7: ("#edcf72", "#f9f6f2"),
    8: ("#edcc61", "#f9f6f2"),
    9: ("#edc850", "#f9f6f2"),
    10: ("#edc53f", "#f9f6f2"),
    11: ("#edc22e", "#f9f6f2"),
}
BEYOND = ("#3c3a32", "#f9f6f2")
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
    drawn = [f'<rect x="{EDGE}" y="{EDGE}" width="{wide}" height="{high}" rx="10" fill="#bbada0"/>']
    tiles = []
    for y, row in enumerate(rows):
        for x, power in enumerate(row):
            left = EDGE + GAP + x * (CELL + GAP)
            top = EDGE + GAP + y * (CELL + GAP)
            square = f'<rect x="{left}" y="{top}" width="{CELL}" height="{CELL}" rx="6"'
            drawn.append(f'{square} fill="{COLOURS[0][0]}"/>')
            if power:
                fill, ink = COLOURS.get(power, BEYOND)
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
    arrows = {
        0: (EDGE, 0, wide, EDGE - 6, "M-10 6 L0 -6 L10 6"),
        1: (EDGE, EDGE + high + 6, wide, EDGE - 6, "M-10 -6 L0 6 L10 -6"),
        2: (0, EDGE, EDGE - 6, high, "M6 -10 L-6 0 L6 10"),
        3: (EDGE + wide + 6, EDGE, EDGE - 6, high, "M-6 -10 L6 0 L-6 10"),
    }
    legal = view.legal
    for action, (x, y, w, h, path) in arrows.items():
        if action in legal:
            name = view.game.move_name(action)
            drawn.append(
                f'<g data-action="{action}" role="button" tabindex="0" aria-label="{name}">'
                f'<title>{name}</title><rect x="{x}" y="{y}" width="{w}" height="{h}" rx="8" fill="#8f7a66" '
                f'fill-opacity="0.25"/><path d="{path}" transform="translate({x + w / 2} {y + h / 2})" fill="none" '
                f'stroke="#8f7a66" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></g>'
            )
    say = view.game.say
    points = say("{points} {points:point|points}", points=number(int(view.score[0])))
    closing = f" · {say('no move left')}" if view.over else ""
    drawn.append(
        f'<text x="{total_wide / 2}" y="{total_high - 10}" text-anchor="middle" font-family="Helvetica, Arial, '
        f'sans-serif" font-size="24" font-weight="600" fill="#8f7a66">{points}{closing}</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_wide} {total_high}" role="img" '
        f'aria-label="2048, {points}">{"".join(drawn)}</svg>'
    )
