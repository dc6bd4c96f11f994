"""Pictures: learning curves, the lake with its arrows, the chart of Blackjack, tournaments."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.pictures import new_figure, save
from spielwerk.learn.run import RunFolder

ARROWS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # left, down, right, up; down is larger, as in a table
HOLE, LETTER = "#37474f", {b"S": "start", b"G": "goal"}
STICK_COLOUR, HIT_COLOUR, MARK = "#ffcc80", "#90caf9", "#c62828"
Chooser = Callable[[int, int, bool], int]


def curves(
    path: Path,
    title: str,
    lines: Mapping[str, Sequence[tuple[float, float]]],
    best: float,
    label: str,
    lowest: float | None = None,
) -> None:
    """What was learned over the steps, and the optimum."""
    figure, axes = new_figure()
    for name, line in lines.items():
        axes.plot(*np.array(line).T, label=name)
    axes.axhline(best, color="black", linestyle="--", linewidth=1, label=f"optimum {best:.4g}")
    lows = [value for line in lines.values() for _, value in line]
    low = min(lows) if lowest is None else max(min(lows), lowest)
    axes.set_ylim(low - 0.05 * (best - low), best + 0.08 * (best - low))
    axes.set_xlabel("steps")
    axes.set_ylabel(label)
    axes.set_title(title, fontsize=11)
    axes.xaxis.set_major_formatter(lambda steps, _: f"{steps:,.0f}")
    axes.legend(loc="lower right")
    save(figure, path)


def lake(path: Path, fields: Any, values: NDArray[Any], best: NDArray[np.int64]) -> None:
    """The policy that was learned beside the best one; the darker a field, the surer the goal from there."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.4), layout="constrained")
    learned = values.argmax(axis=1)
    worth = values.max(axis=1)
    panels = (("learned, with its values", learned, worth), ("best for gamma 0.99", best, None))
    for axes, (title, actions, shown) in zip(figure.subplots(1, 2), panels, strict=True):
        rows, columns = fields.shape
        axes.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5), aspect="equal", xticks=[], yticks=[])
        axes.set_title(title, fontsize=11)
        for state in range(rows * columns):
            row, column = divmod(state, columns)
            _field(axes, fields[row, column], row, column, 0.0 if shown is None else float(shown[state]))
            if fields[row, column] in b"SF":
                differs = actions[state] != best[state]
                _arrow(axes, row, column, int(actions[state]), MARK if differs else "black")
                if shown is not None:
                    axes.text(column + 0.45, row + 0.42, f"{shown[state]:.2f}", ha="right", fontsize=8, color="#555555")
    save(figure, path)


def _field(axes: Any, kind: bytes, row: int, column: int, worth: float) -> None:
    from matplotlib.patches import Rectangle

    ice = (0.90 - 0.45 * worth, 0.95 - 0.25 * worth, 1.0)
    colour = HOLE if kind == b"H" else "#a5d6a7" if kind == b"G" else ice
    axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="white", linewidth=2))
    if kind == b"H":
        axes.text(column, row, "hole", ha="center", va="center", color="white", fontsize=10)
    elif kind == b"G":
        axes.text(column, row, "goal", ha="center", va="center", fontsize=10)
    elif kind == b"S":
        axes.text(column - 0.45, row - 0.32, "start", fontsize=8, color="#555555")


def _arrow(axes: Any, row: int, column: int, action: int, colour: str) -> None:
    across, down = ARROWS[action]
    start, end = (column - 0.25 * across, row - 0.25 * down), (column + 0.25 * across, row + 0.25 * down)
    axes.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "-|>", "linewidth": 2, "color": colour})


def blackjack_chart(path: Path, chosen: Mapping[str, Chooser], best: Chooser) -> None:
    """Hit or stick for every hand; what differs from the best is framed."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    figure = Figure(figsize=(9, 4.3 * len(chosen)), layout="constrained")
    panels = figure.subplots(len(chosen), 2, squeeze=False)
    for row, (who, choose) in zip(panels, chosen.items(), strict=True):
        for axes, usable in zip(row, (False, True), strict=True):
            _hands(axes, choose, best, usable)
            axes.set_title(f"{who}: {'with' if usable else 'without'} a usable ace", fontsize=10)
    patches = [
        Patch(facecolor=HIT_COLOUR, label="hit"),
        Patch(facecolor=STICK_COLOUR, label="stick"),
        Patch(facecolor="white", edgecolor=MARK, linewidth=2, label="not the best"),
    ]
    figure.legend(handles=patches, loc="outside lower center", ncols=3, frameon=False)
    save(figure, path)


def _hands(axes: Any, choose: Chooser, best: Chooser, usable: bool) -> None:
    from matplotlib.patches import Rectangle

    for total in range(12, 22):
        for shown in range(1, 11):
            hit = choose(total, shown, usable)
            corner = (shown - 0.5, total - 0.5)
            colour = HIT_COLOUR if hit else STICK_COLOUR
            axes.add_patch(Rectangle(corner, 1, 1, facecolor=colour, edgecolor="white"))
            axes.text(shown, total, "H" if hit else "S", ha="center", va="center", fontsize=8)
            if hit != best(total, shown, usable):
                inner = (corner[0] + 0.06, corner[1] + 0.06)
                axes.add_patch(Rectangle(inner, 0.88, 0.88, fill=False, edgecolor=MARK, linewidth=2))
    axes.set(xlim=(0.5, 10.5), ylim=(11.5, 21.5), xlabel="the dealer's card", ylabel="own sum")
    axes.set_xticks(range(1, 11), ["A", *map(str, range(2, 11))])
    axes.set_yticks(range(12, 22))
    for side in axes.spines.values():
        side.set_visible(False)
    axes.tick_params(length=0)


def learning_curves(path: Path, title: str, runs: Mapping[str, RunFolder]) -> None:
    """Loss, squared error and accuracy of several networks, in training (dashed) and on held-out deals."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.2), layout="constrained")
    panels = (
        ("loss", "loss", "validation_loss"),
        ("mean squared error", "mse", "validation_mse"),
        ("accuracy, all decisions, no mask", "training_accuracy_all_unmasked", "accuracy_all_unmasked"),
    )
    for axes, (label, training, validation) in zip(figure.subplots(1, 3), panels, strict=True):
        for number, run in enumerate(runs.values()):
            rows = [row for row in run.rows() if validation in row and row["step"] > 0]
            epochs = [row["epoch"] for row in rows]
            axes.plot(epochs, [row[training] for row in rows], color=f"C{number}", linestyle="--", linewidth=1)
            axes.plot(epochs, [row[validation] for row in rows], color=f"C{number}", marker=".")
        axes.set(title=label, xlabel="epochs")
        axes.grid(alpha=0.3)
    handles = [figure.axes[0].plot([], [], color=f"C{number}", label=name)[0] for number, name in enumerate(runs)]
    for style, name in (("-", "held-out deals"), ("--", "training")):
        handles += figure.axes[0].plot([], [], color="black", linestyle=style, label=name)
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    figure.suptitle(title, fontsize=11)
    save(figure, path)


def loss_curves(path: Path, title: str, runs: Mapping[str, RunFolder], logarithmic: bool = False) -> None:
    """The loss of several runs over their rounds."""
    from matplotlib.ticker import LogLocator

    figure, axes = new_figure()
    for name, run in runs.items():
        rows = [row for row in run.rows() if "loss" in row]
        axes.plot([row["step"] for row in rows], [row["loss"] for row in rows], label=name, linewidth=1)
    if logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}")
    axes.set(xlabel="rounds", ylabel="loss")
    axes.set_title(title, fontsize=11)
    axes.legend()
    save(figure, path)


def won_games(path: Path, title: str, won: Mapping[str, int], of: int) -> None:
    """How many games every player has won, as the thesis' charts show it."""
    figure, axes = new_figure()
    names = list(won)
    bars = axes.barh(range(len(names)), [won[name] for name in names], color="#4f83b5")
    axes.bar_label(bars, padding=3)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set(xlabel=f"games won of {of:,}", xlim=(0, of * 1.05))
    axes.set_title(title, fontsize=11)
    save(figure, path)
