"""Schubert (2023), 3.2.2 and 5.3: hyperparameters and the final agent, on the variant `thesis`.

Two agents are trained: with the published hyperparameters (`ppo --preset thesis`: five hidden layers of 1024 units, as
in the thesis' public code; its text counts seven layers) and with those of a small one that gets there on two cores
(`--preset thesis-small`). `quick` trains a share of their steps. Matches are judged as in the thesis: actions are drawn
by the policy.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spielwerk.core.agent import split_specs
from spielwerk.learn.run import Report, RunFolder
from spielwerk.studies.schubert import pictures
from spielwerk.studies.schubert.playing import (
    figures,
    forced_no_ops,
    matches,
    points_of,
    sampled,
    table,
    trained,
)
from spielwerk.studies.training import share

VARIANTS = ("thesis", "official", "official,wasted_picks=0")  # the last: without actions that were never learned
SWEEP_STEPS = {"quick": 200_000, "full": 2_000_000}
SWEEP_MATCHES = {"quick": 1000, "full": 3000}
MATCHES = {"quick": 1000, "full": 3000}
PRESETS = {"thesis-small": {"quick": 1_000_000, "full": None}, "thesis": {"quick": 20_000, "full": None}}
RUN = "run"

# By option: what is tried, and what the thesis says of it.
BASE = {
    "encoding": "thesis", "network": "256-256", "envs": "32", "n_steps": "64", "batch_size": "128", "n_epochs": "5",
    "gamma": "1", "ent_coef": "0.1", "learning_rate": "6e-4", "tests": "4",
}  # fmt: skip
SWEEPS: dict[str, tuple[tuple[str, ...], str]] = {
    "learning_rate": (("1e-4", "3e-4", "6e-4", "3e-3", "9.6e-3"), "usually 0.0003 to 0.0096; 0.0006 in the end"),
    "batch_size": (("32", "128", "512", "2048"), "128 in the end"),
    "network": (("64-64", "256-256", "512-512-512"), "as large as the problem needs; 1024 units a layer in the end"),
    "ent_coef": (("0", "0.05", "0.1", "0.3", "0.1@0.67/0"), "0.05 to 0.3, about 0.1 is best; then 0 to consolidate"),
    "gamma": (("0.5", "0.9", "1"), "0.5 to 1; 1 in the end"),
}
PUBLISHED = {"mean": 204.98, "±": None, "sd": 31.22, "median": 211.0, "best": 282.0}
STAGES = {"first stage": 192.26, "second stage": 201.04, "final": 204.98}
PEOPLE: tuple[dict[str, Any], ...] = (
    {"who": "people (published)", "mean": 175.75, "±": None, "sd": 26.75, "median": None, "best": None},
    {"who": "an advanced player (published)", "mean": 215.75, "±": None, "sd": None, "median": None, "best": None},
    {"who": "the thesis' agent (published)", **PUBLISHED},
)


def hyperparameters(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Schubert 3.2.2: learning rate, batch, network, entropy in two phases, gamma; one changed at a time."""
    game = table("thesis")
    found: dict[str, Any] = {}
    count, done = sum(len(tried) for tried, _ in SWEEPS.values()), 0
    for option, (tried, said) in SWEEPS.items():
        rows = []
        for value in tried:
            options = BASE | {option: value, "steps": str(SWEEP_STEPS[scale])}
            text = ",".join(f"{name}={chosen}" for name, chosen in options.items())
            folder = out / f"{option}-{value.replace('/', '-then-')}"
            run = trained(folder, game, text, share(report, done, count))
            told = figures(points_of(matches(game, sampled(run), SWEEP_MATCHES[scale])))
            rows.append({option: value, "points": told["mean"], "±": told["±"], "sd": told["sd"]})
            done += 1
        values = {row[option]: row["points"] for row in rows}
        pictures.bars(out / f"{option}.png", f"{option} (the thesis: {said})", values, "points", {})
        found |= {option: rows, f"{option}, the thesis": said}
    return found | {"pictures": [str(out / f"{option}.png") for option in SWEEPS]}


def final(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Schubert 5.3: the final agent by the small preset, on the variant of the thesis and by the official rules."""
    return _final(report, out, scale, "thesis-small")


def final_published(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Schubert 5.3.2: the final agent with the published network and hyperparameters (full: days without a GPU)."""
    return _final(report, out, scale, "thesis")


def histories(report: Report, out: Path, scale: str, agents: str | None = None) -> dict[str, Any]:
    """Schubert figures 19 to 22: points and forced no-ops of the final agent (or --agents), match by match."""
    [agent] = split_specs(agents)[:1] if agents else [sampled(_small(report, out, scale))]
    game = table("thesis")
    played = matches(game, agent, 1000)
    points, forced = points_of(played), forced_no_ops(game, played)
    names = []
    for number, (what, values, count) in enumerate(
        (
            ("points", points, 1000),
            ("forced no-ops", forced, 1000),
            ("points", points, 100),
            ("forced no-ops", forced, 100),
        )
    ):
        names.append(out / f"figure-{19 + number}.png")
        levels = {"the thesis": 204.98} if what == "points" else {}
        pictures.history(names[-1], f"{what} in {count} matches", values[:count], what, levels)
    shares = {str(count): float((forced == count).mean()) for count in range(int(forced.max()) + 1)}
    return {
        "points": [{"who": agent, **figures(points)}, {"who": "published", **PUBLISHED}],
        "forced no-ops per match": float(forced.mean()),
        "share of the matches by forced no-ops": shares,
        "published no-ops": "mostly at most one, sometimes two, seldom three or four",
        "decisions per match (published: about 40)": float(np.mean([len(match.log) for match in played])),
        "pictures": [str(name) for name in names],
    }


def people(report: Report, out: Path, scale: str, agents: str | None = None) -> dict[str, Any]:
    """Schubert 5.3.2: the final agent (or --agents) compared with people: 175.75, and 215.75 of an advanced one."""
    chosen = split_specs(agents) if agents else [sampled(_small(report, out, scale))]
    game = table("thesis")
    points = {agent: points_of(matches(game, agent, MATCHES[scale])) for agent in chosen}
    rows = [{"who": agent, **figures(values)} for agent, values in points.items()]
    for row, values in zip(rows, points.values(), strict=True):
        row["% above 175.75"] = 100 * float((values > 175.75).mean())
        row["% above 215.75"] = 100 * float((values > 215.75).mean())
    told = [{**row, "% above 175.75": None, "% above 215.75": None} for row in PEOPLE]
    pictures.spread(out / "people.png", "Points, and those of people", points, pictures.LEVELS)
    return {"points": rows + told, "picture": str(out / "people.png")}


# --- how it is done --------------------------------------------------------------------------------------------------


def _trained(report: Report, folder: Path, scale: str, preset: str) -> RunFolder:
    steps = PRESETS[preset][scale]
    return trained(folder, table("thesis"), f"steps={steps}" if steps else "", report, preset)


def _small(report: Report, out: Path, scale: str) -> RunFolder:
    """The small agent: that of the part `final`, if it stands beside."""
    beside = out.parent / f"schubert-final-{scale}" / RUN
    return _trained(report, beside if beside.exists() else out / RUN, scale, "thesis-small")


def _final(report: Report, out: Path, scale: str, preset: str) -> dict[str, Any]:
    run = _trained(report, out / RUN, scale, preset)
    rows: list[dict[str, Any]] = [{"variant": "thesis", "actions": "drawn", "who": "published", **PUBLISHED}]
    for variant in VARIANTS:
        for actions, agent in (("drawn", sampled(run)), ("best", f"net:model={run.path}")):
            points = points_of(matches(table(variant), agent, MATCHES[scale]))
            rows.append({"variant": variant, "actions": actions, "who": f"ppo, preset {preset}", **figures(points)})
    line = held_out(run.rows())
    pictures.curves(out / "final.png", f"ppo, preset {preset}, on the variant of the thesis", {"ours": line}, STAGES)
    return {
        "final agent": rows,
        "decisions learned from": line[-1][0] if line else 0,
        "picture": str(out / "final.png"),
    }


def held_out(rows: Sequence[dict[str, Any]]) -> list[tuple[float, float]]:
    """The points of held-out matches by the steps of a run."""
    return [(float(row["step"]), float(row["held_out"])) for row in rows if "held_out" in row]
