"""evolve: the evolutionary trainer of Janetzki (2021, chapters 2 and 4) for Qwixx players with polynomial strategies.

A generation plays `rounds` rounds in groups (shuffled anew each round, or every player against copies of itself). The
players are ranked by mean points (or share of the wins, as the study's outlook asks); those whose points vary most are
put into the middle of the table. The last die out; the first pair up, rank 1 with 2, 3 with 4 …, and leave children
with the mean of their coefficients; strangers fill the gaps. Then every coefficient of every player may mutate.

Dice are seeded by generation and round and are the same for all groups of a round and for all runs with one `dice`
seed, as in the study.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import specialise
from spielwerk.core.ranges import SHARE, Range
from spielwerk.core.words import number
from spielwerk.games.qwixx.game import Qwixx
from spielwerk.games.qwixx.learn import say
from spielwerk.games.qwixx.learn.kernel.evolve import GroupMatches, play_groups
from spielwerk.games.qwixx.players.polynomial import ALPHAQWIXX, KINDS, Coefficients, tables, written
from spielwerk.learn.run import Curve, Learner, Limits, Report, RunFolder, reading_checkpoint

KEEP = 10  # generations between two checkpoints
FINALISTS, FINAL_MATCHES = 10, 600  # how the champion is found at the end

Population = NDArray[np.float64]  # [players, degree + 1, 4]


@dataclass(frozen=True)
class Evolve(Learner):
    """The study's evolutionary trainer for polynomial Qwixx players."""

    name: ClassVar[str] = "evolve"

    population: Annotated[int, Range(2, 100_000), "players in a generation (the study: 100, 300 in the last test)"] = (
        100
    )
    group: Annotated[int, Range(2, 5), "players at a table, 2 to 5"] = 5
    generations: Annotated[int, Range(0, 1_000_000), "generations"] = 150
    rounds: Annotated[int, Range(1, 1_000_000), "matches of every player in a generation"] = 10
    own_copies: Annotated[bool, "play against copies of oneself instead of the population"] = False
    steady_share: Annotated[
        float, SHARE, "share of the population that is ranked; those whose points vary more than theirs go to mid-table"
    ] = 0.98
    survivors: Annotated[float, SHARE, "share of the population that survives"] = 0.74
    children: Annotated[float, SHARE, "share of the dead that children replace; the rest are strangers"] = 1.0
    mutation_rate: Annotated[float, SHARE, "chance that a coefficient is drawn anew"] = 0.05
    degree: Annotated[int, Range(1, 3), "degree of the strategies, 1 to 3"] = 1
    span: Annotated[float, Range(0, 1e9), "coefficients are drawn from -span to span"] = 10.0
    fitness: Annotated[Literal["points", "wins"], "what ranks the players"] = "points"
    start: Annotated[str, "random, alphaqwixx, or a run folder whose last population is loaded"] = "random"
    dice_seed: Annotated[int, Range(0, 2**53 - 1), "seed of the dice, which all runs with the same number share"] = 0

    presets: ClassVar[dict[str, dict[str, str]]] = {
        # degree and rounds are those of the study's public trainer; figure 8 compares degrees
        "figure-6a": {"generations": "150", "degree": "2", "rounds": "5"},
        "figure-6b": {"generations": "150", "degree": "2", "rounds": "5", "mutation_rate": "0"},
        "figure-7": {"generations": "100", "degree": "2", "rounds": "5", "mutation_rate": "0"},
        "figure-8": {"generations": "200", "rounds": "5"},
        "run-a": {
            "population": "300", "group": "3", "generations": "500", "steady_share": "0.95", "survivors": "1",
            "mutation_rate": "0", "start": "alphaqwixx", "rounds": "1",
        },
        "run-b": {
            "population": "300", "group": "3", "generations": "500", "steady_share": "0.95", "survivors": "0.5",
            "children": "0.5", "mutation_rate": "0", "start": "alphaqwixx", "rounds": "1",
        },
    }  # fmt: skip

    renamed: ClassVar[dict[str, str]] = {
        "least_variance": "steady_share",
        "mutation": "mutation_rate",
        "dice": "dice_seed",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.population < self.group:
            raise SpielwerkError(say("evolve: the population has at least one group of players"))
        if self.own_copies and self.fitness == "wins":
            raise SpielwerkError(say("evolve: against own copies nobody wins more often; use fitness=points"))

    def why_not(self, game: Game) -> str | None:
        return None if isinstance(game, Qwixx) else say("its strategies read Qwixx sheets")

    # --- the run -----------------------------------------------------------------------------------------------------

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        table = type(game)(self.group, game.variant)
        people, done = self._begin(run, limits.seed)
        pending: list[dict[str, Any]] = []
        while done < self.generations and not limits.reached:
            points = self.play(table, people, done, limits.threads)
            ranking = self.ranked(points)
            pending.append({"generation": done + 1, **_figures(points), **_variety(people)})
            people, fresh = self.next_generation(people, ranking, limits.seed, done)
            pending[-1]["new_strategies"] = fresh
            done += 1
            mean, best = number(pending[-1]["mean"], 1), number(pending[-1]["best"], 1)
            phrase = "generation {generation}, mean {mean}, best {best}"
            report(done / self.generations, say(phrase, generation=done, mean=mean, best=best))
            if done % KEEP == 0 or done == self.generations or limits.reached:
                for row in pending:
                    run.log(**row)
                pending = []
                leader = self.champion(table, people, done, limits.threads) if done == self.generations else people[0]
                with run.new_checkpoint() as folder:
                    np.savez(folder / "population.npz", people=people, done=done, champion=leader)

    def _begin(self, run: RunFolder, seed: int) -> tuple[Population, int]:
        if run.checkpoint is not None:
            stored = _stored(run.checkpoint)
            return stored["people"], int(stored["done"])
        if self.start == "random":
            return self._strangers(self.population, seed, 0), 0
        if self.start == "alphaqwixx":
            one = np.zeros((self.degree + 1, KINDS))
            one[:2] = ALPHAQWIXX
            return np.repeat(one[None], self.population, axis=0), 0
        folder = RunFolder(self.start).checkpoint
        if folder is None:
            phrase = "evolve: {folder} holds no population; start=random, alphaqwixx or a run folder"
            raise SpielwerkError(say(phrase, folder=self.start))
        people = _stored(folder)["people"]
        if people.shape[1] != self.degree + 1:
            phrase = "evolve: the population in {folder} has degree {degree}; say degree={degree}"
            raise SpielwerkError(say(phrase, folder=self.start, degree=people.shape[1] - 1))
        kept: Population = people[np.arange(self.population) % len(people)]
        return kept, 0

    # --- one generation ----------------------------------------------------------------------------------------------

    def play(self, table: Game, people: Population, generation: int, threads: int = 1) -> "Points":
        """Let everybody play its rounds."""
        count = len(people)
        groups, keys = [], []
        for place in range(self.rounds):
            if self.own_copies:
                drawn = np.repeat(np.arange(count)[:, None], self.group, axis=1)
            else:
                order = np.random.default_rng([self.dice_seed, generation, place]).permutation(count)
                drawn = np.resize(order, (-(-count // self.group), self.group))
            groups.append(drawn)
            keys.append(np.full(len(drawn), spawn(self.dice_seed, generation, place)[0]))
        return Points(
            count,
            np.concatenate(groups),
            play_matches(table, people, np.concatenate(groups), np.concatenate(keys), threads),
        )

    def ranked(self, points: "Points") -> "Ranking":
        """Best first; those whose points vary most come right behind the players that are good enough to survive."""
        mean, variance = points.mean_and_variance()
        fitness = mean if self.fitness == "points" else points.win_shares()
        count = points.players
        steady = round(self.steady_share * count)
        middle = np.argsort(variance, kind="stable")[steady:]
        others = np.setdiff1d(np.arange(count), middle)
        others = others[np.argsort(-fitness[others], kind="stable")]
        alive = round(self.survivors * count)
        top = others[: max(alive - len(middle), 0)]
        middle = middle[: alive - len(top)]
        return Ranking(top, middle)

    def next_generation(
        self, people: Population, ranking: "Ranking", seed: int, generation: int
    ) -> tuple[Population, int]:
        """Survivors, children, strangers, then mutations; and how many children differ from both parents."""
        survivors = people[np.concatenate([ranking.top, ranking.middle])]
        missing = self.population - len(survivors)
        children = round(missing * self.children) if len(ranking.top) >= 2 else 0
        pairs = np.resize(ranking.top[: len(ranking.top) // 2 * 2], (max(children, 0), 2))
        born = people[pairs].mean(axis=1) if children else people[:0]
        fresh = sum(bool((people[a] != people[b]).any()) for a, b in pairs)
        strangers = self._strangers(missing - children, seed, generation + 1)
        together = np.concatenate([survivors, born, strangers])
        rng = np.random.default_rng([seed, 1, generation])
        hit = rng.random(together.shape) < self.mutation_rate
        drawn = rng.uniform(-self.span, self.span, together.shape)
        return np.where(hit, drawn, together), fresh

    def _strangers(self, count: int, seed: int, generation: int) -> Population:
        rng = np.random.default_rng([seed, 0, generation])
        return rng.uniform(-self.span, self.span, (count, self.degree + 1, KINDS))

    def champion(self, table: Game, people: Population, generation: int, threads: int = 1) -> Coefficients:
        """The best of the first players of the last ranking, by its mean score among copies over fresh dice."""
        last = people[:FINALISTS]
        final = replace(
            self, own_copies=True, fitness="points", rounds=FINAL_MATCHES // self.group, dice_seed=self.dice_seed + 1
        )
        if self.fitness == "wins":
            final = replace(self, own_copies=False, rounds=FINAL_MATCHES // 2, dice_seed=self.dice_seed + 1)
        points = final.play(table, last, generation, threads)
        fitness = points.win_shares() if self.fitness == "wins" else points.mean_and_variance()[0]
        best: Coefficients = last[int(np.argmax(fitness))]
        return best

    # --- what is left ------------------------------------------------------------------------------------------------

    def agent(self, run: RunFolder) -> str:
        return f"polynomial:strategy={written(champion_of(run))}"

    def curve(self, run: RunFolder) -> Curve:
        rows = generations_of(run)
        across = [float(row["generation"]) for row in rows]
        lines = [(say(name), across, [float(row[name]) for row in rows]) for name in ("mean", "best")]
        return say("generation"), say("points"), lines


class Ranking(NamedTuple):
    top: NDArray[np.int64]  # survivors by fitness, best first; they become parents
    middle: NDArray[np.int64]  # survivors whose points vary too much to be judged


class Points(NamedTuple):
    """What a generation scored."""

    players: int
    groups: NDArray[np.int64]  # [matches, seats] who sat where
    scores: NDArray[np.float64]  # [matches, seats]

    def mean_and_variance(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Per player: mean and corrected sample variance (formula 7) of its points."""
        who, scores = self.groups.ravel(), self.scores.ravel()
        count = np.bincount(who, minlength=self.players)
        mean = np.bincount(who, scores, self.players) / count
        square = np.bincount(who, (scores - mean[who]) ** 2, self.players)
        return mean, square / np.maximum(count - 1, 1)

    def win_shares(self) -> NDArray[np.float64]:
        winners = self.scores == self.scores.max(axis=1, keepdims=True)
        share = winners / winners.sum(axis=1, keepdims=True)
        who = self.groups.ravel()
        shares: NDArray[np.float64] = np.bincount(who, share.ravel(), self.players) / np.bincount(
            who, minlength=self.players
        )
        return shares


def play_matches(
    table: Game, people: Population, groups: NDArray[np.int64], keys: NDArray[np.uint64], threads: int = 1
) -> NDArray[np.float64]:
    """The scores of all matches; the same for any number of threads."""
    play = specialise(play_groups, table)
    matches = GroupMatches(groups, keys, np.stack([tables(one) for one in people]), np.zeros(groups.shape))

    def part(first: int, last: int) -> None:
        play(matches, first, last, table.states(2), table.options, table.scratch(), np.zeros(1, np.uint64))

    cuts = np.linspace(0, len(groups), threads + 1).astype(int)
    if threads == 1:
        part(0, len(groups))
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(part, cuts[:-1], cuts[1:]))
    return matches.points


def _figures(points: Points) -> dict[str, float]:
    mean, variance = points.mean_and_variance()
    return {
        "mean": float(mean.mean()),
        "best": float(mean.max()),
        "worst": float(mean.min()),
        "highest": float(points.scores.max()),  # of a single match
        "variance": float(variance.mean()),
    }


def _variety(people: Population) -> dict[str, int]:
    return {"strategies": len(np.unique(people.reshape(len(people), -1), axis=0))}


def champion_of(run: RunFolder) -> Coefficients:
    folder = run.checkpoint
    if folder is None:
        raise SpielwerkError(say("{folder} holds no population yet", folder=run.path))
    found: Coefficients = _stored(folder)["champion"]
    return found


def _stored(folder: Path) -> dict[str, NDArray[Any]]:
    """What a checkpoint holds: people, done and champion."""
    with reading_checkpoint(folder), np.load(folder / "population.npz") as file:
        stored = {name: file[name] for name in ("people", "done", "champion")}
        if stored["people"].ndim != 3 or stored["people"].shape[2] != KINDS or stored["done"].shape != ():
            raise ValueError(say("it is no population"))
    return stored


def generations_of(run: RunFolder) -> list[dict[str, Any]]:
    """The log, one row per generation; a generation that was repeated after a kill counts once."""
    return list({row["generation"]: row for row in run.rows() if "generation" in row}.values())
