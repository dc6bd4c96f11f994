"""Hints and reviews: what an agent thinks of all legal actions, in figures that people understand.

Values are shown as expected points, as an expected lead or as a chance to win. An agent whose values are comparable
only among themselves gives a ranking. The adviser is the strongest agent of the game's ladder; if it does not speak in
such units, a tree search that does takes its place.

A verdict is a threshold on the chance that was given away, as lichess has it: 5, 10 and 15 points of percentage of the
chance to win are an inaccuracy, a mistake and a blunder. A loss of points is the chance that it costs in a contest that
is level and whose outcome is spread as the game says (`Game.spread`): Φ(loss / spread) - 1/2. Alone, one contends with
an equal over a series of ten matches, in each of which one loses as much, since a single match is mostly luck. A loss
within the uncertainty of the two values is never blamed.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from spielwerk.core import registry
from spielwerk.core.agent import Decision
from spielwerk.core.clock import Budget, OutOfTime
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.position import View
from spielwerk.core.running import choice_in, warm
from spielwerk.web import messages
from spielwerk.web.language import say
from spielwerk.web.think import Part, Preparer, Thinker, Urgency

INTERVAL = 1.96  # standard errors on each side of a 95 % interval
THRESHOLDS = (0.05, 0.10, 0.15)  # of the chance lost
VERDICTS: tuple[messages.Verdict, ...] = ("good", "inaccuracy", "mistake", "blunder")
BLAMED = VERDICTS[1:]
TRIAL = 0.05  # seconds for a first decision, which tells what an adviser's values are
SERIES = 10  # matches of a contest between two who play alone


def shown_unit(decision: Decision) -> messages.Unit:
    if decision.values is None or not any(math.isfinite(value) for value in decision.values):
        return "rank"
    units: tuple[messages.Unit, ...] = ("points", "lead", "win")
    return next((unit for unit in units if unit == decision.unit), "rank")


def judged(view: View, decision: Decision, unit: messages.Unit) -> list[messages.Judged]:
    """All legal actions, the best first. The action that the agent chose is the best, whatever the values say."""
    legal, names = view.legal, view.game.spec.moves
    values = decision.values or (math.nan,) * len(legal)
    errors = decision.error
    if errors is None or not any(errors):  # it computed and did not sample: how far off it may be is not known
        errors = (math.nan,) * len(legal)

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
        share = lost if unit == "win" else chance_of(view, best.value, lost)
        if mine is not best and lost > uncertainty(best, mine):
            verdict = VERDICTS[sum(share >= threshold for threshold in THRESHOLDS)]
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


def chance_of(view: View, best: float, lost: float) -> float:
    """The chance to win that a loss of points costs in a level contest."""
    game = view.game
    spread = game.spread(view, best) * (math.sqrt(2 / SERIES) if game.seats == 1 else 1.0)
    return 0.5 * math.erf(lost / spread / math.sqrt(2))


def milder(one: messages.Judgement, other: messages.Judgement) -> messages.Judgement:
    """The judgement that blames less."""
    blame = [VERDICTS.index(each.verdict) if each.verdict in BLAMED else 0 for each in (one, other)]
    return other if blame[1] < blame[0] or (blame[0] == blame[1] and (other.share or 0) < (one.share or 0)) else one


def uncertainty(one: messages.Judged, other: messages.Judged) -> float:
    """Half the width of the 95 % interval of a difference."""
    halves = [(each.high - each.low) / 2 for each in (one, other) if each.high is not None and each.low is not None]
    return math.hypot(*halves)


class Advice(NamedTuple):
    agent: str
    unit: messages.Unit
    decision: Decision


class Adviser:
    """Finds for every game the agent that can be understood, and asks it."""

    def __init__(self, preparer: Preparer, thinker: Thinker, limit: float) -> None:
        self._preparer, self._thinker, self._limit = preparer, thinker, limit
        self._chosen: dict[tuple[str, int, str], str] = {}
        self._warm: set[tuple[str, str]] = set()  # (game, agent): nothing is left to compile

    def part(self, game: Game, urgency: Urgency = Urgency.SOON) -> Part:
        """The preparation of whoever will advise on a game."""
        key = game.spec.id, Adviser
        return self._preparer.part(key, game, lambda: say("hints"), partial(self._prepare, game), urgency)

    def _prepare(self, game: Game) -> None:
        """Compile advisers until one speaks in a unit; whom a hint asks then is decided by what he says to it."""
        view = choice_in(game)
        for spec in _advisers(game):
            try:
                agent = registry.agent(spec)
                warm(game, agent)
                self._warm.add((game.spec.id, spec))
                if view is None or shown_unit(agent.decide(view, Budget(seconds=TRIAL), spawn(0, 2))) != "rank":
                    return
            except (ValueError, NotImplementedError):
                continue

    async def ask(self, view: View, seconds: float, seed: int, who: str = "", agent: str | None = None) -> Advice:
        """What the adviser, or else the agent that is named, thinks of a view; `who` wants to know."""
        game = view.game
        if agent is not None:
            return await self._decision(agent, view, seconds, seed, who)
        await self._preparer.finish(self.part(game, Urgency.NOW))
        key = (game.spec.id, game.seats, game.variant)
        if key in self._chosen:
            return await self._decision(self._chosen[key], view, seconds, seed, who)
        problem: Exception | None = None
        ranking = None
        for spec in _advisers(game):
            try:
                found = await self._decision(spec, view, seconds, seed, who)
            except (OutOfTime, ValueError, NotImplementedError) as raised:
                problem = problem or raised
                continue
            if len(view.legal) == 1:  # says nothing about the agent
                return found
            if found.unit != "rank":
                self._chosen[key] = spec
                return found
            ranking = ranking or (spec, found)
        if ranking is None:
            raise problem or OutOfTime(say("nobody can advise on {game}", game=game.title))
        self._chosen[key] = ranking[0]
        return ranking[1]

    async def _decision(self, spec: str, view: View, seconds: float, seed: int, who: str) -> Advice:
        if (view.game.spec.id, spec) not in self._warm:
            await self._preparer.agent(view.game, spec)
        budget = Budget(seconds=seconds)
        decision = await self._thinker.decide(registry.agent(spec), view, budget, spawn(seed, 99), self._limit, who)
        return Advice(spec, shown_unit(decision), decision)


def _advisers(game: Game) -> list[str]:
    """Whom to ask, in this order: the strongest of the ladder, a tree search whose playouts the strongest agent with a
    compiled rule plays, one with random playouts, plain playouts."""
    objective = "points" if game.seats == 1 else "win"
    strongest = [rung.agent for rung in game.spec.ladder[-1:]]
    below = [rung.agent for rung in game.spec.ladder[-2::-1] if rung.agent != "random"]
    guided = [f"mctse:objective={objective},playouts=({spec})" for spec in below if _rules(spec, game)][:1]
    return [*strongest, *guided, f"mctse:objective={objective}", f"mc:objective={objective},method=1"]


def _rules(spec: str, game: Game) -> bool:
    """Whether an agent has a compiled rule that is quick enough for playouts."""
    agent = registry.agent(spec)
    rule = agent.policy(game) if agent.why_not(game) is None else None
    return rule is not None and not rule.searches
