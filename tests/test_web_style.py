"""The page's colours: every text can be read on every ground, in light and in dark (WCAG 2.1, level AA)."""

import re
from pathlib import Path

import pytest

import spielwerk.web

CSS = (Path(spielwerk.web.__file__).parent / "static" / "base.css").read_text()
THEMES = {
    "light": dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", re.findall(r":root \{[^}]*\}", CSS)[0])),
    "dark": dict(
        re.findall(r"--([\w-]+): (#[0-9a-f]{6})", re.findall(r':root\[data-theme="dark"\] \{[^}]*\}', CSS)[0])
    ),
}


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_can_be_read(theme: str) -> None:
    colours = THEMES[theme]
    texts = ("ink", "soft", "accent", "gold", "good", "warn", "bad", "blue")
    pairs = [(text, ground) for text in texts for ground in ("paper", "surface")]
    pairs += [("accent-ink", "accent"), ("accent", "accent-soft"), ("ink", "accent-soft"), ("soft", "line")]
    pairs += [("good", "good-soft"), ("bad", "bad-soft"), ("gold", "gold-soft"), ("ink", "line")]
    weak = {pair: round(contrast(*(colours[name] for name in pair)), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}


def test_contrast_is_what_the_guidelines_say() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
