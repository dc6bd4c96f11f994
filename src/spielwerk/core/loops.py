"""Whole matches in compiled code: the match loop specialised with the policies of the agents.

The streams are those of `core.match`: the n-th chance event has the stream (seed, 0, n), seat k has (seed, 1 + k),
random first moves have (seed, OPENING).
"""

from spielwerk.core.contract import actors, apply, chance, legal, result, score
from spielwerk.core.kernel import kernel, stub
from spielwerk.core.rng import below, branch, mix

OPENING = 0x0F00  # beyond the numbers of seats


@stub
def policy_a(s, seat, weights, scratch, rng):
    """The rule of the seats with slot 0."""


@stub
def policy_b(s, seat, weights, scratch, rng):
    """The rule of the seats with slot 1."""


@stub
def policy_c(s, seat, weights, scratch, rng):
    """The rule of the seats with slot 2."""


@kernel
def opening_loop(states, seeds, opening, scratch, rng, opening_rng, log, lengths, events):
    """Let everybody play at random at the first `opening` moments of all matches. The actions of match n go to log[n];
    lengths[n] says how many, events[n] how many chance events there were."""
    joint = scratch.joint
    actions = scratch.actions
    for number in range(seeds.shape[0]):
        s = states[number]
        key = mix(seeds[number])
        branch(key, OPENING, opening_rng)
        branch(key, 0, rng)
        chance_key = rng[0]
        moments = 0
        while moments < opening:
            who = actors(s)
            if who < 0:
                break
            if who == 0:
                branch(chance_key, events[number], rng)
                events[number] += 1
                chance(s, rng)
                continue
            for seat in range(joint.shape[0]):
                if (who >> seat) & 1:
                    joint[seat] = actions[below(opening_rng, legal(s, seat, actions))]
                    log[number, lengths[number]] = joint[seat]
                    lengths[number] += 1
            apply(s, joint)
            moments += 1


@kernel
def match_loop(
    states, number, slots, weights_a, weights_b, weights_c, scratch, chance_key, events, rng, rngs, log, filled
):
    """Play states[number] to the end, after so many chance events. Actions go to `log` from place `filled` on, seat by
    seat; returns how many."""
    s = states[number]
    joint = scratch.joint
    moves = 0
    while True:
        who = actors(s)
        if who < 0:
            return moves
        if who == 0:
            branch(chance_key, events, rng)
            events += 1
            chance(s, rng)
            continue
        for seat in range(joint.shape[0]):
            if (who >> seat) & 1:
                if slots[seat] == 0:
                    action = policy_a(s, seat, weights_a, scratch, rngs[seat])
                elif slots[seat] == 1:
                    action = policy_b(s, seat, weights_b, scratch, rngs[seat])
                else:
                    action = policy_c(s, seat, weights_c, scratch, rngs[seat])
                joint[seat] = action
                if filled + moves < log.shape[0]:
                    log[filled + moves] = action
                moves += 1
        apply(s, joint)


@kernel
def batch_loop(states, seeds, events, done, slots, weights_a, weights_b, weights_c, scratch, rng, rngs, log, lengths):
    """Play the matches from number `done` on, as long as the log has room; returns how many are complete then.
    events[n] chance events of match n have happened already."""
    filled = 0
    while done < seeds.shape[0]:
        key = mix(seeds[done])
        branch(key, 0, rng)
        chance_key = rng[0]
        for seat in range(rngs.shape[0]):
            branch(key, 1 + seat, rngs[seat])
        moves = match_loop(
            states, done, slots, weights_a, weights_b, weights_c, scratch, chance_key, events[done], rng, rngs, log,
            filled,
        )  # fmt: skip
        lengths[done] = moves
        if filled + moves > log.shape[0]:
            return done
        filled += moves
        done += 1
    return done


@kernel
def points_of(states, scores, results):
    """Points and results of many final states."""
    for number in range(scores.shape[0]):
        score(states[number], scores[number])
        result(states[number], results[number])
