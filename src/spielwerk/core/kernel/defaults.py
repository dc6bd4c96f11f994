"""What a game gets for the optional part of the contract if it does not supply it."""

import numpy as np

from spielwerk.core.instructions import byte_of
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
    """The bits of the state, then the seat as one of eight: nothing of the view is lost, and nothing is understood."""
    size = out.shape[0] // 8 - 1
    for place in range(size):
        byte = np.int64(byte_of(s, place))
        for bit in range(8):
            out[8 * place + bit] = (byte >> bit) & 1
    for place in range(8):
        out[8 * size + place] = 1.0 if place == seat % 8 else 0.0


@kernel
def cells(s, top, out):
    return
