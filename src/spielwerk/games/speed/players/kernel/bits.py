"""A board of spe_ed as bits, for floods: one bit a cell, two words a row, a row of nothing above and below.

Word `y + 1` holds the columns 0 to 63 of row y, word `ROWS + y + 1` the rest. A step of a flood over the whole board
takes a few hundred instructions, whatever its front looks like.
"""

import numpy as np

from spielwerk.core.linker import kernel
from spielwerk.games.speed.kernel.rules import LONGEST_SIDE

ROWS = LONGEST_SIDE + 2
WORDS = 2 * ROWS
ONE = np.uint64(1)
TOP = np.uint64(63)
NOTHING = np.uint64(0)

FIRST, SECOND, THIRD = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
EIGHTHS = np.uint64(0x0101010101010101)
BY_1, BY_2, BY_4, BY_56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
ODD, EVEN = np.uint64(0xAAAAAAAAAAAAAAAA), np.uint64(0x5555555555555555)


@kernel
def word_of(x, y):
    return (x >> 6) * ROWS + y + 1


@kernel
def bit_of(x):
    return ONE << np.uint64(x & 63)


@kernel
def is_set(bits, x, y):
    """Cells beside the board are not set."""
    if x < 0 or x >= LONGEST_SIDE or y < 0 or y >= LONGEST_SIDE:
        return False
    return bits[word_of(x, y)] & bit_of(x) != NOTHING


@kernel
def put(bits, x, y):
    bits[word_of(x, y)] |= bit_of(x)


@kernel
def remove(bits, x, y):
    bits[word_of(x, y)] &= ~bit_of(x)


@kernel
def clear(bits):
    for word in range(WORDS):
        bits[word] = NOTHING


@kernel
def copy(source, bits):
    for word in range(WORDS):
        bits[word] = source[word]


@kernel
def join(some, bits):
    for word in range(WORDS):
        bits[word] |= some[word]


@kernel
def ones(word):
    """How many bits of a word are set."""
    word = word - ((word >> BY_1) & FIRST)
    word = (word & SECOND) + ((word >> BY_2) & SECOND)
    word = (word + (word >> BY_4)) & THIRD
    return np.int64((word * EIGHTHS) >> BY_56)


@kernel
def count(bits):
    total = 0
    for word in range(WORDS):
        if bits[word] != NOTHING:
            total += ones(bits[word])
    return total


@kernel
def free_cells(s, bits):
    """The free cells of a state."""
    clear(bits)
    width = np.int64(s.width)
    for y in range(s.height):
        for x in range(width):
            if s.cells[y * width + x] == 0:
                put(bits, x, y)


@kernel
def spread(front, within, wide, first, last, out):
    """The cells of `within` beside or in `front`, in the words from first to last of each half; whether there is one
    that is not in front is not said. Only half of the words count unless the board is `wide`."""
    for word in range(first, last + 1):
        here = front[word]
        grown = here | front[word - 1] | front[word + 1] | (here << ONE) | (here >> ONE)
        if wide:
            grown |= front[word + ROWS] << TOP
        out[word] = grown & within[word]
    if wide:
        for word in range(ROWS + first, ROWS + last + 1):
            here = front[word]
            grown = here | front[word - 1] | front[word + 1] | (here << ONE) | (here >> ONE)
            grown |= front[word - ROWS] >> TOP
            out[word] = grown & within[word]


@kernel
def edges(bits, wide):
    """How many pairs of neighbours are both set."""
    total = 0
    for word in range(1, ROWS - 1):
        here = bits[word]
        right = here >> ONE
        if wide:
            right |= bits[word + ROWS] << TOP
            beyond = bits[word + ROWS]
            if beyond != NOTHING:
                total += ones(beyond & (beyond >> ONE)) + ones(beyond & bits[word + ROWS + 1])
        if here != NOTHING:
            total += ones(here & right) + ones(here & bits[word + 1])
    return total
