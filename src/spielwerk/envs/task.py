"""What a learner is asked, and what it is rewarded for: the options that all environments share."""

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

import numpy as np

from spielwerk.agents.random import RandomAgent
from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.encoding import Encoding
from spielwerk.core.errors import SpielwerkError, UnknownName
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.envs.kernel.batch import MATCHES, ROTATE, SHORT
from spielwerk.envs.words import say
from spielwerk.search.kernel.net import LEAD, POINTS, WIN

Opponents = Agent | str | Sequence[Agent | str] | None
UNITS = {"points": POINTS, "margin": LEAD, "win": WIN}
ROTATING = "rotate"


@dataclass(frozen=True)
class Options:
    """How a game becomes a task for one learner."""

    seat: int | Literal["rotate"] = 0  # where the learner sits; rotate = match after match round the table
    opponents: Opponents = None  # one for all other seats, or one each, from the learner's left on; None = random
    encoding: str = "auto"  # how the game is told, by name; auto = the first that the game has
    objective: Literal["game", "points", "margin", "win"] = "game"  # what rewards count; game = what the game says
    reward: Literal["auto", "steps", "end"] = "auto"  # when they come; auto = at the end for win, else as they come
    scale: float | Literal["game"] = 1.0  # what rewards are divided by; game = what the game counts as 1
    illegal: Literal["random", "end", "penalty", "raise"] = "random"  # what an illegal action does
    penalty: float = 1.0  # what is taken off the reward for it (end, penalty)
    ask_forced: bool = True  # whether the learner is asked where it has no choice
    actions: str = "all"  # ids of the actions that the learner chooses among, as 0-35; it is asked nothing else
    otherwise: Agent | str | None = None  # who decides in its place then; None = any action


CHOICES = {
    "objective": ("game", *UNITS),
    "reward": ("auto", "steps", "end"),
    "illegal": ("random", "end", "penalty", "raise"),
}


def table(game: Game | str, seats: int | None = None, variant: str | None = None) -> Game:
    """The game by its name, or itself."""
    return registry.game(game, seats, variant) if isinstance(game, str) else game


def match_seed(seed: int, number: int) -> int:
    """The seed of match `number` of an environment: its own for the first, then words below it of 53 bits."""
    return seed % 2**64 if number == 0 else int(spawn(seed, MATCHES, number)[0]) >> SHORT


def whole_action(game: Game, action: Any) -> int:
    """The id of an action, as libraries hand it over."""
    try:
        return operator.index(action)
    except TypeError:
        phrase = "{game}: an action is a whole number, not {action}"
        raise SpielwerkError(say(phrase, game=game.title, action=repr(action))) from None


def action_range(text: str, actions: int) -> tuple[int, int] | None:
    """The first and the last of the ids written as `0-35`, or `all` of them; None if that cannot be read."""
    if text == "all":
        return 0, actions - 1
    first, dash, last = str(text).partition("-")
    if not (dash and first.isdecimal() and last.isdecimal() and int(first) < int(last) < actions):
        return None
    return int(first), int(last)


class Task:
    """The options at one table, checked."""

    def __init__(self, game: Game, given: Mapping[str, Any]) -> None:
        self.game = game
        for name in given:
            known = [option.name for option in fields(Options)]
            if name not in known:
                raise UnknownName(say("option of an environment"), name, known)
        self.options = options = Options(**given)
        for name, allowed in CHOICES.items():
            value = getattr(options, name)
            if value not in allowed:
                self._refuse(name, value, ", ".join(allowed))
        if options.seat != ROTATING and options.seat not in range(game.seats):
            self._refuse("seat", options.seat, f"0 … {game.seats - 1}, {ROTATING}")
        if options.scale != "game" and not _is_number(options.scale, above=0.0):
            self._refuse("scale", options.scale, say("a number above 0, game"))
        if not _is_number(options.penalty):
            self._refuse("penalty", options.penalty, say("any number"))
        if not isinstance(options.ask_forced, bool | np.bool_):
            self._refuse("ask_forced", options.ask_forced, "True, False")
        if self.asked is None:
            self._refuse("actions", options.actions, f"all, 0-{game.spec.actions - 1}")

    def _refuse(self, option: str, value: Any, allowed: str) -> None:
        phrase = "environment of {game}: {option} takes one of {allowed}, not '{value}'"
        raise SpielwerkError(say(phrase, game=self.game.title, option=option, allowed=allowed, value=value))

    # --- seats -------------------------------------------------------------------------------------------------------

    @property
    def seat(self) -> int:
        return ROTATE if self.options.seat == ROTATING else int(self.options.seat)

    def seat_in(self, seed: int, number: int) -> int:
        """Where the learner sits in match `number` of an environment."""
        return (seed % 2**64 + number) % self.game.seats if self.seat == ROTATE else self.seat

    @cached_property
    def opponents(self) -> tuple[Agent, ...]:
        """The agents on the other seats, from the learner's left on."""
        given, others = self.options.opponents or RandomAgent(), self.game.seats - 1
        if isinstance(given, str):
            given = registry.agent(given)  # also where nobody sits
        each = [given] * others if isinstance(given, Agent) else list(given)
        if len(each) != others:
            phrase = "{game}: {others} other {others:seat needs one opponent|seats need as many opponents}, not {given}"
            raise SpielwerkError(say(phrase, game=self.game.title, others=others, given=len(each)))
        agents = tuple(map(registry.agent, each))
        for agent in dict.fromkeys(agents):
            agent.require(self.game)
        return agents

    def agents_from(self, seat: int) -> list[Agent]:
        """The agents of all seats if the learner sits on `seat`; on its own is who decides where it is not asked."""
        seats = self.game.seats
        around: list[Agent] = [self.otherwise, *self.opponents]
        return [around[(place - seat) % seats] for place in range(seats)]

    @cached_property
    def otherwise(self) -> Agent:
        """Who decides for the learner where it is not asked."""
        agent = registry.agent(self.options.otherwise or RandomAgent())
        agent.require(self.game)
        return agent

    @property
    def asked(self) -> tuple[int, int] | None:
        """The first and the last action that the learner chooses among; None if the option says nothing of the kind."""
        return action_range(self.options.actions, self.game.spec.actions)

    def concerns(self, legal: Sequence[int]) -> bool:
        """Whether a choice among these actions is the learner's own."""
        first, last = self.asked or (0, self.game.spec.actions - 1)
        return legal[0] <= last and legal[-1] >= first

    # --- observations and rewards ------------------------------------------------------------------------------------

    @cached_property
    def encoding(self) -> tuple[str, Encoding]:
        known, name = self.game.encodings, self.options.encoding
        if name == "auto":
            name = next(iter(known))
        if name not in known:
            raise UnknownName(say("encoding of {game}", game=self.game.spec.id), name, known)
        return name, known[name]

    @property
    def objective(self) -> str:
        wanted = self.options.objective
        return self.game.objective if wanted == "game" else wanted

    @property
    def unit(self) -> int:
        return UNITS[self.objective]

    @property
    def at_end(self) -> bool:
        """Whether rewards come at the end only; a win never comes earlier."""
        return self.options.reward == "end" or self.objective == "win"

    @property
    def scale(self) -> float:
        wanted = self.options.scale
        if wanted == "game":
            return 1.0 if self.objective == "win" else float(self.game.spec.scale)
        return float(wanted)


def _is_number(value: Any, above: float = -math.inf) -> bool:
    return isinstance(value, int | float | np.number) and math.isfinite(value) and float(value) > above
