"""Training runs and matches of the study."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.statistics import summary
from spielwerk.arena.workers import match_seed
from spielwerk.core import registry
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.models import read_arrays
from spielwerk.core.running import Played, run_many
from spielwerk.learn.run import Report, RunFolder
from spielwerk.nets.network import Network, decode
from spielwerk.search.net_look import look
from spielwerk.studies import training
from spielwerk.studies.schubert.kernel import count_forced

FRESH = 77  # the seed of matches that are played after training
ACTIONS_PER_MATCH = 10  # of the prototype
Figures = NDArray[np.float64]


def table(variant: str) -> Game:
    return registry.game("clever", 1, variant)


def trained(folder: Path, game: Game, options: str, report: Report, preset: str | None = None) -> RunFolder:
    """A run of ppo."""
    return training.trained(folder, game, f"ppo:{options}" if options else "ppo", report, preset)


def sampled(run: RunFolder) -> str:
    """The agent that draws its actions by the policy, as the thesis lets it play."""
    return f"net:model={run.path},temperature=1"


def matches(game: Game, agent: str, count: int) -> list[Played]:
    return run_many(game, [registry.agent(agent)], [match_seed(FRESH, number) for number in range(count)])


def points_of(played: Sequence[Played]) -> Figures:
    return np.array([match.scores[0] for match in played])


def figures(points: Figures) -> dict[str, Any]:
    """Mean with half of its interval, spread and median."""
    found = summary(list(points))
    half = (found.ci95[1] - found.ci95[0]) / 2 if found.ci95 else None
    return {"mean": found.mean, "±": half, "sd": found.sd, "median": found.median, "best": found.max}


def forced_no_ops(game: Game, played: Sequence[Played]) -> NDArray[np.int64]:
    """How often nothing fitted, in every match."""
    if int(played[0].final["yellow_dice"][0]):
        crosses = [int(match.final["yellow"][0][0]).bit_count() - 4 for match in played]  # four are printed
        return ACTIONS_PER_MATCH - np.array(crosses)
    out = np.zeros(len(played), np.int64)
    game.call(
        count_forced,
        game.opening().state,
        game.states(1),
        np.array([match.seed % 2**64 for match in played], np.uint64),
        np.concatenate([match.log for match in played]),
        np.array([len(match.log) for match in played], np.int64),
        np.zeros(1, np.int64),
        np.zeros(1, np.uint64),
        out,
    )
    return out


def last_network(run: RunFolder) -> Network:
    """The network at the end of a run, not the best one: held-out matches, which say that, are played with a mask."""
    assert run.checkpoint is not None
    kept = read_arrays(run.checkpoint / "state.npz")
    weights = {name.removeprefix("weights/"): array for name, array in kept.items() if name.startswith("weights/")}
    return Network(decode(read_arrays(run.path / "first.npz")).description, weights)


class Unmasked(NamedTuple):
    """Matches in which any action could be chosen."""

    points: Figures
    illegal: Figures  # actions per match


def without_mask(game: Game, network: Network, count: int, ends: bool) -> Unmasked:
    """Matches of ten actions that a network draws from all there are: an illegal one ends the match or is lost."""
    draws = np.random.default_rng(FRESH)
    points, illegal = np.zeros(count), np.zeros(count)
    for number in range(count):
        seed = match_seed(FRESH, number)
        position, rng = game.opening(seed), spawn(seed, 1)
        for _ in range(ACTIONS_PER_MATCH):
            if position.settle().over:
                break
            likely = look(network, position.view(0), rng).before
            assert likely is not None
            action = int(draws.choice(len(likely), p=likely / likely.sum()))
            if action in position.legal(0):
                position.apply({0: action})
                continue
            illegal[number] += 1
            if ends:
                break
        points[number] = position.score[0]
    return Unmasked(points, illegal)
