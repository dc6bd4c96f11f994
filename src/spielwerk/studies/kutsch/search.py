"""Kutsch (2017): the Monte Carlo agents of chapters 3 to 5 and 7, as commands: `spielwerk study kutsch-table-2`.

`full` plays what the thesis played, with more matches per point (100 instead of 50, because one match has a standard
deviation of about 16,000 points). `quick` plays the same agents, at fewer points and with 4 matches each: the shape, no
more. The thesis gives its figures as pictures only; the numbers in its text stand beside ours where there are any.
Matches are kept in the study's folder: after a kill the same command goes on, and another folder plays anew.

Certainty is measured as the framework of the thesis did (WolfgangKonen/GBG, February to July 2017,
`Evaluator2048_BoardPositions`): positions from matches of `mc` with 1000 iterations and rollout depth 20, none of them
with 0 or more than 10 empty cells or with two moves that lead to the same board but for a turn or a mirror; 20
positions for every number of empty cells and legal actions; 20 repeats; iterations for every legal action.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
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
from spielwerk.core.position import Position, View, duplicate
from spielwerk.games.twenty48.view import powers
from spielwerk.learn.run import Report
from spielwerk.search.kernel.playout import uniform_policy
from spielwerk.studies.kutsch.kernel import mean_playout_length

MATCHES = {"quick": 4, "full": 100}
STATES = {"quick": 30, "full": 600}
PER_GROUP, REPEATS = 20, 20  # positions, and decisions of each
EMPTIEST = 10  # cells
# the framework of February 2017 did not look at the parameters in its window, but always took these
AS_RUN = {"iterations": 1000, "rollout_depth": 200, "tree_depth": 10}
PUBLISHED_VISITS = ((732, 1000, 566), (823, 1000, 730), (862, 1000, 941), (1024, 1000, 1763))  # mean points, UCT, UCTN
CORES = os.cpu_count() or 1
COLLECTOR = "mc:preset=kutsch,iterations=1000,rollout_depth=20"

AgentFor = Callable[[int], str]  # the agent for a position with so many legal actions


def _mc(**options: Any) -> str:
    return _spec("mc", {"iterations": 1000} | options)


def _mcts(**options: Any) -> str:
    return _spec("mcts", {"iterations": 3500} | options)


def _mctse(**options: Any) -> str:
    return _spec("mctse", {"iterations": 3500, "max_nodes": 500} | options)


def _spec(name: str, options: Mapping[str, Any]) -> str:
    return f"{name}:preset=kutsch," + ",".join(f"{key}={value}" for key, value in options.items())


def _per_action(spec: Callable[..., str], iterations: int = 1000, **options: Any) -> AgentFor:
    """A tree with so many iterations for every legal action, as in the measurements of certainty."""
    return lambda actions: spec(iterations=iterations * actions, **options)


def _vote(voter: str, count: int) -> str:
    return voter if count == 1 else f"vote:agents=({voter})*{count}"


def _some(scale: str, xs: Sequence[Any], kept: Collection[Any]) -> list[Any]:
    """Quick scale leaves points out, but for the ends and those with a published value."""
    return [x for x in xs if scale == "full" or x in (xs[0], xs[-1]) or x in kept]


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
            found = evaluate(
                "2048", spec, games=MATCHES[scale], seed=number, store=store, resume=True, report=tell, workers=CORES
            )
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
    report: Report, out: Path, scale: str, title: str, agents: Mapping[str, AgentFor], published: Mapping[str, float]
) -> dict[str, Any]:
    """Mean normalised certainty by number of empty cells for several agents."""
    figure, axes = new_figure()
    rows = []
    for number, (label, agent_for) in enumerate(agents.items()):

        def tell(done: float, text: str, number: int = number, label: str = label) -> None:
            report((number + done) / len(agents), f"{label}: {text}")

        def agent_of(view: View, agent_for: AgentFor = agent_for) -> str:
            return agent_for(len(view.legal))

        found = certainty(
            "2048", agent_for(4), agent_of=agent_of, keep=conclusive, states=STATES[scale], per_group=PER_GROUP,
            repeats=REPEATS, collector=COLLECTOR, workers=CORES, report=tell,
        )  # fmt: skip
        by_empty: dict[int, list[float]] = {}
        for group in found.groups:
            by_empty.setdefault(group.key["empty"], []).append(100 * group.certainty)
        xs = sorted(by_empty)
        axes.plot(xs, [float(np.mean(by_empty[x])) for x in xs], marker="o", label=label)
        if label in published:
            axes.axhline(published[label], linestyle=":", color=axes.lines[-1].get_color(), label=f"thesis, {label}")
        low, high = found.ci95 or (found.mean, found.mean)
        rows.append(
            {
                "agent": label,
                "certainty %": 100 * found.mean,
                "from": 100 * low,
                "to": 100 * high,
                "thesis": published.get(label),
                "positions": found.states,
                "spec, with 4 legal actions": agent_for(4),
            }
        )
    axes.set_xlabel("empty cells")
    axes.set_ylabel("normalised certainty in %")
    axes.set_title(title)
    axes.legend()
    save(figure, out / "figure.png")
    return {title: rows}


def conclusive(view: View) -> bool:
    """Whether the framework of the thesis measured certainty at such a position."""
    if not 1 <= view.game.groups(view)["empty"] <= EMPTIEST:
        return False
    seen: set[bytes] = set()
    for action in view.legal:
        board = np.array(powers(Position(view.game, duplicate(view.state), 0).apply(action).view(0)))
        turned = [np.rot90(side, turns) for side in (board, board.T) for turns in range(4)]
        least = min(np.ascontiguousarray(side).tobytes() for side in turned)
        if least in seen:
            return False
        seen.add(least)
    return True


def overview(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """The agents with their best settings: mc, mcts, mctse, majority vote, heuristics."""
    lines = {
        "mc": {"best": _mc()},
        "mcts": {"best": _mcts(tree_depth=1)},
        "mcts as it was run": {"best": _mcts(**AS_RUN)},
        "mctse": {"best": _mctse()},
        "vote of 10": {"best": _vote(_mctse(), 10)},
        "heuristics": {"best": _mctse(evaluation="kutsch")},
    }
    published = {
        ("mc", "best"): 51521.0,
        ("mcts", "best"): 34713.0,
        ("mcts as it was run", "best"): 34713.0,
        ("mctse", "best"): 56989.0,
        ("vote of 10", "best"): 60060.0,
        ("heuristics", "best"): 60197.0,
    }
    return _points(report, out, scale, "The agents of the thesis", "settings", lines, published)


def figure_4(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mc for different numbers of iterations."""
    line = {n: _mc(iterations=n) for n in _some(scale, (100, 250, 500, 1000, 2000), [1000])}
    return _points(report, out, scale, "Figure 4", "iterations", {"mc": line}, {("mc", 1000): 51521.0})


def figure_5(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mc for different rollout depths; the thesis: best near 20."""
    line = {depth: _mc(rollout_depth=depth) for depth in _some(scale, (5, 10, 20, 50, 100, 200), [20])}
    return _points(report, out, scale, "Figure 5", "rollout depth", {"mc": line}, {("mc", 20): 51521.0})


def figure_6(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Certainty of mc with rollout depth 20 and 200 (method 1: points alone)."""
    agents: dict[str, AgentFor] = {
        f"depth {depth}": lambda actions, depth=depth: _mc(rollout_depth=depth, method=1)  # type: ignore[misc]
        for depth in (20, 200)
    }
    return _certainties(report, out, scale, "Figure 6", agents, {"depth 20": 75.09, "depth 200": 69.83})


def figure_8(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mcts for different tree depths; the thesis: best with 1, because of the flaw."""
    line = {depth: _mcts(tree_depth=depth) for depth in _some(scale, (1, 2, 3, 5, 10), [])}
    return _points(report, out, scale, "Figure 8", "tree depth", {"mcts": line}, {("mcts", 1): 34713.0})


def figure_11(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mcts and mctse for different tree depths."""
    depths = _some(scale, (1, 2, 3, 5, 10), [])
    lines = {
        "mcts": {depth: _mcts(tree_depth=depth) for depth in depths},
        "mctse": {depth: _mctse(tree_depth=depth) for depth in depths},
    }
    published = {("mcts", 1): 34713.0, ("mctse", 10): 56989.0}
    return _points(report, out, scale, "Figure 11", "tree depth", lines, published)


def figure_12(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mctse for different numbers of nodes, UCT and UCTN."""
    sizes = _some(scale, (250, 500, 1000, 1500, 2000, 3000, 4000), [500])
    lines = {name: {size: _mctse(max_nodes=size, selection=name) for size in sizes} for name in ("uctn", "uct")}
    published = {("uctn", 500): 56989.0} | {("uct", size): 52000.0 for size in (500, 1000, 2000, 3000, 4000)}
    return _points(report, out, scale, "Figure 12", "nodes", lines, published)


def figure_13(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mctse for different weights of exploration, UCT and UCTN; the thesis: UCT is best near 0.0566."""
    weights = _some(scale, (0.0141, 0.0566, 0.1414, 0.7071, 1.4142, 2.8284), [0.0566, 1.4142])
    lines = {name: {k: _mctse(k=k, selection=name) for k in weights} for name in ("uctn", "uct")}
    published = {("uctn", 1.4142): 56989.0, ("uct", 1.4142): 52000.0}
    return _points(report, out, scale, "Figure 13", "K", lines, published)


def figure_14(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Certainty of mcts and mctse."""
    agents = {"mcts": _per_action(_mcts), "mctse": _per_action(_mctse)}
    return _certainties(report, out, scale, "Figure 14", agents, {"mcts": 48.1, "mctse": 65.5})


def figure_15(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mc, mcts and mctse for different rollout depths."""
    depths = _some(scale, (10, 20, 50, 100, 150, 200), [20, 150])
    lines = {
        "mc": {depth: _mc(rollout_depth=depth) for depth in depths},
        "mcts": {depth: _mcts(rollout_depth=depth) for depth in depths},
        "mctse": {depth: _mctse(rollout_depth=depth) for depth in depths},
    }
    published = {("mc", 20): 51521.0, ("mctse", 150): 56989.0}
    return _points(report, out, scale, "Figure 15", "rollout depth", lines, published)


def figure_21(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """mc with both ways of valuing an unfinished playout, rollout depth 20 and 200."""
    lines = {f"method {m}": {depth: _mc(rollout_depth=depth, method=m) for depth in (20, 200)} for m in (1, 2)}
    return _points(report, out, scale, "Figure 21", "rollout depth", lines, {("method 2", 20): 51521.0})


def figure_22(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """How long random playouts really are in the course of one match of mc."""
    game = registry.game("2048")
    player = registry.agent(_mc())
    position, rng, decisions = game.new(3), spawn(3), 0
    length = specialise(mean_playout_length, game, policy=uniform_policy)
    playouts = {"quick": 100, "full": 1000}[scale]
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
    agents = {"depth 1": _per_action(_mcts, tree_depth=1), "depth 10": _per_action(_mcts, tree_depth=10)}
    return _certainties(report, out, scale, "Figure 23", agents, {"depth 1": 52.2, "depth 10": 48.08})


def figure_24(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Certainty of mctse with tree depth 1 and 10."""
    agents = {"depth 1": _per_action(_mctse, tree_depth=1), "depth 10": _per_action(_mctse, tree_depth=10)}
    return _certainties(report, out, scale, "Figure 24", agents, {"depth 10": 65.5})


def table_1(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """How often UCT and UCTN visit the actions of one position: UCT evenly, UCTN the better ones more often.

    The thesis says 3500 iterations, but its numbers add up to 4000, and so many are made here. Its position is not
    known: the published rows stand in the order of their mean points beside ours.
    """
    game = registry.game("2048")
    view = game.new(8).view(0)
    found = {
        name: registry.agent(_mctse(iterations=4000, selection=name)).decide(view, Budget(), spawn(1))
        for name in ("uct", "uctn")
    }
    values, uct, uctn = found["uctn"].values or (), found["uct"].visits or (), found["uctn"].visits or ()
    order = sorted(range(len(view.legal)), key=lambda place: values[place])
    rows = [
        {
            "action": game.spec.moves[view.legal[place]], "mean points": values[place],
            "uct": uct[place], "uctn": uctn[place],
            "thesis: mean points": points, "thesis: uct": even, "thesis: uctn": visits,
        }
        for place, (points, even, visits) in zip(order, PUBLISHED_VISITS, strict=True)
    ]  # fmt: skip
    report(1.0, "")
    return {"Table 1 (visits)": rows}


def table_2(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Points of a majority vote of 1, 5 and 10 mctse."""
    line = {count: _vote(_mctse(), count) for count in (1, 5, 10)}
    published = {("vote", 1): 56989.0, ("vote", 5): 58321.0, ("vote", 10): 60060.0}
    return _points(report, out, scale, "Table 2", "agents", {"vote": line}, published)


def table_2_certainty(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Certainty of a majority vote of 1, 5 and 10 mctse."""
    voter = _per_action(_mctse)
    agents: dict[str, AgentFor] = {
        str(count): lambda actions, count=count: _vote(voter(actions), count)  # type: ignore[misc]
        for count in (1, 5, 10)
    }
    return _certainties(report, out, scale, "Table 2, certainty", agents, {"1": 65.5, "5": 69.49, "10": 72.83})


def table_3(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Points of mctse with more iterations, nodes and depth in proportion."""
    line = {n: _mctse(iterations=n, max_nodes=n // 7, tree_depth=n // 350) for n in (3500, 17500, 35000)}
    published = {("mctse", 3500): 56989.0, ("mctse", 17500): 57236.0, ("mctse", 35000): 57693.0}
    return _points(report, out, scale, "Table 3", "iterations", {"mctse": line}, published)


def table_3_certainty(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Certainty of mctse with more iterations, nodes and depth in proportion."""
    agents = {
        str(3500 * factor): _per_action(_mctse, 1000 * factor, max_nodes=500 * factor, tree_depth=10 * factor)
        for factor in (1, 5, 10)
    }
    published = {"3500": 65.5, "17500": 82.41, "35000": 84.26}
    return _certainties(report, out, scale, "Table 3, certainty", agents, published)
