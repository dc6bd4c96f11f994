"""Evaluations by name: what a search asks at its leaves, in place of (or as) a playout."""

from collections.abc import Callable
from typing import Any, NamedTuple

from spielwerk.core.kernel.contract import Room


class Parameter(NamedTuple):
    """One tunable number of an evaluation."""

    name: str
    default: float
    low: float
    high: float
    help: str


class Evaluation(NamedTuple):
    """A kernel `evaluate(states, i, leaf)` (see core.kernel.contract), its weights, and what it asks for."""

    function: Callable[..., Any]
    weights: Any
    parameters: tuple[Parameter, ...] = ()  # one per weight, where they can be tuned
    additive: bool = False  # worth is that of the points so far plus what a position, without its points, promises
    prior: bool = False  # whether it also says how likely each action is, for a search that selects by PUCT
    room: Room = Room()
    objective: str = ""  # the only one that its values are made for; "" = any
