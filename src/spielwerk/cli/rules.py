"""spielwerk rules: the rules of a game."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markdown import Markdown
from rich.table import Table

from spielwerk.cli.app import app, console

if TYPE_CHECKING:
    from spielwerk.core.game import Game
    from spielwerk.core.spec import Option

WIDEST = 100  # columns; longer lines are hard to read


@app.command()
def rules(game: Annotated[str, typer.Argument(help="the game")]) -> None:
    """Show the rules of a game as they are implemented, with its variants, options and looks."""
    from spielwerk.core import registry
    from spielwerk.core.errors import SpielwerkError

    found = registry.game_class(game)
    text = found.rules()
    if not text:
        raise SpielwerkError(f"{game} comes without written rules: there is no rules.md beside its game")
    console.print(Markdown(text), width=min(console.width, WIDEST))
    show_choices(found)


def show_choices(game: "type[Game]") -> None:
    """What can be chosen of a game: variants (--variant), options within them, and looks (--look)."""
    say, spec = game.say, game.spec
    variants = [
        (name, say(variant.title), say(variant.help), ", ".join(game.variant_sets(name)))
        for name, variant in spec.variants.items()
    ]
    _table(("variant", "name", "about", "sets"), variants)
    options = [
        (option.name, game.option_name(option), say(option.help), _values(option), _value(option, option.default))
        for option in spec.options
    ]
    _table(("option", "name", "about", "values", "default"), options)
    looks = [
        (look.name, say(look.title), ", ".join(f"{name} ({say(title)})" for name, title in look.choices.items()))
        for look in spec.looks
    ]
    _table(("look", "name", "choices"), looks)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if not rows:
        return
    table = Table(*heads, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    console.print()
    console.print(table)


def _values(option: "Option") -> str:
    return ", ".join(option.words) or f"{option.low} to {option.high}"


def _value(option: "Option", number: int) -> str:
    return option.words[number - option.low] if option.words else str(number)
