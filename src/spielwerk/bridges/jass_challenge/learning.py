"""A client that learns while it plays on a server: Eder and Kistler (2017, 2.6.3) trained their networks like that.

Every deal is a match to learn from. The network plays the cards; the agent of the client chooses the modes.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from spielwerk.core import registry
from spielwerk.core.agent import Agent
from spielwerk.core.position import View
from spielwerk.games.jass.game import Jass

if TYPE_CHECKING:
    from spielwerk.learn.live import Pupil

PLACES = 36  # of a deal
LEARNER = "policygradient:preset=thesis-live,otherwise=({agent})"


def one_deal(variant: str) -> Jass:
    """The table of a single deal under the rules of a server."""
    name, *options = variant.split(",")
    of_one = f"{name}-deal" if f"{name}-deal" in Jass.spec.variants else f"{name},deals=1"
    game = registry.game("jass", 4, ",".join([of_one, *options]))
    assert isinstance(game, Jass)
    return game


def new_pupil(run: str, variant: str, agent: Agent, seed: int) -> "Pupil":
    """The learner of a run folder, which is begun if it is not there."""
    from spielwerk.learn.live import Pupil
    from spielwerk.learn.netlearner import require_torch

    require_torch()
    pupil = Pupil(Path(run), one_deal(variant), LEARNER.format(agent=agent.spec), seed, agent)
    pupil.warm_up()
    return pupil


def place_of(view: View) -> int:
    """The number of a card among all that a game can have: deal by deal, in the order of play."""
    state = view.state[0]
    return PLACES * int(state["deals"]) + 4 * int(state["tricks"]) + int(state["in_trick"])


def played_at(final: View) -> dict[int, int]:
    """The cards of the deal that has just ended, by place."""
    state = final.state[0]
    first = PLACES * (int(state["deals"]) - 1)
    return {first + i: int(card) for i, card in enumerate(state["history"])}
