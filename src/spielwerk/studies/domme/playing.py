"""What DommeAI's depth, strategies and parameters bring in matches; the speeds that it drives; matches per second."""

from pathlib import Path
from textwrap import fill
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.pictures import new_figure, save
from spielwerk.arena.workers import match_seed
from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.running import run_many
from spielwerk.learn.run import Report
from spielwerk.studies.domme.common import (
    OFFICIAL,
    OFFICIAL_SIX,
    SMALL,
    SMALL_SIX,
    Duel,
    Rows,
    Table,
    open_board,
    play_duels,
)

MATCHES = {"quick": 60, "full": 1000}
DEPTHS = {"quick": (1, 3, 5, 6, 8), "full": (1, 2, 3, 4, 5, 6, 8, 9, 10)}  # levels, against 7
GAMMAS = {"quick": (0.1, 0.25, 1.0, 2.0), "full": (0.1, 0.25, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0)}
WHOLE = "dommeai"
WITHOUT = {
    "dead ends": "dommeai:dead_end=False",
    "safe zones": "dommeai:safe_zone=False",
    "both strategies": "dommeai:dead_end=False,safe_zone=False",
    "the enemy board": "dommeai:enemy_board=False",
}
OTHERWISE = {"safe zones change the whole value": "dommeai:safe_zone_levels=all"}
WATCHED = {"quick": 20, "full": 200}  # matches whose speeds are counted
EARLY = 30  # rounds
PLAYED = {"quick": 1000, "full": 20_000}  # matches of random players


def _draw_shares(rows: Rows, across: str, title: str, path: Path) -> None:
    figure, axes = new_figure()
    tables = list(dict.fromkeys(row["table"] for row in rows))
    labels = list(dict.fromkeys(row[across] for row in rows))
    for number, table in enumerate(tables):
        own = [row for row in rows if row["table"] == table]
        places = [labels.index(row[across]) + 0.12 * (number - (len(tables) - 1) / 2) for row in own]
        middle = [row["wins %"] for row in own]
        reach = [[row["wins %"] - row["from"] for row in own], [row["to"] - row["wins %"] for row in own]]
        axes.errorbar(
            places, middle, yerr=reach, marker="o", linestyle="none", capsize=3, label=table, color=f"C{number}"
        )
        axes.axhline(own[0]["nothing in it %"], color=f"C{number}", linestyle=":", linewidth=0.8)
    axes.set_xticks(range(len(labels)), [fill(label, 14) for label in labels], fontsize=8)
    axes.set_ylabel("wins in %, 95 %; dotted: nothing in it")
    axes.set_title(title)
    axes.legend()
    save(figure, path)


def depth(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Win share by number of levels; the study: depth decides how good the player is."""
    duels = [
        Duel(f"{levels} levels", SMALL, f"dommeai:levels={levels}", WHOLE) for levels in DEPTHS[scale]
    ]  # fmt: skip
    rows = play_duels(report, out, duels, MATCHES[scale])
    _draw_shares(rows, "what", "So many levels against seven", out / "figure.png")
    return {"Against seven levels": rows, "the study": "the depth decides how good the solution is"}


def strategies(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """What dead ends, safe zones and the enemy board bring: the whole player against one without them."""
    tables = (SMALL, OFFICIAL, SMALL_SIX, OFFICIAL_SIX) if scale == "full" else (SMALL, SMALL_SIX)
    duels = [Duel(f"with {what}", table, WHOLE, spec) for table in tables for what, spec in WITHOUT.items()]
    duels += [Duel(what, table, spec, WHOLE) for table in tables for what, spec in OTHERWISE.items()]
    rows = play_duels(report, out, duels, MATCHES[scale])
    _draw_shares(rows, "what", "With a strategy against players without", out / "figure.png")
    return {
        "The whole player against players without": rows,
        "the study": "both strategies improve the play (no figures; win statistics would not be reliable)",
    }


def gamma(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Win share by gamma against the study's 0.5."""
    tables = (SMALL, OFFICIAL) if scale == "full" else (SMALL,)
    duels = [Duel(f"{value}", table, f"dommeai:gamma={value}", WHOLE) for table in tables for value in GAMMAS[scale]]
    rows = play_duels(report, out, duels, MATCHES[scale])
    _draw_shares(rows, "what", "gamma against 0.5", out / "figure.png")
    return {"gamma against 0.5": rows, "the study": "0.5 by default; it can be changed (no comparison)"}


def speeds_in(table: Table, spec: str, matches: int, seed: int = 0) -> NDArray[np.int64]:
    """How often seats drove with speed 1 to 10 in matches of an agent among itself: [until round EARLY, later]."""
    game, player = registry.game("speed", table.seats, table.variant), registry.agent(spec)
    counts = np.zeros((2, 11), np.int64)
    seeds = [match_seed(seed, number) for number in range(matches)]
    for number, played in enumerate(run_many(game, [player] * table.seats, seeds)):
        position, taken = game.new(seeds[number]), 0
        while not position.over:
            actors = position.actors
            moves = {seat: int(played.log[taken + place]) for place, seat in enumerate(actors)}
            taken += len(actors)
            position.play(moves)
            fast = np.clip(position.state["speed"][0, list(actors)], 0, 10)
            counts[int(position.state["rounds"][0] > EARLY)] += np.bincount(fast, minlength=11)
    return counts[:, 1:]


def speeds(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """The speeds that are driven; the study: counting moves leads to a middle speed."""
    cases = {"whole": WHOLE, "no safe zones": WITHOUT["safe zones"]} | OTHERWISE
    jobs = [(table, label, spec) for table in (SMALL, OFFICIAL) for label, spec in cases.items()]
    rows: Rows = []
    figure, axes = new_figure()
    scale_of_speeds = np.arange(1, 11)
    for number, (table, label, spec) in enumerate(jobs):
        report(number / len(jobs), f"{table.label}, {label}")
        counts = speeds_in(table, spec, WATCHED[scale])
        share = counts.sum(axis=0) / counts.sum()
        means = [float(part @ scale_of_speeds / max(part.sum(), 1)) for part in counts]
        row: dict[str, Any] = {"table": table.label, "player": label, "mean": float(share @ scale_of_speeds)}
        row |= {f"until round {EARLY}": means[0], "later": means[1]}
        rows.append(row | {f"{speed} %": 100 * float(share[speed - 1]) for speed in range(1, 8)})
        axes.plot(scale_of_speeds, 100 * share, marker="o", label=f"{table.label}, {label}")
    axes.set_xlabel("speed")
    axes.set_ylabel("% of the moves")
    axes.set_title("Speeds that DommeAI drives")
    axes.legend(fontsize=8)
    save(figure, out / "figure.png")
    return {
        "Speeds": rows,
        "On an open board": [
            {"speed": speed, **{f"{levels} levels": _choice(speed, levels) for levels in (3, 5, 7)}}
            for speed in range(1, 11)
        ],
        "the study": "a speed in the middle is aimed at, because it leaves most moves; safe zones make it slower",
    }


def _choice(speed: int, levels: int) -> str:
    """What the counting alone chooses at this speed, far from everything."""
    counting = registry.agent(f"dommeai:levels={levels},dead_end=no,safe_zone=no")
    return str(counting.decide(open_board(speed), Budget(), spawn(0)).notes["next move"])


def simulator(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Matches per second on one core; the study: thousands per second with its own simulator."""
    tables = (SMALL, OFFICIAL, OFFICIAL_SIX)
    specs = {"random": PLAYED[scale]} | {
        f"dommeai:levels={levels}": max(PLAYED[scale] // share, 4) for levels, share in ((1, 20), (3, 50), (5, 100))
    }
    jobs = [(table, spec, matches) for table in tables for spec, matches in specs.items()]
    rows: Rows = []
    for number, (table, spec, matches) in enumerate(jobs):
        report(number / len(jobs), f"{table.label}, {spec}")
        game, player = registry.game("speed", table.seats, table.variant), registry.agent(spec)
        run_many(game, [player] * table.seats, [0])  # compiled or loaded before the clock runs
        began = perf_counter()
        played = run_many(game, [player] * table.seats, [match_seed(1, n) for n in range(matches)])
        seconds = perf_counter() - began
        rounds = sum(int(match.final["rounds"][0]) for match in played)
        rows.append(
            {
                "table": table.label, "players": spec, "matches": matches, "matches per second": matches / seconds,
                "rounds per match": rounds / matches, "rounds per second": rounds / seconds,
            }
        )  # fmt: skip
    return {
        "Matches per second, one core": rows,
        "the study": "thousands of games per second (1); several thousand games in a few seconds (5.2)",
    }
