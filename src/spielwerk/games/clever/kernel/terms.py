"""The state of a table of Ganz schön clever, its phases, and the numbers of the actions.

Dice 0 white, 1 yellow, 2 blue, 3 green, 4 orange, 5 purple; a set of dice is a bit set. What is printed on the sheet is
data (see sheets.py). Places of the yellow and the blue grid are counted row by row; cells of other areas from the left.

Actions (the moment says whether a die is picked, taken from the tray or used once more):

    0          pass: stop, decline, forfeit a roll
    1          re-roll
    2 .. 17    the yellow die crosses a place of yellow     18 .. 33   the white die does
    34, 35     the blue die, the white die crosses blue     36, 37     the same in green
    38, 39     the same in orange                           40, 41     the same in purple
    42 .. 57   a bonus crosses a place of yellow            58 .. 69   of blue
    70         a bonus crosses green                        71, 72, 73 it writes a 4, 5, 6 into orange
    74         it writes a 6 into purple                    75, 76     the free choice is an X in yellow, in blue
    77 .. 82   put a die that fits nowhere on a field
"""

import numpy as np

from spielwerk.games.clever.sheets import BLUE_X, GREEN_X, GRID, MARKS, MOST_ROUNDS, ORANGE_6, PURPLE_6, ROW, YELLOW_X

MOST_SEATS = 4
DICE_COUNT = 6
ALL_DICE = (1 << DICE_COUNT) - 1
WHITE_DIE, YELLOW_DIE, BLUE_DIE, GREEN_DIE, ORANGE_DIE, PURPLE_DIE = range(DICE_COUNT)
MOST_ROLLS = 3  # of an active turn, and dice fields
MOST_OUTCOMES = 36  # of a roll that is listed
PROTOTYPE_ROLLS = 10  # of a match with the yellow area alone
ROUNDS = np.array([0, 6, 6, 5, 4], np.int8)  # by the number of seats

PASS, AGAIN = 0, 1
IN_YELLOW, WHITE_IN_YELLOW = 2, 2 + GRID
IN_BLUE, IN_GREEN, IN_ORANGE, IN_PURPLE = 34, 36, 38, 40  # by the die of the colour; one more: by the white die
X_IN_YELLOW, X_IN_BLUE = 42, 42 + GRID
X_IN_GREEN, BONUS_IN_ORANGE, BONUS_IN_PURPLE = 70, 71, 74
FREE_YELLOW, FREE_BLUE = 75, 76
WASTE = 77
ACTIONS = WASTE + DICE_COUNT

BEGIN, DRAW, ROUND, ROLL, PICK, PICKED, AFTER, TRAY_ROLL, TRAY, OVER = range(10)
PICKING, ADDING, DONE = 0, 1, 2  # what a seat is about: the tray, +1, nothing any more
AT_ONCE = 2  # of short_end: without the bonuses of the last pick
FREE = MARKS  # place of the free choice among the owed bonuses, after those that mark a cell

YELLOW_ROW, YELLOW_COLUMN, DIAGONAL = 0x000F, 0x1111, 0x8421
BLUE_ROW, BLUE_COLUMN = 0x00F, 0x111
ALL_YELLOW, ALL_BLUE = 0xFFFF, 0xFFF
DRAWN = np.array([YELLOW_X, BLUE_X, GREEN_X, ORANGE_6, PURPLE_6], np.int8)

State = np.dtype(
    [
        ("yellow", np.uint16, (MOST_SEATS,)),  # bit p: place p is crossed, by the seat or in print
        ("blue", np.uint16, (MOST_SEATS,)),  # the same; the place without a cell counts as crossed
        ("orange_sum", np.int16, (MOST_SEATS,)),  # points of orange
        ("purple_sum", np.int16, (MOST_SEATS,)),  # points of purple
        ("green", np.int8, (MOST_SEATS,)),  # crosses, 0..11
        ("orange_count", np.int8, (MOST_SEATS,)),  # filled cells, 0..11
        ("purple_count", np.int8, (MOST_SEATS,)),
        ("orange", np.int8, (MOST_SEATS, ROW)),  # the numbers as rolled, 0 = empty
        ("purple", np.int8, (MOST_SEATS, ROW)),
        ("foxes", np.int8, (MOST_SEATS,)),  # 0..5
        ("rerolls", np.int8, (MOST_SEATS,)),  # unused
        ("extras", np.int8, (MOST_SEATS,)),  # unused +1
        ("rerolls_spent", np.int8, (MOST_SEATS, MOST_ROUNDS)),  # by round
        ("extras_spent", np.int8, (MOST_SEATS, MOST_ROUNDS)),
        ("owed", np.int8, (MOST_SEATS, MARKS + 1)),  # bonuses to be taken now, from YELLOW_X on; last the free choice
        ("spent", np.uint8, (MOST_SEATS,)),  # dice that the seat has used by +1 in this turn
        ("step", np.int8, (MOST_SEATS,)),  # 0 picking from the tray, 1 using +1, 2 done
        ("dice", np.int8, (DICE_COUNT,)),  # numbers, 0 = not rolled
        ("last", np.int8, (DICE_COUNT,)),  # the last roll, 0 = not rolled then; a forfeited one is seen here only
        ("fields", np.int8, (MOST_ROLLS,)),  # dice on the fields of the active seat, -1 = none
        ("pool", np.uint8),  # dice that are rolled; in a passive turn alone those that are not on the tray
        ("rolling", np.uint8),  # dice that the next roll rolls
        ("stale", np.uint8),  # dice that alone are rolled at the beginning of the next turn (thesis), 0 = all
        ("tray", np.uint8),  # dice on the silver tray
        ("seats", np.int8),  # 1..4
        ("first", np.int8),  # the seat that begins every round
        ("active", np.int8),  # the seat whose turn it is, -1 = not drawn yet
        ("rounds", np.int8),  # rounds begun, 1..6
        ("phase", np.int8),  # see above
        ("rolls", np.int8),  # of this turn, picked or forfeited
        ("last_tray", np.uint8),  # the tray of the last roll, 0 = it made none
        ("asked", np.int8),  # the seat whose bonus is drawn next
        ("drawn", np.int8),  # the bonus that was drawn last
        ("waiting", np.uint8),  # seats that must decide now
        ("sheet", np.uint8),  # option: which sheet
        ("wasted_picks", np.uint8),  # option: a die that fits nowhere may be picked
        ("random_tray", np.uint8),  # option: alone, the tray holds any three dice
        ("short_end", np.uint8),  # option: the match ends after the last pick, 2 = even before its bonuses
        ("drawn_bonus", np.uint8),  # option: the free choice of a round is drawn
        ("loose_green", np.uint8),  # option: green refuses only some numbers that are too low
        ("loose_purple", np.uint8),  # option: purple looks at the better of both dice
        ("stale_roll", np.uint8),  # option: a round may begin with dice that were not rolled again
        ("every_step", np.uint8),  # option: seats are asked where they have no choice, too
        ("yellow_dice", np.int8),  # option: the yellow area alone with so many dice, 0 = the whole game
    ]
)
