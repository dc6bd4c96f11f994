"""The bonuses of Kutsch (2017, 7.1.1), compiled. See heuristics.py for their parameters."""

import numpy as np

from spielwerk.core.kernel.contract import worth
from spielwerk.core.kernel.rng import uniform
from spielwerk.core.linker import kernel
from spielwerk.games.twenty48.kernel.rules import LEFT, ONES, U60, UP, empty_cells, slide, tile
from spielwerk.search.kernel.playout import playout

A_FOUR = 0.1  # how often a new tile is a 4
ON = 0.5  # a switch is on, and the first method chosen, below this

EMPTY_OFF, EMPTY_POWER, EMPTY_HIGHEST, EMPTY_SCORE, EMPTY_METHOD = 0, 1, 2, 3, 4
CORNER_OFF, CORNER, ROW_OFF, ROW_LOWER, ROW_HALF, ROW_METHOD = 5, 6, 7, 8, 9, 10
MERGE_OFF, MERGE, ROLLOUT_OFF, ROLLOUT = 11, 12, 13, 14


@kernel
def kutsch(states, i, leaf):
    """The weighted sum of the bonuses, in worth, as the program of the thesis computed it.

    It forgot the highest tile whenever it copied a position: in the tree the newest tile passed for the highest.
    """
    newest = 2 if uniform(leaf.rng) < A_FOUR else 1
    s = states[i]
    corners, row = program_rows(s, newest, leaf.weights[ROW_METHOD] >= ON)
    weigh(s, newest, corners == 1, row, program_merges(s), leaf)


@kernel
def kutsch_text(states, i, leaf):
    """The same as the text of the thesis describes it."""
    s = states[i]
    highest = 0
    for y in range(np.int64(s.height)):
        for x in range(np.int64(s.width)):
            highest = max(highest, tile(s, 4 * y + x))
    row = falling_row(s, highest, leaf.weights[ROW_METHOD] >= ON, leaf.scratch.numbers)
    weigh(s, highest, row > 0.0, row, merges(s, leaf.scratch.states), leaf)


@kernel
def weigh(s, highest, in_corner, row, merged, leaf):
    weights, scale, scratch, out = leaf.weights, leaf.scale, leaf.scratch, leaf.value
    points = 0.0
    if weights[EMPTY_OFF] < ON:
        points += empty_bonus(s, weights, 2.0**highest)
    if weights[CORNER_OFF] < ON and in_corner:
        points += weights[CORNER] * 2.0**highest
    if weights[ROW_OFF] < ON:
        points += weights[ROW_HALF if weights[ROW_METHOD] >= ON else ROW_LOWER] * row
    if weights[MERGE_OFF] < ON:
        points += weights[MERGE] * merged
    out[0] = points / scale
    if weights[ROLLOUT_OFF] < ON:
        over = playout(s, leaf.depth, weights, scratch, leaf.rng)
        worth(s, scale, scratch.numbers)
        out[0] += weights[ROLLOUT] * scratch.numbers[0]
        if over and leaf.method == 2:
            out[0] -= 1.0


@kernel
def empty_bonus(s, weights, highest):
    free = empty_cells(s)
    count = np.float64((free * ONES) >> U60)
    if weights[EMPTY_METHOD] < 1 / 3:
        return (1.0 + weights[EMPTY_POWER]) ** count
    if weights[EMPTY_METHOD] < 2 / 3:
        return weights[EMPTY_HIGHEST] * highest * count
    return weights[EMPTY_SCORE] * s.score * count


@kernel
def falling_row(s, highest, half, best):
    """The largest sum of a chain of neighbouring tiles that starts with the highest one in a corner and falls.

    best[cell] is the largest sum of a chain that starts in that cell; filled from the smallest tiles up.
    """
    width, height = np.int64(s.width), np.int64(s.height)
    for power in range(1, highest + 1):
        for y in range(height):
            for x in range(width):
                cell = 4 * y + x
                if tile(s, cell) != power:
                    continue
                follow = 0.0
                for direction in range(4):
                    nx = x + (direction == 0) - (direction == 1)
                    ny = y + (direction == 2) - (direction == 3)
                    if nx < 0 or ny < 0 or nx >= width or ny >= height:
                        continue
                    other = tile(s, 4 * ny + nx)
                    fits = other == power - 1 if half else other < power
                    if other > 0 and fits and best[4 * ny + nx] > follow:
                        follow = best[4 * ny + nx]
                best[cell] = 2.0**power + follow
    longest = 0.0
    for y in range(0, height, height - 1):
        for x in range(0, width, width - 1):
            if tile(s, 4 * y + x) == highest and best[4 * y + x] > longest:
                longest = best[4 * y + x]
    return longest


@kernel
def merges(s, spare):
    """The value of the tiles that the next move can merge: of a pair one tile, in the better of the two directions."""
    best = 0
    for action in (UP, LEFT):
        spare[0] = s
        slide(spare[0], action)
        best = max(best, np.int64(spare[0].score) - np.int64(s.score))
    return best / 2.0


# --- as the program of the thesis did it -----------------------------------------------------------------------------


@kernel
def program_rows(s, highest, half):
    """How many corners hold the highest tile, and the largest sum of a falling row from one of them.

    A row is a snake along the lines or along the columns. The tile in the corner does not count. The row that goes down
    from the upper right corner begins with 3 points, a slip of the program.
    """
    width, height = np.int64(s.width), np.int64(s.height)
    corners, longest = 0, 0.0
    for bottom in range(2):
        for right in range(2):
            if tile(s, 4 * (height - 1) * bottom + (width - 1) * right) != highest:
                continue
            corners += 1
            for down in range(2):
                points = snake(s, highest, half, bottom, right, down)
                if down and right and not bottom:
                    points += 3.0
                longest = max(longest, points)
    return corners, longest


@kernel
def snake(s, highest, half, bottom, right, down):
    """The sum of the tiles behind a corner as long as they fall: along the lines, or (`down`) along the columns."""
    width, height = np.int64(s.width), np.int64(s.height)
    length = height if down else width
    points, previous = 0.0, highest
    for step in range(1, width * height):
        line, place = step // length, step % length
        along = place if line % 2 == 0 else length - 1 - place  # the snake turns round at the end of every line
        x, y = (line, along) if down else (along, line)
        if right:
            x = width - 1 - x
        if bottom:
            y = height - 1 - y
        power = tile(s, 4 * y + x)
        if power == 0 or (power != previous - 1 if half else power >= previous):
            break
        points += 2.0**power
        previous = power
    return points


@kernel
def program_merges(s):
    """The larger of the merges along the columns and along the lines, as its loops counted them.

    A merge sets the loop's own variable behind the merged tiles. Along a line the tile after them is skipped. Along a
    column the remaining columns go on from the row behind the merge, and the rows above are never looked at there.
    """
    width, height = np.int64(s.width), np.int64(s.height)
    vertical, row = 0, 0
    while row < height:
        for column in range(width):
            if row >= height:
                break
            other = next_tile(s, column, row, 0, 1)
            if other > 0:
                vertical += 1 << tile(s, 4 * row + column)
                row = other + 1
        row += 1
    horizontal = 0
    for row in range(height):
        column = 0
        while column < width:
            other = next_tile(s, column, row, 1, 0)
            if other > 0:
                horizontal += 1 << tile(s, 4 * row + column)
                column = other + 1
            column += 1
    return max(vertical, horizontal)


@kernel
def next_tile(s, x, y, dx, dy):
    """Where the next tile of the line stands if it equals the one here; 0 if there is none."""
    power = tile(s, 4 * y + x)
    place = 0
    while power > 0:
        x, y = x + dx, y + dy
        if x >= s.width or y >= s.height:
            break
        other = tile(s, 4 * y + x)
        if other > 0:
            if other == power:
                place = x if dx else y
            break
    return place
