"""The exact solver of an open deal, compiled.

Alpha-beta over the lead of team 0 (its points less the other's) from here to the end of the deal, with a table of
trick beginnings and with equivalent cards tried once. All four hands are known; both sides play perfectly. Multipliers
do not matter for the lead within a deal but for a constant factor. Stöck and Weis are not counted: it does not matter
for them how cards are played. Nobody claims. The match bonus counts: `scored` tells which teams have points in this
deal.

Cards are equivalent if one hand holds both, they are worth the same, and nobody else holds a card between them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.instructions import SELDOM, stopped
from spielwerk.core.linker import kernel, outlined
from spielwerk.core.signs import StopSign
from spielwerk.games.jass.kernel.table import LAST_TRICK, POWERS, SUIT_OF, SUITS, VALUES, following, size

LOWEST, HIGHEST = -1000, 1000

# columns of a frame: the position …
SEAT, IN_TRICK, LED, BEST, WINNER, POT, LEFT, CARDS_LEFT, SCORED = 0, 1, 2, 3, 4, 5, 6, 7, 8
# … the window now and when it was entered, the best value and card, the cards tried, the place in the table
LOW, HIGH, LOWER, UPPER, FOUND, CHOSEN = 9, 10, 11, 12, 13, 14
COUNT, NEXT, CARD, GAINED, PLACE, KEY = 15, 16, 17, 18, 19, 20
COLUMNS = 21


class Memory(NamedTuple):
    """The table of trick beginnings and work space. One per thread; `age` tells deals apart."""

    age: NDArray[np.int64]  # [2] number of the deal being solved; positions searched
    keys: NDArray[np.int64]  # [entries] cards left, leader, who has scored, age
    lows: NDArray[np.int16]  # [entries] the lead is at least this
    highs: NDArray[np.int16]  # [entries] the lead is at most this
    moves: NDArray[np.int8]  # [entries] best card, -1 = not known
    order: NDArray[np.int64]  # [37, 9] cards of a position, best first, by cards left
    hands: NDArray[np.int64]  # [4] the hands during the search
    frames: NDArray[np.int64]  # [37, columns] the positions on the way down, by depth
    sign: NDArray[np.int64]  # [1] once it is set, no answer is right


def new_memory(bits: int = 16, sign: StopSign | None = None) -> Memory:
    entries = 1 << bits
    return Memory(
        np.zeros(2, np.int64),
        np.full(entries, -1, np.int64),
        np.zeros(entries, np.int16),
        np.zeros(entries, np.int16),
        np.zeros(entries, np.int8),
        np.zeros((37, 9), np.int64),
        np.zeros(4, np.int64),
        np.zeros((37, COLUMNS), np.int64),
        np.zeros(1, np.int64) if sign is None else sign.cell,
    )


def _between() -> np.ndarray:
    """The ranks between two cards of a suit in strength, at 81 * (is trump) + 9 * rank + rank, as nine bits."""
    orders = ((0, 1, 2, 3, 4, 5, 6, 7, 8), (0, 1, 2, 7, 3, 8, 4, 5, 6))
    table = np.zeros(162, np.int64)
    for trump, order in enumerate(orders):
        for a in range(9):
            for b in range(9):
                low, high = sorted((order[a], order[b]))
                table[81 * trump + 9 * a + b] = sum(1 << rank for rank in range(9) if low < order[rank] < high)
    return table


BETWEEN = _between()


@kernel
def solve(mode, alpha, beta, bonus, memory):
    """The lead of team 0 from here on if everybody plays perfectly, exact between alpha and beta.

    The hands are in memory.hands, the position in memory.frames[0]. A frame is one position on the way down; the loop
    either enters the position of a frame or comes back to it with the value of the card it tried last.
    """
    hands, frames = memory.hands, memory.frames
    depth = 0
    frames[0, LOW] = alpha
    frames[0, HIGH] = beta
    entering = True
    value = np.int64(0)
    while depth >= 0:
        f = frames[depth]
        seat = f[SEAT]
        if entering:
            memory.age[1] += 1
            if memory.age[1] & SELDOM == SELDOM and stopped(memory.sign):
                return np.int64(0)
            known, value = enter(mode, f, bonus, memory)
            if known:
                depth -= 1
                entering = False
                continue
        else:
            value += f[GAINED]
            hands[seat] ^= np.int64(1) << f[CARD]
            update(f, seat, value)
        if f[LOW] >= f[HIGH] or f[NEXT] == f[COUNT]:
            remember(f, memory)
            value = f[FOUND]
            depth -= 1
            entering = False
            continue
        entering = True
        card = memory.order[f[CARDS_LEFT], f[NEXT]] & 63
        f[NEXT] += 1
        f[CARD] = card
        hands[seat] ^= np.int64(1) << card
        if try_card(mode, f, frames[depth + 1], card, bonus):
            depth += 1
        else:  # the last card of the deal: its value is in the frame
            value = np.int64(0)
            entering = False
    return value


@kernel
def try_card(mode, f, g, card, bonus):
    """Set up the frame `g` after a card of the frame `f`; False if that was the last card."""
    suit = SUIT_OF[card] if f[IN_TRICK] == 0 else f[LED]
    power = POWERS[36 * (4 * mode + suit) + card]
    best, winner = f[BEST], f[WINNER]
    if power > best:
        best, winner = power, f[SEAT]
    pot = f[POT] + VALUES[36 * mode + card]
    f[GAINED] = 0
    if f[CARDS_LEFT] == 1:
        f[GAINED] = last_points(winner, f[LEFT], f[SCORED], bonus)
        return False
    g[CARDS_LEFT] = f[CARDS_LEFT] - 1
    g[SCORED] = f[SCORED]
    g[LEFT] = f[LEFT]
    if f[IN_TRICK] < 3:
        g[SEAT] = (f[SEAT] + 1) & 3
        g[IN_TRICK] = f[IN_TRICK] + 1
        g[LED], g[BEST], g[WINNER], g[POT] = suit, best, winner, pot
        g[LOW], g[HIGH] = f[LOW], f[HIGH]
        return True
    f[GAINED] = pot if winner & 1 == 0 else -pot
    g[SEAT] = winner
    g[IN_TRICK] = 0
    g[LED], g[BEST], g[WINNER], g[POT] = 0, -1, 0, 0
    g[LEFT] = f[LEFT] - pot
    if pot > 0:
        g[SCORED] = f[SCORED] | (1 << (winner & 1))
    g[LOW], g[HIGH] = f[LOW] - f[GAINED], f[HIGH] - f[GAINED]
    return True


@kernel
def enter(mode, f, bonus, memory):
    """Whether the value of a frame's position is known without trying cards, and the value. Else lists the cards."""
    hash_move = -1
    f[PLACE] = -1
    if f[IN_TRICK] == 0:
        most = f[LEFT] + (0 if f[SCORED] & 2 else bonus)
        least = -f[LEFT] - (0 if f[SCORED] & 1 else bonus)
        if most <= f[LOW]:
            return True, most
        if least >= f[HIGH]:
            return True, least
        hands = memory.hands
        if f[CARDS_LEFT] == 4:
            return True, last_trick(hands, mode, f[SEAT], f[LEFT], f[SCORED], bonus)
        remaining = hands[0] | hands[1] | hands[2] | hands[3]
        key = remaining | (f[SEAT] << 36) | (f[SCORED] << 38) | (memory.age[0] << 40)
        mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
        place = np.int64(mixed >> np.uint64(20)) & (memory.keys.shape[0] - 1)
        if memory.keys[place] == key:
            low, high = np.int64(memory.lows[place]), np.int64(memory.highs[place])
            if low >= f[HIGH] or low == high:
                return True, low
            if high <= f[LOW]:
                return True, high
            f[LOW] = max(f[LOW], low)
            f[HIGH] = min(f[HIGH], high)
            hash_move = np.int64(memory.moves[place])
        f[PLACE] = place
        f[KEY] = key
    f[LOWER], f[UPPER] = f[LOW], f[HIGH]
    f[FOUND] = LOWEST if f[SEAT] & 1 == 0 else HIGHEST
    f[CHOSEN] = -1
    f[NEXT] = 0
    f[COUNT] = sorted_moves(memory, mode, f[SEAT], f[IN_TRICK], f[LED], f[BEST], f[WINNER], f[CARDS_LEFT], hash_move)
    return False, np.int64(0)


@kernel
def update(f, seat, value):
    """Team 0 takes the highest value, team 1 the lowest."""
    if seat & 1 == 0:
        if value > f[FOUND]:
            f[FOUND] = value
            f[CHOSEN] = f[CARD]
            f[LOW] = max(f[LOW], value)
    elif value < f[FOUND]:
        f[FOUND] = value
        f[CHOSEN] = f[CARD]
        f[HIGH] = min(f[HIGH], value)


@kernel
def remember(f, memory):
    place = f[PLACE]
    if place < 0:
        return
    if memory.keys[place] != f[KEY]:
        memory.keys[place] = f[KEY]
        memory.lows[place] = LOWEST
        memory.highs[place] = HIGHEST
    if f[FOUND] > f[LOWER]:
        memory.lows[place] = f[FOUND]
    if f[FOUND] < f[UPPER]:
        memory.highs[place] = f[FOUND]
    memory.moves[place] = f[CHOSEN]


@kernel
def last_trick(hands, mode, seat, left, scored, bonus):
    """Everybody has one card."""
    led, best, winner = -1, -1, seat
    for i in range(4):
        player = (seat + i) & 3
        card = size(hands[player] - 1)
        if i == 0:
            led = SUIT_OF[card]
        power = POWERS[36 * (4 * mode + led) + card]
        if power > best:
            best = power
            winner = player
    return last_points(winner, left, scored, bonus)


@kernel
def last_points(winner, left, scored, bonus):
    """The lead that the last trick brings, with the match bonus if the other team has no points."""
    side = winner & 1
    total = left
    if scored >> (1 - side) & 1 == 0:
        total += bonus
    return total if side == 0 else -total


@kernel
def sorted_moves(memory, mode, seat, in_trick, led, best, winner, cards_left, hash_move):
    """Write the moves worth trying into memory.order[cards_left], likely good ones first; returns how many."""
    hands = memory.hands
    hand = hands[seat]
    cards = hand if in_trick == 0 else following(hand, mode, led, best)
    remaining = hands[0] | hands[1] | hands[2] | hands[3]
    order = memory.order[cards_left]
    last, last_value, count = -1, 0, 0
    partner_wins = in_trick > 0 and (winner ^ seat) & 1 == 0
    while cards:
        card = size((cards & -cards) - 1)
        cards &= cards - 1
        suit = SUIT_OF[card]
        value = VALUES[36 * mode + card]
        if last >= 0 and SUIT_OF[last] == suit and last_value == value:
            is_trump = 1 if suit == mode else 0
            between = BETWEEN[81 * is_trump + 9 * (last % 9) + card % 9] << (9 * suit)
            if between & (remaining & ~hand) == 0 and same_side(mode, led, in_trick, best, last, card):
                last = card
                continue
        last, last_value = card, value
        power = POWERS[36 * (4 * mode + (suit if in_trick == 0 else led)) + card]
        if card == hash_move:
            score = 4000
        elif in_trick == 0:
            others = remaining & ~hand & SUITS[suit]
            boss = True
            while others:
                other = size((others & -others) - 1)
                others &= others - 1
                if POWERS[36 * (4 * mode + suit) + other] > power:
                    boss = False
                    break
            score = 2000 + value + (20 if suit == mode else 0) if boss else 1000 - 8 * value
        elif partner_wins:
            score = 1000 + 16 * value - power if power < best else 1000 + 8 * value - power
        elif power > best:
            score = 2000 + (8 * value if in_trick == 3 else 64 - power)
        else:
            score = 1000 - 16 * value - power
        entry = (score << 6) | card
        i = count
        while i > 0 and order[i - 1] < entry:
            order[i] = order[i - 1]
            i -= 1
        order[i] = entry
        count += 1
    return count


@kernel
def same_side(mode, led, in_trick, best, one, other):
    """Whether both or neither of two cards would win the trick so far."""
    if in_trick == 0:
        return True
    base = 36 * (4 * mode + led)
    return (POWERS[base + one] > best) == (POWERS[base + other] > best)


@kernel
def points_left(hands, mode):
    """The card points in four hands."""
    total = np.int64(0)
    for seat in range(4):
        cards = hands[seat]
        while cards:
            card = size((cards & -cards) - 1)
            cards &= cards - 1
            total += VALUES[36 * mode + card]
    return total


@kernel
def load(s, memory):
    """Put the position of a state into the first frame; returns how many cards are left."""
    cards_left = 0
    for seat in range(4):
        memory.hands[seat] = s.hands[seat]
        cards_left += size(s.hands[seat])
    f = memory.frames[0]
    f[SEAT], f[IN_TRICK], f[LED], f[BEST], f[WINNER], f[POT] = s.turn, s.in_trick, s.led, s.best, s.winner, s.pot
    f[LEFT] = points_left(memory.hands, s.mode) + s.pot + LAST_TRICK
    f[CARDS_LEFT] = cards_left
    f[SCORED] = np.int64(s.taken[0] > 0) + 2 * np.int64(s.taken[1] > 0)
    return cards_left


@outlined
def solve_state(s, guess, memory):
    """The lead of team 0 over the rest of the deal, in card points (not multiplied).

    Searches with windows of width one around a guess until the bounds meet (MTD(f), Plaat 1995).
    """
    if load(s, memory) == 0:
        return np.int64(0)
    low, high = np.int64(LOWEST), np.int64(HIGHEST)
    value = np.int64(guess)
    while low < high and not stopped(memory.sign):
        beta = value + 1 if value == low else value
        load(s, memory)
        value = solve(s.mode, beta - 1, beta, np.int64(s.bonus), memory)
        if value < beta:
            high = value
        else:
            low = value
    return value
