"""Deals to learn from, in a compact form: a folder with `deals.json` and numbered `.npz` files.

`deals.json` says what they are: the variant of the rules, the names of the players, the teacher, how many deals, how
many were left out because they did not end. A file holds some thousand deals (arrays of `kernel.deals.DealArrays`):

    starter  [deals] uint8       seat that chose first and led the first trick
    pushed   [deals] uint8       1 = it pushed, and its partner chose
    mode     [deals] int8        0 hearts, 1 diamonds, 2 clubs, 3 spades, 4 obeabe, 5 undeufe
    cards    [deals, 36] uint8   9 * suit + rank in order of play; whose they were follows from the rules
    players  [deals, 4] uint8    who sat where: numbers of names in deals.json, 255 = nobody knows
    taught   [deals, 38] int8    what the teacher would have done: first choice of a mode, choice after a push, then the
                                 cards; -1 = it had nothing to decide there. [deals, 0] without a teacher

Who announced a Weis is not kept: everybody is taken to have done so. Deals with Slalom cannot be kept.

That is 81 bytes a deal, 43 without a teacher. Deals come from agents (make_deals.py), from
records of matches, and from logs of the challenge's server (read_deals.py).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from spielwerk.core.errors import BadJson, SpielwerkError
from spielwerk.core.files import from_own_json, write_atomically
from spielwerk.core.game import Game
from spielwerk.core.position import Position
from spielwerk.games.jass.game import Jass
from spielwerk.games.jass.learn import say
from spielwerk.games.jass.learn.kernel.deals import DealArrays
from spielwerk.learn.decisions import joined, keep_shard, read_shard

FORMAT = 1
SIZE = 500  # deals per file that agents with compiled rules make
ASKED_SIZE = 20  # and of agents that think: a file is what a kill may cost
READ_SIZE = 10_000  # and per file that is read from records
MOST_PLAYERS = 250


class Header(msgspec.Struct):
    """What `deals.json` says."""

    variant: str
    players: list[str]
    deals: int  # complete ones; 0 while they are being made
    files: int = 0
    teacher: str | None = None
    shares: list[float] = []  # of the seats that each player gets
    seed: int | None = None
    size: int = SIZE
    incomplete: int = 0  # deals that did not end, or broke the rules
    format: int = FORMAT

    def keep(self, folder: Path) -> None:
        write_atomically(folder / "deals.json", msgspec.json.format(msgspec.json.encode(self)))


class Deals(NamedTuple):
    header: Header
    arrays: DealArrays

    def __len__(self) -> int:
        return len(self.arrays.cards)

    @property
    def game(self) -> Jass:
        return Jass(4, self.header.variant)


def require_plain_modes(game: Game) -> None:
    if game.opening().state["slalom_factor"][0]:
        raise SpielwerkError(say("deals with Slalom cannot be kept; take a table without it: slalom=no"))


def is_folder(path: Path) -> bool:
    return (path / "deals.json").is_file()


def header_of(folder: Path) -> Header:
    try:
        found = from_own_json((folder / "deals.json").read_bytes(), Header)
    except OSError as problem:
        phrase = "{folder} holds no deals: {problem}; make some with 'spielwerk data make jass'"
        raise SpielwerkError(say(phrase, folder=folder, problem=problem.strerror)) from problem
    except BadJson as problem:
        raise SpielwerkError(
            say("{folder}: deals.json cannot be read: {problem}; make the deals again", folder=folder, problem=problem)
        ) from problem
    if found.format != FORMAT:
        phrase = "{folder} was written in format {found}, and this version reads {known}; make the deals again"
        raise SpielwerkError(say(phrase, folder=folder, found=found.format, known=FORMAT))
    return found


def complete(folder: Path) -> Header:
    """What a folder says of its deals; an error if they are still being made."""
    header = header_of(folder)
    if header.deals == 0:
        phrase = "the deals in {folder} are not complete; go on with the command that makes them"
        raise SpielwerkError(say(phrase, folder=folder))
    return header


def load(folder: Path) -> Deals:
    """All deals of a folder."""
    header = complete(folder)
    arrays = joined([read_shard(folder, number) for number in range(header.files)])
    return Deals(header, DealArrays(**{name: arrays[name] for name in DealArrays._fields}))


def keep(folder: Path, deals: Deals, size: int = READ_SIZE) -> Header:
    """Write deals into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    count = len(deals)
    files = max(1, -(-count // size))
    for number in range(files):
        part = slice(number * size, (number + 1) * size)
        keep_shard(folder, number, {name: array[part] for name, array in deals.arrays._asdict().items()})
    header = deals.header
    header.deals, header.files, header.size = count, files, size
    header.keep(folder)
    return header


def arrays_of(rows: Sequence["Row"], taught: bool) -> DealArrays:
    count = len(rows)
    return DealArrays(
        starter=np.array([row.starter for row in rows], np.uint8),
        pushed=np.array([row.pushed for row in rows], np.uint8),
        mode=np.array([row.mode for row in rows], np.int8),
        cards=np.array([row.cards for row in rows], np.uint8).reshape(count, 36),
        players=np.array([row.players for row in rows], np.uint8).reshape(count, 4),
        taught=np.array([row.taught for row in rows] if taught else [], np.int8).reshape(count, 38 if taught else 0),
    )


class Row(NamedTuple):
    """One deal."""

    starter: int
    pushed: int
    mode: int
    cards: list[int]
    players: Sequence[int]
    taught: Sequence[int] = ()


def finished(position: Position, starter: int, seats: Sequence[int], taught: Sequence[int] = ()) -> Row:
    """The deal whose last card was just played."""
    state = position.state[0]
    cards = [int(card) for card in state["history"]]
    return Row(starter, int(state["pushed"]), int(state["mode"]), cards, seats, taught)
