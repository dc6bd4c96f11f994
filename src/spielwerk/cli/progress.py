"""Progress bars with rate and time left, on everything that takes more than a second."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from spielwerk.cli.app import notes


@contextmanager
def progress(title: str) -> Iterator[Callable[[float, str], None]]:
    """A bar on standard error; call what it gives with the share that is done and a line of figures."""
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[line]}", markup=False),
        console=notes,
        transient=True,
        disable=not notes.is_terminal,
    )
    with bar:
        task = bar.add_task(title, total=1.0, line="")

        def report(done: float, line: str) -> None:
            bar.update(task, completed=min(max(done, 0.0), 1.0), line=line)

        yield report
