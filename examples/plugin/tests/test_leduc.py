"""Leduc hold'em: the conformance suite, known counts, and its rules one by one."""

from collections import Counter
from pathlib import Path

import pytest
from spielwerk import Budget, IllegalMove, InvalidMove, Record, agent, replay, spawn, speaking, testing

from parlour.leduc.cards import CARDS
from parlour.leduc.game import Leduc
from parlour.leduc.kernel import UNKNOWN

GOLDEN = Path(__file__).parent / "golden" / "leduc-mc-match.json"
DEALS = [f"{mine} {other}" for mine in CARDS for other in CARDS if mine != other]


def table(deal, moves="", **options):
    """The position after a deal, moves, and turns of the open card, in their notation: 'bet call Qs check'."""
    position = Leduc(**options).opening().happen(deal)
    for word in moves.split():
        position = position.happen(word) if word in CARDS else position.apply(word)
    return position


@pytest.mark.parametrize("variant", ["hand", "match", "hands=3"])
@pytest.mark.parametrize("seed", range(2))
def test_conformance(variant, seed):
    testing.check_game(Leduc(variant=variant), seed)


def test_its_environments_hold():
    testing.check_environments(Leduc(variant="match"), seed=1)


def test_compiled_and_interpreted_rules_agree():
    testing.check_interpreted(Leduc(variant="match"), seed=1)


@pytest.mark.parametrize("written", ["mc:iterations=10,rollout_depth=8", "mctse:iterations=50,rollout_depth=8"])
def test_agents_do_not_see_the_other_card(written):
    testing.check_agent(agent(written), Leduc(variant="match"), seed=1)


def test_a_golden_record_replays():
    assert replay(Record.load(GOLDEN))[-1].over


def test_a_search_looks_to_the_end_of_the_hand():
    position = Leduc(variant="match").new(3)
    view = position.view(position.actors[0])
    horizon = view.game.horizon(view)
    assert (horizon.legal, int(horizon.state["hands"][0]), horizon.score) == (view.legal, 1, (0.0, 0.0))
    decision = agent("mctse:iterations=50").decide(view, Budget(), spawn(1))
    assert decision.within == "in this hand"


# --- counts that are known elsewhere ---------------------------------------------------------------------------------


def positions(position):
    """All positions in which somebody decides, from `position` on, for all ways that chance can go."""
    if position.over:
        return
    if position.actors:
        yield position
        after = [position.copy().apply(action) for action in position.legal(position.actors[0])]
    else:
        held = {CARDS[card] for card in position.state["cards"][0] if card >= 0}
        cards = [card for card in CARDS if card not in held]
        after = [position.copy().happen(event) for event in (cards if held else DEALS)]
    for each in after:
        yield from positions(each)


def known(view):
    """What a seat knows when it decides; suits do not matter."""
    s = view.state[0]
    return int(s["cards"][view.seat]) // 2, int(s["board"]) // 2, s["betting"].tobytes()


@pytest.mark.parametrize("seat", [0, 1])
def test_information_sets_and_sequences(seat):
    """144 and 337 for each seat, as in the literature on solving this game."""
    choices = {
        known(position.view(seat)): len(position.legal(seat))
        for position in positions(Leduc().opening())
        if position.actors == (seat,)
    }
    assert len(choices) == 144
    assert 1 + sum(choices.values()) == 337


# --- the betting -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "allowed"),
    [
        ("", "check bet"),
        ("check", "check bet"),
        ("bet", "fold call raise"),
        ("bet raise", "fold call"),
        ("check bet raise", "fold call"),
        ("check check Qs", "check bet"),
        ("bet call Qs check bet", "fold call raise"),
        ("bet raise call Qs bet raise", "fold call"),
    ],
)
def test_what_a_seat_may_do(moves, allowed):
    position = table("Jh Ks", moves)
    assert [position.game.spec.moves[action] for action in position.legal(position.actors[0])] == allowed.split()


def test_a_move_that_is_not_allowed():
    with pytest.raises(IllegalMove, match="seat 2 may not play 'check'; legal are fold call raise"):
        table("Jh Ks", "bet check")


@pytest.mark.parametrize(
    ("deal", "moves", "chips"),
    [
        ("Jh Ks", "bet fold", 1),  # the ante
        ("Jh Ks", "check bet fold", -1),
        ("Jh Ks", "bet raise fold", -3),  # ante and bet
        ("Jh Ks", "check check Qs check check", -1),  # the higher rank
        ("Kh Qs", "bet call Jh check check", 3),
        ("Jh Ks", "check check Js check check", 1),  # a pair beats a king
        ("Qh Qs", "bet raise call Kh bet raise call", 0),  # equal ranks split
        ("Kh Qs", "bet raise call Ks bet raise call", 13),  # the most that a hand can cost
        ("Kh Qs", "bet raise call Qh bet raise call", -13),
        ("Kh Ks", "check bet call Qh check bet call", 0),
        ("Jh Ks", "bet call Qs bet raise fold", -7),
    ],
)
def test_what_a_hand_pays(deal, moves, chips):
    position = table(deal, moves)
    assert position.over
    assert position.score == (chips, -chips)


def test_the_seats_take_turns_to_decide_first():
    position = table("Jh Ks", variant="hands=2")
    assert position.actors == (0,)
    position.apply("bet").apply("fold").happen("Jh Ks")
    assert position.actors == (1,)
    position.apply("check").apply("check").happen("Qs")
    assert position.actors == (1,)
    position.apply("bet").apply("fold")
    assert position.over
    assert position.score == (0, 0)


# --- what is hidden --------------------------------------------------------------------------------------------------


def test_nobody_sees_the_other_card():
    position = table("Jh Ks", "check check Qs")
    assert list(position.view(0).state["cards"][0]) == [CARDS.index("Jh"), UNKNOWN]
    assert list(position.view(-1).state["cards"][0]) == [UNKNOWN, UNKNOWN]
    assert "jack of hearts" in position.view(0).svg
    assert "king" not in position.view(0).svg
    assert [Leduc().heard("Jh Ks", seat) for seat in (0, 1, -1)] == [
        "you get the jack of hearts",
        "you get the king of spades",
        "the cards are dealt",
    ]


@pytest.mark.parametrize(("seat", "worlds"), [(0, 4), (1, 4), (-1, 20)])
def test_every_consistent_world_is_equally_likely(seat, worlds):
    view = table("Jh Ks", "check check Qs").view(seat)
    drawn = Counter(view.imagine(spawn(1, number)).state["cards"].tobytes() for number in range(200 * worlds))
    assert len(drawn) == worlds
    assert all(130 < count < 270 for count in drawn.values())


def test_cards_are_shown_at_the_end_unless_somebody_folded():
    called, folded = table("Jh Ks", "check check Qs bet call"), table("Jh Ks", "check check Qs bet fold")
    assert "Ks" in called.view(0).text
    assert "Ks" not in folded.view(0).text
    assert "king" not in folded.view(-1).svg


# --- notation --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "event", "said"),
    [
        (None, "Jh Jh", "two different cards"),
        (None, "Jh", "two different cards"),
        (None, "Jh Ax", "'Ax' is no card; the cards are Jh Js"),
        ("check check", "Ks", "one card that nobody holds"),
        ("check check", "Qh Qs", "one card that nobody holds"),
    ],
)
def test_events_that_cannot_happen(moves, event, said):
    position = Leduc().opening() if moves is None else table("Jh Ks", moves)
    with pytest.raises(InvalidMove, match=said):
        position.happen(event)


def test_it_speaks_german():
    with speaking("de"):
        assert Leduc().heard("Jh Ks", 1) == "du bekommst: Pik-König"
        assert "Spiel 1 von 1" in table("Jh Ks").view(0).text
