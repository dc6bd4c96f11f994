"""Eder and Kistler (2017, 2.6.4): a supervised network that goes on with reinforcement learning.

Theirs got worse at once and then stayed there; they supposed that the reward is not good enough, or that the training
was too short. `hybrid` repeats it with the card network and looks for the reason: the supervised network says how
likely cards are, and is then trained to say how many points they bring. Its answers are logits, where a return is about
one, and the steps are large: so it measures the size of the answers, and how often the network still names the card
played, with answers as large and as small as returns, with large and small steps, and with the cross-entropy that the
thesis names for experiment 3. Otherwise than there, its trump network stays as it is.
`hybrid-better` keeps what the answers mean: the policy is improved as a policy (`ppo`), by the deals that it plays
against itself, and the values that it has learned beside the policy go on, too.
"""

from pathlib import Path
from typing import Any

import numpy as np

from spielwerk.core.models import write_arrays
from spielwerk.learn.run import Report, RunFolder
from spielwerk.nets.description import Description, Head
from spielwerk.nets.network import Network, encode, load_network
from spielwerk.studies.eder_kistler.measuring import held_out, last_of, lead_of
from spielwerk.studies.eder_kistler.networks import NETWORKS, mark_of, networks, table
from spielwerk.studies.eder_kistler.pictures import loss_curves
from spielwerk.studies.eder_kistler.reinforcement import CARDS, PAIRS
from spielwerk.studies.training import share, trained

START = "SL_186_3_1Mio_adam_cc"
RETURNS = "rule=returns,encoding=186,objective=margin,optimiser=adam,epsilon=0.05,final_epsilon=0.05"
ROUNDS = {"quick": (5, 20), "full": (10, 100, 300)}
BETTER = {  # deals to imitate; decisions of ppo, its matches at the same time; held-out matches per test
    "quick": (1500, 60_000, 256, 200),
    "full": (20_000, 12_000_000, 2048, 2000),
}
ROWS = 20_000  # decisions on which agreement is measured


def thesis(report: Report, out: Path, scale: str, records: Path | None = None) -> dict[str, Any]:
    """The thesis' hybrid: why it gets worse."""
    runs, deals = networks([START], out, scale, records, share(report, 0, 3))
    start, mark = runs[START], mark_of(deals, out)
    beginning = f"net:model={start.path},otherwise=(rules)"
    rows = [{"network": "supervised", "rounds": 0, **_measured(start, start, beginning, scale)}]
    longest: dict[str, RunFolder] = {}
    middle = ROUNDS[scale][-2]
    tries = [
        ("as in the thesis", 1.0, 0.001, "mse", rounds) for rounds in ROUNDS[scale]
    ] + [
        ("answers made as small as returns first", 0.05, 0.001, "mse", middle),
        ("a hundred times smaller steps", 1.0, 0.00001, "mse", middle),
        ("small answers and small steps", 0.05, 0.00001, "mse", middle),
        ("cross-entropy", 1.0, 0.001, "cross_entropy", middle),
        ("cross-entropy and small steps", 1.0, 0.00001, "cross_entropy", middle),
    ]  # fmt: skip
    for place, (name, factor, rate, loss, rounds) in enumerate(tries):
        first = out / f"start-{factor:g}{mark}.npz"
        write_arrays(first, encode(as_returns(load_network(table(), str(start.path)), factor)))
        spec = (
            f"policygradient:{RETURNS},network={NETWORKS[START].hidden},{CARDS},learning_rate={rate},loss={loss},"
            f"warm_start=({first}),rounds={rounds}"
        )
        run = trained(out / f"hybrid-{place}{mark}", table(), spec, share(report, 2 + place, 2 + len(tries)))
        rows.append({"network": name, "rounds": rounds, **_measured(run, start, beginning, scale)})
        if loss == "mse":  # the other loss has another scale
            longest[name] = run
    loss_curves(out / "loss.png", "The hybrid: loss of what it learns by reinforcement", longest, logarithmic=True)
    return {
        "hybrid": rows,
        "pictures": "loss.png",
        "published": "worse at first, then it stays there; as strong as Supervised150 in the tournament",
    }


def as_returns(network: Network, factor: float) -> Network:
    """The same network with its answers taken for what cards bring, in hundreds of points."""
    made, policy = network.description, network.description.heads["policy"]
    head = Head(policy.outputs, first=policy.first, unit="lead", scale=100.0)
    arrays = {
        name.replace("policy.", "q."): array * np.float32(factor if name.startswith("policy.") else 1.0)
        for name, array in network.arrays.items()
    }
    return Network(Description(made.game, made.encoding, made.inputs, {"q": head}, made.layers, seats=4), arrays)


def _measured(run: RunFolder, start: RunFolder, beginning: str, scale: str) -> dict[str, Any]:
    """How often a network still names the card that was played, how large its answers are, and what it is worth."""
    network = load_network(table(), str(run.path if run is start else last_of(run)))
    right, size = agreement(network, start)
    agent = beginning if run is start else f"net:model={last_of(run)},otherwise=(rules)"
    found = lead_of(agent, beginning, PAIRS[scale])
    return {"names the card played": f"{right:.1%}", "size of its answers": size, "points per deal": str(found)}


def agreement(network: Network, start: RunFolder) -> tuple[float, float]:
    """The share of held-out real choices in which it names the card that was played; the mean size of its answers."""
    batch = held_out(start, ROWS)
    answers = next(iter(network.outputs(batch.inputs).values()))
    choice = batch.legal.sum(axis=1) > 1
    named = np.where(batch.legal, answers, -np.inf).argmax(axis=1)
    return float((named == batch.action)[choice].mean()), float(np.abs(answers[batch.legal]).mean())


def better(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """A hybrid that gets better: it imitates `rules`, then goes on with proximal policy optimisation."""
    deals, decisions, matches, tested = BETTER[scale]
    imitated = (
        f"imitate:teacher=(rules),games={deals},network=256-128,symmetries=true,batch=1024,epochs=8,tests=4,"
        f"test_games={tested // 2},test_opponents=(rules),tested_by=points,patience=0"
    )
    start = trained(out / "supervised", table(), imitated, share(report, 0, 2)).path
    points = load_network(table(), str(start)).head("value").scale  # that count as 1, as the supervised network has it
    improved = (
        f"ppo:warm_start=({start}),shared=yes,steps={decisions},reward_scale={points!r},"
        f"learning_rate=3e-4..0,ent_coef=0,gamma=1,envs={matches},n_steps=32,batch_size={4 * matches},n_epochs=3,"
        f"tests=12,test_games={tested},test_opponents=(net:model={start}),tested_by=points"
    )
    hybrid = trained(out / "hybrid", table(), improved, share(report, 1, 2))
    agents = {"supervised": f"net:model={start}", "hybrid": f"net:model={hybrid.path}"}
    pairs = PAIRS[scale]
    return {
        "hybrid": [
            {"network": name, "lead over rules": str(lead_of(agent, "rules", pairs))} for name, agent in agents.items()
        ],
        "hybrid over supervised": str(lead_of(agents["hybrid"], agents["supervised"], pairs)),
        "published": "the thesis' hybrid lost to the network that it began with",
    }
