"""Schieber Jass, the rules, compiled.

Source: the rules of the Zühlke Jass challenge server (2017) and, for the variants `schieber…`, the usual table rules.

A card is 9 * suit + rank: suits 0 hearts, 1 diamonds, 2 clubs, 3 spades; ranks 0 = 6, 7, 8, 9, 10, J, Q, K, 8 = A.
A set of cards is an int64 with bit `card`. A mode is a trump suit 0..3, 4 = obeabe, 5 = undeufe. Mode 6 is a deal in
which no suit is trump and all count like side suits: nobody can choose it here, but the challenge's server plays it.
In a Slalom the mode alternates between 4 and 5 from trick to trick.

Actions:
    0..35   play the card
    36..39  choose the suit as trump
    40, 41  choose obeabe, undeufe
    42      push: the partner chooses
    43      announce the Weis, before the first card; who plays a card instead is silent
    44, 45  choose a Slalom that begins with obeabe, with undeufe
"""

import numpy as np

from spielwerk.core.kernel.rng import below, draw, uniform
from spielwerk.core.linker import kernel, outlined

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
LAST_TRICK = 5
FEW_TRIES, MANY_TRIES = 400, 10_000  # to hand out cards so that they agree with the Weis
RARE = 50  # points of a Weis that few hands have

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
FACTORIALS = np.cumprod(np.array([1.0, *range(1, 37)]))

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


# --- the contract ----------------------------------------------------------------------------------------------------


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
    if may_announce(s, seat):
        out[count] = ANNOUNCE
        count += 1
    return count


@kernel
def apply(s, joint):
    seat = s.turn
    action = joint[seat]
    if action == ANNOUNCE:
        s.called[seat] = best_weis_points(s, s.hands[seat])
    elif s.phase == PLAY:
        play_card(s, seat, action)
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


@outlined
def imagine(s, seat, rng):
    """Hand out the cards that `seat` has not seen, every consistent way equally likely.

    Known are the own hand, the cards played, what somebody showed not to have by not following suit (but the trump J
    need not be shown) or by trumping under, the cards shown as Weis, and that nobody else's Weis would have counted;
    where Weis are announced, what they are worth. Who was silent may hold anything.
    A spectator's worlds are consistent too, but not exactly equally likely.
    """
    if s.phase == DEAL:
        return
    weis_known = weis_is_known(s)
    for _ in range(FEW_TRIES if s.rules & ANNOUNCED else MANY_TRIES):
        if seat >= 0:
            hand_out(s, seat, rng)
        else:
            imagine_as_spectator(s, rng)
        if not weis_known or weis_agrees(s):
            return
    if s.rules & ANNOUNCED:
        imagine_rare_weis(s, seat, rng)


# --- playing ---------------------------------------------------------------------------------------------------------


@kernel
def playable(s, hand):
    """The cards of a hand that may be played now, as a set."""
    return hand if s.in_trick == 0 else following(hand, s.mode, s.led, s.best)


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
    if s.slalom:
        s.mode = OBEABE + UNDEUFE - s.mode
    if s.rules & WEIS and s.tricks == 1:  # the order is Stöck, Weis, Stich
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


@kernel
def gain(s, side, value):
    """Write points; with claiming a team has won the moment it reaches the target."""
    if s.phase == OVER:
        return
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


# --- Stöck and Weis --------------------------------------------------------------------------------------------------


@outlined
def score_stoeck(s, seat, card):
    """K and Q of trump in one hand: 20 points with the second of them."""
    pair = np.int64(0b11) << (9 * s.mode + 6)
    if s.stoeck == 0 and (pair >> card) & 1 and s.played[seat] & pair == pair:
        s.stoeck = 1 + seat
        gain(s, seat & 1, 20)


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


@kernel
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


# --- imagining -------------------------------------------------------------------------------------------------------


@kernel
def hand_out(s, seat, rng):
    """Give the unseen cards to the three other seats, uniformly over what `lacks` allows.

    Cards fall into classes by who may hold them. First it is drawn how many of the cards open to two seats go to the
    first of them, each split weighted with the number of its deals; then which ones. Returns False if nothing fits.
    """
    a, b, c = (seat + 1) & 3, (seat + 2) & 3, (seat + 3) & 3
    unseen = ALL & ~(s.hands[seat] | s.played[0] | s.played[1] | s.played[2] | s.played[3])
    room_a, room_b, room_c = 9 - size(s.played[a]), 9 - size(s.played[b]), 9 - size(s.played[c])
    may_a, may_b, may_c = unseen & ~s.lacks[a], unseen & ~s.lacks[b], unseen & ~s.lacks[c]
    only_a, only_b, only_c = may_a & ~may_b & ~may_c, may_b & ~may_a & ~may_c, may_c & ~may_a & ~may_b
    ab, ac, bc = may_a & may_b & ~may_c, may_a & may_c & ~may_b, may_b & may_c & ~may_a
    anybody = may_a & may_b & may_c
    s.hands[a], s.hands[b], s.hands[c] = only_a, only_b, only_c
    room_a -= size(only_a)
    room_b -= size(only_b)
    room_c -= size(only_c)
    split_ab, split_ac, split_bc = 0, 0, 0  # how many go to the first of the two
    if ab | ac | bc:
        size_ab, size_ac, size_bc = size(ab), size(ac), size(bc)
        total = 0.0
        chosen = -1.0
        while chosen < 0.0:  # the first pass adds up, the second finds the place of a random number in the sum
            place = uniform(rng) * total
            so_far = 0.0
            for x in range(size_ab + 1):
                for y in range(size_ac + 1):
                    for z in range(size_bc + 1):
                        so_far += split_weight(x, y, z, size_ab, size_ac, size_bc, room_a, room_b, room_c)
                        if total > 0.0 and so_far > place and chosen < 0.0:
                            chosen = so_far
                            split_ab, split_ac, split_bc = x, y, z
            if so_far == 0.0:
                return False
            total = so_far
        share(s, ab, a, split_ab, b, size_ab - split_ab, c, rng)
        share(s, ac, a, split_ac, c, size_ac - split_ac, b, rng)
        share(s, bc, b, split_bc, c, size_bc - split_bc, a, rng)
        room_a -= split_ab + split_ac
        room_b -= size_ab - split_ab + split_bc
    if room_a < 0 or room_b < 0 or room_a + room_b > size(anybody):
        return False
    share(s, anybody, a, room_a, b, room_b, c, rng)
    return True


@kernel
def split_weight(x, y, z, size_ab, size_ac, size_bc, room_a, room_b, room_c):
    """In how many ways x, y and z of the cards open to two seats go to the first of them, but for a factor that is the
    same for all splits: the factorials of the sizes of the classes."""
    rest_a, rest_b = room_a - x - y, room_b - (size_ab - x) - z
    rest_c = room_c - (size_ac - y) - (size_bc - z)
    if rest_a < 0 or rest_b < 0 or rest_c < 0:
        return 0.0
    return 1.0 / (
        FACTORIALS[x] * FACTORIALS[size_ab - x] * FACTORIALS[y] * FACTORIALS[size_ac - y]
        * FACTORIALS[z] * FACTORIALS[size_bc - z]
        * FACTORIALS[rest_a] * FACTORIALS[rest_b] * FACTORIALS[rest_c]
    )  # fmt: skip


@kernel
def share(s, cards, a, count_a, b, count_b, c, rng):
    """Give `count_a` random cards of a set to seat a, `count_b` to b, the rest to c."""
    left = size(cards)
    hand_a, hand_b, hand_c = np.int64(0), np.int64(0), np.int64(0)
    while cards:
        bit = cards & -cards
        cards ^= bit
        place = below(rng, left)
        left -= 1
        if place < count_a:
            hand_a |= bit
            count_a -= 1
        elif place < count_a + count_b:
            hand_b |= bit
            count_b -= 1
        else:
            hand_c |= bit
    s.hands[a] |= hand_a
    s.hands[b] |= hand_b
    s.hands[c] |= hand_c


@kernel
def imagine_as_spectator(s, rng):
    """Seat 0 gets a random hand that it may hold, the others follow; drawn anew until everything fits."""
    unseen = ALL & ~(s.played[0] | s.played[1] | s.played[2] | s.played[3])
    for _ in range(10000):
        may = unseen & ~s.lacks[0]
        must = may & s.lacks[1] & s.lacks[2] & s.lacks[3]
        room = 9 - size(s.played[0]) - size(must)
        s.hands[0] = must
        for other in range(1, 4):
            s.hands[other] = 0
        share(s, may & ~must, 0, room, 1, 0, 2, rng)
        s.hands[1] = 0
        s.hands[2] = 0
        if size(s.hands[0]) == 9 - size(s.played[0]) and hand_out(s, 0, rng):
            return


# --- imagining rare Weis ---------------------------------------------------------------------------------------------


@outlined
def imagine_rare_weis(s, seat, rng):
    """Hand out the cards where announced Weis are so rare that chance does not find them: their owners get them first.

    A run or a four is drawn for each of them, together as often as there are deals in which they hold these cards, then
    one of these deals. Deals in which they hold several such Weis come up several times as often, and are taken as much
    less often.
    """
    today = 1 if s.rules & TODAY else 0
    lacks_a, lacks_b, lacks_c, lacks_d = s.lacks[0], s.lacks[1], s.lacks[2], s.lacks[3]
    a, b, c, d = given_first(s, seat, 0), given_first(s, seat, 1), given_first(s, seat, 2), given_first(s, seat, 3)
    most = most_deals(s, seat, a, b, c, d, today)
    if most == 0.0:
        return  # no hands agree with what was announced
    for _ in range(100000):
        in_a, in_b = drawn_pattern(a, today, rng), drawn_pattern(b, today, rng)
        in_c, in_d = drawn_pattern(c, today, rng), drawn_pattern(d, today, rng)
        if uniform(rng) * most >= deals_with(s, seat, in_a, in_b, in_c, in_d):
            continue
        s.lacks[0] |= in_b | in_c | in_d
        s.lacks[1] |= in_a | in_c | in_d
        s.lacks[2] |= in_a | in_b | in_d
        s.lacks[3] |= in_a | in_b | in_c
        if seat >= 0:
            hand_out(s, seat, rng)
        else:
            imagine_as_spectator(s, rng)
        s.lacks[0], s.lacks[1], s.lacks[2], s.lacks[3] = lacks_a, lacks_b, lacks_c, lacks_d
        if weis_agrees(s):
            times = patterns_held(s, 0, a, today) * patterns_held(s, 1, b, today)
            times *= patterns_held(s, 2, c, today) * patterns_held(s, 3, d, today)
            if uniform(rng) * times < 1.0:
                return


@kernel
def given_first(s, seat, other):
    """The points of the Weis that a seat gets before the other cards are handed out: of one that it has announced, that
    nobody has seen, and that is rare; 0 = none."""
    if other == seat or s.shown[other] or s.called[other] < RARE:
        return np.int64(0)
    return np.int64(s.called[other])


@kernel
def pattern_worth(pattern, value, today):
    """A run or a four as a set of cards, -1 if it is not worth `value`. For value 0 the first is no cards at all."""
    if value == 0:
        return np.int64(0 if pattern == 0 else -1)
    return PATTERNS[pattern] if PATTERN_POINTS[today, pattern] == value else np.int64(-1)


@kernel
def drawn_pattern(value, today, rng):
    """A random run or four of this value; no cards for value 0."""
    cards = np.int64(0 if value == 0 else -1)
    while cards < 0:
        cards = pattern_worth(below(rng, PATTERNS.shape[0]), value, today)
    return cards


@kernel
def patterns_held(s, seat, value, today):
    """How many runs and fours of this value are among the nine cards of a seat, also within each other; 1 for none."""
    hand = s.hands[seat] | s.played[seat]
    count = 0
    for pattern in range(PATTERNS.shape[0]):
        cards = pattern_worth(pattern, value, today)
        if cards >= 0 and cards & ~hand == 0:
            count += 1
    return count


@kernel
def most_deals(s, seat, a, b, c, d, today):
    """The most deals that there are with any runs and fours of these values in the four hands."""
    most = 0.0
    for i in range(PATTERNS.shape[0]):
        in_a = pattern_worth(i, a, today)
        for j in range(PATTERNS.shape[0] if in_a >= 0 else 0):
            in_b = pattern_worth(j, b, today)
            for k in range(PATTERNS.shape[0] if in_b >= 0 else 0):
                in_c = pattern_worth(k, c, today)
                for m in range(PATTERNS.shape[0] if in_c >= 0 else 0):
                    in_d = pattern_worth(m, d, today)
                    if in_d >= 0:
                        most = max(most, deals_with(s, seat, in_a, in_b, in_c, in_d))
                    if d == 0:
                        break
                if c == 0:
                    break
            if b == 0:
                break
        if a == 0:
            break
    return most


@kernel
def deals_with(s, seat, in_a, in_b, in_c, in_d):
    """How many deals there are, for all that `seat` knows, in which seats 0 to 3 were dealt these cards."""
    if in_a & in_b or (in_a | in_b) & in_c or (in_a | in_b | in_c) & in_d:
        return 0.0
    seen = s.played[0] | s.played[1] | s.played[2] | s.played[3]
    if seat >= 0:
        seen |= s.hands[seat]
    given = in_a | in_b | in_c | in_d
    for other in range(4):
        own = in_a if other == 0 else (in_b if other == 1 else (in_c if other == 2 else in_d))
        if own & ~s.played[other] & (seen | s.lacks[other]) or size(own | s.played[other]) > 9:
            return 0.0
    if seat < 0:
        return 1.0  # a spectator's worlds are not exactly equally likely
    may_1 = may_get(s, (seat + 1) & 3, seen, given, in_a, in_b, in_c, in_d)
    may_2 = may_get(s, (seat + 2) & 3, seen, given, in_a, in_b, in_c, in_d)
    may_3 = may_get(s, (seat + 3) & 3, seen, given, in_a, in_b, in_c, in_d)
    size_12, size_13, size_23 = size(may_1 & may_2 & ~may_3), size(may_1 & may_3 & ~may_2), size(may_2 & may_3 & ~may_1)
    room_1 = 9 - size(s.played[(seat + 1) & 3]) - size(may_1 & ~may_2 & ~may_3)
    room_2 = 9 - size(s.played[(seat + 2) & 3]) - size(may_2 & ~may_1 & ~may_3)
    room_3 = 9 - size(s.played[(seat + 3) & 3]) - size(may_3 & ~may_1 & ~may_2)
    total = 0.0
    for x in range(size_12 + 1):
        for y in range(size_13 + 1):
            for z in range(size_23 + 1):
                total += split_weight(x, y, z, size_12, size_13, size_23, room_1, room_2, room_3)
    anybody = size(may_1 & may_2 & may_3)
    return total * FACTORIALS[size_12] * FACTORIALS[size_13] * FACTORIALS[size_23] * FACTORIALS[anybody]


@kernel
def may_get(s, seat, seen, given, in_a, in_b, in_c, in_d):
    """The cards that may still go to a seat, its own of those that are given first among them."""
    own = in_a if seat == 0 else (in_b if seat == 1 else (in_c if seat == 2 else in_d))
    return ALL & ~seen & ~s.lacks[seat] & ~(given & ~own)
