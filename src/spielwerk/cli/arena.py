"""spielwerk evaluate, certainty, tournament, tune, bench, runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from spielwerk.cli.app import app, console, counted, notes
from spielwerk.cli.options import (
    MOST_WORKERS,
    AgentSpec,
    AsJson,
    Backend,
    Duration,
    Game,
    Opening,
    Plot,
    Seats,
    Seed,
    StorePath,
    Thinking,
    Variant,
    Workers,
    backend_of,
    count,
    seconds,
    whole,
)
from spielwerk.cli.progress import progress

Resume = Annotated[bool, typer.Option("--resume", help="go on with the same run: what it holds is not played again")]


@app.command()
def evaluate(
    game: Game,
    agent: AgentSpec,
    seats: Seats = None,
    variant: Variant = None,
    opponents: Annotated[
        str | None, typer.Option(help="who sits on the other seats; default: the agent itself")
    ] = None,
    games: Annotated[int, count("number of matches")] = 100,
    seed: Seed = 0,
    opening: Opening = 0,
    workers: Workers = 1,
    backend: Backend = "auto",
    seconds: Thinking = None,
    as_json: AsJson = False,
    plot: Plot = None,
    store: StorePath = None,
    resume: Resume = False,
) -> None:
    """How good is an agent? Mean with 95 % interval, quantiles and the game's own statistics."""
    from spielwerk.arena.evaluate import evaluate as run
    from spielwerk.arena.store import Store

    _check_plot(plot)
    with _resumable(), Store(store) as results, progress(f"{agent} plays {game}") as report:
        found = run(
            game, agent, seats=seats, variant=variant, opponents=opponents, games=games, seed=seed, opening=opening,
            workers=workers, backend=backend_of(backend), budget=_budget(seconds), store=results, resume=resume,
            report=report,
        )  # fmt: skip
    _remark(found.games, found)
    if plot:
        from spielwerk.arena.pictures import histogram

        histogram(found, plot)
    if as_json:
        _print_json(found)
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_row("agent", found.agent + (f" against {found.opponents}" if found.opponents else ""))
    different = f" ({found.distinct:,} different)" if found.distinct != found.games else ""
    numbers = f"{counted(found.seats, 'seat')}, {counted(found.games, 'match')}{different}"
    table.add_row("game", f"{found.game} {found.variant}, {numbers}, seed {found.seed}")
    table.add_row("mean", f"{found.mean:,.2f}{_interval(found.ci95)}")
    table.add_row("sd", f"{found.sd:,.1f}")
    quantiles = "  ".join(f"{name} {value:,.0f}" for name, value in found.quantiles.items())
    table.add_row("median", f"{found.median:,.1f}   min {found.min:,.0f}   {quantiles}   max {found.max:,.0f}")
    if found.win_share is not None:
        table.add_row("win share", f"{100 * found.win_share:.2f} %{_interval(found.win_ci95, 100)}")
    table.add_row("speed", f"{found.decisions_per_second:,.0f} decisions/s per worker, {found.seconds:,.1f} s in all")
    for name, value in found.extras.items():
        table.add_row(name, _extra(value))
    table.add_row("run", f"{found.run} (spielwerk replay {found.run}:0 shows its first match)")
    console.print(table)


@app.command()
def certainty(
    game: Game,
    agent: AgentSpec,
    seats: Seats = None,
    variant: Variant = None,
    states: Annotated[int, count("number of positions")] = 100,
    repeats: Annotated[int, count("decisions per position")] = 20,
    collector: Annotated[str | None, typer.Option(help="who plays the matches the positions come from")] = None,
    seed: Seed = 0,
    workers: Workers = 1,
    as_json: AsJson = False,
    plot: Plot = None,
) -> None:
    """How often does an agent decide alike in the same position?"""
    from spielwerk.arena.certainty import certainty as measure

    _check_plot(plot)
    with progress(f"certainty of {agent}") as report:
        found = measure(
            game, agent, seats=seats, variant=variant, states=states, repeats=repeats, collector=collector, seed=seed,
            workers=workers, report=report,
        )  # fmt: skip
    if plot:
        from spielwerk.arena.pictures import certainty_curves

        certainty_curves(found, plot)
    if as_json:
        _print_json(found)
        return
    console.print(
        f"{found.agent}: normalised certainty {100 * found.mean:.2f} %{_interval(found.ci95, 100)}, "
        f"{counted(found.states, 'position')} x {counted(found.repeats, 'decision')}",
    )
    keys = list(found.groups[0].key) if found.groups else []
    table = Table(*keys, "positions", "certainty", box=None, pad_edge=False)
    for group in found.groups:
        table.add_row(*(str(group.key[k]) for k in keys), str(group.states), f"{100 * group.certainty:.1f} %")
    console.print(table)


@app.command()
def tournament(
    game: Game,
    agents: Annotated[list[str], typer.Argument(help="the agents, two or more")],
    seats: Seats = None,
    variant: Variant = None,
    rounds: Annotated[int, count("seeds per line-up; each is played once per rotation of the seats")] = 100,
    seed: Seed = 0,
    opening: Opening = 0,
    workers: Workers = 1,
    backend: Backend = "auto",
    seconds: Thinking = None,
    as_json: AsJson = False,
    store: StorePath = None,
    resume: Resume = False,
) -> None:
    """Everyone against everyone, same dice and cards for all, seats rotated."""
    from spielwerk.arena.store import Store
    from spielwerk.arena.tournament import tournament as run

    with _resumable(), Store(store) as results, progress(f"tournament of {game}") as report:
        found = run(
            game, agents, seats=seats, variant=variant, rounds=rounds, seed=seed, opening=opening, workers=workers,
            backend=backend_of(backend), budget=_budget(seconds), store=results, resume=resume, report=report,
        )  # fmt: skip
    _remark(found.matches, found)
    if as_json:
        _print_json(found)
        return
    table = Table("agent", "matches", "win share", "95 %", "mean score", "95 %", "rating", box=None, pad_edge=False)
    for row in found.standings:
        table.add_row(
            row.agent, str(row.matches), f"{100 * row.win_share:.1f} %", _interval(row.ci95, 100).strip(),
            f"{row.mean_score:,.2f}", _interval(row.score_ci95).strip(), f"{row.rating_mean:.1f} ± {row.rating_sd:.1f}",
        )  # fmt: skip
    console.print(table)
    names = [row.agent for row in found.standings]
    cells = {(cell.first, cell.second): cell for cell in found.cross_table}
    cross = Table("more points than", *(str(n + 1) for n in range(len(names))), box=None, pad_edge=False)
    for number, first in enumerate(names):
        row_cells = [cells.get((first, second)) for second in names]
        cross.add_row(
            f"{number + 1} {first}",
            *(f"{100 * cell.win_share:.0f} % {cell.score_difference:+,.1f}" if cell else "–" for cell in row_cells),
        )
    console.print()
    console.print(cross)


@app.command()
def tune(
    game: Annotated[str | None, typer.Argument(help="the game; not needed with --resume")] = None,
    agent: Annotated[str | None, typer.Argument(help="the agent as name:key=value,…; not needed with --resume")] = None,
    seats: Seats = None,
    variant: Variant = None,
    population: Annotated[int, count("members per generation")] = 12,
    games: Annotated[int, count("matches per member")] = 25,
    generations: Annotated[int, count("number of generations")] = 20,
    seed: Seed = 0,
    workers: Annotated[int | None, whole("how many matches at once; default 1, or as before", 1, MOST_WORKERS)] = None,
    seconds: Duration = None,
    out: Annotated[Path | None, typer.Option(help="the run folder")] = None,
    resume: Annotated[Path | None, typer.Option(help="continue the run in this folder")] = None,
) -> None:
    """Tune the parameters of an agent's evaluation with CMA-ES.

    For example: spielwerk tune 2048 mctse:evaluation=kutsch
    """
    from itertools import count as numbers

    from spielwerk.core import registry
    from spielwerk.core.errors import SpielwerkError
    from spielwerk.learn import run as runs

    places = (Path("runs") / f"{game}-cmaes-{number}" for number in numbers(1))
    place = resume or out or next(place for place in places if not place.exists())
    try:
        if resume:
            with progress(f"tuning in {resume}") as report:
                folder = runs.resume(resume, seconds, workers, report)
        else:
            if game is None or agent is None:
                raise SpielwerkError(
                    "name a game and an agent, for example: spielwerk tune 2048 mctse:evaluation=kutsch"
                )
            table = registry.game(game, seats, variant)
            learner = runs.learner(
                f"cmaes:tuned=({agent}),population={population},games={games},generations={generations}"
            )
            with progress(f"tuning {agent} in {place}") as report:
                chosen = 1 if workers is None else workers
                folder = runs.train(table, learner, place, seed, seconds, chosen, report)
    except KeyboardInterrupt:
        notes.print(f"stopped; go on with: spielwerk tune --resume {place}")
        raise
    rows = folder.rows()
    console.print(f"run folder: {folder.path}")
    if rows:
        best = max(rows, key=lambda row: row["best"])
        console.print(
            f"{counted(len(rows), 'generation')}; best member {best['best']:,.1f} in generation {best['generation']} "
            f"(the highest of many noisy figures: measure it again on fresh seeds), last mean {rows[-1]['mean']:,.1f}",
            soft_wrap=True,
        )
        console.print(f"play with it: {folder.learner().agent(folder)}", soft_wrap=True)
    else:
        console.print(f"no generation is complete; go on with: spielwerk tune --resume {folder.path}", soft_wrap=True)


@app.command()
def bench(
    game: Annotated[str | None, typer.Argument(help="only this game")] = None,
    as_json: AsJson = False,
    seconds: Annotated[float, seconds("how long each figure is measured", 0.01)] = 2.0,
) -> None:
    """Measure speed: playouts, decisions, starts, and the generic template against a hand-written loop."""
    from spielwerk.arena.bench import bench as measure

    with progress("measuring") as report:
        found = measure(game, seconds, report)
    if as_json:
        _print_json(found)
        return
    table = Table("what", "figure", "unit", box=None, pad_edge=False)
    for figure in found:
        table.add_row(
            figure.what, f"{figure.value:,.2f}" if figure.value < 100 else f"{figure.value:,.0f}", figure.unit
        )
    console.print(table)


@app.command()
def runs(store: StorePath = None) -> None:
    """List what is in the store of results."""
    import time

    from spielwerk.arena.store import Store

    with Store(store) as results:
        table = Table("run", "when", "kind", "game", "who", "matches", "result", box=None, pad_edge=False)
        for run in results.runs():
            who = run.config.get("agent") or ", ".join(run.config.get("agents", []))
            if run.problem:
                said = f"damaged: {run.problem}"
            elif run.summary is None:
                said = "not finished"
            elif run.kind == "evaluate":
                said = f"mean {run.summary['mean']:,.1f}{_interval(run.summary['ci95'])}"
            else:
                said = f"first: {run.summary['standings'][0]['agent']}"
            when = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.started))
            table.add_row(str(run.id), when, run.kind, run.config.get("game", ""), who, str(run.matches), said)
        console.print(table)


@contextmanager
def _resumable() -> Iterator[None]:
    """Ctrl-C loses nothing: say how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        notes.print("stopped; the same command with --resume goes on from here")
        raise


def _remark(matches: int | None, found: Any) -> None:
    """Say that matches repeat others, if they do."""
    from spielwerk.arena.repeats import remark

    said = remark(matches, found.distinct, found.repeated, found.opening)
    if said is not None:
        notes.print(said, soft_wrap=True)


def _check_plot(plot: Path | None) -> None:
    """Better before hours of matches than after them."""
    if plot is not None:
        from spielwerk.arena.pictures import check

        check(plot)


def _budget(seconds: float | None) -> Any:
    from spielwerk.core.clock import Budget

    return None if seconds is None else Budget(seconds=seconds)


def _print_json(found: Any) -> None:
    import msgspec

    print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode(), flush=True)


def _interval(ci95: Any, factor: float = 1.0) -> str:
    return f"  ({factor * ci95[0]:,.1f} … {factor * ci95[1]:,.1f})" if ci95 else ""


def _extra(value: Any) -> str:
    if isinstance(value, dict):
        return "  ".join(f"{name}: {_extra(inner)}" for name, inner in value.items())
    return f"{value:.3g}" if isinstance(value, float) else str(value)
