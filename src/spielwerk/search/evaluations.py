"""The evaluations that every game has: `playout` and `standing`."""

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.evaluation import Evaluation
from spielwerk.core.game import Game
from spielwerk.core.words import Words
from spielwerk.search.kernel.playout import rollout, standing

say = Words.beside(__file__)


def playout_evaluation(game: Game, source: str | None) -> Evaluation:
    """Play on at random and see what comes of it."""
    return Evaluation(rollout, _no_source("playout", source))


def standing_evaluation(game: Game, source: str | None) -> Evaluation:
    """What the points so far are worth."""
    return Evaluation(standing, _no_source("standing", source), additive=True)


def _no_source(name: str, source: str | None) -> int:
    if source is not None:
        phrase = "the evaluation {name} has no parameters; write '{name}' without '@{source}'"
        raise SpielwerkError(say(phrase, name=name, source=source))
    return 0
