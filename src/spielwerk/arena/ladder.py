"""How far apart are the rungs of a game's ladder? Each is measured against the one below, the first against `random`.

In a game for one seat it is the mean of the points. In a game that is played in deals (it has a variant `…-deal`) it is
the lead over the rung below in points per deal; elsewhere the share of the wins, a tie counting half. Both sides meet
the same dice and cards, on every seat in turn.
"""

import math
from collections.abc import Iterator
from typing import Literal

import msgspec

from spielwerk.arena.evaluate import Evaluation, evaluate
from spielwerk.core import registry

Kind = Literal["points", "lead", "wins"]


class Step(msgspec.Struct, frozen=True):
    """A rung as it was measured now, beside what the game declares."""

    strength: str
    agent: str
    below: str | None  # the agent that it was measured against; None = its points alone
    figure: float  # mean points, points of lead, or per cent of the wins
    error: float  # half of the 95 % interval
    declared: float | None
    declared_error: float
    higher: bool  # whether it is better than the rung below, with 95 % certainty
    seconds: float

    @property
    def as_declared(self) -> bool:
        """Whether the game's figure may be true: the intervals overlap, with half as much again for bad luck."""
        if self.declared is None:
            return True
        return abs(self.figure - self.declared) <= 1.5 * math.hypot(self.error, self.declared_error)


def kind_of(game: str) -> Kind:
    spec = registry.game_class(game).spec
    if spec.seats[0] == 1:
        return "points"
    return "lead" if _deal(game) else "wins"


def climb(game: str, games: int, slow: int, seed: int = 0, workers: int = 1) -> Iterator[Step]:
    """Measure a ladder, rung by rung, with `games` matches of those that play by a compiled rule and `slow` of those
    that search."""
    kind = kind_of(game)
    rungs = registry.game_class(game).spec.ladder
    lowest = -math.inf  # what the points of the rung below are at least
    for place, rung in enumerate(rungs):
        below = None if kind == "points" else (rungs[place - 1].agent if place else "random")
        count = games if all(_quick(game, agent) for agent in (rung.agent, below) if agent) else slow
        found = evaluate(
            game, rung.agent, opponents=below, variant=_deal(game), games=count, seed=seed, workers=workers
        )
        figure, error = _figure(kind, found)
        higher = figure - error > {"points": lowest, "lead": 0.0, "wins": 50.0}[kind]
        lowest = figure + error
        yield Step(rung.strength, rung.agent, below, figure, error, rung.measured, rung.error, higher, found.seconds)


def _quick(game: str, agent: str) -> bool:
    rule = registry.agent(agent).policy(registry.game(game))
    return rule is not None and not rule.searches


def _deal(game: str) -> str | None:
    """The first variant that is a single deal."""
    return next((name for name in registry.game_class(game).spec.variants if name.endswith("-deal")), None)


def _figure(kind: Kind, found: Evaluation) -> tuple[float, float]:
    low, high = (found.win_ci95 if kind == "wins" else found.ci95) or (-math.inf, math.inf)
    if kind == "wins":
        return 100 * (found.win_share or 0.0), 50 * (high - low)
    if kind == "points":
        return found.mean, (high - low) / 2
    teams = found.extras["points per deal"]
    return 2 * found.mean - sum(teams.values()), high - low
