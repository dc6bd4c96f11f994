"""The contract over an array of states, for calls from Python (a record as an argument would be slow)."""

from spielwerk.core.kernel.contract import (
    actors,
    apply,
    chance,
    features,
    happen,
    hide,
    imagine,
    legal,
    outcomes,
    policy,
    result,
    score,
    start,
    team,
)
from spielwerk.core.linker import kernel


@kernel
def start_at(states, seats, options):
    start(states[0], seats, options)


@kernel
def actors_at(states):
    return actors(states[0])


@kernel
def legal_at(states, seat, out):
    return legal(states[0], seat, out)


@kernel
def apply_at(states, joint):
    apply(states[0], joint)


@kernel
def chance_at(states, rng):
    chance(states[0], rng)


@kernel
def score_at(states, out):
    score(states[0], out)


@kernel
def result_at(states, out):
    result(states[0], out)


@kernel
def team_at(states, seat):
    return team(states[0], seat)


@kernel
def outcomes_at(states, ids, probs):
    return outcomes(states[0], ids, probs)


@kernel
def happen_at(states, outcome):
    happen(states[0], outcome)


@kernel
def hide_at(states, seat):
    hide(states[0], seat)


@kernel
def imagine_at(states, seat, rng):
    imagine(states[0], seat, rng)


@kernel
def features_at(states, seat, out):
    features(states[0], seat, out)


@kernel
def policy_at(states, seat, weights, scratch, rng):
    return policy(states[0], seat, weights, scratch, rng)
