"""Tables of Q values as models of the kind `qtable`: hashes of what was seen, and what every action is worth there."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from spielwerk.core.agent import Policy
from spielwerk.core.errors import BadJson, Unfit
from spielwerk.core.files import from_json
from spielwerk.core.game import Game
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.contract import Room
from spielwerk.core.kernel.rng import mix
from spielwerk.core.linker import alone, attach, specialise
from spielwerk.core.models import Arrays, Kind, load
from spielwerk.core.position import View
from spielwerk.core.words import Words
from spielwerk.search.kernel.net import observe_by_view, observe_openly
from spielwerk.search.kernel.qtable import TableWeights, fill_slots, policy_by_table, row_of

say = Words.beside(__file__)


class TableCard(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a table is about."""

    game: str
    encoding: str
    inputs: int
    unit: str = "points"  # of its values: points, lead or win


@dataclass(frozen=True, eq=False)
class QTable:
    """Q values of what has been seen."""

    card: TableCard
    keys: NDArray[np.uint64]  # [rows] hashes of what was seen
    values: NDArray[np.float32]  # [rows, actions]

    def __post_init__(self) -> None:
        if self.keys.ndim != 1 or self.values.ndim != 2 or len(self.keys) != len(self.values):
            raise ValueError(say("its keys and values do not belong together"))

    @cached_property
    def weights(self) -> TableWeights:
        slots = 1 << max(2 * len(self.keys), 4).bit_length()
        places = np.full(slots, -1, np.int64)
        made = TableWeights(np.zeros(slots, np.uint64), places, self.values, self.card.inputs)
        alone(fill_slots)(self.keys, made)
        return made

    def values_of(self, view: View) -> NDArray[np.float32] | None:
        """What every action is worth in a view; None if it was never seen."""
        encoding = view.game.encodings[self.card.encoding]
        seen = np.zeros((1, encoding.size), np.float32)
        specialise(entry.features_at, view.game, features=encoding.function)(view.state, view.seat, seen[0])
        row = alone(row_of)(keys_of(seen)[0], self.weights)
        return None if row < 0 else self.values[row]

    def require(self, game: Game) -> None:
        """An error if the table is made for something else."""
        card, encoding = self.card, game.encodings.get(self.card.encoding)
        if card.game != game.spec.id:
            raise Unfit(
                say("this table plays {found}, not {game}; train one for it", found=card.game, game=game.spec.id)
            )
        if encoding is None or encoding.size != card.inputs or self.values.shape[1] != game.spec.actions:
            phrase = "this table was made for other rules or seats than {game} ({variant}, {seats} {seats:seat|seats})"
            raise Unfit(say(phrase, game=game.title, variant=game.variant, seats=game.seats))


def keys_of(rows: NDArray[Any]) -> NDArray[np.uint64]:
    """The hashes of rows of numbers, as the kernel `key_of` makes them."""
    seen = np.ascontiguousarray(rows, np.float32)
    places = np.arange(seen.shape[1], dtype=np.uint64) << np.uint64(32)
    with np.errstate(over="ignore"):
        words = np.where(seen != 0, mix(places | seen.view(np.uint32)), np.uint64(0))
        keys: NDArray[np.uint64] = words.sum(axis=1, dtype=np.uint64)
    return keys


def rule(table: QTable, game: Game) -> Policy:
    """The table as a compiled rule."""
    table.require(game)
    function = attach(
        policy_by_table,
        features=game.encodings[table.card.encoding].function,
        observe=observe_by_view if game.spec.hidden else observe_openly,
    )
    return Policy(function, table.weights, Room(floats=table.card.inputs))


def encode(table: QTable) -> dict[str, NDArray[Any]]:
    card = np.frombuffer(msgspec.json.encode(table.card), np.uint8)
    return {"card": card, "keys": table.keys, "values": table.values}


def decode(arrays: Arrays) -> QTable:
    try:
        card = from_json(arrays["card"].tobytes(), TableCard)
    except BadJson as problem:
        raise ValueError(str(problem)) from problem
    return QTable(card, arrays["keys"].astype(np.uint64), arrays["values"].astype(np.float32))


KIND = Kind("qtable", decode, "spielwerk train {game} qlearning --variant {variant}", kept=8)


def load_table(game: Game, source: str | None) -> QTable:
    """The table of a run folder, a file or a name, which must be one for `game`."""
    table = load(KIND, game, source).content
    table.require(game)
    return table
