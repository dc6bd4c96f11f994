"""Habits: each is counted where it is possible, and only there. Positions are drawn as what one seat knows."""

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.arena.statistics import wilson
from spielwerk.core.kernel.contract import legal
from spielwerk.core.linker import kernel, specialise
from spielwerk.games.jass.cards import CARDS
from spielwerk.games.jass.learn.deals import load
from spielwerk.games.jass.learn.habits import NAMES, counted, mark_of, shown
from spielwerk.games.jass.learn.kernel import habits
from spielwerk.games.jass.learn.kernel.habits import following_suit, leading
from spielwerk.games.jass.learn.make_deals import make
from spielwerk.learn.run import Limits

pytestmark = pytest.mark.xdist_group("jass_deals")


@kernel
def look_at(states, seat, card, discarded, scratch, counts):
    s = states[0]
    count = legal(s, seat, scratch.actions)
    if s.in_trick == 0:
        leading(s, seat, card, count, discarded, scratch.actions, counts)
    else:
        following_suit(s, seat, card, count, scratch.actions, counts)


def seen(position, card, thrown_by_partner=""):
    """{habit: had it} of playing a card."""
    game = sw.game("jass")
    view = game.read(position).view(0)
    discarded = np.zeros(64, np.int64)
    discarded[2] = sum(1 << "hdcs".index(suit) for suit in thrown_by_partner)
    counts = np.zeros((habits.HABITS, 2), np.int64)
    specialise(look_at, game)(view.state, 0, CARDS.index(card), discarded, game.scratch(), counts)
    return {habit: bool(counts[habit, 1]) for habit in range(habits.HABITS) if counts[habit, 0]}


def test_trumps_are_drawn_from_nobody():
    #  hearts: hQ h7 h8 h10, then hA h6 hK are gone, hJ and h9 are in the own hand; cA took the last trick
    position = "hand=hJ h9 dA c6 c7 s6; mode=hearts; played=hQ h7 h8 h10 / hA h6 hK d6 / cA c8 c9 c10"
    assert seen(position, "hJ")[habits.DRAWS_FROM_NOBODY] is True
    assert seen(position, "dA")[habits.DRAWS_FROM_NOBODY] is False


def test_trumps_are_drawn_from_the_partner_only():
    #  seats 2 and 4 did not follow the trump (and it was not the J alone: the J lies in the own hand)
    position = "hand=hJ h9 dA c6 c7 s6 s7 s8; mode=hearts; played=hA d6 h6 d7"
    assert seen(position, "hJ") == {habits.DRAWS_FROM_PARTNER: True}
    assert seen(position, "dA") == {habits.DRAWS_FROM_PARTNER: False}


def test_a_trick_is_taken_from_the_partner():
    #  seat 2 led d6, seat 3 (the partner) has dA, seat 4 followed; seat 1 may trump
    position = "hand=h6 d7 d10 c6 c7 s6 s7 s8 s9; mode=hearts; trick=d6 dA d8"
    assert seen(position, "h6") == {habits.TAKES_FROM_PARTNER: True, habits.SMEARS_PARTNER: False}
    assert seen(position, "d10") == {habits.TAKES_FROM_PARTNER: False, habits.SMEARS_PARTNER: True}


def test_a_high_card_and_points_are_given_to_a_lost_trick():
    #  obeabe: seat 2 led dK, seat 4 took it with dA; seat 1 has no diamond
    position = "hand=cA c10 c6 s6 s7 s8 s9 h6 h7; mode=obeabe; trick=dK d6 dA"
    assert seen(position, "cA") == {habits.SMEARS_OPPONENTS: True, habits.GIVES_HIGHEST_AWAY: True}
    assert seen(position, "c10") == {habits.SMEARS_OPPONENTS: True, habits.GIVES_HIGHEST_AWAY: False}
    assert seen(position, "c6") == {habits.SMEARS_OPPONENTS: False, habits.GIVES_HIGHEST_AWAY: False}
    behind_its_ace = position.replace("c10", "cK")
    assert seen(behind_its_ace, "cK")[habits.GIVES_HIGHEST_AWAY] is False


def test_a_worthless_trick_is_taken_with_the_best_trump():
    #  d6, d7, d8 lie there: no points; the only way to take it is hJ
    position = "hand=hJ c10 c6 s6 s7 s8 s9 cQ cK; mode=hearts; trick=d6 d7 d8"
    assert seen(position, "hJ") == {habits.TAKES_NOTHING_DEARLY: True}
    assert seen(position, "c6") == {habits.TAKES_NOTHING_DEARLY: False}
    cheaper = "hand=hJ h6 c6 s6 s7 s8 s9 cQ cK; mode=hearts; trick=d6 d7 d8"  # h6 would do
    assert seen(cheaper, "hJ") == {habits.TAKES_NOTHING_DEARLY: True}
    assert seen(cheaper, "h6") == {habits.TAKES_NOTHING_DEARLY: False}
    assert seen("hand=h8 h6 c6 s6 s7 s8 s9 cQ cK; mode=hearts; trick=d6 d7 d8", "h8") == {}


def test_the_highest_left_is_led_although_an_opponent_can_trump_it():
    #  seat 2 had no spade in the first trick and threw d6 away; it may have trumps
    position = "hand=sK dA c6 c7 s6 h7 h8 d9; mode=hearts; played=sA d6 s7 s8"
    assert seen(position, "sK")[habits.LEADS_HIGHEST_TO_BE_TRUMPED] is True
    assert seen(position, "s6")[habits.LEADS_HIGHEST_TO_BE_TRUMPED] is False  # no high card
    assert seen(position, "dA")[habits.LEADS_HIGHEST_TO_BE_TRUMPED] is False  # nobody is known to be out of diamonds
    assert habits.LEADS_HIGHEST_TO_BE_TRUMPED not in seen(position.replace("d6", "sQ"), "sK")


def test_without_trump_the_highest_is_led_first():
    position = "hand=cA c6 d7 d8 s6 s7 s8 s9 h6; mode=obeabe"
    assert seen(position, "c6") == {habits.LEADS_LOW_WITHOUT_TRUMP: True}
    assert seen(position, "cA") == {habits.LEADS_LOW_WITHOUT_TRUMP: False}
    assert seen("hand=c6 cA d7 d8 s7 s8 s9 h7 h8; mode=undeufe", "cA") == {habits.LEADS_LOW_WITHOUT_TRUMP: True}


def test_best_trumps_are_led_although_the_others_chose():
    #  seat 2 began the deal (deal 2) and chose hearts; seat 1 has won a trick and leads
    position = "hand=hJ h9 dA c6 c7 s6 s7 s8; mode=hearts; deal=2; played=d6 d7 d8 dK"
    assert seen(position, "hJ")[habits.LEADS_BEST_TRUMPS] is True
    assert seen(position, "s6")[habits.LEADS_BEST_TRUMPS] is False


def test_the_jack_need_not_be_shown():
    position = "hand=hJ c10 c6 s6 s7 s8 s9 cQ cK; mode=hearts; trick=h6 h7"
    assert seen(position, "hJ")[habits.SHOWS_JACK] is True
    assert seen(position, "c6")[habits.SHOWS_JACK] is False
    assert habits.SHOWS_JACK not in seen("hand=hJ h8 c6 s6 s7 s8 s9 cQ cK; mode=hearts; trick=h6 h7", "hJ")


def test_what_the_partner_has_thrown_away_is_led():
    position = "hand=d7 c6 c7 s6 s7 s8 h6 h7; mode=obeabe; played=dA d6 d8 d9"
    assert seen(position, "s6", "s")[habits.LEADS_WHAT_PARTNER_DISCARDED] is True
    assert seen(position, "c6", "s")[habits.LEADS_WHAT_PARTNER_DISCARDED] is False
    assert habits.LEADS_WHAT_PARTNER_DISCARDED not in seen(position, "c6")


def test_announcements_are_no_cards(tmp_path):
    """With and without announcements the same cards are played, and the same habits are seen."""
    limits, found = Limits(seed=1), []
    for variant in ("schieber-deal", "schieber-deal,announce=0"):
        game = sw.game("jass", variant=variant)
        make(tmp_path / variant, game, {"rules": 1.0}, None, 300, limits, lambda *_: None)
        found.append(counted(load(tmp_path / variant)))
    assert found[0][0, :, 0].sum() > 1000
    assert (found[0] == found[1]).all()


def test_a_network_that_has_learned_on_is_another_player(tmp_path):
    (tmp_path / "model.npz").write_bytes(b"1")
    before = mark_of(f"net:model={tmp_path},otherwise=(rules)")
    (tmp_path / "model.npz").write_bytes(b"2")
    assert mark_of(f"net:model={tmp_path},otherwise=(rules)") != before
    assert mark_of("rules") == mark_of("rules") != mark_of("random")


def test_random_players_have_more_bad_habits_than_rule_players(tmp_path):
    game = sw.game("jass", variant="server-deal")
    make(tmp_path, game, {"rules": 1.0, "random": 1.0}, None, 600, Limits(seed=1), lambda *_: None)
    rules, random = counted(load(tmp_path))
    assert set(NAMES) == set(range(habits.HABITS))
    bad = [
        habits.TAKES_FROM_PARTNER,
        habits.SMEARS_OPPONENTS,
        habits.GIVES_HIGHEST_AWAY,
        habits.LEADS_LOW_WITHOUT_TRUMP,
    ]
    for habit in bad:
        assert random[habit, 1] / random[habit, 0] > 2 * rules[habit, 1] / rules[habit, 0], NAMES[habit]
    good = habits.SMEARS_PARTNER
    assert random[good, 1] / random[good, 0] < rules[good, 1] / rules[good, 0]


def test_shares_have_intervals():
    assert shown(0, 0) == "never possible"
    assert shown(1000, 250) == "25.0% (22.4% … 27.8%) of 1,000"
    assert wilson(0, 100)[0] == 0.0 and wilson(100, 100)[1] == 1.0
    low, high = wilson(50, 100)
    assert low == pytest.approx(0.4038, abs=1e-3) and high == pytest.approx(0.5962, abs=1e-3)
