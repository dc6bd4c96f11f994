"""The relaxation as a guide of the clairvoyant search, compiled: the most points that a state can still lead to.

At the prices that bound the whole match (relaxation.py), the rest of a match is bounded in the same way: the cells that
a profile still lacks, the +1 that are held, and the best use of the dice to come. States that cannot reach a profile
within the marks left, or not with more points than are known, need not be looked at.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.linker import kernel, outlined
from spielwerk.games.clever.kernel.relaxation import (
    EVENTS,
    MOST_REROLLS,
    NEVER,
    TURNS,
    added,
    pay,
    pool_after,
    roll_into,
)
from spielwerk.games.clever.kernel.rules import (
    AFTER,
    DICE_COUNT,
    DONE,
    FREE,
    MOST_ROLLS,
    OVER,
    PICK,
    PICKED,
    PICKING,
    ROUND,
    TRAY,
    TRAY_ROLL,
    more_rolls,
    points,
)
from spielwerk.games.clever.sheets import ORANGE_FACTORS, ROW

ALONE = 0


class Guide(NamedTuple):
    """Profiles and what their parts are worth at the prices."""

    yellow: NDArray[np.int64]  # [profiles] set of places
    blue: NDArray[np.int64]  # [profiles]
    lengths: NDArray[np.int64]  # [profiles, 3] of green, orange and purple
    base: NDArray[np.int64]  # [profiles] points of yellow, blue, green and foxes
    rerolls: NDArray[np.int64]  # [profiles] that it earns
    yellow_worth: NDArray[np.float64]  # [65536] by set of places: bonuses less costs
    blue_worth: NDArray[np.float64]  # [4096]
    row_worth: NDArray[np.float64]  # [3, 12] by length: green and orange as in relaxation.py; purple: bonuses only
    purple_worth: NDArray[np.float64]  # [12, 7] so many more numbers after a last one (0 = none, 6 = any may follow)
    rounds_worth: NDArray[np.float64]  # [7] bonuses of the rounds that are still to come, by rounds begun
    owed_worth: NDArray[np.float64]  # [MARKS + 1] by kind of bonus
    add_price: float
    dice: Any
    plan: Any


@outlined
def judge_prospects(states, count, event, guide, out):
    """The most points that the first `count` states can lead to; the next chance event has number `event`."""
    for number in range(count):
        out[number] = prospect(states[number], event, guide)


@outlined
def prospect(s, event, guide):
    if s.phase == OVER:
        return float(points(s, ALONE))
    rolled = s.phase == PICK  # nothing is known but what was known before the roll
    spent = np.int64(0)
    for turn in range(TURNS):
        spent += s.rerolls_spent[ALONE, turn]
    for left in range(MOST_REROLLS + 1):
        guide.plan.ahead[left] = NEVER
    best = NEVER
    for profile in range(guide.base.shape[0]):
        if not can_become(s, profile, guide):
            continue
        if rolled:
            total = highest(s, profile, guide)
        else:
            left = min(np.int64(guide.rerolls[profile]), MOST_REROLLS) - spent
            if left < 0:
                continue
            if guide.plan.ahead[left] == NEVER:
                guide.plan.ahead[left] = dice_ahead(s, event, left, guide)
            total = sheet_ahead(s, profile, guide) + guide.plan.ahead[left]
            total = min(total, highest(s, profile, guide))
        best = max(best, total)
    return best


@kernel
def can_become(s, profile, guide):
    """Whether the sheet lies within a profile."""
    return (
        np.int64(s.yellow[ALONE]) & ~guide.yellow[profile] == 0
        and np.int64(s.blue[ALONE]) & ~guide.blue[profile] == 0
        and s.green[ALONE] <= guide.lengths[profile, 0]
        and s.orange_count[ALONE] <= guide.lengths[profile, 1]
        and s.purple_count[ALONE] <= guide.lengths[profile, 2]
    )


@kernel
def highest(s, profile, guide):
    """The points of a profile if all numbers to come are a 6."""
    total = guide.base[profile] + np.int64(s.orange_sum[ALONE]) + np.int64(s.purple_sum[ALONE])
    for cell in range(np.int64(s.orange_count[ALONE]), guide.lengths[profile, 1]):
        total += 6 * np.int64(ORANGE_FACTORS[s.sheet, cell])
    return float(total + 6 * (guide.lengths[profile, 2] - np.int64(s.purple_count[ALONE])))


@kernel
def sheet_ahead(s, profile, guide):
    """What is written, and what the cells that lack are worth at the prices."""
    green, orange, purple = np.int64(s.green[ALONE]), np.int64(s.orange_count[ALONE]), np.int64(s.purple_count[ALONE])
    last = np.int64(s.purple[ALONE, purple - 1]) if purple > 0 else np.int64(0)
    more = guide.lengths[profile, 2] - purple
    rows = guide.row_worth
    return (
        guide.base[profile]
        + np.int64(s.orange_sum[ALONE])
        + np.int64(s.purple_sum[ALONE])
        + guide.yellow_worth[guide.yellow[profile]]
        - guide.yellow_worth[np.int64(s.yellow[ALONE])]
        + guide.blue_worth[guide.blue[profile]]
        - guide.blue_worth[np.int64(s.blue[ALONE])]
        + rows[0, guide.lengths[profile, 0]]
        - rows[0, green]
        + rows[1, guide.lengths[profile, 1]]
        - rows[1, orange]
        + rows[2, guide.lengths[profile, 2]]
        - rows[2, purple]
        + guide.purple_worth[more, last]
        + guide.add_price * np.int64(s.extras[ALONE])
        + guide.rounds_worth[np.int64(s.rounds)]
        + owed_worth(s, guide)
    )


@kernel
def owed_worth(s, guide):
    """Of bonuses that are earned, and not taken yet."""
    total = 0.0
    for kind in range(FREE + 1):
        total += s.owed[ALONE, kind] * guide.owed_worth[kind]
    return total


@outlined
def dice_ahead(s, event, left, guide):
    """The best use of the dice to come, of a state whose next event has number `event`."""
    plan, turn = guide.plan, np.int64(s.rounds) - 1
    if s.phase == TRAY_ROLL:
        return plan.passive[event] + plan.rest[turn + 1, event + 1, left]
    if s.phase == TRAY:
        return tray_ahead(s, guide) + plan.rest[turn + 1, event, left]
    if s.phase == AFTER or (s.phase == PICKED and not more_rolls(s)):
        return added_now(s, guide) + plan.passive[event] + plan.rest[turn + 1, event + 1, left]
    if s.phase == ROUND or s.rolls == 0:
        return plan.rest[turn, event, left]
    numbers, best = plan.numbers, NEVER
    for die in range(DICE_COUNT):
        numbers[0, die] = s.dice[die]
    pool = np.int64(s.pool)
    if s.rolls == MOST_ROLLS - 1:
        for rerolls in range(left + 1):
            best = max(best, last_roll(turn, event + rerolls, pool, left - rerolls, 0, guide))
        return best
    for rerolls in range(left + 1):
        if event + rerolls >= EVENTS:
            break
        roll_into(event + rerolls, pool, guide.dice, numbers[0], numbers[1])
        for die in range(-1, DICE_COUNT):
            if die >= 0 and (pool >> die) & 1 == 0:
                continue
            gained = pay(die, numbers[1], plan) if die >= 0 else 0.0
            after = pool_after(die, pool, numbers[1])
            if after == 0:
                best = max(best, gained + end_of_turn(turn, event + rerolls, left - rerolls, numbers[1], guide))
                continue
            for again in range(left - rerolls + 1):
                third = event + rerolls + 1 + again
                best = max(best, gained + last_roll(turn, third, after, left - rerolls - again, 1, guide))
    return best


@kernel
def added_now(s, guide):
    """+1 with the dice as they lie."""
    numbers = guide.plan.numbers[0]
    for die in range(DICE_COUNT):
        numbers[die] = s.dice[die]
    total = 0.0
    for die in range(DICE_COUNT):
        if (np.int64(s.spent[ALONE]) >> die) & 1 == 0:
            total += max(pay(die, numbers, guide.plan) - guide.add_price, 0.0)
    return total


@kernel
def tray_ahead(s, guide):
    """The rest of a passive turn: a die from the tray, and +1."""
    total = added_now(s, guide) if s.step[ALONE] < DONE else 0.0
    best = 0.0
    if s.step[ALONE] == PICKING:
        for die in range(DICE_COUNT):
            if (np.int64(s.tray) >> die) & 1:
                best = max(best, pay(die, guide.plan.numbers[0], guide.plan))
    return total + best


@outlined
def last_roll(turn, event, pool, left, before, guide):
    """The last roll of a turn with the dice of a pool, after the numbers[before]; then the rest of the match."""
    if event >= EVENTS:
        return NEVER
    plan, numbers = guide.plan, guide.plan.numbers
    roll_into(event, pool, guide.dice, numbers[before], numbers[3])
    best = 0.0
    for die in range(DICE_COUNT):
        if (pool >> die) & 1:
            best = max(best, pay(die, numbers[3], plan))
    return best + end_of_turn(turn, event, left, numbers[3], guide)


@outlined
def end_of_turn(turn, event, left, numbers, guide):
    """+1 with the dice as they lie, the tray and the rest, after the last roll of a turn."""
    plan = guide.plan
    if event + 1 >= EVENTS:
        return NEVER
    return added(numbers, guide.add_price, plan) + plan.passive[event + 1] + plan.rest[turn + 1, event + 2, left]


@kernel
def set_purple_worth(gains, out):
    """By how many numbers are still to be written, and after which: they rise, and begin again after a 6."""
    for last in range(7):
        out[0, last] = 0.0
    for more in range(1, ROW + 1):
        for last in range(7):
            out[more, last] = NEVER
            for number in range(1, 7):
                if last == 6 or number > last:
                    out[more, last] = max(out[more, last], gains[number] + out[more - 1, number])
