"""A client that learns while it plays on a server: Eder and Kistler (2017, 2.6.3) trained their networks like that.

Every deal is a match to learn from. The network plays the cards; the agent of the client chooses the modes.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.errors import SpielwerkError
from spielwerk.games.jass.game import Jass

if TYPE_CHECKING:
    from spielwerk.learn.live import Pupil

LEARNER = "policygradient:preset=thesis-live,otherwise=({agent})"


def one_deal(variant: str) -> Jass:
    """The table of a single deal under the rules of a server."""
    name, *options = variant.split(",")
    game = registry.game("jass", 4, ",".join([f"{name}-deal", *options]))
    assert isinstance(game, Jass)
    return game


def new_pupil(run: str, variant: str, agent: Agent, seed: int) -> "Pupil":
    """The learner of a run folder, which is begun if it is not there."""
    try:
        from spielwerk.learn.live import Pupil
    except ImportError as problem:
        raise SpielwerkError(f"learning needs torch: pip install spielwerk[learn] ({problem})") from problem
    return Pupil(Path(run), one_deal(variant), LEARNER.format(agent=agent.spec), seed)
