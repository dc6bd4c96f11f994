"""The learning curves of the run folders on this machine."""

import logging
import math
import time
from functools import lru_cache
from pathlib import Path

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.models import UNREADABLE
from spielwerk.learn.run import RunFolder, curve
from spielwerk.nets.description import Description
from spielwerk.nets.network import description_in
from spielwerk.web import messages

log = logging.getLogger("spielwerk.web")
MOST_POINTS = 400  # of a curve on the page
MOST_RUNS = 50
SILENT = 60.0  # seconds after which a run that says nothing seems to have been killed


def thinned(values: list[float], most: int = MOST_POINTS) -> list[float]:
    """Evenly chosen values, the last among them."""
    if len(values) <= most:
        return [float(value) for value in values]
    return [float(values[round(i * (len(values) - 1) / (most - 1))]) for i in range(most)]


def learning_runs(folder: Path) -> list[messages.LearningRun]:
    """The newest runs below `folder`, the newest first."""
    found = [_run(path, folder) for path in _all_folders(folder)]
    return sorted(found, key=lambda run: -run.updated)[:MOST_RUNS]


def run_folders(folder: Path) -> list[Path]:
    """The folders of the newest runs, the newest first."""
    return sorted(_all_folders(folder), key=lambda path: -_updated(RunFolder(path)))[:MOST_RUNS]


def _all_folders(folder: Path) -> list[Path]:
    return [path.parent for pattern in ("*/config.json", "*/*/config.json") for path in folder.glob(pattern)]


def described(path: Path) -> Description | None:
    """The network in a model file; None if there is none."""
    try:
        return _described(path, path.stat().st_mtime_ns)
    except (SpielwerkError, *UNREADABLE):
        return None


@lru_cache(maxsize=256)
def _described(path: Path, _changed: int) -> Description:
    return description_in(path)


def _updated(run: RunFolder) -> float:
    files = [file for file in (run.log_file, run.config_file, run.progress_file) if file.exists()]
    return max((file.stat().st_mtime for file in files), default=0.0)


def _run(path: Path, folder: Path) -> messages.LearningRun:
    """What a run folder tells; a broken one tells what is wrong with it and does not hide the others."""
    run = RunFolder(path)
    found = messages.LearningRun(name=str(path.relative_to(folder)))
    try:
        found.updated = _updated(run)
        _tell_progress(run, found)
        found.rows = len(run.rows())
        config = run.config()
        found.game, found.learner = str(config["game"]), str(config["learner"])
        found.seats, found.variant = config.get("seats"), config.get("variant")
        found.network = described(path / "model.npz") is not None
        found.across, found.up, drawn = curve(run.learner(), run)
        found.lines = [_line(label, xs, ys) for label, xs, ys in drawn]
        found.problem = run.damage() or None
    except SpielwerkError as problem:
        found.problem = str(problem)
    except Exception as problem:
        log.info("%s cannot be read", path, exc_info=True)
        found.problem = f"{type(problem).__name__}: {problem}"
    return found


def _tell_progress(run: RunFolder, found: messages.LearningRun) -> None:
    fresh = time.time() - found.updated < SILENT
    found.state = "running" if fresh else "silent"
    told = run.progress()
    if told is None:  # of a run that was begun elsewhere or before there was such a file
        return
    done = float(told.get("done", 0.0))
    found.done = min(max(done, 0.0), 1.0) if math.isfinite(done) else None
    found.line = str(told.get("line", ""))
    if told.get("ended"):
        found.state = "ended"


def _line(label: str, xs: list[float], ys: list[float]) -> messages.Line:
    points = [(x, y) for x, y in zip(xs, ys, strict=True) if math.isfinite(x) and math.isfinite(y)]
    return messages.Line(label=label, xs=thinned([x for x, _ in points]), ys=thinned([y for _, y in points]))
