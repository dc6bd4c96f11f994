"""What networks are told of spe_ed: places of drawn positions, and what turning and mirroring a board leaves alone."""

from collections import deque

import numpy as np
import pytest

from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import kernel, specialise
from spielwerk.core.position import duplicate
from spielwerk.games.speed.kernel.reach import OWNERS, share_out
from spielwerk.games.speed.kernel.rules import CELLS
from test_features import encoded
from test_speed_players import drawn, some_positions

COARSE, ALIVE, CONTESTED, SPEEDS, JUMP, OTHERS, DISTANCES = 450, 499, 504, 509, 519, 525, 530
SHARES, RIVALS, ALONE, BEHIND_BEST, NEIGHBOURS, FREE, SIZE = 536, 541, 546, 551, 556, 572, 573

CORNER = """
    ........
    ........
    ..##....
    ..>.....
    ........
    ......^.
    ........
    ........
"""


def test_the_size_is_the_same_for_all_boards_and_seats():
    games = [registry.game("speed", seats, variant) for seats in (2, 6) for variant in ("official", "small")]
    assert {game.encodings["standard"].size for game in games} == {SIZE}


def test_the_window_is_turned_so_that_the_seat_drives_upwards():
    numbers = encoded(drawn(CORNER))
    window = numbers[:225].reshape(15, 15)
    picture = ["".join(".#"[int(cell)] for cell in row) for row in window]
    assert picture == [  # ahead is up: the walls above the head lie on its left, the top of the board at column 3
        "###############",
        "###############",
        "###############",
        "###############",
        "###############",
        "####........###",
        "####.....#..###",
        "####........###",
        "####........###",
        "####..#.....###",
        "####..##....###",
        "####........###",
        "####........###",
        "###############",
        "###############",
    ]
    covered = numbers[225:450].reshape(15, 15)
    assert [tuple(place) for place in np.argwhere(covered)] == [(5, 9), (6, 7), (6, 8), (7, 9)]


def test_places_of_a_drawn_position():
    numbers = encoded(drawn(CORNER, rounds=4))
    assert numbers[ALIVE:CONTESTED].tolist() == [0, 1, 0, 1, 1]  # a wall on the left; speed 0 kills
    assert not numbers[CONTESTED:SPEEDS].any()
    assert np.flatnonzero(numbers[SPEEDS:JUMP]).tolist() == [0]
    assert np.flatnonzero(numbers[JUMP:OTHERS]).tolist() == [1]  # the fifth round comes, then a jump
    assert np.flatnonzero(numbers[OTHERS:DISTANCES]).tolist() == [0]
    assert numbers[DISTANCES:SHARES] == pytest.approx([1, 1 / 6, 1 / 5, 0, 5 / 20, 4 / 20])
    assert numbers[NEIGHBOURS : NEIGHBOURS + 8] == pytest.approx([4 / 20, 2 / 20, 1 / 6, 0, 0, 0, 1, 0.1])
    assert not numbers[NEIGHBOURS + 8 : FREE].any()
    assert numbers[FREE] == pytest.approx(60 / 64)
    assert numbers[COARSE + 24] == pytest.approx(3 / 25)  # the block around the head: itself and two walls
    assert numbers[SHARES] == 0 and numbers[BEHIND_BEST] == pytest.approx(1)


def test_a_seat_that_is_out_is_told_only_how_much_is_free():
    position = drawn(CORNER)
    position.state["alive"] = 2
    assert np.flatnonzero(encoded(position)).tolist() == [FREE]
    opening = registry.game("speed", variant="width=20").opening(1)
    assert not encoded(opening).any()


def turned(position, mirrored):
    """The same match on a board that is turned by a quarter to the right, or mirrored in its upright axis."""
    game, state = position.game, position.state
    width, height = int(state["width"][0]), int(state["height"][0])
    cells = state["cells"][0, : width * height].reshape(height, width)
    other = duplicate(state)
    new = cells[:, ::-1] if mirrored else np.rot90(cells, -1)
    other["cells"][0, : width * height] = np.ascontiguousarray(new).ravel()
    other["width"], other["height"] = new.shape[1], new.shape[0]
    for seat in range(game.seats):
        x, y, direction = (int(state[name][0, seat]) for name in ("x", "y", "direction"))
        if mirrored:
            x, direction = width - 1 - x, (4 - direction) % 4
        else:
            x, y, direction = height - 1 - y, x, (direction + 1) % 4
        other["x"][0, seat], other["y"][0, seat], other["direction"][0, seat] = x, y, direction
    return other


def told(game, state, seat):
    out = np.full(SIZE, np.nan, np.float32)
    specialise(entry.features_at, game, features=game.encodings["standard"].function)(state, seat, out)
    return out


def mirrored_places():
    """Where every place goes if left becomes right."""
    left_right = [1, 0, 2, 3, 4]  # of the actions
    to = np.arange(SIZE)
    for first, rows, columns in ((0, 15, 15), (225, 15, 15), (COARSE, 7, 7)):
        to[first : first + rows * columns] = first + np.arange(rows * columns).reshape(rows, columns)[:, ::-1].ravel()
    for first in (ALIVE, CONTESTED, SHARES, RIVALS, ALONE, BEHIND_BEST):
        to[first : first + 5] = [first + action for action in left_right]
    for first in (DISTANCES, DISTANCES + 3):
        to[first : first + 3] = [first + 2, first + 1, first]
    for first in (NEIGHBOURS, NEIGHBOURS + 8):
        to[first + 3 : first + 7] = [first + 3, first + 6, first + 5, first + 4]
    return to


def test_turning_the_board_changes_nothing_and_mirroring_swaps_left_and_right():
    swap, seen = mirrored_places(), 0
    for number, position in enumerate(some_positions(4)):
        if number % 3:
            continue
        for seat in position.actors:
            numbers = told(position.game, position.state, seat)
            assert not np.isnan(numbers).any()
            assert np.array_equal(numbers, told(position.game, turned(position, False), seat)), position.text
            mirrored = told(position.game, turned(position, True), seat)[swap]
            for first in (NEIGHBOURS, NEIGHBOURS + 8):
                mirrored[first + 1] *= -1
            assert np.array_equal(numbers, mirrored), position.text
            seen += 1
    assert seen > 20


@kernel
def counted(states, seat, action, owners, rounds, queue, counts):
    return share_out(states[0], seat, action, owners, rounds, queue, counts)


def shared_out_slowly(position, seat, action):
    """The same in plain Python, from the board after the move of one seat."""
    game, state = position.game, duplicate(position.state)
    width, height = int(state["width"][0]), int(state["height"][0])
    heads = {other: (int(state["x"][0, other]), int(state["y"][0, other])) for other in range(2)}
    state["alive"] = 1 << seat
    specialise(entry.apply_at, game)(state, np.array([action, action]))
    if not state["alive"][0] >> seat & 1:
        return None
    heads[seat] = (int(state["x"][0, seat]), int(state["y"][0, seat]))
    cells = state["cells"][0, : width * height].reshape(height, width)
    reached = []
    for other, start in heads.items():
        rounds = {start: 1 if other == seat else 0}
        waiting = deque([start])
        while waiting:
            x, y = waiting.popleft()
            for to in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if 0 <= to[0] < width and 0 <= to[1] < height and cells[to[1], to[0]] == 0 and to not in rounds:
                    rounds[to] = rounds[x, y] + 1
                    waiting.append(to)
        del rounds[start]
        reached.append(rounds)
    never = 10**6
    first = [sum(reached[a][c] < reached[1 - a].get(c, never) for c in reached[a]) for a in (0, 1)]
    return first, bool(set(reached[0]) & set(reached[1]))


def test_who_reaches_how_many_cells_first():
    owners, rounds, queue = (np.zeros(CELLS, np.int64) for _ in range(3))
    counts = np.zeros(OWNERS, np.int64)
    checked = met_somebody = 0
    for position in some_positions(6):
        for seat in position.actors:
            for action in range(5):
                expected = shared_out_slowly(position, seat, action)
                if expected is None:
                    continue
                met = position.game.call(counted, position.state, seat, action, owners, rounds, queue, counts)
                assert (counts[:2].tolist(), bool(met)) == expected, (position.text, seat, action)
                checked += 1
                met_somebody += bool(met)
    assert checked > 200 and 0 < met_somebody < checked


def test_compiled_and_interpreted_agree():
    position = registry.game("speed", 3, "width=9,height=8").new(4)
    player = registry.agent("safe")
    for _ in range(5):
        position.play(
            {seat: player.decide(position.view(seat), Budget(), spawn(1, 2)).action for seat in position.actors}
        )
    for seat in position.actors:
        numbers = encoded(position, seat)
        assert np.array_equal(numbers, encoded(position, seat, kind=np.float64).astype(np.float32))
        interpreted = position.game.interpreted
        state = interpreted.states(1)
        state[:] = position.view(seat).state
        assert np.array_equal(numbers, told(interpreted, state, seat))
