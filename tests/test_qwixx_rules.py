"""The rules of Qwixx, one test per paragraph and per disputed point."""

import pytest

from spielwerk.core import registry
from spielwerk.core.errors import IllegalMove, InvalidMove, SpielwerkError
from spielwerk.core.match import play, replay
from spielwerk.games.qwixx.layouts import CELLS, COLOURS, LAYOUTS, ROWS


def table(seats=2, variant=None, **sheets):
    """A position before seat 0 rolls. Sheets by seat: a0="red 2 3, misthrows 1"; crosses are written as given."""
    game = registry.game("qwixx", seats, variant)
    position = game.opening(1)
    if seats > 1:
        position.happen("seat 0 begins")
    for name, text in sheets.items():
        put(position, int(name[1:]), text)
    return position


def put(position, seat, text):
    state = position.state
    layout = LAYOUTS[int(state["layout"][0])]
    for part in text.split(","):
        name, *numbers = part.split()
        if name == "misthrows":
            state["penalties"][0, seat] = int(numbers[0])
            continue
        row = COLOURS.index(name)
        for number in map(int, numbers):
            place = layout.numbers[row].index(number)
            state["crosses"][0, seat, row] |= 1 << place
            state["reach"][0, seat, row] = place + 1
            state["count"][0, seat, row] += 1


def roll(position, white, red=1, yellow=1, green=6, blue=6):
    """By default coloured dice that are of little use."""
    return position.happen(f"{white[0]}+{white[1]} red {red} yellow {yellow} green {green} blue {blue}")


def moves(position, seat):
    return {position.game.spec.moves[action] for action in position.legal(seat)}


FIVE_RED = "red 2 3 4 5 6"


def test_rows_run_up_and_down():
    pad = LAYOUTS[0]
    assert pad.numbers[0] == pad.numbers[1] == tuple(range(2, 13))
    assert pad.numbers[2] == pad.numbers[3] == tuple(range(12, 1, -1))


def test_every_layout_gives_each_die_and_sum_one_cell():
    for layout in LAYOUTS:
        for row in range(ROWS):
            assert sorted(layout.numbers[row]) == list(range(2, 13))
        for number in range(2, 13):
            colours = {layout.colours[row][layout.numbers[row].index(number)] for row in range(ROWS)}
            assert len(colours) == ROWS, f"{layout.name}: {number}"
        assert [layout.colours[row][CELLS - 1] for row in range(ROWS)] == [0, 1, 2, 3]


def test_white_sum_is_for_everybody_in_any_row():
    position = roll(table(), (3, 4))
    assert moves(position, 0) == moves(position, 1) == {"pass", "red 7", "yellow 7", "green 7", "blue 7"}


def test_only_to_the_right_of_the_rightmost_cross():
    position = roll(table(a0="red 8, green 6"), (3, 4))
    assert moves(position, 0) == {"pass", "yellow 7", "blue 7"}
    with pytest.raises(IllegalMove, match="seat 1 may not play 'red 7'"):
        position.apply({0: "red 7", 1: "pass"})


def test_coloured_action_is_the_active_seats_and_comes_second():
    position = roll(table(), (3, 4), red=2, yellow=2, green=2, blue=2)
    position.apply({0: "red 7", 1: "pass"})
    assert position.actors == (0,)
    assert moves(position, 0) == {"pass", "yellow 5", "yellow 6", "green 5", "green 6", "blue 5", "blue 6"}


def test_both_crosses_in_one_row_if_the_second_lies_further_right():
    position = roll(table(), (3, 4), red=6)
    position.apply({0: "red 7", 1: "pass"})
    assert {"red 9", "red 10"} <= moves(position, 0)
    position.apply("red 9")
    assert position.state["count"][0, 0, 0] == 2


def test_active_seat_without_a_cross_takes_a_misthrow_and_passive_seats_never_do():
    position = roll(table(), (3, 4))
    position.apply({0: "pass", 1: "pass"}).apply("pass")
    assert position.score == (-5, 0)
    assert int(position.state["active"][0]) == 1


def test_seat_that_can_only_pass_is_not_asked():
    full = "red 2 3 4 12, yellow 12, green 2, blue 2"
    position = table(a0=full)
    position.state["count"][0, 0] = 4  # too few for a lock
    roll(position, (3, 4))
    assert position.actors == (1,)
    position.apply({1: "pass"})
    assert position.score[0] == sum(n * (n + 1) // 2 for n in (4, 4, 4, 4)) - 5


def test_last_number_needs_five_crosses():
    assert "red 12" not in moves(roll(table(a0="red 2 3 4 5"), (6, 6)), 0)
    assert "red 12" in moves(roll(table(a0=FIVE_RED), (6, 6)), 0)


def test_lock_counts_as_one_more_cross():
    position = roll(table(a0=FIVE_RED), (6, 6))
    position.apply({0: "red 12", 1: "pass"})
    assert position.state["count"][0, 0, 0] == 7
    assert position.score[0] == 28


def test_everybody_who_crosses_the_lock_number_in_that_action_gets_the_lock():
    position = roll(table(3, a0=FIVE_RED, a1=FIVE_RED, a2="red 2 3 4 5"), (6, 6))
    assert "red 12" not in moves(position, 2)
    position.apply({0: "red 12", 1: "red 12", 2: "pass"})
    assert list(position.state["count"][0, :3, 0]) == [7, 7, 4]
    assert int(position.state["closed"][0]) == 1


def test_closed_row_is_closed_for_everybody_and_its_die_leaves():
    position = roll(table(a0=FIVE_RED), (6, 6))
    position.apply({0: "red 12", 1: "pass"})
    while position.actors == (0,):
        position.apply("pass")
    roll(position, (3, 4), red=4)
    assert not any(move.startswith("red") for move in moves(position, 1))
    position.apply({0: "pass", 1: "pass"})
    assert not any(move.startswith("red") for move in moves(position, 1))


def test_row_closed_by_a_passive_seat_is_gone_in_the_coloured_action():
    """Official: the die leaves at once. The study's engine: only at the end of the turn."""
    position = roll(table(a1=FIVE_RED), (6, 6), red=3)
    position.apply({0: "pass", 1: "red 12"})
    assert "red 9" not in moves(position, 0)
    late = roll(table(variant="study", a1=FIVE_RED), (6, 6), red=3)
    late.apply({0: "pass", 1: "red 12"})
    assert "red 9" in moves(late, 0)


def test_second_row_closed_in_the_white_action_ends_the_match_before_the_coloured_action():
    both = {"a0": FIVE_RED + ", yellow 2 3 4 5 6", "a1": "yellow 2 3 4 5 6"}
    position = roll(table(**both), (6, 6), green=1, blue=1)
    position.apply({0: "red 12", 1: "yellow 12"})
    assert position.over
    late = roll(table(variant="late-end", **both), (6, 6), green=1, blue=1)
    late.apply({0: "red 12", 1: "yellow 12"})
    assert late.actors == (0,) and "green 7" in moves(late, 0)
    late.apply("green 7")
    assert late.over


def test_no_misthrow_if_the_match_ends_in_the_white_action():
    position = roll(table(3, a1=FIVE_RED, a2="yellow 2 3 4 5 6"), (6, 6))
    position.apply({0: "pass", 1: "red 12", 2: "yellow 12"})
    assert position.over
    assert position.score[0] == 0


def test_fifth_cross_and_lock_in_one_turn():
    """Legal by the rule sheet; the study's engine counts the crosses from before the turn."""
    four = "red 2 3 4 5"
    position = roll(table(a0=four), (4, 6), red=6)
    position.apply({0: "red 10", 1: "pass"})
    assert "red 12" in moves(position, 0)
    study = roll(table(variant="study", a0=four), (4, 6), red=6)
    study.apply({0: "red 10", 1: "pass"})
    assert "red 12" not in moves(study, 0)


def test_white_action_is_decided_on_the_state_before_it():
    position = roll(table(a0=FIVE_RED, a1=FIVE_RED), (6, 6))
    assert position.actors == (0, 1)
    assert "red 12" in moves(position, 0) and "red 12" in moves(position, 1)


def test_two_closed_rows_means_two_colours():
    """Two seats that close the same row do not end the match."""
    position = roll(table(a0=FIVE_RED, a1=FIVE_RED), (6, 6))
    position.apply({0: "red 12", 1: "red 12"})
    assert not position.over


def test_passive_seat_may_take_a_misthrow_only_in_the_study():
    assert "misthrow" not in moves(roll(table(), (3, 4)), 1)
    position = roll(table(variant="study"), (3, 4))
    assert "misthrow" in moves(position, 1) and "misthrow" not in moves(position, 0)
    position.apply({0: "red 7", 1: "misthrow"})
    assert position.score[1] == -5


def test_fourth_misthrow_ends_the_match():
    position = roll(table(a0="misthrows 3"), (3, 4))
    position.apply({0: "pass", 1: "red 7"}).apply("pass")
    assert position.over
    assert position.score == (-20, 1)


def test_highest_possible_score():
    """Two full rows end the match at 78 + 78 + 55 + 55."""
    position = table(a0="red 2 3 4 5 6 7 8 9 10 11, yellow 2 3 4 5 6 7 8 9 10 11")
    put(position, 0, "green 12 11 10 9 8 7 6 5 4 3, blue 12 11 10 9 8 7 6 5 4 3")
    roll(position, (6, 6), red=1, yellow=6)
    position.apply({0: "red 12", 1: "pass"}).apply("yellow 12")
    assert position.over
    assert position.score[0] == 266


def test_row_scores():
    position = table()
    scores = []
    for crosses in range(13):
        position.state["count"][0, 0, 0] = crosses
        scores.append(position.score[0])
    assert scores == [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78]


def test_on_a_sheet_of_mixed_colours_the_die_follows_the_cell():
    position = roll(table(variant="striped"), (1, 2), red=4, yellow=1, green=1, blue=1)
    position.apply({0: "pass", 1: "pass"})
    layout = LAYOUTS[2]
    for move in moves(position, 0) - {"pass"}:
        name, number = move.split()
        row = COLOURS.index(name)
        colour = layout.colours[row][layout.numbers[row].index(int(number))]
        die = int(position.state["coloured"][0, colour])
        assert int(number) - die in (1, 2), move


def test_the_same_seed_gives_the_same_rolls_whatever_is_played():
    game = registry.game("qwixx", 2)
    records = [play(game, [registry.agent(name)] * 2, 11) for name in ("random", "alphaqwixx")]
    rolls = [[event for event in record.events if isinstance(event, str)] for record in records]
    length = min(map(len, rolls))
    assert length > 5
    assert rolls[0][:length] == rolls[1][:length]


def test_records_replay_and_wrong_rolls_are_refused():
    game = registry.game("qwixx", 3, "study")
    record = play(game, [registry.agent("alphaqwixx")] * 3, 5)
    assert replay(record)[-1].over
    position = game.opening(0)
    with pytest.raises(InvalidMove, match="who begins"):
        position.happen("seat 3 begins")
    position.happen("seat 1 begins")
    with pytest.raises(InvalidMove, match="no roll"):
        position.happen("7+1 red 1 yellow 1 green 1 blue 1")


def test_seats_and_variants_are_checked():
    with pytest.raises(SpielwerkError, match="6 seats"):
        registry.game("qwixx", 6)
    assert registry.game("qwixx", 2, "study").variant == "study"


def test_longest_match_stays_within_the_declared_length():
    game = registry.game("qwixx", 5)
    for seed in range(20):
        record = play(game, [registry.agent("random")] * 5, seed)
        assert len(record.events) <= game.spec.longest
