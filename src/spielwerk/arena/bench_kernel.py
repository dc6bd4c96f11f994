"""What `bench` measures: random matches, and flat Monte Carlo written by hand for 2048."""

from spielwerk.core.contract import actors, apply, chance, legal, score
from spielwerk.core.kernel import kernel
from spielwerk.core.rng import below


@kernel
def random_matches(states, opening, count, actions, joint, rng):
    """Play whole matches at random; returns the number of decisions."""
    decisions = 0
    s = states[0]
    for _ in range(count):
        states[0] = opening[0]
        while True:
            who = actors(s)
            if who < 0:
                break
            if who == 0:
                chance(s, rng)
                continue
            for seat in range(joint.shape[0]):
                if (who >> seat) & 1:
                    joint[seat] = actions[below(rng, legal(s, seat, actions))]
                    decisions += 1
            apply(s, joint)
    return decisions


@kernel
def monte_carlo_by_hand(states, root, iterations, depth, scale, actions, inner, joint, numbers, rng, sums):
    """What a programmer would write for 2048 alone: no seats, no worlds, no policies, no objectives."""
    count = legal(root[0], 0, actions)
    s = states[0]
    for _ in range(iterations):
        for i in range(count):
            states[0] = root[0]
            joint[0] = actions[i]
            apply(s, joint)
            chance(s, rng)
            plies = 0
            while plies < depth and actors(s) > 0:
                joint[0] = inner[below(rng, legal(s, 0, inner))]
                apply(s, joint)
                chance(s, rng)
                plies += 1
            score(s, numbers)
            sums[i] += numbers[0] / scale
            if actors(s) < 0:
                sums[i] -= 1.0
    return count
