"""The spaces of Gymnasium that every environment of a game has."""

import numpy as np
from gymnasium import spaces

from spielwerk.core.game import Game


def observation_space(size: int) -> spaces.Box:
    return spaces.Box(-np.inf, np.inf, (size,), np.float32)


def action_space(game: Game) -> "spaces.Discrete":
    return spaces.Discrete(game.spec.actions)
