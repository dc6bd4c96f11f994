"""ntuple: temporal-difference learning of an n-tuple network by self-play, for one-seat games with a grid.

Two ways. `learn=afterstates` is the strong one (see learn.kernel.ntuple); `learn=end` and `learn=difference` are those
of Kutsch (2017, chapter 6; see learn.kernel.ntuple_thesis), kept to repeat his curves and to see what was wrong with
them. Several threads share the tables without locks; with one thread a run is a pure function of its seed.

A checkpoint holds the model (half precision, what agents load) and, in full precision, what learning needs to go on.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.grid import Grid
from spielwerk.core.kernel.contract import Scratch
from spielwerk.core.kernel.rng import Rng, spawn
from spielwerk.core.linker import side_by_side, specialise
from spielwerk.core.words import number
from spielwerk.learn.board import Board, NoBoard, board
from spielwerk.learn.kernel import ntuple as strong
from spielwerk.learn.kernel import ntuple_thesis as thesis
from spielwerk.learn.ntuple_tuples import tuples_of
from spielwerk.learn.run import Learner, Limits, Report, RunFolder
from spielwerk.learn.run import learner as learner_of
from spielwerk.learn.words import say
from spielwerk.search import ntuple_model as models
from spielwerk.search.kernel.ntuple import Network
from spielwerk.search.ntuple_model import Layout

BEGINNINGS = {"plain": strong.PLAIN, "restart": strong.RESTART, "carousel": strong.CAROUSEL}
STRAYS = {"cut": thesis.CUT, "skipped": thesis.SKIPPED, "learned": thesis.LEARNED}
LONGEST_EPISODE = 100_000  # moves; a longer match is broken off
CAROUSEL_SLOTS = 1000
WHOLE_BOARD = 6  # cells of a board that one tuple sees as a whole, if nothing else is said
ROUND_SECONDS = 2.0  # between two lines of the log
EPSILON_STEPS = 200  # in which epsilon falls
LATELY = 1000  # matches of the moving average, at least
MOST_MOVES = 1 << 40  # of a round, for rounds that end with their matches
CACHE_LINES = 128  # bytes; processors fetch lines of 64 in pairs
SAVE_SECONDS = 60.0  # between two checkpoints, at least
SAVE_SHARE = 20  # times as long as saving takes are spent learning


@dataclass(frozen=True)
class NTuple(Learner):
    """Temporal-difference learning of an n-tuple network by self-play (one seat, games with a grid)."""

    name: ClassVar[str] = "ntuple"
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "thesis": {
            "learn": "end", "tuples": "walk.20x3", "symmetries": "false", "squash": "true", "alpha": "0.001",
            "coherence": "false", "mixture": "1.0", "epsilon": "0.65", "strays": "skipped", "matches": "1000000",
        },
        "small": {"epsilon": "0.1", "begin": "restart", "optimism": "500", "matches": "1000000"},
        "minutes": {"seconds": "300", "begin": "restart", "whole": "200"},
        "hours": {
            "seconds": "7200", "begin": "restart", "whole": "200", "carousel": "4300", "parting": "2000",
            "stages": "13/14/14+13/14+13+12+11/14+13+12+11+10", "anew": "2",
        },
    }  # fmt: skip

    tuples: Annotated[
        str, "4x6, 5x6, 8x6 …; whole; lines; cells as 0.1.2+4.5.6; random as walk.20x3 or points.20x3"
    ] = "auto"
    learn: Annotated[
        Literal["afterstates", "end", "difference"],
        "values of afterstates; or, as in the thesis, of positions from the end score (1) or the score difference (2)",
    ] = "afterstates"
    symmetries: Annotated[bool, "look at the board in all its symmetries"] = True
    squash: Annotated[bool, "values are the tanh of the sum of their entries (thesis' way only)"] = False
    alpha: Annotated[
        float,
        "learning rate, shared among the active entries (thesis' way: of each of them); without coherence about 0.1",
    ] = 1.0
    coherence: Annotated[bool, "temporal coherence: every entry has its own rate"] = True
    mixture: Annotated[float, "lambda: 0 = learn from the next value, 1 = from the end"] = 0.5
    gamma: Annotated[float, "what a point of the next move counts now (thesis' way only)"] = 1.0
    epsilon: Annotated[float, "share of random moves; falls to 0 until the last match if that is known"] = 0.0
    calm: Annotated[float, "share of the matches, at the end, that have no random moves any more"] = 0.0
    strays: Annotated[
        Literal["cut", "skipped", "learned"],
        "random moves: what comes before learns nothing from what comes after them (cut); they are not learned, but "
        "traces run on through them (skipped); they are learned like others (both thesis' way only)",
    ] = "cut"
    begin: Annotated[
        Literal["plain", "restart", "carousel"], "where matches begin: anew, from the middle, stage by stage"
    ] = "plain"
    whole: Annotated[int, "million moves of whole matches before begin=restart or carousel sets in"] = 0
    carousel: Annotated[int, "million moves after which the carousel takes the place of begin=restart; 0 = never"] = 0
    stages: Annotated[
        str, "values that begin a stage each, ascending, e.g. 14/14+13: 16384, then 16384 with 8192; none = one stage"
    ] = "none"
    parting: Annotated[int, "million moves in which all stages still learn in the tables of the first"] = 0
    anew: Annotated[int, "so many of the last stages begin with nothing instead of with the stage before"] = 0
    first: Annotated[str, "run folder with whose tables it begins; the stages there are the first ones here"] = "none"
    optimism: Annotated[float, "points that every position is believed to be worth at first"] = 0.0
    matches: Annotated[int, "matches to learn from; 0 = no limit"] = 0
    seconds: Annotated[float, "seconds to train in all; 0 = no limit"] = 0.0

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha < math.inf or not all(
            0.0 <= share <= 1.0 for share in (self.mixture, self.epsilon, self.gamma, self.calm)
        ):
            raise SpielwerkError("ntuple: alpha is positive; mixture, gamma, epsilon and calm lie between 0 and 1")
        limits = (self.matches, self.seconds, self.whole, self.carousel, self.parting, self.anew)
        if not (all(limit >= 0 for limit in limits) and math.isfinite(self.optimism)):
            raise SpielwerkError(
                "ntuple: matches, seconds, whole, carousel, parting and anew are not negative, optimism is a number of "
                "points"
            )
        if self.calm and not self.matches:
            raise SpielwerkError("ntuple: calm is a share of the matches; say how many with matches=…")
        if (self.begin == "carousel" or self.carousel or self.parting) and self.stages == "none":
            raise SpielwerkError("ntuple: begin=carousel, carousel and parting need stages, for example stages=13/14")
        if self.carousel and self.begin != "restart":
            raise SpielwerkError("ntuple: carousel says when begin=restart ends; write begin=restart,carousel=…")
        if self.anew > self.stages.count("/") + (self.stages != "none"):
            raise SpielwerkError("ntuple: anew counts stages after the first; there are not so many")
        if self.whole and self.begin == "plain":
            raise SpielwerkError(
                "ntuple: with begin=plain all matches are whole; whole needs begin=restart or carousel"
            )
        plain = self.begin == "plain" and self.stages == self.first == "none" and self.optimism == 0.0
        if self.learn != "afterstates" and (self.coherence or not plain):
            raise SpielwerkError(
                f"ntuple: learn={self.learn} takes coherence=false, begin=plain, first=none, no stages and no optimism"
            )
        if self.learn == "afterstates" and (self.squash or self.strays != "cut" or self.gamma != 1.0):
            raise SpielwerkError(
                "ntuple: squash=true, strays=skipped or learned, and gamma need learn=end or learn=difference"
            )

    def why_not(self, game: Game) -> str | None:
        if game.grid is None:
            return "it declares no grid"
        if game.seats != 1 or game.spec.hidden:
            return "it learns one-seat games without hidden information only"
        try:
            models.require_memory(
                self.layout(game.grid, 0), np.dtype(np.float32).itemsize * (3 if self.coherence else 1)
            )
            if self.first != "none":
                self.first_tables(game)
        except SpielwerkError as problem:
            return str(problem)
        return None

    def layout(self, grid: Grid, seed: int) -> Layout:
        name = self.tuples
        if name == "auto":
            name = next(iter(grid.tuple_sets), "whole" if grid.cells <= WHOLE_BOARD else "lines")
        tuples = tuples_of(name, grid, seed)
        stages: list[tuple[int, ...]] = []
        for part in () if self.stages == "none" else self.stages.split("/"):
            if not all(value.isdigit() and int(value) < grid.values for value in part.split("+")):
                raise SpielwerkError(f"ntuple: stages={self.stages}: write values below {grid.values}, e.g. 14/14+13")
            stages.append(tuple(int(value) for value in part.split("+")))
            if len(set(stages[-1])) < len(stages[-1]):
                raise SpielwerkError(f"ntuple: stages={self.stages}: a stage names a value once, e.g. 14+13")
        sets = [sum(1 << value for value in values) for values in stages]
        if sets != sorted(set(sets)):
            raise SpielwerkError(f"ntuple: stages={self.stages}: write them ascending, e.g. 13/13+12/14")
        active = len(tuples) * (len(grid.symmetries) if self.symmetries else 1)
        made = Layout(
            grid.rows, grid.columns, grid.values, tuples, tuple(stages), self.optimism / active, self.learn,
            self.symmetries, self.squash, self.anew,
        )  # fmt: skip
        models.require_room(made, grid)
        return made

    def first_tables(self, game: Game, seed: int | None = None) -> tuple[Path, int]:
        """The checkpoint of the run `first`, and how many stages it has, if its tables fit.

        Without a seed: if they fit a run with the seed that it had (tuples may be drawn).
        """
        other = RunFolder(self.first)
        config, checkpoint = other.config(), other.checkpoint
        if checkpoint is None or config.get("game") != game.spec.id or "learner" not in config:
            raise SpielwerkError(f"first={self.first}: there is no run of {game.spec.id} that has a checkpoint")
        before, drawn, grid = learner_of(config["learner"]), config.get("seed", 0), models.grid_of(game)
        there = before.layout(grid, drawn) if isinstance(before, NTuple) else None
        here = self.layout(grid, drawn if seed is None else seed)
        if there is None or there != here.cut_to(len(there.stages)):
            raise SpielwerkError(
                f"first={self.first}: the tables of {config['learner']} do not fit; tuples, symmetries and optimism "
                "must be the same, and the stages there the first ones here"
            )
        return checkpoint, 1 + len(there.stages)

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        Training(self, game, run, limits, report).go()

    def agent(self, run: RunFolder) -> str:
        return f"ntuple:model={run.path}"

    def curve(self, run: RunFolder) -> tuple[str, str, list[tuple[str, list[float], list[float]]]]:
        rows = [row for row in run.rows() if row.get("mean") is not None]
        matches, means = [float(row["matches"]) for row in rows], [float(row["mean"]) for row in rows]
        played = [upto - before for before, upto in zip([0.0, *matches], matches, strict=False)]
        moving = MovingMean()
        lately = [moving.add(count, mean * count) for count, mean in zip(played, means, strict=True)]
        return (
            say("matches"),
            say("points (mean since the line before)"),
            [
                ("ntuple", matches, means),
                (say("mean of the last {count} matches", count=number(LATELY)), matches, lately),
            ],
        )


class Progress(msgspec.Struct):
    """How far a run has come."""

    matches: int = 0
    moves: int = 0
    points: float = 0.0
    highest: float = 0.0
    seconds: float = 0.0
    rngs: list[int] = []


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
    """One call of `train`: tables, threads, log, checkpoints."""

    def __init__(self, learner: NTuple, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        self.learner, self.game, self.run, self.limits, self.report = learner, game, run, limits, report
        self.layout = learner.layout(models.grid_of(game), limits.seed)
        self.grid = self.layout.fit(game)
        self.progress = Progress()
        self.lately = MovingMean()
        self.began, self.set_up = time.monotonic(), 0.0  # loading and compiling do not count as training
        self.interrupted = False
        self.errors: NDArray[np.float64] = np.zeros(2)  # of the last round, learned and left out (thesis' way only)
        self.weights = models.new_weights(self.layout)
        self.rates = np.zeros(2 * len(self.weights) if learner.coherence else 0, np.float32)
        checkpoint = run.checkpoint
        if checkpoint is not None:
            self.load(checkpoint)
        elif learner.first != "none":
            self.take_over()
        run.forget_rows(lambda row: row.get("moves", 0) > self.progress.moves)
        # a run that has had all its seconds goes on if somebody asks for more
        self.beyond = limits.ends is not None and 0.0 < learner.seconds <= self.progress.seconds
        self.parted = models.network(self.grid, self.layout, self.weights)
        self.together = self.parted._replace(needs=self.parted.needs[:0])
        saved = self.progress.rngs
        self.rngs: list[Rng] = [apart(spawn(limits.seed, 1, thread)) for thread in range(limits.threads)]
        for rng, state in zip(self.rngs, saved, strict=False):
            rng[0] = state
        self.stop = apart(np.zeros(1, np.int64))  # set by the first thread that has made the moves of a round
        self.board: Board = NoBoard()
        workers = [self.strong_worker, self.thesis_worker][learner.learn != "afterstates"]
        self.workers = [workers(rng) for rng in self.rngs]
        if checkpoint is not None:
            self.load_beginnings(checkpoint)

    # --- workers: functions (moves, matches) that add to their totals ------------------------------------------------

    def strong_worker(self, rng: Rng) -> "Worker":
        game, learner = self.game, self.learner
        stages = 1 + len(self.layout.stages)
        room = CAROUSEL_SLOTS if learner.begin == "carousel" or learner.carousel else 0
        longest = min(LONGEST_EPISODE, game.spec.longest)
        desk = strong.Desk(
            apart(game.states(1 + game.spec.widest)),
            apart(game.states(longest)),
            apart(np.zeros(longest, np.bool_)),
            apart(np.zeros((max(game.spec.widest, 2), self.parted.room), np.int64)),
            apart(game.states(stages * room)),
            apart(np.zeros(stages, np.int64)),
            apart(np.zeros(stages, np.int64)),
            apart(np.zeros(2, np.int64)),
            apart(np.zeros(4)),
            Scratch(*map(apart, game.scratch())),
        )
        with side_by_side():
            play = specialise(strong.self_play, game, **models.functions(self.grid))
        opening = game.opening(0).state

        def work(moves: int, matches: int) -> None:
            play(
                self.network, self.rates, opening, desk, self.stop, rng, moves, matches, learner.alpha,
                learner.mixture, self.epsilon(), self.begin,
            )  # fmt: skip

        return Worker(work, desk.totals, desk)

    def thesis_worker(self, rng: Rng) -> "Worker":
        game, learner = self.game, self.learner
        active = self.layout.active(self.grid)
        desk = thesis.Desk(
            game.states(3),
            np.zeros((2, active + self.grid.cells), np.int64),
            np.zeros(len(self.weights), np.float32),
            np.zeros(len(self.weights), np.int64),
            np.zeros(6),
            game.scratch(),
        )
        with side_by_side():
            play = specialise(thesis.self_play, game, **models.functions(self.grid))
        opening = game.opening(0).state

        def work(moves: int, matches: int) -> None:
            play(
                self.network, opening, desk, rng, moves, matches, learner.alpha, learner.mixture, learner.gamma,
                self.epsilon(), STRAYS[learner.strays], learner.learn == "difference", learner.squash, game.spec.scale,
            )  # fmt: skip

        return Worker(work, desk.totals)

    def moves_until(self, millions: int) -> int:
        """How many moves are left until there are so many millions."""
        return max(0, 1_000_000 * millions - self.progress.moves)

    @property
    def begin(self) -> int:
        """Where matches begin now."""
        learner = self.learner
        if self.moves_until(learner.whole):
            return strong.PLAIN
        if learner.carousel and not self.moves_until(learner.carousel):
            return strong.CAROUSEL
        return BEGINNINGS[learner.begin]

    @property
    def network(self) -> Network:
        return self.together if self.moves_until(self.learner.parting) else self.parted

    def moves_alike(self, moves: int) -> int:
        """At most `moves` moves of every thread, and none beyond the next change of how is learned."""
        learner = self.learner
        changes = [self.moves_until(millions) for millions in (learner.whole, learner.carousel, learner.parting)]
        return min([moves, *(-(-left // len(self.workers)) for left in changes if left)])

    def epsilon(self) -> float:
        """Falls logarithmically to 0 at the last match, if that is known: fast at the end, slowly at first."""
        if not self.learner.matches or not self.learner.epsilon:
            return self.learner.epsilon
        matches = self.progress.matches
        if matches < self.learner.matches:
            matches -= matches % self.epsilon_step  # rounds end by the clock, too, and must not change anything
        done = min(matches / max(self.learner.matches * (1.0 - self.learner.calm), 1.0), 1.0)
        return self.learner.epsilon * max(0.0, 1.0 + math.log10(1.0 - 0.9 * done))

    @property
    def epsilon_step(self) -> int:
        """How many matches are played with the same epsilon."""
        return max(1, self.learner.matches // EPSILON_STEPS)

    # --- the run -----------------------------------------------------------------------------------------------------

    def go(self) -> None:
        if self.complete() and self.run.checkpoint is not None:
            return
        self.board = board(self.run.path)
        self.compile()
        self.set_up = time.monotonic() - self.began
        moves = 20_000  # of a round, per thread; grows until a round takes ROUND_SECONDS
        due = time.monotonic() + SAVE_SECONDS
        with ThreadPoolExecutor(len(self.workers)) as pool:
            while not self.finished():
                began = time.monotonic()
                before = msgspec.structs.replace(self.progress)
                totals = [worker.totals.copy() for worker in self.workers]
                self.round(pool, self.workers, self.moves_alike(moves))
                took = time.monotonic() - began
                self.count(totals, took)
                self.tell(before, took)
                moves = max(1000, min(int(moves * ROUND_SECONDS / max(took, 0.01)), 4 * moves, MOST_MOVES))
                if time.monotonic() > due and not self.finished():
                    began = time.monotonic()
                    self.save()
                    due = time.monotonic() + max(SAVE_SECONDS, SAVE_SHARE * (time.monotonic() - began))
                if self.interrupted:
                    break
        self.save()
        self.board.close()
        if self.interrupted:
            raise KeyboardInterrupt

    def compile(self) -> None:
        self.workers[0].work(0, 0)

    def round(self, pool: ThreadPoolExecutor, workers: list["Worker"], moves: int) -> None:
        """Let threads play until the first has made `moves` moves, or until their matches are played."""
        self.stop[0] = 0
        jobs = [pool.submit(worker.work, moves, share) for worker, share in zip(workers, self.shares(), strict=False)]
        while jobs:
            try:
                jobs[-1].result()
                jobs.pop()
            except KeyboardInterrupt:  # the matches that are being played are learned and saved
                self.interrupted = True
                self.stop[0] = 1

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

    def shares(self) -> list[int]:
        """How many matches each thread may play in this round."""
        if not self.learner.matches:
            return [1 << 40] * len(self.workers)
        left = self.learner.matches - self.progress.matches
        if self.learner.epsilon:
            left = min(left, self.epsilon_step - self.progress.matches % self.epsilon_step)
        count = len(self.workers)
        return [left // count + (thread < left % count) for thread in range(count)]

    def count(self, before: list[NDArray[np.float64]], took: float) -> None:
        progress = self.progress
        for worker, old in zip(self.workers, before, strict=True):
            matches, moves, points = worker.totals[:3] - old[:3]
            progress.matches += int(matches)
            progress.moves += int(moves)
            progress.points += float(points)
            progress.highest = max(progress.highest, float(worker.totals[strong.HIGHEST]))
        self.errors = np.sum([worker.totals[4:] - old[4:] for worker, old in zip(self.workers, before, strict=True)], 0)
        progress.seconds += took
        progress.rngs[: len(self.rngs)] = [int(rng[0]) for rng in self.rngs]  # others wait for more threads

    def tell(self, before: Progress, took: float) -> None:
        progress = self.progress
        matches = progress.matches - before.matches
        mean = (progress.points - before.points) / matches if matches else None
        rate = (progress.moves - before.moves) / max(took, 1e-9)
        figures: dict[str, Any] = {
            "matches": progress.matches, "moves": progress.moves, "seconds": round(progress.seconds, 3),
            "mean": mean, "highest": progress.highest, "moves_per_second": round(rate),
        }  # fmt: skip
        if self.learner.learn != "afterstates":
            figures["epsilon"] = round(self.epsilon(), 6)
            figures["largest_weight"] = _finite(float(np.abs(self.weights).max()))
            taught, left_out = self.errors / max(matches, 1)  # sums per match, in shares of the highest score
            figures |= {"taught": _finite(float(taught)), "left_out": _finite(float(left_out))}
        self.run.log(**figures)
        self.board.add(progress.matches, {key: figures[key] for key in ("mean", "moves_per_second") if figures[key]})
        lately = self.lately.add(matches, progress.points - before.points)
        shown = f"mean {lately:,.0f} points" if self.lately.matches else "no whole match yet"
        self.report(self.done(), f"{rate / 1e6:.2f} M moves/s, {progress.matches:,} matches, {shown}")

    def done(self) -> float:
        learner, progress = self.learner, self.progress
        shares = [progress.matches / learner.matches] if learner.matches else []
        shares += [progress.seconds / learner.seconds] if learner.seconds and not self.beyond else []
        if self.limits.ends is not None:
            left = max(self.limits.ends + self.set_up - time.monotonic(), 0.0)
            shares.append(progress.seconds / max(progress.seconds + left, 1e-9))
        return max(shares, default=0.0)

    # --- checkpoints -------------------------------------------------------------------------------------------------

    def save(self) -> None:
        with self.run.new_checkpoint() as folder:
            notes = {"learner": self.learner.spec, "game": self.game.spec.id, "variant": self.game.variant}
            notes |= asdict_progress(self.progress)
            models.save(folder / "model.npz", self.layout, self.weights, notes)
            mask = models.learned(self.layout, self.weights)
            np.save(folder / "learned.npy", np.packbits(mask))
            np.save(folder / "weights.npy", self.weights[mask])
            if len(self.rates):
                np.save(folder / "rates.npy", self.rates.reshape(-1, 2)[mask])
            (folder / "progress.json").write_bytes(msgspec.json.encode(self.progress))
            np.savez(folder / "beginnings.npz", **beginnings(worker.desk for worker in self.workers))  # type: ignore[arg-type]

    def load(self, folder: Path) -> None:
        try:
            self.progress = msgspec.json.decode((folder / "progress.json").read_bytes(), type=Progress)
            self.load_tables(folder, 1 + len(self.layout.stages))
        except (OSError, EOFError, ValueError, msgspec.DecodeError) as problem:
            raise SpielwerkError(
                f"the checkpoint {folder} cannot be read: {problem}; take it away to begin the run anew"
            ) from problem

    def load_tables(self, folder: Path, stages: int) -> None:
        count = stages * self.layout.entries
        places = np.flatnonzero(np.unpackbits(np.load(folder / "learned.npy"), count=count))
        self.weights[places] = np.load(folder / "weights.npy")
        if len(self.rates):
            self.rates.reshape(-1, 2)[places] = np.load(folder / "rates.npy")

    def take_over(self) -> None:
        """Begin with the tables of another run."""
        checkpoint, stages = self.learner.first_tables(self.game, self.limits.seed)
        try:
            self.load_tables(checkpoint, stages)
        except (OSError, EOFError, ValueError) as problem:
            raise SpielwerkError(f"first={self.learner.first}: its checkpoint cannot be read: {problem}") from problem

    def load_beginnings(self, folder: Path) -> None:
        """Where the next matches begin; threads that are new, and runs of older versions, begin with a whole match."""
        file = folder / "beginnings.npz"
        if not file.exists():
            return
        try:
            with np.load(file) as stored:
                kept = dict(stored)
        except (*models.UNREADABLE, OSError, ValueError) as problem:
            raise SpielwerkError(f"the checkpoint {folder} cannot be read: {problem}; take {file} away") from problem
        for thread, desk in enumerate(worker.desk for worker in self.workers):
            if desk is None or thread >= len(kept["marks"]) or kept["middles"].dtype != desk.episode.dtype:
                continue
            desk.marks[:], desk.remembered[:] = kept["marks"][thread], kept["remembered"][thread]
            desk.memory[:] = kept["memories"][thread]
            if "walked" in kept:  # older versions did not count
                desk.walked[:] = kept["walked"][thread]
            desk.episode[desk.marks[strong.LENGTH] // 2] = kept["middles"][thread]


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


@dataclass
class Worker:
    work: Callable[[int, int], None]
    totals: NDArray[np.float64]
    desk: strong.Desk | None = None


def beginnings(desks: Iterable[strong.Desk | None]) -> dict[str, NDArray[Any]]:
    """What a worker must know to begin its next match: the middle of the last one, and the carousel's memory."""
    known = [desk for desk in desks if desk is not None]
    if not known:
        return {}
    return {
        "marks": np.stack([desk.marks for desk in known]),
        "middles": np.stack([np.asarray(desk.episode[desk.marks[strong.LENGTH] // 2]) for desk in known]),
        "remembered": np.stack([desk.remembered for desk in known]),
        "walked": np.stack([desk.walked for desk in known]),
        "memories": np.stack([np.asarray(desk.memory) for desk in known]),
    }


def asdict_progress(progress: Progress) -> dict[str, Any]:
    return {"matches": progress.matches, "moves": progress.moves, "seconds": round(progress.seconds, 1)}


def _finite(number: float) -> float | None:
    """JSON knows no infinity."""
    return number if math.isfinite(number) else None
