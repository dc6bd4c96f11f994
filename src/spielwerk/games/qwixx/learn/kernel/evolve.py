"""Matches of a generation of polynomial players, compiled."""

from spielwerk.core.kernel.contract import actors, apply, chance, score, start
from spielwerk.core.kernel.rng import branch
from spielwerk.core.linker import kernel
from spielwerk.games.qwixx.players.kernel.polynomial import polynomial_policy


@kernel
def play_groups(states, options, groups, keys, tables, first, last, scratch, rng, points):
    """Play matches first .. last - 1. groups[m, seat]: whose table plays; keys[m]: dice; points[m, seat]: results."""
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
