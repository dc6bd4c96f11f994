"""spielwerk games, agents, warm, clean, play, replay."""

from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from spielwerk.cli.app import LOOK_HELP, app, console, counted, notes
from spielwerk.cli.options import LARGEST_SEED, Game, Seats, StorePath, Thinking, Variant, seconds, whole

if TYPE_CHECKING:
    from spielwerk.core.agent import Configured


def complain(problem: str) -> None:
    """A game of a third party that cannot be loaded stops nobody."""
    notes.print(f"left out: {problem}", soft_wrap=True)


@app.command()
def games() -> None:
    """List the games."""
    from spielwerk.core import registry

    table = Table("game", "title", "seats", "variants", "about", box=None, pad_edge=False)
    for name, kind in registry.game_classes(complain).items():
        spec = kind.spec
        seats = ", ".join(map(str, sorted(spec.seats)))
        table.add_row(name, spec.title, seats, ", ".join(spec.variants), spec.summary)
    console.print(table)


@app.command()
def agents(
    game: Annotated[
        str | None, typer.Argument(help="only those that can play this game, and why others cannot")
    ] = None,
) -> None:
    """List the agents and their options."""
    from spielwerk.core import registry
    from spielwerk.core.agent import option_help
    from spielwerk.core.errors import SpielwerkError

    table_of = registry.game(game) if game else None
    for name in registry.agent_names():
        try:
            kind = registry.agent_class(name)
            options = option_help(kind)
        except SpielwerkError as problem:
            console.print(Text.assemble((name, "bold"), "  ", (str(problem), "dim")), soft_wrap=True)
            continue
        about = (kind.__doc__ or "").strip().splitlines()[0]
        needs = [option.name for option in options.values() if option.default is MISSING]
        reason = None if needs or table_of is None else kind().why_not(table_of)
        console.print(Text.assemble((name, "bold"), f"  {about}"), soft_wrap=True)
        if reason:
            console.print(f"    cannot play {table_of.title if table_of else ''}: {reason}", soft_wrap=True)
            continue
        list_options(kind)
    fitting = [name for name in registry.evaluation_names() if table_of is None or _fits(name, table_of)]
    console.print(f"evaluations: {', '.join(fitting)}", soft_wrap=True)


def list_options(kind: "type[Configured]") -> None:
    """The presets and options of an agent or a learner, a line each."""
    from spielwerk.core.agent import option_help

    if kind.presets:
        console.print(f"    preset: {', '.join(kind.presets)}", soft_wrap=True)
    for option in option_help(kind).values():  # type: ignore[arg-type]
        default = "" if option.default is MISSING else f" [{option.default}]"
        limits = "" if option.range is None else f" ({option.range})"
        console.print(f"    {option.name}{default}: {option.help}{limits}", soft_wrap=True, markup=False)


def _fits(evaluation: str, game: Any) -> bool:
    from spielwerk.core import registry
    from spielwerk.core.errors import SpielwerkError

    try:
        registry.evaluation(evaluation, game)
    except SpielwerkError:
        return False
    return True


@app.command()
def warm(
    names: Annotated[list[str] | None, typer.Argument(help="games; default all")] = None,
) -> None:
    """Compile everything that games need, so that nothing compiles when they are used.

    That is for every agent as it is named, with its presets and on the ladder, in every variant with a name: to play,
    evaluate, ask, watch and replay, and for tournaments of any two. It takes minutes for a game the first time, and
    seconds when it is all there. Other options of an agent, training and solving may still compile.
    """
    import time

    from spielwerk.arena.warming import warm_up
    from spielwerk.cli.progress import progress
    from spielwerk.core import registry
    from spielwerk.core.cache import cache_directory

    kinds = {name: registry.game_class(name) for name in names} if names else registry.game_classes(complain)
    chosen = [kind() for kind in kinds.values()]
    began = time.monotonic()
    with progress("compiling") as bar:

        def report(done: int, steps: int, kernels: int, title: str) -> None:
            if done == 0:  # measured on a busy machine: 16 seconds for a step of 2048
                low, high = 1 + steps * 5 // 60, 1 + steps * 16 // 60
                notes.print(
                    f"{counted(steps, 'step')}; {low} to {high} minutes if nothing is compiled yet", soft_wrap=True
                )
            bar(done / steps, f"step {done + 1} of {steps}, {counted(kernels, 'kernel')} compiled: {title}")

        compiled = warm_up(chosen, report)
    games = ", ".join(game.spec.title for game in chosen)
    made = f"compiled {counted(compiled, 'kernel')}" if compiled else "everything was compiled already"
    console.print(
        f"{games}: {made}, {time.monotonic() - began:,.0f} seconds; kept in {cache_directory()}", soft_wrap=True
    )


@app.command()
def clean() -> None:
    """Delete all compiled code."""
    from spielwerk.core import cache

    console.print(f"deleted {cache.clean()} files in {cache.cache_directory()}")


@app.command()
def play(
    game: Game,
    agents: Annotated[str, typer.Option(help="one agent per seat, or one for all; a seat may be `human`")] = "human",
    seats: Seats = None,
    variant: Variant = None,
    seed: Annotated[int | None, whole("dice and cards; default: a fresh one", 0, LARGEST_SEED)] = None,
    seconds: Thinking = None,
    limit: Annotated[float | None, seconds("seconds after which an agent is late", 0.001)] = None,
    late: Annotated[str, typer.Option(help="what then happens: random, forfeit, or an agent that decides")] = "random",
    record: Annotated[Path | None, typer.Option(help="keep the match in this file")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="print the result only; for agents, not for people")] = False,
    look: Annotated[str | None, typer.Option(help=LOOK_HELP)] = None,
) -> None:
    """Play a match in the terminal."""
    import secrets

    from spielwerk.cli.progress import progress
    from spielwerk.cli.terminal import Human, Stopped, watch
    from spielwerk.core import registry
    from spielwerk.core.agent import split_specs
    from spielwerk.core.clock import Budget, Limit
    from spielwerk.core.errors import SpielwerkError
    from spielwerk.core.looks import choose_looks
    from spielwerk.core.running import Asking
    from spielwerk.core.words import seat_number

    table = registry.game(game, seats, variant)
    if look is not None:
        choose_looks(table, look)
    specs = split_specs(agents)
    if len(specs) == 1:
        specs *= table.seats
    if len(specs) != table.seats:
        seats_named = f"{counted(table.seats, 'seat')}, but {counted(len(specs), 'agent')} were named"
        raise SpielwerkError(f"{table.title} has {seats_named}")
    players = [Human() if spec == "human" else registry.agent(spec) for spec in specs]
    if record and not record.parent.is_dir():
        raise SpielwerkError(f"cannot write {record}: there is no folder {record.parent}")
    if quiet and any(isinstance(player, Human) for player in players):
        raise SpielwerkError("a person cannot play without seeing the board; leave out --quiet")
    bound = None
    if limit is not None:
        if any(isinstance(player, Human) for player in players):
            raise SpielwerkError("people may think as long as they like; leave out --limit")
        bound = Limit(limit, late if late in ("random", "forfeit") else registry.agent(late))
    chosen = secrets.randbits(32) if seed is None else seed
    notes.print(f"seed {chosen}")
    asking = Asking(players, Budget(seconds=seconds), bound)
    try:
        if quiet:
            with progress(f"playing {table.title}") as report:
                kept = watch(table, asking, chosen, report)
        else:
            kept = watch(table, asking, chosen)
    except Stopped as stopped:
        kept = stopped.record
        console.print("stopped; the match so far " + (f"is in {record}" if record else "is not kept (no --record)"))
    if record:
        kept.save(record)
    if kept.result and kept.result.forfeit is not None:
        console.print(f"seat {seat_number(kept.result.forfeit)} was late and has lost")
    if kept.result:
        for seat, points in enumerate(kept.result.scores):
            who = f"seat {seat_number(seat)} ({specs[seat]})" if table.seats > 1 else specs[seat]
            console.print(f"{who}: {counted(points, 'point')}")


@app.command()
def replay(
    source: Annotated[str, typer.Argument(help="a record file, or RUN:NUMBER of a match in the store")],
    check: Annotated[
        bool, typer.Option("--check", help="only check that every move and the result fit the rules")
    ] = False,
    export: Annotated[Path | None, typer.Option(help="write the record to this file")] = None,
    store: StorePath = None,
    look: Annotated[str | None, typer.Option(help=LOOK_HELP)] = None,
) -> None:
    """Show a recorded match, or check it."""
    import re

    from spielwerk.cli.terminal import said_moves
    from spielwerk.core.looks import choose_looks
    from spielwerk.core.match import Record, positions, table_of
    from spielwerk.core.match import replay as replay_record
    from spielwerk.core.position import SPECTATOR

    found = re.fullmatch(r"([0-9]{1,30}):([0-9]{1,30})", source)
    if found and not Path(source).exists():
        from spielwerk.arena.store import Store

        with Store(store) as results:
            record = results.record(int(found[1]), int(found[2]))
    else:
        record = Record.load(source)
    if export:
        record.save(export)
    if check:
        last = replay_record(record)[-1]
        state = "finished" if last.over else "not finished"
        console.print(f"ok: {counted(len(record.events), 'event')}, {state}, score {_numbers(last.score)}")
        return
    table = table_of(record.header)
    if look is not None:
        choose_looks(table, look)
    shown = positions(table, record)
    console.print(next(shown).text)
    for event, position in zip(record.events, shown, strict=False):
        said = said_moves(table, event) if isinstance(event, dict) else table.heard(event, SPECTATOR) or event
        console.print(f"\n{said}")
        console.print(position.text)


def _numbers(values: Any) -> str:
    return ", ".join(f"{value:g}" for value in values)
