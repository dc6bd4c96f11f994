"""Tune the card rules of the Jass rule player by self-play with CMA-ES.

    python benchmarks/jass_tune.py SECONDS [SEED]

Every candidate plays the same duplicate deals against the weights as they were.
"""

import sys
import time

import cma
import numpy as np
from jass_modes import MODEL
from jass_train_kernel import duel

import spielwerk as sw
from spielwerk.agents.jass_rules_kernel import PLAY_WEIGHTS
from spielwerk.core.kernel import specialise
from spielwerk.core.rng import spawn

DEALS = 1500


def main() -> None:
    seconds = float(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    game = sw.game("jass", variant="server-deal")
    states, scratch, leads = game.states(3), game.scratch(), np.zeros(DEALS)
    states[0] = game.opening().state[0]
    loop = specialise(duel, game)
    old = np.load(MODEL)["weights"].astype(np.float64)

    def lead(weights: np.ndarray, stream: int) -> float:
        loop(states, DEALS, weights, old, scratch, spawn(seed, stream), leads)
        return float(leads.mean())

    began = time.perf_counter()
    lead(old, 0)
    print(f"warm after {time.perf_counter() - began:.1f} s")
    scales = np.maximum(np.abs(old[:PLAY_WEIGHTS]) * 0.4, 0.3)
    scales[[1, 18 + 1, 29]] = 0.15
    search = cma.CMAEvolutionStrategy(np.zeros(PLAY_WEIGHTS), 0.7, {"seed": seed, "verbose": -9, "popsize": 16})
    began, generation = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        candidates = search.ask()
        values = []
        for candidate in candidates:
            weights = old.copy()
            weights[:PLAY_WEIGHTS] += scales * candidate
            values.append(-lead(weights, 1 + generation))
        search.tell(candidates, values)
        generation += 1
        if generation % 20 == 0:
            print(f"{generation:4d}: best {-min(values):+.2f}, mean {-np.mean(values):+.2f}", flush=True)
    new = old.copy()
    new[:PLAY_WEIGHTS] += scales * search.result.xfavorite
    gained = []
    for stream in range(10):
        lead(new, 10**6 + stream)
        gained.append(leads.copy())
    leads_all = np.concatenate(gained)
    print(f"new against old: {leads_all.mean():+.2f} ± {1.96 * leads_all.std() / len(leads_all) ** 0.5:.2f} per deal")
    if leads_all.mean() > 0:
        np.savez_compressed(MODEL, weights=new.astype(np.float32))


if __name__ == "__main__":
    main()
