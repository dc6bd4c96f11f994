"""Eder and Kistler (2017, 2.6.3): reinforcement learning, experiments 1 to 3.

Experiment 1 and 2 learn the points of a trick and what the network expects of its best card in the next (`rule=td`);
experiment 3 learns all later tricks of the deal, discounted by 0.95 (`rule=returns`), with lost ones counting against
it and the match bonus, which the first two do not know. Rewards are points in hundreds from experiment 2 on: before,
the networks ended in NaN. Each network learns against `random`, against `rules` and against itself, with itself as its
partner, and chooses modes by `rules`. The trump network of experiment 2 (36-36-6) is rewarded with the points of the
deal, that of experiment 3 with a rating of the hand that no card network can spoil (`trumps`).

The thesis gives no figures but curves of the loss. What is learned here is measured in points per deal against `random`
and against `rules`, on the same deals with the teams swapped.

Otherwise than there: no batch normalisation and no weight decay; every decision is learned once, in the round in which
it was played, where the thesis drew from a memory of tricks; trump and card networks are trained one by one and not
as one model; and experiment 3 has the squared error of what actions bring, where the thesis names cross-entropy, which
has no meaning for outputs that are points.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from spielwerk.core.game import Game
from spielwerk.learn.netlearner import Diverged
from spielwerk.learn.run import Report, RunFolder
from spielwerk.studies.eder_kistler.measuring import last_of, lead
from spielwerk.studies.eder_kistler.networks import table
from spielwerk.studies.eder_kistler.pictures import loss_curves
from spielwerk.studies.training import share, trained

ROUNDS = {"quick": 60, "full": 300}  # of 256 deals
MODE_ROUNDS = {"quick": 100, "full": 2000}  # of 1,024 deals
PAIRS = {"quick": 100, "full": 2000}
CARDS = (
    "gamma=0.95,reward_scale=100,actions=0-35,otherwise=(rules),partners=self,batch_size=128,tests=4,test_games=1000,"
    "envs=256,max_grad_norm=1e9"
)
CLIPPED = ",max_grad_value=2"
OPPONENTS = {"random": "opponents=(random),", "rules": "opponents=(rules),", "itself": ""}
EXPERIMENTS = {
    1: "rule=td,encoding=42,network=38,objective=points,optimiser=sgd,learning_rate=0.005",
    2: "rule=td,encoding=150,network=100,objective=points,optimiser=sgd,learning_rate=0.001",
    3: "rule=returns,encoding=186,network=420-950-420-186-80,objective=margin,optimiser=adam,learning_rate=0.001",
}
EXPERIMENT_2 = "encoding=36,network=36,actions=36-41,optimiser=sgd,learning_rate=0.001"  # its trump network
LATER = "encoding=37,network=37,actions=36-42,optimiser=adam,learning_rate=0.005"
NO_BONUS = {"match_bonus": 0}  # up to experiment 2 a trick is worth its points


def learning_table(number: int) -> Game:
    """The table at which the network of an experiment learns."""
    return table(**(NO_BONUS if number < 3 else {}))


def cards(number: int) -> Callable[..., dict[str, Any]]:
    """The part of the study that repeats an experiment."""

    def part(report: Report, out: Path, scale: str) -> dict[str, Any]:
        rows: list[dict[str, Any]] = []
        runs: dict[str, RunFolder] = {}
        for place, (name, opponents) in enumerate(OPPONENTS.items()):
            spec = f"policygradient:{EXPERIMENTS[number]},{opponents}{CARDS},rounds={ROUNDS[scale]}"
            run = trained(out / name, learning_table(number), spec, share(report, place, len(OPPONENTS)))
            if not runs:
                rows.append({"learned against": "nobody yet", "deals": 0, **before_learning(run, scale)})
            runs[f"against {name}"] = run
            rows.append({"learned against": name, "deals": ROUNDS[scale] * 256, **_figures(run, scale)})
        loss_curves(out / "loss.png", f"Experiment {number}: loss", runs)
        return {f"experiment {number}": rows, "published": "a curve of the loss", "pictures": "loss.png"}

    part.__doc__ = f"Experiment {number} of reinforcement learning: cards, against random, rules and itself."
    return part


def before_learning(run: RunFolder, scale: str) -> dict[str, Any]:
    """The same figures of the network as it began: what is due to the modes, which `rules` chooses."""
    return _leads(f"net:model={run.path / 'first.npz'},otherwise=(rules)", scale)


def _figures(run: RunFolder, scale: str) -> dict[str, Any]:
    return _leads(f"net:model={last_of(run)},otherwise=(rules)", scale)


def _leads(agent: str, scale: str) -> dict[str, Any]:
    return {f"lead over {other}": lead(agent, other, PAIRS[scale]) for other in ("random", "rules")}


def rewards(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Experiment 2: networks that are rewarded in points end in NaN, those rewarded in hundreds do not."""
    rows, runs = [], {}
    tries = [("1", "0.001"), ("1", "0.0001"), ("100", "0.001")]
    for place, (points, rate) in enumerate(tries):
        options = EXPERIMENTS[2].replace("learning_rate=0.001", f"learning_rate={rate}")
        options += "," + CARDS.replace("reward_scale=100", f"reward_scale={points}")
        spec = f"policygradient:{options},opponents=(rules),rounds={ROUNDS[scale]}"
        folder = out / f"points-{points}-rate-{rate}"
        ended = "yes"
        try:
            run = trained(folder, learning_table(2), spec, share(report, place, len(tries)))
        except Diverged:
            run, ended = RunFolder(folder), "no: the loss is not a number any more"
        losses = [row["loss"] for row in run.rows() if "loss" in row]
        runs[f"{points} {'point' if points == '1' else 'points'} = 1, rate {rate}"] = run
        rows.append(
            {
                "points that count as 1": int(points), "rate": rate, "rounds": len(losses), "came to its end": ended,
                "first loss": losses[0] if losses else None, "last loss": losses[-1] if losses else None,
                "largest gradient": largest_gradient(run),
            }
        )  # fmt: skip
    loss_curves(out / "loss.png", "Rewards in points and in hundreds: loss", runs, logarithmic=True)
    return {
        "rewards": rows,
        "published": "in points all ran into NaN, later with a lower rate; in hundreds none did",
        "pictures": "loss.png",
    }


def clipping(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Experiment 3: gradients clipped at 2, and not, with rewards in points: in hundreds there is nothing to clip."""
    rows, runs = [], {}
    in_points = CARDS.replace("reward_scale=100", "reward_scale=1")
    tries = [("hundreds", "none", CARDS, ""), ("points", "none", in_points, ""), ("points", "at 2", in_points, CLIPPED)]
    for place, (rewards_in, name, options, clipped) in enumerate(tries):
        spec = f"policygradient:{EXPERIMENTS[3]},{options},rounds={ROUNDS[scale]}{clipped}"
        run = trained(out / f"{rewards_in}-{name}".replace(" ", "-"), table(), spec, share(report, place, len(tries)))
        runs[f"rewards in {rewards_in}, clipping: {name}"] = run
        figures = {"largest gradient": largest_gradient(run), "last loss": _last(run, "loss"), **_figures(run, scale)}
        rows.append({"rewards in": rewards_in, "clipping": name, **figures})
    loss_curves(out / "loss.png", "Gradients clipped at 2, and not: loss", runs, logarithmic=True)
    return {
        "clipping": rows,
        "published": "gradients of five digits; clipping did not help and was given up",
        "pictures": "loss.png",
    }


def _last(run: RunFolder, what: str) -> float:
    return float(next(row[what] for row in reversed(run.rows()) if what in row))


def largest_gradient(run: RunFolder) -> float:
    """The largest part of any gradient, before clipping."""
    return max((float(row["gradient"]) for row in run.rows() if "gradient" in row), default=0.0)


def modes(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """The trump network, rewarded with the points of the deal (experiment 2) or with a rating of the hand (3)."""
    tested = f"rounds={MODE_ROUNDS[scale]},tests=2,test_games=50"
    points = f"policygradient:rule=returns,reward_scale=100,objective=margin,envs=1024,{tested}"
    tries = [
        (
            "points of the deal",
            "random",
            "36-36-6, SGD",
            f"{points},{EXPERIMENT_2},otherwise=(random),opponents=(random)",
        ),
        ("points of the deal", "rules", "36-36-6, SGD", f"{points},{EXPERIMENT_2},otherwise=(rules),opponents=(rules)"),
        ("points of the deal", "random", "37-37-7, Adam", f"{points},{LATER},otherwise=(random),opponents=(random)"),
        ("points of the deal", "rules", "37-37-7, Adam", f"{points},{LATER},otherwise=(rules),opponents=(rules)"),
        ("rating of the hand, by rules", "none", "37-37-7, Adam", f"trumps:{tested},learning_rate=0.005"),
        (
            "rating of the hand, the thesis'",
            "none",
            "37-37-7, Adam",
            f"trumps:{tested},learning_rate=0.005,rating=thesis",
        ),
    ]
    rows = []
    for place, (reward, cards_by, network, spec) in enumerate(tries):
        run = trained(out / f"reward-{place}", table(), spec, share(report, place, len(tries)))
        chooser = f"net:model={last_of(run)},otherwise=(rules)"
        row = {"reward": reward, "cards played by": cards_by, "network": network}
        rows.append(row | {"lead over rules' modes": lead(chooser, "rules", PAIRS[scale])})
    return {
        "trump networks, measured with cards by rules": rows,
        "published": "rewarded with the points of the deal it learns worse while the card network is bad",
    }
