"""What the picture of a sheet is made of: colours, dice, crosses, little pictures of bonuses, buttons.

A picture is drawn twice, for a wide and for a narrow page, by the same functions; `both` makes one of the two.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import NamedTuple, TypeVar

from spielwerk.core.svg import EYES, narrow
from spielwerk.games.clever.sheets import (
    BLACK,
    BLUE_X,
    EXTRA,
    FOX,
    GREEN_X,
    ORANGE,
    ORANGE_4,
    PURPLE,
    PURPLE_6,
    REROLL,
    YELLOW_X,
)

Page = TypeVar("Page")  # measures of a wide or a narrow page


class Palette(NamedTuple):
    """Of yellow, blue, green, orange and purple."""

    band: tuple[str, ...]  # of an area and its die
    on_band: tuple[str, ...]  # words on it, dots of the die
    ink: tuple[str, ...]  # numbers in cells
    paper: tuple[str, ...]  # cells


PALETTES = {  # by what is chosen of the look `colours`
    "box": Palette(
        ("#e9bf1c", "#2457ae", "#1f7a44", "#b9540f", "#6c3393"),
        ("#342900", "#fdfeff", "#fcfffd", "#fffdfc", "#fefcff"),
        ("#6b5100", "#1d4690", "#1a6538", "#964208", "#58297a"),
        ("#fdf3c6", "#dbe5f8", "#d6eedd", "#fbe2d0", "#eadcf4"),
    ),
    "safe": Palette(  # told apart by eyes without red, green or blue: Okabe and Ito (2008), darker
        ("#f0e442", "#0067a3", "#007a59", "#bb5200", "#8f3f6c"),
        ("#302d00", "#fcfeff", "#fbfffe", "#fffefc", "#fffcfe"),
        ("#656000", "#00527f", "#006249", "#963f00", "#7a3159"),
        ("#fdfad0", "#d0e8f8", "#d2f2e9", "#fbe1cd", "#f6dfeb"),
    ),
}
DARK_PALETTES = {
    "box": Palette(
        ("#856600", "#1d427f", "#195c34", "#8a3f0c", "#53296f"),
        ("#fffbe8", "#f4f8ff", "#f0fbf4", "#fff5ee", "#f9f2ff"),
        ("#f3d878", "#b9d0ff", "#a5e0b9", "#ffc39a", "#dfbcf8"),
        ("#3b310f", "#1b2a47", "#18331f", "#42260f", "#33203f"),
    ),
    "safe": Palette(
        ("#746d05", "#004f7d", "#005f45", "#8f3f00", "#6f3154"),
        ("#fffde0", "#f2faff", "#effdf8", "#fff4eb", "#fff2f9"),
        ("#ece47a", "#a5d6fb", "#86e0c6", "#ffbd8a", "#f4b6d8"),
        ("#36340f", "#0f2c40", "#0f352b", "#42250d", "#3d2031"),
    ),
}
SHEET, WORDS, FAINT, EDGE, ACTIVE = "#f7f6f2", "#333333", "#5c5c5c", "#bbbbbb", "#222222"
CROSS, LEGAL, BOX, SLOT = "#1b1b1b", "#111111", "#fffffe", "#8a8a8a"
DIE, DOTS, BUTTON, QUIET, LIGHT = "#fdfdfb", "#303030", "#555555", "#6f6a62", "#ffffff"
STORED, FUR, SNOUT = "#3f4650", "#c24a16", "#fff6ef"  # re-rolls and +1; the fox
DARK = {
    SHEET: "#24282d",
    WORDS: "#ebe6dc",
    FAINT: "#b9b3a8",
    EDGE: "#4a5057",
    ACTIVE: "#cfc8bb",
    CROSS: "#f2eee6",
    LEGAL: "#ffe08a",
    BOX: "#171a1d",
    DIE: "#d9d5cc",
    STORED: "#59626e",
}
TAG, ATTRIBUTE = re.compile(r"<[a-z][^>]*>"), re.compile(r'([\w-]+)="([^"]*)"')
FONT = 'font-family="Helvetica, Arial, sans-serif"'


def dark_colours(look: str) -> dict[str, str]:
    """What the colours become on a dark page."""
    pairs = zip(PALETTES[look], DARK_PALETTES[look], strict=True)
    return DARK | {light: dark for lights, darks in pairs for light, dark in zip(lights, darks, strict=True)}


def both(draw: Callable[[Page], str], wide: Page, slim: Page) -> str:
    """One picture of two: where an element of the narrow one has other attributes, it says so. Both have the same
    elements in the same order."""
    drawn, others = draw(wide), iter(TAG.findall(draw(slim)))

    one = TAG.sub(lambda found: merged(found[0], next(others)), drawn)
    assert next(others, None) is None
    return one


@lru_cache(maxsize=8192)
def merged(tag: str, other: str) -> str:
    """Most of a picture is as it was in the one before: what has been compared once is kept."""
    if tag == other:
        return tag
    mine = dict(ATTRIBUTE.findall(tag))
    changed = {name: value for name, value in ATTRIBUTE.findall(other) if mine[name] != value}
    end = -2 if tag.endswith("/>") else -1
    return f"{tag[:end]} {narrow(**changed)}{tag[end:]}"


# --- small things ----------------------------------------------------------------------------------------------------


def words(x: float, y: float, said: str, size: float, fill: str, anchor: str = "middle", weight: int = 700) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {FONT} font-size="{size:g}" font-weight="{weight}" '
        f'fill="{fill}">{escape(said)}</text>'
    )


def box(x: float, y: float, width: float, height: float, fill: str, radius: float = 6, more: str = "") -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius:g}" '
        f'fill="{fill}" {more}/>'
    )


def cross(x: float, y: float, width: float, height: float, stroke: str, thick: float, piece: str = "") -> str:
    """A cross in the middle of a field."""
    half = 0.34 * min(width, height)
    left, right, top, bottom = (
        x + width / 2 - half,
        x + width / 2 + half,
        y + height / 2 - half,
        y + height / 2 + half,
    )
    named = f'data-piece="{piece}" ' if piece else ""
    return (
        f'<path {named}d="M{left:.1f} {top:.1f} L{right:.1f} {bottom:.1f} M{right:.1f} {top:.1f} L{left:.1f} '
        f'{bottom:.1f}" fill="none" stroke="{stroke}" stroke-width="{thick:g}" stroke-linecap="round"/>'
    )


def button(action: int, name: str, drawn: str) -> str:
    said = escape(name)
    return f'<g data-action="{action}" role="button" tabindex="0" aria-label="{said}"><title>{said}</title>{drawn}</g>'


def die(piece: str, x: float, y: float, size: float, eyes: int, fill: str, dots: str, name: str) -> str:
    """A die; before it has been rolled it shows nothing."""
    spots = "".join(
        f'<circle cx="{x + size * (0.25 + 0.25 * a):.1f}" cy="{y + size * (0.25 + 0.25 * b):.1f}" r="{size / 11:.1f}" '
        f'fill="{dots}"/>'
        for a, b in EYES.get(eyes, ())
    )
    ground = box(x, y, size, size, fill, 8, 'stroke="#555" stroke-width="1.5"')
    said = escape(name)
    return f'<g data-piece="{piece}" role="img" aria-label="{said}"><title>{said}</title>{ground}{spots}</g>'


# --- bonuses ---------------------------------------------------------------------------------------------------------


def area_of(bonus: int) -> int:
    """The area that a bonus marks."""
    if bonus >= ORANGE_4:
        return PURPLE if bonus == PURPLE_6 else ORANGE
    return {YELLOW_X: 0, BLUE_X: 1, GREEN_X: 2}[bonus]


@lru_cache(maxsize=1024)
def icon(bonus: int, name: str, x: float, y: float, size: float, colours: Palette, taken: bool = False) -> str:
    """A bonus as a little picture, its middle at (x, y); a ring around it if somebody has it."""
    half = size / 2
    drawn = _symbol(bonus, x, y, half, colours)
    if taken:
        drawn += (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{half + 2.5:.1f}" fill="none" stroke="{CROSS}" stroke-width="2.2"/>'
        )
    return f'<g role="img" aria-label="{escape(name)}"><title>{escape(name)}</title>{drawn}</g>'


def _symbol(bonus: int, x: float, y: float, half: float, colours: Palette) -> str:
    if bonus == FOX:
        return fox(x, y, half)
    if bonus == REROLL:
        ground = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{half:.1f}" fill="{STORED}"/>'
        return ground + arrows(x, y, 0.55 * half)
    if bonus == EXTRA:
        ground = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{half:.1f}" fill="{STORED}"/>'
        return ground + words(x, y + 0.36 * half, "+1", 1.05 * half, LIGHT)
    if bonus == BLACK:
        ground = box(x - half, y - half, 2 * half, 2 * half, "#1d1d1d", 4, 'stroke="#f4f1ea" stroke-width="1"')
        return ground + words(x, y + 0.33 * half, "X/6", 0.92 * half, LIGHT)
    area = area_of(bonus)
    edge = f'stroke="{colours.on_band[area]}" stroke-width="1.3"'
    ground = box(x - half, y - half, 2 * half, 2 * half, colours.band[area], 4, edge)
    if bonus <= GREEN_X:
        return ground + cross(x - half, y - half, 2 * half, 2 * half, colours.on_band[area], 0.24 * half)
    number = 6 if bonus == PURPLE_6 else 4 + bonus - ORANGE_4
    return ground + words(x, y + 0.5 * half, str(number), 1.4 * half, colours.on_band[area])


def arrows(x: float, y: float, r: float) -> str:
    """Two arrows that run after each other."""
    arcs = (
        f"M{x - r:.1f} {y:.1f} A{r:.1f} {r:.1f} 0 0 1 {x + 0.7 * r:.1f} {y - 0.7 * r:.1f} "
        f"M{x + r:.1f} {y:.1f} A{r:.1f} {r:.1f} 0 0 1 {x - 0.7 * r:.1f} {y + 0.7 * r:.1f}"
    )
    tips = (
        f"M{x + 1.15 * r:.1f} {y - 1.05 * r:.1f} L{x + 1.05 * r:.1f} {y - 0.1 * r:.1f} L{x + 0.2 * r:.1f} "
        f"{y - 0.45 * r:.1f} Z "
        f"M{x - 1.15 * r:.1f} {y + 1.05 * r:.1f} L{x - 1.05 * r:.1f} {y + 0.1 * r:.1f} L{x - 0.2 * r:.1f} "
        f"{y + 0.45 * r:.1f} Z"
    )
    return (
        f'<path d="{arcs}" fill="none" stroke="{LIGHT}" stroke-width="{max(1.2, 0.3 * r):.1f}"/>'
        f'<path d="{tips}" fill="{LIGHT}"/>'
    )


def fox(x: float, y: float, half: float) -> str:
    """A head with two ears, a light snout and a nose."""

    def at(a: float, b: float) -> str:
        return f"{x + a * half:.1f} {y + b * half:.1f}"

    ears = f"L{at(-0.3, -0.5)} L{at(0.3, -0.5)} L{at(0.95, -1)}"
    head = f"M{at(-0.95, -1)} {ears} L{at(0.9, 0.1)} L{at(0, 1)} L{at(-0.9, 0.1)} Z"
    cheeks = f"M{at(-0.9, 0.1)} L{at(-0.25, 0.15)} L{at(0, 0.6)} L{at(0.25, 0.15)} L{at(0.9, 0.1)} L{at(0, 1)} Z"
    eyes = "".join(
        f'<circle cx="{x + side * 0.38 * half:.1f}" cy="{y - 0.1 * half:.1f}" r="{0.1 * half:.1f}" fill="#1a120c"/>'
        for side in (-1, 1)
    )
    return (
        f'<path d="{head}" fill="{FUR}" stroke="{SNOUT}" stroke-width="0.8" stroke-linejoin="round"/>'
        f'<path d="{cheeks}" fill="{SNOUT}"/>{eyes}'
        f'<circle cx="{x:.1f}" cy="{y + 0.86 * half:.1f}" r="{0.17 * half:.1f}" fill="#1a120c"/>'
    )
