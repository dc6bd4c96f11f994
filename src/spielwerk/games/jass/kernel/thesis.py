"""Schieber Jass as Eder and Kistler (2017, 2.6.1 and 2.9) told it to their networks. The places are listed in rules.md.

Cards stand in the order of the moves. The cards of the trick on the table are its first, second and third, whoever
played them; in tricks that are kept apart they stand by seat, the own one first.
"""

import numpy as np

from spielwerk.core.linker import kernel
from spielwerk.games.jass.kernel.features import nearest_mode, on_table, write_set
from spielwerk.games.jass.kernel.table import PLAY

TRICK = 4 * 36
STEP = TRICK + 6  # a trick and the mode
TRICKS = 9 * STEP + 36


@kernel
def clear(out, places):
    for i in range(places):
        out[i] = 0.0


@kernel
def write_mode(s, out, first):
    if s.mode >= 0:
        out[first + nearest_mode(s.mode)] = 1.0


@kernel
def write_hand_and_table(s, seat, out):
    """The hand, then the first, second and third card on the table."""
    write_set(s.hands[seat], out, 0)
    for i in range(s.in_trick):
        out[36 + 36 * i + np.int64(s.history[4 * s.tricks + i])] = 1.0


@kernel
def hand(s, seat, out):
    """36: the hand, for a network that chooses the mode."""
    clear(out, 36)
    write_set(s.hands[seat], out, 0)


@kernel
def hand_and_push(s, seat, out):
    """37: the same, and whether the choice was pushed."""
    hand(s, seat, out)
    out[36] = s.pushed


@kernel
def status(s, seat, out):
    """42: one number per card: 1 = in the hand, 2, 3, 4 = first, second, third on the table; then the mode."""
    clear(out, 42)
    write_set(s.hands[seat], out, 0)
    for i in range(s.in_trick):
        out[np.int64(s.history[4 * s.tricks + i])] = 2.0 + i
    write_mode(s, out, 36)


@kernel
def binary(s, seat, out):
    """150: hand, three cards on the table, mode."""
    clear(out, 150)
    write_hand_and_table(s, seat, out)
    write_mode(s, out, 144)


@kernel
def counting(s, seat, out):
    """186: the same with the cards of finished tricks before the mode."""
    clear(out, 186)
    write_hand_and_table(s, seat, out)
    write_set((s.played[0] | s.played[1] | s.played[2] | s.played[3]) & ~on_table(s), out, 144)
    write_mode(s, out, 180)


@kernel
def counting_and_push(s, seat, out):
    """187: the same, and whether the choice was pushed: for a network that chooses the mode, too."""
    counting(s, seat, out)
    out[186] = s.pushed


@kernel
def write_trick(s, seat, number, cards, out, first):
    """The cards of a trick by seat. Who played a card is seen from the sets of the seats."""
    for i in range(cards):
        card = np.int64(s.history[4 * number + i])
        for other in range(4):
            if (s.played[other] >> card) & 1:
                out[first + 36 * ((other - seat) & 3) + card] = 1.0


@kernel
def everything(s, seat, out):
    """1302, of the outlook: hand, three cards on the table, who played which card in which of eight tricks, mode."""
    clear(out, 1302)
    write_hand_and_table(s, seat, out)
    for number in range(min(s.tricks, 8)):
        write_trick(s, seat, number, 4, out, 144 + TRICK * number)
    write_mode(s, out, 1296)


@kernel
def tricks(s, seat, out):
    """For a recurrent network, of the outlook: the deal as nine steps of one trick and the mode each, then the hand.
    Tricks that have not begun are all 0."""
    clear(out, TRICKS)
    for number in range(min(s.tricks + 1, 9)):
        if s.phase != PLAY and number == s.tricks:
            break
        cards = 4 if number < s.tricks else s.in_trick
        write_trick(s, seat, number, cards, out, STEP * number)
        write_mode(s, out, STEP * number + TRICK)
    write_set(s.hands[seat], out, 9 * STEP)
