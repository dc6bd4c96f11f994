"""Schieber Jass: the kernel against obvious reference rules, the recorded game of the real server, rule cases."""

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import spielwerk as sw
from jass_reference import DECK, MODES, SLALOMS, Reference
from spielwerk.core.errors import IllegalMove, InvalidMove
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.match import Header, Record, replay
from spielwerk.games.jass.cards import CARDS, cards_of, factors, hand_text, set_of
from spielwerk.games.jass.kernel.table import ANNOUNCE, TODAY, WEIS, factor
from spielwerk.games.jass.kernel.weis import weis_of
from spielwerk.games.jass.view import last_trick

TRANSCRIPT = Path(__file__).parent / "data" / "jass_server_transcript.jsonl"
VARIANTS = {
    "server": {},
    "hslu": {"match_bonus": 0},
    "multipliers": {"multipliers": 1},
    "schieber": {"multipliers": 1, "weis": 2, "stoeck": 1, "claim": 1, "announce": 1},
    "schieber-1000": {"target": 1000, "weis": 2, "stoeck": 1, "claim": 1, "announce": 1},
    "schieber,weis=1": {"multipliers": 1, "weis": 1, "stoeck": 1, "claim": 1, "announce": 1},
    "schieber,announce=0": {"multipliers": 1, "weis": 2, "stoeck": 1, "claim": 1},
    "schieber,announce=0,weis=1": {"multipliers": 1, "weis": 1, "stoeck": 1, "claim": 1},
    "schieber,slalom=1,slalom_factor=4": {
        "multipliers": 1, "weis": 2, "stoeck": 1, "claim": 1, "announce": 1, "slalom": 1, "slalom_factor": 4,
    },
    "schieber,announce=0,red_factor=4,black_factor=1,obeabe_factor=9,undeufe_factor=2": {
        "multipliers": 1, "red_factor": 4, "black_factor": 1, "obeabe_factor": 9, "undeufe_factor": 2, "weis": 2,
        "stoeck": 1, "claim": 1,
    },
}  # fmt: skip


def reference_move(action):
    return DECK[action] if action < 36 else [*MODES, "push", "announce", *SLALOMS][action - 36]


def rich_deal(rng):
    """Four hands of a deck that was sorted by suit or by rank and then shuffled a little: they are full of Weis."""
    deck = sorted(CARDS, key=(lambda card: card[0]) if rng.random() < 0.5 else (lambda card: card[1:]))
    for _ in range(rng.randrange(14)):
        one, two = rng.randrange(36), rng.randrange(36)
        deck[one], deck[two] = deck[two], deck[one]
    return " | ".join(" ".join(deck[9 * seat : 9 * seat + 9]) for seat in range(4))


def compare_random_play(variant, seed, wanted, deals=None, rich=False):
    """Play at random; compare legal moves and points in every position. Returns how many were compared."""
    game = sw.game("jass", variant=variant)
    rng = random.Random(seed)
    compared = 0
    while compared < wanted:
        position = game.opening(rng.getrandbits(60))
        other = Reference(**VARIANTS[variant.removesuffix(",target=300")], **(deals or {}))
        while not position.over:
            if position.actor_set == 0:
                if rich:
                    position.happen(rich_deal(rng))
                else:
                    position.roll()
                other.deal([[DECK[card] for card in cards_of(int(hand))] for hand in position.state["hands"][0]])
            assert position.actors == (other.turn,)
            mine = [reference_move(action) for action in position.legal(other.turn)]
            assert set(mine) == set(other.moves()), f"{position.text}\nreference: {other.moves()}"
            assert len(mine) == len(set(mine))
            legal = position.legal(other.turn)
            action = ANNOUNCE if ANNOUNCE in legal and rng.random() < 0.5 else rng.choice(legal)
            position.apply(action)
            other.play(reference_move(action))
            assert list(position.state["points"][0]) == other.total, position.text
            assert position.over == other.over
            compared += 1
    return compared


@pytest.mark.parametrize("variant", VARIANTS)
def test_kernel_agrees_with_reference_rules(variant):
    assert compare_random_play(variant, seed=len(variant), wanted=4000) >= 4000


def test_kernel_agrees_on_short_matches_with_claiming():
    assert compare_random_play("schieber,target=300", seed=5, wanted=4000, deals={"target": 300}) >= 4000


@pytest.mark.parametrize("variant", [variant for variant in VARIANTS if variant.startswith("schieber")])
def test_kernel_agrees_on_hands_full_of_weis(variant):
    assert compare_random_play(variant, seed=8, wanted=6000, rich=True) >= 6000


@pytest.mark.slow
def test_kernel_agrees_with_reference_rules_in_150000_positions():
    assert sum(compare_random_play(variant, seed=77, wanted=25_000) for variant in VARIANTS) >= 150_000


# --- the recorded game of the real server ----------------------------------------------------------------------------

COLORS = {"HEARTS": "h", "DIAMONDS": "d", "CLUBS": "c", "SPADES": "s"}
NUMBERS = {11: "J", 12: "Q", 13: "K", 14: "A"}
GAME_TYPES = {"OBEABE": "obeabe", "UNDEUFE": "undeufe", "SCHIEBE": "push"}
TRUMPS = {"HEARTS": "hearts", "DIAMONDS": "diamonds", "CLUBS": "clubs", "SPADES": "spades"}


def card_name(card):
    return COLORS[card["color"]] + NUMBERS.get(card["number"], str(card["number"]))


def test_recorded_game_replays_without_a_difference():
    game = sw.game("jass", variant="server")
    position = game.opening()
    lines = [json.loads(line) for line in TRANSCRIPT.read_text().splitlines()]
    lines = [line for line in lines if line["dir"] != "CLOSE"]
    messages = [(line["client"], line["msg"]["type"], line["msg"].get("data")) for line in lines]
    seat_of_client, hands, seen, matches, pushes = {}, {seat: [] for seat in range(4)}, Counter(), 0, 0
    for client, kind, data in messages:
        if kind == "BROADCAST_SESSION_JOINED" and client != "*" and client not in seat_of_client:
            seat_of_client[client] = data["player"]["seatId"]
        elif kind == "DEAL_CARDS":
            hands[seat_of_client[client]].append(" ".join(card_name(card) for card in data))
    deals = [" | ".join(deal) for deal in zip(*hands.values(), strict=True)]
    events = []
    for client, kind, data in messages:
        seen[kind] += 1
        if kind == "CHOOSE_TRUMPF" and position.actor_set == 0:
            events.append(deals.pop(0))
            position.happen(events[-1])
        if kind in ("CHOOSE_TRUMPF", "CHOOSE_CARD"):
            seat = seat_of_client[client]
            if kind == "CHOOSE_CARD":
                move = card_name(data)
            else:
                move = TRUMPS[data["trumpfColor"]] if data["mode"] == "TRUMPF" else GAME_TYPES[data["mode"]]
                pushes += move == "push"
            position.apply({seat: move})
            events.append({str(seat): move})
        elif kind == "BROADCAST_STICH":
            state = position.state[0]
            assert data["seatId"] == state["leader"], position.text
            assert [card_name(card) for card in data["playedCards"]] == [CARDS[card] for card in last_trick(position)]
            for row in data["teams"]:
                side = ["Team 1", "Team 2"].index(row["name"])
                assert row["points"] == state["points"][side]
                assert row["currentRoundPoints"] == state["gained"][side]
        elif kind == "BROADCAST_GAME_FINISHED":
            for row in data:
                side = ["Team 1", "Team 2"].index(row["name"])
                assert (row["points"], row["currentRoundPoints"]) == (
                    position.state["points"][0][side],
                    position.state["gained"][0][side],
                )
                matches += row["currentRoundPoints"] == 257
        elif kind == "BROADCAST_WINNER_TEAM":
            side = ["Team 1", "Team 2"].index(data["name"])
            assert position.over and data["points"] == position.score[side] == max(position.score)
    assert seen["CHOOSE_CARD"] == 720 and seen["BROADCAST_GAME_FINISHED"] == 20
    assert (matches, pushes) == (3, 4)
    record = Record(Header("jass", "server", 4, None, ["bot"] * 4, {}), events)
    assert replay(Record.from_json(record.to_json()))[-1].score == position.score


# --- single rules ----------------------------------------------------------------------------------------------------


def table(hands, mode, cards=(), variant="server-deal", starter_pushes=False):
    """A position with these hands (what is missing comes from the rest), the mode chosen, and cards played."""
    game = sw.game("jass", variant=variant)
    position = game.opening()
    taken = set(" ".join(hands).split())
    rest = [card for card in CARDS if card not in taken]
    full = []
    for hand in [*hands, "", "", ""][:4]:
        held = hand.split()
        while len(held) < 9:
            held.append(rest.pop())
        full.append(" ".join(held))
    position.happen(" | ".join(full))
    if starter_pushes:
        position.apply("push")
    position.apply(mode)
    for card in cards:
        position.apply(card)
    return position


def dealt_hands(position):
    """The hands as they were dealt."""
    return position.state["hands"][0] | position.state["played"][0]


def legal_names(position):
    return {CARDS[action] for action in position.legal(position.actors[0])}


def test_trump_jack_need_not_be_shown():
    position = table(["h6 h7 h8 h9 h10 c6 c7 c8 c9", "hJ d6 d7 d8 d9 d10 dJ dQ dK"], "hearts", ["h6"])
    assert legal_names(position) == {"hJ", "d6", "d7", "d8", "d9", "d10", "dJ", "dQ", "dK"}


def test_no_trumping_under_even_for_one_who_could_follow():
    position = table(
        ["c6 c7 c8 c9 c10 cJ cQ d6 d7", "h9 d8 d9 d10 dJ dQ dK dA s6", "cK h6 h7 hA s7 s8 s9 s10 sJ"],
        "hearts",
        ["c6", "h9"],
    )
    assert legal_names(position) == {"cK"}


def test_a_hand_of_trumps_may_be_played_under_and_shows_itself():
    """Seat 2 holds only trumps after its first card; a stronger trump lies on the table."""
    position = table(
        ["cA c7 c8 c9 c10 cJ cQ d6 s7", "hJ d8 d9 d10 dJ dQ dK dA s6", "h6 h7 h8 h9 h10 hQ hK hA c6", "cK d7"],
        "hearts",
        ["cA", "s6", "c6", "cK", "d6", "hJ"],
    )
    assert legal_names(position) == {"h6", "h7", "h8", "h9", "h10", "hQ", "hK", "hA"}
    position.play("h6")
    assert int(position.state["lacks"][0][2]) == set_of(" ".join(card for card in CARDS if card[0] != "h"))


def test_starter_leads_after_a_push_and_nobody_pushes_twice():
    position = sw.game("jass").new(3)
    position.apply("push")
    assert position.actors == (2,)
    with pytest.raises(IllegalMove):
        position.apply("push")
    position.apply("obeabe")
    assert position.actors == (0,)


def test_bad_deals_are_refused():
    game = sw.game("jass")
    for text in ("", "h6", "h6 | h7 | h8 | h9", "x1 | | |"):
        with pytest.raises(InvalidMove):
            game.opening().happen(text)
    position = game.new(1)
    with pytest.raises(InvalidMove):
        position.happen(" | ".join(" ".join(CARDS[9 * i : 9 * i + 9]) for i in range(4)))


def test_weis_are_scored_and_shown_by_the_better_team():
    position = table(["h6 h7 h8 d6 d8 d10 c6 c8 c10", "d7 d9 dJ c7 c9 cJ s6 s8 s10", "sJ sQ sK sA hJ dQ cQ hA h10"],
                     "hearts", variant="schieber-deal,announce=0")  # fmt: skip
    for _ in range(4):
        position.play(position.legal(position.actors[0])[0])
    state = position.state[0]
    assert state["shown"][2] == set_of("sJ sQ sK sA") and state["shown"][0] == set_of("h6 h7 h8")
    assert state["shown"][1] == 0 and state["gained"][0] >= 70


@pytest.mark.parametrize(
    ("hand", "today", "once"),
    [
        ("h6 d6 c6 s6 h8 h10 hQ d8 d10", 100, 0),  # four sixes
        ("h7 d7 c7 s7 h9 hJ hK d9 dJ", 100, 0),
        ("h8 d8 c8 s8 h6 hJ hK d6 dJ", 100, 0),
        ("h9 d9 c9 s9 h6 hJ hK d6 dJ", 150, 150),
        ("hJ dJ cJ sJ h6 h8 hK d6 d8", 200, 200),
        ("hA dA cA sA h6 h8 hJ d6 d8", 100, 100),
        ("h6 h7 h8 d6 d8 d10 c6 c8 c10", 20, 20),
        ("h6 h7 h8 h9 d8 d10 c6 c8 c10", 50, 50),
        ("h6 h7 h8 h9 h10 d10 c6 c8 c10", 100, 100),
        ("h6 h7 h8 h9 h10 hJ c6 c8 c10", 150, 100),
        ("h6 h7 h8 h9 h10 hJ hQ c8 c10", 200, 100),
        ("h6 h7 h8 h9 h10 hJ hQ hK c10", 250, 100),
        ("h6 h7 h8 h9 h10 hJ hQ hK hA", 300, 100),
        ("hQ hK hA dK cK sK d6 c8 s10", 120, 100),  # a king in a run and in the four kings
        ("hQ hK hA dQ dK dA cK sK c8", 140, 100),
    ],
)
def test_what_weis_count_today_and_once(hand, today, once):
    cards = np.int64(set_of(hand))
    for mode in range(6):
        assert weis_of(cards, mode, WEIS | TODAY)[1] == today
        assert weis_of(cards, mode, WEIS)[1] == once


def test_kreuzweis_are_shown_and_scored():
    """Seat 1 has four kings and runs that share two of them: 100 + 20 + 20, three times in obeabe."""
    hands = ["h6 h8 h10 d6 d8 d10 c6 c8 c10", "hQ hK hA dQ dK dA cK sK c7", "h7 hJ d9 c9 cQ s6 s8 s10 sQ"]
    position = table(hands, "obeabe", ["h6", "hQ"], variant="schieber-deal,announce=0")
    while position.state["tricks"][0] == 0:
        position.play(position.legal(position.actors[0])[0])
    state = position.state[0]
    assert list(state["shown"]) == [0, set_of("hQ hK hA dQ dK dA cK sK"), 0, 0]
    assert state["gained"][1] == 3 * (140 + state["taken"][1])


def test_among_equal_weis_the_longer_one_is_better():
    """Six in a row beat four nines, five in a row four aces; then the higher is better, in undeufe the lower."""

    def rank(hand, mode=4):
        return weis_of(np.int64(set_of(hand)), mode, WEIS | TODAY)[0]

    assert rank("h6 h7 h8 h9 h10 hJ") > rank("h9 d9 c9 s9") > rank("h6 h7 h8 h9 h10") > rank("hA dA cA sA")
    assert rank("hA dA cA sA") > rank("h6 d6 c6 s6") > rank("hJ hQ hK hA")
    assert rank("hA dA cA sA", 5) < rank("h6 d6 c6 s6", 5)
    assert rank("h6 h7 h8", 0) > rank("c6 c7 c8", 0) == rank("c6 c7 c8", 1)


def test_old_records_keep_the_weis_of_their_time():
    """Six in a row counted 100, now 150; four sixes nothing. The name of the variant is the same."""
    hands = ["h6 h7 h8 h9 h10 hJ d6 d8 d10", "c6 c8 c10 cQ d7 d9 dJ s6 s8", "hQ hA dK c7 cJ cA s9 sJ sK"]
    old, new = (
        table(hands, "diamonds", ["h6"], variant=f"schieber-deal,announce=0{counting}") for counting in (",weis=1", "")
    )
    events = [" | ".join(hand_text(int(hand)) for hand in dealt_hands(old)), {"0": "diamonds"}, {"0": "h6"}]
    for position in (old, new):
        while not position.over:
            seat = position.actors[0]
            action = position.legal(seat)[0]
            position.play(action)
            if position is old:
                events.append({str(seat): CARDS[action]})
    assert old.score[0] == new.score[0] - 50
    for versions, score in (({}, old.score), ({"rules": "1"}, old.score), ({"rules": "2"}, new.score)):
        record = Record(Header("jass", "schieber-deal", 4, None, ["bot"] * 4, versions), events)
        assert replay(record)[-1].score == score
    record = Record(Header("jass", "schieber-deal,weis=0", 4, None, ["bot"] * 4, {}), events)
    assert replay(record)[-1].score[0] == new.score[0] - 150


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        ("server", (1, 1, 1, 1, 1, 1)),
        ("multipliers", (1, 1, 2, 2, 3, 3)),
        ("schieber,undeufe_factor=4", (1, 1, 2, 2, 3, 4)),
        ("schieber,red_factor=2,black_factor=1", (2, 2, 1, 1, 3, 3)),
        ("schieber,multipliers=0,undeufe_factor=4", (1, 1, 1, 1, 1, 1)),
    ],
)
def test_every_kind_of_mode_has_its_multiplier(variant, expected):
    game = sw.game("jass", variant=variant)
    state = game.opening().state.view(np.recarray)[0]
    assert factors(game.options) == tuple(int(factor(state, mode)) for mode in range(6)) == expected


def test_stoeck_count_with_the_second_card():
    position = table(["hK hQ h6 h7 h8 h9 c6 c7 c9", "", "", ""], "hearts", variant="schieber-deal")
    position.play("hK")
    assert position.state["gained"][0][0] == 0
    while position.actors != (0,):
        position.play(position.legal(position.actors[0])[0])
    before = position.state["gained"][0][0]
    position.play("hQ")
    assert position.state["gained"][0][0] == before + 20


# --- what a seat knows -----------------------------------------------------------------------------------------------


def random_position(seed, cards, variant="server-deal"):
    position = sw.game("jass", variant=variant).new(seed)
    rng = random.Random(seed)
    position.play(rng.randrange(36, 42))
    for _ in range(cards):
        position.play(rng.choice(position.legal(position.actors[0])))
    return position


@pytest.mark.parametrize("variant", ["server-deal", "schieber-deal", "schieber-deal,announce=0"])
def test_imagined_worlds_agree_with_everything_known(variant):
    rng = spawn(4)
    for seed in range(60):
        position = random_position(seed, seed % 34, variant)
        for seat in (-1, 0, 1, 2, 3):
            view = position.view(seat)
            world = view.imagine(rng)
            assert world.view(seat).state.tobytes() == view.state.tobytes()
            hands = [int(hand) for hand in world.state["hands"][0]]
            real = [int(hand) for hand in position.state["hands"][0]]
            assert [hand.bit_count() for hand in hands] == [hand.bit_count() for hand in real]
            assert sum(hands) == sum(real)
            for hand, lacks in zip(hands, position.state["lacks"][0], strict=True):
                assert hand & int(lacks) == 0


def test_what_everybody_knows_is_true():
    for seed in range(200):
        position = random_position(seed, 8 + seed % 24, "schieber-deal")
        for hand, lacks in zip(position.state["hands"][0], position.state["lacks"][0], strict=True):
            assert int(hand) & int(lacks) == 0


def test_imagined_worlds_are_equally_likely():
    """Seat 1 did not follow hearts, so that few worlds are left; each must come about equally often."""
    position = random_position(11, 24)
    seat = position.actors[0]
    view = position.view(seat)
    unseen = [card for card in range(36) if not any(int(p) >> card & 1 for p in view.state["played"][0])]
    unseen = [card for card in unseen if not int(view.state["hands"][0][seat]) >> card & 1]
    others = [(seat + i) % 4 for i in (1, 2, 3)]
    room = [9 - int(view.state["played"][0][o]).bit_count() for o in others]
    lacks = [int(view.state["lacks"][0][o]) for o in others]
    assert any(lacks)

    def worlds(cards, left):
        if not cards:
            yield (0, 0, 0)
            return
        for i in range(3):
            if left[i] and not lacks[i] >> cards[0] & 1:
                fewer = [n - (j == i) for j, n in enumerate(left)]
                for rest in worlds(cards[1:], fewer):
                    yield tuple(hand | (1 << cards[0]) * (j == i) for j, hand in enumerate(rest))

    possible = set(worlds(unseen, room))
    assert 2 <= len(possible) <= 2000
    rng = spawn(9)
    draws = 40 * len(possible)
    counted = Counter(tuple(view.imagine(rng).state["hands"][0][others].tolist()) for _ in range(draws))
    assert set(counted) == possible
    chi = sum((count - 40) ** 2 / 40 for count in counted.values())
    assert chi < len(possible) + 5 * np.sqrt(2 * len(possible))


def test_interpreted_kernel_agrees():
    from spielwerk.games.jass.game import Jass

    class Interpreted(Jass):
        compiled = False

        @property
        def link_name(self):
            return "gjass_interpreted"

    for variant in ("server-deal", "schieber-deal", "schieber-deal,slalom=1", "schieber-deal,announce=0"):
        one, two = sw.game("jass", variant=variant).new(5), Interpreted(4, variant).new(5)
        rng = random.Random(1)
        while not one.over:
            seat = one.actors[0]
            assert one.legal(seat) == two.legal(seat)
            worlds = [p.view(seat).imagine(spawn(8)).state.tobytes() for p in (one, two)]
            assert worlds[0] == worlds[1]
            action = rng.choice(one.legal(seat))
            one.play(action)
            two.play(action)
            assert one.state.tobytes() == two.state.tobytes()
