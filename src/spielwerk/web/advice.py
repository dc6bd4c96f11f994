"""Hints and reviews: what an agent thinks of all legal actions, in figures that people understand.

Values are shown as expected points or as a chance to win. An agent whose values are comparable only among themselves
gives a ranking. The adviser is the strongest agent of the game's ladder; if it does not speak in points or chances, a
tree search that does takes its place.

A verdict is a threshold on what was given away, as lichess has it: 5, 10 and 15 points of percentage of the chance to
win are an inaccuracy, a mistake and a blunder. Where values are points, what counts is their share of the points still
to come, or with several seats of the game's scale: 5, 10 and 20 percent. A loss within the uncertainty of the two
values is no mistake.
"""

import math
from collections.abc import Sequence

from spielwerk.core import registry
from spielwerk.core.agent import Budget, Decision
from spielwerk.core.game import Game, View
from spielwerk.core.rng import spawn
from spielwerk.web import messages
from spielwerk.web.language import say
from spielwerk.web.think import OutOfTime, Preparer, Thinker

INTERVAL = 1.96  # standard errors on each side of a 95 % interval
THRESHOLDS: dict[str, tuple[float, float, float]] = {"win": (0.05, 0.10, 0.15), "points": (0.05, 0.10, 0.20)}
VERDICTS: tuple[messages.Verdict, ...] = ("good", "inaccuracy", "mistake", "blunder")


def shown_unit(decision: Decision) -> messages.Unit:
    if decision.values is None or not any(math.isfinite(value) for value in decision.values):
        return "rank"
    return "points" if decision.unit == "points" else "win" if decision.unit == "win" else "rank"


def judged(view: View, decision: Decision, unit: messages.Unit) -> list[messages.Judged]:
    """All legal actions, the best first. The action that the agent chose is the best, whatever the values say."""
    legal, names = view.legal, view.game.spec.moves
    values = decision.values or (math.nan,) * len(legal)
    errors = decision.error or (math.nan,) * len(legal)

    def order(i: int) -> tuple[bool, float]:
        return legal[i] != decision.action, -values[i] if math.isfinite(values[i]) else math.inf

    found = []
    for rank, i in enumerate(sorted(range(len(legal)), key=order), 1):
        value = low = high = None
        if unit != "rank" and math.isfinite(values[i]):
            value = values[i]
            if math.isfinite(errors[i]):
                low, high = value - INTERVAL * errors[i], value + INTERVAL * errors[i]
                if unit == "win":
                    low, high = max(low, 0.0), min(high, 1.0)
        found.append(messages.Judged(action=legal[i], move=names[legal[i]], rank=rank, value=value, low=low, high=high))
    return found


def in_words(game: Game, actions: Sequence[messages.Judged]) -> list[messages.Judged]:
    """The same with the names of the moves in the language that is spoken."""
    return [one.model_copy(update={"name": game.move_name(one.action)}) for one in actions]


def worth_a_look(actions: Sequence[messages.Judged]) -> list[int]:
    """The first step of a hint: the better half, at least two, in an order that does not betray the best."""
    count = min(len(actions), max(2, (len(actions) + 2) // 3))
    return sorted(judgement.action for judgement in actions[:count])


def judgement(number: int, view: View, played: int, decision: Decision, unit: messages.Unit) -> messages.Judgement:
    """What a decision gave away."""
    names = view.game.spec.moves
    actions = judged(view, decision, unit)
    best = actions[0]
    mine = next(one for one in actions if one.action == played)
    lost = share = None
    verdict: messages.Verdict = "best" if mine is best else "good"
    if len(actions) == 1:
        verdict = "forced"
    if best.value is not None and mine.value is not None:
        lost = max(best.value - mine.value, 0.0)
        share = min(lost / (1.0 if unit == "win" else at_stake(view, best.value)), 1.0)
        if mine is not best and lost > uncertainty(best, mine):
            verdict = VERDICTS[sum(share >= threshold for threshold in THRESHOLDS[unit])]
    return messages.Judgement(
        number=number,
        seat=view.seat,
        move=names[played],
        best=best.move,
        verdict=verdict,
        value=best.value,
        lost=lost,
        share=share,
        actions=actions,
    )


def at_stake(view: View, best: float) -> float:
    """The points against which a loss of points is weighed: with several seats the game's own scale, alone the points
    still to come. Some agents count them from the start of the match, some from now on; near the end of a match the
    two cannot be told apart, and the larger figure, which judges milder, is taken."""
    if view.game.seats > 1:
        return view.game.spec.scale
    to_come = best - view.score[view.seat]
    return max(to_come if to_come > 0.1 * best else best, 1.0)


def uncertainty(one: messages.Judged, other: messages.Judged) -> float:
    """Half the width of the 95 % interval of a difference."""
    halves = [(each.high - each.low) / 2 for each in (one, other) if each.high is not None and each.low is not None]
    return math.hypot(*halves)


class Adviser:
    """Finds for every game the agent that can be understood, and asks it."""

    def __init__(self, preparer: Preparer, thinker: Thinker, limit: float) -> None:
        self._preparer, self._thinker, self._limit = preparer, thinker, limit
        self._chosen: dict[tuple[str, int, str], str] = {}

    async def ask(self, view: View, seconds: float, seed: int) -> tuple[str, messages.Unit, Decision]:
        """(agent, unit, decision) of the adviser for a view."""
        game = view.game
        key = (game.spec.id, game.seats, game.variant)
        if key in self._chosen:
            return await self._decision(self._chosen[key], view, seconds, seed)
        problem: Exception | None = None
        ranking = None
        for spec in _advisers(game):
            try:
                found = await self._decision(spec, view, seconds, seed)
            except (OutOfTime, ValueError, NotImplementedError) as raised:
                problem = problem or raised
                continue
            if len(view.legal) == 1:  # says nothing about the agent
                return found
            if found[1] != "rank":
                self._chosen[key] = spec
                return found
            ranking = ranking or (spec, found)
        if ranking is None:
            raise problem or OutOfTime(say("nobody can advise on {game}", game=game.title))
        self._chosen[key] = ranking[0]
        return ranking[1]

    async def _decision(self, spec: str, view: View, seconds: float, seed: int) -> tuple[str, messages.Unit, Decision]:
        await self._preparer.agent(view.game, spec)
        budget = Budget(seconds=seconds)
        decision = await self._thinker.decide(registry.agent(spec), view, budget, spawn(seed, 99), self._limit)
        return spec, shown_unit(decision), decision


def _advisers(game: Game) -> list[str]:
    """Whom to ask, in this order."""
    objective = "points" if game.seats == 1 else "win"
    strongest = [spec for _, spec in game.spec.ladder[-1:]]
    return [*strongest, f"mctse:objective={objective}", f"mc:objective={objective},method=1"]
