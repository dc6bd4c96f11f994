"""Habits of players, counted in deals that were written down: how often somebody could have had a habit, and had it.

They are those that people noticed when they played against the networks of Eder and Kistler (2017, 2.7.2). Every one is
judged by what the player itself could know. A trick is *sure* if nobody who still plays to it can beat its best card. A
card *cannot be beaten* if no card of its suit beats it that the player has not seen; it is the *highest left* if the
player itself holds none either.
"""

import numpy as np

from spielwerk.core.kernel.contract import apply, legal
from spielwerk.core.linker import kernel
from spielwerk.games.jass.kernel.features import STRONGER, may_hold, unseen
from spielwerk.games.jass.kernel.table import (
    ANNOUNCE,
    JACK,
    OBEABE,
    PLAY,
    POWERS,
    SUIT_OF,
    SUITS,
    TRUMP_POWER,
    VALUES,
    size,
)
from spielwerk.games.jass.learn.kernel.deals import deal_out, written_action
from spielwerk.games.jass.players.kernel.rules import BEATS

(
    DRAWS_FROM_NOBODY, DRAWS_FROM_PARTNER, TAKES_FROM_PARTNER, GIVES_HIGHEST_AWAY, TAKES_NOTHING_DEARLY,
    LEADS_LOW_WITHOUT_TRUMP, LEADS_BEST_TRUMPS, SHOWS_JACK, SMEARS_OPPONENTS, LEADS_WHAT_PARTNER_DISCARDED,
    LEADS_HIGHEST_TO_BE_TRUMPED, SMEARS_PARTNER,
) = range(12)  # fmt: skip
HABITS = 12
NINE = 3  # rank
RICH, POOR = 10, 4  # points of a card that is worth smearing, and of one that is not
CHEAP = 4  # points of a trick that is worth nothing
DEAR = TRUMP_POWER + 7  # power of the 9 of trumps; above it there is the J only


@kernel
def count_habits(start, states, deals, first, last, scratch, counts):
    """Add to counts [players, habits, 2] (could have, had) over the deals from number `first` up to `last`."""
    s = states[0]
    discarded = scratch.integers  # suits that a seat has thrown away, as bits
    for n in range(first, last):
        states[0] = start[0]
        if not deal_out(s, deals, n, scratch.trial):
            continue
        for seat in range(4):
            discarded[seat] = 0
        while s.tricks < 9:
            seat = s.turn
            action, _ = written_action(s, deals, n)
            who = deals.players[n, seat]
            if s.phase == PLAY:
                count = legal(s, seat, scratch.actions)
                if scratch.actions[count - 1] >= ANNOUNCE:
                    count -= 1  # an announcement is no card
                if count > 1 and who < counts.shape[0] and action != ANNOUNCE:
                    if s.in_trick == 0:
                        leading(s, seat, action, count, discarded, scratch.actions, counts[who])
                    else:
                        following_suit(s, seat, action, count, scratch.actions, counts[who])
                if s.in_trick > 0 and action != ANNOUNCE:
                    suit = SUIT_OF[action]
                    if suit not in (s.led, s.mode):
                        discarded[seat] |= 1 << suit
            scratch.joint[seat] = action
            apply(s, scratch.joint)


@kernel
def note(counts, habit, had):
    counts[habit, 0] += 1
    if had:
        counts[habit, 1] += 1


@kernel
def is_highest(s, card, others):
    """Whether none of the others beats the card in its suit."""
    return STRONGER[36 * s.mode + card] & others == 0


@kernel
def is_to_be_trumped(s, card, opponent, hidden):
    """Whether an opponent has no card of the suit, as everybody has seen, and may have trumps."""
    may = may_hold(s, opponent, hidden)
    return may & SUITS[SUIT_OF[card]] == 0 and may & SUITS[s.mode] != 0


@kernel
def leading(s, seat, card, count, discarded, actions, counts):
    hidden = unseen(s, seat)
    left, partner, right = (seat + 1) & 3, (seat + 2) & 3, (seat + 3) & 3
    suit = SUIT_OF[card]
    if s.mode < OBEABE:
        trumps = s.hands[seat] & SUITS[s.mode]
        others = s.hands[seat] & ~SUITS[s.mode]
        if trumps and others:
            opponents = (may_hold(s, left, hidden) | may_hold(s, right, hidden)) & SUITS[s.mode]
            if opponents == 0:
                if may_hold(s, partner, hidden) & SUITS[s.mode]:
                    note(counts, DRAWS_FROM_PARTNER, suit == s.mode)
                else:
                    note(counts, DRAWS_FROM_NOBODY, suit == s.mode)
            chooser = (np.int64(s.starter) + 2 * np.int64(s.pushed)) & 3
            best = (np.int64(1) << (9 * s.mode + JACK)) | (np.int64(1) << (9 * s.mode + NINE))
            if (chooser ^ seat) & 1 and trumps & best:
                note(counts, LEADS_BEST_TRUMPS, (best >> card) & 1 == 1)
        wasted, other = False, False
        for i in range(count):
            if is_wasted(s, actions[i], seat, hidden):
                wasted = True
            else:
                other = True
        if wasted and other:
            note(counts, LEADS_HIGHEST_TO_BE_TRUMPED, is_wasted(s, card, seat, hidden))
    else:
        high, low = False, False
        for i in range(count):
            if is_highest(s, actions[i], hidden):
                high = True
            else:
                low = True
        if high and low:
            note(counts, LEADS_LOW_WITHOUT_TRUMP, not is_highest(s, card, hidden))
    thrown, kept = np.int64(0), np.int64(0)
    for i in range(count):
        if SUIT_OF[actions[i]] != s.mode:
            if (discarded[partner] >> SUIT_OF[actions[i]]) & 1:
                thrown += 1
            else:
                kept += 1
    if thrown and kept and suit != s.mode:
        note(counts, LEADS_WHAT_PARTNER_DISCARDED, (discarded[partner] >> suit) & 1 == 1)


@kernel
def is_wasted(s, card, seat, hidden):
    """Whether a card beside the trumps is the highest left of its suit, and an opponent will trump it if it likes."""
    if SUIT_OF[card] == s.mode or not is_highest(s, card, hidden | s.hands[seat]):
        return False
    return is_to_be_trumped(s, card, (seat + 1) & 3, hidden) or is_to_be_trumped(s, card, (seat + 3) & 3, hidden)


@kernel
def can_be_beaten(s, seat, power, hidden):
    """Whether somebody who plays to the trick after `seat` may beat the power."""
    better = BEATS[64 * (4 * s.mode + s.led) + power] & hidden
    for step in range(1, 4 - s.in_trick):
        if better & may_hold(s, (seat + step) & 3, hidden):
            return True
    return False


@kernel
def following_suit(s, seat, card, count, actions, counts):
    hidden = unseen(s, seat)
    partners = (s.winner ^ seat) & 1 == 0
    base = 36 * (4 * s.mode + s.led)
    others = hidden | s.hands[seat]
    takers, richest, poorest, highest, lower = 0, -1, 99, False, False
    dear, cheap = False, False  # J or 9 of trump, and whether there is anything else
    for i in range(count):
        other = actions[i]
        value, power = VALUES[36 * s.mode + other], POWERS[base + other]
        richest, poorest = max(richest, value), min(poorest, value)
        if power > s.best:
            takers += 1
        if power > s.best and power >= DEAR:
            dear = True
        else:
            cheap = True
        if is_highest(s, other, others):
            highest = True
        else:
            lower = True
    value, takes = VALUES[36 * s.mode + card], POWERS[base + card] > s.best
    sure = not can_be_beaten(s, seat, s.best, hidden)
    if partners and sure:
        if 0 < takers < count:
            note(counts, TAKES_FROM_PARTNER, takes)
        if richest >= RICH and poorest <= POOR:
            note(counts, SMEARS_PARTNER, value >= RICH)
    if not partners and sure and takers == 0:
        if richest >= RICH and poorest <= POOR:
            note(counts, SMEARS_OPPONENTS, value >= RICH)
        if highest and lower:
            note(counts, GIVES_HIGHEST_AWAY, is_highest(s, card, others))
    worthless = not partners and s.in_trick == 3 and s.pot <= CHEAP and s.tricks < 8
    if worthless and dear and cheap:
        note(counts, TAKES_NOTHING_DEARLY, takes and POWERS[base + card] >= DEAR)
    if s.mode < OBEABE and s.led == s.mode:
        jack = np.int64(1) << (9 * s.mode + JACK)
        if s.hands[seat] & SUITS[s.mode] == jack and size(s.hands[seat]) > 1 and s.pot < RICH:
            note(counts, SHOWS_JACK, card == 9 * s.mode + JACK)
