"""Colours and shapes of spe_ed's pictures, and cells as paths: runs of cells become strokes, so that a board of 6,400
cells takes some kilobytes."""

from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.svg import narrow

Mask = NDArray[np.bool_]


class Palette(NamedTuple):
    """The six players."""

    trail: tuple[str, ...]
    ink: tuple[str, ...]  # of a number on it


BLACK, WHITE = "#101112", "#ffffff"
PALETTES = {  # by what is chosen of the look `colours`
    "bright": Palette(
        ("#d1263a", "#1769c9", "#e88700", "#1a7d3a", "#8a3ab9", "#12a5c4"), (WHITE, WHITE, BLACK, WHITE, WHITE, BLACK)
    ),
    "safe": Palette(  # told apart by eyes without red, green or blue: Okabe and Ito (2008)
        ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9"), (WHITE, BLACK, BLACK, BLACK, BLACK, BLACK)
    ),
}
BOARD, GRID, EDGE, INK, HALO = "#fcfbf7", "#f2eee5", "#8d877b", "#1d1f22", "#fdfdfc"
WORDS, FAINT, CARD, OWN, LINE = "#2b2a27", "#5f594f", "#f4f0e7", "#ece5d4", "#d8d0c0"
BUTTON, DANGER, WARNING, PALE = "#e9e3d6", "#c81e2c", "#b0202c", "#9b958a"
DARK = {
    BOARD: "#121417",
    GRID: "#1f2328",
    EDGE: "#5b6168",
    INK: "#f4efe6",
    HALO: "#0e1012",
    WORDS: "#ebe6dc",
    FAINT: "#b0a99c",
    CARD: "#23272c",
    OWN: "#30363d",
    LINE: "#454b52",
    BUTTON: "#30353b",
    DANGER: "#ff5c68",
    WARNING: "#ff8f96",
    PALE: "#7d858d",
}
FONT = 'font-family="Helvetica, Arial, sans-serif"'


# --- cells -----------------------------------------------------------------------------------------------------------


def strokes(mask: Mask) -> str:
    """Two paths for the cells of a mask, to be stroked one cell wide: every cell belongs to the longer of the two runs
    through it."""
    if not mask.any():
        return ""
    across = mask & (_run_lengths(mask) >= _run_lengths(mask.T).T)
    drawn = _path(_runs(across), "h", 0.0, 0.5) + _path(_runs((mask & ~across).T), "v", 0.5, 0.0)
    return drawn


def _runs(mask: Mask) -> NDArray[np.int64]:
    """Row, first column and length of every run of a mask, row by row."""
    edges = np.diff(np.pad(mask.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    begins, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
    return np.column_stack((begins, ends[:, 1] - begins[:, 1]))


def _run_lengths(mask: Mask) -> NDArray[np.int64]:
    """The length of the run in its row, for every cell of a mask; 0 elsewhere."""
    found = np.zeros(mask.shape, np.int64)
    runs = _runs(mask)
    rows, columns = np.nonzero(mask)
    found[rows, columns] = np.repeat(runs[:, 2], runs[:, 2])
    return found


def _path(runs: NDArray[np.int64], direction: str, right: float, down: float) -> str:
    """A path with relative steps, which are short: after a run of `h` the next begins at `m` from its end."""
    if not len(runs):
        return ""
    parts, at = [], (0, 0)
    for row, first, length in runs.tolist():
        here = (first, row) if direction == "h" else (row, first)
        x, y = here[0] - at[0], here[1] - at[1]
        parts.append(f"m{x}{'' if y < 0 else ' '}{y}{direction}{length}")
        at = (first + length, row) if direction == "h" else (row, first + length)
    moved = f'transform="translate({right:g} {down:g})"'
    return f'<path {moved} d="{"".join(parts)}"/>'


def crosses(mask: Mask) -> str:
    """A cross in every cell of a mask, as the data of a path."""
    return "".join(f"M{x}.18 {y}.18l.64.64m0-.64l-.64.64" for y, x in np.argwhere(mask).tolist())


def grid(width: int, height: int) -> str:
    """Lines between the cells, as the data of a path."""
    columns = f"M1 0v{height}" + f"m1-{height}v{height}" * (width - 2)
    rows = f"M0 1h{width}" + f"m-{width} 1h{width}" * (height - 2)
    return columns + rows


# --- words and boxes -------------------------------------------------------------------------------------------------


def words(x: float, y: float, text: str, size: float, fill: str = WORDS, weight: int = 400, **more: Any) -> str:
    """A line of text; `anchor` is where it begins, `slim` holds its attributes on a narrow page."""
    anchor = f' text-anchor="{more["anchor"]}"' if "anchor" in more else ""
    slim = " " + narrow(**more["slim"]) if "slim" in more else ""
    return (
        f'<text x="{x:g}" y="{y:g}" {FONT} font-size="{size:.3g}" font-weight="{weight}" fill="{fill}"{anchor}{slim}>'
        f"{escape(text)}</text>"
    )


def fitting(text: str, room: float, most: float) -> float:
    """The size of letters with which a text fits into so much room."""
    return min(most, 1.85 * room / max(len(text), 1))
