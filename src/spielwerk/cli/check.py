"""spielwerk check: matches that were played and written down elsewhere."""

from pathlib import Path
from typing import Annotated

import typer

from spielwerk.cli.app import app, console
from spielwerk.cli.options import AsJson, Game


@app.command()
def check(
    game: Game,
    file: Annotated[Path, typer.Argument(help="a log in the format of the game's competition, or a record")],
    record: Annotated[Path | None, typer.Option(help="write the match as a record to this file")] = None,
    log: Annotated[Path | None, typer.Option(help="write the match as a log to this file")] = None,
    as_json: AsJson = False,
) -> None:
    """Check the log of a match round by round, and name the first round that breaks the rules.

    Logs and records can be turned into each other: records can be replayed, watched in the browser and learned from.
    """
    import json

    from spielwerk.core import registry

    found = registry.checker(game)(file.read_bytes())
    say = registry.game_class(game).say
    if record:
        found.record.save(record)
    if log:
        log.write_bytes(found.log)
    if as_json:
        console.print_json(json.dumps(found.facts))
        return
    console.print("ok: every round follows the rules")
    for name, value in found.facts.items():
        console.print(f"{say(name)}: {value}", soft_wrap=True)
