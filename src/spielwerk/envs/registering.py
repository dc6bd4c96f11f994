"""Gymnasium's registry: every game is `spielwerk/<id>-v0` there."""

import gymnasium

from spielwerk.core import registry

NAMESPACE = "spielwerk"


def environment_id(game: str) -> str:
    return f"{NAMESPACE}/{game}-v0"


def register_environments() -> list[str]:
    """Register every game that can be played, ours and third parties'; returns the ids. Call it again after
    `spielwerk.register`."""
    ids = []
    for name in registry.game_names():
        ids.append(environment_id(name))
        if ids[-1] not in gymnasium.registry:
            gymnasium.register(
                ids[-1],
                entry_point="spielwerk.envs.single:GameEnv",
                vector_entry_point="spielwerk.envs.vector:GameVectorEnv",
                kwargs={"game": name},
            )
    return ids
