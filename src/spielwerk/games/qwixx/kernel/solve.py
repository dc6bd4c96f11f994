"""Solo Qwixx, solved: the expected number of points that are still to come, by backward induction.

A row is one of 57 states: empty, or its reach 1..10 with 1..reach crosses, or closed. Rows of a pair (red and yellow,
green and blue) may be exchanged, and so may the two pairs, since 12 - sum is distributed like sum - 2. That leaves
1653 pairs and 1,367,031 pairs of pairs, each with 0 to 3 misthrows: 5,468,124 states (the same count as in
`bmhowe34/qwixx-gen-single-opt`).

All six dice are known before the white decision, so a roll is worth the maximum over all white crosses of the best
coloured cross. Given the white dice, that is the maximum of four independent numbers, one per coloured die: its mean
needs the sorted list of the 24 values and not 1296 combinations.
"""

import numpy as np

from spielwerk.core.linker import kernel

STATES, CLOSED, EMPTY = 57, 56, 0
ROWS, CELLS, LAST, NEEDED = 4, 11, 10, 5
PAIRS = STATES * (STATES + 1) // 2
TABLE = PAIRS * (PAIRS + 1) // 2
PENALTIES = 4


@kernel
def triangle(a, b):
    """The number of an unordered pair."""
    if a < b:
        a, b = b, a
    return a * (a + 1) // 2 + b


@kernel
def place(w, x, y, z):
    return triangle(triangle(w, x), triangle(y, z))


@kernel
def reach_of(row):
    if row == CLOSED:
        return CELLS
    reach = 0
    while reach * (reach + 1) // 2 < row:
        reach += 1
    return reach


@kernel
def count_of(row):
    reach = reach_of(row)
    return row - reach * (reach - 1) // 2 if reach > 0 else 0


@kernel
def row_after(row, position, needed):
    """The state of a row after a cross at `position`; -1 if it is not allowed."""
    if row == CLOSED or position < reach_of(row):
        return -1
    if position == LAST:
        return CLOSED if count_of(row) >= needed else -1
    reach = position + 1
    return reach * (reach - 1) // 2 + count_of(row) + 1


@kernel
def fill_rows(after, after_white, gain):
    """Tables over row state and position. `after_white`: the row has just been crossed with the white dice, which does
    not count towards the five if the rules say so."""
    for row in range(STATES):
        for position in range(CELLS):
            after[row, position] = row_after(row, position, NEEDED)
            after_white[row, position] = row_after(row, position, NEEDED + 1)
            count = count_of(row)
            gain[row, position] = count + 1 if position < LAST else 2 * count + 3


@kernel
def closed_rows(rows):
    closed = 0
    for row in range(ROWS):
        if rows[row] == CLOSED:
            closed += 1
    return closed


@kernel
def solve_level(
    todo, first, last, value, after, after_white, gain, late_end, same_turn_lock, rows, mid, best, base, found, owner
):  # fmt: skip
    """Solve the states todo[first:last] (row states of red, yellow, green, blue), all of whose followers are solved."""
    for n in range(first, last):
        for row in range(ROWS):
            rows[row] = todo[n, row]
        here = place(rows[0], rows[1], rows[2], rows[3])
        for white_sum in range(2, 13):
            white_turns(rows, mid, white_sum, value, after, after_white, gain, late_end, same_turn_lock, best, base)
        for penalties in range(PENALTIES - 1, -1, -1):
            total = 0.0
            misthrow = -5.0
            if penalties + 1 < PENALTIES:
                misthrow += value[here, penalties + 1]
            for white_sum in range(2, 13):
                floor = max(misthrow, base[white_sum, penalties])
                for low in range(max(1, white_sum - 6), white_sum // 2 + 1):
                    share = (1.0 if low == white_sum - low else 2.0) / 36.0
                    total += share * mean_of_best(rows, best, white_sum, low, penalties, floor, found, owner)
            value[here, penalties] = total


@kernel
def white_turns(rows, mid, white_sum, value, after, after_white, gain, late_end, same_turn_lock, best, base):
    """For a white sum: the best turn without a coloured cross (base), and with each coloured cross (best)."""
    for penalties in range(PENALTIES):
        base[white_sum, penalties] = -np.inf
        for row in range(ROWS):
            for position in range(CELLS):
                best[white_sum, row, position, penalties] = -np.inf
    for white_row in range(-1, ROWS):
        for row in range(ROWS):
            mid[row] = rows[row]
        won = 0.0
        if white_row >= 0:
            position = white_sum - 2 if white_row < 2 else 12 - white_sum
            state = after[rows[white_row], position]
            if state < 0:
                continue
            won = gain[rows[white_row], position]
            mid[white_row] = state
            over = closed_rows(mid) >= 2
            at = place(mid[0], mid[1], mid[2], mid[3])
            for penalties in range(PENALTIES):
                total = won if over else won + value[at, penalties]
                if total > base[white_sum, penalties]:
                    base[white_sum, penalties] = total
            if over and late_end == 0:
                continue
        for row in range(ROWS):
            before = mid[row]
            for position in range(CELLS):
                state = after[before, position]
                if row == white_row and same_turn_lock == 0:
                    state = after_white[before, position]
                if state < 0:
                    continue
                mid[row] = state
                over = closed_rows(mid) >= 2
                at = place(mid[0], mid[1], mid[2], mid[3])
                more = won + gain[before, position]
                for penalties in range(PENALTIES):
                    total = more if over else more + value[at, penalties]
                    if total > best[white_sum, row, position, penalties]:
                        best[white_sum, row, position, penalties] = total
            mid[row] = before


@kernel
def mean_of_best(rows, best, white_sum, low, penalties, floor, found, owner):
    """The mean over the coloured dice of the best turn, which is at least `floor`."""
    count = 0
    for row in range(ROWS):
        if rows[row] == CLOSED:
            continue
        for die in range(1, 7):
            number = low + die
            position = number - 2 if row < 2 else 12 - number
            worth = best[white_sum, row, position, penalties]
            number = white_sum - low + die
            position = number - 2 if row < 2 else 12 - number
            worth = max(worth, best[white_sum, row, position, penalties])
            if worth > floor:
                at = count
                while at > 0 and found[at - 1] < worth:
                    found[at] = found[at - 1]
                    owner[at] = owner[at - 1]
                    at -= 1
                found[at] = worth
                owner[at] = row
                count += 1
    below_it = 1.0  # the chance that the best is no better than all that follows in the list
    lower = 0  # four bits per row: how many of the six values are used up
    total = 0.0
    for i in range(count):
        shift = 4 * owner[i]
        used = (lower >> shift) & 15
        chance = below_it * (5 - used) / (6 - used)
        total += found[i] * (below_it - chance)
        below_it = chance
        lower += 1 << shift
        if below_it == 0.0:
            return total
    return total + below_it * floor
