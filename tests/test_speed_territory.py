"""territory, the strongest player of spe_ed: floods on bits, its search against a plain one, and what it sees."""

import numpy as np
import pytest

from spielwerk.core import registry
from spielwerk.core.clock import Budget, StopSign
from spielwerk.core.kernel.entry import apply_at, policy_at
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import kernel, specialise
from spielwerk.games.speed.game import ACTIONS
from spielwerk.games.speed.kernel.rules import STEP_X, STEP_Y
from spielwerk.games.speed.players.kernel.bits import count, edges, free_cells, put
from spielwerk.games.speed.players.kernel.room import (
    MINE,
    MOST_ROUNDS,
    NEVER,
    THEIRS,
    TOUCHING,
    filling,
    flood,
    new_boards,
    territory,
)
from spielwerk.games.speed.players.kernel.space import ALONE, FOE_SEAT, LOST, ME, WON, prepare
from spielwerk.games.speed.players.kernel.territory import (
    SURELY_LOST,
    judge,
    my_move,
    set_up,
    undo,
    way_out_at,
    worth_at,
)
from spielwerk.games.speed.players.territory import PLANS, Territory, new_space
from spielwerk.testing import check_agent
from test_speed_rules import drawn


@kernel
def territory_at(states, boards, paces, late, jump, answer):
    s = states[0]
    free_cells(s, boards.free)
    for word in range(boards.my_front.shape[0]):
        boards.my_front[word] = 0
        boards.their_front[word] = 0
    put(boards.my_front, np.int64(s.x[0]), np.int64(s.y[0]))
    for other in range(1, s.seats):
        put(boards.their_front, np.int64(s.x[other]), np.int64(s.y[other]))
    first, last = np.int64(s.y[0]), np.int64(s.y[0])
    for seat in range(s.seats):
        first, last = min(first, np.int64(s.y[seat])), max(last, np.int64(s.y[seat]))
    territory(boards, s.width > 64, np.int64(s.height), first, last, paces[0], paces[1], late, jump, answer)
    return edges(boards.mine, s.width > 64)


@kernel
def flood_at(states, boards, x, y):
    s = states[0]
    free_cells(s, boards.free)
    return flood(boards.free, s.width > 64, np.int64(s.height), x, y, boards)


@kernel
def free_at(states, boards):
    free_cells(states[0], boards.free)
    return count(boards.free)


@kernel
def filling_at(states, boards, seat, hand, path):
    s = states[0]
    free_cells(s, boards.free)
    x, y = np.int64(s.x[seat]), np.int64(s.y[seat])
    direction, speed = np.int64(s.direction[seat]), np.int64(s.speed[seat])
    return filling(boards, s.width > 64, np.int64(s.height), x, y, direction, speed, hand, path)


def in_mid_match(seed, seats=2, variant="official", rounds=40):
    """A position after some rounds of careful driving, or the last one before the end."""
    game = registry.game("speed", seats, variant)
    position, driver = game.new(seed), registry.agent("safe")
    for number in range(rounds):
        moves = {
            seat: driver.decide(position.view(seat), Budget(), spawn(seed, number, seat)) for seat in position.actors
        }
        after = position.copy().apply({seat: move.action for seat, move in moves.items()})
        if after.over:
            break
        position = after
    return position


def grid_of(position):
    s = position.state[0]
    width, height = int(s["width"]), int(s["height"])
    return s["cells"][: width * height].reshape(height, width) == 0


def by_steps(position, paces, late=0.0, jump=NEVER):
    """Territory, cell by cell: who arrives first; a tie belongs to nobody. The second jumps over walls of up to three
    cells in the round `jump` and in every sixth after it."""
    free, s = grid_of(position), position.state[0]
    owner = {}
    fronts = [
        {(int(s["x"][0]), int(s["y"][0]))},
        {(int(s["x"][n]), int(s["y"][n])) for n in range(1, position.game.seats)},
    ]
    times = [late + 1 / paces[0], 1 / paces[1]]
    met = False
    heads = set(fronts[1])

    def beside(front):
        near = {(x + dx, y + dy) for x, y in front for dx, dy in zip(STEP_X, STEP_Y, strict=True)}
        inside = {(x, y) for x, y in near if 0 <= x < free.shape[1] and 0 <= y < free.shape[0]}
        return {(x, y) for x, y in inside if free[y, x] and (x, y) not in owner}

    def is_free(x, y):
        return 0 <= x < free.shape[1] and 0 <= y < free.shape[0] and bool(free[y, x])

    def landings():
        for x, y in heads | {cell for cell, who in owner.items() if who == 1}:
            for dx, dy in zip(STEP_X.tolist(), STEP_Y.tolist(), strict=True):
                behind = [(x + step * dx, y + step * dy) for step in range(1, 6)]
                walls = [not is_free(*cell) for cell in behind]
                for wall in (1, 2, 3):
                    if not walls[0] and all(walls[1 : 1 + wall]) and is_free(*behind[1 + wall]):
                        yield behind[1 + wall]

    while any(fronts) or jump < NEVER:
        if jump < min((time for time, front in zip(times, fronts, strict=True) if front), default=NEVER):
            landed = {cell for cell in landings() if cell not in owner}
            if landed and not fronts[1]:
                times[1] = jump + 1 / paces[1]
            fronts[1] |= landed
            owner |= dict.fromkeys(landed, 1)
            jump = jump + 6 if any(fronts) else NEVER
            continue
        due = [bool(front) for front in fronts]
        if all(due) and abs(times[0] - times[1]) > 1e-6:
            due = [times[0] < times[1], times[1] < times[0]]
        new = [beside(front) if now else set() for front, now in zip(fronts, due, strict=True)]
        both = new[0] & new[1]
        met = met or bool(both)
        for who in (0, 1):
            if due[who]:
                fronts[who] = new[who] - both
                times[who] += 1 / paces[who]
                owner |= dict.fromkeys(fronts[who], who)
        owner |= dict.fromkeys(both, 2)
    mine = {cell for cell, who in owner.items() if who == 0}
    theirs = {cell for cell, who in owner.items() if who == 1}
    mine_and_head = mine | {(int(s["x"][0]), int(s["y"][0]))}
    theirs_and_heads = theirs | {(int(s["x"][n]), int(s["y"][n])) for n in range(1, position.game.seats)}
    touching = met or any(
        (x + int(dx), y + int(dy)) in theirs_and_heads
        for x, y in mine_and_head
        for dx, dy in zip(STEP_X, STEP_Y, strict=True)
    )
    pairs = sum((x + 1, y) in mine for x, y in mine) + sum((x, y + 1) in mine for x, y in mine)
    return len(mine), len(theirs), touching, pairs


@pytest.mark.parametrize("variant", ["small", "official,width=64,height=41", "official,width=80,height=45"])
@pytest.mark.parametrize("paces", [(1.0, 1.0), (1.0, 2.0), (1.5, 1.0)])
def test_territory_is_who_arrives_first(variant, paces):
    for seed, seats in ((1, 2), (2, 3), (3, 6)):
        position = in_mid_match(seed, seats, variant)
        boards, answer = new_boards(), np.zeros(3, np.int64)
        pairs = position.game.call(territory_at, position.state, boards, np.array(paces), 0.0, NEVER, answer)
        found = int(answer[MINE]), int(answer[THEIRS]), bool(answer[TOUCHING]), int(pairs)
        assert found == by_steps(position, paces)
        assert position.game.call(free_at, position.state, boards) == grid_of(position).sum()


@pytest.mark.parametrize("variant", ["small", "official,width=64,height=41", "official,width=80,height=45"])
@pytest.mark.parametrize("paces", [(1.0, 1.0), (1.5, 1.0)])
def test_those_who_jump_arrive_behind_walls(variant, paces):
    differs = 0
    for seed in range(6):
        position = in_mid_match(seed, 2, variant, 150)
        boards, answer = new_boards(), np.zeros(3, np.int64)
        late, jump = 1.5 * (seed % 2), 1.0 + seed
        position.game.call(territory_at, position.state, boards, np.array(paces), late, jump, answer)
        expected = by_steps(position, paces, late, jump)
        assert (int(answer[MINE]), int(answer[THEIRS])) == expected[:2]
        differs += expected[:2] != by_steps(position, paces, late)[:2]
    assert differs, "nobody has jumped"


def test_a_flood_counts_the_cells_of_a_space():
    position = drawn("""
        .  .  .  1  .  .  .  .
        .  .  .  1  .  .  .  .
        1  1  1  1> .  2  2  2
        .  .  .  .  .  2v .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
    """)
    boards = new_boards()
    assert position.game.call(flood_at, position.state, boards, 0, 0) == 6
    assert position.game.call(flood_at, position.state, boards, 5, 0) == 64 - 6 - 6 - 4


@pytest.mark.parametrize(("hand", "least"), [(1, 15), (3, 15)])
def test_a_filler_uses_a_space_along_its_walls(hand, least):
    """Four rows of four, entered in a corner: all sixteen cells but the one it stands on can be driven."""
    position = drawn("""
        1v .  .  .  2  .  .  .
        .  .  .  .  2  .  .  .
        .  .  .  .  2  .  .  .
        .  .  .  .  2> .  .  .
        2  2  2  2  2  .  .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
    """)
    assert position.game.call(filling_at, position.state, new_boards(), 0, hand, new_path()) >= least


def test_a_filler_does_not_enter_the_smaller_of_two_spaces():
    """Ahead is a wall: to the left (east) are two cells, to the right nine."""
    position = drawn("""
        2  2  2  2  2  2  2  2
        .  .  .  1v .  .  2  .
        .  .  .  2  2  2  2  .
        .  .  .  2  .  .  2  .
        2  2  2  2  .  .  2  .
        .  .  .  .  .  .  2  .
        .  .  .  .  .  .  2> .
        .  .  .  .  .  .  .  .
    """)
    assert position.game.call(filling_at, position.state, new_boards(), 0, 3, new_path()) == 9


# --- the search -------------------------------------------------------------------------------------------------------


def new_path():
    return np.zeros((MOST_ROUNDS + 1, 4), np.int64)


def test_what_a_filler_drives_can_be_driven():
    """The heads that it leaves behind, played by the rules: it does not die before it is stuck, and then it is."""
    driven = fast = 0
    for seed in range(12):
        position = in_mid_match(seed, 3, "small", 12)
        seat = position.actors[0]
        position.state["speed"][0, seat] = 1 + seed % 4
        path = new_path()
        lasts = position.game.call(filling_at, position.state, new_boards(), seat, 1 + 2 * (seed % 2), path)
        for number in range(min(lasts, MOST_ROUNDS)):
            turn, faster = (path[number + 1, 2] - path[number, 2]) & 3, path[number + 1, 3] - path[number, 3]
            move = {(0, 0): "change_nothing", (0, -1): "slow_down", (1, 0): "turn_right", (3, 0): "turn_left"}
            action = ACTIONS.index(move[turn, faster])
            assert lives(position, seat, action)
            drive(position, seat, action)
            head = [int(position.state[name][0, seat]) for name in ("x", "y", "direction", "speed")]
            assert head == path[number + 1].tolist()
            driven, fast = driven + 1, fast + (head[3] > 1)
        if lasts < MOST_ROUNDS and position.state["speed"][0, seat] == 1:
            straight = [ACTIONS.index(move) for move in ("turn_left", "turn_right", "change_nothing")]
            assert not any(lives(position, seat, action) for action in straight)
    assert driven > 200 and fast > 5


@kernel
def judge_at(space, states, seat):
    prepare(space, states[0], seat)
    return judge(space, 0, True)


@kernel
def prepare_at(space, states, seat):
    prepare(space, states[0], seat)


@kernel
def set_up_at(space, states, seat):
    set_up(space, states[0], seat)


def plain_worth(agent, position, depth, now, level=0, first=None):
    """The same search, written as people think of it: the real rules, all answers, the worst of them. `now` is what the
    position that it began with is worth."""
    legal = range(5) if first is None else (first,)
    best = -np.inf
    for mine in legal:
        if not lives(position, 0, mine) or too_fast(agent, position, mine):
            best = max(best, LOST + level)
            continue
        worst = np.inf
        for theirs in range(5):
            after = position.copy().apply({0: mine, 1: theirs})
            alive = int(after.state["alive"][0])
            if alive == 0:
                value = now - agent.both_out
            elif alive == 1:
                value = WON - level
            elif alive == 2:
                raise AssertionError("the other one lived on, and the own move was safe")
            elif level + 1 == depth:
                value = float(after.game.call(judge_at, new_space(agent.weights()), after.state, 0))
                value += level + 1 if value < SURELY_LOST else 0  # later is a little better
            else:
                value = plain_worth(agent, after, depth, now, level + 1)
            worst = min(worst, value)
        best = max(best, worst)
    return best


def lives(position, seat, action):
    """Whether a move survives if nobody else moves."""
    copy = position.copy()
    drive(copy, seat, action)
    return bool(copy.state["alive"][0] >> seat & 1)


def drive(position, seat, action):
    """A round in which nobody else moves."""
    phase, others = int(position.state["phase"][0]), int(position.state["alive"][0]) & ~(1 << seat)
    position.state["alive"][0] = 1 << seat
    joint = np.zeros(position.game.seats, np.int64)
    joint[seat] = action
    position.game.call(apply_at, position.state, joint)
    position.state["alive"][0] |= others
    position.state["phase"][0] = phase


def too_fast(agent, position, action):
    return ACTIONS[action] == "speed_up" and position.state["speed"][0, 0] + 1 > agent.fastest


@pytest.mark.parametrize("seed", range(4))
def test_the_search_finds_what_a_plain_one_finds(seed):
    position = in_mid_match(seed, 2, "width=16,height=12", 3 + seed)
    agent = Territory(contact=160.0, fastest=10.0)
    space = new_space(agent.weights())
    position.game.call(set_up_at, space, position.state, 0)
    assert space.numbers[FOE_SEAT] == 1, "the two are apart already"
    now = float(position.game.call(judge_at, new_space(agent.weights()), position.state, 0))
    for depth in (1, 2):
        for action in range(5):
            found = position.game.call(worth_at, space, position.state, 0, action, depth, np.zeros(1, np.int64))
            assert found == pytest.approx(plain_worth(agent, position, depth, now, first=action))


# --- what it plays ----------------------------------------------------------------------------------------------------


def chosen(position, agent="territory", seat=0, **budget):
    return ACTIONS[registry.agent(agent).decide(position.view(seat), Budget(**budget), spawn(1)).action]


def test_it_jumps_out_of_a_pocket_that_is_too_small():
    """Speed 3 in round 6: over the wall ahead lies the rest of the board; in the pocket there is nothing to live on."""
    position = drawn(
        """
        .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .
        2  2  2  .  .  .  .  .  .  .
        .  .  2  .  .  .  .  .  .  .
        1> .  2  .  .  .  .  .  .  .
        2  2  2  .  .  .  .  .  2v .
        .  .  .  .  .  .  .  .  .  .
        """,
        speeds={1: 3},
        rounds=5,
    )
    for spec in ("territory", "territory:depth=1"):
        after = position.copy().apply({0: chosen(position, spec), 1: "change_nothing"})
        assert after.state["alive"][0] & 1 and (after.state["x"][0, 0] > 2 or after.state["y"][0, 0] < 3)


def test_it_prepares_a_jump_that_is_some_rounds_away():
    """Speed 1 after round 3: two rounds to speed up, the third to jump over the wall; all else ends in the pocket."""
    position = drawn(
        """
        .  .  .  .  .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .  .  .  .  .
        2  2  2  2  2  2  2  2  2  .  .  .  .  .
        .  1> .  .  .  .  .  .  2  .  .  .  .  .
        2  2  2  2  2  2  2  2  2  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .  .  .  2^ .
        """,
        rounds=3,
    )
    for number in range(3):
        move = chosen(position)
        assert move == "speed_up" if number < 2 else move in ("speed_up", "change_nothing")
        position.apply({0: move, 1: "change_nothing"})
    assert position.state["x"][0, 0] > 8 and position.state["alive"][0] & 1


THICK_WALLS = """
    .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
    .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
    .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
    2  2  2  2  2  2  2  2  2  2  2  .  .  .  .  .
    2  2  2  2  2  2  2  2  2  2  2  .  .  .  .  .
    1> .  .  .  .  .  .  .  .  2  2  .  .  .  .  .
    .  .  .  .  .  .  .  .  .  2  2  .  .  .  .  .
    .  .  .  .  .  .  .  .  .  2  2  .  .  .  .  .
    2  2  2  2  2  2  2  2  2  2  2  .  .  .  .  .
    2  2  2  2  2  2  2  2  2  2  2  .  .  .  .  .
    .  .  .  .  .  .  .  .  .  .  .  .  .  .  2^ .
"""


@pytest.mark.parametrize("spec", ["territory:leaves=20,lead=0", "territory:depth=1,lead=0"])
@pytest.mark.parametrize("rounds", range(6))
def test_it_fills_its_space_and_jumps_over_a_thick_wall_before_it_is_too_late(spec, rounds):
    """Two cells of wall take speed 4, which the search never drives by itself: three rounds of run-up for a round of a
    jump. Before that it uses the space: who leaves in the first round in which one can wastes it, where the others do
    not come nearer meanwhile."""
    position = drawn(THICK_WALLS, rounds=rounds)
    limit = {"seconds": 600.0} if "depth" in spec else {}
    began, told = rounds, []
    while 5 <= position.state["y"][0, 0] <= 7 and position.state["x"][0, 0] < 9:
        decision = registry.agent(spec).decide(position.view(0), Budget(**limit), spawn(1))
        told.append(decision.notes.get("rounds to the jump out"))
        assert lives(position, 0, decision.action), "it is stuck"
        drive(position, 0, decision.action)
    assert told[-1] == 1
    assert position.state["rounds"][0] >= began + 8


def test_nobody_looks_for_a_way_out_where_there_is_none():
    position = drawn("""
        2  2  2  2  2  2  2  2
        2  2  2  2  2  2  2  2
        1> .  .  .  .  2  2  2
        .  .  .  .  .  2  2  2
        2  2  2  2  2  2  2  2
        2  2  2  2  2  2  2  2
        2  2  2  2  2  2  2  2
        2  2  2  2  2  2  2  2^
    """)
    assert way_out_of(position)[2] == 0


def way_out_of(position, **weights):
    """The worth of the best way out, its first action, and how many rounds away the jump is."""
    space = new_space(Territory(**weights).weights())
    out = position.game.call(way_out_at, space, position.state, 0, np.zeros(1, np.int64))
    assert space.numbers[ALONE]
    return out


def test_it_looks_for_later_jumps_only_where_its_space_does_not_last():
    soon, late = (way_out_of(drawn(THICK_WALLS), patience=patience, lead=0.0)[2] for patience in (10.0, 80.0))
    assert 0 < soon <= 12 < late


def test_a_hole_behind_the_wall_is_no_way_out():
    """Speed 3 in round 6: the jump ahead leads to a single cell, and to the right there are nine rounds to drive."""
    position = drawn(
        """
        2  2  2  2  2  2  2  2  2  2  2
        2  2  2  2  2  2  2  2  2  2  2
        2  1> .  2  .  2  2  2  2  2  2
        2  .  2  2  2  2  2  2  2  2  2
        2  .  2  2  2  2  2  2  2  2  2
        2  .  .  .  .  .  .  .  .  .  2
        2  2  2  2  2  2  2  2  2  2  2
        2  2  2  2  2  2  2  2  2  2  2^
        """,
        speeds={1: 3},
        rounds=5,
    )
    decision = registry.agent("territory").decide(position.view(0), Budget(), spawn(1))
    assert ACTIONS[decision.action] == "turn_right" and "rounds to the jump out" not in decision.notes


def test_it_also_leaves_a_space_that_it_shares():
    """Speed 2 after round 3: together in a narrow room, and the whole board behind a wall that speed 5 carries over."""
    position = drawn(
        """
        .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
        1  1  1  1  1  1  1  1  1  1  1  1  .  .  .  .  .  .  .  .
        1> .  .  .  .  .  .  .  .  1  1  1  .  .  .  .  .  .  .  .
        2> .  .  .  .  .  .  .  .  1  1  1  .  .  .  .  .  .  .  .
        1  1  1  1  1  1  1  1  1  1  1  1  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
        """,
        speeds={1: 2},
        rounds=3,
    )
    space = new_space(Territory().weights())
    position.game.call(set_up_at, space, position.state, 0)
    assert not space.numbers[ALONE]
    for limit in ({}, {"seconds": 600.0}):
        decision = registry.agent("territory:depth=2").decide(position.view(0), Budget(**limit), spawn(1))
        assert ACTIONS[decision.action] == "speed_up" and decision.notes["rounds to the jump out"] == 3


def test_who_has_no_choice_is_judged_where_it_leads():
    """At speed 2 the only move leads into a corridor of three cells that has no end to live on; at speed 1 there is the
    rest of the board."""
    board = """
        .  .  .  .  .  .  .  .
        2  2  2  2  .  .  .  .
        .  .  1> .  2  .  .  .
        .  2  .  2  2  .  .  .
        .  2  2  2  .  .  .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  2^
    """
    for speed, lost in ((2, True), (1, False)):
        position = drawn(board, speeds={1: speed})
        agent = Territory(contact=160.0)
        value = float(position.game.call(judge_at, new_space(agent.weights()), position.state, 0))
        assert (value < SURELY_LOST) == lost


@pytest.mark.parametrize(("speed", "rounds", "alone"), [(1, 4, False), (1, 5, True), (2, 5, False), (2, 2, True)])
def test_behind_a_wall_nobody_is_alone_just_before_a_jump(speed, rounds, alone):
    """A jump is one round away after round 5, at speed 3 or more; after round 2 it is too far away to be searched."""
    position = drawn(
        """
        .  .  .  .  2  .  .  .  .  .
        .  .  .  .  2  .  .  .  .  .
        .  .  .  .  2  .  .  .  .  .
        .  1> .  .  2  .  .  2< .  .
        .  .  .  .  2  .  .  .  .  .
        .  .  .  .  2  .  .  .  .  .
        """,
        speeds={2: speed},
        rounds=rounds,
    )
    space = new_space(Territory().weights())
    position.game.call(set_up_at, space, position.state, 0)
    assert bool(space.numbers[ALONE]) == alone and (space.numbers[FOE_SEAT] == -1) == alone


def test_it_never_dies_at_once_if_it_can_help_it():
    for seed in range(12):
        position = in_mid_match(seed, 2 + seed % 5, "small", 30)
        for seat in position.actors:
            legal = [action for action in range(5) if lives(position, seat, action)]
            if legal:
                assert ACTIONS.index(chosen(position, "territory:leaves=40,fastest=10", seat)) in legal


def test_it_keeps_off_a_cell_that_the_other_one_takes_too():
    """Both could take the cell between them: whoever does may crash. There is room elsewhere for both."""
    position = drawn("""
        .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .
        .  .  1  1> .  2< 2  .  .
        .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .
    """)
    assert chosen(position) in ("turn_left", "turn_right")


@pytest.mark.parametrize("pocket", [False, True])
def test_threads_change_nothing_and_a_rule_plays_what_the_agent_decides(pocket):
    position = drawn(THICK_WALLS) if pocket else in_mid_match(5, 2, "small", 20)
    values = [
        registry.agent(spec).decide(position.view(0), Budget(seconds=600), spawn(1)).values
        for spec in ("territory:depth=3", "territory:depth=3,threads=2")
    ]
    assert values[0] == values[1]
    agent = registry.agent("territory:leaves=50")
    rule = agent.policy(position.game)
    play = specialise(policy_at, position.game, policy=rule.function)
    scratch = position.game.scratch(rule.room)
    decided = agent.decide(position.view(0), Budget(), spawn(1)).action
    assert play(position.state, 0, rule.weights, scratch, spawn(1)) == decided


def test_it_stops_at_the_sign_and_answers_when_the_time_is_up():
    position = registry.game("speed", 2, "official").new(3)
    sign = StopSign()
    sign.set()
    endless = registry.agent("territory:leaves=1000000000")
    decision = endless.decide(position.view(0), Budget(sign=sign), spawn(1))
    assert decision.notes["depth"] <= 1 and ACTIONS[decision.action] == "change_nothing"
    decision = registry.agent("territory").decide(position.view(0), Budget(seconds=0.0), spawn(1))
    if decision.notes["depth"]:  # on a slow machine not even the last chance is long enough
        assert lives(position, 0, decision.action)


@kernel
def my_moves_at(space, states, number, out):
    """Whether each own move survives, for the search."""
    prepare(space, states[0], 0)
    for action in range(5):
        out[action] = my_move(space, 0, action, number)
        undo(space, 0, ME)


@pytest.mark.parametrize("size", ["80x80", "80x76", "64x80", "20x9"])
def test_the_search_knows_every_border_at_every_speed(size):
    """Also when a jump lands far beside the board."""
    width, height = map(int, size.split("x"))
    game = registry.game("speed", 2, f"width={width},height={height}")
    space, found = new_space(Territory(fastest=10.0).weights()), np.zeros(5, np.int64)
    corners = [(x, y) for x in (1, 5, width - 2, width - 6) for y in (0, 2, 5, height - 1, height - 3, height - 6)]
    for x, y in corners:
        for number, direction in enumerate(("up", "right", "down", "left")):
            position = game.opening().happen(f"{size}; {x},{y} {direction}; {width // 2},{height // 2} down")
            for speed, rounds in ((1, 3), (4, 5), (7, 5), (10, 5), (10, 2)):
                position.state["speed"][0, 0], position.state["rounds"] = speed, rounds
                game.call(my_moves_at, space, position.state, rounds + 1, found)
                expected = [lives(position, 0, action) for action in range(5)]
                assert found.astype(bool).tolist() == expected, (size, x, y, number, speed, rounds)


def test_who_is_surrounded_at_once_is_not_alone():
    """The other one is faster and takes both free cells beside the head first."""
    position = drawn(
        """
        .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  2  .  .  .  .
        .  .  .  .  2  1> .  .  .  .
        .  .  .  .  .  .  2^ .  .  .
        .  .  .  .  .  .  .  .  .  .
        """,
        speeds={2: 3},
    )
    space = new_space(Territory(their_pace=0.2).weights())
    position.game.call(set_up_at, space, position.state, 0)
    assert space.numbers[FOE_SEAT] == 1 and not space.numbers[ALONE]


def test_others_are_a_risk_where_a_jump_of_theirs_lands():
    """Round 6, the third player at speed 3: a turn to the right jumps over his own trail to (8, 3). What he jumps over
    is no risk: to the left he leaves the board, and touches (8, 7) only."""
    position = drawn(
        """
        .  .  .  .  .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .
        .  .  .  1> .  .  .  .  .  .
        .  .  .  .  .  .  .  .  .  .
        .  .  2  .  .  .  3  3  3  .
        .  .  2^ .  .  .  .  .  3  .
        .  .  .  .  .  .  .  .  3< .
        .  .  .  .  .  .  .  .  .  .
        """,
        speeds={3: 3},
        rounds=5,
    )
    space = new_space(Territory().weights())
    position.game.call(prepare_at, space, position.state, 0)
    threatened = {(x, y) for y in range(8) for x in range(10) if space.danger[1 + y] >> np.uint64(x) & np.uint64(1)}
    assert threatened == {(7, 6), (6, 6), (5, 6), (4, 6), (8, 7), (8, 3)}  # slower, as fast, faster; left, right


def test_any_table_is_fine_and_no_other_game():
    check_agent(registry.agent("territory:leaves=20"), registry.game("speed", 6, "small"))
    assert "knows spe_ed only" in registry.agent("territory").why_not(registry.game("2048"))


def test_a_plan_is_kept_when_the_next_limit_is_too_short_to_find_it_again():
    """Alone in a closed room: who sees one round only goes on with what was planned, unless it kills."""
    position = drawn("""
        2  2  2  2  2  2  2  2
        1> .  .  .  .  .  2  2
        .  .  .  .  .  .  2  2
        .  .  .  .  .  .  2  2
        2  2  2  2  2  2  2  2
        2  2  2  2  2  2  2  2^
    """)
    straight, right, left = (ACTIONS.index(name) for name in ("change_nothing", "turn_right", "turn_left"))
    near, before = registry.agent("territory:depth=1"), position.copy()
    drive(position, 0, straight)
    for plan, kept in (((right, straight, left, left), True), ((left, right, right, left), False)):
        unplanned = near.decide(position.view(0), Budget(seconds=600), spawn(1))
        assert unplanned.action == straight and "planned" not in unplanned.notes
        PLANS.keep(near.spec, before.view(0), straight, plan)
        decision = near.decide(position.view(0), Budget(seconds=600), spawn(1))
        assert (decision.action == plan[0]) == kept and decision.notes.get("planned") == (len(plan) if kept else None)
