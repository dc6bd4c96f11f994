"""The best turn of solo Qwixx by the solver's table, compiled."""

import numpy as np

from spielwerk.core.linker import kernel, outlined
from spielwerk.games.qwixx.kernel.rules import WHITE, end_is_reached, points
from spielwerk.games.qwixx.kernel.solve import place
from spielwerk.games.qwixx.players.kernel.pairvalue import carry_out, list_plans, row_state


@outlined
def solved_policy(s, seat, weights, scratch, rng):
    """weights: the table of points to come, and room for the plans of a turn."""
    value, plans = weights
    count = list_plans(s, seat, plans)
    x = scratch.states[0]
    best = -np.inf
    chosen = 0
    for i in range(count):
        scratch.states[0] = s
        carry_out(x, seat, plans[i, 0], plans[i, 1])
        total = expected_total(x, seat, value)
        if total > best:
            best = total
            chosen = i
    return plans[chosen, 0] if s.phase == WHITE else plans[chosen, 1]


@kernel
def expected_total(s, seat, value):
    """Points so far and points to come at the end of a turn."""
    s.closed |= s.locked
    total = np.float64(points(s, seat))
    if end_is_reached(s):
        return total
    at = place(row_state(s, seat, 0), row_state(s, seat, 1), row_state(s, seat, 2), row_state(s, seat, 3))
    return total + value[at, np.int64(s.penalties[seat])]
