"""Measures the ladders of all games again: every rung against the one below, beside the figures that are declared.

    python benchmarks/ladder.py [GAME …] [--games 2000] [--slow 100] [--workers 1] [--seed 1]

Rungs whose matches run in compiled code play `--games` matches, others `--slow`. Ends with an error if a rung is not
better than the one below, or if what is declared cannot be true. A step is the lead or the share of the wins; in a game
for one seat it is the logarithm of the ratio of the points.
"""

import argparse
import math
import sys

from spielwerk.arena.ladder import Step, climb, kind_of
from spielwerk.core import registry


def line(step: Step, before: float | None, kind: str) -> str:
    digits = 0 if kind == "points" else 1
    declared = "–" if step.declared is None else f"{step.declared:,.{digits}f} ± {step.declared_error:,.{digits}f}"
    figure = f"{step.figure:,.{digits}f} ± {step.error:,.{digits}f}"
    grown = step.figure / before if kind == "points" and before else None
    ratio = f"× {grown:.1f} (ln {math.log(grown):.2f})" if grown else "–"
    verdict = "ok" if step.higher and step.as_declared else "NOT HIGHER" if not step.higher else "NOT AS DECLARED"
    return f"| {step.strength} | `{step.agent}` | {figure} | {declared} | {ratio} | {step.seconds:.0f} s | {verdict} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="GAME", help="default: all games with a ladder")
    parser.add_argument("--games", type=int, default=2000, help="matches of a rung that plays compiled")
    parser.add_argument("--slow", type=int, default=100, help="matches of any other rung")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    bad = 0
    for game in given.names or [name for name in registry.game_names() if registry.game_class(name).spec.ladder]:
        kind = kind_of(game)
        print(f"\n{game}, {kind}\n\n| | agent | measured | declared | ratio | time | |\n|---|---|---|---|---|---|---|")
        before = None
        for step in climb(game, given.games, given.slow, given.seed, given.workers):
            print(line(step, before, kind), flush=True)
            bad += not (step.higher and step.as_declared)
            before = step.figure
    sys.exit(f"{bad} rungs are not where they should be" if bad else 0)


if __name__ == "__main__":
    main()
