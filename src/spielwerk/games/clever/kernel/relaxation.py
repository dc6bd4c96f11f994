"""An upper bound of what a player alone can get who knows all dice to come, compiled.

Two problems are taken apart: which sheet is filled in the end, and which marks the dice of a seed supply. A price for
every kind of mark connects them: the sheet pays for the marks that it needs, and is paid for the bonuses that it
brings; the dice are paid for what they supply, and pay for every +1. At any prices that are not negative, the best
sheet and the best use of the dice, each for itself, are together worth at least as much as any match (Lagrange;
Geoffrion 1974). The lowest such bound is looked for by steps against the surplus of marks (Polyak 1969).

The use of the dice is exact in what a pick leaves in the pool, in which events re-rolls skip, and in the tray.
Forgotten is *when* things happen: green and the bonuses may be filled in any order, a +1 may be used before it is
earned. A roll may be forfeited at any time, and any die may be picked without a mark.
"""

import numpy as np

from spielwerk.core.kernel.rng import below, branch
from spielwerk.core.linker import kernel, outlined
from spielwerk.games.clever.kernel.rules import drawn_tray
from spielwerk.games.clever.kernel.terms import (
    ALL_DICE,
    BLUE_DIE,
    DICE_COUNT,
    GREEN_DIE,
    ORANGE_DIE,
    PURPLE_DIE,
    WHITE_DIE,
    YELLOW_DIE,
)
from spielwerk.games.clever.sheets import PURPLE_6, YELLOW_X

# kinds of marks: a number in yellow, a sum in blue, a lowest number in green, a number in orange and in purple, and
# the bonuses (from YELLOW_X to PURPLE_6); last the +1
IN_YELLOW, IN_BLUE, IN_GREEN, IN_ORANGE, IN_PURPLE = 0, 6, 17, 23, 29  # of the number 1, in blue of the sum 2
BONUS = 35
ADD = BONUS + PURPLE_6 - YELLOW_X + 1
KINDS = ADD + 1

TURNS = 6
MOST_REROLLS = 7
EVENTS = 4 * TURNS + MOST_REROLLS + 1  # more than a match has
NEVER = -1e9
SIDES = 7  # of a choice: none or one of six dice


PLAN = np.dtype(
    [
        # what all chance events of a seed bring
        ("dice", np.int64, (EVENTS, DICE_COUNT)),
        ("trays", np.int64, (EVENTS,)),  # the tray if the event is a roll for it
        # prices of marks: what a die with a number is paid (the white one without blue), which kind of mark pays it,
        # what a sum in blue is paid, what a +1 costs
        ("own", np.float64, (DICE_COUNT, 7)),
        ("kinds", np.int64, (DICE_COUNT, 7)),
        ("sums", np.float64, (13,)),
        ("add_price", np.float64),
        # the best use of the dice; what does not fit into a match holds NEVER
        ("ones", np.float64, (EVENTS,)),  # a turn of one roll, and whatever +1 is worth its price
        ("twos", np.float64, (EVENTS, EVENTS)),  # of two rolls, by their events
        ("threes", np.float64, (EVENTS, EVENTS, EVENTS)),
        ("picks", np.int64, (EVENTS, EVENTS, EVENTS)),  # the dice of the best turn of three rolls
        ("turns", np.float64, (4, EVENTS, MOST_REROLLS + 1)),  # by rolls, first event and re-rolls
        ("passive", np.float64, (EVENTS,)),
        ("rest", np.float64, (TURNS + 1, EVENTS + 2, MOST_REROLLS + 1)),  # by turn, event and re-rolls left
        ("supply", np.int64, (KINDS,)),  # marks of it
        # work space
        ("numbers", np.int64, (4, DICE_COUNT)),  # the dice before and after up to three rolls
        ("ahead", np.float64, (MOST_REROLLS + 1,)),  # of one state, by re-rolls left
    ]
)


@kernel
def read_dice(states, chance_key, rng, plans):
    """All events of a seed, as the rules draw them."""
    s, plan = states[0], plans[0]
    for event in range(EVENTS):
        branch(chance_key, event, rng)
        for die in range(DICE_COUNT):
            s.dice[die] = 1 + below(rng, 6)
            plan.dice[event, die] = s.dice[die]
        plan.trays[event] = drawn_tray(s, rng)


# --- what a die is paid -----------------------------------------------------------------------------------------------


@kernel
def set_pay(prices, plan):
    for number in range(1, 7):
        green = IN_GREEN
        for lowest in range(1, number):
            if prices[IN_GREEN + lowest] > prices[green]:
                green = IN_GREEN + lowest
        plan.kinds[YELLOW_DIE, number] = IN_YELLOW + number - 1
        plan.kinds[GREEN_DIE, number] = green
        plan.kinds[ORANGE_DIE, number] = IN_ORANGE + number - 1
        plan.kinds[PURPLE_DIE, number] = IN_PURPLE + number - 1
        best = plan.kinds[YELLOW_DIE, number]
        for die in range(GREEN_DIE, DICE_COUNT):
            if prices[plan.kinds[die, number]] > prices[best]:
                best = plan.kinds[die, number]
        plan.kinds[WHITE_DIE, number] = best
        for die in range(DICE_COUNT):
            plan.own[die, number] = 0.0 if die == BLUE_DIE else prices[plan.kinds[die, number]]
    for total in range(2, 13):
        plan.sums[total] = prices[IN_BLUE + total - 2]
    plan.add_price = prices[ADD]


@outlined
def pay(die, row, plan):
    """The best that a die is paid, given the numbers of all dice in a row of plan.numbers."""
    numbers = plan.numbers[row]
    if die == BLUE_DIE:
        return plan.sums[numbers[BLUE_DIE] + numbers[WHITE_DIE]]
    if die == WHITE_DIE:
        return max(plan.own[WHITE_DIE, numbers[WHITE_DIE]], plan.sums[numbers[BLUE_DIE] + numbers[WHITE_DIE]])
    return plan.own[die, numbers[die]]


@outlined
def kind_paid(die, row, plan):
    numbers = plan.numbers[row]
    total = numbers[BLUE_DIE] + numbers[WHITE_DIE]
    if die == BLUE_DIE or (die == WHITE_DIE and plan.sums[total] > plan.own[WHITE_DIE, numbers[WHITE_DIE]]):
        return IN_BLUE + total - 2
    return plan.kinds[die, numbers[die]]


@outlined
def added(row, plan):
    """Every die once by +1, if that is worth its price."""
    total = 0.0
    for die in range(DICE_COUNT):
        total += max(pay(die, row, plan) - plan.add_price, 0.0)
    return total


# --- turns ------------------------------------------------------------------------------------------------------------


@outlined
def roll_into(event, pool, before, row, plan):
    """Roll the dice of a pool; the others keep their numbers of the row `before`."""
    for die in range(DICE_COUNT):
        plan.numbers[row, die] = plan.dice[event, die] if (pool >> die) & 1 else plan.numbers[before, die]


@outlined
def pool_after(die, pool, row, plan):
    """Lower dice leave the pool; -1 = no die is picked."""
    if die < 0:
        return pool
    left = pool & ~(1 << die)
    for other in range(DICE_COUNT):
        if (left >> other) & 1 and plan.numbers[row, other] < plan.numbers[row, die]:
            left &= ~(1 << other)
    return left


@outlined
def value_turns(plan):
    """The best active turn by the events of its rolls. Re-rolls make gaps between them."""
    for first in range(EVENTS):
        plan.ones[first] = NEVER
        for second in range(first + 1, min(first + MOST_REROLLS + 2, EVENTS)):
            plan.twos[first, second] = NEVER
            for third in range(second + 1, min(first + MOST_REROLLS + 3, EVENTS)):
                plan.threes[first, second, third] = NEVER
        roll_into(first, ALL_DICE, 0, 1, plan)
        for one in range(-1, DICE_COUNT):
            pool = pool_after(one, ALL_DICE, 1, plan)
            gained = pay(one, 1, plan) if one >= 0 else 0.0
            if pool == 0:
                plan.ones[first] = max(plan.ones[first], gained + added(1, plan))
                continue
            for second in range(first + 1, min(first + MOST_REROLLS + 2, EVENTS)):
                value_second_rolls(first, second, one, pool, gained, plan)


@outlined
def value_second_rolls(first, second, one, pool, gained, plan):
    roll_into(second, pool, 1, 2, plan)
    for two in range(-1, DICE_COUNT):
        if two >= 0 and (pool >> two) & 1 == 0:
            continue
        left = pool_after(two, pool, 2, plan)
        more = gained + (pay(two, 2, plan) if two >= 0 else 0.0)
        if left == 0:
            plan.twos[first, second] = max(plan.twos[first, second], more + added(2, plan))
            continue
        for third in range(second + 1, min(first + MOST_REROLLS + 3, EVENTS)):
            roll_into(third, left, 2, 3, plan)
            best, three = 0.0, -1
            for die in range(DICE_COUNT):
                if (left >> die) & 1 and pay(die, 3, plan) > best:
                    best, three = pay(die, 3, plan), die
            total = more + best + added(3, plan)
            if total > plan.threes[first, second, third]:
                plan.threes[first, second, third] = total
                plan.picks[first, second, third] = (one + 1) + SIDES * ((two + 1) + SIDES * (three + 1))


@outlined
def gather_turns(plan):
    """The best active turn by its number of rolls, its first event and its re-rolls."""
    for event in range(EVENTS):
        for rerolls in range(MOST_REROLLS + 1):
            for rolls in range(1, 4):
                last = event + rerolls + rolls - 1
                best = NEVER
                if last < EVENTS and rolls == 1:
                    best = plan.ones[last]
                elif last < EVENTS and rolls == 2:
                    for first in range(event, last):
                        best = max(best, plan.twos[first, last])
                elif last < EVENTS:
                    for first in range(event, last - 1):
                        for second in range(first + 1, last):
                            best = max(best, plan.threes[first, second, last])
                plan.turns[rolls, event, rerolls] = best


@outlined
def value_passive(plan):
    for event in range(EVENTS):
        roll_into(event, ALL_DICE, 0, 0, plan)
        best = 0.0
        for die in range(DICE_COUNT):
            if (plan.trays[event] >> die) & 1:
                best = max(best, pay(die, 0, plan))
        plan.passive[event] = best + added(0, plan)


@outlined
def value_match(prices, plans):
    """The best use of the dice: plan.rest[0, 0, r] with r re-rolls."""
    plan = plans[0]
    set_pay(prices, plan)
    value_turns(plan)
    gather_turns(plan)
    value_passive(plan)
    for turn in range(TURNS, -1, -1):
        for event in range(EVENTS + 2):
            for left in range(MOST_REROLLS + 1):
                if turn == TURNS:
                    plan.rest[turn, event, left] = 0.0
                    continue
                best = NEVER
                for rerolls in range(left + 1):
                    for rolls in range(1, 4):
                        tray = event + rerolls + rolls
                        if tray < EVENTS:
                            best = max(best, turn_and_rest(turn, event, rolls, rerolls, left, plan))
                plan.rest[turn, event, left] = best


@outlined
def turn_and_rest(turn, event, rolls, rerolls, left, plan):
    tray = event + rerolls + rolls
    return plan.turns[rolls, event, rerolls] + plan.passive[tray] + plan.rest[turn + 1, tray + 1, left - rerolls]


# --- the marks of the best use ----------------------------------------------------------------------------------------


@outlined
def count_supply(left, plans):
    """The marks of the best use of the dice with so many re-rolls; +1 that it needs count negative. Turns of fewer than
    three rolls are hardly ever best: their marks are left out, which makes a step worse, but no bound wrong."""
    plan = plans[0]
    for kind in range(KINDS):
        plan.supply[kind] = 0
    event = 0
    for turn in range(TURNS):
        best, chosen, rolls = NEVER, 0, 3
        for rerolls in range(left + 1):
            for number in range(1, 4):
                if event + rerolls + number < EVENTS:
                    total = turn_and_rest(turn, event, number, rerolls, left, plan)
                    if total > best:
                        best, chosen, rolls = total, rerolls, number
        tray = event + chosen + rolls
        if rolls == 3:
            count_three_rolls(event, tray - 1, plan.turns[3, event, chosen], plan)
        count_passive(tray, plan)
        event = tray + 1
        left -= chosen


@outlined
def count_three_rolls(event, last, value, plan):
    """The marks of a turn of three rolls that is worth `value`."""
    for first in range(event, last - 1):
        for second in range(first + 1, last):
            if plan.threes[first, second, last] == value:
                count_turn(first, second, last, plan)
                return


@outlined
def count_turn(first, second, third, plan):
    code, pool = plan.picks[first, second, third], np.int64(ALL_DICE)
    for roll in range(3):
        event = first if roll == 0 else second if roll == 1 else third
        roll_into(event, pool, roll, roll + 1, plan)
        die = code % SIDES - 1
        code //= SIDES
        if die >= 0:
            plan.supply[kind_paid(die, roll + 1, plan)] += 1
        pool = pool_after(die, pool, roll + 1, plan)
    count_added(3, plan)


@outlined
def count_passive(event, plan):
    roll_into(event, ALL_DICE, 0, 0, plan)
    best, chosen = 0.0, -1
    for die in range(DICE_COUNT):
        if (plan.trays[event] >> die) & 1 and pay(die, 0, plan) > best:
            best, chosen = pay(die, 0, plan), die
    if chosen >= 0:
        plan.supply[kind_paid(chosen, 0, plan)] += 1
    count_added(0, plan)


@outlined
def count_added(row, plan):
    for die in range(DICE_COUNT):
        if pay(die, row, plan) > plan.add_price:
            plan.supply[kind_paid(die, row, plan)] += 1
            plan.supply[ADD] -= 1
