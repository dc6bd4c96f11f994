"""Matches of a generation of polynomial players, compiled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.kernel.contract import actors, apply, chance, score, start
from spielwerk.core.kernel.rng import branch
from spielwerk.core.linker import kernel
from spielwerk.games.qwixx.players.kernel.polynomial import polynomial_policy


class GroupMatches(NamedTuple):
    """The matches of a generation."""

    groups: NDArray[np.int64]  # [matches, seats] whose table plays where
    keys: NDArray[np.uint64]  # [matches] the dice
    tables: NDArray[np.float64]  # [players, …] what the players think of every cross
    points: NDArray[np.float64]  # [matches, seats] the results


@kernel
def play_groups(matches, first, last, states, options, scratch, rng):
    """Play matches first .. last - 1."""
    groups, keys, tables, points = matches.groups, matches.keys, matches.tables, matches.points
    s = states[0]
    joint = scratch.joint
    seats = groups.shape[1]
    for m in range(first, last):
        states[0] = states[1]
        start(s, seats, options)
        events = 0
        while True:
            who = actors(s)
            if who < 0:
                break
            if who == 0:
                branch(keys[m], events, rng)
                events += 1
                chance(s, rng)
                continue
            for seat in range(seats):
                if (who >> seat) & 1:
                    joint[seat] = polynomial_policy(s, seat, tables[groups[m, seat]], scratch, rng)
            apply(s, joint)
        score(s, points[m])
