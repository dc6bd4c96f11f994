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
    lost: list[list[float]] = []  # per choice and agent
    alike: list[list[bool]] = []
    deal_of: list[int] = []
    for number in range(given.deals):
        position, choices = game.new(given.seed + number), 0
        walking = spawn(given.seed, number)  # so that the deals are the same whoever is asked about them
        while not position.over:
            seat = position.actors[0]
            view = position.view(seat)
            if len(view.legal) > 1:
                choices += 1
                best = judge.decide(view, Budget(), spawn(given.seed, number, choices))
                if best.values is None:
                    parser.error(f"{judge.spec} does not say what actions are worth; take a search as the judge")
                worth = dict(zip(view.legal, best.values, strict=True))
                asked = [agent.decide(view, Budget(), spawn(given.seed, number, choices, 1)) for agent in agents]
                deal_of.append(number)
                alike.append([one.action == best.action for one in asked])
                lost.append([worth[best.action] - worth[one.action] for one in asked])
            position.play({seat: walker.decide(view, Budget(), walking).action})
    found = np.array(lost)  # nan: the judge never tried it
    print(f"{len(found)} choices of {given.deals} deals, judged by {judge.spec}\n")
    print("| agent | the same | 95 % | equal value | points lost per choice |\n|---|---|---|---|---|")
    for agent, column, same in zip(agents, found.T, np.array(alike).T, strict=True):
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
