"""The application, and how errors reach people."""

import os
import sys
from importlib import import_module
from typing import Any

import typer
from rich.console import Console

app = typer.Typer(
    name="spielwerk",
    help="A workbench for game AI in which any agent plays any game.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
WIDE = None if sys.stdout.isatty() else 160  # tables that go into a file or a pipe are not folded
console = Console(width=WIDE)
notes = Console(stderr=True)

FAMILIES = (
    "play",
    "arena",
    "train",
    "solve",
    "ask",
    "study",
    "web",
    "bridge",
)  # modules of commands; each adds its own to `app`

for family in FAMILIES:
    name = f"spielwerk.cli.{family}"
    try:
        import_module(name)
    except ModuleNotFoundError as problem:
        if problem.name != name:
            raise


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line; a mistake of the user's becomes one line and exit code 2."""
    from spielwerk.core.errors import SpielwerkError
    from spielwerk.core.kernel import on_compile
    from spielwerk.core.words import ENGLISH, speaking

    told = False

    def tell(name: str) -> None:
        nonlocal told
        if not told:
            told = True
            notes.print("[dim]compiling for the first time, this takes a few seconds …[/dim]")

    try:
        with on_compile(tell), speaking(os.environ.get("SPIELWERK_LANGUAGE") or ENGLISH):
            return app(arguments)
    except SpielwerkError as problem:
        notes.print(f"[red]error:[/red] {problem}", highlight=False, soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt:
        notes.print("stopped")
        sys.exit(130)
    except BrokenPipeError:
        os._exit(0)
