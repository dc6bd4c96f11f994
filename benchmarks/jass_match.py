"""Two Jass agents against each other on duplicate deals: points per deal with the paired 95 % interval.

python benchmarks/jass_match.py AGENT AGENT PAIRS [SEED] [VARIANT]
python benchmarks/jass_match.py --seconds 0.1 AGENT AGENT PAIRS [SEED] [VARIANT]     thinking time per decision
"""

import sys
import time

import numpy as np

import spielwerk as sw
from spielwerk.core.running import run


def measure(
    first: str, second: str, pairs: int, seed: int = 0, variant: str = "server-deal", budget: sw.Budget | None = None
) -> str:
    game = sw.game("jass", variant=variant)
    a, b = sw.agent(first), sw.agent(second)
    points, seconds = [], 0.0
    for number in range(pairs):
        one = run(game, [a, b, a, b], 1_000_003 * seed + number, budget)
        two = run(game, [b, a, b, a], 1_000_003 * seed + number, budget)
        points.append((one.scores[0] + two.scores[1], one.scores[1] + two.scores[0]))
        seconds += one.seconds + two.seconds
    mine, theirs = np.array(points).T / 2
    error = 1.96 * np.std(mine - theirs, ddof=1) / pairs**0.5
    return (
        f"{first} - {second}: {mine.mean():.1f} : {theirs.mean():.1f}, "
        f"lead {np.mean(mine - theirs):+.1f} ± {error:.1f} ({pairs} pairs, {seconds / pairs / 2:.3f} s per deal)"
    )


def main() -> None:
    began = time.perf_counter()
    arguments, budget = sys.argv[1:], None
    if arguments[0] == "--seconds":
        budget = sw.Budget(seconds=float(arguments[1]))
        arguments = arguments[2:]
    first, second, pairs, *rest = arguments
    variant = rest[1] if len(rest) > 1 else "server-deal"
    print(measure(first, second, int(pairs), int(rest[0]) if rest else 0, variant, budget))
    print(f"{time.perf_counter() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
