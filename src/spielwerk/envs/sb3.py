"""GameVecEnv: many matches of a game as Stable-Baselines3's `VecEnv`, advanced in one compiled call.

`env_method("action_masks")` is the whole array of masks, as sb3-contrib's MaskablePPO asks for it.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from spielwerk.core.game import Game
from spielwerk.envs.batch import Batch
from spielwerk.envs.spaces import action_space, observation_space
from spielwerk.envs.task import table


class GameVecEnv(VecEnv):
    """`num_envs` matches of a learner. The options are those of `task.Options`."""

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        *,
        seed: int = 0,
        seats: int | None = None,
        variant: str | None = None,
        threads: int = 1,
        **options: Any,
    ) -> None:
        self.batch = Batch(table(game, seats, variant), num_envs, seed=seed, threads=threads, **options)
        self._actions = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, observation_space(self.batch.size), action_space(self.batch.game))

    def reset(self) -> NDArray[np.float32]:
        """Begin a match in every row: the first of a new seed if `seed` was called, or else the next one."""
        seeds = None if self._seeds[0] is None else [int(seed or 0) for seed in self._seeds]
        self.batch.reset(seeds)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self.batch.observations.copy()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        batch = self.batch
        batch.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(batch.illegal):
            infos[row]["illegal"] = True
        for row in np.flatnonzero(batch.ended):
            infos[row] |= {
                "terminal_observation": batch.final_observations[row].copy(),
                "TimeLimit.truncated": False,
                "points": batch.final_scores[row].tolist(),
                "win": float(batch.final_shares[row]),
                "match_seed": int(batch.final_seeds[row]),
                "seat": int(batch.final_seats[row]),
            }
        return batch.observations.copy(), batch.rewards.copy(), batch.ended.copy(), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """[num_envs, actions] what may be done in every row."""
        return self.batch.masks.copy()

    def close(self) -> None:
        self.batch.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The rows are no objects of their own: an attribute is the batch's, the same for all of them."""
        value = None if attr_name == "render_mode" else self._found(attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> Any:
        """The masks of the rows as one array; other methods are called once, for all rows."""
        if method_name == "action_masks":
            masks = self.action_masks()
            return masks if indices is None else masks[list(self._get_indices(indices))]
        answer = self._found(method_name)(*method_args, **method_kwargs)
        return [answer for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        return [None] * self.num_envs

    def _found(self, name: str) -> Any:
        return getattr(self if name == "action_masks" else self.batch, name)
