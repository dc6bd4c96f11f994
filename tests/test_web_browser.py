"""The pages in a real browser: every registered game from start to review, reloads, restarts, two people at a table."""

import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from german import english_words, vocabulary
from spielwerk import evaluate, tournament
from spielwerk.arena.store import Store
from spielwerk.core import registry
from spielwerk.core.match import Record, replay
from web_games import GAMES, Numbers
from web_server import Server

playwright = pytest.importorskip(
    "playwright.sync_api", reason="these tests need playwright: pip install spielwerk[dev]"
)

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
COMPILING = 600_000  # milliseconds; only the first time
PATIENCE = 240_000
LOST = r"WebSocket connection|net::ERR_|Failed to fetch"  # while the server is away


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("web")) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chosen = os.environ.get("SPIELWERK_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    with playwright.sync_playwright() as engine:
        try:
            launched = engine.chromium.launch(executable_path=chosen, args=FLAGS)
        except playwright.Error as problem:
            pytest.skip(f"no Chromium can be started here: {str(problem).splitlines()[0]}")
        yield launched
        launched.close()


class Visitor:
    """One person with a browser of its own; anything on the console that looks like a mistake is kept, unless it is
    `expected`. Nothing stands longer than it must unless another `speed` is chosen."""

    def __init__(
        self, browser: Any, server: Server, expected: str | None = None, speed: str = "at-once", **look: Any
    ) -> None:
        self.context = browser.new_context(**{"locale": "en-US", "viewport": {"width": 1200, "height": 900}, **look})
        kept = "localStorage['spielwerk.speed']"
        self.context.add_init_script(f"{kept} ??= '{json.dumps(speed)}'")
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.server = server
        self.expected = expected
        self.mistakes: list[str] = []
        self.page.on("console", lambda line: line.type in ("error", "warning") and self.note(line.text))
        self.page.on("pageerror", lambda problem: self.note(str(problem)))
        self.page.on("dialog", lambda dialog: (self.note(f"the browser asks: {dialog.message}"), dialog.dismiss()))

    def note(self, mistake: str) -> None:
        if not (self.expected and re.search(self.expected, mistake)):
            self.mistakes.append(mistake)

    def visit(self, path: str = "/") -> None:
        self.page.goto(self.server.address + path)

    def start(self, game: str, variant: str | None = None, friend: int | None = None) -> None:
        """Start a match from the home page: seat 1 is mine, the others play easy; always the same but with a friend."""
        self.visit()
        dialog = self.open_dialog(game)
        if variant and dialog.locator(f'option[value="{variant}"]').count():
            dialog.locator(f'select:has(option[value="{variant}"])').select_option(variant)
        for select in dialog.locator(".seatline select:visible").all():
            select.select_option(index=0)
        if friend is not None:
            dialog.locator(f'input[name="who-{friend}"][value="friend"]').check(force=True)
        else:
            dialog.locator("input[pattern]").evaluate("(seed) => { seed.value = '6'; }")
        dialog.locator("button[type=submit]").click()
        self.page.wait_for_selector(".board svg", timeout=COMPILING)

    def open_dialog(self, game: str) -> Any:
        self.page.click(f'[data-game="{game}"]')
        self.page.wait_for_selector("dialog[open] button[type=submit]")
        return self.page.locator("dialog")

    @property
    def number(self) -> int:
        return int(self.page.get_attribute("[data-board][data-number]", "data-number") or -1)

    @property
    def over(self) -> bool:
        return self.page.locator("[data-result]").count() > 0

    def wait_for_number(self, relation: str, number: int) -> None:
        """Wait until the events shown are more (>), fewer (<) or as many (===) as `number`."""
        self.page.wait_for_function(
            f"(n) => Number(document.querySelector('[data-board]')?.dataset.number) {relation} n", arg=number
        )

    def wait_for_focus(self, selector: str) -> None:
        self.page.wait_for_function("(where) => document.activeElement.matches(where)", arg=selector)

    @property
    def picture(self) -> str:
        """The board as the game drew it, when nothing glides any more."""
        self.page.wait_for_function("() => !document.querySelector('.board svg.picture-svg [aria-hidden]')")
        return re.sub(' class="[^"]*"', "", self.page.locator(".board svg.picture-svg").inner_html())

    def wait_for_turn(self) -> None:
        self.page.wait_for_selector(".board .live, [data-result]", timeout=COMPILING)

    def move(self) -> None:
        """Click the first thing that can be played, and wait until the server has answered."""
        self.wait_for_turn()
        before = self.number
        self.page.locator(".board .live").first.dispatch_event("click")
        self.page.wait_for_function(
            """(n) => Number(document.querySelector("[data-board]").dataset.number) !== n
                      || !document.querySelector(".board .live")""",
            arg=before,
        )

    def play_on(self, moves: int = 2000) -> None:
        for _ in range(moves):
            self.wait_for_turn()
            if self.over:
                return
            self.move()

    def resign(self) -> None:
        self.page.click('[data-do="resign"]')
        self.page.click('dialog [data-do="yes"]')
        self.page.wait_for_selector("[data-result]")

    def close(self) -> None:
        self.context.close()


@pytest.fixture
def visitor(browser: Any, server: Server) -> Iterator[Visitor]:
    found = Visitor(browser, server)
    yield found
    found.close()
    assert found.mistakes == []


def quickest_variant(game: str) -> str:
    """The variant whose random match with the default seats is shortest."""
    lengths = {}
    for variant in registry.game_class(game).spec.variants:
        table = registry.game(game, variant=variant)
        position = table.new(1)
        count = 0
        while not position.over and count < 2000:
            position.play({seat: position.legal(seat)[0] for seat in position.actors})
            count += 1
        lengths[variant] = count
    return min(lengths, key=lambda variant: lengths[variant])


@pytest.mark.parametrize("game", [*registry.game_names(), *(game.spec.id for game in GAMES)])
def test_a_match_from_start_to_review(visitor: Visitor, game: str, tmp_path: Path) -> None:
    """Start, hint in two steps, reload in the middle, play to the end against the easy agent, review, download."""
    page = visitor.page
    small = game in {small.spec.id for small in GAMES}
    visitor.start(game, None if small else quickest_variant(game))
    visitor.play_on(1)
    visitor.wait_for_turn()
    if not visitor.over:
        page.click('[data-do="hint"]')
        page.click('[data-do="hint-what"]', timeout=COMPILING)
        page.wait_for_selector("[data-values]", timeout=COMPILING)
        assert page.locator(".overlay .chip").count() == page.locator(".board .live").count() >= 1
        assert page.locator("[data-hint] p").first.inner_text().strip()
    before = visitor.number
    page.reload()
    page.wait_for_selector(".board svg")
    assert visitor.number == before
    visitor.play_on()
    assert visitor.over
    scores = [
        text.replace(",", "").replace("\N{MINUS SIGN}", "-") for text in page.locator(".points").all_inner_texts()
    ]
    page.click("[data-result] a.main")
    page.wait_for_selector('[data-review][data-done="1"]', timeout=COMPILING)
    assert page.locator(".verdicts.all .verdict").count() >= 1
    first = page.locator(".verdicts.all .verdict").first
    first.click()
    visitor.wait_for_number("===", int(first.get_attribute("data-number")))
    with page.expect_download() as download:
        page.click('[data-do="download"]')
    download.value.save_as(tmp_path / "record.json")
    if not small:
        record = Record.load(tmp_path / "record.json")
        assert [float(score) for score in scores] == pytest.approx(list(replay(record)[-1].score), abs=0.06)


@pytest.mark.parametrize("game", registry.game_names())
def test_a_killed_server_continues_the_match(browser: Any, tmp_path: Path, game: str) -> None:
    with Server(tmp_path) as own:
        visitor = Visitor(browser, own, expected=LOST)
        visitor.start(game)
        visitor.play_on(4)
        visitor.wait_for_turn()
        before = visitor.number
        picture = visitor.picture
        own.kill()
        visitor.page.wait_for_selector(".toast")
        own.start()
        visitor.page.wait_for_selector(".toast", state="detached", timeout=COMPILING)
        visitor.wait_for_turn()
        assert visitor.number == before
        assert visitor.picture == picture
        visitor.play_on(2)
        assert visitor.number > before
        visitor.visit()
        visitor.page.click(".row")
        visitor.page.wait_for_selector(".board svg")
        assert visitor.number > before
        visitor.close()
        assert visitor.mistakes == []


def test_two_people_at_one_table(browser: Any, server: Server) -> None:
    """A friend opens the link; neither page holds the other's cards, in no form."""
    host, friend = Visitor(browser, server), Visitor(browser, server)
    host.start("cards", friend=1)
    host.page.click('[data-do="hint"]')
    host.page.click('[data-do="hint-what"]', timeout=COMPILING)
    host.page.wait_for_selector(".overlay .chip", timeout=COMPILING)
    link = host.page.input_value("[data-invite]")
    friend.page.goto(link)
    friend.page.wait_for_selector(".board svg")
    host.page.wait_for_selector("[data-invite]", state="hidden")
    assert host.page.locator(".overlay .chip").count() == 3  # what was advised stays while somebody sits down
    for visitor in (host, friend):
        assert visitor.page.content().count("255") >= 1  # the other hand is unknown
    people = [host, friend]
    for _ in range(6):
        turn = whose_turn(people)
        number = turn.number
        turn.move()
        for one in people:
            one.wait_for_number(">", number)
    for visitor in people:
        visitor.page.wait_for_selector("[data-result]")
        assert visitor.mistakes == []
    third = Visitor(browser, server)
    third.page.goto(link)
    third.page.wait_for_selector(".toast.bad")
    third.page.wait_for_selector("[data-result]")
    assert third.page.locator(".board .live").count() == 0
    for visitor in (*people, third):
        visitor.close()


def whose_turn(people: list[Visitor]) -> Visitor:
    ends = time.monotonic() + 120
    while time.monotonic() < ends:
        for visitor in people:
            visitor.page.wait_for_timeout(20)
            if visitor.page.locator(".board .live").count():
                return visitor
    raise AssertionError("nobody can move")


def test_the_keyboard_plays(visitor: Visitor) -> None:
    visitor.start("2048")
    page = visitor.page
    for key in ("ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp") * 3:
        legal = page.locator(".board .live").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
        before = visitor.number
        page.keyboard.press(key)
        if key[5:].lower() in legal:
            visitor.wait_for_number(">", before)
    assert visitor.number > 2
    before = visitor.number
    page.keyboard.press("u")
    visitor.wait_for_number("<", before)
    page.locator(".board .live").first.focus()
    number = visitor.number
    page.keyboard.press("Enter")
    visitor.wait_for_number(">", number)
    page.wait_for_function("() => document.querySelector('#spoken').innerText !== ''")


def test_watching_replaying_and_what_if(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/watch")
    visitor.open_dialog("numbers")
    page.click("dialog button[type=submit]")
    page.wait_for_selector("[data-result]")
    page.click("[data-result] a:not(.main)")
    page.wait_for_selector('[data-do="play"][aria-label="Play"]')
    page.click('[data-do="play"]')
    visitor.wait_for_number("===", 3)
    page.wait_for_selector('[data-do="play"][aria-label="Play"]')  # and "Pause" in between
    page.click('[data-do="back"]')
    visitor.wait_for_number("===", 2)
    page.click('[data-do="what-if"]')
    page.wait_for_selector(".board .live")
    visitor.play_on()
    assert visitor.over


def test_who_watches_sets_the_pace_and_keeps_the_list_open(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/watch")
    visitor.open_dialog("2048").locator(".seatline select").select_option(index=0)
    page.click("dialog button[type=submit]")
    page.wait_for_selector('[data-do="speed"]', timeout=COMPILING)
    assert page.get_attribute('#nav [aria-current="page"]', "href") == "/watch"
    page.evaluate("() => { window.kept = document.querySelector('[data-do=speed]'); }")
    page.focus('[data-do="speed"]')
    visitor.wait_for_number(">", visitor.number + 2)
    assert page.evaluate("() => window.kept.isConnected && document.activeElement === window.kept")
    page.click('[data-do="pause"]')
    page.wait_for_selector('[data-do="pause"]:has-text("Go on")')
    page.evaluate("() => { window.kept = document.querySelector('[data-do=speed]'); }")
    page.locator('[data-do="speed"]').select_option("0")
    page.wait_for_function("() => !window.kept.isConnected")  # the server has heard of it, and all is drawn again
    page.click('[data-do="pause"]')
    page.wait_for_selector("[data-result]", timeout=COMPILING)


def test_a_decision_of_every_seat_is_shown_from_its_place(visitor: Visitor) -> None:
    """In a review of agents that decide at once: each line names its seat, and picks the board of that seat."""
    page = visitor.page
    visitor.visit("/watch")
    visitor.open_dialog("numbers")
    page.click("dialog button[type=submit]")
    page.click("[data-result] a.main", timeout=COMPILING)
    page.wait_for_selector('[data-review][data-done="1"]', timeout=COMPILING)
    for seat in (2, 1):
        line = page.locator(f'.verdicts.all [data-number="1"][data-seat="{seat}"]')
        assert line.inner_text().replace("\n", " ").startswith(f"1 Seat {seat + 1}: ")
        line.click()
        page.wait_for_selector(f'.verdicts.all [data-number="1"][data-seat="{seat}"][aria-current="true"]')
        page.wait_for_selector(".overlay .chip")
        assert page.locator('.verdicts.all [aria-current="true"]').count() == 1


def test_the_focus_stays_where_somebody_is(visitor: Visitor) -> None:
    page = visitor.page
    visitor.start("2048")
    visitor.play_on(1)
    page.focus('[data-do="undo"]')
    before = visitor.number
    page.keyboard.press("Enter")
    visitor.wait_for_number("<", before)
    page.focus('[data-do="hint"]')
    page.keyboard.press("Enter")
    page.focus('[data-do="hint-what"]', timeout=COMPILING)
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-values]", timeout=COMPILING)
    visitor.wait_for_focus("[data-hint]")
    page.focus('[data-do="theme"]')
    page.keyboard.press("Enter")
    page.wait_for_selector(':root[data-theme="dark"]')
    visitor.wait_for_focus('[data-do="theme"]')
    page.focus('[data-do="language"]')
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.documentElement.lang === 'de'")
    page.wait_for_selector(".board .live")
    visitor.wait_for_focus('[data-do="language"]')
    address = page.url
    page.focus(".skip")
    page.keyboard.press("Enter")
    visitor.wait_for_focus("#main")
    assert page.url == address
    visitor.start("cards")
    visitor.wait_for_turn()
    page.locator(".board .live").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => document.activeElement.closest('[data-board]') && !document.querySelector('.pressed')"
    )


def test_seats_are_counted_from_one(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit()
    dialog = visitor.open_dialog("numbers")
    assert dialog.locator(".seatline strong").all_inner_texts() == ["Seat 1", "Seat 2", "Seat 3"]
    visitor.start("numbers")
    visitor.play_on(1)
    visitor.page.wait_for_function("() => document.querySelector('.log').innerText.includes('Seat 3')")
    assert "Seat 0" not in page.locator("main").inner_text()


def test_a_file_that_is_no_record_is_refused_in_words(visitor: Visitor, tmp_path: Path) -> None:
    visitor.expected = "400"
    visitor.visit("/replay")
    page = visitor.page
    for name, content, said in (
        ("nonsense.json", b"\x00\xff nonsense", "record"),
        ("huge.json", b" " * (5 << 20), "too large"),
    ):
        (tmp_path / name).write_bytes(content)
        page.set_input_files("[data-upload]", tmp_path / name)
        page.wait_for_selector(f'.toast.bad:has-text("{said}")')
    assert page.url.endswith("/replay")


def test_a_place_that_does_not_exist_says_so(visitor: Visitor) -> None:
    visitor.expected = "404"
    for path in ("/tabel", "/table/abcdefghijkl", "/replay/abcdefghijkl"):
        visitor.visit(path)
        said = visitor.page.wait_for_selector("main .empty:not(.waiting):not([aria-busy])").inner_text()
        assert said in ("There is nothing here.", "There is no such match.", "there is no such match")


def test_a_record_is_brought_by_hand(visitor: Visitor, tmp_path: Path) -> None:
    from spielwerk.core.match import play

    record = play(registry.game("2048", variant="2x2"), [registry.agent("random")], seed=1)
    path = tmp_path / "match.json"
    record.save(path)
    visitor.visit("/replay")
    visitor.page.set_input_files("[data-upload]", path)
    visitor.page.wait_for_selector(".board svg", timeout=COMPILING)
    visitor.page.click('[data-do="last"]')
    visitor.wait_for_number("===", len(record.events))
    assert visitor.page.locator(".points").inner_text() == str(int(replay(record)[-1].score[0]))


def test_the_arena_shows_what_came_out(visitor: Visitor) -> None:
    page = visitor.page
    visitor.visit("/arena")
    page.fill("form input[type=number]", "20")
    page.click('[data-do="start-job"]')
    page.wait_for_selector('[data-job="done"] .chart', timeout=COMPILING)
    assert page.locator('[data-job="done"] .figures b').count() >= 7


@pytest.mark.slow
def test_the_arena_says_that_matches_repeat(visitor: Visitor, server: Server) -> None:
    page = visitor.page
    with Store(server.store.parent / "results.sqlite") as store:
        evaluate(Numbers(), "expectimax:depth=1", games=1500, store=store)
    visitor.visit("/arena")
    page.wait_for_selector('[data-remark]:has-text("1,500 matches, only 1 different: where neither agents nor game")')
    with Store(server.store.parent / "results.sqlite") as store:
        tournament(Numbers(), ["expectimax:depth=1", "expectimax:depth=2"], rounds=3, store=store)
    visitor.visit("/arena")
    remark = page.wait_for_selector('[data-remark]:has-text("18 matches")')
    assert remark is not None and "18 matches, only 6 different" in remark.inner_text()


def test_the_arena_plays_random_first_moves(visitor: Visitor, server: Server) -> None:
    page = visitor.page
    visitor.visit("/arena")
    page.locator("form select").first.select_option("numbers")
    page.get_by_label("Random first moves").fill("2")
    with page.expect_response("**/api/evaluations") as answer:
        page.click('[data-do="start-job"]')
    outcome = f"#outcome-{answer.value.json()['id']}"
    page.wait_for_selector(f'[data-job="done"]:has({outcome}) .chart', timeout=COMPILING)
    assert page.locator(f"{outcome} [data-remark]").count() == 0
    with Store(server.store.parent / "results.sqlite") as store:
        assert store.runs()[-1].config["opening"] == 2


def test_the_learning_page_shows_the_runs(visitor: Visitor, server: Server) -> None:
    visitor.visit("/learning")
    visitor.page.wait_for_selector('.empty:has-text("No training runs yet")')
    folder = server.store.parent / "runs" / "shown"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(
        json.dumps({"game": "2048", "variant": "4x4", "seats": 1, "seed": 0, "learner": "unknown"})
    )
    visitor.page.wait_for_selector('[data-run="shown"] .spec-text:has-text("2048")')
    assert visitor.page.locator("[data-run]").count() == 1
    assert visitor.page.locator(".empty").count() == 0, "there are runs now"


@pytest.mark.parametrize("path", ["/", "/watch", "/replay", "/arena", "/learning"])
def test_pages_fit_a_phone_in_german_and_dark(browser: Any, server: Server, path: str) -> None:
    visitor = Visitor(browser, server, locale="de-DE", color_scheme="dark", viewport={"width": 360, "height": 740})
    visitor.visit(path)
    visitor.page.wait_for_selector("main h1")
    visitor.page.wait_for_selector(".waiting", state="detached")
    visitor.page.wait_for_selector(".picture .wait", state="detached", timeout=COMPILING)
    assert visitor.page.evaluate("document.documentElement.lang") == "de"
    assert visitor.page.evaluate("document.documentElement.dataset.theme") == "dark"
    wide = visitor.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360, f"{path} is {wide} pixels wide"
    visitor.page.locator("#switches button").first.click()
    visitor.page.wait_for_function("() => document.documentElement.lang === 'en'")
    visitor.close()
    assert visitor.mistakes == []


def test_a_match_fits_a_phone_in_german(browser: Any, server: Server) -> None:
    visitor = Visitor(browser, server, locale="de-DE", viewport={"width": 360, "height": 740})
    page = visitor.page
    visitor.start("cards")
    visitor.wait_for_turn()
    widths = [page.evaluate("document.documentElement.scrollWidth")]
    visitor.resign()
    widths.append(page.evaluate("document.documentElement.scrollWidth"))
    page.click("[data-result] a:not(.main)")
    page.wait_for_selector('[data-do="play"]')
    widths.append(page.evaluate("document.documentElement.scrollWidth"))
    visitor.close()
    assert max(widths) <= 360 and visitor.mistakes == []


# How an agent is written is no language; and who advises depends on who answers in time.
NOTATION = re.compile(r"\w+:\w+=\S+")

READ = """(place) => {
    const root = document.querySelector(place), all = [...root.querySelectorAll("*")];
    const labels = all.flatMap((one) => [one.getAttribute("aria-label"), one.getAttribute("title")]).filter(Boolean);
    const drawn = [...root.querySelectorAll("svg title, svg text")].map((one) => one.textContent);
    return [...root.innerText.split("\\n"), ...labels, ...drawn];
}"""


@pytest.mark.parametrize("game", registry.game_names())
def test_the_page_of_a_match_is_german(browser: Any, server: Server, game: str) -> None:
    """Dialog, table, hint and review on a phone: no word of the game's English is left, and everything fits."""
    visitor = Visitor(browser, server, locale="de-DE", viewport={"width": 360, "height": 740})
    page = visitor.page
    read, widths = [], []

    def look(place: str) -> None:
        read.extend(page.evaluate(READ, place))
        widths.append(page.evaluate("document.documentElement.scrollWidth"))

    visitor.visit()
    visitor.open_dialog(game)
    page.click("dialog details summary")
    page.wait_for_selector("dialog details[open]")
    look("dialog")
    visitor.start(game)
    visitor.play_on(2)
    visitor.wait_for_turn()
    page.click('[data-do="hint"]')
    page.click('[data-do="hint-what"]', timeout=COMPILING)
    page.wait_for_selector("[data-values]", timeout=COMPILING)
    look("main")
    visitor.resign()
    page.click("[data-result] a.main")
    page.wait_for_selector('[data-review][data-done="1"]', timeout=COMPILING)
    look("main")
    visitor.close()
    english = english_words(registry.game_class(game).say.folders[:1])
    assert not {text for text in read if vocabulary([NOTATION.sub("", text)]) & english}
    assert len(read) > 60 and max(widths) <= 360 and visitor.mistakes == []


def test_both_dictionaries_have_the_same_words() -> None:
    import spielwerk.web

    folder = Path(spielwerk.web.__file__).parent / "static" / "js"
    english, german = (
        set(re.findall(r'(?:^|[,{])\s*"?([\w:-]+)"?: "', (folder / f"{name}.js").read_text(), re.M))
        for name in ("en", "de")
    )
    assert len(english) > 100
    assert german == english
    code = "".join(path.read_text() for path in folder.glob("*.js") if path.stem not in ("en", "de"))
    assert set(re.findall(r'\bt\("([\w:-]+)"', code)) <= english
    composed = ("state:", "verdict:", "run:", "unit-", "head-", "to-come-", "q-", "left-")
    assert {key for key in english if f'"{key}"' not in code and not key.startswith(composed)} == set()
