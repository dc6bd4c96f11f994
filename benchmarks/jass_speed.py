"""How many random deals a core plays per second through the ordinary playout, in processor time.

python benchmarks/jass_speed.py
"""

import time

import spielwerk as sw
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import kernel, specialise
from spielwerk.search.kernel.playout import playout, uniform_policy

DEALS = 300_000


@kernel
def many(states, deals, scratch, rng):
    points = 0
    for _ in range(deals):
        states[1] = states[0]
        playout(states[1], 1000, 0, scratch, rng)
        points += states[1].points[0] + states[1].points[1]
    return points


def main() -> None:
    game = sw.game("jass", variant="server-deal")
    states, scratch, rng = game.states(2), game.scratch(), spawn(1)
    states[0] = game.opening().state[0]
    loop = specialise(many, game, policy=uniform_policy)
    loop(states, 10, scratch, rng)
    for _ in range(3):
        began = time.process_time()
        points = loop(states, DEALS, scratch, rng)
        rate = DEALS / (time.process_time() - began)
        print(f"{rate:,.0f} random deals per second, {points / DEALS:.2f} points per deal")


if __name__ == "__main__":
    main()
