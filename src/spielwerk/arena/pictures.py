"""Pictures of results: histograms and certainty curves (matplotlib, no display needed)."""

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielwerk.core.errors import SpielwerkError

if TYPE_CHECKING:
    from spielwerk.arena.certainty import Certainty
    from spielwerk.arena.evaluate import Evaluation


def new_figure() -> tuple[Any, Any]:
    """A figure and its axes, in the project's size and style."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    axes.grid(alpha=0.3)
    return figure, axes


def check(path: Path) -> None:
    """Raise what would go wrong when a picture is drawn into `path`."""
    from matplotlib.figure import Figure

    known = Figure().canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise SpielwerkError(f"cannot draw into {path}: name it .png, .svg or .pdf")
    if not path.parent.is_dir():
        raise SpielwerkError(f"cannot draw into {path}: there is no folder {path.parent}")


def save(figure: Any, path: Path) -> None:
    try:
        figure.savefig(path, dpi=120)
    except (ValueError, OSError) as problem:
        raise SpielwerkError(f"cannot draw into {path}: {problem}") from problem


def histogram(found: "Evaluation", path: Path) -> None:
    """The distribution of the scores with mean and 95 % interval."""
    figure, axes = new_figure()
    edges, counts = found.histogram["edges"], found.histogram["counts"]
    axes.stairs(counts, edges, fill=True, alpha=0.6)
    axes.axvline(found.mean, color="black", label=f"mean {found.mean:,.1f}")
    if found.ci95:
        axes.axvspan(*found.ci95, color="black", alpha=0.2, label="95 % interval of the mean")
    axes.set_xlabel("points")
    axes.set_ylabel("matches" if found.opponents or found.seats == 1 else "seats of matches")
    axes.set_title(f"{found.agent} plays {found.game} ({found.variant}), {found.games} matches")
    axes.legend()
    save(figure, path)


def certainty_curves(found: "Certainty", path: Path) -> None:
    """Normalised certainty by group, one line per number of legal actions (figures 6, 14, 23 and 24 of the thesis)."""
    figure, axes = new_figure()
    lines: dict[int, list[tuple[float, float]]] = defaultdict(list)
    across = "legal actions"
    for group in found.groups:
        rest = [(name, value) for name, value in group.key.items() if name != "legal"]
        across = rest[0][0] if rest else across
        x = rest[0][1] if rest else group.key["legal"]
        lines[group.key["legal"] if rest else 0].append((x, 100 * group.certainty))
    for legal, points in sorted(lines.items()):
        xs, ys = zip(*sorted(points), strict=True)
        axes.plot(xs, ys, marker="o", label=f"{legal} legal actions" if legal else None)
    axes.axhline(100 * found.mean, color="black", linestyle="--", label=f"mean {100 * found.mean:.1f} %")
    axes.set_xlabel({"empty": "empty cells"}.get(across, across))
    axes.set_ylabel("normalised certainty in %")
    axes.set_ylim(0, 103)
    axes.set_title(f"{found.agent}, {found.states} positions, {found.repeats} decisions each")
    axes.legend()
    save(figure, path)
