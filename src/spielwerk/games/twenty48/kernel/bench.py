"""Flat Monte Carlo written by hand for 2048, to compare the generic search with."""

from spielwerk.core.kernel.contract import actors, apply, chance, legal, score
from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel


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
