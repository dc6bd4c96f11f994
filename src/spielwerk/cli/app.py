"""The application, and how errors reach people."""

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

app = typer.Typer(
    name="spielwerk",
    help="A workbench for game AI in which any agent plays any game.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
WIDE = None if sys.stdout.isatty() else 1000  # tables that go into a file or a pipe are not folded
PLAIN: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False}  # what people wrote is shown as it is
console = Console(width=WIDE, **PLAIN)
notes = Console(stderr=True, **PLAIN)

FAMILIES = (
    "play",
    "rules",
    "arena",
    "train",
    "models",
    "solve",
    "ask",
    "study",
    "web",
    "bridge",
)  # modules of commands; each adds its own to `app`


def counted(number: float, noun: str) -> str:
    """'1 seat', '2 seats', '3 matches'."""
    plural = "" if abs(number) == 1 else "es" if noun.endswith("ch") else "s"
    return f"{number:,.12g} {noun}{plural}"


LOOK_HELP = "how the board is drawn, as LOOK=CHOICE; `spielwerk rules GAME` lists them"

for family in FAMILIES:
    import_module(f"spielwerk.cli.{family}")


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line; a mistake of the user's becomes one line and exit code 2."""
    from spielwerk.core.errors import SpielwerkError
    from spielwerk.core.linker import on_compile
    from spielwerk.core.looks import looking
    from spielwerk.core.words import ENGLISH, speaking

    if isinstance(sys.stdout, TextIOWrapper):  # a terminal that lacks a sign shows ? in its place
        sys.stdout.reconfigure(errors="replace")
    told = False

    def tell(name: str) -> None:
        nonlocal told
        if not told:
            told = True
            notes.print("compiling for the first time, this takes a few seconds …", style="dim")

    try:
        with on_compile(tell), speaking(os.environ.get("SPIELWERK_LANGUAGE") or ENGLISH), looking({}):
            sys.exit(app(arguments, standalone_mode=False))  # 130 after Ctrl-C, 0 after help
    except SpielwerkError as problem:
        complain(str(problem))
    except typer.Abort:
        sys.exit(130)
    except MemoryError:
        complain("not enough memory; take smaller numbers")
    except OSError as problem:
        if problem.filename is None:
            raise
        complain(f"{problem.filename}: {problem.strerror}")
    except Exception as problem:  # typer has classes of its own for wrong usage, in every version at another place
        if not hasattr(problem, "format_message"):
            raise
        where = getattr(getattr(problem, "ctx", None), "command_path", "spielwerk")
        lines = problem.format_message().splitlines()
        if len(lines) > 1:  # help, because nothing was asked for
            notes.print("\n".join(lines))
            sys.exit(2)
        complain(f"{''.join(lines).rstrip('.')} (see {where} --help)")


def complain(reason: str) -> NoReturn:
    notes.print(Text.assemble(("error:", "red"), f" {reason}"), soft_wrap=True)
    sys.exit(2)
