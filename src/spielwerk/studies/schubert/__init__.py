"""Schubert (2023): the prototype (prototype.py), the whole game (whole_game.py), strategies (analysis.py)."""

from spielwerk.studies import Study
from spielwerk.studies.schubert import analysis, prototype, whole_game

STUDY = Study(
    title="Schubert (2023): Entwicklung und Evaluierung einer Spiele-KI für „Ganz schön clever“ mittels Deep "
    "Reinforcement Learning",
    source="bachelor thesis, Hochschule Coburg",
    parts={
        "dice": prototype.dice,
        "illegal": prototype.illegal,
        "hyperparameters": whole_game.hyperparameters,
        "final": whole_game.final,
        "final-published": whole_game.final_published,
        "histories": whole_game.histories,
        "people": whole_game.people,
        "analysis": analysis.analysis,
    },
)
