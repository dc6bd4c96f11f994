"""What `bench` measures: random matches."""

from spielwerk.core.kernel.contract import actors, apply, chance, legal
from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel


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
