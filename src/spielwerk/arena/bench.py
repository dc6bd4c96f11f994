"""bench: how fast is it? Speeds, and ratios within one run, because machines are noisy.

The ratio sets the generic text against a loop written by hand for 2048 that does the same work: flat Monte Carlo with
the game's functions called directly, one seat and one actor assumed. Both run alternately, and the best of each counts.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from spielwerk.agents.common import bind
from spielwerk.arena.bench_kernel import monte_carlo_by_hand, random_matches
from spielwerk.arena.words import say
from spielwerk.core import registry
from spielwerk.core.agent import Budget
from spielwerk.core.game import Game, Position
from spielwerk.core.kernel import specialise
from spielwerk.core.match import run_many
from spielwerk.core.rng import spawn
from spielwerk.search.monte_carlo import monte_carlo

Report = Callable[[float, str], None]


class Figure(msgspec.Struct, frozen=True):
    game: str
    what: str
    value: float
    unit: str


def bench(name: str | None, seconds: float, report: Report) -> list[Figure]:
    """Measure every game, or one."""
    names = [name] if name else registry.game_names()
    figures: list[Figure] = []
    for number, game_id in enumerate(names):
        game = registry.game(game_id)

        def tell(done: float, what: str, number: int = number, title: str = game.title) -> None:
            report((number + done) / len(names), f"{title}: {what}")

        figures += _speeds(game, seconds, tell)
        if game_id == "2048":
            tell(0.6, say("generic and hand-written mc by turns"))
            figures.append(
                Figure(game_id, "2048: generic mc ÷ hand-written mc", _generic_by_hand(game, seconds), "ratio")
            )
        tell(0.7, say("first and warm start"))
        figures += _starts(game_id)
    return figures


def _speeds(game: Game, seconds: float, tell: Report) -> list[Figure]:
    tell(0.0, say("random matches"))
    title, game_id = game.spec.title, game.spec.id
    states, opening = game.states(1), game.opening().state
    actions, joint, rng = np.zeros(game.spec.widest, np.int64), np.zeros(game.seats, np.int64), spawn(1)
    loop = specialise(random_matches, game)
    loop(states, opening, 1, actions, joint, rng)
    decisions = matches = 0
    began = time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds:
        decisions += loop(states, opening, 20, actions, joint, rng)
        matches += 20
    found = [
        Figure(game_id, f"{title}: random moves", decisions / spent, "per second"),
        Figure(game_id, f"{title}: random matches", matches / spent, "per second"),
    ]
    run_many(game, [registry.agent("random")] * game.seats, [0])
    for done, spec in ((0.2, "mc:iterations=1000,rollout_depth=20"), (0.4, "mctse")):
        tell(done, spec)
        rate = decisions_per_second(game, spec, seconds)
        found.append(Figure(game_id, f"{title}: {spec}", rate, "decisions per second"))
    return found


def decisions_per_second(game: Game, spec: str, seconds: float) -> float:
    """How many decisions with a real choice an agent makes in a match it plays with itself."""
    agent = registry.agent(spec)
    rng = spawn(1)
    position, number = game.new(0), 0
    agent.decide(position.view(position.actors[0]), Budget(playouts=1), rng)
    decisions, spent = 0, 0.0
    while spent < seconds:
        if position.over:
            number += 1
            position = game.new(number)
        moves: dict[int, int | str] = {}
        for seat in position.actors:
            view = position.view(seat)
            real = len(view.legal) > 1
            began = time.perf_counter()
            moves[seat] = agent.decide(view, Budget(), rng).action
            if real:
                spent += time.perf_counter() - began
                decisions += 1
        position.play(moves)
    return decisions / spent


def _generic_by_hand(game: Game, seconds: float) -> float:
    """Speed of the generic Monte Carlo as a share of the hand-written one, on the same positions."""
    binding = bind(game, "game", "playout", None)
    generic = specialise(monte_carlo, game, **binding.functions)
    by_hand = specialise(monte_carlo_by_hand, game)
    root = _middle_of_a_match(game).state
    actions, inner, joint = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(1, np.int64)
    rng, out, numbers = spawn(2), np.zeros(1), np.zeros(4)
    sums, squares, states, scratch = np.zeros((1, 4)), np.zeros((1, 4)), game.states(2), game.scratch()
    sizes = np.array([500])

    def play_generic() -> Any:
        return generic(
            root, states, 0, 0, sizes, np.uint64(7), actions, binding.weights, 20, 2, binding.scale, scratch, rng, out,
            sums, squares,
        )  # fmt: skip

    def play_by_hand() -> Any:
        return by_hand(states, root, 500, 20, binding.scale, actions, inner, joint, numbers, rng, sums[0])

    play_generic(), play_by_hand()
    best = [float("inf"), float("inf")]
    began = time.perf_counter()
    while time.perf_counter() - began < 2 * seconds:
        for which, play in enumerate((play_generic, play_by_hand)):
            start = time.perf_counter()
            play()
            best[which] = min(best[which], time.perf_counter() - start)
    return best[1] / best[0]


def _middle_of_a_match(game: Game) -> Position:
    agent, rng, position = registry.agent("mc:iterations=20"), spawn(3), game.new(1)
    for _ in range(300):
        if not position.over:
            position.play(agent.decide(position.view(0), Budget(), rng).action)
    return position


def _starts(game_id: str) -> list[Figure]:
    """Seconds of a whole process that plays one random match: with nothing compiled, and with a full cache."""
    code = (
        "import sys; from spielwerk.cli import main; "
        f"main(['evaluate', {game_id!r}, 'random', '--games', '1', '--store', sys.argv[1] + '/store.sqlite'])"
    )
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for what in ("first start", "warm start"):
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, "-c", code, folder],
                env={**os.environ, "SPIELWERK_CACHE": folder},
                check=True,
                capture_output=True,
            )
            found.append(
                Figure(game_id, f"{game_id}: {what}, one random match", time.perf_counter() - began, "seconds")
            )
    return found
