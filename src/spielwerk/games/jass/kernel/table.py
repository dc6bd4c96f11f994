"""Schieber Jass: the state, cards and sets of cards, and how points are counted, compiled.

A card is 9 * suit + rank: suits 0 hearts, 1 diamonds, 2 clubs, 3 spades; ranks 0 = 6, 7, 8, 9, 10, J, Q, K, 8 = A.
A set of cards is an int64 with bit `card`. A mode is a trump suit 0..3, 4 = obeabe, 5 = undeufe. Mode 6 is a deal in
which no suit is trump and all count like side suits: nobody can choose it here, but the challenge's server plays it.
In a Slalom the mode alternates between 4 and 5 from trick to trick.
"""

import numpy as np

from spielwerk.core.linker import kernel

State = np.dtype(
    [
        ("hands", np.int64, 4),  # cards held, a set per seat; 0 = none or not known
        ("played", np.int64, 4),  # cards played in this deal, a set per seat
        ("lacks", np.int64, 4),  # cards that everybody knows the seat does not hold, a set per seat
        ("shown", np.int64, 4),  # cards shown as Weis in this deal, a set per seat
        ("phase", np.int64),  # DEAL, CHOOSE, PUSHED, PLAY or OVER
        ("turn", np.int64),  # seat that must decide
        ("mode", np.int64),  # of this trick: 0..3 trump suit, 4 obeabe, 5 undeufe, 6 no trump, -1 = not chosen
        ("in_trick", np.int64),  # cards on the table, 0..3
        ("led", np.int64),  # suit that was led, 0..3; only meaningful with cards on the table
        ("best", np.int64),  # power of the winning card on the table, -1 = none
        ("winner", np.int64),  # seat of that card
        ("pot", np.int64),  # card points on the table
        ("tricks", np.int64),  # tricks finished in this deal, 0..9
        ("deals", np.int64),  # deals finished in this match
        ("points", np.int32, 2),  # per team, whole match
        ("gained", np.int32, 2),  # per team, this deal, everything included
        ("taken", np.int16, 2),  # per team, card points and last trick of this deal, not multiplied
        ("history", np.int8, 36),  # cards of this deal in order of play, trick i from 4 * i on; -1 = not yet
        ("leader", np.int8),  # seat that led the trick on the table
        ("last_leader", np.int8),  # seat that led the trick before
        ("starter", np.int8),  # seat that chooses first and leads the first trick
        ("pushed", np.int8),  # 1 = the starter has pushed
        ("stoeck", np.int8),  # 1 + seat that has scored its Stöck in this deal; 0 = nobody
        ("slalom", np.int8),  # 1 = a Slalom is played in this deal
        ("target", np.int16),  # points that win the match
        ("limit", np.int16),  # deals after which the match ends whatever the points; 0 = none
        ("bonus", np.int16),  # points for a match (the other team has no points in the deal)
        ("rules", np.int8),  # set of MULTIPLIED, WEIS, STOECK, CLAIM, TODAY, ANNOUNCED
        ("slalom_factor", np.int8),  # multiplier of a Slalom; 0 = nobody can choose one
        ("factors", np.uint16),  # its multiplier in four bits per kind of mode, each XOR the usual one: 0 = as usual
        ("called", np.int16, 4),  # per seat: points of the best Weis that it has announced; 0 = none so far
    ]
)
DEAL, CHOOSE, PUSHED, PLAY, OVER = 0, 1, 2, 3, 4
MULTIPLIED, WEIS, STOECK, CLAIM = 1, 2, 4, 8
TODAY, ANNOUNCED = 16, 32  # Weis are counted as is usual today; they count if their owner announces them
OBEABE, UNDEUFE, NO_TRUMP = 4, 5, 6
MODES = 7
FIRST_MODE, PUSH, ANNOUNCE, FIRST_SLALOM = 36, 42, 43, 44
CARD_POINTS, LAST_TRICK = 152, 5
ALL = np.int64((1 << 36) - 1)
SUITS = np.array([0x1FF << 9 * suit for suit in range(4)], np.int64)
SUIT_OF = np.array([card // 9 for card in range(36)], np.int64)
JACK = 5
ORDER_TRUMP = (0, 1, 2, 7, 3, 8, 4, 5, 6)  # strength of rank 6, 7, … A among trumps
TRUMP_POWER, LED_POWER = 32, 16
FACTORS = np.array([1, 1, 2, 2, 3, 3, 1], np.int64)  # the usual multipliers of the modes
KINDS = np.array([0, 0, 1, 1, 2, 3, 0], np.int64)  # of the modes: red trump, black trump, obeabe, undeufe
VALUES_TRUMP = (0, 0, 0, 14, 10, 20, 3, 4, 11)
VALUES_SIDE = (0, 0, 0, 0, 10, 2, 3, 4, 11)
VALUES_OBEABE = (0, 0, 8, 0, 10, 2, 3, 4, 11)
VALUES_UNDEUFE = (11, 0, 8, 0, 10, 2, 3, 4, 0)


def _values() -> np.ndarray:
    """Points of a card in a mode, at 36 * mode + card."""
    table = np.zeros(MODES * 36, np.int64)
    for mode in range(MODES):
        for card in range(36):
            kind = VALUES_TRUMP if card // 9 == mode else VALUES_SIDE
            kind = {OBEABE: VALUES_OBEABE, UNDEUFE: VALUES_UNDEUFE}.get(mode, kind)
            table[36 * mode + card] = kind[card % 9]
    return table


def _powers() -> np.ndarray:
    """How strong a card is in a trick, at 36 * (4 * mode + led suit) + card; 0 = it cannot win."""
    table = np.zeros(MODES * 4 * 36, np.int64)
    for mode in range(MODES):
        for led in range(4):
            for card in range(36):
                suit, rank = divmod(card, 9)
                power = 0
                if suit == mode:
                    power = TRUMP_POWER + ORDER_TRUMP[rank]
                elif suit == led:
                    power = LED_POWER + (8 - rank if mode == UNDEUFE else rank)
                table[36 * (4 * mode + led) + card] = power
    return table


def _weaker_trumps() -> np.ndarray:
    """The trumps weaker than one of the given order, as nine bits of the suit."""
    return np.array([sum(1 << rank for rank in range(9) if ORDER_TRUMP[rank] < order) for order in range(9)], np.int64)


VALUES = _values()
POWERS = _powers()
WEAKER_TRUMPS = _weaker_trumps()


@kernel
def following(hand, mode, led, best):
    """The cards of a hand that may be played on a trick in which `led` was led and `best` is the highest power."""
    follow = hand & SUITS[led]
    if mode >= OBEABE:
        return follow if follow else hand
    if led == mode:
        jack = np.int64(1) << (9 * mode + JACK)
        return hand if follow & ~jack == 0 else follow  # the trump J need not be shown
    trumps = hand & SUITS[mode]
    cards = follow | trumps if follow else hand
    if best >= TRUMP_POWER and hand != trumps:  # no trumping under, unless there are only trumps
        cards &= ~(WEAKER_TRUMPS[best - TRUMP_POWER] << (9 * mode))
    return cards


@kernel
def gain(s, side, value):
    """Write points; with claiming a team has won the moment it reaches the target."""
    if s.phase == OVER:
        return
    if s.rules & MULTIPLIED:
        value *= deal_factor(s)
    s.points[side] += value
    s.gained[side] += value
    if s.rules & CLAIM and s.points[side] >= s.target:
        s.phase = OVER


@kernel
def factor(s, mode):
    """How many times the points of a mode count."""
    if s.rules & MULTIPLIED:
        return FACTORS[mode] ^ ((np.int64(s.factors) >> (4 * KINDS[mode])) & 15)
    return np.int64(1)


@kernel
def slalom_factor(s):
    """How many times the points of a Slalom count."""
    return np.int64(s.slalom_factor) if s.rules & MULTIPLIED else np.int64(1)


@kernel
def deal_factor(s):
    """How many times the points of this deal count; its mode is chosen."""
    return slalom_factor(s) if s.slalom else factor(s, s.mode)


@kernel
def first_mode(s):
    """The mode of the first trick, which ranks the Weis; in a Slalom it alternates."""
    return OBEABE + UNDEUFE - s.mode if s.slalom and s.tricks & 1 else s.mode


@kernel
def clear_table(s):
    for seat in range(4):
        s.played[seat] = 0
        s.lacks[seat] = 0
        s.shown[seat] = 0
        s.called[seat] = 0
    for i in range(36):
        s.history[i] = -1
    for side in range(2):
        s.gained[side] = 0
        s.taken[side] = 0
    s.mode = -1
    s.tricks = 0
    s.pushed = 0
    s.stoeck = 0
    s.slalom = 0
    s.phase = CHOOSE
    s.turn = np.int64(s.starter)
    s.leader = s.starter


@kernel
def clear_table_at(states):
    clear_table(states[0])


@kernel
def lacking_at(states):
    """Whether somebody holds a card that everybody knows he does not hold."""
    s = states[0]
    found = np.int64(0)
    for seat in range(4):
        found |= s.hands[seat] & s.lacks[seat]
    return found != 0


@kernel
def lowest(cards):
    """The lowest card of a set that is not empty."""
    return size((cards & -cards) - 1)


@kernel
def size(cards):
    """How many cards a set has. Written so that the compiler knows it for a population count."""
    x = np.uint64(cards)
    x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))
