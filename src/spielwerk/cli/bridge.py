"""spielwerk host, spielwerk join: servers and clients of foreign protocols."""

import json
from typing import Annotated

import typer

from spielwerk.cli.app import app, console, notes
from spielwerk.core.errors import SpielwerkError

ANY_OPTION = {"allow_extra_args": True, "ignore_unknown_options": True}


def options_of(words: list[str], kind: type, short: dict[str, str]) -> dict[str, str]:
    """'--port 3000 --duplicate' -> {'port': '3000', 'duplicate': 'true'}; `short` gives other names of options."""
    from spielwerk.core.agent import option_help

    known = option_help(kind)
    found: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        name = short.get(name, name)
        if not word.startswith("--") or name not in known:
            listed = ", ".join(f"--{option}" for option in known)
            raise SpielwerkError(f"'{word}' is no option here; options are {listed}")
        if not equals:
            value = rest.pop(0) if rest and not rest[0].startswith("--") else "true"
        found[name] = value
    return found


@app.command(context_settings=ANY_OPTION)
def host(context: typer.Context, game: Annotated[str, typer.Argument(help="the game, for example jass")]) -> None:
    """Serve a game in the protocol of its competition.

    For example: spielwerk host jass --port 3000 --records games
    """
    from spielwerk.bridges import bridge
    from spielwerk.core import registry

    hosting = bridge(game).host
    server = hosting.build(options_of(context.args, hosting, {}), registry.agent)
    server.run(lambda line: console.print(line))


@app.command(context_settings=ANY_OPTION)
def join(context: typer.Context, game: Annotated[str, typer.Argument(help="the game, for example jass")]) -> None:
    """Seat an agent at a server of a competition.

    For example: spielwerk join jass --url ws://… --name bot --session s --agent rules
    """
    from spielwerk.bridges import bridge
    from spielwerk.core import registry

    joining = bridge(game).join
    client = joining.build(options_of(context.args, joining, {"name": "player"}), registry.agent)
    found = client.run(lambda line: notes.print(line))
    console.print_json(json.dumps(found))
