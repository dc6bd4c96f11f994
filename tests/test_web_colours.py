"""The colours of boards: every text can be read and nothing glares, on a light and on a dark page."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spielwerk.core import registry
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import pick, spawn
from test_web_browser import browser  # noqa: F401
from test_web_style import THEMES, contrast, luminance
from web_games import Cards

PLUGIN = Path(__file__).parent.parent / "examples" / "plugin" / "src"
MOST = 60  # decisions of a match
GLARING = 0.5  # luminance of a large shape

# Of every text that is not faded: its colour, and that of what lies under its middle. Of large shapes: their colours.
LOOK = """(svgs) => {
    const byte = (text) => Number(text).toString(16).padStart(2, "0");
    const hex = (colour) => `#${colour.match(/\\d+/g).slice(0, 3).map(byte).join("")}`;
    const solid = (one) => one.localName === "body" || (getComputedStyle(one).opacity === "1" && solid(one.parentNode));
    const fill = (one) => {
        const { fill, fillOpacity } = getComputedStyle(one);
        return fill === "none" || fillOpacity !== "1" ? null : hex(fill);
    };
    const texts = new Map(), large = new Set();
    for (const text of svgs) {
        document.body.innerHTML = text;
        const svg = document.querySelector("svg"), around = svg.getBoundingClientRect();
        const shapes = [...svg.querySelectorAll("rect, circle, ellipse, path, text")];
        const boxes = new Map(shapes.map((one) => [one, one.getBoundingClientRect()]));
        shapes.forEach((one, place) => {
            const box = boxes.get(one), x = box.left + box.width / 2, y = box.top + box.height / 2;
            if (one.localName !== "text") {
                if (fill(one) && box.width * box.height > 0.05 * around.width * around.height) large.add(fill(one));
                return;
            }
            if (!one.textContent.trim() || !solid(one)) return;
            const under = shapes.slice(0, place).filter((other) => {
                const at = boxes.get(other);
                return other.localName !== "text" && at.left <= x && x <= at.right && at.top <= y && y <= at.bottom
                    && fill(other) && solid(other)
                    && other.isPointInFill(new DOMPoint(x, y).matrixTransform(other.getScreenCTM().inverse()));
            }).at(-1);
            texts.set(`${fill(one)} ${under ? fill(under) : ""}`, one.textContent);
        });
    }
    return [[...texts], [...large]];
}"""


@pytest.fixture(scope="module")
def games() -> Iterator[list[Game]]:
    """Every registered game, those of the example, and one that draws nothing itself."""
    sys.path.insert(0, str(PLUGIN))
    from parlour.connect4.game import Connect4
    from parlour.leduc.game import Leduc

    several = registry.game("qwixx", max(registry.game_class("qwixx").spec.seats))
    yield [*map(registry.game, registry.game_names()), several, Connect4(), Leduc(), Cards()]
    sys.path.remove(str(PLUGIN))


def pictures(game: Game) -> list[str]:
    """Boards of a random match, from a seat that decides and from outside."""
    position, rng, drawn = game.new(4), spawn(4, 1), []
    while not position.over and len(drawn) < 2 * MOST:
        drawn += [position.view(position.actors[0]).svg, position.open_view().svg]
        legal = {seat: position.legal(seat) for seat in position.actors}
        position.play({seat: actions[pick(rng, len(actions))] for seat, actions in legal.items()})
    return [*drawn, position.open_view().svg]


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_of_a_board_can_be_read(browser: Any, games: list[Game], theme: str) -> None:  # noqa: F811
    page = browser.new_page(viewport={"width": 1000, "height": 1000})
    page.set_content(f'<html data-theme="{theme}"><body></body></html>')
    for game in games:
        texts, large = page.evaluate(LOOK, pictures(game))
        assert len(texts) >= 1
        weak = {}
        for pair, text in texts:
            ink, _, ground = pair.partition(" ")
            ratio = contrast(ink, ground or THEMES[theme]["mat"])
            if ratio < 4.5:
                weak[pair] = (text, round(ratio, 2))
        assert weak == {}, (game.spec.id, theme)
        if theme == "dark":
            assert {colour for colour in large if luminance(colour) > GLARING} == set(), game.spec.id
    page.close()


def test_every_tile_of_2048_can_be_read(browser: Any) -> None:  # noqa: F811
    from spielwerk.games.twenty48.view import BEYOND, BEYOND_INK, DARK, INK, TILES

    assert contrast(BEYOND, BEYOND_INK) >= 4.5 and contrast(DARK[BEYOND], BEYOND_INK) >= 4.5
    for tile in TILES.values():
        assert contrast(tile, INK) >= 4.5, tile
        assert contrast(DARK[tile], DARK[INK]) >= 4.5, DARK[tile]
        assert luminance(DARK[tile]) < GLARING


def test_pictures_stay_light_elsewhere(browser: Any, games: list[Game]) -> None:  # noqa: F811
    """In notebooks, films and documents: the colours of the dark hold on a dark page of the web app only."""
    page = browser.new_page(color_scheme="dark")
    for game in games:
        svg = game.new(1).svg
        page.set_content(f"<html><body>{svg}</body></html>")
        changed = """() => [...document.querySelectorAll('svg [fill^="#"]')].filter((one) => {
            const asked = document.createElement("i");
            asked.style.color = one.getAttribute("fill");
            document.body.append(asked);
            return getComputedStyle(asked).color !== getComputedStyle(one).fill;
        }).length"""
        assert page.evaluate(changed) == 0
        before = page.evaluate(
            "() => [...document.querySelectorAll('svg [fill]')].map((one) => getComputedStyle(one).fill)"
        )
        page.evaluate("() => { document.documentElement.dataset.theme = 'dark'; }")
        after = page.evaluate(
            "() => [...document.querySelectorAll('svg [fill]')].map((one) => getComputedStyle(one).fill)"
        )
        assert after != before, f"{game.spec.id} has colours for the dark"
    page.close()
