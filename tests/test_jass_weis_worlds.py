"""What a seat imagines where Weis are announced: every world agrees, and all are equally likely."""

import random
from collections import Counter

import numpy as np
import pytest

import spielwerk as sw
from jass_reference import DECK
from jass_reference import MODES as REFERENCE_MODES
from jass_reference import weis_of as reference_weis
from spielwerk import testing
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import kernel, specialise
from spielwerk.games.jass.cards import CARDS, cards_of
from spielwerk.games.jass.kernel.hidden import imagine_rare_weis
from spielwerk.games.jass.kernel.table import ANNOUNCE
from test_jass_rules import dealt_hands, rich_deal, table
from test_jass_weis import ONCE, SLALOM

pytestmark = pytest.mark.xdist_group("jass")


def announced_deal(rng, cards, variant="schieber-deal"):
    """Everybody announces what he can, then cards are played at random."""
    position = sw.game("jass", variant=variant).opening()
    position.happen(rich_deal(rng))
    position.apply(rng.randrange(36, 42))
    while int(position.state["tricks"][0]) * 4 + int(position.state["in_trick"][0]) < cards:
        legal = position.legal(position.actors[0])
        position.apply(ANNOUNCE if ANNOUNCE in legal and rng.random() < 0.8 else rng.choice(legal))
    return position


def rank_of(hand, mode):
    """The best Weis of a set of cards, by the slow rules; None if there is none."""
    held = [DECK[card] for card in cards_of(int(hand))]
    return max((weis[:4] for weis in reference_weis(held, REFERENCE_MODES[mode], 2)), default=None)


def fits(position, hands):
    """Whether nine cards each agree with what was announced and shown."""
    state = position.state[0]
    mode, shown = int(state["mode"]), state["shown"]
    ranks = [rank_of(hand, mode) for hand in hands]
    calls = [int(called) for called in state["called"]]
    if any(called and (rank is None or rank[0] != called) for called, rank in zip(calls, ranks, strict=True)):
        return False
    if state["tricks"] == 0:
        return True
    order = [(int(state["starter"]) + i) % 4 for i in range(4)]
    taking_part = [seat for seat in order if calls[seat]]
    best = max(taking_part, key=lambda seat: (ranks[seat], -order.index(seat)), default=None)
    for seat in range(4):
        wins = best is not None and calls[seat] and (seat - best) % 2 == 0
        held = [DECK[card] for card in cards_of(int(hands[seat]))]
        cards = {card for weis in reference_weis(held, REFERENCE_MODES[mode], 2) for card in weis[4]} if wins else set()
        if {DECK[card] for card in cards_of(int(shown[seat]))} != cards:
            return False
    return True


def test_what_is_imagined_agrees_with_what_was_announced():
    rng, silent_weis = random.Random(5), 0
    for number in range(150):
        position = announced_deal(rng, number % 34)
        for seat in (-1, 0, 1, 2, 3):
            world = position.view(seat).imagine(spawn(number, seat))
            assert world.view(seat).state.tobytes() == position.view(seat).state.tobytes()
            hands = dealt_hands(world)
            assert [int(hand).bit_count() for hand in hands] == [9] * 4 and fits(position, hands), position.text
            called = position.state["called"][0]
            silent_weis += any(rank_of(hands[i], 4) and not called[i] for i in range(4) if i != seat)
    assert silent_weis > 50  # who was silent may hold one


@kernel
def rarely_at(states, seat, rng):
    imagine_rare_weis(states[0], seat, rng)


def possible_worlds(position, seat):
    """All ways to hand out the unseen cards, and those among them that fit what was announced."""
    state = position.state[0]
    others = [(seat + i) % 4 for i in (1, 2, 3)]
    unseen = [card for card in range(36) if not any(int(cards) >> card & 1 for cards in state["played"])]
    unseen = [card for card in unseen if not int(state["hands"][seat]) >> card & 1]
    lacks = [int(state["lacks"][other]) for other in others]

    def ways(cards, room):
        if not cards:
            yield (0, 0, 0)
            return
        for i in range(3):
            if room[i] and not lacks[i] >> cards[0] & 1:
                for rest in ways(cards[1:], [n - (j == i) for j, n in enumerate(room)]):
                    yield tuple(hand | (1 << cards[0]) * (j == i) for j, hand in enumerate(rest))

    every = set(ways(unseen, [9 - int(state["played"][other]).bit_count() for other in others]))

    def whole(world):
        hands = [int(state["hands"][seat])] * 4
        for other, hand in zip(others, world, strict=True):
            hands[other] = hand
        return [hand | int(played) for hand, played in zip(hands, state["played"], strict=True)]

    return every, {world for world in every if fits(position, whole(world))}, others


def test_worlds_that_agree_with_announcements_are_equally_likely():
    """Late in a deal all of them can be listed. Both ways to draw them must find each equally often."""
    rng, tested = random.Random(11), 0
    while tested < 6:
        position = announced_deal(rng, rng.choice((22, 23, 24, 25)))
        state, seat = position.state[0], position.actors[0]
        hidden = [other for other in range(4) if other != seat and state["called"][other] and not state["shown"][other]]
        if not hidden:
            continue
        every, possible, others = possible_worlds(position, seat)
        if not 2 <= len(possible) <= 250 or len(every) == len(possible):
            continue
        tested += 1
        view, draw = position.view(seat), specialise(rarely_at, position.game)
        for rare in (False, True):
            counted = Counter()
            stream = spawn(tested, rare)
            for _ in range(40 * len(possible)):
                if rare:
                    world = view.state.copy()
                    draw(world, seat, stream)
                else:
                    world = view.imagine(stream).state
                counted[tuple(world["hands"][0][others].tolist())] += 1
            assert set(counted) == possible
            chi = sum((count - 40) ** 2 / 40 for count in counted.values())
            assert chi < len(possible) + 5 * np.sqrt(2 * len(possible))


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("hJ dJ cJ sJ h6 h8 d6 d8 c10", 200),
        ("h6 h7 h8 h9 h10 hJ hQ hK dA", 250),
        ("h6 h7 h8 h9 h10 hJ hQ hK hA", 300),
    ],
)
def test_the_rarest_weis_are_imagined_too(hand, points):
    position = table(["", hand], "spades", variant=ONCE)
    position.apply(next(action for action in position.legal(0) if CARDS[action][0] in "cds"))
    position.apply("announce")
    assert position.state["called"][0][1] == points
    for seat in (0, 2, 3, -1):
        found = {int(position.view(seat).imagine(spawn(seat, n)).state["hands"][0][1]) for n in range(12)}
        assert all(rank_of(cards, 3)[0] == points for cards in found)
        assert len(found) > 1 or points == 300


def test_conformance_with_slalom():
    testing.check_game(sw.game("jass", variant=SLALOM), seed=5, most=60)
