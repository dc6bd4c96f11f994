"""The pages in a real browser: the keys and swipes that games declare, and their rules."""

from collections.abc import Iterator
from typing import Any

import pytest

from spielwerk.core import registry
from spielwerk.core.words import speaking
from test_web_browser import Visitor, browser, server  # noqa: F401
from web_server import Server

PHONE = {"has_touch": True, "viewport": {"width": 390, "height": 844}}


@pytest.fixture
def visitor(browser: Any, server: Server) -> Iterator[Visitor]:  # noqa: F811
    found = Visitor(browser, server)
    yield found
    found.close()
    assert found.mistakes == []


@pytest.fixture
def finger(browser: Any, server: Server) -> Iterator[Visitor]:  # noqa: F811
    """Somebody with a phone."""
    found = Visitor(browser, server, **PHONE)
    yield found
    found.close()
    assert found.mistakes == []


def legal(visitor: Visitor) -> list[str]:
    return visitor.page.locator(".board .live").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")


def swipe(visitor: Visitor, across: int, along: int) -> None:
    """Put a finger on the middle of the board, move it and lift it."""
    box = visitor.page.locator(".board svg.picture-svg").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = visitor.context.new_cdp_session(visitor.page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 6):
        point = {"x": x + across * step / 5, "y": y + along * step / 5}
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    touch.detach()


def scrolled(visitor: Visitor) -> int:
    return int(visitor.page.evaluate("scrollY"))


# --- keys ---


def test_letters_play_2048_small_and_capital(visitor: Visitor) -> None:
    visitor.start("2048")
    played = 0
    for key, move in (("a", "left"), ("s", "down"), ("D", "right"), ("W", "up")) * 2:
        if move in legal(visitor):
            before = visitor.number
            visitor.page.keyboard.press(key)
            visitor.wait_for_number(">", before)
            played += 1
    assert played >= 4


def test_a_game_declares_any_key_for_any_move(visitor: Visitor) -> None:
    page = visitor.page
    visitor.start("numbers")
    for key, move in (("x", "2"), ("ArrowUp", "3")):
        visitor.wait_for_turn()
        number = visitor.number
        page.keyboard.press("ArrowDown")  # which plays nothing in this game
        visitor.wait_for_focus(".board .live")
        assert visitor.number == number
        page.keyboard.press(key)
        visitor.wait_for_number(">", number)
        page.wait_for_selector(f'.log p:first-child:has-text("You: {move}")')


def test_arrows_walk_through_the_actions_of_a_game_without_keys(visitor: Visitor) -> None:
    visitor.start("cards")
    visitor.wait_for_turn()
    number, names = visitor.number, legal(visitor)
    for name in (*names, names[0]):
        visitor.page.keyboard.press("ArrowDown")
        visitor.wait_for_focus(f'.board .live[aria-label="{name}"]')
    visitor.page.keyboard.press("ArrowUp")
    visitor.wait_for_focus(f'.board .live[aria-label="{names[-1]}"]')
    assert visitor.number == number


def test_two_quick_presses_are_two_moves(visitor: Visitor) -> None:
    visitor.start("2048")
    first, second = ("Left", "Right") if "left" in legal(visitor) else ("Right", "Left")
    number = visitor.number
    visitor.page.evaluate(
        "keys => keys.forEach(key => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true})))",
        [f"Arrow{first}", f"Arrow{second}"],
    )
    visitor.wait_for_number("===", number + 4)  # two moves, two new tiles
    told = visitor.page.locator(".log p").all_inner_texts()
    assert sorted(line for line in told if line in ("Left", "Right")) == ["Left", "Right"]


def test_no_quick_press_is_lost(visitor: Visitor) -> None:
    """Presses that come while a move is on its way are played in their order; one that is not possible is left out."""
    visitor.start("2048")
    number = visitor.number
    visitor.page.evaluate(
        "keys => keys.forEach(key => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true})))",
        ["a", "d", "a", "d"] if "left" in legal(visitor) else ["d", "a", "d", "a"],
    )
    visitor.wait_for_number("===", number + 8)  # four moves, four new tiles
    told = visitor.page.locator(".log p").all_inner_texts()
    played = [line for line in told if line in ("Left", "Right")][:4]
    assert played in (["Left", "Right"] * 2, ["Right", "Left"] * 2)


# --- swipes ---


def test_a_swipe_plays_and_the_page_stays_where_it_is(finger: Visitor) -> None:
    finger.start("2048")
    assert finger.page.evaluate("document.documentElement.scrollHeight > innerHeight"), "there is something to scroll"
    played = set()
    for direction, across, along in (("up", 9, -90), ("left", -90, 9), ("down", -9, 90), ("right", 90, -9)) * 2:
        if direction in legal(finger):
            number = finger.number
            swipe(finger, across, along)
            finger.page.wait_for_selector(f'.log p:has-text("{direction.capitalize()}")')
            finger.wait_for_number("===", number + 2)
            played.add(direction)
    assert len(played) >= 3
    assert scrolled(finger) == 0


def test_a_tap_is_no_swipe(finger: Visitor) -> None:
    finger.start("2048")
    number = finger.number
    swipe(finger, 8, 0)
    played = "(n) => document.querySelector('.pressed') || document.querySelector('[data-board]').dataset.number != n"
    assert not finger.page.evaluate(played, number), (
        "a move is pressed at once, and then the board shows another number"
    )
    finger.page.locator(".board .live").first.tap()
    finger.wait_for_number("===", number + 2)


def test_a_finger_scrolls_where_no_swipe_is_declared(finger: Visitor) -> None:
    """In a game without swipes, and for somebody who only looks on."""
    finger.start("cards")
    finger.wait_for_turn()
    number = finger.number
    swipe(finger, 0, -200)
    finger.page.wait_for_function("() => scrollY > 0")
    assert finger.number == number
    finger.start("2048")
    style = "getComputedStyle(document.querySelector('.board')).touchAction"
    assert finger.page.evaluate(style) == "none"
    finger.resign()
    assert finger.page.evaluate(style) == "auto"


# --- rules ---


def test_rules_are_a_page_with_a_link_on_the_card(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit()
    page.click('[data-rules-of="jass"]')
    page.wait_for_selector(".rules h1")
    assert page.url.endswith("/rules/jass")
    assert page.locator(".rules h1").inner_text() == "Schieber Jass"
    assert page.locator(".rules table").count() == registry.game_class("jass").rules().count("\n|---") > 7
    assert page.locator(".rules ol > li").count() == 4
    assert page.locator(".rules h3 code").first.inner_text() == "schieber"
    page.click('[data-do="new"]')
    page.wait_for_selector("dialog[open] button[type=submit]")
    visitor.visit()
    page.wait_for_selector('[data-game="cards"]')
    assert page.locator('[data-rules-of="cards"]').count() == 0  # it has none


def test_rules_are_read_at_the_table_and_nothing_is_played_meanwhile(visitor: Visitor) -> None:
    page = visitor.page
    visitor.start("2048")
    number = visitor.number
    page.click('[data-do="rules"]')
    page.wait_for_selector("dialog[open] .rules li")
    for key in ("ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.keyboard.press("ArrowLeft" if "left" in legal(visitor) else "ArrowRight")
    visitor.wait_for_number("===", number + 2)
    page.click('[data-do="rules"]')
    page.click('dialog [data-do="close"]')
    page.wait_for_selector("dialog", state="detached")
    visitor.start("numbers")
    assert page.locator('[data-do="rules"]').is_hidden()


@pytest.mark.parametrize("game", registry.game_names())
def test_rules_fit_a_phone_in_german_and_dark(browser: Any, server: Server, game: str) -> None:  # noqa: F811
    visitor = Visitor(browser, server, locale="de-DE", color_scheme="dark", viewport={"width": 360, "height": 740})
    visitor.visit(f"/rules/{game}")
    visitor.page.wait_for_selector(".rules h1")
    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert visitor.page.title().startswith("Regeln: ")
    with speaking("de"):
        heading = registry.game_class(game).rules().splitlines()[0]
    assert f"# {visitor.page.locator('.rules h1').inner_text()}" == heading
    visitor.close()
    assert visitor.mistakes == []


def test_rules_of_an_unknown_game_are_missed_in_words(visitor: Visitor) -> None:
    visitor.expected = "404"
    visitor.visit("/rules/qwix")
    visitor.page.wait_for_selector("main .empty:has-text(\"did you mean 'qwixx'\")")
    assert visitor.page.locator(".rules").count() == 0, "no rules of another game instead"


MARKDOWN = [
    ("# One *two*", "<h1>One <em>two</em></h1>"),
    ("one\ntwo\n\n**three**", "<p>one\ntwo</p><p><strong>three</strong></p>"),
    ("`a <b>` and late_end, _so_", "<p><code>a &lt;b&gt;</code> and late_end, <em>so</em></p>"),
    ("`two\nlines`", "<p><code>two\nlines</code></p>"),
    (
        "- one\n  goes on\n- two\n  1. inner\n\nafter",
        "<ul><li>one\ngoes on</li><li>two<ol><li>inner</li></ol></li></ul><p>after</p>",
    ),
    ("3. three\n4. four", '<ol start="3"><li>three</li><li>four</li></ol>'),
    ("in the year\n2012. that is no list", "<p>in the year\n2012. that is no list</p>"),
    ("```py\n# *no*\n\n- no\n```\nafter", "<pre><code># *no*\n\n- no</code></pre><p>after</p>"),
    (
        "| a | b |\n|---|:-:|\n| `x` | 1 |\n| y |\n",
        '<div class="scroll"><table><thead><tr><th>a</th><th>b</th></tr></thead>'
        "<tbody><tr><td><code>x</code></td><td>1</td></tr><tr><td>y</td><td></td></tr></tbody></table></div>",
    ),
    (
        "| | |\n|---|---|\n| a | b |",
        '<div class="scroll"><table><tbody><tr><td>a</td><td>b</td></tr></tbody></table></div>',
    ),
    (
        "[site](https://example.org/x) and [file](../docs/x.md)",
        '<p><a href="https://example.org/x" target="_blank" rel="noopener noreferrer">site</a> and file</p>',
    ),
    ("[x](javascript:alert(1))", "<p>x)</p>"),
    ('<img src=x onerror="a()"> & <b>', '<p>&lt;img src=x onerror="a()"&gt; &amp; &lt;b&gt;</p>'),
    ("2 * 3 * 4, 5*, \\*x\\*", "<p>2 * 3 * 4, 5*, *x*</p>"),
]


def test_markdown_becomes_elements_and_nothing_else(visitor: Visitor) -> None:
    visitor.visit("/replay")
    visitor.page.wait_for_selector("main h1")
    drawn = visitor.page.evaluate(
        """async (texts) => {
            const { markdown } = await import("/static/js/markdown.js");
            return texts.map((text) => markdown(text).map((element) => element.outerHTML).join(""));
        }""",
        [text for text, _ in MARKDOWN],
    )
    for (text, expected), found in zip(MARKDOWN, drawn, strict=True):
        assert found.replace(' start="1"', "") == expected, text
