"""Janetzki (2021), "Die Würfel sind gefallen: Strategieoptimierung des Spieles Qwixx durch maschinelles Lernen",
Junge Wissenschaft: the experiments of chapter 5 with the `evolve` learner, under the rules of the study's engine.

Every run is a run folder below the study's folder and is not repeated if it is there already. `quick` makes fewer runs
of figures 7 and 8. The study prints its curves as pictures; what its text says of them stands beside ours. Strategies
of figures 6 and 7 have degree 2 and five matches per generation, as in the study's public trainer
(sjanetzki/qwixx-trainer). Figure 11 (against a human) cannot be repeated.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spielwerk.core import registry
from spielwerk.games.qwixx.learn.evolve import Evolve, champion_of, generations_of
from spielwerk.games.qwixx.players.polynomial import ALPHAQWIXX, quality
from spielwerk.learn import run as runs
from spielwerk.learn.run import Report, RunFolder
from spielwerk.studies import Study

Rows = list[dict[str, Any]]


RUNS = {"quick": 2, "full": 5}  # of every setting in figures 7 and 8


def evolved(folder: Path, options: dict[str, str], preset: str, seed: int, report: Report) -> Rows:
    """The generations of one run."""
    learner = runs.learner("evolve:" + ",".join(f"{key}={value}" for key, value in options.items()), preset)
    assert isinstance(learner, Evolve)
    if RunFolder(folder).config_file.exists():
        return generations_of(runs.resume(folder, report=report))
    table = registry.game("qwixx", learner.group, "study")
    return generations_of(runs.train(table, learner, folder, seed=seed, report=report))


def part(report: Report, number: int, of: int) -> Report:
    """Progress of one run among several."""
    return lambda done, line: report((number + done) / of, line)


def draw(
    path: Path,
    title: str,
    lines: Sequence[tuple[str, Rows, str]],
    marks: Sequence[float] = (),
    levels: Mapping[str, float] | None = None,
    said: Mapping[str, float] | None = None,
) -> None:
    """Curves over generations: (label, rows, which figure).

    `marks` are generations with new strategies, `levels` published means, `said` generations of which the text speaks.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    for label, rows, name in lines:
        axes.plot([row["generation"] for row in rows], [row[name] for row in rows], label=label, linewidth=1.2)
    for number, mark in enumerate(marks):
        axes.axvline(
            mark, color="grey", alpha=0.25, linewidth=0.8, label=None if number else "new strategy by recombination"
        )
    for number, (label, level) in enumerate((levels or {}).items()):
        axes.axhline(level, color=f"C{number}", linestyle=":", label=f"published {label}: {level}")
    for label, generation in (said or {}).items():
        axes.axvline(generation, color="black", linestyle="--", linewidth=0.8, label=f"the study: {label}")
    axes.set_xlabel("generation")
    axes.set_ylabel("points")
    axes.set_title(title)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)


def late(rows: Rows, name: str = "mean") -> float:
    """The mean over the last fifth of the generations."""
    last = rows[-max(len(rows) // 5, 1) :]
    return float(np.mean([row[name] for row in last]))


LEVEL = "alike, level from about generation 35"
PUBLISHED_6 = {
    "a": ("alike", "alike", "alike", "rises more slowly, higher from generation 35, rising from 81"),
    "b": (LEVEL, LEVEL, LEVEL, LEVEL),
}


def figure_6(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Janetzki figure 6: four runs under equal conditions, with and without mutation."""
    found: Rows = []
    for letter, preset in (("a", "figure-6a"), ("b", "figure-6b")):
        lines = []
        for seed in range(4):
            number = len(found)
            rows = evolved(out / f"{letter}-{seed + 1}", {}, preset, seed, part(report, number, 8))
            lines.append((f"run {seed + 1}", rows, "mean"))
            after_35 = float(np.mean([row["mean"] for row in rows[34:69]]))
            found.append(
                {
                    "figure": f"6{letter}", "run": seed + 1, "first": rows[0]["mean"],
                    "generations 35 to 69": after_35, "late mean": late(rows), "the study": PUBLISHED_6[letter][seed],
                }
            )  # fmt: skip
        draw(
            out / f"figure-6{letter}.png",
            f"Figure 6{letter}: {'mutation 0.05' if letter == 'a' else 'no mutation'}",
            lines,
            said={"a": {"run 4 rises from here": 81.0}, "b": {"hardly any change from here": 35.0}}[letter],
        )
    return {
        "runs": found,
        "the study found": "curves of equal runs are alike; only mutation changes their course",
        "spread of the late means, 6a": float(np.ptp([row["late mean"] for row in found[:4]])),
        "spread of the late means, 6b": float(np.ptp([row["late mean"] for row in found[4:]])),
    }


def figure_7(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Janetzki figure 7: groups of two and of five."""
    found: Rows = []
    lines = []
    cases = [(group, seed) for group in (2, 5) for seed in range(RUNS[scale])]
    for number, (group, seed) in enumerate(cases):
        rows = evolved(
            out / f"group-{group}-{seed + 1}",
            {"group": str(group)},
            "figure-7",
            seed,
            part(report, number, len(cases)),
        )
        lines.append((f"groups of {group}, run {seed + 1}", rows, "mean"))
        published = {2: "below groups of 5", 5: "above groups of 2"}[group]
        found.append({"group": group, "run": seed + 1, "late mean": late(rows), "the study": published})
    draw(out / "figure-7.png", "Figure 7: size of the groups", lines)
    pairs = [(found[seed]["late mean"], found[seed + RUNS[scale]]["late mean"]) for seed in range(RUNS[scale])]
    return {
        "runs": found,
        "the study found": "larger groups score higher (one run each)",
        "runs in which groups of 5 end higher": f"{sum(five > two for two, five in pairs)} of {len(pairs)}",
    }


def figure_8(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Janetzki figure 8 and 5.3.2: strategies of degree 1, 2 and 3."""
    found: Rows = []
    lines = []
    cases = [(degree, seed) for degree in (1, 2, 3) for seed in range(RUNS[scale])]
    published = {
        1: "rises fastest, ends highest",
        2: "lower; near degree 1 from generation 181",
        3: "worse, soon level",
    }
    for number, (degree, seed) in enumerate(cases):
        rows = evolved(
            out / f"degree-{degree}-{seed + 1}", {"degree": str(degree)}, "figure-8", seed,
            part(report, number, len(cases)),
        )  # fmt: skip
        lines.append((f"degree {degree}, run {seed + 1}", rows, "mean"))
        early = rows[: max(len(rows) // 5, 1)]
        found.append(
            {
                "degree": degree,
                "run": seed + 1,
                "early mean": float(np.mean([r["mean"] for r in early])),
                "late mean": late(rows),
                "the study": published[degree],
            }
        )
    said = {"degrees 1 and 2 are close from here": 181.0}
    draw(out / "figure-8.png", "Figure 8: degree of the strategies", lines, said=said)
    return {"runs": found, "the study found": "degree 1 rises faster and ends higher than degree 2, degree 3 is worst"}


PUBLISHED_9 = {
    "A": {
        "mean": 72.4,
        "lowest": 22,
        "highest": 127,
        "mean of maxima": 88.5,
        "lowest maximum": 29,
        "highest maximum": 166,
    },
    "B": {
        "mean": 36.1,
        "lowest": 21,
        "highest": 56,
        "mean of maxima": 91.0,
        "lowest maximum": 55,
        "highest maximum": 136,
    },
}


PUBLISHED_CURVES = {"mean": "mean", "best": "mean of maxima"}


def figure_9(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Janetzki figure 9: AlphaQwixx among copies (run A) and among random newcomers (run B)."""
    found, rows_of, champions = [], {}, {}
    for number, (name, preset) in enumerate((("A", "run-a"), ("B", "run-b"))):
        rows = evolved(out / f"run-{name}", {}, preset, 0, part(report, number, 2))
        rows_of[name] = rows
        means, maxima = [row["mean"] for row in rows], [row["best"] for row in rows]
        ours = {
            "mean": float(np.mean(means)), "lowest": min(means), "highest": max(means),
            "mean of maxima": float(np.mean(maxima)), "lowest maximum": min(maxima), "highest maximum": max(maxima),
        }  # fmt: skip
        found += [{"run": f"{name}, ours", **ours}, {"run": f"{name}, published", **PUBLISHED_9[name]}]
        champions[name] = champion_of(RunFolder(out / f"run-{name}"))
    fresh = [row["generation"] for row in rows_of["B"] if row["new_strategies"]]
    marks = fresh if len(fresh) < len(rows_of["B"]) / 4 else []  # a line at almost every generation says nothing
    curves = [
        (f"{what}, run {name}", rows_of[name], key)
        for name in "AB"
        for what, key in (("mean", "mean"), ("best", "best"))
    ]
    levels = {f"{what}, run {name}": PUBLISHED_9[name][key] for name in "AB" for what, key in PUBLISHED_CURVES.items()}
    draw(out / "figure-9a.png", "Figure 9a: runs A and B", curves, marks, levels)
    close = [(label, [row for row in rows if 30 <= row["generation"] <= 80], key) for label, rows, key in curves]
    draw(out / "figure-9b.png", "Figure 9b: generations 30 to 80", close, [mark for mark in marks if 30 <= mark <= 80])
    steps = {name: float(-champion[1, 1] / champion[1, 0]) for name, champion in champions.items()}
    return {
        "runs": found,
        "generations with a new strategy by recombination, run B": len(fresh),
        "champion of run B is still AlphaQwixx": bool(np.allclose(champions["B"], ALPHAQWIXX)),
        "steps per cross of the champions (AlphaQwixx: 0.5)": steps,
    }


def figure_10(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Janetzki figure 10: how AlphaQwixx judges a 5 in each row."""
    before = [1, 2, 1, 3, 1, 12, 2, 10, 0]
    published = {"red": 1.5, "yellow": 2.3, "green": -1.5, "blue": 0.0}
    rows = []
    for row, (colour, printed) in enumerate(published.items()):
        after = list(before)
        after[2 * row] += 1
        after[2 * row + 1] = 5
        rows.append(
            {"row": colour, "situation": str(after), "quality": quality(ALPHAQWIXX, after), "published": printed}
        )
        report((row + 1) / 4, colour)
    game = registry.game("qwixx", 2, "study")
    position = game.opening(0).happen("seat 0 begins")
    for row, numbers in enumerate(((2,), (3,), (12,), (12, 10))):
        for number in numbers:
            place = number - 2 if row < 2 else 12 - number
            position.state["crosses"][0, 1, row] |= 1 << place
            position.state["reach"][0, 1, row] = place + 1
            position.state["count"][0, 1, row] += 1
    position.happen("2+3 red 1 yellow 1 green 6 blue 6")
    (out / "figure-10.svg").write_text(position.view(1).svg)
    return {"crossing a 5": rows}


STUDY = Study(
    title="Janetzki (2021): Die Würfel sind gefallen: Strategieoptimierung des Spieles Qwixx durch maschinelles Lernen",
    source="Junge Wissenschaft",
    parts={
        "figure-6": figure_6,
        "figure-7": figure_7,
        "figure-8": figure_8,
        "figure-9": figure_9,
        "figure-10": figure_10,
    },
)
