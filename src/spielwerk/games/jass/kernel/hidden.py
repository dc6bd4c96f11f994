"""Schieber Jass: what a seat cannot see, imagined, compiled."""

import numpy as np

from spielwerk.core.kernel.rng import below, uniform
from spielwerk.core.linker import kernel, outlined
from spielwerk.games.jass.kernel.table import ALL, ANNOUNCED, DEAL, TODAY, size
from spielwerk.games.jass.kernel.weis import PATTERN_POINTS, PATTERNS, weis_agrees, weis_is_known

FEW_TRIES, MANY_TRIES = 400, 10_000  # to hand out cards so that they agree with the Weis
RARE = 50  # points of a Weis that few hands have
FACTORIALS = np.cumprod(np.array([1.0, *range(1, 37)]))


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
