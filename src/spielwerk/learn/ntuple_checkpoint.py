"""Checkpoints of n-tuple runs: the model (half precision, what agents load), and in full precision what learning needs.

model.npz         the network, with how it was trained
learned.npy       which entries were learned, as bits
weights.npy       their values
rates.npy         their sums of errors and of absolute errors (temporal coherence)
progress.json     matches, moves, seconds and the random numbers
beginnings.npz    where each thread begins its next match
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import BadJson, SpielwerkError
from spielwerk.core.files import from_json
from spielwerk.core.models import UNREADABLE
from spielwerk.learn.kernel.ntuple import LENGTH, AfterstateWorkspace
from spielwerk.learn.ntuple_schedule import Progress
from spielwerk.learn.words import say
from spielwerk.search import ntuple_model as models

if TYPE_CHECKING:
    from spielwerk.learn.ntuple_training import Training


def save(training: "Training") -> None:
    learner, game, progress = training.learner, training.game, training.progress
    with training.run.new_checkpoint() as folder:
        notes = {
            "learner": learner.spec, "game": game.spec.id, "variant": game.variant, "matches": progress.matches,
            "moves": progress.moves, "seconds": round(progress.seconds, 1),
        }  # fmt: skip
        models.save(folder / "model.npz", training.layout, training.weights, notes)
        mask = models.learned(training.layout, training.weights)
        np.save(folder / "learned.npy", np.packbits(mask))
        np.save(folder / "weights.npy", training.weights[mask])
        if len(training.rates):
            np.save(folder / "rates.npy", training.rates.reshape(-1, 2)[mask])
        (folder / "progress.json").write_bytes(msgspec.json.encode(progress))
        kept = _beginnings(worker.workspace for worker in training.workers)
        np.savez(folder / "beginnings.npz", **kept)  # type: ignore[arg-type]


def load_progress(folder: Path) -> Progress:
    try:
        return from_json((folder / "progress.json").read_bytes(), Progress)
    except (OSError, BadJson) as problem:
        raise _unreadable(folder, problem) from problem


def load_tables(training: "Training", folder: Path) -> None:
    try:
        _fill_tables(training, folder, 1 + len(training.layout.stages))
    except (OSError, EOFError, ValueError) as problem:
        raise _unreadable(folder, problem) from problem


def take_over(training: "Training") -> None:
    """Begin with the tables of another run."""
    folder, stages = training.learner.first_tables(training.game, training.limits.seed)
    try:
        _fill_tables(training, folder, stages)
    except (OSError, EOFError, ValueError) as problem:
        phrase = "warm_start={folder}: its checkpoint cannot be read: {problem}"
        raise SpielwerkError(say(phrase, folder=training.learner.warm_start, problem=problem)) from problem


def load_beginnings(training: "Training", folder: Path) -> None:
    """Where the next matches begin; threads that are new, and runs of older versions, begin with a whole match."""
    file = folder / "beginnings.npz"
    if not file.exists():
        return
    try:
        with np.load(file) as stored:
            kept = dict(stored)
    except UNREADABLE as problem:
        phrase = "the checkpoint {folder} cannot be read: {problem}; take {file} away"
        raise SpielwerkError(say(phrase, folder=folder, problem=problem, file=file)) from problem
    for thread, work in enumerate(worker.workspace for worker in training.workers):
        if work is None or thread >= len(kept["marks"]) or kept["middles"].dtype != work.episode.dtype:
            continue
        work.marks[:], work.remembered[:] = kept["marks"][thread], kept["remembered"][thread]
        work.memory[:] = kept["memories"][thread]
        if "walked" in kept:  # older versions did not count
            work.walked[:] = kept["walked"][thread]
        work.episode[work.marks[LENGTH] // 2] = kept["middles"][thread]


def _fill_tables(training: "Training", folder: Path, stages: int) -> None:
    count = stages * training.layout.entries
    places = np.flatnonzero(np.unpackbits(np.load(folder / "learned.npy"), count=count))
    training.weights[places] = np.load(folder / "weights.npy")
    if len(training.rates):
        training.rates.reshape(-1, 2)[places] = np.load(folder / "rates.npy")


def _beginnings(workspaces: Iterable[AfterstateWorkspace | None]) -> dict[str, NDArray[Any]]:
    """What a thread must know to begin its next match: the middle of the last one, and the carousel's memory."""
    known = [work for work in workspaces if work is not None]
    if not known:
        return {}
    return {
        "marks": np.stack([work.marks for work in known]),
        "middles": np.stack([np.asarray(work.episode[work.marks[LENGTH] // 2]) for work in known]),
        "remembered": np.stack([work.remembered for work in known]),
        "walked": np.stack([work.walked for work in known]),
        "memories": np.stack([np.asarray(work.memory) for work in known]),
    }


def _unreadable(folder: Path, problem: Exception) -> SpielwerkError:
    phrase = "the checkpoint {folder} cannot be read: {problem}; take it away to begin the run anew"
    return SpielwerkError(say(phrase, folder=folder, problem=problem))
