"""Jass players: the exact solver against brute force, the rule player in the thesis' situations, search."""

import random

import pytest

import spielwerk as sw
from spielwerk.core.clock import Budget
from spielwerk.core.errors import InvalidMove, Unfit
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.running import run
from spielwerk.games.jass.cards import CARDS
from spielwerk.games.jass.kernel.solve import new_memory
from spielwerk.games.jass.solve import lead, open_deal, random_question, solver
from test_jass_rules import table

# --- the exact solver ------------------------------------------------------------------------------------------------


def brute_force(position):
    """The lead of team 0 over the rest of the deal, by trying everything."""
    state = position.state[0]
    if position.over:
        return 0
    seat = position.actors[0]
    values = []
    for action in position.legal(seat):
        after = position.copy()
        before = after.score
        after.apply(action)
        gained = after.score
        values.append(gained[0] - before[0] - (gained[1] - before[1]) + brute_force(after))
    assert state["phase"] == 3
    return max(values) if seat % 2 == 0 else min(values)


def late_position(seed, cards_left):
    rng = random.Random(seed)
    position = sw.game("jass", variant="server-deal").new(seed)
    position.play(rng.randrange(36, 42))
    while int(position.state["tricks"][0]) * 4 + int(position.state["in_trick"][0]) < 36 - cards_left:
        position.play(rng.choice(position.legal(position.actors[0])))
    return position


@pytest.mark.parametrize("cards_left", [1, 4, 6, 9, 11])
def test_solver_agrees_with_brute_force(cards_left):
    memory = new_memory(8)
    for seed in range(40 if cards_left < 9 else 12):
        position = late_position(seed, cards_left)
        assert lead(position, memory) == brute_force(position), position.text


def test_solver_counts_the_match_bonus():
    """Seats 0 and 2 take all that is left and the last trick; the others have nothing yet."""
    position = open_deal(sw.game("jass"), "hearts: hJ h9 | c10 d10 | c7 d7 | sA c6")
    position.state["taken"][0] = [90, 0]
    assert lead(position, new_memory(8)) == 34 + 10 + 10 + 11 + 5 + 100
    position.state["taken"][0] = [90, 1]
    assert lead(position, new_memory(8)) == 34 + 10 + 10 + 11 + 5


def test_solver_does_not_depend_on_table_size_or_guess():
    for seed in range(10):
        position = late_position(seed, 20)
        value = lead(position, new_memory(2))
        assert value == lead(position, new_memory(14), 77) == lead(position, new_memory(14), -50)


def test_solve_answers_questions():
    game = sw.game("jass")
    found = solver(game, "spades leader=1: sJ h7 | sA h6 | dA dK | c6 c7", lambda done, line: None)
    assert found["best card"] in ("sA", "h6") and len(found["line"].split()) == 8
    assert found["lead by card"][found["best card"]] == found["lead of seats 0 and 2"]
    assert solver(game, random_question(3, 3), lambda done, line: None)["positions"] > 0
    for wrong in ("", "x", "hearts", "hearts: h6 | h7 | h8", "hearts: h6|h7|h8|h8", "hearts leader=7: h6|h7|h8|h9"):
        with pytest.raises(InvalidMove):
            open_deal(game, wrong)


# --- the rule player: Eder and Kistler (2017), 2.7.2 -----------------------------------------------------------------


def choice(position, agent="rules"):
    seat = position.actors[0]
    return CARDS[sw.agent(agent).decide(position.view(seat), Budget(), spawn(1)).action]


def test_draws_no_trumps_when_opponents_have_none():
    """Verschenken von Trumpfkarten: both opponents have shown that they hold no trump."""
    position = table(
        ["hJ h9 hA hK c6 c7 c8 d6 d7", "s6 s7 s8 s9 d8 d9 d10 cJ cQ", "h6 h7 h8 h10 hQ cK cA dJ dQ", "s10 sJ sQ sK sA"],
        "hearts",
        ["hJ", "s6", "h6", "s10"],
    )
    assert not choice(position).startswith("h")


def test_draws_trumps_while_opponents_hold_some():
    position = table(
        ["hJ h9 hA hK cA c7 c8 d6 d7", "h6 h7 s8 s9 d8 d9 d10 cJ cQ", "s6 s7 c9 c10 dK dA cK dJ dQ", "h8 h10 hQ"],
        "hearts",
    )
    assert choice(position) in ("hJ", "h9", "hA")  # each of them is sure to win


def test_does_not_trump_the_partners_sure_trick():
    """Partner abgestochen: the partner's ace wins already and seat 3 plays last; it smears instead."""
    position = table(
        ["c6 c8 d7 cK s7 s8 h6 h7 h8", "cA dA dK sA sK hA c9 c10 d9", "c7 cJ dJ sJ hJ cQ dQ sQ hQ", "h9 hK h10 d6 d10"],
        "hearts",
        ["c6", "cA", "c7"],
    )
    assert position.actors == (3,)
    assert choice(position) in ("d10", "s10")


def test_smears_the_partners_sure_trick():
    """Schmieren: obeabe, the partner leads an ace that nobody can beat; the ten goes along."""
    position = table(["hA h6 h7 c6 c7 c8 d6 d7 d8", "h8 h9 s6", "h10 hQ s7 s8 d9 c9 c10 cJ cQ"], "obeabe", ["hA", "h8"])
    assert choice(position) == "h10"


def test_gives_no_points_to_the_opponents():
    """Punkte verschenkt, Schmieren des gegnerischen Teams: an opponent's ace holds; the card without points goes."""
    position = table(["hA h6 c9 c10 cJ d6 d7 d8 c8", "h7 h10 hQ hK s9 s10 sJ sQ sK"], "obeabe", ["hA"])
    assert choice(position) == "h7"


def test_keeps_strong_cards_from_worthless_tricks():
    """Zu wertvolle Karten gespielt: a trick without points, last to play; neither the Nell nor the Buur is spent."""
    position = table(
        ["s6 s7 c6 c7 c8 d6 d7 d8 d9", "s8 c9 c10 cJ cQ cK d10 dJ dQ", "s9 cA dK dA hA hK h6 h7 h8", "hJ h9 s10 sJ sQ"],
        "hearts",
        ["s6", "s8", "s9"],
    )
    assert choice(position) not in ("hJ", "h9")


def test_keeps_the_jack_when_a_worthless_trump_is_led():
    """Nicht Berücksichtigung von Spezialregeln: the Buur alone need not follow a led trump."""
    position = table(
        ["h6 c6 c7 c8 d6 d7 d8 d9 s6", "hJ c9 c10 s8 d10 dJ s9 dQ s7"], "hearts", ["h6"]
    )  # fmt: skip
    assert choice(position) != "hJ"


@pytest.mark.parametrize(
    ("mode", "hand", "sure"),
    [
        ("obeabe", "hA hK hQ hJ dA dK c6 c7 s7", "hA hK hQ hJ dA dK"),
        ("undeufe", "h6 h7 h8 h9 d6 d7 cA cK sK", "h6 h7 h8 h9 d6 d7"),
    ],
)
def test_starts_with_the_sure_tricks_without_trumps(mode, hand, sure):
    """Ungeeignete Kartenwahl: in obeabe and undeufe a hand of sure tricks begins with them."""
    assert choice(table([hand], mode)) in sure.split()


def test_does_not_lead_the_lone_trump_nine():
    """Ungeeignete Startkarte: a strong card that would only be lost to the Buur is kept."""
    position = table(["h9 c6 c7 d9 d7 s8 s9 cJ dQ", "hJ hA hK h6 h7 cA dA sA c9"], "hearts")
    assert choice(position) != "h9"


# --- how well they play ----------------------------------------------------------------------------------------------


def points_per_deal(first, second, pairs, seed=1):
    game = sw.game("jass", variant="server-deal")
    a, b = sw.agent(first), sw.agent(second)
    mine = theirs = 0.0
    for number in range(pairs):
        one, two = run(game, [a, b, a, b], 1000 * seed + number), run(game, [b, a, b, a], 1000 * seed + number)
        mine += one.scores[0] + two.scores[1]
        theirs += one.scores[1] + two.scores[0]
    return mine / pairs / 2, theirs / pairs / 2


def test_rules_beat_random_by_far():
    mine, theirs = points_per_deal("rules", "random", 150)
    assert mine > 110 and theirs < 55


def test_search_beats_rules():
    mine, theirs = points_per_deal("dmcts:worlds=30", "rules", 40)
    assert mine > theirs


def test_information_set_search_beats_random():
    mine, theirs = points_per_deal("ismcts:iterations=300", "random", 10)
    assert mine > theirs + 20


def test_search_is_the_same_for_any_number_of_threads():
    position = sw.game("jass").new(4)
    one = sw.agent("dmcts:worlds=20").decide(position.view(0), Budget(), spawn(3))
    two = sw.agent("dmcts:worlds=20,threads=2").decide(position.view(0), Budget(), spawn(3))
    assert one == two and len(one.values) == 7


def test_search_keeps_to_a_time_limit_and_says_what_it_found():
    position = sw.game("jass", variant="schieber").new(4).play("obeabe")
    decision = sw.agent("dmcts").decide(position.view(0), Budget(seconds=0.05), spawn(3))
    assert decision.action in position.legal(0) and decision.notes["worlds"] >= 1
    assert (decision.unit, decision.within, len(decision.error)) == ("lead", "in this deal", 9)


def test_search_pushes_a_bad_hand_and_plays_a_good_one():
    game = sw.game("jass", variant="server-deal")

    def chosen(hand):
        position = game.opening()
        rest = [card for card in CARDS if card not in hand.split()]
        random.Random(1).shuffle(rest)
        position.happen(" | ".join([hand, *(" ".join(rest[9 * i : 9 * i + 9]) for i in range(3))]))
        action = sw.agent("dmcts:worlds=100").decide(position.view(0), Budget(), spawn(2)).action
        return game.spec.moves[action]

    assert chosen("hJ h9 hA hK h6 cA c6 s7 dA") == "hearts"
    assert chosen("h6 h10 dQ d8 c7 cQ s8 sQ c9") == "push"
    assert chosen("hA hK hQ dA dK cA sA sK cK") == "obeabe"


@pytest.mark.parametrize("agent", ["rules", "javabot", "dmcts:worlds=8", "ismcts:iterations=60", "mc:iterations=8"])
def test_players_play_with_todays_weis_and_own_multipliers(agent):
    if agent == "javabot":
        pytest.importorskip("pyschieber")
    game = sw.game("jass", variant="schieber-deal,red_factor=2,undeufe_factor=4")
    record = sw.play(game, [sw.agent(agent)] * 4, seed=3)
    assert sw.replay(record)[-1].over and record.header.variant == game.variant


def test_multipliers_change_which_mode_is_chosen():
    """A hand with low cards and good hearts: hearts if both count once, undeufe if that counts four times."""
    hand = "hJ h9 hA hK h6 d6 d7 c6 c9"

    def chosen(agent, variant):
        position = sw.game("jass", variant=variant).opening()
        rest = [card for card in CARDS if card not in hand.split()]
        position.happen(" | ".join([hand, *(" ".join(rest[i::3]) for i in range(3))]))
        action = sw.agent(agent).decide(position.view(0), Budget(), spawn(2)).action
        return position.game.spec.moves[action]

    for agent in ("rules", "dmcts:worlds=60"):
        assert chosen(agent, "server-deal") == "hearts"
        assert chosen(agent, "multipliers-deal,undeufe_factor=4") == "undeufe"
        assert chosen(agent, "multipliers-deal,red_factor=9") == "hearts"


def test_jass_players_refuse_other_games():
    for name in ("rules", "dmcts", "javabot"):
        with pytest.raises(Unfit):
            sw.agent(name).require(sw.game("2048"))


def test_javabot_plays_legal_cards_by_its_own_rules():
    pytest.importorskip("pyschieber")
    game = sw.game("jass", variant="server-deal")
    bot = sw.agent("javabot")
    decisions = fallbacks = 0
    for seed in range(3):
        position = game.new(seed)
        while not position.over:
            seat = position.actors[0]
            decision = bot.decide(position.view(seat), Budget(), spawn(seed))
            decisions += 1
            fallbacks += "fallback" in decision.notes
            position.play(decision.action)
    assert decisions >= 3 * 37 and fallbacks == 0
