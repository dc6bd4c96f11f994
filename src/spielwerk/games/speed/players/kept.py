"""Search trees that dommeai keeps from round to round.

An agent has no memory of its own: what it kept lies here, under what the agent knows of itself in the next round (its
options, its seat, the round, the board's size, and where its move leads). A tree is taken up again only if all that was
taken when it grew is taken now. Then it fits, whosever match it came from: what the new board forbids is cut when it is
copied, and nothing that the new board allows had been cut before.

A process keeps at most `MOST_TREES` trees, with at most `MOST_HEADS` heads together, 7 bytes each; those that were not
used for the longest time go first.
"""

import threading
from collections import OrderedDict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.position import View
from spielwerk.games.speed.kernel.rules import STEP_X, STEP_Y, jumps
from spielwerk.games.speed.players.kernel.board import place_of
from spielwerk.games.speed.players.kernel.kept import NOTHING, Tree, new_tree
from spielwerk.games.speed.players.kernel.plans import ACTION_OF, FASTER, MOVES, TURN

MOST_HEADS = 20_000_000
MOST_TREES = 256
Key = tuple[str | int, ...]


class Kept(NamedTuple):
    """A tree, the head in it that is the root of the next round, and the cells that must be taken then."""

    tree: Tree
    root: int
    taken: NDArray[np.bool_]


EMPTY = Kept(new_tree(1), NOTHING, np.zeros(0, np.bool_))


class KeptTrees:
    """The trees of all agents of a process."""

    def __init__(self, most: int = MOST_HEADS) -> None:
        self._most = most
        self._trees: OrderedDict[Key, Kept] = OrderedDict()
        self._lock = threading.Lock()
        self.heads = 0  # of all trees

    def __len__(self) -> int:
        return len(self._trees)

    def find(self, spec: str, view: View) -> Kept:
        """What was kept for this moment; an empty tree if nothing fits."""
        s, seat = view.state[0], view.seat
        head = (int(s[name][seat]) for name in ("x", "y", "direction", "speed"))
        key: Key = (spec, *_table(view), int(s["rounds"]), *head)
        with self._lock:
            kept = self._trees.get(key)
            if kept is None or bool((kept.taken & (_cells(view) == 0)).any()):
                return EMPTY
            self._trees.move_to_end(key)
        return kept

    def keep(self, spec: str, view: View, action: int, tree: Tree) -> None:
        """Keep a tree for the round after this action."""
        s, seat = view.state[0], view.seat
        x, y, direction, speed = (int(s[name][seat]) for name in ("x", "y", "direction", "speed"))
        move = int(np.flatnonzero(action == ACTION_OF)[0])
        direction, speed = int(direction + TURN[move]) & 3, int(speed + FASTER[move])
        number, width = int(s["rounds"]) + 1, int(s["width"])
        step_x, step_y = int(STEP_X[direction]), int(STEP_Y[direction])
        x_end, y_end = x + speed * step_x, y + speed * step_y
        starts = tree.starts
        end = int(place_of(x_end, y_end)), direction + 4 * speed
        roots = [
            head
            for head in range(starts[1], min(starts[2], starts[1] + MOVES))
            if (tree.place[head], tree.way[head] & 63) == end
        ]
        if not roots:
            return  # it does not survive
        taken = _cells(view) != 0
        for step in range(1, speed + 1):
            if not (jumps(number, speed) and 1 < step < speed):
                taken[(y + step * step_y) * width + x + step * step_x] = True
        count = int(starts[-1])
        place, way, parent = tree.place[:count].copy(), tree.way[:count].copy(), tree.parent[:count].copy()
        kept = EMPTY.tree._replace(place=place, way=way, parent=parent, starts=starts)
        self._put((spec, *_table(view), number, x_end, y_end, direction, speed), Kept(kept, roots[0], taken))

    def _put(self, key: Key, kept: Kept) -> None:
        with self._lock:
            if key in self._trees:
                self.heads -= len(self._trees.pop(key).tree.place)
            self._trees[key] = kept
            self.heads += len(kept.tree.place)
            while len(self._trees) > MOST_TREES or (self.heads > self._most and len(self._trees) > 1):
                self.heads -= len(self._trees.popitem(last=False)[1].tree.place)


def _table(view: View) -> tuple[int, ...]:
    s = view.state[0]
    return view.seat, view.game.seats, int(s["width"]), int(s["height"])


def _cells(view: View) -> NDArray[np.int8]:
    s = view.state[0]
    cells: NDArray[np.int8] = s["cells"][: int(s["width"]) * int(s["height"])]
    return cells


TREES = KeptTrees()
