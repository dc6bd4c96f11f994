"""Whole Jass: Weis announced or kept quiet; Stöck, Weis and Stich at the target; Slalom; every agent plays it."""

import random
import re
from collections import Counter

import numpy as np
import pytest

import spielwerk as sw
from jass_reference import DECK, Reference
from jass_reference import MODES as REFERENCE_MODES
from jass_reference import weis_of as reference_weis
from spielwerk import testing
from spielwerk.core.clock import Budget
from spielwerk.core.errors import IllegalMove, InvalidMove, SpielwerkError
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import kernel, specialise
from spielwerk.core.match import Header, Record, replay
from spielwerk.core.words import speaking
from spielwerk.games.jass.cards import CARDS, cards_of, hand_text, set_of
from spielwerk.games.jass.game import Jass
from spielwerk.games.jass.kernel.rules import ANNOUNCE, FIRST_SLALOM, PUSH, imagine_rare_weis, weis_agrees_at
from spielwerk.games.jass.learn.make_deals import make
from spielwerk.learn.run import Limits
from spielwerk.nets.description import Head
from test_jass_rules import dealt_hands, reference_move, rich_deal, table
from test_look import network

pytestmark = pytest.mark.xdist_group("jass")
ONCE = "schieber-deal,multipliers=0"
SLALOM = "schieber-deal,slalom=1"

#   seat 1: h6 h7 h8 = 20                seat 2: d9 d10 dJ dQ = 50
#   seat 3: s10 sJ sQ = 20               seat 4: nothing
HANDS = [
    "h6 h7 h8 d6 d8 c6 c8 c10 sK",
    "d9 d10 dJ dQ c7 c9 cJ s6 s8",
    "s10 sJ sQ hJ hA d7 dK cQ cA",
    "h9 h10 hQ hK dA cK s7 s9 sA",
]
FIRST_TRICK = ["h6", "c7", "hA", "h9"]  # in obeabe seat 3 takes it: 11 points


def first_trick(*announcing, hands=HANDS, mode="obeabe", variant=ONCE, cards=FIRST_TRICK):
    """The first trick, in which these seats (from 1) announce."""
    position = table(hands, mode, variant=variant)
    for seat, card in enumerate(cards, 1):
        if seat in announcing:
            position.apply("announce")
        position.apply(card)
    return position


def gained(position):
    return position.state["gained"][0].tolist()


# --- Weis: announcing ------------------------------------------------------------------------------------------------


def test_who_holds_a_weis_may_announce_it_once_before_the_first_card():
    position = table(HANDS, "obeabe", variant=ONCE)
    assert position.legal(0)[-1] == ANNOUNCE and len(position.legal(0)) == 10
    position.apply("announce")
    assert position.actors == (0,) and ANNOUNCE not in position.legal(0)
    with pytest.raises(IllegalMove):
        position.apply("announce")
    for card in ("h6", "c7", "hA"):
        assert (ANNOUNCE in position.legal(position.actors[0])) is (card != "h6")
        position.apply(card)
    assert position.actors == (3,) and ANNOUNCE not in position.legal(3)  # seat 4 has none
    position.apply("h9")
    while not position.over:
        legal = position.legal(position.actors[0])
        assert ANNOUNCE not in legal
        position.apply(legal[0])


def test_the_announcement_tells_what_the_best_weis_is_worth():
    """Four kings and three in a row: 100, and nothing of the rest."""
    hands = ["hK dK cK sK h6 h7 h8 s9 c10", "", "", ""]
    position = table(hands, "clubs", variant=ONCE)
    position.apply("announce")
    assert position.state["called"][0].tolist() == [100, 0, 0, 0]
    for seat in (1, 2, 3, -1):
        view = position.view(seat).state
        assert view["called"][0].tolist() == [100, 0, 0, 0] and view["hands"][0][0] == 0


@pytest.mark.parametrize(
    ("announcing", "points", "showing"),
    [
        ((1, 2, 3), [11, 50], [2]),  # seat 2 has the best
        ((1, 3), [11 + 40, 0], [1, 3]),  # it was silent: the others score both of theirs
        ((1,), [11 + 20, 0], [1]),  # the partner's counts for nothing if he is silent, and is not shown
        ((3,), [11 + 20, 0], [3]),
        ((2,), [11, 50], [2]),
        ((), [11, 0], []),
    ],
)
def test_only_what_is_announced_is_compared_shown_and_scored(announcing, points, showing):
    position = first_trick(*announcing)
    weis = [set_of("h6 h7 h8"), set_of("d9 d10 dJ dQ"), set_of("s10 sJ sQ"), 0]
    assert gained(position) == points
    shown = [weis[seat - 1] if seat in showing else 0 for seat in range(1, 5)]
    assert position.state["shown"][0].tolist() == shown


def test_announced_by_the_rules_if_nobody_announces():
    position = table(HANDS, "obeabe", FIRST_TRICK, variant=f"{ONCE},announce=0")
    assert gained(position) == [11, 50] and not position.state["called"].any()


def test_without_weis_there_is_nothing_to_announce():
    position = table(HANDS, "obeabe", variant=f"{ONCE},weis=0")
    assert ANNOUNCE not in position.legal(0)


@pytest.mark.parametrize(
    ("one", "two", "mode", "winner"),
    [
        ("h6 h7 h8", "d7 d8 d9", "obeabe", 2),  # the higher one
        ("h6 h7 h8", "d7 d8 d9", "undeufe", 1),  # the lower one
        ("h6 h7 h8", "d6 d7 d8", "obeabe", 1),  # equal: the earlier player
        ("h6 h7 h8", "d6 d7 d8", "diamonds", 2),  # equal: in trump
        ("h6 d6 c6 s6", "c7 c8 c9 c10 cJ", "obeabe", 2),  # both 100: more cards
        ("h6 h7 h8 h9", "hA dA cA sA", "obeabe", 2),  # 50 and 100
    ],
)
def test_among_announced_weis_the_better_one_counts(one, two, mode, winner):
    rest = [card for card in CARDS if card not in f"{one} {two}".split()]
    rng = random.Random(1)
    while True:  # nobody has another Weis
        rng.shuffle(rest)
        held = [f"{one} {' '.join(rest[: 9 - len(one.split())])}"]
        left = rest[9 - len(one.split()) :]
        held.append(f"{two} {' '.join(left[: 9 - len(two.split())])}")
        left = left[9 - len(two.split()) :]
        held += [" ".join(left[:9]), " ".join(left[9:])]
        found = [reference_weis([DECK[CARDS.index(card)] for card in hand.split()], mode, 2) for hand in held]
        if [len(weis) for weis in found] == [1, 1, 0, 0]:
            break
    position = table(held, mode, variant=ONCE)
    for _ in range(4):
        if ANNOUNCE in position.legal(position.actors[0]):
            position.apply("announce")
        position.apply(position.legal(position.actors[0])[0])
    assert [seat + 1 for seat in range(4) if position.state["shown"][0][seat]] == [winner]


def test_silence_hides():
    """Seat 2 plays c7 without a word. Whether it holds four in a row makes no difference to what the others see."""
    other = [*HANDS]
    other[1], other[3] = "d9 dA dJ cK c7 c9 cJ s6 s8", "h9 h10 hQ hK d10 dQ s7 s9 sA"
    views = []
    for hands in (HANDS, other):
        position = table(hands, "obeabe", ["h6", "c7"], variant=ONCE)
        assert (ANNOUNCE in table(hands, "obeabe", ["h6"], variant=ONCE).legal(1)) is (hands is HANDS)
        views.append([position.view(seat).state.tobytes() for seat in (0, 2, -1)])
    assert views[0] == views[1]


def test_the_weis_of_those_who_lose_stay_hidden():
    position = first_trick(1, 2, 3)
    for seat in (1, 3):
        state = position.view(seat).state[0]
        assert state["shown"][0] == state["shown"][2] == 0
        assert not state["lacks"][3] & set_of("h6 h7 h8 s10 sJ sQ")
    assert position.state["called"][0].tolist() == [20, 50, 20, 0]


def test_the_kernel_agrees_with_the_reference_on_thousands_of_first_tricks():
    game, rng = sw.game("jass", variant="schieber,slalom=1,target=10000"), random.Random(3)
    options = {"multipliers": 1, "weis": 2, "stoeck": 1, "claim": 1, "announce": 1, "slalom": 1, "target": 10_000}
    announced = 0
    for _ in range(2500):
        position, other = game.opening(), Reference(**options)
        position.happen(rich_deal(rng))
        other.deal([[DECK[card] for card in cards_of(int(hand))] for hand in position.state["hands"][0]])
        position.apply(mode := rng.choice([*range(36, 42), FIRST_SLALOM, FIRST_SLALOM + 1]))
        other.play(reference_move(mode))
        while position.state["tricks"][0] == 0:
            legal = position.legal(other.turn)
            assert {reference_move(action) for action in legal} == set(other.moves())
            action = ANNOUNCE if ANNOUNCE in legal and rng.random() < 0.6 else rng.choice(legal)
            announced += action == ANNOUNCE
            position.apply(action)
            other.play(reference_move(action))
        assert position.state["points"][0].tolist() == other.total, position.text
    assert announced > 2000


# --- at the target: Stöck, Weis, Stich -------------------------------------------------------------------------------


def near_the_target(position, first, second):
    position.state["points"][0] = [first, second]
    return position


def test_weis_count_before_the_trick():
    """Both teams would reach 1000: seats 1 and 3 with the trick (11), seats 2 and 4 with the Weis of 50."""
    position = near_the_target(table(HANDS, "obeabe", variant="schieber-1000"), 990, 960)
    for seat, card in enumerate(FIRST_TRICK):
        if seat == 1:
            position.apply("announce")
        position.apply(card)
    assert position.over and position.state["points"][0].tolist() == [990, 1010]


def test_who_does_not_announce_loses_the_race():
    position = near_the_target(table(HANDS, "obeabe", variant="schieber-1000"), 990, 960)
    for card in FIRST_TRICK:
        position.apply(card)
    assert position.over and position.state["points"][0].tolist() == [1001, 960]


def test_stoeck_count_before_the_trick():
    """Seat 1 plays the second of K and Q of trump (20) to a trick that brings seats 2 and 4 over the target, too."""
    hands = ["hK hQ d6 d7 c6 c7 s6 s7 s9", "hJ hA h6 d8 d10 c8 c10 s8 sJ"]
    position = table(hands, "hearts", variant="schieber-1000")
    for card in ("hK", "hJ"):
        position.apply(card)
    for _ in range(2):
        position.apply(position.legal(position.actors[0])[0])
    near_the_target(position, 985, 980)  # seat 2 has the trick and leads
    position.apply("hA")
    for _ in range(2):
        position.apply(position.legal(position.actors[0])[0])
    assert not position.over
    position.apply("hQ")
    assert position.over and position.state["points"][0].tolist() == [1005, 980]


def test_weis_are_written_when_all_have_played():
    position = near_the_target(table(HANDS, "obeabe", variant="schieber-1000"), 0, 999)
    position.apply("h6")
    assert not position.over
    position.apply("announce")
    assert not position.over and position.state["points"][0].tolist() == [0, 999]


def test_the_targets():
    for variant, target in (("schieber", 2500), ("schieber-1000", 1000)):
        assert sw.game("jass", variant=variant).opening().state["target"][0] == target


# --- Slalom ----------------------------------------------------------------------------------------------------------

LADDERS = [
    "hA h6 d6 dA c6 cA s6 sA c7",
    "hK h7 dK d7 cK c8 sK s7 c9",
    "hQ h8 dQ d8 cQ c10 sQ s8 cJ",
    "hJ h9 h10 dJ d9 d10 sJ s9 s10",
]


def test_in_a_slalom_the_mode_alternates_from_trick_to_trick():
    position = table(LADDERS, "slalom-obeabe", variant=f"{SLALOM},weis=0,slalom_factor=4")
    tricks = [  # cards, who leads the next, points of both teams
        ("hA h7 h8 h9", 0, [19, 0]),  # obeabe: 11 + 8
        ("h6 hK hQ h10", 0, [19 + 28, 0]),  # undeufe: the six wins and counts 11
        ("d6 dK d8 d9", 1, [47, 12]),  # obeabe: it counts nothing, and the king wins
        ("d7 dQ d10 dA", 1, [47, 12 + 13]),  # undeufe: the ace is worthless
    ]
    for number, (cards, leader, points) in enumerate(tricks):
        assert position.state["mode"][0] == 4 + number % 2
        for card in cards.split():
            position.apply(card)
        assert position.actors == (leader,)
        assert position.state["taken"][0].tolist() == points and gained(position) == [4 * part for part in points]


def test_a_slalom_may_begin_with_undeufe():
    position = table(LADDERS, "slalom-undeufe", ["hA", "h7", "h8", "h9"], variant=f"{SLALOM},weis=0,multipliers=0")
    assert position.actors == (1,) and gained(position) == [0, 8] and position.state["mode"][0] == 4


def test_the_first_trick_ranks_the_weis_of_a_slalom():
    """Both have three in a row. Seat 2 has the lower cards: better if the Slalom begins with undeufe."""
    hands = ["h8 h9 h10 d6 d8 c6 c8 cQ sK", "d7 d9 dJ s6 s7 s8 c7 c9 cJ", "dQ cA hA hJ s10 sQ hQ d10 c10"]
    for mode, shown in (("slalom-obeabe", 0), ("slalom-undeufe", 1)):
        position = table(hands, mode, variant=SLALOM)
        for _ in range(4):
            if ANNOUNCE in position.legal(position.actors[0]):
                position.apply("announce")
            position.apply(position.legal(position.actors[0])[0])
        assert [seat for seat in range(4) if position.state["shown"][0][seat]] == [shown]
        for seat in range(4):
            assert position.game.call(weis_agrees_at, position.view(seat).imagine(spawn(seat)).state)


def test_slalom_can_be_chosen_only_where_it_is_an_option():
    position = sw.game("jass", variant=SLALOM).new(1)
    assert position.legal(0) == (*range(36, 43), FIRST_SLALOM, FIRST_SLALOM + 1)
    position.apply("push")
    assert position.legal(2) == (*range(36, 42), FIRST_SLALOM, FIRST_SLALOM + 1)
    position.apply("slalom-undeufe")
    assert position.actors == (0,) and position.state["mode"][0] == 5
    assert FIRST_SLALOM not in sw.game("jass", variant="schieber").new(1).legal(0)


# --- what a seat imagines --------------------------------------------------------------------------------------------


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


# --- records ---------------------------------------------------------------------------------------------------------


def test_old_records_keep_their_rules():
    names = {1: "schieber,weis=1,announce=0", 2: "schieber,announce=0", 3: "schieber,announce=0", 4: "schieber"}
    assert {edition: Jass.recorded_variant("schieber", edition) for edition in names} == names
    assert Jass.recorded_variant("schieber-deal,announce=1", 3) == "schieber-deal,announce=1"
    assert Jass.recorded_variant("server", 1) == "server"


def test_an_old_record_scores_weis_by_themselves():
    cards = [{str(seat): card} for seat, card in enumerate(FIRST_TRICK)]
    events = [" | ".join(HANDS), {"0": "obeabe"}, *cards]
    for edition, points in (("2", [33, 150]), ("3", [33, 150]), ("4", [33, 0])):
        record = Record(Header("jass", "schieber-deal", 4, None, ["bot"] * 4, {"rules": edition}), events)
        assert gained(replay(record)[-1]) == points


def test_what_was_announced_is_in_the_record():
    game = sw.game("jass", variant=SLALOM)
    for seed in range(12):
        record = sw.play(game, [sw.agent("random")] * 4, seed=seed)
        again = sw.replay(Record.from_json(record.to_json()))[-1]
        assert again.over and list(again.score) == record.result.scores


# --- as people see it ------------------------------------------------------------------------------------------------


def test_positions_with_announcements_are_written_and_read():
    game = sw.game("jass", variant=ONCE)
    position = first_trick(1, 2, 3)
    while position.actors != (0,):
        position.apply(position.legal(position.actors[0])[0])
    text = game.write(position.view(0))
    assert "called=1 20, 2 50, 3 20; weis=2 d9 d10 dJ dQ" in text
    again = game.read(text)
    assert game.write(again.view(0)) == text and fits(again, dealt_hands(again))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("called=2", "takes seats and the points"),
        ("called=2 10", "from 20 to 300"),
        ("called=5 20", "from 1 to 4"),
        ("called=3 20", "seat 3 cannot have announced"),  # it has not been its turn
        ("called=1 50", "no cards of the other seats fit"),  # the own hand has three in a row
        ("called=4 30", "no cards of the other seats fit"),  # nothing is worth 30
        ("called=4 60", "no cards of the other seats fit"),
        ("called=4 300", "no cards of the other seats fit"),  # nine in a row, and the own hand has of all suits
    ],
)
def test_announcements_that_cannot_be_are_refused(more, said):
    with pytest.raises(InvalidMove, match=said):
        sw.game("jass", variant=ONCE).read(f"hand={HANDS[0]}; mode=clubs; trick=c7; seat=1; {more}")


def test_a_slalom_is_written_by_its_first_mode():
    game = sw.game("jass", variant=SLALOM)
    position = table(LADDERS, "slalom-undeufe", ["hA", "h7", "h8", "h9", "c8"], variant=SLALOM)
    text = game.write(position.view(2))
    assert "mode=slalom-undeufe" in text and game.write(game.read(text).view(2)) == text
    with pytest.raises(InvalidMove, match="slalom-obeabe"):
        game.read("hand=h6 h7 h8 d6 d8 c6 c8 c10 sK; mode=slalom-obeab")
    with pytest.raises(SpielwerkError):
        sw.game("jass").read("hand=h6 h7 h8 d6 d8 c6 c8 c10 sK; mode=slalom-obeabe")


@pytest.mark.parametrize(("language", "button"), [("en", "Announce Weis: 20"), ("de", "Weis ansagen: 20")])
def test_the_choice_is_drawn_once_and_says_what_is_announced(language, button):
    position = table(HANDS, "obeabe", variant=ONCE)
    with speaking(language):
        svg = position.view(0).svg
        assert re.findall(r'data-action="(\d+)"', svg).count(str(ANNOUNCE)) == 1 and button in svg
        assert "♥ 6 7 8" in svg
        for seat in (1, 2, 3, -1):
            assert button not in position.view(seat).svg


def test_all_see_what_was_announced():
    before = table(HANDS, "obeabe", variant=ONCE)
    after = before.copy()
    after.apply("announce")
    game = after.game
    for seat in (0, 1, 2, 3, -1):
        one, two = before.view(seat), after.view(seat)
        assert game.news(one, two) == ["Seat 1 announces a Weis of 20 points"]
        assert game.moment(one, two).title == "Seat 1 announces a Weis of 20 points"
        assert "announces 20" in two.text and "announces 20" in two.svg
        with speaking("de"):
            assert game.news(one, two) == ["Platz 1 weist 20 Punkte"] and "weist 20" in two.svg


def test_names_of_the_new_moves():
    game = sw.game("jass")
    assert [game.move_name(action) for action in (ANNOUNCE, FIRST_SLALOM)] == ["announce", "Slalom, first obeabe"]
    with speaking("de"):
        assert [game.move_name(action) for action in (PUSH, ANNOUNCE, FIRST_SLALOM + 1)] == [
            "Schieben",
            "Weisen",
            "Slalom, zuerst Undeufe",
        ]


# --- agents ----------------------------------------------------------------------------------------------------------


def decided(agent, position):
    seat = position.actors[0]
    return sw.agent(agent).decide(position.view(seat), Budget(), spawn(1)).action


def test_rules_announces_what_may_count():
    position = table(HANDS, "obeabe", variant=ONCE)
    for card in FIRST_TRICK[:2]:
        assert decided("rules", position) == decided("rules:error=60", position) == ANNOUNCE
        position.apply("announce")
        position.apply(card)
    assert decided("rules", position) < 36  # seats 1 and 3 have only 20 each


def test_rules_is_silent_if_it_would_only_tell_the_opponents():
    """Seat 4 holds three in a row. Seat 1 has announced 50 and the partner has said nothing: it cannot count."""
    hands = ["d9 d10 dJ dQ h6 h8 c7 c9 s6", "c6 c8 c10 cQ h7 h9 d6 d8 s7", "hJ hK dA dK cJ cA s9 sJ s10", ""]
    position = table(hands, "obeabe", variant=ONCE)
    position.apply("announce")
    for card in ("h6", "h7", "hJ"):
        position.apply(card)
    assert ANNOUNCE in position.legal(3)
    assert decided("rules", position) < 36 and decided("rules:error=60", position) < 36
    position.state["called"][0] = [50, 100, 0, 0]  # now the partner has the best: it counts
    assert decided("rules", position) == ANNOUNCE


def test_rules_chooses_a_slalom_with_high_and_low_cards():
    hands = ["hA hK h6 h7 dA d6 d7 c6 cA", "", "", ""]
    position = sw.game("jass", variant=SLALOM).opening()
    rest = [card for card in CARDS if card not in hands[0].split()]
    position.happen(" | ".join([hands[0], *(" ".join(rest[i::3]) for i in range(3))]))
    slaloms = (FIRST_SLALOM, FIRST_SLALOM + 1)
    assert decided("dmcts:worlds=100", position) in slaloms
    position = sw.game("jass", variant=f"{SLALOM},slalom_factor=9").opening()
    position.happen(" | ".join([hands[0], *(" ".join(rest[i::3]) for i in range(3))]))
    assert decided("rules", position) in slaloms and decided("rules:error=5", position) in slaloms


def test_search_announces():
    position = table(HANDS, "obeabe", variant="schieber-deal")
    decision = sw.agent("dmcts:worlds=60").decide(position.view(0), Budget(), spawn(1))
    assert decision.action == ANNOUNCE and len(decision.values) == 10


@pytest.mark.parametrize("heads", [{"policy": Head(36)}, {"policy": Head(43)}, {"q": Head(43, unit="lead")}])
def test_a_network_that_does_not_know_the_new_moves_asks_the_rules(heads, tmp_path):
    run = network(tmp_path / "run", "jass", heads)
    net = f"net:model={run}"
    position = table(HANDS, "obeabe", variant="schieber-deal")
    for card in FIRST_TRICK[:2]:
        assert decided(net, position) == ANNOUNCE
        position.apply("announce")
        assert decided(net, position) < 36
        position.apply(card)
    chosen = sw.game("jass", variant=f"{SLALOM},slalom_factor=9").opening()
    chosen.happen(" | ".join(LADDERS))
    assert decided(net, chosen) == decided("rules", chosen) >= FIRST_SLALOM
    record = sw.play(sw.game("jass", variant=SLALOM), [sw.agent(net)] * 4, seed=3)
    assert sw.replay(record)[-1].over


def test_a_network_keeps_to_what_it_knows_if_the_rules_want_nothing_else(tmp_path):
    """At a table where it knows all actions, the stand-in has no say."""
    run = network(tmp_path / "run", "jass", {"policy": Head(43)})
    for seed in range(4):
        records = [
            sw.play(sw.game("jass", variant="server-deal"), [sw.agent(f"net:model={run}{other}")] * 4, seed=seed)
            for other in ("", ",otherwise=(random)")
        ]
        assert records[0].events == records[1].events


AGENTS = [
    "random", "rules", "rules:error=60", "javabot", "dmcts:worlds=6", "ismcts:iterations=40", "mcts:iterations=30",
    "mctse:iterations=30", "mc:iterations=4", "net:model=net-jass-schieber",
    "mctse:iterations=20,selection=puct,evaluation=net@net-jass-schieber",
    "dmcts:worlds=4,belief=1,prior=0.01,network=net-jass-schieber",
    "dmcts:worlds=4,evaluation=net@net-jass-schieber",
]  # fmt: skip


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("variant", ["schieber-deal", f"{SLALOM},slalom_factor=9", "schieber-1000,deals=1"])
def test_every_agent_plays_whole_jass(agent, variant):
    if agent == "javabot":
        pytest.importorskip("pyschieber")
    player = sw.agent(agent)
    game = sw.game("jass", variant=variant)
    if player.why_not(game):
        pytest.skip(str(player.why_not(game)))
    record = sw.play(game, [player] * 4, seed=9)
    assert sw.replay(record)[-1].over


def test_deals_with_announcements_are_made_and_slalom_is_refused(tmp_path):
    game = sw.game("jass", variant="schieber-deal")
    header = make(tmp_path / "deals", game, {"rules": 1.0, "random": 1.0}, "rules", 20, Limits(seed=2), lambda *_: None)
    assert header.deals == 20
    with pytest.raises(SpielwerkError, match="slalom=no"):
        make(tmp_path / "no", sw.game("jass", variant=SLALOM), {"rules": 1.0}, None, 2, Limits(), lambda *_: None)


def test_hands_are_as_they_were_dealt():
    assert sorted(" ".join(HANDS).split()) == sorted(" ".join(LADDERS).split()) == sorted(CARDS)
    assert hand_text(set_of(HANDS[0])) == HANDS[0]
