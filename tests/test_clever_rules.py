"""The rules of Ganz schön clever, one test per paragraph and per disputed point."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from spielwerk.core import registry
from spielwerk.core.errors import IllegalMove, InvalidMove
from spielwerk.core.kernel import entry
from spielwerk.core.match import play, replay
from spielwerk.games.clever.kernel import terms
from spielwerk.games.clever.sheets import BONUSES, FOX, PAD, SHEETS

pytestmark = pytest.mark.xdist_group("clever")


def table(seats=1, variant=None, **fields):
    """A position before the first roll of seat 0; fields of the state are for seat 0."""
    game = registry.game("clever", seats, variant)
    position = game.opening(1)
    if seats > 1:
        position.happen("seat 0 begins")
    for name, value in fields.items():
        position.state[name][0, 0] = value
    return position


def moves(position, seat=0):
    return {position.game.spec.moves[action] for action in position.legal(seat)}


def do(position, *said):
    """Moves of seat 0, and rolls, as they are written."""
    for text in said:
        if text in position.game.action_ids:
            position.apply({0: position.game.action(text)})
        else:
            position.happen(text)
    return position


def places(grid, *numbers):
    """A bit set of what is crossed in print and the first places of some numbers."""
    crossed = sum(1 << place for place, printed in enumerate(grid) if printed == 0)
    for number in numbers:
        crossed |= 1 << next(p for p, printed in enumerate(grid) if printed == number and not crossed >> p & 1)
    return crossed


def state(position, name):
    return position.state[name][0]


# --- the sheet --------------------------------------------------------------------------------------------------------


def bonuses(sheet):
    lines = (*sheet.yellow_rows, sheet.yellow_diagonal, *sheet.blue_rows, *sheet.blue_columns)
    return Counter(BONUSES[b] for b in lines + sheet.green_bonuses + sheet.orange_bonuses + sheet.purple_bonuses if b)


def test_the_printed_sheet_adds_up():
    printed, rounds = bonuses(PAD), Counter(BONUSES[b] for b in PAD.rounds if b)
    assert printed["fox"] == 5
    assert printed["re-roll"] + rounds["re-roll"] == 7
    assert printed["+1"] + rounds["+1"] == 7
    assert [printed[f"{area} X"] for area in ("yellow", "blue", "green")] == [3, 3, 3]
    assert printed["orange 4"] + printed["orange 5"] + printed["orange 6"] == 3
    assert printed["purple 6"] == 3 and rounds["black"] == 1
    assert Counter(n for n in PAD.yellow if n) == dict.fromkeys(range(1, 7), 2)
    assert sorted(n for n in PAD.blue if n) == list(range(2, 13))
    cells = sum(n > 0 for n in PAD.yellow) + sum(n > 0 for n in PAD.blue) + 3 * len(PAD.green)
    assert cells == 56


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_sheet_has_a_fox_in_every_area(sheet):
    areas = (sheet.yellow_rows, sheet.blue_rows, sheet.green_bonuses, sheet.orange_bonuses, sheet.purple_bonuses)
    assert [area.count(FOX) for area in areas] == [1] * 5
    assert all(Counter(n for n in sheet.yellow if n)[number] == 2 for number in range(1, 7))
    assert sorted(n for n in sheet.blue if n) == list(range(2, 13))


def test_a_full_sheet_scores_its_maximum():
    full = table()
    full.state["yellow"][0, 0], full.state["blue"][0, 0] = 0xFFFF, 0xFFF
    full.state["green"][0, 0], full.state["orange_sum"][0, 0], full.state["purple_sum"][0, 0] = 11, 96, 66
    full.state["foxes"][0, 0] = 5
    assert full.score == (60 + 56 + 66 + 96 + 66 + 5 * 56,)


# --- rounds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "rounds"), [(1, 6), (2, 6), (3, 5), (4, 4)])
def test_rounds_by_seats(seats, rounds):
    game = registry.game("clever", seats)
    record = play(game, [registry.agent("random")] * seats, seed=5)
    assert int(replay(record)[-1].state["rounds"][0]) == rounds


def test_rounds_bring_a_reroll_a_plus_one_and_a_reroll():
    position = table(3)
    assert state(position, "rerolls").tolist() == [1, 1, 1, 0]
    position = registry.game("clever").new(3)
    while int(state(position, "rounds")) < 3:
        position.play({0: position.legal(0)[0]})
        assert int(state(position, "rounds")) <= 3
    assert int(state(position, "rerolls_spent").sum() + state(position, "rerolls")[0]) >= 2
    assert int(state(position, "extras_spent").sum() + state(position, "extras")[0]) >= 1


def test_the_fourth_round_offers_a_free_choice_to_all_at_once():
    game = registry.game("clever", 3)
    position = game.new(11)
    while not any(state(position, "owed")[:, terms.FREE]):
        position.play({seat: position.legal(seat)[0] for seat in position.actors})
    assert position.actors == (0, 1, 2)
    for seat in position.actors:
        assert moves(position, seat) == {"X green", "orange 6", "purple 6", "free yellow", "free blue"}
    position.play({0: game.action("free yellow"), 1: game.action("orange 6"), 2: game.action("purple 6")})
    assert position.actors == (0,)  # names the place next
    assert all(move.startswith("X yellow") for move in moves(position, 0))
    assert int(state(position, "orange")[1].max()) == 6


# --- active turn ------------------------------------------------------------------------------------------------------


def test_lower_dice_go_to_the_tray_equal_ones_stay():
    position = do(table(), "w3 y1 b3 g2 o3 p6", "orange")
    assert int(state(position, "tray")) == 1 << terms.YELLOW_DIE | 1 << terms.GREEN_DIE
    assert int(state(position, "pool")) == 1 << terms.WHITE_DIE | 1 << terms.BLUE_DIE | 1 << terms.PURPLE_DIE
    assert position.actors == ()


def test_three_picks_or_no_dice_left_end_the_turn():
    position = do(table(), "w1 y2 b1 g1 o6 p1", "orange")
    assert int(state(position, "phase")) == terms.TRAY_ROLL  # no +1 yet: the passive turn follows


def test_a_reroll_rolls_all_dice_just_rolled_and_no_others():
    position = do(table(), "w3 y1 b3 g2 o3 p6", "orange", "w1 b1 p1", "re-roll")
    assert int(state(position, "rolling")) == int(state(position, "pool")) == 0b100101
    assert state(position, "rerolls").tolist()[0] == 0
    with pytest.raises(InvalidMove):
        position.happen("w1 y1 b1 p1")


def test_a_roll_that_fits_nowhere_is_forfeited_and_the_dice_stay():
    position = table(variant="official,wasted_picks=0", rerolls=0, purple_count=1, green=1)
    position.state["purple"][0, 0, 0] = 5
    position.state["orange_count"][0, 0] = 11
    do(position, "w2 y1 b1 g2 o3 p6", "purple")  # only the orange die stays out of the tray … and white, yellow, blue
    assert int(state(position, "rolls")) == 1
    position = table(variant="official,wasted_picks=0", rerolls=0)
    position.state["yellow"][0, 0], position.state["blue"][0, 0] = 0xFFFF, 0xFFF
    position.state["green"][0, 0] = position.state["orange_count"][0, 0] = position.state["purple_count"][0, 0] = 11
    do(position, "w1 y1 b1 g1 o1 p1")
    assert int(state(position, "rolls")) == 1 and int(state(position, "pool")) == terms.ALL_DICE


def test_a_die_that_fits_nowhere_may_be_put_aside():
    strict = do(table(variant="official,wasted_picks=0"), "w1 y1 b1 g1 o1 p1")
    assert not any(move.startswith("waste") for move in moves(strict))
    position = table(orange_count=11)
    assert "waste orange" in moves(do(position, "w2 y1 b1 g1 o1 p1"))
    before = position.score
    do(position, "waste orange")
    assert position.score == before and state(position, "fields").tolist() == [terms.ORANGE_DIE, -1, -1]


def test_blue_is_the_sum_with_white_wherever_the_dice_lie():
    position = do(table(), "w2 y6 b3 g1 o1 p1", "blue")
    assert state(position, "blue")[0] == places(PAD.blue, 5)
    do(position, "y6", "yellow 1-2") if position.actors == () else None
    position = do(table(), "w5 y6 b6 g1 o1 p1", "white blue", "y1 b6")
    assert state(position, "blue")[0] == places(PAD.blue, 11)
    assert "blue" not in moves(position)  # 5 + 6 is crossed
    position = do(table(), "w5 y6 b6 g1 o1 p1", "white blue", "y1 b5")
    assert "blue" in moves(position)  # the white die on its field still counts: 10, a second blue in this turn


# --- passive turn -----------------------------------------------------------------------------------------------------


def test_all_others_take_from_the_tray_at_once():
    position = do(table(3), "w1 y2 b1 g1 o6 p1", "orange")
    assert position.actors == (1, 2)
    for seat in (1, 2):
        assert "pass" in moves(position, seat) and "purple" in moves(position, seat)
        assert "orange" not in moves(position, seat)  # it lies on the field of the active seat
    with pytest.raises(IllegalMove):
        position.play({1: position.game.action("orange"), 2: 0})


def test_field_dice_only_if_no_tray_die_fits():
    position = table(2)
    position.state["yellow"][0, 1], position.state["blue"][0, 1] = 0xFFFF, 0xFFF
    position.state["green"][0, 1] = position.state["purple_count"][0, 1] = 11
    do(position, "w1 y2 b1 g1 o6 p1", "orange")
    assert moves(position, 1) == {"pass", "white orange"}
    position.state["tray"][0] &= 0xFE  # without the white die nothing on the tray fits
    assert moves(position, 1) == {"pass", "orange"}


def test_alone_the_three_lowest_dice_form_the_tray():
    position = do(table(), "w1 y2 b1 g1 o6 p1", "orange")
    with pytest.raises(InvalidMove, match="lowest"):
        position.happen("w1 y2 b3 g4 o5 p6 tray wyp")
    do(position, "w1 y2 b3 g4 o5 p6 tray wyb")
    assert moves(position) >= {"pass", "blue", "white green", "yellow 2-1"} and "purple" not in moves(position)


# --- actions and bonuses ----------------------------------------------------------------------------------------------


def test_plus_one_uses_any_die_once_per_turn():
    position = do(table(extras=2), "w1 y2 b1 g1 o6 p1", "orange")
    assert "orange" in moves(position)  # the die that was picked
    do(position, "orange")
    assert "orange" not in moves(position) and "purple" in moves(position)
    assert state(position, "orange_sum")[0] == 12 and state(position, "extras")[0] == 1
    do(position, "pass")
    assert int(state(position, "phase")) == terms.TRAY_ROLL
    do(position, "w1 y2 b3 g4 o5 p6 tray wyb", "pass")
    assert "orange" in moves(position)  # a new turn


def test_bonuses_chain_and_what_has_one_way_is_taken():
    position = table(green=5, blue=places(PAD.blue, 2, 6))  # green 6 brings a blue X, column 2 of blue a green X
    do(position, "w1 y2 b1 g6 o1 p1", "green")
    assert "X blue 3-2" in moves(position) and "pass" not in moves(position)
    do(position, "X blue 3-2")  # 10: the column is complete, green goes on to the fox of cell 7 by itself
    assert state(position, "green")[0] == 7 and state(position, "foxes")[0] == 1


def test_of_two_bonuses_the_seat_chooses_the_first():
    """Blue 3 completes a row (orange 5) and a column (purple 6)."""
    position = table(blue=places(PAD.blue, 2, 4, 7, 11))
    do(position, "w1 y6 b2 g6 o6 p6", "blue")
    assert moves(position) == {"orange 5", "purple 6"}
    do(position, "purple 6")
    assert state(position, "purple_sum")[0] == 6 and state(position, "orange_sum")[0] == 5


def test_what_cannot_be_placed_is_lost():
    position = table(blue=places(PAD.blue, 2, 4, 7, 11), orange_count=11, purple_count=11)
    do(position, "w1 y6 b2 g6 o6 p6", "blue")
    assert position.actors == () and not state(position, "owed").any()


def test_orange_numbers_are_multiplied_also_those_of_bonuses():
    position = table(orange_count=3, yellow=places(PAD.yellow, 2, 1))  # the 5 completes row 2: orange 4, times 2
    do(position, "w1 y5 b6 g6 o6 p6", "yellow 2-4")
    assert state(position, "orange_sum")[0] == 8 and state(position, "orange")[0, 3] == 4


def test_green_wants_enough_and_purple_more():
    position = table(green=4, purple_count=1)  # green wants a 5
    position.state["purple"][0, 0, 0] = 4
    do(position, "w4 y1 b1 g4 o1 p5")
    assert not {"green", "white green", "white purple"} & moves(position) and "purple" in moves(position)
    position.state["purple"][0, 0, 0] = 6
    assert {"purple", "white purple"} <= moves(position)


def test_the_engine_of_the_thesis_is_loose_in_green_and_purple():
    position = table(variant="thesis", green=4, purple_count=1)
    position.state["purple"][0, 0, 0] = 4
    do(position, "w3 y1 b1 g4 o1 p5")
    assert "white green" in moves(position) and "green" not in moves(position)  # a 3 fits where a 5 is wanted, a 4 not
    assert "white purple" in moves(position)  # since the purple die exceeds the 4


def test_foxes_count_the_lowest_area_and_nothing_if_one_is_empty():
    position = table(yellow=places(PAD.yellow) | 0x111, green=4, orange_sum=20, purple_sum=9, foxes=2)
    assert position.score == (10 + 10 + 20 + 9,)  # blue is empty
    position.state["blue"][0, 0] = places(PAD.blue, 2, 3, 4)
    assert position.score == (10 + 4 + 10 + 20 + 9 + 2 * 4,)


def test_a_tie_goes_to_the_highest_single_area():
    position = table(2)
    position.state["orange_sum"][0, :2] = 20, 10
    position.state["purple_sum"][0, :2] = 5, 15
    results = np.zeros(2)
    position.game.call(entry.result_at, position.state, results)
    assert position.score == (25, 25) and results[0] > results[1]


# --- variants ---------------------------------------------------------------------------------------------------------


def test_the_match_of_the_thesis_ends_with_the_last_pick():
    record = play(registry.game("clever", 1, "thesis"), [registry.agent("random")], seed=3)
    final = replay(record)[-1]
    assert int(final.state["rounds"][0]) == 6 and int(final.state["last_tray"][0]) == 0


@pytest.mark.parametrize(("short_end", "owed"), [(1, True), (2, False)])
def test_bonuses_of_the_very_last_pick_are_taken_or_lost(short_end, owed):
    """The fifth cell of orange brings an X in yellow."""
    position = table(variant=f"thesis,short_end={short_end}", orange_count=4)
    position.state["rounds"] = 6
    do(position, "w1 y1 b1 g1 o1 p1")
    position.state["rolls"] = 2
    do(position, "orange")
    assert position.over is not owed and state(position, "orange_count")[0] == 5
    if owed:
        assert moves(position) and all(move.startswith("X yellow") for move in moves(position))
        do(position, "X yellow 1-1")
    assert position.over
    assert (int(state(position, "yellow")[0]) & 1 == 1) is owed


def test_a_record_of_the_thesis_keeps_the_end_of_its_time():
    clever = registry.game_class("clever")
    assert (
        clever.recorded_variant("thesis", 2) == "thesis,short_end=1"
        and clever.recorded_variant("thesis", 3) == "thesis"
    )
    for variant in ("official", "thesis,short_end=0"):
        assert clever.recorded_variant(variant, 2) == variant


def test_the_yellow_area_alone_pays_86_at_most():
    """Ten rolls mark at most ten of twelve cells."""
    cells = [place for place, number in enumerate(PAD.yellow) if number]
    position = table(variant="yellow")
    best = 0
    for left_out in combinations(cells, 2):
        position.state["yellow"][0, 0] = 0xFFFF & ~sum(1 << place for place in left_out)
        best = max(best, position.score[0])
    assert best == 86
    for dice in (1, 2, 4):
        game = registry.game("clever", 1, f"yellow,yellow_dice={dice}")
        final = replay(play(game, [registry.agent("greedy")], seed=dice))[-1]
        assert int(final.state["rolls"][0]) == 10 and 0 <= final.score[0] <= 86


@pytest.mark.parametrize("text", ["", "w7", "w3 y5", "seat 1 begins", "w1 y2 b3 g4 o5 p6 tray wyb", "bonus fox"])
def test_nonsense_is_no_roll(text):
    position = table()
    with pytest.raises(InvalidMove, match="w1 y2 b3 g4 o5 p6"):
        position.happen(text)
    with pytest.raises(InvalidMove, match="seat 0 begins"):
        registry.game("clever", 2).opening(1).happen("w1")
