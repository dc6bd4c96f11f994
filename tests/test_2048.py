"""The rules of 2048 against a slow, obvious reference and in named cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spielwerk import game
from spielwerk.agents.common import bind
from spielwerk.core.errors import IllegalMove, InvalidMove, SpielwerkError
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import specialise
from spielwerk.core.position import Position
from spielwerk.games.twenty48.heuristics import PARAMETERS, evaluation
from spielwerk.games.twenty48.kernel.heuristics import kutsch, kutsch_text, program_merges, program_rows

GAME = game("2048")
MOVES = GAME.spec.moves


def board_of(rows):
    """A position in which the seat must move, from rows of tile values."""
    height, width = len(rows), len(rows[0])
    table = game("2048", variant=f"4x4,width={width},height={height}")
    position = table.opening()
    board = big = 0
    for y, row in enumerate(rows):
        for x, tile in enumerate(row):
            power = tile.bit_length() - 1 if tile else 0
            board |= (power & 15) << 4 * (4 * y + x)
            big |= (power >> 4) << (4 * y + x)
    position.state["board"][0] = board
    position.state["big"][0] = big
    position.state["pending"][0] = 0
    position.state["moves"][0] = sum(1 << a for a in range(4) if slide(rows, MOVES[a])[0] != [list(r) for r in rows])
    return position


def rows_of(position):
    from spielwerk.games.twenty48.view import powers

    return [[2**power if power else 0 for power in row] for row in powers(position.view(0))]


def slide_row(row):
    """Reference: slide a row to the left, each tile merging at most once."""
    tiles = [tile for tile in row if tile]
    slid, points = [], 0
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tiles.pop(0)
            tile *= 2
            points += tile
        slid.append(tile)
    return slid + [0] * (len(row) - len(slid)), points


def slide(rows, move):
    """Reference: the board after a move and the points gained."""
    rows = [list(row) for row in rows]
    if move in ("up", "down"):
        rows = [list(column) for column in zip(*rows, strict=True)]
    if move in ("down", "right"):
        rows = [row[::-1] for row in rows]
    done = [slide_row(row) for row in rows]
    rows, points = [row for row, _ in done], sum(p for _, p in done)
    if move in ("down", "right"):
        rows = [row[::-1] for row in rows]
    if move in ("up", "down"):
        rows = [list(column) for column in zip(*rows, strict=True)]
    return rows, points


tiles = st.sampled_from([0, 0, 0, 2, 2, 4, 4, 8, 16, 1024, 16384, 32768, 32768, 65536])


@st.composite
def boards(draw):
    height, width = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    return [[draw(tiles) for _ in range(width)] for _ in range(height)]


@given(boards())
@settings(max_examples=400, deadline=None)
def test_moves_agree_with_the_reference(rows):
    position = board_of(rows)
    for move in MOVES:
        expected, points = slide(rows, move)
        after = position.copy()
        if expected == rows:
            assert MOVES.index(move) not in position.legal(0)
            continue
        after.apply(move)
        assert rows_of(after) == expected, f"{move} on\n{position.text}"
        assert after.score == (float(points),)


@given(boards())
@settings(max_examples=200, deadline=None)
def test_legal_moves_after_a_new_tile_agree_with_the_reference(rows):
    position = board_of(rows)
    if not any(0 in row for row in rows):
        return
    position.state["pending"][0] = 1
    position.roll()
    now = rows_of(position)
    assert sum(tile != 0 for row in now for tile in row) == 1 + sum(tile != 0 for row in rows for tile in row)
    expected = tuple(a for a in range(4) if slide(now, MOVES[a])[0] != now)
    assert position.legal(0) == expected, position.text
    assert position.over == (not expected)


def test_a_tile_merges_once_per_move():
    assert slide([[4, 2, 2, 0]], "left")[0] == [[4, 4, 0, 0]]
    position = board_of([[4, 2, 2, 0], [0] * 4, [0] * 4, [0] * 4]).apply("left")
    assert rows_of(position)[0] == [4, 4, 0, 0]


def test_three_in_a_row_merge_at_the_wall_they_slide_to():
    rows = [[2, 2, 2, 0], [0] * 4, [0] * 4, [0] * 4]
    assert rows_of(board_of(rows).apply("left"))[0] == [4, 2, 0, 0]
    assert rows_of(board_of(rows).apply("right"))[0] == [0, 0, 2, 4]


def test_two_32768_merge_and_so_do_two_65536():
    position = board_of([[32768, 32768, 0, 0], [65536, 65536, 0, 0], [0] * 4, [0] * 4]).apply("left")
    assert [row[0] for row in rows_of(position)] == [65536, 131072, 0, 0]
    assert position.score == (65536.0 + 131072.0,)


def test_the_match_goes_on_after_2048():
    position = board_of([[1024, 1024, 0, 0], [0] * 4, [0] * 4, [0] * 4]).play("left")
    assert rows_of(position)[0][0] == 2048
    assert not position.over


def test_a_full_board_without_pairs_is_the_end():
    position = board_of([[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 0]])
    position.state["pending"][0] = 1
    position.happen("d4=2")
    assert position.over, position.text


def test_spawns_are_even_over_the_empty_cells_and_nine_to_one():
    position = board_of([[2, 0, 4, 0], [0, 8, 0, 16], [2, 4, 0, 2], [0, 0, 32, 64]])
    position.state["pending"][0] = 1
    rng, draws = spawn(11), 40_000
    counts = {}
    for _ in range(draws):
        state = position.state.copy()
        GAME.call(entry.chance_at, state, rng)
        counts[int(state["board"][0])] = counts.get(int(state["board"][0]), 0) + 1
    empty = 7
    assert len(counts) == 2 * empty
    expected = [draws * share / empty for share in (0.9, 0.1)]
    twos = sorted(counts.values())[empty:]
    fours = sorted(counts.values())[:empty]
    surprise = sum((n - expected[0]) ** 2 / expected[0] for n in twos)
    surprise += sum((n - expected[1]) ** 2 / expected[1] for n in fours)
    assert surprise < 42  # chi-square with 13 degrees of freedom, p = 0.0001


def test_the_first_two_tiles_may_be_anywhere():
    seen = {cell for seed in range(300) for cell in range(16) if int(GAME.new(seed).state["board"][0]) >> 4 * cell & 15}
    assert seen == set(range(16))


def test_the_score_is_what_the_tiles_cost():
    """A tile t made of twos alone costs t * (log2 t - 1) points; every spawned 4 saves 4."""
    from spielwerk import agent, play, replay

    record = play(GAME, [agent("greedy")], seed=5)
    last = replay(record)[-1]
    worth = sum(t * (t.bit_length() - 2) for row in rows_of(last) for t in row if t)
    fours = sum(isinstance(event, str) and event.endswith("=4") for event in record.events)
    assert last.score[0] == worth - 4 * fours


def test_extras_count_the_highest_tiles():
    finals = GAME.states(4)
    for place, highest in enumerate((2048, 65536, 2048, 512)):
        finals[place] = board_of([[2, 4, 8, 16], [0] * 4, [0, highest, 2, 4], [0] * 4]).state[0]
    found = GAME.extras(finals)
    assert found["highest"] == {"512": 1, "2048": 2, "65536": 1}
    assert found["reached"] == {
        "512": 1.0,
        "1024": 0.75,
        "2048": 0.75,
        **{str(2**power): 0.25 for power in range(12, 17)},
    }


@pytest.mark.parametrize("text", ["", "e1=2", "a5=2", "a1=8", "a1", "left"])
def test_bad_spawns_are_refused(text):
    with pytest.raises(InvalidMove, match="2048"):
        GAME.opening().happen(text)


def test_a_spawn_on_a_taken_cell_is_refused():
    with pytest.raises(InvalidMove, match="empty"):
        GAME.opening().happen("a1=2").happen("a1=2")


def test_an_illegal_move_names_the_legal_ones():
    position = board_of([[2, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4])
    with pytest.raises(IllegalMove, match="may not play 'left'; legal are down right"):
        position.play("left")
    with pytest.raises(InvalidMove, match="did you mean 'left'"):
        position.play("lefft")


def reference_perft(rows, depth):
    """How many sequences of moves and new tiles there are."""
    if depth == 0:
        return 1
    total = 0
    for move in MOVES:
        after = slide(rows, move)[0]
        if after == rows:
            continue
        for y, row in enumerate(after):
            for x, tile in enumerate(row):
                if tile == 0:
                    for new in (2, 4):
                        spawned = [list(r) for r in after]
                        spawned[y][x] = new
                        total += reference_perft(spawned, depth - 1)
    return total


def perft(position, depth):
    if depth == 0:
        return 1
    total = 0
    ids, probs = np.zeros(32, np.int64), np.zeros(32)
    for action in position.legal(0):
        after = position.copy().apply(action)
        count = position.game.call(entry.outcomes_at, after.state, ids, probs)
        for outcome in ids[:count].copy():
            successor = after.copy()
            position.game.call(entry.happen_at, successor.state, outcome)
            total += perft(successor, depth - 1)
    return total


@pytest.mark.parametrize(
    ("rows", "counts"),
    [
        ([[2, 0], [0, 2]], [16, 208, 1792]),
        ([[2, 0, 0], [0, 0, 2], [4, 0, 0]], [48, 2006]),
        ([[2, 2, 4, 8], [16, 8, 4, 2], [2, 4, 8, 16], [16, 8, 0, 2]], [16, 322]),
    ],
)
def test_perft_counts(rows, counts):
    """All sequences of moves and new tiles to a depth, counted by the kernel and by the reference."""
    for depth, count in enumerate(counts, 1):
        assert (perft(board_of(rows), depth), reference_perft(rows, depth)) == (count, count)


# --- the thesis' heuristics ------------------------------------------------------------------------------------------


def bonus(rows, heuristics=kutsch_text, **parameters):
    """The value of the heuristics in points, with all bonuses off but those given."""
    values = {p.name: 1.0 if p.name.endswith("_off") else 0.0 for p in PARAMETERS} | parameters
    position = board_of(rows)
    table: Position = position
    binding = bind(table.game, "game", "playout", None)
    functions = {n: f for n, f in binding.functions.items() if n != "evaluate"}
    heuristic = specialise(heuristics, table.game, **functions)
    leaf = binding.leaf(table.game, 10, 1, spawn(1))._replace(weights=np.array(list(values.values())), scale=1.0)
    heuristic(table.state.copy(), 0, leaf)
    return leaf.value[0]


SNAKE = [[64, 32, 16, 8], [0, 0, 2, 4], [0, 0, 0, 0], [2, 0, 0, 0]]


def test_heuristic_falling_row_turns_corners():
    assert bonus(SNAKE, row_off=0.0, row_method=0.0, row_lower=1.0) == 64 + 32 + 16 + 8 + 4 + 2
    assert bonus(SNAKE, row_off=0.0, row_method=1.0, row_half=1.0) == 64 + 32 + 16 + 8 + 4 + 2
    gap = [[64, 16, 8, 2], [0] * 4, [0] * 4, [0] * 4]
    assert bonus(gap, row_off=0.0, row_method=0.0, row_lower=1.0) == 90
    assert bonus(gap, row_off=0.0, row_method=1.0, row_half=1.0) == 64


def test_heuristic_corner_and_row_need_the_highest_tile_in_a_corner():
    inside = [[0] * 4, [0, 64, 32, 0], [0] * 4, [0] * 4]
    assert bonus(inside, corner_off=0.0, corner=0.5, row_off=0.0, row_lower=1.0) == 0
    assert bonus(SNAKE, corner_off=0.0, corner=0.5) == 32


def test_heuristic_merges_count_what_can_really_merge():
    three = [[4, 4, 4, 0], [0] * 4, [0] * 4, [0] * 4]
    assert bonus(three, merge_off=0.0, merge=1.0) == 4
    square = [[4, 4, 0, 0], [4, 4, 0, 0], [0] * 4, [0] * 4]
    assert bonus(square, merge_off=0.0, merge=1.0) == 8, "one move merges in one direction only"
    apart = [[16, 0, 0, 16], [2, 0, 0, 0], [2, 0, 0, 0], [0] * 4]
    assert bonus(apart, merge_off=0.0, merge=1.0) == 16, "across empty cells, and the better direction"


def test_heuristic_empty_cells_by_three_methods():
    assert bonus(SNAKE, empty_off=0.0, empty_method=0.0, empty_power=0.5) == pytest.approx(1.5**9)
    assert bonus(SNAKE, empty_off=0.0, empty_method=0.5, empty_highest=1.0) == 64 * 9
    assert bonus(SNAKE, empty_off=0.0, empty_method=1.0, empty_score=1.0) == 0


def test_heuristics_of_the_program_take_the_new_tile_for_the_highest():
    assert bonus(SNAKE, kutsch, empty_off=0.0, empty_method=0.5, empty_highest=1.0) in (2 * 9, 4 * 9)
    assert bonus(SNAKE, kutsch, corner_off=0.0, corner=0.5, row_off=0.0, row_lower=1.0) in (1, 0)
    assert bonus(SNAKE, kutsch, empty_off=0.0, empty_power=0.5) == pytest.approx(1.5**9)


def of_program(what, rows, *arguments):
    """What a function of the program computes on a board."""
    position = board_of(rows)
    return specialise(what, position.game)(position.state[0], *arguments)


def test_merges_of_the_program_lose_what_its_loops_skip():
    def found(rows):
        return of_program(program_merges, rows), bonus(rows, merge_off=0.0, merge=1.0)

    assert found([[2, 2, 4, 4], [0] * 4, [0] * 4, [0] * 4]) == (2, 6), "along a line the tile behind a merge is skipped"
    columns = [[2, 8, 0, 0], [2, 8, 0, 0], [0, 0, 4, 0], [0, 0, 4, 0]]
    assert found(columns) == (6, 14), "columns to the right go on from the row behind the merge"
    assert found([[4, 4, 4, 0], [0] * 4, [0] * 4, [0] * 4]) == (4, 4)
    assert found([[16, 0, 0, 16], [2, 0, 0, 0], [2, 0, 0, 0], [0] * 4]) == (16, 16)


def reference_merges(rows):
    """The same loops over lists, with counters that a merge sets."""
    sums = [0, 0]
    row = 0
    while row < 4:
        for column in range(4):
            below = [y for y in range(row + 1, 4) if rows[y][column]]
            if row < 4 and rows[row][column] and below and rows[below[0]][column] == rows[row][column]:
                sums[0] += rows[row][column]
                row = below[0] + 1
        row += 1
    for line in rows:
        column = 0
        while column < 4:
            behind = [x for x in range(column + 1, 4) if line[x]]
            if line[column] and behind and line[behind[0]] == line[column]:
                sums[1] += line[column]
                column = behind[0] + 1
            column += 1
    return max(sums)


def test_merges_of_the_program_on_random_boards():
    rng = np.random.default_rng(4)
    others = 0
    for _ in range(300):
        rows = (2 ** rng.integers(0, 5, (4, 4)) // 2 * 2).tolist()
        merged = of_program(program_merges, rows)
        assert merged == reference_merges(rows), rows
        others += merged != bonus(rows, merge_off=0.0, merge=1.0)
    assert 30 < others < 270, "the loops hardly ever, or nearly always, count something else"


def test_rows_of_the_program_leave_the_corner_out_and_two_corners_cancel():
    empty = [0] * 4
    assert of_program(program_rows, SNAKE, 6, False) == (1, 32 + 16 + 8 + 4 + 2)
    bend = [[64, 32, 0, 0], [0, 16, 0, 0], empty, empty]
    assert of_program(program_rows, bend, 6, False) == (1, 32), "a snake turns at the edge only"
    assert of_program(program_rows, [[0, 0, 2, 4], empty, empty, empty], 2, True) == (1, 3.0), "3 points for nothing"
    assert of_program(program_rows, [empty, empty, empty, [0, 0, 2, 4]], 2, True) == (1, 2)
    up = [empty, [0, 0, 0, 2], [0, 0, 0, 4], [0, 0, 0, 8]]
    assert of_program(program_rows, up, 3, False) == (1, 6)
    two = [[4, 2, 0, 0], empty, empty, [0, 0, 0, 4]]
    assert of_program(program_rows, two, 2, False) == (2, 2)
    values = {bonus([[2, 0, 0, 2], empty, empty, empty], kutsch, corner_off=0.0, corner=1.0) for _ in range(3)}
    assert values == {0}, "no bonus for two corners"


@pytest.mark.parametrize(
    ("written", "said"),
    [("[1]", "cannot read"), ('{"merge": "x"}', "cannot read"), ("{", "cannot read"), ('{"mrege": 1}', "mean 'merge'")],
)
def test_damaged_parameters_are_named(written, said, tmp_path):
    (tmp_path / "weights.json").write_text(written)
    with pytest.raises(SpielwerkError, match=said):
        evaluation(GAME, str(tmp_path / "weights.json"))


def test_parameters_come_from_a_file(tmp_path):
    (tmp_path / "weights.json").write_text('{"merge": 0.25, "empty_off": 1}')
    weights = evaluation(GAME, str(tmp_path / "weights.json")).weights
    assert (weights[12], weights[0], weights[6]) == (0.25, 1.0, evaluation(GAME, None).weights[6])


def test_published_weights_are_the_default():
    weights = evaluation(GAME, None).weights
    assert len(weights) == 15
    assert weights[[2, 6, 8, 12, 14]] == pytest.approx([0.72141314, 0.48066258, 0.47786597, 0.80798382, 0.84350285])
