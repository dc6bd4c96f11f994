"""Clever against a reference in plain Python, written from the rules by somebody who has not seen the kernel."""

import random
from typing import Any

import numpy as np
import pytest

import spielwerk as sw
from clever_reference import DICE, Reference
from spielwerk.core.game import Game
from spielwerk.core.kernel import entry
from spielwerk.games.clever.game import LETTERS, THESIS
from spielwerk.games.clever.kernel import terms
from spielwerk.games.clever.sheets import AREAS, PAD

pytestmark = pytest.mark.xdist_group("clever")

BONUS_MOVES = ("green X", "orange 4", "orange 5", "orange 6", "purple 6")
SWITCHES = (
    "wasted_picks",
    "random_tray",
    "short_end",
    "drawn_bonus",
    "loose_green",
    "loose_purple",
    "stale_roll",
    "every_step",
)


def cell(place: int) -> tuple[int, int]:
    return 1 + place // 4, 1 + place % 4


def move_of(action: int) -> tuple[Any, ...]:
    """An action of the kernel as the reference calls it."""
    if action in (terms.PASS, terms.AGAIN):
        return (("pass",), ("re-roll",))[action]
    if action < terms.IN_BLUE:
        die, place = ("yellow", "white")[(action - 2) // 16], (action - 2) % 16
        return ("mark", die, "yellow", cell(place))
    if action < terms.X_IN_YELLOW:
        area, by_white = AREAS[1 + (action - terms.IN_BLUE) // 2], (action - terms.IN_BLUE) % 2
        return ("mark", "white" if by_white else area, area, None)
    if action < terms.X_IN_BLUE:
        return ("bonus", "yellow X", cell(action - terms.X_IN_YELLOW))
    if action < terms.X_IN_GREEN:
        return ("bonus", "blue X", PAD.blue[action - terms.X_IN_BLUE])
    if action < terms.FREE_YELLOW:
        return ("bonus", BONUS_MOVES[action - terms.X_IN_GREEN], None)
    if action < terms.WASTE:
        return ("free", AREAS[action - terms.FREE_YELLOW])
    return ("waste", DICE[action - terms.WASTE])


def event_of(text: str) -> tuple[Any, ...]:
    """A chance event of a record as the reference calls it."""
    words = text.split()
    if words[0] == "seat":
        return ("begin", int(words[1]))
    if words[0] == "bonus":
        return ("draw", " ".join(words[1:]))
    names = dict(zip(LETTERS, DICE, strict=True))
    if "tray" in words:
        return ("roll", {names[w[0]]: int(w[1]) for w in words[:-2]}, {names[letter] for letter in words[-1]})
    return ("roll", {names[w[0]]: int(w[1]) for w in words})


def both(game: Game, agents: list[sw.Agent] | None, seed: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Play a match in both, which must agree at every moment; without agents at random. Returns the points of both."""
    reference = Reference(game.seats, **rules_of(game))
    position, rng = game.opening(seed), random.Random(seed)
    streams = [sw.spawn(seed, 1 + seat) for seat in range(game.seats)]
    while not position.over:
        if not position.actors:
            assert reference.waiting() == "chance"
            reference.chance(event_of(position.roll_noted()))
            continue
        assert reference.waiting() == set(position.actors), position.text
        joint = {}
        for seat in position.actors:
            legal = position.legal(seat)
            assert {move_of(action) for action in legal} == reference.moves(seat), position.text
            if agents is None:
                joint[seat] = rng.choice(legal)
            else:
                joint[seat] = agents[seat].decide(position.view(seat), sw.Budget(), streams[seat]).action
        position.apply(joint)
        reference.play({seat: move_of(action) for seat, action in joint.items()})
        assert position.score == tuple(reference.points(seat) for seat in range(game.seats)), position.text
    assert reference.waiting() == "over"
    state = position.state[0]
    for seat in range(game.seats):
        counters = reference.counters(seat)
        kept = {"foxes": "foxes", "re-rolls": "rerolls", "extras": "extras"}
        assert counters == {name: int(state[field][seat]) for name, field in kept.items()}
    results = np.zeros(game.seats)
    game.call(entry.result_at, position.state, results)
    assert set(np.flatnonzero(results == results.max()).tolist()) == reference.best()
    return position.score, tuple(float(reference.points(seat)) for seat in range(game.seats))


def rules_of(game: Game) -> dict[str, Any]:
    """The options of a table as the reference takes them."""
    names = [option.name for option in game.spec.options]
    return {name: int(game.options[names.index(name)]) for name in SWITCHES}


@pytest.mark.parametrize("seats", (1, 2, 3, 4))
@pytest.mark.parametrize("variant", ("official", "official,wasted_picks=0", "thesis"))
def test_random_matches_agree(seats: int, variant: str) -> None:
    game = sw.game("clever", seats, variant)
    for seed in range(8):
        ours, theirs = both(game, None, seed)
        assert ours == theirs


def test_single_deviations_agree() -> None:
    for name, value in [*THESIS.items(), ("short_end", 1)]:
        game = sw.game("clever", 1, f"official,{name}={value}")
        for seed in range(6):
            ours, theirs = both(game, None, seed)
            assert ours == theirs


@pytest.mark.slow
@pytest.mark.parametrize("seats", (1, 2, 3, 4))
def test_ten_thousand_random_matches_agree(seats: int) -> None:
    for variant in ("official", "official,wasted_picks=0", "thesis"):
        game = sw.game("clever", seats, variant)
        for seed in range(1000, 1900):
            ours, theirs = both(game, None, seed)
            assert ours == theirs


@pytest.mark.slow
def test_strong_matches_agree() -> None:
    """Strong players come to corners of the sheet that random ones hardly ever see."""
    game = sw.game("clever", 1)
    agent = sw.agent("net")
    for seed in range(10):
        ours, theirs = both(game, [agent], seed)
        assert ours == theirs and ours[0] > 150
