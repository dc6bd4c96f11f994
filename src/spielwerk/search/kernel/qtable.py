"""A table of Q values as a rule, for any game: what was seen is looked up by a 64-bit hash of its numbers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.kernel.contract import legal
from spielwerk.core.kernel.rng import below, mix
from spielwerk.core.linker import kernel, outlined
from spielwerk.search.kernel.net import observe


class TableWeights(NamedTuple):
    """A hash table with open addressing: a key stands in the first free slot from its own place on."""

    keys: NDArray[np.uint64]  # [a power of 2]
    places: NDArray[np.int64]  # [the same] the row of each key, -1 = the slot is free
    values: NDArray[np.float32]  # [rows, actions]
    inputs: int  # numbers that are seen


@kernel
def key_of(seen, inputs):
    """The sum of one word for every number that is not 0, made of its place and its bits."""
    key = np.uint64(0)
    for place in range(inputs):
        if seen[place] != 0.0:
            key += mix((np.uint64(place) << np.uint64(32)) | np.uint64(np.float32(seen[place]).view(np.uint32)))
    return key


@kernel
def row_of(key, weights):
    """The row of a key, -1 if it has none."""
    last = np.uint64(weights.keys.shape[0] - 1)
    slot = key & last
    while weights.places[slot] >= 0:
        if weights.keys[slot] == key:
            return weights.places[slot]
        slot = (slot + np.uint64(1)) & last
    return np.int64(-1)


@kernel
def fill_slots(keys, weights):
    """Put all keys, in the order of their rows, into an empty hash table."""
    last = np.uint64(weights.keys.shape[0] - 1)
    for row in range(keys.shape[0]):
        slot = keys[row] & last
        while weights.places[slot] >= 0:
            slot = (slot + np.uint64(1)) & last
        weights.keys[slot] = keys[row]
        weights.places[slot] = row


@outlined
def policy_by_table(s, seat, weights, scratch, rng):
    """The legal action of the highest value; any where nothing has been seen."""
    observe(s, seat, scratch, scratch.floats[: weights.inputs])
    row = row_of(key_of(scratch.floats, weights.inputs), weights)
    count = legal(s, seat, scratch.actions)
    if row < 0:
        return scratch.actions[below(rng, count)]
    chosen = scratch.actions[0]
    for i in range(1, count):
        if weights.values[row, scratch.actions[i]] > weights.values[row, chosen]:
            chosen = scratch.actions[i]
    return chosen
