"""GameEnv: one match of a game as Gymnasium's `Env`. One seat learns, any agents play on the others.

Opponents and chance act inside `step` until the learner must decide again; their agents get views, as everywhere. With
the same seed, agents and actions the trajectory is that of the batch, and the match that of `play`.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.match import Record
from spielwerk.core.running import Asking
from spielwerk.envs.kernel.batch import TRIES
from spielwerk.envs.picture import METADATA, picture, require_mode
from spielwerk.envs.seating import Seating
from spielwerk.envs.spaces import action_space, observation_space
from spielwerk.envs.task import Task, table, whole_action
from spielwerk.envs.words import say

Observation = NDArray[np.float32]


class GameEnv(gymnasium.Env[Observation, np.int64]):
    """One match of a learner. The options are those of `task.Options`; `budget` is what opponents may think about a
    decision."""

    metadata = METADATA

    def __init__(
        self,
        game: Game | str,
        *,
        seats: int | None = None,
        variant: str | None = None,
        render_mode: str | None = None,
        budget: Budget | None = None,
        **options: Any,
    ) -> None:
        self.game = table(game, seats, variant)
        self.task = Task(self.game, options)
        self.render_mode = require_mode(render_mode)
        self.observation_space: spaces.Space[Any] = observation_space(self.task.encoding[1].size)
        self.action_space: spaces.Space[Any] = action_space(self.game)
        self._budget = budget or Budget()
        self._seed: int | None = None
        self._number = -1
        self._seating: Seating | None = None
        self._done = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a match: the first of a new seed, or else the next one."""
        super().reset(seed=seed)
        if seed is not None:
            self._seed, self._number = seed, -1
        elif self._seed is None:
            self._seed = int(self.np_random.integers(2**31))
        for _ in range(TRIES):
            self._number += 1
            self._seating = seating = Seating(self.task, self._seed, self._number)
            self._asking = Asking(self.task.agents_from(seating.learner), self._budget)
            if not self._advance(None):
                self._done = False
                return seating.observation(seating.learner), self._info()
        phrase = "{game}: the learner is never asked; choose another seat, or ask_forced=True"
        raise SpielwerkError(say(phrase, game=self.game.title))

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        options, seating = self.task.options, self.seating
        if self._done:
            raise SpielwerkError(say("{game}: the match is over; call reset for the next", game=self.game.title))
        seat, chosen = seating.learner, whole_action(self.game, action)
        legal = seating.position.legal(seat)
        illegal, spoiled = chosen not in legal, False
        if illegal:
            if options.illegal == "raise":
                raise self.game.illegal(seat, chosen, legal)
            if options.illegal == "penalty":
                return seating.observation(seat), -float(options.penalty), False, False, self._info(illegal=True)
            spoiled = options.illegal == "end"
            chosen = chosen if spoiled else seating.instead(seat)
        self._done = over = spoiled or self._advance(chosen)
        reward = -float(options.penalty) if spoiled else seating.gained(seat, over)
        info = self._info(illegal=illegal)
        if over:
            nothing = np.zeros_like(info["action_mask"])
            info |= {"action_mask": nothing, "points": np.array(seating.position.score), "win": seating.share(seat)}
        return seating.observation(seat), reward, over, False, info

    def _advance(self, action: int | None) -> bool:
        """Play on after the learner's action until it is asked again; returns whether the match is over instead."""
        seating, position = self.seating, self.seating.position
        learner = seating.learner
        while not position.settle().over:
            actors = position.actors
            asked = [seat for seat in actors if seat != learner]
            if learner in actors and action is None:
                legal = position.legal(learner)
                if not self.task.concerns(legal):
                    asked.append(learner)
                elif self.task.options.ask_forced or len(legal) > 1:
                    return False
                else:
                    action = legal[0]
            decided = self._asking.decide(position, seating.rngs, asked)
            moves = {seat: move for seat, move in decided.items() if move is not None}
            if learner in actors and action is not None:
                moves[learner], action = action, None
            seating.play(moves)
        return True

    @property
    def seating(self) -> Seating:
        """The match that is played, with its position."""
        if self._seating is None:
            raise SpielwerkError(say("{game}: no match has begun yet; call reset first", game=self.game.title))
        return self._seating

    def action_masks(self) -> NDArray[np.bool_]:
        """What may be done, as sb3-contrib asks for it."""
        return self.seating.mask(self.seating.learner).astype(np.bool_)

    def record(self) -> Record:
        """The record of the match, once it is over: it can be saved, replayed and looked at."""
        seat = self.seating.learner
        agents = [agent.spec for agent in self.task.agents_from(seat)]
        return self.seating.record([*agents[:seat], "learner", *agents[seat + 1 :]])

    def render(self) -> Any:
        """What the learner sees."""
        if self.render_mode is None:
            return None
        return picture(self.seating.position.view(self.seating.learner), self.render_mode)

    def _info(self, **more: Any) -> dict[str, Any]:
        seating = self.seating
        mask = seating.mask(seating.learner)
        return {"action_mask": mask, "seat": seating.learner, "match_seed": seating.seed, **more}
