"""Schubert (2023), 5.1: the prototype, which is the yellow area alone with ten rolls.

Rows and columns pay; 86 points are the most that ten crosses can bring. The thesis shows twenty matches per figure and
names means in its text. Its first prototypes counted points twice (figure 11), which is not repeated.
"""

from pathlib import Path
from typing import Any

import numpy as np

from spielwerk.core.models import write_arrays
from spielwerk.learn.run import Report
from spielwerk.nets.network import encode
from spielwerk.studies.schubert import pictures
from spielwerk.studies.schubert.playing import (
    figures,
    forced_no_ops,
    last_network,
    matches,
    points_of,
    sampled,
    table,
    trained,
    without_mask,
)
from spielwerk.studies.training import share

MOST = 86  # points of ten crosses
STEPS = {"quick": 200_000, "full": 2_000_000}
MATCHES = {"quick": 500, "full": 3000}
SMALL = (
    "encoding=thesis,network=128-128,envs=64,n_steps=32,batch_size=512,learning_rate=1e-3..0,gamma=1,ent_coef=0.01..0,"
    "reward_scale=10,tests=5"  # so an illegal action costs ten points
)

PUBLISHED_DICE: dict[int, tuple[float | None, str]] = {
    1: (None, "not named"),
    2: (65.0, "1 to 2 per match (figure 15)"),
    4: (80.0, "rare (figure 16); points after optimising (figure 17): a little more than 80"),
}
PUBLISHED_ILLEGAL: dict[str, tuple[float | None, str]] = {
    "end": (None, "mostly 0 to 2 points: most matches end at once (figure 12)"),
    "penalty": (50.0, "about 50, 60 % of the maximum (figure 13)"),
    "mask": (65.0, "about 65, 75 % of the maximum (figure 14)"),
}


def dice(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Schubert 5.1.3 and 5.1.4: the prototype with one, two and four dice; points and forced no-ops."""
    rows = []
    for number, (count, (published, no_ops)) in enumerate(PUBLISHED_DICE.items()):
        game = table(f"yellow,yellow_dice={count}")
        run = trained(out / f"dice-{count}", game, f"{SMALL},steps={STEPS[scale]}", share(report, number, 3))
        played = matches(game, sampled(run), MATCHES[scale])
        found = figures(points_of(played))
        best = points_of(matches(game, f"net:model={run.path}", MATCHES[scale]))
        rows.append(
            {
                "dice": count, "points": found["mean"], "±": found["±"], "published": published,
                "% of 86": 100 * found["mean"] / MOST, "highest": found["best"], "argmax": float(best.mean()),
                "forced no-ops per match": float(forced_no_ops(game, played).mean()), "published no-ops": no_ops,
            }
        )  # fmt: skip
    names = {f"{row['dice']} dice": row for row in rows}
    for picture, what in (("points", "points"), ("forced", "forced no-ops per match")):
        published_values = {name: row["published"] if what == "points" else None for name, row in names.items()}
        values = {name: row[what] for name, row in names.items()}
        pictures.bars(out / f"{picture}.png", "The prototype", values, what, published_values)
    return {"prototype": rows, "pictures": [str(out / "points.png"), str(out / "forced.png")]}


def illegal(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Schubert 5.1.1 and 5.1.2: an illegal action ends the match, costs, or is masked (two dice)."""
    game = table("yellow,yellow_dice=2")
    rows = []
    for number, (way, (published, text)) in enumerate(PUBLISHED_ILLEGAL.items()):
        options = f"{SMALL},illegal={way},steps={STEPS[scale]}"
        run = trained(out / way, game, options, share(report, number, len(PUBLISHED_ILLEGAL)))
        network = last_network(run)
        write_arrays(out / f"{way}.npz", encode(network))
        masked = points_of(matches(game, f"net:model={out / way}.npz,temperature=1", MATCHES[scale]))
        found, wrong = masked, np.zeros(1)
        if way != "mask":
            found, wrong = without_mask(game, network, MATCHES[scale], ends=way == "end")
        told = figures(found)
        rows.append(
            {
                "illegal action": way, "points": told["mean"], "±": told["±"], "% of 86": 100 * told["mean"] / MOST,
                "illegal actions per match": float(wrong.mean()), "the same network, masked": float(masked.mean()),
                "highest": float(found.max()), "published": published, "the thesis": text,
            }
        )  # fmt: skip
    values = {row["illegal action"]: row["points"] for row in rows}
    marks = {row["illegal action"]: row["published"] for row in rows}
    pictures.bars(out / "illegal.png", "What an illegal action does", values, "points", marks)
    return {"illegal actions": rows, "picture": str(out / "illegal.png")}
