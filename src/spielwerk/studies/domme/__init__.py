"""Huster, Kollmeier and Schulte (2021), DommeAI: what the study says of its player, measured with ours.

The study gives no table: its statements are sentences, and every sentence that can be measured is a command, with its
words beside our figures. How far it looks ahead (looking.py), what strategies and parameters bring (playing.py), and
the tree of its outlook, which the team had no time for (tree.py).

    spielwerk study domme-levels
    spielwerk study domme-strategies --scale full

Matches are kept in the study's folder: after a kill the same command goes on, and another folder plays anew.
"""

from spielwerk.studies import Study
from spielwerk.studies.domme import looking, playing, tree

STUDY = Study(
    title="Huster, Kollmeier and Schulte (2021): DommeAI",
    source="informatiCup 2021, documentation",
    parts={
        "levels": looking.levels,
        "sequences": looking.sequences,
        "doubling": looking.doubling,
        "depth": playing.depth,
        "strategies": playing.strategies,
        "gamma": playing.gamma,
        "speeds": playing.speeds,
        "simulator": playing.simulator,
        "kept-tree": tree.kept_tree,
    },
)
