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
TRIES = 1000  # matches in a row in which the learner was never asked
RANDOM, END, PENALTY = 0, 1, 2  # what an illegal action does
ROTATE = -1


class Rows(NamedTuple):
    """One row per match."""

    states: Any  # [n]
    seeds: NDArray[np.uint64]  # [n] of the environment
    numbers: NDArray[np.int64]  # [n] of the match in its environment, from 0 on; -1 = none yet
    match_seeds: NDArray[np.uint64]  # [n]
    chance_keys: NDArray[np.uint64]  # [n]
    events: NDArray[np.int64]  # [n] chance events so far
    rngs: NDArray[np.uint64]  # [n, seats, 1] of the seats
    seats: NDArray[np.int64]  # [n] where the learner sits
    begun: NDArray[np.bool_]  # [n] whether a match is played; else the next step begins one
    given: NDArray[np.float64]  # [n] what rewards have been given for
    masks: NDArray[np.bool_]  # [n, actions]
    rewards: NDArray[np.float32]  # [n]
    ended: NDArray[np.bool_]  # [n] whether a match ended with this step; the row is in its next match already
    illegal: NDArray[np.bool_]  # [n] whether the action was illegal
    finals: Any  # [n] the last states of the matches that ended
    final_scores: NDArray[np.float64]  # [n, seats] their points
    final_shares: NDArray[np.float64]  # [n] the learner's shares of the wins
    final_seeds: NDArray[np.uint64]  # [n] their seeds
    final_seats: NDArray[np.int64]  # [n] where the learner sat


class Play(NamedTuple):
    """How the matches are played, and room to play in."""

    opening: Any  # [1] the table before anything has happened
    slots: NDArray[np.int64]  # [seats - 1] the numbers of the opponents' policies, from the learner's left on
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


@stub
def opponent(rows, row, seat, play):
    """The action of another seat than the learner's."""


@kernel
def slot_of(seat, learner, seats):
    return (seat - learner - 1 + seats) % seats


@kernel
def opponent_openly(rows, row, seat, play):
    slot = play.slots[slot_of(seat, rows.seats[row], rows.rngs.shape[1])]
    return rule(rows.states[row], seat, slot, play.weights, play.scratch, rows.rngs[row, seat])


@kernel
def opponent_by_view(rows, row, seat, play):
    play.views[0] = rows.states[row]
    hide(play.views[0], seat)
    slot = play.slots[slot_of(seat, rows.seats[row], rows.rngs.shape[1])]
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
    number = rows.numbers[row] + 1
    rows.numbers[row] = number
    seed = seed_of_match(rows.seeds[row], number, play.rng)
    rows.match_seeds[row] = seed
    rows.seats[row] = play.seat
    if play.seat == ROTATE:
        rows.seats[row] = (np.int64(rows.seeds[row] % np.uint64(seats)) + number) % seats
    key = mix(seed)
    branch(key, 0, play.rng)
    rows.chance_keys[row] = play.rng[0]
    for seat in range(seats):
        branch(key, 1 + seat, rows.rngs[row, seat])
    rows.events[row] = 0
    rows.given[row] = 0.0
    rows.begun[row] = True
    rows.states[row] = play.opening[0]


@kernel
def advance(rows, row, action, play):
    """Play on after the learner's `action` (-1: it was not asked) until it is asked again, and write what it may do;
    returns whether the match is over instead."""
    s = rows.states[row]
    learner = rows.seats[row]
    joint = play.scratch.joint
    own = action
    while True:
        who = actors(s)
        if who < 0:
            return True
        if who == 0:
            branch(rows.chance_keys[row], rows.events[row], play.rng)
            rows.events[row] += 1
            chance(s, play.rng)
            continue
        decides = (who >> learner) & 1
        if decides and own < 0:
            count = legal(s, learner, play.scratch.actions)
            if play.ask_forced or count > 1:
                for other in range(rows.masks.shape[1]):
                    rows.masks[row, other] = False
                for i in range(count):
                    rows.masks[row, play.scratch.actions[i]] = True
                return False
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
    rows.ended[row] = True
    rows.finals[row] = s
    score(s, rows.final_scores[row])
    shares = play.scratch.numbers[: rows.rngs.shape[1]]
    win(s, 1.0, shares)
    rows.final_shares[row] = shares[rows.seats[row]]
    rows.final_seeds[row] = rows.match_seeds[row]
    rows.final_seats[row] = rows.seats[row]


@kernel
def reward(rows, row, play):
    """What the learner has gained since its last decision, or has at the end."""
    if play.at_end and not rows.ended[row]:
        return 0.0
    if play.unit == WIN:
        return rows.final_shares[row] / play.scale
    now = standing_of(rows.states[row], rows.seats[row], play.unit, play.scratch)
    gained = now - rows.given[row]
    rows.given[row] = now
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
        rows.rewards[row] = 0.0
        rows.ended[row] = False
        rows.illegal[row] = False
        asked = rows.begun[row]
        spoiled = False
        action = np.int64(-1)
        if asked:
            action = actions[row]
            if not (0 <= action < rows.masks.shape[1] and rows.masks[row, action]):
                rows.illegal[row] = True
                if play.illegal == PENALTY:
                    rows.rewards[row] = -play.penalty
                    continue
                spoiled = play.illegal == END
                action = np.int64(nth_legal(rows.masks[row], rows.rngs[row, rows.seats[row]]))
        tries = 0
        while True:
            if not rows.begun[row]:
                begin(rows, row, play)
            over = spoiled or advance(rows, row, action, play)
            if asked:
                if over:
                    finish(rows, row, play)
                rows.rewards[row] = -play.penalty if spoiled else reward(rows, row, play)
            elif over:
                tries += 1
            if not over or tries == TRIES:
                break
            rows.begun[row] = False
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
