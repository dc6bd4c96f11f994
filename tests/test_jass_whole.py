"""Whole Jass: announcements and Slalom as people see them, and every agent plays them."""

import re

import pytest

import spielwerk as sw
from spielwerk.core.clock import Budget
from spielwerk.core.errors import InvalidMove, SpielwerkError
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.words import speaking
from spielwerk.games.jass.cards import CARDS, hand_text, set_of
from spielwerk.games.jass.kernel.table import ANNOUNCE, FIRST_SLALOM, PUSH
from spielwerk.games.jass.learn.make_deals import make
from spielwerk.learn.run import Limits
from spielwerk.nets.description import Head
from spielwerk.nets.network import load_network
from test_jass_rules import dealt_hands, table
from test_jass_weis import FIRST_TRICK, HANDS, LADDERS, ONCE, SLALOM, first_trick
from test_jass_weis_worlds import fits
from test_look import network

pytestmark = pytest.mark.xdist_group("jass")


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


SHIPPED = {"net-jass-server": PUSH, "net-jass-dmcts": PUSH, "net-jass-javabot": PUSH, "net-jass-schieber": ANNOUNCE}


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_networks_answer_for_what_they_have_learned_only(name):
    variant = "schieber" if name == "net-jass-schieber" else "server"
    assert sw.game("jass", variant=variant).last_action == SHIPPED[name]
    assert load_network(sw.game("jass"), name).head("policy").outputs == SHIPPED[name] + 1
    assert sw.game("jass", variant="schieber,slalom=yes").last_action == FIRST_SLALOM + 1


def test_the_shipped_network_announces_where_it_never_learned_to():
    """It leaves announcing to `rules`, and plays its own card afterwards."""
    game = sw.game("jass", variant="schieber-1000")
    kept, asked = sw.agent("net").policy(game), 0
    for seed in range(30):
        position = game.new(seed)
        position.play(36 + seed % 6)
        while position.state["tricks"][0] == 0:
            view = position.view(position.actors[0])
            action = kept.act(view, spawn(seed))
            if ANNOUNCE in view.legal:
                asked += 1
                wanted = sw.agent("rules").decide(view, Budget(), spawn(seed)).action
                assert (action == ANNOUNCE) == (wanted == ANNOUNCE)
            position.apply({view.seat: action})
    assert asked > 10


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
    "mctse:iterations=30", "mc:iterations=4", "net", "dmcts:preset=net,worlds=4", "dmcts:preset=challenge,worlds=4",
    "mctse:iterations=20,selection=puct,evaluation=net@net-jass-schieber",
    "dmcts:worlds=4,belief=1,prior=0.01,network=net-jass-schieber",
    "dmcts:worlds=4,evaluation=net@net-jass-schieber",
]  # fmt: skip


LATE = "hand=d10 dK cK cA sA; mode=diamonds; trick=c7 c9; push=yes; seat=3; played="
PLAYED = "d6 dA dQ d7 / hJ cJ h6 h8 / hQ c6 s6 h10 / hA c8 c10 d9"


def test_a_sure_stoeck_is_worth_the_same_whenever_its_cards_are_played():
    """Seat 3 has played dQ and holds dK; whichever card it plays now, the Stöck counts 20."""
    with_it, without = (
        sw.agent("dmcts:worlds=40").decide(
            sw.game("jass", variant=f"schieber-deal,multipliers=0,announce=0,weis=0,stoeck={stoeck}")
            .read(LATE + PLAYED)
            .view(2),
            Budget(),
            spawn(3),
        )
        for stoeck in (1, 0)
    )
    assert with_it.values == pytest.approx([value + 20 for value in without.values])
    assert CARDS[with_it.action] != "dK"


def test_the_match_is_claimed_when_it_can_be():
    """With s9 or sJ the trick makes it 1000 points; s6 takes it, too, for fewer, and c9 gives it to the opponents."""
    position = sw.game("jass", variant="schieber-1000,announce=0,weis=0").read(
        "hand=h10 c9 s6 s9 sJ; mode=spades; played=s8 s7 sA sQ / sK s10 d6 dQ / d7 d10 dA dJ / d8 c6 c7 d9; "
        "trick=c10 cJ cA; seat=3; points=922:980"
    )
    decision = sw.agent("dmcts:worlds=40").decide(position.view(2), Budget(), spawn(3))
    assert CARDS[decision.action] in ("s9", "sJ")
    position.apply({2: decision.action})
    assert position.over and position.score[2] >= 1000


def test_a_deal_in_which_the_match_was_claimed_was_played():
    found = sw.evaluate("jass", "rules", games=12, variant="schieber,target=100", seed=3)
    assert found.extras["deals"] >= 12
    points = found.extras["points per deal"]
    assert 100 < points["team 1"] + points["team 2"] < 600


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("variant", ["schieber-deal", f"{SLALOM},slalom_factor=9", "schieber-1000,deals=1"])
def test_every_agent_plays_whole_jass(agent, variant):
    if agent == "javabot":
        pytest.importorskip("pyschieber")
    player = sw.agent(agent)
    game = sw.game("jass", variant=variant)
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
