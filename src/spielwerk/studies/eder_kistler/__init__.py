"""Eder and Kistler (2017): the preliminary studies (preliminary.py) and the tournament of players (tournament.py)."""

from spielwerk.studies import Study
from spielwerk.studies.eder_kistler import preliminary, tournament

STUDY = Study(
    title="Eder and Kistler (2017): Künstliche Intelligenz im Jass",
    source="thesis",
    parts={
        "frozen-lake": preliminary.frozen_lake,
        "taxi": preliminary.taxi,
        "blackjack": preliminary.blackjack,
        "tournament": tournament.round_robin,
    },
)
