"""A policy that errs, compiled: any legal action with some chance, else what another policy plays."""

from typing import Any, NamedTuple

from spielwerk.core.kernel.contract import legal, policy
from spielwerk.core.kernel.rng import below, uniform
from spielwerk.core.linker import kernel


class Weights(NamedTuple):
    share: float  # of the decisions that are made at random
    inner: Any  # the weights of the other policy


@kernel
def blunder_policy(s, seat, weights, scratch, rng):
    if uniform(rng) < weights.share:
        actions = scratch.actions
        return actions[below(rng, legal(s, seat, actions))]
    return policy(s, seat, weights.inner, scratch, rng)
