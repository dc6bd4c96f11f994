"""Pictures of spe_ed, maps over them, and what is said: who goes out, why, and the last word."""

import re
import xml.etree.ElementTree as xml
from collections.abc import Sequence

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.core.looks import looking
from spielwerk.core.position import Position
from spielwerk.core.words import speaking
from spielwerk.games.speed import drawing
from spielwerk.games.speed.board import Situation
from spielwerk.games.speed.kernel import maps, rules
from spielwerk.games.speed.kernel.rules import CRASHED
from test_web_style import contrast, luminance

COLUMNS = re.compile(r"m(-?\d+)[ ]?(-?\d+)([hv])(\d+)")


def table(start: str, *rounds: Sequence[str], variant: str = "official", seats: int = 2) -> Position:
    """A match from a written start; every round has a move for each seat that is in."""
    position = sw.game("speed", seats, variant).opening().happen(start)
    for moves in rounds:
        position.apply(dict(zip(position.actors, moves, strict=True)))
    return position


def go(rounds: int, *moves: str) -> list[tuple[str, ...]]:
    return [moves] * rounds


def careful(seats: int, variant: str, seed: int) -> Position:
    """A long match: everybody drives on at random where that does not kill."""
    game, rng, place = sw.game("speed", seats, variant), np.random.default_rng(seed), np.zeros(3, np.int64)
    position = game.new(seed)
    while not position.over and position.state["rounds"][0] < 200:
        chosen = {}
        for seat in position.actors:
            safe = [a for a in range(5) if game.call(maps.fate_at, position.state, seat, a, place) == rules.STILL_IN]
            chosen[seat] = int(rng.choice(safe)) if safe else 4
        position.apply(chosen)
    return position


def filled(svg: str, colour: str) -> set[tuple[int, int]]:
    """The cells that the strokes of a colour cover."""
    found = set()
    for group in xml.fromstring(svg).iter("{http://www.w3.org/2000/svg}g"):
        if group.get("stroke") != colour:
            continue
        for path in group.findall("{http://www.w3.org/2000/svg}path"):
            x = y = 0
            for right, down, direction, length in COLUMNS.findall(path.get("d") or ""):
                x, y = x + int(right), y + int(down)
                for _ in range(int(length)):
                    found.add((x, y))
                    x, y = (x + 1, y) if direction == "h" else (x, y + 1)
    return found


# --- the board -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_every_cell_is_drawn_once_in_the_colour_of_its_player(seed: int) -> None:
    position = careful(6, "official", seed)
    now = Situation(position.view(0))
    for seat, colour in enumerate(now.palette.trail):
        drawn = filled(position.view(0).svg, colour)
        assert drawn == {(int(x), int(y)) for y, x in np.argwhere(now.cells == seat + 1)}
    crashed = {(int(x), int(y)) for y, x in np.argwhere(now.cells == CRASHED)}
    assert filled(position.view(0).svg, drawing.INK) == crashed and crashed


def test_a_full_board_stays_small() -> None:
    """No more than some ten kilobytes, however the trails wind."""
    rng = np.random.default_rng(1)
    position = careful(6, "official,width=80,height=80", 2)
    assert len(position.view(0).svg) < 25_000
    position.state["cells"][0] = rng.integers(0, 2, 6400)  # worse than any match
    assert len(position.view(0).svg) < 60_000


def test_heads_have_numbers_and_point_where_they_drive() -> None:
    position = table("20x10; 3,2 right; 15,6 up")
    svg = position.view(1).svg
    heads = re.findall(r'data-piece="head-(\d)".*?>(\d)</text>.*?rotate\((\d+)\)', svg)
    assert heads == [("1", "1", "90"), ("2", "2", "0")]
    assert svg.count("(you)") == 1 and "Player 2 (you)" in svg and "(you)" not in position.open_view().svg


@pytest.mark.parametrize("variant", ["small", "small,no_answer=1"])
def test_every_action_is_one_key(variant: str) -> None:
    position = sw.game("speed", 3, variant).new(1)
    for seat in range(3):
        found = sorted(int(action) for action in re.findall(r'data-action="(\d)"', position.view(seat).svg))
        assert found == list(position.legal(seat)) and len(found) == (6 if "no_answer" in variant else 5)
    assert "data-action" not in position.open_view().svg


def test_the_next_jump_is_told_and_where_one_would_land() -> None:
    straight = ("change_nothing", "change_nothing")
    early = table("40x40; 3,2 right; 3,30 right", *go(2, *straight))
    assert ">3</text>" in early.view(0).svg and "rounds to the next jump" in early.view(0).svg
    assert "data-lands" not in early.view(0).svg
    fast = table("40x40; 3,2 right; 3,30 right", *go(2, "speed_up", "change_nothing"), *go(3, *straight))
    svg = fast.view(0).svg
    assert "now: jump from speed 3" in svg
    lands = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"[^>]*data-lands', svg)
    x, y = int(fast.state["x"][0][0]), int(fast.state["y"][0][0])
    ahead = {(x + 3.5, y + 0.5), (x + 4.5, y + 0.5)}  # at speed 3 and 4; at speed 2 it does not jump
    assert {(float(a), float(b)) for a, b in lands} == ahead | {(x + 0.5, y + 3.5)}  # up it would leave the board
    assert "data-lands" not in fast.view(1).svg  # too slow


def test_cards_say_who_is_out_and_why() -> None:
    position = table("20x10; 0,0 up; 10,5 right; 15,2 down", ["slow_down", "change_nothing", "change_nothing"], seats=3)
    svg = position.view(1).svg
    assert "out, round 1: speed" in svg
    with speaking("de"):
        assert "raus in 1: Tempo" in position.view(1).svg
    assert "player 1: out in round 1 (speed)" in position.text and "5 rounds" not in position.text
    assert "round 2, 4 rounds to the next jump" in position.text


def test_the_text_picture_of_a_large_board_is_as_wide_as_the_board() -> None:
    lines = careful(6, "official,width=80,height=80", 3).text.splitlines()
    assert {len(line) for line in lines[:80]} == {80} and len(lines) == 80 + 1 + 6


@pytest.mark.parametrize("chosen", drawing.PALETTES)
def test_colours_are_told_apart_and_numbers_can_be_read(chosen: str) -> None:
    palette = drawing.PALETTES[chosen]
    assert len(set(palette.trail)) == 6
    for trail, ink in zip(palette.trail, palette.ink, strict=True):
        assert contrast(trail, ink) >= 4.5
        assert contrast(trail, drawing.BOARD) >= 2 and contrast(trail, drawing.DARK[drawing.BOARD]) >= 2
        assert luminance(trail) < 0.5


# --- maps ------------------------------------------------------------------------------------------------------------


def test_territory_goes_to_who_is_there_first() -> None:
    r"""
    1 . . . 2      the middle column is as near to both; behind a wall there is nothing to reach
    """
    position = table("9x8; 0,0 down; 8,0 down")
    owners = Situation(position.view(0)).owners
    assert (owners[1:, :4] == 0).all() and (owners[1:, 5:] == 1).all() and (owners[:, 4] == maps.CONTESTED).all()
    position.state["cells"][0][: 9 * 8].reshape(8, 9)[4, :] = 1
    owners = Situation(position.view(0)).owners
    assert (owners[4:] == maps.NOBODY).all() and (owners[0, 0], owners[0, 8]) == (maps.NOBODY, maps.NOBODY)
    position.state["speed"][0][0] = 2  # twice as fast
    assert (Situation(position.view(0)).owners[1, :5] == 0).all()


def test_territory_is_drawn_and_counted() -> None:
    position = table("9x8; 0,0 down; 8,0 down")
    with looking({"overlay": "territory"}):
        svg = position.view(0).svg
        red = drawing.PALETTES["bright"].trail[0]
        owners = Situation(position.view(0)).owners
        assert filled(svg, red) == {(int(x), int(y)) for y, x in np.argwhere(owners == 0)} | {(0, 0)}
        assert svg.count("31 cells") == 2
    assert "31 cells" not in position.view(0).svg


def test_danger_is_where_others_can_be_next_and_what_kills() -> None:
    position = table("20x10; 3,0 up; 10,5 right")
    with looking({"overlay": "danger"}):
        view = position.view(0)
        now = Situation(view)
        assert [fate.kind for fate in now.fates] == [
            rules.STILL_IN, rules.STILL_IN, rules.BY_SPEED, rules.BY_BORDER, rules.BY_BORDER
        ]  # fmt: skip
        assert {(int(x), int(y)) for y, x in np.argwhere(now.reached)} == {(10, 4), (10, 6), (11, 5), (12, 5)}
        assert now.reached[5, 11] == 2 and filled(view.svg, drawing.DANGER) == {(10, 4), (10, 6), (11, 5), (12, 5)}
        assert len(re.findall(r'aria-label="[^"]*deadly"', view.svg)) == 3
    assert "deadly" not in position.view(0).svg


# --- moments and news ------------------------------------------------------------------------------------------------


def test_who_goes_out_and_why_is_news() -> None:
    before = table("20x10; 0,0 up; 10,5 right; 15,2 down", seats=3)
    after = before.copy().apply({0: "change_nothing", 1: "slow_down", 2: "change_nothing"})
    seen = before.view(2), after.view(2)
    game = before.game
    expected = ["Player 1 goes out: over the border", "Player 2 goes out: below speed 1 or above 10"]
    assert game.news(*seen)[:2] == expected
    moment = game.moment(*seen)
    assert moment is not None and moment.title.startswith("Player 3 wins!")
    with speaking("de"):
        assert game.news(*seen)[0] == "Spieler 1 scheidet aus: über den Rand"


def test_winner_and_last_loser_have_a_word_that_follows_from_the_state() -> None:
    endings = set()
    for width in range(8, 20):
        before = table(f"{width}x10; 0,0 up; 5,5 right")
        after = before.copy().apply({0: "change_nothing", 1: "change_nothing"})
        lines = before.game.news(before.view(0), after.view(0))
        assert (
            lines[1] == "Player 2 wins!" and lines[2].startswith("Player 2: “") and lines[3].startswith("Player 1: “")
        )
        assert lines == before.game.news(before.view(-1), after.view(-1))
        endings.add(tuple(lines[2:]))
    assert len(endings) >= 4  # not always the same words


def test_nobody_wins_and_something_is_said() -> None:
    before = table("20x10; 0,0 up; 5,0 up")
    after = before.copy().apply({0: "change_nothing", 1: "change_nothing"})
    lines = before.game.news(before.view(0), after.view(0))
    assert lines[2] == "Nobody wins." and len(lines) == 4 and "nobody wins" in after.text
    moment = before.game.moment(before.view(0), after.view(0))
    assert moment is not None and lines[3] in moment.title


def test_rounds_in_which_nobody_goes_out_are_no_moments() -> None:
    before = table("20x10; 3,2 right; 15,6 up")
    after = before.copy().apply({0: "change_nothing", 1: "change_nothing"})
    assert before.game.moment(before.view(0), after.view(0)) is None
    assert list(before.game.news(before.view(0), after.view(0))) == []
    assert before.game.heard("20x10; 3,2 right; 15,6 up", 0) == "a board of 20 by 10 cells"
