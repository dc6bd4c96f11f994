"""How much faster are two workers than one? Matches per second of both, measured alternately in one run.

    python benchmarks/workers.py [--games 60] [--agent mc:iterations=100]

Workers are started once before the clock runs: starting a process takes seconds and is not what this measures.
"""

import argparse
import json
import time

from spielwerk.arena.evaluate import evaluate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--agent", default="mc:iterations=100")
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parser.parse_args()
    rates: dict[int, float] = {1: 0.0, 2: 0.0}
    for workers in rates:
        evaluate("2048", "mc:iterations=1", games=4, workers=workers, backend="processes" if workers > 1 else "auto")
    for repeat in range(arguments.repeats):
        for workers in rates:
            began = time.perf_counter()
            evaluate("2048", arguments.agent, games=arguments.games, seed=repeat, workers=workers)
            rates[workers] = max(rates[workers], arguments.games / (time.perf_counter() - began))
    print(json.dumps({"matches_per_second": rates, "ratio": rates[2] / rates[1]}))


if __name__ == "__main__":
    main()
