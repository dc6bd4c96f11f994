"""The options that several commands have, and their ranges: declared once, the same in every command.

A number out of its range is a mistake that is told before anything else happens, with what is possible.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import typer

N = TypeVar("N", int, float)

LARGEST_SEED = 2**63 - 1
MOST_WORKERS = 1024
MOST = 10_000_000  # matches, rounds, positions and the like
LONGEST = 1_000_000_000  # seconds, thirty years


def whole(help: str, low: int, high: int) -> Any:
    """An option that takes a whole number of a range."""
    return typer.Option(help=help, metavar="<int>", parser=_whole(low, high))


def seconds(help: str, low: float = 0.0) -> Any:
    """An option that takes a time in seconds, `low` or more."""
    return typer.Option(help=help, metavar="<seconds>", parser=_seconds(low))


def _whole(low: int, high: int) -> Callable[[object], int]:
    def parse(value: object) -> int:
        try:
            number = int(str(value).encode("ascii"))
        except ValueError:  # that Python cannot read numbers of more than 4300 digits is the same to people
            raise typer.BadParameter(f"{_shown(value)} is no whole number") from None
        return _within(number, low, high, value)

    return parse


def _seconds(low: float) -> Callable[[object], float]:
    def parse(value: object) -> float:
        try:
            number = float(str(value).encode("ascii"))
        except ValueError:
            number = math.nan
        if math.isnan(number):
            raise typer.BadParameter(f"{_shown(value)} is no number of seconds")
        return _within(number, low, LONGEST, value)

    return parse


def _within(number: N, low: N, high: N, value: object) -> N:
    if number < low:
        raise typer.BadParameter(f"{_shown(value)} is too small; take at least {low:g}")
    if number > high:
        raise typer.BadParameter(f"{_shown(value)} is too large; take at most {high:,}")
    return number


def _shown(value: object) -> str:
    from spielwerk.core.errors import quoted

    return f"'{quoted(str(value))}'"


Game = Annotated[str, typer.Argument(help="the game")]
AgentSpec = Annotated[str, typer.Argument(help="the agent as name:key=value,…")]
Seats = Annotated[int | None, whole("number of seats", 1, 1000)]
Variant = Annotated[str | None, typer.Option(help="variant of the rules, as name or name,option=value")]
Seed = Annotated[int, whole("where all randomness comes from", 0, LARGEST_SEED)]
Workers = Annotated[int, whole("how many matches at once", 1, MOST_WORKERS)]
Opening = Annotated[int, whole("random first moves of every match, the same for all line-ups of a seed", 0, MOST)]
Thinking = Annotated[float | None, seconds("thinking time per decision")]
Duration = Annotated[float | None, seconds("stop after this time; the run can be resumed")]
Backend = Annotated[str, typer.Option(help="auto, threads, processes or ray")]
DEVICES = "where networks learn: auto (an accelerator if there is one), cpu, cuda or mps"
Device = Annotated[str, typer.Option(help=DEVICES)]
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON object")]
Plot = Annotated[Path | None, typer.Option(help="draw a picture into this file (.png, .svg or .pdf)")]
StorePath = Annotated[Path | None, typer.Option("--store", help="the store of results")]


def count(help: str, low: int = 1) -> Any:
    """An option that takes a number of matches or of something like them."""
    return whole(help, low, MOST)


def backend_of(text: str) -> Any:
    from spielwerk.arena.workers import Backend as known

    return _one_of("backend", text, get_args(known))


def device_of(text: str) -> Any:
    from spielwerk.learn.run import Device as known

    return _one_of("device", text, get_args(known))


def _one_of(kind: str, text: str, known: tuple[str, ...]) -> str:
    from spielwerk.core.errors import UnknownName

    if text not in known:
        raise UnknownName(kind, text, known)
    return text
