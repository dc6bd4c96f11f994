"""warm: when it has ended, nothing compiles any more, in whatever process and however the game is used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spielwerk.arena.warming import agents_of
from spielwerk.core import registry

WARM = """
from spielwerk.core import registry
from spielwerk.arena.warming import warm_up
from tiny_games import CompiledClaim
registry.register(CompiledClaim)
registry.agent_names = lambda: ["random", "greedy"]
seen = []
print(warm_up([CompiledClaim()], lambda *told: seen.append(told)))
assert [done for done, *_ in seen] == list(range(len(seen)))
assert all(steps == len(seen) for _, steps, *_ in seen)
"""
USE = """
import sys
from spielwerk.arena.evaluate import evaluate
from spielwerk.arena.tournament import tournament
from spielwerk.core import registry
from spielwerk.core.cache import on_compile
from spielwerk.core.clock import Budget
from spielwerk.core.match import play, replay
from tiny_games import CompiledClaim
registry.register(CompiledClaim)
compiled = []
with on_compile(compiled.append):
    for seats in CompiledClaim.spec.seats:
        game = CompiledClaim(seats)
        for name in ("random", "greedy"):
            agent = registry.agent(name)
            evaluate(game, agent, games=2)
            evaluate(game, agent, games=2, opening=1)
            record = play(game, [agent] * game.seats, 3, Budget(seconds=0.01))
            for position in replay(record, game):
                [(view.text, view.svg) for view in map(position.view, range(-1, game.seats))]
        tournament(game, ["random", "greedy"], rounds=1)
        evaluate(game, "greedy", opponents="random", games=2)
print(len(compiled), *compiled)
"""
COMMANDS = [
    *(f"evaluate 2048 {agent} --games 1 --variant 2x2" for agent in ("random", "greedy", "ntuple", "mcts", "mctse")),
    "evaluate 2048 ntuple --games 1",
    "evaluate 2048 random --games 2 --opening 2",
    "evaluate 2048 expectimax:depth=1,evaluation=ntuple --games 1 --variant 2x3",
    "play 2048 --agents mc:preset=kutsch,iterations=50 --variant 2x2 --seed 1",
    "play 2048 --agents expectimax:depth=3,evaluation=ntuple --variant 3x3 --seed 1 --seconds 0.01 --quiet",
    "tournament 2048 random greedy ntuple --rounds 1 --variant 2x2",
    "certainty 2048 random --states 2 --repeats 2 --variant 2x2",
    "ask 2048 2,4,8,16/.,2,.,4/.,.,.,./.,.,.,.",
    "ask 2048 2,4,8,16/.,2,.,4/.,.,.,./.,.,.,. --agent ismcts --seconds 0.05",
    "runs",
    "replay 1:0",
]


def run(program, cache):
    environment = {**os.environ, "SPIELWERK_CACHE": str(cache), "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_after_warming_a_small_game_nothing_compiles(tmp_path):
    assert int(run(WARM, tmp_path)[0]) > 10
    assert run(WARM, tmp_path) == ["0"], "all of it is there"
    assert run(USE, tmp_path) == ["0"]


def test_every_agent_that_can_play_is_warmed():
    found = agents_of(registry.game("2048"))
    assert {"random", "greedy", "mc", "mcts", "mctse", "expectimax", "ismcts", "ntuple"} <= set(found)
    assert {rung.agent for rung in registry.game_class("2048").spec.ladder} <= set(found)
    assert "mc:preset=kutsch" in found and "rules" not in found and "vote" not in found


@pytest.mark.slow
def test_after_warming_2048_no_command_compiles(tmp_path):
    """Every command is a process of its own."""
    cache = os.environ.get("SPIELWERK_WARMED") or str(tmp_path / "cache")
    environment = {**os.environ, "SPIELWERK_CACHE": cache, "SPIELWERK_STORE": str(tmp_path / "results.sqlite")}
    spielwerk = [sys.executable, "-m", "spielwerk"]
    subprocess.run([*spielwerk, "warm", "2048"], env=environment, check=True)
    for command in COMMANDS:
        done = subprocess.run([*spielwerk, *command.split()], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "compiling" not in done.stderr, command
