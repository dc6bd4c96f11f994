"""Spielwerk: a workbench for game AI in which any agent plays any game."""

from spielwerk.core.agent import Agent, Budget, Decision
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game, Position, Spec, View
from spielwerk.core.match import Record, play, replay
from spielwerk.core.registry import agent, agent_names, game, game_names, register
from spielwerk.core.rng import spawn

__all__ = [
    "Agent",
    "Budget",
    "Decision",
    "Game",
    "Position",
    "Record",
    "Spec",
    "SpielwerkError",
    "View",
    "agent",
    "agent_names",
    "game",
    "game_names",
    "play",
    "register",
    "replay",
    "spawn",
]
