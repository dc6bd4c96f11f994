"""spielwerk train: start or continue a training run."""

from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from spielwerk.cli.app import app, console
from spielwerk.cli.progress import progress


@app.command()
def train(
    game: Annotated[str | None, typer.Argument(help="the game; not needed with --resume")] = None,
    learner: Annotated[str | None, typer.Argument(help="the learner as name:key=value,…")] = None,
    preset: Annotated[str | None, typer.Option(help="a named set of options")] = None,
    seats: Annotated[int | None, typer.Option(help="number of seats")] = None,
    variant: Annotated[str | None, typer.Option(help="variant of the rules")] = None,
    seconds: Annotated[float | None, typer.Option(help="stop after this time; the run can be resumed")] = None,
    threads: Annotated[int | None, typer.Option(help="threads or workers")] = None,
    seed: Annotated[int, typer.Option(help="where all randomness comes from")] = 0,
    out: Annotated[Path | None, typer.Option(help="the run folder; default runs/GAME-LEARNER-N")] = None,
    resume: Annotated[Path | None, typer.Option(help="continue the run in this folder")] = None,
) -> None:
    """Train an agent. Runs can be killed at any moment and resumed."""
    from spielwerk.core import registry
    from spielwerk.core.agent import parse_spec
    from spielwerk.core.errors import SpielwerkError
    from spielwerk.learn import run as runs

    if resume is not None:
        with progress(f"training in {resume}") as report:
            folder = runs.resume(resume, seconds, threads, report)
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
        with progress(f"training {name} on {table.spec.title} in {out}") as report:
            folder = runs.train(table, chosen, out, seed, seconds, threads or 1, report)
    config = folder.config()
    console.print(f"run folder: {folder.path}")
    console.print(f"play with it: {runs.learner(config['learner']).agent(folder)}", highlight=False)
