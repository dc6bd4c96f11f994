"""Eder and Kistler (2017, 2.7): the tournament of the prototypes, the best of them against JavaBot, and their habits.

All prototypes choose modes by the same trump network (experiment 10, SL_37_1_relu_adam_cc), and so does Random, whose
modes the thesis does not mention. Games go to 2500 points, every pair plays 150 of them, on the same deals with the
teams swapped. As in the thesis both tournaments are played three times, with other deals. Networks that learned by
reinforcement play as they were at the end.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from spielwerk.arena.tournament import Standing, tournament
from spielwerk.core.agent import split_specs
from spielwerk.core.models import write_arrays
from spielwerk.games.jass.learn.habits import habits_of
from spielwerk.learn.run import Limits, Report
from spielwerk.nets.network import encode, load_network
from spielwerk.studies.eder_kistler import hybrid, reinforcement
from spielwerk.studies.eder_kistler.measuring import last_of
from spielwerk.studies.eder_kistler.networks import NETWORKS, THREADS, mark_of, networks, table
from spielwerk.studies.eder_kistler.pictures import won_games
from spielwerk.studies.training import share, trained

GAMES = {"quick": 10, "full": 150}  # per pair
AGAINST_JAVABOT = {"quick": 10, "full": 450}
ROUNDS = {"quick": 60, "full": 250}  # of 256 deals, that a prototype learns by reinforcement
REPEATS = {"quick": 1, "full": 3}  # of both tournaments
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
        found[name] = player(last_of(trained(out / name, table(), spec, share(report, place, 4))))
    mark = mark_of(deals, out)
    first = out / f"hybrid-start{mark}.npz"
    write_arrays(first, encode(hybrid.as_returns(load_network(table(), str(runs[hybrid.START].path)), 1.0)))
    spec = (
        f"policygradient:{hybrid.RETURNS},network={NETWORKS[hybrid.START].hidden},{cards},"
        f"learning_rate=0.001,warm_start=({first}),rounds={rounds}"
    )
    found["Hybrid"] = player(last_of(trained(out / f"Hybrid{mark}", table(), spec, share(report, 3, 4))))
    return {name: found[name] for name in PLACES} | {"Random": f"{trumps},otherwise=(random)"}


def prototype_tournament(report: Report, out: Path, scale: str, records: Path | None = None) -> dict[str, Any]:
    """The tournament of the prototypes, 150 games to 2500 per pair, and the best of them against JavaBot."""
    agents = prototypes(out, scale, records, share(report, 0, 2))
    names = {agent: name for name, agent in agents.items()}
    games, repeats = GAMES[scale], REPEATS[scale]
    standings = [
        tournament(
            "jass", list(agents.values()), variant="server", rounds=max(1, games // 2), seed=SEED + number,
            workers=THREADS, report=share(report, repeats + number, 2 * repeats),
        ).standings
        for number in range(repeats)
    ]  # fmt: skip
    rows = sorted((_row(name, agent, standings) for agent, name in names.items()), key=lambda row: -row["won"])
    times = "" if repeats == 1 else f", {repeats} times"
    won_games(
        out / "tournament.png", f"Tournament of the prototypes, {games} games to 2500 points per pair{times}",
        {row["prototype"]: row["won"] for row in rows}, rows[0]["games"],
    )  # fmt: skip
    found: dict[str, Any] = {"tournament": rows, "published": PUBLISHED, "pictures": "tournament.png"}
    if find_spec("pyschieber") is not None:
        best = rows[0]["prototype"]
        found["the best against JavaBot"] = _against_javabot(out, best, agents[best], scale)
        found["pictures"] = "tournament.png, javabot.png"
    return found


def _row(name: str, agent: str, standings: list[list[Standing]]) -> dict[str, Any]:
    """How somebody fared in tournaments."""
    places = [next(row for row in each if row.agent == agent) for each in standings]
    return {
        "prototype": name,
        "games": sum(row.matches for row in places),
        "won": sum(won_by(row) for row in places),
        "each time": ", ".join(str(won_by(row)) for row in places),
        "points per game": sum(row.mean_score for row in places) / len(places),
    }


def won_by(row: Standing) -> int:
    return round(row.win_share * row.matches)


def _against_javabot(out: Path, name: str, agent: str, scale: str) -> list[dict[str, Any]]:
    standings = [
        tournament(
            "jass", [agent, "javabot"], variant="server", rounds=max(1, AGAINST_JAVABOT[scale] // 2),
            seed=SEED + number, workers=THREADS,
        ).standings
        for number in range(REPEATS[scale])
    ]  # fmt: skip
    row = _row(name, agent, standings)
    won_games(
        out / "javabot.png", f"{name} against JavaBot", {name: row["won"], "JavaBot": row["games"] - row["won"]},
        row["games"],
    )  # fmt: skip
    return [{"prototype": "thesis, its best network", "games": 450, "won": 7}, row]


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
