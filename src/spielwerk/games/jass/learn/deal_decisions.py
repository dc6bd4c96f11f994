"""The decisions of deals, as learners of networks want them."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from spielwerk.core.errors import SpielwerkError, UnknownName
from spielwerk.core.game import Game
from spielwerk.core.linker import specialise
from spielwerk.games.jass.learn import say
from spielwerk.games.jass.learn.deals import header_of
from spielwerk.games.jass.learn.kernel.deals import DealArrays, decisions_of_deals
from spielwerk.learn.decisions import Shard, joined, read_shard
from spielwerk.learn.gather import Source, new_sheet, rows_of
from spielwerk.learn.kernel.decisions import Wish
from spielwerk.search.net_model import UNITS_OF_VALUES

SHEET = 8192  # rows that compiled code fills at a time


def decisions(folder: Path, game: Game, source: Source, imitated: str | None) -> Iterator[Shard]:
    """The decisions of a folder as learners want them, one shard per file of deals; `imitated` is a player's name."""
    header = header_of(folder)
    if header.variant != game.variant:
        phrase = "the deals in {folder} are of {found}, not of {wanted}; take --variant {found}"
        raise SpielwerkError(say(phrase, folder=folder, found=header.variant, wanted=game.variant))
    if imitated is not None and imitated not in header.players:
        raise UnknownName(say("player in {folder}", folder=folder), imitated, header.players)
    wanted = np.array([imitated in (None, name) for name in header.players] or [True])
    encoding = game.encodings[source.encoding]
    loop = specialise(decisions_of_deals, game, features=encoding.function)
    wish = Wish(source.first, 0.0, UNITS_OF_VALUES[source.unit], source.forced)
    sheet = new_sheet(SHEET, header.size, encoding.size, source.actions)
    start, states, scratch = game.opening().state, game.states(2), game.scratch()
    first = 0
    for number in range(header.files):
        arrays = read_shard(folder, number)
        deals = DealArrays(**{name: arrays[name] for name in DealArrays._fields})
        count, done, parts = len(deals.cards), 0, []
        while done < count:
            begun = done
            done, filled = map(int, loop(start, states, deals, wanted, wish, done, scratch, sheet))
            parts.append(rows_of(sheet, filled))
            if done == begun:
                raise SpielwerkError(say("{folder}: file {number} cannot be read", folder=folder, number=number))
        shard = joined(parts) | {"forced": sheet.forced[:count].copy(), "matches": np.array([first, count], np.int64)}
        shard["match"] += first
        yield shard
        first += count
