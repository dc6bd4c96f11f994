"""tournament: every agent against every other, with the same dice and cards for all.

A round is one seed for every line-up; every line-up is played once per rotation of its agents over the places, so that
luck of the deal and of the seat cancels out (duplicate). A place is a team of the game, or a seat where every seat is
its own team. Line-ups: all ways to fill the places with different agents; with fewer agents than places every line-up
holds each agent at least once. In one-seat games every agent plays every seed alone and the points are compared.

Intervals come from whole rounds, which are independent; matches with the same seed are not. Rounds in which an agent
only repeats what it has played before count for nothing, and ratings know every such match once.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations, combinations_with_replacement, permutations
from typing import Any, NamedTuple

import msgspec

from spielwerk.arena.campaign import Conditions, Report, play_and_keep
from spielwerk.arena.rating import Rating, rate
from spielwerk.arena.repeats import repeats
from spielwerk.arena.statistics import Summary, share_summary, summary, win_shares
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
    distinct: int | None = None  # different matches; None: not counted


class Tournament(msgspec.Struct, frozen=True):
    game: str
    variant: str
    seats: int
    rounds: int
    seed: int
    standings: list[Standing]
    cross_table: list[Pairing]
    run: int | None = None
    opening: int = 0  # random first moves
    matches: int | None = None  # of all line-ups; None: not counted
    distinct: int | None = None  # different ones
    repeated: int | None = None  # matches that repeat another where nothing is random, and so say nothing new


def tournament(
    game: str | Game,
    agents: Sequence[str | Agent],
    *,
    seats: int | None = None,
    variant: str | None = None,
    rounds: int = 100,
    seed: int = 0,
    opening: int = 0,
    workers: int = 1,
    backend: Backend = "auto",
    budget: Budget | None = None,
    store: Store | None = None,
    resume: bool = False,
    report: Report = lambda done, line: None,
    live: Callable[[Callable[[], Tournament | None], int | None], None] = lambda standing, run: None,
    sign: StopSign | None = None,
) -> Tournament:
    """Play a round robin of `rounds` seeds per line-up, each match with `opening` random first moves. `live` is given a
    function that says, at any time and from any thread, how it stands (None: nothing has been played yet), and the
    run's number in the store. Setting the `sign` ends it with Stopped, in the middle of a match."""
    table = registry.game(game, seats, variant) if isinstance(game, str) else game
    players = [registry.agent(agent) for agent in agents]
    if len(players) < 2 or len(set(players)) < len(players):
        raise SpielwerkError(say("a tournament takes at least two agents, all different"))
    if rounds < 1:
        raise SpielwerkError(say("{rounds} rounds say nothing; play at least 1", rounds=rounds))
    check_opening(opening)
    tasks, numbers = schedule(table, players, rounds, seed)
    config = {
        "game": table.spec.id,
        "variant": table.variant,
        "seats": table.seats,
        "agents": [player.spec for player in players],
        "rounds": rounds,
        "seed": seed,
        "opening": opening,
    }

    def watch(played: dict[int, Played], run: int | None) -> None:
        live(lambda: _summed_up(table, players, tasks, numbers, dict(played), config, run) if played else None, run)

    conditions = Conditions(workers, backend, store, resume, report, watch, sign)
    played, run = play_and_keep("tournament", config, table, tasks, budget, conditions)
    result = _summed_up(table, players, tasks, numbers, played, config, run)
    if store and run is not None:
        store.finish(run, msgspec.to_builtins(result))
    return result


def so_far(store: Store, run: Run) -> Tournament | None:
    """How an unfinished run in the store stands; None if nothing has been played yet."""
    config = {"opening": 0, **run.config}
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
    found = repeats(game, [task for task, _ in done], played, config["opening"])
    meetings = _meetings(players, done, played, teams)
    own: dict[int, list[Fared]] = defaultdict(list)
    against: dict[tuple[int, int], list[Fared]] = defaultdict(list)
    prints: dict[tuple[int, int], set[tuple[bytes, bytes]]] = defaultdict(set)
    ranked: list[list[tuple[int, float]]] = []
    alone = len(set(teams)) == 1  # then points rank everybody, not only the first
    for number, entries in meetings:
        fresh = any(entry.match in found.fresh for entry in entries)
        if fresh:
            ranked.append([(entry.who, entry.points if alone else entry.share) for entry in entries])
        for entry in entries:
            own[entry.who].append(Fared(number, entry.share, entry.points, fresh))
        for one, other in permutations(entries, 2):
            if one.who != other.who:
                won = 1.0 if one.points > other.points else 0.5 if one.points == other.points else 0.0
                fresh = one.match in found.fresh or other.match in found.fresh
                against[one.who, other.who].append(Fared(number, won, one.points - other.points, fresh))
                prints[one.who, other.who].add((found.prints[one.match], found.prints[other.match]))
    ratings = rate(len(players), ranked)
    standings = [_standing(players[n], own[n], ratings[n]) for n in sorted(own)]
    standings.sort(key=lambda standing: (-standing.win_share, -standing.mean_score))
    cross = [
        _pairing(players[a].spec, players[b].spec, fared, len(prints[a, b]))
        for (a, b), fared in sorted(against.items(), key=lambda item: item[0])
    ]
    config = {name: config[name] for name in ("game", "variant", "seats", "rounds", "seed", "opening")}
    return Tournament(
        **config,
        standings=standings,
        cross_table=cross,
        run=run,
        matches=len(done),
        distinct=found.distinct,
        repeated=found.repeated,
    )


class Entry(NamedTuple):
    who: int  # number of the agent
    share: float  # of the win
    points: float
    match: int  # number of the match it played in


class Meeting(NamedTuple):
    round: int
    entries: list[Entry]  # one per place


class Fared(NamedTuple):
    round: int
    share: float  # of the win
    points: float  # or their difference
    fresh: bool  # does it say something new?


def _meetings(
    players: Sequence[Agent],
    tasks: Sequence[tuple[Task, int]],
    played: dict[int, Played],
    teams: Sequence[int],
) -> list[Meeting]:
    """One for every match; in one-seat games for every round."""
    meetings: list[Meeting] = []
    places = sorted(set(teams))
    if len(places) == 1:
        by_round: dict[int, list[Task]] = defaultdict(list)
        for task, number in tasks:
            by_round[number].append(task)
        for number, alone in by_round.items():
            if len(alone) < len(players):  # not all have played this seed yet
                continue
            points = [played[task.number].scores[0] for task in alone]
            won = win_shares(points, range(len(alone)))
            entries = [
                Entry(players.index(task.agents[0]), share, score, task.number)
                for task, share, score in zip(alone, won, points, strict=True)
            ]
            meetings.append(Meeting(number, entries))
        return meetings
    firsts = [teams.index(team) for team in places]
    for task, number in tasks:
        match = played[task.number]
        won = win_shares(match.results, teams)
        entries = [
            Entry(players.index(task.agents[seat]), won[seat], match.scores[seat], task.number) for seat in firsts
        ]
        meetings.append(Meeting(number, entries))
    return meetings


def _figures(fared: Sequence[Fared]) -> tuple[Summary, Summary]:
    """Of the shares of the win, and of the points."""
    rounds, won, points, _ = zip(*fared, strict=True)
    independent = len({each.round for each in fared if each.fresh})
    return share_summary(won, rounds, independent), summary(points, rounds, independent)


def _standing(player: Agent, fared: Sequence[Fared], rating: Rating) -> Standing:
    won, points = _figures(fared)
    return Standing(
        player.spec, won.size, won.mean, won.ci95, points.mean, points.ci95, rating.ordinal, rating.mean, rating.sd
    )


def _pairing(first: str, second: str, fared: Sequence[Fared], distinct: int) -> Pairing:
    won, difference = _figures(fared)
    return Pairing(first, second, won.size, won.mean, difference.mean, difference.ci95, won.ci95, distinct)
