"""One call of `train` of the learner `tdvalue`: rounds, schedules, tests, checkpoints."""

import time
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.crews import crew_of
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.words import number
from spielwerk.learn.netlearner import Arrays, NetRun, begun_with
from spielwerk.learn.run import Limits, Report
from spielwerk.learn.tdvalue_play import Manner, Players, Round
from spielwerk.learn.tdvalue_rows import Rows, joined, rows_of
from spielwerk.learn.tdvalue_update import CompiledUpdate, TorchUpdate, Update
from spielwerk.learn.words import say
from spielwerk.nets.network import MASK, Network

if TYPE_CHECKING:
    from spielwerk.learn.tdvalue import TdValue

MATCHES, ORDER = 0x5444, 0x5445  # the streams of the seeds of matches, and of the order in which rows are learned
FIRST_ROUND = 64  # matches
MOST_MATCHES = 1 << 20  # of a round
SAVE_SECONDS = 60.0  # between two checkpoints


class Training:
    """A run from the newest checkpoint on. While a round is learned the next one is played."""

    def __init__(self, learner: "TdValue", game: Game, run: NetRun, limits: Limits, report: Report) -> None:
        self.learner, self.game, self.run, self.limits, self.report = learner, game, run, limits, report
        network = begun_with(run.folder, lambda: learner.first_for(game, limits.seed))
        by_logit = learner.unit_for(game) == "win"
        self.update: Update = (
            CompiledUpdate(network, by_logit, learner.batch)
            if learner.is_compiled(network) and limits.device in ("auto", "cpu")
            else TorchUpdate(network, by_logit, limits.device)
        )
        self.averaged: Arrays = {name: array.copy() for name, array in network.arrays.items()}
        self.rounds: deque[Rows] = deque(maxlen=learner.replay)  # the newest has not been learned yet
        run.counters = {"step": 0, "round": 0, "matches": 0, "next_matches": FIRST_ROUND, "tested": 0}
        self._restore()
        on_cluster = limits.backend == "ray"
        if on_cluster and not registry.everywhere(game, learner.league):
            phrase = "other processes do not know what was only registered here; take the backend threads"
            raise SpielwerkError(say(phrase))
        self.crew = crew_of("ray" if on_cluster else "threads", limits.threads)
        self.players = Players(game, learner, self.crew, limits.threads, by_name=on_cluster)

    # --- rounds ------------------------------------------------------------------------------------------------------

    def go(self) -> None:
        calls: list[Any] = []
        saved = time.monotonic()
        try:
            while not self.complete and not self.limits.reached:
                began = time.monotonic()
                acting, counters = self.update.network(), self.run.counters
                learning = None
                if self.rounds and not self.players.by_name:  # first in the queue: it is the longest
                    learning = self.crew.give(self._learn)
                calls = self.players.begin(acting, self._manner(), self._seeds())
                if self.rounds and self.players.by_name:
                    loss = self._learn()
                elif learning is not None:
                    loss = self._result(learning)
                played = self.players.collect(calls, counters["next_matches"])
                calls = []
                if self.rounds:
                    self._count(loss, played, time.monotonic() - began)
                self._take(played)
                if self._test_is_due():
                    self._test()
                    self._save()
                elif time.monotonic() - saved > SAVE_SECONDS:
                    self._save()
                    saved = time.monotonic()
        finally:
            self.crew.leave(calls)
        if not self.complete and self.run.counters["step"] > 0:
            self._test()
            self._save()

    @property
    def complete(self) -> bool:
        return int(self.run.counters["step"]) >= self.learner.positions

    @property
    def done(self) -> float:
        """Between 0 and 1."""
        return min(int(self.run.counters["step"]) / self.learner.positions, 1.0)

    def _result(self, call: Any) -> float:
        while not self.crew.finished([call], 1.0):
            pass
        return float(self.crew.result(call))

    def _seeds(self) -> NDArray[np.uint64]:
        key = int(spawn(self.limits.seed, MATCHES, self.run.counters["round"])[0])
        matches = int(self.run.counters["next_matches"])
        return np.random.default_rng(key & MASK).integers(0, 1 << 53, matches, np.uint64)

    def _take(self, played: Round) -> None:
        counters = self.run.counters
        self.rounds.append(played.rows)
        counters["round"] += 1
        counters["matches"] += played.matches
        per_match = max(played.rows.size / played.matches, 1e-9)
        wanted = min(round(self.learner.round_positions / per_match), 4 * played.matches, MOST_MATCHES)
        counters["next_matches"] = max(wanted, 1)

    def _learn(self) -> float:
        """Gradient steps over the newest rounds; what is learned does not depend on who plays meanwhile."""
        learner, newest = self.learner, self.rounds[-1]
        if newest.size == 0:
            return 0.0
        rows = joined(list(self.rounds))
        key = int(spawn(self.limits.seed, ORDER, self.run.counters["round"])[0])
        order = np.random.default_rng(key & MASK).permutation(rows.size)
        loss = self.update.learn(rows, order, learner.batch, self._rate())
        self.run.require_finite(loss)
        stays = learner.averaging ** -(-rows.size // learner.batch)
        for name, array in self.update.network().arrays.items():
            self.averaged[name] += (1.0 - stays) * (array - self.averaged[name])
        return loss

    # --- schedules ---------------------------------------------------------------------------------------------------

    def _manner(self) -> Manner:
        learner, done = self.learner, self.done
        warming = done < learner.warm_up
        share = min(done / learner.epsilon_until, 1.0) if learner.epsilon_until else 1.0
        league = 0.0 if not learner.league else 1.0 if warming else min(learner.league_share, 1.0 - 1e-9)
        return Manner(
            epsilon=learner.epsilon + share * (learner.last_epsilon(self.game) - learner.epsilon),
            trace_decay=1.0 if warming else learner.trace_decay,
            league_share=league,
        )

    def _rate(self) -> float:
        learner = self.learner
        first, last = learner.learning_rate, min(learner.final_learning_rate, learner.learning_rate)
        share = max(self.done - learner.rate_from, 0.0) / max(1.0 - learner.rate_from, 1e-9)
        return float(first * (last / first) ** share) if last > 0.0 else first * (1.0 - share)

    # --- figures, tests, checkpoints ---------------------------------------------------------------------------------

    def _count(self, loss: float, played: Round, seconds: float) -> None:
        """A round has been learned while another was played."""
        counters, learned = self.run.counters, self.rounds[-1].size
        counters["step"] += learned
        figures = {
            "loss": loss, "points": played.points, "matches": counters["matches"], "rate": self._rate(),
            "epsilon": self._manner().epsilon, "positions_per_second": round(learned / seconds),
            "evaluations_per_second": round(played.evaluations / seconds),
        }  # fmt: skip
        self.run.log(**figures)
        phrase = "{rate} positions/s, {matches} {matches:match|matches}, loss {loss}"
        line = say(phrase, rate=number(learned / seconds), matches=number(counters["matches"]), loss=number(loss, 4))
        self.report(self.done, line)

    def _test_is_due(self) -> bool:
        return int(self.done * self.learner.tests) > int(self.run.counters["tested"])

    def _test(self) -> None:
        """Held-out matches of the averaged weights and of the last ones; the better of all tests stays."""
        description = self.update.network().description
        self.run.test(
            Network(description, {name: np.array(array) for name, array in self.averaged.items()}), averaged=1
        )
        self.run.test(self.update.network(), averaged=0)
        self.run.counters["tested"] = int(self.done * self.learner.tests)

    def _save(self) -> None:
        arrays = {f"update/{name}": array for name, array in self.update.arrays().items()}
        arrays |= {f"averaged/{name}": array for name, array in self.averaged.items()}
        for place, rows in enumerate(self.rounds):
            arrays |= rows.arrays(f"rounds/{place}")
        self.run.save(arrays)

    def _restore(self) -> None:
        arrays = self.run.restore()
        if arrays is None:
            return

        def below(name: str) -> Arrays:
            return {key.removeprefix(name): array for key, array in arrays.items() if key.startswith(name)}

        self.update.restore(below("update/"))
        self.averaged = below("averaged/")
        places = {int(key.split("/")[1]) for key in arrays if key.startswith("rounds/")}
        self.rounds.extend(rows_of(arrays, f"rounds/{place}") for place in sorted(places))
