"""bench: how fast is it? Speeds, and ratios within one run, because machines are noisy.

A game may add comparisons of its own: an entry point `spielwerk.benchmarks` of the game's id names a function
(game, seconds) -> list of Figures.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import msgspec
import numpy as np

from spielwerk.arena.kernel.bench import random_matches
from spielwerk.arena.words import say
from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import specialise
from spielwerk.core.running import run_many

Report = Callable[[float, str], None]


class Figure(msgspec.Struct, frozen=True):
    game: str
    what: str
    value: float
    unit: str


def bench(name: str | None, seconds: float, report: Report) -> list[Figure]:
    """Measure every game, or one."""
    names = [name] if name else list(registry.game_classes(lambda problem: report(0.0, problem)))
    figures: list[Figure] = []
    for number, game_id in enumerate(names):
        game = registry.game(game_id)

        def tell(done: float, what: str, number: int = number, title: str = game.title) -> None:
            report((number + done) / len(names), f"{title}: {what}")

        figures += _speeds(game, seconds, tell)
        if game_id in registry.benchmark_names():
            tell(0.6, say("the game's own comparisons"))
            figures += registry.benchmark(game_id)(game, seconds)
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
    for done, spec in ((0.2, "mc:iterations=1000,rollout_depth=20"), (0.4, "mctse:iterations=3500,rollout_depth=150")):
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
