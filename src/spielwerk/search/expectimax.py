"""Expectimax to a fixed number of decisions, then an evaluation.

Chance is expanded exactly where the game lists its outcomes, and sampled where not. Every seat maximises its own
worth (max^n). One ply is one decision; the position right after the last decision, before chance acts, is what is
evaluated, as in the n-tuple papers (1 ply = greedy over afterstates). Hidden information is imagined by the caller,
world by world. Seats that decide at once are taken one after the other, the searcher first, each knowing the choices
before it: a pessimistic assumption for the searcher.

A transposition table (one seat only; entries hold what is still to come) is used if it has room.
"""

import numpy as np

from spielwerk.core.contract import actors, apply, chance, evaluate, happen, key, legal, outcomes, score, worth
from spielwerk.core.kernel import kernel


@kernel
def expectimax(
    stack, level, plies, waiting, first, samples, weights, depth, method, scale, scratch, rng, ids, probs, lists, joints,
    values, sums, table_keys, table_values
):
    """Write the worth of stack[level] per seat into values[level].

    `waiting`: seats of this moment that have yet to choose; 0 = nobody has chosen yet. `first` chooses first.
    """
    s = stack[level]
    seats = joints.shape[1]
    who = actors(s)
    if who < 0:
        worth(s, scale, values[level])
        return 0
    if plies == 0 or level + 1 >= stack.shape[0]:
        evaluate(stack, level, weights, depth, method, scale, scratch, rng, values[level])
        return 0

    if who == 0:
        place = -1
        entry = np.uint64(0)
        if table_keys.shape[0] > 0 and seats == 1:
            entry = key(s) + np.uint64(plies)
            place = np.int64(entry % np.uint64(table_keys.shape[0]))
            if table_keys[place] == entry:
                score(s, values[level])
                values[level, 0] = table_values[place] + values[level, 0] / scale
                return 0
        for seat in range(seats):
            sums[level, seat] = 0.0
        count = outcomes(s, ids[level], probs[level])
        if count > 0:
            for i in range(count):
                stack[level + 1] = stack[level]
                happen(stack[level + 1], ids[level, i])
                expectimax(
                    stack, level + 1, plies, 0, first, samples, weights, depth, method, scale, scratch, rng, ids, probs,
                    lists, joints, values, sums, table_keys, table_values
                )
                for seat in range(seats):
                    sums[level, seat] += probs[level, i] * values[level + 1, seat]
        else:
            for _ in range(samples):
                stack[level + 1] = stack[level]
                chance(stack[level + 1], rng)
                expectimax(
                    stack, level + 1, plies, 0, first, samples, weights, depth, method, scale, scratch, rng, ids, probs,
                    lists, joints, values, sums, table_keys, table_values
                )
                for seat in range(seats):
                    sums[level, seat] += values[level + 1, seat] / samples
        for seat in range(seats):
            values[level, seat] = sums[level, seat]
        if place >= 0:
            score(s, sums[level])
            table_keys[place] = entry
            table_values[place] = values[level, 0] - sums[level, 0] / scale
        return 0

    if waiting == 0:
        waiting = who
    chooser = first
    if (waiting >> first) & 1 == 0:
        chooser = 0
        while (waiting >> chooser) & 1 == 0:
            chooser += 1
    rest = waiting & ~(1 << chooser)
    best = -np.inf
    count = legal(s, chooser, lists[level])
    for i in range(count):
        stack[level + 1] = stack[level]
        joints[level, chooser] = lists[level, i]
        if rest == 0:
            apply(stack[level + 1], joints[level])
            left = plies - 1
        else:
            for seat in range(seats):
                joints[level + 1, seat] = joints[level, seat]
            left = plies
        expectimax(
            stack, level + 1, left, rest, first, samples, weights, depth, method, scale, scratch, rng, ids, probs, lists,
            joints, values, sums, table_keys, table_values
        )
        if values[level + 1, chooser] > best:
            best = values[level + 1, chooser]
            for seat in range(seats):
                sums[level, seat] = values[level + 1, seat]
    for seat in range(seats):
        values[level, seat] = sums[level, seat]
    return 0
