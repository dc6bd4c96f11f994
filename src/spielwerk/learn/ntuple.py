"""ntuple: temporal-difference learning of an n-tuple network by self-play, for one-seat games with a grid.

There are two ways to learn. `learn=afterstates` is the strong one (see learn.kernel.ntuple). `learn=end` and
`learn=difference` are those of Kutsch (2017, chapter 6; see learn.kernel.ntuple_thesis): they repeat his curves and
show what was wrong with them.

This file has the options. ntuple_layout reads tuples and stages, ntuple_schedule says what changes in the course of a
run, ntuple_workers has the threads, ntuple_checkpoint the files, and ntuple_training runs it all.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np

from spielwerk.core.agent import as_option
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.grid import Grid
from spielwerk.core.ranges import SHARE, Range
from spielwerk.core.words import number
from spielwerk.learn.ntuple_layout import stages_of, tuples_of
from spielwerk.learn.ntuple_ship import TRIMS, model_of
from spielwerk.learn.ntuple_training import LATELY, MovingMean, Training
from spielwerk.learn.run import Curve, Learned, Learner, Limits, Report, RunFolder
from spielwerk.learn.words import say
from spielwerk.search import ntuple_model as models
from spielwerk.search.ntuple_model import Layout

MOVES = Range(0, 1_000_000_000)  # millions


@dataclass(frozen=True)
class NTuple(Learner):
    """Temporal-difference learning of an n-tuple network by self-play (one seat, games with a grid)."""

    name: ClassVar[str] = "ntuple"
    trims: ClassVar[tuple[str, ...]] = TRIMS
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "thesis": {
            "learn": "end", "tuples": "walk.20x3", "symmetries": "false", "squash": "true", "alpha": "0.001",
            "tc": "false", "trace_decay": "1.0", "epsilon": "0.65", "exploratory_moves": "skipped",
            "matches": "1000000",
        },
        "small": {"epsilon": "0.1", "start_strategy": "restart", "initial_value": "500", "matches": "1000000"},
        "minutes": {"seconds": "300", "start_strategy": "restart", "strategy_after": "200"},
        "hours": {
            "seconds": "7200", "start_strategy": "restart", "strategy_after": "200", "carousel_after": "4300",
            "stages": "13/14/14+13/14+13+12+11/14+13+12+11+10", "stages_after": "2000", "unpromoted_stages": "2",
        },
    }  # fmt: skip
    renamed: ClassVar[dict[str, str]] = {
        "coherence": "tc", "mixture": "trace_decay", "calm": "final_greedy_share", "strays": "exploratory_moves",
        "begin": "start_strategy", "whole": "strategy_after", "carousel": "carousel_after", "parting": "stages_after",
        "anew": "unpromoted_stages", "first": "warm_start", "optimism": "initial_value",
    }  # fmt: skip

    tuples: Annotated[
        str, "4x6, 5x6, 8x6 …; whole; lines; cells as 0.1.2+4.5.6; random as walk.20x3 or points.20x3"
    ] = "auto"
    learn: Annotated[
        Literal["afterstates", "end", "difference"],
        "values of afterstates; or, as in the thesis, of positions from the end score (1) or the score difference (2)",
    ] = "afterstates"
    symmetries: Annotated[bool, "look at the board in all its symmetries"] = True
    squash: Annotated[bool, "values are the tanh of the sum of their entries (learn=end or difference only)"] = False
    alpha: Annotated[
        float,
        Range(1e-9, 1_000),
        "learning rate, shared among the active entries (learn=end or difference: of each entry); without tc about 0.1",
    ] = 1.0
    tc: Annotated[bool, "temporal coherence (TC) learning: every entry adapts its own learning rate"] = True
    trace_decay: Annotated[float, SHARE, "lambda: 0 = learn from the next value, 1 = from the end"] = 0.5
    gamma: Annotated[float, SHARE, "discount of the next value (learn=end or difference only)"] = 1.0
    epsilon: Annotated[float, SHARE, "share of random moves; falls to 0 until the last match if that is known"] = 0.0
    final_greedy_share: Annotated[
        float, SHARE, "share of the matches, at the end, that are played without random moves"
    ] = 0.0
    exploratory_moves: Annotated[
        Literal["cut", "skipped", "learned"],
        "random moves: cut = what comes before them learns nothing from what comes after; skipped = they are not "
        "learned, but traces run on through them; learned = like other moves (the last two: learn=end or difference)",
    ] = "cut"
    start_strategy: Annotated[
        Literal["opening", "restart", "carousel"],
        "where matches begin: at the opening; in the middle of the match before; with each stage in turn",
    ] = "opening"
    strategy_after: Annotated[int, MOVES, "million moves of matches from the opening before start_strategy sets in"] = 0
    carousel_after: Annotated[int, MOVES, "million moves after which the carousel replaces the restarts; 0 = never"] = 0
    stages: Annotated[
        str, "values that begin a stage each, ascending, e.g. 14/14+13: 16384, then 16384 with 8192; none = one stage"
    ] = "none"
    stages_after: Annotated[int, MOVES, "million moves in which all stages still share the tables of the first"] = 0
    unpromoted_stages: Annotated[
        int,
        Range(0, 63),
        "so many of the last stages begin with initial_value; the others with the weights of the stage before",
    ] = 0
    warm_start: Annotated[str, "run folder whose tables it begins with; its stages are the first ones here"] = "none"
    initial_value: Annotated[
        float, Range(-1e9, 1e9), "points that every position is worth at first (optimistic initialisation)"
    ] = 0.0
    matches: Annotated[int, Range(0, 1_000_000_000_000), "matches to learn from; 0 = no limit"] = 0
    seconds: Annotated[float, Range(0, 1e9), "seconds to train in all; 0 = no limit"] = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.final_greedy_share and not self.matches:
            phrase = "ntuple: final_greedy_share is a share of the matches; say how many with matches=…"
            raise SpielwerkError(say(phrase))
        self._check_starts_and_stages()
        self._check_way()

    def _check_starts_and_stages(self) -> None:
        carousel = self.start_strategy == "carousel" or self.carousel_after
        if (carousel or self.stages_after) and self.stages == "none":
            phrase = "ntuple: the carousel and stages_after need stages, for example stages=13/14"
            raise SpielwerkError(say(phrase))
        if self.carousel_after and self.start_strategy != "restart":
            phrase = "ntuple: carousel_after ends the restarts; write start_strategy=restart,carousel_after=…"
            raise SpielwerkError(say(phrase))
        if self.unpromoted_stages > self.stages.count("/") + (self.stages != "none"):
            phrase = "ntuple: unpromoted_stages counts stages after the first; there are not so many"
            raise SpielwerkError(say(phrase))
        if self.strategy_after and self.start_strategy == "opening":
            phrase = "ntuple: strategy_after needs start_strategy=restart or carousel"
            raise SpielwerkError(say(phrase))

    def _check_way(self) -> None:
        """The options of one way to learn do not go with the other."""
        simple = self.start_strategy == "opening" and self.stages == self.warm_start == "none"
        if self.learn != "afterstates" and (self.tc or self.initial_value or not simple):
            phrase = (
                "ntuple: learn={learn} takes tc=false, start_strategy=opening, warm_start=none, no stages and no "
                "initial_value"
            )
            raise SpielwerkError(say(phrase, learn=self.learn))
        if self.learn == "afterstates" and (self.squash or self.exploratory_moves != "cut" or self.gamma != 1.0):
            phrase = (
                "ntuple: squash=true, exploratory_moves=skipped or learned, and gamma need learn=end or "
                "learn=difference"
            )
            raise SpielwerkError(say(phrase))

    def why_not(self, game: Game) -> str | None:
        if game.grid is None:
            return say("it declares no grid")
        if game.seats != 1 or game.spec.hidden:
            return say("it learns one-seat games without hidden information only")
        try:
            models.require_memory(self.layout(game.grid, 0), np.dtype(np.float32).itemsize * (3 if self.tc else 1))
            if self.warm_start != "none":
                self.first_tables(game)
        except SpielwerkError as problem:
            return str(problem)
        return None

    def layout(self, grid: Grid, seed: int) -> Layout:
        tuples = tuples_of(self.tuples, grid, seed)
        active = len(tuples) * (len(grid.symmetries) if self.symmetries else 1)
        made = Layout(
            grid.rows, grid.columns, grid.values, tuples, stages_of(self.stages, grid), self.initial_value / active,
            self.learn, self.symmetries, self.squash, self.unpromoted_stages,
        )  # fmt: skip
        models.require_room(made, grid)
        return made

    def first_tables(self, game: Game, seed: int | None = None) -> tuple[Path, int]:
        """The checkpoint of the run `warm_start`, and how many stages it has, if its tables fit.

        Without a seed: if they fit a run with the seed that it had (tuples may be drawn).
        """
        other = RunFolder(self.warm_start)
        config, checkpoint = other.config(), other.checkpoint
        if checkpoint is None or config.get("game") != game.spec.id or "learner" not in config:
            phrase = "warm_start={folder}: there is no run of {game} that has a checkpoint"
            raise SpielwerkError(say(phrase, folder=self.warm_start, game=game.spec.id))
        before, drawn, grid = other.learner(), config.get("seed", 0), models.grid_of(game)
        there = before.layout(grid, drawn) if isinstance(before, NTuple) else None
        here = self.layout(grid, drawn if seed is None else seed)
        if there is None or there != here.cut_to(len(there.stages)):
            phrase = (
                "warm_start={folder}: the tables of {learner} do not fit; tuples, symmetries and initial_value must be "
                "the same, and the stages there the first ones here"
            )
            raise SpielwerkError(say(phrase, folder=self.warm_start, learner=before.spec))
        return checkpoint, 1 + len(there.stages)

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        Training(self, game, run, limits, report).go()

    def agent(self, run: RunFolder) -> str:
        return f"ntuple:model={as_option(run.path)}"

    def model(self, game: Game, run: RunFolder, trim: Mapping[str, str]) -> Learned:
        return model_of(run, trim)

    def curve(self, run: RunFolder) -> Curve:
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
