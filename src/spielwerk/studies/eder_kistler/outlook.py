"""Eder and Kistler (2017, 2.9): what they would have tried next.

Dropout (2.9.4), an input that tells who played which card in which trick, and a recurrent network that sees one trick
at a time and must remember the cards played by itself (2.9.6), each beside the network with 186 inputs, for which the
environment counts the cards. All learn the same deals in the same steps; they play each other on the same deals with
the teams swapped, and `rules` chooses the modes.
"""

from pathlib import Path
from typing import Any

from spielwerk.learn.run import Report
from spielwerk.studies.eder_kistler.measuring import lead
from spielwerk.studies.eder_kistler.networks import OUTLOOK, networks
from spielwerk.studies.eder_kistler.pictures import learning_curves
from spielwerk.studies.eder_kistler.reinforcement import PAIRS
from spielwerk.studies.eder_kistler.supervised import row_of
from spielwerk.studies.training import share


def outlook(report: Report, out: Path, scale: str, records: Path | None = None) -> dict[str, Any]:
    """The outlook: dropout, who played what when, and a recurrent network, beside the one with 186 inputs."""
    runs, deals = networks(list(OUTLOOK), out, scale, records, share(report, 0, 2))
    learning_curves(out / "curves.png", "The outlook: inputs and memory", runs)
    agents = {name: run.learner().agent(run) for name, run in runs.items()}
    first = next(iter(agents.values()))
    rows = []
    for place, (name, run) in enumerate(runs.items()):
        report(0.5 + 0.5 * place / len(runs), name)
        figures = {key: value for key, value in row_of(name, run).items() if not key.startswith("published")}
        rows.append(
            figures
            | {f"lead over {other}": lead(agents[name], against, PAIRS[scale])
               for other, against in (("186", first), ("rules", "rules"))}
        )  # fmt: skip
    return {
        "outlook": rows,
        "published": "ideas; nothing was trained",
        "learned from": str(deals),
        "pictures": "curves.png",
    }
