"""How long the exact solver takes, by tricks left, after random play.

python benchmarks/jass_solver.py [DEALS]
"""

import random
import sys
import time

import numpy as np

import spielwerk as sw
from spielwerk.core.game import Game
from spielwerk.core.linker import kernel, specialise
from spielwerk.core.position import Position
from spielwerk.games.jass.kernel.solve import new_memory, solve_state


@kernel
def solve_at(states, memory):
    memory.age[0] += 1
    return solve_state(states[0], 0, memory)


def position_with(game: Game, tricks_left: int, seed: int) -> Position:
    rng = random.Random(seed)
    position = game.new(seed)
    position.play(rng.randrange(36, 42))
    for _ in range(4 * (9 - tricks_left)):
        position.play(rng.choice(position.legal(position.actors[0])))
    return position


def main() -> None:
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    game = sw.game("jass", variant="server-deal")
    solver, memory = specialise(solve_at, game), new_memory(17)
    solver(position_with(game, 3, 0).state, memory)
    for tricks, count in ((3, deals), (4, deals), (5, deals), (6, deals), (7, max(deals // 4, 10))):
        positions = [position_with(game, tricks, seed).state for seed in range(count)]
        times, nodes = [], 0
        for state in positions:
            memory.age[1] = 0
            began = time.process_time()
            solver(state, memory)
            times.append(time.process_time() - began)
            nodes += int(memory.age[1])
        mean, worst = 1000 * np.mean(times), 1000 * np.max(times)
        print(f"{tricks} tricks left: mean {mean:8.3f} ms, longest {worst:8.2f} ms, {nodes / count:9.0f} positions")


if __name__ == "__main__":
    main()
