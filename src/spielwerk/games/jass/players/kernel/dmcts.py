"""Determinized search for Schieber Jass, compiled: sampled worlds, every legal action tried in each of them.

A world is a deal of the hidden cards that agrees with all that the seat knows. In every world every legal action is
played and the deal is then finished: by four rule players who see only what their seats may know (so that nobody is
assumed to play with open cards), and, once few enough tricks are left, by the exact solver. The average lead over the
worlds decides. For a push the partner chooses the mode in each world from the mode tables, knowing its own hand only.

Other players may finish the deals, a network for example, and an evaluation may judge them after so many full tricks.

Worlds are equally likely. Preferring worlds that explain what the others chose and played was tried (by the mode tables
and by the scores of the rule player, eight candidates for each world) and brought nothing: -0.2 ± 4.8 points per deal.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.instructions import stopped
from spielwerk.core.kernel.contract import apply, evaluate, imagine, legal, policy
from spielwerk.core.linker import kernel
from spielwerk.games.jass.kernel.rules import FIRST_MODE, PLAY, PUSH, factor
from spielwerk.games.jass.kernel.solve import solve_state
from spielwerk.games.jass.players.kernel.rules import best_mode

NEVER = 99  # tricks: no evaluation judges before the end of the deal


class Finish(NamedTuple):
    """How imagined deals are finished."""

    exact: int  # so many last tricks are solved
    tricks: int  # so many tricks are played before the evaluation judges, the one on the table first; NEVER = all
    in_points: bool  # the evaluation counts points, not a lead squeezed into [0, 1]
    play: Any  # weights of the policy that plays the cards
    modes: NDArray[np.float64]  # weights of the rule players, whose tables choose the mode after a push


@kernel
def finish_deal(states, i, finish, memory, leaf):
    """The lead of team 0 at the end of the deal, everything included."""
    s = states[i]
    scratch = leaf.scratch
    judged_at = s.tricks + finish.tricks
    while s.phase == PLAY:
        if s.in_trick == 0 and s.tricks >= 9 - finish.exact:
            memory.age[0] += 1
            rest = factor(s, s.mode) * solve_state(s, 0, memory)
            return np.float64(s.gained[0] - s.gained[1] + rest)
        if s.tricks >= judged_at:
            evaluate(states, i, leaf)
            return lead_in(leaf.value, finish.in_points, leaf.scale)
        scratch.joint[s.turn] = policy(s, s.turn, finish.play, scratch, leaf.rng)
        apply(s, scratch.joint)
    return np.float64(s.gained[0] - s.gained[1])


@kernel
def lead_in(value, in_points, scale):
    """The lead of team 0 that worths stand for (see core.kernel.objective)."""
    if in_points:
        return scale * (value[0] - value[1])
    share = 2.0 * value[0] - 1.0
    return scale * share / (1.0 - abs(share))


@kernel
def compare(root, states, seat, worlds, finish, memory, leaf, sums, squares, visits):
    """Add the lead of the seat's team after each legal action, over `worlds` worlds, to sums (and its square); visits
    counts. What the sign cuts short does not count."""
    scratch, rng = leaf.scratch, leaf.rng
    sign = 1.0 - 2.0 * (seat & 1)
    count = legal(root[0], seat, scratch.actions)
    for _ in range(worlds):
        states[1] = root[0]
        imagine(states[1], seat, rng)
        for i in range(count):
            legal(root[0], seat, scratch.actions)
            action = scratch.actions[i]
            states[0] = states[1]
            scratch.joint[seat] = action
            apply(states[0], scratch.joint)
            if action == PUSH:
                partner = (seat + 2) & 3
                mode, _ = best_mode(states[0], states[0].hands[partner], 1, finish.modes)
                scratch.joint[partner] = FIRST_MODE + mode
                apply(states[0], scratch.joint)
            lead = sign * finish_deal(states, 0, finish, memory, leaf)
            if stopped(scratch.sign):
                return count
            sums[i] += lead
            squares[i] += lead * lead
            visits[i] += 1
    return count
