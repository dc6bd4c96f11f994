"""DommeAI as the study describes it: its counts against a plain queue, its figures of dead ends, its two strategies."""

import numpy as np
import pytest

from speed_queue import LEGAL, ORDER, Queue, crowded, decided, table, values_of
from spielwerk import testing
from spielwerk.core import registry
from spielwerk.core.clock import Budget, StopSign
from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.kernel.rng import spawn
from spielwerk.games.speed.kernel import rules
from spielwerk.games.speed.players.kernel import board as boards

SMALL = registry.game("speed", 2, "small")
TABLES = [(0, 2, (8, 12)), (1, 2, (16, 20)), (2, 3, (8, 12)), (3, 6, (12, 80)), (5, 3, (16, 20))]


@pytest.mark.parametrize("seed, seats, sides", TABLES)
def test_values_are_those_of_the_queue(seed, seats, sides):
    seen = 0
    for number, position in enumerate(crowded(seed, seats, sides)):
        for seat in position.actors[:2]:
            view, levels = position.view(seat), 1 + (number + seat) % 5
            queue = Queue(view, levels)
            decision = decided(view, f"dommeai:levels={levels},gamma=0.7")
            assert values_of(decision) == pytest.approx(queue.values(0.7))
            assert decision.notes["nodes"] == sum(map(sum, queue.log))
            assert decision.notes["depth"] == len(queue.log)
            assert (decision.notes["dead end"], decision.notes["safe zone"]) == (queue.dead_end, queue.safe_zone)
            seen += 1
    assert seen > 20


def test_levels_that_were_cut_short_do_not_count():
    view = next(crowded(5)).view(0)
    whole = decided(view, "dommeai:levels=5")
    cut = decided(view, f"dommeai:nodes={whole.notes['nodes'] + 3}")
    assert cut.notes["depth"] == 5 and cut.notes["cut short"]
    assert (cut.values, cut.action) == (whole.values, whole.action)
    exact = decided(view, f"dommeai:nodes={decided(view, 'dommeai:levels=6').notes['nodes']}")
    assert exact.notes["depth"] == 6


# --- the choice -------------------------------------------------------------------------------------------------------


def test_a_first_move_that_ends_early_is_worth_less_than_nothing():
    """Left is a pocket of three cells, ahead is the open."""
    view = table(
        """
        #............
        #............
        #............
        #............
        ###..........
        ...^.........
        ####.........
        """
    )
    for levels in (1, 2, 3):
        assert values_of(decided(view, f"dommeai:levels={levels}"))["turn_left"] > 0
    assert values_of(decided(view, "dommeai:levels=4"))["turn_left"] == -1
    assert values_of(decided(view, "dommeai:levels=4"))["slow_down"] == -1, "there is no speed 0"


def test_equal_values_are_decided_in_the_order_of_the_study():
    view = table("###### #....# #.^..# #....# ######".replace(" ", "\n"), speed=1)
    mirrored = decided(view, "dommeai:levels=1,dead_end=no")
    assert values_of(mirrored) == {
        "turn_left": 1,
        "turn_right": 1,
        "slow_down": -1,
        "speed_up": -1,
        "change_nothing": 1,
    }
    assert LEGAL[mirrored.action] == "change_nothing"
    view = table(
        "........... ........... ........... .....^..... ........... ........... ...........".replace(" ", "\n"), 2
    )
    found = decided(view, "dommeai:levels=1,safe_zone=no")
    assert set(found.values) == {1.0} and LEGAL[found.action] == "speed_up"


def test_who_has_no_move_left_drives_on():
    """The program of the study never answers here."""
    found = decided(table("########\n###^####\n########"))
    assert LEGAL[found.action] == "change_nothing"
    assert set(found.values) == {-1.0} and found.notes["depth"] == 0


def test_gamma_weighs_the_levels():
    view = next(crowded(7)).view(1)
    queue = Queue(view, 4)
    for gamma in (0.0, 0.1, 1.0, 2.0):
        found = values_of(decided(view, f"dommeai:levels=4,gamma={gamma},dead_end=no,safe_zone=no"))
        assert found == pytest.approx(queue.values(gamma, strategies=False))


# --- the enemy board --------------------------------------------------------------------------------------------------


def enemy_cells(speed, rounds, way="B"):
    """What is marked for an enemy in the middle of an open board, as steps ahead and to each side."""
    rows = [["."] * 31 for _ in range(31)]
    rows[15][15], rows[30][0] = way, "^"
    view = table("\n".join("".join(row) for row in rows), rounds=rounds, enemy_speed=speed)
    marked = view.game.call(threats_on, view.state, board := np.zeros(boards.PLACES, np.uint8))
    assert marked == np.count_nonzero(board == boards.THREATENED)
    found = []
    for direction in (rules.RIGHT, rules.UP, rules.DOWN, rules.LEFT):
        place = (15 + boards.MARGIN) * boards.STRIDE + 15 + boards.MARGIN
        here = board[place + boards.STEP[direction] * np.arange(1, 15)]
        found.append([int(step) for step in 1 + np.flatnonzero(here == boards.THREATENED)])
    return found


@boards.kernel
def threats_on(states, board):
    boards_lay_out(states[0], board)
    boards_draw_threats(states[0], 0, board)
    marked = 0
    for place in range(board.shape[0]):
        if board[place] == 3:
            marked += 1
    return marked


boards_lay_out, boards_draw_threats = boards.lay_out, boards.draw_threats


def test_the_enemy_board_has_every_cell_that_an_enemy_may_cover():
    assert enemy_cells(1, 0) == [[1, 2], [1], [1], []]
    assert enemy_cells(4, 0) == [[1, 2, 3, 4, 5], [1, 2, 3, 4], [1, 2, 3, 4], []]
    assert enemy_cells(10, 0) == [list(range(1, 11))] * 3 + [[]], "no enemy gets faster than 10"


def test_what_an_enemy_jumps_over_in_any_case_stays_free():
    assert enemy_cells(6, 5) == [[1, 5, 6, 7], [1, 6], [1, 6], []]
    assert enemy_cells(3, 5) == [[1, 2, 3, 4], [1, 3], [1, 3], []], "speed 2 does not jump"
    assert enemy_cells(10, 5) == [[1, 9, 10], [1, 10], [1, 10], []]


def test_the_enemy_board_ends_at_the_border_and_goes_through_trails():
    view = table("##########\n#v.......A\n##.......#\n##########", enemy_speed=4)
    board = np.zeros(boards.PLACES, np.uint8)
    assert view.game.call(threats_on, view.state, board) == 4
    view = table("..........\nv..#.....D\n..........", enemy_speed=9)
    assert view.game.call(threats_on, view.state, board) == 7 + 1 + 1


def test_without_a_way_past_the_enemies_the_plain_board_counts():
    """Both cells ahead may be the enemy's; the own way out goes through them."""
    view = table("#######\n##<.D##\n#######", speed=1)
    view.state["direction"][0, 0] = rules.RIGHT
    found = decided(view, "dommeai:levels=3")
    assert found.notes["enemies' moves avoided"] is False
    assert LEGAL[found.action] == "change_nothing" and values_of(found)["change_nothing"] > 0
    alone = table("#######\n##<.###\n#######", speed=1)
    alone.state["direction"][0, 0] = rules.RIGHT
    assert decided(alone, "dommeai:levels=3").notes["enemies' moves avoided"] is True


def test_what_enemies_may_cover_is_blocked_for_the_whole_search():
    view = table(".........\n.........\n>......D.\n.........\n.........", speed=1)
    with_it, without = decided(view, "dommeai:levels=4"), decided(view, "dommeai:levels=4,enemy_board=no")
    assert with_it.notes["nodes"] == sum(map(sum, Queue(view, 4).log)) < without.notes["nodes"]


# --- dead ends --------------------------------------------------------------------------------------------------------


def room(picture):
    """The T-distance of the own head."""
    return decided(table(picture), "dommeai:levels=1,enemy_board=no").notes["T-distance"]


FIGURE_2 = """
    ###########
    #.........#
    #......####
    #......####
    #......####
    #...^..####
    #...#..####
    #...#..####
    #...#..####
    #...#..####
    #####..####
    #####..####
    ###########
    """


def test_the_example_of_figures_2_to_6():
    """Left 3 + 4, ahead 4 + 3 (to the right only 2 of 5 cells, the rest is a gap one cell wide), right 2 + 6."""
    assert room(FIGURE_2) == 8
    lines = FIGURE_2.split()
    no_right = [line[:5] + "##" + line[7:] if y > 4 else line for y, line in enumerate(lines)]
    assert room("\n".join(no_right)) == 7
    gaps = [line[:1] + "###" + line[4:] if y != 1 else line for y, line in enumerate(no_right)]
    assert room("\n".join(gaps)) == 4 + 2, "in a gap only what has an open cell beside it counts"


def test_the_example_of_figure_7():
    """Ahead 0, left 3 + 8, right 2 + 10: the last two cells to the right have nothing beside them."""
    figure_7 = """
        ##########
        ##########
        #...^....#
        #..##..###
        #..##..###
        #..##..###
        #..##..###
        #..##..###
        #..##..###
        #..##..###
        #..##..###
        #####..###
        #####..###
        ##########
        """
    assert room(figure_7) == 12
    assert room(figure_7.replace("#...^....#", "#...^#####")) == 11


def test_a_way_without_any_turn_is_no_room():
    assert room("#########\n#>......#\n#########") == 0


def test_an_open_board_is_no_dead_end():
    found = decided(table("\n".join(["." * 40] * 20 + ["...^" + "." * 36] + ["." * 40] * 20)), "dommeai:levels=1")
    assert found.notes["T-distance"] > 35 and not found.notes["dead end"]


PRISON = """
    ...............................
    ...............................
    ...............................
    ...............................
    ###########....................
    #.........#....................
    #.........#....................
    #.........#....................
    #.>.......#....................
    #.........#....................
    #.........#....................
    #.........#....................
    ###########....................
    ...............................
    ...............................
    """


def test_a_jump_out_of_a_dead_end_is_preferred_however_far_it_is():
    """The jump comes with the third move."""
    view = table(PRISON, speed=3, rounds=3)
    plain, biased = (decided(view, f"dommeai:levels=3,dead_end={on}") for on in ("no", "yes"))
    assert biased.notes["dead end"] and not plain.notes["dead end"]
    before, after = values_of(plain), values_of(biased)
    gains = {name: after[name] - before[name] for name in ORDER if after[name] >= 0}
    assert set(gains.values()) == {0.0, 500.0}, "once, whatever the number of jumps, and not for every move"
    assert gains == {name: 500.0 * (ORDER.index(name) in Queue(view, 3).escapes) for name in gains}
    assert not any(values_of(decided(view, "dommeai:levels=2"))[name] >= 500 for name in ORDER), "not seen yet"


def test_a_jump_that_comes_at_once_is_preferred():
    view = table(PRISON.replace("#.>.......#", "#.......>.#"), speed=3, rounds=5)
    found = decided(view, "dommeai:levels=1,dead_end_bias=70")
    assert values_of(found)["change_nothing"] == values_of(found)["speed_up"] == 71
    assert values_of(found)["slow_down"] == -1, "the wall is two cells away"
    assert LEGAL[found.action] == "speed_up"
    assert set(decided(view, "dommeai:levels=1,dead_end_limit=8").values) == {1.0, -1.0}, "is no dead end then"


def test_a_jump_into_another_dead_end_is_not_preferred():
    found = table("#########\n#...>.#.#\n#.....#.#\n#########", speed=3, rounds=5)
    assert values_of(decided(found, "dommeai:levels=1"))["change_nothing"] == 1


def test_a_jump_over_nothing_is_not_preferred():
    board = np.zeros(boards.PLACES, np.uint8)
    place = 40 * boards.STRIDE + 40
    call = SMALL.call
    assert not call(boards.over_a_trail, board, place, 1, 4)
    for cell, over in ((1, False), (2, True), (3, True), (4, False)):
        board[:] = 0
        board[place + cell] = boards.TAKEN
        assert call(boards.over_a_trail, board, place, 1, 4) == over
        board[place + cell] = boards.PLANNED
        assert not call(boards.over_a_trail, board, place, 1, 4), "the trail of the plan is not on the board yet"


# --- safe zones -------------------------------------------------------------------------------------------------------


def test_a_safe_zone_changes_the_first_level_of_the_two_speeds():
    rows = [["."] * 45 for _ in range(45)]
    rows[40][40], rows[5][5] = "^", "C"
    view = table("\n".join("".join(row) for row in rows), speed=4)
    safe, plain = decided(view, "dommeai:levels=3"), decided(view, "dommeai:levels=3,safe_zone=no")
    assert safe.notes["safe zone"] and not plain.notes["safe zone"]
    gains = {name: values_of(safe)[name] - values_of(plain)[name] for name in ORDER}
    assert gains == {"speed_up": -0.5, "slow_down": 0.5, "change_nothing": 0, "turn_left": 0, "turn_right": 0}
    whole = values_of(decided(view, "dommeai:levels=3,safe_zone_levels=all"))
    assert whole["slow_down"] == pytest.approx(1.5 * values_of(plain)["slow_down"])
    assert whole["speed_up"] == pytest.approx(0.5 * values_of(plain)["speed_up"])
    assert not decided(view, "dommeai:levels=3,safe_zone_distance=70").notes["safe zone"], "35 + 35 is not above 70"
    assert decided(view, "dommeai:levels=3,safe_zone_distance=69").notes["safe zone"]


# --- budgets and the rest of the house --------------------------------------------------------------------------------


def test_it_stops_at_the_sign_and_answers_from_finished_levels():
    view = registry.game("speed", 2).new(3).view(0)
    sign = StopSign()
    sign.set()
    stopped = decided(view, "dommeai:levels=60", Budget(sign=sign))
    assert stopped.notes["depth"] == 4 and stopped.notes["cut short"]
    assert stopped.values == decided(view, "dommeai:levels=4").values
    assert decided(view, "dommeai:least=2", Budget(sign=sign)).notes["depth"] == 4 - 2
    timed = decided(view, "dommeai:seconds=0.02,levels=1")
    assert timed.notes["depth"] >= 4, "time takes the place of levels"
    assert registry.agent("dommeai:preset=study")._within(Budget(deadline=5.0)).deadline == pytest.approx(4.7)
    assert registry.agent("dommeai:preset=study")._within(Budget()).ends() is None


def test_playouts_of_a_budget_are_nodes():
    view = registry.game("speed", 2).new(3).view(0)
    asked = decided(view, "dommeai:levels=2", Budget(playouts=20_000))
    assert asked == decided(view, "dommeai:nodes=20000")
    assert 1000 < asked.notes["nodes"] <= 20_000


def test_the_notes_say_what_the_picture_of_the_study_says():
    view = table(PRISON, speed=3, rounds=270)
    notes = decided(view).notes
    assert (notes["rounds to the next jump"], notes["dead end"]) == (5, True)
    assert decided(table(PRISON, speed=3, rounds=275)).notes["rounds to the next jump"] == 0
    assert notes["next move"] in LEGAL
    assert all(isinstance(value, int | bool | str) for value in notes.values())


@pytest.mark.parametrize("spec", ["dommeai:levels=3", "dommeai:nodes=3000"])
def test_it_behaves_as_agents_do(spec):
    game = registry.game("speed", 3, "small,no_answer=1")
    testing.check_agent(registry.agent(spec), game, seed=1, most=6)
    testing.check_match(registry.agent(spec), game, seed=2)


def test_it_plays_playouts_of_other_searches():
    game = registry.game("speed", 2, "small")
    mc = registry.agent("mc:iterations=2,rollout_depth=5,playouts=(dommeai:levels=1)")
    assert mc.decide(game.new(0).view(0), Budget(), spawn(0)).action in range(5)


def test_what_it_cannot_do_it_says():
    with pytest.raises(Unfit, match="it knows spe_ed only"):
        registry.agent("dommeai").require(registry.game("2048"))
    with pytest.raises(SpielwerkError, match="levels goes from 1 to 64, not 65"):
        registry.agent("dommeai:levels=65")
    assert registry.agent("dommeai:seconds=1").policy(SMALL) is None
