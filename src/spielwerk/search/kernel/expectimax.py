"""Expectimax to a fixed number of decisions, then an evaluation.

Chance is expanded exactly where the game lists its outcomes, and sampled where not: with the same draws for all
actions, so that luck does not decide between them (common random numbers). Every seat maximises its own worth (max^n).
One ply is one decision; the position right after the last decision, before chance acts, is what is evaluated, as in the
n-tuple papers (1 ply = greedy over afterstates). Hidden information is imagined by the caller, world by world. Seats
that decide at once are taken one after the other, the searcher first, each knowing the choices before it: a pessimistic
assumption for the searcher.

A transposition table (one seat only; entries hold what is still to come, so the evaluation must be additive) is used if
it has room. It serves one decision: entries carry the decision's number, so that a decision does not depend on those
before it.

The tree is walked with an explicit stack of frames: Numba cannot load recursive functions from its cache.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.game import Game
from spielwerk.core.instructions import SELDOM, stopped
from spielwerk.core.kernel.contract import (
    Leaf,
    actors,
    apply,
    chance,
    evaluate,
    happen,
    key,
    legal,
    outcomes,
    score,
    worth,
)
from spielwerk.core.kernel.rng import GOLDEN, branch, draw, mix
from spielwerk.core.linker import kernel, outlined
from spielwerk.core.position import States

PLIES, WAITING, CHOOSER, CURSOR, COUNT, PLACE = 0, 1, 2, 3, 4, 5  # places in a frame
NODES, LIMIT, DECISIONS = 0, 1, 2  # places in Workspace.counts
UNLIMITED = 1 << 62


class Workspace(NamedTuple):
    """The work space of one search."""

    stack: States  # [levels]
    frames: NDArray[np.int64]  # [levels, 6] where the walk stands at each level
    tags: NDArray[np.uint64]  # [levels] of the chance node at each level, for the table
    ids: NDArray[np.int64]  # [levels, outcomes]
    probs: NDArray[np.float64]  # [levels, outcomes]
    lists: NDArray[np.int64]  # [levels, widest] legal actions
    joints: NDArray[np.int64]  # [levels, seats]
    values: NDArray[np.float64]  # [levels, seats] worth
    sums: NDArray[np.float64]  # [levels, seats] worth so far: the expectation, or of the best action
    table_tags: NDArray[np.uint64]  # [a power of two, or 0]
    table_values: NDArray[np.float64]
    counts: NDArray[np.int64]  # [3] nodes so far, most nodes, decisions so far
    draws: NDArray[np.uint64]  # [1] what the samples of a decision are drawn from
    rng: NDArray[np.uint64]  # [1] of one sample


def new_workspace(game: Game, depth: int, table: int) -> Workspace:
    """Room for searches of `depth` decisions; the table has at least `table` entries."""
    levels = depth * (game.seats + 4) + 4
    room = 1 << (table - 1).bit_length() if table else 0
    outcome_room = max(game.spec.outcomes, 1)
    return Workspace(
        game.states(levels),
        np.zeros((levels, 6), np.int64),
        np.zeros(levels, np.uint64),
        np.zeros((levels, outcome_room), np.int64),
        np.zeros((levels, outcome_room)),
        np.zeros((levels, game.spec.widest), np.int64),
        np.zeros((levels, game.seats), np.int64),
        np.zeros((levels, game.seats)),
        np.zeros((levels, game.seats)),
        np.zeros(room, np.uint64),
        np.zeros(room),
        np.array([0, UNLIMITED, 0]),
        np.zeros(1, np.uint64),
        np.zeros(1, np.uint64),
    )


@kernel
def action_worth(space, root, seat, action, depth, extend, samples, leaf, sign):
    """Search `depth` decisions deep from root[0] after `action` of `seat`; its worth is then in space.values[0].

    One decision deeper for every number in `extend` that the outcomes of chance after it do not exceed. Returns whether
    the search was finished: neither the limit of nodes nor the sign came first.
    """
    stack = space.stack
    stack[0] = root[0]
    space.joints[0, seat] = action
    others = actors(stack[0]) & ~(1 << seat)
    plies = depth
    if others == 0:
        apply(stack[0], space.joints[0])
        plies = depth - 1
        if extend.shape[0] > 0 and actors(stack[0]) == 0:
            count = outcomes(stack[0], space.ids[0], space.probs[0])
            for i in range(extend.shape[0]):
                if 0 < count <= extend[i]:
                    plies += 1
    space.frames[0, PLIES] = plies
    space.frames[0, WAITING] = others
    return walk(space, seat, samples, leaf, sign)


@outlined
def walk(space, first, samples, leaf, sign):
    """Write the worth of space.stack[0] per seat into space.values[0]; returns whether the search was finished."""
    stack, frames, values, sums, counts = space.stack, space.frames, space.values, space.sums, space.counts
    scale, value = leaf.scale, leaf.value
    seats = space.joints.shape[1]
    level = 0
    entering = True
    while True:
        if entering:
            counts[NODES] += 1
            if counts[NODES] > counts[LIMIT] or (counts[NODES] & SELDOM == SELDOM and stopped(sign)):
                return False
            who = actors(stack[level])
            if who < 0:
                worth(stack[level], scale, values[level])
                if leaf.method == 2:  # as in a playout: see search.playout
                    for seat in range(seats):
                        values[level, seat] -= 1.0
                entering = False
            elif frames[level, PLIES] == 0 or level + 1 >= stack.shape[0]:
                evaluate(stack, level, leaf)
                for seat in range(seats):
                    values[level, seat] = value[seat]
                entering = False
            elif who == 0:
                if in_table(space, level, scale):
                    entering = False
                else:
                    count = outcomes(stack[level], space.ids[level], space.probs[level])
                    frames[level, CHOOSER] = -1
                    frames[level, CURSOR] = 0
                    frames[level, COUNT] = count if count > 0 else -samples
                    for seat in range(seats):
                        sums[level, seat] = 0.0
            else:
                choose_chooser(frames, level, who, first)
                frames[level, CURSOR] = 0
                frames[level, COUNT] = legal(stack[level], frames[level, CHOOSER], space.lists[level])
            if not entering:
                if level == 0:
                    return True
                level -= 1
                absorb(space, level, samples)
        cursor = frames[level, CURSOR]
        if cursor < abs(frames[level, COUNT]):
            frames[level, CURSOR] = cursor + 1
            descend(space, level, cursor)
            level += 1
            entering = True
            continue
        for seat in range(seats):
            values[level, seat] = sums[level, seat]
        if frames[level, CHOOSER] < 0:
            keep_in_table(space, level, scale)
        if level == 0:
            return True
        level -= 1
        absorb(space, level, samples)
        entering = False


@kernel
def choose_chooser(frames, level, who, first):
    """Of the seats of this moment that have yet to choose, `first` chooses first, then the lowest."""
    waiting = frames[level, WAITING]
    if waiting == 0:
        waiting = who
        frames[level, WAITING] = who
    chooser = first
    if (waiting >> first) & 1 == 0:
        chooser = 0
        while (waiting >> chooser) & 1 == 0:
            chooser += 1
    frames[level, CHOOSER] = chooser


@kernel
def descend(space, level, cursor):
    """Make the child number `cursor` of the node at `level`."""
    stack, frames = space.stack, space.frames
    stack[level + 1] = stack[level]
    chooser = frames[level, CHOOSER]
    if chooser < 0:
        if frames[level, COUNT] > 0:
            happen(stack[level + 1], space.ids[level, cursor])
        else:
            branch(mix(space.draws[0] + np.uint64(level) * GOLDEN), cursor, space.rng)
            chance(stack[level + 1], space.rng)
        frames[level + 1, PLIES] = frames[level, PLIES]
        frames[level + 1, WAITING] = 0
        return
    space.joints[level, chooser] = space.lists[level, cursor]
    rest = frames[level, WAITING] & ~(np.int64(1) << chooser)
    frames[level + 1, WAITING] = rest
    if rest == 0:
        apply(stack[level + 1], space.joints[level])
        frames[level + 1, PLIES] = frames[level, PLIES] - 1
    else:
        for seat in range(space.joints.shape[1]):
            space.joints[level + 1, seat] = space.joints[level, seat]
        frames[level + 1, PLIES] = frames[level, PLIES]


@kernel
def absorb(space, level, samples):
    """Add the worth of the child that has just been searched to its parent at `level`."""
    frames, values, sums = space.frames, space.values, space.sums
    seats = space.joints.shape[1]
    chooser = frames[level, CHOOSER]
    child = frames[level, CURSOR] - 1
    if chooser < 0:
        share = space.probs[level, child] if frames[level, COUNT] > 0 else 1.0 / samples
        for seat in range(seats):
            sums[level, seat] += share * values[level + 1, seat]
    elif child == 0 or values[level + 1, chooser] > sums[level, chooser]:
        for seat in range(seats):
            sums[level, seat] = values[level + 1, seat]


@kernel
def in_table(space, level, scale):
    """Whether the table knows the chance node at `level`; then its worth is written to values."""
    space.frames[level, PLACE] = -1
    if space.table_tags.shape[0] == 0:
        return False
    hashed = key(space.stack[level])
    if hashed == np.uint64(0):  # the game offers no key
        return False
    entry = hashed + np.uint64(space.frames[level, PLIES])
    place = np.int64((entry ^ (entry >> np.uint64(32))) & np.uint64(space.table_tags.shape[0] - 1))
    space.tags[level] = entry + np.uint64(space.counts[DECISIONS]) * GOLDEN
    space.frames[level, PLACE] = place
    if space.table_tags[place] != space.tags[level]:
        return False
    score(space.stack[level], space.values[level])
    space.values[level, 0] = space.table_values[place] + space.values[level, 0] / scale
    return True


@kernel
def keep_in_table(space, level, scale):
    place = space.frames[level, PLACE]
    if place >= 0:
        score(space.stack[level], space.sums[level])
        space.table_tags[place] = space.tags[level]
        space.table_values[place] = space.values[level, 0] - space.sums[level, 0] / scale


# --- as a rule for whole matches -------------------------------------------------------------------------------------


class Rule(NamedTuple):
    """The weights of `expectimax_policy`."""

    space: Workspace
    root: States  # [1]
    depth: int
    extend: NDArray[np.int64]
    samples: int
    nodes: int  # most of one action
    actions: NDArray[np.int64]  # [widest]
    leaf: Leaf


@kernel
def expectimax_policy(s, seat, weights, scratch, rng):
    """The action with the most worth, at a depth that needs no more nodes than allowed; without hidden information."""
    space = weights.space
    space.counts[DECISIONS] += 1
    weights.root[0] = s
    count = legal(s, seat, weights.actions)
    if count == 1:
        return weights.actions[0]
    space.draws[0] = draw(rng)
    chosen = 0
    for depth in range(weights.depth, 0, -1):
        weights.leaf.rng[0] = rng[0]
        space.counts[LIMIT] = weights.nodes if depth > 1 else UNLIMITED
        best, finished = -np.inf, True
        for i in range(count):
            space.counts[NODES] = 0
            finished = action_worth(
                space, weights.root, seat, weights.actions[i], depth, weights.extend, weights.samples, weights.leaf,
                scratch.sign,
            )  # fmt: skip
            if not finished:
                break
            if space.values[0, seat] > best:
                best = space.values[0, seat]
                chosen = i
        if finished:
            break
    rng[0] = weights.leaf.rng[0]
    return weights.actions[chosen]
