"""The pages in a real browser: board and controls on one screen, fingers that find what they tap, headings in order."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from spielwerk.core import registry
from test_plugin import installed, server  # noqa: F401
from test_web_browser import COMPILING, Visitor, browser  # noqa: F401
from web_server import Server

pytestmark = pytest.mark.xdist_group("plugin")  # installed once

LAPTOPS = ((1366, 768), (1280, 720))
PHONE = {"has_touch": True, "viewport": {"width": 390, "height": 844}}
OTHERS = [("connect4", 2), ("leduc", 2), ("cards", 2), ("numbers", 3)]
TABLES = [(name, seats) for name in registry.game_names() for seats in registry.game_class(name).spec.seats]
BETWEEN = [
    *(("qwixx", seats) for seats in (2, 3, 4)),
    ("clever", 2),
    ("clever", 3),
    *(("speed", seats) for seats in (3, 4, 5)),
]  # fewest and most are the extremes
GAMES = [pytest.param(*table, marks=pytest.mark.slow if table in BETWEEN else ()) for table in TABLES + OTHERS]

START = """async ([id, seats, people]) => {
    const { get, start } = await import("/static/js/api.js");
    const game = await get(`/api/games/${id}`), agent = game.ladder[0].agent;
    const places = [...Array(seats).keys()].map((seat) => (seat < people ? { who: "me" } : { who: "agent", agent }));
    return (await start("/api/matches", { game: id, variant: game.variants[0].name, seed: 6, places })).match;
}"""

# What should be in sight and is not; what is inside a list that scrolls by itself does not count.
OUT_OF_SIGHT = """() => {
    const controls = "main button, main a, main input, main select, .chart";
    const inside = (box) => Math.min(box.left, box.top) >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
    return [...document.querySelectorAll(`.board svg.picture-svg, .board .live, ${controls}`)]
        .filter((one) => one.checkVisibility() && !one.closest(".log, .verdicts"))
        .map((one) => [one.outerHTML.slice(0, 90), one.getBoundingClientRect().toJSON()])
        .filter(([, box]) => !inside(box));
}"""

# What a finger cannot hit well. A box or dot to tick counts with its label; links inside a text are text.
TOO_SMALL = """() => {
    const all = [...document.querySelectorAll("button, a[href], input, select, textarea, summary, .board .live")];
    const where = (one) => (["radio", "checkbox"].includes(one.type) ? one.closest("label") ?? one : one);
    return all.map(where).filter((one) => one.checkVisibility() && !one.closest(".skip, .rules :is(p, li, td)"))
        .map((one) => [one.outerHTML.slice(0, 90), one.getBoundingClientRect()])
        .filter(([, { width, height }]) => width < 43.9 || height < 43.9)
        .map(([text, { width, height }]) => `${text} ${width.toFixed(1)} x ${height.toFixed(1)}`);
}"""

# Two frames later, whatever follows the size of the window has followed it.
DRAWN = "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"

HEADINGS = """() => [...document.querySelectorAll("main h1, main h2, main h3, main h4")]
    .filter((one) => one.checkVisibility()).map((one) => Number(one.localName[1]))"""


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


def sit_down(visitor: Visitor, game: str, seats: int, people: int = 1) -> None:
    visitor.visit()
    visitor.visit(f"/table/{visitor.page.evaluate(START, [game, seats, people])}")
    visitor.page.wait_for_selector(".board svg.picture-svg", timeout=COMPILING)


def ask_for_a_hint(visitor: Visitor) -> None:
    visitor.wait_for_turn()
    visitor.page.click('[data-do="hint"]')
    visitor.page.wait_for_selector('[data-do="hint-what"]', timeout=COMPILING)


def review(visitor: Visitor) -> None:
    visitor.page.click("[data-result] a.main")
    visitor.page.wait_for_selector('[data-review][data-done="1"]', timeout=COMPILING)


def in_sight(visitor: Visitor, what: str) -> None:
    """Everything is in sight on every laptop, and the page does not scroll."""
    page = visitor.page
    for width, height in LAPTOPS:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(DRAWN)
        assert page.evaluate(OUT_OF_SIGHT) == [], f"{what}, {width} x {height}"
        assert page.evaluate("document.documentElement.scrollHeight") <= height, what
        assert page.evaluate("document.documentElement.scrollWidth") <= width, what


def in_order(visitor: Visitor) -> None:
    levels = visitor.page.evaluate(HEADINGS)
    assert levels[0] == 1 and len(levels) > 1
    assert all(later - before <= 1 for before, later in pairwise(levels)), levels


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_board_and_controls_fit_one_screen(visitor: Visitor, game: str, seats: int) -> None:
    """On the live table, with a hint, when the match is over, and in the review."""
    sit_down(visitor, game, seats)
    visitor.play_on(1)
    ask_for_a_hint(visitor)
    shown = {one for one in ("hint", "undo", "resign", "new", "hint-what", "rules") if has(visitor, one)}
    assert shown >= {"hint", "resign", "new", "hint-what"} and (seats > 1 or "undo" in shown)
    in_sight(visitor, "a hint")
    in_order(visitor)
    visitor.page.click('[data-do="hint-what"]')
    visitor.page.wait_for_selector("[data-values]", timeout=COMPILING)
    in_sight(visitor, "the live table")
    visitor.resign()
    in_sight(visitor, "the finished match")
    in_order(visitor)
    review(visitor)
    assert visitor.page.locator('.film input[type="range"]').is_visible()
    in_sight(visitor, "the review")
    in_order(visitor)


def has(visitor: Visitor, name: str) -> bool:
    return bool(visitor.page.locator(f'[data-do="{name}"]').is_visible())


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_a_finger_finds_every_cell_and_button_of_a_match(finger: Visitor, game: str, seats: int) -> None:
    """On a phone nothing is wider than the screen, board and controls begin at the top, and all targets are large."""
    page = finger.page
    sit_down(finger, game, seats)
    for _ in range(4):
        finger.wait_for_turn()
        if finger.over:
            break
        assert page.evaluate(TOO_SMALL) == []
        finger.move()
    if not finger.over:
        ask_for_a_hint(finger)
        page.evaluate("scrollTo(0, 0)")
        tops = [page.locator(where).first.bounding_box()["y"] for where in ('[data-do="hint"]', ".board", ".side")]
        assert tops == sorted(tops) and tops[1] < 844 / 2, "controls, board, everything else"
        assert page.evaluate(TOO_SMALL) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        finger.resign()
    assert page.evaluate(TOO_SMALL) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    review(finger)
    assert page.evaluate(TOO_SMALL) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("path", ["/", "/watch", "/replay", "/arena", "/learning", "/rules/jass"])
def test_a_finger_finds_every_button_of_a_page(finger: Visitor, path: str) -> None:
    finger.visit(path)
    finger.page.wait_for_selector("main h1")
    finger.page.wait_for_selector(".waiting", state="detached")
    assert finger.page.evaluate(TOO_SMALL) == []
    assert finger.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_finger_finds_every_button_of_the_dialogs(finger: Visitor) -> None:
    page = finger.page
    finger.visit()
    finger.open_dialog("qwixx")
    page.click("dialog details summary")
    page.wait_for_selector("dialog details[open]")
    assert page.evaluate(TOO_SMALL) == []
    sit_down(finger, "2048", 1)
    page.click('[data-do="rules"]')
    page.wait_for_selector("dialog[open] .rules li")
    assert page.evaluate(TOO_SMALL) == []
    page.click('dialog [data-do="close"]')
    page.click('[data-do="resign"]')
    page.wait_for_selector("dialog[open]")
    assert page.evaluate(TOO_SMALL) == []


def test_a_sheet_breaks_its_rows_where_there_is_little_room(visitor: Visitor) -> None:
    """The arrangement follows the window both ways; a hint stays on its cell."""
    page = visitor.page
    sit_down(visitor, "qwixx", 2)
    visitor.wait_for_turn()
    wide = page.get_attribute(".board svg.picture-svg", "viewBox")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("(w) => document.querySelector('.picture-svg').getAttribute('viewBox') !== w", arg=wide)
    narrow = page.get_attribute(".board svg.picture-svg", "viewBox").split()
    assert float(narrow[2]) < float(wide.split()[2]) and float(narrow[3]) > float(wide.split()[3])
    page.set_viewport_size({"width": 1366, "height": 768})
    page.wait_for_function("(w) => document.querySelector('.picture-svg').getAttribute('viewBox') === w", arg=wide)
    assert page.locator(".board svg.picture-svg [data-narrow][transform='null']").count() == 0


# --- before something that cannot be undone, and after it ---


def test_resigning_is_asked_for_in_the_page(visitor: Visitor) -> None:
    page = visitor.page
    sit_down(visitor, "cards", 2)
    visitor.wait_for_turn()
    page.click('[data-do="resign"]')
    page.wait_for_selector("dialog[open]")
    visitor.wait_for_focus('dialog [data-do="no"]')
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.get_attribute("[data-board]", "data-status") == "playing"
    page.click('[data-do="resign"]')
    page.click('dialog [data-do="no"]')
    page.wait_for_selector("dialog", state="detached")
    assert page.get_attribute("[data-board]", "data-status") == "playing"
    visitor.resign()
    assert page.get_attribute("[data-result]", "data-result") == "lost"


OUTCOMES = [  # teams, seats held, winners, who resigned; how it ended, and what is said
    ([0, 1], [0], [0], None, "won", "You win!"),
    ([0, 1], [0], [1], None, "lost", "You lost: Easy wins"),
    ([0, 1], [0], [0, 1], None, "drawn", "A draw"),
    ([0, 1], [], [1], None, "plain", "Easy wins"),
    ([0, 1], [0, 1], [1], None, "plain", "Seat 2 wins"),
    ([0, 1, 0, 1], [2], [0, 2], None, "won", "You win!"),
    ([0, 1, 0, 1], [2], [1, 3], None, "lost", "You lost: Seat 2, Seat 4 win"),
    ([0, 1, 2], [0], [1, 2], None, "lost", "You lost: Seat 2, Seat 3 share the win"),
    ([0, 1, 2], [1], [1, 2], None, "drawn", "A draw"),
    ([0, 1], [0], [], 0, "lost", "You resigned"),
    ([0, 1], [0], [], 1, "won", "You win! Easy resigned"),
    ([0, 1, 2], [0], [], 1, "plain", "Seat 2 resigned"),
    ([0, 1, 0, 1], [2], [], 0, "lost", "You lost: Seat 1 resigned"),
    ([0], [0], [], None, "plain", "12 points"),
]


def test_the_banner_says_how_it_ended_for_the_one_who_looks(visitor: Visitor) -> None:
    visitor.visit("/replay")
    visitor.page.wait_for_selector("main h1")
    for teams, held, winners, resigned, kind, text in OUTCOMES:
        players = [
            {"seat": seat, "kind": "person" if seat in held else "agent", "agent": "random", "strength": "easy"}
            for seat in range(len(teams))
        ]
        scene = {
            "teams": teams, "held": held, "winners": winners, "resigned": resigned, "players": players,
            "status": "over" if resigned is None else "resigned", "scores": [12] * len(teams),
        }  # fmt: skip
        found = visitor.page.evaluate("async (scene) => (await import('/static/js/outcome.js')).outcome(scene)", scene)
        assert found == {"kind": kind, "text": text}, (teams, held, winners)


def test_a_lost_match_is_not_green(visitor: Visitor) -> None:
    """Each kind of result has a ground of its own."""
    sit_down(visitor, "cards", 2)
    visitor.wait_for_turn()
    visitor.resign()
    ground = """(kind) => {
        const one = document.querySelector(".result");
        one.className = `result ${kind}`;
        return getComputedStyle(one).backgroundColor;
    }"""
    assert visitor.page.locator(".result.lost").count() == 1
    grounds = [visitor.page.evaluate(ground, kind) for kind in ("won", "lost", "drawn", "plain")]
    assert len(set(grounds)) == 4


# --- what is written ---


def test_a_minus_is_no_hyphen(visitor: Visitor) -> None:
    visitor.visit("/replay")
    visitor.page.wait_for_selector("main h1")
    written = visitor.page.evaluate(
        """async () => {
            const { compact, number, percent, points, worth } = await import("/static/js/i18n.js");
            return [points(-5), number(-1234.5, 1), compact(-12345), compact(-0.25), percent(-0.1), worth(-3, "lead")];
        }"""
    )
    assert all(text.startswith("\N{MINUS SIGN}") and "-" not in text for text in written), written
    drawn = visitor.page.evaluate(
        """async () => {
            const { scoreboard } = await import("/static/js/people.js");
            const player = { seat: 0, kind: "agent", agent: "random", strength: "easy", seated: true };
            return scoreboard({ teams: [0], players: [player], scores: [-5], actors: [], held: [] }).innerText;
        }"""
    )
    assert "\N{MINUS SIGN}5" in drawn


def test_rules_say_in_which_language_they_are(browser: Any, server: Server) -> None:  # noqa: F811
    german = Visitor(browser, server, locale="de-DE")
    german.visit("/rules/jass")
    german.page.wait_for_selector('article.rules[lang="de"]')
    german.page.route("**/api/games/jass/rules", lambda route: route.fulfill(
        json={"title": "Jass", "text": "# Jass\n\nIn English only.", "language": "en"}
    ))  # fmt: skip
    german.visit("/rules/jass")
    german.page.wait_for_selector('article.rules[lang="en"]')
    assert german.page.evaluate("document.documentElement.lang") == "de"
    german.close()
    assert german.mistakes == []


def test_a_click_beside_a_dot_of_the_curve_means_the_dot(visitor: Visitor) -> None:
    visitor.visit("/replay")
    visitor.page.wait_for_selector("main h1")
    picked = visitor.page.evaluate(
        """async () => {
            const { lineChart } = await import("/static/js/chart.js");
            let picked = [];
            const dots = [1, 2].map((x) => ({ x, y: x, kind: "mistake", title: "", pick: () => picked.push(x) }));
            const chart = lineChart({ label: "x", lines: [{ label: "x", xs: [1, 2], ys: [1, 2] }], dots, small: true });
            chart.style.width = "380px";
            document.querySelector("main").append(chart);
            const box = chart.querySelectorAll(".dot")[1].getBoundingClientRect();
            const click = (x, y) => chart.dispatchEvent(new MouseEvent("click", { clientX: x, clientY: y }));
            click(box.left - 12, box.top + 12);
            click(box.left - 90, box.top + 4);
            return picked;
        }"""
    )
    assert picked == [2]
