"""Whole matches in compiled code: the match loop specialised with the policies of the agents.

The streams are those of `core.match`: the n-th chance event has the stream (seed, 0, n), seat k has (seed, 1 + k),
random first moves have (seed, OPENING).

Any number of different policies play one match: `choose_among` asks the first of them or hands the question on, so that
`rules_of` makes one rule of a list of policies, and one nested tuple of their weights.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from spielwerk.core.instructions import stopped
from spielwerk.core.kernel.contract import actors, apply, chance, hide, legal, policy, result, score
from spielwerk.core.kernel.rng import below, branch, mix
from spielwerk.core.linker import attach, kernel, stub

LOOKS = 16  # decisions or chance events between two looks at the sign
OPENING = 0x0F00  # beyond the numbers of seats


class Seating(NamedTuple):
    """Who plays where, and room to play in."""

    slots: Any  # [seats] the number of the policy of each seat
    weights: Any  # of the policies, nested: (first, (second, (third, ())))
    scratch: Any
    views: Any  # [1] what a seat may know, in a game with hidden information
    rng: Any  # of chance
    rngs: Any  # [seats, 1] of the agents


@stub
def rule(s, seat, slot, weights, scratch, rng):
    """The action of `seat` by the policy number `slot`."""


@stub
def other_rules(s, seat, slot, weights, scratch, rng):
    """The rest of the policies."""


@stub
def decision(states, number, seat, seating):
    """The action of `seat` in states[number]."""


@kernel
def choose_last(s, seat, slot, weights, scratch, rng):
    return policy(s, seat, weights[0], scratch, rng)


@kernel
def choose_among(s, seat, slot, weights, scratch, rng):
    if slot == 0:
        return policy(s, seat, weights[0], scratch, rng)
    return other_rules(s, seat, slot - 1, weights[1], scratch, rng)


@kernel
def decide_openly(states, number, seat, seating):
    """Nothing is hidden: the policy looks at the state itself."""
    return rule(states[number], seat, seating.slots[seat], seating.weights, seating.scratch, seating.rngs[seat])


@kernel
def decide_by_view(states, number, seat, seating):
    """The policy gets what the seat may know, and nothing else."""
    seating.views[0] = states[number]
    hide(seating.views[0], seat)
    return rule(seating.views[0], seat, seating.slots[seat], seating.weights, seating.scratch, seating.rngs[seat])


def rules_of(policies: Sequence[Any]) -> tuple[Any, Any]:
    """One rule of several policies, and their weights nested as it wants them."""
    made: Any = attach(choose_last, policy=policies[-1].function)
    weights: Any = (policies[-1].weights, ())
    for each in reversed(policies[:-1]):
        made, weights = attach(choose_among, policy=each.function, other_rules=made), (each.weights, weights)
    return made, weights


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
def match_loop(states, number, events, seating, chance_key, log, filled):
    """Play states[number] to the end, or to the sign, after so many chance events. Actions go to `log` from place
    `filled` on, seat by seat; returns how many."""
    s = states[number]
    joint = seating.scratch.joint
    moves = 0
    while True:
        who = actors(s)
        if who < 0:
            return moves
        if who == 0:
            branch(chance_key, events, seating.rng)
            events += 1
            chance(s, seating.rng)
            if events % LOOKS == 0 and stopped(seating.scratch.sign):
                return moves
            continue
        for seat in range(joint.shape[0]):
            if (who >> seat) & 1:
                if moves % LOOKS == 0 and stopped(seating.scratch.sign):
                    return moves
                action = decision(states, number, seat, seating)
                joint[seat] = action
                if filled + moves < log.shape[0]:
                    log[filled + moves] = action
                moves += 1
        apply(s, joint)


@kernel
def batch_loop(states, seeds, events, done, seating, log, lengths):
    """Play the matches from number `done` on, as long as the log has room; returns how many are complete then.
    events[n] chance events of match n have happened already."""
    rng, rngs = seating.rng, seating.rngs
    filled = 0
    while done < seeds.shape[0]:
        key = mix(seeds[done])
        branch(key, 0, rng)
        chance_key = rng[0]
        for seat in range(rngs.shape[0]):
            branch(key, 1 + seat, rngs[seat])
        moves = match_loop(states, done, events[done], seating, chance_key, log, filled)
        lengths[done] = moves
        if filled + moves > log.shape[0] or stopped(seating.scratch.sign):
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
