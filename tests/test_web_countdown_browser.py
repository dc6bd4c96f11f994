"""spe_ed against the clock in a real browser: chosen in the dialog, steered with keys, played on without anybody."""

from collections.abc import Iterator
from typing import Any

import pytest

from test_web_browser import COMPILING, Visitor, browser, server  # noqa: F401
from web_server import Server

SIDE = "small,height=8,longest=8,shortest=8,width=8"  # over after some rounds, whoever plays

START = """async ([variant, countdown]) => {
    const { start } = await import("/static/js/api.js");
    const places = [{ who: "me" }, { who: "agent" }];
    return (await start("/api/matches", { game: "speed", variant, countdown, places })).match;
}"""


@pytest.fixture
def visitor(browser: Any, server: Server) -> Iterator[Visitor]:  # noqa: F811
    found = Visitor(browser, server)
    yield found
    found.close()
    assert found.mistakes == []


def sit_down(visitor: Visitor, countdown: float) -> None:
    visitor.visit()
    visitor.visit(f"/table/{visitor.page.evaluate(START, [SIDE, countdown])}")
    visitor.page.wait_for_selector(".board svg.picture-svg", timeout=COMPILING)


def test_a_time_for_every_round_is_chosen_in_the_dialog_and_shown_at_the_table(visitor: Visitor) -> None:
    visitor.visit()
    assert visitor.open_dialog("qwixx").locator('[data-do="countdown"]').count() == 0
    visitor.page.keyboard.press("Escape")
    visitor.page.wait_for_selector("dialog", state="detached")
    dialog = visitor.open_dialog("speed")
    dialog.locator('[data-do="countdown"]').select_option("20")
    dialog.locator("button[type=submit]").click()
    page = visitor.page
    page.wait_for_selector("[data-countdown]:not([hidden]) i", timeout=COMPILING)
    left = page.wait_for_selector("[data-left]")
    assert left.inner_text().endswith(" s") and 0 < float(left.inner_text()[:-2]) <= 20
    page.keyboard.press("a")
    page.wait_for_function("() => document.querySelector('.log').textContent.includes('You: turn left')")
    assert visitor.number > 1


def test_a_match_goes_on_without_a_key_to_its_end(visitor: Visitor) -> None:
    sit_down(visitor, 0.2)
    visitor.page.wait_for_selector("[data-result]", timeout=COMPILING)
    assert visitor.page.locator("[data-countdown]").is_hidden()
    assert visitor.page.locator("[data-left]").count() == 0
    assert "You: change nothing" in visitor.page.locator(".log").inner_text()
    assert visitor.page.locator(".toast").count() == 0


def test_maps_are_switched_on_at_the_table(visitor: Visitor) -> None:
    visitor.start("speed")
    visitor.page.select_option('[data-look="overlay"]', "territory")
    visitor.page.wait_for_function("() => / cells</.test(document.querySelector('.board svg').innerHTML)")
    visitor.page.select_option('[data-look="overlay"]', "none")
    visitor.page.wait_for_function("() => !/ cells</.test(document.querySelector('.board svg').innerHTML)")
    assert visitor.page.locator(".board .fresh").count() == 0
