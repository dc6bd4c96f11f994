"""The inputs of Eder and Kistler (2017), each on one drawn position."""

import numpy as np
import pytest

from spielwerk.core import registry
from spielwerk.envs.batch import Batch
from test_features import cards, encoded, places

#   Seat 1 pushed, seat 3 chose hearts (people count seats from 1).
#   trick 1   seat 1 d7   seat 2 dA   seat 3 dK   seat 4 d6
#   trick 2   seat 2 c6   seat 3 cA   seat 4 c7   seat 1 c8
#   trick 3   seat 3 sK   seat 4 sA   seat 1 decides
#   its hand  h9 hJ   d8   c10 cJ   s6 sQ
PLAYED = "d7 dA dK d6 / c6 cA c7 c8"
HAND = "h9 hJ d8 c10 cJ s6 sQ"
HEARTS, OBEABE = 0, 4


def position(mode="hearts"):
    return registry.game("jass").read(f"hand={HAND}; mode={mode}; push=yes; played={PLAYED}; trick=sK sA")


def test_36_and_37_are_the_hand_and_the_push():
    hand = "h6 h8 h9 hJ hA d9 d10 s8 s10"  # the thesis' own example
    first = registry.game("jass").read(f"hand={hand}")
    pushed = registry.game("jass").read(f"hand={hand}; push=yes; seat=3")
    assert places(encoded(first, 0, "36")) == places(encoded(pushed, 2, "36")) == cards(hand)
    assert places(encoded(first, 0, "37")) == cards(hand)
    assert places(encoded(pushed, 2, "37")) == cards(hand) | {36}


def test_42_has_one_number_per_card():
    numbers = encoded(position(), 0, "42")
    expected = np.zeros(42)
    expected[list(cards(HAND))] = 1
    expected[list(cards("sK"))], expected[list(cards("sA"))] = 2, 3
    expected[36 + HEARTS] = 1
    assert numbers.tolist() == expected.tolist()


def test_150_has_a_block_for_every_place_on_the_table():
    table = cards("sK", 36) | cards("sA", 72)
    assert places(encoded(position(), 0, "150")) == cards(HAND) | table | {144 + HEARTS}
    assert places(encoded(position("obeabe"), 0, "150")) == cards(HAND) | table | {144 + OBEABE}


def test_186_counts_the_cards_of_finished_tricks():
    table = cards("sK", 36) | cards("sA", 72)
    finished = cards(PLAYED.replace("/", " "), 144)
    expected = cards(HAND) | table | finished | {180 + HEARTS}
    assert places(encoded(position(), 0, "186")) == expected
    assert places(encoded(position(), 0, "187")) == expected | {186}


def by_seat(trick, first, seat=0):
    """The places of `2 c6, 3 cA, …`, seats from 1, in a block of four times 36 that begins with the own seat."""
    written = (part.split() for part in trick.split(","))
    return set().union(*(cards(card, first + 36 * ((int(who) - 1 - seat) % 4)) for who, card in written))


FIRST, SECOND, THIRD = "1 d7, 2 dA, 3 dK, 4 d6", "2 c6, 3 cA, 4 c7, 1 c8", "3 sK, 4 sA"


def test_1302_knows_who_played_which_card_in_which_trick():
    table = cards("sK", 36) | cards("sA", 72)
    history = by_seat(FIRST, 144) | by_seat(SECOND, 144 + 144)
    assert places(encoded(position(), 0, "1302")) == cards(HAND) | table | history | {1296 + HEARTS}


@pytest.mark.parametrize("seat", range(4))
def test_tricks_are_steps_from_the_point_of_view_of_the_seat(seat):
    steps = by_seat(FIRST, 0, seat) | by_seat(SECOND, 150, seat) | by_seat(THIRD, 300, seat)
    modes = {150 * step + 144 + HEARTS for step in range(3)}
    hand = cards(HAND, 1350) if seat == 0 else set()
    numbers = encoded(position(), seat, "tricks")
    assert places(numbers[:1350]) == steps | modes
    assert {1350 + place for place in places(numbers[1350:])} >= hand


def test_tricks_before_the_first_card():
    game = registry.game("jass")
    hand = "h6 h8 h9 hJ hA d9 d10 s8 s10"
    assert places(encoded(game.read(f"hand={hand}"), 0, "tricks")) == cards(hand, 1350)
    chosen = game.read(f"hand={hand}; mode=hearts")
    assert places(encoded(chosen, 0, "tricks")) == cards(hand, 1350) | {144 + HEARTS}


def test_tricks_of_a_whole_deal():
    deal = registry.game("jass").new(5)
    while deal.state["deals"][0] == 0:
        deal.apply({seat: deal.legal(seat)[0] for seat in deal.actors})
    numbers = encoded(deal, 0, "tricks")
    assert not numbers[1350:].any()
    for step in range(9):
        block = numbers[150 * step : 150 * step + 144].reshape(4, 36)
        assert block.sum(axis=1).tolist() == [1, 1, 1, 1]
    assert not encoded(deal, 0, "1302")[144 + 8 * 144 : 1296].any()


def test_tricks_count_as_the_thesis_counts_them():
    """Points of every trick in hundreds, lost ones against the player, and the bonus for a match."""
    batch = Batch(
        registry.game("jass", 4, "server-deal"), 64, seed=5, objective="margin", scale=100.0, actions="0-35",
        otherwise="rules", opponents=("random", "rules", "random"),
    )  # fmt: skip
    batch.reset()
    totals, lost, deals, matches = np.zeros(64), 0, 0, 0
    for _ in range(200):
        batch.step(batch.random_actions())
        assert np.allclose(100 * batch.rewards, np.round(100 * batch.rewards), atol=1e-3)
        totals += batch.rewards
        lost += (batch.rewards < 0).sum()
        for row in np.flatnonzero(batch.ended):
            own = batch.final_seats[row] & 1
            points = batch.final_scores[row][[own, 1 - own]]
            assert 100 * totals[row] == pytest.approx(points[0] - points[1], abs=1e-3)
            deals, matches = deals + 1, matches + (points.max() == 257)
            totals[row] = 0.0
    assert deals > 1000 and matches > 10 and lost > 1000
