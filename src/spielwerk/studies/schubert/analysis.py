"""What the thesis' outlook asks for: how agents and people come to their points.

By area: points and cells; foxes and what they pay; how the points rate; in which rounds re-rolls and +1 are spent. All
of it is in the last state of a match, so records serve as well as matches that are played for it: those of people are
downloaded from the browser, or come from `spielwerk replay --export`.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from spielwerk.arena.workers import match_seed
from spielwerk.core import registry
from spielwerk.core.agent import split_specs
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.match import Record, replay, table_of
from spielwerk.core.position import States
from spielwerk.core.running import run_many
from spielwerk.games.clever.kernel.thesis import areas_of
from spielwerk.games.clever.sheets import AREAS, SHEETS
from spielwerk.learn.run import Report
from spielwerk.studies.schubert import pictures
from spielwerk.studies.schubert.playing import FRESH, figures

AGENTS = "random,greedy"
VARIANTS = ("official", "thesis")
MATCHES = {"quick": 300, "full": 3000}
TIERS = (
    (0, "< 140: first steps"),
    (140, "140: practising"),
    (160, "160: fair"),
    (180, "180: good"),
    (200, "200: very good"),
    (220, "220: strong"),
    (240, "240: *** expert"),
    (260, "260: **** master"),
    (281, "> 280: ***** beyond"),
)
Seats = list[tuple[Game, States, int]]  # tables, last states, seats


def analysis(
    report: Report, out: Path, scale: str, agents: str | None = None, records: Path | None = None
) -> dict[str, Any]:
    """Strategies: points and cells by area, foxes, ratings, when re-rolls and +1 are spent; --agents, --records."""
    groups: dict[str, Seats] = _recorded(records) if records is not None else {}
    chosen = split_specs(agents if agents is not None else "" if records is not None else AGENTS)
    for number, agent in enumerate(chosen):
        for variant in VARIANTS:
            groups[f"{short(agent)}, {variant}"] = _played(agent, variant, MATCHES[scale])
        report((number + 1) / len(chosen), agent)
    profiles = {name: profile_of(seats) for name, seats in groups.items()}
    pictures.profile(
        out / "analysis.png",
        {name: found["points by area"] for name, found in profiles.items()},
        {name: {"re-rolls": found["re-rolls"], "+1": found["+1"]} for name, found in profiles.items()},
    )
    return {
        "points": [{"who": name, "matches": found["matches"], **found["figures"]} for name, found in profiles.items()],
        **{
            what: [{"who": name, **found[what]} for name, found in profiles.items()]
            for what in ("points by area", "cells by area", "ratings, % of the matches")
        },
        **{
            f"{what} spent by round": [
                {"who": name} | {f"round {1 + number}": value for number, value in enumerate(found[what])}
                for name, found in profiles.items()
            ]
            for what in ("re-rolls", "+1")
        },
        "picture": str(out / "analysis.png"),
    }


def profile_of(seats: Seats) -> dict[str, Any]:
    """What the last states of matches say of those who sat there."""
    areas = np.array([_areas(game, state, seat) for game, state, seat in seats])
    own = [(state[0], seat) for _, state, seat in seats]
    foxes = np.array([int(state["foxes"][seat]) for state, seat in own])
    by_foxes = foxes * areas.min(axis=1)
    total = (areas.sum(axis=1) + by_foxes).astype(float)
    cells = np.array([_cells(state, seat) for state, seat in own])
    return {
        "matches": len(seats),
        "figures": figures(total),
        "points by area": _means(areas) | {"foxes": float(by_foxes.mean())},
        "cells by area": _means(cells) | {"foxes": float(foxes.mean())},
        "ratings, % of the matches": ratings(total),
        "re-rolls": np.mean([state["rerolls_spent"][seat] for state, seat in own], axis=0).tolist(),
        "+1": np.mean([state["extras_spent"][seat] for state, seat in own], axis=0).tolist(),
    }


def short(agent: str) -> str:
    """An agent without the folders of its model."""
    return re.sub(r"[^=,@()]*/", "", agent)


def ratings(points: Any) -> dict[str, float]:
    """The share of the matches in every step of the scale in the rule book, in percent."""
    steps = np.digitize(points, [lowest for lowest, _ in TIERS[1:]])
    return {name: 100 * float((steps == step).mean()) for step, (_, name) in enumerate(TIERS)}


def _means(columns: Any) -> dict[str, float]:
    return dict(zip(AREAS, columns.mean(axis=0).tolist(), strict=True))


def _areas(game: Game, state: States, seat: int) -> list[int]:
    out = np.zeros((1, len(AREAS)), np.int64)
    game.call(areas_of, state, seat, out)
    return [int(points) for points in out[0]]


def _cells(state: Mapping[str, Any], seat: int) -> list[int]:
    """Marked cells of every area, without those that are printed."""
    sheet = SHEETS[int(state["sheet"])]
    crossed = [
        int(state[area][seat]).bit_count() - grid.count(0)
        for area, grid in (("yellow", sheet.yellow), ("blue", sheet.blue))
    ]
    return crossed + [int(state[row][seat]) for row in ("green", "orange_count", "purple_count")]


def _played(agent: str, variant: str, count: int) -> Seats:
    game = registry.game("clever", 1, variant)
    seeds = [match_seed(FRESH, number) for number in range(count)]
    return [(game, match.final, 0) for match in run_many(game, [registry.agent(agent)], seeds)]


def _recorded(folder: Path) -> dict[str, Seats]:
    """Finished matches of this game in records, by who sat there."""
    files = sorted(folder.glob("*.json")) if folder.is_dir() else [folder]
    groups: dict[str, Seats] = {}
    for file in files:
        record = Record.load(file)
        if record.header.game != "clever" or record.result is None or record.result.forfeit is not None:
            continue
        game = table_of(record.header)
        last = replay(record, game)[-1].state
        for seat in range(game.seats):
            who = f"{short(record.header.agents[seat])}, {game.variant}"
            groups.setdefault(who, []).append((game, last, seat))
    if not groups:
        raise SpielwerkError(f"there is no record (*.json) of a finished match of clever in {folder}")
    return groups
