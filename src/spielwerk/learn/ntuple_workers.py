"""The threads of an n-tuple run: compiled self-play with work space of its own. Only the tables are shared."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.kernel.contract import Scratch
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.linker import side_by_side, specialise
from spielwerk.learn.kernel import ntuple as afterstates
from spielwerk.learn.kernel import ntuple_thesis as thesis
from spielwerk.search import ntuple_model as models

if TYPE_CHECKING:
    from spielwerk.learn.ntuple_training import Training

EXPLORATORY_MOVES = {"cut": thesis.CUT, "skipped": thesis.SKIPPED, "learned": thesis.LEARNED}
LONGEST_EPISODE = 100_000  # moves; a longer match is broken off
CAROUSEL_SLOTS = 1000
CACHE_LINES = 128  # bytes; processors fetch lines of 64 in pairs


@dataclass
class Worker:
    """A thread: plays and learns at most so many moves and matches, and adds to its totals."""

    work: Callable[[int, int], None]
    totals: NDArray[np.float64]
    workspace: afterstates.AfterstateWorkspace | None = None  # of learn=afterstates


def new_worker(training: "Training", rng: Rng) -> Worker:
    if training.learner.learn == "afterstates":
        return _afterstate_worker(training, rng)
    return _thesis_worker(training, rng)


def _afterstate_worker(training: "Training", rng: Rng) -> Worker:
    game, learner, schedule = training.game, training.learner, training.schedule
    stages = 1 + len(training.layout.stages)
    room = CAROUSEL_SLOTS if learner.start_strategy == "carousel" or learner.carousel_after else 0
    longest = min(LONGEST_EPISODE, game.spec.longest)
    workspace = afterstates.AfterstateWorkspace(
        states=apart(game.states(1 + game.spec.widest)),
        episode=apart(game.states(longest)),
        explored=apart(np.zeros(longest, np.bool_)),
        places=apart(np.zeros((max(game.spec.widest, 2), training.staged_network.room), np.int64)),
        memory=apart(game.states(stages * room)),
        remembered=apart(np.zeros(stages, np.int64)),
        walked=apart(np.zeros(stages, np.int64)),
        marks=apart(np.zeros(2, np.int64)),
        totals=apart(np.zeros(4)),
        scratch=Scratch(*map(apart, game.scratch())),
    )
    with side_by_side():
        play = specialise(afterstates.self_play, game, **models.functions(training.grid))
    opening = game.opening(0).state

    def work(moves: int, matches: int) -> None:
        settings = afterstates.AfterstateSettings(
            learner.alpha, learner.trace_decay, schedule.epsilon(), schedule.start_strategy
        )
        play(training.network, training.rates, opening, workspace, training.stop, rng, moves, matches, settings)

    return Worker(work, workspace.totals, workspace)


def _thesis_worker(training: "Training", rng: Rng) -> Worker:
    game, learner = training.game, training.learner
    active = training.layout.active(training.grid)
    workspace = thesis.TraceWorkspace(
        states=game.states(3),
        places=np.zeros((2, active + training.grid.cells), np.int64),
        trace=np.zeros(len(training.weights), np.float32),
        traced=np.zeros(len(training.weights), np.int64),
        totals=np.zeros(6),
        scratch=game.scratch(),
    )
    with side_by_side():
        play = specialise(thesis.self_play, game, **models.functions(training.grid))
    opening = game.opening(0).state

    def work(moves: int, matches: int) -> None:
        settings = thesis.TraceSettings(
            learner.alpha, learner.trace_decay, learner.gamma, training.schedule.epsilon(),
            EXPLORATORY_MOVES[learner.exploratory_moves], learner.learn == "difference", learner.squash,
            game.spec.scale,
        )  # fmt: skip
        play(training.network, opening, workspace, rng, moves, matches, settings)

    return Worker(work, workspace.totals)


def apart(array: NDArray[Any]) -> NDArray[Any]:
    """A copy that shares no cache line with anything else.

    Threads that write next to each other take the line away from each other with every write, even though neither
    reads what the other wrote.
    """
    room = np.zeros(array.nbytes + 3 * CACHE_LINES, np.uint8)
    begin = CACHE_LINES + -room.ctypes.data % CACHE_LINES
    copy = room[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape).view(type(array))
    copy[...] = array
    return copy
