"""The random streams."""

import numpy as np

from spielwerk.core.kernel.rng import below, draw, spawn, uniform


def test_splitmix64_reference_values():
    """The first outputs of splitmix64 from state 1234567 (published with the algorithm's C code)."""
    rng = np.array([1234567], np.uint64)
    with np.errstate(over="ignore"):
        assert [int(draw(rng)) for _ in range(3)] == [
            6457827717110365317,
            3203168211198807973,
            9817491932198370423,
        ]


def test_streams_differ_by_path_and_repeat():
    first = [int(spawn(7, path)[0]) for path in range(1000)]
    assert len(set(first)) == 1000
    assert int(spawn(7, 3)[0]) == first[3]
    assert int(spawn(8, 3)[0]) != first[3]
    assert int(spawn(7, 3, 1)[0]) != int(spawn(7, 1, 3)[0])
    assert int(spawn(-1)[0]) == int(spawn(2**64 - 1)[0])


def test_below_and_uniform_are_even():
    rng = spawn(5)
    with np.errstate(over="ignore"):
        counts = np.bincount([int(below(rng, 6)) for _ in range(12_000)], minlength=6)
        numbers = np.array([float(uniform(rng)) for _ in range(4000)])
    assert len(counts) == 6
    assert ((counts - 2000) ** 2 / 2000).sum() < 25  # chi-square with 5 degrees of freedom, p = 0.0001
    assert numbers.min() >= 0 and numbers.max() < 1
    assert abs(numbers.mean() - 0.5) < 0.03
