"""Decisions to learn from, made in compiled code: whole matches, and of every real choice what the seat saw, what it
was allowed to do, what the teacher did, and what came of it.

The streams are those of `core.running`: the n-th chance event has (seed, 0, n), seat k has (seed, 1 + k). Moves that
are played at random instead of the teacher's come from (seed, NOISE).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.kernel.contract import actors, apply, chance, features, hide, legal
from spielwerk.core.kernel.loops import rule
from spielwerk.core.kernel.objective import win
from spielwerk.core.kernel.rng import below, branch, mix, uniform
from spielwerk.core.linker import kernel
from spielwerk.search.kernel.net import WIN, standing_of

NOISE = 0x4E4F  # beyond the numbers of seats
TEACHER = 0  # the slot of the teacher among the policies


class Sheet(NamedTuple):
    """Where decisions are written; one row each."""

    inputs: NDArray[np.float32]  # [rows, inputs] what the seat saw
    legal: NDArray[np.uint8]  # [rows, actions] 1 = allowed, of the actions that are learned
    action: NDArray[np.int64]  # [rows] what the teacher did, counted from the first action that is learned
    seat: NDArray[np.int64]  # [rows]
    match: NDArray[np.int64]  # [rows] number of the match, in the order of seeds
    worth: NDArray[np.float64]  # [rows] what came of it, in the unit that is asked for
    forced: NDArray[np.int64]  # [matches] decisions of the teacher without a choice, which are not written
    lengths: NDArray[np.int64]  # [matches] decisions of the teacher with a choice


class Wish(NamedTuple):
    """What is to be written."""

    first: int  # the first action that is learned
    noise: float  # share of the teacher's moves that are played at random; what is written stays the teacher's
    unit: int  # of the worth: points, lead or win, as in search.kernel.net
    forced: bool  # whether decisions without a choice are written, too


@kernel
def decisions_of_match(states, number, seating, wish, chance_key, noise_rng, sheet, filled):
    """Play states[number] to the end and write the teacher's decisions from row `filled` on; returns how many there
    were. What does not fit is counted, not written."""
    s = states[number]
    view = seating.views
    joint, actions = seating.scratch.joint, seating.scratch.actions
    events, rows = 0, 0
    room = sheet.action.shape[0]
    known = sheet.legal.shape[1]
    while True:
        who = actors(s)
        if who < 0:
            return rows
        if who == 0:
            branch(chance_key, events, seating.rng)
            events += 1
            chance(s, seating.rng)
            continue
        for seat in range(joint.shape[0]):
            if (who >> seat) & 1 == 0:
                continue
            view[0] = s
            hide(view[0], seat)
            slot = seating.slots[number, seat]
            count = legal(view[0], seat, actions)
            chosen = actions[0]
            if count > 1:
                chosen = rule(view[0], seat, slot, seating.weights, seating.scratch, seating.rngs[seat])
            joint[seat] = chosen
            if slot != TEACHER:
                continue
            place = chosen - wish.first
            count = legal(view[0], seat, actions)
            if 0 <= place < known:
                if count == 1 and not wish.forced:
                    sheet.forced[number] += 1
                else:
                    row = filled + rows
                    rows += 1
                    if row < room:
                        features(view[0], seat, sheet.inputs[row])
                        for action in range(known):
                            sheet.legal[row, action] = 0
                        for i in range(count):
                            if 0 <= actions[i] - wish.first < known:
                                sheet.legal[row, actions[i] - wish.first] = 1
                        sheet.action[row] = place
                        sheet.seat[row] = seat
                        sheet.match[row] = number
                        sheet.worth[row] = standing_of(s, seat, wish.unit, seating.scratch)
            if count > 1 and wish.noise > 0.0 and uniform(noise_rng) < wish.noise:
                count = legal(view[0], seat, actions)
                joint[seat] = actions[below(noise_rng, count)]
        apply(s, joint)


@kernel
def settle_worth(s, wish, scratch, sheet, begin, end):
    """The match is over: what came of every decision is what the standing grew by, or the share of the win."""
    if wish.unit == WIN:
        shares = scratch.numbers[: scratch.joint.shape[0]]
        win(s, 1.0, shares)
        for row in range(begin, end):
            sheet.worth[row] = shares[sheet.seat[row]]
        return
    for row in range(begin, end):
        sheet.worth[row] = standing_of(s, sheet.seat[row], wish.unit, scratch) - sheet.worth[row]


@kernel
def decisions_loop(states, seeds, done, seating, wish, noise_rng, sheet):
    """Play the matches from number `done` on, as long as the sheet has room; returns how many are complete then."""
    rng, rngs = seating.rng, seating.rngs
    filled = 0
    while done < seeds.shape[0]:
        key = mix(seeds[done])
        branch(key, 0, rng)
        chance_key = rng[0]
        for seat in range(rngs.shape[0]):
            branch(key, 1 + seat, rngs[seat])
        branch(key, NOISE, noise_rng)
        sheet.forced[done] = 0
        rows = decisions_of_match(states, done, seating, wish, chance_key, noise_rng, sheet, filled)
        sheet.lengths[done] = rows
        if filled + rows > sheet.action.shape[0]:
            return done
        settle_worth(states[done], wish, seating.scratch, sheet, filled, filled + rows)
        filled += rows
        done += 1
    return done


# --- packed rows -----------------------------------------------------------------------------------------------------


@kernel
def unpack_rows(rows, ones, starts, places, values, out):
    """The inputs of some rows: bits that are 1, and the numbers that are neither 0 nor 1."""
    for n in range(rows.shape[0]):
        row = rows[n]
        for place in range(out.shape[1]):
            out[n, place] = (ones[row, place >> 3] >> (7 - (place & 7))) & 1
        for i in range(starts[row], starts[row + 1]):
            out[n, places[i]] = values[i]


@kernel
def hash_rows(ones, starts, places, codes, legal, out):
    """A 64-bit hash of what every row shows and allows; `codes` are the bits of what is neither 0 nor 1."""
    for row in range(out.shape[0]):
        seen = np.uint64(0)
        for place in range(ones.shape[1]):
            seen = mix(seen ^ np.uint64(ones[row, place] + 1)) + np.uint64(place)
        for i in range(starts[row], starts[row + 1]):
            seen = mix(seen ^ (np.uint64(codes[i]) + (np.uint64(places[i]) << np.uint64(32))))
        for place in range(legal.shape[1]):
            seen = mix(seen ^ np.uint64(legal[row, place] + 1)) + np.uint64(place)
        out[row] = seen
