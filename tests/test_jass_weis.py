"""Whole Jass: Weis announced or kept quiet; Stöck, Weis and Stich at the target; Slalom; every agent plays it."""

import random

import pytest

import spielwerk as sw
from jass_reference import DECK, Reference
from jass_reference import weis_of as reference_weis
from spielwerk.core.errors import IllegalMove
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.match import Header, Record, replay
from spielwerk.games.jass.cards import CARDS, cards_of, set_of
from spielwerk.games.jass.game import Jass
from spielwerk.games.jass.kernel.table import ANNOUNCE, FIRST_SLALOM
from spielwerk.games.jass.kernel.weis import weis_agrees_at
from test_jass_rules import reference_move, rich_deal, table

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
