"""One text, every game: every learner of networks on every game for some seconds, and what it makes against `random`.

    python benchmarks/learners.py [--learners imitate ppo dqn tdvalue]
                                  [--games 2048 qwixx jass claim whisper connect4 leduc]
                                  [--seconds 120] [--test 2000] [--seed 1] [--threads 2] [--out runs/learners]

All learners have their defaults, but for the length of the run: the clock ends it. What counts is the best network of a
run, on matches that nobody has seen, against `random` on all other seats, with rotated seats: points, or the share of
wins where the game counts these. Claim and Whisper are the tiny games of the tests, Connect Four and Leduc are those
of examples/plugin (`pip install ./examples/plugin`); games that are not installed are left out. Ends with an error if a
learner is not clearly better than `random`.
"""

import argparse
import shutil
import sys
import time
from pathlib import Path

from spielwerk.arena.evaluate import evaluate
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.learn import run as runs

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from tiny_games import CompiledClaim, CompiledWhisper

LEARNERS = ("imitate", "ppo", "dqn", "tdvalue")
TINY = {"claim": CompiledClaim, "whisper": CompiledWhisper}
GAMES = ("2048", "qwixx", "jass", *TINY, "connect4", "leduc")


def named(name: str) -> Game:
    return TINY[name]() if name in TINY else registry.game(name)


def measured(game: Game, agent: str, matches: int, seed: int, threads: int) -> tuple[float, float, float]:
    """Points, or the share of wins against random play, with its 95 % interval."""
    others = None if game.seats == 1 else "random"
    found = evaluate(game, agent, opponents=others, games=matches, seed=seed, workers=threads)
    by_wins = game.objective == "win" and agent != "random"
    figure = found.win_share if by_wins and found.win_share is not None else found.mean
    return figure, *((found.win_ci95 if by_wins else found.ci95) or (figure, figure))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", nargs="+", default=LEARNERS)
    parser.add_argument(
        "--games", nargs="+", default=[name for name in GAMES if name in (*TINY, *registry.game_names())]
    )
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--test", type=int, default=2000, help="matches of the measurement")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("runs/learners"))
    given = parser.parse_args()
    bad = 0
    print("| game | learner | trained | against random | random itself | |\n|---|---|---|---|---|---|")
    for title in given.games:
        game = named(title)
        chance = measured(game, "random", given.test, given.seed, given.threads)
        if game.objective == "win":
            chance = (1.0 / game.seats,) * 3
        for name in given.learners:
            out = given.out / f"{title}-{name}"
            shutil.rmtree(out, ignore_errors=True)
            began = time.monotonic()
            try:
                learner = runs.learner(name, None)
                run = runs.train(game, learner, out, given.seed, given.seconds, given.threads)
                trained = time.monotonic() - began
                figure, low, high = measured(game, learner.agent(run), given.test, given.seed, given.threads)
            except SpielwerkError as problem:
                print(f"| {title} | `{name}` | {problem} | | | NOT LEARNED |", flush=True)
                bad += 1
                continue
            better = low > chance[2]
            bad += not better
            verdict = "ok" if better else "NOT BETTER"
            points = f"{figure:,.4g} ({low:,.4g} to {high:,.4g})"
            print(f"| {title} | `{name}` | {trained:.0f} s | {points} | {chance[0]:,.4g} | {verdict} |", flush=True)
    sys.exit(f"{bad} learners are no better than random play" if bad else 0)


if __name__ == "__main__":
    main()
