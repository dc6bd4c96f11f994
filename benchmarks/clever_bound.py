"""How much is left in Ganz schön clever alone: what a player gets who knows all dice to come, by seed.

python benchmarks/clever_bound.py MODEL [--seeds 200] [--width 1000] [--seconds 0] [--file clever-bound.jsonl]

MODEL is a network that judges afterstates (run folder, file or name). Every seed gets a line (lower bound, replays in
the game) and a proven upper bound. Results are kept in the file, seed by seed: what is there with the same width or a
wider one is not repeated, a wider beam goes on from it. --seconds ends early, after the seed at hand; 0 = never.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from scipy import stats

import spielwerk as sw
from spielwerk.games.clever.bound import Relaxation, counting_bound
from spielwerk.games.clever.clairvoyant import Beam, Line, Optimum, optimum, replay
from spielwerk.nets.network import load_network


def read(path: Path) -> dict[int, tuple[int, Optimum]]:
    """By seed: the width and what it found; the last line of a seed counts, half a line does not."""
    found = {}
    for text in path.read_text().splitlines() if path.exists() else ():
        try:
            row = json.loads(text)
        except ValueError:
            continue
        line = Line(row["seed"], row["lower"], tuple(row["actions"]))
        found[line.seed] = row["width"], Optimum(line, row["upper"])
    return found


def interval(values: list[int]) -> str:
    mean, error = float(np.mean(values)), float(stats.sem(values))
    reach = error * float(stats.t.ppf(0.975, len(values) - 1)) if len(values) > 1 else 0.0
    return f"{mean:7.2f}  ({mean - reach:.2f} … {mean + reach:.2f})  {min(values)} … {max(values)}"


def report(found: list[Optimum]) -> None:
    lower, upper = [each.line.points for each in found], [each.upper for each in found]
    exact = [each.upper for each in found if each.exact]
    print(f"seeds        {len(found)}; counting bound of any dice {counting_bound()}")
    print(f"lower bound  {interval(lower)}")
    print(f"upper bound  {interval(upper)}")
    print(f"gap          {interval([high - low for low, high in zip(lower, upper, strict=True)])}")
    print(f"exact        {len(exact)} seeds, {sum(value == counting_bound() for value in exact)} of them the maximum")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--width", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--file", type=Path, default=Path("clever-bound.jsonl"))
    given = parser.parse_args()
    game = sw.game("clever", seats=1)
    beam, relaxation = Beam(game, load_network(game, given.model), given.width), Relaxation()
    found, began = read(given.file), time.monotonic()
    for seed in range(given.seeds):
        width, known = found.get(seed, (0, None))
        if width >= given.width or (known is not None and known.exact):
            continue
        if given.seconds and time.monotonic() - began > given.seconds:
            break
        made = optimum(beam, relaxation, seed, known)
        if replay(game, made.line) != made.line.points:
            raise SystemExit(f"the line of seed {seed} does not replay")
        found[seed] = given.width, made
        row = {"seed": seed, "width": given.width, "lower": made.line.points, "upper": made.upper}
        with given.file.open("a") as file:
            file.write(json.dumps(row | {"actions": made.line.actions}) + "\n")
        print(f"seed {seed:3}  {made.line.points} … {made.upper}", flush=True)
    report([made for seed, (_, made) in sorted(found.items()) if seed < given.seeds])


if __name__ == "__main__":
    main()
