"""spielwerk ship and models: keep what a run has learned, and see what there is."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.table import Table

from spielwerk.cli.app import app, console, counted
from spielwerk.cli.options import LARGEST_SEED, AsJson, Workers, count, whole
from spielwerk.cli.progress import progress

if TYPE_CHECKING:
    from spielwerk.core.models import Card, Listed, Measured


@app.command()
def ship(
    run: Annotated[Path, typer.Argument(help="the run folder")],
    name: Annotated[str, typer.Option("--as", help="the name of the model")],
    to: Annotated[Path | None, typer.Option(help="folder for the model; default: your own models")] = None,
    games: Annotated[int, count("matches to measure it")] = 1000,
    seed: Annotated[
        int | None, whole("seed of these matches; default: that of the run + 1000", 0, LARGEST_SEED)
    ] = None,
    opponents: Annotated[str | None, typer.Option(help="who sits on the other seats")] = None,
    trim: Annotated[
        str, typer.Option(help="make it smaller, e.g. megabytes=28,stages=1 (ntuple: leave out what learned least)")
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="replace a model that has this name")] = False,
    workers: Workers = 1,
    remark: Annotated[str, typer.Option("--notes", help="what else its card says")] = "",
    licence: Annotated[str, typer.Option(help="the licence that its card names")] = "",
    named_only: Annotated[
        bool, typer.Option("--named-only", help="it plays only where it is named, not where an agent takes any model")
    ] = False,
) -> None:
    """Make a model of a training run: measure it, and keep it with its card."""
    from spielwerk.core.agent import parse_spec
    from spielwerk.learn.ship import ship as make

    with progress(f"measuring {name}") as report:
        made = make(
            run, name, to=to, games=games, seed=seed, opponents=opponents, trim=parse_spec(f"trim:{trim}")[1],
            force=force, workers=workers, notes=remark, licence=licence,
            named_only=named_only, report=report,
        )  # fmt: skip
    console.print(f"model: {made.path}, {made.path.stat().st_size / 1e6:,.2f} MB", soft_wrap=True)
    for measured in made.card.measured if made.card else ():
        console.print(f"{measured.agent}: {_figure(measured)}", soft_wrap=True)
        console.print(f"measure it again: {measured.command}", soft_wrap=True)


@app.command()
def models(
    name: Annotated[str | None, typer.Argument(help="the model whose card is shown; without it all are listed")] = None,
    game: Annotated[str | None, typer.Option(help="only models of this game")] = None,
    as_json: AsJson = False,
) -> None:
    """List the models that are found by name, or show the card of one."""
    from spielwerk.core import models as store
    from spielwerk.core.errors import SpielwerkError

    if name is not None:
        found = store.named(name)
        if found.card is None:
            raise SpielwerkError(found.problem)
        if as_json:
            console.print_json(json.dumps(_plain(found)))
        else:
            _show(found, found.card)
        return
    known = [each for each in store.listed() if game is None or (each.card is not None and each.card.game == game)]
    if as_json:
        console.print_json(json.dumps([_plain(each) for each in known]))
        return
    table = Table("name", "kind", "game", "variants", "seats", "plays", "folder", box=None, pad_edge=False)
    for each in known:
        card, folder = each.card, str(each.path.parent)
        if card is None:
            table.add_row(each.name, "", "", "", "", each.problem, folder)
            continue
        plays = _figure(card.measured[0]) if card.measured else ""
        table.add_row(each.name, card.kind, card.game, _variants(card), _seats(card), plays, folder)
    console.print(table)


def _variants(card: "Card") -> str:
    return " ".join(card.variants) or "all"


def _seats(card: "Card") -> str:
    return " ".join(map(str, card.seats)) or "all"


def _figure(measured: "Measured") -> str:
    """'191,653 ± 6,049, 1,000 matches'."""
    digits = 0 if abs(measured.mean) >= 10_000 else 1
    text = f"{measured.mean:,.{digits}f}"
    if measured.ci95 is not None:
        text += f" ± {(measured.ci95[1] - measured.ci95[0]) / 2:,.{digits}f}"
    if measured.win_share is not None:
        text += f", wins {100 * measured.win_share:.1f} %"
        if measured.win_ci95 is not None:
            text += f" ± {50 * (measured.win_ci95[1] - measured.win_ci95[0]):.1f}"
    if measured.opponents is not None:
        text += f" against {measured.opponents}"
    return f"{text}, {counted(measured.games, 'match')}"


def _plain(found: "Listed") -> dict[str, object]:
    card = msgspec.to_builtins(found.card) if found.card is not None else {"problem": found.problem}
    return {"name": found.name, "file": str(found.path), **card}


def _show(found: "Listed", card: "Card") -> None:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_row("model", found.name)
    table.add_row("file", f"{found.path}, {found.path.stat().st_size / 1e6:,.2f} MB")
    table.add_row("kind", f"{card.kind}, format {card.format}")
    table.add_row("game", f"{card.game}, variants: {_variants(card)}, seats: {_seats(card)}")
    if card.named_only:
        table.add_row("", "is used only where it is named")
    trained = card.trained
    amounts = [f"{trained.matches:,} matches"] if trained.matches is not None else []
    amounts += [f"{trained.seconds:,.0f} seconds"] if trained.seconds is not None else []
    rows = [("what", card.what), ("trained", trained.command), ("", ", ".join(amounts)), ("", trained.notes)]
    for measured in card.measured:
        rows += [("plays", f"{measured.agent}: {_figure(measured)}"), ("", measured.command)]
    rows += [("notes", card.notes), ("licence", card.licence), ("digest", card.digest)]
    for label, text in rows:
        if text:
            table.add_row(label, text)
    console.print(table)
