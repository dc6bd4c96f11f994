"""spielwerk host, spielwerk join: servers and clients of foreign protocols."""

import json
from collections.abc import Iterator
from dataclasses import MISSING
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from typer.core import TyperCommand

from spielwerk.cli.app import app, console, notes
from spielwerk.core.errors import SpielwerkError

ANY_OPTION = {"allow_extra_args": True, "ignore_unknown_options": True}
DROPPED = "dropped"  # the result of a client whose connection ended before its game did
SHORT = {"name": "player"}  # other names of options


class BridgeCommand(TyperCommand):
    """A command whose options depend on the game: its help lists those of the game that is named, or of all."""

    side: str  # of a bridge: host or join

    # Typer brings its own classes of contexts and formatters in some versions, those of click in others.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta["words"] = list(args)  # help is shown before arguments are read
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        from spielwerk.bridges import bridge, bridged

        super().format_options(ctx, formatter)
        named = [game for game in bridged() if game in ctx.meta["words"]]
        for game in named or bridged():
            with formatter.section(f"Options for {game}"):
                try:
                    kind = getattr(bridge(game), self.side)
                except SpielwerkError as problem:
                    formatter.write_text(str(problem))
                    continue
                formatter.write_dl(list(option_lines(kind)))
            formatter.write(f"\nFor example:\n  {kind.example}\n")


class HostCommand(BridgeCommand):
    side = "host"


class JoinCommand(BridgeCommand):
    side = "join"


def option_lines(kind: type) -> Iterator[tuple[str, str]]:
    """Every option of a class of options, and what it means."""
    from spielwerk.core.agent import option_help

    for option in option_help(kind).values():
        names = [short for short, name in SHORT.items() if name == option.name] + [option.name]
        written = ", ".join("--" + name.replace("_", "-") for name in names)
        default = "required" if option.default is MISSING else f"default: {_shown(option.default)}"
        limits = "" if option.range is None else f", {option.range}"
        yield f"{written} {_value(option.type)}".rstrip(), f"{option.help}  [{default}{limits}]"


def _value(hint: Any) -> str:
    """What stands for the value of an option: nothing for a switch."""
    if get_origin(hint) is Literal:
        return "|".join(map(str, get_args(hint)))
    kind = next(arm for arm in get_args(hint) or (hint,) if arm is not type(None))
    if kind is bool:
        return ""
    return {int: "INTEGER", float: "NUMBER", str: "TEXT"}.get(kind) or str(kind.__name__).upper()


def _shown(default: Any) -> str:
    if isinstance(default, bool):
        return "on" if default else "off"
    return "none" if default is None else str(default)


def options_of(words: list[str], kind: type, short: dict[str, str]) -> dict[str, str]:
    """'--port 3000 --duplicate' -> {'port': '3000', 'duplicate': 'true'}; `short` gives other names of options."""
    from spielwerk.core.agent import option_help

    known = option_help(kind)
    found: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        name = name.replace("-", "_")
        name = short.get(name, name)
        if not word.startswith("--") or name not in known:
            listed = ", ".join("--" + option.replace("_", "-") for option in known)
            raise SpielwerkError(f"'{word}' is no option here; options are {listed}")
        if not equals and rest and not rest[0].startswith("--"):
            value = rest.pop(0)
        elif not equals and known[name].type is bool:
            value = "true"
        elif not equals:
            raise SpielwerkError(f"{word} needs a value: {word} {_value(known[name].type)}, {known[name].help}")
        found[name] = value
    return found


@app.command(context_settings=ANY_OPTION, cls=HostCommand)
def host(context: typer.Context, game: Annotated[str, typer.Argument(help="the game, for example jass")]) -> None:
    """Serve a game in the protocol of its competition."""
    from spielwerk.bridges import bridge
    from spielwerk.core import registry

    hosting = bridge(game).host
    server = hosting.build(options_of(context.args, hosting, {}), registry.agent)
    server.run(lambda line: console.print(line))


@app.command(context_settings=ANY_OPTION, cls=JoinCommand)
def join(context: typer.Context, game: Annotated[str, typer.Argument(help="the game, for example jass")]) -> None:
    """Seat an agent at a server of a competition: its name may follow the game, without --agent."""
    from spielwerk.bridges import bridge
    from spielwerk.core import registry

    joining = bridge(game).join
    words = list(context.args)
    if words and not words[0].startswith("-"):
        words.insert(0, "--agent")
    client = joining.build(options_of(words, joining, SHORT), registry.agent)
    found = client.run(lambda line: notes.print(line))
    console.print_json(json.dumps(found))
    if found.get("result") == DROPPED:
        raise typer.Exit(1)
