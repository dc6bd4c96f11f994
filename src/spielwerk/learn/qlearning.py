"""qlearning: a table of what every action is worth in every position (Watkins 1989), for small games.

After every step the entry of what was seen and done moves towards `reward + gamma * the best entry of what came after`,
among the legal actions. Who learns mostly plays its best action and sometimes any other. In a finite game of one seat,
without anything hidden, the table becomes exact if everything is tried again and again and the rate falls slowly.

`TableQ` knows no game: it learns in any vector environment (see `learn.stepping`). What is seen is looked up by a hash,
so positions that look the same to the seat are one. The table grows as positions are seen; a game with too many of
them is refused when `most_positions` is reached: take `dqn`, which generalises.
"""

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.agent import Agent, as_option
from spielwerk.core.errors import SpielwerkError, UnknownName
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import seed_of, spawn
from spielwerk.core.models import read_arrays
from spielwerk.core.ranges import SHARE, Range
from spielwerk.learn.matches import Matches, SelfPlayOptions
from spielwerk.learn.netlearner import NetRun, TestedBy, held_out_curve
from spielwerk.learn.run import Curve, Learned, Learner, Limits, Report, RunFolder, reading_checkpoint
from spielwerk.learn.stepping import (
    LOG_EVERY,
    Flags,
    Floats,
    Pace,
    Stepper,
    best_legal,
    explored,
    falling,
    generator_of,
    passed,
)
from spielwerk.learn.words import say
from spielwerk.search.qtable_model import KIND, QTable, TableCard, encode, keys_of

if TYPE_CHECKING:
    from gymnasium.vector import VectorEnv

ACTING, FILLING, RESETTING = 1, 2, 3  # streams of the run's seed
FIRST_ROWS = 1024


@dataclass(frozen=True)
class QLearning(SelfPlayOptions, Learner):
    """Tabular Q-learning for games with few positions."""

    name: ClassVar[str] = "qlearning"

    encoding: Annotated[str, "what makes positions different, by name; bits = all that the seat can see"] = "bits"
    steps: Annotated[int, Range(1, 10**12), "decisions that are learned from, of all matches together"] = 500_000
    envs: Annotated[int, Range(1, 65_536), "matches that are played at once"] = 32
    gamma: Annotated[float, SHARE, "what a reward is worth one step later"] = 1.0
    learning_rate: Annotated[float, Range(1e-9, 1.0), "how far an entry moves in the beginning"] = 0.2
    final_rate: Annotated[float, Range(0.0, 1.0), "how far an entry moves in the end"] = 0.01
    epsilon: Annotated[float, SHARE, "share of random actions in the beginning"] = 1.0
    final_epsilon: Annotated[float, SHARE, "share of random actions in the end"] = 0.1
    exploration: Annotated[float, SHARE, "share of all steps in which epsilon falls to final_epsilon"] = 0.5
    initial_value: Annotated[float, Range(-1e12, 1e12), "entry of what was never tried"] = 0.0
    initial_spread: Annotated[float, Range(0.0, 1e12), "they lie up to so much above it, at random"] = 0.0
    most_positions: Annotated[int, Range(1, 10**8), "positions after which the game counts as too large"] = 1_000_000
    test_every: Annotated[int, Range(1, 10**12), "steps between two tests by held-out matches, with a checkpoint"] = (
        50_000
    )
    test_games: Annotated[int, Range(1, 10_000_000), "held-out matches per test"] = 400
    test_opponents: Annotated[Agent | None, "agent on the other seats in held-out matches; none = random play"] = None
    tested_by: TestedBy = "auto"

    def why_not(self, game: Game) -> str | None:
        if self.encoding not in game.encodings:
            return str(UnknownName(say("encoding of {game}", game=game.spec.id), self.encoding, game.encodings))
        return self.opponents_problem(game)

    def epsilon_at(self, step: int, episodes: int) -> float:
        return falling(self.epsilon, self.final_epsilon, step / max(self.exploration * self.steps, 1.0))

    def rate_at(self, step: int) -> float:
        return falling(self.learning_rate, self.final_rate, step / self.steps)

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        card = TableCard(game.spec.id, self.encoding, game.encodings[self.encoding].size, self.unit(game))
        nothing = QTable(card, np.zeros(0, np.uint64), np.zeros((0, game.spec.actions), np.float32))
        matches = Matches(game, self, self.encoding, self.envs, "qtable", run, limits)
        net_run = NetRun(self, game, run, limits)
        with closing(net_run):
            matches.begin(encode(nothing))
            learner = TableQ(matches.env, self, limits.seed)
            kept = net_run.restore()
            if kept is not None:
                with reading_checkpoint(run.path / "checkpoint"):
                    matches.restore(kept)
                    learner.restore(kept)
                    learner.stepper.show(matches.env)
            self._go_on(learner, card, matches, net_run, report)

    def _go_on(self, learner: "TableQ", card: TableCard, matches: Matches, net_run: NetRun, report: Report) -> None:
        def learned() -> dict[str, NDArray[Any]]:
            return encode(QTable(card, *learner.table()))

        def save() -> None:
            net_run.save({**learner.arrays(), **matches.arrays()})

        pace = Pace()
        while learner.step < self.steps and not net_run.limits.reached:
            before = learner.step
            learner.advance()
            net_run.counters["step"] = learner.step
            if matches.itself and passed(before, learner.step, self.self_every):
                learner.stepper.show(matches.refresh(learned()))
            if passed(before, learner.step, LOG_EVERY):
                figures = learner.figures()
                net_run.log(**figures)
                report(learner.step / self.steps, pace.line(learner.step, figures))
            if passed(before, learner.step, self.test_every) or learner.step >= self.steps:
                net_run.judge(learned())
                save()
        if learner.step < self.steps:  # it was told to stop
            net_run.judge_where_it_stops(learned)
            save()

    def player(self, model: object) -> str:
        """The agent that plays with a table."""
        return f"qtable:model={as_option(model)}"

    def agent(self, run: RunFolder) -> str:
        return self.player(run.path)

    def model(self, game: Game, run: RunFolder, trim: Any) -> Learned:
        path = run.path / "model.npz"
        if not path.is_file():
            phrase = "{folder} has no table yet, the first test is still to come; go on with --resume {folder}"
            raise SpielwerkError(say(phrase, folder=run.path))
        return Learned(
            kind=KIND,
            arrays=read_arrays(path),
            agent="qtable:model={model}",
            seats=(game.seats,),
            opponents=None if game.seats == 1 else (self.test_opponents.spec if self.test_opponents else "random"),
            what=say("a table of Q values"),
        )

    def curve(self, run: RunFolder) -> Curve:
        return held_out_curve(run)


# --- the algorithm ---------------------------------------------------------------------------------------------------


class TableQ:
    """Q-learning in a vector environment, one step of all environments after the other."""

    def __init__(self, env: "VectorEnv[Any, Any, Any]", settings: QLearning, seed: int) -> None:
        self.settings, self.seed = settings, seed
        self.stepper = Stepper(env, seed_of(spawn(seed, RESETTING)))
        self.rows: dict[int, int] = {}  # hash of what was seen -> row of the table
        self.values = self._untried(0, FIRST_ROWS)
        self.step, self.episodes = 0, 0
        self.errors: list[float] = []  # how far entries were off, since somebody took them away

    def advance(self) -> None:
        """One step of every environment; what it teaches is learned at once, one environment after the other."""
        settings, stepper = self.settings, self.stepper
        seen, legal = self.places(stepper.seen), stepper.legal
        best = best_legal(self.values[seen], legal)
        epsilon = settings.epsilon_at(self.step, self.episodes)
        actions = explored(best, legal, epsilon, generator_of(self.seed, ACTING, self.step))
        made = stepper.step(actions)
        then = self.places(made.after)  # which may make the table longer
        after = np.where(made.legal, self.values[then], -np.inf).max(axis=1)
        wanted = made.rewards + np.where(made.ended, 0.0, settings.gamma * after)
        rate = settings.rate_at(self.step)
        for row, action, value in zip(seen.tolist(), actions.tolist(), wanted.tolist(), strict=True):
            error = value - self.values[row, action]
            self.values[row, action] += rate * error
            self.errors.append(abs(error))
        self.step += stepper.count
        self.episodes += int((made.ended | made.cut).sum())

    def places(self, seen: Floats) -> NDArray[np.int64]:
        """The rows of what is seen; new ones for what was never seen."""
        rows = self.rows
        found = np.array([rows.setdefault(key, len(rows)) for key in keys_of(seen).tolist()])
        if len(rows) > self.settings.most_positions:
            phrase = (
                "qlearning has seen more than {most} {most:position|positions}, and there are more; take dqn, which "
                "needs no table, or a larger most_positions"
            )
            raise SpielwerkError(say(phrase, most=self.settings.most_positions))
        while len(rows) > len(self.values):
            self.values = np.concatenate([self.values, self._untried(len(self.values), len(self.values))])
        return found

    def _untried(self, first: int, count: int) -> NDArray[np.float64]:
        """So many new rows of the table, from row `first` on."""
        settings = self.settings
        noise = generator_of(self.seed, FILLING, first).random((count, self.stepper.actions))
        return settings.initial_value + settings.initial_spread * noise

    def best(self, seen: Floats, legal: Flags) -> NDArray[np.int64]:
        """The best actions by the table as it is; nothing is learned."""
        known = np.array([self.rows.get(key, -1) for key in keys_of(seen).tolist()])
        return best_legal(np.where(known[:, None] >= 0, self.values[known], 0.0), legal)

    def table(self) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
        """Hashes of what was seen, and the values of every action there."""
        return np.fromiter(self.rows, np.uint64, len(self.rows)), self.values[: len(self.rows)].astype(np.float32)

    def figures(self) -> dict[str, float]:
        """How it went since this was asked last."""
        found = {"epsilon": self.settings.epsilon_at(self.step, self.episodes), "positions": float(len(self.rows))}
        if self.errors:
            found["error"] = float(np.mean(self.errors))
        if self.stepper.finished:
            found["reward"] = float(np.mean([gained for _, gained in self.stepper.finished]))
        self.errors.clear()
        self.stepper.finished.clear()
        return found

    # --- checkpoints -------------------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that is needed to go on, but for the environment."""
        keys, _ = self.table()
        counts = np.array([self.step, self.episodes])
        return {
            "counts": counts,
            "keys": keys,
            "values": self.values,
            "stepper/sums": self.stepper.sums,
        }

    def restore(self, kept: dict[str, NDArray[Any]]) -> None:
        self.step, self.episodes = map(int, kept["counts"])
        self.rows = {key: row for row, key in enumerate(kept["keys"].tolist())}
        self.values = kept["values"]
        self.stepper.sums[:] = kept["stepper/sums"]
