"""Eder and Kistler (2017, 2.7): the tournament of the prototypes, the best of them against JavaBot, and their habits.

All prototypes choose modes by the same trump network (experiment 10, SL_37_1_relu_adam_cc). Games go to 2500 points,
every pair plays 150 of them, on the same deals with the teams swapped.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from spielwerk.arena.tournament import tournament
from spielwerk.core.agent import split_specs
from spielwerk.core.models import write_arrays
from spielwerk.games.jass.learn.habits import habits_of
from spielwerk.learn.run import Limits, Report
from spielwerk.nets.network import encode, load_network
from spielwerk.studies.eder_kistler import hybrid, reinforcement
from spielwerk.studies.eder_kistler.networks import NETWORKS, THREADS, mark_of, networks, table
from spielwerk.studies.eder_kistler.pictures import won_games
from spielwerk.studies.training import share, trained

GAMES = {"quick": 10, "full": 150}  # per pair
AGAINST_JAVABOT = {"quick": 10, "full": 450}
ROUNDS = {"quick": 60, "full": 250}  # of 256 deals, that a prototype learns by reinforcement
HABIT_DEALS = {"quick": 300, "full": 3000}
TRUMPS = "SL_37_1_relu_adam_cc"
SUPERVISED = {
    "Supervised186latest": "SL_186_3_1Mio_adam_cc",
    "Supervised150": "SL_150_2",
    "Supervised186": "SL_186_3_1Mio_lr0.0001",
}
PLACES = ["Supervised186latest", "Supervised150", "Hybrid", "Reinforcement150", "Reinforcement186", "Supervised186"]
PUBLISHED = (
    "a chart: Supervised186latest first, then Supervised150 and the hybrid, then Reinforcement150, Reinforcement186 "
    "and Supervised186, Random last"
)
SEED = 2017


def prototypes(out: Path, scale: str, records: Path | None, report: Report) -> dict[str, str]:
    """The seven of the thesis, as agents; trained if they are not there."""
    runs, deals = networks([TRUMPS, *SUPERVISED.values()], out, scale, records, share(report, 0, 4))
    trumps = f"net:model={runs[TRUMPS].path}"

    def player(model: object) -> str:
        return f"net:model={model},otherwise=({trumps})"

    rounds, cards = ROUNDS[scale], reinforcement.CARDS
    found = {name: player(runs[network].path) for name, network in SUPERVISED.items()}
    for place, (name, number) in enumerate((("Reinforcement150", 2), ("Reinforcement186", 3)), 1):
        spec = f"policygradient:{reinforcement.EXPERIMENTS[number]},opponents=(rules),{cards},rounds={rounds}"
        found[name] = player(trained(out / name, table(), spec, share(report, place, 4)).path)
    mark = mark_of(deals, out)
    first = out / f"hybrid-start{mark}.npz"
    write_arrays(first, encode(hybrid.as_returns(load_network(table(), str(runs[hybrid.START].path)), 1.0)))
    spec = (
        f"policygradient:{hybrid.RETURNS},network={NETWORKS[hybrid.START].hidden},{cards},"
        f"learning_rate=0.001,warm_start=({first}),rounds={rounds}"
    )
    found["Hybrid"] = player(hybrid.last_of(trained(out / f"Hybrid{mark}", table(), spec, share(report, 3, 4))))
    return {name: found[name] for name in PLACES} | {"Random": f"{trumps},otherwise=(random)"}


def prototype_tournament(report: Report, out: Path, scale: str, records: Path | None = None) -> dict[str, Any]:
    """The tournament of the prototypes, 150 games to 2500 per pair, and the best of them against JavaBot."""
    agents = prototypes(out, scale, records, share(report, 0, 2))
    names = {agent: name for name, agent in agents.items()}
    games = GAMES[scale]
    played = tournament(
        "jass", list(agents.values()), variant="server", rounds=max(1, games // 2), seed=SEED, workers=THREADS,
        report=share(report, 1, 2),
    )  # fmt: skip
    rows: list[dict[str, Any]] = [
        {
            "prototype": names[row.agent], "games": row.matches, "won": round(row.win_share * row.matches),
            "share": f"{row.win_share:.1%}", "points per game": row.mean_score,
        }
        for row in played.standings
    ]  # fmt: skip
    won_games(
        out / "tournament.png", f"Tournament of the prototypes, {games} games to 2500 points per pair",
        {row["prototype"]: row["won"] for row in rows}, games * (len(agents) - 1),
    )  # fmt: skip
    best = played.standings[0].agent
    found: dict[str, Any] = {"tournament": rows, "published": PUBLISHED, "pictures": "tournament.png"}
    if find_spec("pyschieber") is not None:
        found["the best against JavaBot"] = _against_javabot(out, names[best], best, AGAINST_JAVABOT[scale])
        found["pictures"] = "tournament.png, javabot.png"
    return found


def _against_javabot(out: Path, name: str, agent: str, games: int) -> list[dict[str, Any]]:
    pair = tournament(
        "jass", [agent, "javabot"], variant="server", rounds=max(1, games // 2), seed=SEED, workers=THREADS
    ).cross_table
    row = next(row for row in pair if row.first == agent)
    won = round(row.win_share * row.matches)
    won_games(
        out / "javabot.png", f"{name} against JavaBot", {name: won, "JavaBot": row.matches - won}, row.matches
    )  # fmt: skip
    return [
        {"player": "thesis, its best network", "games": 450, "won": 7, "share": "1.6%"},
        {"player": name, "games": row.matches, "won": won, "share": f"{row.win_share:.1%}"},
    ]


def habits(report: Report, out: Path, scale: str, agents: str | None = None) -> dict[str, Any]:
    """The users' feedback of 2.7.2 as a table: how often every agent has which bad habit."""
    chosen = split_specs(agents) if agents else ["random", "javabot", "rules", "net", "dmcts:worlds=40"]
    if find_spec("pyschieber") is None:
        chosen = [agent for agent in chosen if agent != "javabot"]
    limits = Limits(seed=SEED, threads=THREADS)
    return {
        "habits": habits_of(table(), chosen, HABIT_DEALS[scale], out, limits, report),
        "published": "nine habits that people noticed, without numbers; the last is that partners do not signal",
    }
