"""spielwerk data: matches to learn from, in the form that a game has for them."""

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from spielwerk.cli.app import app, console
from spielwerk.cli.options import LARGEST_SEED, MOST_WORKERS, AsJson, Backend, Duration, Variant, backend_of, whole
from spielwerk.cli.progress import progress
from spielwerk.cli.tables import print_parts

data = typer.Typer(no_args_is_help=True, help="Matches to learn from: make them, read them from records, look at them.")
app.add_typer(data, name="data")

GameName = Annotated[str, typer.Argument(help="the game")]


@data.command()
def make(
    game: GameName,
    agents: Annotated[
        list[str], typer.Argument(help="who plays, as name:key=value,…; AGENT*3 is drawn three times as often")
    ],
    out: Annotated[Path, typer.Option(help="the folder of the matches; what it holds already is not played again")],
    teacher: Annotated[
        str | None, typer.Option(help="agent whose decisions are written beside what was played")
    ] = None,
    matches: Annotated[int, whole("matches", 1, 1_000_000_000)] = 1000,
    variant: Variant = None,
    seed: Annotated[int, whole("where all randomness comes from", 0, LARGEST_SEED)] = 0,
    threads: Annotated[int, whole("threads or workers", 1, MOST_WORKERS)] = 1,
    seconds: Duration = None,
    backend: Backend = "auto",
) -> None:
    """Let agents play matches to learn from. Can be killed at any moment; the same command goes on."""
    from spielwerk.core import registry
    from spielwerk.learn.run import Limits

    table = registry.game(game, None, variant)
    ends = None if seconds is None else time.monotonic() + seconds
    limits = Limits(ends, threads, seed, backend=backend_of(backend))
    with progress(f"matches of {table.spec.title} in {out}") as report:
        made = registry.data(game).make(out, table, _shares(agents), teacher, matches, limits, report)
    if made is None:
        console.print("time is up; the same command goes on", highlight=False)


@data.command()
def read(
    game: GameName,
    sources: Annotated[list[Path], typer.Argument(help="records and logs, or folders of them", exists=True)],
    out: Annotated[Path, typer.Option(help="the folder of the matches")],
    variant: Variant = None,
) -> None:
    """Take matches from records and from logs of servers."""
    from spielwerk.core import registry

    table = registry.game(game, None, variant)
    with progress(f"matches of {table.spec.title} into {out}") as report:
        registry.data(game).read(sources, table.variant, out, report)


@data.command("report")
def describe(
    game: GameName,
    folder: Annotated[Path, typer.Argument(help="the folder of the matches")],
    as_json: AsJson = False,
) -> None:
    """How many matches there are, and of what quality."""
    from spielwerk.core import registry

    with progress(f"looking at {folder}") as report:
        found = registry.data(game).describe(folder, report)
    if as_json:
        console.print_json(json.dumps(found))
    else:
        print_parts(found)


def _shares(agents: list[str]) -> dict[str, float]:
    """`rules*3` has three times the seats of `random`."""
    from spielwerk.core.errors import SpielwerkError

    shares: dict[str, float] = {}
    for text in agents:
        name, star, times = text.rpartition("*")
        if not star:
            name, times = text, "1"
        try:
            share = float(times)
        except ValueError:
            share = 0.0
        if not 0.0 < share < 1e6:
            raise SpielwerkError(f"{text}: write how often it is drawn as a number after the star, as rules*3")
        shares[name] = shares.get(name, 0.0) + share
    return shares
