"""The heuristics of Kutsch (2017, 7.1 and 9.4) as evaluations: `kutsch` and `kutsch-text`.

Five bonuses in points, each with a weight and a switch, two of them with several methods: fifteen parameters. The
defaults are the published optimum of the thesis' CMA-ES run. A source (`kutsch@FILE`) is a JSON object of parameters,
as `spielwerk tune` writes it.

`kutsch` is what the program of the thesis did (read in WolfgangKonen/GBG, July 2017): a copied position forgets its
highest tile, the tree copies every position before the new tile is placed, and so the new tile, a 2 or a 4, counts as
the highest. What is left of the bonuses are merges and playout; the weights were tuned for that. Its loops over merges
skip some, its rows follow snakes and leave the tile in the corner out, and the bonus for the corner is lost when two
corners hold such a tile. `kutsch-text` is what the thesis describes, with the true highest tile; under the same weights
the bonus for empty cells drowns the playout.

Where text (7.1.1) and code comment (9.4) disagree on the first method for empty cells, the text is followed:
(1 + weight) to the power of the number of empty cells.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import BadJson, SpielwerkError, Unfit, UnknownName
from spielwerk.core.evaluation import Evaluation, Parameter
from spielwerk.core.files import from_json
from spielwerk.core.game import Game
from spielwerk.core.words import Words
from spielwerk.games.twenty48.game import Twenty48
from spielwerk.games.twenty48.kernel.heuristics import kutsch, kutsch_text

say = Words.beside(__file__)

PARAMETERS = (
    Parameter("empty_off", 0.0, 0.0, 1.0, "bonus for empty cells; below 0.5 = on"),
    Parameter("empty_power", 0.0, 0.0, 1.0, "weight of (1 + weight) ** empty cells"),
    Parameter("empty_highest", 0.7214131449043863, 0.0, 1.0, "weight of highest tile * empty cells"),
    Parameter("empty_score", 0.0, 0.0, 1.0, "weight of points * empty cells"),
    Parameter("empty_method", 0.5, 0.0, 1.0, "which of the three, by thirds"),
    Parameter("corner_off", 0.0, 0.0, 1.0, "bonus for the highest tile in a corner; below 0.5 = on"),
    Parameter("corner", 0.48066258192020583, 0.0, 1.0, "weight of its value"),
    Parameter("row_off", 0.0, 0.0, 1.0, "bonus for a falling row from that corner; below 0.5 = on"),
    Parameter("row_lower", 0.4778659656963287, 0.0, 1.0, "weight of its sum, each tile lower than the one before"),
    Parameter("row_half", 0.0, 0.0, 1.0, "weight of its sum, each tile half the one before"),
    Parameter("row_method", 0.0, 0.0, 1.0, "below 0.5: lower, else half"),
    Parameter("merge_off", 0.0, 0.0, 1.0, "bonus for possible merges; below 0.5 = on"),
    Parameter("merge", 0.8079838161879548, 0.0, 1.0, "weight of the merging tiles' value"),
    Parameter("rollout_off", 0.0, 0.0, 1.0, "a playout; below 0.5 = on"),
    Parameter("rollout", 0.8435028456190605, 0.0, 1.0, "weight of its points"),
)


def evaluation(game: Game, source: str | None) -> Evaluation:
    """The heuristics as the program of the thesis computed them."""
    return Evaluation(kutsch, weights(game, source), PARAMETERS)


def text_evaluation(game: Game, source: str | None) -> Evaluation:
    """The heuristics as the text of the thesis describes them."""
    return Evaluation(kutsch_text, weights(game, source), PARAMETERS)


def weights(game: Game, source: str | None) -> NDArray[np.float64]:
    """The published weights, or those in a file."""
    if not isinstance(game, Twenty48):
        raise Unfit(say("the evaluation kutsch knows 2048 only, not {game}", game=game.title))
    values = {parameter.name: parameter.default for parameter in PARAMETERS}
    if source is not None:
        try:
            given = from_json(Path(source).read_bytes(), dict[str, float])
        except (OSError, BadJson) as problem:
            phrase = "cannot read the parameters {source}: {problem}"
            raise SpielwerkError(say(phrase, source=source, problem=problem)) from problem
        for name in given:
            if name not in values:
                raise UnknownName(say("parameter of kutsch"), name, values)
        values |= given
    return np.array(list(values.values()))
