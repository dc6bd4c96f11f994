"""What the thesis' outlook asks for: how agents and people come to their points.

By area: points and cells; foxes and what they pay; how the points rate; in which rounds re-rolls and +1 are spent. All
of it is in the last state of a match, so records serve as well as matches that are played for it: those of people are
downloaded from the browser, or come from `spielwerk replay --export`.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np

from spielwerk.arena.workers import match_seed
from spielwerk.core import registry
from spielwerk.core.agent import split_specs
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.match import Record, replay, table_of
from spielwerk.core.position import States
from spielwerk.core.running import run_many
from spielwerk.games.clever.profile import SCALE, counted, means, ratings
from spielwerk.games.clever.sheets import AREAS
from spielwerk.games.clever.situation import RATINGS
from spielwerk.learn.run import Report
from spielwerk.studies.schubert import pictures
from spielwerk.studies.schubert.playing import FRESH, figures

AGENTS = "random,greedy"
VARIANTS = ("official", "thesis")
MATCHES = {"quick": 300, "full": 3000}
RATED = tuple(f"{points}: {word}" for points, word in zip(SCALE, RATINGS, strict=True))
Seats = list[tuple[States, int]]  # last states, seats


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
    found = counted(np.concatenate([state for state, _ in seats]), [seat for _, seat in seats])
    return {
        "matches": len(seats),
        "figures": figures(found.totals.astype(float)),
        "points by area": dict(zip((*AREAS, "foxes"), means(found.points, found.by_foxes), strict=True)),
        "cells by area": dict(zip((*AREAS, "foxes"), means(found.cells, found.foxes), strict=True)),
        "ratings, % of the matches": {
            name: 100 * share for name, share in zip(RATED, ratings(found.totals), strict=True)
        },
        "re-rolls": list(means(found.rerolls)),
        "+1": list(means(found.extras)),
    }


def short(agent: str) -> str:
    """An agent without the folders of its model."""
    return re.sub(r"[^=,@()]*/", "", agent)


def _played(agent: str, variant: str, count: int) -> Seats:
    game = registry.game("clever", 1, variant)
    seeds = [match_seed(FRESH, number) for number in range(count)]
    return [(match.final, 0) for match in run_many(game, [registry.agent(agent)], seeds)]


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
            groups.setdefault(who, []).append((last, seat))
    if not groups:
        raise SpielwerkError(f"there is no record (*.json) of a finished match of clever in {folder}")
    return groups
