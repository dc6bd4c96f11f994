"""spielwerk rules: the rules of a game."""

from typing import Annotated

import typer
from rich.markdown import Markdown

from spielwerk.cli.app import app, console

WIDEST = 100  # columns; longer lines are hard to read


@app.command()
def rules(game: Annotated[str, typer.Argument(help="the game")]) -> None:
    """Show the rules of a game as they are implemented, with their variants."""
    from spielwerk.core import registry
    from spielwerk.core.errors import SpielwerkError

    text = registry.game_class(game).rules()
    if not text:
        raise SpielwerkError(f"{game} comes without written rules: there is no rules.md beside its game")
    console.print(Markdown(text), width=min(console.width, WIDEST))
