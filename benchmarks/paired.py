"""Which of two agents plays better alone: both play the same seeds, and their points are compared seed by seed.

    python benchmarks/paired.py GAME ONE OTHER [--variant V] [--games 200] [--seed 1] [--workers 2] [--seconds S]

The interval of the difference (95 %) is narrower than those of the means, since both meet the same chance. At tables
for several `spielwerk tournament` compares.
"""

import argparse

from spielwerk.arena.statistics import summary
from spielwerk.arena.workers import Task, match_seed, play_all
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game


def told(values: list[float], sign: str = "") -> str:
    found = summary(values)
    low, high = found.ci95 or (found.mean, found.mean)
    return f"{found.mean:{sign}.2f} ({low:{sign}.2f} … {high:{sign}.2f})"


def points(game: Game, agent: Agent, games: int, seed: int, workers: int, budget: Budget | None) -> list[float]:
    """By number of the match."""
    tasks = [Task(number, match_seed(seed, number), (agent,)) for number in range(games)]
    played = {task.number: match for task, match in play_all(game, tasks, workers, "auto", budget)}
    seconds = sum(match.seconds for match in played.values())
    scores = [played[number].scores[0] for number in range(games)]
    decisions = sum(len(match.log) for match in played.values())
    print(f"{agent.spec}: {told(scores)}, {1000 * seconds / decisions:.2f} ms per decision", flush=True)
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("agents", nargs=2, metavar="AGENT")
    parser.add_argument("--variant")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, help="per decision, for agents that take their time")
    given = parser.parse_args()
    game = registry.game(given.game, 1, given.variant)
    budget = Budget(seconds=given.seconds) if given.seconds else None
    one, other = (
        points(game, registry.agent(agent), given.games, given.seed, given.workers, budget) for agent in given.agents
    )
    print(f"difference: {told([a - b for a, b in zip(one, other, strict=True)], '+')}, {given.games} seeds")


if __name__ == "__main__":
    main()
