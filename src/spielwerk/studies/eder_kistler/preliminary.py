"""Eder and Kistler (2017), chapter 2.5: the preliminary studies on Frozen Lake, Taxi and Blackjack.

The thesis used copies of others' notebooks to get to know its tools. Its Frozen Lake and Taxi networks have one layer
without a hidden one, and learn after every step, without a memory: over one-hot inputs that is Q-learning with a table
whose entries move by 0.2 (twice its rate of 0.1, the derivative of a square), so `qlearning` repeats it. Beside it
stands the same one-layer network trained by `dqn`. Its Blackjack network has one hidden layer of 4 units and regresses
the reward of the last decision of a round, with what was seen *after* it among the inputs; ours is a Q network of the
same size, and a larger one, trained by `dqn` on what is seen before a decision.

The environments are Gymnasium's own. What is best in each is computed from its rules, and so is what the learned
policies are worth; fresh episodes confirm it. The thesis gives one number, for Frozen Lake.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.statistics import summary
from spielwerk.learn.dqn import DeepQ, Dqn
from spielwerk.learn.netlearner import require_torch, torch_threads
from spielwerk.learn.qlearning import QLearning, TableQ
from spielwerk.learn.run import Report
from spielwerk.learn.stepping import episodes, passed, require_gymnasium, vector_of
from spielwerk.learn.tensorboard import FigureWriter, figure_writer
from spielwerk.nets.description import Description, Head
from spielwerk.nets.network import fresh
from spielwerk.studies.eder_kistler import pictures
from spielwerk.studies.eder_kistler.exact import Blackjack, best_actions, best_worth, policy_worth, rules_of

if TYPE_CHECKING:
    from gymnasium import Env

Line = list[tuple[float, float]]  # a learning curve: steps, worth
SEED = 2017
POINTS_OF_A_CURVE = 50
JUDGED_AT_ONCE = 64  # environments in which fresh episodes are played
FRESH_EPISODES = {"quick": 2_000, "full": 10_000}
NO_NUMBER = "a picture without numbers"


@dataclass(frozen=True)
class AsInTheThesis(QLearning):
    """One environment, every step learned at once, ever fewer random actions from episode to episode."""

    envs: int = 1
    gamma: float = 0.99
    learning_rate: float = 0.2
    final_rate: float = 0.2
    initial_spread: float = 0.01

    def epsilon_at(self, step: int, episodes: int) -> float:
        return 1.0 / (episodes / 50 + 10)


def frozen_lake(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Frozen Lake (4x4, slippery) with a one-layer Q network; the thesis: 31.45 % of 2000 training episodes."""
    make = _maker("FrozenLake-v1", max_episode_steps=100)
    rules, limit = rules_of(make()), 100
    best = best_worth(rules, limit)
    runs = {"quick": 3, "full": 20}[scale]
    settings = Dqn(
        network="linear", steps={"quick": 40_000, "full": 200_000}[scale], envs=8, n_step=1, scale=1.0, memory=50_000,
        learning_starts=1_000, train_every=8, batch_size=64, learning_rate=0.01, exploration=0.7, target_rate=0.02,
    )  # fmt: skip
    with _lessons(out, report) as lessons:
        wins = [lessons.in_training(f"thesis {run}", make, 2_000, SEED + run, 0.4 / runs) for run in range(runs)]
        learned = lessons.deep("dqn", make, settings, lambda act: policy_worth(rules, act, limit), 0.5)
        found = _judge(make, learned.learner, FRESH_EPISODES[scale])
    pictures.curves(
        out / "curve.png", "Frozen Lake: share of episodes that reach the goal, by the greedy policy",
        {"dqn, one layer": learned.line}, best, "success",
    )  # fmt: skip
    values = learned.learner.values(np.eye(16, dtype=np.float32))
    pictures.lake(
        out / "policy.png", np.array(make().get_wrapper_attr("desc")), values, best_actions(rules, settings.gamma)
    )
    return {
        "success in training": [
            {"who": "thesis, 2000 episodes, one run", "mean": 0.3145, "95 %": None},
            {"who": f"its rule here, {runs} runs", **_mean(np.array(wins))},
        ],
        "success of what was learned": [
            {"who": "dqn, one layer", **found, "exact": policy_worth(rules, learned.policy, limit)},
            {"who": "optimum (100 steps)", "mean": None, "95 %": None, "exact": best},
        ],
        "known": "about 0.74 with 100 steps",
        "pictures": "curve.png, policy.png",
    }


def taxi(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Taxi with TensorBoard: Q-learning with a table, as the thesis did it, and a one-layer network trained by dqn."""
    make = _maker(_newest("Taxi-v4", "Taxi-v3"), max_episode_steps=200)
    rules, limit = rules_of(make()), 200
    best = best_worth(rules, limit)

    def worth(policy: NDArray[np.int64]) -> float:
        return policy_worth(rules, policy, limit)

    quick = scale == "quick"
    thesis = AsInTheThesis(steps=60_000 if quick else 300_000, gamma=0.99)
    table = QLearning(
        steps=100_000 if quick else 1_000_000, envs=8, gamma=0.99, learning_rate=0.5, final_rate=0.1, epsilon=0.3,
        final_epsilon=0.02,
    )  # fmt: skip
    deep = Dqn(
        network="linear", steps=100_000 if quick else 1_000_000, envs=8, n_step=1, scale=10.0, memory=100_000,
        learning_starts=2_000, train_every=8, batch_size=128, learning_rate=0.02, exploration=0.5, target_rate=0.02,
    )  # fmt: skip
    with _lessons(out, report) as lessons:
        learned = {
            "thesis' rule": lessons.tabular("thesis", make, thesis, worth, 0.25),
            "qlearning": lessons.tabular("qlearning", make, table, worth, 0.3),
            "dqn, one layer": lessons.deep("dqn", make, deep, worth, 0.4),
        }
        rows = []
        for who, each in learned.items():
            found = _judge(make, each.learner, FRESH_EPISODES[scale])
            rows.append({"who": who, "steps": each.learner.step, **found, "exact": worth(each.policy)})
    rows.append({"who": "optimum", "steps": None, "mean": None, "95 %": None, "exact": best})
    pictures.curves(
        out / "curve.png", "Taxi: reward per episode, by the greedy policy",
        {who: each.line for who, each in learned.items()}, best, "reward", lowest=-220,
    )  # fmt: skip
    return {
        "reward per episode": rows,
        "published": 'no number; "sehr erfolgreich" (2.5.2)',
        "known": "about 8",
        "pictures": f"curve.png; tensorboard --logdir {out / 'tensorboard'}",
    }


def blackjack(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Blackjack with a small Q network: 4 hidden units as in the thesis, and 64."""
    make = _maker("Blackjack-v1", natural=False, sab=False)
    best = Blackjack()

    def settings(units: str) -> Dqn:
        return Dqn(
            network=units, steps={"quick": 150_000, "full": 2_000_000}[scale], envs=32, n_step=1, gamma=1.0, scale=1.0,
            memory=100_000, learning_starts=2_000, train_every=32, batch_size=256, learning_rate=0.003,
            exploration=0.5, final_epsilon=0.2, target_rate=0.02, final_rate=0.02, huber=4.0,
        )  # fmt: skip

    with _lessons(out, report) as lessons:
        learned = {
            f"dqn, {units} hidden units": lessons.deep(f"dqn-{units}", make, settings(units), _round_worth, 0.45)
            for units in ("4", "64")
        }
        rows = []
        for who, each in learned.items():
            found = _judge(make, each.learner, FRESH_EPISODES[scale] * 5)  # a round is short, and luck is large
            rows.append({"who": who, **found, "exact": _round_worth(each.policy)})
    rows.append({"who": "optimum", "mean": None, "95 %": None, "exact": best.worth})
    pictures.curves(
        out / "curve.png", "Blackjack: reward per round, by the greedy policy",
        {who: each.line for who, each in learned.items()}, best.worth, "reward", lowest=-0.4,
    )  # fmt: skip
    chosen = {who: _chooser(each.policy) for who, each in learned.items()}
    pictures.blackjack_chart(out / "policy.png", chosen, best.action)
    return {
        "reward per round": rows,
        "published": NO_NUMBER,
        "known": "about -0.05",
        "pictures": "curve.png, policy.png",
    }


# --- learning --------------------------------------------------------------------------------------------------------


@dataclass
class Lesson:
    """Somebody who has learned, how it went, and what it does in every state."""

    learner: Any  # DeepQ or TableQ
    line: Line
    policy: NDArray[np.int64]


@contextmanager
def _lessons(out: Path, report: Report) -> "Iterator[Lessons]":
    require_torch()
    with torch_threads(1), closing(figure_writer(out / "tensorboard")) as writer:
        yield Lessons(writer, report)
    report(1.0, "")


class Lessons:
    """Lessons one after the other, with their figures in TensorBoard and one bar of progress."""

    def __init__(self, writer: FigureWriter, report: Report) -> None:
        self.writer, self.report, self.done = writer, report, 0.0

    def deep(self, name: str, make: Any, settings: Dqn, worth: Callable[[Any], float], share: float) -> Lesson:
        env = vector_of(make, settings.envs)
        inputs, actions = _states(make).shape[1], int(make().action_space.n)
        description = Description(make().spec.id, "one-hot", inputs, {"q": Head(actions)}, settings.hidden_layers())
        learner = DeepQ(env, settings, fresh(description, SEED), SEED, "cpu")
        return self._learn(name, learner, make, settings.steps, worth, share)

    def tabular(self, name: str, make: Any, settings: QLearning, worth: Callable[[Any], float], share: float) -> Lesson:
        learner = TableQ(vector_of(make, settings.envs), settings, SEED)
        return self._learn(name, learner, make, settings.steps, worth, share)

    def _learn(self, name: str, learner: Any, make: Any, steps: int, worth: Any, share: float) -> Lesson:
        states, line = _states(make), []
        legal = np.ones((len(states), learner.stepper.actions), bool)
        while learner.step < steps:
            before = learner.step
            learner.advance()
            if passed(before, learner.step, steps // POINTS_OF_A_CURVE):
                value = worth(learner.best(states, legal))
                line.append((float(learner.step), value))
                figures = {**learner.figures(), "greedy": value}
                self.writer.add(learner.step, {f"{name}/{key}": each for key, each in figures.items()})
                self.report(min(self.done + share * learner.step / steps, 1.0), f"{name}: {value:.3f}")
        self.done += share
        return Lesson(learner, line, learner.best(states, legal))

    def in_training(self, name: str, make: Any, count: int, seed: int, share: float) -> float:
        """The mean reward of the first episodes of the thesis' rule, with their random actions."""
        learner = TableQ(vector_of(make, 1), AsInTheThesis(), seed)
        while len(learner.stepper.finished) < count:
            learner.advance()
            if learner.step % 1000 == 0:
                self.report(self.done + share * len(learner.stepper.finished) / count, name)
        self.done += share
        return float(np.mean([gained for _, gained in learner.stepper.finished[:count]]))


def _judge(make: Any, learner: Any, count: int) -> dict[str, Any]:
    """What fresh episodes say of somebody who has learned."""
    return _mean(episodes(vector_of(make, JUDGED_AT_ONCE), learner.best, count, SEED + 1))


def _mean(values: NDArray[np.float64]) -> dict[str, Any]:
    found = summary(values.tolist())
    return {"mean": found.mean, "95 %": "{:.4f} … {:.4f}".format(*found.ci95) if found.ci95 else None}


# --- environments ----------------------------------------------------------------------------------------------------


def _newest(*names: str) -> str:
    require_gymnasium()
    import gymnasium

    return next(name for name in names if name in gymnasium.registry)


def _maker(name: str, **options: Any) -> "Callable[[], Env[Any, Any]]":
    """Makes an environment that says nothing of legal actions: the thesis' did not."""
    require_gymnasium()
    import gymnasium

    class Silent(gymnasium.Wrapper[Any, Any, Any, Any]):
        def reset(self, **more: Any) -> Any:
            return self.env.reset(**more)[0], {}

        def step(self, action: Any) -> Any:
            seen, reward, ended, cut, _ = self.env.step(action)
            return seen, reward, ended, cut, {}

    return lambda: Silent(gymnasium.make(name, **options))


def _states(make: Any) -> NDArray[np.float32]:
    """Everything that can be seen, one row each."""
    from gymnasium.spaces import Discrete, flatten

    space = make().observation_space
    if isinstance(space, Discrete):
        return np.eye(int(space.n), dtype=np.float32)
    sizes = [range(int(part.n)) for part in space.spaces]
    return np.array([flatten(space, (a, b, c)) for a in sizes[0] for b in sizes[1] for c in sizes[2]], np.float32)


def _chooser(policy: NDArray[np.int64]) -> Callable[[int, int, bool], int]:
    """What is done with a sum in Blackjack, of actions in the order of `_states`: 32 sums, 11 cards, ace or not."""
    table = policy.reshape(32, 11, 2)
    return lambda total, shown, usable: int(table[total, shown, int(usable)])


def _round_worth(policy: NDArray[np.int64]) -> float:
    return Blackjack(_chooser(policy)).worth
