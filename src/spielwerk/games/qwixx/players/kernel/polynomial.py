"""The decision rule of Janetzki's players, compiled: the position after a turn is worth the sum of what its parts are.

A strategy is worth tables (see `polynomial.tables`): what n crosses in a row are worth, what a limit is worth in a row
that counts up or down, what misthrows are worth. A turn gains the difference. The active seat judges white cross,
coloured cross and every pair of both together and plays the white part first; the order of candidates decides ties,
the first best one wins: white crosses (red to blue), coloured crosses (red to blue, first white die before second),
pairs, misthrow. Constants drop out.
"""

import numpy as np

from spielwerk.core.kernel.contract import policy
from spielwerk.core.linker import kernel, outlined
from spielwerk.games.qwixx.kernel.rules import (
    LAST,
    MISTHROW,
    MOST_PENALTIES,
    PASS,
    ROWS,
    WHITE,
    coloured_row_after,
    cross_action,
    may_cross,
    may_take_misthrow,
    points,
    position_of,
)

COUNTS, RISING, FALLING, MISTHROWS, ENDGAME = 0, 13, 26, 39, 44  # where the parts begin in the weights
LENGTH = 45
ENDS = np.int64(15)
ALWAYS = 1e6  # outweighs every strategy: what the end-game rules command


@kernel
def decide_at(states, seat, weights, scratch, rng):
    """One decision of the bound policy, for calls from Python."""
    return policy(states[0], seat, weights, scratch, rng)


@outlined
def polynomial_policy(s, seat, weights, scratch, rng):
    """One loop over the white crosses (row -1: none), each with its best coloured cross, keeps the code small."""
    white = s.phase == WHITE
    active = seat == s.active
    number = np.int64(s.white[0]) + np.int64(s.white[1])
    single, alone, pair, misthrow = -np.inf, -np.inf, -np.inf, -np.inf  # the best of every kind
    single_white, pair_white, coloured = PASS, PASS, PASS
    for row in range(-1, ROWS if white else 0):
        gain = 0.0
        position = np.int64(-1)
        if row >= 0:
            position = position_of(s, row, number)
            if not may_cross(s, seat, row, position):
                continue
            gain = cross_gain(s, seat, row, position, weights)
            if gain > single:
                single = gain
                single_white = cross_action(row, number)
        if active:
            more, action = best_coloured(s, seat, row, position, weights)
            if row < 0:
                alone = more
                coloured = action
            elif gain + more > pair:
                pair = gain + more
                pair_white = cross_action(row, number)
    if (active and s.crossed == 0) or may_take_misthrow(s, seat):
        misthrow = misthrow_gain(s, seat, weights)

    if not white:  # after a white cross only what gains something; otherwise what is no worse than a misthrow
        if s.crossed:
            return coloured if alone > 0.0 else PASS
        return PASS if misthrow > alone else coloured
    if not active:
        best = max(single, misthrow)
        if best < 0.0:
            return PASS
        return MISTHROW if misthrow > single else single_white
    if misthrow > max(single, max(alone, pair)) or (alone > single and alone >= pair):
        return PASS
    return single_white if single >= pair else pair_white


@kernel
def row_gain(weights, row, count, reach, position):
    """What a cross at `position` adds in a row with `count` crosses of which the rightmost is at `reach` - 1."""
    limits = RISING if row < 2 else FALLING
    crosses = 1
    limit = position + 1
    if position == LAST:  # the lock is a cross of its own, and the limit moves behind it
        crosses = 2
        limit += 1
    return (
        weights[COUNTS + count + crosses] - weights[COUNTS + count] + weights[limits + limit] - weights[limits + reach]
    )


@kernel
def cross_gain(s, seat, row, position, weights):
    count = np.int64(s.count[seat, row])
    gain = row_gain(weights, row, count, np.int64(s.reach[seat, row]), position)
    if position == LAST:
        gain += command(s, seat, np.int64(1) << row, 2 * count + 3, weights)
    return gain


@kernel
def misthrow_gain(s, seat, weights):
    taken = np.int64(s.penalties[seat])
    gain = weights[MISTHROWS + taken + 1] - weights[MISTHROWS + taken]
    if taken + 1 == MOST_PENALTIES:
        gain += command(s, seat, ENDS, -5, weights)
    return gain


@kernel
def command(s, seat, locks, more, weights):
    """The end-game rules: lock first; end the match only when then strictly ahead, never into a loss.

    `locks`: rows that the candidate locks (all of them: it ends the match otherwise); `more`: points that it brings.
    """
    if weights[ENDGAME] == 0.0:
        return 0.0
    closed = np.int64(s.closed) | np.int64(s.locked) | locks
    if closed & (closed - 1) == 0:
        return ALWAYS
    own = points(s, seat) + more
    for other in range(s.seats):
        if other != seat and points(s, other) >= own:
            return -ALWAYS
    return ALWAYS


@kernel
def best_coloured(s, seat, white_row, white_position, weights):
    """Gain and action of the best coloured cross after a white cross (white_row -1: without); -inf if there is none."""
    best = -np.inf
    chosen = PASS
    for colour in range(ROWS):
        for die in range(2):
            row = coloured_row_after(s, seat, colour, die, white_row, white_position)
            if row < 0:
                continue
            number = np.int64(s.white[die]) + np.int64(s.coloured[colour])
            position = position_of(s, row, number)
            if row != white_row:
                gain = cross_gain(s, seat, row, position, weights)
            else:
                count = np.int64(s.count[seat, row])
                gain = row_gain(weights, row, count + 1, white_position + 1, position)
                if position == LAST:
                    gain += command(s, seat, np.int64(1) << row, 3 * count + 6, weights)
            if gain > best:
                best = gain
                chosen = cross_action(row, number)
    return best, chosen
