"""The networks of Eder and Kistler (2017), trained on deals of our own players: theirs came from Swisslos.

All of them learn to name the card (or mode) that was played, also where only one was legal, and without being told what
is legal (`mask=false`): that is part of what they learn, as in the thesis. It does not say how large its batches were;
32 is what its library takes by default. Networks up to experiment 7 have plain outputs, from experiment 8 on a softmax.
At full scale a card network takes 10,000 steps, the one of 20 million weights 1,500: an epoch of all deals would be
135,000. A trump network takes an epoch, which is shorter. Held-out decisions are counted as they come, the same ones
whatever a network sees of them. SL_186_3_1Mio stands in three experiments with the same options; it begins with another
seed in each, so that they also say how much a figure varies by itself.

Otherwise than there: the thesis went through its data ten times and normalised batches, with a penalty on large weights
(the source of its bot, scriptcoffee/JassBot); and for experiment 6 it prepared its data anew.

Deals are made once per scale and kept beside the studies, so that all experiments learn from the same.
"""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.games.jass.learn.deals import header_of, is_folder
from spielwerk.games.jass.learn.make_deals import make
from spielwerk.learn.run import Limits, Report, RunFolder
from spielwerk.studies.training import share, trained

VARIANT = "server-deal"
CARDS, MODES = "0-35", "36-42"
DEALS = {"quick": 1500, "full": 133_652}
TEACHER = {"quick": "rules", "full": "net"}  # the network has learned from a search, and answers as well in no time
PLAYERS = {
    "quick": {"rules": 3.0, "rules:error=30": 1.0},
    "full": {"net": 2.0, "dmcts:worlds=40": 1.0, "rules": 1.0, "rules:error=30": 1.0},
}
EPOCHS = {"quick": 1, "full": 1}
STEPS = {"quick": 1500, "full": 10_000}  # two minutes for a million weights; all deals would take half an hour
SEED = 2017
THREADS = 2


@dataclass(frozen=True)
class Net:
    """A network of the thesis, and what it says of it."""

    encoding: str
    hidden: str  # units, or the layers as JSON
    optimiser: str = "sgd"
    loss: str = "mse_outputs"
    rate: float = 0.005
    activation: str = "relu"
    actions: str = CARDS
    thinned: str = "none"  # decisions of which only a share is kept
    dropout: float = 0.0
    share: float = 1.0  # of the steps
    seed: int = 1
    published: dict[str, Any] = field(default_factory=dict)

    def learner(self, deals: Path, scale: str, hidden: str) -> str:
        """`hidden`: units, or the file with the layers."""
        options = {
            "records": f"({deals.resolve()})", "encoding": self.encoding, "network": hidden, "dropout": self.dropout,
            "activation": self.activation, "actions": self.actions, "optimiser": self.optimiser, "loss": self.loss,
            "learning_rate": self.rate, "weight_decay": 0, "thinned": self.thinned, "otherwise": "rules",
            "mask": "false", "forced": "true", "value_weight": 0, "schedule": "constant", "batch": 32,
            "epochs": EPOCHS[scale], "steps": round(self.share * STEPS[scale]), "tests": 12, "patience": 0,
            "test_games": 100, "kept": "loss", "validate_seen": True,
            "validation": 0.3 if self.actions == MODES else 0.1,
        }  # fmt: skip
        return "imitate:" + ",".join(f"{name}={value}" for name, value in options.items())


def _mode_net(**more: Any) -> Net:
    return Net("37", "37", loss="mse", actions=MODES, **more)


def _million(**more: Any) -> Net:
    """The thesis' best: about a million weights."""
    return Net("186", "560-1680-180", **more)


STUCK = {"loss": 0.027}
NETWORKS: dict[str, Net] = {
    "SL_42_1": Net("42", "38"),
    "SL_150_1, 50": Net("150", "50"),
    "SL_150_1, 200": Net("150", "200"),
    "SL_150_2": Net("150", "200-100", published={"accuracy": "none; it overfits"}),
    "SL_150_7": Net("150", "220-340-500-340-220-150-80", published=STUCK | {"accuracy": "low"}),
    "SL_150_9": Net("150", "220-340-500-760-500-340-220-150-80", published=STUCK | {"accuracy": "lower"}),
    "SL_186_2": Net("186", "420-186", published=STUCK | {"accuracy": 0.25}),
    "SL_186_5_Faktor1.5": Net("186", "280-180-120-80-53", published=STUCK | {"accuracy": 0.11}),
    "SL_186_3_Faktor2": Net("186", "300-150-70", published=STUCK),
    "SL_186_3_Faktor3": Net("186", "560-180-60", published=STUCK),
    "SL_186_3_1Mio": _million(published={"loss": "a little below 0.027", "accuracy": 0.3}),
    "SL_186_5_2Mio": Net("186", "560-1680-560-180-60", published=STUCK),
    "SL_186_7_20Mio": Net(
        "186", "560-1680-5040-1680-560-180-60", share=0.15, published=STUCK | {"accuracy": 0.11}
    ),
    "SL_186_3_1Mio_lr0.005": _million(seed=2, published={"accuracy": "higher"}),
    "SL_186_3_1Mio_lr0.0001": _million(rate=0.0001, published={"accuracy": "lower", "loss": "a little lower"}),
    "SL_186_3_1Mio_relu": _million(seed=3, published={"accuracy": "a little higher"}),
    "SL_186_3_1Mio_leakyrelu": _million(seed=3, activation="leaky_relu", published={"accuracy": "a little lower"}),
    "SL_186_3_1Mio_sgd_cc": _million(loss="cross_entropy"),
    "SL_186_3_1Mio_adam_mse": _million(
        optimiser="adam", loss="mse", published={"accuracy": "better than with SGD"}
    ),
    "SL_186_3_1Mio_adam_cc": _million(optimiser="adam", loss="cross_entropy", published={"accuracy": "best"}),
    "SL_37_1, all pushes": _mode_net(published={"accuracy": "best"}),
    "SL_37_1, half of them": _mode_net(thinned="42*0.5", published={"accuracy": "worst"}),
    "SL_37_1, two thirds": _mode_net(thinned="42*0.667", published={"accuracy": "between"}),
    "SL_37_1_relu_adam_cc": Net(
        "37", "37", optimiser="adam", loss="cross_entropy", actions=MODES, thinned="42*0.667",
        published={"accuracy": "much better than SL_37_1"},
    ),
}  # fmt: skip


RECURRENT = '[{"kind": "gru", "units": 128, "steps": 9, "rest": 36}, {"kind": "dense", "units": 256}, {"kind": "relu"}]'
LATER: dict[str, Any] = {"optimiser": "adam", "loss": "cross_entropy", "rate": 0.0005, "share": 2.0}
OUTLOOK = {  # what the thesis would have tried next, and its best inputs learned in the same way
    "186": _million(**LATER),
    "186, dropout 0.2": _million(dropout=0.2, **LATER),
    "1302": Net("1302", "560-1680-180", **LATER),
    "recurrent": Net("tricks", RECURRENT, **LATER),
}


def table(**options: int) -> Game:
    """One deal as on the challenge's server, or with other options."""
    return registry.game("jass", 4, ",".join([VARIANT, *(f"{name}={value}" for name, value in options.items())]))


def deals_for(out: Path, scale: str, records: Path | None, report: Report) -> Path:
    """The deals that networks learn from: those that were named, or ours, made once beside the study."""
    if records is not None:
        if not is_folder(records) or header_of(records).variant != VARIANT:
            raise SpielwerkError(f"{records} holds no deals of {VARIANT}; make some with: spielwerk data make jass")
        return records
    folder = out.parent / f"eder-kistler-deals-{scale}"
    limits = Limits(seed=SEED, threads=THREADS)
    make(folder, table(), PLAYERS[scale], TEACHER[scale], DEALS[scale], limits, report)
    return folder


def mark_of(deals: Path, out: Path) -> str:
    """What folders of networks are marked with that learned from other deals than those kept beside the study."""
    return "" if deals.parent == out.parent else "-" + hashlib.sha256(str(deals.resolve()).encode()).hexdigest()[:8]


def network(name: str, out: Path, scale: str, deals: Path, report: Report) -> RunFolder:
    """A network of the thesis, trained once per scale and kept beside the study."""
    place = (
        out.parent / f"eder-kistler-networks-{scale}{mark_of(deals, out)}" / name.replace(", ", "-").replace(" ", "-")
    )
    net = (NETWORKS | OUTLOOK)[name]
    hidden = net.hidden
    if hidden.startswith("["):
        file = place.parent / f"{place.name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(hidden)
        hidden = f"({file.resolve()})"
    return trained(place, table(), net.learner(deals, scale, hidden), report, seed=net.seed)


def networks(
    names: list[str], out: Path, scale: str, records: Path | None, report: Report
) -> tuple[dict[str, RunFolder], Path]:
    """Several of them, on the same deals; and these."""
    deals = deals_for(out, scale, records, share(report, 0, len(names) + 1))
    made = {}
    for number, name in enumerate(names):
        made[name] = network(name, out, scale, deals, share(report, number + 1, len(names) + 1))
    return made, deals
