"""What the network of Schubert's thesis sees: 85 whole numbers of the own sheet, the dice and the bonuses, as they are.

0 .. 15    yellow: the number of an open place, 0 = crossed      16 .. 27   blue: the same
28 .. 38   green: 1 = crossed                                    39 .. 60   orange, purple: numbers as rolled
61 .. 66   the dice, white first; 0 = not rolled                 67 .. 72   1 = that die cannot be picked now
73, 74     rounds left, the roll of the round                    75 .. 77   unused +1 and re-rolls, foxes
78 .. 84   owed: orange 4, 5, 6, purple 6, an X in yellow, blue, green
"""

import numpy as np

from spielwerk.core.linker import kernel
from spielwerk.games.clever.kernel.marks import area_points
from spielwerk.games.clever.kernel.rules import more_rolls
from spielwerk.games.clever.kernel.terms import (
    ALL_DICE,
    DICE_COUNT,
    FREE,
    OVER,
    PICK,
    PICKED,
    PICKING,
    ROLL,
    ROUNDS,
    TRAY,
)
from spielwerk.games.clever.sheets import (
    BLUE_GRID,
    BLUE_X,
    GREEN_X,
    GRID,
    ORANGE_4,
    ORANGE_5,
    ORANGE_6,
    PURPLE_6,
    ROW,
    SHEETS,
    YELLOW_X,
)

SIZE = 85
OWED = np.array([ORANGE_4, ORANGE_5, ORANGE_6, PURPLE_6, YELLOW_X, BLUE_X, GREEN_X], np.int8)
FREELY = np.array([0, 0, 1, 1, 1, 1, 1], np.int8)  # what the free choice of a round can be, in the same order
YELLOW_NUMBERS = np.array([sheet.yellow for sheet in SHEETS], np.int8)
BLUE_NUMBERS = np.array([sheet.blue for sheet in SHEETS], np.int8)


@kernel
def thesis(s, seat, out):
    """The 85 numbers. A free choice of a round, which the thesis does not have, is owed in every way it can be made."""
    at = 0
    for place in range(GRID):
        crossed = (np.int64(s.yellow[seat]) >> place) & 1
        out[at + place] = 0.0 if crossed else np.float32(YELLOW_NUMBERS[s.sheet, place])
    at += GRID
    for place in range(BLUE_GRID):
        crossed = (np.int64(s.blue[seat]) >> place) & 1
        out[at + place] = 0.0 if crossed else np.float32(BLUE_NUMBERS[s.sheet, place])
    at += BLUE_GRID
    for cell in range(ROW):
        out[at + cell] = 1.0 if cell < s.green[seat] else 0.0
        out[at + ROW + cell] = np.float32(s.orange[seat, cell])
        out[at + 2 * ROW + cell] = np.float32(s.purple[seat, cell])
    at += 3 * ROW
    pickable = pickable_dice(s, seat)
    for die in range(DICE_COUNT):
        out[at + die] = np.float32(s.dice[die])
        out[at + DICE_COUNT + die] = 0.0 if (pickable >> die) & 1 else 1.0
    at += 2 * DICE_COUNT
    active = turn_goes_on(s)
    out[at] = np.float32(rounds_left(s) + (1 if active else 0))
    out[at + 1] = np.float32(np.int64(s.rolls) + 1) if active and s.phase >= ROLL else 1.0
    out[at + 2] = np.float32(s.extras[seat])
    out[at + 3] = np.float32(s.rerolls[seat])
    out[at + 4] = np.float32(s.foxes[seat])
    at += 5
    for kind in range(OWED.shape[0]):
        free = np.int64(s.owed[seat, FREE]) * np.int64(FREELY[kind])
        out[at + kind] = np.float32(np.int64(s.owed[seat, OWED[kind] - YELLOW_X]) + free)


@kernel
def pickable_dice(s, seat):
    """All before a turn, those of the pool in it, those of the tray, or by +1 those that it has not used yet."""
    if s.phase < ROLL:
        return np.int64(ALL_DICE)
    if s.phase <= PICKED:
        return np.int64(s.pool)
    if s.phase == TRAY and s.step[seat] == PICKING:
        return np.int64(s.tray)
    return ALL_DICE & ~np.int64(s.spent[seat])


@kernel
def turn_goes_on(s):
    """Whether rolls of the round are still to come: the thesis counts a round as over with its last pick."""
    return s.phase <= PICK or (s.phase == PICKED and more_rolls(s))


@kernel
def rounds_left(s):
    """After this one."""
    return np.int64(0) if s.phase == OVER else np.int64(ROUNDS[s.seats]) - np.int64(s.rounds)


@kernel
def areas_of(states, seat, out):
    """The points of a seat in the five areas, for every state."""
    for number in range(states.shape[0]):
        for area in range(5):
            out[number, area] = area_points(states[number], seat, area)
