"""ship: make a model of a run, measure it, and keep it with its card.

It is measured before it is kept, with seeds that the run has not trained with. Nothing is found under its name until
all of it is written.
"""

import shlex
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from spielwerk.arena.evaluate import evaluate
from spielwerk.core import models, registry
from spielwerk.core.errors import SpielwerkError, UnknownName
from spielwerk.core.game import Game
from spielwerk.core.models import Card, Listed, Measured, Trained
from spielwerk.learn.run import Report, RunFolder, begun
from spielwerk.learn.words import say

OTHER_SEEDS = 1000  # by which the seed of measuring differs from that of training, if nothing else is said


def ship(
    folder: str | Path,
    name: str,
    *,
    to: str | Path | None = None,
    games: int = 1000,
    seed: int | None = None,
    opponents: str | None = None,
    trim: Mapping[str, str] | None = None,
    force: bool = False,
    workers: int = 1,
    notes: str = "",
    licence: str = "",
    named_only: bool = False,
    report: Report = lambda done, line: None,
) -> Listed:
    """Keep what a run has learned as the model `name`, with a card that says how well it plays."""
    run = RunFolder(folder)
    config, game, learner = begun(run)
    target = models.user_folder() if to is None else Path(to)
    models.place(target, name, force)
    if seed == config["seed"]:
        phrase = "the run was trained with seed {seed}; measure what it learned with another one"
        raise SpielwerkError(say(phrase, seed=seed))
    seed = config["seed"] + OTHER_SEEDS if seed is None else seed
    for unknown in set(trim or {}) - set(learner.trims):
        raise UnknownName(say("way to trim a model of {learner}", learner=learner.name), unknown, learner.trims)
    with run.alone():
        learned = learner.model(game, run, trim or {})
    against = learned.opponents if opponents is None else opponents
    card = Card(
        kind=learned.kind.name,
        game=game.spec.id,
        variants=(game.variant,),
        seats=learned.seats,
        named_only=named_only,
        format=learned.kind.format,
        what=learned.what,
        trained=Trained(
            command=_command("train", game, learner.spec, seed=config["seed"], threads=config.get("threads", 1)),
            learner=learner.spec,
            seed=config["seed"],
            matches=learned.matches,
            seconds=learned.seconds,
        ),
        notes=notes,
        licence=licence,
    )
    with TemporaryDirectory() as draft:
        path = models.save(Path(draft), name, card, learned.arrays).path
        agent = learned.agent.format(model=path)
        found = evaluate(game, agent, opponents=against, games=games, seed=seed, workers=workers, report=report)
    known = {place.resolve() for place in (models.user_folder(), *registry.model_folders())}
    agent = learned.agent.format(model=name if target.resolve() in known else target / f"{name}.npz")
    measured = Measured(
        agent=agent,
        opponents=against,
        games=found.games,
        mean=found.mean,
        ci95=found.ci95,
        win_share=found.win_share,
        win_ci95=found.win_ci95,
        seed=seed,
        command=_command("evaluate", game, agent, opponents=against, games=games, seed=seed),
    )
    return models.save(target, name, msgspec.structs.replace(card, measured=(measured,)), learned.arrays, force)


def _command(command: str, game: Game, spec: str, **options: Any) -> str:
    """A command of `spielwerk` for that table, as it is written in a shell."""
    words = ["spielwerk", command, game.spec.id, spec, "--variant", game.variant]
    if len(game.spec.seats) > 1:
        words += ["--seats", str(game.seats)]
    for name, value in options.items():
        if value is not None:
            words += [f"--{name}", str(value)]
    return shlex.join(words)
