"""Glicko-2 ratings (Glickman 2013) of one rating period, as the challenge server computed them."""

import math
from collections.abc import Sequence
from typing import NamedTuple

START, DEVIATION, VOLATILITY, TAU = 1500.0, 200.0, 0.06, 0.5
SCALE = 173.7178


class Glicko(NamedTuple):
    rating: float = START
    deviation: float = DEVIATION
    volatility: float = VOLATILITY


def rated(player: Glicko, games: Sequence[tuple[Glicko, float]]) -> Glicko:
    """The rating after one period: `games` holds opponents (as before the period) and results 1, 0.5 or 0."""
    mu, phi = (player.rating - START) / SCALE, player.deviation / SCALE
    if not games:
        return Glicko(player.rating, SCALE * math.hypot(phi, player.volatility), player.volatility)
    information, improvement = 0.0, 0.0
    for other, result in games:
        weight = 1 / math.sqrt(1 + 3 * (other.deviation / SCALE / math.pi) ** 2)
        expected = 1 / (1 + math.exp(-weight * (mu - (other.rating - START) / SCALE)))
        information += weight**2 * expected * (1 - expected)
        improvement += weight * (result - expected)
    variance = 1 / information
    sigma = _volatility(player.volatility, phi, variance, variance * improvement)
    phi = 1 / math.sqrt(1 / (phi**2 + sigma**2) + information)
    return Glicko(START + SCALE * (mu + phi**2 * improvement), SCALE * phi, sigma)


def _volatility(sigma: float, phi: float, variance: float, delta: float) -> float:
    """Step 5 of the algorithm: the root of f by the Illinois method."""
    a = math.log(sigma**2)

    def f(x: float) -> float:
        e = math.exp(x)
        return e * (delta**2 - phi**2 - variance - e) / (2 * (phi**2 + variance + e) ** 2) - (x - a) / TAU**2

    low = a
    if delta**2 > phi**2 + variance:
        high = math.log(delta**2 - phi**2 - variance)
    else:
        k = 1
        while f(a - k * TAU) < 0:
            k += 1
        high = a - k * TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > 1e-6:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return math.exp(low / 2)
