"""How often Jass agents name the card or mode that a judge names, where there is a choice, and what it costs them.

    python benchmarks/jass_agreement.py AGENT [AGENT …] [--judge dmcts:worlds=1000] [--walker AGENT] [--deals 60]

The deals are played by the walker, whose mistakes are answered, too. An action that the judge values exactly as much as
its own has "equal value". The loss is in points of the judge's values, per choice. Intervals take the choices of a deal
together.
"""

import argparse
import math

import numpy as np
from numpy.typing import NDArray

from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import spawn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="+", metavar="AGENT")
    parser.add_argument("--judge", default="dmcts:worlds=1000")
    parser.add_argument("--walker", default="rules:error=15")
    parser.add_argument("--variant", default="server-deal")
    parser.add_argument("--deals", type=int, default=60)
    parser.add_argument("--seed", type=int, default=100_000)
    given = parser.parse_args()
    game = registry.game("jass", 4, given.variant)
    judge, walker = registry.agent(given.judge), registry.agent(given.walker)
    agents = [registry.agent(name) for name in given.agents]
    lost: list[list[float]] = []  # per choice and agent; nan = it named the same
    deal_of: list[int] = []
    for number in range(given.deals):
        position, rng = game.new(given.seed + number), spawn(given.seed, number)
        while not position.over:
            seat = position.actors[0]
            view = position.view(seat)
            if len(view.legal) > 1:
                best = judge.decide(view, Budget(), rng)
                worth = dict(zip(view.legal, best.values or (), strict=True))
                named = [agent.decide(view, Budget(), rng).action for agent in agents]
                deal_of.append(number)
                lost.append([np.nan if one == best.action else worth[best.action] - worth[one] for one in named])
            position.play({seat: walker.decide(view, Budget(), rng).action})
    found = np.array(lost)
    print(f"{len(found)} choices of {given.deals} deals, judged by {judge.spec}\n")
    print("| agent | the same | 95 % | equal value | points lost per choice |\n|---|---|---|---|---|")
    for agent, column in zip(agents, found.T, strict=True):
        same = np.isnan(column)
        good, loss = same | (column <= 0), np.nansum(column) / len(column)
        low, high = interval(same, np.array(deal_of))
        print(f"| `{agent.spec}` | {same.mean():.3f} | {low:.3f} … {high:.3f} | {good.mean():.3f} | {loss:.2f} |")


def interval(same: NDArray[np.bool_], deals: NDArray[np.int64]) -> tuple[float, float]:
    """The 95 % interval of a share of choices, of which those of one deal are not independent (a ratio estimate)."""
    share = float(same.mean())
    beside = np.bincount(deals, same - share)  # by how many choices each deal is off
    count = len(beside)
    error = math.sqrt(count / max(count - 1, 1) * float(np.square(beside).sum())) / len(same)
    return share - 1.96 * error, share + 1.96 * error


if __name__ == "__main__":
    main()
