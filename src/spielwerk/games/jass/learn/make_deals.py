"""Deals that agents play, to learn from (the format is in deals.py). They can be killed at any moment and go on.

Where all players and the teacher have compiled rules, whole deals are played in compiled code, with the same result.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial, reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.workers import match_seed
from spielwerk.core import registry
from spielwerk.core.agent import Agent, Policy
from spielwerk.core.clock import Budget, Stopped, StopSign
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.contract import Room
from spielwerk.core.kernel.loops import Seating, rules_of
from spielwerk.core.kernel.rng import Rng, fraction, spawn
from spielwerk.core.linker import specialise
from spielwerk.core.position import Position, View
from spielwerk.core.running import compiled_policies
from spielwerk.games.jass.game import Jass
from spielwerk.games.jass.kernel.table import ANNOUNCE
from spielwerk.games.jass.learn import say
from spielwerk.games.jass.learn.deals import (
    ASKED_SIZE,
    MOST_PLAYERS,
    SIZE,
    Header,
    arrays_of,
    finished,
    header_of,
    is_folder,
    require_plain_modes,
)
from spielwerk.games.jass.learn.kernel.deals import CHOICES, DealArrays
from spielwerk.games.jass.learn.kernel.making import TEACHER, play_deals
from spielwerk.learn.decisions import Shard
from spielwerk.learn.run import Limits, Report, RunFolder
from spielwerk.learn.shards import ShardMaker, all_there, backend_for

LINE_UP = 0x4A44  # the stream of who sits where
MOST_COMPILED = 8  # players at one table in compiled code; more take too long to compile
CUT_SHORT = "a match ended in the middle of a deal; take a table with a higher target"
Seats = NDArray[np.int64]  # [deals, 4] numbers of players


def make(
    folder: Path,
    game: Game,
    players: Mapping[str, float],
    teacher: str | None,
    count: int,
    limits: Limits,
    report: Report,
) -> Header | None:
    """Deals of players who are drawn for every seat, each with its share. A teacher is asked wherever somebody has a
    choice, whoever plays; everybody announces the Weis. None if time was up before all were made; the same call goes on
    then."""
    require_plain_modes(game)
    agents = [registry.agent(name) for name in [*players, *([teacher] if teacher else [])]]
    for agent in agents:
        agent.require(game)
    if not players or len(players) > MOST_PLAYERS or not 0.0 < sum(players.values()) < 1e9:
        raise SpielwerkError(say("name the players of the deals, at most {most}", most=MOST_PLAYERS))
    header = Header(game.variant, list(players), 0, 0, teacher, list(players.values()), limits.seed)
    folder.mkdir(parents=True, exist_ok=True)
    with RunFolder(folder).alone():
        if is_folder(folder):
            begun = header_of(folder)
            if _kind(begun) != _kind(header):
                raise SpielwerkError(say("{folder} holds other deals; choose another folder", folder=folder))
            if begun.deals >= count and all_there(folder, begun.files):
                return begun
            header, count = begun, max(count, begun.deals)
        else:
            header.size = SIZE if _in_compiled_code_by(game, agents) else ASKED_SIZE
        header.deals = 0  # until all are there
        header.keep(folder)
        return _made(folder, game, header, count, limits, report)


def _kind(header: Header) -> tuple[Any, ...]:
    """What two folders have in common if the one can go on as the other."""
    return header.variant, header.players, header.teacher, header.shares, header.seed


def _made(folder: Path, game: Game, header: Header, count: int, limits: Limits, report: Report) -> Header | None:
    line = tuple(zip(header.players, header.shares, strict=True))
    names = header.variant, line, header.teacher, limits.seed
    agents = [registry.agent(name) for name in [*header.players, *([header.teacher] if header.teacher else [])]]
    backend = backend_for(game, agents, limits, compiled=False)
    if limits.threads > 1:
        make_shard(*names, 0, 1)  # compiled code is in its cache before others look for it
    maker = ShardMaker(
        folder, header.size, count, partial(make_shard, *names), (make_shard, names), limits, backend, _deals_in
    )  # fmt: skip
    done = 0
    with closing(maker.made()) as shards:
        for shard in shards:
            done += _deals_in(shard)
            report(done / count, say("{done} of {count} deals", done=done, count=count))
    if done < count:
        return None
    header.deals, header.files = done, -(-count // header.size)
    header.keep(folder)
    return header


def _deals_in(shard: Shard) -> int:
    return len(shard["mode"])


def make_shard(
    variant: str, players: Sequence[tuple[str, float]], teacher: str | None, seed: int, first: int, count: int
) -> Shard:
    """The deals from number `first` on, as they are kept."""
    game = Jass(4, variant)
    agents = [registry.agent(name) for name, _ in players]
    asked = registry.agent(teacher) if teacher else None
    bounds = np.cumsum([share for _, share in players])
    seeds = [match_seed(seed, number) for number in range(first, first + count)]
    seats = np.empty((count, 4), np.int64)
    for row, deal_seed in zip(seats, seeds, strict=True):
        drawn = spawn(deal_seed, LINE_UP)
        row[:] = [np.searchsorted(bounds, fraction(drawn) * bounds[-1], side="right") for _ in range(4)]
    everybody = [*agents, *([asked] if asked else [])]
    compiled = _in_compiled_code_by(game, everybody)
    made = (
        _in_compiled_code(game, compiled, asked, seeds, seats)
        if compiled
        else _one_by_one(game, agents, asked, seeds, seats)
    )
    return made._asdict()


def _in_compiled_code_by(game: Game, everybody: Sequence[Agent]) -> tuple[list[int], list[Policy]] | None:
    """The rules by which all of them play in compiled code; None if some of them do not, or there are too many."""
    return compiled_policies(game, everybody) if len(everybody) <= MOST_COMPILED else None


def _in_compiled_code(
    game: Jass, compiled: tuple[list[int], list[Policy]], asked: Agent | None, seeds: list[int], seats: Seats
) -> DealArrays:
    numbers, policies = compiled
    made, weights = rules_of(policies)
    loop = specialise(play_deals, game, rule=made)
    states = game.states(len(seeds))
    states[:] = game.opening().state[0]
    keys = np.array([seed % 2**64 for seed in seeds], np.uint64)
    slots = np.array(numbers, np.int64)[seats]
    rngs, rng = np.zeros((4, 1), np.uint64), np.zeros(1, np.uint64)
    starters, taught = np.zeros(len(seeds), np.uint8), np.full((len(seeds), 38 if asked else 0), -1, np.int8)
    with StopSign() as sign:
        scratch = game.scratch(reduce(Room.and_for, (policy.room for policy in policies)), sign)
        seating = Seating(slots[0], weights, scratch, game.states(1), rng, rngs)
        loop(states, keys, slots, numbers[-1], seating, starters, taught)
        if sign.is_set():
            raise Stopped
    if (states["tricks"] < 9).any():
        raise SpielwerkError(say(CUT_SHORT))
    return DealArrays(
        starters,
        states["pushed"].astype(np.uint8),
        states["mode"].astype(np.int8),
        states["history"].astype(np.uint8),
        seats.astype(np.uint8),
        taught,
    )


def _one_by_one(game: Jass, agents: list[Agent], asked: Agent | None, seeds: list[int], seats: Seats) -> DealArrays:
    choosers = [_chooser(agent, game) for agent in agents]
    ask = _chooser(asked, game) if asked else None
    rows = []
    for deal_seed, line_up in zip(seeds, seats.tolist(), strict=True):
        rngs = [spawn(deal_seed, 1 + seat) for seat in range(4)]
        position = game.opening(deal_seed).settle()
        starter = int(position.state["starter"][0])
        taught = np.full(38, -1)
        while position.state["tricks"][0] < 9:
            if position.over:
                raise SpielwerkError(say(CUT_SHORT))
            seat = position.actors[0]
            view = position.view(seat)
            action = view.legal[0]
            if ANNOUNCE in view.legal:
                action = ANNOUNCE
            elif len(view.legal) > 1:
                action = choosers[line_up[seat]](view, rngs[seat])
                if asked is not None and ask is not None:
                    place, same = _place(position), asked.spec == agents[line_up[seat]].spec
                    own = spawn(deal_seed, TEACHER, place)  # so that the deals are the same with any teacher
                    taught[place] = action if same else ask(view, own)
            position.apply({seat: action})
        rows.append(finished(position, starter, line_up, taught.tolist()))
    return arrays_of(rows, asked is not None)


def _chooser(agent: Agent, game: Game) -> Callable[[View, Rng], int]:
    """What the agent does, without the reasons for it, which take a network longer than the decision."""
    rule = agent.policy(game)
    return rule.act if rule else lambda view, rng: agent.decide(view, Budget(), rng).action


def _place(position: Position) -> int:
    """Where the label of a decision stands."""
    state = position.state[0]
    return CHOICES + 4 * int(state["tricks"]) + int(state["in_trick"]) if state["mode"] >= 0 else int(state["pushed"])
