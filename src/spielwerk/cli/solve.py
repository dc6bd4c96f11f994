"""spielwerk solve: exact answers where a game is small enough."""

import json
from typing import Annotated

import typer

from spielwerk.cli.app import app, console
from spielwerk.cli.options import AsJson, Game, Seats, Variant
from spielwerk.cli.progress import progress


@app.command()
def solve(
    game: Game,
    question: Annotated[str | None, typer.Argument(help="what to solve, in the game's notation")] = None,
    seats: Seats = None,
    variant: Variant = None,
    as_json: AsJson = False,
) -> None:
    """Solve a game, or a part of it, exactly."""
    from spielwerk.core import registry

    solver = registry.solver(game)
    table = registry.game(game, seats, variant)
    with progress(f"solving {table.spec.title}") as report:
        found = solver(table, question, report)
    if as_json:
        console.print_json(json.dumps(found))
        return
    for name, value in found.items():
        console.print(f"{table.say(name)}: {value}")
