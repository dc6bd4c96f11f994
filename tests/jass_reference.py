"""The rules of Schieber Jass once more: slow, obvious, with cards as pairs and lists. The kernel must agree."""

from itertools import groupby

SUITS = "hdcs"
RANKS = ["6", "7", "8", "9", "10", "J", "Q", "K", "A"]
TRUMP_ORDER = ["6", "7", "8", "10", "Q", "K", "A", "9", "J"]
DECK = [(suit, rank) for suit in SUITS for rank in RANKS]
MODES = ["h", "d", "c", "s", "obeabe", "undeufe"]
SLALOMS = ["slalom from obeabe", "slalom from undeufe"]
POINTS = {"A": 11, "K": 4, "Q": 3, "J": 2, "10": 10, "9": 0, "8": 0, "7": 0, "6": 0}


def points(card, mode):
    suit, rank = card
    if suit == mode and rank in ("J", "9"):
        return {"J": 20, "9": 14}[rank]
    if mode in ("obeabe", "undeufe") and rank == "8":
        return 8
    if mode == "undeufe":
        return {"6": 11, "A": 0}.get(rank, POINTS[rank])
    return POINTS[rank]


def beats(card, other, mode):
    """Whether `card`, played later, beats `other`."""
    if card[0] == mode and other[0] != mode:
        return True
    if card[0] != other[0]:
        return False
    order = TRUMP_ORDER if card[0] == mode else RANKS
    higher = order.index(card[1]) > order.index(other[1])
    return not higher if mode == "undeufe" else higher


def winning_place(trick, mode):
    best = 0
    for place in range(1, len(trick)):
        if beats(trick[place], trick[best], mode):
            best = place
    return best


def legal_cards(hand, trick, mode):
    if not trick:
        return list(hand)
    led = trick[0][0]
    same = [card for card in hand if card[0] == led]
    if mode not in SUITS:
        return same or list(hand)
    trumps = [card for card in hand if card[0] == mode]
    if led == mode:
        if not trumps or trumps == [(mode, "J")]:
            return list(hand)
        return trumps
    allowed = same + trumps if same else list(hand)
    if len(trumps) == len(hand):
        return list(hand)
    on_table = [card for card in trick if card[0] == mode]
    return [card for card in allowed if card[0] != mode or all(beats(card, other, mode) for other in on_table)]


OLD_FOURS = {"J": 200, "9": 150, "10": 100, "Q": 100, "K": 100, "A": 100}
OLD_RUNS = {3: 20, 4: 50, 5: 100, 6: 100, 7: 100, 8: 100, 9: 100}
FOURS = {"J": 200, "9": 150, "6": 100, "7": 100, "8": 100, "10": 100, "Q": 100, "K": 100, "A": 100}
RUNS = {3: 20, 4: 50, 5: 100, 6: 150, 7: 200, 8: 250, 9: 300}


def weis_of(hand, mode, counting):
    """All Weis of a hand as (value, length, height, is trump, cards); counting 1 is the old way, 2 today's."""
    found, left = [], list(hand)
    for rank, value in (OLD_FOURS if counting == 1 else FOURS).items():
        four = [(suit, rank) for suit in SUITS]
        if all(card in hand for card in four):
            found.append((value, 4, height(rank, mode), False, four))
            if counting == 1:  # a card counts once
                left = [card for card in left if card not in four]
    for suit in SUITS:
        held = sorted(RANKS.index(rank) for s, rank in left if s == suit)
        for _, run in groupby(enumerate(held), key=lambda pair: pair[1] - pair[0]):
            ranks = [rank for _, rank in run]
            if len(ranks) >= 3:
                value = (OLD_RUNS if counting == 1 else RUNS)[len(ranks)]
                high = max(height(RANKS[i], mode) for i in ranks)
                found.append((value, len(ranks), high, suit == mode, [(suit, RANKS[i]) for i in ranks]))
    return found


def height(rank, mode):
    return -RANKS.index(rank) if mode == "undeufe" else RANKS.index(rank)


class Reference:
    def __init__(
        self, target=2500, deals=0, match_bonus=100, multipliers=0, red_factor=1, black_factor=2, obeabe_factor=3,
        undeufe_factor=3, weis=0, stoeck=0, claim=0, announce=0, slalom=0, slalom_factor=3,
    ):  # fmt: skip
        self.target, self.limit, self.match_bonus = target, deals, match_bonus
        self.factors = {"h": red_factor, "d": red_factor, "c": black_factor, "s": black_factor,
                        "obeabe": obeabe_factor, "undeufe": undeufe_factor}  # fmt: skip
        self.multipliers, self.weis, self.stoeck, self.claim = multipliers, weis, stoeck, claim
        self.announce, self.slalom, self.slalom_factor = announce, slalom, slalom_factor
        self.total = [0, 0]
        self.deals = 0
        self.over = False
        self.hands = None

    def deal(self, hands):
        self.hands = [list(hand) for hand in hands]
        self.dealt = [list(hand) for hand in hands]
        self.mode = None
        self.in_slalom = self.pushed = False
        self.announced, self.has_played = [], []
        self.turn = self.starter = self.deals % 4
        self.trick, self.trick_seats, self.tricks = [], [], 0
        self.in_deal = [0, 0]

    def moves(self):
        if self.mode is None:
            return [*MODES, *([] if self.pushed else ["push"]), *(SLALOMS if self.slalom else [])]
        found = legal_cards(self.hands[self.turn], self.trick, self.mode)
        asked = self.announce and self.weis and self.turn not in self.announced + self.has_played
        if asked and weis_of(self.hands[self.turn], self.mode, self.weis):
            found = [*found, "announce"]
        return found

    def gain(self, side, value):
        if self.over:
            return
        factor = self.slalom_factor if self.in_slalom else self.factors[self.mode]
        factor = factor if self.multipliers else 1
        self.total[side] += factor * value
        if self.claim and self.total[side] >= self.target:
            self.over = True

    def play(self, move):
        if move == "push":
            self.pushed = True
            self.turn = (self.turn + 2) % 4
        elif move == "announce":
            self.announced.append(self.turn)
        elif self.mode is None:
            self.in_slalom = move in SLALOMS
            self.mode = move.removeprefix("slalom from ")
            self.turn = self.starter
        else:
            self.play_card(move)

    def play_card(self, card):
        seat = self.turn
        self.hands[seat].remove(card)
        self.has_played.append(seat)
        self.trick.append(card)
        self.trick_seats.append(seat)
        self.turn = (seat + 1) % 4
        pair = [(self.mode, "K"), (self.mode, "Q")]
        if self.stoeck and card in pair and all(c in self.dealt[seat] for c in pair):
            other = pair[1 - pair.index(card)]
            if other not in self.hands[seat]:
                self.gain(seat % 2, 20)
        if len(self.trick) == 4:
            self.end_trick()

    def end_trick(self):
        winner = self.trick_seats[winning_place(self.trick, self.mode)]
        side = winner % 2
        self.tricks += 1
        if self.weis and self.tricks == 1:
            self.count_weis()
        value = sum(points(card, self.mode) for card in self.trick) + (5 if self.tricks == 9 else 0)
        self.in_deal[side] += value
        self.gain(side, value)
        self.trick, self.trick_seats, self.turn = [], [], winner
        if self.in_slalom:
            self.mode = "undeufe" if self.mode == "obeabe" else "obeabe"
        if self.tricks == 9:
            if self.in_deal[1 - side] == 0:
                self.gain(side, self.match_bonus)
            if not self.over:
                self.deals += 1
                a, b = self.total
                self.over = (max(a, b) >= self.target and a != b) or self.deals == self.limit
            self.hands = None

    def count_weis(self):
        best, owner = None, None
        shown = self.announced if self.announce else [0, 1, 2, 3]
        for seat in [(self.starter + i) % 4 for i in range(4) if (self.starter + i) % 4 in shown]:
            for weis in weis_of(self.dealt[seat], self.mode, self.weis):
                if best is None or weis[:4] > best:
                    best, owner = weis[:4], seat
        if owner is not None:
            for seat in [seat for seat in (owner, (owner + 2) % 4) if seat in shown]:
                self.gain(owner % 2, sum(weis[0] for weis in weis_of(self.dealt[seat], self.mode, self.weis)))
