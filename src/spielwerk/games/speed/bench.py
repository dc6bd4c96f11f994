"""How fast the rules are at the largest table: rounds of random and of careful matches, six seats, 60 by 60, one core.

A round is the work of all who are still in; the starts of the matches are part of the time.
"""

import time

from spielwerk.arena.bench import Figure
from spielwerk.core import registry
from spielwerk.core.game import Game
from spielwerk.core.running import run_many

VARIANT = "width=60,height=60"
BATCH = 500


def compare(game: Game, seconds: float) -> list[Figure]:
    return [
        Figure(
            game.spec.id,
            f"spe_ed: rounds of {agent}, 6 seats, 60 × 60",
            rounds_per_second(agent, seconds),
            "per second",
        )
        for agent in ("random", "safe")
    ]


def rounds_per_second(agent: str, seconds: float) -> float:
    table, line_up = registry.game("speed", 6, VARIANT), [registry.agent(agent)] * 6
    run_many(table, line_up, [0])
    rounds, seed = 0, 1
    began = time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        played = run_many(table, line_up, list(range(seed, seed + BATCH)))
        rounds += sum(int(match.final["rounds"][0]) for match in played)
        seed += BATCH
    return rounds / spent
