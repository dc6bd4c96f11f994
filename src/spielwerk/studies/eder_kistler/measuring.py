"""Points per deal between two players: the same deals with the teams swapped."""

from pathlib import Path
from typing import NamedTuple

from spielwerk.arena.tournament import tournament
from spielwerk.core.models import read_arrays, write_arrays
from spielwerk.learn.decisions import Batch, Decisions
from spielwerk.learn.imitate import Imitate
from spielwerk.learn.run import Report, RunFolder
from spielwerk.nets.network import Network, decode, encode
from spielwerk.studies.eder_kistler.networks import THREADS, VARIANT

FRESH = 77  # the seed of deals that nobody has learned from


class Lead(NamedTuple):
    """How many points per deal the first is ahead of the second."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:+.1f} ({self.low:+.1f} … {self.high:+.1f})"


def _quiet(done: float, line: str) -> None:
    """Nobody is told."""


def lead_of(
    first: str, second: str, pairs: int, seed: int = FRESH, variant: str = VARIANT, report: Report = _quiet
) -> Lead:
    if first == second:
        return Lead(0.0, 0.0, 0.0)
    found = tournament(
        "jass", [first, second], variant=variant, rounds=pairs, seed=seed, workers=THREADS, report=report
    ).cross_table
    row = next(row for row in found if row.first == first)
    low, high = row.ci95 or (row.score_difference, row.score_difference)
    return Lead(row.score_difference, low, high)


def held_out(run: RunFolder, most: int) -> Batch:
    """Decisions of the validation of a run of `imitate`, the first of them."""
    learner, game = run.learner(), run.game()
    assert isinstance(learner, Imitate)
    size, actions = learner.encoding_of(game)[1].size, learner.source(game, 0).actions
    data = run.path / "data"
    decisions = Decisions.load(data, len(list(data.glob("[0-9]*.npz"))), size, actions)
    return decisions.batch(learner.split(decisions).validation[:most])


def last_of(run: RunFolder) -> Path:
    """The network at the end of a run, as the thesis has it, and not the best of its tests, which may be the first."""
    path = run.path / "last.npz"
    assert run.checkpoint is not None
    kept = read_arrays(run.checkpoint / "state.npz")
    weights = {name.removeprefix("weights/"): array for name, array in kept.items() if name.startswith("weights/")}
    write_arrays(path, encode(Network(decode(read_arrays(run.path / "first.npz")).description, weights)))
    return path


def lead(first: str, second: str, pairs: int) -> str:
    return str(lead_of(first, second, pairs))
