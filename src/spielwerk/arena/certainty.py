"""certainty: how often does an agent choose the same action in the same position?

Source: Kutsch (2017), 2.4 and 9.1. Positions are collected from matches that the agent (or a given other agent) plays,
and grouped by the number of legal actions and by what the game names (2048: empty cells). Every position is decided
several times with fresh randomness. Certainty C is the share of the most frequent action; with n legal actions the
normalised certainty is (n C - 1) / (n - 1): 0 = like a random player, 1 = always the same. An agent may differ from
position to position: the thesis gave its trees a number of iterations for every legal action.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from spielwerk.arena.statistics import summary
from spielwerk.arena.words import say
from spielwerk.arena.workers import Rate, check_workers, match_seed
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.position import View
from spielwerk.core.words import number as written

Report = Callable[[float, str], None]
AgentOf = Callable[[View], str]  # the agent that decides a position

POOL = 20  # positions that are collected for each one that is measured


class Group(msgspec.Struct, frozen=True):
    key: dict[str, int]  # legal actions, and the game's own groups
    states: int
    certainty: float  # mean normalised certainty
    ci95: tuple[float, float] | None


class Certainty(msgspec.Struct, frozen=True):
    game: str
    variant: str
    seats: int
    agent: str
    states: int
    repeats: int
    seed: int
    mean: float
    ci95: tuple[float, float] | None
    groups: list[Group]


GroupKey = tuple[tuple[str, int], ...]
Pools = dict[GroupKey, list[View]]


class _Found(NamedTuple):
    key: GroupKey
    view: View


def normalised(share: float, actions: int) -> float:
    """Formula 10 of the thesis."""
    return (actions * share - 1) / (actions - 1)


def certainty(
    game: str | Game,
    agent: str | Agent,
    *,
    agent_of: AgentOf | None = None,
    keep: Callable[[View], bool] = lambda view: True,
    per_group: int | None = None,
    seats: int | None = None,
    variant: str | None = None,
    states: int = 100,
    repeats: int = 20,
    collector: str | Agent | None = None,
    seed: int = 0,
    workers: int = 1,
    report: Report = lambda done, line: None,
) -> Certainty:
    """Measure the certainty of an agent over about `states` positions, spread evenly over the groups.

    `agent_of` names the agent for each position if it is not always the same; `agent` is then what the result is called
    after. `keep` leaves positions out, and no group has more than `per_group`.
    """
    if states < 1 or repeats < 2:
        raise SpielwerkError(say("certainty needs at least one position and two repeats"))
    check_workers(workers)
    table = registry.game(game, seats, variant) if isinstance(game, str) else game
    player = registry.agent(agent)
    player.require(table)
    pools = collect(table, registry.agent(collector) if collector else player, POOL * states, seed, report, keep)
    found = _spread(pools, states, per_group, seed)
    rate = Rate()

    def measured(number: int) -> float:
        view = found[number].view
        decider = registry.agent(agent_of(view)) if agent_of else player
        chosen = Counter(
            decider.decide(view, Budget(), spawn(seed, 2, number, repeat)).action for repeat in range(repeats)
        )
        return normalised(chosen.most_common(1)[0][1] / repeats, len(view.legal))

    values = []
    from joblib import Parallel, delayed

    calls = (delayed(measured)(number) for number in range(len(found)))
    for value in Parallel(n_jobs=workers, backend="threading", return_as="generator")(calls):
        values.append(value)
        mean = say("mean {share} %", share=written(100 * sum(values) / len(values), 1))
        report(len(values) / len(found), rate.line(mean))
    by_key = defaultdict(list)
    for state, value in zip(found, values, strict=True):
        by_key[state.key].append(value)
    groups = [_group(dict(key), members) for key, members in sorted(by_key.items())]
    overall = summary(values)
    return Certainty(
        table.spec.id, table.variant, table.seats, player.spec, len(found), repeats, seed,
        overall.mean, overall.ci95, groups,
    )  # fmt: skip


def _group(key: dict[str, int], values: list[float]) -> Group:
    figures = summary(values)
    return Group(key, figures.size, figures.mean, figures.ci95)


def collect(
    game: Game, collector: Agent, wanted: int, seed: int, report: Report, keep: Callable[[View], bool]
) -> Pools:
    """Positions with a real choice from whole matches, at least `wanted` if there are enough matches."""
    collector.require(game)
    seen = 0
    pools: Pools = defaultdict(list)
    for number in range(1000):
        match = match_seed(seed, number)
        position = game.new(match)
        rngs = [spawn(match, 1 + seat) for seat in range(game.seats)]
        while not position.over:
            moves: dict[int, int | str] = {}
            for seat in position.actors:
                view = position.view(seat)
                if len(view.legal) > 1 and keep(view):
                    key = (("legal", len(view.legal)), *game.groups(view).items())
                    pools[key].append(view)
                    seen += 1
                moves[seat] = collector.decide(view, Budget(), rngs[seat]).action
            position.play(moves)
            report(0.0, say("collecting positions: {seen} of {wanted}", seen=written(seen), wanted=written(wanted)))
        if seen >= wanted:
            break
    if not seen:
        phrase = "{game}: {agent} never has a choice, so certainty says nothing"
        raise SpielwerkError(say(phrase, game=game.title, agent=collector.spec))
    return pools


def _spread(pools: Pools, states: int, per_group: int | None, seed: int) -> list[_Found]:
    """The same number of positions per group as far as they occur."""
    chosen: list[_Found] = []
    order = {key: _shuffled(views, seed)[:per_group] for key, views in sorted(pools.items())}
    depth = 0
    while len(chosen) < states and any(len(views) > depth for views in order.values()):
        for key, views in order.items():
            if len(views) > depth and len(chosen) < states:
                chosen.append(_Found(key, views[depth]))
        depth += 1
    return chosen


def _shuffled(views: list[View], seed: int) -> list[View]:
    """In an order that depends on the seed alone."""
    keyed = sorted((int(spawn(seed, 1, number)[0]), number) for number in range(len(views)))
    return [views[number] for _, number in keyed]
