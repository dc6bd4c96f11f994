"""evaluate: how good is an agent? Many matches, a mean with its interval, the game's own statistics.

With opponents the agent sits on every seat in turn, with the same dice and cards each time (paired). Without, it plays
on all seats and every seat counts. Values of one match, and of matches with the same dice, hang together: intervals
come from these groups, not from single values, and from groups that merely repeat others not at all.
"""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from spielwerk.arena.campaign import Conditions, Report, play_and_keep
from spielwerk.arena.repeats import repeats
from spielwerk.arena.statistics import share_summary, summary, win_shares
from spielwerk.arena.store import Run, Store
from spielwerk.arena.words import say
from spielwerk.arena.workers import Backend, Task, check_opening, match_seed
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget, StopSign
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.position import Position
from spielwerk.core.running import Played
from spielwerk.core.words import number


class Evaluation(msgspec.Struct, frozen=True):
    game: str
    variant: str
    seats: int
    agent: str
    opponents: str | None
    games: int
    seed: int
    mean: float
    sd: float
    ci95: tuple[float, float] | None  # None: a single match has no interval, however often it is repeated
    median: float
    quantiles: dict[str, float]
    min: float
    max: float
    win_share: float | None  # None: one seat, or the agent plays against itself
    win_ci95: tuple[float, float] | None
    seconds: float  # sum over all matches, whatever the number of workers
    decisions_per_second: float  # of one worker
    histogram: dict[str, list[float]]  # edges, counts
    extras: dict[str, Any]
    run: int | None = None  # in the store
    opening: int = 0  # random first moves
    distinct: int | None = None  # different matches; None: not counted
    repeated: int | None = None  # matches that repeat another where nothing is random, and so say nothing new


def evaluate(
    game: str | Game,
    agent: str | Agent,
    *,
    seats: int | None = None,
    variant: str | None = None,
    opponents: str | Agent | None = None,
    games: int = 100,
    seed: int = 0,
    opening: int = 0,
    workers: int = 1,
    backend: Backend = "auto",
    budget: Budget | None = None,
    store: Store | None = None,
    resume: bool = False,
    report: Report = lambda done, line: None,
    live: Callable[[Callable[[], Evaluation | None], int | None], None] = lambda standing, run: None,
    sign: StopSign | None = None,
) -> Evaluation:
    """Play `games` matches, each with `opening` random first moves, and sum them up. `live` is given a function that
    says, at any time and from any thread, what the matches so far say (None: there are none yet), and the run's number
    in the store. Setting the `sign` ends it with Stopped, in the middle of a match."""
    if games < 1:
        raise SpielwerkError(say("{games} matches say nothing; play at least 1", games=games))
    check_opening(opening)
    table = registry.game(game, seats, variant) if isinstance(game, str) else game
    player = registry.agent(agent)
    others = registry.agent(opponents) if opponents is not None else None
    if others is not None and table.seats == 1:
        raise SpielwerkError(say("{game} with one seat has no opponents; leave --opponents out", game=table.title))
    tasks = _tasks(table, player, others, games, seed)
    config = {
        "game": table.spec.id,
        "variant": table.variant,
        "seats": table.seats,
        "agent": player.spec,
        "opponents": others.spec if others else None,
        "games": games,
        "seed": seed,
        "opening": opening,
    }
    count, total = 0, 0.0

    def mean_so_far(task: Task, match: Played) -> str:
        nonlocal count, total
        count, total = count + 1, total + match.scores[task.agents.index(player)]
        return say("mean {points}", points=number(total / count, 1))

    def watch(played: dict[int, Played], run: int | None) -> None:
        live(lambda: _summed_up(table, player, others, tasks, dict(played), config, run) if played else None, run)

    conditions = Conditions(workers, backend, store, resume, report, watch, sign)
    played, run = play_and_keep("evaluate", config, table, tasks, budget, conditions, mean_so_far)
    result = _summed_up(table, player, others, tasks, played, config, run)
    if store and run is not None:
        store.finish(run, msgspec.to_builtins(result))
    return result


def so_far(store: Store, run: Run) -> Evaluation | None:
    """What the matches of an unfinished run in the store say; None if there are none yet."""
    config = {name: run.config[name] for name in ("game", "variant", "seats", "agent", "opponents", "games", "seed")}
    config["opening"] = run.config.get("opening", 0)
    game = registry.game(config["game"], config["seats"], config["variant"])
    player, others = registry.agent(config["agent"]), config["opponents"] and registry.agent(config["opponents"])
    played = store.matches(run.id, game)
    tasks = _tasks(game, player, others, config["games"], config["seed"])
    return _summed_up(game, player, others, tasks, played, config, run.id) if played else None


def _tasks(game: Game, player: Agent, others: Agent | None, games: int, seed: int) -> list[Task]:
    if others is None:
        return [Task(n, match_seed(seed, n), (player,) * game.seats) for n in range(games)]
    teams = Position(game, game.opening().state, 0).teams
    line_ups = [tuple(player if team == own else others for team in teams) for own in teams]
    return [Task(n, match_seed(seed, n // game.seats), line_ups[n % game.seats]) for n in range(games)]


def _summed_up(
    game: Game,
    player: Agent,
    others: Agent | None,
    tasks: list[Task],
    played: dict[int, Played],
    config: dict[str, Any],
    run: int | None,
) -> Evaluation:
    """The figures of the matches that have been played."""
    scores: list[float] = []
    wins: list[float] = []
    groups: list[int] = []
    tasks = [task for task in tasks if task.number in played]
    found = repeats(game, tasks, played, config["opening"])
    fresh: set[int] = set()  # groups that say something new
    teams = Position(game, played[tasks[0].number].final, 0).teams
    for task in tasks:
        match = played[task.number]
        if others is None:
            scores += match.scores
            groups += [task.number] * game.seats
        else:
            own = task.number % game.seats
            scores.append(match.scores[own])
            wins.append(win_shares(match.results, teams)[own])
            groups.append(task.number // game.seats)
        if task.number in found.fresh:
            fresh.add(groups[-1])
    figures = summary(scores, groups, len(fresh))
    won = share_summary(wins, groups, len(fresh)) if wins else None
    finals = game.states(len(tasks))
    for place, task in enumerate(tasks):
        finals[place] = played[task.number].final[0]
    seconds = sum(match.seconds for match in played.values())
    decisions = sum(len(match.log) for match in played.values())
    counts, edges = np.histogram(scores, bins=min(40, max(5, len(scores) // 5)))
    return Evaluation(
        **{**config, "games": len(tasks)},
        mean=figures.mean,
        sd=figures.sd,
        ci95=figures.ci95,
        median=figures.median,
        quantiles=figures.quantiles,
        min=figures.min,
        max=figures.max,
        win_share=won.mean if won else None,
        win_ci95=won.ci95 if won else None,
        seconds=seconds,
        decisions_per_second=decisions / max(seconds, 1e-9),
        histogram={"edges": [float(edge) for edge in edges], "counts": [float(count) for count in counts]},
        extras=game.extras(finals),
        run=run,
        distinct=found.distinct,
        repeated=found.repeated,
    )
