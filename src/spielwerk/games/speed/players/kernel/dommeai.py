"""DommeAI, compiled: count for every first move the sequences of own moves that survive, level by level.

As the study does it (Huster, Kollmeier and Schulte 2021, chapter 2): a sequence of n moves is worth gamma^(n - 1) to
its first move. Only levels that were finished count, and a first move that does not reach the deepest of them is worth
-1. The board of the search holds what enemies may cover in this round, blocked for good; if no first move survives
there, the plain board is taken. Enemies are not moved further.

The study keeps the heads of a level in a queue. Here a level is counted by walking all sequences of its length anew
with one trail that is drawn and wiped again: the same numbers without any memory, for about a quarter more work. That
the walk is the queue's count is tested (tests/test_speed_dommeai.py). The study's order of moves decides
between equal values: speed_up, slow_down, change_nothing, turn_left, turn_right.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.instructions import SELDOM, stopped
from spielwerk.core.linker import kernel, outlined
from spielwerk.games.speed.kernel.rules import CHANGE_NOTHING, JUMP_FROM
from spielwerk.games.speed.players.kernel.board import (
    FREE,
    PLACES,
    PLANNED,
    STEP,
    draw_threats,
    lay_out,
    nearest_enemy,
    over_a_trail,
    place_of,
    t_distance,
    wipe_threats,
)
from spielwerk.games.speed.players.kernel.plans import (
    ACTION_OF,
    DIRECTION,
    FASTER,
    FRAME,
    LEFT_OVER,
    LOWEST,
    MOVES,
    PACE,
    PLACE,
    SIZE,
    draw_frame,
    drive,
    jump_round,
    moves_from,
)

MOST_LEVELS = 64
UNLIMITED = 1 << 62
DEPTH, NODES, ROOM, DEAD_END, SAFE_ZONE, ENEMY_BOARD, NUMBER, CUT, KEPT, ANEW = range(10)  # places in Space.facts
FACTS = 10


class Space(NamedTuple):
    """The work space of one search, and where it leaves its answer."""

    board: NDArray[np.uint8]  # [PLACES]
    frames: NDArray[np.int64]  # [levels + 1, FRAME] where the walk stands
    counts: NDArray[np.int64]  # [levels, moves] sequences that survive, by length and first move
    escapes: NDArray[np.uint8]  # [moves] whether a first move leads to a jump out of a dead end
    values: NDArray[np.float64]  # [moves] the answer
    facts: NDArray[np.int64]  # [FACTS] completed levels, sequences found, T-distance, is it a dead end, is it a safe
    # zone, were the enemies' moves blocked, number of the round, was a level cut short, and with a tree that is kept:
    # sequences that it held already, sequences that are new


class Settings(NamedTuple):
    """The options of the agent."""

    levels: int
    nodes: int  # most sequences that are found
    least: int  # levels that are finished whatever the sign says
    gamma: float
    enemy_board: bool
    dead_end: bool
    dead_end_limit: int
    dead_end_bias: float
    safe_zone: bool
    safe_zone_limit: int
    safe_zone_distance: int
    safe_zone_bias: float
    whole_value: bool  # whether a safe zone changes the whole value of a move, or only its first level
    space: Space


def new_space(levels: int = MOST_LEVELS) -> Space:
    return Space(
        np.zeros(PLACES, np.uint8),
        np.zeros((levels + 1, FRAME), np.int64),
        np.zeros((levels, MOVES), np.int64),
        np.zeros(MOVES, np.uint8),
        np.zeros(MOVES),
        np.zeros(FACTS, np.int64),
    )


@outlined
def dommeai_policy(s, seat, weights, scratch, rng):
    return choose(s, seat, weights, scratch.sign)


@kernel
def choose_at(states, seat, settings, sign):
    return choose(states[0], seat, settings, sign)


@kernel
def choose(s, seat, settings, sign):
    """The move with the greatest value; change_nothing if none survives. Values and facts are left in the space."""
    space = settings.space
    moves = prepare(s, seat, settings)
    if moves == 0:
        return CHANGE_NOTHING
    while space.facts[DEPTH] < settings.levels:
        if not count_level(space, settings, space.facts[DEPTH] + 1, sign):
            space.facts[CUT] = 1
            break
        if not finish_level(space, settings):
            break
    add_up(space, settings)
    return best_move(space)


# --- the beginning and the end of a decision --------------------------------------------------------------------------


@kernel
def prepare(s, seat, settings):
    """Draw the board, see what kind of place this is, and count the first level; returns the moves that survive it."""
    space = settings.space
    board, facts, root = space.board, space.facts, space.frames[0]
    for fact in range(FACTS):
        facts[fact] = 0
    for move in range(MOVES):
        space.values[move] = -1.0
        space.escapes[move] = 0
    lay_out(s, board)
    if settings.enemy_board:
        draw_threats(s, seat, board)
        facts[ENEMY_BOARD] = 1
    root[PLACE] = place_of(s.x[seat], s.y[seat])
    root[DIRECTION] = s.direction[seat]
    root[PACE] = s.speed[seat]
    facts[NUMBER] = np.int64(s.rounds) + 1
    facts[ROOM] = t_distance(board, root[PLACE], root[DIRECTION])
    if settings.dead_end and facts[ROOM] < settings.dead_end_limit:
        facts[DEAD_END] = 1
    if settings.safe_zone and facts[ROOM] > settings.safe_zone_limit:
        facts[SAFE_ZONE] = 1 if nearest_enemy(s, seat) > settings.safe_zone_distance else 0
    moves = moves_from(board, root[PLACE], root[DIRECTION], root[PACE], jump_round(facts[NUMBER]))
    if moves == 0 and settings.enemy_board:
        wipe_threats(s, board)
        facts[ENEMY_BOARD] = 0
        moves = moves_from(board, root[PLACE], root[DIRECTION], root[PACE], jump_round(facts[NUMBER]))
    return moves


@kernel
def finish_level(space, settings):
    """Take a level that was counted to its end into account; returns whether anybody survives it."""
    facts = space.facts
    found = 0
    for move in range(MOVES):
        found += space.counts[facts[DEPTH], move]
    facts[NODES] += found
    for move in range(MOVES):
        if space.escapes[move] == 2:
            space.escapes[move] = 1
    if found > 0:
        facts[DEPTH] += 1
    return found > 0


@kernel
def add_up(space, settings):
    """The value of every first move from the levels that were finished."""
    counts, facts, values = space.counts, space.facts, space.values
    for move in range(MOVES):
        if counts[facts[DEPTH] - 1, move] == 0:
            values[move] = -1.0
            continue
        factor = 1.0
        if facts[SAFE_ZONE] and FASTER[move] != 0:
            factor -= settings.safe_zone_bias * FASTER[move]
        total, weight = 0.0, 1.0
        for level in range(facts[DEPTH]):
            total += counts[level, move] * weight * (factor if level == 0 or settings.whole_value else 1.0)
            weight *= settings.gamma
        values[move] = total + (settings.dead_end_bias if space.escapes[move] == 1 else 0.0)


@kernel
def best_move(space):
    best = 0
    for move in range(1, MOVES):
        if space.values[move] > space.values[best]:
            best = move
    return ACTION_OF[best]


# --- looking ahead ----------------------------------------------------------------------------------------------------


@outlined
def count_level(space, settings, length, sign):
    """Count the sequences of so many moves; returns whether it came to the end before the limits. All shorter ones
    have been counted."""
    board, frames, counts = space.board, space.frames, space.counts
    number = space.facts[NUMBER]
    found, limit = 0, settings.nodes - space.facts[NODES]
    looking = space.facts[DEAD_END] == 1 and jump_round(number + length - 1)
    heeding = length > settings.least
    if heeding and stopped(sign):
        return False
    for move in range(MOVES):
        counts[length - 1, move] = 0
    level, first, looks = 0, 0, 0
    frames[0, LEFT_OVER] = moves_from(
        board, frames[0, PLACE], frames[0, DIRECTION], frames[0, PACE], jump_round(number)
    )
    while True:
        moves = frames[level, LEFT_OVER]
        if level == length - 1:  # the last moves are counted, not driven
            if level == 0:
                for move in range(MOVES):
                    counts[0, move] = (moves >> move) & 1
                    if looking and counts[0, move]:
                        look_for_escape(space, settings, 0, 1 << move, move)
                return True
            counts[level, first] += SIZE[moves]
            found += SIZE[moves]
            if found > limit and heeding:
                break
            if looking and space.escapes[first] == 0:
                look_for_escape(space, settings, level, moves, first)
            moves = 0
        if moves == 0:
            if level == 0:
                return True
            draw_frame(board, frames[level], jump_round(number + level - 1), FREE)
            level -= 1
            continue
        move = LOWEST[moves]
        frames[level, LEFT_OVER] = moves & (moves - 1)
        if level == 0:
            first = move
        drive(frames, level, move)
        draw_frame(board, frames[level + 1], jump_round(number + level), PLANNED)
        level += 1
        frames[level, LEFT_OVER] = moves_from(
            board, frames[level, PLACE], frames[level, DIRECTION], frames[level, PACE], jump_round(number + level)
        )
        looks += 1
        if heeding and looks & SELDOM == SELDOM and stopped(sign):
            break
    while level > 0:  # what was begun does not count
        draw_frame(board, frames[level], jump_round(number + level - 1), FREE)
        level -= 1
    return False


@outlined
def look_for_escape(space, settings, level, moves, first):
    """Note whether one of these jumps leads over a trail out of the dead end; 2: in a level that is not finished."""
    frames = space.frames
    while moves and space.escapes[first] == 0:
        move = LOWEST[moves]
        moves &= moves - 1
        drive(frames, level, move)
        end = frames[level + 1]
        if end[PACE] < JUMP_FROM:
            continue
        if leads_out(space.board, end[PLACE], end[DIRECTION], end[PACE], settings.dead_end_limit):
            space.escapes[first] = 2


@kernel
def leads_out(board, place, direction, speed, limit):
    """Whether the jump that lands there went over a trail, and the place is no dead end."""
    step = STEP[direction]
    return over_a_trail(board, place - speed * step, step, speed) and t_distance(board, place, direction) >= limit
