"""The relaxation as a guide of the clairvoyant search, compiled: the most points that a state can still lead to.

At the prices that bound the whole match (relaxation.py), the rest of a match is bounded in the same way: the cells that
a profile still lacks, the +1 that are held, and the best use of the dice to come. States that cannot reach a profile
within the marks left, or not with more points than are known, need not be looked at.
"""

import numpy as np

from spielwerk.core.linker import kernel, outlined
from spielwerk.games.clever.kernel.marks import points
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
from spielwerk.games.clever.kernel.rules import more_rolls
from spielwerk.games.clever.kernel.terms import (
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
)
from spielwerk.games.clever.sheets import BLUE_GRID, GRID, ORANGE_FACTORS, ROW

ALONE = 0


GUIDE = np.dtype(
    [
        # what the parts of a sheet are worth at the prices
        ("yellow", np.float64, (1 << GRID,)),  # by set of places: bonuses less costs
        ("blue", np.float64, (1 << BLUE_GRID,)),
        ("rows", np.float64, (3, ROW + 1)),  # green, orange by length: bonuses, points less costs; purple: bonuses
        ("purple", np.float64, (ROW + 1, 7)),  # so many more numbers after a last one (0 = none, 6 = any may follow)
        ("rounds", np.float64, (TURNS + 1,)),  # bonuses of the rounds that are still to come, by rounds begun
        ("owed", np.float64, (FREE + 1,)),  # by kind of bonus
    ]
)
# columns of the profiles: sets of places, lengths of rows, points of yellow, blue, green and foxes, re-rolls it earns
YELLOW_SET, BLUE_SET, GREEN_LENGTH, ORANGE_LENGTH, PURPLE_LENGTH, BASE, REROLLS = range(7)
COLUMNS = 7


@outlined
def judge_prospects(states, count, event, profiles, guides, plans, out):
    """The most points that the first `count` states can lead to; the next chance event has number `event`."""
    for number in range(count):
        out[number] = prospect(states[number], event, profiles, guides[0], plans[0])


@outlined
def prospect(s, event, profiles, guide, plan):
    if s.phase == OVER:
        return float(points(s, ALONE))
    rolled = s.phase == PICK  # nothing is known but what was known before the roll
    spent = np.int64(0)
    for turn in range(TURNS):
        spent += s.rerolls_spent[ALONE, turn]
    for left in range(MOST_REROLLS + 1):
        plan.ahead[left] = NEVER
    best = NEVER
    for number in range(profiles.shape[0]):
        profile = profiles[number]
        if not can_become(s, profile):
            continue
        if rolled:
            total = highest(s, profile)
        else:
            left = min(np.int64(profile[REROLLS]), MOST_REROLLS) - spent
            if left < 0:
                continue
            if plan.ahead[left] == NEVER:
                plan.ahead[left] = dice_ahead(s, event, left, plan)
            total = sheet_ahead(s, profile, guide, plan) + plan.ahead[left]
            total = min(total, highest(s, profile))
        best = max(best, total)
    return best


@kernel
def can_become(s, profile):
    """Whether the sheet lies within a profile."""
    return (
        np.int64(s.yellow[ALONE]) & ~profile[YELLOW_SET] == 0
        and np.int64(s.blue[ALONE]) & ~profile[BLUE_SET] == 0
        and s.green[ALONE] <= profile[GREEN_LENGTH]
        and s.orange_count[ALONE] <= profile[ORANGE_LENGTH]
        and s.purple_count[ALONE] <= profile[PURPLE_LENGTH]
    )


@kernel
def highest(s, profile):
    """The points of a profile if all numbers to come are a 6."""
    total = profile[BASE] + np.int64(s.orange_sum[ALONE]) + np.int64(s.purple_sum[ALONE])
    for cell in range(np.int64(s.orange_count[ALONE]), profile[ORANGE_LENGTH]):
        total += 6 * np.int64(ORANGE_FACTORS[s.sheet, cell])
    return float(total + 6 * (profile[PURPLE_LENGTH] - np.int64(s.purple_count[ALONE])))


@kernel
def sheet_ahead(s, profile, guide, plan):
    """What is written, and what the cells that lack are worth at the prices."""
    green, orange, purple = np.int64(s.green[ALONE]), np.int64(s.orange_count[ALONE]), np.int64(s.purple_count[ALONE])
    last = np.int64(s.purple[ALONE, purple - 1]) if purple > 0 else np.int64(0)
    more = profile[PURPLE_LENGTH] - purple
    rows = guide.rows
    return (
        profile[BASE]
        + np.int64(s.orange_sum[ALONE])
        + np.int64(s.purple_sum[ALONE])
        + guide.yellow[profile[YELLOW_SET]]
        - guide.yellow[np.int64(s.yellow[ALONE])]
        + guide.blue[profile[BLUE_SET]]
        - guide.blue[np.int64(s.blue[ALONE])]
        + rows[0, profile[GREEN_LENGTH]]
        - rows[0, green]
        + rows[1, profile[ORANGE_LENGTH]]
        - rows[1, orange]
        + rows[2, profile[PURPLE_LENGTH]]
        - rows[2, purple]
        + guide.purple[more, last]
        + plan.add_price * np.int64(s.extras[ALONE])
        + guide.rounds[np.int64(s.rounds)]
        + owed_worth(s, guide)
    )


@kernel
def owed_worth(s, guide):
    """Of bonuses that are earned, and not taken yet."""
    total = 0.0
    for kind in range(FREE + 1):
        total += s.owed[ALONE, kind] * guide.owed[kind]
    return total


@outlined
def dice_ahead(s, event, left, plan):
    """The best use of the dice to come, of a state whose next event has number `event`."""
    turn = np.int64(s.rounds) - 1
    if s.phase == TRAY_ROLL:
        return plan.passive[event] + plan.rest[turn + 1, event + 1, left]
    if s.phase == TRAY:
        return tray_ahead(s, plan) + plan.rest[turn + 1, event, left]
    if s.phase == AFTER or (s.phase == PICKED and not more_rolls(s)):
        return added_now(s, plan) + plan.passive[event] + plan.rest[turn + 1, event + 1, left]
    if s.phase == ROUND or s.rolls == 0:
        return plan.rest[turn, event, left]
    best = NEVER
    for die in range(DICE_COUNT):
        plan.numbers[0, die] = s.dice[die]
    pool = np.int64(s.pool)
    if s.rolls == MOST_ROLLS - 1:
        for rerolls in range(left + 1):
            best = max(best, last_roll(turn, event + rerolls, pool, left - rerolls, 0, plan))
        return best
    for rerolls in range(left + 1):
        if event + rerolls >= EVENTS:
            break
        roll_into(event + rerolls, pool, 0, 1, plan)
        for die in range(-1, DICE_COUNT):
            if die >= 0 and (pool >> die) & 1 == 0:
                continue
            gained = pay(die, 1, plan) if die >= 0 else 0.0
            after = pool_after(die, pool, 1, plan)
            if after == 0:
                best = max(best, gained + end_of_turn(turn, event + rerolls, left - rerolls, 1, plan))
                continue
            for again in range(left - rerolls + 1):
                third = event + rerolls + 1 + again
                best = max(best, gained + last_roll(turn, third, after, left - rerolls - again, 1, plan))
    return best


@kernel
def added_now(s, plan):
    """+1 with the dice as they lie."""
    for die in range(DICE_COUNT):
        plan.numbers[0, die] = s.dice[die]
    total = 0.0
    for die in range(DICE_COUNT):
        if (np.int64(s.spent[ALONE]) >> die) & 1 == 0:
            total += max(pay(die, 0, plan) - plan.add_price, 0.0)
    return total


@kernel
def tray_ahead(s, plan):
    """The rest of a passive turn: a die from the tray, and +1."""
    total = added_now(s, plan) if s.step[ALONE] < DONE else 0.0
    best = 0.0
    if s.step[ALONE] == PICKING:
        for die in range(DICE_COUNT):
            if (np.int64(s.tray) >> die) & 1:
                best = max(best, pay(die, 0, plan))
    return total + best


@outlined
def last_roll(turn, event, pool, left, before, plan):
    """The last roll of a turn with the dice of a pool, after those of a row of numbers; then the rest of the match."""
    if event >= EVENTS:
        return NEVER
    roll_into(event, pool, before, 3, plan)
    best = 0.0
    for die in range(DICE_COUNT):
        if (pool >> die) & 1:
            best = max(best, pay(die, 3, plan))
    return best + end_of_turn(turn, event, left, 3, plan)


@outlined
def end_of_turn(turn, event, left, row, plan):
    """+1 with the dice as they lie, the tray and the rest, after the last roll of a turn."""
    if event + 1 >= EVENTS:
        return NEVER
    return added(row, plan) + plan.passive[event + 1] + plan.rest[turn + 1, event + 2, left]
