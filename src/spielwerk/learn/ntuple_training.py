"""One call of `train` of the n-tuple learner: rounds of self-play, log, checkpoints.

Several threads share the tables without locks; with one thread a run is a pure function of its seed.
"""

import math
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, spawn
from spielwerk.core.words import number
from spielwerk.learn import ntuple_checkpoint as checkpoints
from spielwerk.learn.kernel.ntuple import HIGHEST
from spielwerk.learn.ntuple_schedule import Progress, Schedule
from spielwerk.learn.ntuple_workers import Worker, apart, new_worker
from spielwerk.learn.run import Limits, Report, RunFolder
from spielwerk.learn.tensorboard import FigureWriter, NoWriter, figure_writer
from spielwerk.learn.words import say
from spielwerk.search import ntuple_model as models
from spielwerk.search.kernel.ntuple import Network

if TYPE_CHECKING:
    from spielwerk.learn.ntuple import NTuple

ROUND_SECONDS = 2.0  # between two lines of the log
FIRST_ROUND = 20_000  # moves of the first round, per thread; it grows until a round takes ROUND_SECONDS
LATELY = 1000  # matches of the moving average, at least
SAVE_SECONDS = 60.0  # between two checkpoints, at least
SAVE_SHARE = 20  # times as long as saving takes are spent learning


class MovingMean:
    """The mean of the last matches, LATELY of them and whatever else was counted together with the first of these."""

    def __init__(self) -> None:
        self.parts: deque[tuple[float, float]] = deque()
        self.matches = self.points = 0.0

    def add(self, matches: float, points: float) -> float:
        self.parts.append((matches, points))
        self.matches, self.points = self.matches + matches, self.points + points
        while self.matches - self.parts[0][0] >= LATELY:
            matches, points = self.parts.popleft()
            self.matches, self.points = self.matches - matches, self.points - points
        return self.points / max(self.matches, 1.0)


class Training:
    """The tables and the threads of a run, from the newest checkpoint if there is one."""

    def __init__(self, learner: "NTuple", game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        self.learner, self.game, self.run, self.limits, self.report = learner, game, run, limits, report
        self.layout = learner.layout(models.grid_of(game), limits.seed)
        self.grid = self.layout.fit(game)
        self.lately = MovingMean()
        self.began, self.set_up = time.monotonic(), 0.0  # loading and compiling do not count as training
        self.interrupted = False
        self.errors: NDArray[np.float64] = np.zeros(2)  # of the last round, learned and left out (thesis' way only)
        self.weights = models.new_weights(self.layout)
        self.rates = np.zeros(2 * len(self.weights) if learner.tc else 0, np.float32)
        checkpoint = run.checkpoint
        self.progress = Progress() if checkpoint is None else checkpoints.load_progress(checkpoint)
        if checkpoint is not None:
            checkpoints.load_tables(self, checkpoint)
        elif learner.warm_start != "none":
            checkpoints.take_over(self)
        self.schedule = Schedule(learner, self.progress)
        run.forget_rows(lambda row: row.get("moves", 0) > self.progress.moves)
        # a run that has had all its seconds goes on if somebody asks for more
        self.beyond = limits.ends is not None and 0.0 < learner.seconds <= self.progress.seconds
        self.staged_network = models.network(self.grid, self.layout, self.weights)
        self.shared_network = self.staged_network._replace(needs=self.staged_network.needs[:0])
        self.rngs: list[Rng] = [apart(spawn(limits.seed, 1, thread)) for thread in range(limits.threads)]
        for rng, state in zip(self.rngs, self.progress.rngs, strict=False):
            rng[0] = state
        self.stop = apart(np.zeros(1, np.int64))  # set by the first thread that has made the moves of a round
        self.figures: FigureWriter = NoWriter()
        self.workers = [new_worker(self, rng) for rng in self.rngs]
        if checkpoint is not None:
            checkpoints.load_beginnings(self, checkpoint)

    @property
    def network(self) -> Network:
        """The tables in which is learned now."""
        return self.shared_network if self.schedule.stages_share_tables else self.staged_network

    # --- rounds ------------------------------------------------------------------------------------------------------

    def go(self) -> None:
        if self.complete() and self.run.checkpoint is not None:
            return
        self.figures = figure_writer(self.run.path)
        self.compile()
        self.set_up = time.monotonic() - self.began
        wanted = FIRST_ROUND
        due = time.monotonic() + SAVE_SECONDS
        with ThreadPoolExecutor(len(self.workers)) as pool:
            while not self.finished():
                began = time.monotonic()
                before = msgspec.structs.replace(self.progress)
                totals = [worker.totals.copy() for worker in self.workers]
                self.round(pool, self.workers, self.schedule.moves_of_round(wanted, len(self.workers)))
                took = time.monotonic() - began
                self.count(totals, took)
                self.tell(before, took)
                wanted = self.next_round(wanted, self.progress.moves - before.moves, took)
                if time.monotonic() > due and not self.finished():
                    began = time.monotonic()
                    checkpoints.save(self)
                    due = time.monotonic() + max(SAVE_SECONDS, SAVE_SHARE * (time.monotonic() - began))
                if self.interrupted:
                    break
        checkpoints.save(self)
        self.figures.close()
        if self.interrupted:
            raise KeyboardInterrupt

    def compile(self) -> None:
        self.workers[0].work(0, 0)

    def round(self, pool: ThreadPoolExecutor, workers: list[Worker], moves: int) -> None:
        """Let threads play until the first has made `moves` moves, or until their matches are played."""
        self.stop[0] = 0
        shares = self.schedule.matches_of_round(len(self.workers))
        jobs = [pool.submit(worker.work, moves, share) for worker, share in zip(workers, shares, strict=False)]
        while jobs:
            try:
                jobs[-1].result()
                jobs.pop()
            except KeyboardInterrupt:  # the matches that are being played are learned and saved
                self.interrupted = True
                self.stop[0] = 1

    def next_round(self, wanted: int, made: int, took: float) -> int:
        """How many moves each thread is to make next, by the speed of the last round.

        That speed comes from the moves that were made: a round may end before the wanted number, at a change of the
        schedule or with its matches.
        """
        pace = made / len(self.workers) / max(took, 0.01)
        seconds = min([ROUND_SECONDS, *self.seconds_left()])
        return max(1000, min(int(pace * seconds), 4 * wanted))

    def seconds_left(self) -> list[float]:
        """Until the run is complete, and until the time is up that it has today; as far as there are such limits."""
        learner, ends = self.learner, self.limits.ends
        left = [learner.seconds - self.progress.seconds] if learner.seconds and not self.beyond else []
        return left + ([ends + self.set_up - time.monotonic()] if ends is not None else [])

    def complete(self) -> bool:
        """Whether the run has had its matches or seconds."""
        learner, progress = self.learner, self.progress
        if learner.matches and progress.matches >= learner.matches:
            return True
        return 0.0 < learner.seconds <= progress.seconds and not self.beyond

    def finished(self) -> bool:
        """Whether it is complete, or the time is up that it has today."""
        ends = self.limits.ends
        return self.complete() or (ends is not None and time.monotonic() >= ends + self.set_up)

    # --- figures -----------------------------------------------------------------------------------------------------

    def count(self, before: list[NDArray[np.float64]], took: float) -> None:
        progress = self.progress
        for worker, old in zip(self.workers, before, strict=True):
            matches, moves, points = worker.totals[:3] - old[:3]
            progress.matches += int(matches)
            progress.moves += int(moves)
            progress.points += float(points)
            progress.highest = max(progress.highest, float(worker.totals[HIGHEST]))
        self.errors = np.sum([worker.totals[4:] - old[4:] for worker, old in zip(self.workers, before, strict=True)], 0)
        progress.seconds += took
        progress.rngs[: len(self.rngs)] = [int(rng[0]) for rng in self.rngs]  # others wait for more threads

    def tell(self, before: Progress, took: float) -> None:
        """A line for the log, for TensorBoard and for whoever watches."""
        progress = self.progress
        matches = progress.matches - before.matches
        mean = (progress.points - before.points) / matches if matches else None
        rate = (progress.moves - before.moves) / max(took, 1e-9)
        figures: dict[str, Any] = {
            "matches": progress.matches, "moves": progress.moves, "seconds": round(progress.seconds, 3),
            "mean": mean, "highest": progress.highest, "moves_per_second": round(rate),
        }  # fmt: skip
        if self.learner.learn != "afterstates":
            figures["epsilon"] = round(self.schedule.epsilon(), 6)
            figures["largest_weight"] = _finite(float(np.abs(self.weights).max()))
            taught, left_out = self.errors / max(matches, 1)  # sums per match, in shares of the highest score
            figures |= {"taught": _finite(float(taught)), "left_out": _finite(float(left_out))}
        self.run.log(**figures)
        self.figures.add(progress.matches, {key: figures[key] for key in ("mean", "moves_per_second") if figures[key]})
        lately = self.lately.add(matches, progress.points - before.points)
        shown = (
            say("mean {points} {points:point|points}", points=number(lately))
            if self.lately.matches
            else say("no whole match yet")
        )
        phrase = "{rate} M moves/s, {matches} {matches:match|matches}, {mean}"
        line = say(phrase, rate=number(rate / 1e6, 2), matches=number(progress.matches), mean=shown)
        self.report(self.done(), line)

    def done(self) -> float:
        """Between 0 and 1."""
        learner, progress = self.learner, self.progress
        shares = [progress.matches / learner.matches] if learner.matches else []
        shares += [progress.seconds / learner.seconds] if learner.seconds and not self.beyond else []
        if self.limits.ends is not None:
            left = max(self.limits.ends + self.set_up - time.monotonic(), 0.0)
            shares.append(progress.seconds / max(progress.seconds + left, 1e-9))
        return max(shares, default=0.0)


def _finite(value: float) -> float | None:
    """JSON knows no infinity."""
    return value if math.isfinite(value) else None
