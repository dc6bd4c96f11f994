"""Schieber Jass, the rules, compiled: the contract, and how cards are played. The state is in `table`.

Source: the rules of the Zühlke Jass challenge server (2017) and, for the variants `schieber…`, the usual table rules.

Actions:
    0..35   play the card
    36..39  choose the suit as trump
    40, 41  choose obeabe, undeufe
    42      push: the partner chooses
    43      announce the Weis, before the first card; who plays a card instead is silent
    44, 45  choose a Slalom that begins with obeabe, with undeufe
"""

import numpy as np

from spielwerk.core.kernel.rng import draw
from spielwerk.core.linker import kernel
from spielwerk.games.jass.kernel.hidden import imagine as imagine
from spielwerk.games.jass.kernel.table import (
    ALL,
    ANNOUNCE,
    ANNOUNCED,
    CHOOSE,
    CLAIM,
    DEAL,
    FACTORS,
    FIRST_MODE,
    FIRST_SLALOM,
    JACK,
    KINDS,
    LAST_TRICK,
    MULTIPLIED,
    OBEABE,
    OVER,
    PLAY,
    POWERS,
    PUSH,
    PUSHED,
    STOECK,
    SUIT_OF,
    SUITS,
    TODAY,
    UNDEUFE,
    VALUES,
    WEIS,
    clear_table,
    following,
    gain,
    lowest,
)
from spielwerk.games.jass.kernel.weis import announce, may_announce, score_stoeck, score_weis


@kernel
def start(s, seats, options):
    s.target = options[0]
    s.limit = options[1]
    s.bonus = options[2]
    for mode in range(6):
        s.factors |= (FACTORS[mode] ^ options[4 + KINDS[mode]]) << (4 * KINDS[mode])
    weis = WEIS * (options[8] > 0) + TODAY * (options[8] > 1)
    s.rules = MULTIPLIED * options[3] + weis + STOECK * options[9] + CLAIM * options[10] + ANNOUNCED * options[11]
    s.slalom_factor = options[12] * options[13]
    s.mode = -1
    s.best = -1
    for i in range(36):
        s.history[i] = -1


@kernel
def actors(s):
    if s.phase == DEAL:
        return 0
    if s.phase == OVER:
        return -1
    return 1 << s.turn


@kernel
def legal(s, seat, out):
    if s.phase != PLAY:
        count = 7 if s.phase == CHOOSE else 6
        for i in range(count):
            out[i] = FIRST_MODE + i
        if s.slalom_factor > 0:
            out[count] = FIRST_SLALOM
            out[count + 1] = FIRST_SLALOM + 1
            count += 2
        return count
    cards = playable(s, s.hands[seat])
    count = 0
    while cards:
        card = lowest(cards)
        out[count] = card
        count += 1
        cards &= cards - 1
    if s.tricks == 0 and s.rules & ANNOUNCED and may_announce(s, seat):
        out[count] = ANNOUNCE
        count += 1
    return count


@kernel
def apply(s, joint):
    seat = s.turn
    action = joint[seat]
    if action < FIRST_MODE:
        play_card(s, seat, action)
    elif action == ANNOUNCE:
        announce(s, seat)
    elif action == PUSH:
        s.pushed = 1
        s.phase = PUSHED
        s.turn = (seat + 2) & 3
    else:
        if action >= FIRST_SLALOM:
            s.slalom = 1
            s.mode = OBEABE + action - FIRST_SLALOM
        else:
            s.mode = action - FIRST_MODE
        s.phase = PLAY
        s.turn = np.int64(s.starter)  # the starter leads also after a push
        s.leader = s.starter


@kernel
def chance(s, rng):
    """The deal: nine cards each, every deal equally likely."""
    clear_table(s)
    first, second, third = 9, 9, 9  # places left in the first three hands
    hand_a, hand_b, hand_c = np.int64(0), np.int64(0), np.int64(0)
    bits = np.uint64(0)
    for card in range(36):
        if card & 1 == 0:
            bits = draw(rng)
        left = 36 - card
        place = np.int64(((bits & np.uint64(0xFFFFFFFF)) * np.uint64(left)) >> np.uint64(32))
        bits >>= np.uint64(32)
        in_a = np.int64(place < first)
        in_b = np.int64(place < first + second) - in_a
        in_c = np.int64(place < first + second + third) - in_a - in_b
        first -= in_a
        second -= in_b
        third -= in_c
        hand_a |= in_a << card
        hand_b |= in_b << card
        hand_c |= in_c << card
    s.hands[0] = hand_a
    s.hands[1] = hand_b
    s.hands[2] = hand_c
    s.hands[3] = ALL & ~(hand_a | hand_b | hand_c)


@kernel
def score(s, out):
    for seat in range(4):
        out[seat] = s.points[seat & 1]


@kernel
def team(s, seat):
    return seat & 1


@kernel
def hide(s, seat):
    for other in range(4):
        if other != seat:
            s.hands[other] = 0


@kernel
def playable(s, hand):
    """The cards of a hand that may be played now, as a set."""
    return hand if s.in_trick == 0 else following(hand, s.mode, s.led, s.best)


@kernel
def play_card(s, seat, card):
    bit = np.int64(1) << card
    suit = SUIT_OF[card]
    s.hands[seat] &= ~bit
    s.played[seat] |= bit
    if s.in_trick == 0:
        s.led = suit
    power = POWERS[36 * (4 * s.mode + s.led) + card]
    if suit != s.led:
        note_lacks(s, seat, suit, power)
    if power > s.best:
        s.best = power
        s.winner = seat
    s.pot += VALUES[36 * s.mode + card]
    s.history[4 * s.tricks + s.in_trick] = card
    s.in_trick += 1
    if s.rules & STOECK and s.mode < OBEABE:
        score_stoeck(s, seat, card)
    if s.in_trick == 4:
        finish_trick(s)
    else:
        s.turn = (seat + 1) & 3


@kernel
def note_lacks(s, seat, suit, power):
    """What everybody learns from a card that does not follow suit."""
    if suit == s.mode:
        if power < s.best:  # trumping under is allowed only from a hand of trumps
            s.lacks[seat] |= ALL & ~SUITS[s.mode]
    elif s.led == s.mode:
        s.lacks[seat] |= SUITS[s.mode] & ~(np.int64(1) << (9 * s.mode + JACK))
    else:
        s.lacks[seat] |= SUITS[s.led]


@kernel
def finish_trick(s):
    side = s.winner & 1
    s.tricks += 1
    s.last_leader = s.leader
    s.leader = s.winner
    s.turn = s.winner
    if s.mode >= OBEABE and s.slalom:
        s.mode = OBEABE + UNDEUFE - s.mode
    if s.tricks == 1 and s.rules & WEIS:  # the order is Stöck, Weis, Stich
        score_weis(s)
    value = s.pot
    if s.tricks == 9:
        value += LAST_TRICK
    s.pot = 0
    s.in_trick = 0
    s.best = -1
    s.taken[side] += value
    gain(s, side, value)
    if s.tricks == 9:
        finish_deal(s, side)


@kernel
def finish_deal(s, side):
    if s.taken[1 - side] == 0:
        gain(s, side, np.int64(s.bonus))
    if s.phase == OVER:
        return
    s.deals += 1
    s.phase = DEAL
    s.starter = s.deals & 3
    high, low = max(s.points[0], s.points[1]), min(s.points[0], s.points[1])
    if (high >= s.target and high > low) or s.deals == s.limit:
        s.phase = OVER
