"""What a game gets for the optional part of the contract if it does not supply it."""

import numpy as np

from spielwerk.core.kernel.contract import score
from spielwerk.core.linker import kernel


@kernel
def team(s, seat):
    return seat


@kernel
def result(s, out):
    score(s, out)


@kernel
def outcomes(s, ids, probs):
    return 0


@kernel
def happen(s, outcome):
    return


@kernel
def hide(s, seat):
    return


@kernel
def imagine(s, seat, rng):
    return


@kernel
def key(s):
    return np.uint64(0)


@kernel
def features(s, seat, out):
    return


@kernel
def cells(s, top, out):
    return
