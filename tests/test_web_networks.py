"""Looking into a network in a real browser: on a phone beside the board, and in a position that is written."""

from typing import Any

from spielwerk.nets.description import Head
from test_look import network
from test_web_browser import COMPILING, Visitor, browser, server  # noqa: F401
from web_server import Server

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
SMALL = """() => [...document.querySelectorAll(".net button, .net select, .net summary, .net a, [data-do=network]")]
  .filter((one) => one.getBoundingClientRect().height < 44).map((one) => one.outerHTML)"""


def rows(visitor: Visitor, kind: str) -> list[str]:
    return visitor.page.locator(f"[data-moves={kind}] tbody tr").evaluate_all("all => all.map(row => row.innerText)")


def test_a_network_answers_beside_the_board(browser: Any, server: Server) -> None:  # noqa: F811
    network(server.store.parent / "runs/one", "2048", {"policy": Head(4), "value": Head(1, scale=100.0)})
    visitor = Visitor(browser, server, locale="de-DE", **PHONE)
    page = visitor.page
    visitor.start("2048")
    visitor.wait_for_turn()
    page.click("[data-do=network]")
    page.wait_for_selector("[data-network][data-said='model/net-2048'] table", timeout=COMPILING)  # what is shipped
    page.select_option("[data-do=network-choice]", "run/one")
    page.wait_for_selector("[data-network][data-said='run/one'] table", timeout=COMPILING)
    before = rows(visitor, "legal")
    legal = page.locator(".board .live").count()
    assert len(before) == legal and "%" in before[0]
    assert "Punkte, die noch kommen" in page.inner_text("[data-network]")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(SMALL) == []
    visitor.move()
    page.wait_for_selector(f"[data-network][data-number='{visitor.number}'] table")
    moved = rows(visitor, "legal")
    page.click("[data-do=notation]")
    page.wait_for_selector("[data-do=position]")
    page.wait_for_selector("[data-network] table")
    assert rows(visitor, "legal") == moved  # the same position, written down
    assert "score" in page.input_value("[data-do=position]")
    visitor.close()
    assert visitor.mistakes == []
