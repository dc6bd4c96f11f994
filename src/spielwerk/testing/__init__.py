"""The conformance suite: what every game and every agent must hold, as functions that anybody can call in a test.

    from spielwerk import testing
    testing.check_game(MyGame(), seed=1)
    testing.check_agent(my_agent, MyGame(), seed=1)

Every function raises AssertionError with the position drawn above the reason. `check_game` runs all checks of a game,
`check_agent` all checks of an agent but `check_match`. `check_environments` runs the checkers of Gymnasium, PettingZoo
and Stable-Baselines3 on a game, and needs these libraries (`spielwerk[learn]`).
"""

from spielwerk.core.kernel.rng import pick
from spielwerk.testing.agents import check_agent, check_blind, check_decisions, check_match, check_policy, check_time
from spielwerk.testing.bounds import check_bounds
from spielwerk.testing.environments import (
    check_environment_records,
    check_environments,
    check_gymnasium,
    check_pettingzoo,
    check_trajectories,
)
from spielwerk.testing.games import (
    check_features,
    check_game,
    check_interpreted,
    check_outcomes,
    check_records,
    check_rules,
    check_spec,
    walk_digest,
)
from spielwerk.testing.hidden import check_few_worlds, check_hidden, check_hides, check_imagination, check_views
from spielwerk.testing.moments import check_moments
from spielwerk.testing.pictures import check_pictures, check_pieces, piece_names
from spielwerk.testing.profiles import check_profile
from spielwerk.testing.walks import must, random_walk
from spielwerk.testing.words import check_catalogues, check_words, phrases_in, spoken_facts, spoken_match

__all__ = [
    "check_agent",
    "check_blind",
    "check_bounds",
    "check_catalogues",
    "check_decisions",
    "check_environment_records",
    "check_environments",
    "check_features",
    "check_few_worlds",
    "check_game",
    "check_gymnasium",
    "check_hidden",
    "check_hides",
    "check_imagination",
    "check_interpreted",
    "check_match",
    "check_moments",
    "check_outcomes",
    "check_pettingzoo",
    "check_pictures",
    "check_pieces",
    "check_policy",
    "check_profile",
    "check_records",
    "check_rules",
    "check_spec",
    "check_time",
    "check_trajectories",
    "check_views",
    "check_words",
    "must",
    "phrases_in",
    "pick",
    "piece_names",
    "random_walk",
    "spoken_facts",
    "spoken_match",
    "walk_digest",
]
