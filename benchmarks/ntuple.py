"""Speed of n-tuple learning and play in 2048: moves per second of wall-clock and of processor time.

    python benchmarks/ntuple.py train [SECONDS]     4x6 tuples, plain TD and temporal coherence, one and two threads
                                                    by turns, SECONDS each
    python benchmarks/ntuple.py play [MODEL]        greedy, 2-ply and 3-ply, one core

On a machine that others use too, the processor time and the best round say more than the wall clock.
"""

import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import spielwerk as sw
from spielwerk.core.kernel.contract import apply, policy
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import kernel, specialise
from spielwerk.learn import run as runs
from spielwerk.learn.kernel.ntuple import MOVES
from spielwerk.learn.ntuple_training import Training
from spielwerk.search.kernel.playout import settle

TURN = 0.75  # seconds, about
WARM_UP = 8  # turns: matches get longer and tables fuller
WAYS = {
    "TD(0)": "ntuple:tuples=4x6,alpha=0.1,tc=false,trace_decay=0.0",
    "TC(0)": "ntuple:tuples=4x6,trace_decay=0.0",
    "TC(0.5)": "ntuple:tuples=4x6",
}


def train(seconds: float) -> None:
    """One and two threads by turns on the same tables, so that both see the same network and the same neighbours."""
    game = sw.game("2048")
    for name, spec in WAYS.items():
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
            limits = runs.Limits(threads=2, seed=1)
            training = Training(runs.learner(spec), game, runs.RunFolder(folder), limits, lambda done, line: None)
            training.compile()
            speeds: dict[int, list[float]] = {1: [], 2: []}
            shares: dict[int, list[float]] = {1: [], 2: []}
            for turn in range(2 * round(seconds / TURN) + WARM_UP):
                threads = 1 + turn % 2 if turn >= WARM_UP else 2
                chosen = training.workers[:threads]
                before = sum(worker.totals[MOVES] for worker in chosen)
                began, busy = time.perf_counter(), time.process_time()
                training.round(pool, chosen, round(TURN * 2e6))
                took = time.perf_counter() - began
                if turn >= WARM_UP:
                    speeds[threads].append((sum(worker.totals[MOVES] for worker in chosen) - before) / took / 1e6)
                    shares[threads].append((time.process_time() - busy) / took / threads)
        for threads, found in speeds.items():
            print(
                f"{name}, {threads} thread(s): mean {np.mean(found):.2f} M moves/s, best turn {max(found):.2f} M, got "
                f"{100 * np.mean(shares[threads]):.0f} % of the processor time it asked for",
                flush=True,
            )
        print(f"{name}: two threads are {np.mean(speeds[2]) / np.mean(speeds[1]):.2f} times as fast as one", flush=True)


@kernel
def some_moves(states, weights, scratch, rng, most):
    """Play states[0] on for at most `most` moves; returns how many."""
    moves = 0
    while moves < most and settle(states[0], rng) > 0:
        scratch.joint[0] = policy(states[0], 0, weights, scratch, rng)
        apply(states[0], scratch.joint)
        moves += 1
    return moves


def play(model: str | None) -> None:
    game = sw.game("2048")
    source = f"@{model}" if model else ""
    greedy = f"ntuple:model={model}" if model else "ntuple"
    lead = sw.agent(greedy).policy(game)
    go = specialise(some_moves, game, policy=lead.function)
    for spec, most in ((greedy, 100_000), (f"expectimax:depth=2,evaluation=ntuple{source}", 3000),
                       (f"expectimax:depth=3,evaluation=ntuple{source}", 300)):  # fmt: skip
        rule = sw.agent(spec).policy(game)
        loop = specialise(some_moves, game, policy=rule.function)
        scratch, rng = game.scratch(), spawn(7)
        loop(game.opening().state, rule.weights, scratch, rng, 3)
        moves, wall, busy = 0, 0.0, 0.0
        for part in range(16):  # from all parts of a match: the first moves have most empty cells and are slowest
            state = game.opening().state
            go(state, lead.weights, scratch, rng, 300 * part)
            began, cpu = time.perf_counter(), time.process_time()
            done = loop(state, rule.weights, scratch, rng, most)
            moves += done
            wall += time.perf_counter() - began
            busy += time.process_time() - cpu
        print(f"{spec}: {moves / wall:,.0f} moves/s, {moves / busy:,.0f} per second of processor time", flush=True)


def main() -> None:
    what, *rest = sys.argv[1:] or ["train"]
    if what == "play":
        play(rest[0] if rest else None)
    else:
        train(float(rest[0]) if rest else 20.0)


if __name__ == "__main__":
    main()
