"""Schieber Jass for networks: what a seat knows of a deal, as numbers. The places are listed in rules.md.

Seats are counted from the own one: 0 the seat itself, 1 the next one, 2 the partner, 3 the one before. Points from
earlier deals are left out: how to play a deal does not depend on them, and a network that has learned on single deals
can play a match.
"""

import numpy as np

from spielwerk.core.linker import kernel
from spielwerk.games.jass.kernel.rules import playable
from spielwerk.games.jass.kernel.table import (
    ALL,
    CHOOSE,
    JACK,
    NO_TRUMP,
    OBEABE,
    ORDER_TRUMP,
    PLAY,
    POWERS,
    SUITS,
    deal_factor,
    lowest,
    size,
)

# first places of the standard encoding
HAND, TABLE, COLLECTED, KNOWN = 0, 36, 180, 324
NO_SUIT, NO_TRUMPS, ONLY_JACK = 432, 444, 447
MODE, PUSHED, DECLARER, LEADER, TURN, WINNER = 450, 456, 457, 461, 465, 469
LED, TRICK = 473, 477
POT, TAKEN, SCORELESS, ANNOUNCED = 486, 487, 489, 491
OWN_TRUMPS, TRUMPS_OUT = 493, 502
MASTERS, TAKERS = 511, 547
STANDARD = 583

POT_SCALE, DEAL_POINTS, ANNOUNCED_SCALE = 50.0, 157.0, 100.0


def _stronger() -> np.ndarray:
    """The cards of the same suit that beat a card in a mode, as a set, at 36 * mode + card."""
    table = np.zeros(7 * 36, np.int64)
    for mode in range(7):
        for card in range(36):
            suit = card // 9
            powers = POWERS[36 * (4 * mode + suit) : 36 * (4 * mode + suit) + 36]
            table[36 * mode + card] = sum(1 << c for c in range(9 * suit, 9 * suit + 9) if powers[c] > powers[card])
    return table


STRONGER = _stronger()
TRUMP_ORDER = np.array(ORDER_TRUMP, np.int64)


@kernel
def features(s, seat, out):
    """The standard encoding: the cards, what is known of the other hands, the deal, the trick."""
    for i in range(STANDARD):
        out[i] = 0.0
    write_set(s.hands[seat], out, HAND)
    write_table(s, seat, out)
    out_of_sight = unseen(s, seat)
    write_others(s, seat, out_of_sight, out)
    out[PUSHED] = s.pushed
    if s.mode >= 0:
        out[MODE + nearest_mode(s.mode)] = 1.0
        write_points(s, seat, out)
        write_strength(s, seat, out_of_sight, out)
    if CHOOSE <= s.phase <= PLAY:
        out[DECLARER + ((np.int64(s.starter) + 2 * np.int64(s.pushed) - seat) & 3)] = 1.0
        out[LEADER + ((np.int64(s.leader) - seat) & 3)] = 1.0
        out[TURN + ((s.turn - seat) & 3)] = 1.0
        out[TRICK + s.tricks] = 1.0


@kernel
def nearest_mode(mode):
    """Without trumps and with all suits counted like side suits it is most like obeabe."""
    return OBEABE if mode == NO_TRUMP else mode


@kernel
def write_set(cards, out, first):
    while cards:
        out[first + lowest(cards)] = 1.0
        cards &= cards - 1


@kernel
def on_table(s):
    """The cards of the trick that is not finished."""
    cards = np.int64(0)
    for i in range(s.in_trick):
        cards |= np.int64(1) << np.int64(s.history[4 * s.tricks + i])
    return cards


@kernel
def unseen(s, seat):
    """The cards that the seat neither holds nor has seen played."""
    return ALL & ~(s.hands[seat] | s.played[0] | s.played[1] | s.played[2] | s.played[3])


@kernel
def may_hold(s, seat, out_of_sight):
    """The cards out of sight that a seat may hold, for all that everybody knows."""
    return np.int64(0) if size(s.played[seat]) == 9 else out_of_sight & ~s.lacks[seat]


@kernel
def write_table(s, seat, out):
    """Who has played which card: on the table and in finished tricks. Then the trick on the table."""
    table = on_table(s)
    for i in range(4):
        other = (seat + i) & 3
        write_set(s.played[other] & table, out, TABLE + 36 * i)
        write_set(s.played[other] & ~table, out, COLLECTED + 36 * i)
    if s.in_trick > 0:
        out[LED + s.led] = 1.0
        out[WINNER + ((s.winner - seat) & 3)] = 1.0
        out[POT] = s.pot / POT_SCALE


@kernel
def write_others(s, seat, out_of_sight, out):
    """What is known of the other hands: cards that only one seat can hold, suits of which it can hold none, and
    whether it can hold trumps at all, or none but the J."""
    a, b, c = (seat + 1) & 3, (seat + 2) & 3, (seat + 3) & 3
    may_a, may_b, may_c = may_hold(s, a, out_of_sight), may_hold(s, b, out_of_sight), may_hold(s, c, out_of_sight)
    write_set(may_a & ~may_b & ~may_c, out, KNOWN)
    write_set(may_b & ~may_a & ~may_c, out, KNOWN + 36)
    write_set(may_c & ~may_a & ~may_b, out, KNOWN + 72)
    for i in range(3):
        may = may_a if i == 0 else (may_b if i == 1 else may_c)
        for suit in range(4):
            if may & SUITS[suit] == 0:
                out[NO_SUIT + 4 * i + suit] = 1.0
        if 0 <= s.mode < OBEABE:
            trumps = may & SUITS[s.mode]
            if trumps == 0:
                out[NO_TRUMPS + i] = 1.0
            elif trumps == np.int64(1) << (9 * s.mode + JACK):
                out[ONLY_JACK + i] = 1.0


@kernel
def write_points(s, seat, out):
    """Of the own team and of the other: card points, whether there are none yet, and what else has been written in
    this deal (Weis, Stöck, the match bonus), all as if the mode counted once."""
    for i in range(2):
        side = (seat + i) & 1
        taken = np.int64(s.taken[side])
        out[TAKEN + i] = taken / DEAL_POINTS
        out[SCORELESS + i] = 1.0 if taken == 0 else 0.0
        out[ANNOUNCED + i] = (np.int64(s.gained[side]) // deal_factor(s) - taken) / ANNOUNCED_SCALE


@kernel
def write_strength(s, seat, out_of_sight, out):
    """The trumps in the hand and out of sight, from the weakest to the strongest; cards of the hand that are the
    highest left of their suit; and those that would take the trick on the table as it is."""
    hand = s.hands[seat]
    if s.mode < OBEABE:
        for rank in range(9):
            card = 9 * s.mode + rank
            out[OWN_TRUMPS + TRUMP_ORDER[rank]] = (hand >> card) & 1
            out[TRUMPS_OUT + TRUMP_ORDER[rank]] = (out_of_sight >> card) & 1
    may_play = playable(s, hand) if s.in_trick > 0 and s.turn == seat else np.int64(0)
    cards = hand
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if STRONGER[36 * s.mode + card] & out_of_sight == 0:
            out[MASTERS + card] = 1.0
        if (may_play >> card) & 1 and POWERS[36 * (4 * s.mode + s.led) + card] > s.best:
            out[TAKERS + card] = 1.0
