"""Who plays the matches that `tdvalue` learns from: threads of this process, or workers of a Ray cluster.

A round is a list of seeds and a network that does not change meanwhile. Its matches are dealt out in parts, and put
together by their numbers: the same rows whoever plays them, and however many do.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.crews import Crew
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.game import Game
from spielwerk.core.kernel.contract import Room
from spielwerk.core.kernel.loops import choose_last, rules_of
from spielwerk.core.linker import attach, specialise
from spielwerk.core.memory import on_lines
from spielwerk.learn.kernel.tdvalue import Conduct, Store, Table, decide_by_view, decide_openly, play_matches
from spielwerk.learn.tdvalue_rows import Rows, joined, place_type
from spielwerk.nets.network import Network, decode, encode
from spielwerk.search.kernel.net import any_action
from spielwerk.search.net_model import asked

if TYPE_CHECKING:
    from spielwerk.learn.tdvalue import TdValue

PARTS = 8  # of a round, for every worker
FIRST_ROOM = 4096  # rows; a part that needs more gets it
DENSE = 16  # places per row that are expected at first


class Manner(NamedTuple):
    """How a round is played."""

    epsilon: float
    trace_decay: float
    league_share: float


class Round(NamedTuple):
    rows: Rows
    matches: int
    evaluations: float  # of the network
    points: float  # of the first seat, on average


Part = tuple[Rows, NDArray[np.float64]]  # and the figures of the kernel


def play_part(game: Game, learner: "TdValue", network: Network, manner: Manner, seeds: NDArray[np.uint64]) -> Part:
    """One match per seed, in compiled code."""
    functions, weights, room = asked(network, game, "value")
    league, members = _league(game, learner.league)
    play = specialise(
        play_matches,
        game,
        **functions,
        rule=league[0],
        decision=decide_by_view if game.spec.hidden else decide_openly,
    )
    conduct = Conduct(
        weights=weights,
        others=league[1],
        members=members,
        league_share=manner.league_share,
        epsilon=manner.epsilon,
        trace_decay=manner.trace_decay,
        own_only=learner.watched == "own",
        openly=not game.spec.hidden,
    )
    room = room.and_for(league[2])
    pieces: list[Rows] = []
    figures = on_lines(2, np.float64)
    size, done = FIRST_ROOM, 0
    while done < len(seeds):
        table, store = _room(game, room, size, network.description.inputs, len(seeds) - done, figures)
        before = figures.copy()
        played = int(play(seeds[done:], conduct, table, store))
        if played:
            pieces.append(_written(store, played))
            done += played
        else:
            figures[:] = before
        size *= 2
    return joined(pieces), figures


def _league(game: Game, agents: Sequence[Agent]) -> tuple[tuple[Any, Any, Room], int]:
    policies = [policy for agent in agents if (policy := agent.policy(game)) is not None]
    if not policies:
        return (attach(choose_last, policy=any_action), (0, ()), Room()), 0
    room = policies[0].room
    for policy in policies[1:]:
        room = room.and_for(policy.room)
    return (*rules_of(policies), room), len(policies)


def _room(
    game: Game, room: Room, rows: int, inputs: int, matches: int, figures: NDArray[np.float64]
) -> tuple[Table, Store]:
    states = game.states(3)
    states[2] = game.opening().state[0]
    table = Table(
        states=states,
        scratch=game.scratch(room),
        slots=on_lines(game.seats, np.int64),
        seats=np.empty(rows, np.int64),
        totals=np.empty(rows),
        standings=np.empty(rows),
        breaks=np.empty(rows),
        pending=on_lines(game.seats, np.float64),
        known=on_lines(game.seats, np.float64),
        rng=on_lines(1, np.uint64),
        rngs=on_lines((game.seats, 1), np.uint64),
        figures=figures,
    )
    places = inputs + DENSE * rows
    store = Store(
        places=np.empty(places, place_type(inputs)),
        values=np.empty(places, np.float32),
        place_ends=np.empty(rows, np.int64),
        value_ends=np.empty(rows, np.int64),
        targets=np.empty(rows, np.float32),
        match_ends=np.empty(matches, np.int64),
    )
    return table, store


def _written(store: Store, matches: int) -> Rows:
    rows = int(store.match_ends[matches - 1])
    places, values = (int(ends[rows - 1]) if rows else 0 for ends in (store.place_ends, store.value_ends))
    return Rows(
        store.places[:places].copy(),
        store.values[:values].copy(),
        store.place_ends[:rows].copy(),
        store.value_ends[:rows].copy(),
        store.targets[:rows].copy(),
    )


# --- dealing out -----------------------------------------------------------------------------------------------------


class Players:
    """A crew that plays rounds."""

    def __init__(self, game: Game, learner: "TdValue", crew: Crew, workers: int, by_name: bool) -> None:
        self.game, self.learner, self.crew, self.workers, self.by_name = game, learner, crew, workers, by_name

    def begin(self, network: Network, manner: Manner, seeds: NDArray[np.uint64]) -> list[Any]:
        """Give out the matches of a round; returns the calls."""
        parts = np.array_split(seeds, min(len(seeds), PARTS * self.workers))
        if not self.by_name:
            return [self.crew.give(play_part, self.game, self.learner, network, manner, part) for part in parts]
        game = self.game
        names = (game.spec.id, game.seats, game.variant, self.learner.spec)
        arrays = encode(network)
        return [self.crew.give(play_named, *names, arrays, tuple(manner), part) for part in parts]

    def collect(self, calls: Sequence[Any], matches: int) -> Round:
        waiting = set(calls)
        while waiting:
            waiting -= self.crew.finished(waiting, 1.0)
        parts: list[Part] = [self.crew.result(call) for call in calls]
        figures = sum((part[1] for part in parts), np.zeros(2))
        return Round(joined([part[0] for part in parts]), matches, float(figures[0]), float(figures[1]) / matches)


def play_named(
    game_id: str,
    seats: int,
    variant: str,
    learner: str,
    arrays: dict[str, NDArray[Any]],
    manner: tuple[float, float, float],
    seeds: NDArray[np.uint64],
) -> Part:
    """In a worker of a cluster: names and arrays come in, arrays go out."""
    from spielwerk.learn.run import learner as learner_of

    made: Any = learner_of(learner)
    return play_part(registry.game(game_id, seats, variant), made, decode(arrays), Manner(*manner), seeds)
