"""Eder and Kistler (2017, 2.6.2): supervised learning, experiments 1 to 10.

Every experiment trains its networks, draws loss, squared error and accuracy of training and validation as the thesis
does, and puts the thesis' figures beside ours. The thesis gives few figures, most of them read off a chart.

Its loss of 0.027 at which most networks stop is that of a network which has learned nothing: who says 1/36 to every
card has a mean squared error of (1/36) (1 - 1/36) = 0.0270. Its manual check of a card network says the same: 36
answers between 0.025 and 0.031, the largest for a card that is not in the hand.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.learn.run import Report, RunFolder
from spielwerk.nets.network import load_network
from spielwerk.search.net_look import look
from spielwerk.studies.eder_kistler.measuring import held_out
from spielwerk.studies.eder_kistler.networks import NETWORKS, networks, table
from spielwerk.studies.eder_kistler.pictures import learning_curves

EXPERIMENTS: dict[int, tuple[str, list[str]]] = {
    1: ("one number per card", ["SL_42_1"]),
    2: ("binary inputs, one hidden layer", ["SL_150_1, 50", "SL_150_1, 200"]),
    3: ("deeper networks", ["SL_150_2", "SL_150_7", "SL_150_9"]),
    4: ("counting cards", ["SL_186_2"]),
    5: (
        "how large a network should be",
        [
            "SL_186_5_Faktor1.5", "SL_186_3_Faktor2", "SL_186_3_Faktor3",
            "SL_186_3_1Mio", "SL_186_5_2Mio", "SL_186_7_20Mio",
        ],
    ),
    6: ("learning rates", ["SL_186_3_1Mio_lr0.005", "SL_186_3_1Mio_lr0.0001"]),
    7: ("ReLU and leaky ReLU", ["SL_186_3_1Mio_relu", "SL_186_3_1Mio_leakyrelu"]),
    8: (
        "optimiser and loss",
        ["SL_186_3_1Mio_sgd_cc", "SL_186_3_1Mio_adam_mse", "SL_186_3_1Mio_adam_cc"],
    ),
    9: ("the trump network and its pushes", ["SL_37_1, all pushes", "SL_37_1, half of them", "SL_37_1, two thirds"]),
    10: ("the trump network with Adam", ["SL_37_1, two thirds", "SL_37_1_relu_adam_cc"]),
}  # fmt: skip
ROWS = 20_000  # held-out decisions that say what chance would name
NOTHING = 35 / 36**2  # the squared error of who says 1/36 to every card
HAND = "h6 h8 h9 hJ hA d9 d10 s8 s10"  # the thesis' manual check: a person would choose hearts
PUBLISHED_CARD = {"network": "thesis, of 28 November", "card": "c8", "in the hand": "no", "probability": 0.0314}
PUBLISHED_LAST = {  # of the network of experiment 10, in the appendix
    "hearts": 0.518, "diamonds": 0.069, "clubs": 0.011, "spades": 0.036, "obeabe": 0.045, "undeufe": 0.061,
    "push": 0.259,
}  # fmt: skip
PUBLISHED_CHECK = {
    "hearts": (0.339, 0.499, 0.433), "diamonds": (0.059, 0.072, 0.084), "clubs": (0.015, 0.017, 0.026),
    "spades": (0.015, 0.051, 0.066), "obeabe": (0.050, 0.045, 0.053), "undeufe": (0.101, 0.085, 0.065),
    "push": (0.401, 0.231, 0.272),
}  # fmt: skip


def experiment(number: int) -> Callable[..., dict[str, Any]]:
    """The part of the study that repeats an experiment."""
    focus, names = EXPERIMENTS[number]

    def part(report: Report, out: Path, scale: str, records: Path | None = None) -> dict[str, Any]:
        runs, deals = networks(names, out, scale, records, report)
        learning_curves(out / "curves.png", f"Experiment {number}: {focus}", runs)
        found: dict[str, Any] = {
            f"experiment {number}": [row_of(name, run) for name, run in runs.items()],
            "learned from": str(deals),
            "pictures": "curves.png",
        }
        if number < 9:
            chance = by_chance(runs[names[0]])
            found["who has learned nothing"] = f"squared error {NOTHING:.4f}; real choices with the mask {chance:.3f}"
            found["manual check"] = [PUBLISHED_CARD, *(named_card(name, run) for name, run in runs.items())]
        else:
            found["manual check"] = manual_check(runs)
        return found

    part.__doc__ = f"Experiment {number}: {focus} ({', '.join(names)})."
    return part


def row_of(name: str, run: RunFolder) -> dict[str, Any]:
    """The figures of the network that is kept on all held-out deals. The thesis' accuracy is that of all decisions
    without a mask."""
    rows = run.rows()
    kept = next(row for row in reversed(rows) if "kept_accuracy" in row)
    epochs = next(row["epoch"] for row in reversed(rows) if "epoch" in row)
    published = NETWORKS[name].published if name in NETWORKS else {}
    return {
        "network": name,
        "weights": load_network(table(), str(run.path)).size,
        "published accuracy": published.get("accuracy"),
        "accuracy": kept["kept_accuracy_all_unmasked"],
        "with mask": kept["kept_accuracy_all"],
        "real choices": kept["kept_accuracy_unmasked"],
        "real choices, mask": kept["kept_accuracy"],
        "published loss": published.get("loss"),
        "loss": kept["kept_validation_loss"],
        "squared error": kept["kept_validation_mse"],
        "epochs": round(epochs, 2),
    }


def by_chance(run: RunFolder) -> float:
    """How often who takes any legal action names the right one, where there is a choice."""
    legal = held_out(run, ROWS).legal.sum(axis=1)
    return float((1.0 / legal[legal > 1]).mean())


def manual_check(runs: dict[str, RunFolder]) -> list[dict[str, Any]]:
    """What the networks say of the thesis' hand, in its tables 2.6.14 to 2.6.16."""
    game = table()
    columns = {name: said_of(game, run) for name, run in runs.items()}
    order = ("SL_37_1, all pushes", "SL_37_1, half of them", "SL_37_1, two thirds", "SL_37_1_relu_adam_cc")
    rows = []
    for mode, published in PUBLISHED_CHECK.items():
        row: dict[str, Any] = {"choice": mode}
        for name, said in columns.items():
            row[f"{name}, published"] = (*published, PUBLISHED_LAST[mode])[order.index(name)]
            row[name] = round(said[mode], 3)
        rows.append(row)
    return rows


def named_card(name: str, run: RunFolder) -> dict[str, Any]:
    """The card that a network names first with the same hand, hearts being trumps, and how likely it holds it."""
    said = said_of(table(), run, "; mode=hearts")
    card = max(said, key=lambda each: said[each])
    held = "yes" if card in HAND.split() else "no"
    return {"network": name, "card": card, "in the hand": held, "probability": round(said[card], 4)}


def said_of(game: Game, run: RunFolder, more: str = "") -> dict[str, float]:
    view = game.read(f"hand={HAND}{more}").view(0)
    said = look(load_network(game, str(run.path)), view, spawn(1)).before
    assert said is not None
    return {game.spec.moves[action]: float(said[action]) for action in np.flatnonzero(~np.isnan(said))}
