"""Eder and Kistler (2017), "JassBot mit Machine Learning" (2.7.1): the round robin of 150 games to 2500 per pair.

The table is played with the players that are here: `random` as there, `javabot` (the challenge's winner, the thesis'
yardstick), and ours. The thesis' own networks, trained again, play in `prototypes`. Every deal sequence is played twice
with the teams swapped. `quick` plays 10 games per pair and searches less.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from spielwerk.arena.tournament import tournament
from spielwerk.learn.run import Report

GAMES = 150  # per pair, as in the thesis
PUBLISHED = "the thesis' networks won 7 of 450 games against JavaBot; their own ranking is a chart without numbers"


def round_robin(report: Report, out: Path, scale: str) -> dict[str, Any]:
    """Table and cross table of all players, games to 2500 points."""
    quick = scale == "quick"
    agents = ["random", "rules", "dmcts:worlds=30" if quick else "dmcts:worlds=400"]
    if not quick:
        agents.insert(1, "ismcts")
    if find_spec("pyschieber") is not None:
        agents.insert(1, "javabot")
    rounds = 5 if quick else GAMES // 2
    played = tournament("jass", agents, variant="server", rounds=rounds, seed=2017, report=report)
    return {
        "standings": [
            {"agent": row.agent, "games": row.matches, "won": f"{row.win_share:.1%}", "points per game": row.mean_score}
            for row in played.standings
        ],
        "cross table": [
            {
                "agent": pair.first,
                "against": pair.second,
                "won": f"{pair.win_share:.1%}",
                "lead per game": pair.score_difference,
                "95 %": pair.ci95,
            }
            for pair in played.cross_table
        ],
        "published": PUBLISHED,
    }
