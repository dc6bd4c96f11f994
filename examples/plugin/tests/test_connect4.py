"""Connect Four: the conformance suite, known counts, and its rules one by one."""

from pathlib import Path

import numpy as np
import pytest
from spielwerk import (
    IllegalMove,
    InvalidMove,
    Record,
    agent,
    kernel,
    looking,
    play,
    replay,
    speaking,
    specialise,
    testing,
)
from spielwerk.contract import actors, apply, key, legal

from parlour.connect4.game import Connect4
from parlour.connect4.view import came_from, winning_cells

GOLDEN = Path(__file__).parent / "golden" / "connect4-centre.json"
FULL = "121212212121343434434343565656656565777777"  # no four in a line anywhere


@pytest.fixture(scope="module")
def game():
    return Connect4()


@pytest.mark.parametrize("seed", range(3))
def test_conformance(game, seed):
    testing.check_game(game, seed)


def test_its_environments_hold(game):
    testing.check_environments(game, seed=1)


def test_networks_see_the_bits_of_a_state(game):
    assert list(game.encodings) == ["bits"]
    assert game.features == game.encodings["bits"].size > 0


def test_compiled_and_interpreted_rules_agree(game):
    testing.check_interpreted(game, seed=1)


def test_a_golden_record_replays():
    record = Record.load(GOLDEN)
    assert replay(record)[-1].over
    assert play(Connect4(), [agent(each) for each in record.header.agents], record.header.seed).events == record.events


def test_discs_have_the_colours_of_who_looks(game):
    position = game.read("44")
    usual = position.svg
    assert "Red to move" in usual
    with looking({"discs": "calm"}):
        assert "Blue to move" in position.svg and "#d6402f" not in position.svg
        assert position.text == game.read("44").text
    with speaking("de"), looking({"connect4.discs": "calm"}):
        assert "Blau am Zug" in position.svg
    assert position.svg == usual


# --- counts that are known elsewhere ---------------------------------------------------------------------------------


@kernel
def sequences(stack, cursors, actions, joint):
    """How many sequences of moves reach the last level of the stack from the position at its bottom."""
    last = stack.shape[0] - 1
    found = 0
    level = 0
    cursors[0] = 0
    while level >= 0:
        count = 0
        if level == last:
            found += 1
        elif actors(stack[level]) > 0:
            count = legal(stack[level], 0, actions)
        if cursors[level] == count:
            level -= 1
            continue
        joint[0] = joint[1] = actions[cursors[level]]
        cursors[level] += 1
        level += 1
        cursors[level] = 0
        stack[level] = stack[level - 1]
        apply(stack[level], joint)
    return found


@pytest.mark.parametrize(
    ("depth", "expected"), [(1, 7), (2, 49), (3, 343), (4, 2401), (5, 16807), (6, 117649), (7, 823536), (8, 5673234)]
)
def test_sequences_of_moves(game, depth, expected):
    stack = game.states(depth + 1)
    stack[0] = game.opening().state[0]
    buffers = np.zeros(depth + 1, np.int64), np.zeros(game.spec.widest, np.int64), np.zeros(2, np.int64)
    assert specialise(sequences, game)(stack, *buffers) == expected


@kernel
def key_at(states):
    return key(states[0])


def test_the_key_knows_positions_and_not_how_they_came_about(game):
    """After one to four discs there are 7, 49, 238 and 1120 positions (OEIS A212693)."""
    level = [""]
    for expected in (7, 49, 238, 1120):
        level = [line + column for line in level for column in "1234567"]
        positions = [game.read(line) for line in level]
        boards = {bytes(position.state["discs"]) for position in positions}
        keys = {int(game.call(key_at, position.state)) for position in positions}
        assert len(boards) == len(keys) == expected
        assert 0 not in keys


# --- rules -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "cells"),
    [
        ("1122334", [(0, 0), (1, 0), (2, 0), (3, 0)]),  # across
        ("4747474", [(3, 0), (3, 1), (3, 2), (3, 3)]),  # upright
        ("12234334544", [(0, 0), (1, 1), (2, 2), (3, 3)]),  # rising
        ("76654554344", [(3, 3), (4, 2), (5, 1), (6, 0)]),  # falling
        ("1122335566774", [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0)]),
    ],
)
def test_four_in_a_line_win(game, moves, cells):
    before, after = game.read(moves[:-1]), game.read(moves)
    assert not before.over
    assert after.over
    assert after.score == (1.0, 0.0)
    assert winning_cells(after.view(-1)) == cells


def test_the_second_seat_can_win(game):
    assert game.read("17273767").score == (0.0, 1.0)


def test_no_line_goes_around_the_edge(game):
    """
    X . . . . . .
    X . . . . . .
    X . . . . . .
    O . . . . . .
    O . . . . . X
    O X . . O O X   three on top of column 1 and one at the bottom of column 2 are no line
    """
    assert not game.read("71712115161").over


def test_a_full_board_is_a_draw(game):
    position = game.read(FULL)
    assert len(FULL) == 42
    assert position.over
    assert position.score == (0.5, 0.5)
    assert position.text.endswith("a draw: the board is full")


def test_a_full_column_is_closed(game):
    position = game.read("444444")
    assert position.legal(0) == (0, 1, 2, 4, 5, 6)
    with pytest.raises(IllegalMove, match="legal are 1 2 3 5 6 7"):
        position.play("4")


def test_a_position_is_written_as_its_moves(game):
    assert (
        game.read("44 53").text
        == """\
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . O . . .
. . O X X . .
1 2 3 4 5 6 7
X to move (seat 1)"""
    )
    with pytest.raises(IllegalMove, match=r"move 7: .*seat 1 may not play '4'"):
        game.read("4444444")
    with pytest.raises(InvalidMove, match=r"move 2: .*unknown move '8'"):
        game.read("48")
    with pytest.raises(IllegalMove, match=r"move 8: .*the match is over"):
        game.read("47474741")


# --- pictures --------------------------------------------------------------------------------------------------------


def test_a_new_disc_falls_from_above_its_column(game):
    before, after = game.read("44"), game.read("443")
    for seat in (0, 1, -1):
        assert came_from(before.view(seat), after.view(seat)) == {"disc-3-1": ["hanging-3"]}
        assert came_from(after.view(seat), before.view(seat)) == {}


def test_the_number_keys_are_the_columns(game):
    assert [game.action(game.spec.keys[key]) for key in "1234567"] == list(range(7))


def test_it_speaks_german(game):
    with speaking("de"):
        assert "Rot gewinnt (Platz 1)" in game.read("4747474").svg
        assert game.move_name(3) == "Spalte 4"
