"""The learning curves of the run folders on this machine."""

import time
from pathlib import Path
from typing import Any

from spielwerk.core.errors import SpielwerkError
from spielwerk.learn.run import RunFolder, learner
from spielwerk.web import messages

MOST_POINTS = 400  # of a curve on the page
MOST_RUNS = 50
SILENT = 60.0  # seconds after which a run that says nothing seems to have been killed


def thinned(values: list[float], most: int = MOST_POINTS) -> list[float]:
    """Evenly chosen values, the last among them."""
    if len(values) <= most:
        return [float(value) for value in values]
    return [float(values[round(i * (len(values) - 1) / (most - 1))]) for i in range(most)]


def learning_runs(folder: Path) -> list[messages.LearningRun]:
    """All runs below `folder`, the newest first."""
    places = [path.parent for path in folder.glob("*/config.json")] + [
        path.parent for path in folder.glob("*/*/config.json")
    ]
    found = [_run(path, folder) for path in places]
    return sorted(found, key=lambda run: -run.updated)[:MOST_RUNS]


def _progress(run: RunFolder, updated: float) -> dict[str, Any]:
    """How far a run is: done, line and state."""
    told = run.progress()
    fresh = time.time() - updated < SILENT
    if told is None:  # of a run that was begun elsewhere or before there was such a file
        return {"done": None, "line": "", "state": "running" if fresh else "silent"}
    state = "ended" if told.get("ended") else "running" if fresh else "silent"
    return {"done": min(max(float(told.get("done", 0.0)), 0.0), 1.0), "line": str(told.get("line", "")), "state": state}


def _run(path: Path, folder: Path) -> messages.LearningRun:
    run = RunFolder(path)
    name = str(path.relative_to(folder))
    files = [file for file in (run.log_file, run.config_file, run.progress_file) if file.exists()]
    updated = max((file.stat().st_mtime for file in files), default=0.0)
    across, up, lines, problem = "", "", [], None
    config: dict[str, object] = {}
    try:
        config = run.config()
        across, up, drawn = learner(str(config["learner"])).curve(run)
        lines = [messages.Line(label=label, xs=thinned(list(xs)), ys=thinned(list(ys))) for label, xs, ys in drawn]
    except (SpielwerkError, KeyError, TypeError) as raised:
        problem = str(raised)
    return messages.LearningRun(
        name=name,
        game=str(config.get("game", "")),
        learner=str(config.get("learner", "")),
        across=across,
        up=up,
        lines=lines,
        rows=len(run.rows()),
        **_progress(run, updated),
        updated=updated,
        problem=problem,
    )
