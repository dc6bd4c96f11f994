"""Ratings from meetings (openskill, Plackett-Luce: Weng and Lin 2011), in the order in which they were played."""

from collections.abc import Sequence
from typing import NamedTuple


class Rating(NamedTuple):
    mean: float
    sd: float
    ordinal: float  # mean - 3 sd: who is surely good stands high


def rate(players: int, meetings: Sequence[Sequence[tuple[int, float]]]) -> list[Rating]:
    """Ratings of `players` players after meetings of (player, what ranks it: more is better)."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    ratings = [model.rating() for _ in range(players)]
    for meeting in meetings:
        if len({player for player, _ in meeting}) < 2:
            continue
        best: dict[int, float] = {}
        for player, value in meeting:
            best[player] = max(value, best.get(player, value))
        teams = [[ratings[player]] for player in best]
        for player, [rating] in zip(best, model.rate(teams, scores=list(best.values())), strict=True):
            ratings[player] = rating
    return [Rating(rating.mu, rating.sigma, rating.ordinal()) for rating in ratings]
