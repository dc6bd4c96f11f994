"""The pages in a real browser: what moves on a board, what hints say, the arena while it runs and after a kill."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spielwerk.arena.store import Store
from test_web_api import until
from test_web_browser import COMPILING, LOST, Visitor, browser, server  # noqa: F401
from web_server import Server

WATCH = """() => {
  window.moved = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, options) {
    window.moved.push(this.dataset.piece ?? "ghost");
    return animate.call(this, frames, options);
  };
}"""


@pytest.fixture
def visitor(browser: Any, server: Server) -> Iterator[Visitor]:  # noqa: F811
    found = Visitor(browser, server)
    yield found
    found.close()
    assert found.mistakes == []


def slide(visitor: Visitor, moves: int) -> None:
    """Play 2048 by the arrow keys."""
    for number in range(moves):
        visitor.wait_for_turn()
        if visitor.over:
            return
        legal = visitor.page.locator(".board .live").evaluate_all(
            "all => all.map(one => one.getAttribute('aria-label'))"
        )
        before = visitor.number
        key = next(key for key in ("left", "down", "right", "up")[number % 2 :] if key in legal)
        visitor.page.keyboard.press(f"Arrow{key.capitalize()}")
        visitor.wait_for_number(">", before)


def test_tiles_glide_and_merge(visitor: Visitor) -> None:
    visitor.start("2048")
    visitor.page.evaluate(WATCH)
    slide(visitor, 12)
    moved = visitor.page.evaluate("window.moved")
    assert "ghost" in moved  # two tiles that became one
    assert {piece for piece in moved if piece != "ghost"} <= {f"{x}{y}" for x in "abcd" for y in "1234"}
    assert len(set(moved)) > 3
    visitor.page.wait_for_function("() => !document.querySelector('.board svg > g[aria-hidden]')")
    names = visitor.page.eval_on_selector_all(".board [data-piece]", "all => all.map(one => one.dataset.piece)")
    assert len(names) == len(set(names)) >= 2


def test_nothing_moves_for_who_prefers_less_motion(browser: Any, server: Server) -> None:  # noqa: F811
    visitor = Visitor(browser, server, reduced_motion="reduce")
    visitor.start("2048")
    visitor.page.evaluate(WATCH)
    slide(visitor, 6)
    assert visitor.page.evaluate("window.moved") == []
    assert visitor.page.locator(".board .fresh, .board .merged, .board .turned").count() == 0
    visitor.close()
    assert visitor.mistakes == []


def test_cards_glide_from_hand_to_table_to_the_taker(visitor: Visitor) -> None:
    visitor.start("jass", "server-deal")
    visitor.wait_for_turn()
    own = set(visitor.page.eval_on_selector_all(".board g[data-piece]", "all => all.map(one => one.dataset.piece)"))
    visitor.page.evaluate(WATCH)
    visitor.play_on(4)
    visitor.wait_for_turn()
    cards = [piece for piece in visitor.page.evaluate("window.moved") if not piece.startswith("back")]
    assert set(cards) & own and set(cards) - own  # one's own cards, and cards that came out of other hands
    assert max(cards.count(card) for card in set(cards) - own) >= 2  # to the table, then to the taker


@pytest.mark.parametrize(
    ("game", "variant", "says"),
    [("2048", None, "Expected points at the end: "), ("qwixx", None, "Chance to win: "),
     ("jass", "server-deal", "Expected lead in this deal: ")],
)  # fmt: skip
def test_a_hint_says_what_its_figures_are(visitor: Visitor, game: str, variant: str | None, says: str) -> None:
    page = visitor.page
    visitor.start(game, variant)
    for _ in range(20):  # until there is a choice
        visitor.wait_for_turn()
        if page.locator(".board .live").count() > 1:
            break
        visitor.move()
    page.click('[data-do="hint"]')
    page.click('[data-do="hint-what"]', timeout=COMPILING)
    page.wait_for_selector("[data-values]", timeout=COMPILING)
    assert says in page.locator("[data-hint] p").first.inner_text()
    assert says.rstrip(": ") in page.locator("[data-hint] p").last.inner_text()


def test_the_arena_is_live_and_survives_a_killed_server(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    with Server(tmp_path) as own:
        visitor = Visitor(browser, own, expected=f"{LOST}|404")  # the server that comes back calls the job otherwise
        page = visitor.page
        visitor.visit("/arena")
        page.check("input[value=tournament]", force=True)
        page.locator("form select").first.select_option("cards")
        page.fill("form input[type=number]", "1000")
        page.click('[data-do="start-job"]')
        page.wait_for_selector('[data-job="running"] table.cross small', timeout=COMPILING)
        other = Visitor(browser, own)
        other.visit("/arena")
        other.page.wait_for_selector('[data-job="running"] [data-do="toggle"]')
        assert other.page.locator('[data-do="stop-job"]').count() == 0  # only who started it may stop it
        other.close()
        assert other.mistakes == []
        played = "table:not(.cross) tbody td:last-child"
        first = page.locator(played).first.inner_text()
        page.focus('[data-do="stop-job"]')
        page.wait_for_function(
            "([where, text]) => document.querySelector(where).innerText !== text", arg=[played, first]
        )
        visitor.wait_for_focus('[data-do="stop-job"]')
        assert float(page.get_attribute('[role="progressbar"]', "aria-valuenow") or -1) >= 0
        with Store(own.store.parent / "results.sqlite") as store:
            until(lambda: [run.matches for run in store.runs()], any)  # it is written once a second or so
        own.kill()
        own.start()
        page.wait_for_selector('[data-job="interrupted"] table.cross', timeout=COMPILING)
        page.click('[data-do="go-on"]')
        page.wait_for_selector('[data-job="running"] table.cross', timeout=COMPILING)
        page.click('[data-do="stop-job"]')
        page.wait_for_selector('[data-job="stopped"]')
        assert page.locator('[data-do="go-on"]').count() == 1
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        visitor.close()
        assert visitor.mistakes == []


def test_who_has_to_play_sees_something_to_play(browser: Any, server: Server) -> None:  # noqa: F811
    """On a phone a sheet is longer than the screen; a bonus may be far from the cell that brought it."""
    visitor = Visitor(browser, server, viewport={"width": 390, "height": 500}, has_touch=True, reduced_motion="reduce")
    page = visitor.page
    visitor.start("clever", "official")
    visitor.wait_for_turn()
    moved = 0
    for _ in range(12):
        page.evaluate("scrollTo(0, document.body.scrollHeight)")  # where nothing can be played
        before = page.evaluate("scrollY")
        visitor.move()
        visitor.wait_for_turn()
        if visitor.over:
            break
        page.wait_for_function(
            """() => [...document.querySelectorAll(".board .live")].some((one) => {
                const { top, height } = one.getBoundingClientRect();
                return top + height / 2 > 60 && top + height / 2 < innerHeight - 60;
            })"""
        )
        moved += page.evaluate("scrollY") < before
    assert moved >= 5
    visitor.close()
    assert visitor.mistakes == []
