"""What networks are told: drawn positions, place by place, as the rules of each game list them.

The encodings of a network never change, so the places here are numbers and not names.
"""

import re

import numpy as np
import pytest

from spielwerk.core import registry
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import specialise
from spielwerk.core.words import speaking
from spielwerk.games.jass.cards import CARDS
from test_qwixx_rules import FIVE_RED, put, roll, table


def encoded(position, seat=0, encoding="standard", kind=np.float32):
    """The numbers that a seat's network gets."""
    game = position.game
    size, function = game.encodings[encoding]
    out = np.full(size, np.nan, kind)
    specialise(entry.features_at, game, features=function)(position.view(seat).state, seat, out)
    return out


def places(numbers):
    """The places that are not zero, all of which must be 1."""
    found = np.flatnonzero(numbers)
    assert set(numbers[found]) <= {1.0}
    return set(found.tolist())


def cards(text, first=0):
    """The places of cards in a block of 36."""
    return {first + CARDS.index(card) for card in text.split()}


# --- all games -------------------------------------------------------------------------------------------------------


TABLES = [("2048", None), ("2048", "2x3"), ("qwixx", None), ("qwixx", "study"), ("jass", None), ("jass", "schieber")]


def test_names_and_sizes_of_encodings():
    sizes = {name: {e: size for e, (size, _) in registry.game(name).encodings.items()} for name, _ in TABLES}
    assert sizes["2048"] == {"standard": 256, "bits": 264}
    assert sizes["qwixx"] == {"standard": 445, "bits": 904}
    thesis = {name: int(name) for name in ("36", "37", "42", "150", "186", "187", "1302")} | {"tricks": 1386}
    assert sizes["jass"] == {"standard": 583, "bits": 2312} | thesis
    assert [registry.game("qwixx", seats).features for seats in (1, 2, 3, 4, 5)] == [346, 445, 544, 643, 742]
    assert registry.game("2048", variant="2x3").features == 96


@pytest.mark.parametrize(("name", "variant"), TABLES)
def test_both_widths_and_both_ways_to_run_write_the_same(name, variant):
    position = registry.game(name, variant=variant).new(4)
    for _ in range(6):
        position = position.play({seat: position.legal(seat)[-1] for seat in position.actors})
    for encoding in position.game.encodings:
        numbers = encoded(position, 0, encoding)
        assert np.array_equal(numbers, encoded(position, 0, encoding, np.float64).astype(np.float32))
        size, function = position.game.encodings[encoding]
        again = np.full(size, np.nan, np.float32)
        interpreted = position.game.interpreted
        state = interpreted.states(1)
        state[:] = position.view(0).state
        specialise(entry.features_at, interpreted, features=function)(state, 0, again)
        assert np.array_equal(numbers, again)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", ["2048", "qwixx", "jass", "clever", "speed"])
def test_the_rules_list_every_place(name, language):
    game = registry.game(name)
    with speaking(language):
        text = re.split(r"^## (?:What networks are told|Was Netze erfahren)$", game.rules(), flags=re.MULTILINE)[1]
    named = {"standard": text} if "###" not in text else dict(re.findall(r"### `(\w+)`\n(.*?)(?=###|\Z)", text, re.S))
    for encoding, listed in named.items():
        next_place = 0
        for first, last in re.findall(r"^\| (\d+)(?:–(\d+))? \|", listed, re.MULTILINE):
            assert int(first) == next_place
            next_place = int(last or first) + 1
        assert next_place == game.encodings[encoding].size


# --- 2048 ------------------------------------------------------------------------------------------------------------


def test_2048_cells_are_one_of_sixteen():
    position = registry.game("2048").read("2 4 8 16/. 2 . 4/. . . 32768/65536 131072 . 2048")
    powers = [1, 2, 3, 4, 0, 1, 0, 2, 0, 0, 0, 15, 15, 15, 0, 11]
    assert places(encoded(position)) == {16 * cell + power for cell, power in enumerate(powers)}


def test_2048_small_boards_have_no_places_for_cells_outside():
    position = registry.game("2048", variant="2x3").read("2 4 8/. . 16")
    assert places(encoded(position)) == {16 * cell + power for cell, power in enumerate([1, 2, 3, 0, 0, 4])}


# --- Qwixx -----------------------------------------------------------------------------------------------------------


def row(number, used, crosses):
    """The places of a row of the first sheet."""
    return {23 * number + i for i in range(used)} | {23 * number + 11 + i for i in range(crosses)}


def test_qwixx_white_action():
    #  seat 0, active: red 3 5 (used up to 5), one misthrow      seat 1: blue 12 11 10 9 8, may lock blue with a 2
    #  white 1 + 1; red 3, yellow 5, green 6, blue 2
    position = table(2, a0="red 3 5, misthrows 1", a1="blue 12 11 10 9 8")
    position = roll(position, (1, 1), red=3, yellow=5, green=6, blue=2)
    numbers = encoded(position)
    assert numbers[196:198] == pytest.approx([-0.02, 0.15])  # 3 - 5 points, and 15
    assert numbers[209:213] == pytest.approx([-0.17, -0.85, 0, 1])
    numbers[196:198] = numbers[209:213] = 0
    own_sheet = row(0, 4, 2) | {92}
    other_sheet = {96 + place for place in row(3, 5, 5)}
    turn = {192, 194, 195, 206}  # active, both must decide, white action
    dice = {218, 224, 230} | {241 + 2, 247 + 4, 253 + 5, 259 + 1}
    white = {265 + 11, 309 + 11}  # yellow 2 skips nothing; green and blue 2 are last and need five crosses
    green_7, blue_3 = 353 + 22 + 5, 353 + 33 + 1
    coloured = {353 + 11 + 4, 397 + 11 + 4, green_7, 397 + 22 + 5, blue_3, 397 + 33 + 9}  # yellow 6 skips four
    assert places(numbers) == own_sheet | other_sheet | turn | dice | white | coloured | {444}


def test_qwixx_seats_are_counted_from_the_own_one():
    position = roll(table(3, a1=FIVE_RED, a2="misthrows 2"), (6, 6), red=6)
    sheets = [{96 * i + place for place in row(0, 5, 5)} for i in range(3)]
    for seat, (red, misthrows, active) in enumerate([(1, 2, 0), (0, 1, 2), (2, 0, 1)]):
        numbers = encoded(position, seat)
        found = set(np.flatnonzero(numbers[:288]).tolist())
        assert found == sheets[red] | {96 * misthrows + 92, 96 * misthrows + 93}
        assert numbers[288:291].tolist() == [float(i == active) for i in range(3)]
        assert bool(numbers[540]) is (seat != 1)  # another may lock red: all that seat 1 is told is that it may itself
        assert bool(numbers[364 + 10]) is (seat == 1)


def test_qwixx_coloured_action_tells_what_was_crossed():
    position = roll(table(2, a0="red 2 3"), (2, 3), red=4, yellow=1, green=1, blue=1)
    position = position.play({0: "red 5", 1: "pass"})
    own, other = encoded(position), encoded(position, 1)
    assert own[206:209].tolist() == [0, 1, 0]
    assert own[213:218].tolist() == other[213:218].tolist() == [1, 1, 0, 0, 0]
    assert not own[230:241].any() and not own[265:353].any()  # the white sum is over
    assert {353 + 4, 353 + 5} & places(own[:441] * (np.arange(441) >= 353)) == {353 + 4, 353 + 5}  # red 6, red 7
    assert own[397] == own[398] == 1  # they skip none and one
    assert not other[353:441].any()


def test_qwixx_positions_after_a_turn_know_nothing_of_the_dice():
    first = roll(table(2), (2, 3), red=6).play({0: "red 5", 1: "red 5"})
    again = roll(table(2), (1, 4), red=5).play({0: "red 5", 1: "red 5"})
    ends = []
    for position in (first, again):
        position = position.copy()
        position.apply({0: "pass"})
        assert position.actor_set == 0
        ends.append(encoded(position))
        assert not ends[-1][213:].any()
        assert not ends[-1][206:209].any() and ends[-1][192:194].tolist() == [0, 1]
    assert np.array_equal(*ends)


def test_qwixx_late_closing_tells_that_a_row_will_close():
    position = table(2, "study", a0="red 2 3 4 5 6, yellow 2")
    position = roll(position, (6, 6), yellow=1).play({0: "red 12", 1: "pass"})
    numbers = encoded(position, 1)
    assert numbers[198:206].tolist() == [0, 0, 0, 0, 1, 0, 0, 0]


def test_qwixx_alone_there_is_no_lead():
    position = roll(table(1, a0="red 2"), (2, 2))
    assert not encoded(position)[110:114].any()


def test_qwixx_the_last_places_say_that_it_is_over():
    position = table(2, a0="misthrows 3")
    put(position, 0, "red 12, yellow 12, green 2, blue 2")
    position = roll(position, (3, 4))
    assert position.actors == (1,)
    position = position.play({1: "pass"})
    assert position.over
    assert encoded(position)[206:209].tolist() == [0, 0, 1]


# --- Jass ------------------------------------------------------------------------------------------------------------


PLAYED = "dK d6 d7 dA / c6 cA c7 c8"
DEAL = f"hand=h9 hJ d8 c10 cJ s6 sQ; mode=hearts; played={PLAYED}; trick=sK sA"


def test_jass_in_the_middle_of_a_deal():
    # Seat 2 (from 0) led diamonds, seat 1 took the trick with the A; it led clubs, and seat 2 took that with cA.
    # Seat 2 led sK, seat 3 played sA, and seat 0 decides.
    position = registry.game("jass").read(DEAL)
    assert position.actors == (0,)
    numbers = encoded(position)
    assert numbers[486] == pytest.approx(15 / 50)
    assert numbers[487:489] == pytest.approx([11 / 157, 15 / 157])  # K and A of diamonds are 15, the A of clubs is 11
    numbers[486:489] = 0
    hand = cards("h9 hJ d8 c10 cJ s6 sQ")
    on_table = cards("sK", 36 + 72) | cards("sA", 36 + 108)
    collected = cards("d7 c8", 180) | cards("dA c6", 216) | cards("dK cA", 252) | cards("d6 c7", 288)
    who = {450, 457 + 2, 461 + 2, 465, 469 + 3, 476, 477 + 2}
    trumps = {493 + 7, 493 + 8} | set(range(502, 509))
    masters = cards("h9 hJ sQ", 511)  # K and A of spades are on the table
    takers = cards("h9 hJ", 547)
    assert places(numbers) == hand | on_table | collected | who | trumps | masters | takers


def test_jass_every_seat_counts_from_itself():
    position = registry.game("jass").read(DEAL)
    for seat in range(4):
        numbers = encoded(position, seat)
        on_table = cards("sK", 36 + 36 * ((2 - seat) % 4)) | cards("sA", 36 + 36 * ((3 - seat) % 4))
        assert {36 + place for place in places(numbers[36:180])} == on_table
        for first, about in ((457, 2), (461, 2), (465, 0), (469, 3)):
            assert numbers[first : first + 4].tolist() == [float(i == (about - seat) % 4) for i in range(4)]
        assert numbers[487:489] == pytest.approx([11 / 157, 15 / 157] if seat % 2 == 0 else [15 / 157, 11 / 157])
        assert bool(numbers[547:].any()) is (seat == 0)  # only who is on turn can take the trick


def test_jass_what_is_known_of_other_hands():
    # Seat 1 does not follow the trump: it has none but perhaps the J. Seat 3 does not follow clubs.
    known = {}
    for unsure in ("d6", "hJ"):
        position = registry.game("jass").read(
            f"hand={unsure} d7 d8 s6 s7 s8 s9; mode=hearts; played=hA dA h7 h8 / cA c7 c8 sA"
        )
        assert position.actors == (0,)
        known[unsure] = {324 + place for place in places(encoded(position)[324:450])}
    assert known == {"d6": {432 + 8 + 2, 447}, "hJ": {432 + 8 + 2, 432, 444}}


def test_jass_cards_that_only_one_seat_can_hold():
    # Seats 1 and 3 do not follow clubs: all clubs out of sight are the partner's.
    position = registry.game("jass").read("hand=h6 h7 h8 d6 d7 d8 s6 s7; mode=obeabe; played=cA d9 c6 s8")
    assert position.actors == (0,)
    numbers = encoded(position)
    assert {324 + place for place in places(numbers[324:432])} == cards("c7 c8 c9 c10 cJ cQ cK", 324 + 36)
    assert {432 + place for place in places(numbers[432:444])} == {432 + 2, 432 + 8 + 2}
    assert not numbers[444:450].any() and not numbers[493:511].any()  # there are no trumps


def test_jass_masters_follow_the_mode():
    hand, played = "c6 c7 hA h6 h7 d9 d10 s9", "hK hQ hJ h10"
    masters = {}
    for mode in ("obeabe", "undeufe", "clubs"):
        position = registry.game("jass").read(f"hand={hand}; mode={mode}; played={played}")
        masters[mode] = {place + 511 for place in places(encoded(position)[511:547])}
    assert masters["obeabe"] == cards("hA", 511)
    assert masters["undeufe"] == cards("c6 c7 h6 h7", 511)
    assert masters["clubs"] == cards("hA", 511)


def test_jass_choosing_and_pushing():
    hand = "h6 h9 hJ dA d10 c6 c7 sQ sK"
    choose = registry.game("jass").read(f"hand={hand}")
    assert places(encoded(choose)) == cards(hand) | {457, 461, 465, 477}
    pushed = registry.game("jass").read(f"hand={hand}; push=yes; seat=3")
    assert places(encoded(pushed, 2)) == cards(hand) | {456, 457, 461 + 2, 465, 477}


def test_jass_after_a_card_it_lies_on_the_table():
    position = registry.game("jass").read(DEAL)
    position.apply("sQ")
    numbers = encoded(position)
    assert places(numbers[36:72]) == cards("sQ") and numbers[465:469].tolist() == [0, 1, 0, 0]


def test_jass_points_of_weis_count_as_if_the_mode_counted_once():
    game = registry.game("jass", variant="schieber")
    text = "hand=hJ hQ hK s6 s8 d6 d8 c10; mode=spades; played=hA h7 h8 h9; called=1 50; weis=1 hJ hQ hK hA"
    position = game.read(text)
    assert position.state["gained"][0].tolist() == [2 * (50 + 11), 0]
    numbers = encoded(position)
    assert numbers[487:493] == pytest.approx([11 / 157, 0, 0, 1, 0.5, 0])
    assert places(encoded(position, 1)[324:432]) >= cards("hJ hQ hK", 72)  # everybody has seen them


def test_jass_after_the_last_card_nobody_is_on_turn():
    position = registry.game("jass").new(5)
    while position.state["deals"][0] == 0:
        position.apply({seat: position.legal(seat)[0] for seat in position.actors})
    assert position.actor_set == 0
    numbers = encoded(position)
    assert not numbers[:36].any() and not numbers[457:477].any() and not numbers[477:486].any()
    assert numbers[487:489].sum() == pytest.approx(1)


def test_jass_earlier_deals_are_not_told():
    position = registry.game("jass").read(DEAL)
    later = registry.game("jass").read(f"{DEAL}; points=1200:900")
    assert np.array_equal(encoded(position), encoded(later))


def test_jass_a_deal_without_trump_is_told_as_obeabe():
    position = registry.game("jass").read(DEAL)
    position.state["mode"] = 6
    assert encoded(position)[450:456].tolist() == encoded(position, 0, "186")[180:].tolist() == [0, 0, 0, 0, 1, 0]


def test_jass_what_is_imagined_changes_nothing():
    position = registry.game("jass", variant="schieber").read(DEAL)
    for encoding in set(position.game.encodings) - {"bits"}:
        told = encoded(position, 0, encoding)
        for seed in range(5):
            elsewhere = position.view(0).imagine(spawn(seed))
            assert np.array_equal(encoded(elsewhere, 0, encoding), told)


# --- Ganz schön clever -----------------------------------------------------------------------------------------------


def clever(seats=1):
    position = registry.game("clever", seats).opening(1)
    return position.happen("seat 0 begins") if seats > 1 else position


def test_clever_sizes():
    assert [registry.game("clever", seats).features for seats in (1, 2, 3, 4)] == [297, 508, 719, 930]


def test_clever_the_first_roll():
    numbers = encoded(clever().happen("w3 y4 b2 g5 o1 p6"))
    assert numbers[231] == 1 and numbers[230] == 1 and numbers[210] == 0
    assert numbers[174:182] == pytest.approx(  # re-roll: green 10, orange 3, purple 3 and 8; …
        [1 / 10 + 1 / 3 + 1 / 3 + 1 / 8, 1 / 4 + 1 / 6 + 1 / 5 + 1 / 11, 1 / 7 + 1 / 8 + 1 / 7, 1 / 5 + 1 / 6,
         1 / 6 + 1 / 4, 1 / 9, 1 / 10, 1 / 9 + 1 / 10]
    )  # fmt: skip
    numbers[174:182] = 0
    yellow = {3, 6, 9, 12}  # crossed in print
    expected = yellow | {43} | {55 + 3 * 3 + 2}  # of the first blue column two are missing
    expected |= {122, 129} | set(range(158, 163))  # purple takes any number, one re-roll, all areas are the lowest
    expected |= set(range(190, 200))  # every die fits, the white one everywhere
    expected |= {206, 209, 211, 217 + 4, 226, 230, 231} | set(range(232, 238))
    expected |= {250 + 6 * die + number - 1 for die, number in enumerate((3, 4, 2, 5, 1, 6))} | {286 + 3}
    assert places(numbers) == expected


def test_clever_after_a_pick_dice_that_are_rolled_again_have_no_numbers():
    position = clever().happen("w3 y4 b2 g5 o1 p6")
    position.apply("yellow 3-4")
    numbers = encoded(position)
    assert numbers[11] == 1 and numbers[16 + 3 * 2 : 16 + 3 * 3].tolist() == [0, 0, 1]  # the third row misses two
    lying = {238 + die for die in (0, 2, 4)} | {244 + 1} | {232 + die for die in (3, 5)}
    assert {232 + place for place in places(numbers[232:250])} == lying
    assert places(numbers[250:286]) == {6 * die + number - 1 for die, number in ((0, 3), (1, 4), (2, 2), (4, 1))}
    assert numbers[217 + 3] == 1 and numbers[226 + 1] == 1


def test_clever_every_seat_counts_from_itself():
    position = clever(2).happen("w3 y4 b2 g5 o1 p6")
    position.state["green"][0, 1] = 3
    position.state["orange_sum"][0, 0] = 20
    own, other = encoded(position), encoded(position, 1)
    assert np.array_equal(own[:210], other[211:421]) and np.array_equal(own[211:421], other[:210])
    assert own[211 + 210] == pytest.approx((20 - 6) / 100) and other[211 + 210] == pytest.approx(-0.14)
    assert np.array_equal(own[422:], other[422:])


def test_clever_own_leaves_the_other_sheets_out():
    position = clever(3).happen("w3 y4 b2 g5 o1 p6")
    position.state["rounds"] = 2
    position.state["active"] = 1
    position.state["green"][0, 2] = 3
    whole, own = encoded(position, 0), encoded(position, 0, "own")
    assert own.size == 302 and np.array_equal(own[:211], whole[:211]) and np.array_equal(own[211:297], whole[3 * 211 :])
    left = [encoded(position, seat, "own")[297:].tolist() for seat in range(3)]
    assert left[0] == [0, 0, 1, 0, pytest.approx(3 / 6)]  # has had its turn of this round, two others come before
    assert left[1] == [1, 0, 0, 0, pytest.approx(4 / 6)]
    assert left[2] == [0, 1, 0, 0, pytest.approx(4 / 6)]
