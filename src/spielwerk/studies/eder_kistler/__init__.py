"""Eder and Kistler (2017): preliminary studies, data, supervised and reinforcement learning, hybrid, tournaments."""

from pathlib import Path
from typing import Any

from spielwerk.games.jass.learn.describe_deals import described
from spielwerk.learn.run import Report
from spielwerk.studies import Study
from spielwerk.studies.eder_kistler import (
    hybrid,
    outlook,
    preliminary,
    prototypes,
    reinforcement,
    supervised,
    tournament,
)
from spielwerk.studies.eder_kistler.networks import deals_for
from spielwerk.studies.training import share


def data(report: Report, out: Path, scale: str, records: Path | None = None) -> dict[str, Any]:
    """Preliminary study 4: quality and quantity of the data."""
    deals = deals_for(out, scale, records, share(report, 0, 2))
    return described(deals, share(report, 1, 2)) | {"deals": str(deals)}


STUDY = Study(
    title="Eder and Kistler (2017): JassBot mit Machine Learning",
    source="thesis",
    parts={
        "frozen-lake": preliminary.frozen_lake,
        "taxi": preliminary.taxi,
        "blackjack": preliminary.blackjack,
        "data": data,
        **{f"supervised-{number}": supervised.experiment(number) for number in supervised.EXPERIMENTS},
        **{f"reinforcement-{number}": reinforcement.cards(number) for number in reinforcement.EXPERIMENTS},
        "reinforcement-rewards": reinforcement.rewards,
        "reinforcement-clipping": reinforcement.clipping,
        "reinforcement-modes": reinforcement.modes,
        "hybrid": hybrid.thesis,
        "hybrid-better": hybrid.better,
        "outlook": outlook.outlook,
        "prototypes": prototypes.prototype_tournament,
        "habits": prototypes.habits,
        "tournament": tournament.round_robin,
    },
)
