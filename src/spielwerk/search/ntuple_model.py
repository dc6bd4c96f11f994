"""n-tuple networks as objects and as models of the kind `ntuple`.

Its arrays hold the entries that were ever learned, in half precision and compressed: the set of these entries
as bits, their values split into high and low bytes (which compresses better), and what the tables mean as JSON. A
network of 67 million entries of which 12 million were learned takes about 25 MB and half a second to load.
"""

import json
import os
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core import models
from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.evaluation import Evaluation
from spielwerk.core.files import from_own_json
from spielwerk.core.game import Game
from spielwerk.core.grid import Grid, Tuples
from spielwerk.core.kernel.contract import Room
from spielwerk.core.kernel.objective import OBJECTIVES
from spielwerk.core.linker import attach
from spielwerk.core.models import Arrays, Kind, NewerFormat, write_arrays
from spielwerk.core.words import Words, number
from spielwerk.search.kernel.ntuple import (
    Network,
    PositionNetwork,
    indices_by_cell,
    network_policy,
    network_worth,
    position_policy,
    position_worth,
    present_by_cell,
    successor_worth,
    total_by_cell,
)

FORMAT = 2
LARGEST_HALF = 60_000.0
MOST_CELLS = 64  # of a board, where stages look at it cell by cell
MOST_STAGE_VALUES = 62  # that a set of values can hold

say = Words.beside(__file__)


@dataclass(frozen=True)
class Layout:
    """What the tables of a network mean."""

    rows: int
    columns: int
    values: int
    tuples: Tuples
    stages: tuple[tuple[int, ...], ...] = ()  # the values with which each stage after the first begins, ascending
    initial: float = 0.0  # of every entry of the first stage
    judges: str = "afterstates"  # or positions: their "end" score or the "difference" to come, in shares of the scale
    turned: bool = True  # whether the board is looked at in all its symmetries
    squash: bool = False  # whether a value is the tanh of the sum of its entries (positions only)
    unpromoted: int = 0  # so many of the last stages begin like the first, all others with the one before

    @property
    def entries(self) -> int:
        return sum(self.values ** len(chosen) for chosen in self.tuples)

    @property
    def promoted(self) -> int:
        """How many stages begin with what the one before has learned."""
        return len(self.stages) - self.unpromoted

    def cut_to(self, stages: int) -> "Layout":
        """The same with the first stage and so many others."""
        return replace(self, stages=self.stages[:stages], unpromoted=max(0, stages - self.promoted))

    def active(self, grid: Grid) -> int:
        """How many entries add up to the value of a position."""
        return len(self.tuples) * len(grid.symmetries)

    def fit(self, game: Game) -> Grid:
        """The grid of `game`, if the network was made for it."""
        grid = grid_of(game)
        if (grid.rows, grid.columns, grid.values) != (self.rows, self.columns, self.values):
            made = f"{self.rows} x {self.columns} x {self.values}"
            found = f"{grid.rows} x {grid.columns} x {grid.values}"
            phrase = "this n-tuple network is made for {made} rows, columns and values; {game} ({variant}) has {found}"
            raise Unfit(say(phrase, made=made, game=game.title, variant=game.variant, found=found))
        return grid if self.turned else grid.unturned()


def room_of_one(layout: Layout, grid: Grid) -> int:
    """Integers that one position needs: active entries and cells, and the cells of the largest board."""
    return max(layout.active(grid) + grid.cells, MOST_CELLS)


def require_room(layout: Layout, grid: Grid) -> None:
    """Stages are sets of values, one bit each, of boards up to a size."""
    if layout.stages and (grid.cells > MOST_CELLS or grid.values > MOST_STAGE_VALUES):
        phrase = "stages need a board of at most {cells} cells with {values} values; write stages=none"
        raise SpielwerkError(say(phrase, cells=MOST_CELLS, values=MOST_STAGE_VALUES))


def require_memory(layout: Layout, bytes_per_entry: int) -> None:
    """Tables that do not fit into the memory of the machine are refused before they bring it to its knees."""
    count = layout.entries * (1 + len(layout.stages))
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # a system that does not tell
        return
    if count * bytes_per_entry > memory:
        phrase = (
            "{count} table entries need {needed} GB of memory and this machine has {memory}; take fewer or smaller "
            "tuples or fewer stages"
        )
        needed, there = (f"{amount / 1e9:.0f}" for amount in (count * bytes_per_entry, memory))
        raise SpielwerkError(say(phrase, count=number(count), needed=needed, memory=there))


def grid_of(game: Game) -> Grid:
    if game.grid is None:
        raise Unfit(say("{game} declares no grid, so an n-tuple network cannot look at it", game=game.title))
    return game.grid


def functions(grid: Grid) -> dict[str, Callable[..., Any]]:
    """The kernels with which a template that uses `search.ntuple` is specialised."""
    if grid.indices and grid.total and grid.present:
        return {"indices": grid.indices, "total": grid.total, "present": grid.present}
    return {"indices": indices_by_cell, "total": total_by_cell, "present": present_by_cell}


def network(grid: Grid, layout: Layout, weights: NDArray[np.float32], top: int | None = None) -> Network:
    """Tables and layout in the form that kernels use."""
    sizes = [layout.values ** len(chosen) for chosen in layout.tuples]
    plan = (grid.plan or _plan_by_cell(grid))(layout.tuples)
    highest = layout.values - 1
    if top is not None and not 1 <= top <= highest:
        raise SpielwerkError(say("top goes from 1 to {highest}, not {top}", highest=highest, top=top))
    needs = [sum(1 << value for value in stage) for stage in layout.stages]
    return Network(
        weights,
        layout.entries,
        np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int64),
        plan,
        np.array(needs, np.int64),
        min((value for stage in layout.stages for value in stage), default=0),
        highest if top is None else top,
        layout.active(grid),
        room_of_one(layout, grid),
    )


def _plan_by_cell(grid: Grid) -> Callable[[Tuples], NDArray[np.int64]]:
    def plan(tuples: Tuples) -> NDArray[np.int64]:
        """[tuples, symmetries, places + 1]: the cells, highest digit first, -1 where there is none; then the values."""
        longest = max(map(len, tuples))
        table = np.full((len(tuples), len(grid.symmetries), longest + 1), -1, np.int64)
        table[:, :, -1] = grid.values
        for t, chosen in enumerate(tuples):
            for k, symmetry in enumerate(grid.symmetries):
                for j, cell in enumerate(sorted(chosen, reverse=True)):
                    table[t, k, j] = symmetry[cell]
        return table

    return plan


def new_weights(layout: Layout) -> NDArray[np.float32]:
    """Tables that have learned nothing."""
    require_memory(layout, np.dtype(np.float32).itemsize)
    weights = np.zeros(layout.entries * (1 + len(layout.stages)), np.float32)
    if layout.initial:
        weights[:] = layout.initial
    if layout.promoted:
        weights[layout.entries : layout.entries * (1 + layout.promoted)] = np.nan
    return weights


# --- as arrays of a model --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tables:
    """A network with what is known of its training."""

    layout: Layout
    weights: NDArray[np.float32]
    notes: dict[str, Any]


def learned(layout: Layout, weights: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which entries differ from tables that have learned nothing."""
    mask: NDArray[np.bool_] = weights != np.float32(layout.initial)
    later = slice(layout.entries, layout.entries * (1 + layout.promoted))
    mask[later] = ~np.isnan(weights[later])
    return mask


def encode(tables: Tables) -> dict[str, NDArray[np.uint8]]:
    mask = learned(tables.layout, tables.weights)
    values = tables.weights[mask]
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    scale = largest / LARGEST_HALF if largest > LARGEST_HALF or 0.0 < largest < 1.0 else 1.0
    half = np.nan_to_num(values / np.float32(scale)).astype("<f2").view(np.uint8)
    head = {
        "format": FORMAT, "layout": asdict(tables.layout), "scale": scale, "learned": len(values),
        "notes": tables.notes,
    }  # fmt: skip
    return {
        "head": np.frombuffer(json.dumps(head).encode(), np.uint8),
        "mask": _packed(np.packbits(mask)),
        "high": _packed(half[1::2]),
        "low": _packed(half[0::2]),
    }


def decode(arrays: Arrays) -> Tables:
    head = from_own_json(arrays["head"].tobytes(), dict[str, Any])
    if head["format"] > FORMAT:
        raise NewerFormat(head["format"])
    described = head["layout"]
    if "anew" in described:  # its name in format 1
        described["unpromoted"] = described.pop("anew")
    tuples, stages = (tuple(map(tuple, described[name])) for name in ("tuples", "stages"))
    layout = Layout(**{**described, "tuples": tuples, "stages": stages})
    require_memory(layout, np.dtype(np.float32).itemsize)
    mask, high, low = (_unpacked(arrays[name]) for name in ("mask", "high", "low"))
    half = np.empty(2 * len(high), np.uint8)
    half[1::2], half[0::2] = high, low
    weights = _filled(layout, mask, half.view("<f2").astype(np.float32) * np.float32(head["scale"]))
    weights.setflags(write=False)
    return Tables(layout, weights, head["notes"])


def _packed(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.frombuffer(zlib.compress(data.tobytes(), 6), np.uint8)


def _unpacked(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.frombuffer(zlib.decompress(data.data), np.uint8)


def _filled(layout: Layout, mask: NDArray[np.uint8], values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Tables in which promoted stages begin as copies of the one before: nothing need be looked up twice in play."""
    stages = 1 + len(layout.stages)
    weights = np.empty((stages, layout.entries), np.float32)
    learned_here = np.unpackbits(mask, count=weights.size).view(np.bool_).reshape(weights.shape)
    done = 0
    for stage in range(stages):
        weights[stage] = weights[stage - 1] if 1 <= stage <= layout.promoted else layout.initial
        places = np.flatnonzero(learned_here[stage])
        weights[stage, places] = values[done : done + len(places)]
        done += len(places)
    return weights.reshape(-1)


KIND = Kind("ntuple", decode, "spielwerk train {game} ntuple --variant {variant} --preset minutes", FORMAT, kept=2)


def save(path: Path, layout: Layout, weights: NDArray[np.float32], notes: dict[str, Any] | None = None) -> None:
    """Write a model file into a run folder; `notes` say how it was trained."""
    write_arrays(path, encode(Tables(layout, weights, notes or {})))


def load(source: str | None, game: Game) -> Tables:
    """The network in a run folder, in a file or of a name; without a source the one that is shipped for the game."""
    return models.load(KIND, game, source).content


# --- in use ----------------------------------------------------------------------------------------------------------


class Judge(NamedTuple):
    """A model ready for a game: kernels that know the game's quick way to look at its board, and their weights."""

    evaluate: Callable[..., Any]
    policy: Callable[..., Any]
    weights: Network | PositionNetwork
    room: Room


def judge(source: str | None, game: Game, top: int | None = None) -> Judge:
    """The model of `source` for `game`; no cell is looked up above `top`."""
    model = load(source, game)
    grid = model.layout.fit(game)
    tables = network(grid, model.layout, model.weights, top)
    quick = functions(grid)
    room = Room(integers=game.spec.widest * tables.room)
    if model.layout.judges == "afterstates":
        worth = network_worth if game.spec.chance else successor_worth
        return Judge(attach(worth, **quick), attach(network_policy, **quick), tables, room)
    counts_score = 1.0 if model.layout.judges == "difference" else 0.0
    weights = PositionNetwork(tables, counts_score, model.layout.squash, game.spec.scale)
    policy = attach(position_policy, worth=OBJECTIVES["points"], **quick)
    return Judge(attach(position_worth, **quick), policy, weights, room)


def evaluation(game: Game, source: str | None) -> Evaluation:
    """The evaluation `ntuple` or `ntuple@MODEL`: points so far and to come, as a trained network sees them."""
    if game.seats != 1 or game.spec.hidden:
        phrase = "an n-tuple network judges one-seat games without hidden information only, not {game}"
        raise Unfit(say(phrase, game=game.title))
    found = judge(source, game)
    return Evaluation(found.evaluate, found.weights, additive=isinstance(found.weights, Network), room=found.room)
