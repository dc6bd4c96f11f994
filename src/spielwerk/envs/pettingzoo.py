"""GameAECEnv and GameParallelEnv: all seats of a game as PettingZoo's environments. Agents are seat_0, seat_1 …

Observations are `{"observation", "action_mask"}`. Chance acts by itself.

AEC: the seats that decide at one moment are asked one after the other; none sees what another has chosen, and all is
played when the last has decided. Rewards are what every seat has gained by then.

Parallel: one step is one moment. All seats give an action, and those of seats that have not to decide are ignored:
their mask is all 0, for which `action_space.sample(mask)` gives 0. Such seats may also be left out. So games of turns
run unchanged, and where all decide at once nothing is lost.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from spielwerk.core.errors import SpielwerkError, UnknownName
from spielwerk.core.game import Game
from spielwerk.core.match import Record
from spielwerk.core.position import SPECTATOR
from spielwerk.envs.picture import METADATA, picture, require_mode
from spielwerk.envs.seating import Seating
from spielwerk.envs.spaces import action_space, observation_space
from spielwerk.envs.task import Task, table, whole_action
from spielwerk.envs.words import say

Observation = dict[str, Any]
Infos = dict[str, dict[str, Any]]


class Seats:
    """What both environments share: the match, and how it is told. The options are those of `task.Options`, but for
    `seat` and `opponents`: all seats are asked."""

    def __init__(
        self,
        game: Game | str,
        *,
        seats: int | None = None,
        variant: str | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game = table(game, seats, variant)
        for name in ("seat", "opponents"):
            if name in options:
                phrase = "{game}: this environment asks all seats, so it takes no {option}; GameEnv does"
                raise SpielwerkError(say(phrase, game=self.game.title, option=name))
        self.task = Task(self.game, options)
        self.render_mode = require_mode(render_mode)
        self.metadata = {**METADATA, "name": f"spielwerk_{self.game.spec.id}_v0", "is_parallelizable": True}
        self.names = [f"seat_{seat}" for seat in range(self.game.seats)]
        size, count = self.task.encoding[1].size, self.game.spec.actions
        self.spaces = {name: (_told(size, count), action_space(self.game)) for name in self.names}
        self.seed: int | None = None
        self.number = -1
        self.spoiled = False
        self.seating = Seating(self.task, 0, 0)

    def begin(self, seed: int | None) -> None:
        """The first match of a new seed, or else the next one."""
        if seed is not None:
            self.seed, self.number = seed, -1
        elif self.seed is None:
            self.seed = int(np.random.default_rng().integers(2**31))
        self.number += 1
        self.spoiled = False
        self.seating = Seating(self.task, self.seed or 0, self.number)
        self.seating.position.settle()

    def require_begun(self) -> None:
        if self.number < 0:
            raise SpielwerkError(say("{game}: no match has begun yet; call reset first", game=self.game.title))

    def seat(self, name: str) -> int:
        if name not in self.names:
            raise UnknownName(say("agent of {game}", game=self.game.title), name, self.names)
        return self.names.index(name)

    def tell(self, name: str) -> Observation:
        seat = self.seat(name)
        return {"observation": self.seating.observation(seat), "action_mask": self.seating.mask(seat)}

    @property
    def deciding(self) -> list[str]:
        return [] if self.spoiled else [self.names[seat] for seat in self.seating.position.actors]

    def legal_or_not(self, name: str, action: int | None) -> tuple[int | None, bool]:
        """What is played for an action, None if that is nothing, and whether it was illegal."""
        seat, wanted = self.seat(name), self.task.options.illegal
        legal = self.seating.position.legal(seat)
        if action is None:
            raise SpielwerkError(say("{game}: {name} must decide and needs an action", game=self.game.title, name=name))
        chosen = whole_action(self.game, action)
        if chosen in legal:
            return chosen, False
        if wanted == "raise":
            raise self.game.illegal(seat, chosen, legal)
        return (self.seating.instead(seat) if wanted == "random" else None), True

    def play(self, chosen: Mapping[str, int]) -> dict[str, float]:
        """Play what the deciding seats chose; returns what every seat gained."""
        self.seating.play({self.seat(name): action for name, action in chosen.items()})
        over = self.seating.position.settle().over
        return {name: self.seating.gained(seat, over) for seat, name in enumerate(self.names)}

    def record(self) -> Record:
        return self.seating.record(self.names)

    def picture(self) -> Any:
        """What a spectator sees."""
        return None if self.render_mode is None else picture(self.seating.position.view(SPECTATOR), self.render_mode)


def _told(size: int, actions: int) -> spaces.Dict:
    mask = spaces.Box(0, 1, (actions,), np.int8)
    return spaces.Dict({"observation": observation_space(size), "action_mask": mask})


class GameAECEnv(AECEnv[str, Observation, int]):  # type: ignore[misc]
    """All seats of a game, asked one after the other."""

    def __init__(self, game: Game | str, **options: Any) -> None:
        self.seats = Seats(game, **options)
        self.metadata, self.render_mode = self.seats.metadata, self.seats.render_mode
        self.possible_agents = list(self.seats.names)
        self.agents = list(self.possible_agents)
        self._chosen: dict[str, int] = {}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.seats.spaces[agent][0]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.seats.spaces[agent][1]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match: the first of a new seed, or else the next one."""
        self.seats.begin(seed)
        self.agents = list(self.possible_agents)
        self._chosen = {}
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: Infos = {name: {} for name in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self._next()

    def observe(self, agent: str) -> Observation:
        return self.seats.tell(agent)

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        self.seats.require_begun()
        found: tuple[Observation | None, float, bool, bool, dict[str, Any]] = super().last(observe)
        return found

    def step(self, action: int | None) -> None:
        self.seats.require_begun()
        name = self.agent_selection
        if self.terminations[name]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[name] = 0.0
        self._clear_rewards()
        played, illegal = self.seats.legal_or_not(name, action)
        self.infos[name] = {"illegal": illegal}
        if played is None:
            self.rewards[name] = -float(self.seats.task.options.penalty)
            self.seats.spoiled = self.seats.task.options.illegal == "end"
        else:
            self._chosen[name] = played
            if len(self._chosen) == len(self.seats.deciding):
                self.rewards, self._chosen = self.seats.play(self._chosen), {}
        if not self.seats.deciding:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self._next()
        self._accumulate_rewards()

    def _next(self) -> str:
        """Who is asked next: the first who must decide and has not; after the end the first at all."""
        return next((name for name in self.seats.deciding if name not in self._chosen), self.agents[0])

    def record(self) -> Record:
        """The record of the match, once it is over."""
        return self.seats.record()

    def render(self) -> Any:
        return self.seats.picture()

    def close(self) -> None:
        """Nothing is open."""


class GameParallelEnv(ParallelEnv[str, Observation, int]):  # type: ignore[misc]
    """All seats of a game, asked at once."""

    def __init__(self, game: Game | str, **options: Any) -> None:
        self.seats = Seats(game, **options)
        self.metadata, self.render_mode = self.seats.metadata, self.seats.render_mode
        self.possible_agents = list(self.seats.names)
        self.agents = list(self.possible_agents)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.seats.spaces[agent][0]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.seats.spaces[agent][1]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], Infos]:
        """Begin a match: the first of a new seed, or else the next one."""
        self.seats.begin(seed)
        self.agents = list(self.possible_agents)
        return self._told(), {name: {} for name in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        seats, names = self.seats, list(self.agents)
        seats.require_begun()
        for name in actions:
            seats.seat(name)
        asked = {name: seats.legal_or_not(name, actions.get(name)) for name in seats.deciding}
        rewards = dict.fromkeys(names, 0.0)
        chosen = {name: played for name, (played, _) in asked.items() if played is not None}
        if asked and len(chosen) == len(asked):
            rewards = seats.play(chosen)
        else:
            rewards |= {name: -float(seats.task.options.penalty) for name in asked if name not in chosen}
            seats.spoiled = seats.task.options.illegal == "end"
        over = not seats.deciding
        told = self._told()
        self.agents = [] if over else names
        infos: Infos = {name: {"illegal": asked[name][1]} if name in asked else {} for name in names}
        return told, rewards, dict.fromkeys(names, over), dict.fromkeys(names, False), infos

    def _told(self) -> dict[str, Observation]:
        return {name: self.seats.tell(name) for name in self.agents}

    def record(self) -> Record:
        """The record of the match, once it is over."""
        return self.seats.record()

    def render(self) -> Any:
        return self.seats.picture()

    def close(self) -> None:
        """Nothing is open."""
