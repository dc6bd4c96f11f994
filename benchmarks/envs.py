"""Steps per second of environments with random legal actions, observations and masks included, on one core.

    python benchmarks/envs.py

2048: our compiled vector environment, pgx (jit and vmap), the package gymnasium-2048, and Gymnasium's SyncVectorEnv over
our single environment, by turns in one run, each with the best of several numbers of matches. Where a library can, it is
measured twice: with actions chosen in compiled code, and by NumPy from the masks that it gave. Then our own figures for
other games, with random opponents. Needs spielwerk[learn], pgx, jax and gymnasium-2048 (these three: pip install).
"""

import os

CORE = min(os.sched_getaffinity(0))
os.sched_setaffinity(0, {CORE})  # before jax starts its threads

import time  # noqa: E402
from collections.abc import Callable  # noqa: E402
from statistics import median  # noqa: E402
from typing import Any  # noqa: E402

import gymnasium  # noqa: E402
import numpy as np  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

import spielwerk.bridges as bridges  # noqa: E402

ROUNDS, SECONDS, TRIAL = 7, 0.7, 0.3
Run = Callable[[float], float]  # seconds -> steps per second


def timed(step: Callable[[], int]) -> Run:
    """Call `step`, which says how many steps it made, for some seconds."""

    def run(seconds: float) -> float:
        done, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            done += step()
        return done / (time.perf_counter() - began)

    step()
    return run


def any_legal(masks: Any, generator: np.random.Generator) -> Any:
    """A random legal action per row, by NumPy."""
    return (generator.random(masks.shape, np.float32) * masks).argmax(axis=1)


# --- ours ------------------------------------------------------------------------------------------------------------


def compiled(game: str, count: int) -> Run:
    batch = bridges.Batch(game, count)
    batch.reset()

    def step() -> int:
        batch.step(batch.random_actions())
        return count

    return timed(step)


def from_python(game: str, count: int) -> Run:
    env, generator = bridges.GameVectorEnv(game, count), np.random.default_rng(1)
    _, infos = env.reset(seed=1)

    def step() -> int:
        nonlocal infos
        infos = env.step(any_legal(infos["action_mask"], generator))[4]
        return count

    return timed(step)


def sync_vector(count: int) -> Run:
    made = [lambda: bridges.GameEnv("2048")] * count
    env: Any = gymnasium.vector.SyncVectorEnv(made, autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP)
    generator = np.random.default_rng(1)
    _, infos = env.reset(seed=1)

    def step() -> int:
        nonlocal infos
        infos = env.step(any_legal(infos["action_mask"], generator))[4]
        return count

    return timed(step)


# --- others ----------------------------------------------------------------------------------------------------------


def pgx_parts(count: int) -> tuple[Any, Any, Any]:
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("2048")
    init, step = jax.jit(jax.vmap(env.init)), jax.vmap(auto_reset(env.step, env.init))

    def play(state: Any, key: Any, actions: Any) -> tuple[Any, Any]:
        key, own = jax.random.split(key)
        return step(state, actions, jax.random.split(own, count)), key

    return init(jax.random.split(jax.random.PRNGKey(0), count)), jax.random.PRNGKey(1), play


def pgx_compiled(count: int, at_once: int) -> Run:
    """`at_once` steps in one call of compiled code, each with its observations."""
    import jax
    import jax.numpy as jnp

    state, key, play = pgx_parts(count)

    def one(carried: Any, _: Any) -> tuple[Any, Any]:
        state, key = carried
        key, own = jax.random.split(key)
        actions = jax.random.categorical(own, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=-1)
        return play(state, key, actions), None

    many = jax.jit(lambda state, key: jax.lax.scan(one, (state, key), None, length=at_once)[0])

    def step() -> int:
        nonlocal state, key
        state, key = many(state, key)
        state.observation.block_until_ready()
        return count * at_once

    return timed(step)


def pgx_from_python(count: int) -> Run:
    import jax

    state, key, play = pgx_parts(count)
    generator, one = np.random.default_rng(1), jax.jit(play)

    def step() -> int:
        nonlocal state, key
        state, key = one(state, key, any_legal(np.asarray(state.legal_action_mask), generator))
        np.asarray(state.observation)
        return count

    return timed(step)


def gymnasium_2048(_: int) -> Run:
    """It gives no masks and ignores illegal actions, so that any of the four is played."""
    import gymnasium_2048  # noqa: F401

    env: Any = gymnasium.make("gymnasium_2048/TwentyFortyEight-v0").unwrapped
    generator = np.random.default_rng(1)
    env.reset(seed=1)

    def step() -> int:
        for action in generator.integers(4, size=100):
            if env.step(action)[2]:
                env.reset()
        return 100

    return timed(step)


# --- tables ----------------------------------------------------------------------------------------------------------


def best_of(kind: Callable[[int], Run], counts: tuple[int, ...]) -> tuple[int, Run]:
    """The number of matches with which a kind is fastest."""
    runs = {count: kind(count) for count in counts}
    rates = {count: run(TRIAL) for count, run in runs.items()}
    best = max(rates, key=rates.__getitem__)
    return best, runs[best]


def compare(console: Console) -> None:
    large = (64, 256, 1024, 4096)
    kinds: dict[str, tuple[Callable[[int], Run], tuple[int, ...]]] = {
        "spielwerk, actions chosen in compiled code": (lambda count: compiled("2048", count), large),
        "spielwerk, GameVectorEnv, actions by NumPy": (lambda count: from_python("2048", count), large),
        "pgx, 1 step per call": (lambda count: pgx_compiled(count, 1), large),
        "pgx, 64 steps per call": (lambda count: pgx_compiled(count, 64), large),
        "pgx, actions by NumPy": (pgx_from_python, large),
        "gymnasium-2048": (gymnasium_2048, (1,)),
        "SyncVectorEnv over GameEnv": (sync_vector, (1, 16, 64)),
    }
    runs = {name: best_of(*kind) for name, kind in kinds.items()}
    rates: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(ROUNDS):
        for name, (_, run) in runs.items():
            rates[name].append(run(SECONDS))
    middle = {name: median(found) for name, found in rates.items()}
    rival = max(rate for name, rate in middle.items() if not name.startswith("spielwerk"))
    table = Table("2048, one core", "matches", "steps/s (median)", "lowest", "highest", "of the best rival")
    for name, found in rates.items():
        row = [f"{value:,.0f}" for value in (middle[name], min(found), max(found))]
        table.add_row(name, f"{runs[name][0]}", *row, f"{middle[name] / rival:.2f}")
    console.print(table)


def own_figures(console: Console) -> None:
    table = Table("one core, 1024 matches", "observation", "actions", "compiled, steps/s", "GameVectorEnv, steps/s")
    for game in ("2048", "qwixx", "jass"):
        batch = bridges.Batch(game, 1)
        pair = compiled(game, 1024), from_python(game, 1024)
        rates = [median(run(SECONDS) for _ in range(ROUNDS)) for run in pair]
        table.add_row(game, f"{batch.size}", f"{batch.actions}", *(f"{rate:,.0f}" for rate in rates))
    console.print(table)


if __name__ == "__main__":
    console = Console(width=120)
    compare(console)
    own_figures(console)
