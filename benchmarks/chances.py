"""Whether an agent that speaks of its chance to win wins as often: what it said before its moves, and what came out.

    python benchmarks/chances.py [--game qwixx] [--agent pairvalue] [--seats 2 3 4 5] [--matches 300] [--seed 1]

The agent plays on all seats. Every decision with a choice counts for the tenth in which the value of the chosen action
falls; a win that is shared counts in part. Decisions of one match are not independent: the intervals (95 %) are over
matches.
"""

import argparse
from itertools import pairwise

import numpy as np

from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import spawn

EDGES = np.array([0.0, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1.001])


def one_match(game_name: str, seats: int, spec: str, seed: int) -> list[tuple[float, float]]:
    """(said, share of the win) of every decision with a choice."""
    position, agent, rng = registry.game(game_name, seats).new(seed), registry.agent(spec), spawn(seed, 1)
    said: list[tuple[int, float]] = []
    while not position.over:
        moves: dict[int, int | str] = {}
        for view in [position.view(seat) for seat in position.actors]:
            decision = agent.decide(view, Budget(), rng)
            if decision.unit != "win" or decision.values is None:
                raise SystemExit(f"{spec} does not speak of its chance to win")
            moves[view.seat] = decision.action
            if len(view.legal) > 1:
                said.append((view.seat, decision.values[view.legal.index(decision.action)]))
        position.play(moves)
    results = np.array(position.result)
    won = (results == results.max()) / (results == results.max()).sum()
    return [(chance, float(won[seat])) for seat, chance in said]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="qwixx")
    parser.add_argument("--agent", default="pairvalue")
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 3, 4, 5])
    parser.add_argument("--matches", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| seats | said | won | decisions | matches |\n|---|---|---|---|---|")
    for seats in options.seats:
        matches = [
            np.array(one_match(options.game, seats, options.agent, options.seed + number))
            for number in range(options.matches)
        ]
        for low, high in pairwise(EDGES):
            chosen = [match[(match[:, 0] >= low) & (match[:, 0] < high)] for match in matches]
            chosen = [match for match in chosen if len(match)]
            if len(chosen) < 10:
                continue
            said, won = np.concatenate(chosen).mean(axis=0)
            off = np.array(
                [(match[:, 1] - won).sum() for match in chosen]
            )  # of the sum of a match, which is what varies
            margin = 1.96 * np.sqrt((off**2).sum()) / sum(map(len, chosen))
            count = sum(map(len, chosen))
            print(f"| {seats} | {said:.0%} | {won:.0%} ± {margin:.0%} | {count} | {len(chosen)} |", flush=True)


if __name__ == "__main__":
    main()
