"""Kutsch (2017): the TD-NTuple agent of chapter 6, figures 17 and 25 to 29, and why its training curve collapsed.

The thesis trained with 1,000,000 matches for the curves (17, 29) and 100,000 for every point of the sweeps (25 to 28);
`full` does the same, `quick` a small share of it. It gives the figures as pictures only; the numbers in its text stand
beside ours where there are any. What its framework (GBG) does beyond the formulas of the thesis was read in its public
source of 2017 and is said in learn.kernel.ntuple_thesis. Whether the thesis used the symmetries of the board is not
known; here it does not, since the framework then applies every update eight times and learns next to nothing.
"""

from collections.abc import Mapping
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.running import run_many
from spielwerk.learn import run as runs
from spielwerk.learn.run import Report, RunFolder

SWEEP_MATCHES = {"quick": 20_000, "full": 100_000}
CURVE_MATCHES = {"quick": 100_000, "full": 1_000_000}
COLLAPSE_MATCHES = {"quick": 15_000, "full": 200_000}
FINAL_GREEDY_SHARE = 0.25  # share of the matches without random moves, at the end of the runs that show the collapse
JUDGED_MATCHES = {"quick": 100, "full": 1000}

EPSILONS = (0.0, 0.2, 0.4, 0.65, 0.8, 1.0)
ALPHAS = (0.0001, 0.001, 0.003, 0.01, 0.03, 0.1)
GAMMAS = (0.5, 0.8, 0.95, 0.99, 1.0)
TRACE_DECAYS = (0.0, 0.25, 0.5, 0.75, 1.0)


def figure_17(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Training curve with the end score as reward (method 1); the thesis: rises to 33,000, then falls to 1,040."""
    return _curve(report, out, scale, "end", "figure 17", "best 29,900; the curve falls from almost 33,000 to 1,040")


def figure_29(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Training curve with the score difference as reward (method 2); the thesis says less, its figure 29 shows it."""
    return _curve(report, out, scale, "difference", "figure 29", "no number in the text")


def figure_25(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Points after training for different epsilon; the thesis: about 0.65 is best."""
    return _sweep(report, out, scale, "epsilon", EPSILONS, "figure 25", "best near 0.65")


def figure_26(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Points after training for different alpha; the thesis: about 0.001 is best."""
    return _sweep(report, out, scale, "alpha", ALPHAS, "figure 26", "best near 0.001")


def figure_27(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Points after training for different gamma; the thesis: 1 is best."""
    return _sweep(report, out, scale, "gamma", GAMMAS, "figure 27", "best at 1")


def figure_28(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Points after training for different lambda; the thesis: 1 is best."""
    return _sweep(report, out, scale, "trace_decay", TRACE_DECAYS, "figure 28", "best at 1")


def collapse(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Why the thesis' curve fell to random play at its end: the traces run through random moves that are not learned.

    With lambda 1 the errors of a match add up to its end score minus the first value. The framework leaves out those of
    the random moves, which mostly lose value; so every match teaches too much, and the values grow to the limit of the
    tanh, thousands of times the true ones. Play gets better all the same. When the random moves end (epsilon 0), the
    errors add up, all values fall back towards the true ones, and with them goes what was learned: random play.
    Shown by leaving out one cause at a time. Not shown: the height of the thesis' curve.
    """
    ways: dict[str, dict[str, Any]] = {
        "as the framework": {},
        "random moves are learned": {"exploratory_moves": "learned"},
        "traces are cut at random moves": {"exploratory_moves": "cut"},
        "no traces (lambda 0)": {"trace_decay": 0.0},
        "no random moves (epsilon 0)": {"epsilon": 0.0},
        "no tanh": {"squash": "false"},
    }
    game = registry.game("2048")
    rows, curves = [], {}
    for number, (label, options) in enumerate(ways.items()):
        options = {"matches": COLLAPSE_MATCHES[scale], "final_greedy_share": FINAL_GREEDY_SHARE, **options}
        run = _train(game, out / f"collapse-{number}", options, _part(report, number, len(ways)))
        log = run.rows()
        weights = [row["largest_weight"] for row in log]
        half = log[len(log) // 2]
        rows.append(
            {
                "way": label,
                "best mean": max(_smoothed(log)),
                "last mean": _smoothed(log)[-1],
                "largest entry": None if None in weights else max(weights),
                "errors learned per match": half["taught"],
                "left out": half["left_out"],
                "at the end": log[-1]["taught"],
            }
        )
        curves[label] = log
    _draw_collapse(curves, (1.0 - FINAL_GREEDY_SHARE) * COLLAPSE_MATCHES[scale], out / "collapse.png")
    return {
        "collapse": rows,
        "published": "rises to almost 33,000, then falls to about 1,040 (random play) at the end of training",
        "picture": str(out / "collapse.png"),
    }


# --- how it is done --------------------------------------------------------------------------------------------------


def _train(game: Game, folder: Path, options: Mapping[str, Any], report: Report) -> RunFolder:
    """A run with the thesis' settings but for `options`; one that is already there is continued."""
    run = RunFolder(folder)
    learner = runs.learner("ntuple:" + ",".join(f"{name}={value}" for name, value in options.items()), "thesis")
    if run.config_file.exists():
        if run.learner().spec != learner.spec:
            raise SpielwerkError(f"{folder} holds a run with other options; choose another --out")
        return runs.resume(folder, report=report)
    return runs.train(game, learner, folder, report=report)


def _judged(game: Game, run: RunFolder, matches: int) -> tuple[float, float]:
    """Mean points without random moves, and half of the 95 % interval."""
    agent = registry.agent(f"ntuple:model={run.path}")
    points = [played.scores[0] for played in run_many(game, [agent], range(matches))]
    return fmean(points), 1.96 * stdev(points) / matches**0.5


def _curve(report: Report, out: Path, scale: str, way: str, figure: str, published: str) -> dict[str, Any]:
    game = registry.game("2048")
    options = {"learn": way, "matches": CURVE_MATCHES[scale]}
    run = _train(game, out / way, options, report)
    log = run.rows()
    mean, half = _judged(game, run, JUDGED_MATCHES[scale])
    picture = out / f"{figure.replace(' ', '-')}.png"
    _draw({way: ([row["matches"] for row in log], _smoothed(log))}, "matches", "points", picture)
    return {
        figure: [
            {"matches": CURVE_MATCHES[scale], "best mean in training": max(_smoothed(log)),
             "last mean in training": _smoothed(log)[-1], "points after training": mean, "±": half}
        ],
        "published": published,
        "picture": str(picture),
    }  # fmt: skip


def _sweep(
    report: Report, out: Path, scale: str, option: str, choices: tuple[float, ...], figure: str, published: str
) -> dict[str, Any]:
    game = registry.game("2048")
    rows = []
    for number, choice in enumerate(choices):
        options = {"trace_decay": 0.0, "matches": SWEEP_MATCHES[scale], option: choice}
        run = _train(game, out / f"{option}-{choice}", options, _part(report, number, len(choices)))
        mean, half = _judged(game, run, JUDGED_MATCHES[scale])
        rows.append({option: choice, "points after training": mean, "±": half})
    picture = out / f"{figure.replace(' ', '-')}.png"
    _draw({option: (list(choices), [row["points after training"] for row in rows])}, option, "points", picture)
    return {figure: rows, "published": published, "picture": str(picture)}


def _part(report: Report, number: int, count: int) -> Report:
    return lambda done, line: report((number + done) / count, line)


def _smoothed(log: list[dict[str, Any]], window: int = 5) -> list[float]:
    """Means over the last lines of the log."""
    means = [float(row["mean"]) for row in log]
    return [fmean(means[max(0, i - window + 1) : i + 1]) for i in range(len(means))]


def _draw(lines: Mapping[str, tuple[list[float], list[float]]], across: str, up: str, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    for label, (xs, ys) in lines.items():
        axes.plot(xs, ys, marker="o" if len(xs) < 20 else None, label=label)
    if across == "alpha":
        axes.set_xscale("log")
    axes.set_xlabel("lambda" if across == "trace_decay" else across)
    axes.set_ylabel(up)
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def _draw_collapse(curves: Mapping[str, list[dict[str, Any]]], greedy_from: float, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 7), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    for label, log in curves.items():
        matches = [row["matches"] for row in log]
        above.plot(matches, _smoothed(log), label=label)
        weights = [row["largest_weight"] for row in log]
        finite = [(x, y) for x, y in zip(matches, weights, strict=True) if y]
        below.plot([x for x, _ in finite], [y for _, y in finite], label=label)
    above.set_ylabel("points")
    above.axhline(1040, color="black", linestyle=":", label="random play")
    above.set_ylim(bottom=0)
    above.legend(loc="upper left", fontsize="small")
    below.set_ylabel("largest entry (share of the highest score)")
    below.set_yscale("log")
    below.set_ylim(1e-6, 10.0)
    below.set_xlabel("matches")
    for axes in (above, below):
        axes.grid(alpha=0.3)
        axes.axvline(greedy_from, color="grey", linestyle="--")
    below.text(greedy_from, 2e-6, "random moves end ", color="grey", horizontalalignment="right")
    figure.savefig(path, dpi=90)
