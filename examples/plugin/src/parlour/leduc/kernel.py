"""Leduc hold'em, the rules, compiled.

Source: Southey et al., "Bayes' Bluff: Opponent Modelling in Poker" (UAI 2005), section 4.

A card is 2 * rank + suit: ranks 0 jack, 1 queen, 2 king; suits 0 hearts, 1 spades.

Actions:
    0 fold    give up the pot, if there is a bet to answer
    1 check   put in nothing, if there is none
    2 call    put in as much as the other has
    3 bet     put in the first chips of a betting round
    4 raise   call, and put in as much again
"""

import numpy as np
from spielwerk import below, kernel

SEATS, CARDS = 2, 6
ANTE = 1
BETS = (2, 4)  # size of a bet in the first and in the second betting round
MOST_RAISES = 2  # bets and raises in a betting round
LONGEST_ROUND = 4  # check, bet, raise, call

State = np.dtype(
    [
        ("chips", np.int32, SEATS),  # won (lost, if negative) in the hands that are finished
        ("hands", np.int16),  # hands in the match
        ("hand", np.int16),  # hands finished
        ("paid", np.int8, SEATS),  # chips in the pot of this hand
        ("cards", np.int8, SEATS),  # own card 0..5, NONE = not dealt, UNKNOWN = hidden from the one who looks
        ("board", np.int8),  # open card 0..5, NONE = not turned yet
        ("phase", np.int8),  # DEAL, FIRST, TURN, SECOND or OVER
        ("turn", np.int8),  # seat that decides
        ("raises", np.int8),  # bets and raises in this betting round, 0..2
        ("made", np.int8),  # decisions in this betting round
        ("betting", np.int8, (2, LONGEST_ROUND)),  # actions by betting round, NONE = not yet
        # the hand before, for those who look; NONE as long as there is none
        ("shown", np.int8, SEATS),  # cards that were shown, NONE = somebody folded
        ("shown_board", np.int8),
        ("gain", np.int8),  # chips that seat 0 has won in it
    ]
)

FOLD, CHECK, CALL, BET, RAISE = 0, 1, 2, 3, 4
DEAL, FIRST, TURN, SECOND, OVER = 0, 1, 2, 3, 4
NONE, UNKNOWN = -1, -2
PAIR = 3  # strength of a pair: above every rank


# --- the contract ----------------------------------------------------------------------------------------------------


@kernel
def start(s, seats, options):
    s.hands = options[0]
    s.shown_board = NONE
    for seat in range(SEATS):
        s.shown[seat] = NONE
    clear_table(s)


@kernel
def actors(s):
    if s.phase == OVER:
        return -1
    if s.phase == DEAL or s.phase == TURN:
        return 0
    return 1 << s.turn


@kernel
def legal(s, seat, out):
    if s.paid[seat] == s.paid[1 - seat]:
        out[0] = CHECK
        out[1] = BET
        return 2
    out[0] = FOLD
    out[1] = CALL
    if s.raises == MOST_RAISES:
        return 2
    out[2] = RAISE
    return 3


@kernel
def apply(s, joint):
    seat = s.turn
    action = joint[seat]
    late = betting_round(s)
    s.betting[late, s.made] = action
    s.made += 1
    s.turn = 1 - seat
    if action == FOLD:
        win_unseen(s, 1 - seat)
        return
    if action != CHECK:
        s.paid[seat] = s.paid[1 - seat]  # a bet answers what is there, which is nothing
    if action == BET or action == RAISE:
        s.paid[seat] += BETS[late]
        s.raises += 1
    elif action == CALL or s.made == 2:  # a call, or the second check
        finish_round(s)


@kernel
def chance(s, rng):
    """The deal of a card each, or the turn of the open card; every way equally likely."""
    if s.phase == DEAL:
        first = below(rng, CARDS)
        second = below(rng, CARDS - 1)
        deal(s, first, second + (second >= first))
        return
    nth = below(rng, CARDS - SEATS)
    for card in range(CARDS):
        if card != s.cards[0] and card != s.cards[1]:
            if nth == 0:
                turn_card(s, card)
                return
            nth -= 1


@kernel
def outcomes(s, ids, probs):
    """A deal is 6 * (card of seat 0) + card of seat 1; the turn is the card."""
    count = 0
    if s.phase == DEAL:
        for pair in range(CARDS * CARDS):
            if pair // CARDS != pair % CARDS:
                ids[count] = pair
                count += 1
    else:
        for card in range(CARDS):
            if card != s.cards[0] and card != s.cards[1]:
                ids[count] = card
                count += 1
    for place in range(count):
        probs[place] = 1.0 / count
    return count


@kernel
def happen(s, outcome):
    if s.phase == DEAL:
        deal(s, outcome // CARDS, outcome % CARDS)
    else:
        turn_card(s, outcome)


@kernel
def score(s, out):
    for seat in range(SEATS):
        out[seat] = s.chips[seat]


@kernel
def hide(s, seat):
    for other in range(SEATS):
        if other != seat and s.cards[other] != NONE:
            s.cards[other] = UNKNOWN


@kernel
def imagine(s, seat, rng):
    """Every card that is not in sight is equally likely; a spectator knows neither."""
    for other in range(SEATS):
        if s.cards[other] == UNKNOWN:
            while True:
                card = below(rng, CARDS)
                if card != s.board and card != s.cards[1 - other]:
                    break
            s.cards[other] = card


# --- a hand ----------------------------------------------------------------------------------------------------------


@kernel
def clear_table(s):
    s.board = NONE
    for seat in range(SEATS):
        s.cards[seat] = NONE
        s.paid[seat] = 0
    for late in range(2):
        for place in range(LONGEST_ROUND):
            s.betting[late, place] = NONE


@kernel
def deal(s, first, second):
    s.cards[0] = first
    s.cards[1] = second
    for seat in range(SEATS):
        s.paid[seat] = ANTE
    begin_round(s, FIRST)


@kernel
def turn_card(s, card):
    s.board = card
    begin_round(s, SECOND)


@kernel
def begin_round(s, phase):
    s.phase = phase
    s.turn = first_seat(s)
    s.raises = 0
    s.made = 0


@kernel
def first_seat(s):
    """The seat that decides first in both rounds of a hand: the seats take turns."""
    return s.hand & 1


@kernel
def betting_round(s):
    """0 = the first, 1 = the second."""
    return 1 if s.phase == SECOND else 0


@kernel
def finish_round(s):
    if s.phase == FIRST:
        s.phase = TURN
    else:
        show_down(s)


@kernel
def show_down(s):
    for seat in range(SEATS):
        s.shown[seat] = s.cards[seat]
    mine, other = strength(s.cards[0], s.board), strength(s.cards[1], s.board)
    if mine > other:
        pay(s, 0)
    elif mine < other:
        pay(s, 1)
    else:
        pay(s, NONE)


@kernel
def strength(card, board):
    """A pair with the open card beats every other card, else the higher rank wins."""
    return PAIR if card // 2 == board // 2 else card // 2


@kernel
def win_unseen(s, winner):
    """The other has folded: no card is shown."""
    for seat in range(SEATS):
        s.shown[seat] = NONE
    pay(s, winner)


@kernel
def pay(s, winner):
    """The winner gets what the other has paid; NONE = the pot is split. Then the next hand, if there is one."""
    s.gain = 0
    if winner == 0:
        s.gain = s.paid[1]
    elif winner == 1:
        s.gain = -s.paid[0]
    s.chips[0] += s.gain
    s.chips[1] -= s.gain
    s.shown_board = s.board
    s.hand += 1
    s.phase = OVER if s.hand == s.hands else DEAL
    s.turn = 0
    s.raises = 0
    s.made = 0
    clear_table(s)


@kernel
def happen_at(states, outcome):
    """`happen` for a call from Python, which hands over arrays."""
    happen(states[0], outcome)
