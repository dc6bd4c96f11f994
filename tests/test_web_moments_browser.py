"""Moments in a real browser: they stand as long as the viewer wants, none is skipped, nothing glides between deals."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from spielwerk.core.match import Record
from test_web_browser import COMPILING, Visitor, browser, server  # noqa: F401
from test_web_moments import moments_of
from web_server import Server

SHOWN = """
window.shown = [];  // [time, number] of every picture
window.fresh = {};  // number -> for every piece whether it is new there
new MutationObserver(() => {
    const number = Number(document.querySelector("[data-board]")?.dataset.number ?? NaN);
    if (Number.isNaN(number) || window.shown.at(-1)?.[1] === number) return;
    window.shown.push([performance.now(), number]);
    const pieces = [...document.querySelectorAll(".board [data-piece]")];
    window.fresh[number] = pieces.map((piece) => piece.classList.contains("fresh"));
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-number"] });
"""
OPEN = "[data-moment]:not([hidden])"


class Guest(Visitor):
    """Somebody at a table, whose browser notes which picture it showed when."""

    def __init__(self, browser: Any, server: Server, **look: Any) -> None:  # noqa: F811
        super().__init__(browser, server, **look)
        self.context.add_init_script(SHOWN)

    def sit_down(self, game: str, *agents: str, **more: Any) -> None:
        """Seat 1 is mine; the agents sit on the others."""
        self.begin(game, {"who": "me"}, *({"who": "agent", "agent": agent} for agent in agents), **more)

    def watch(self, game: str, *agents: str, **more: Any) -> None:
        self.begin(game, *({"who": "agent", "agent": agent} for agent in agents), **more)

    def begin(self, game: str, *places: dict[str, str], **more: Any) -> None:
        body = json.dumps({"game": game, "places": places, "seed": 6, **more})
        self.visit("/replay")
        self.match = self.page.evaluate(
            """async (body) => {
                const headers = { "content-type": "application/json" };
                const made = await (await fetch("/api/matches", { method: "POST", headers, body })).json();
                const own = { tokens: made.tokens, control: made.control, at: Date.now() };
                localStorage.setItem("spielwerk.matches", JSON.stringify({ [made.match]: own }));
                return made.match;
            }""",
            body,
        )
        self.visit(f"/table/{self.match}")
        self.page.wait_for_selector(".board svg", timeout=COMPILING)

    def play(self, moves: int) -> None:
        """Play the first legal action so many times, each when it can be played."""
        for _ in range(moves):
            self.page.wait_for_selector(".board .live")
            self.page.evaluate(
                "() => document.querySelector('.board .live').dispatchEvent(new Event('click', {bubbles: true}))"
            )
            self.page.wait_for_selector(".board .pressed", state="detached")

    @property
    def pictures(self) -> list[tuple[float, int]]:
        return [(time, number) for time, number in self.page.evaluate("window.shown")]

    def stood(self, number: int) -> float:
        """For how many seconds the picture after so many events stood; another followed."""
        times = self.pictures
        place = next(place for place, (_, shown) in enumerate(times) if shown == number)
        return (times[place + 1][0] - times[place][0]) / 1000

    def record(self) -> Record:
        answer = self.page.request.get(f"{self.server.address}/api/matches/{self.match}/record")
        return Record.from_json(answer.body())


@pytest.fixture
def guests(browser: Any, server: Server) -> Iterator[Any]:  # noqa: F811
    found: list[Guest] = []

    def come(**look: Any) -> Guest:
        found.append(Guest(browser, server, **look))
        return found[-1]

    yield come
    for guest in found:
        guest.close()
    assert [guest.mistakes for guest in found] == [[]] * len(found)


# --- how long they stand ---


def test_full_tricks_stand_for_about_a_second_and_none_is_skipped(guests: Any) -> None:
    """Agents answer within milliseconds; whose lead it is plays when he likes."""
    guest = guests(speed="normal")
    guest.sit_down("jass", "rules", "rules", "rules", variant="server-deal")
    guest.play(5)
    guest.page.wait_for_selector(".board .live")
    numbers = [number for _, number in guest.pictures]
    guest.resign()
    record = guest.record()
    moments = [number for number in moments_of(record) if number < numbers[-1]]
    assert len(moments) >= 3 and set(moments) <= set(numbers)
    by_agents = [number for number in moments if "0" not in record.events[number]]
    assert by_agents
    for number in by_agents:
        assert 1.1 < guest.stood(number) < 5
    assert numbers == sorted(numbers)


def test_at_once_nothing_stands_but_every_moment_is_drawn(guests: Any) -> None:
    guest = guests(speed="at-once")
    guest.sit_down("jass", "rules", "rules", "rules", variant="server-deal")
    guest.play_on()
    moments = moments_of(guest.record())
    assert len(moments) == 9 and set(moments) <= {number for _, number in guest.pictures}


def test_a_moment_stands_until_a_click_or_a_key(guests: Any) -> None:
    guest = guests(speed="slow")
    page = guest.page
    guest.sit_down("laps")
    guest.play(2)
    page.wait_for_selector(OPEN)
    assert guest.number == 2
    assert page.locator("[data-turn]").inner_text() == "Lap 1 is run"
    assert page.locator(f"{OPEN} h2").inner_text() == "Lap 1 is run"
    assert page.locator(f"{OPEN} td").all_inner_texts() == ["2"]
    guest.wait_for_focus('[data-do="moment-go-on"]')
    page.click('[data-do="moment-go-on"]')
    guest.wait_for_number("===", 3)
    assert page.locator(OPEN).count() == 0
    guest.play(2)
    page.wait_for_selector(OPEN)
    page.keyboard.press("Enter")
    guest.wait_for_number("===", 6)
    assert page.locator(OPEN).count() == 0
    guest.play(2)
    guest.wait_for_number("===", 8)
    page.locator(".board svg.picture-svg").click(position={"x": 5, "y": 5})  # before the figures are there
    guest.wait_for_number("===", 9)
    page.wait_for_selector("[data-result]")
    assert all(guest.stood(number) < 9 for number in (2, 5, 8)), "ten seconds at this speed"


def test_a_moment_passes_by_itself(guests: Any) -> None:
    guest = guests(speed="fast")
    guest.sit_down("laps")
    guest.play(2)
    guest.page.wait_for_selector(OPEN)
    guest.wait_for_number("===", 3)
    assert 1.9 < guest.stood(2) < 8  # two seconds at this speed
    guest.page.wait_for_selector(OPEN, state="detached")


def test_whoever_plays_waits_for_nothing(guests: Any) -> None:
    """A full trick that I took is no reason to wait for the answer to my next card."""
    guest = guests(speed="slow")
    guest.sit_down("jass", "rules", "rules", "rules", variant="server-deal")
    page = guest.page
    page.locator(".board .live[aria-label=obeabe]").dispatch_event("click")
    page.locator('.board .live[aria-label^="ace of"]').first.dispatch_event("click")  # which takes the trick
    page.wait_for_selector('[data-turn].mine:has-text("Seat 1 takes the trick")')
    number = guest.number
    guest.play(1)
    guest.wait_for_number(">", number)
    assert guest.stood(number) < 2.2, "2.4 seconds at this speed"


# --- taking back, reloading, losing the connection ---


def test_undo_while_a_moment_stands(guests: Any) -> None:
    guest = guests(speed="slow")
    page = guest.page
    guest.sit_down("laps")
    guest.play(2)
    page.wait_for_selector(OPEN)
    page.keyboard.press("u")
    guest.wait_for_number("===", 1)
    page.wait_for_selector(OPEN, state="detached")
    assert page.locator(".log").inner_text() == "Walk"
    page.click(".board .live >> nth=1")
    page.wait_for_selector(OPEN)
    assert page.locator(f"{OPEN} td").all_inner_texts() == ["3"]
    page.keyboard.press("Escape")
    guest.wait_for_number("===", 3)
    assert "3 points so far" in page.locator(".log").inner_text()


def test_reloading_in_the_middle_shows_the_moment_again(guests: Any) -> None:
    guest = guests(speed="slow")
    page = guest.page
    guest.sit_down("laps")
    guest.play(2)
    page.wait_for_selector(OPEN)
    page.reload()
    page.wait_for_selector(OPEN)
    assert guest.number == 2 and page.locator(f"{OPEN} h2").inner_text() == "Lap 1 is run"
    page.keyboard.press(" ")
    guest.wait_for_number("===", 3)
    page.reload()
    page.wait_for_selector(".board .live")
    assert [number for _, number in guest.pictures] == [3]
    other = page.context.new_page()  # somebody who has not been here before
    other.goto(page.url)
    other.wait_for_selector(".board .live")
    assert [number for _, number in other.evaluate("window.shown")] == [3]


def test_a_connection_that_is_lost_loses_no_moment(guests: Any) -> None:
    """The page says what it has, and gets what it has not."""
    guest = guests(speed="normal", expected="WebSocket")
    page, wires, hellos = guest.page, [], []

    def connect(wire: Any) -> None:
        far = wire.connect_to_server()
        wires.append(wire)

        def up(text: str) -> None:
            message = json.loads(text)
            if message["type"] == "hello":
                hellos.append(message["seen"])
            far.send(text)
            if message["type"] == "act" and len(wires) == 1 and guest.number >= 1:
                wire.close()  # before the answer

        def down(text: str) -> None:
            if len(wires) == 1 and json.loads(text).get("number", 0) > 1:
                return
            wire.send(text)

        wire.on_message(up)
        far.on_message(down)

    page.route_web_socket("**/live*", connect)
    guest.sit_down("laps")
    guest.play(1)
    guest.wait_for_number("===", 1)
    page.locator(".board .live").first.click()
    page.wait_for_selector(OPEN)
    assert guest.number == 2 and hellos == [None, 1]
    page.keyboard.press("Enter")
    guest.wait_for_number("===", 3)


# --- the end of a deal ---


def end_of_deal(guest: Guest) -> None:
    """Play until the result of the first deal lies on the board."""
    page = guest.page
    for _ in range(12):
        page.wait_for_selector(f".board .live, {OPEN}")
        if page.locator(OPEN).count():
            return
        guest.play(1)
    raise AssertionError("the deal has not ended")


@pytest.mark.parametrize(
    ("look", "title", "total"),
    [
        ({"viewport": {"width": 390, "height": 844}, "has_touch": True, "locale": "de-DE"}, "Runde 1", "Diese Runde"),
        ({"viewport": {"width": 1366, "height": 768}}, "Deal 1", "This deal"),
    ],
)
def test_the_end_of_a_deal_shows_its_result(guests: Any, look: dict[str, Any], title: str, total: str) -> None:
    guest = guests(speed="fast", **look)
    page = guest.page
    guest.sit_down("jass", "rules", "rules", "rules", variant="schieber,deals=2")
    end_of_deal(guest)
    panel = page.locator(OPEN)
    assert panel.locator("h2").inner_text().startswith(title)
    cells = [row.split("\t") for row in panel.locator("tr").all_inner_texts()]
    gained = next(row for row in cells if row[0] == total)
    assert [int(points) for points in gained[1:]] == [
        int(text.replace(",", "")) for text in page.locator(".points").all_inner_texts()[:2]
    ]
    board, box = page.locator("[data-board]").bounding_box(), panel.bounding_box()
    assert board["x"] <= box["x"] and box["x"] + box["width"] <= board["x"] + board["width"]
    assert board["y"] <= box["y"] and box["y"] + box["height"] <= board["y"] + board["height"]
    assert panel.evaluate("one => one.scrollHeight <= one.clientHeight"), "all of it can be seen"
    result = page.locator(".log p").first.inner_text()
    assert result.startswith(f"{title}: ") and all(points in result for points in gained[1:])
    number = guest.number
    if "has_touch" in look:
        page.tap('[data-do="moment-go-on"]')
    else:
        page.keyboard.press("Enter")
    guest.wait_for_number(">", number)
    fresh = page.evaluate("(number) => window.fresh[number]", number + 1)
    assert len(fresh) == 36 and all(fresh), "no card of the old deal glides into a new hand"


def test_weis_stays_in_the_list_of_events_for_the_whole_deal(guests: Any) -> None:
    guest = guests()
    guest.sit_down("jass", "rules", "rules", "rules", variant="schieber-deal")
    guest.play_on()
    said = [line for line in guest.page.locator(".log p").all_inner_texts() if "Weis" in line]
    assert said and all(line.startswith("Seat ") and line.endswith(" points") for line in said)


# --- the speed ---


def test_the_speed_is_chosen_by_keyboard_and_remembered(guests: Any) -> None:
    guest = guests(locale="de-DE", speed="normal", viewport={"width": 390, "height": 844})
    page, choice = guest.page, '[data-do="viewer-speed"]'
    guest.sit_down("cards", "random")
    assert page.locator(f"{choice} option").all_inner_texts() == ["langsam", "normal", "schnell", "sofort"]
    assert page.locator(choice).input_value() == "normal"
    page.focus(choice)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.locator(choice).input_value() == "at-once"
    page.reload()
    page.wait_for_selector(".board svg")
    assert page.locator(choice).input_value() == "at-once"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator(choice).bounding_box()
    assert box["height"] >= 24, "a finger can hit it"
    guest.sit_down("2048")
    assert not page.locator(choice).is_visible(), "alone there is nothing to wait for"


# --- films and shows ---


def test_a_film_stands_at_its_moments(guests: Any) -> None:
    guest = guests(speed="fast")
    page = guest.page
    guest.sit_down("laps")
    for number in (3, 6, 9):
        guest.play(2)
        page.wait_for_selector(OPEN)
        page.keyboard.press("Enter")
        guest.wait_for_number("===", number)
    guest.visit(f"/replay/{guest.match}")
    page.wait_for_selector('[data-do="play"]')
    assert page.locator('[data-do="viewer-speed"]').input_value() == "fast"
    page.click('[data-do="play"]')
    page.wait_for_selector(OPEN)
    assert guest.number == 2 and page.locator(f"{OPEN} td").all_inner_texts() == ["2"]
    guest.wait_for_number("===", 4)
    assert 1.9 < guest.stood(2) < 8 and guest.stood(3) < 1.9
    page.wait_for_selector(OPEN)
    page.click('[data-do="moment-go-on"]')
    guest.wait_for_number(">", 5)
    page.click('[data-do="play"]')  # stop
    page.click('[data-do="first"]')
    guest.wait_for_number("===", 0)
    for number in (1, 2):
        page.keyboard.press("ArrowRight")
        guest.wait_for_number("===", number)
    page.wait_for_selector(OPEN)
    page.keyboard.press("Escape")
    page.wait_for_selector(OPEN, state="detached")
    assert guest.number == 2, "whoever steps by hand goes on by hand"
    assert page.locator(".turn").inner_text() == "Walk · Lap 1 is run"
    page.keyboard.press("ArrowRight")
    guest.wait_for_number("===", 3)


def test_a_show_stands_at_its_moments_and_its_starter_goes_on(guests: Any) -> None:
    guest = guests(speed="at-once")  # which is for matches of one's own: here the pace is that of the show
    page = guest.page
    guest.watch("jass", *["rules"] * 4, variant="server-deal")
    page.wait_for_selector('[data-turn]:has-text("takes the trick")')
    first = guest.number
    guest.wait_for_number(">", first)
    assert guest.stood(first) > 1
    assert not page.locator('[data-do="viewer-speed"]').is_visible()
    page.select_option('[data-do="speed"]', "0")
    page.wait_for_selector("[data-result]")
    assert set(moments_of(guest.record())) <= {number for _, number in guest.pictures}
