"""Make a small model of a training run: only the entries that learned most, half precision.

    python benchmarks/ship_ntuple.py RUN MODEL [MEGABYTES [STAGES]]

An entry has learned as much as the errors add up to that it has seen (temporal coherence keeps that sum). What was seen
little counts little: of the shipped network a third of the entries could go without a loss that shows. An entry of a
later stage that goes is looked up in the stage before. STAGES are how many stages stay, from the first on.
"""

import sys
from pathlib import Path

import numpy as np

import spielwerk as sw
from spielwerk.learn import run as runs
from spielwerk.search import ntuple_model as models


def main() -> None:
    folder, target, megabytes = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 36.0
    run = runs.RunFolder(folder)
    config = run.config()
    game = sw.game(config["game"], variant=config["variant"])
    whole = layout = run.learner().layout(models.grid_of(game), config["seed"])
    if len(sys.argv) > 4:
        layout = whole.cut_to(int(sys.argv[4]) - 1)
    checkpoint = run.checkpoint
    if checkpoint is None:
        sys.exit(f"{folder} holds no checkpoint")
    places = np.flatnonzero(np.unpackbits(np.load(checkpoint / "learned.npy"), count=len(models.new_weights(whole))))
    places = places[places < len(models.new_weights(layout))]
    learned = np.load(checkpoint / "weights.npy")[: len(places)]
    errors = np.load(checkpoint / "rates.npy")[: len(places), 1]
    share = 1.0
    while True:
        kept = errors >= np.quantile(errors, 1.0 - share)
        weights = models.new_weights(layout)
        weights[places[kept]] = learned[kept]
        models.save(target, layout, weights, models.load(str(folder), game).notes | {"kept": round(share, 3)})
        size = target.stat().st_size / 1e6
        print(f"{share:.0%} of {len(places):,} entries: {size:.1f} MB")
        if size <= megabytes:
            return
        share *= 0.98 * megabytes / size


if __name__ == "__main__":
    main()
