"""The analysis of one's own matches in a real browser: reached from a match and from the lists, drawn for everybody."""

from collections.abc import Iterator
from typing import Any

import pytest

from german import english_words, vocabulary
from spielwerk.core import registry
from test_web_browser import COMPILING, Visitor, browser, server  # noqa: F401
from web_server import Server

SMALL = {"width": 390, "height": 844}


@pytest.fixture
def visitor(browser: Any, server: Server) -> Iterator[Visitor]:  # noqa: F811
    found = Visitor(browser, server)
    yield found
    found.close()
    assert found.mistakes == []


def finish(visitor: Visitor, game: str, variant: str | None = None) -> str:
    """Play a match to its end; returns its name in the store."""
    visitor.start(game, variant)
    visitor.play_on()
    return visitor.page.url.rsplit("/", 1)[1]


def wait_for_figures(visitor: Visitor) -> None:
    visitor.page.wait_for_selector('.analysis[data-done="1"]', timeout=COMPILING)


def figures(visitor: Visitor, part: str) -> dict[str, list[str]]:
    """A table of the page: what stands in each row."""
    rows = visitor.page.locator(f'[data-part="{part}"] tbody tr')
    return {row.locator("th").inner_text().splitlines()[0]: row.locator("td").all_inner_texts() for row in rows.all()}


def test_from_the_end_of_a_match_to_its_figures(visitor: Visitor) -> None:
    page = visitor.page
    finish(visitor, "clever", "official")
    score = page.locator(".points").first.inner_text()
    written = page.locator(".board svg.picture-svg text").all_text_contents()
    page.click('[data-result] [data-do="analysis"]')
    wait_for_figures(visitor)
    assert page.get_attribute('#nav [aria-current="page"]', "href") == "/replay"
    heads = page.locator('[data-part="Points"] thead th').all_inner_texts()
    assert heads[:3] == ["You", "Beginner", "Easy"]
    points = figures(visitor, "Points")
    assert [points[name][0] for name in ("Matches", "Median", "Best", "Worst")] == ["1", score, score, score]
    assert points["Standard deviation"][0] == "–" and float(points["Standard deviation"][1]) > 5
    by_area = {name: float(row[0]) for name, row in figures(visitor, "Points by area").items()}
    assert list(by_area) == ["Yellow", "Blue", "Green", "Orange", "Purple", "Foxes"]
    assert sum(by_area.values()) == pytest.approx(float(score))
    assert {f"{points:.0f}" for name, points in by_area.items() if name != "Foxes"} <= set(written)
    rating = figures(visitor, "Rating: share of the matches")
    assert len(rating) == 9 and [row[0] for row in rating.values()].count("100%") == 1
    assert len(figures(visitor, "Re-rolls used, by round")) == len(figures(visitor, "+1 actions used, by round")) == 6
    drawn = page.locator('[data-part="Points by area"] .chart .bar')
    assert drawn.count() == 6 * len(heads)
    assert drawn.first.locator("title").text_content() == f"Yellow, You: {by_area['Yellow']:.1f}"
    assert page.locator('[data-part="Points"] .chart .span').count() == len(heads)


def test_from_the_lists_and_a_replay_by_kind_of_table(visitor: Visitor) -> None:
    page = visitor.page
    finish(visitor, "2048", "2x2")
    match = finish(visitor, "2048", "2x3")
    for path in ("/", "/replay", f"/replay/{match}"):
        visitor.visit(path)
        page.click('[data-analysis="2048"]')
        wait_for_figures(visitor)
        assert page.url.endswith("/analysis/2048")
    kinds = page.locator('[data-do="table-kind"] option').all_inner_texts()
    assert sorted(kinds) == ["2 × 2 · 1 match", "2 × 3 · 1 match"]
    chosen = next(kind for kind in kinds if kind.startswith("2 × 3"))
    page.locator('[data-do="table-kind"]').select_option(label=chosen)
    wait_for_figures(visitor)
    score = page.evaluate(f"fetch('/api/matches?ids={match}').then(told => told.json()).then(([one]) => one.scores[0])")
    assert figures(visitor, "Points")["Best"][0] == f"{score:,.0f}"


def test_who_has_played_nothing_sees_agents_and_no_one_else_s_matches(browser: Any, server: Server) -> None:  # noqa: F811
    first, second = Visitor(browser, server), Visitor(browser, server)
    match = finish(first, "2048", "2x2")
    second.visit(f"/replay/{match}")
    second.page.wait_for_selector(".board svg")
    assert second.page.locator('[data-do="analysis"]').count() == 0  # a link that was shared makes nobody its player
    second.visit("/analysis/2048")
    wait_for_figures(second)
    heads = second.page.locator('[data-part="Points"] thead th').all_inner_texts()
    assert "You" not in heads and len(heads) >= 2
    assert "not finished a match" in second.page.locator(".hero").inner_text()
    for visitor in (first, second):
        visitor.close()
        assert visitor.mistakes == []


def test_a_game_that_nobody_knows(browser: Any, server: Server) -> None:  # noqa: F811
    visitor = Visitor(browser, server, expected="404")
    visitor.visit("/analysis/chess")
    visitor.page.wait_for_selector("h1.empty")
    visitor.close()
    assert visitor.mistakes == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_german_on_a_phone(browser: Any, server: Server, scheme: str) -> None:  # noqa: F811
    visitor = Visitor(browser, server, viewport=SMALL, locale="de-DE", color_scheme=scheme)
    page = visitor.page
    finish(visitor, "clever", "yellow")
    page.click('[data-result] [data-do="analysis"]')
    wait_for_figures(visitor)
    assert page.locator("h1").inner_text() == "Deine Partien: Ganz schön clever"
    text = page.locator("main").inner_text()
    assert vocabulary([text]) & english_words(registry.game_class("clever").say.folders) == set()
    assert "Der gelbe Bereich" in text and "Anfänger" in text
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = page.locator(".chart").first.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= SMALL["width"] and box["height"] > 60
    for control in page.locator("main .button, main select").all():
        assert control.bounding_box()["height"] >= 44
    visitor.close()
    assert visitor.mistakes == []
