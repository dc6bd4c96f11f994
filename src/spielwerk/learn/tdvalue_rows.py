"""What self-play hands to a learner of values: rows of inputs, stored sparsely, and their targets."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

NARROW = 1 << 16  # inputs whose places fit into 16 bits


class Rows(NamedTuple):
    """Row n has the places of its inputs that are not 0 up to place_ends[n]: first those that are 1, then others, whose
    values end at value_ends[n]."""

    places: NDArray[Any]  # uint16, or uint32 where there are more inputs
    values: NDArray[np.float32]
    place_ends: NDArray[np.int64]
    value_ends: NDArray[np.int64]
    targets: NDArray[np.float32]

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.targets)

    def inputs(self, chosen: NDArray[np.int64], width: int) -> NDArray[np.float32]:
        """The chosen rows as a plain matrix."""
        dense = np.zeros((len(chosen), width), np.float32)
        for row, number in zip(dense, chosen, strict=True):
            begin, value = (int(ends[number - 1]) if number else 0 for ends in (self.place_ends, self.value_ends))
            end, last = int(self.place_ends[number]), int(self.value_ends[number])
            row[self.places[begin:end]] = 1.0
            row[self.places[end - (last - value) : end]] = self.values[value:last]
        return dense

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        return {f"{name}/{field}": array for field, array in self._asdict().items()}


def rows_of(arrays: Mapping[str, NDArray[Any]], name: str) -> Rows:
    """The inverse of `Rows.arrays`."""
    return Rows(*(arrays[f"{name}/{field}"] for field in Rows._fields))


def joined(parts: Sequence[Rows]) -> Rows:
    """All rows in order."""
    if len(parts) == 1:
        return parts[0]

    def shifted(ends: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        last = np.cumsum([0, *(part[-1] if len(part) else 0 for part in ends)])
        return np.concatenate([part + before for part, before in zip(ends, last[:-1], strict=True)])

    return Rows(
        np.concatenate([part.places for part in parts]),
        np.concatenate([part.values for part in parts]),
        shifted([part.place_ends for part in parts]),
        shifted([part.value_ends for part in parts]),
        np.concatenate([part.targets for part in parts]),
    )


def place_type(inputs: int) -> type[np.unsignedinteger[Any]]:
    """The narrowest numbers that every place fits into."""
    return np.uint16 if inputs <= NARROW else np.uint32
