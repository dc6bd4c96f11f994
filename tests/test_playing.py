"""Learners that play: ppo and policygradient, on games of a few moves."""

import numpy as np
import pytest

from spielwerk.core import registry
from spielwerk.core.models import read_arrays
from spielwerk.learn import run as runs
from tiny_games import CompiledClaim, CompiledNim, CompiledWhisper

pytestmark = pytest.mark.xdist_group("playing")
SMALL = "envs=32,network=32,test_games=100,tests=2"


@pytest.fixture(autouse=True)
def known():
    for game in (CompiledNim, CompiledClaim, CompiledWhisper):
        registry.register(game)
    yield
    for game in (CompiledNim, CompiledClaim, CompiledWhisper):
        registry.unregister(game)


def trained(game, spec, out, **more):
    return runs.train(game, runs.learner(spec), out, seed=3, **more)


def networks_of(run):
    return read_arrays(run.path / "model.npz"), read_arrays(run.path / "checkpoint" / "state.npz")


def same(first, second):
    return first.keys() == second.keys() and all(np.array_equal(first[name], second[name]) for name in first)
