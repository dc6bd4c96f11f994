"""Deals that were written down, played again in compiled code: their decisions, and what there is to count in them.

A deal is known from the cards in order of play: whose they were follows from who led, and from who took each trick.
Who announced a Weis is not written down: everybody is taken to have done so who could.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.kernel.contract import apply, features, hide, legal
from spielwerk.core.kernel.rng import mix
from spielwerk.core.linker import kernel
from spielwerk.games.jass.kernel.table import ALL, ANNOUNCE, FIRST_MODE, PLAY, POWERS, PUSH, clear_table, size
from spielwerk.games.jass.kernel.weis import may_announce
from spielwerk.learn.kernel.decisions import settle_worth
from spielwerk.search.kernel.net import standing_of

CHOICES = 2  # decisions about the mode, before the 36 cards
MOST_DECISIONS = CHOICES + 36 + 4  # of a deal, with four announcements
NOBODY = 255


class DealArrays(NamedTuple):
    """Some deals, one row each."""

    starter: NDArray[np.uint8]  # [deals] seat that chose first and led the first trick
    pushed: NDArray[np.uint8]  # [deals] 1 = it pushed
    mode: NDArray[np.int8]  # [deals] 0..3 trump suit, 4 obeabe, 5 undeufe
    cards: NDArray[np.uint8]  # [deals, 36] in order of play
    players: NDArray[np.uint8]  # [deals, 4] who sat where: numbers of names, 255 = nobody knows
    taught: NDArray[np.int8]  # [deals, 38] what a teacher would have done: the two choices of a mode, then the cards;
    # -1 = it was not asked. [deals, 0]: there was none


class Survey(NamedTuple):
    """What there is to count in deals."""

    forced: NDArray[np.int64]  # [9] cards that were the only legal one, by trick
    legal: NDArray[np.int64]  # [9] legal cards, by trick
    positions: NDArray[np.uint64]  # [deals, 36] a hash of what the player of every card knew; 0 = it had no choice
    points: NDArray[np.int64]  # [deals, 2] of the teams
    broken: NDArray[np.uint8]  # [deals] 1 = the cards break the rules


@kernel
def hands_of(deals, n, hands):
    """Who held what in deal number n; the four hands are empty or too large if the cards make no deal."""
    for seat in range(4):
        hands[seat] = 0
    leader, mode = np.int64(deals.starter[n]), np.int64(deals.mode[n])
    for trick in range(9):
        best, winner, led = -1, leader, -1
        for i in range(4):
            seat = (leader + i) & 3
            card = np.int64(deals.cards[n, 4 * trick + i])
            if i == 0:
                led = card // 9
            power = POWERS[36 * (4 * mode + led) + card]
            if power > best:
                best, winner = power, seat
            hands[seat] |= np.int64(1) << card
        leader = winner


@kernel
def deal_out(s, deals, n, hands):
    """Put deal number n on the table; returns whether it is one."""
    if not (0 <= deals.mode[n] < 6 and deals.starter[n] < 4 and deals.pushed[n] < 2):
        return False
    seen = np.int64(0)
    for i in range(36):
        if deals.cards[n, i] >= 36:
            return False
        seen |= np.int64(1) << np.int64(deals.cards[n, i])
    if seen != ALL:
        return False
    hands_of(deals, n, hands)
    s.starter = deals.starter[n]
    clear_table(s)
    for seat in range(4):
        if size(hands[seat]) != 9:
            return False
        s.hands[seat] = hands[seat]
    return True


@kernel
def written_action(s, deals, n):
    """What was done in this position, and where its label stands; -1 = it has none."""
    if may_announce(s, s.turn):
        return np.int64(ANNOUNCE), np.int64(-1)
    if s.phase == PLAY:
        place = 4 * s.tricks + s.in_trick
        return np.int64(deals.cards[n, place]), CHOICES + place
    if deals.pushed[n] and not s.pushed:
        return np.int64(PUSH), 0
    return FIRST_MODE + np.int64(deals.mode[n]), np.int64(s.pushed)


@kernel
def decisions_of_deals(start, states, deals, imitated, wish, first, scratch, sheet):
    """Write the decisions of deals from number `first` on, as long as the sheet has room; returns the number of the
    first that is not written, and the rows. states[0] is the table, states[1] a view. Who is not `imitated` is played,
    not written; what a teacher would have done counts before what was done."""
    s, view = states[0], states[1]
    joint, actions = scratch.joint, scratch.actions
    known, room = sheet.legal.shape[1], sheet.action.shape[0]
    filled, n = 0, first
    while n < deals.cards.shape[0]:
        states[0] = start[0]
        sheet.forced[n] = 0
        sheet.lengths[n] = 0
        if not deal_out(s, deals, n, scratch.trial):
            n += 1
            continue
        if filled + MOST_DECISIONS > room:
            return n, filled
        begun = filled
        while s.tricks < 9:
            seat = s.turn
            done, place = written_action(s, deals, n)
            states[1] = states[0]
            hide(view, seat)
            count = legal(view, seat, actions)
            taught = deals.taught.shape[1] > 0 and count > 1 and place >= 0
            label = np.int64(deals.taught[n, place]) if taught else done
            who = min(np.int64(deals.players[n, seat]), imitated.shape[0] - 1)  # the last: nobody knows who
            if label >= 0 and 0 <= label - wish.first < known and imitated[who]:
                if count == 1 and not wish.forced:
                    sheet.forced[n] += 1
                else:
                    features(view, seat, sheet.inputs[filled])
                    for action in range(known):
                        sheet.legal[filled, action] = 0
                    for i in range(count):
                        if 0 <= actions[i] - wish.first < known:
                            sheet.legal[filled, actions[i] - wish.first] = 1
                    sheet.action[filled] = label - wish.first
                    sheet.seat[filled] = seat
                    sheet.match[filled] = n
                    sheet.worth[filled] = standing_of(s, seat, wish.unit, scratch)
                    filled += 1
            joint[seat] = done
            apply(s, joint)
        settle_worth(s, wish, scratch, sheet, begun, filled)
        sheet.lengths[n] = filled - begun
        n += 1
    return n, filled


@kernel
def survey_deals(start, states, deals, first, last, scratch, survey):
    """Count in the deals from number `first` up to `last`."""
    s = states[0]
    for n in range(first, last):
        states[0] = start[0]
        survey.broken[n] = 1
        if not deal_out(s, deals, n, scratch.trial):
            continue
        while s.tricks < 9:
            seat = s.turn
            done, place = written_action(s, deals, n)
            count = legal(s, seat, scratch.actions)
            allowed = False
            for i in range(count):
                allowed |= scratch.actions[i] == done
            if not allowed:
                break
            if done < FIRST_MODE:
                survey.legal[s.tricks] += count
                if count == 1:
                    survey.forced[s.tricks] += 1
                else:
                    survey.positions[n, place - CHOICES] = seen_by(s, seat)
            scratch.joint[seat] = done
            apply(s, scratch.joint)
        if s.tricks == 9:
            survey.broken[n] = 0
            survey.points[n, 0] = s.gained[0]
            survey.points[n, 1] = s.gained[1]


@kernel
def seen_by(s, seat):
    """A hash of what a seat knows of a deal: its hand, the mode, all cards in order of play from its point of view."""
    seen = mix(np.uint64(s.hands[seat]) ^ (np.uint64(s.mode) << np.uint64(40)))
    seen = mix(seen ^ np.uint64(((np.int64(s.starter) - seat) & 3) + 4 * np.int64(s.pushed)))
    for i in range(4 * s.tricks + s.in_trick):
        seen = mix(seen ^ np.uint64(np.int64(s.history[i]) + 1)) + np.uint64(i)
    return seen
