"""Decisions to learn from: what a seat saw, what it was allowed to do, what it did, and what came of it.

They are kept in shards, `.npz` files of a few thousand rows each, one row per decision:

    ones      [rows, inputs / 8] uint8   the inputs that are 1, as bits
    others    [rows] uint16              how many inputs are neither 0 nor 1
    places    [sum of others] uint32     which they are, row after row
    values    [sum of others] float32    their values
    legal     [rows, actions / 8] uint8  the legal actions, as bits
    action    [rows] int16               what was done, counted from the first action that is learned
    shares    [legal actions of all rows] float32   how good every legal action is, where that is learned; else empty
    seat      [rows] uint8
    match     [rows] int64               number of the match
    worth     [rows] float32             what the points or the lead grew by until the end, or the share of the win; nan
                                         if the match did not end
    matches   [2] int64                  the first match, and how many
    forced    [matches] int64            decisions without a choice; they are counted, not kept

Whole matches are held out for validation, never single positions. What validation shows must not have been learned:
a position that training shows, too, with the same legal actions, is left out of validation, unless decisions are to be
counted as they come: how many training shows depends on how much an encoding tells.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.linker import alone
from spielwerk.core.models import UNREADABLE, read_arrays, write_arrays
from spielwerk.learn.kernel.decisions import hash_rows, unpack_rows
from spielwerk.learn.words import say

FEWEST = 100  # rows without which validation says nothing
Rows = NDArray[np.int64]
Shard = Mapping[str, NDArray[Any]]


def packed(inputs: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    """Dense inputs as bits, and the few numbers that are neither 0 nor 1."""
    ones = inputs == 1.0
    rows, places = np.nonzero((inputs != 0.0) & ~ones)
    return {
        "ones": np.packbits(ones, axis=1),
        "others": np.bincount(rows, minlength=len(inputs)).astype(np.uint16),
        "places": places.astype(np.uint32),
        "values": inputs[rows, places],
    }


def joined(shards: Sequence[Shard]) -> dict[str, NDArray[Any]]:
    """Several shards as one, without `matches`."""
    names = [name for name in shards[0] if name != "matches"]
    return {name: np.concatenate([shard[name] for shard in shards]) for name in names}


def shard_file(folder: Path, number: int) -> Path:
    return folder / f"{number:05}.npz"


def keep_shard(folder: Path, number: int, shard: Shard) -> None:
    write_arrays(shard_file(folder, number), shard)


def read_shard(folder: Path, number: int) -> Shard:
    path = shard_file(folder, number)
    try:
        return read_arrays(path)
    except UNREADABLE as problem:
        phrase = "{path} cannot be read: {problem}; take it away, and go on with --resume or the command that made it"
        raise SpielwerkError(say(phrase, path=path, problem=problem)) from problem


class Batch(NamedTuple):
    inputs: NDArray[np.float32]  # [rows, inputs]
    legal: NDArray[np.bool_]  # [rows, actions]
    target: NDArray[np.float32]  # [rows, actions] how likely every action should be
    action: NDArray[np.int64]  # [rows]
    worth: NDArray[np.float32]  # [rows]


class Look(NamedTuple):
    """A symmetry, for the actions that are learned."""

    inputs: NDArray[np.int64]
    actions: NDArray[np.int64]  # which action comes to a place
    places: NDArray[np.int64]  # the place that an action comes to

    def of(self, batch: Batch) -> Batch:
        legal, target = batch.legal[:, self.actions], batch.target[:, self.actions]
        return Batch(batch.inputs[:, self.inputs], legal, target, self.places[batch.action], batch.worth)


@dataclass(frozen=True)
class Decisions:
    """All decisions of a run, packed."""

    arrays: dict[str, NDArray[Any]]
    inputs: int
    actions: int
    parts: tuple[int, ...]  # matches of every folder that they come from

    @property
    def matches(self) -> int:
        return sum(self.parts)

    @staticmethod
    def load(folder: Path, shards: int, inputs: int, actions: int) -> "Decisions":
        return Decisions.load_all([(folder, shards)], inputs, actions)

    @staticmethod
    def load_all(folders: Sequence[tuple[Path, int]], inputs: int, actions: int) -> "Decisions":
        """Of several folders with so many shards each, one after the other."""
        found: list[dict[str, NDArray[Any]]] = []
        matches: list[int] = []
        for folder, shards in folders:
            parts = [dict(read_shard(folder, number)) for number in range(shards)]
            found += [part | {"match": part["match"] + sum(matches)} for part in parts]
            matches.append(int(sum(part["matches"][1] for part in parts)))
        arrays = joined(found)
        arrays["starts"] = _starts(arrays.pop("others"))
        arrays["share_starts"] = _starts(np.bitwise_count(arrays["legal"]).sum(axis=1))
        return Decisions(arrays, inputs, actions, tuple(matches))

    def __len__(self) -> int:
        return len(self.arrays["action"])

    def forced(self, held_out: NDArray[np.bool_]) -> int:
        """Decisions without a choice in some matches."""
        return int(self.arrays["forced"][held_out].sum())

    def batch(self, rows: Rows) -> Batch:
        arrays = self.arrays
        inputs = np.empty((len(rows), self.inputs), np.float32)
        alone(unpack_rows)(rows, arrays["ones"], arrays["starts"], arrays["places"], arrays["values"], inputs)
        legal = np.unpackbits(arrays["legal"][rows], axis=1, count=self.actions).astype(bool)
        action = arrays["action"][rows].astype(np.int64)
        target = np.zeros((len(rows), self.actions), np.float32)
        if arrays["shares"].size:
            starts = arrays["share_starts"]
            counts = legal.sum(axis=1)
            places = np.repeat(starts[rows] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
            target[legal] = arrays["shares"][places]
        else:
            target[np.arange(len(rows)), action] = 1.0
        return Batch(inputs, legal, target, action, arrays["worth"][rows])

    def batches(self, rows: Rows, size: int) -> Iterator[Batch]:
        for begin in range(0, len(rows), size):
            yield self.batch(rows[begin : begin + size])

    def hashes(self) -> NDArray[np.uint64]:
        """Of what every row shows and allows."""
        arrays, out = self.arrays, np.zeros(len(self), np.uint64)
        codes = arrays["values"].view(np.uint32)
        alone(hash_rows)(arrays["ones"], arrays["starts"], arrays["places"], codes, arrays["legal"], out)
        return out


class Split(NamedTuple):
    training: Rows
    validation: Rows
    duplicates: int  # rows of held-out matches that training shows, too
    unseen: bool  # whether they were left out; if hardly anything else is left, they stay
    forced: int  # decisions without a choice in held-out matches


def held_out(matches: int, share: float) -> NDArray[np.bool_]:
    """Which matches are held out: evenly spread, and the same however many more there are."""
    counts = np.floor(np.arange(matches + 1) * share + 1e-9)
    more: NDArray[np.bool_] = np.diff(counts) > 0
    return more


def split(decisions: Decisions, share: float, validate_seen: bool = False) -> Split:
    """By match, the same of every folder whatever else is learned; what both parts would show is shown in training
    only, unless `validate_seen`."""
    out = np.concatenate([held_out(matches, share) for matches in decisions.parts])
    apart = out[decisions.arrays["match"]]
    training, validation = np.flatnonzero(~apart), np.flatnonzero(apart)
    if len(training) == 0 or len(validation) == 0:
        phrase = "{matches} {matches:match is|matches are} too few to learn from some and hold out others; make more"
        raise SpielwerkError(say(phrase, matches=decisions.matches))
    hashes = decisions.hashes()
    seen = np.isin(hashes[validation], hashes[training])
    unseen = not validate_seen and int((~seen).sum()) >= FEWEST
    kept = validation[~seen] if unseen else validation
    return Split(training, kept, int(seen.sum()), unseen, decisions.forced(out))


def _starts(counts: NDArray[Any]) -> Rows:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
