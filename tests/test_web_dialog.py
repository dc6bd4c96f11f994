"""The new-match dialog in a real browser, and what all pages share: headings, backdrop, questions, one and many."""

import io
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from spielwerk.core import registry
from test_web_browser import COMPILING, FLAGS, Visitor, browser, playwright, server  # noqa: F401
from web_server import Server

SHAPES = "[...document.querySelectorAll('.board svg.picture-svg path')].map((one) => one.getAttribute('d')).join(' ')"
ACORN = "M-24 -6Q-24 34 0 46"  # of an Eichel


@pytest.fixture
def visitor(browser: Any, server: Server) -> Iterator[Visitor]:  # noqa: F811
    found = Visitor(browser, server)
    yield found
    found.close()
    assert found.mistakes == []


# --- the dialog ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", ["en-US", "de-CH"])
@pytest.mark.parametrize("game", registry.game_names())
def test_the_dialog_speaks_peoples_language(browser: Any, server: Server, game: str, locale: str) -> None:  # noqa: F811
    """Every variant has its sentence, every option a name, a sentence and what is right for its kind."""
    visitor = Visitor(browser, server, locale=locale)
    visitor.visit()
    dialog = visitor.open_dialog(game)
    info = visitor.page.request.get(
        f"{server.address}/api/games/{game}", headers={"accept-language": locale[:2]}
    ).json()
    said = dialog.locator("[data-about]")
    for variant in info["variants"]:
        dialog.locator('[data-do="variant"]').select_option(variant["name"])
        assert said.inner_text().lower().startswith(variant["help"].lower())
        assert all(each in said.inner_text() for each in variant["sets"])
        for option in info["options"]:
            field = dialog.locator(f'[data-option="{option["name"]}"]')
            shown = field.evaluate("(one) => (one.type === 'checkbox' ? Number(one.checked) : Number(one.value))")
            assert shown == variant["values"][option["name"]]
    for option in info["options"]:
        field = dialog.locator(f'[data-option="{option["name"]}"]')
        kind = field.evaluate("(one) => one.role ?? one.type")
        assert kind == {"switch": "switch", "choice": "select-one", "number": "number"}[option["kind"]]
        words = field.evaluate("(one) => one.parentElement.textContent").lower()
        assert option["title"].lower() in words and option["help"].lower() in words
        if option["kind"] == "choice":
            assert [text.lower() for text in field.locator("option").all_text_contents()] == [
                text.lower() for text in option["choices"]
            ]
        if option["kind"] == "number":
            assert str(option["low"]) in words and str(option["high"]) in words
    visitor.close()
    assert visitor.mistakes == []


def test_people_are_offered_schieber_and_the_dialog_comes_back_as_it_was_left(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit()
    dialog = visitor.open_dialog("jass")
    assert dialog.locator('[data-do="variant"]').input_value() == "schieber"
    assert dialog.locator(".seatline small").all_inner_texts() == [f"with seat {seat}" for seat in (3, 4, 1, 2)]
    dots = dialog.locator(".seatline .team").evaluate_all("all => all.map((one) => one.className)")
    assert dots[0] == dots[2] != dots[1] == dots[3]
    dialog.locator('[data-do="variant"]').select_option("schieber-deal")
    dialog.locator("summary", has_text="Rule options").click()
    stoeck = dialog.locator('[data-option="stoeck"]')
    assert stoeck.is_checked()
    stoeck.uncheck()
    line = stoeck.locator("xpath=..")
    assert "changed" in line.inner_text()
    dialog.locator(".seatline select").nth(1).select_option("rules")
    dialog.locator('[data-look="deck"]').select_option("swiss")
    dialog.locator("button[type=submit]").click()
    page.wait_for_selector(".board svg", timeout=COMPILING)
    assert page.locator(".heading").inner_text().split("\n")[1].startswith("Schieber, one deal, without Stöck")
    visitor.visit()
    dialog = visitor.open_dialog("jass")
    assert dialog.locator('[data-do="variant"]').input_value() == "schieber-deal"
    assert not dialog.locator('[data-option="stoeck"]').is_checked()
    assert dialog.locator('[data-option="stoeck"]').is_visible(), "what was changed is in sight"
    assert dialog.locator(".seatline select").nth(1).input_value() == "rules"
    assert dialog.locator('[data-look="deck"]').input_value() == "swiss"
    dialog.locator('[data-do="variant"]').select_option("server")
    assert dialog.locator("details .tag:visible").count() == 0
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    dialog = visitor.open_dialog("qwixx")
    dialog.locator('input[name="count"][value="4"]').check(force=True)
    assert dialog.locator(".seatline small").count() == 0, "everybody plays for himself"
    dialog.locator("button[type=submit]").click()
    page.wait_for_selector(".board svg", timeout=COMPILING)
    visitor.visit()
    assert visitor.open_dialog("qwixx").locator(".seatline").count() == 4


def test_a_phone_shows_the_title_and_the_button_that_starts(browser: Any, server: Server) -> None:  # noqa: F811
    visitor = Visitor(browser, server, viewport={"width": 390, "height": 844})
    visitor.visit()
    dialog = visitor.open_dialog("jass")
    dialog.locator("summary").first.evaluate("(one) => { one.parentElement.open = true; }")
    for part in ("#new-title", "button[type=submit]"):
        box = dialog.locator(part).bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 844, part
    assert dialog.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    visitor.close()
    assert visitor.mistakes == []


def test_partners_are_marked_at_the_table(visitor: Visitor) -> None:
    visitor.start("jass", "server-deal")
    under = visitor.page.locator(".player small").all_inner_texts()
    assert under[0] == "with seat 3" and under[2].startswith("your partner") and under[1].startswith("with seat 4")
    dots = visitor.page.locator(".player .team").evaluate_all("all => all.map((one) => one.className)")
    assert dots[0] == dots[2] != dots[1] == dots[3]
    assert "Seat 3 (partner)" in visitor.page.locator(".board").inner_text()
    visitor.start("numbers")
    assert visitor.page.locator(".player .team").count() == 0


# --- looks -----------------------------------------------------------------------------------------------------------


def test_the_deck_is_changed_at_the_table_and_in_the_film(visitor: Visitor) -> None:
    """The board, its labels and the log follow at once, for this visitor alone; the match goes on."""
    page = visitor.page
    visitor.start("jass", "server-deal")
    visitor.wait_for_turn()
    assert ACORN not in page.evaluate(SHAPES)
    labels = page.locator(".board .live").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert any("hearts" in label for label in labels)
    before = visitor.number
    page.locator('[data-do="look-deck"]').select_option("swiss")
    page.wait_for_function("() => document.querySelector('.board .live')?.getAttribute('aria-label').includes('Rosen')")
    assert visitor.number == before
    visitor.move()
    page.wait_for_function("() => document.querySelector('.log').innerText.includes('Rosen')")
    page.reload()
    page.wait_for_selector(".board svg")
    assert page.locator('[data-do="look-deck"]').input_value() == "swiss"
    visitor.play_on()
    page.click("[data-result] a:not(.main)")
    page.wait_for_selector('[data-do="forward"]')
    page.click('[data-do="last"]')
    page.wait_for_function("() => /Rosen|Eichel|Schellen|Schilten/.test(document.querySelector('.turn').innerText)")
    page.locator('[data-do="look-deck"]').select_option("french")
    page.wait_for_function("() => /hearts|diamonds|clubs|spades/.test(document.querySelector('.turn').innerText)")


def test_a_game_without_looks_offers_none(visitor: Visitor) -> None:
    visitor.start("2048", "2x2")
    assert visitor.page.locator("[data-look]").count() == 0


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "variant", "says"),
    [("2048", "2x2", "Same tiles"), ("numbers", None, "Play again"), ("cards", None, "Same luck")],
)
def test_what_is_played_again_is_called_as_in_the_game(
    visitor: Visitor, game: str, variant: str | None, says: str
) -> None:
    visitor.start(game, variant)
    visitor.play_on()
    assert visitor.page.locator("[data-result] button").inner_text() == says
    visitor.page.click("[data-result] a:not(.main)")
    assert visitor.page.wait_for_selector('[data-do="again"]').inner_text() == says


def test_the_page_knows_one_from_many(visitor: Visitor) -> None:
    visitor.visit()
    said = visitor.page.evaluate(
        """async () => {
          const { setLanguage, t } = await import("/static/js/i18n.js");
          const found = {};
          for (const language of ["en", "de"]) {
            setLanguage(language);
            const said = (key, ...numbers) => numbers.map((n) => t(key, { n }));
            const some = [said("points", 1, "+1", "−1", 11), said("lost-points", 1, "1.5"), said("rows", "1")];
            found[language] = [...some.flat(), ...said("solo-over", "1")];
          }
          return found;
        }"""
    )
    points = ["1 point", "+1 point", "−1 point", "11 points", "−1 point", "−1.5 points"]
    assert said["en"] == [*points, "1 measurement", "1 point"]
    punkte = ["1 Punkt", "+1 Punkt", "−1 Punkt", "11 Punkte", "−1 Punkt", "−1.5 Punkte"]
    assert said["de"] == [*punkte, "1 Messung", "1 Punkt"]


# --- all pages -------------------------------------------------------------------------------------------------------


def headings(visitor: Visitor) -> list[int]:
    """The levels of the headings that are there, in their order."""
    return visitor.page.locator("h1, h2, h3, h4, h5, h6").evaluate_all(
        "all => all.filter((one) => one.checkVisibility()).map((one) => Number(one.localName[1]))"
    )


def must_be_in_order(levels: list[int], where: str) -> None:
    assert levels and levels[0] == 1 and levels.count(1) == 1, (where, levels)
    assert all(after <= before + 1 for before, after in pairwise(levels)), (where, levels)


def test_headings_go_down_one_step_at_a_time(visitor: Visitor) -> None:
    """On every page, in what a hint and a review show, and with dialogs open."""
    visitor.expected = "404"
    page = visitor.page
    waits = {"/": "[data-game]", "/watch": "[data-game]", "/replay": ".drop", "/arena": "form", "/learning": "h1 + p",
             "/rules/jass": "[data-rules] h2", "/nowhere": "h1.empty", "/rules/nothing": "h1.empty",
             "/table/abcdefghijkl": "h1.empty", "/replay/abcdefghijkl": "h1.empty"}  # fmt: skip
    for path, there in waits.items():
        visitor.visit(path)
        page.wait_for_selector(there)
        must_be_in_order(headings(visitor), path)
    visitor.visit()
    visitor.open_dialog("jass")
    must_be_in_order(headings(visitor), "dialog")
    visitor.start("2048", "2x2")
    visitor.wait_for_turn()
    must_be_in_order(headings(visitor), "table")
    page.click('[data-do="hint"]')
    page.wait_for_selector('[data-do="hint-what"]', timeout=COMPILING)
    must_be_in_order(headings(visitor), "hint")
    page.click('[data-do="rules"]')
    page.wait_for_selector("dialog [data-rules] h2")
    must_be_in_order(headings(visitor), "rules over the table")
    page.keyboard.press("Escape")
    visitor.play_on()
    must_be_in_order(headings(visitor), "result")
    page.click("[data-result] a.main")
    page.wait_for_selector('[data-review][data-done="1"]', timeout=COMPILING)
    must_be_in_order(headings(visitor), "review")
    visitor.visit("/arena")
    page.locator("form select").first.select_option("numbers")
    page.fill("form input[type=number]", "3")
    page.click('[data-do="start-job"]')
    page.wait_for_selector('[data-job="done"]', timeout=COMPILING)
    must_be_in_order(headings(visitor), "arena")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_strip_stays_bright_beside_a_dialog(server: Server, browser: Any, scheme: str) -> None:  # noqa: F811
    """Where the room of the scrollbar is, the page is as dark as behind the dialog."""
    image = pytest.importorskip("PIL.Image")
    own = browser.browser_type.launch(
        executable_path=browser_path(), args=FLAGS, ignore_default_args=["--hide-scrollbars"]
    )
    visitor = Visitor(own, server, viewport={"width": 1366, "height": 768}, color_scheme=scheme)
    for path, opener in (("/rules/2048", '[data-do="new"]'), ("/", '[data-game="2048"]')):
        visitor.visit(path)
        visitor.page.wait_for_selector(opener)
        room = visitor.page.evaluate("innerWidth - document.body.getBoundingClientRect().width")
        assert room > 5, "this browser shows no scrollbars"
        visitor.page.click(opener)
        visitor.page.wait_for_selector("dialog[open] button[type=submit]")
        with image.open(io.BytesIO(visitor.page.screenshot(animations="disabled"))) as shot:
            pixels = shot.convert("RGB")
            for y in (150, 384, 740):
                beside, strip = pixels.getpixel((1366 - 40, y)), pixels.getpixel((1366 - 4, y))
                assert max(abs(a - b) for a, b in zip(beside, strip, strict=True)) < 12, (path, y, beside, strip)
    visitor.close()
    own.close()


def browser_path() -> str | None:
    import os
    import shutil

    return os.environ.get("SPIELWERK_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")


def test_a_question_is_answered_by_button_key_or_beside_it(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit()
    page.wait_for_selector("[data-game]")
    ask = """() => { import("/static/js/confirm.js").then(async ({ confirmed }) => {
      window.answer = null; window.answer = await confirmed("Resign this match?", "Resign"); }); }"""
    for act, answer in (
        (lambda: page.click('dialog [data-do="yes"]'), True),
        (lambda: page.click('dialog [data-do="no"]'), False),
        (lambda: page.keyboard.press("Escape"), False),
        (lambda: page.keyboard.press("Enter"), False),
        (lambda: page.mouse.click(5, 5), False),
    ):
        page.focus('[data-game="2048"]')
        page.evaluate(ask)
        dialog = page.wait_for_selector('dialog.question[role="alertdialog"]')
        assert "Resign this match?" in dialog.inner_text()
        visitor.wait_for_focus('dialog [data-do="no"]')
        act()
        page.wait_for_function("() => typeof window.answer === 'boolean'")
        assert page.evaluate("window.answer") is answer
        assert page.locator("dialog").count() == 0
        visitor.wait_for_focus('[data-game="2048"]')
