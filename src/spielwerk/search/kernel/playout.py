"""Playouts: play on with a policy until the match is over or a number of decisions has been made.

`rollout` is the standard evaluation of a position in flat Monte Carlo and in tree search: one playout and what its end
is worth. Kutsch (2017, 9.2) values an unfinished playout in two ways: method 1 takes the points as they are; method 2
takes 1 off every playout that *ended*, so that being alive counts more than any points. Method 2 makes sense where the
end is a disaster (2048) and not where every match ends anyway.
"""

from spielwerk.core.instructions import stopped
from spielwerk.core.kernel.contract import actors, apply, chance, legal, policy, worth
from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel

STEPS = 64  # of a playout between two looks at the sign


@kernel
def uniform_policy(s, seat, weights, scratch, rng):
    """Any legal action, each equally likely."""
    actions = scratch.actions
    return actions[below(rng, legal(s, seat, actions))]


@kernel
def settle(s, rng):
    """Let chance act until somebody must decide or the match is over; returns the actors."""
    who = actors(s)
    while who == 0:
        chance(s, rng)
        who = actors(s)
    return who


@kernel
def play_first(s, seat, action, weights, scratch, rng):
    """Play `action` for `seat`; seats that decide at the same moment follow the policy."""
    joint = scratch.joint
    who = actors(s)
    for other in range(joint.shape[0]):
        if other == seat:
            joint[other] = action
        elif (who >> other) & 1:
            joint[other] = policy(s, other, weights, scratch, rng)
    apply(s, joint)


@kernel
def playout(s, depth, weights, scratch, rng):
    """Play on for at most `depth` decisions, or until the sign; returns whether the match is over."""
    joint = scratch.joint
    who = settle(s, rng)
    left = depth
    while left > 0 and not stopped(scratch.sign):
        steps = min(left, STEPS)
        left -= steps
        for _ in range(steps):
            if who < 0:
                return True
            for seat in range(joint.shape[0]):
                if (who >> seat) & 1:
                    joint[seat] = policy(s, seat, weights, scratch, rng)
            apply(s, joint)
            who = settle(s, rng)
    return who < 0


@kernel
def rollout(states, i, leaf):
    """An evaluation: the worth of the end of one playout."""
    s = states[i]
    over = playout(s, leaf.depth, leaf.weights, leaf.scratch, leaf.rng)
    worth(s, leaf.scale, leaf.value)
    if over and leaf.method == 2:
        for seat in range(leaf.value.shape[0]):
            leaf.value[seat] -= 1.0


@kernel
def standing(states, i, leaf):
    """An evaluation: what the points so far are worth, without looking ahead."""
    worth(states[i], leaf.scale, leaf.value)
