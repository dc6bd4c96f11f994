"""Kutsch (2017): the Monte Carlo agents of chapters 3 to 5 and 7, as commands: `spielwerk study kutsch-table-2`.

`full` plays what the thesis played, with more matches per point (100 instead of 50, because one match has a standard
deviation of about 16,000 points). `quick` plays 8 matches with a twentieth of the iterations: the shape, no more.
The thesis gives its figures as pictures only; the numbers in its text stand beside ours where there are any.
Matches are kept in the study's folder: after a kill the same command goes on, and another folder plays anew.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from spielwerk.arena.certainty import certainty
from spielwerk.arena.evaluate import evaluate
from spielwerk.arena.pictures import new_figure, save
from spielwerk.arena.store import Store
from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import specialise
from spielwerk.learn.run import Report
from spielwerk.search.kernel.playout import uniform_policy
from spielwerk.studies.kutsch.kernel import mean_playout_length

MATCHES = {"quick": 8, "full": 100}
STATES, REPEATS = {"quick": 30, "full": 400}, {"quick": 8, "full": 20}
QUICK_SHARE = 20  # quick divides iterations and nodes by this


def _mc(scale: str, **options: Any) -> str:
    return _spec("mc", scale, {"preset": "kutsch", "iterations": 1000} | options)


def _mcts(scale: str, **options: Any) -> str:
    return _spec("mcts", scale, {"preset": "kutsch", "iterations": 3500} | options)


def _mctse(scale: str, **options: Any) -> str:
    return _spec("mctse", scale, {"preset": "kutsch", "iterations": 3500, "max_nodes": 500} | options)


def _spec(name: str, scale: str, options: Mapping[str, Any]) -> str:
    small = {
        key: max(1, value // QUICK_SHARE) if key in ("iterations", "max_nodes") else value
        for key, value in options.items()
    }
    chosen = small if scale == "quick" else options
    return name + ":" + ",".join(f"{key}={value}" for key, value in chosen.items())


def _points(
    report: Report,
    out: Path,
    scale: str,
    title: str,
    across: str,
    lines: Mapping[str, Mapping[Any, str]],
    published: Mapping[tuple[str, Any], float] | None = None,
) -> dict[str, Any]:
    """Mean points with interval for every line and every x, as a table and a picture."""
    jobs = [(label, x, spec) for label, line in lines.items() for x, spec in line.items()]
    rows = []
    for number, (label, x, spec) in enumerate(jobs):

        def tell(done: float, text: str, number: int = number, label: str = label, x: Any = x) -> None:
            report((number + done) / len(jobs), f"{label}, {across} {x}: {text}")

        with Store(out / "matches.sqlite") as store:
            found = evaluate("2048", spec, games=MATCHES[scale], seed=number, store=store, resume=True, report=tell)
        low, high = found.ci95 or (found.mean, found.mean)
        rows.append(
            {
                "agent": label,
                across: x,
                "mean": found.mean,
                "from": low,
                "to": high,
                "thesis": (published or {}).get((label, x)),
                "spec": spec,
            }
        )
    figure, axes = new_figure()
    for label in lines:
        own = [row for row in rows if row["agent"] == label]
        middle = [row["mean"] for row in own]
        reach = [[row["mean"] - row["from"] for row in own], [row["to"] - row["mean"] for row in own]]
        places = [str(row[across]) for row in own]
        axes.errorbar(places, middle, yerr=reach, marker="o", capsize=3, label=label)
        said = [(str(row[across]), row["thesis"]) for row in own if row["thesis"]]
        if said:
            axes.plot(*zip(*said, strict=True), "kx", label=f"thesis, {label}")
    axes.set_xlabel(across)
    axes.set_ylabel(f"points, mean of {MATCHES[scale]} matches, 95 %")
    axes.set_title(title)
    axes.legend()
    save(figure, out / "figure.png")
    return {title: rows}


def _certainties(
    report: Report, out: Path, scale: str, title: str, agents: Mapping[str, str], published: Mapping[str, float]
) -> dict[str, Any]:
    """Mean normalised certainty by number of empty cells for several agents."""
    figure, axes = new_figure()
    rows = []
    for number, (label, spec) in enumerate(agents.items()):

        def tell(done: float, text: str, number: int = number, label: str = label) -> None:
            report((number + done) / len(agents), f"{label}: {text}")

        found = certainty(
            "2048",
            spec,
            states=STATES[scale],
            repeats=REPEATS[scale],
            collector="mc:preset=kutsch,iterations=100",
            report=tell,
        )
        by_empty: dict[int, list[float]] = {}
        for group in found.groups:
            by_empty.setdefault(group.key["empty"], []).append(100 * group.certainty)
        xs = sorted(by_empty)
        axes.plot(xs, [float(np.mean(by_empty[x])) for x in xs], marker="o", label=label)
        low, high = found.ci95 or (found.mean, found.mean)
        rows.append(
            {
                "agent": label,
                "certainty %": 100 * found.mean,
                "from": 100 * low,
                "to": 100 * high,
                "thesis": published.get(label),
                "spec": spec,
            }
        )
    axes.set_xlabel("empty cells")
    axes.set_ylabel("normalised certainty in %")
    axes.set_title(title)
    axes.legend()
    save(figure, out / "figure.png")
    return {title: rows}


def overview(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """The agents with their best settings: mc, mcts, mctse, majority vote, heuristics."""
    best = _mctse(scale)
    lines = {
        "mc": {"best": _mc(scale)},
        "mcts": {"best": _mcts(scale, tree_depth=1)},
        "mctse": {"best": best},
        "vote of 10": {"best": f"vote:agents=({best})*10"},
        "heuristics": {"best": f"{best},evaluation=kutsch"},
    }
    published = {
        ("mc", "best"): 51521.0,
        ("mcts", "best"): 34713.0,
        ("mctse", "best"): 56989.0,
        ("vote of 10", "best"): 60060.0,
        ("heuristics", "best"): 60197.0,
    }
    return _points(report, out, scale, "The agents of the thesis", "settings", lines, published)


def figure_4(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mc for different numbers of iterations."""
    line = {n: _mc(scale, iterations=n) for n in (100, 250, 500, 1000, 2000)}
    return _points(report, out, scale, "Figure 4", "iterations", {"mc": line}, {("mc", 1000): 51521.0})


def figure_5(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mc for different rollout depths; the thesis: best near 20."""
    line = {depth: _mc(scale, rollout_depth=depth) for depth in (5, 10, 20, 50, 100, 200)}
    return _points(report, out, scale, "Figure 5", "rollout depth", {"mc": line}, {("mc", 20): 51521.0})


def figure_6(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Certainty of mc with rollout depth 20 and 200."""
    agents = {"depth 20": _mc(scale), "depth 200": _mc(scale, rollout_depth=200)}
    return _certainties(report, out, scale, "Figure 6", agents, {"depth 20": 75.09, "depth 200": 69.83})


def figure_8(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mcts for different tree depths; the thesis: best with 1, because of the flaw."""
    line = {depth: _mcts(scale, tree_depth=depth) for depth in (1, 2, 3, 5, 10)}
    return _points(report, out, scale, "Figure 8", "tree depth", {"mcts": line}, {("mcts", 1): 34713.0})


def figure_11(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mcts and mctse for different tree depths."""
    depths = (1, 2, 3, 5, 10)
    lines = {
        "mcts": {depth: _mcts(scale, tree_depth=depth) for depth in depths},
        "mctse": {depth: _mctse(scale, tree_depth=depth) for depth in depths},
    }
    return _points(report, out, scale, "Figure 11", "tree depth", lines, {("mctse", 10): 56989.0})


def figure_12(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mctse for different numbers of nodes, UCT and UCTN."""
    sizes = (250, 500, 1000, 1500, 2000, 3000, 4000)
    lines = {name: {size: _mctse(scale, max_nodes=size, selection=name) for size in sizes} for name in ("uctn", "uct")}
    published = {("uctn", 500): 56989.0, ("uct", 500): 52000.0, ("uct", 1000): 52000.0, ("uct", 2000): 52000.0}
    return _points(report, out, scale, "Figure 12", "nodes", lines, published)


def figure_13(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mctse for different weights of exploration, UCT and UCTN."""
    weights = (0.0141, 0.0566, 0.1414, 0.7071, 1.4142, 2.8284)
    lines = {name: {k: _mctse(scale, k=k, selection=name) for k in weights} for name in ("uctn", "uct")}
    return _points(report, out, scale, "Figure 13", "K", lines, {("uctn", 1.4142): 56989.0})


def figure_14(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Certainty of mcts and mctse."""
    agents = {"mcts": _mcts(scale), "mctse": _mctse(scale)}
    return _certainties(report, out, scale, "Figure 14", agents, {"mcts": 48.1, "mctse": 65.5})


def figure_15(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mc, mcts and mctse for different rollout depths."""
    depths = (10, 20, 50, 100, 150, 200)
    lines = {
        "mc": {depth: _mc(scale, rollout_depth=depth) for depth in depths},
        "mcts": {depth: _mcts(scale, rollout_depth=depth) for depth in depths},
        "mctse": {depth: _mctse(scale, rollout_depth=depth) for depth in depths},
    }
    return _points(report, out, scale, "Figure 15", "rollout depth", lines, {("mctse", 150): 56989.0})


def figure_21(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mc with both ways of valuing an unfinished playout, rollout depth 20 and 200."""
    lines = {f"method {m}": {depth: _mc(scale, rollout_depth=depth, method=m) for depth in (20, 200)} for m in (1, 2)}
    return _points(report, out, scale, "Figure 21", "rollout depth", lines, {("method 2", 20): 51521.0})


def figure_22(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """How long random playouts really are in the course of one match of mc."""
    game = registry.game("2048")
    player = registry.agent(_mc(scale))
    position, rng, decisions = game.new(3), spawn(3), 0
    length = specialise(mean_playout_length, game, policy=uniform_policy)
    playouts = {"quick": 20, "full": 1000}[scale]
    lengths: list[float] = []
    while not position.over:
        lengths.append(length(position.state, game.states(1), playouts, game.scratch(), rng))
        position.play(player.decide(position.view(0), Budget(), rng).action)
        decisions += 1
        report(min(0.99, decisions / 2500), f"{position.score[0]:,.0f} points")
    figure, axes = new_figure()
    axes.plot(lengths, linewidth=0.7)
    axes.set_xlabel("decision")
    axes.set_ylabel("mean length of a random playout")
    axes.set_title(f"Figure 22: one match of {player.spec} with {position.score[0]:,.0f} points")
    save(figure, out / "figure.png")
    found = {"decisions": decisions, "shortest": min(lengths), "mean": float(np.mean(lengths)), "longest": max(lengths)}
    return {"Figure 22": [found]}


def figure_23(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Certainty of mcts with tree depth 1 and 10."""
    agents = {"depth 1": _mcts(scale, tree_depth=1), "depth 10": _mcts(scale)}
    return _certainties(report, out, scale, "Figure 23", agents, {"depth 1": 52.2, "depth 10": 48.08})


def figure_24(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Certainty of mctse with tree depth 1 and 10."""
    agents = {"depth 1": _mctse(scale, tree_depth=1), "depth 10": _mctse(scale)}
    return _certainties(report, out, scale, "Figure 24", agents, {"depth 10": 65.5})


def table_1(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """How often UCT and UCTN visit the actions of one position: UCT evenly, UCTN the better ones more often."""
    game = registry.game("2048")
    view = game.new(8).view(0)
    rows = []
    found = {
        name: registry.agent(_mctse("full", selection=name)).decide(view, Budget(), spawn(1))
        for name in ("uct", "uctn")
    }
    for place, action in enumerate(view.legal):
        rows.append(
            {
                "action": game.spec.moves[action],
                "mean points": (found["uctn"].values or ())[place],
                "uct": (found["uct"].visits or ())[place],
                "uctn": (found["uctn"].visits or ())[place],
            }
        )
    report(1.0, "")
    return {"Table 1 (visits)": rows}


def table_2(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Points of a majority vote of 1, 5 and 10 mctse."""
    best = _mctse(scale)
    line = {1: best, 5: f"vote:agents=({best})*5", 10: f"vote:agents=({best})*10"}
    published = {("vote", 1): 56989.0, ("vote", 5): 58321.0, ("vote", 10): 60060.0}
    return _points(report, out, scale, "Table 2", "agents", {"vote": line}, published)


def table_2_certainty(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Certainty of a majority vote of 1, 5 and 10 mctse."""
    best = _mctse(scale)
    agents = {"1": best, "5": f"vote:agents=({best})*5", "10": f"vote:agents=({best})*10"}
    return _certainties(report, out, scale, "Table 2, certainty", agents, {"1": 65.5, "5": 69.49, "10": 72.83})


def table_3(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Points of mctse with more iterations, nodes and depth in proportion."""
    line = {n: _mctse(scale, iterations=n, max_nodes=n // 7, tree_depth=n // 350) for n in (3500, 17500, 35000)}
    published = {("mctse", 3500): 56989.0, ("mctse", 17500): 57236.0, ("mctse", 35000): 57693.0}
    return _points(report, out, scale, "Table 3", "iterations", {"mctse": line}, published)


def table_3_certainty(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Certainty of mctse with more iterations, nodes and depth in proportion."""
    agents = {str(n): _mctse(scale, iterations=n, max_nodes=n // 7, tree_depth=n // 350) for n in (3500, 17500, 35000)}
    published = {"3500": 65.5, "17500": 82.41, "35000": 84.26}
    return _certainties(report, out, scale, "Table 3, certainty", agents, published)
