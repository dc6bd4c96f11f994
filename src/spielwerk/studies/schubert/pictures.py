"""Pictures of the study: learning curves, histories of matches, bars with published levels."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spielwerk.arena.pictures import new_figure, save

LEVELS = {"people": 175.75, "the thesis' agent": 204.98, "an advanced player": 215.75}
COLOURS = {"yellow": "#f2c200", "blue": "#2f6fd0", "green": "#3a9d4a", "orange": "#f08a24", "purple": "#7d4bb0"}
FOXES = "#a33d2a"


def curves(
    path: Path, title: str, lines: Mapping[str, Sequence[tuple[float, float]]], levels: Mapping[str, float]
) -> None:
    """Points of held-out matches over the steps of a run, and published levels."""
    figure, axes = new_figure()
    for label, line in lines.items():
        if line:
            axes.plot(*np.array(line).T, label=label)
    _draw_levels(axes, levels)
    axes.set_xlabel("decisions")
    axes.set_ylabel("points of held-out matches")
    axes.set_title(title, fontsize=11)
    axes.xaxis.set_major_formatter(lambda steps, _: f"{steps:,.0f}")
    axes.legend(loc="lower right", fontsize="small")
    save(figure, path)


def history(path: Path, title: str, values: Any, what: str, levels: Mapping[str, float]) -> None:
    """One value per match, in their order."""
    figure, axes = new_figure()
    axes.plot(np.arange(1, len(values) + 1), values, linewidth=0.6 if len(values) > 200 else 1.2, label=what)
    mean = float(np.mean(values))
    axes.axhline(mean, color="black", linewidth=1, label=f"mean {mean:.2f}")
    _draw_levels(axes, levels)
    axes.set_xlabel("match")
    axes.set_ylabel(what)
    axes.set_title(title, fontsize=11)
    axes.legend(loc="lower right", fontsize="small")
    save(figure, path)


def bars(path: Path, title: str, values: Mapping[str, float], what: str, published: Mapping[str, float | None]) -> None:
    """A bar each, and a mark at the published value where there is one."""
    figure, axes = new_figure()
    names = list(values)
    axes.bar(range(len(names)), [values[name] for name in names], color="#7fa7d8")
    marked = [(place, published[name]) for place, name in enumerate(names) if published.get(name) is not None]
    if marked:
        axes.scatter(*np.array(marked, float).T, marker="_", s=900, color="black", label="published")
        axes.legend(fontsize="small")
    axes.set_xticks(range(len(names)), names, rotation=20 if len(names) > 5 else 0, fontsize=8)
    axes.set_ylabel(what)
    axes.set_title(title, fontsize=11)
    save(figure, path)


def spread(path: Path, title: str, points: Mapping[str, Any], levels: Mapping[str, float]) -> None:
    """The distribution of the points of each agent, and published levels."""
    figure, axes = new_figure()
    edges = np.arange(0, 340, 10)
    for label, values in points.items():
        counts, _ = np.histogram(values, edges)
        axes.stairs(counts / max(len(values), 1), edges, fill=True, alpha=0.45, label=f"{label}: {np.mean(values):.2f}")
    for number, (label, level) in enumerate(levels.items()):
        axes.axvline(level, color=f"C{3 + number}", linestyle=":", label=f"{label}: {level}")
    axes.set_xlabel("points")
    axes.set_ylabel("share of the matches")
    axes.set_title(title, fontsize=11)
    axes.legend(fontsize="small")
    save(figure, path)


def profile(path: Path, areas: Mapping[str, Mapping[str, float]], spent: Mapping[str, Mapping[str, Any]]) -> None:
    """Points by area and foxes as stacked bars; re-rolls and +1 by round as lines."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 8), layout="constrained")
    above, *below = figure.subplot_mosaic("AA;BC").values()
    agents = list(areas)
    bottom = np.zeros(len(agents))
    for area in next(iter(areas.values())):
        heights = np.array([areas[agent][area] for agent in agents])
        above.barh(range(len(agents)), heights, left=bottom, color=COLOURS.get(area, FOXES), label=area)
        bottom += heights
    above.set_yticks(range(len(agents)), agents, fontsize=8)
    above.set_xlabel("points")
    above.legend(ncols=6, fontsize="small", loc="upper center", bbox_to_anchor=(0.5, 1.12))
    for axes, what in zip(below, ("re-rolls", "+1"), strict=True):
        for agent in agents:
            values = spent[agent][what]
            axes.plot(range(1, len(values) + 1), values, marker="o", label=agent)
        axes.set_xlabel("round")
        axes.set_ylabel(f"{what} spent per match")
        axes.grid(alpha=0.3)
    figure.legend(*below[0].get_legend_handles_labels(), fontsize="small", loc="outside lower center", ncols=2)
    save(figure, path)


def _draw_levels(axes: Any, levels: Mapping[str, float]) -> None:
    for number, (label, level) in enumerate(levels.items()):
        axes.axhline(level, color=f"C{3 + number}", linestyle=":", label=f"{label}: {level}")
