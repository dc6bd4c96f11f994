"""All Jass agents on the same deals: one table of points per deal, with 95 % intervals.

    python benchmarks/jass_ladder.py [AGENT …] [--pairs 1000] [--minutes 10] [--against rules] [--variant server-deal]

Everybody plays against one opponent, every deal twice with the teams swapped, so that two rows can be compared. Agents
that think long play as many pairs as their share of the minutes allows, at least 20; `pairs` is the most.
"""

import argparse
import time
from importlib.util import find_spec

from spielwerk.arena.statistics import summary
from spielwerk.arena.workers import Task, match_seed, play_all
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.game import Game

AGENTS = [
    "random", "greedy", "mc:iterations=20", "ismcts:iterations=500", "rules:error=60", "javabot", "rules",
    "net", "dmcts:worlds=25", "dmcts:worlds=250", "dmcts:seconds=0.1", "dmcts:preset=net,seconds=0.1",
    "dmcts:preset=challenge,seconds=0.1",
]  # fmt: skip
FEWEST, PIECE = 20, 10  # pairs: at least, and before the clock is looked at


def pairs_of(game: Game, agent: Agent, other: Agent, numbers: range, seed: int, workers: int) -> list[float]:
    """The lead per deal of each pair."""
    tasks = []
    for number in numbers:
        deal = match_seed(seed, number)
        tasks += [Task(2 * number, deal, (agent, other) * 2), Task(2 * number + 1, deal, (other, agent) * 2)]
    played = {task.number: match for task, match in play_all(game, tasks, workers, "auto", None)}
    leads = []
    for number in numbers:
        one, two = played[2 * number].scores, played[2 * number + 1].scores
        leads.append((one[0] - one[1] + two[1] - two[0]) / 2)
    return leads


def measured(game: Game, agent: Agent, other: Agent, most: int, seconds: float, seed: int, workers: int) -> list[float]:
    leads: list[float] = []
    began = time.monotonic()
    while len(leads) < most and (len(leads) < FEWEST or time.monotonic() - began < seconds):
        upto = min(most, len(leads) + max(PIECE, len(leads)))
        leads += pairs_of(game, agent, other, range(len(leads), upto), seed, workers)
    return leads


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", metavar="AGENT", default=AGENTS)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--against", default="rules")
    parser.add_argument("--variant", default="server-deal")
    parser.add_argument("--seed", type=int, default=77)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    game, other = registry.game("jass", 4, given.variant), registry.agent(given.against)
    agents = [registry.agent(agent) for agent in given.agents if agent != "javabot" or find_spec("pyschieber")]
    print(f"| agent | lead over {other.spec} per deal | 95 % | pairs |\n|---|---|---|---|")
    for agent in agents:
        if agent == other:
            continue
        leads = measured(game, agent, other, given.pairs, 60 * given.minutes / len(agents), given.seed, given.workers)
        found = summary(leads)
        low, high = found.ci95 or (found.mean, found.mean)
        print(f"| `{agent.spec}` | {found.mean:+.1f} | {low:+.1f} … {high:+.1f} | {len(leads)} |", flush=True)


if __name__ == "__main__":
    main()
