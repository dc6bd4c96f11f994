"""Tune the card rules of the Jass rule player by self-play with CMA-ES.

    python benchmarks/jass_tune.py SECONDS [SEED] [free]

Every candidate plays the same duplicate deals against the weights as they were. With `free` only the weights for
obeabe and undeufe are tuned, in deals without trumps, which are rare in play.
"""

import sys
import time

import cma
import numpy as np
from jass_modes import keep
from jass_train_kernel import duel, duel_without_trumps

import spielwerk as sw
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import specialise
from spielwerk.games.jass.players.kernel import rules
from spielwerk.games.jass.players.rules import rules_weights

DEALS = 1500
FREE = [
    rules.FREE_COST_BOSS, rules.FREE_COST_SECOND, rules.FREE_COST_VALUE, rules.FREE_COST_RANK, rules.FREE_LATER,
    rules.FREE_LEAD_BOSS, rules.FREE_LEAD_LENGTH, rules.FREE_LEAD_OUT, rules.FREE_LEAD_WEAK,
]  # fmt: skip


def main() -> None:
    free = "free" in sys.argv[1:]
    numbers = [argument for argument in sys.argv[1:] if argument != "free"]
    seconds = float(numbers[0])
    seed = int(numbers[1]) if len(numbers) > 1 else 1
    game = sw.game("jass", variant="server-deal")
    states, scratch, leads = game.states(3), game.scratch(), np.zeros(DEALS)
    states[0] = game.opening().state[0]
    loop = specialise(duel_without_trumps if free else duel, game)
    tuned = np.array(FREE if free else [i for i in range(rules.PLAY_WEIGHTS) if i not in FREE])
    old = rules_weights()

    def lead(weights: np.ndarray, stream: int) -> float:
        loop(states, DEALS, weights, old, scratch, spawn(seed, stream), leads)
        return float(leads.mean())

    began = time.perf_counter()
    lead(old, 0)
    print(f"warm after {time.perf_counter() - began:.1f} s")
    scales = np.maximum(np.abs(old[: rules.PLAY_WEIGHTS]) * 0.4, 0.3)
    scales[[rules.RUFFS, rules.PARTNER_BEATS, rules.LAST_TRICKS]] = 0.15
    scales = scales[tuned]
    search = cma.CMAEvolutionStrategy(np.zeros(len(tuned)), 0.7, {"seed": seed, "verbose": -9, "popsize": 14})
    began, generation = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        candidates = search.ask()
        values = []
        for candidate in candidates:
            weights = old.copy()
            weights[tuned] += scales * candidate
            values.append(-lead(weights, 1 + generation))
        search.tell(candidates, values)
        generation += 1
        if generation % 20 == 0:
            print(f"{generation:4d}: best {-min(values):+.2f}, mean {-np.mean(values):+.2f}", flush=True)
    new = old.copy()
    new[tuned] += scales * search.result.xfavorite
    gained = []
    for stream in range(10):
        lead(new, 10**6 + stream)
        gained.append(leads.copy())
    leads_all = np.concatenate(gained)
    print(f"new against old: {leads_all.mean():+.2f} ± {1.96 * leads_all.std() / len(leads_all) ** 0.5:.2f} per deal")
    if leads_all.mean() > 0:
        keep(new)


if __name__ == "__main__":
    main()
