"""Bridges to other people's software: environments for learners, and foreign protocols.

Importing this registers every game with Gymnasium, if that is installed: `gymnasium.make("spielwerk/2048-v0")`, and
`gymnasium.make_vec` for the compiled vector environment; and `spielwerk/clever-thesis-v0` (see `clever_thesis`). The
classes are here, too, each loaded when it is asked for: `GameEnv`, `GameVectorEnv`, `GameVecEnv` (Stable-Baselines3),
`GameAECEnv` and `GameParallelEnv` (PettingZoo), `Batch` and `Mirror`.

A foreign protocol is a server that foreign bots attach to, and a client that seats our agents elsewhere. It is found
by the id of its game in the entry point group `spielwerk.bridges`. It names two classes of options, each a frozen
dataclass whose fields are the options of `spielwerk host GAME` and `spielwerk join GAME`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any, ClassVar, NamedTuple

from spielwerk.core.agent import Configured
from spielwerk.core.errors import SpielwerkError, UnknownName

_LATER = {
    "Batch": "batch",
    "GameAECEnv": "pettingzoo",
    "GameEnv": "single",
    "GameParallelEnv": "pettingzoo",
    "GameVecEnv": "sb3",
    "GameVectorEnv": "vector",
    "Mirror": "selfplay",
    "register_environments": "registering",
}

__all__ = ["Bridge", "Hosting", "Joining", "bridge", "bridged"]
if find_spec("gymnasium") is not None:
    __all__ += _LATER

Report = Callable[[str], None]


@dataclass(frozen=True)
class Hosting(Configured, ABC):
    """A server and its options."""

    example: ClassVar[str] = ""  # a command that starts one

    @abstractmethod
    def run(self, report: Report) -> None:
        """Serve until stopped; `report` gets one line per thing that people want to know."""


@dataclass(frozen=True)
class Joining(Configured, ABC):
    """A client and its options."""

    example: ClassVar[str] = ""  # a command that starts one

    @abstractmethod
    def run(self, report: Report) -> dict[str, Any]:
        """Play until the server closes; returns what came of it."""


class Bridge(NamedTuple):
    host: type[Hosting]
    join: type[Joining]


def bridged() -> list[str]:
    """The games that have a bridge."""
    return sorted({point.name for point in entry_points(group="spielwerk.bridges")})


def bridge(game: str) -> Bridge:
    """The bridge of a game."""
    points = {point.name: point for point in entry_points(group="spielwerk.bridges")}
    if game not in points:
        raise UnknownName("game with a server protocol", game, points)
    try:
        found: Bridge = points[game].load()
    except ImportError as problem:
        raise SpielwerkError(
            f"the bridge of {game} needs a package that is not installed ({problem}): pip install spielwerk[bridges]"
        ) from problem
    return found


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'spielwerk.bridges' has no attribute '{name}'")
    try:
        return getattr(import_module(f"spielwerk.envs.{_LATER[name]}"), name)
    except ModuleNotFoundError as problem:
        raise SpielwerkError(
            f"{name} needs a package that is not installed ({problem.name}): pip install 'spielwerk[learn]'"
        ) from problem


def _register_environments() -> None:
    import gymnasium

    __getattr__("register_environments")()
    entry_point = "spielwerk.bridges.clever_thesis:CleverThesisEnv"
    gymnasium.register("spielwerk/clever-thesis-v0", entry_point=entry_point)


if find_spec("gymnasium") is not None:
    _register_environments()
