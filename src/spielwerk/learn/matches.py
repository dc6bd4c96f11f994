"""Matches as a vector environment for Q-learners, with opponents that may be the learner itself as it was before."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from numpy.typing import NDArray

from spielwerk.agents.blunder import Blunder
from spielwerk.core import registry
from spielwerk.core.agent import Agent, as_option
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.models import read_arrays, write_arrays
from spielwerk.core.ranges import SHARE, Range
from spielwerk.learn.netlearner import UNIT_OF_OBJECTIVE
from spielwerk.learn.run import Limits, RunFolder
from spielwerk.learn.stepping import require_gymnasium
from spielwerk.learn.words import say
from spielwerk.nets.description import Unit

if TYPE_CHECKING:
    from spielwerk.envs.vector import GameVectorEnv

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class MatchOptions:
    """How the matches are played that are learned from."""

    opponents: Annotated[Agent | None, "agent on the other seats; none = the learner itself"] = None
    seat: Annotated[int | None, Range(0, 63), "seat that learns, from 0 on; none = every seat in turn"] = None
    objective: Annotated[
        Literal["game", "points", "margin", "win"], "what rewards count; game = what the game says"
    ] = "game"
    reward: Annotated[
        Literal["auto", "steps", "end"], "when rewards come; auto = at the end for win, else as points come"
    ] = "auto"

    def unit(self, game: Game) -> Unit:
        """What values are counted in."""
        return UNIT_OF_OBJECTIVE[game.objective if self.objective == "game" else self.objective]

    def opponents_problem(self, game: Game) -> str | None:
        """Why matches cannot be played like that; None if they can."""
        try:
            require_gymnasium()
            if self.opponents is not None and game.seats > 1:
                self.opponents.require(game)
        except SpielwerkError as problem:
            return str(problem)
        if self.seat is not None and self.seat >= game.seats:
            return say("there is no seat {seat}; seats go from 0 to {last}", seat=self.seat, last=game.seats - 1)
        return None


@dataclass(frozen=True)
class SelfPlayOptions(MatchOptions):
    """The same where opponents that are the learner itself are those of some time ago."""

    self_every: Annotated[int, Range(1, 10**9), "steps after which the learner's opponents are what it is then"] = (
        20_000
    )
    self_blunders: Annotated[float, SHARE, "share of random actions of opponents that are the learner itself"] = 0.2


class Matches:
    """The vector environment of a run. `kind` is the agent that plays what is learned."""

    def __init__(
        self, game: Game, options: SelfPlayOptions, encoding: str, envs: int, kind: str, run: RunFolder, limits: Limits
    ) -> None:
        self.game, self.options, self.encoding, self.count, self.kind = game, options, encoding, envs, kind
        self.file, self.limits = run.path / "opponent.npz", limits
        self.itself = options.opponents is None and game.seats > 1
        self.env: GameVectorEnv

    def begin(self, learned: Arrays) -> None:
        """Set up the tables; who learns plays on the other seats as `learned` says, if it is to play there."""
        from spielwerk.envs.vector import GameVectorEnv

        opponents = self.options.opponents or registry.agent("random")
        if self.itself:
            write_arrays(self.file, learned)
            opponents = Blunder(registry.agent(f"{self.kind}:model={as_option(self.file)}"), self.options.self_blunders)
        self.env = GameVectorEnv(
            self.game,
            self.count,
            threads=self.limits.threads,
            opponents=opponents,
            seat="rotate" if self.options.seat is None else self.options.seat,
            encoding=self.encoding,
            objective=self.options.objective,
            reward=self.options.reward,
            ask_forced=False,
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that is needed to go on later exactly here."""
        kept = {f"env/{name}": array for name, array in self.env.batch.arrays().items()}
        opponent = read_arrays(self.file) if self.itself else {}
        return kept | {f"opponent/{name}": array for name, array in opponent.items()}

    def restore(self, kept: Arrays) -> None:
        self.begin(_below("opponent/", kept))
        self.env.reset()
        self.env.batch.restore(_below("env/", kept))

    def refresh(self, learned: Arrays) -> "GameVectorEnv":
        """The same matches go on, against the learner as it is now."""
        kept = self.env.batch.arrays()
        self.env.close()
        self.begin(learned)
        self.env.reset()
        self.env.batch.restore(kept)
        return self.env


def _below(prefix: str, kept: Arrays) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(prefix): array for name, array in kept.items() if name.startswith(prefix)}
