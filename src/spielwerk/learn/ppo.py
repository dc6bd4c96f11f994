"""ppo: proximal policy optimisation (Schulman et al. 2017) with masked actions (Huang and Ontañón 2020).

The algorithm is MaskablePPO of sb3-contrib, with all its options under its own names. The matches come from the
compiled batch, and the network is one of our format: what was learned plays without torch, any layers can be used, and
what another learner made can go on learning (`warm_start`). The value head counts what rewards count.

Rates may change in the course of a run (see `schedule`): phases of a run are written `ent_coef=0.02@0.6/0.0`.

A run that is killed goes on as if it had not been: checkpoints hold the matches in the middle of which it was, and
every update draws from a stream of its own.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.ranges import SHARE, Range
from spielwerk.envs.selfplay import Mirror
from spielwerk.learn.netlearner import (
    Arrays,
    NetRun,
    begun_with,
    device_of,
    restore_training,
    torch_threads,
    training_arrays,
)
from spielwerk.learn.playing import Course, PlayingLearner, first_seed, update_seed
from spielwerk.learn.run import Limits, Report, RunFolder
from spielwerk.learn.schedule import Schedule, schedule
from spielwerk.learn.words import say
from spielwerk.nets.description import Description, Head
from spielwerk.nets.network import Network, fresh, load_network

FIGURES = ("loss", "policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction",
           "explained_variance")  # fmt: skip


@dataclass(frozen=True)
class Ppo(PlayingLearner):
    """Proximal policy optimisation with masked actions: MaskablePPO of sb3-contrib over compiled matches."""

    name: ClassVar[str] = "ppo"
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "thesis": {  # Schubert (2023): three stages, in each entropy first and then none
            "encoding": "thesis", "network": "1024-1024-1024-1024-1024", "steps": "16650000", "envs": "32",
            "n_steps": "64", "batch_size": "128", "n_epochs": "5", "learning_rate": "6e-4", "gamma": "1",
            "clip_range": "0.2", "reward_scale": "1",
            "ent_coef": "0.1@0.13333/0@0.2/0.1@0.46667/0@0.6/0.1@0.86667/0",
        },
        "thesis-small": {
            "encoding": "standard", "network": "256-256", "steps": "6000000", "envs": "256", "n_steps": "64",
            "batch_size": "2048", "n_epochs": "4", "learning_rate": "5e-4..0", "gamma": "1", "ent_coef": "0.02..0",
        },
    }  # fmt: skip

    steps: Annotated[int, Range(1, 1e12), "decisions to learn from"] = 2_000_000
    illegal: Annotated[
        Literal["mask", "end", "penalty"],
        "mask = illegal actions cannot be chosen; end = they end the match, penalty = nothing happens, both at a cost",
    ] = "mask"
    penalty: Annotated[float, Range(0, 1e9), "what an illegal action costs, in rewards"] = 1.0
    n_steps: Annotated[int, Range(1, 1_000_000), "decisions of every match between two updates"] = 64
    batch_size: Annotated[int, Range(2, 100_000_000), "decisions per step of the optimiser"] = 2048
    n_epochs: Annotated[int, Range(1, 1000), "how often an update goes through what was played"] = 4
    learning_rate: Annotated[str, "step width of the optimiser: a number, a line or phases"] = "5e-4..0"  # type: ignore[assignment]
    gamma: Annotated[float, SHARE, "what a reward of the next decision counts"] = 0.995
    gae_lambda: Annotated[float, SHARE, "lambda of the advantages: 0 = by the next value, 1 = by the whole match"] = (
        0.95
    )
    clip_range: Annotated[str, "how far an update may change probabilities: a number, a line or phases"] = "0.2"
    clip_range_vf: Annotated[str | None, "how far an update may change values; none = as far as it likes"] = None
    normalize_advantage: Annotated[bool, "whether advantages are normalised in every batch"] = True
    ent_coef: Annotated[str, "weight of the entropy: a number, a line or phases"] = "0.01..0"
    vf_coef: Annotated[float, Range(0, 1000), "weight of the values"] = 0.5
    max_grad_norm: Annotated[float, Range(1e-9, 1e9), "longest gradient"] = 0.5
    target_kl: Annotated[float | None, Range(1e-9, 1000), "end an update at this change; none = never"] = None
    shared: Annotated[bool, "whether values share the hidden layers of the policy; no = they have their own"] = False

    sharpen: Annotated[
        float,
        Range(1e-3, 1e3),
        "what the answers of the policy of warm_start are multiplied by: above 1 it draws its best action more often",
    ] = 1.0

    def why_not(self, game: Game) -> str | None:
        try:
            _require_contrib()
            self.schedules()
        except SpielwerkError as problem:
            return str(problem)
        found = super().why_not(game)
        if found is None and self.warm_start is not None and self.network != type(self).network:
            known = load_network(game, self.warm_start)
            if self.hidden_layers() not in (known.description.layers, known.head("policy").layers):
                return say("with warm_start the network is that one; leave network out")
        if self.envs * self.n_steps % self.batch_size == 1:  # one advantage has no spread
            return say("envs * n_steps leaves one decision for the last batch; take another batch_size")
        return found

    def environment(self, game: Game, network: Network, mirror: Mirror | None) -> dict[str, Any]:
        illegal = {"illegal": "random" if self.illegal == "mask" else self.illegal, "penalty": self.penalty}
        return super().environment(game, network, mirror) | illegal

    def schedules(self) -> dict[str, Schedule]:
        """The options that may change in the course of a run."""
        ranges = {"learning_rate": (0.0, 100.0), "clip_range": (1e-9, 1000.0), "ent_coef": (0.0, 1000.0)}
        if self.clip_range_vf is not None:
            ranges["clip_range_vf"] = (1e-9, 1e9)
        return {name: schedule(name, str(getattr(self, name)), *ends) for name, ends in ranges.items()}

    def first_for(self, game: Game, seed: int) -> Network:
        """A fresh network; or the policy of `warm_start`, and its values if they mean the same: the points that are
        still to come, or the chance to win."""
        value = Head(1, unit=self.unit(game), scale=self.scale_of(game))
        if self.warm_start is None:
            hidden, policy = self.hidden_layers(), Head(game.spec.actions)
            if self.shared:
                return fresh(self.describe(game, {"policy": policy, "value": value}), seed)
            separate = {"policy": _above(hidden, policy), "value": _above(hidden, value)}
            return fresh(replace(self, network="linear").describe(game, separate), seed)
        known = load_network(game, self.warm_start)
        made, policy = known.description, known.head("policy")
        factors = {f"policy.{len(policy.layers)}.": self.sharpen}  # of the last layer of each head
        old = made.heads.get("value")
        same = old is not None and old.unit == value.unit and made.judges == "positions"
        same &= value.unit == "win" or self.reward != "end"
        if old is not None and same:
            if value.unit != "win":  # other points may count as 1
                factors[f"value.{len(old.layers)}."] = old.scale / value.scale
            value = _above(old.layers, value)
        heads: Mapping[Any, Head] = {"policy": policy, "value": value}
        description = Description(made.game, made.encoding, made.inputs, heads, made.layers, seats=game.seats)
        arrays = fresh(description, seed).arrays
        for name, array in known.arrays.items():
            if same or not name.startswith("value."):
                arrays[name] = array
        for name in arrays:
            for layer, factor in factors.items():
                if name.startswith(layer):
                    arrays[name] = arrays[name] * np.float32(factor)
        return Network(description, arrays)

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        with torch_threads(self.torch_threads), closing(NetRun(self, game, run, limits)) as net_run:
            Training(self, game, net_run, limits).go_on(report)


class Training:
    """A run of ppo, from its newest checkpoint on."""

    def __init__(self, learner: Ppo, game: Game, run: NetRun, limits: Limits) -> None:
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.logger import Logger

        from spielwerk.envs.sb3 import GameVecEnv
        from spielwerk.learn.ppo_policy import NetworkPolicy

        self.learner, self.game, self.run, self.limits = learner, game, run, limits
        self.rates = rates = learner.schedules()
        network = begun_with(run.folder, lambda: learner.first_for(game, limits.seed))
        self.mirror = learner.mirror(game, network)
        env = GameVecEnv(
            game,
            learner.envs,
            seed=first_seed(limits),
            threads=limits.threads,
            **learner.environment(game, network, self.mirror),
        )
        self.batch = env.batch
        clip_values = rates.get("clip_range_vf")
        self.model = MaskablePPO(
            NetworkPolicy,
            env,
            learning_rate=_of_rest(rates["learning_rate"]),
            n_steps=learner.n_steps,
            batch_size=learner.batch_size,
            n_epochs=learner.n_epochs,
            gamma=learner.gamma,
            gae_lambda=learner.gae_lambda,
            clip_range=_of_rest(rates["clip_range"]),
            clip_range_vf=None if clip_values is None else _of_rest(clip_values),
            normalize_advantage=learner.normalize_advantage,
            vf_coef=learner.vf_coef,
            max_grad_norm=learner.max_grad_norm,
            target_kl=learner.target_kl,
            policy_kwargs={"network": network},
            device=device_of(limits.device),
        )
        self.model.set_logger(Logger(None, []))
        _, self.callback = self.model._setup_learn(learner.steps, None)
        run.counters = {"step": 0, "updates": 0}
        kept = run.restore()
        if kept is not None:
            self.restore(kept)

    # --- the loop ----------------------------------------------------------------------------------------------------

    def go_on(self, report: Report) -> None:
        course = Course(self.run, self.learner.steps, self.learner.tests, self.arrays, lambda: self.network, report)
        with closing(self.batch):
            while course.goes_on:
                self.update(course.done)
                self.run.counters["updates"] += 1
                course.advance(self.model.num_timesteps - course.step, **self.figures())
            course.end()

    def update(self, done: float) -> None:
        """Play some decisions of every match, and learn from them."""
        import torch

        learner, model = self.learner, self.model
        seed = update_seed(self.limits, self.run.counters["updates"])
        torch.manual_seed(seed)
        np.random.seed(seed)  # the batches of MaskablePPO
        if self.mirror is not None:
            self.mirror.refresh(self.network)
        model.ent_coef = self.rates["ent_coef"].at(done)
        model._update_current_progress_remaining(model.num_timesteps, learner.steps)
        try:
            assert model.env is not None
            masking = learner.illegal == "mask"
            model.collect_rollouts(model.env, self.callback, model.rollout_buffer, model.n_steps, masking)
            model.train()
        except ValueError:  # of a distribution whose logits are none
            if self.finite:
                raise
        self.run.require_finite(0.0 if self.finite else np.nan)

    @property
    def finite(self) -> bool:
        import torch

        return all(bool(torch.isfinite(array).all()) for array in self.model.policy.parameters())

    @property
    def network(self) -> Network:
        found: Network = self.model.policy.module.network()  # type: ignore[union-attr, operator]
        return found

    def figures(self) -> dict[str, float]:
        """What the last update says of itself."""
        told = self.model.logger.name_to_value
        figures = {name: float(told[f"train/{name}"]) for name in FIGURES if f"train/{name}" in told}
        buffer = self.model.rollout_buffer
        ended = float(buffer.episode_starts[1:].sum())
        if ended:
            figures["reward"] = float(buffer.rewards.sum()) / ended
        figures["learning_rate"] = float(self.model.policy.optimizer.param_groups[0]["lr"])
        return figures

    # --- checkpoints -------------------------------------------------------------------------------------------------

    def arrays(self) -> Arrays:
        model = self.model
        assert model._last_episode_starts is not None
        arrays: Arrays = training_arrays(model.policy.module, model.policy.optimizer)  # type: ignore[arg-type]
        arrays |= {f"matches/{name}": array for name, array in self.batch.arrays().items()}
        arrays["starts"] = np.asarray(model._last_episode_starts)
        return arrays

    def restore(self, arrays: Arrays) -> None:
        model = self.model
        restore_training(arrays, model.policy.module, model.policy.optimizer)  # type: ignore[arg-type]
        matches = {
            name.removeprefix("matches/"): array for name, array in arrays.items() if name.startswith("matches/")
        }
        self.batch.restore(matches)
        model._last_obs = self.batch.observations.copy()
        model._last_episode_starts = arrays["starts"]
        model.num_timesteps = int(self.run.counters["step"])


def _above(layers: tuple[object, ...], head: Head) -> Head:
    """A head with layers of its own."""
    return Head(head.outputs, layers, head.first, head.unit, head.scale)  # type: ignore[arg-type]


def _of_rest(rate: Schedule) -> Callable[[float], float]:
    """A schedule as Stable-Baselines3 asks for it: by the share of the run that is left."""
    return lambda rest: rate.at(1.0 - rest)


def _require_contrib() -> None:
    try:
        import sb3_contrib  # noqa: F401
    except ImportError:
        raise SpielwerkError(say("ppo needs sb3-contrib: pip install 'spielwerk[learn]'")) from None
