"""Spielwerk: a workbench for game AI in which any agent plays any game."""

from typing import TYPE_CHECKING, Any

from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget, Limit
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game, Position, Spec, View
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.match import Record, play, replay
from spielwerk.core.registry import agent, agent_names, game, game_names, register

if TYPE_CHECKING:
    from spielwerk.arena.certainty import certainty
    from spielwerk.arena.evaluate import evaluate
    from spielwerk.arena.store import Store
    from spielwerk.arena.tournament import tournament

_ARENA = {"certainty": "certainty", "evaluate": "evaluate", "tournament": "tournament", "Store": "store"}


def __getattr__(name: str) -> Any:
    """The arena is loaded when it is asked for: playing a match needs none of it."""
    if name in _ARENA:
        from importlib import import_module

        return getattr(import_module(f"spielwerk.arena.{_ARENA[name]}"), name)
    raise AttributeError(f"module 'spielwerk' has no attribute '{name}'")


__all__ = [
    "Agent",
    "Budget",
    "Decision",
    "Game",
    "Limit",
    "Position",
    "Record",
    "Spec",
    "SpielwerkError",
    "Store",
    "View",
    "agent",
    "agent_names",
    "certainty",
    "evaluate",
    "game",
    "game_names",
    "play",
    "register",
    "replay",
    "spawn",
    "tournament",
]
