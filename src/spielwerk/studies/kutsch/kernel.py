"""What the study measures inside compiled code."""

from spielwerk.core.kernel.contract import apply, policy
from spielwerk.core.linker import kernel
from spielwerk.search.kernel.playout import settle


@kernel
def mean_playout_length(root, states, playouts, scratch, rng):
    """The mean number of decisions until a random playout of a one-seat game ends."""
    joint = scratch.joint
    s = states[0]
    decisions = 0
    for _ in range(playouts):
        states[0] = root[0]
        while settle(s, rng) > 0:
            joint[0] = policy(s, 0, 0, scratch, rng)
            apply(s, joint)
            decisions += 1
    return decisions / playouts
