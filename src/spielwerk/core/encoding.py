"""Encodings: what a seat knows as numbers, for networks."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Encoding(NamedTuple):
    """A kernel `features(s, seat, out)` of the contract, and how many numbers it writes. `s` is the view of the seat.

    The description of a network names its encoding, so what an encoding writes must never change: a better one gets
    another name."""

    size: int
    function: Callable[..., Any]
