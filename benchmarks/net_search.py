"""What a network brings to a search: every use of it against the same search without it, and against the network alone.

    python benchmarks/net_search.py RUN [RUN …] [--variant V] [--seconds 0.02] [--games 50] [--seed 1] [--use mctse]

A RUN is a run folder, a file or the name of a network. Before it plays, every search is given the iterations, worlds or
depth that take it so many seconds of the processor per decision, measured on some positions: what else runs on the
machine then changes nothing. The network alone answers at once. At a table for several both sides play the same seeds
with sides exchanged, and the figure is the lead of the side with the network per match; alone both play the same seeds,
and the figure is the difference of their points. Intervals are 95 % over seeds. What a network or a game does not offer
is told and left out.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from spielwerk.arena.statistics import summary
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.core.match import play
from spielwerk.core.models import UNREADABLE, named
from spielwerk.core.position import View
from spielwerk.core.running import warm
from spielwerk.nets.description import Description
from spielwerk.nets.network import description_in

USES = {
    "net": ("net:model={run}", "random"),
    "net or search": ("net:model={run}", "mctse"),
    "expectimax": ("expectimax:evaluation=net@{run}", "expectimax"),
    "mctse": ("mctse:evaluation=net@{run}", "mctse"),
    "puct": ("mctse:selection=puct,evaluation=net@{run}", "mctse"),
    "dmcts, judged": ("dmcts:evaluation=net@{run}", "dmcts"),
    "dmcts, played": ("dmcts:playouts=(net:model={run})", "dmcts"),
}


SIZES = {"mctse": "iterations", "dmcts": "worlds"}  # what takes time in proportion
TRIAL, DEEPEST = 64, 4
POSITIONS = 12


class Measured(NamedTuple):
    figure: float
    error: float  # half the width of the interval
    seconds: float  # all matches together


def model_file(run: str) -> Path:
    for path in (Path(run) / "model.npz", Path(run) / "checkpoint/model.npz", Path(run)):
        if path.is_file():
            return path
    return named(run).path


def table_of(run: str, made: Description, variant: str | None) -> Game:
    """The game that a network was trained on: in the variant of its run, unless another is asked for."""
    config = Path(run) / "config.json"
    begun = json.loads(config.read_text()) if config.is_file() else {}
    return registry.game(made.game, made.seats or begun.get("seats"), variant or begun.get("variant"))


@cache
def choices(game: Game) -> tuple[View, ...]:
    """Decisions from all parts of random matches."""
    rng, found = spawn(0, 1), []
    for seed in range(4):
        position, views = game.new(seed), []
        while not position.over:
            here = [position.view(seat) for seat in position.actors]
            views += [view for view in here if len(view.legal) > 1]
            position.play({view.seat: view.legal[pick(rng, len(view.legal))] for view in here})
        found += views[:: max(len(views) // (POSITIONS // 4), 1)][: POSITIONS // 4]
    return tuple(found)


def cost(agent: Agent, game: Game) -> float:
    """Seconds of the processor per decision."""
    began = time.thread_time()
    for number, view in enumerate(choices(game)):
        agent.decide(view, Budget(), spawn(2, number))
    return (time.thread_time() - began) / len(choices(game))


@cache
def sized(agent: Agent, game: Game, seconds: float) -> Agent:
    """The same agent with as much work per decision as takes so many seconds."""
    warm(game, agent)
    size = SIZES.get(agent.name)
    if size is not None:
        trial = replace(agent, **{size: TRIAL})
        cost(trial, game)
        return replace(agent, **{size: max(round(TRIAL * seconds / cost(trial, game)), 1)})
    if agent.name == "expectimax":
        deep = replace(agent, depth=1)  # type: ignore[call-arg]
        while deep.depth < DEEPEST and cost(replace(deep, depth=deep.depth + 1), game) <= seconds:  # type: ignore
            deep = replace(deep, depth=deep.depth + 1)  # type: ignore
        return deep
    return agent


def differences(game: Game, one: Agent, other: Agent, games: int, seed: int) -> Iterator[float]:
    """Per seed: the lead of `one` with sides exchanged, or alone the difference of the points."""

    def scores(agents: list[Agent], number: int) -> list[float]:
        result = play(game, agents, seed=number).result
        assert result is not None
        return result.scores

    for number in range(seed, seed + games):
        if game.seats == 1:
            yield scores([one], number)[0] - scores([other], number)[0]
            continue
        leads = []
        for side in sorted(set(game.teams)):
            agents = [one if team == side else other for team in game.teams]
            points = scores(agents, number)
            own = next(points[seat] for seat, team in enumerate(game.teams) if team == side)
            leads.append(own - max(points[seat] for seat, team in enumerate(game.teams) if team != side))
        yield sum(leads) / len(leads)


def measure(game: Game, one: Agent, other: Agent, given: Any) -> Measured:
    began = time.perf_counter()
    found = summary(list(differences(game, one, other, given.games, given.seed)))
    low, high = found.ci95 or (found.mean, found.mean)
    return Measured(found.mean, (high - low) / 2, time.perf_counter() - began)


def rows(run: str, game: Game, given: Any) -> Iterator[str]:
    alone = f"net:model={run}"
    for use, (template, without) in USES.items():
        if given.use and use not in given.use:
            continue
        spec = template.format(run=run)
        one = registry.agent(spec)
        reason = one.why_not(game) or registry.agent(without).why_not(game)
        if reason:
            yield f"| {use} | `{spec}` | – | left out: {reason} | | |"
            continue
        one = sized(one, game, given.seconds)
        for against in (without,) if use.startswith("net") else (without, alone):
            other = sized(registry.agent(against), game, given.seconds)
            found = measure(game, one, other, given)
            figure = f"{found.figure:+,.2f} ± {found.error:,.2f}"
            yield f"| {use} | `{one.spec}` | `{other.spec}` | {figure} | {given.games} | {found.seconds:.0f} s |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--variant", help="default: that of the run")
    parser.add_argument("--seconds", type=float, default=0.02, help="of the processor per decision")
    parser.add_argument("--games", type=int, default=50, help="seeds; each is played once per side")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--use", action="append", choices=USES, help="only these; repeatable")
    given = parser.parse_args()
    for run in given.runs:
        try:
            made = description_in(model_file(run))
        except UNREADABLE as problem:
            raise SystemExit(f"{run} holds no network: {problem}") from problem
        game = table_of(run, made, given.variant)
        heads = ", ".join(f"{name} ({head.unit})" if name != "policy" else name for name, head in made.heads.items())
        unit = "points" if game.seats == 1 else "lead per match, in points"
        print(f"\n{run}: {game.title} ({game.variant}), {made.judges}, {heads}; {given.seconds:g} s per decision\n")
        print(f"| use | agent | against | {unit} | seeds | time |\n|---|---|---|---|---|---|")
        for row in rows(run, game, given):
            print(row, flush=True)


if __name__ == "__main__":
    main()
