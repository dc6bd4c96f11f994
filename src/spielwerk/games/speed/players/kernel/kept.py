"""DommeAI with a search tree that is kept between rounds, compiled: the outlook of the study (6.1).

The heads of all levels are stored, as in the study's queue; a head knows the one before it, which is enough to draw its
trail again. In the next round the tree under the move that was made is copied, level by level, without the heads that
the new board makes impossible, and goes on where it stopped. A level holds the children of its heads in the order of
their parents, so that old and new levels can be walked side by side.

The tree is one of the plain board, because what enemies may cover is another set of cells in every round: a head that
only they could make impossible is kept and marked (`TOUCHED`), it and what is below it does not count, and nothing is
added below it until a round comes in which it is free. So values are those of a new search of the same depth.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.instructions import SELDOM, stopped
from spielwerk.core.linker import kernel, outlined
from spielwerk.games.speed.kernel.rules import CHANGE_NOTHING, FASTEST, JUMP_FROM
from spielwerk.games.speed.players.kernel.board import FREE, PLANNED, STEP, THREATENED
from spielwerk.games.speed.players.kernel.dommeai import (
    ANEW,
    CUT,
    DEAD_END,
    DEPTH,
    ENEMY_BOARD,
    KEPT,
    MOST_LEVELS,
    NUMBER,
    UNLIMITED,
    add_up,
    best_move,
    finish_level,
    leads_out,
    prepare,
)
from spielwerk.games.speed.players.kernel.plans import (
    DIRECTION,
    FASTER,
    MOVES,
    PACE,
    PLACE,
    TURN,
    draw_plan,
    jump_round,
    moves_from,
)

EXPANDED = 64  # bit of Tree.way: the next level holds the head's children
TOUCHED = 8  # bit of Tree.mark: enemies may cover a cell of the way there in this round
NOTHING = -1  # Tree.was: the head is new
WHOLE, MISSING, BROKEN_OFF = 0, 1, 2  # what became of a level
NO, YES, UNLESS_COVERED = 0, 1, 2  # whether a move is possible; the last: unless an enemy covers a cell of it now


class Tree(NamedTuple):
    """Heads, level by level; the root is level 0 and number 0."""

    place: NDArray[np.int16]  # [most] where a head is
    way: NDArray[np.uint8]  # [most] its direction, 4 times its speed, EXPANDED
    parent: NDArray[np.int32]  # [most] the head before it
    was: NDArray[np.int32]  # [most] its number in the tree of the round before
    mark: NDArray[np.uint8]  # [most] its first move, TOUCHED
    starts: NDArray[np.int64]  # [levels + 3] the first number of every level; behind the last: how many heads there are
    trail: NDArray[np.int64]  # [levels + 1] the heads whose moves are drawn on the board
    wanted: NDArray[np.int64]  # [levels + 1] those that are to be drawn


def new_tree(most: int) -> Tree:
    return Tree(
        np.empty(most, np.int16), np.empty(most, np.uint8), np.empty(most, np.int32), np.empty(most, np.int32),
        np.empty(most, np.uint8), np.zeros(MOST_LEVELS + 3, np.int64), np.zeros(MOST_LEVELS + 1, np.int64),
        np.zeros(MOST_LEVELS + 1, np.int64),
    )  # fmt: skip


@kernel
def choose_keeping(states, seat, settings, old, old_root, tree, sign):
    """As `choose`, with the tree under head `old_root` of level 1 of the old tree; NOTHING: there is none."""
    space = settings.space
    if prepare(states[0], seat, settings) == 0:
        return CHANGE_NOTHING
    grow(space, settings, old, old_root, tree, sign)
    add_up(space, settings)
    return best_move(space)


@outlined
def grow(space, settings, old, old_root, tree, sign):
    """Copy what is left of the old tree and add levels until the limits. A level that was cut short is kept, too, and
    so is what the old tree holds below it."""
    facts, frames, starts = space.facts, space.frames, tree.starts
    tree.place[0] = frames[0, PLACE]
    tree.way[0] = frames[0, DIRECTION] + 4 * frames[0, PACE]
    tree.was[0] = old_root
    tree.mark[0] = 0
    starts[0] = 0
    for level in range(1, starts.shape[0]):
        starts[level] = 1
    for level in range(MOST_LEVELS):
        if facts[CUT]:
            if old_root == NOTHING or old.starts[level + 2] == old.starts[level + 3]:
                return  # there is nothing to copy
        elif facts[DEPTH] == settings.levels:
            return
        limit = settings.nodes if level >= settings.least else UNLIMITED
        made = next_level(space, settings, old, old_root, tree, level, -1 if facts[CUT] else limit, sign)
        if made == WHOLE and not facts[CUT]:
            if not finish_level(space, settings):
                return
        else:
            facts[CUT] = 1
        if made == BROKEN_OFF:
            return


@kernel
def next_level(space, settings, old, old_root, tree, level, limit, sign):
    """Copy or make the children of all heads of a level, as long as no more than `limit` heads are new. Says whether
    children are missing, or the sign was set or the tree is full."""
    board, facts, starts, mark = space.board, space.facts, tree.starts, tree.mark
    jumping = jump_round(facts[NUMBER] + level)
    child, last = np.int64(0), np.int64(0)
    if old_root != NOTHING:
        child, last = old.starts[level + 2], old.starts[level + 3]
    for move in range(MOVES):
        space.counts[level, move] = 0
    drawn, made, looks = 0, WHOLE, 0
    for head in range(starts[level], starts[level + 1]):
        looks += 1
        if level >= settings.least and looks & SELDOM == 1 and stopped(sign):
            made = BROKEN_OFF
        if starts[level + 2] + MOVES > tree.place.shape[0]:
            made = BROKEN_OFF
        if made == BROKEN_OFF:
            break
        before = np.int64(tree.was[head])
        if before != NOTHING and old.way[before] & EXPANDED:
            while child < last and old.parent[child] < before:
                child += 1
            while child < last and old.parent[child] == before:
                place, way = np.int64(old.place[child]), np.int64(old.way[child]) & 63
                found = fits(board, place, way, jumping, PLANNED)  # a trail that is drawn is another head's
                if found != NO:
                    put(space, settings, tree, level, head, place, way, child, found == UNLESS_COVERED)
                child += 1
        elif mark[head] & TOUCHED:
            continue
        elif facts[ANEW] > limit:
            made = MISSING
            continue
        else:
            drawn = draw_trail(space, tree, level, head, drawn)
            branch_out(space, settings, tree, level, head, jumping)
            if facts[ANEW] > limit:
                made = MISSING
        tree.way[head] |= EXPANDED
    draw_trail(space, tree, 0, 0, drawn)
    close_levels(tree, level)
    return made


@kernel
def close_levels(tree, level):
    for later in range(level + 3, tree.starts.shape[0]):
        tree.starts[later] = tree.starts[level + 2]


@kernel
def fits(board, place, way, jumping, passable):
    """Whether the move that ends there is possible; cells that hold `passable` are no obstacle either."""
    step, speed = STEP[way & 3], way >> 2
    found = YES
    for cell in range(speed):
        if jumping and speed >= JUMP_FROM and 0 < cell < speed - 1:
            continue
        here = board[place - cell * step]
        if here == THREATENED:
            found = UNLESS_COVERED
        elif here != FREE and here != passable:
            return NO
    return found


@kernel
def branch_out(space, settings, tree, level, head, jumping):
    """Add the children of a head whose trail is on the board."""
    board, facts = space.board, space.facts
    place, way = np.int64(tree.place[head]), np.int64(tree.way[head]) & 63
    direction, speed = way & 3, way >> 2
    moves = moves_from(board, place, direction, speed, jumping)
    for move in range(MOVES):
        new_direction, new_speed = (direction + TURN[move]) & 3, speed + FASTER[move]
        end, new_way = place + new_speed * STEP[new_direction], new_direction + 4 * new_speed
        if (moves >> move) & 1:
            put(space, settings, tree, level, head, end, new_way, np.int64(NOTHING), False)
            facts[ANEW] += 1
            continue
        possible = facts[ENEMY_BOARD] == 1 and 1 <= new_speed <= FASTEST
        if possible and fits(board, end, new_way, jumping, FREE) == UNLESS_COVERED:
            put(space, settings, tree, level, head, end, new_way, np.int64(NOTHING), True)


@kernel
def put(space, settings, tree, level, head, place, way, before, touched):
    """Add a child, and count it if enemies cannot cover its way."""
    facts = space.facts
    at = tree.starts[level + 2]
    tree.starts[level + 2] = at + 1
    first = np.int64(tree.mark[head]) & 7 if level > 0 else first_move(np.int64(tree.way[0]) & 63, way)
    tree.place[at] = place
    tree.way[at] = way
    tree.parent[at] = head
    tree.was[at] = before
    if touched or tree.mark[head] & TOUCHED:
        tree.mark[at] = first | TOUCHED
        return
    tree.mark[at] = first
    space.counts[level, first] += 1
    if before != NOTHING:
        facts[KEPT] += 1
    looking = facts[DEAD_END] == 1 and space.escapes[first] == 0 and jump_round(facts[NUMBER] + level)
    speed = way >> 2
    if looking and speed >= JUMP_FROM and leads_out(space.board, place, way & 3, speed, settings.dead_end_limit):
        space.escapes[first] = 2


@kernel
def first_move(root, way):
    """The move that leads from the way of the root to that of its child."""
    for move in range(MOVES):
        if ((root + TURN[move]) & 3) + 4 * ((root >> 2) + FASTER[move]) == way:
            return move
    return 0


@kernel
def draw_trail(space, tree, level, head, drawn):
    """Put the trail of a head of this level on the board, where that of a head of level `drawn` is; returns its
    level. Level 0 has no trail."""
    trail, wanted = tree.trail, tree.wanted
    shared = level
    while shared > 0 and (shared > drawn or trail[shared] != head):
        wanted[shared] = head
        head = np.int64(tree.parent[head])
        shared -= 1
    for step in range(drawn, shared, -1):
        draw_head(space, tree, trail[step], step, FREE)
    for step in range(shared + 1, level + 1):
        trail[step] = wanted[step]
        draw_head(space, tree, trail[step], step, PLANNED)
    return level


@kernel
def draw_head(space, tree, head, level, mark):
    """Draw the last move of a head, or wipe it."""
    way = np.int64(tree.way[head]) & 63
    jumping = jump_round(space.facts[NUMBER] + level - 1)
    draw_plan(space.board, np.int64(tree.place[head]), way & 3, way >> 2, jumping, mark)
