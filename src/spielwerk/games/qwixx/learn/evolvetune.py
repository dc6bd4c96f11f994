"""evolvetune: the evolutionary trainer's own parameters, tuned (Janetzki 2021, outlook: parameters that optimise the
parameters of the trainer).

Successive halving (Jamieson and Talwalkar 2016): many random settings get a short evolution, the better half goes on
with twice as many generations, until one is left. A setting is judged by its champion: mean points among copies, or
share of the wins against AlphaQwixx. Evolution is random, so every setting is tried with several seeds.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import numpy as np

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.files import from_json
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.ranges import Range
from spielwerk.core.words import number
from spielwerk.games.qwixx.game import Qwixx
from spielwerk.games.qwixx.learn import say
from spielwerk.games.qwixx.learn.evolve import Evolve, champion_of, play_matches
from spielwerk.games.qwixx.players.polynomial import ALPHAQWIXX, Coefficients, written
from spielwerk.learn import run as runs
from spielwerk.learn.run import Curve, Learner, Limits, Report, RunFolder, reading_checkpoint

JUDGED = 600  # matches that judge a champion


class Settings(msgspec.Struct):
    """A checkpoint: the settings that are left, the round, and the strategy of the best champion."""

    alive: list[dict[str, Any]]
    stage: int
    strategy: str


@dataclass(frozen=True)
class EvolveTune(Learner):
    """Tunes survivors, children, mutation rate, steady share and opponents of the evolutionary trainer."""

    name: ClassVar[str] = "evolvetune"

    settings: Annotated[int, Range(2, 65_536), "random settings at the beginning"] = 16
    generations: Annotated[int, Range(1, 1_000_000), "generations of the first round; every round doubles them"] = 25
    seeds: Annotated[int, Range(1, 100_000), "evolutions per setting"] = 2
    population: Annotated[int, Range(2, 100_000), "players in a generation"] = 100
    group: Annotated[int, Range(2, 5), "players at a table, 2 to 5"] = 3
    rounds: Annotated[int, Range(1, 1_000_000), "matches of every player in a generation"] = 10
    degree: Annotated[int, Range(1, 3), "degree of the strategies, 1 to 3"] = 1
    fitness: Annotated[Literal["points", "wins"], "what makes a champion good"] = "points"

    renamed: ClassVar[dict[str, str]] = {"judge": "fitness"}

    def why_not(self, game: Game) -> str | None:
        return None if isinstance(game, Qwixx) else say("it tunes the trainer of Qwixx players")

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        table = type(game)(self.group, game.variant)
        alive, stage = self._begin(run, limits.seed)
        rounds = int(np.ceil(np.log2(self.settings)))
        while len(alive) > 1 and not limits.reached:
            judged = []
            for place, options in enumerate(alive):
                trials = [self._trial(table, options, stage, seed, limits.threads) for seed in range(self.seeds)]
                worth = float(np.mean([trial[0] for trial in trials]))
                best = max(trials, key=lambda trial: trial[0])
                judged.append((worth, options, best[1]))
                line = say(
                    "{count} {count:setting|settings} left, this one {worth}", count=len(alive), worth=number(worth, 2)
                )
                report((stage + (place + 1) / len(alive)) / rounds, line)
            judged.sort(key=lambda entry: -entry[0])
            for worth, options, strategy in judged:
                run.log(stage=stage, worth=worth, options=options, strategy=written(strategy))
            alive, stage = [options for _, options, _ in judged[: (len(judged) + 1) // 2]], stage + 1
            with run.new_checkpoint() as folder:
                kept = Settings(alive, stage, written(judged[0][2]))
                (folder / "settings.json").write_bytes(msgspec.json.encode(kept))

    def _begin(self, run: RunFolder, seed: int) -> tuple[list[dict[str, Any]], int]:
        if run.checkpoint is not None:
            stored = _settings(run.checkpoint)
            named = [{Evolve.renamed.get(key, key): value for key, value in each.items()} for each in stored.alive]
            return named, stored.stage
        rng = np.random.default_rng([seed, 5])
        return [self._setting(rng) for _ in range(self.settings)], 0

    def _setting(self, rng: np.random.Generator) -> dict[str, Any]:
        return {
            "survivors": round(float(rng.uniform(0.3, 0.9)), 2),
            "children": round(float(rng.uniform(0.5, 1.0)), 2),
            "mutation_rate": round(float(10 ** rng.uniform(-3, -0.8)), 4),
            "steady_share": round(float(rng.uniform(0.8, 1.0)), 2),
            "own_copies": bool(rng.integers(2)),
        }

    def _trial(
        self, table: Game, options: dict[str, Any], stage: int, seed: int, threads: int
    ) -> tuple[float, Coefficients]:
        evolve = replace(
            Evolve(self.population, self.group, self.generations * 2**stage, self.rounds, degree=self.degree), **options
        )
        with TemporaryDirectory() as folder:
            strategy = champion_of(runs.train(table, evolve, f"{folder}/run", seed=seed, threads=threads))
        return self._worth(table, strategy, threads), strategy

    def _worth(self, table: Game, strategy: Coefficients, threads: int) -> float:
        alpha = np.zeros_like(strategy)
        alpha[:2] = ALPHAQWIXX
        groups = np.zeros((JUDGED, self.group), np.int64)
        if self.fitness == "wins":
            groups[:] = 1
            groups[np.arange(JUDGED), np.arange(JUDGED) % self.group] = 0
        keys = np.array([spawn(77, match // self.group)[0] for match in range(JUDGED)])
        scores = play_matches(table, np.stack([strategy, alpha]), groups, keys, threads)
        if self.fitness == "points":
            return float(scores.mean())
        winners = scores == scores.max(axis=1, keepdims=True)
        return float((winners / winners.sum(axis=1, keepdims=True))[groups == 0].mean())

    def agent(self, run: RunFolder) -> str:
        folder = run.checkpoint
        if folder is None:
            raise SpielwerkError(say("{folder} has not finished a round yet", folder=run.path))
        return f"polynomial:strategy={_settings(folder).strategy}"

    def curve(self, run: RunFolder) -> Curve:
        rows = run.rows()
        stages = sorted({int(row["stage"]) for row in rows})
        best = [max(float(row["worth"]) for row in rows if row["stage"] == stage) for stage in stages]
        return (
            say("round"),
            say("worth of the best champion"),
            [(say("best"), [float(stage) for stage in stages], best)],
        )


def _settings(folder: Path) -> Settings:
    with reading_checkpoint(folder):
        return from_json((folder / "settings.json").read_bytes(), Settings)
