"""Objectives: what points are worth. Not a rule of any game: a search is specialised with one of them.

`points`   the points of the seat's team on a scale (the game names the scale: what counts as 1).
`win`      the share of the win: 1 for the team that leads, split between teams that tie.
`margin`   the lead over the best other team on a scale, squeezed into [0, 1]; 0.5 = level.

Worth is per seat, from nobody's point of view; members of one team have the same worth.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from spielwerk.core.kernel.contract import result, score, team
from spielwerk.core.linker import kernel


@kernel
def points(s, scale, out):
    score(s, out)
    for seat in range(out.shape[0]):
        out[seat] = out[seat] / scale


@kernel
def win(s, scale, out):
    result(s, out)
    seats = out.shape[0]
    best = out[0]
    for seat in range(seats):
        if out[seat] > best:
            best = out[seat]
    leading = np.int64(0)  # bit set of the teams that lead
    for seat in range(seats):
        if out[seat] == best:
            leading = leading | (np.int64(1) << np.int64(team(s, seat)))
    count = 0
    for t in range(seats):
        if (leading >> t) & 1:
            count += 1
    for seat in range(seats):
        if (leading >> np.int64(team(s, seat))) & 1:
            out[seat] = 1.0 / count
        else:
            out[seat] = 0.0


@kernel
def margin(s, scale, out):
    score(s, out)
    seats = out.shape[0]
    first = out[0]
    first_team = team(s, 0)
    for seat in range(seats):
        if out[seat] > first:
            first = out[seat]
            first_team = team(s, seat)
    second = -np.inf
    for seat in range(seats):
        if team(s, seat) != first_team and out[seat] > second:
            second = out[seat]
    for seat in range(seats):
        lead = out[seat] - (second if team(s, seat) == first_team else first)
        if lead == np.inf:  # nobody else at the table
            lead = out[seat]
        out[seat] = 0.5 + 0.5 * lead / (scale + abs(lead))


OBJECTIVES: dict[str, Callable[..., Any]] = {"points": points, "win": win, "margin": margin}
