"""How far DommeAI looks: levels by time, sequences by level, and what twice the time brings."""

from pathlib import Path
from typing import Any

import numpy as np

from spielwerk.arena.pictures import new_figure, save
from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.position import View
from spielwerk.learn.run import Report
from spielwerk.studies.domme.common import OFFICIAL, SIDE, Rows, open_board, views_of_matches

SECONDS = {"quick": (0.01, 0.1, 0.25, 1.0), "full": (0.01, 0.1, 0.25, 1.0, 2.0, 5.0, 10.0)}
VIEWS = {"quick": 12, "full": 100}  # of matches
# The team's program on one core of a machine like ours, on an open board of 60 by 60 cells at speed 3
PROGRAM = {1.0: "5", 2.0: "6", 5.0: "7", 10.0: "7"}
USUAL = (7, 8)  # levels that the text calls usual
SPEEDS = (1, 3, 6)
DEEPEST = {"quick": 8, "full": 10}  # levels whose sequences are counted
BUDGETS = {"quick": (10_000, 100_000), "full": (10_000, 100_000, 1_000_000, 10_000_000)}  # nodes


def _decided(view: View, spec: str = "dommeai", **budget: Any) -> dict[str, Any]:
    return registry.agent(spec).decide(view, Budget(**budget), spawn(0)).notes


def levels(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Levels that are finished in so many seconds; the study: a depth of 7 or 8 is usual."""
    views = views_of_matches(OFFICIAL, VIEWS[scale])
    rows: Rows = []
    for number, seconds in enumerate(SECONDS[scale]):
        report(number / len(SECONDS[scale]), f"{seconds} s")
        free = _decided(open_board(3), seconds=seconds)
        depths = [_decided(view, seconds=seconds)["depth"] for view in views]
        rows.append(
            {
                "seconds": seconds,
                f"open {SIDE} x {SIDE}, speed 3": free["depth"],
                "sequences": free["nodes"],
                "in matches: median": float(np.median(depths)),
                "least": min(depths),
                "most": max(depths),
                "the team's program": PROGRAM.get(seconds, ""),
            }
        )
    figure, axes = new_figure()
    xs = [row["seconds"] for row in rows]
    axes.plot(xs, [row[f"open {SIDE} x {SIDE}, speed 3"] for row in rows], marker="o", label="ours, open board")
    axes.plot(xs, [row["in matches: median"] for row in rows], marker="s", label="ours, in matches (median)")
    axes.plot(list(PROGRAM), [int(depth) for depth in PROGRAM.values()], "kx", label="the team's program, open board")
    axes.axhspan(*USUAL, color="grey", alpha=0.2, label="the study: usual")
    axes.set_xscale("log")
    axes.set_xlabel("seconds of thought, one core")
    axes.set_ylabel("levels finished")
    axes.set_title("How far DommeAI looks ahead")
    axes.legend()
    save(figure, out / "figure.png")
    return {
        "Levels by time": rows,
        "the study": "7 levels as example, a depth of 8 as usual; its pictures show 10 and, in a dead end, 15",
    }


def sequences(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Sequences that survive by level, against 5^n; the study: up to 78,125 at 7 levels."""
    rows: Rows = []
    found: dict[int, list[int]] = {}
    for number, speed in enumerate(SPEEDS):
        before, found[speed] = 0, []
        for level in range(1, DEEPEST[scale] + 1):
            total = _decided(open_board(speed), f"dommeai:levels={level}")["nodes"]
            found[speed].append(total - before)
            before = total
        report((number + 1) / len(SPEEDS), f"speed {speed}")
    for level in range(1, DEEPEST[scale] + 1):
        row: dict[str, Any] = {"level": level, "the study: at most": 5**level}
        for speed in SPEEDS:
            row[f"speed {speed}"] = found[speed][level - 1]
            row[f"share {speed} %"] = 100 * found[speed][level - 1] / 5**level
        rows.append(row)
    figure, axes = new_figure()
    xs = list(range(1, DEEPEST[scale] + 1))
    axes.plot(xs, [5**x for x in xs], "k:", label="5^n")
    for speed in SPEEDS:
        axes.plot(xs, found[speed], marker="o", label=f"open board, speed {speed}")
    axes.set_yscale("log")
    axes.set_xlabel("level")
    axes.set_ylabel("sequences that survive")
    axes.set_title("Sequences by level")
    axes.legend()
    save(figure, out / "figure.png")
    return {
        "Sequences by level": rows,
        "the study": "5 moves, then up to 25, after 7 levels up to 78,125; three turns to the same side always collide",
        "of 125 sequences of three moves at speed 6 survive (all but three turns to one side: 123)": found[6][2],
        "growth per level at speed 3": found[3][-1] / found[3][-2],
    }


def doubling(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """How often twice the work brings no level; the study: it may not even bring one."""
    views = views_of_matches(OFFICIAL, VIEWS[scale], seed=1)
    rows: Rows = []
    for number, nodes in enumerate(BUDGETS[scale]):
        report(number / len(BUDGETS[scale]), f"{nodes} sequences")
        depths = {
            factor: np.array([_decided(view, playouts=factor * nodes)["depth"] for view in views])
            for factor in (1, 2, 4)
        }
        unfinished = [not _is_exhausted(view, int(depth)) for view, depth in zip(views, depths[1], strict=True)]
        open_ended = np.array(unfinished)
        rows.append(
            {
                "sequences": nodes,
                "levels": float(depths[1][open_ended].mean()),
                "twice as many": float(depths[2][open_ended].mean()),
                "no level more %": 100 * float((depths[2] == depths[1])[open_ended].mean()),
                "time and power twice": float(depths[4][open_ended].mean()),
                "then no level more %": 100 * float((depths[4] == depths[1])[open_ended].mean()),
                "positions": int(open_ended.sum()),
            }
        )
    return {
        "Twice the work": rows,
        "the study": "even with twice the computing power and twice the time it may not finish one level more",
    }


def _is_exhausted(view: View, depth: int) -> bool:
    """Whether nobody survives longer: there is no further level to find."""
    return depth == 0 or bool(_decided(view, f"dommeai:levels={min(depth + 1, 64)}")["depth"] <= depth)
