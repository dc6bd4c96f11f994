"""A player alone who knows all dice to come: the steps of its beam search, compiled.

The n-th chance event of a match has its own stream, whatever has been played, so a seed fixes what every event brings.
A beam holds states of one moment: as many chance events used, as many decisions since the last one. What a decision
leaves is judged by the value head of a network. States that differ only in how they came about have one key.
"""

import numpy as np

from spielwerk.core.kernel.contract import actors, apply, chance, legal
from spielwerk.core.kernel.rng import branch, mix
from spielwerk.core.linker import kernel, outlined
from spielwerk.games.clever.kernel.marks import points
from spielwerk.games.clever.kernel.terms import DICE_COUNT, FREE, MOST_ROLLS, OVER, PICK, ROLL
from spielwerk.search.kernel.net import AFTER, WORLD, afterstate_value

ALONE = 0  # the only seat


@kernel
def let_chance_act(states, count, chance_key, event, rng):
    """Event number `event` happens in the first `count` states, all of which wait for it."""
    for number in range(count):
        branch(chance_key, event, rng)
        chance(states[number], rng)


@kernel
def sort_out(states, count, kinds, scores):
    """Of the first `count` states: who decides (as `actors` says), and the points."""
    for number in range(count):
        kinds[number] = actors(states[number])
        scores[number] = points(states[number], ALONE)


@kernel
def expand(states, count, weights, scratch, parents, actions, values, keys):
    """All decisions of the first `count` states: whose, which, what the network expects of what it leaves, and the key
    of that. Returns how many."""
    filled = 0
    for number in range(count):
        scratch.states[WORLD] = states[number]
        legal_count = legal(scratch.states[WORLD], ALONE, scratch.actions)
        for i in range(legal_count):
            parents[filled] = number
            actions[filled] = scratch.actions[i]
            values[filled] = afterstate_value(i, ALONE, weights, scratch)
            keys[filled] = key_of(scratch.states[AFTER])
            filled += 1
    return filled


@kernel
def follow(states, parents, actions, count, scratch, out):
    """Play actions[i] in states[parents[i]]; what it leaves goes to out[i]."""
    for i in range(count):
        out[i] = states[parents[i]]
        scratch.trial[ALONE] = actions[i]
        apply(out[i], scratch.trial)


@outlined
def key_of(s):
    """A hash of all that matters for the rest of the match."""
    found = mix(np.uint64(s.yellow[ALONE]) | (np.uint64(s.blue[ALONE]) << np.uint64(16)))
    found = joined(found, np.int64(s.orange_sum[ALONE]), np.int64(s.purple_sum[ALONE]))
    found = joined(found, np.int64(s.green[ALONE]), np.int64(s.orange_count[ALONE]))
    filled = np.int64(s.purple_count[ALONE])
    last = np.int64(s.purple[ALONE, filled - 1]) % 6 if filled > 0 else np.int64(0)
    found = joined(found, filled, last)
    found = joined(found, np.int64(s.foxes[ALONE]), np.int64(s.rerolls[ALONE]))
    found = joined(found, np.int64(s.extras[ALONE]), np.int64(s.rounds))
    if s.phase == OVER:
        return found
    for kind in range(FREE + 1):
        found = joined(found, np.int64(s.owed[ALONE, kind]), kind)
    found = joined(found, np.int64(s.phase), np.int64(s.waiting))
    found = joined(found, np.int64(s.spent[ALONE]), np.int64(s.step[ALONE]))
    found = joined(found, np.int64(s.pool), np.int64(s.tray))
    rolls = np.int64(s.rolls) if ROLL <= s.phase <= PICK + 1 else np.int64(MOST_ROLLS)
    found = joined(found, np.int64(s.rolling), rolls)
    for die in range(DICE_COUNT):
        found = joined(found, np.int64(s.dice[die]), die)
    return found


@kernel
def joined(found, first, second):
    return mix(found ^ (np.uint64(first) + (np.uint64(second) << np.uint64(32))))
