"""What the parts of the study share: boards to think about, and duels."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spielwerk.arena.evaluate import evaluate
from spielwerk.arena.store import Store
from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.position import View
from spielwerk.learn.run import Report

Rows = list[dict[str, Any]]
CORES = os.cpu_count() or 1
SIDE = 60  # of the open board
TRAIL = 12  # cells behind the head on it


class Table(NamedTuple):
    """Where matches are played."""

    label: str
    seats: int
    variant: str


SMALL = Table("small, 2 seats", 2, "small")
OFFICIAL = Table("official, 2 seats", 2, "official")
SMALL_SIX = Table("small, 6 seats", 6, "small")
OFFICIAL_SIX = Table("official, 6 seats", 6, "official")


class Duel(NamedTuple):
    """One agent against others that are all alike."""

    label: str
    table: Table
    agent: str
    others: str


def play_duels(report: Report, out: Path, duels: Sequence[Duel], matches: int) -> Rows:
    """Win shares, every start with the agent on every seat; matches in the folder are not played again."""
    rows = []
    for number, duel in enumerate(duels):

        def tell(done: float, line: str, number: int = number, duel: Duel = duel) -> None:
            report((number + done) / len(duels), f"{duel.table.label}, {duel.label}: {line}")

        games = -(-matches // duel.table.seats) * duel.table.seats
        with Store(out / "matches.sqlite") as store:
            found = evaluate(
                "speed", duel.agent, opponents=duel.others, seats=duel.table.seats, variant=duel.table.variant,
                games=games, seed=number, store=store, resume=True, report=tell, workers=CORES,
            )  # fmt: skip
        low, high = found.win_ci95 or (found.win_share, found.win_share)
        rows.append(
            {
                "table": duel.table.label, "what": duel.label, "wins %": 100 * (found.win_share or 0.0),
                "from": 100 * (low or 0.0), "to": 100 * (high or 0.0), "nothing in it %": 100 / duel.table.seats,
                "matches": games, "rounds": found.extras["rounds"], "agent": duel.agent, "against": duel.others,
            }
        )  # fmt: skip
    return rows


def open_board(speed: int, rounds: int = 0) -> View:
    """The own head in the middle of an open board with some trail behind it, the enemy in a far corner."""
    middle = SIDE // 2
    table = registry.game("speed", 2, f"width={SIDE},height={SIDE}")
    position = table.opening(0).happen(f"{SIDE}x{SIDE}; {middle},{middle} up; {SIDE - 1},{SIDE - 1} up")
    state = position.state
    state["speed"][0, 0] = speed
    state["rounds"][0] = rounds
    for cell in range(1, TRAIL + 1):
        state["cells"][0, (middle + cell) * SIDE + middle] = 1
    return position.view(0)


def views_of_matches(table: Table, count: int, seed: int = 0, agent: str = "dommeai:levels=4") -> list[View]:
    """So many views from matches of an agent among itself, one of every match at a round that is drawn."""
    game, player = registry.game("speed", table.seats, table.variant), registry.agent(agent)
    views: list[View] = []
    while len(views) < count:
        number = len(views)
        position = game.new(seed * 1_000_003 + number)
        seen = []
        while not position.over:
            here = [position.view(seat) for seat in position.actors]
            seen.append(here[0])
            position.play({view.seat: player.decide(view, Budget(), spawn(seed, number)).action for view in here})
        views.append(seen[int(np.random.default_rng((seed, number)).integers(len(seen)))])
    return views
