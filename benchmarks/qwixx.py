"""Qwixx figures that the documentation quotes: `python benchmarks/qwixx.py [means] [speed] [duels]`, all by default.

means   self-play mean of AlphaQwixx and relatives by rules and seats, beside the published figures
speed   matches per second on one core, seconds per generation of the evolutionary trainer
duels   share of the wins against AlphaQwixx, every dice sequence once with every seat
"""

import sys
import time

import numpy as np

from spielwerk.core import registry
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.running import run
from spielwerk.games.qwixx.learn.evolve import Evolve, play_matches
from spielwerk.games.qwixx.players.polynomial import ALPHAQWIXX, Gap

MATCHES = 20_000
PUBLISHED = {
    "study": {2: 79.4, 3: 74.3, 4: 70.9, 5: 68.5},
    "official": {1: 88.6, 2: 78.4, 3: 73.1, 4: 69.6, 5: 67.2},
}


def self_play(coefficients, seats, variant, matches=MATCHES):
    """Mean score of a strategy at a table of its own kind, and its standard error."""
    table = registry.game("qwixx", seats, variant)
    keys = np.array([spawn(20_000, number)[0] for number in range(matches)])
    scores = play_matches(table, coefficients[None], np.zeros((matches, seats), np.int64), keys).mean(axis=1)
    return scores.mean(), scores.std() / matches**0.5


def means():
    for variant, by_seats in PUBLISHED.items():
        for seats, published in by_seats.items():
            mean, error = self_play(ALPHAQWIXX, seats, variant)
            print(f"alphaqwixx {variant:9s}{seats} seats  {mean:6.2f} ± {1.96 * error:.2f}   published {published}")
    for name, coefficients, by_seats in (
        ("gap", Gap().coefficients(), {1: 78.3, 2: 71.6, 3: 67.0, 4: 64.2, 5: 61.6}),
        ("steps 0.7", np.array([[0.0] * 4, [1.0, -0.7, 0.7, -2.5]]), {1: 93.9, 2: 89.4, 3: 86.3, 5: 81.8}),
    ):
        for seats, published in by_seats.items():
            mean, error = self_play(coefficients, seats, "official", 5000)
            print(f"{name:10s} official {seats} seats  {mean:6.2f} ± {1.96 * error:.2f}   published {published}")


def speed():
    table = registry.game("qwixx", 2)
    groups, keys = np.zeros((20_000, 2), np.int64), np.arange(20_000).astype(np.uint64)
    play_matches(table, ALPHAQWIXX[None], groups[:10], keys[:10])
    began = time.process_time()
    play_matches(table, ALPHAQWIXX[None], groups, keys)
    print(f"alphaqwixx, 2 seats: {len(groups) / (time.process_time() - began):,.0f} matches per second of one core")
    agent = registry.agent("alphaqwixx")
    run(table, [agent, agent], 0)
    began = time.process_time()
    for seed in range(3000):
        run(table, [agent, agent], seed)
    print(f"the same one by one with results: {3000 / (time.process_time() - began):,.0f} per second of one core")
    evolve = Evolve()
    people = evolve._strangers(100, 0, 0)
    study = registry.game("qwixx", 5, "study")
    evolve.play(study, people, 0)
    began = time.process_time()
    for generation in range(10):
        evolve.next_generation(people, evolve.ranked(evolve.play(study, people, generation)), 0, generation)
    print(f"a generation of 100 players, 10 rounds, groups of 5: {(time.process_time() - began) / 10:.3f} s")


def duel(spec, seats, matches, variant="official", opponent="alphaqwixx"):
    """Share of the wins of one agent among opponents, its 95 % interval over dice sequences, and its mean score."""
    table = registry.game("qwixx", seats, variant)
    agent, other = registry.agent(spec), registry.agent(opponent)
    shares, points = [], []
    for number in range(matches // seats):
        total = 0.0
        for seat in range(seats):
            agents = [other] * seats
            agents[seat] = agent
            scores = np.array(run(table, agents, 5_000_000 + number).scores)
            winners = scores == scores.max()
            total += winners[seat] / winners.sum()
            points.append(scores[seat])
        shares.append(total / seats)
    return np.mean(shares), 1.96 * np.std(shares) / len(shares) ** 0.5, np.mean(points)


def duels():
    for spec, seats, matches in (
        ("gap", 2, 10_000),
        ("gap:endgame=true", 2, 10_000),
        ("alphaqwixx:endgame=true", 2, 10_000),
        ("polynomial:strategy=0 0 0 0 / 1 -0.7 0.7 -2.5", 2, 10_000),
        ("mc:iterations=64,rollout_depth=500,paired=true,playouts=(gap:endgame=true)", 2, 400),
        ("pairvalue", 2, 10_000),
        ("pairvalue", 3, 9_000),
        ("pairvalue:samples=32", 2, 4_000),
        ("pairvalue:samples=32", 3, 1_500),
    ):
        share, error, mean = duel(spec, seats, matches)
        print(f"{spec:60s}{seats} seats  {share:.1%} ± {error:.1%}  mean {mean:.1f}", flush=True)


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["means", "speed", "duels"]
    for name in chosen:
        {"means": means, "speed": speed, "duels": duels}[name]()
