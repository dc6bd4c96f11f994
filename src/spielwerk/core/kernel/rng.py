"""Randomness comes in through the door: splitmix64 in a `uint64` array of length 1.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014). One draw costs about 1.6 ns.
`spawn(seed, *path)` gives independent streams by hashing the path, so that the n-th match, the n-th chance event or
the n-th block of playouts always has the same randomness, whoever computes it and in whatever order.
"""

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.linker import kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)

Rng = NDArray[np.uint64]


@kernel
def mix(z):
    """The output function of splitmix64: a bijection of 64-bit words that scrambles well."""
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    return z ^ (z >> np.uint64(31))


@kernel
def draw(rng):
    """64 random bits."""
    rng[0] = rng[0] + GOLDEN
    return mix(rng[0])


@kernel
def below(rng, n):
    """A whole number 0 … n-1; n < 2**31 (the bias is below n / 2**32)."""
    return np.int64(((draw(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@kernel
def uniform(rng):
    """A number in [0, 1)."""
    return np.float64(draw(rng) >> np.uint64(11)) * 1.1102230246251565e-16


@kernel
def branch(key, n, out):
    """Set `out` to the n-th stream of `key` (a uint64)."""
    out[0] = mix(key ^ mix(np.uint64(n) * GOLDEN + SECOND))


def spawn(seed: int, *path: int) -> Rng:
    """The independent stream at `path` below `seed`."""
    key = np.uint64(seed % 2**64)
    out = np.empty(1, np.uint64)
    with np.errstate(over="ignore"):
        out[0] = mix(key)
        for step in path:
            branch(out[0], step % 2**64, out)
    return out


def pick(rng: Rng, count: int) -> int:
    """A random whole number 0 … count-1."""
    with np.errstate(over="ignore"):
        return int(below(rng, count))


def fraction(rng: Rng) -> float:
    """A random number in [0, 1)."""
    with np.errstate(over="ignore"):
        return float(uniform(rng))


def seed_of(rng: Rng) -> int:
    """A seed drawn from `rng`, for streams spawned below it."""
    with np.errstate(over="ignore"):
        return int(draw(rng))
