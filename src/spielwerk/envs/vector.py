"""GameVectorEnv: many matches of a game as Gymnasium's `VectorEnv`, advanced in one compiled call.

Row i of an environment with seed s has the same trajectory as `GameEnv` with seed s + i, the same options and the same
actions. A match that ends begins anew within the same step (`AutoresetMode.SAME_STEP`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.envs.batch import Batch
from spielwerk.envs.spaces import action_space, observation_space
from spielwerk.envs.task import table
from spielwerk.envs.words import say

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]


class GameVectorEnv(VectorEnv[Floats, NDArray[np.int64], NDArray[Any]]):
    """`num_envs` matches of a learner. The options are those of `task.Options`.

    With `copy=False` observations and masks are those of the batch, which the next step overwrites.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        *,
        seats: int | None = None,
        variant: str | None = None,
        threads: int = 1,
        copy: bool = True,
        render_mode: None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None:
            raise SpielwerkError(say("many matches at once are not drawn; take GameEnv, or gymnasium.make"))
        self.batch = Batch(table(game, seats, variant), num_envs, threads=threads, **options)
        self.num_envs, self.copy = num_envs, copy
        self.metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_observation_space: spaces.Space[Any] = observation_space(self.batch.size)
        self.single_action_space: spaces.Space[Any] = action_space(self.batch.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seeded = False
        self._everybody = np.ones(num_envs, np.bool_)  # the rows that have an info
        self._everybody.flags.writeable = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin a match in every row: the first of a new seed, or else the next one."""
        if seed is None and not self._seeded:
            seed = int(np.random.default_rng().integers(2**31))
        if isinstance(seed, Sequence) and all(each is None for each in seed):
            seed = None
        self._seeded = True
        if self.copy:
            self.batch.renew()
        self.batch.reset(seed if seed is None or isinstance(seed, int) else _whole(seed))
        return self.batch.observations, self._infos()

    def step(self, actions: NDArray[np.int64]) -> tuple[Floats, Floats, Flags, Flags, dict[str, Any]]:
        batch = self.batch
        if self.copy:
            batch.renew()
        batch.step(actions)
        infos = self._infos()
        ended = batch.ended.copy()
        infos["illegal"], infos["_illegal"] = batch.illegal.copy(), self._everybody
        if ended.any():
            infos |= self._final(ended)
        return batch.observations, batch.rewards.copy(), ended, np.zeros(self.num_envs, np.bool_), infos

    def action_masks(self) -> Flags:
        """[num_envs, actions] what may be done in every row."""
        return self._mine(self.batch.masks)

    def close_extras(self, **kwargs: Any) -> None:
        self.batch.close()

    def _mine(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self.copy else array

    def _infos(self) -> dict[str, Any]:
        everybody = self._everybody
        masks = self._mine(self.batch.masks).view(np.int8)
        return {
            "action_mask": masks,
            "_action_mask": everybody,
            "seat": self.batch.seats.copy(),
            "_seat": everybody,
            "match_seed": self.batch.seeds.copy(),
            "_match_seed": everybody,
        }

    def _final(self, ended: Flags) -> dict[str, Any]:
        """What Gymnasium wants to know of matches that ended."""
        batch = self.batch
        observations = np.full(self.num_envs, None, object)
        rows = np.flatnonzero(ended)
        for row, observation in zip(rows, batch.final_observations[rows], strict=True):
            observations[row] = observation
        found = {
            "action_mask": np.zeros((self.num_envs, batch.actions), np.int8),
            "seat": batch.final_seats.copy(),
            "match_seed": batch.final_seeds.copy(),
            "illegal": batch.illegal.copy(),
            "points": batch.final_scores.copy(),
            "win": batch.final_shares.copy(),
        }
        final = found | {f"_{key}": ended for key in found}
        return {"final_obs": observations, "_final_obs": ended, "final_info": final, "_final_info": ended}


def _whole(seeds: Sequence[int | None]) -> list[int]:
    """Seeds for all rows, drawn where none is given."""
    rng = spawn(int(np.random.default_rng().integers(2**31)))
    return [pick(rng, 2**31 - 1) if seed is None else int(seed) for seed in seeds]
