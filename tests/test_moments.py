"""Moments and news: what Jass and Qwixx declare, and what the conformance suite finds wrong."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from spielwerk import Moment, testing
from spielwerk.core import registry
from spielwerk.core.game import Game
from spielwerk.core.position import SPECTATOR, Position, States, View
from spielwerk.core.words import speaking
from spielwerk.games.jass.cards import CARDS
from spielwerk.testing.moments import event_pairs
from tiny_games import Whisper
from web_games import Laps

SUITS = [" ".join(CARDS[9 * suit : 9 * suit + 9]) for suit in range(4)]
HEARTS_AND_OTHERS = " | ".join(SUITS)  # seat 0 holds all hearts, 1 all diamonds, 2 all clubs, 3 all spades


def deal_of(variant: str, hands: str) -> Position:
    return registry.game("jass", variant=variant).opening().happen(hands)


def steps(position: Position, moves: Sequence[str]) -> Iterator[tuple[Position, Position]]:
    """Play moves one by one; chance does not act."""
    for move in moves:
        before = position.copy()
        position.apply(move)
        yield before, position.copy()


def moment(before: Position, after: Position, seat: int = SPECTATOR) -> Moment | None:
    return after.game.moment(before.view(seat), after.view(seat))


def news(before: Position, after: Position, seat: int = SPECTATOR) -> list[str]:
    return list(after.game.news(before.view(seat), after.view(seat)))


def whole_deal(position: Position, mode: str) -> list[tuple[Position, Position]]:
    """A deal in which every seat plays the lowest card that it may."""
    pairs = list(steps(position, [mode]))
    while position.actors:
        move = position.game.spec.moves[position.legal(position.actors[0])[0]]
        pairs += steps(position, [move])
    return pairs


# --- Jass ---


def test_a_full_trick_stands_for_about_a_second() -> None:
    pairs = whole_deal(deal_of("server-deal", HEARTS_AND_OTHERS), "obeabe")
    found = [moment(*pair) for pair in pairs]
    assert [number for number, each in enumerate(found) if each] == [4 * trick for trick in range(1, 10)]
    tricks = [each for each in found if each and not each.table]
    assert len(tricks) == 8
    assert all(0.8 <= each.seconds <= 1.5 for each in tricks)
    assert tricks[0].title == "Seat 1 takes the trick: 0 points"
    with speaking("de"):
        assert moment(*pairs[8]) == Moment(tricks[1].seconds, "Platz 1 sticht: 0 Punkte")


def test_the_end_of_a_deal_shows_what_it_is_made_of() -> None:
    """All hearts in one hand: every trick, Weis, Stöck and the match."""
    pairs = whole_deal(deal_of("schieber-deal,announce=0,target=10000", HEARTS_AND_OTHERS), "hearts")
    last = moment(*pairs[-1], 0)
    assert last is not None and last.title == "Deal 1 is over" and last.seconds >= 5
    rows = {label: cells for label, *cells in last.table}
    weis = int(rows["Weis"][0])
    sums = [152 + 5 + 20 + 100 + weis, 0]
    assert rows == {
        "Seats": ["1 + 3 (you)", "2 + 4"],
        "Tricks": ["152", "0"],
        "Last trick": ["5", "0"],
        "Weis": [str(weis), "0"],
        "Stöck": ["20", "0"],
        "Match": ["100", "0"],
        "This deal": [str(points) for points in sums],
        "Standing": [str(points) for points in sums],
    }
    other = moment(*pairs[-1], 1)
    assert (
        other is not None and other.table[0] == ("Seats", "2 + 4 (you)", "1 + 3") and other.table[1][1:] == ("0", "152")
    )
    with speaking("de"):
        german = moment(*pairs[-1])
    assert german is not None and german.title == "Runde 1 ist zu Ende"
    labels = ["Plätze", "Stiche", "Letzter Stich", "Weis", "Stöck", "Match", "Diese Runde", "Stand"]
    assert [row[0] for row in german.table] == labels


def test_a_multiplier_is_told_and_the_parts_add_up() -> None:
    """In many deals of random play: the parts, multiplied, are what the slate says."""
    told = set()
    for before, after in event_pairs(registry.game("jass", variant="schieber,target=10000"), 5, 600):
        found = moment(before, after, 1)
        if found is None or not found.table:
            continue
        rows = {label: cells for label, *cells in found.table}
        mode = next((label for label, cells in rows.items() if cells[0].startswith("×")), None)
        times = int(rows[mode][0][1:]) if mode else 1
        parts = [rows[label] for label in ("Tricks", "Last trick", "Weis", "Stöck", "Match") if label in rows]
        for side, team in enumerate((1, 0)):
            points = sum(int(cells[side]) for cells in parts) * times
            assert int(rows["This deal"][side]) == points == after.state["gained"][0][team]
            assert int(rows["Standing"][side]) == after.state["points"][0][team]
        told |= {mode, *rows}
    assert {"Weis", "Stöck", "trump spades", "obeabe", None} <= told


def test_a_claimed_match_tells_only_the_sums() -> None:
    pairs = whole_deal(deal_of("schieber,announce=0,target=90", HEARTS_AND_OTHERS), "hearts")
    found = moment(*pairs[-1])
    assert found is not None and found.title == "Deal 1 ends early: the target is reached"
    assert [row[0] for row in found.table] == ["Seats", "This deal", "Standing"]
    assert "deal 1, trick" in pairs[-1][1].view(0).svg


THREE = (
    "h6 h7 h8 d6 d10 cJ s9 sQ sK | h9 h10 c6 c7 c8 dJ dA s6 s10 | "
    "hJ d7 d8 cQ cK cA s7 sA d9 | hQ hK hA c9 c10 dQ dK s8 sJ"
)


def test_weis_is_in_the_list_of_events() -> None:
    position = deal_of("schieber-deal,announce=0", THREE)
    pairs = list(steps(position, ["obeabe", "h6", "h9", "hJ", "hQ"]))
    assert [news(*pair) for pair in pairs[:-1]] == [[], [], [], []]
    told = news(*pairs[-1])
    shown = [seat for seat in range(4) if position.state["shown"][0][seat]]
    assert shown and len(told) == len(shown)
    assert all(line.startswith("Seat ") and " shows Weis " in line and line.endswith(" points") for line in told)
    longer, trick = moment(*pairs[-1]), moment(*list(steps(position, ["hK", "h7", "h10", "cQ"]))[-1])
    assert longer is not None and trick is not None and longer.seconds > trick.seconds
    with speaking("de"):
        assert all(" weist " in line for line in news(*pairs[-1]))


def test_stoeck_a_match_and_the_result_are_in_the_list_of_events() -> None:
    pairs = whole_deal(deal_of("schieber-deal,announce=0,target=10000", HEARTS_AND_OTHERS), "hearts")
    every = [line for pair in pairs for line in news(*pair)]
    points = int(pairs[-1][1].state["points"][0][0])
    assert [line for line in every if "Weis" not in line] == [
        "Seat 1 has Stöck: 20 points",
        "Seats 1 + 3 make a match: 100 points",
        f"Deal 1: seats 1 + 3: {points} points, now {points}; seats 2 + 4: 0 points, now 0",
    ]
    with speaking("de"):
        assert news(*pairs[-1])[-1].startswith(f"Runde 1: Plätze 1 + 3: {points} Punkte, jetzt")


def test_no_card_of_one_deal_is_a_piece_of_the_next() -> None:
    """The page lets pieces of the same name glide; also the result of a deal lies on the table with its own cards."""
    position = registry.game("jass").opening(4)
    seen: dict[int, set[str]] = {}
    for _, after in event_pairs(position.game, 4, 90):
        deal = int(after.state["deals"][0]) + bool(after.actor_set)
        for seat in range(4):
            seen.setdefault(deal, set()).update(testing.piece_names(after.view(seat).svg))
    assert len(seen) == 3 and all(len(names) >= 36 for names in seen.values())
    assert not seen[1] & seen[2] and not seen[2] & seen[3]


def test_the_last_trick_lies_on_the_table_when_a_deal_is_over() -> None:
    pairs = whole_deal(deal_of("server,target=1000", HEARTS_AND_OTHERS), "hearts")
    svg = pairs[-1][1].view(SPECTATOR).svg
    assert sorted(testing.piece_names(svg)) == ["1-cA", "1-dA", "1-hA", "1-sA"]
    assert "deal 1, trick 9" in svg


# --- Qwixx ---


def test_a_row_that_is_locked_must_be_seen() -> None:
    position = registry.game("qwixx", seats=2).new(1)
    position.state["count"][0, 1, 0] = 5
    position.state["reach"][0, 1, 0] = 5
    position.state["white"][0] = 6
    before = position.copy()
    position.apply({0: "pass", 1: "red 12"})
    assert moment(before, position) == Moment(1.5, "Seat 2 locks red")
    assert "Seat 2 locks red" in news(before, position)
    with speaking("de"):
        assert moment(before, position) == Moment(1.5, "Platz 2 schließt Rot ab")


def test_a_misthrow_that_comes_of_itself_is_in_the_list_of_events() -> None:
    position = registry.game("qwixx", seats=2).new(1)
    position.state["reach"][0] = 11
    active = int(position.state["active"][0])
    while position.actors:
        before = position.copy()
        position.apply(dict.fromkeys(position.actors, "pass"))
    assert news(before, position) == [f"Seat {active + 1} has a misthrow"]
    assert moment(before, position) is None


def test_2048_declares_nothing() -> None:
    for before, after in event_pairs(registry.game("2048"), 1, 40):
        assert moment(before, after) is None and news(before, after) == []


# --- the conformance suite ---


class OnlyForOne(Whisper):
    def moment(self, before: View, after: View) -> Moment | None:
        return Moment(1.0, "yours") if after.seat == 0 else None


class Uneven(Whisper):
    def moment(self, before: View, after: View) -> Moment | None:
        return Moment(1.0, "points", (("seat", "points"), ("1",)))


class Timeless(Whisper):
    def moment(self, before: View, after: View) -> Moment | None:
        return Moment(0.0, "gone")


class Figures(Whisper):
    def moment(self, before: View, after: View) -> Moment | None:
        return Moment(1.0, "points", (("seat",), (1,)))  # type: ignore[arg-type]


class OneLine(Whisper):
    def news(self, before: View, after: View) -> Sequence[str]:
        return "one line"


class Blank(Whisper):
    def news(self, before: View, after: View) -> Sequence[str]:
        return [""]


class Gossip(Whisper):
    """Remembers what was dealt and tells it."""

    dealt = b""

    def chance_text(self, before: States, after: States) -> str:
        Gossip.dealt = after.tobytes()
        return super().chance_text(before, after)

    def moment(self, before: View, after: View) -> Moment | None:
        return Moment(1.0, f"the cards are {Gossip.dealt!r}")


class Whispers(Gossip):
    def moment(self, before: View, after: View) -> Moment | None:
        return None

    def news(self, before: View, after: View) -> Sequence[str]:
        return [f"the cards are {Gossip.dealt!r}"]


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (OnlyForOne, "not everybody has the moment 'yours'"),
        (Uneven, r"the rows of the moment 'points' have \[1, 2\] cells"),
        (Timeless, "a moment stands for 0.0 seconds"),
        (Figures, "cells that are no text"),
        (OneLine, "news is a string"),
        (Blank, "has empty lines"),
        (Gossip, "says something else of the same two views"),
        (Whispers, "says something else of the same two views"),
    ],
)
def test_the_suite_finds_moments_that_are_wrong(game: type[Game], reason: str) -> None:
    with pytest.raises(AssertionError, match=reason):
        testing.check_moments(game(), seed=1)


@pytest.mark.parametrize("game", [Whisper(), Laps(), *(registry.game(name) for name in registry.game_names())], ids=str)
def test_the_suite_accepts_moments_that_are_right(game: Any) -> None:
    testing.check_moments(game, seed=1, most=120)


def test_moments_and_news_are_translated_whole() -> None:
    """What a catalogue lacks is found by the walk through a match, not only in the sources."""
    with speaking("de"):
        texts = testing.spoken_match(registry.game("jass", variant="schieber-deal"), 3, 60)
    assert "Runde 1 ist zu Ende" in texts and any(text.startswith("Runde 1: Plätze") for text in texts)
