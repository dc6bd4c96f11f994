"""Words for people, in their language.

Phrases are written in English where they are needed, with named places for what changes:

    say = Words.beside(__file__)
    say("seat {seat} begins", seat=seat_number(0))

A file `words.<language>.toml` in the same folder holds them in another language:

    "seat {seat} begins" = "Platz {seat} beginnt"

A place with two words chooses between them, the first for one: "{points} {points:point|points}".

Which language is spoken follows from the context (`with speaking("de"): …`) and is English otherwise; what a catalogue
does not know is said in English. Only what people read is said: notation, records and protocols are the same for all.
"""

import sys
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

ENGLISH = "en"

_spoken: ContextVar[str] = ContextVar("spoken", default=ENGLISH)
_overheard: ContextVar[dict[str, bool] | None] = ContextVar("overheard", default=None)


def language() -> str:
    """The language that is spoken now, as two or three letters."""
    return _spoken.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak another language; `de-CH` is taken as `de`."""
    before = _spoken.set(language.replace("_", "-").partition("-")[0].lower())
    try:
        yield
    finally:
        _spoken.reset(before)


@contextmanager
def overheard() -> Iterator[dict[str, bool]]:
    """Every phrase that is said inside, and whether the language that was spoken has it. For tests."""
    heard: dict[str, bool] = {}
    before = _overheard.set(heard)
    try:
        yield heard
    finally:
        _overheard.reset(before)


class _Filler(Formatter):
    """Fills the places of a phrase."""

    def format_field(self, value: Any, form: str) -> str:
        one, several, many = form.partition("|")
        if not several:
            return str(super().format_field(value, form))
        return one if str(value).lstrip("+-\N{MINUS SIGN}") == "1" else many


_filler = _Filler()


class Words:
    """The phrases of a folder; `more` are folders that are asked where the first has no translation."""

    def __init__(self, folder: Path | None = None, *more: Path) -> None:
        self.folders = tuple(dict.fromkeys(() if folder is None else (folder, *more)))

    @classmethod
    def beside(cls, file: str) -> "Words":
        """The words of the folder of a module."""
        return cls(Path(file).parent)

    @classmethod
    def of(cls, kind: type) -> "Words":
        """The words of the folder in which a class is written, then those of its base classes."""
        files = (getattr(sys.modules.get(each.__module__), "__file__", None) for each in kind.__mro__[:-1])
        return cls(*(Path(file).parent for file in files if file))

    @property
    def languages(self) -> tuple[str, ...]:
        """Into which languages the first folder translates."""
        return _languages(self.folders[0]) if self.folders else ()

    def __call__(self, phrase: str, /, **values: Any) -> str:
        spoken = _spoken.get()
        found = phrase if spoken == ENGLISH else self._translated(phrase, spoken)
        heard = _overheard.get()
        if heard is not None:
            heard[phrase] = found is not None
        text = phrase if found is None else found
        return _filler.format(text, **values) if values else text

    def _translated(self, phrase: str, spoken: str) -> str | None:
        for folder in self.folders:
            found = catalogue(folder, spoken).get(phrase)
            if found is not None:
                return found
        return None


@cache
def _languages(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(file.name.split(".")[1] for file in folder.glob("words.*.toml")))


@cache
def catalogue(folder: Path, language: str) -> dict[str, str]:
    """English phrase -> what it is in `language`; empty if the folder has no such file."""
    if language not in _languages(folder):
        return {}
    return tomllib.loads((folder / f"words.{language}.toml").read_text("utf-8"))


def places(phrase: str) -> set[str]:
    """The named places of a phrase."""
    return {name for _, name, _, _ in Formatter().parse(phrase) if name is not None}


say = Words.beside(__file__)


def seat_number(seat: int) -> int:
    """The number of a seat as people count, from 1. Data, notation and protocols count from 0."""
    return seat + 1


def seat_numbers(seats: Iterable[int], between: str = ", ") -> str:
    """Several seats as people count."""
    return between.join(str(seat_number(seat)) for seat in seats)


def number(value: float, digits: int = 0) -> str:
    """A number with its thousands apart, in the manner of the language."""
    return "".join(say(sign) if sign in ",." else sign for sign in f"{value:,.{digits}f}")
