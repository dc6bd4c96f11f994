"""The generic Monte Carlo set against a loop written by hand for 2048 that does the same work: the rules called
directly, one seat and one actor assumed. Both run by turns, and the best of each counts.
"""

import time
from typing import Any

import numpy as np

from spielwerk.agents.common import bind
from spielwerk.arena.bench import Figure
from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import specialise
from spielwerk.core.position import Position
from spielwerk.games.twenty48.kernel.bench import monte_carlo_by_hand
from spielwerk.search.kernel.monte_carlo import monte_carlo


def compare(game: Game, seconds: float) -> list[Figure]:
    return [Figure(game.spec.id, "2048: generic mc ÷ hand-written mc", generic_by_hand(game, seconds), "ratio")]


def generic_by_hand(game: Game, seconds: float) -> float:
    """Speed of the generic Monte Carlo as a share of the hand-written one, on the same positions."""
    binding = bind(game, "game", "playout", None)
    generic = specialise(monte_carlo, game, **binding.functions)
    by_hand = specialise(monte_carlo_by_hand, game)
    root = middle_of_a_match(game).state
    actions, inner, joint = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(1, np.int64)
    rng, numbers = spawn(2), np.zeros(4)
    sums, squares, visits, states = np.zeros((1, 4)), np.zeros((1, 4)), np.zeros((1, 4), np.int64), game.states(2)
    leaf = binding.leaf(game, 20, 2, rng)
    sizes = np.array([500])

    def play_generic() -> Any:
        return generic(root, states, 0, 0, sizes, np.uint64(7), actions, leaf, sums, squares, visits)

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


def middle_of_a_match(game: Game) -> Position:
    agent, rng, position = registry.agent("mc:preset=kutsch,iterations=20"), spawn(3), game.new(1)
    for _ in range(300):
        if not position.over:
            position.play(agent.decide(position.view(0), Budget(), rng).action)
    return position
