"""spielwerk solve qwixx: the best possible mean score alone, exactly (see kernel_solve.py).

Question: nothing for the empty sheet, or a sheet such as `red 2 3 4, green 12 9, misthrows 1`. The table (44 MB) is
kept in the cache folder, one per set of rules.
"""

from collections.abc import Callable
from contextlib import suppress
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.agent import whole_number
from spielwerk.core.cache import cache_directory, warn_not_kept
from spielwerk.core.errors import SpielwerkError, quoted
from spielwerk.core.files import replacing
from spielwerk.core.game import Game
from spielwerk.core.linker import specialise
from spielwerk.core.words import Words, number
from spielwerk.games.qwixx.kernel import solve as solving
from spielwerk.games.qwixx.kernel.solve import CELLS, CLOSED, EMPTY, PAIRS, PENALTIES, ROWS, STATES, TABLE
from spielwerk.games.qwixx.layouts import COLOURS, DOWN, UP

Report = Callable[[float, str], None]
say = Words.beside(__file__)
BLOCK = 4000  # states between two reports

EXPECTED_TOTAL = "expected total"


def solve(game: Game, question: str | None, report: Report) -> dict[str, object]:
    """The expected final points of best play, from the empty sheet or the one that is asked about."""
    rows, counts, misthrows = read_sheet(question or "")
    value = solved(game, report)
    so_far = sum(count * (count + 1) // 2 for count in counts) - 5 * misthrows
    if misthrows >= PENALTIES or rows.count(CLOSED) >= 2:
        to_come = 0.0
    else:
        to_come = float(value[_place(rows), misthrows])
    return {
        "rules": game.variant,
        EXPECTED_TOTAL: round(so_far + to_come, 6),
        "points so far": so_far,
        "expected to come": round(to_come, 6),
        "states": TABLE * PENALTIES,
    }


def solved(game: Game, report: Report = lambda done, line: None) -> NDArray[np.float64]:
    """[TABLE, misthrows] points that are still to come; from the cache if it has been solved before."""
    options = dict(zip((option.name for option in game.spec.options), map(int, game.options), strict=True))
    if options["layout"] != 0:
        phrase = "Qwixx: only the sheet 'pad' can be solved; its rows may be exchanged, those of others not"
        raise SpielwerkError(say(phrase))
    late_end, same_turn_lock = options["late_end"], options["same_turn_lock"]
    path = cache_directory() / "solutions" / f"qwixx-{late_end}{same_turn_lock}.npy"
    with suppress(OSError, ValueError, EOFError):  # it is not there, or damaged
        stored: NDArray[np.float64] = np.load(path)
        if stored.shape == (TABLE, PENALTIES):
            return stored
    value = _solve(game, late_end, same_turn_lock, report)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.save(file, value)
    except OSError as problem:
        warn_not_kept(problem)
    return value


def _solve(game: Game, late_end: int, same_turn_lock: int, report: Report) -> NDArray[np.float64]:
    level = specialise(solving.solve_level, game)
    after, after_white, gain = (np.zeros((STATES, CELLS), np.int64) for _ in range(3))
    specialise(solving.fill_rows, game)(after, after_white, gain)
    todo = _in_order()
    value = np.zeros((TABLE, PENALTIES))
    rows, mid = np.zeros(ROWS, np.int64), np.zeros(ROWS, np.int64)
    best = np.zeros((13, ROWS, CELLS, PENALTIES))
    base, found, owner = np.zeros((13, PENALTIES)), np.zeros(32), np.zeros(32, np.int64)
    count = number(len(todo) * PENALTIES)
    for first in range(0, len(todo), BLOCK):
        last = min(first + BLOCK, len(todo))
        level(
            todo, first, last, value, after, after_white, gain, late_end, same_turn_lock, rows, mid, best, base, found,
            owner,
        )  # fmt: skip
        report(
            last / len(todo),
            say("{solved} of {count} {count:state|states}", solved=number(last * PENALTIES), count=count),
        )
    return value


def _in_order() -> NDArray[np.int64]:
    """All unfinished row states up to symmetry, the longest reach first: every cross leads to an earlier one."""
    reach = np.array([0, *(r for r in range(1, 11) for _ in range(r)), 11])
    pairs = np.array(list(combinations_with_replacement(range(STATES), 2)))
    high, low = np.tril_indices(PAIRS)
    todo = np.concatenate([pairs[high], pairs[low]], axis=1)
    todo = todo[(todo == CLOSED).sum(axis=1) < 2]
    order = np.argsort(-reach[todo].sum(axis=1), kind="stable")
    return np.ascontiguousarray(todo[order])


def _place(rows: list[int]) -> int:
    return int(solving.place(*rows))


def read_sheet(text: str) -> tuple[list[int], list[int], int]:
    """Row states, crosses per row and misthrows of a sheet written as `red 2 3 4, blue 12, misthrows 1`."""
    rows, counts, misthrows = [EMPTY] * ROWS, [0] * ROWS, 0
    for part in filter(None, (part.split() for part in text.split(","))):
        name, written = part[0], [whole_number(word) for word in part[1:]]
        cells = [cell for cell in written if cell is not None]
        if len(cells) < len(written) or name not in (*COLOURS, "misthrows"):
            phrase = "Qwixx: cannot read '{text}'; write for example 'red 2 3 4, misthrows 1'"
            raise SpielwerkError(say(phrase, text=quoted(" ".join(part))))
        if name == "misthrows":
            misthrows = sum(cells)
            continue
        row = COLOURS.index(name)
        order = list(UP if row < 2 else DOWN)
        for cell in cells:
            position = order.index(cell) if cell in order else -1
            state = int(solving.row_after(rows[row], position, solving.NEEDED)) if position >= 0 else -1
            if state < 0:
                raise SpielwerkError(say("Qwixx: {row} {cell} cannot be crossed there", row=name, cell=cell))
            rows[row] = state
            counts[row] += 2 if state == CLOSED else 1
    return rows, counts, misthrows
