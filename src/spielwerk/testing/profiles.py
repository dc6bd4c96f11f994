"""Profiles: whatever a match came to, its analysis can be shown, in every language of the game."""

from math import isfinite

import numpy as np

from spielwerk.core import registry
from spielwerk.core.game import Game
from spielwerk.core.profile import ProfilePart
from spielwerk.core.running import run
from spielwerk.core.words import overheard, speaking


def check_profile(game: Game, seed: int, matches: int = 3) -> None:
    """After random matches `profile` has a finite figure for every label, and the same pieces for one match and for
    several; in every language of the game its words are there."""
    random = registry.agent("random")
    finals = np.concatenate([run(game, [random] * game.seats, seed + number).final for number in range(matches)])
    for seat in range(game.seats):
        parts = check_parts(game, finals, [seat] * matches)
        alone = check_parts(game, finals[:1], [seat])
        assert [part.title for part in parts] == [part.title for part in alone], (
            f"{game.spec.title}: the profile of one match has other pieces than that of {matches}"
        )
    for language in game.say.languages:
        with speaking(language), overheard() as heard:
            game.profile(finals, [0] * matches)
        missing = sorted(phrase for phrase, known in heard.items() if not known and not phrase.isdecimal())
        assert not missing, f"{game.spec.title}: words.{language}.toml lacks {missing}"


def check_parts(game: Game, finals: np.ndarray, seats: list[int]) -> list[ProfilePart]:
    parts = list(game.profile(finals, seats))
    titles = [part.title for part in parts]
    assert all(titles) and len(set(titles)) == len(titles), f"{game.spec.title}: two pieces of a profile are {titles}"
    for part in parts:
        where = f"{game.spec.title}, '{part.title}'"
        assert len(set(part.labels)) == len(part.labels) == len(part.figures) > 0, f"{where}: a label for each figure"
        assert not part.notes or len(part.notes) == len(part.labels), f"{where}: as many notes as labels, or none"
        assert all(isfinite(figure) for figure in part.figures), f"{where}: {part.figures} are not finite"
        within = not part.share or all(0 <= figure <= 1 for figure in part.figures)
        assert within, f"{where}: {part.figures} are no shares"
    return parts
