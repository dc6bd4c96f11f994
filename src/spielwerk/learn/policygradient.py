"""policygradient: learning from the discounted rewards of whole matches, without values, replay or target network.

`rule=reinforce` makes actions more likely by what came after them (Williams 1992), compared with the mean of the round.
`rule=returns` learns what comes after an action itself, as a Q network, and plays the best: this is what Eder and
Kistler (2017, 2.6.3) came to, with the points of every trick discounted through the deal (their gamma is 0.95, and lost
tricks count against the player). `rule=td` is what they began with: the next reward, and what the network expects of
the best action then. `loss=cross_entropy` is what they name for experiment 3: towards what the network says itself,
with the return in the place of the action. A match of Jass is many deals; `--variant server-deal` makes it one.

In a round every row of the batch plays one match. It is simple and slow: what an action did is hidden in the noise of
all that followed. `ppo` does the same better.
"""

from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.agent import Agent
from spielwerk.core.game import Game
from spielwerk.core.ranges import SHARE, Range
from spielwerk.envs.batch import Batch
from spielwerk.envs.selfplay import Mirror
from spielwerk.envs.task import action_range
from spielwerk.learn.netlearner import (
    NetRun,
    begun_with,
    device_of,
    optimiser_of,
    restore_training,
    torch_threads,
    training_arrays,
)
from spielwerk.learn.playing import Course, PlayingLearner, update_seed
from spielwerk.learn.run import Limits, Report, RunFolder
from spielwerk.learn.words import say
from spielwerk.nets.description import Head
from spielwerk.nets.network import Network

if TYPE_CHECKING:
    import torch

    from spielwerk.nets.module import NetworkModule


@dataclass(frozen=True)
class PolicyGradient(PlayingLearner):
    """Learning from the discounted rewards of whole matches: REINFORCE, or a Q network of returns."""

    name: ClassVar[str] = "policygradient"
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "thesis": {
            "rule": "returns", "encoding": "186", "network": "420-950-420-186-80", "gamma": "0.95",
            "objective": "margin", "reward_scale": "100", "optimiser": "adam", "learning_rate": "0.001",
            "actions": "0-35",
        },
        "thesis-live": {
            "rule": "returns", "encoding": "186", "network": "420-950-420-186-80", "gamma": "0.95",
            "objective": "margin", "reward_scale": "100", "optimiser": "adam", "learning_rate": "0.001",
            "actions": "0-35", "envs": "16", "batch_size": "144", "epsilon": "0.1", "test_games": "100",
        },
    }  # fmt: skip

    rounds: Annotated[int, Range(1, 1_000_000_000), "rounds; in each every row of the batch plays one match"] = 1000
    rule: Annotated[
        Literal["reinforce", "returns", "td"],
        "reinforce = actions become likelier by what followed; returns = the network learns what follows an action; "
        "td = it learns the next reward and what it expects then",
    ] = "reinforce"
    loss: Annotated[
        Literal["mse", "cross_entropy"],
        "of returns and td: the squared error of the action that was played; or the cross-entropy of all actions, of "
        "which the others should be as likely as they are",
    ] = "mse"
    actions: Annotated[str, "ids of the actions that are learned, as 0-35; others are chosen by otherwise"] = "all"
    otherwise: Annotated[Agent | None, "agent for decisions that are not learned; none = any action"] = None
    gamma: Annotated[float, SHARE, "what a reward of the next decision counts"] = 0.95
    baseline: Annotated[
        Literal["mean", "none"], "what returns are compared with (reinforce): their mean and spread, or nothing"
    ] = "mean"
    entropy: Annotated[float, Range(0, 1000), "weight of the entropy (reinforce)"] = 0.01
    epsilon: Annotated[float, SHARE, "share of random actions at the beginning (returns, td)"] = 0.2
    final_epsilon: Annotated[float, SHARE, "share of random actions at the end (returns, td)"] = 0.02
    batch_size: Annotated[int, Range(1, 100_000_000), "decisions per step of the optimiser"] = 1024
    optimiser: Annotated[Literal["adam", "adamw", "sgd", "rmsprop"], "how weights are changed"] = "adam"
    max_grad_norm: Annotated[float, Range(1e-9, 1e9), "longest gradient"] = 1.0
    max_grad_value: Annotated[float | None, Range(1e-9, 1e9), "largest part of a gradient; none = any"] = None

    def why_not(self, game: Game) -> str | None:
        problem = super().why_not(game)
        if problem:
            return problem
        if action_range(self.actions, game.last_action + 1) is None:
            phrase = "{learner}: actions={actions}: write the first and the last id, as 0-{last}, or all"
            return say(phrase, learner=self.name, actions=self.actions, last=game.last_action)
        if self.otherwise is not None and self.otherwise.why_not(game) is None and not self.otherwise.policy(game):
            phrase = "{agent} has no compiled policy for {game}; name another agent as otherwise"
            return say(phrase, agent=self.otherwise.name, game=game.title)
        return None if self.otherwise is None else self.otherwise.why_not(game)

    def player(self, model: object) -> str:
        rest = f",otherwise=({self.otherwise.spec})" if self.otherwise else ""
        return super().player(model) + rest

    def instead(self, game: Game) -> Agent | None:
        return self.otherwise

    def environment(self, game: Game, network: Network, mirror: Mirror | None) -> dict[str, Any]:
        return super().environment(game, network, mirror) | {"actions": self.actions, "otherwise": self.otherwise}

    def train(self, game: Game, run: RunFolder, limits: Limits, report: Report) -> None:
        with torch_threads(self.torch_threads), closing(NetRun(self, game, run, limits)) as net_run:
            self._go_on(game, net_run, limits, report)

    def _go_on(self, game: Game, net_run: NetRun, limits: Limits, report: Report) -> None:
        import torch

        from spielwerk.nets.module import NetworkModule

        first = self.begun(game, net_run.folder, limits.seed)
        module = NetworkModule(first).to(device_of(limits.device))
        optimiser = optimiser_of(self.optimiser, module, self.learning_rate)
        net_run.counters = {"step": 0}
        kept = net_run.restore()
        if kept is not None:
            restore_training(kept, module, optimiser)
        mirror = self.mirror(game, first)
        with closing(Batch(game, self.envs, threads=limits.threads, **self.environment(game, first, mirror))) as batch:
            kept_arrays = partial(training_arrays, module, optimiser)
            course = Course(net_run, self.rounds, self.tests, kept_arrays, module.network, report, rounds=True)
            while course.goes_on:
                seed = update_seed(limits, course.step)
                torch.manual_seed(seed)
                if mirror is not None:
                    mirror.refresh(module.network())
                played = self.play(batch, seed, module, course.done)
                learned = self.learn_from(module, optimiser, played, net_run)
                course.advance(1, **learned._asdict(), reward=played.reward, decisions=float(len(played.actions)))
            course.end()

    def begun(self, game: Game, folder: RunFolder, seed: int) -> Network:
        """The network that a run begins with."""
        low, high = action_range(self.actions, game.last_action + 1) or (0, game.last_action)
        head = Head(high - low + 1, first=low)
        if self.kind == "q":
            head = Head(high - low + 1, first=low, unit=self.unit(game), scale=self.scale_of(game))
        wanted = self.describe(game, {self.kind: head})
        return begun_with(folder, lambda: self.first_network(game, wanted, seed))

    @property
    def kind(self) -> Literal["policy", "q"]:
        return "policy" if self.rule == "reinforce" else "q"

    def play(self, batch: Batch, seed: int, module: "NetworkModule", done: float) -> "Played":
        """One match in every row, from its own seed. Rows that are done earlier play on, and are not looked at."""
        epsilon = self.epsilon + (self.final_epsilon - self.epsilon) * done if self.kind == "q" else None
        head = module.description.heads[self.kind]
        known = slice(head.first, head.first + head.outputs)
        steps: list[Step] = []
        batch.reset(seed)
        open_rows = np.ones(batch.count, bool)
        while open_rows.any():
            observations, masks = batch.observations[open_rows].copy(), batch.masks[open_rows, known].copy()
            actions = choose(module, self.kind, observations, masks, epsilon)
            joint = batch.masks.argmax(axis=1)
            joint[open_rows] = head.first + actions
            rows = np.flatnonzero(open_rows)
            batch.step(joint)
            steps.append(Step(rows, observations, masks, actions, batch.rewards[rows].copy()))
            open_rows &= ~batch.ended
        return played(steps, batch.count, self.gamma)

    def learn_from(
        self, module: "NetworkModule", optimiser: "torch.optim.Optimizer", played: "Played", run: NetRun
    ) -> "Learned":
        """Learn once from every decision of a round, in any order."""
        import torch

        returns, loss, gradient = self.targets(module, played), 0.0, 0.0
        for rows in torch.randperm(len(returns)).split(self.batch_size):
            loss, largest = self.learn(module, optimiser, played, returns, rows.numpy())
            run.require_finite(loss)
            gradient = max(gradient, largest)
        return Learned(loss, gradient)

    def targets(self, module: "NetworkModule", played: "Played") -> NDArray[np.float32]:
        """What every decision counts for in the rule."""
        returns = played.returns
        if self.rule == "td":
            return bootstrapped(module, played, self.gamma)
        if self.rule == "returns" or self.baseline == "none":
            return returns
        compared: NDArray[np.float32] = (returns - returns.mean()) / (returns.std() + np.float32(1e-8))
        return compared

    def learn(
        self,
        module: "NetworkModule",
        optimiser: "torch.optim.Optimizer",
        played: "Played",
        returns: NDArray[np.float32],
        rows: NDArray[np.int64],
    ) -> "Learned":
        """One step of the optimiser."""
        import torch
        from torch.nn import functional

        from spielwerk.nets.module import masked

        device = next(module.parameters()).device

        def given(array: NDArray[Any]) -> torch.Tensor:
            return torch.from_numpy(array[rows]).to(device)

        said = module(given(played.observations))[self.kind]
        actions, wanted = given(played.actions), given(returns)
        if self.kind == "q" and self.loss == "cross_entropy":
            target = torch.softmax(said.detach(), dim=1).scatter(1, actions[:, None], wanted[:, None])
            loss = functional.cross_entropy(said, target)
        elif self.kind == "q":
            loss = functional.mse_loss(said.gather(1, actions[:, None])[:, 0], wanted)
        else:
            chances = torch.distributions.Categorical(logits=masked(said, given(played.masks)), validate_args=False)
            loss = -(chances.log_prob(actions) * wanted).mean() - self.entropy * chances.entropy().mean()
        optimiser.zero_grad()
        loss.backward()
        gradients = [weights.grad for weights in module.parameters() if weights.grad is not None]
        largest = max(float(gradient.abs().max()) for gradient in gradients)
        if self.max_grad_value is not None:
            torch.nn.utils.clip_grad_value_(module.parameters(), self.max_grad_value)
        torch.nn.utils.clip_grad_norm_(module.parameters(), self.max_grad_norm)
        optimiser.step()
        return Learned(float(loss.item()), largest)


class Learned(NamedTuple):
    """What a round, or a step of the optimiser, has to tell."""

    loss: float  # of the last step
    gradient: float  # its largest part, before anything is clipped


class Step(NamedTuple):
    """A decision of every row whose match is not over."""

    rows: NDArray[np.int64]
    observations: NDArray[np.float32]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float32]


class Played(NamedTuple):
    """All decisions of a round, and what followed each."""

    observations: NDArray[np.float32]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    returns: NDArray[np.float32]
    rewards: NDArray[np.float32]  # until the next decision
    following: NDArray[np.int64]  # the next decision of the same match; -1 = that was the last
    reward: float  # per match


def played(steps: list[Step], count: int, gamma: float) -> Played:
    """Discounted returns, from the last decision of every match back to its first."""
    later, following = np.zeros(count, np.float32), np.full(count, -1)
    total, number = 0.0, sum(len(step.rows) for step in steps)
    returns: list[NDArray[np.float32]] = []
    nexts: list[NDArray[np.int64]] = []
    for step in reversed(steps):
        number -= len(step.rows)
        later[step.rows] = step.rewards + np.float32(gamma) * later[step.rows]
        total += float(step.rewards.sum())
        returns.append(later[step.rows].copy())
        nexts.append(following[step.rows].copy())
        following[step.rows] = number + np.arange(len(step.rows))
    return Played(
        observations=np.concatenate([step.observations for step in steps]),
        masks=np.concatenate([step.masks for step in steps]),
        actions=np.concatenate([step.actions for step in steps]),
        returns=np.concatenate(returns[::-1]),
        rewards=np.concatenate([step.rewards for step in steps]),
        following=np.concatenate(nexts[::-1]),
        reward=total / count,
    )


def bootstrapped(module: "NetworkModule", played: Played, gamma: float) -> NDArray[np.float32]:
    """The next reward, and what the network expects of its best legal action then."""
    import torch

    from spielwerk.nets.module import masked

    with torch.no_grad():
        device = next(module.parameters()).device
        said = module(torch.from_numpy(played.observations).to(device))["q"].cpu()
        best = masked(said, torch.from_numpy(played.masks)).max(dim=1).values.numpy()
    expected = np.where(played.following >= 0, best[played.following], np.float32(0.0))
    targets: NDArray[np.float32] = (played.rewards + np.float32(gamma) * expected).astype(np.float32)
    return targets


def choose(
    module: "NetworkModule",
    kind: Literal["policy", "q"],
    observations: NDArray[np.float32],
    masks: NDArray[np.bool_],
    epsilon: float | None,
) -> NDArray[np.int64]:
    """Legal actions: drawn by the policy, or the best by Q with a share `epsilon` of random ones."""
    import torch

    from spielwerk.nets.module import masked

    device = next(module.parameters()).device
    legal = torch.from_numpy(masks)
    with torch.no_grad():
        module.eval()
        said = masked(module(torch.from_numpy(observations).to(device))[kind].cpu(), legal)
        module.train()
    if epsilon is None:
        chosen = torch.distributions.Categorical(logits=said, validate_args=False).sample()
    else:
        any_legal = torch.multinomial(legal.float(), 1)[:, 0]
        chosen = torch.where(torch.rand(len(said)) < epsilon, any_legal, said.argmax(dim=1))
    found: NDArray[np.int64] = chosen.numpy()
    return found
