"""How long it takes to write what a network is told, and how much of it is not zero.

    python benchmarks/features.py                       # all games
    python benchmarks/features.py qwixx/5 jass:schieber # game, /seats, :variant

Positions are those of random matches, one seat after another, in compiled code.
"""

import sys
import time

import numpy as np

from spielwerk.core import registry
from spielwerk.core.game import Game
from spielwerk.core.kernel.contract import features
from spielwerk.core.linker import kernel, specialise
from spielwerk.testing.walks import random_walk

ROUNDS, ROWS = 200, 64


@kernel
def write_all(states, seats, out, rounds):
    """Returns how many numbers are not zero after the last round."""
    active = 0
    for number in range(rounds):
        for i in range(states.shape[0]):
            row = out[i % ROWS]
            features(states[i], seats[i], row)
            if number == rounds - 1:
                for place in range(row.shape[0]):
                    active += row[place] != 0.0
    return active


def measure(game: Game) -> None:
    walks = (position for seed in range(5) for position in random_walk(game, seed, 300))
    views = [position.view(number % game.seats) for number, position in enumerate(walks)]
    states, seats = game.states(len(views)), np.array([view.seat for view in views])
    for number, view in enumerate(views):
        states[number] = view.state[0]
    for name, (size, function) in game.encodings.items():
        run = specialise(write_all, game, features=function)
        out = np.zeros((ROWS, size), np.float32)
        active = run(states, seats, out, 1) / len(views)
        times = []
        for _ in range(7):
            begun = time.perf_counter()
            run(states, seats, out, ROUNDS)
            times.append(time.perf_counter() - begun)
        nanoseconds = 1e9 * min(times) / ROUNDS / len(views)
        print(f"{game!r} {name}: {size} numbers, {active:.0f} of them not zero, {nanoseconds:.0f} ns")


if __name__ == "__main__":
    for wanted in sys.argv[1:] or registry.game_names():
        table, _, variant = wanted.partition(":")
        game_name, _, seats_wanted = table.partition("/")
        measure(registry.game(game_name, int(seats_wanted) if seats_wanted else None, variant or None))
