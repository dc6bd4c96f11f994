"""The simple players of spe_ed: what they see of a move before it is played, how they choose, and who beats whom."""

import numpy as np
import pytest

from spielwerk.arena.evaluate import evaluate
from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import kernel
from spielwerk.core.position import duplicate
from spielwerk.core.running import run
from spielwerk.games.speed.game import ACTIONS
from spielwerk.games.speed.kernel.paths import forget_marks, is_contested, reachable_after, survives
from spielwerk.games.speed.kernel.rules import CELLS, apply
from spielwerk.testing import check_agent

ARROWS = "^>v<"
PLAYERS = ("safe", "longest", "spiral", "area")


def drawn(picture, speeds=None, rounds=0):
    """A position from a picture: arrows are heads in reading order, # are walls. Sides are at least 8 cells."""
    rows = picture.split()
    heads = [(x, y, ARROWS.index(mark)) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark in ARROWS]
    width, height = len(rows[0]), len(rows)
    game = registry.game("speed", max(2, len(heads)), f"width={width},height={height}")
    position = game.opening(1)
    places = "; ".join(f"{x},{y} {('up', 'right', 'down', 'left')[direction]}" for x, y, direction in heads)
    position.happen(f"{width}x{height}; {places}")
    state = position.state
    state["rounds"] = rounds
    for seat, speed in enumerate(speeds or ()):
        state["speed"][0, seat] = speed
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            if mark == "#":
                state["cells"][0, y * width + x] = 1
    return position


def choices(agent, position, seat=0, tries=20):
    """All the moves that an agent takes with different random numbers."""
    player = registry.agent(agent)
    return {ACTIONS[player.decide(position.view(seat), Budget(), spawn(n, 7)).action] for n in range(tries)}


@kernel
def look(states, seat, out, contested):
    for action in range(5):
        out[action] = survives(states[0], seat, action)
        contested[action] = is_contested(states[0], seat, action)


@kernel
def areas(states, seat, marks, queue, out):
    forget_marks(states[0], marks)
    for action in range(5):
        if survives(states[0], seat, action):
            out[action] = reachable_after(states[0], seat, action, action + 1, marks, queue)


@kernel
def play_alone(states, seat, joint):
    states[0].alive = 1 << seat
    apply(states[0], joint)


@kernel
def play_both(states, joint):
    apply(states[0], joint)


def seen(position, seat):
    alive, contested = np.zeros(5, np.int64), np.zeros(5, np.int64)
    position.game.call(look, position.state, seat, alive, contested)
    return alive, contested


def is_in_after(position, seat, joint, alone):
    state = duplicate(position.state)
    moves = np.array(joint, np.int64)
    position.game.call(*((play_alone, state, seat, moves) if alone else (play_both, state, moves)))
    return bool(state["alive"][0] >> seat & 1)


def some_positions(matches=12):
    """Random moments of short matches between players that live for a while, fast ones too."""
    game = registry.game("speed", 2, "width=12,height=10")
    for seed in range(matches):
        position = game.new(seed)
        rng = spawn(seed, 3)
        player = registry.agent("safe:avoid=no")
        while not position.over:
            yield position
            position.play({seat: player.decide(position.view(seat), Budget(), rng).action for seat in position.actors})


def test_what_survives_and_what_is_contested_agrees_with_the_rules():
    """Survives: alone at the table. Contested: some move that the other survives kills one that would survive."""
    checked = jumps = clashes = 0
    for position in some_positions():
        lone = [[is_in_after(position, seat, [a, a], True) for a in range(5)] for seat in (0, 1)]
        for seat in position.actors:
            alive, contested = seen(position, seat)
            assert alive.astype(bool).tolist() == lone[seat], position.text
            for action in range(5):
                if not lone[seat][action]:
                    continue
                deaths = [
                    not is_in_after(position, seat, [action, b] if seat == 0 else [b, action], False)
                    for b in range(5)
                    if lone[1 - seat][b]
                ]
                assert bool(contested[action]) == any(deaths), (position.text, seat, action)
                checked += 1
                clashes += any(deaths)
                jumps += int(position.state["rounds"][0]) % 6 == 5 and position.state["speed"][0, seat] >= 3
    assert checked > 300
    assert clashes > 10
    assert jumps > 3


def test_areas_after_a_move():
    position = drawn(
        """
        ....#...
        ....#...
        ..>.#...
        ....#...
        ....#...
        #####...
        .......<
        ........
        """
    )
    out = np.full(5, -1, np.int64)
    position.game.call(areas, position.state, 0, np.zeros(CELLS, np.int64), np.zeros(CELLS, np.int64), out)
    assert dict(zip(ACTIONS, out, strict=False)) == {
        "turn_left": 18,
        "turn_right": 18,
        "slow_down": -1,  # its speed is 1
        "speed_up": -1,  # a wall
        "change_nothing": 18,
    }


@pytest.mark.parametrize("agent", PLAYERS)
def test_the_only_way_out_is_taken(agent):
    position = drawn(
        """
        ........
        .###....
        .#>.....
        .####...
        ........
        ........
        ........
        .......<
        """
    )
    position.state["speed"][0, 0] = 1
    assert choices(agent + ":fastest=1", position) == {"change_nothing"}


@pytest.mark.parametrize("agent", PLAYERS)
def test_a_jump_over_a_trail_is_seen_in_the_sixth_round_only(agent):
    picture = """
        ........
        ###.....
        >.#.....
        ###.....
        ........
        ........
        ........
        .......<
    """
    assert choices(agent, drawn(picture, (3, 1), rounds=5)) <= {"change_nothing", "speed_up"}
    assert seen(drawn(picture, (3, 1), rounds=5), 0)[0].tolist() == [0, 0, 0, 1, 1]  # at speed 2 nobody jumps
    assert not seen(drawn(picture, (3, 1), rounds=4), 0)[0].any()
    assert choices(agent, drawn(picture, (3, 1), rounds=4)) == {"change_nothing"}  # nothing helps


def test_cells_that_another_can_reach_are_avoided_if_something_else_is_left():
    picture = """
        ........
        ........
        ........
        ..>.<...
        ........
        ........
        ........
        ........
    """
    assert choices("safe:fastest=1", drawn(picture)) == {"turn_left", "turn_right"}
    assert "change_nothing" in choices("safe:fastest=1,avoid=no", drawn(picture))


def test_how_they_choose():
    room = """
        ........
        ........
        ....#...
        ..>.#...
        ....#...
        ....#...
        ....#...
        ....#..<
    """
    assert choices("longest:fastest=1", drawn(room)) == {"turn_right"}  # three cells are left ahead of it, and two
    open_above = """
        ......#.
        .###..#.
        .#..>.#.
        .####.#.
        .....##.
        ########
        ........
        .......<
    """
    assert choices("spiral:fastest=1", drawn(open_above)) == {"change_nothing"}  # as many ways on as above: straight on
    pocket = """
        .....#..
        .###.#..
        .#.>.#..
        .#.#.#..
        .#.###..
        .#.#....
        .###....
        .......<
    """
    assert choices("area", drawn(pocket)) == {"change_nothing"}
    slowing = """
        ........
        ........
        ........
        ..>.....
        ........
        ........
        ........
        .......<
    """
    assert choices("spiral", drawn(slowing, (3, 1))) == {"slow_down"}
    assert choices("area", drawn(slowing, (3, 1))) == {"slow_down"}


def test_speed_is_kept_low_unless_only_a_higher_one_survives():
    game = registry.game("speed", 2, "small")
    player = registry.agent("safe:fastest=2")
    position = game.new(4)
    while not position.over:
        position.play(
            {seat: player.decide(position.view(seat), Budget(), spawn(1, 2)).action for seat in position.actors}
        )
        assert position.state["speed"][0].max() <= 3
    wide = """
        ........
        #####...
        >.###...
        #####...
        ........
        ........
        ........
        .......<
    """
    assert choices("safe:fastest=4", drawn(wide, (4, 1), rounds=5)) == {"speed_up"}


@pytest.mark.parametrize("agent", PLAYERS)
def test_they_behave(agent):
    check_agent(registry.agent(agent), registry.game("speed", 3, "width=9,height=9"), seed=2, seconds=None)


def test_other_games_are_refused():
    with pytest.raises(SpielwerkError, match="spe_ed only"):
        run(registry.game("2048"), [registry.agent("safe")], seed=1)


def share(agent, opponents, games, variant="small", seats=2):
    return evaluate("speed", agent, games=games, seats=seats, variant=variant, opponents=opponents, seed=11).win_share


def test_who_beats_whom():
    """Seeded; the margins are many standard errors wide."""
    for stronger, weaker, games in (("safe", "random", 60), ("spiral", "safe", 60), ("area", "safe", 60)):
        assert share(stronger, weaker, games) > 0.75, (stronger, weaker)


def test_safe_playouts_make_a_better_search():
    """Uniform playouts die within a few moves and say little."""
    few = "iterations=12,playouts=(safe)"
    assert share("mc:" + few, "safe", 12, "width=12,height=12") > 0.75
    assert share("mctse:iterations=60,playouts=(safe)", "mc:iterations=12", 12, "width=12,height=12") > 0.6
