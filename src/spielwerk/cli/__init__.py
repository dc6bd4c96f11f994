"""The command line: thin, each command calls one library function. One module per family of commands."""

from spielwerk.cli.app import main

__all__ = ["main"]
