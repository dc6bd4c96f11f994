"""Hidden information: views hide it, imagination fills it in fairly, and no seat knows more than it should.

What a seat may know is written nowhere but in `hide`, so one view does not tell whether it leaks. A leak shows in that

- nothing differs between the state and the view (`check_hides`);
- what is imagined does not look like the view again, or a spectator sees what a seat does not (`check_views`);
- what is imagined is not as likely as the truth, because it contradicts what has leaked (`check_imagination`);
- one seat knows more than another before anybody has decided (`check_imagination`).

A leak to every seat alike that `imagine` respects cannot be told from a rule of the game.
"""

from collections import Counter
from itertools import permutations
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from spielwerk.core.game import Game, padded
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.rng import Rng, pick, seed_of, spawn
from spielwerk.core.position import SPECTATOR, Position, View, duplicate
from spielwerk.testing.walks import must, random_walk

IMPLAUSIBLE = 1e-6  # a chance below which an accident is not believed
DEPTHS = (0, 0, 0, 1, 2, 3)  # decisions after which truth and imagination are compared
FEW = 25  # worlds that are counted one by one
CLEARLY, POSSIBLY = 9.0, 3.0  # standard deviations


def check_hidden(game: Game, seed: int = 0, most: int = 400) -> None:
    """All that a game with hidden information must hold beyond `check_views`."""
    if game.spec.hidden:
        check_hides(game, seed, most)
        check_few_worlds(game, seed, most)
        check_imagination(game, seed)


def check_views(game: Game, seed: int, most: int = 400) -> None:
    """A view hides once and for all, keeps what the seat may do, and what is imagined from it looks the same again and
    can be played on; a spectator sees no more than any seat."""
    for number, position in enumerate(random_walk(game, seed, most)):
        public = position.view(SPECTATOR).state.tobytes()
        for seat in (*range(game.seats), SPECTATOR):
            view = position.view(seat)
            must(
                hidden_again(view, seat) == view.state.tobytes(), position, f"hiding twice from seat {seat} changes it"
            )
            must(view.actor_set == position.actor_set, position, f"seat {seat} sees other actors")
            must(view.score == position.score, position, f"seat {seat} sees another score")
            if seat == SPECTATOR:
                continue
            must(view.legal == position.legal(seat), position, f"seat {seat} sees other legal actions than it has")
            seen = hidden_again(view, SPECTATOR)
            must(seen == public, position, f"a spectator sees what is hidden from seat {seat}")
            imagined = view.imagine(spawn(seed, number, seat))
            must(
                imagined.view(seat).state.tobytes() == view.state.tobytes(),
                position,
                f"what seat {seat} imagines does not fit what it sees",
            )
            if game.spec.hidden and number % 5 == 0:
                check_goes_on(imagined, spawn(seed, 3, number, seat), f"in what seat {seat} imagines")
            if not game.spec.hidden:
                must(view.state.tobytes() == position.state.tobytes(), position, "a view hides what is declared open")


def hidden_again(view: View, seat: int) -> bytes:
    """The view with what `seat` cannot know erased as well."""
    state = duplicate(view.state)
    view.game.call(entry.hide_at, state, seat)
    return state.tobytes()


def check_goes_on(position: Position, rng: Rng, where: str, most: int = 12) -> None:
    """Whoever must decide can, for some moves."""
    for _ in range(most):
        legal = {seat: position.legal(seat) for seat in position.actors}
        must(all(legal.values()), position, f"{where} somebody must decide and cannot")
        if position.over:
            return
        position.play({seat: actions[pick(rng, len(actions))] for seat, actions in legal.items()})


def check_hides(game: Game, seed: int = 0, most: int = 400, matches: int = 3) -> None:
    """Something is hidden at some time: from every seat if they know equally much, else from one."""
    blind: set[int] = set()
    for match in range(matches):
        for position in random_walk(game, seed + match, most):
            truth = position.state.tobytes()
            blind |= {seat for seat in range(game.seats) if position.view(seat).state.tobytes() != truth}
    wanted = set(range(game.seats)) if game.spec.symmetric else blind or {0}
    assert wanted <= blind, (
        f"{game.spec.title} is declared hidden, but in {matches} random matches hide(s, seat) hides nothing from seat "
        f"{min(wanted - blind, default=0)}"
    )


def check_few_worlds(game: Game, seed: int = 0, most: int = 400, tests: int = 8) -> None:
    """Where a seat can imagine only a few worlds, the truth is one of them and all come equally often; asked at `tests`
    positions."""
    tested = 0
    for number, position in enumerate(random_walk(game, seed, most)):
        seats = [(number + step) % game.seats for step in range(game.seats)]
        if position.over or tested == tests:
            return
        tested += any(worlds_are_even(position, seat, spawn(seed, 91, number, seat)) for seat in seats)


def worlds_are_even(position: Position, seat: int, rng: Rng) -> bool:
    """Whether a seat can imagine a few worlds, more than one; they must have the truth among them and be even."""
    view = position.view(seat)
    worlds = Counter(view.imagine(rng).state.tobytes() for _ in range(2 * FEW))
    if len(worlds) > FEW:
        return False
    worlds.update(view.imagine(rng).state.tobytes() for _ in range(40 * len(worlds)))
    there = position.state.tobytes() in worlds
    must(there, position, f"the truth is none of the {len(worlds)} worlds that seat {seat} imagines")
    expected = worlds.total() / len(worlds)
    surprise = sum((count - expected) ** 2 / expected for count in worlds.values())
    plausible = float(gammaincc(max(len(worlds) - 1, 1) / 2, surprise / 2))
    must(
        plausible > IMPLAUSIBLE,
        position,
        f"seat {seat} imagines {len(worlds)} worlds, but not equally often (p = {plausible:.1e})",
    )
    return len(worlds) > 1


# --- truth and imagination over many matches -------------------------------------------------------------------------


def check_imagination(game: Game, seed: int = 0, draws: int = 600) -> None:
    """What is imagined is as likely as the truth, and before the first decision no seat knows more than another.

    The truth and a world imagined from its view can be exchanged: over many matches every bit of the state, and every
    pair of bits, must be set in the one as often as in the other. That needs no list of worlds, and also finds a field
    that tells of what is hidden and that `imagine` does not fill in to fit.
    """
    truth: list[Any] = []
    imagined: list[list[Any]] = [[] for _ in range(game.seats)]
    begins: list[bool] = []
    for number in range(draws):
        decisions = DEPTHS[number % len(DEPTHS)]
        position = evenly_played(game, spawn(seed, 90, number), decisions)
        if position is None:
            continue
        begins.append(decisions == 0)
        truth.append(position.state)
        for seat in range(game.seats):
            imagined[seat].append(position.view(seat).imagine(spawn(seed, 89, number, seat)).state)
    true = np.concatenate(truth)
    worlds = [np.concatenate(states) for states in imagined]
    for seat in range(game.seats):
        _must_be_likely(game, seat, true, worlds[seat])
    if game.spec.symmetric:
        first = np.array(begins)
        _must_know_alike(game, [_wrong(game, true[first], states[first]) for states in worlds])


def evenly_played(game: Game, rng: Rng, decisions: int) -> Position | None:
    """A position after some decisions, every legal way of playing being equally likely; None if this draw came to none.

    With random legal moves a deal that leaves few choices would be more likely than others after the same moves, which
    nobody imagines. So one of `widest` places is drawn, and the match given up if there is no legal action in it.
    """
    position = game.new(seed_of(rng))
    for _ in range(decisions):
        moves: dict[int, int | str] = {}
        for seat in position.actors:
            legal, place = position.legal(seat), pick(rng, game.spec.widest)
            if place >= len(legal):
                return None
            moves[seat] = legal[place]
        if not moves:
            return None
        position.play(moves)
    return position


def _must_be_likely(game: Game, seat: int, true: NDArray[Any], imagined: NDArray[Any]) -> None:
    """The two differ in a match as a fair coin decides, so that Hoeffding's inequality bounds how far the sums may be
    apart; no pair of bits may exceed it."""
    size = true.dtype.itemsize
    bits = [np.unpackbits(states.view(np.uint8).reshape(-1, size), axis=1) for states in (true, imagined)]
    used = np.flatnonzero(np.ptp(np.concatenate(bits), axis=0))
    if not len(used):
        return
    one, other = (each[:, used].astype(np.float32) for each in bits)
    both = one * other
    often, as_often, together = one.T @ one, other.T @ other, both.T @ both
    differing = np.maximum(often + as_often - 2 * together, 1)
    surprise = (often - as_often) ** 2 / (2 * differing)
    worst = np.unravel_index(np.argmax(surprise), surprise.shape)
    fields = sorted({_field_at(game, int(used[place]) // 8) for place in worst})
    assert surprise[worst] < log(2 * surprise.size / IMPLAUSIBLE), (
        f"{game.spec.title}: what seat {seat} imagines is not as likely as the truth, see {' and '.join(fields)}: in "
        f"{len(true)} matches {int(often[worst])} to {int(as_often[worst])}; hide must erase all that tells of what is "
        "hidden, and imagine must fill it in to fit, every consistent world equally likely"
    )


def _field_at(game: Game, byte: int) -> str:
    """The field of the state to which a byte belongs."""
    fields: Any = padded(game.layout).fields
    return next(f"'{name}'" for name, (kind, first, *_) in fields.items() if first <= byte < first + kind.itemsize)


def _wrong(game: Game, true: NDArray[Any], imagined: NDArray[Any]) -> dict[str, NDArray[np.bool_]]:
    """Per field which of its numbers are imagined otherwise than they are, one row per match."""
    return {name: (true[name] != imagined[name]).reshape(len(true), -1) for name in game.layout.names or ()}


def _must_know_alike(game: Game, wrong: list[dict[str, NDArray[np.bool_]]]) -> None:
    """What one seat knows better than another is made up for by as much that the other knows better."""
    for knowing, other in permutations(range(game.seats), 2):
        ahead: dict[str, int] = {}
        behind = 0
        for name in wrong[knowing]:
            gap = wrong[other][name].astype(np.int64) - wrong[knowing][name]
            deviations = gap.sum(axis=0) / np.sqrt(np.maximum(np.abs(gap).sum(axis=0), 1))
            ahead[name] = int((deviations > CLEARLY).sum())
            behind += int((deviations < -POSSIBLY).sum())
        fields = " and ".join(f"'{name}'" for name, count in ahead.items() if count)
        assert sum(ahead.values()) <= behind, (
            f"{game.spec.title}: seat {knowing} knows more of {fields} than seat {other} before anybody has decided; "
            "hide must erase it, or Spec(symmetric=False) declare that the rules mean it so"
        )
