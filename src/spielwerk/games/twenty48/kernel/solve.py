"""2048 solved: the moves and new tiles of many boards at once, and the value of a layer of boards."""

import numpy as np

from spielwerk.core.linker import kernel
from spielwerk.games.twenty48.kernel.rules import U1, U4, empty_cells, legal_moves, slide


@kernel
def slide_all(states, boards, after, points):
    """The board and the points after each action on each board; where the action is not legal, points are -1.

    states[0] is an empty table that knows the size of the board.
    """
    s = states[0]
    for i in range(boards.shape[0]):
        s.board = boards[i]
        moves = legal_moves(s)
        for action in range(4):
            after[i, action] = np.uint64(0)
            points[i, action] = -1
            if (moves >> action) & 1:
                s.board = boards[i]
                s.score = 0
                slide(s, action)
                after[i, action] = s.board
                points[i, action] = s.score


@kernel
def spawn_all(states, boards, twos, fours, owner):
    """All boards after a new tile 2 and 4, and the number of the board they come from; returns how many of each."""
    s = states[0]
    count = 0
    for i in range(boards.shape[0]):
        s.board = boards[i]
        free = empty_cells(s)
        tile = U1
        for _ in range(16):
            if free & tile:
                twos[count] = boards[i] | tile
                fours[count] = boards[i] | (tile << U1)
                owner[count] = i
                count += 1
            tile <<= U4
    return count


@kernel
def value_layer(after, points, places, believed, worth, value):
    """value[i] = points and worth of the afterstate places[i, action] for the action that is believed to be best.

    With believed = worth this is best play. 0 where no action is legal.
    """
    for i in range(value.shape[0]):
        most = -np.inf
        value[i] = 0.0
        for action in range(4):
            if points[i, action] >= 0:
                place = places[i, action]
                if points[i, action] + believed[place] > most:
                    most = points[i, action] + believed[place]
                    value[i] = points[i, action] + worth[place]
