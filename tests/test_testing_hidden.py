"""The conformance suite finds games that do not hide what they should, or that imagine it unfairly."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from spielwerk import testing
from spielwerk.core.kernel import defaults
from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel
from tiny_games import CARDS, CompiledHush, CompiledWhisper, hush_chance, hush_free, hush_give, hush_hide, hush_imagine

TOP = CARDS - 1


@kernel
def hide_from_others(s, seat):
    """Seat 0 sees everything."""
    if seat != 0:
        hush_hide(s, seat)


@kernel
def show_hand(s, seat):
    """Seat 0 sees the hand of seat 1."""
    for card in range(CARDS):
        s.spare[card] = s.hands[1, card]
    hush_hide(s, seat)
    if seat == 0:
        for card in range(CARDS):
            s.hands[1, card] = s.spare[card]
    for card in range(CARDS):
        s.spare[card] = 0


@kernel
def show_card(s, seat):
    """Seat 0 sees whether seat 1 has the highest card."""
    shown = s.hands[1, TOP]
    hush_hide(s, seat)
    if seat == 0:
        s.hands[1, TOP] = shown


@kernel
def show_card_to_all(s, seat):
    """Everybody sees whether seat 1 has the highest card."""
    shown = s.hands[1, TOP]
    hush_hide(s, seat)
    s.hands[1, TOP] = shown


@kernel
def show_lowest(s, seat):
    """Seat 0 sees the lowest card of seat 1; what it imagines may be lower."""
    lowest = -1
    for card in range(TOP, -1, -1):
        if s.hands[1, card] == 1:
            lowest = card
    hush_hide(s, seat)
    if seat == 0 and lowest >= 0:
        s.hands[1, lowest] = 1


@kernel
def show_spectators(s, seat):
    """Spectators see the hand of seat 2."""
    if seat >= 0:
        hush_hide(s, seat)
        return
    for other in range(2):
        for card in range(CARDS):
            if s.dealt == 1 and s.played[card] == 0:
                s.hands[other, card] = 0 if s.hands[2, card] == 1 else 2


@kernel
def note_highest(s):
    for seat in range(3):
        s.highest[seat] = -1
        for card in range(CARDS):
            if s.hands[seat, card] == 1:
                s.highest[seat] = card


@kernel
def noting_chance(s, rng):
    hush_chance(s, rng)
    note_highest(s)


@kernel
def generous_imagine(s, seat, rng):
    """Seat 1, or seat 2 if 1 imagines, surely gets the lowest of the unknown cards."""
    other = 2 if seat == 1 else 1
    if s.left[other] > 0:
        hush_give(s, other, 0)
    hush_imagine(s, seat, rng)


@kernel
def late_generous_imagine(s, seat, rng):
    """The same three times of four, and only in the last trick."""
    other = 2 if seat == 1 else 1
    if s.tricks == 1 and s.in_trick == 1 and below(rng, 4) > 0 and s.left[other] > 0:
        hush_give(s, other, 0)
    hush_imagine(s, seat, rng)


@kernel
def stubborn_imagine(s, seat, rng):
    """The highest unknown card is always the one under the table."""
    top = -1
    for other in range(3):
        for card in range(CARDS):
            if s.hands[other, card] == 2:
                top = max(top, card)
    if top >= 0 and hush_free(s, (seat + 1) % 3) > 1:
        for other in range(3):
            if s.hands[other, top] == 2:
                s.hands[other, top] = 0
    hush_imagine(s, seat, rng)


class RoomyHush(CompiledHush):
    """Hush with room in its state for faults."""

    spec = replace(CompiledHush.spec, id="roomyhush")
    State = np.dtype(
        [
            *CompiledHush.State.descr,
            ("spare", np.int8, (CARDS,)),
            ("highest", np.int8, (3,)),  # highest card that was dealt to a seat
        ]
    )


def hush(spec=None, **functions):
    """Hush with a fault."""
    given = SimpleNamespace(**{**vars(RoomyHush.kernel), **functions})
    return type("FaultyHush", (RoomyHush,), {"kernel": given, "spec": replace(RoomyHush.spec, **(spec or {}))})()


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (hush(hide=defaults.hide, imagine=defaults.imagine), "hides nothing from seat 0"),
        (hush({"symmetric": False}, hide=defaults.hide, imagine=defaults.imagine), "hides nothing from seat 0"),
        (hush(hide=hide_from_others), "hides nothing from seat 0"),
        (hush(hide=show_hand), "seat 0 knows more of 'hands' than seat 1"),
        (hush(hide=show_card), "seat 0 knows more of 'hands' than seat 1"),
        (hush(hide=show_card_to_all), "knows more of 'hands'|not equally often"),
        (hush(hide=show_lowest), "what seat 0 imagines (does not fit what it sees|is not as likely)"),
        (hush(hide=show_spectators), "a spectator sees what is hidden from seat 0"),
        (hush(chance=noting_chance), "not as likely as the truth, see 'hands' and 'highest'"),
        (hush(imagine=generous_imagine), "the truth is none of the|not equally often"),
        (hush(imagine=late_generous_imagine), "worlds, but not equally often"),
        (hush(imagine=stubborn_imagine), "the truth is none of the"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_a_leak_or_an_unfair_imagination_is_found(game, said):
    with pytest.raises(AssertionError, match=said):
        for seed in range(3):
            testing.check_views(game, seed)
            testing.check_hidden(game, seed)


def test_a_biased_imagination_is_found_without_counting_worlds():
    with pytest.raises(AssertionError, match="not as likely as the truth, see 'hands'"):
        testing.check_imagination(hush(imagine=generous_imagine), seed=1)


def test_seats_that_know_unequally_much_can_be_declared():
    testing.check_hidden(hush({"symmetric": False}, hide=show_hand), seed=1)


@pytest.mark.parametrize("game", [hush(), CompiledHush(), CompiledWhisper()])
def test_without_a_fault_nothing_is_found(game):
    for seed in range(5):
        testing.check_views(game, seed)
        testing.check_hidden(game, seed)


def test_check_game_looks_at_hidden_information():
    with pytest.raises(AssertionError, match="hides nothing"):
        testing.check_game(hush(hide=defaults.hide, imagine=defaults.imagine), seed=1)
