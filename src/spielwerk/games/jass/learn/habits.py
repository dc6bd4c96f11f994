"""Habits of Jass players as a table: how often each agent trumps its partner, wastes a high card, smears the opponents.

People who played against the networks of Eder and Kistler (2017, 2.7.2) named nine habits of bad play. Here each is
counted where a player could have had it, by what the player knew.
"""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.statistics import wilson
from spielwerk.core.game import Game
from spielwerk.core.linker import specialise
from spielwerk.games.jass.learn.deals import Deals, load
from spielwerk.games.jass.learn.kernel import habits as kernel
from spielwerk.games.jass.learn.make_deals import make
from spielwerk.learn.run import Limits, Report

# what people noticed, in the order of the thesis, and one good habit
NAMES = {
    kernel.DRAWS_FROM_NOBODY: "leads trumps when nobody else can hold one",
    kernel.DRAWS_FROM_PARTNER: "leads trumps when only the partner can hold one",
    kernel.TAKES_FROM_PARTNER: "takes a trick that is surely the partner's",
    kernel.GIVES_HIGHEST_AWAY: "gives the highest card left of a suit to a lost trick",
    kernel.TAKES_NOTHING_DEARLY: "takes a worthless trick with J or 9 of trump",
    kernel.LEADS_LOW_WITHOUT_TRUMP: "leads a card that can be beaten before one that cannot (obeabe, undeufe)",
    kernel.LEADS_BEST_TRUMPS: "leads J or 9 of a trump that the others chose",
    kernel.SHOWS_JACK: "plays its only trump, the J, on a poor trick although it need not",
    kernel.SMEARS_OPPONENTS: "gives 10 points or more to a trick that is surely the opponents'",
    kernel.LEADS_WHAT_PARTNER_DISCARDED: "leads, if no trump, a suit that the partner has thrown away",
    kernel.LEADS_HIGHEST_TO_BE_TRUMPED: "leads the highest card left of a suit that an opponent can trump",
    kernel.SMEARS_PARTNER: "gives 10 points or more to a trick that is surely the partner's (a good habit)",
}


def counted(deals: Deals, most: int | None = None) -> NDArray[np.int64]:
    """[players, habits, 2] how often each player could have had a habit, and how often it did, in the first deals."""
    game = deals.game
    counts = np.zeros((len(deals.header.players), kernel.HABITS, 2), np.int64)
    loop = specialise(kernel.count_habits, game)
    count = len(deals) if most is None else min(most, len(deals))
    loop(game.opening().state, game.states(1), deals.arrays, 0, count, game.scratch(), counts)
    return counts


def habits_of(
    game: Game, agents: Sequence[str], count: int, folder: Path, limits: Limits, report: Report
) -> list[dict[str, Any]]:
    """Every agent plays so many deals with itself; one row per habit, one column per agent."""
    columns = {}
    for number, agent in enumerate(agents):

        def part(done: float, line: str, before: int = number, name: str = agent) -> None:
            report((before + done) / len(agents), f"{name}: {line}")

        place = folder / f"deals-{mark_of(agent)}"
        make(place, game, {agent: 1.0}, None, count, limits, part)
        columns[agent] = counted(load(place), count)[0]
    return [
        {"habit": name} | {agent: shown(*columns[agent][habit]) for agent in agents} for habit, name in NAMES.items()
    ]


def mark_of(agent: str) -> str:
    """Of an agent and of the networks that it names by their place: one that has learned on is another player."""
    seen = hashlib.sha256(agent.encode())
    for name in filter(None, re.split(r"[=,()@]", agent)):
        for file in (Path(name), Path(name) / "model.npz"):
            if file.is_file():
                seen.update(file.read_bytes())
    return seen.hexdigest()[:8]


def shown(could: int, had: int) -> str:
    """'3.1 % (2.4 … 3.9) of 1,204'."""
    if could == 0:
        return "never possible"
    low, high = wilson(int(had), int(could))
    return f"{had / could:.1%} ({low:.1%} … {high:.1%}) of {could:,}"
