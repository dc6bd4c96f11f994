"""Encodings: what a seat knows as numbers, for networks."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Encoding(NamedTuple):
    """A kernel `features(s, seat, out)` of the contract, and how many numbers it writes. `s` is the view of the seat.

    The description of a network names its encoding, so what an encoding writes must never change: a better one gets
    another name."""

    size: int
    function: Callable[..., Any]


class Symmetry(NamedTuple):
    """Another look of the same decision, as suits exchanged: what a network is told and what it answers change
    places."""

    inputs: NDArray[np.int64]  # [places] where the number of every place comes from
    actions: NDArray[np.int64]  # [actions] which action becomes the one at this place
