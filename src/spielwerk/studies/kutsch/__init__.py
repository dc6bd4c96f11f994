"""Kutsch (2017): Monte Carlo search (search.py) and n-tuple learning (learning.py) in 2048."""

from spielwerk.studies import Study
from spielwerk.studies.kutsch import learning, search

STUDY = Study(
    title="Kutsch (2017): KI-Agenten für das Spiel 2048",
    source="bachelor thesis, TH Köln",
    parts={
        "overview": search.overview,
        "figure-4": search.figure_4,
        "figure-5": search.figure_5,
        "figure-6": search.figure_6,
        "figure-8": search.figure_8,
        "figure-11": search.figure_11,
        "figure-12": search.figure_12,
        "figure-13": search.figure_13,
        "figure-14": search.figure_14,
        "figure-15": search.figure_15,
        "figure-17": learning.figure_17,
        "collapse": learning.collapse,
        "figure-21": search.figure_21,
        "figure-22": search.figure_22,
        "figure-23": search.figure_23,
        "figure-24": search.figure_24,
        "figure-25": learning.figure_25,
        "figure-26": learning.figure_26,
        "figure-27": learning.figure_27,
        "figure-28": learning.figure_28,
        "figure-29": learning.figure_29,
        "table-1": search.table_1,
        "table-2": search.table_2,
        "table-2-certainty": search.table_2_certainty,
        "table-3": search.table_3,
        "table-3-certainty": search.table_3_certainty,
    },
)
