"""The kernel contract under its public name: what a game supplies, and what a search or a policy may call.

A game's rules define functions of these names. A search for every game imports them from here, one by one
(`from spielwerk.contract import actors, legal`), and `specialise` puts the game's functions in their place.
"""

from spielwerk.core.kernel.contract import (
    Leaf,
    Room,
    Scratch,
    actors,
    apply,
    cells,
    chance,
    evaluate,
    features,
    happen,
    hide,
    imagine,
    key,
    legal,
    outcomes,
    policy,
    result,
    score,
    start,
    team,
    worth,
)

__all__ = [
    "Leaf",
    "Room",
    "Scratch",
    "actors",
    "apply",
    "cells",
    "chance",
    "evaluate",
    "features",
    "happen",
    "hide",
    "imagine",
    "key",
    "legal",
    "outcomes",
    "policy",
    "result",
    "score",
    "start",
    "team",
    "worth",
]
