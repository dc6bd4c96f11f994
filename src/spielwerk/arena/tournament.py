"""tournament: every agent against every other, with the same dice and cards for all.

A round is one seed for every line-up; every line-up is played once per rotation of its agents over the places, so that
luck of the deal and of the seat cancels out (duplicate). A place is a team of the game, or a seat where every seat is
its own team. Line-ups: all ways to fill the places with different agents; with fewer agents than places every line-up
holds each agent at least once. In one-seat games every agent plays every seed alone and the points are compared.

Intervals come from whole rounds, which are independent; matches with the same seed are not.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any

import msgspec

from spielwerk.arena.campaign import Conditions, Report, play_and_keep
from spielwerk.arena.rating import Rating, rate
from spielwerk.arena.statistics import Summary, share_summary, summary, win_shares
from spielwerk.arena.store import Run, Store
from spielwerk.arena.workers import Backend, Task, match_seed
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game, Position
from spielwerk.core.match import Played


class Standing(msgspec.Struct, frozen=True):
    agent: str
    matches: int
    win_share: float
    ci95: tuple[float, float] | None
    mean_score: float
    score_ci95: tuple[float, float] | None
    rating: float  # openskill's ordinal: cautious, higher is better
    rating_mean: float
    rating_sd: float


class Pairing(msgspec.Struct, frozen=True):
    """One cell of the cross table: how the first fared in matches with the second."""

    first: str
    second: str
    matches: int
    win_share: float  # how often the first had more points, ties count half
    score_difference: float
    ci95: tuple[float, float] | None  # of the score difference
    win_ci95: tuple[float, float] | None = None  # of win_share


class Tournament(msgspec.Struct, frozen=True):
    game: str
    variant: str
    seats: int
    rounds: int
    seed: int
    standings: list[Standing]
    cross_table: list[Pairing]
    run: int | None = None


def tournament(
    game: str | Game,
    agents: Sequence[str | Agent],
    *,
    seats: int | None = None,
    variant: str | None = None,
    rounds: int = 100,
    seed: int = 0,
    workers: int = 1,
    backend: Backend = "auto",
    budget: Budget | None = None,
    store: Store | None = None,
    resume: bool = False,
    report: Report = lambda done, line: None,
    live: Callable[[Callable[[], Tournament | None], int | None], None] = lambda standing, run: None,
) -> Tournament:
    """Play a round robin of `rounds` seeds per line-up. `live` is given a function that says, at any time and from any
    thread, how it stands (None: nothing has been played yet), and the run's number in the store."""
    table = registry.game(game, seats, variant) if isinstance(game, str) else game
    players = [registry.agent(agent) for agent in agents]
    if len(players) < 2 or len(set(players)) < len(players):
        raise SpielwerkError("a tournament takes at least two agents, all different")
    if rounds < 1:
        raise SpielwerkError(f"{rounds} rounds say nothing; play at least 1")
    tasks, numbers = schedule(table, players, rounds, seed)
    config = {
        "game": table.spec.id,
        "variant": table.variant,
        "seats": table.seats,
        "agents": [player.spec for player in players],
        "rounds": rounds,
        "seed": seed,
    }

    def watch(played: dict[int, Played], run: int | None) -> None:
        live(lambda: _summed_up(table, players, tasks, numbers, dict(played), config, run) if played else None, run)

    conditions = Conditions(workers, backend, store, resume, report, watch)
    played, run = play_and_keep("tournament", config, table, tasks, budget, conditions)
    result = _summed_up(table, players, tasks, numbers, played, config, run)
    if store and run is not None:
        store.finish(run, msgspec.to_builtins(result))
    return result


def so_far(store: Store, run: Run) -> Tournament | None:
    """How an unfinished run in the store stands; None if nothing has been played yet."""
    config = run.config
    game = registry.game(config["game"], config["seats"], config["variant"])
    players = [registry.agent(spec) for spec in config["agents"]]
    tasks, numbers = schedule(game, players, config["rounds"], config["seed"])
    played = store.matches(run.id, game)
    return _summed_up(game, players, tasks, numbers, played, config, run.id) if played else None


def line_ups(agents: int, places: int) -> list[tuple[int, ...]]:
    """Which agents meet: numbers of agents, one per place."""
    if agents >= places:
        return list(combinations(range(agents), places))
    return [line for line in combinations_with_replacement(range(agents), places) if len(set(line)) == agents]


def schedule(game: Game, players: Sequence[Agent], rounds: int, seed: int) -> tuple[list[Task], list[int]]:
    """All matches, and for each the number of its round."""
    teams = Position(game, game.opening().state, 0).teams
    places = sorted(set(teams))
    tasks: list[Task] = []
    numbers: list[int] = []
    for number in range(rounds):
        shared = match_seed(seed, number)
        for line in line_ups(len(players), len(places)):
            for turn in range(len(places)):
                seated = tuple(players[line[(places.index(team) + turn) % len(places)]] for team in teams)
                tasks.append(Task(len(tasks), shared, seated))
                numbers.append(number)
    return tasks, numbers


def _summed_up(
    game: Game,
    players: Sequence[Agent],
    tasks: Sequence[Task],
    numbers: Sequence[int],
    played: dict[int, Played],
    config: dict[str, Any],
    run: int | None,
) -> Tournament:
    """How the agents stand after the matches that have been played."""
    done = [(task, number) for task, number in zip(tasks, numbers, strict=True) if task.number in played]
    teams = Position(game, played[done[0][0].number].final, 0).teams
    meetings = _meetings(players, done, played, teams)
    own: dict[int, list[Fared]] = defaultdict(list)
    against: dict[tuple[int, int], list[Fared]] = defaultdict(list)
    for number, entries in meetings:
        for who, share, points in entries:
            own[who].append((number, share, points))
            for other, _, others_points in entries:
                if other != who:
                    won = 1.0 if points > others_points else 0.5 if points == others_points else 0.0
                    against[who, other].append((number, won, points - others_points))
    alone = len(set(teams)) == 1  # then points rank everybody, not only the first
    ranked = [[(who, points if alone else share) for who, share, points in entries] for _, entries in meetings]
    ratings = rate(len(players), ranked)
    standings = [_standing(players[n], own[n], ratings[n]) for n in sorted(own)]
    standings.sort(key=lambda standing: (-standing.win_share, -standing.mean_score))
    cross = [_pairing(players[a].spec, players[b].spec, found) for (a, b), found in sorted(against.items())]
    config = {name: config[name] for name in ("game", "variant", "seats", "rounds", "seed")}
    return Tournament(**config, standings=standings, cross_table=cross, run=run)


Entry = tuple[int, float, float]  # player, share of the win, points
Fared = tuple[int, float, float]  # in round number: share of the win, points (or their difference)


def _meetings(
    players: Sequence[Agent],
    tasks: Sequence[tuple[Task, int]],
    played: dict[int, Played],
    teams: Sequence[int],
) -> list[tuple[int, list[Entry]]]:
    """(round, one entry per place) for every match; in one-seat games for every round."""
    places = sorted(set(teams))
    if len(places) == 1:
        by_round: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for task, number in tasks:
            by_round[number].append((players.index(task.agents[0]), played[task.number].scores[0]))
        found = []
        for number, alone in by_round.items():
            if len(alone) < len(players):  # not all have played this seed yet
                continue
            won = win_shares([points for _, points in alone], range(len(alone)))
            found.append((number, [(who, share, points) for (who, points), share in zip(alone, won, strict=True)]))
        return found
    meetings = []
    firsts = [teams.index(team) for team in places]
    for task, number in tasks:
        match = played[task.number]
        won = win_shares(match.results, teams)
        entries = [(players.index(task.agents[seat]), won[seat], match.scores[seat]) for seat in firsts]
        meetings.append((number, entries))
    return meetings


def _figures(fared: Sequence[Fared]) -> tuple[Summary, Summary]:
    """Of the shares of the win, and of the points."""
    rounds, won, points = zip(*fared, strict=True)
    return share_summary(won, rounds), summary(points, rounds)


def _standing(player: Agent, fared: Sequence[Fared], rating: Rating) -> Standing:
    won, points = _figures(fared)
    return Standing(
        player.spec, won.size, won.mean, won.ci95, points.mean, points.ci95, rating.ordinal, rating.mean, rating.sd
    )


def _pairing(first: str, second: str, fared: Sequence[Fared]) -> Pairing:
    won, difference = _figures(fared)
    return Pairing(first, second, won.size, won.mean, difference.mean, difference.ci95, won.ci95)
