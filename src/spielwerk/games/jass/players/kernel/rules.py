"""A rule player for Schieber Jass that counts cards, compiled.

Every legal card gets a score: what the trick is expected to bring if it is played, less what the card is worth later,
plus a few habits of good players. Who may still hold what comes from the cards seen and from suits not followed, never
from the hands of others. The habits answer the observations that players made about the bots of Eder and Kistler
(2017, 2.7.2): trumps are drawn only while opponents may hold some, the partner's trick is not taken over, points go
to the partner's sure tricks and not to the opponents', strong cards are not spent on worthless tricks, the trump J is
kept.
The weights of the parts were found by self-play (benchmarks/jass_tune.py).

The mode is chosen with tables: the worth of a hand in a mode is a sum over its four suits, each suit looked up by its
nine bits, as trump or as side suit; they were fitted to the results of simulated deals (benchmarks/jass_modes.py).
A Slalom is rated as the mean of obeabe and undeufe, and a little less: nobody can count on a row of tricks.

It announces its Weis unless that would only tell the opponents of its cards.
"""

import numpy as np

from spielwerk.core.kernel.contract import legal
from spielwerk.core.kernel.rng import uniform
from spielwerk.core.linker import kernel, outlined
from spielwerk.games.jass.kernel.rules import playable
from spielwerk.games.jass.kernel.table import (
    ALL,
    ANNOUNCE,
    CHOOSE,
    FIRST_MODE,
    FIRST_SLALOM,
    JACK,
    MODES,
    OBEABE,
    PLAY,
    POWERS,
    PUSH,
    PUSHED,
    SUIT_OF,
    SUITS,
    TRUMP_POWER,
    UNDEUFE,
    VALUES,
    factor,
    size,
    slalom_factor,
)
from spielwerk.games.jass.kernel.weis import best_weis_points, may_announce


def _stronger() -> np.ndarray:
    """The cards of the same suit that are stronger, at 36 * mode + card."""
    table = np.zeros(MODES * 36, np.int64)
    for mode in range(MODES):
        for card in range(36):
            powers = POWERS[36 * (4 * mode + card // 9) :]
            table[36 * mode + card] = sum(
                1 << other for other in range(36) if other // 9 == card // 9 and powers[other] > powers[card]
            )
    return table


def _stronger_than_power() -> np.ndarray:
    """The cards that beat a given power, at 64 * (4 * mode + led suit) + power."""
    table = np.zeros(MODES * 4 * 64, np.int64)
    for mode in range(MODES):
        for led in range(4):
            for power in range(64):
                powers = POWERS[36 * (4 * mode + led) : 36 * (4 * mode + led) + 36]
                table[64 * (4 * mode + led) + power] = sum(1 << card for card in range(36) if powers[card] > power)
    return table


STRONGER = _stronger()
BEATS = _stronger_than_power()
HALVES = np.array([0.5**i for i in range(37)])
THIRDS = np.array([(2 / 3) ** i for i in range(37)])

# places in the weights
(
    LATER, RUFFS, COST_TRUMP, COST_ORDER, COST_JACK, COST_NINE, COST_BOSS, COST_SECOND, COST_VALUE, VOID,
    LEAD_DRAW, LEAD_DRAW_BOSS, LEAD_WASTE, LEAD_BOSS, LEAD_LENGTH, LEAD_OUT, LEAD_RUFF, LEAD_WEAK,
    SURE_PARTNER, PARTNER_BEATS, FREE_COST_BOSS, FREE_COST_SECOND, FREE_COST_VALUE, FREE_LEAD_BOSS, FREE_LEAD_LENGTH,
    FREE_LEAD_OUT, FREE_LEAD_WEAK, FREE_LATER, LEAD_AFTER_PUSH, LAST_TRICKS, FREE_COST_RANK, COST_RANK,
)  = range(32)  # fmt: skip
PLAY_WEIGHTS = 32
SLALOM_LOSS = 5.0  # points by which a Slalom is worse than the mean of obeabe and undeufe
TAKEN_FROM_PARTNER = 60.0  # points against trumping a trick that surely is the partner's: more than it can bring
# then the mode tables: [pushed or not][trump, side, obeabe, undeufe][512], and [512] for the worth of a push
AS_TRUMP, AS_SIDE, AS_OBEABE, AS_UNDEUFE = 0, 1, 2, 3
TABLE = 512
PUSH_TABLE = PLAY_WEIGHTS + 8 * TABLE
CONSTANTS = PUSH_TABLE + TABLE  # [pushed or not][trump, obeabe, undeufe], then push
WEIGHTS = CONSTANTS + 7
ERROR = WEIGHTS  # who errs has one weight more: by how many points it misjudges a card or a mode at most


@outlined
def rules_policy(s, seat, weights, scratch, rng):
    if s.phase != PLAY:
        return chosen_mode(s, s.hands[seat], weights)
    if announces(s, seat):
        return ANNOUNCE
    cards = playable(s, s.hands[seat])
    if cards & (cards - 1) == 0:
        return size(cards - 1)
    best, chosen = -1e9, 0
    while cards:
        card = size((cards & -cards) - 1)
        cards &= cards - 1
        worth = card_score(s, seat, card, weights)
        if worth > best:
            best = worth
            chosen = card
    return chosen


@outlined
def erring_policy(s, seat, weights, scratch, rng):
    """The same rules by a player who takes every card and every mode for better than it is, by up to ERROR points."""
    if announces(s, seat):
        return ANNOUNCE
    best, chosen = -1e9, 0
    pushed = 1 if s.phase == PUSHED else 0
    for i in range(legal(s, seat, scratch.actions)):
        action = scratch.actions[i]
        if action == ANNOUNCE:
            continue
        if action < FIRST_MODE:
            worth = card_score(s, seat, action, weights) + weights[ERROR] * uniform(rng)
        elif action < PUSH:
            mode = action - FIRST_MODE
            worth = mode_worth(s.hands[seat], mode, pushed, weights) + weights[ERROR] * uniform(rng)
            worth *= factor(s, mode)
        elif action == PUSH:
            worth = mean_factor(s) * (push_worth(s.hands[seat], weights) + weights[ERROR] * uniform(rng))
        else:
            worth = slalom_worth(s.hands[seat], pushed, weights) + weights[ERROR] * uniform(rng)
            worth *= slalom_factor(s)
        if worth > best:
            best = worth
            chosen = action
    return chosen


# --- the mode --------------------------------------------------------------------------------------------------------


@kernel
def mode_worth(hand, mode, pushed, weights):
    """Expected lead in points of the chooser's team if it plays `mode`, from the tables."""
    base = PLAY_WEIGHTS + 4 * TABLE * pushed
    constant = 0 if mode < OBEABE else mode - OBEABE + 1
    total = weights[CONSTANTS + 3 * pushed + constant]
    for suit in range(4):
        pattern = (hand >> (9 * suit)) & 0x1FF
        kind = AS_SIDE
        if mode == suit:
            kind = AS_TRUMP
        elif mode == OBEABE:
            kind = AS_OBEABE
        elif mode == UNDEUFE:
            kind = AS_UNDEUFE
        total += weights[base + TABLE * kind + pattern]
    return total


@kernel
def slalom_worth(hand, pushed, weights):
    """The same of a Slalom, with whichever of the two it begins."""
    both = mode_worth(hand, OBEABE, pushed, weights) + mode_worth(hand, UNDEUFE, pushed, weights)
    return 0.5 * both - SLALOM_LOSS


@kernel
def push_worth(hand, weights):
    """Expected lead in points of the team after a push."""
    total = weights[CONSTANTS + 6]
    for suit in range(4):
        total += weights[PUSH_TABLE + ((hand >> (9 * suit)) & 0x1FF)]
    return total


@kernel
def best_mode(s, hand, pushed, weights):
    """The mode with the highest worth in the tables, multiplied where the rules multiply."""
    best, chosen = -1e9, 0
    for mode in range(6):
        worth = factor(s, mode) * mode_worth(hand, mode, pushed, weights)
        if worth > best:
            best = worth
            chosen = mode
    return chosen, best


@kernel
def mean_factor(s):
    """How many times the points of a mode count that somebody else will choose."""
    total = 0
    for mode in range(6):
        total += factor(s, mode)
    return total / 6.0


@kernel
def chosen_mode(s, hand, weights):
    pushed = 1 if s.phase == PUSHED else 0
    mode, worth = best_mode(s, hand, pushed, weights)
    chosen = FIRST_MODE + mode
    if s.slalom_factor > 0:
        slalom = slalom_factor(s) * slalom_worth(hand, pushed, weights)
        if slalom > worth:
            worth = slalom
            chosen = FIRST_SLALOM + first_of_slalom(hand, pushed, weights)
    if s.phase == CHOOSE and mean_factor(s) * push_worth(hand, weights) > worth:
        return PUSH
    return chosen


@kernel
def first_of_slalom(hand, pushed, weights):
    """0 = obeabe, 1 = undeufe: the first trick is played in the mode that suits the hand better."""
    return 1 if mode_worth(hand, UNDEUFE, pushed, weights) > mode_worth(hand, OBEABE, pushed, weights) else 0


# --- the Weis --------------------------------------------------------------------------------------------------------


@kernel
def announces(s, seat):
    """Whether a seat announces its Weis: not if an opponent's is worth more and the partner, who has spoken, has none
    as good. Then it cannot count, and opponents would only learn of the cards."""
    if not may_announce(s, seat):
        return False
    partner = (seat + 2) & 3
    theirs = max(s.called[(seat + 1) & 3], s.called[(seat + 3) & 3])
    if s.played[partner] == 0 or s.called[partner] >= theirs:
        return True
    return best_weis_points(s, s.hands[seat]) >= theirs


# --- the card --------------------------------------------------------------------------------------------------------


@kernel
def none_of(cards, may, other, third):
    """The chance that a seat which may hold `may` has none of `cards`, the rest being with two others or not."""
    mine = cards & may
    three = size(mine & other & third)
    one = size(mine & ~other & ~third)
    if one > 0:
        return 0.0
    return THIRDS[three] * HALVES[size(mine) - three]


@kernel
def beaten_by(s, may, other, third, led, power, weights):
    """The chance that a seat beats `power`: in the led suit, or with a trump if it has none of the suit or likes to."""
    better = BEATS[64 * (4 * s.mode + led) + power]
    if s.mode >= OBEABE or led == s.mode:
        return 1.0 - none_of(better, may, other, third)
    follows = SUITS[led]
    in_suit = 1.0 - none_of(better & follows, may, other, third)
    void = none_of(follows, may, other, third)
    trumps = 1.0 - none_of(better & SUITS[s.mode], may, other, third)
    ruff = trumps * (void + (1.0 - void) * weights[RUFFS])
    return 1.0 - (1.0 - in_suit) * (1.0 - ruff)


@outlined
def card_score(s, seat, card, weights):
    left, partner, right = (seat + 1) & 3, (seat + 2) & 3, (seat + 3) & 3
    hand = s.hands[seat]
    unseen = ALL & ~(hand | s.played[0] | s.played[1] | s.played[2] | s.played[3])
    may_left, may_partner, may_right = unseen & ~s.lacks[left], unseen & ~s.lacks[partner], unseen & ~s.lacks[right]
    trump_mode = s.mode < OBEABE
    suit = SUIT_OF[card]
    value = np.float64(VALUES[36 * s.mode + card])
    is_trump = suit == s.mode
    leading = s.in_trick == 0
    led = suit if leading else s.led
    power = POWERS[36 * (4 * s.mode + led) + card]

    # who wins the trick
    taking = power > s.best
    ours = taking or ((s.winner ^ seat) & 1 == 0 and not leading)
    top = power if taking else s.best
    partners = not leading and (s.winner ^ seat) & 1 == 0  # the trick is our partner's so far
    safe, rescue, partner_safe = 1.0, 0.0, 1.0
    for trial in range(2):  # with this card, and as the trick lies
        power_to_beat = top if trial == 0 else s.best
        if trial == 1 and not (partners and taking and is_trump):
            break
        for step in range(1, 4 - s.in_trick):  # those who still play
            may = may_left if step == 1 else (may_partner if step == 2 else may_right)
            one = may_partner if step != 2 else may_left
            two = may_right if step != 3 else may_left
            beaten = beaten_by(s, may, one, two, led, power_to_beat, weights)
            if step == 2:
                rescue = weights[PARTNER_BEATS] * beaten
            elif trial == 0:
                safe *= 1.0 - beaten
            else:
                partner_safe *= 1.0 - beaten
    winning = safe + (1.0 - safe) * rescue if ours else rescue
    later = weights[LATER if trump_mode else FREE_LATER] * (3 - s.in_trick)
    pot = s.pot + value + later
    if s.tricks == 8:
        pot += 5.0
    total = pot * (2.0 * winning - 1.0)

    # what the card is worth later
    fade = 1.0 - weights[LAST_TRICKS] * s.tricks * 0.125
    above = size(STRONGER[36 * s.mode + card] & unseen)
    rest = size(SUITS[suit] & unseen)
    length = size(hand & SUITS[suit])
    if is_trump:
        order = power - TRUMP_POWER
        cost = weights[COST_TRUMP] + weights[COST_ORDER] * order
        if card == 9 * s.mode + JACK:
            cost += weights[COST_JACK]
        elif order == 7:
            cost += weights[COST_NINE]
        total -= fade * cost
    else:
        height = np.float64(8 - card % 9 if s.mode == UNDEUFE else card % 9)
        if trump_mode:
            total -= weights[COST_VALUE] * value + weights[COST_RANK] * height
            if above == 0:
                total -= fade * weights[COST_BOSS]
            elif above == 1:
                total -= fade * weights[COST_SECOND]
            if length == 1 and hand & SUITS[s.mode]:
                total += weights[VOID]
        else:
            total -= weights[FREE_COST_VALUE] * value + weights[FREE_COST_RANK] * height
            if above == 0:
                total -= fade * weights[FREE_COST_BOSS]
            elif above == 1:
                total -= fade * weights[FREE_COST_SECOND]
    if partners and taking:
        total -= weights[SURE_PARTNER]
        if is_trump and partner_safe == 1.0:
            total -= TAKEN_FROM_PARTNER

    # habits of the lead
    if leading:
        if not trump_mode:
            if above == 0:
                total += weights[FREE_LEAD_BOSS] + weights[FREE_LEAD_LENGTH] * length
            else:
                total += weights[FREE_LEAD_WEAK] * above
            total += weights[FREE_LEAD_OUT] * rest
        elif is_trump:
            opponents = (may_left | may_right) & SUITS[s.mode]
            chooser = (np.int64(s.starter) + 2 * np.int64(s.pushed)) & 3
            if opponents == 0:
                total -= weights[LEAD_WASTE]
            elif (chooser ^ seat) & 1 == 0:
                total += weights[LEAD_DRAW]
                if above == 0:
                    total += weights[LEAD_DRAW_BOSS]
                if chooser == partner and s.tricks == 0:
                    total += weights[LEAD_AFTER_PUSH]
        else:
            if above == 0:
                total += weights[LEAD_BOSS] + weights[LEAD_LENGTH] * length
            else:
                total += weights[LEAD_WEAK] * above
            total += weights[LEAD_OUT] * rest
            if may_partner & SUITS[suit] == 0 and may_partner & SUITS[s.mode]:
                total += weights[LEAD_RUFF]
    return total
