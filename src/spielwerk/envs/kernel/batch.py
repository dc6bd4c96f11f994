"""Many matches of one learner each, advanced in one call: opponents and chance act until the learner decides again.

The streams are those of `core.match`: the n-th chance event of a match has (seed, 0, n), the opponent on seat k has
(seed, 1 + k). A random action in place of an illegal one comes from the learner's own stream. So a match is the same
as that of `play` with the same decisions.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.kernel.contract import actors, apply, chance, features, hide, legal, score
from spielwerk.core.kernel.loops import rule
from spielwerk.core.kernel.objective import win
from spielwerk.core.kernel.rng import below, branch, mix
from spielwerk.core.linker import kernel, stub
from spielwerk.search.kernel.net import WIN, standing_of

MATCHES = 0x4D00  # the stream of the seeds of later matches
SHORT = 11  # bits taken off such a seed, so that every language reads it as a whole number
TRIES = 200  # matches in a row in which the learner was never asked
RANDOM, END, PENALTY = 0, 1, 2  # what an illegal action does
ROTATE = -1


Line = np.dtype(
    [
        ("seed", np.uint64),  # of the environment
        ("match_seed", np.uint64),
        ("chance_key", np.uint64),
        ("final_seed", np.uint64),  # of the match that ended; so it is with all that is called final
        ("number", np.int64),  # of the match in its environment, from 0 on; -1 = none yet
        ("events", np.int64),  # chance events so far
        ("seat", np.int64),  # where the learner sits
        ("final_seat", np.int64),
        ("given", np.float64),  # what rewards have been given for
        ("final_share", np.float64),  # the learner's share of the win
        ("reward", np.float32),
        ("begun", np.uint8),  # whether a match is played; else the next step begins one
        ("ended", np.uint8),  # whether a match ended with this step; the row is in its next match already
        ("illegal", np.uint8),  # whether the action was illegal
        ("gap", np.uint8),
    ]
)


class Rows(NamedTuple):
    """One row per match."""

    lines: Any  # [n] of Line: what is known of every row
    states: Any  # [n]
    finals: Any  # [n] the last states of the matches that ended
    rngs: NDArray[np.uint64]  # [n, seats, 1] of the seats
    masks: NDArray[np.bool_]  # [n, actions] what the learner may do
    final_scores: NDArray[np.float64]  # [n, seats]


class Play(NamedTuple):
    """How the matches are played, and room to play in."""

    opening: Any  # [1] the table before anything has happened
    slots: NDArray[np.int64]  # [seats] the numbers of the opponents' policies, from the learner's left on; the last is
    # of who decides in the learner's place where it is not asked
    weights: Any  # of the policies, nested
    scratch: Any
    views: Any  # [1] what a seat may know
    rng: NDArray[np.uint64]
    seat: int  # of the learner; or ROTATE
    unit: int  # what rewards count
    at_end: bool  # whether rewards come at the end only
    scale: float
    illegal: int  # RANDOM, END or PENALTY
    penalty: float
    ask_forced: bool  # whether the learner is asked if it has no choice
    first_asked: int  # it is asked where it may choose among actions from this one on
    last_asked: int  # up to this one


@stub
def opponent(rows, row, seat, play):
    """The action of another seat than the learner's, or of the learner's where it is not asked."""


@kernel
def slot_of(seat, learner, seats):
    return (seat - learner - 1 + seats) % seats


@kernel
def opponent_openly(rows, row, seat, play):
    slot = play.slots[slot_of(seat, rows.lines[row].seat, rows.rngs.shape[1])]
    return rule(rows.states[row], seat, slot, play.weights, play.scratch, rows.rngs[row, seat])


@kernel
def opponent_by_view(rows, row, seat, play):
    play.views[0] = rows.states[row]
    hide(play.views[0], seat)
    slot = play.slots[slot_of(seat, rows.lines[row].seat, rows.rngs.shape[1])]
    return rule(play.views[0], seat, slot, play.weights, play.scratch, rows.rngs[row, seat])


# --- a match ---------------------------------------------------------------------------------------------------------


@kernel
def seed_of_match(seed, number, rng):
    """The seed of a match: that of the environment for the first, then words below it."""
    if number == 0:
        return seed
    branch(mix(seed), MATCHES, rng)
    branch(rng[0], number, rng)
    return rng[0] >> np.uint64(SHORT)


@kernel
def begin(rows, row, play):
    """Set up the next match of a row."""
    seats = rows.rngs.shape[1]
    line = rows.lines[row]
    line.number += 1
    line.match_seed = seed_of_match(line.seed, line.number, play.rng)
    line.seat = play.seat
    if play.seat == ROTATE:
        line.seat = (np.int64(line.seed % np.uint64(seats)) + line.number) % seats
    key = mix(line.match_seed)
    branch(key, 0, play.rng)
    line.chance_key = play.rng[0]
    for seat in range(seats):
        branch(key, 1 + seat, rows.rngs[row, seat])
    line.events = 0
    line.given = 0.0
    line.begun = 1
    rows.states[row] = play.opening[0]


@kernel
def advance(rows, row, action, play):
    """Play on after the learner's `action` (-1: it was not asked) until it is asked again, and write what it may do;
    returns whether the match is over instead."""
    s = rows.states[row]
    line = rows.lines[row]
    learner = line.seat
    joint = play.scratch.joint
    own = action
    while True:
        who = actors(s)
        if who < 0:
            return True
        if who == 0:
            branch(line.chance_key, line.events, play.rng)
            line.events += 1
            chance(s, play.rng)
            continue
        decides = (who >> learner) & 1
        if decides and own < 0:
            count = legal(s, learner, play.scratch.actions)
            lowest, highest = play.scratch.actions[0], play.scratch.actions[count - 1]
            if lowest > play.last_asked or highest < play.first_asked:
                own = np.int64(opponent(rows, row, learner, play))
            elif play.ask_forced or count > 1:
                for other in range(rows.masks.shape[1]):
                    rows.masks[row, other] = False
                for i in range(count):
                    rows.masks[row, play.scratch.actions[i]] = True
                return False
            else:
                own = play.scratch.actions[0]
        for seat in range(joint.shape[0]):
            if seat != learner and (who >> seat) & 1:
                joint[seat] = opponent(rows, row, seat, play)
        if decides:
            joint[learner] = own
            own = np.int64(-1)
        apply(s, joint)


@kernel
def finish(rows, row, play):
    """Keep what is left of a match."""
    s = rows.states[row]
    line = rows.lines[row]
    line.ended = 1
    rows.finals[row] = s
    score(s, rows.final_scores[row])
    shares = play.scratch.numbers[: rows.rngs.shape[1]]
    win(s, 1.0, shares)
    line.final_share = shares[line.seat]
    line.final_seed = line.match_seed
    line.final_seat = line.seat


@kernel
def reward(rows, row, play):
    """What the learner has gained since its last decision, or has at the end."""
    line = rows.lines[row]
    if play.at_end and line.ended == 0:
        return 0.0
    if play.unit == WIN:
        return line.final_share / play.scale
    now = standing_of(rows.states[row], line.seat, play.unit, play.scratch)
    gained = now - line.given
    line.given = now
    return gained / play.scale


@kernel
def nth_legal(mask, rng):
    """Any legal action, each equally likely."""
    count = 0
    for action in range(mask.shape[0]):
        count += mask[action]
    left = below(rng, count)
    for action in range(mask.shape[0]):
        if mask[action]:
            if left == 0:
                return action
            left -= 1
    return -1


# --- entries ---------------------------------------------------------------------------------------------------------


@kernel
def step_rows(rows, first, last, actions, play):
    """One step of the rows first … last - 1; in rows that have not begun a match begins. Returns how many found no
    match in which the learner is asked."""
    lost = 0
    for row in range(first, last):
        line = rows.lines[row]
        line.reward = 0.0
        line.ended = 0
        line.illegal = 0
        asked = line.begun == 1
        spoiled = False
        action = np.int64(-1)
        if asked:
            action = actions[row]
            if not (0 <= action < rows.masks.shape[1] and rows.masks[row, action]):
                line.illegal = 1
                if play.illegal == PENALTY:
                    line.reward = -play.penalty
                    continue
                spoiled = play.illegal == END
                action = np.int64(nth_legal(rows.masks[row], rows.rngs[row, line.seat]))
        tries = 0
        while True:
            if line.begun == 0:
                begin(rows, row, play)
            over = spoiled or advance(rows, row, action, play)
            if asked:
                if over:
                    finish(rows, row, play)
                line.reward = -play.penalty if spoiled else reward(rows, row, play)
            elif over:
                tries += 1
            if not over or tries == TRIES:
                break
            line.begun = 0
            asked = False
            spoiled = False
            action = np.int64(-1)
        lost += tries == TRIES
    return lost


@kernel
def observe_openly(states, seats, wanted, first, last, views, out):
    """What the learner knows in the rows first … last - 1, where that is wanted, if nothing is hidden."""
    for row in range(first, last):
        if wanted[row]:
            features(states[row], seats[row], out[row])


@kernel
def observe_by_view(states, seats, wanted, first, last, views, out):
    """The same where something is hidden."""
    for row in range(first, last):
        if wanted[row]:
            views[0] = states[row]
            hide(views[0], seats[row])
            features(views[0], seats[row], out[row])


@kernel
def random_actions(masks, rngs, out):
    """Any legal action of every row."""
    for row in range(masks.shape[0]):
        out[row] = nth_legal(masks[row], rngs[row])
