"""dqn: a network learns what every action is worth from remembered steps (Mnih et al. 2015).

The Q network says for every action the discounted sum of rewards to come. It plays many environments at once, mostly
its best action and sometimes any other, and remembers every step. Again and again it looks at some remembered steps and
moves its answers towards `rewards of n steps + gamma^n * value of what came after`. That value is what the *target
network*, which follows slowly, says of the action that the network itself likes best there (double Q; van Hasselt et
al. 2016). Illegal actions are neither played nor taken for the best.

`DeepQ` knows no game: it learns in any vector environment (see `learn.stepping`). The learner `dqn` gives it the
compiled one of a game. Rewards are divided by `scale`, so that the network answers numbers around 1.

What it cannot do: it learns one seat's answer to given opponents, not a mixed strategy; it remembers only what the
encoding says, no history. Where a single reward comes after hundreds of moves it needs long.
"""

import dataclasses
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import seed_of, spawn
from spielwerk.core.ranges import SHARE, Range
from spielwerk.learn.matches import Matches, SelfPlayOptions
from spielwerk.learn.netlearner import (
    NetLearner,
    NetRun,
    begun_with,
    device_of,
    restore_training,
    torch_threads,
    training_arrays,
)
from spielwerk.learn.replay import Arrays, Pending, Replay
from spielwerk.learn.run import Limits, Report, RunFolder, reading_checkpoint
from spielwerk.learn.stepping import (
    LOG_EVERY,
    Flags,
    Floats,
    Pace,
    Stepper,
    best_legal,
    explored,
    falling,
    generator_of,
    passed,
)
from spielwerk.nets.description import Head
from spielwerk.nets.network import Network, encode, load_network

if TYPE_CHECKING:
    import torch
    from gymnasium.vector import VectorEnv

ACTING, DRAWING, RESETTING = 1, 2, 3  # streams of the run's seed


@dataclass(frozen=True)
class Dqn(SelfPlayOptions, NetLearner):
    """Deep Q-learning: replay, target network, double Q, returns of n steps, legal actions only."""

    name: ClassVar[str] = "dqn"

    network: Annotated[
        str, "units of the hidden layers, as 256-256; linear = none; or a JSON file with a list of layers"
    ] = "128-128"
    steps: Annotated[int, Range(1, 10**12), "decisions that are learned from, of all environments together"] = 500_000
    envs: Annotated[int, Range(1, 65_536), "matches that are played at once"] = 64
    gamma: Annotated[float, SHARE, "what a reward is worth one step later"] = 0.99
    n_step: Annotated[int, Range(1, 100), "steps whose rewards are summed before the network is asked"] = 3
    scale: Annotated[
        float | None, Range(1e-9, 1e12), "reward that counts as 1; none = as the first, random episodes suggest"
    ] = None
    memory: Annotated[int, Range(1, 10**8), "steps that are remembered"] = 200_000
    learning_starts: Annotated[int, Range(1, 10**8), "steps of random play before anything is learned"] = 10_000
    train_every: Annotated[int, Range(1, 10**6), "steps of all environments between two updates of the network"] = 64
    batch_size: Annotated[int, Range(1, 10**6), "remembered steps per update"] = 256
    epsilon: Annotated[float, SHARE, "share of random actions in the beginning"] = 1.0
    final_epsilon: Annotated[float, SHARE, "share of random actions in the end"] = 0.05
    exploration: Annotated[float, SHARE, "share of all steps in which epsilon falls to final_epsilon"] = 0.2
    target_every: Annotated[int, Range(1, 10**9), "updates between two of the target network"] = 1
    target_rate: Annotated[float, Range(1e-6, 1.0), "how far the target network then follows; 1 = it is replaced"] = (
        0.005
    )
    huber: Annotated[float, Range(1e-6, 1e9), "errors above this many scales count linearly, not squared"] = 2.0
    clip: Annotated[float, Range(1e-6, 1e9), "longest gradient"] = 10.0
    final_rate: Annotated[float, SHARE, "share of learning_rate that is left in the end"] = 0.1

    test_every: Annotated[int, Range(1, 10**12), "steps between two tests by held-out matches, with a checkpoint"] = (
        50_000
    )

    def why_not(self, game: Game) -> str | None:
        return super().why_not(game) or self.opponents_problem(game)

    def first_for(self, game: Game, seed: int) -> Network:
        """A fresh network; or that of `warm_start`, which counts in its own scale unless another is asked for."""
        scale = self.scale or 1.0
        if self.warm_start is not None:
            scale = self.scale or load_network(game, self.warm_start).head("q").scale
        head = Head(game.spec.actions, unit=self.unit(game), scale=scale)
        return self.first_network(game, self.describe(game, {"q": head}), seed)

    def epsilon_at(self, step: int) -> float:
        if step < self.learning_starts:
            return 1.0
        over = (step - self.learning_starts) / max(self.exploration * self.steps, 1.0)
        return falling(self.epsilon, self.final_epsilon, over)

    def rate_at(self, step: int) -> float:
        return self.learning_rate * falling(1.0, self.final_rate, step / self.steps)

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        network = begun_with(run, lambda: self.first_for(game, limits.seed))
        scale = network.head("q").scale if self.warm_start is not None else self.scale
        matches = Matches(game, self, self.encoding_of(game)[0], self.envs, "net", run, limits)
        net_run = NetRun(self, game, run, limits)
        with closing(net_run), torch_threads(self.torch_threads):
            matches.begin(encode(network))
            learner = DeepQ(matches.env, dataclasses.replace(self, scale=scale), network, limits.seed, limits.device)
            kept = net_run.restore()
            if kept is not None:
                with reading_checkpoint(run.path / "checkpoint"):
                    matches.restore(kept)
                    learner.restore(kept)
                    learner.stepper.show(matches.env)
            self._go_on(learner, matches, net_run, report)

    def _go_on(self, learner: "DeepQ", matches: Matches, net_run: NetRun, report: Report) -> None:
        def save() -> None:
            net_run.save({**learner.arrays(), **matches.arrays()})

        pace = Pace()
        while learner.step < self.steps and not net_run.limits.reached:
            before = learner.step
            learner.advance()
            net_run.counters["step"] = learner.step
            net_run.require_finite(sum(learner.losses[-1:]))
            if matches.itself and passed(before, learner.step, self.self_every):
                learner.stepper.show(matches.refresh(encode(learner.network())))
            if passed(before, learner.step, LOG_EVERY):
                figures = learner.figures()
                net_run.log(**figures)
                report(learner.step / self.steps, pace.line(learner.step, figures))
            if passed(before, learner.step, self.test_every) or learner.step >= self.steps:
                net_run.test(learner.network())
                save()
        if learner.step < self.steps:  # it was told to stop
            net_run.judge_where_it_stops(lambda: encode(learner.network()))
            save()


# --- the algorithm ---------------------------------------------------------------------------------------------------


class DeepQ:
    """Deep Q-learning in a vector environment, one step of all environments after the other."""

    def __init__(
        self, env: "VectorEnv[Any, Any, Any]", settings: Dqn, network: Network, seed: int, device: str = "auto"
    ) -> None:
        import torch

        from spielwerk.nets.module import NetworkModule

        self.settings, self.seed, self.device = settings, seed, device_of(device)
        self.stepper = Stepper(env, seed_of(spawn(seed, RESETTING)))
        self.online = NetworkModule(network).to(self.device)
        self.target = NetworkModule(network).to(self.device)
        fused = self.device.type in ("cpu", "cuda")  # one call instead of ten for every array
        self.optimiser = torch.optim.Adam(self.online.parameters(), settings.learning_rate, fused=fused)
        self.memory = Replay(settings.memory, self.stepper.inputs, self.stepper.actions)
        self.pending = Pending(settings.n_step, settings.gamma, self.stepper.count, self.stepper.inputs)
        self.step, self.updates = 0, 0
        self.gauge = Gauge(self.stepper.count, settings.gamma)
        self.losses: list[float] = []  # since somebody took them away

    @property
    def scale(self) -> float:
        return self.settings.scale or self.gauge.scale

    def advance(self) -> None:
        """One step of every environment, and the updates that are due then."""
        stepper, settings = self.stepper, self.settings
        seen, legal = stepper.seen, stepper.legal
        epsilon = settings.epsilon_at(self.step)
        best = self.best(seen, legal) if epsilon < 1.0 else np.zeros(stepper.count, np.int64)
        actions = explored(best, legal, epsilon, generator_of(self.seed, ACTING, self.step))
        made = stepper.step(actions)
        if self.step < settings.learning_starts:
            self.gauge.note(made.rewards, made.ended | made.cut)
        self.memory.add(self.pending.push(seen, actions, *made))
        before, self.step = self.step, self.step + stepper.count
        if self.step >= settings.learning_starts and self.memory.filled:
            for _ in range(self.step // settings.train_every - before // settings.train_every):
                self.update()

    def values(self, seen: Floats) -> Floats:
        """What every action is worth, in shares of the scale."""
        import torch

        self.online.eval()
        with torch.no_grad():
            found: Floats = self.online(torch.from_numpy(seen).to(self.device))["q"].cpu().numpy()
        return found

    def best(self, seen: Floats, legal: Flags) -> NDArray[np.int64]:
        """The best legal actions by what has been learned."""
        return best_legal(self.values(seen), legal)

    def update(self) -> None:
        """One step of the optimiser on remembered steps."""
        import torch
        from torch.nn import functional

        settings, seed = self.settings, seed_of(spawn(self.seed, DRAWING, self.updates))
        batch = self.memory.draw(settings.batch_size, np.random.default_rng(seed))
        torch.default_generator.manual_seed(seed >> 1)  # of dropout
        seen, actions, gains, after, legal, discounts = (torch.from_numpy(part).to(self.device) for part in batch)
        self.online.eval()
        with torch.no_grad():
            wanted = targets(gains / self.scale, discounts, legal, self.online(after)["q"], self.target(after)["q"])
        self.online.train()
        said = self.online(seen)["q"].gather(1, actions[:, None])[:, 0]
        loss = functional.huber_loss(said, wanted, delta=settings.huber)
        for group in self.optimiser.param_groups:
            group["lr"] = settings.rate_at(self.step)
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.online.parameters(), settings.clip)
        self.optimiser.step()
        self.updates += 1
        self.losses.append(loss.item())
        if self.updates % settings.target_every == 0:
            with torch.no_grad():
                for kept, now in zip(self.target.parameters(), self.online.parameters(), strict=True):
                    kept.lerp_(now, settings.target_rate)

    def network(self) -> Network:
        """What has been learned so far."""
        found = self.online.network()
        head = replace(found.description.heads["q"], scale=self.scale)
        return Network(replace(found.description, heads={"q": head}), found.arrays)

    def figures(self) -> dict[str, float]:
        """How it went since this was asked last."""
        found = {"epsilon": self.settings.epsilon_at(self.step), "rate": self.settings.rate_at(self.step)}
        if self.losses:
            found["loss"] = float(np.mean(self.losses))
        if self.stepper.finished:
            found["reward"] = float(np.mean([gained for _, gained in self.stepper.finished]))
        self.losses.clear()
        self.stepper.finished.clear()
        return found

    # --- checkpoints -------------------------------------------------------------------------------------------------

    def arrays(self) -> Arrays:
        """All that is needed to go on, but for the environment."""
        target = {f"target/{name}": array for name, array in self.target.network().arrays.items()}
        counts = {"counts": np.array([self.step, self.updates])}
        learned = training_arrays(self.online, self.optimiser)
        stepper = {"stepper/sums": self.stepper.sums}
        return {**counts, **learned, **target, **stepper, **self.memory.arrays(), **self.pending.arrays()} | (
            self.gauge.arrays()
        )

    def restore(self, kept: Arrays) -> None:
        self.step, self.updates = map(int, kept["counts"])
        restore_training(kept, self.online, self.optimiser)
        weights = {name.removeprefix("target/"): kept[name] for name in kept if name.startswith("target/")}
        self.target.load(Network(self.target.description, weights))
        self.stepper.sums[:] = kept["stepper/sums"]
        self.memory.restore(kept)
        self.pending.restore(kept)
        self.gauge.restore(kept)


def targets(
    gains: "torch.Tensor",
    discounts: "torch.Tensor",
    legal: "torch.Tensor",
    said: "torch.Tensor",
    said_by_target: "torch.Tensor",
) -> "torch.Tensor":
    """What the network should have said: the gains, and the target network's value of what was best afterwards, by the
    network itself and among the legal actions."""
    from spielwerk.nets.module import masked

    best = masked(said, legal).argmax(dim=1, keepdim=True)
    return gains + discounts * said_by_target.gather(1, best)[:, 0]


class Gauge:
    """How large discounted returns are: the root mean square over episodes of the largest discounted sum of rewards
    in each; episodes that bring nothing do not count."""

    def __init__(self, count: int, gamma: float) -> None:
        self.gamma = gamma
        self.sums, self.peaks = np.zeros(count), np.zeros(count)
        self.total = np.zeros(2)  # of the squares, and how many

    def note(self, rewards: Floats, done: Flags) -> None:
        self.sums = self.gamma * self.sums + rewards
        self.peaks = np.maximum(self.peaks, np.abs(self.sums))
        counted = done & (self.peaks > 0)
        self.total += [np.square(self.peaks[counted]).sum(), counted.sum()]
        self.sums[done], self.peaks[done] = 0.0, 0.0

    @property
    def scale(self) -> float:
        squares, count = self.total
        if not count:  # no episode has ended yet: what there is of them
            squares, count = np.square(self.peaks).sum(), (self.peaks > 0).sum()
        return float(np.sqrt(squares / count)) if count else 1.0

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"gauge/sums": self.sums, "gauge/peaks": self.peaks, "gauge/total": self.total}

    def restore(self, kept: Arrays) -> None:
        self.sums, self.peaks, self.total = kept["gauge/sums"], kept["gauge/peaks"], kept["gauge/total"]
