"""spielwerk learners, train: list the learners; start or continue a training run."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from spielwerk.cli.app import app, console
from spielwerk.cli.options import (
    LARGEST_SEED,
    MOST_WORKERS,
    Backend,
    Device,
    Duration,
    Seats,
    Variant,
    backend_of,
    device_of,
    whole,
)
from spielwerk.cli.play import list_options
from spielwerk.cli.progress import progress


@app.command()
def learners(
    name: Annotated[str | None, typer.Argument(help="only this one, with its options")] = None,
) -> None:
    """List the learners; by name, with all options."""
    from spielwerk.core import registry

    for each in registry.learner_names() if name is None else [name]:
        kind = registry.learner_class(each)
        about = (kind.__doc__ or "").strip().splitlines()[0]
        console.print(Text.assemble((each, "bold"), f"  {about}"), soft_wrap=True)
        if name is not None:
            list_options(kind)


@app.command()
def train(
    game: Annotated[str | None, typer.Argument(help="the game; not needed with --resume")] = None,
    learner: Annotated[str | None, typer.Argument(help="the learner as name:key=value,…")] = None,
    preset: Annotated[str | None, typer.Option(help="a named set of options")] = None,
    seats: Seats = None,
    variant: Variant = None,
    seconds: Duration = None,
    threads: Annotated[int | None, whole("threads or workers", 1, MOST_WORKERS)] = None,
    seed: Annotated[int | None, whole("where all randomness comes from; default 0", 0, LARGEST_SEED)] = None,
    out: Annotated[Path | None, typer.Option(help="the run folder; default runs/GAME-LEARNER-N")] = None,
    resume: Annotated[Path | None, typer.Option(help="continue the run in this folder")] = None,
    device: Device = "auto",
    backend: Backend = "auto",
) -> None:
    """Train an agent. Runs can be killed at any moment and resumed."""
    from spielwerk.core import registry
    from spielwerk.core.agent import parse_spec
    from spielwerk.core.errors import SpielwerkError
    from spielwerk.learn import run as runs

    if resume is not None:
        begun = runs.RunFolder(resume)
        if out not in (None, resume):
            raise SpielwerkError(f"a run goes on in its own folder {resume}; leave --out away")
        _require_same(begun, learner, preset, game=game, seats=seats, variant=variant, seed=seed)
        before = begun.rows()[-1:]
        with _told_how_to_go_on(resume), progress(f"training in {resume}") as report:
            folder = runs.resume(resume, seconds, threads, report, device_of(device), backend_of(backend))
        if before and before == folder.rows()[-1:]:
            console.print(f"nothing was left to learn: this run is {begun.learner().spec}", highlight=False)
    else:
        if game is None or learner is None:
            raise SpielwerkError(
                f"name a game and a learner, for example: spielwerk train 2048 ntuple; learners are "
                f"{', '.join(registry.learner_names())}"
            )
        table = registry.game(game, seats, variant)
        chosen = runs.learner(learner, preset)
        name = parse_spec(learner)[0]
        if out is None:
            places = (Path("runs") / f"{game}-{name}-{number}" for number in count(1))
            out = next(place for place in places if not place.exists())
        with _told_how_to_go_on(out), progress(f"training {name} on {table.spec.title} in {out}") as report:
            where = device_of(device), backend_of(backend)
            folder = runs.train(table, chosen, out, seed or 0, seconds, threads or 1, report, *where)
    console.print(f"run folder: {folder.path}")
    agent = folder.learner().agent(folder)
    if registry.agent(agent).why_not(folder.game()):
        phrase = "there is nothing to play with yet; go on with: spielwerk train --resume {folder}"
        console.print(phrase.format(folder=folder.path), highlight=False, markup=False, soft_wrap=True)
    else:
        console.print(f"play with it: {agent}", highlight=False)


@contextmanager
def _told_how_to_go_on(folder: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        console.print(f"stopped; go on with: spielwerk train --resume {folder}", highlight=False, markup=False)
        raise


def _require_same(run: Any, learner: str | None, preset: str | None, **given: Any) -> None:
    """What a run learns, and how, was settled when it was begun: saying it again is fine, changing it is not."""
    from spielwerk.core import registry
    from spielwerk.core.errors import SpielwerkError
    from spielwerk.learn import run as runs

    config = run.config()
    begun = run.learner()
    config["learner"] = begun.spec  # as it is written now
    if preset or learner not in (None, begun.name):
        given["learner"] = runs.learner(learner or begun.name, preset).spec
    if given["variant"]:
        given["variant"] = registry.game(str(config.get("game")), config.get("seats"), given["variant"]).variant
    for key, value in given.items():
        if value is not None and value != config.get(key):
            raise SpielwerkError(
                f"the run in {run.path} has the {key} {config.get(key)}, not {value}; leave that out to go on with it, "
                f"or begin another run without --resume"
            )
