"""Schieber Jass: Stöck and Weis, compiled."""

import numpy as np

from spielwerk.core.linker import kernel, outlined
from spielwerk.games.jass.kernel.table import (
    ANNOUNCED,
    OBEABE,
    PLAY,
    STOECK,
    TODAY,
    UNDEUFE,
    WEIS,
    deal_factor,
    first_mode,
    gain,
)

STOECK_PAIR, STOECK_POINTS = np.int64(0b11 << 6), 20  # Q and K of a suit; shifted by nine places per suit
FOUR_OF_A_RANK = np.int64(0x8040201)  # the four sixes; shifted by a rank the four of that rank
# Points of four of a rank, at [as once or today][rank], and of a run, at [as once or today][length]
FOUR_POINTS = np.array(
    [[0, 0, 0, 150, 100, 200, 100, 100, 100], [100, 100, 100, 150, 100, 200, 100, 100, 100]], np.int64
)
RUN_POINTS = np.array(
    [[0, 0, 0, 20, 50, 100, 100, 100, 100, 100], [0, 0, 0, 20, 50, 100, 150, 200, 250, 300]], np.int64
)


def _patterns() -> tuple[np.ndarray, np.ndarray]:
    """Every run and four of a rank as a set of cards, and its points at [as once or today][pattern]."""
    runs = [(suit, rank, length) for length in range(3, 10) for suit in range(4) for rank in range(10 - length)]
    cards = [((1 << length) - 1) << (9 * suit + rank) for suit, rank, length in runs]
    points = [[int(RUN_POINTS[today, length]) for *_, length in runs] for today in range(2)]
    cards += [int(FOUR_OF_A_RANK) << rank for rank in range(9)]
    return np.array(cards, np.int64), np.hstack([np.array(points, np.int64), FOUR_POINTS])


PATTERNS, PATTERN_POINTS = _patterns()


@outlined
def score_stoeck(s, seat, card):
    """K and Q of trump in one hand: 20 points with the second of them."""
    pair = STOECK_PAIR << (9 * s.mode)
    if s.stoeck == 0 and (pair >> card) & 1 and s.played[seat] & pair == pair:
        s.stoeck = 1 + seat
        gain(s, seat & 1, STOECK_POINTS)


@kernel
def stoeck_to_come(s):
    """The lead of team 0 by a Stöck that will be scored in this deal and has not been yet; all hands are known."""
    if not s.rules & STOECK or s.stoeck > 0 or s.mode >= OBEABE:
        return np.int64(0)
    pair = STOECK_PAIR << (9 * s.mode)
    for seat in range(4):
        if (s.hands[seat] | s.played[seat]) & pair == pair:
            return STOECK_POINTS * deal_factor(s) * (1 - 2 * (seat & 1))
    return np.int64(0)


@outlined
def weis_of(hand, mode, rules):
    """The Weis of nine cards: rank of the best (0 = none), points of all, and their cards.

    Today a card may count in a four and in a run. Once it counted for one Weis only, and fours came first. The rank
    orders by value, length, highest card, trump.
    """
    today = 1 if rules & TODAY else 0
    best, points, cards = np.int64(0), np.int64(0), np.int64(0)
    fours = hand & (hand >> 9) & (hand >> 18) & (hand >> 27)
    for rank in range(9):
        value = FOUR_POINTS[today, rank]
        if (fours >> rank) & 1 and value > 0:
            height = 8 - rank if mode == UNDEUFE else rank
            best = max(best, (value << 16) + (4 << 8) + (height << 4))
            points += value
            cards |= FOUR_OF_A_RANK << rank
    in_runs = hand if today else hand & ~cards
    for suit in range(4):
        left = in_runs >> (9 * suit) & 0x1FF
        if left & (left >> 1) & (left >> 2) == 0:
            continue
        length = 0
        for rank in range(10):
            if (left >> rank) & 1:
                length += 1
                continue
            if length >= 3:
                value = RUN_POINTS[today, length]
                height = 8 - (rank - length) if mode == UNDEUFE else rank - 1
                in_trump = 8 if suit == mode else 0
                best = max(best, (value << 16) + (length << 8) + (height << 4) + in_trump)
                points += value
                cards |= ((np.int64(1) << length) - 1) << (9 * suit + rank - length)
            length = 0
    return best, points, cards


@kernel
def best_weis_points(s, hand):
    """The points of the best single Weis of nine cards, 0 = none."""
    best, _, _ = weis_of(hand, s.mode, s.rules)
    return best >> 16


@outlined
def announce(s, seat):
    """Written down are the points; the cards are shown after the first trick."""
    s.called[seat] = best_weis_points(s, s.hands[seat])


@outlined
def may_announce(s, seat):
    """A seat that holds a Weis may announce it once, before its first card."""
    if s.rules & ANNOUNCED == 0 or s.rules & WEIS == 0 or s.phase != PLAY:
        return False
    if s.played[seat] != 0 or s.called[seat] != 0:
        return False
    return best_weis_points(s, s.hands[seat]) > 0


@kernel
def weis_counts(s, seat):
    """Whether a seat takes part with its Weis: all do, unless they must announce them."""
    return s.rules & ANNOUNCED == 0 or s.called[seat] > 0


@kernel
def best_weis_seat(s):
    """The seat with the best Weis that counts, the earlier player among equals; -1 = nobody has one."""
    best, owner = np.int64(0), np.int64(-1)
    for i in range(4):
        seat = (np.int64(s.starter) + i) & 3
        if weis_counts(s, seat):
            rank, _, _ = weis_of(s.hands[seat] | s.played[seat], first_mode(s), s.rules)
            if rank > best:
                best = rank
                owner = seat
    return owner


@outlined
def score_weis(s):
    """The team with the best Weis shows and scores all its Weis, the other none."""
    owner = best_weis_seat(s)
    if owner < 0:
        return
    for i in range(2):
        seat = (owner + 2 * i) & 3
        if not weis_counts(s, seat):
            continue
        _, points, cards = weis_of(s.hands[seat] | s.played[seat], first_mode(s), s.rules)
        s.shown[seat] = cards
        for other in range(4):
            if other != seat:
                s.lacks[other] |= cards
        if points > 0:
            gain(s, owner & 1, points)


@kernel
def weis_is_known(s):
    """Whether anything is known of the Weis of other seats."""
    if s.rules & WEIS == 0:
        return False
    if s.rules & ANNOUNCED:
        return s.called[0] + s.called[1] + s.called[2] + s.called[3] > 0
    return s.tricks > 0


@outlined
def weis_agrees(s):
    """Whether the hands would have led to what was announced, and to the Weis that were shown."""
    if s.rules & ANNOUNCED:
        for seat in range(4):
            called = np.int64(s.called[seat])
            if called > 0 and best_weis_points(s, s.hands[seat] | s.played[seat]) != called:
                return False
        if s.tricks == 0:
            return True
    owner = best_weis_seat(s)
    for i in range(4):
        expected = np.int64(0)
        if owner >= 0 and (i ^ owner) & 1 == 0 and weis_counts(s, i):
            _, _, expected = weis_of(s.hands[i] | s.played[i], first_mode(s), s.rules)
        if s.shown[i] != expected:
            return False
    return True


@kernel
def weis_agrees_at(states):
    return weis_agrees(states[0])
