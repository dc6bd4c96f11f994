"""Pictures of positions for environments: text, SVG, or an array of pixels."""

from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.errors import SpielwerkError, UnknownName
from spielwerk.core.position import View
from spielwerk.envs.words import say

MODES = ("ansi", "svg", "rgb_array")
METADATA: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 2}
WIDTH = 640  # pixels
PAPER = "#ffffff"  # below what a picture leaves out


def require_mode(mode: str | None) -> str | None:
    if mode is not None and mode not in MODES:
        raise UnknownName(say("render_mode"), mode, MODES)
    return mode


def picture(view: View, mode: str) -> str | NDArray[np.uint8]:
    """What a seat sees, as `mode` wants it."""
    if mode == "ansi":
        return view.text
    return view.svg if mode == "svg" else pixels(view.svg)


def pixels(svg: str) -> NDArray[np.uint8]:
    """[height, width, 3] an SVG drawn, with fonts that come with matplotlib: the same everywhere."""
    try:
        import resvg_py
    except ImportError:
        phrase = "render_mode rgb_array needs resvg-py: pip install 'spielwerk[learn]'"
        raise SpielwerkError(say(phrase)) from None
    from PIL import Image

    png = resvg_py.svg_to_bytes(
        svg_string=svg,
        width=WIDTH,
        background=PAPER,
        skip_system_fonts=True,
        font_dirs=[_fonts()],
        font_family="DejaVu Sans",
        sans_serif_family="DejaVu Sans",
        serif_family="DejaVu Serif",
        monospace_family="DejaVu Sans Mono",
    )
    with Image.open(BytesIO(bytes(png))) as image:
        return np.asarray(image.convert("RGB"), np.uint8)


@cache
def _fonts() -> str:
    import matplotlib

    return str(Path(matplotlib.get_data_path()) / "fonts" / "ttf")
