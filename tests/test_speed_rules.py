"""spe_ed, rule by rule, with the boards drawn.

A drawing has a word for every cell: `.` free, `1` the trail of player 1, `X` a crash, `1>` the head of player 1 who
drives to the right (also `1^`, `1v`, `1<`). Heads of players who are out are drawn as trails.
"""

import pytest

from spielwerk.core.errors import IllegalMove
from spielwerk.games.speed.game import DIRECTIONS, Speed
from spielwerk.games.speed.kernel.rules import BY_BORDER, BY_CRASH, BY_SPEED, UNHEARD
from spielwerk.games.speed.log import position_of
from spielwerk.web.session import winners

ARROWS = dict(zip("^>v<", DIRECTIONS, strict=True))


def rows(drawing):
    return [line.split() for line in drawing.strip().splitlines()]


def drawn(drawing, speeds=None, rounds=0):
    """The position of a drawing after so many rounds; speeds are 1 unless `speeds` says otherwise, by player."""
    cells, players = [], {}
    for y, line in enumerate(rows(drawing)):
        cells.append([{".": 0, "X": -1}[word] if word in ".X" else int(word[0]) for word in line])
        for x, word in enumerate(line):
            if word[1:]:
                speed = (speeds or {}).get(int(word[0]), 1)
                facing = ARROWS[word[1]]
                players[word[0]] = {"x": x, "y": y, "direction": facing, "speed": speed, "active": True}
    state = {"width": len(cells[0]), "height": len(cells), "cells": cells, "players": players, "running": True}
    return position_of(Speed(len(players), "no_answer=1"), state, rounds)


def played(drawing, actions=None, speeds=None, number=1):
    """The position after the round of that number; who is not named among the actions changes nothing."""
    return go_on(drawn(drawing, speeds, number - 1), actions)


def go_on(position, actions=None):
    return position.apply({seat: (actions or {}).get(seat + 1, "change_nothing") for seat in position.actors})


def picture(position):
    s = position.state[0]
    width, height = int(s["width"]), int(s["height"])
    cells = s["cells"][: width * height].reshape(height, width)
    words = [["X" if cell < 0 else str(cell) if cell else "." for cell in row] for row in cells]
    for player in still_in(position):
        x, y = place(position, player)
        words[y][x] += "^>v<"[of(position, "direction", player)]
    return words


def still_in(position):
    return [seat + 1 for seat in range(position.game.seats) if position.state[0]["alive"] >> seat & 1]


def of(position, field, player):
    return int(position.state[0][field][player - 1])


def place(position, player):
    return of(position, "x", player), of(position, "y", player)


# --- set-up ----------------------------------------------------------------------------------------------------------


def test_where_players_start_and_what_they_see_first():
    """Six zones of 2 by 4 cells, four above and two below; the middle counts as left and as top."""
    seen, zones = {}, set()
    for seed in range(1500):
        s = Speed(6, "width=8,height=8").new(seed).state[0]
        places = [(int(s["x"][seat]), int(s["y"][seat])) for seat in range(6)]
        seen |= {place: "^>v<"[s["direction"][seat]] for seat, place in enumerate(places)}
        zones.add(tuple(y // 4 * 4 + x // 2 for x, y in places))
        assert s["speed"].tolist() == [1] * 6
        assert [s["cells"][y * 8 + x] for x, y in places] == [1, 2, 3, 4, 5, 6]
        assert (s["cells"] != 0).sum() == 6
    assert [[seen.get((x, y), ".") for x in range(8)] for y in range(8)] == rows("""
        v v v v v < < <
        v v v v v < < <
        v v v v v < < <
        v v v v v < < <
        v v v v . . . .
        > > > > . . . .
        > > > > . . . .
        > > > > . . . .
    """)
    assert all(sorted(order) == [0, 1, 2, 3, 4, 5] for order in zones), "one player in each"
    assert len(zones) > 600, "of 720 orders"


def test_cells_left_over_belong_to_no_zone():
    """A board of 11 by 9: zones are 2 by 4, so the last three columns and the last row stay empty."""
    for seed in range(300):
        s = Speed(6, "width=11,height=9").new(seed).state[0]
        assert s["x"].max() < 8 and s["y"].max() < 8


# --- one round -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "left", "right"), [("1^", "1<", "1>"), ("1>", "1^", "1v"), ("1v", "1>", "1<"), ("1<", "1v", "1^")]
)
def test_turns_are_as_the_driver_sees_them(head, left, right):
    """For example up: the left hand shows to the left, and a turn moves at once."""
    board = f"""
        .  .  .  .  .
        .  {head} .  .  2v
        .  .  .  .  .
    """
    step = {"^": (0, -1), ">": (1, 0), "v": (0, 1), "<": (-1, 0)}
    for action, expected in (("turn_left", left), ("turn_right", right)):
        after = played(board, {1: action})
        dx, dy = step[expected[1]]
        assert place(after, 1) == (1 + dx, 1 + dy)
        assert picture(after)[1 + dy][1 + dx] == expected
        assert of(after, "speed", 1) == 1


def test_speed_counts_at_once():
    board = """
        1> .  .  .  .  .
        2> .  .  .  .  .
    """
    after = played(board, {1: "speed_up", 2: "slow_down"}, speeds={1: 3, 2: 3})
    assert picture(after) == rows("""
        1  1  1  1  1> .
        2  2  2> .  .  .
    """)
    assert (of(after, "speed", 1), of(after, "speed", 2)) == (4, 2)


def test_a_speed_below_1_puts_out_without_a_move_and_stays_visible():
    after = played(
        """
        1  1> .  .
        2  2> .  .
        """,
        {1: "slow_down"},
    )
    assert picture(after) == rows("""
        1  1  .  .
        2  2  2> .
    """)
    assert still_in(after) == [2]
    assert (of(after, "speed", 1), of(after, "why", 1), place(after, 1)) == (0, BY_SPEED, (1, 0))


def test_a_speed_above_10_puts_out_without_a_move_and_stays_visible():
    board = """
        1> .  .  .  .  .  .  .  .  .  .  .
        2> .  .  .  .  .  .  .  .  .  .  .
        3> .  .  .  .  .  .  .  .  .  .  .
    """
    after = played(board, {1: "speed_up", 2: "speed_up"}, speeds={1: 10, 2: 9})
    assert picture(after) == rows("""
        1  .  .  .  .  .  .  .  .  .  .  .
        2  2  2  2  2  2  2  2  2  2  2> .
        3  3> .  .  .  .  .  .  .  .  .  .
    """)
    assert still_in(after) == [2, 3]
    assert (of(after, "speed", 1), of(after, "why", 1)) == (11, BY_SPEED)


def test_no_answer_puts_out_without_a_move():
    board = """
        1> .  .
        2> .  .
        3> .  .
    """
    after = played(board, {1: "no_answer"})
    assert picture(after) == rows("""
        1  .  .
        2  2> .
        3  3> .
    """)
    assert (of(after, "why", 1), of(after, "speed", 1), place(after, 1)) == (UNHEARD, 1, (0, 0))


def test_no_answer_is_offered_by_the_option_only():
    assert len(Speed(2).new().legal(0)) == 5
    with pytest.raises(IllegalMove):
        Speed(2).new().apply({0: "no_answer", 1: "change_nothing"})


@pytest.mark.parametrize(
    ("board", "outside"),
    [
        (". 1> . . \n . . . 2v \n . . . .", (4, 0)),
        (". . . . \n . 1< . 2v \n . . . .", (-1, 1)),
        (". . . . \n . 1^ . 2v \n . . . .", (1, -1)),
        (". 1v . . \n . . . 2v \n . . . .", (1, 3)),
    ],
)
def test_the_border_stops_the_walk_one_step_outside(board, outside):
    after = played(board, speeds={1: 6})
    assert still_in(after) == [2]
    assert (place(after, 1), of(after, "why", 1)) == (outside, BY_BORDER)


def test_cells_before_the_border_stay_filled():
    after = played(
        """
        .  1> .  .
        2v .  .  .
        .  .  .  .
        """,
        speeds={1: 6},
    )
    assert picture(after) == rows("""
        .  1  1  1
        2  .  .  .
        2v .  .  .
    """)


def test_leaving_the_board_in_the_air_kills_too():
    """Round 6 at speed 6: only the first cell is drawn, the border is reached in the part that is jumped over."""
    after = played(
        """
        .  1> .  .  .
        2v .  .  .  .
        .  .  .  .  .
        """,
        speeds={1: 6},
        number=6,
    )
    assert picture(after) == rows("""
        .  1  1  .  .
        2  .  .  .  .
        2v .  .  .  .
    """)
    assert (place(after, 1), of(after, "why", 1)) == ((5, 0), BY_BORDER)


def test_an_obstacle_does_not_stop_the_walk():
    """The cells behind the wall get the number of the player who has crashed, and a second wall a crash, too."""
    after = played(
        """
        1> .  2  .  2  .  .
        .  .  2  2  2  2> .
        """,
        speeds={1: 5},
    )
    assert picture(after) == rows("""
        1  1  X  1  X  1  .
        .  .  2  2  2  2  2>
    """)
    assert still_in(after) == [2]
    assert (place(after, 1), of(after, "why", 1)) == ((5, 0), BY_CRASH)


def test_a_turn_before_a_crash_stays_visible():
    after = played(
        """
        .  2  2>  .
        .  1> .  .
        """,
        {1: "turn_left"},
    )
    assert picture(after) == rows("""
        .  X  2  2>
        .  1  .  .
    """)
    assert DIRECTIONS[of(after, "direction", 1)] == "up"


def test_who_goes_out_by_speed_draws_nothing_and_harms_nobody():
    """Player 1 would have driven into the same cell as player 2."""
    after = played(
        """
        .  2v .
        1> .  .
        .  .  .
        3> .  .
        """,
        {1: "slow_down"},
    )
    assert picture(after) == rows("""
        .  2  .
        1  2v .
        .  .  .
        3  3> .
    """)
    assert still_in(after) == [2, 3]


# --- what follows from it --------------------------------------------------------------------------------------------


def test_two_heads_in_one_cell():
    after = played("""
        1> .  2<
        .  .  .
    """)
    assert picture(after) == rows("""
        1  X  2
        .  .  .
    """)
    assert still_in(after) == []
    assert [of(after, "why", player) for player in (1, 2)] == [BY_CRASH, BY_CRASH]


def test_paths_of_one_round_cross_anywhere():
    """Player 1 passes the cell with its first step, player 2 with its third: that does not matter."""
    after = played(
        """
        .  2v .  .  .
        .  .  .  .  .
        .  .  .  .  .
        1> .  .  .  .
        .  .  .  .  .
        .  .  .  3> .
        """,
        speeds={1: 3, 2: 4},
    )
    assert picture(after) == rows("""
        .  2  .  .  .
        .  2  .  .  .
        .  2  .  .  .
        1  X  1  1  .
        .  2  .  .  .
        .  .  .  3  3>
    """)
    assert still_in(after) == [3]


def test_two_who_change_places_crash():
    after = played(
        """
        1> 2<
        .  3v
        .  .
        """
    )
    assert picture(after) == rows("""
        X  X
        .  3
        .  3v
    """)
    assert still_in(after) == [3]


def test_a_trail_of_an_earlier_round_harms_only_who_drives_into_it():
    after = played("""
        1  1  1> .
        .  2^ .  .
    """)
    assert picture(after) == rows("""
        1  X  1  1>
        .  2  .  .
    """)
    assert still_in(after) == [1]


def test_the_cell_where_a_head_stood_is_such_a_trail():
    after = played("""
        1  1  1> .
        .  .  2^ .
    """)
    assert picture(after) == rows("""
        1  1  X  1>
        .  .  2  .
    """)
    assert still_in(after) == [1]


def test_a_cell_filled_in_this_round_puts_both_out():
    after = played(
        """
        1> .  .  .
        .  2^ .  .
        3> .  .  .
        """,
        speeds={1: 3},
    )
    assert picture(after) == rows("""
        1  X  1  1
        .  2  .  .
        3  3> .  .
    """)
    assert still_in(after) == [3]


def test_also_if_the_other_is_out_by_the_border():
    """Player 2 passes the cell on its way out of the board."""
    after = played(
        """
        1> .  .  .
        .  2^ .  .
        3> .  .  .
        """,
        speeds={1: 3, 2: 2},
    )
    assert picture(after) == rows("""
        1  X  1  1
        .  2  .  .
        3  3> .  .
    """)
    assert still_in(after) == [3]
    assert [of(after, "why", player) for player in (1, 2)] == [BY_CRASH, BY_BORDER]
    assert place(after, 2) == (1, -1)


def test_three_players_in_one_cell():
    after = played("""
        .  3v .  .
        1> .  2< .
        4> .  .  .
    """)
    assert picture(after) == rows("""
        .  3  .  .
        1  X  2  .
        4  4> .  .
    """)
    assert still_in(after) == [4]


def test_a_crash_stays_and_blocks():
    after = played("""
        .  X  .  .
        .  1^ .  2v
        .  .  .  .
    """)
    assert picture(after) == rows("""
        .  X  .  .
        .  1  .  2
        .  .  .  2v
    """)
    assert still_in(after) == [2]


def test_the_own_move_is_no_obstacle_but_the_own_older_trail_is():
    after = played(
        """
        .  .  .  .  .
        1  1  1  .  2v
        .  1< 1  .  .
        """,
        {1: "turn_right"},
    )
    assert picture(after) == rows("""
        .  .  .  .  .
        1  X  1  .  2
        .  1  1  .  2v
    """)
    assert still_in(after) == [2]
    straight = played(
        """
        1> .  .  .  .
        2v .  .  .  .
        .  .  .  .  .
    """,
        speeds={1: 4},
    )
    assert still_in(straight) == [1, 2]


def test_a_jump_over_anything_is_safe():
    """Over a trail, a crash and another's head."""
    after = played(
        """
        .  .  2  .  .  .  .
        1> .  2  X  3v .  .
        .  .  2v .  .  .  .
        .  .  .  .  .  .  .
        """,
        speeds={1: 5},
        number=6,
    )
    assert picture(after) == rows("""
        .  .  2  .  .  .  .
        1  1  2  X  3  1> .
        .  .  2  .  3v .  .
        .  .  2v .  .  .  .
    """)
    assert still_in(after) == [1, 2, 3]


def test_the_first_and_the_last_cell_of_a_jump_must_be_free():
    after = played(
        """
        1> 3  .  .  .  .  .
        2> .  .  .  .  3  .
        .  .  .  .  .  3> .
        """,
        speeds={1: 5, 2: 5},
        number=12,
    )
    assert picture(after) == rows("""
        1  X  .  .  .  1  .
        2  2  .  .  .  X  .
        .  .  .  .  .  3  3>
    """)
    assert still_in(after) == [3]


def test_paths_that_meet_in_a_jumped_cell_do_not_collide():
    after = played(
        """
        .  .  2v .  .  .
        1> .  .  .  .  .
        .  .  .  .  .  .
        """,
        speeds={1: 4, 2: 2},
        number=6,
    )
    assert picture(after) == rows("""
        .  .  2  .  .  .
        1  1  2  .  1> .
        .  .  2v .  .  .
    """)


@pytest.mark.parametrize(
    ("speed", "trail"),
    [
        (1, "1  1> .  .  .  .  .  .  .  .  ."),
        (2, "1  1  1> .  .  .  .  .  .  .  ."),
        (3, "1  1  .  1> .  .  .  .  .  .  ."),
        (4, "1  1  .  .  1> .  .  .  .  .  ."),
        (10, "1  1  .  .  .  .  .  .  .  .  1>"),
    ],
)
def test_holes_of_the_sixth_round(speed, trail):
    board = """
        1> .  .  .  .  .  .  .  .  .  .
        2> .  .  .  .  .  .  .  .  .  .
    """
    for number in (6, 12, 600):
        assert picture(played(board, speeds={1: speed}, number=number))[0] == trail.split()
    for number in (1, 5, 7, 8, 9, 10, 11, 13):
        whole = ["1"] * speed + ["1>"] + ["."] * (10 - speed)
        assert picture(played(board, speeds={1: speed}, number=number))[0] == whole


def test_the_speed_after_the_action_decides_about_the_jump():
    board = """
        1> .  .  .  .  .
        2> .  .  .  .  .
    """
    after = played(board, {1: "speed_up", 2: "slow_down"}, speeds={1: 2, 2: 3}, number=6)
    assert picture(after) == rows("""
        1  1  .  1> .  .
        2  2  2> .  .  .
    """)


def test_a_turn_and_a_jump_in_one_round():
    after = played(
        """
        .  .  .  .
        2> .  .  .
        .  .  .  .
        1> .  .  .
        """,
        {1: "turn_left"},
        speeds={1: 3},
        number=6,
    )
    assert picture(after) == rows("""
        1^ .  .  .
        2  2> .  .
        1  .  .  .
        1  .  .  .
    """)


def test_trails_of_those_who_are_out_stay():
    after = played(
        """
        1  1> .  .  .
        2> .  .  .  .
        .  .  .  .  3^
        """,
        {1: "no_answer"},
    )
    assert picture(after) == rows("""
        1  1  .  .  .
        2  2> .  .  3^
        .  .  .  .  3
    """)
    after = go_on(after, {2: "turn_left", 3: "turn_left"})
    assert picture(after) == rows("""
        1  X  .  .  .
        2  2  .  3< 3
        .  .  .  .  3
    """)
    assert still_in(after) == [3], "player 2 has hit the trail"


# --- end and winner --------------------------------------------------------------------------------------------------


def test_the_match_ends_when_one_is_left_who_wins():
    after = played("""
        1^ .
        2v .
        .  .
    """)
    assert after.over
    assert after.result[1] > after.result[0]
    assert after.score == (0, 1)


def test_nobody_wins_if_the_last_go_out_together():
    """Whatever the reason: one leaves the board, the other crashes into a trail."""
    after = played("""
        1^ .  .
        .  2  2<
    """)
    assert after.over and still_in(after) == []
    assert after.result[0] == after.result[1]
    assert after.score == (0, 0)


def test_the_match_goes_on_with_two():
    after = played("""
        1^ .  .
        .  .  .
        2> .  .
        3> .  .
    """)
    assert not after.over
    assert after.actors == (1, 2)


def test_seats_are_in_the_order_in_which_they_went_out():
    """Cells and speed do not count: player 1 has the longest trail and is last."""
    board = """
        1  1  1  1  1^ .
        2> .  .  .  .  .
        3> .  .  .  .  .
        4> .  .  .  .  .
    """
    position = played(board)
    assert still_in(position) == [2, 3, 4]
    position = go_on(position, {3: "slow_down", 4: "slow_down"})
    assert position.over and still_in(position) == [2]
    assert position.result[1] > position.result[2] == position.result[3] > position.result[0]
    assert position.score == (0, 3, 1, 1)


def test_where_the_last_go_out_together_nobody_is_told_to_have_won():
    """Two drive into the cell between them, the third off the board."""
    position = played("""
        .  .  .  3^ .  .  .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
        .  1> .  2< .  .  .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
    """)
    assert position.over and position.result == (1.0, 1.0, 1.0)
    assert position.game.won_by_nobody(position) and winners(position) == []
    won = played("""
        .  .  .  .  .  .  2^ .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
        .  1> .  .  .  .  .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
    """)
    assert not won.game.won_by_nobody(won) and winners(won) == [0]
