"""Trained models: find, load and save them, whatever game they play and whatever their arrays mean.

A model is two files with one name. `NAME.npz` holds its arrays, `NAME.json` its card: what it is, how it was trained,
how well it plays. Models are looked for in this order:

1. `source` as a path: a model file, or a run folder, which keeps its model as `model.npz` (a card is not needed there);
2. `source` as a name in the user's folder, $SPIELWERK_MODELS or `models` in the user's data folder;
3. `source` as a name in the folders of installed packages, each named by an entry point `spielwerk.models`.

Without a source it is the model that a package ships for the game, its variant and its seats. The user's own models are
taken only if they are named: the same command plays the same everywhere.
"""

import hashlib
import io
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from spielwerk.core import registry
from spielwerk.core.errors import BadJson, SpielwerkError, UnknownName
from spielwerk.core.files import data_folder, from_json, replacing
from spielwerk.core.game import Game
from spielwerk.core.words import say

Arrays = Mapping[str, NDArray[Any]]
Content = TypeVar("Content")

NAME = re.compile(r"\w[\w.-]*")
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    ValueError,
    TypeError,
)  # what reading a damaged .npz may raise


# --- cards -----------------------------------------------------------------------------------------------------------


class Trained(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a model was made."""

    command: str = ""  # that trains it again
    learner: str | None = None  # as name:key=value,…
    seed: int | None = None
    matches: int | None = None
    seconds: float | None = None
    notes: str = ""


class Measured(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How well a model plays."""

    agent: str  # that played with it
    opponents: str | None = None  # None: the agent on all seats
    games: int
    mean: float
    ci95: tuple[float, float] | None = None
    win_share: float | None = None
    win_ci95: tuple[float, float] | None = None
    seed: int | None = None
    command: str  # that measures it again


class Card(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is to be known of a model."""

    kind: str
    game: str
    variants: tuple[str, ...] = ()  # that it is made for; none named = all
    seats: tuple[int, ...] = ()  # that it is made for; none named = all
    named_only: bool = False  # it is not taken where no model is named: it imitates somebody, say, and is not strong
    format: int = 1  # of the arrays, counted by their kind
    digest: str = ""  # SHA-256 of the .npz file
    what: str = ""
    trained: Trained = Trained()
    measured: tuple[Measured, ...] = ()
    notes: str = ""
    licence: str = ""


def _card_file(path: Path) -> Path:
    return path.with_suffix(".json")


def read_card(path: Path) -> Card | None:
    """The card of the model file `path`; None if it has none."""
    file = _card_file(path)
    try:
        return from_json(file.read_bytes(), Card)
    except FileNotFoundError:
        return None
    except (OSError, BadJson) as problem:
        phrase = "the card {path} cannot be read: {problem}; get the model again"
        raise SpielwerkError(say(phrase, path=file, problem=problem)) from problem


# --- kinds -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind(Generic[Content]):
    """What the arrays of a model mean. Who plays with a kind of models makes one of these."""

    name: str  # as cards say it
    decode: Callable[[Arrays], Content]  # raises one of UNREADABLE, or NewerFormat, if the arrays are of another kind
    training: str  # the command that makes such a model, with places for {game} and {variant}
    format: int = 1  # the newest that is read
    kept: int = 4  # how many are kept in memory

    def remedy(self, game: Game) -> str:
        return self.training.format(game=game.spec.id, variant=game.variant)


class NewerFormat(Exception):
    """Arrays of a format that only later versions read."""

    def __init__(self, format: int) -> None:
        self.format = format


@dataclass(frozen=True)
class Model(Generic[Content]):
    path: Path
    card: Card | None  # a run folder or a single file may have none
    content: Content


# --- find ------------------------------------------------------------------------------------------------------------


class Listed(NamedTuple):
    """A model in a folder of models."""

    name: str
    path: Path
    card: Card | None
    problem: str = ""  # why there is no card


def user_folder() -> Path:
    return Path(os.environ.get("SPIELWERK_MODELS") or data_folder() / "models")


def listed() -> list[Listed]:
    """All models that are found by name; of two with the same name the first is meant."""
    return [model for folder in (user_folder(), *registry.model_folders()) for model in _in(folder)]


def _in(folder: Path) -> tuple[Listed, ...]:
    try:
        changed = folder.stat().st_mtime_ns
    except OSError:
        return ()
    return _contents(folder, changed)


@lru_cache(maxsize=64)
def _contents(folder: Path, _changed: int) -> tuple[Listed, ...]:
    """The models of a folder, by name. Arrays without a card are none: somebody may just be writing them."""
    found = []
    for file in sorted(folder.glob("[!.]*.json")):
        path = file.with_suffix(".npz")
        if not path.exists():
            continue
        try:
            found.append(Listed(file.stem, path, read_card(path)))
        except SpielwerkError as problem:
            found.append(Listed(file.stem, path, None, str(problem)))
    return tuple(found)


def named(name: str) -> Listed:
    """The model of that name, of whatever kind."""
    known = listed()
    for model in known:
        if model.name == name:
            return model
    raise UnknownName(say("model"), name, {model.name for model in known})


def find(kind: Kind[Any], game: Game, source: str | None = None) -> Path:
    """The file of a model of that kind for `game`."""
    if source is None:
        return _shipped(kind, game)
    given = Path(source)
    # checkpoint.old is the only one for a moment while a run replaces its checkpoint, or after a kill in that moment
    for path in (*(given / part / "model.npz" for part in ("checkpoint", "checkpoint.old", "")), given):
        if path.is_file():
            return path
    for model in listed():
        if model.name == source:
            return model.path
    if (given / "config.json").is_file():
        raise SpielwerkError(say("the run in {source} has no {kind} model yet", kind=kind.name, source=source))
    phrase = (
        "no {kind} model in '{source}'; give a run folder, a model file or a name ({names}), or train one: {command}"
    )
    fitting = sorted(model.name for model in listed() if _is_of(model.card, kind, game))
    names = ", ".join(fitting) or say("there is none")
    raise SpielwerkError(say(phrase, kind=kind.name, source=source, names=names, command=kind.remedy(game)))


def _is_of(card: Card | None, kind: Kind[Any], game: Game) -> bool:
    return card is not None and card.kind == kind.name and card.game == game.spec.id


def _shipped(kind: Kind[Any], game: Game) -> Path:
    """The model that names the variant and the seats before one that is for all; then by package and name. Where there
    is none, that of a related variant."""
    for variant in (game.variant, *game.related_variants):
        path = _shipped_for(kind, game, variant)
        if path is not None:
            return path
    phrase = (
        "no {kind} model is shipped for {game} ({variant}); train one with: {command}, and give its folder, or "
        "take another agent"
    )
    command = kind.remedy(game)
    raise SpielwerkError(say(phrase, kind=kind.name, game=game.title, variant=game.variant, command=command))


def _shipped_for(kind: Kind[Any], game: Game, variant: str) -> Path | None:
    rules: Any = type(game)
    variants = _same_rules(rules, variant)
    fitting = []
    for folder in registry.model_folders():
        for model in _in(folder):
            card = model.card
            if card is None or card.named_only or not _is_of(card, kind, game):
                continue
            if (not card.seats or game.seats in card.seats) and (not card.variants or variants & set(card.variants)):
                fitting.append((not card.variants, not card.seats, model.path))
    return min(fitting, key=lambda found: found[:2])[2] if fitting else None


@lru_cache(maxsize=64)
def _same_rules(game: type[Game], variant: str) -> frozenset[str]:
    """The names of all variants with the same options, however the variant itself is written."""
    options = game(variant=variant).options
    return frozenset({variant}.union(v for v in game.spec.variants if np.array_equal(game(variant=v).options, options)))


# --- load ------------------------------------------------------------------------------------------------------------


def load(kind: Kind[Content], game: Game, source: str | None = None) -> Model[Content]:
    """A model of that kind for `game`; kept in memory until its file changes."""
    path = find(kind, game, source)
    model: Model[Content] = _memory(kind)(path, _change(path), _change(_card_file(path)))
    if model.card is not None and model.card.game != game.spec.id:
        phrase = "{path} plays {found}, not {game}; train one with: {command}"
        found, command = model.card.game, kind.remedy(game)
        raise SpielwerkError(say(phrase, path=path, found=found, game=game.spec.id, command=command))
    return model


def _change(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


@cache
def _memory(kind: Kind[Content]) -> Callable[..., Model[Content]]:
    return lru_cache(maxsize=kind.kept)(partial(_read, kind))


def _read(kind: Kind[Content], path: Path, *_changes: int) -> Model[Content]:
    card = read_card(path)
    if card is not None and card.kind != kind.name:
        phrase = "{path} is a model of the kind {found}, not {kind}; 'spielwerk models' lists those of every kind"
        raise SpielwerkError(say(phrase, path=path, found=card.kind, kind=kind.name))
    try:
        if card is not None and card.format > kind.format:
            raise NewerFormat(card.format)
        return Model(path, card, kind.decode(read_arrays(path, card.digest if card else "")))
    except SpielwerkError:
        raise
    except NewerFormat as newer:
        phrase = "{path} has format {format}; this version reads up to {newest}: update spielwerk"
        raise SpielwerkError(say(phrase, path=path, format=newer.format, newest=kind.format)) from newer
    except KeyError as missing:
        phrase = "{path} is no {kind} model: it has no '{part}'; get it again, or train another"
        raise SpielwerkError(say(phrase, path=path, kind=kind.name, part=missing.args[0])) from missing
    except UNREADABLE as problem:
        phrase = "{path} is no {kind} model: {problem}; get it again, or train another"
        raise SpielwerkError(say(phrase, path=path, kind=kind.name, problem=problem)) from problem


def read_arrays(path: Path, digest: str = "") -> dict[str, NDArray[Any]]:
    """The arrays of a model file, which must be the one with that digest if one is given."""
    data = path.read_bytes()
    if digest and hashlib.sha256(data).hexdigest() != digest:
        phrase = "{path} is damaged or another one than its card describes; get it again, or ship it again with --force"
        raise SpielwerkError(say(phrase, path=path))
    if not zipfile.is_zipfile(io.BytesIO(data)):
        raise ValueError(say("the file is cut off or of another kind"))
    with np.load(io.BytesIO(data)) as file:
        return dict(file)


# --- save ------------------------------------------------------------------------------------------------------------


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write a model file without a card, as run folders hold it."""
    with replacing(path) as temporary:
        _write(temporary, arrays)


def _write(path: Path, arrays: Arrays) -> None:
    if any(array.dtype.hasobject for array in arrays.values()):
        raise TypeError("arrays of Python objects would be pickled; a model holds numbers only")
    with path.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def place(folder: Path, name: str, replace: bool = False) -> Path:
    """Where a model of that name is kept in a folder; an error if the name is taken or cannot be one."""
    if not NAME.fullmatch(name):
        phrase = "'{name}' cannot be the name of a model; take letters, digits, dots, - and _"
        raise SpielwerkError(say(phrase, name=name))
    path = folder / f"{name}.npz"
    if _card_file(path).exists() and not replace:
        phrase = "there is a model {name} in {folder} already; take another name, or replace it with --force"
        raise SpielwerkError(say(phrase, name=name, folder=folder))
    return path


def save(folder: Path, name: str, card: Card, arrays: Arrays, replace: bool = False) -> Listed:
    """Keep a model in a folder. The card comes last: a model without one is not found."""
    path = place(folder, name, replace)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(_card_file(path)) as card_file, replacing(path) as arrays_file:
            _write(arrays_file, arrays)
            card = msgspec.structs.replace(card, digest=hashlib.sha256(arrays_file.read_bytes()).hexdigest())
            card_file.write_bytes(msgspec.json.format(msgspec.json.encode(card), indent=2) + b"\n")
    except OSError as problem:
        raise SpielwerkError(say("cannot write {path}: {problem}", path=path, problem=problem)) from problem
    return Listed(name, path, card)
