"""The application, and how errors reach people."""

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

app = typer.Typer(
    name="spielwerk",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
WIDE = None if sys.stdout.isatty() else 1000  # tables that go into a file or a pipe are not folded
LONGEST_LINE = 1000  # characters of what is said about a mistake
PLAIN: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False}  # what people wrote is shown as it is
console = Console(width=WIDE, **PLAIN)
notes = Console(stderr=True, **PLAIN)


def _show_version(wanted: bool) -> None:
    if wanted:
        from spielwerk.core.match import versions

        console.print(f"spielwerk {versions()['spielwerk']}")
        raise typer.Exit


@app.callback()
def every_command(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """A workbench for game AI in which any agent plays any game."""


FAMILIES = (
    "play",
    "rules",
    "arena",
    "train",
    "data",
    "models",
    "solve",
    "check",
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
    """Run the command line. It ends with 0; with 2 after a mistake of the user's, which becomes one line; with 130
    after Ctrl-C; with 1 if nobody reads on what it prints, as with `| head`."""
    from spielwerk.core.cache import announce, on_compile
    from spielwerk.core.clock import Stopped
    from spielwerk.core.errors import SpielwerkError
    from spielwerk.core.looks import looking
    from spielwerk.core.signs import interrupted, interruptible
    from spielwerk.core.words import ENGLISH, speaking

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a sign shows ? in its place
            stream.reconfigure(errors="replace")

    def tell(name: str) -> None:
        announce(lambda line: notes.print(line, style="dim", soft_wrap=True))

    try:
        language = os.environ.get("SPIELWERK_LANGUAGE") or ENGLISH
        with interruptible(), on_compile(tell), speaking(language), looking({}):
            sys.exit(app(arguments, standalone_mode=False))  # 130 after Ctrl-C, 0 after help
    except SpielwerkError as problem:
        if isinstance(problem, Stopped) and interrupted():  # where nobody heard of it but those who were stopped
            sys.exit(130)
        complain(str(problem))
    except typer.Abort:
        sys.exit(130)
    except MemoryError:
        complain("not enough memory; take smaller numbers")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more at its end
        sys.exit(1)
    except OSError as problem:
        said = problem.strerror or str(problem)
        complain(said if problem.filename is None else f"{problem.filename}: {said}")
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
    if len(reason) > LONGEST_LINE:  # of what people wrote the beginning is enough; the remedy is at the end
        reason = f"{reason[: LONGEST_LINE // 2]} … {reason[-LONGEST_LINE // 2 :]}"
    notes.print(Text.assemble(("error:", "red"), f" {reason}"), soft_wrap=True)
    sys.exit(2)
