"""Pictures of results: histograms and certainty curves (matplotlib, no display needed)."""

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spielwerk.arena.words import say
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.words import number

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
        raise SpielwerkError(say("cannot draw into {path}: name it .png, .svg or .pdf", path=path))
    if not path.parent.is_dir():
        phrase = "cannot draw into {path}: there is no folder {folder}"
        raise SpielwerkError(say(phrase, path=path, folder=path.parent))


def save(figure: Any, path: Path) -> None:
    try:
        figure.savefig(path, dpi=120)
    except (ValueError, OSError) as problem:
        raise SpielwerkError(say("cannot draw into {path}: {problem}", path=path, problem=problem)) from problem


def histogram(found: "Evaluation", path: Path) -> None:
    """The distribution of the scores with mean and 95 % interval."""
    figure, axes = new_figure()
    edges, counts = found.histogram["edges"], found.histogram["counts"]
    axes.stairs(counts, edges, fill=True, alpha=0.6)
    axes.axvline(found.mean, color="black", label=say("mean {points}", points=number(found.mean, 1)))
    if found.ci95:
        axes.axvspan(*found.ci95, color="black", alpha=0.2, label=say("95 % interval of the mean"))
    axes.set_xlabel(say("points"))
    axes.set_ylabel(say("matches" if found.opponents or found.seats == 1 else "seats of matches"))
    phrase = "{agent} plays {game} ({variant}), {games} {games:match|matches}"
    axes.set_title(say(phrase, agent=found.agent, game=found.game, variant=found.variant, games=found.games))
    axes.legend()
    save(figure, path)


def certainty_curves(found: "Certainty", path: Path) -> None:
    """Normalised certainty by group, one line per number of legal actions (figures 6, 14, 23 and 24 of the thesis)."""
    figure, axes = new_figure()
    lines: dict[int, list[tuple[float, float]]] = defaultdict(list)
    across = say("legal actions")
    for group in found.groups:
        rest = [(name, value) for name, value in group.key.items() if name != "legal"]
        across = rest[0][0] if rest else across
        x = rest[0][1] if rest else group.key["legal"]
        lines[group.key["legal"] if rest else 0].append((x, 100 * group.certainty))
    for legal, points in sorted(lines.items()):
        xs, ys = zip(*sorted(points), strict=True)
        axes.plot(xs, ys, marker="o", label=say("{legal} legal actions", legal=legal) if legal else None)
    mean = say("mean {share} %", share=number(100 * found.mean, 1))
    axes.axhline(100 * found.mean, color="black", linestyle="--", label=mean)
    axes.set_xlabel(say("empty cells") if across == "empty" else across)
    axes.set_ylabel(say("normalised certainty in %"))
    axes.set_ylim(0, 103)
    phrase = "{agent}, {states} {states:position|positions}, {repeats} {repeats:decision|decisions} each"
    axes.set_title(say(phrase, agent=found.agent, states=found.states, repeats=found.repeats))
    axes.legend()
    save(figure, path)
