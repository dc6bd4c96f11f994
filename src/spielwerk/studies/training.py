"""What studies share that train: runs that go on where they were, and their share of the progress."""

from pathlib import Path

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.learn import run as runs
from spielwerk.learn.run import Report, RunFolder

SEED = 1


def trained(
    folder: Path,
    game: Game,
    learner: str,
    report: Report,
    preset: str | None = None,
    threads: int = 1,
    seed: int = SEED,
) -> RunFolder:
    """The run of a learner. One that is there already goes on where it was, or is taken as it is."""
    run, wanted = RunFolder(folder), runs.learner(learner, preset)
    if not run.config_file.exists():
        return runs.train(game, wanted, folder, seed=seed, report=report, threads=threads)
    if (run.learner().spec, run.game().variant) != (wanted.spec, game.variant):
        raise SpielwerkError(
            f"{folder} holds a run with other options; take it away, or choose another place with --out"
        )
    told = run.progress()
    return run if told and told["ended"] and told["done"] >= 1.0 else runs.resume(folder, report=report)


def share(report: Report, number: int, of: int) -> Report:
    """Progress of one run among several."""
    return lambda done, line: report((number + min(done, 1.0)) / of, line)
