"""A model of a run of `ntuple`, as large as the run made it or smaller.

An entry has learned as much as the errors add up to that it has seen (temporal coherence keeps that sum). What was seen
little counts little: of the shipped network a third of the entries could go without a loss that shows. An entry of a
later stage that goes is looked up in the stage before.
"""

import io
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.models import UNREADABLE, Arrays, read_arrays
from spielwerk.core.words import number
from spielwerk.learn.run import Learned, RunFolder
from spielwerk.learn.words import say
from spielwerk.search.ntuple_model import KIND, Tables, decode, encode, new_weights

TRIMS = ("megabytes", "stages")  # how large the model may be; how many stages stay, from the first on


def model_of(run: RunFolder, trim: Mapping[str, str]) -> Learned:
    checkpoint = run.checkpoint
    if checkpoint is None:
        phrase = "{folder} holds no checkpoint; train on with --resume {folder}"
        raise SpielwerkError(say(phrase, folder=run.path))
    try:
        arrays: Arrays = read_arrays(checkpoint / "model.npz")
        tables = decode(arrays)
        if trim:
            tables, arrays = _trimmed(checkpoint, tables, **_limits(tables, trim))
    except SpielwerkError:
        raise
    except UNREADABLE as problem:
        phrase = "the checkpoint {folder} cannot be read: {problem}"
        raise SpielwerkError(say(phrase, folder=checkpoint, problem=problem)) from problem
    layout, notes = tables.layout, tables.notes
    stages = f", {1 + len(layout.stages)} stages" if layout.stages else ""
    kept = f", the better learned {notes['kept']:.0%} of its entries" if "kept" in notes else ""
    tuples = " ".join(".".join(map(str, chosen)) for chosen in layout.tuples[:8])
    more = f" and {len(layout.tuples) - 8} more" if len(layout.tuples) > 8 else ""
    return Learned(
        KIND, arrays, "ntuple:model={model}", seats=(1,), matches=notes.get("matches"), seconds=notes.get("seconds"),
        what=f"n-tuple network of {layout.judges}, {layout.entries:,} entries, tuples {tuples}{more}{stages}{kept}",
    )  # fmt: skip


def _limits(tables: Tables, trim: Mapping[str, str]) -> dict[str, float]:
    most = 1 + len(tables.layout.stages)
    try:
        megabytes, stages = float(trim.get("megabytes", "inf")), int(trim.get("stages", most))
    except ValueError as problem:
        raise SpielwerkError(say("ntuple: megabytes and stages are numbers: {problem}", problem=problem)) from None
    if not megabytes > 0.0 or not 1 <= stages <= most:
        raise SpielwerkError(say("ntuple: megabytes are more than 0, stages go from 1 to {most}", most=most))
    return {"megabytes": megabytes, "stages": stages}


def _trimmed(checkpoint: Path, whole: Tables, megabytes: float, stages: float) -> tuple[Tables, Arrays]:
    """The entries that learned most, as many as there is room for."""
    layout = whole.layout.cut_to(int(stages) - 1)
    mask = np.load(checkpoint / "learned.npy")
    places = np.flatnonzero(np.unpackbits(mask, count=layout.entries * (1 + len(whole.layout.stages))))
    places = places[places < layout.entries * stages]
    values = np.load(checkpoint / "weights.npy")[: len(places)]
    share, kept = 1.0, np.ones(len(places), np.bool_)
    while True:
        weights = new_weights(layout)
        weights[places[kept]] = values[kept]
        tables = Tables(layout, weights, whole.notes | ({"kept": round(share, 3)} if share < 1.0 else {}))
        arrays = encode(tables)
        size = _megabytes(arrays)
        if size <= megabytes:
            return tables, arrays
        if not (checkpoint / "rates.npy").exists():
            phrase = "ntuple: only a run with tc=true can be made smaller than {size} megabytes"
            raise SpielwerkError(say(phrase, size=number(size, 4)))
        if share * len(places) < 1.0:
            phrase = "ntuple: the model cannot be made smaller than {size} megabytes"
            raise SpielwerkError(say(phrase, size=number(size, 4)))
        share *= 0.98 * megabytes / size
        errors = np.load(checkpoint / "rates.npy")[: len(places), 1]
        kept = errors >= np.quantile(errors, 1.0 - share)


def _megabytes(arrays: Arrays) -> float:
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.tell() / 1e6
