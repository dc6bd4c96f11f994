"""The kernel contract: what a game supplies, and what a search is given. Stubs only; `specialise` replaces them.

`s` is one record of the game's `State` dtype. Buffers belong to the caller, nothing allocates, randomness comes in as
`rng`. Seats are 0, 1, 2, …; a set of seats is a bit set.

**Required of every game**: start, actors, legal, apply, chance, score.
**Optional** (declared in the game's `Spec`; `core.game` supplies the defaults): team, result, outcomes, happen, hide,
imagine, key, features, cells.
**Given to a search by its agent**: policy, evaluate, worth.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.linker import stub


class Room(NamedTuple):
    """How much work space a policy or an evaluation asks for; whoever calls it makes a `Scratch` with that much."""

    states: int = 4
    numbers: int = 64
    integers: int = 64
    floats: int = 0

    def and_for(self, other: "Room") -> "Room":
        """Room for both, one after the other."""
        return Room(*map(max, self, other))


class Scratch(NamedTuple):
    """Work space that belongs to the caller. A policy may overwrite all of it but `joint`, which a playout fills."""

    states: NDArray[np.void]  # [Room.states] spare states
    actions: NDArray[np.int64]  # [widest] a list of legal actions
    trial: NDArray[np.int64]  # [seats] a joint action that a policy tries out
    joint: NDArray[np.int64]  # [seats] the joint action of a playout
    numbers: NDArray[np.float64]  # [Room.numbers, or more: at least widest and seats] values
    integers: NDArray[np.int64]  # [Room.integers] indices and the like
    floats: NDArray[np.float32]  # [Room.floats] the layers of a network
    sign: NDArray[np.int64]  # [1] long loops look at it with `stopped`, and end early if it is set


class Leaf(NamedTuple):
    """What an evaluation is given besides the position, and where it leaves its answer."""

    weights: Any  # of the evaluation, or of the policy that plays the playouts
    depth: int  # most decisions of a playout
    method: int  # how a playout that ended counts (see search.kernel.playout)
    scale: float  # points that are worth 1
    scratch: Scratch
    rng: NDArray[np.uint64]
    value: NDArray[np.float64]  # [seats] the answer: worth per seat
    prior: NDArray[np.float64]  # [seats, actions] the answer of an evaluation that declares a prior: how likely each
    # legal action of each deciding seat is, before any search; other places are not read


# --- required --------------------------------------------------------------------------------------------------------


@stub
def start(s, seats, options):
    """Set up the table for `seats` seats. `s` is all zero; `options` holds one int64 per option of the Spec.
    Deals and first rolls are left to chance."""


@stub
def actors(s):
    """Bit set of the seats that must decide now; 0 = chance is next; -1 = the match is over."""


@stub
def legal(s, seat, out):
    """Write the legal action ids of `seat` into `out`, ascending; returns how many."""


@stub
def apply(s, joint):
    """Play joint[seat] for every seat in `actors(s)`, all at once."""


@stub
def chance(s, rng):
    """Draw and apply the next random event. Only called when `actors(s) == 0`."""


@stub
def score(s, out):
    """Write the points of every seat so far into `out`; final when the match is over."""


# --- optional --------------------------------------------------------------------------------------------------------


@stub
def team(s, seat):
    """The team of a seat; by default every seat is its own team."""


@stub
def result(s, out):
    """What decides the match, per seat, more is better; by default the points."""


@stub
def outcomes(s, ids, probs):
    """Enumerable chance: write the possible outcomes and their probabilities; returns how many. 0 = not offered."""


@stub
def happen(s, outcome):
    """Apply one outcome of `outcomes`."""


@stub
def hide(s, seat):
    """Erase what `seat` cannot know (seat -1: what a spectator cannot know)."""


@stub
def imagine(s, seat, rng):
    """Fill in again what `hide` erased, uniformly over all that is consistent with what `seat` knows."""


@stub
def key(s):
    """A 64-bit hash of what matters for the future of `s`, for transposition tables; 0 = not offered."""


@stub
def features(s, seat, out):
    """The input of a network: what `seat` knows as numbers, from its point of view; mostly 0 and 1. `s` is its view.
    Every place of the input must be written, also the zeros."""


@stub
def cells(s, top, out):
    """The board as a grid (see core.grid): write the value of every cell into `out`, at most `top`; a game whose
    values go higher decides what stands in for them."""


# --- given to a search -----------------------------------------------------------------------------------------------


@stub
def policy(s, seat, weights, scratch, rng):
    """An action for `seat`. Used in playouts and for whole matches in compiled code. `s` is not changed."""


@stub
def evaluate(states, i, leaf):
    """Write the worth of `states[i]` per seat into `leaf.value`; may play `states[i]` on. An evaluation that declares a
    prior also writes `leaf.prior` for the seats that decide there."""


@stub
def worth(s, scale, out):
    """An objective: write what the points so far are worth per seat into `out` (see core.objective)."""
