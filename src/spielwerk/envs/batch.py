"""Batch: many matches that one learner plays at once, advanced in compiled code. It knows no library.

One seat of every match is the learner's. `step` takes one action per row, lets opponents and chance act until the
learner must decide again, and begins a new match in every row whose match is over: its last observation is kept in
`final_observations`, and the row shows the first question of the next match. All arrays belong to the batch, and the
next step overwrites them.

Row i of a batch with seed s is the environment with seed s + i. The matches of an environment have the seeds
`match_seed(seed, 0)`, `match_seed(seed, 1)`, …; a match is that of `play` with this seed and the same decisions.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.game import Game
from spielwerk.core.kernel.contract import Room
from spielwerk.core.kernel.loops import rules_of
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import alone, interpreted_everywhere, specialise
from spielwerk.core.position import States
from spielwerk.core.running import compiled_policies
from spielwerk.envs.kernel.batch import (
    END,
    PENALTY,
    RANDOM,
    Line,
    Play,
    Rows,
    observe_by_view,
    observe_openly,
    opponent_by_view,
    opponent_openly,
    random_actions,
    step_rows,
)
from spielwerk.envs.task import Task, table
from spielwerk.envs.words import say

ILLEGAL = {"random": RANDOM, "end": END, "penalty": PENALTY, "raise": RANDOM}
SAMPLES = 0x5350  # the stream of random actions


class Batch:
    """`count` matches of a learner, advanced in one call. The options are those of `task.Options`."""

    def __init__(self, game: Game | str, count: int, *, seed: int = 0, threads: int = 1, **options: Any) -> None:
        self.game = game = table(game)
        self.task = Task(game, options)
        if count < 1 or threads < 1:
            raise SpielwerkError(say("a batch needs at least one match and one thread"))
        self.count, self.threads = count, min(threads, count)
        self.actions, self.size = game.spec.actions, self.task.encoding[1].size
        n, seats = count, game.seats
        lines = np.zeros(n, Line)
        self.rows = Rows(
            lines=lines if game.compiled and not interpreted_everywhere() else lines.view(np.recarray),
            states=game.states(n),
            finals=game.states(n),
            rngs=np.zeros((n, seats, 1), np.uint64),
            masks=np.zeros((n, self.actions), np.bool_),
            final_scores=np.zeros((n, seats)),
        )
        self._lines = lines
        self._begun, self.ended, self.illegal = (lines[name].view(np.bool_) for name in ("begun", "ended", "illegal"))
        self.observations = np.zeros((n, self.size), np.float32)  # [count, size] what the learner knows
        self.final_observations = np.zeros((n, self.size), np.float32)  # the last ones of the matches that ended; other
        # rows hold older ones, and so it is with all that is called final
        observe = observe_by_view if game.spec.hidden else observe_openly
        self._look = specialise(observe, game, features=self.task.encoding[1].function)
        self._plays = [self._play() for _ in range(self.threads)]
        self._pool = ThreadPoolExecutor(self.threads - 1) if self.threads > 1 else None
        self._sample_rngs = np.zeros((n, 1), np.uint64)
        self._no_actions = np.full(n, -1, np.int64)
        self._seed(seed)

    def _play(self) -> Play:
        """How a thread plays; policies may hold work space of their own."""
        game, task = self.game, self.task
        agents = (*task.opponents, task.otherwise)
        found = compiled_policies(game, agents)
        if found is None:
            slow = next(agent for agent in agents if agent.policy(game) is None)
            phrase = (
                "{agent} has no compiled policy for {game}, so it cannot play many matches at once; take another "
                "agent (in Python the single environment, GameEnv, takes any)"
            )
            raise Unfit(say(phrase, agent=slow.name, game=game.title))
        slots, policies = found
        rule, weights = rules_of(policies)
        chooses = opponent_by_view if game.spec.hidden else opponent_openly
        self._step = specialise(step_rows, game, rule=rule, opponent=chooses)
        room = reduce(Room.and_for, (policy.room for policy in policies))
        return Play(
            opening=game.opening().state,
            slots=np.array(slots, np.int64),
            weights=weights,
            scratch=game.scratch(room),
            views=game.states(1),
            rng=np.zeros(1, np.uint64),
            seat=task.seat,
            unit=task.unit,
            at_end=task.at_end,
            scale=task.scale,
            illegal=ILLEGAL[task.options.illegal],
            penalty=float(task.options.penalty),
            ask_forced=bool(task.options.ask_forced),
            first_asked=task.asked[0] if task.asked else 0,
            last_asked=task.asked[1] if task.asked else game.spec.actions - 1,
        )

    # --- arrays of the last step; overwritten by the next ------------------------------------------------------------

    # `ended` says which rows are in their next match since this step, `illegal` whose action was illegal

    @property
    def masks(self) -> NDArray[np.bool_]:
        """[count, actions] what the learner may do."""
        return self.rows.masks

    @property
    def rewards(self) -> NDArray[np.float32]:
        return self._column("reward")

    @property
    def seats(self) -> NDArray[np.int64]:
        """Where the learner sits in every match."""
        return self._column("seat")

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """The seeds of the matches that are played now."""
        return self._column("match_seed")

    @property
    def final_scores(self) -> NDArray[np.float64]:
        """[count, seats] the points of all seats in the matches that ended."""
        return self.rows.final_scores

    @property
    def final_shares(self) -> NDArray[np.float64]:
        """The learner's share of the win in the matches that ended."""
        return self._column("final_share")

    @property
    def final_seeds(self) -> NDArray[np.uint64]:
        return self._column("final_seed")

    @property
    def final_seats(self) -> NDArray[np.int64]:
        """Where the learner sat in the matches that ended."""
        return self._column("final_seat")

    def _column(self, name: str) -> NDArray[Any]:
        return self._lines[name]

    # --- playing -----------------------------------------------------------------------------------------------------

    def reset(self, seed: int | Sequence[int] | None = None) -> NDArray[np.float32]:
        """Begin a match in every row: the first of a new seed (or one seed per row), or else the next one."""
        if seed is not None:
            self._seed(seed)
        self._begun[:] = False
        self._advance(self._no_actions)
        return self.observations

    def step(self, actions: ArrayLike) -> None:
        """Play one action per row; then read `observations`, `masks`, `rewards`, `ended` …"""
        if not self._begun.all():
            raise SpielwerkError(say("{game}: no match has begun yet; call reset first", game=self.game.title))
        told = np.asarray(actions)
        if told.shape != (self.count,) or told.dtype.kind not in "iu":
            phrase = (
                "{game}: {count} {count:match needs one action|matches need as many actions}, whole numbers in a row, "
                "not {given}"
            )
            given = f"{told.dtype}{list(told.shape)}"
            raise SpielwerkError(say(phrase, game=self.game.title, count=self.count, given=given))
        chosen = np.ascontiguousarray(told, np.int64)
        if self.task.options.illegal == "raise":
            self._require_legal(chosen)
        self._advance(chosen)

    def renew(self) -> None:
        """Leave the present observations to whoever holds them: the next step or reset writes into a new array."""
        self.observations = np.empty_like(self.observations)

    def random_actions(self) -> NDArray[np.int64]:
        """Any legal action for every row, chosen in compiled code, from streams of their own."""
        out = np.zeros(self.count, np.int64)
        alone(random_actions)(self.masks, self._sample_rngs, out)
        return out

    def _seed(self, seed: int | Sequence[int]) -> None:
        seeds = [seed + row for row in range(self.count)] if isinstance(seed, int | np.integer) else list(seed)
        if len(seeds) != self.count:
            phrase = "{game}: {count} {count:match needs one seed|matches need as many seeds}, not {given}"
            raise SpielwerkError(say(phrase, game=self.game.title, count=self.count, given=len(seeds)))
        for row, each in enumerate(seeds):
            self._lines["seed"][row] = int(each) % 2**64
            self._sample_rngs[row] = spawn(int(each), SAMPLES)
        self._lines["number"] = -1

    def _advance(self, actions: NDArray[np.int64]) -> None:
        rows = self.rows
        if sum(self._in_parts(lambda first, last, play: self._step(rows, first, last, actions, play))):
            self._begun[:] = False
            phrase = "{game}: the learner is never asked; choose another seat, or ask_forced=True"
            raise SpielwerkError(say(phrase, game=self.game.title))
        self._observe(rows.states, self.seats, self._begun, self.observations)
        if self.ended.any():
            self._observe(rows.finals, self.final_seats, self.ended, self.final_observations)

    def _observe(
        self, states: States, seats: NDArray[np.int64], wanted: NDArray[np.bool_], out: NDArray[np.float32]
    ) -> None:
        self._in_parts(lambda first, last, play: self._look(states, seats, wanted, first, last, play.views, out))

    def _in_parts(self, work: Callable[[int, int, Play], Any]) -> list[Any]:
        """Let every thread do its part of the rows."""
        if self._pool is None:
            return [work(0, self.count, self._plays[0])]
        ends = [self.count * part // self.threads for part in range(self.threads + 1)]
        parts = list(zip(ends, ends[1:], self._plays, strict=False))
        others = [self._pool.submit(work, *part) for part in parts[1:]]
        return [work(*parts[0]), *(other.result() for other in others)]

    def _require_legal(self, actions: NDArray[np.int64]) -> None:
        inside = (actions >= 0) & (actions < self.actions)
        allowed = inside & self.masks[np.arange(self.count), np.where(inside, actions, 0)]
        if not allowed.all():
            row = int(np.argmin(allowed))
            legal = tuple(np.flatnonzero(self.masks[row]).tolist())
            raise self.game.illegal(int(self.seats[row]), int(actions[row]), legal)

    # --- going on later ----------------------------------------------------------------------------------------------

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that is needed to go on later exactly here (see `restore`), as plain arrays. Opponents are not in it."""
        return {name: array.copy() for name, array in self._kept().items()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on where `arrays` was called, on a batch of the same game, size and options."""
        kept = self._kept()
        if any(name not in arrays or arrays[name].shape != array.shape for name, array in kept.items()):
            phrase = "{game}: what was kept belongs to another batch; take the same game, options and number of matches"
            raise SpielwerkError(say(phrase, game=self.game.title))
        for name, array in kept.items():
            array[...] = arrays[name]
        self._observe(self.rows.states, self.seats, self._begun, self.observations)

    def _kept(self) -> dict[str, NDArray[Any]]:
        states = np.asarray(self.rows.states).view(np.uint8).reshape(self.count, -1)
        lines = self._lines.view(np.uint8).reshape(self.count, -1)
        return {
            "states": states,
            "lines": lines,
            "rngs": self.rows.rngs,
            "masks": self.rows.masks,
            "samples": self._sample_rngs,
        }

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
