"""The pages in a real browser: hints that are asked for again, what is being prepared, and who runs the server."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

import test_web_arena as arena
from spielwerk.web.server import Opening
from test_web_api import FAST, small_games, until  # noqa: F401
from test_web_arena import gate  # noqa: F401
from test_web_browser import Visitor, browser  # noqa: F401
from test_web_hints import Oracle, oracle  # noqa: F401
from web_server import serving

TOKEN = "the-token-of-who-runs-this-server"
PHONE, LAPTOP = {"width": 390, "height": 844}, {"width": 1366, "height": 768}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Any]:
    """A server that others reach, in this process: its adviser waits for the tests."""
    limits = replace(FAST, job_seconds=600, job_matches=5000)
    with serving(tmp_path, limits, Opening(admin_token=TOKEN)) as [address]:
        yield SimpleNamespace(address=address)


def picture(visitor: Visitor, name: str) -> None:
    """Keep what the page looks like, where somebody wants to see it."""
    folder = os.environ.get("SPIELWERK_PICTURES")
    if folder:
        visitor.page.screenshot(path=Path(folder) / f"{name}.png")


def sit_down(visitor: Visitor, house: Any, *who: str) -> str:
    """Start a match by the API and open its table; seats of 'me' are this browser's."""
    places = [{"who": "me"} if each == "me" else {"who": "agent", "agent": each} for each in who]
    started = httpx.post(f"{house.address}/api/matches", json={"game": "asked", "places": places}).json()
    visitor.page.goto(f"{house.address}/learning")
    visitor.page.evaluate(
        "([id, tokens]) => localStorage.setItem('spielwerk.matches', JSON.stringify({[id]: {tokens, at: Date.now()}}))",
        [started["match"], started["tokens"]],
    )
    visitor.visit(f"/table/{started['match']}")
    visitor.wait_for_turn()
    return str(started["match"])


@pytest.mark.parametrize(
    ("look", "says", "n_of_m"),
    [
        ({"viewport": LAPTOP}, "Preparing Asked, first time only: hints", "(3 of 3)"),
        ({"viewport": PHONE, "locale": "de-DE", "color_scheme": "dark"}, "nur beim ersten Mal: die Tipps", "(3 von 3)"),
    ],
    ids=["laptop", "phone"],
)
def test_a_hint_tells_what_it_waits_for_and_can_be_asked_for_again(
    browser: Any,  # noqa: F811
    house: Any,
    look: dict[str, Any],
    says: str,
    n_of_m: str,
) -> None:
    visitor = Visitor(browser, house, "409", **look)
    page = visitor.page
    sit_down(visitor, house, "me", "random", "random")
    page.click('[data-do="hint"]')
    page.wait_for_function("(text) => document.querySelector('[data-hint]').innerText.includes(text)", arg=says)
    assert n_of_m in page.inner_text("[data-hint]")
    assert page.get_attribute('[data-do="hint"]', "aria-busy") == "true" and page.is_enabled('[data-do="hint"]')
    picture(visitor, f"hint-preparing-{look['viewport']['width']}")
    Oracle.compiled.set()
    until(lambda: len(Oracle.thinking), lambda count: count == 1)
    page.click('[data-do="hint"]')
    until(lambda: len(Oracle.thinking), lambda count: count == 2)
    picture(visitor, f"hint-thinking-{look['viewport']['width']}")
    for answer in Oracle.thinking:
        answer.set()
    page.wait_for_selector('[data-do="hint-what"]')
    assert page.get_attribute('[data-do="hint"]', "aria-busy") is None
    page.click('[data-do="hint-what"]')
    page.wait_for_selector("[data-values]")
    assert len(Oracle.thinking) == 2  # the second step asks nobody
    assert visitor.mistakes == []
    visitor.close()


def test_who_holds_several_seats_gets_a_hint_for_each(browser: Any, house: Any) -> None:  # noqa: F811
    visitor = Visitor(browser, house, "409")
    page = visitor.page
    Oracle.compiled.set()
    sit_down(visitor, house, "me", "me", "random")
    for seat in range(2):
        page.click('[data-do="hint"]')
        until(lambda: len(Oracle.thinking), lambda count, seat=seat: count == seat + 1)
        Oracle.thinking[-1].set()
        page.wait_for_selector('[data-do="hint-what"]')  # first where, for each of them
        page.locator(".board .live").first.dispatch_event("click")
        page.wait_for_selector("[data-hint]", state="hidden")
        visitor.wait_for_turn()
    assert visitor.mistakes == []
    visitor.close()


def test_who_runs_the_server_may_stop_what_others_started(browser: Any, house: Any) -> None:  # noqa: F811
    body = {"game": "cards", "agent": "gated", "opponents": "random", "games": 12}
    job = httpx.post(f"{house.address}/api/evaluations", json=body).json()["id"]
    places = [{"who": "agent", "agent": "random"}] * 3
    show = httpx.post(f"{house.address}/api/matches", json={"game": "numbers", "places": places}).json()["match"]
    admin = {"X-Admin-Token": TOKEN}
    httpx.post(f"{house.address}/api/matches/{show}/pace", json={"paused": True}, headers=admin)
    guest = Visitor(browser, house, viewport=PHONE, locale="de-DE")
    guest.visit("/arena")
    guest.page.wait_for_selector("[data-job]")
    assert "höchstens 5.000 Partien und 10 Minuten" in guest.page.inner_text("[data-limits]")
    assert guest.page.locator('[data-do="stop-job"]').count() == 0
    picture(guest, "arena-guest-390")
    guest.close()
    owner = Visitor(browser, house, viewport=LAPTOP, color_scheme="dark")
    owner.visit(f"/#admin={TOKEN}")
    owner.page.wait_for_function("() => !location.hash")
    owner.page.click('#nav a[href="/arena"]')
    owner.page.wait_for_selector('[data-do="stop-job"]')
    assert owner.page.locator("[data-limits]").count() == 0
    picture(owner, "arena-owner-1366")
    owner.page.click('[data-do="stop-job"]')
    owner.page.wait_for_selector('[data-job="stopping"], [data-job="stopped"]')
    arena.GATE.release(100)
    owner.page.wait_for_selector('[data-job="stopped"]')
    assert httpx.get(f"{house.address}/api/jobs/{job}").json()["state"] == "stopped"
    owner.visit(f"/table/{show}")
    owner.page.wait_for_selector('[data-do="stop"]')
    picture(owner, "table-owner-1366")
    owner.page.dispatch_event('[data-do="stop"]', "click")  # in one go: the buttons may just be drawn anew
    owner.page.click("dialog[open] .button.main")
    owner.page.wait_for_selector("[data-result]")
    assert httpx.get(f"{house.address}/api/matches/{show}").json()["status"] == "resigned"
    assert owner.mistakes == []
    owner.close()
