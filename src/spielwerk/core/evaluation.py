"""Evaluations by name: what a search asks at its leaves, in place of (or as) a playout."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Parameter(NamedTuple):
    """One tunable number of an evaluation."""

    name: str
    default: float
    low: float
    high: float
    help: str


class Evaluation(NamedTuple):
    """A kernel `evaluate(states, i, weights, depth, method, scale, scratch, rng, out)` and its weights."""

    function: Callable[..., Any]
    weights: Any
    parameters: tuple[Parameter, ...] = ()  # one per weight, where they can be tuned
    additive: bool = False  # worth is that of the points so far plus what a position, without its points, promises
