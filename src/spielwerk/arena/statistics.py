"""Means with 95 % intervals, quantiles, shares."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

QUANTILES = (0.05, 0.25, 0.75, 0.95)


class Summary(NamedTuple):
    size: int  # number of values
    mean: float
    sd: float  # of one value
    ci95: tuple[float, float]  # of the mean, by Student's t
    median: float
    quantiles: dict[str, float]
    min: float
    max: float


def half_width(sd: float, count: int) -> float:
    """Half the width of the 95 % interval of a mean of `count` values; infinite for one value."""
    if count < 2:
        return math.inf
    return float(stdtrit(count - 1, 0.975)) * sd / math.sqrt(count)


def summary(values: Sequence[float]) -> Summary:
    array = np.asarray(values, np.float64)
    mean = float(array.mean())
    sd = float(array.std(ddof=1)) if len(array) > 1 else 0.0
    half = half_width(sd, len(array))
    quantiles = {f"{round(100 * q)} %": float(np.quantile(array, q)) for q in QUANTILES}
    return Summary(len(array), mean, sd, (mean - half, mean + half), float(np.median(array)), quantiles, *_range(array))


def _range(array: np.ndarray) -> tuple[float, float]:
    return float(array.min()), float(array.max())


def win_shares(results: Sequence[float], teams: Sequence[int]) -> list[float]:
    """The share of the win per seat: 1 for the team that leads, split between teams that tie."""
    best = max(results)
    leading = {team for team, result in zip(teams, results, strict=True) if result == best}
    return [1 / len(leading) if team in leading else 0.0 for team in teams]
