"""What the environments of every game must hold: the libraries' own checkers, and one trajectory for one seed."""

import io
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

import numpy as np

from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng, fraction, pick, spawn
from spielwerk.core.match import replay

KNOWN = "infinity|not a NumPy array|probably should be|having a spec"  # warnings about what is meant so
ROWS = 3


def check_environments(game: Game, seed: int = 0, steps: int = 60, **options: Any) -> None:
    """All checks of a game's environments, which take these options. Needs spielwerk[learn]."""
    check_gymnasium(game, **options)
    check_pettingzoo(game, steps)
    check_trajectories(game, seed, steps, **options)
    check_environment_records(game, seed, **options)


def check_gymnasium(game: Game, **options: Any) -> None:
    """Gymnasium's and Stable-Baselines3's `check_env` pass; there are pictures of every kind."""
    from gymnasium.utils.env_checker import check_env
    from stable_baselines3.common.env_checker import check_env as check_env_of_sb3

    from spielwerk.envs.single import GameEnv

    _quietly(lambda: check_env(GameEnv(game, **options)))
    _quietly(lambda: check_env_of_sb3(GameEnv(game, **options)))
    for mode in GameEnv.metadata["render_modes"]:
        env = GameEnv(game, render_mode=mode, **options)
        env.reset(seed=0)
        picture = env.render()
        if mode == "rgb_array":
            shape, kind = picture.shape, picture.dtype
            assert len(shape) == 3 and shape[2] == 3 and kind == np.uint8, f"{game.spec.title}: pixels are {shape}"
        else:
            assert isinstance(picture, str) and picture, f"{game.spec.title}: render_mode {mode} gives no text"


def check_pettingzoo(game: Game, steps: int = 60) -> None:
    """PettingZoo's `api_test`, `parallel_api_test`, `seed_test` and `parallel_seed_test` pass."""
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

    from spielwerk.envs.pettingzoo import GameAECEnv, GameParallelEnv

    _quietly(lambda: api_test(GameAECEnv(game), num_cycles=steps))
    _quietly(lambda: parallel_api_test(GameParallelEnv(game), num_cycles=steps))
    _quietly(lambda: seed_test(lambda: GameAECEnv(game), num_cycles=steps))
    _quietly(lambda: parallel_seed_test(lambda: GameParallelEnv(game), num_cycles=steps))


def check_trajectories(game: Game, seed: int = 0, steps: int = 60, **options: Any) -> None:
    """The vector environment goes the same way as single ones, whatever the number of threads; so does a batch that
    goes on from where it was kept."""
    from spielwerk.envs.batch import Batch
    from spielwerk.envs.single import GameEnv

    given: dict[str, Any] = {"seat": "rotate", **options}
    batch, threaded, later = (Batch(game, ROWS, seed=seed, threads=n, **given) for n in (1, 2, 1))
    singles = [GameEnv(game, **given) for _ in range(ROWS)]
    batch.reset()
    threaded.reset()
    for row, env in enumerate(singles):
        observation, info = env.reset(seed=seed + row)
        _same(game, "first observation", batch.observations[row], observation)
        _same(game, "first mask", batch.masks[row], info["action_mask"])
    rng = spawn(seed, 98)
    for step in range(steps):
        actions = np.array([_some_action(mask, rng) for mask in batch.masks])
        if step == steps // 2:
            later.restore(batch.arrays())
        for each in (batch, threaded, later) if step >= steps // 2 else (batch, threaded):
            each.step(actions)
        for row, env in enumerate(singles):
            observation, reward, ended, _, info = env.step(actions[row])
            _same(game, "reward", batch.rewards[row], reward)
            _same(game, "end", batch.ended[row], ended)
            _same(game, "legality", batch.illegal[row], info["illegal"])
            if ended:
                _same(game, "last observation", batch.final_observations[row], observation)
                _same(game, "points", batch.final_scores[row], info["points"])
                _same(game, "share of the win", batch.final_shares[row], info["win"])
                observation, info = env.reset()
            _same(game, "observation", batch.observations[row], observation)
            _same(game, "mask", batch.masks[row], info["action_mask"])
            _same(game, "seat", batch.seats[row], info["seat"])
            _same(game, "seed", batch.seeds[row], info["match_seed"])
        _same_batch(game, "with two threads", batch, threaded)
    _same_batch(game, "that was kept", batch, later)


def check_environment_records(game: Game, seed: int = 0, **options: Any) -> None:
    """A match of the environment is a record that replays; its rewards sum up to what it says."""
    from spielwerk.envs.single import GameEnv

    env = GameEnv(game, **{"objective": "points", "reward": "steps", **options})
    _, info = env.reset(seed=seed)
    rng, total, over = spawn(seed, 97), 0.0, False
    while not over:
        legal = np.flatnonzero(info["action_mask"])
        _, reward, over, _, info = env.step(legal[pick(rng, len(legal))])
        total += reward
    record = env.record()
    assert record.header.seed == seed, f"{game.spec.title}: the first match must have the seed of the environment"
    assert record.result is not None
    replay(record, game)
    if env.task.objective == "points" and not env.task.at_end:
        wanted = record.result.scores[env.seating.learner] / env.task.scale
        close = np.isclose(total, wanted, rtol=1e-4, atol=1e-3)
        assert close, f"{game.spec.title}: rewards sum up to {total}, the points are {wanted}"


def _some_action(mask: Any, rng: Rng) -> int:
    """Any legal action; now and then any at all."""
    if fraction(rng) < 0.1:
        return pick(rng, len(mask))
    legal = np.flatnonzero(mask)
    return int(legal[pick(rng, len(legal))])


def _same(game: Game, what: str, batch: Any, single: Any) -> None:
    equal = np.array_equal(np.asarray(batch), np.asarray(single))
    assert equal, f"{game.spec.title}: {what} of the batch {batch} differs from that of the single environment {single}"


def _same_batch(game: Game, which: str, batch: Any, other: Any) -> None:
    for name in ("observations", "masks", "rewards", "ended"):
        equal = np.array_equal(getattr(batch, name), getattr(other, name))
        assert equal, f"{game.spec.title}: {name} of a batch {which} differ"


def _quietly(check: Callable[[], Any]) -> None:
    """Run somebody else's checker: what it prints is left out, what it warns of is an error, but for what is meant."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", f".*({KNOWN})")
        check()
