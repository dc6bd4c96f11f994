"""Means with 95 % intervals, quantiles, shares."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

QUANTILES = (0.05, 0.25, 0.75, 0.95)
NORMAL = 1.959964  # 95 % of a normal distribution lie within so many standard deviations


class Summary(NamedTuple):
    size: int  # number of values
    mean: float
    sd: float  # of one value
    ci95: tuple[float, float] | None  # of the mean, by Student's t; None: one value or group has no interval
    median: float
    quantiles: dict[str, float]
    min: float
    max: float


def half_width(sd: float, count: int) -> float:
    """Half the width of the 95 % interval of a mean of `count` values; infinite for one value."""
    if count < 2:
        return math.inf
    return float(stdtrit(count - 1, 0.975)) * sd / math.sqrt(count)


def summary(values: Sequence[float], groups: Sequence[int] | None = None, independent: int | None = None) -> Summary:
    """Figures of `values`. Values of the same group (one match, the same dice) hang together; then the interval of the
    mean comes from the sums of whole groups, which are independent (Cochran 1977, chapter 9). If groups repeat others,
    only `independent` of them count as evidence; the interval is then as wide as if each had been seen once."""
    array = np.asarray(values, np.float64)
    mean = float(array.mean())
    sd = float(array.std(ddof=1)) if len(array) > 1 else 0.0
    numbers = np.arange(len(array)) if groups is None else np.unique(groups, return_inverse=True)[1]
    count = int(numbers.max()) + 1
    evidence = count if independent is None else independent
    interval = None
    if evidence > 1:
        copies = count / evidence
        if count == len(array):
            spread = float(array.std(ddof=copies))
        else:
            deviations = np.bincount(numbers, array - mean) * (count / len(array))  # of the mean, by each group
            spread = math.sqrt(float((deviations**2).sum()) / (count - copies))
        half = half_width(spread, evidence)
        interval = (mean - half, mean + half)
    quantiles = {f"{round(100 * q)} %": float(np.quantile(array, q)) for q in QUANTILES}
    median, low, high = float(np.median(array)), float(array.min()), float(array.max())
    return Summary(len(array), mean, sd, interval, median, quantiles, low, high)


def share_summary(
    values: Sequence[float], groups: Sequence[int] | None = None, independent: int | None = None
) -> Summary:
    """The same of shares, which lie between 0 and 1. Who has always won need not always win: where all are 0 or all 1
    the interval is that of Wilson (1927) for as many trials as there are independent groups."""
    found = summary(values, groups, independent)
    if found.ci95 is None:
        return found
    low, high = max(found.ci95[0], 0.0), min(found.ci95[1], 1.0)
    if found.mean in (0.0, 1.0):
        count = independent or (found.size if groups is None else len(set(groups)))
        low, high = wilson(count * found.mean, count)
    return found._replace(ci95=(low, high))


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """The 95 % interval of a share of independent trials (Wilson 1927)."""
    share, square = successes / trials, NORMAL**2
    middle = share + square / (2 * trials)
    spread = NORMAL * math.sqrt((share * (1.0 - share) + square / (4 * trials)) / trials)
    whole = 1.0 + square / trials
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def win_shares(results: Sequence[float], teams: Sequence[int]) -> list[float]:
    """The share of the win per seat: 1 for the team that leads, split between teams that tie."""
    best = max(results)
    leading = {team for team, result in zip(teams, results, strict=True) if result == best}
    return [1 / len(leading) if team in leading else 0.0 for team in teams]
