"""Evaluations per second and core while `tdvalue` plays and learns: real rounds of a network with two layers of 128.

    python benchmarks/tdvalue.py     # 2048, Qwixx; Connect Four (200 inputs) if examples/plugin is installed
    python benchmarks/tdvalue.py jass --rounds 20

On one thread, in processor time, so that others on the machine disturb little: the median over rounds, the share of the
time that goes into learning, and how long one evaluation and one learned position take. Then whole runs with one and
two threads by turns, by the clock: how much faster two are.
"""

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

from spielwerk.core import registry
from spielwerk.core.game import Game
from spielwerk.learn import run as runs
from spielwerk.learn.tdvalue import TdValue
from spielwerk.learn.tdvalue_play import Manner, play_part
from spielwerk.learn.tdvalue_update import CompiledUpdate
from spielwerk.nets.network import fresh

GAMES = ("connect4", "2048", "qwixx")
LEARNER = TdValue(network="128-128")
MANNER = Manner(epsilon=0.1, trace_decay=0.8, league_share=0.0)


def rounds(game: Game, count: int) -> list[dict[str, float]]:
    """Play and learn one round after another on this thread."""
    description = LEARNER.description(game, LEARNER.scale_for(game))
    update = CompiledUpdate(fresh(description, 1), LEARNER.unit_for(game) == "win", LEARNER.batch)
    measured, matches = [], 64
    for number in range(count + 2):  # the first two compile and find out how long matches are
        seeds = np.arange(number * 1_000_000, number * 1_000_000 + matches, dtype=np.uint64)
        began = time.thread_time()
        rows, figures = play_part(game, LEARNER, update.network(), MANNER, seeds)
        played = time.thread_time()
        update.learn(rows, np.random.default_rng(number).permutation(rows.size), LEARNER.batch, 1e-3)
        ended = time.thread_time()
        evaluations = float(figures[0])
        measured.append(
            {
                "inputs": description.inputs,
                "rate": evaluations / (ended - began),
                "play": (played - began) / evaluations,
                "learn": (ended - played) / rows.size,
                "learning": (ended - played) / (ended - began),
                "evaluations": evaluations / rows.size,
            }
        )
        matches = max(1, round(matches * LEARNER.round_positions / rows.size))
    return measured[2:]


def scaling(game: Game, turns: int = 3) -> float:
    """How many times as many positions two threads learn from in the same time."""
    rates: dict[int, list[float]] = {1: [], 2: []}
    taught = TdValue(positions=20 * LEARNER.round_positions, tests=1, test_games=1)
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(turns):
            for threads, found in rates.items():
                run = runs.train(game, taught, Path(folder) / f"{turn}-{threads}", seed=1, threads=threads)
                found.append(median(row["positions_per_second"] for row in run.rows() if "loss" in row))
    return median(two / one for one, two in zip(rates[1], rates[2], strict=True))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=[name for name in GAMES if name in registry.game_names()])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--without-threads", action="store_true", help="leave out the runs with two threads")
    asked = parser.parse_args()
    table = Table(
        "game", "inputs", "evaluations/s", "one evaluation", "one position", "learning", "per position", "2 ÷ 1"
    )
    for name in asked.games:
        game = registry.game(name)
        measured = rounds(game, asked.rounds)
        found = {key: median(row[key] for row in measured) for key in measured[0]}
        table.add_row(
            name,
            f"{found['inputs']:.0f}",
            f"{found['rate']:,.0f}",
            f"{1e6 * found['play']:.2f} µs",
            f"{1e6 * found['learn']:.2f} µs",
            f"{100 * found['learning']:.0f} %",
            f"{found['evaluations']:.1f}",
            "" if asked.without_threads else f"{scaling(game):.2f}",
        )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
