"""Positions of Schieber Jass as people write them: what the seat that must decide knows, as `name=value` between `;`.

    hand=h6 h9 hJ dA c10 sQ sK; mode=hearts; played=d6 dK d7 d10 / s6 sA s7 s10; trick=c6 cA

    hand     the cards in the hand of the seat that must decide
    mode     hearts, diamonds, clubs, spades, obeabe or undeufe, or slalom-obeabe or slalom-undeufe by the mode of the
             first trick; left out = it is to be chosen now
    played   the finished tricks of this deal, all cards in order of play
    trick    the cards on the table, in order of play
    push     yes = the choice was pushed to the partner
    seat     the seat that must decide, from 1; left out = 1
    points   of seats 1 + 3 and 2 + 4 before this deal, as in 120:85
    deal     the number of the deal, from 1
    called   the points of the best Weis that a seat has announced, as in 2 20, 4 50
    weis     what was shown after the first trick, by seat, as in 2 h6 h7 h8, 4 sJ sQ sK

Who led what follows from the tricks. Cards are a suit and a rank: `hJ`, `H11`, `♥J` and `RosenU` are the same.
"""

import re
from typing import Any

import numpy as np

from spielwerk.core.agent import whole_number
from spielwerk.core.errors import InvalidMove, SpielwerkError, UnknownName, quoted
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.position import Position, View
from spielwerk.games.jass.cards import CARDS, MODES, SLALOMS, SUITS, SWISS, hand_text, say
from spielwerk.games.jass.kernel.table import (
    ANNOUNCED,
    FIRST_MODE,
    FIRST_SLALOM,
    OBEABE,
    POWERS,
    PUSH,
    clear_table_at,
    lacking_at,
)
from spielwerk.games.jass.kernel.weis import weis_agrees_at

KEYS = ("hand", "mode", "played", "trick", "push", "seat", "points", "deal", "called", "weis")
SIGNS = ("♥", "♦", "♣", "♠")
SUIT_NAMES = {
    name.lower(): suit for suit in range(4) for name in (SUITS[suit], SUITS[suit][0], SIGNS[suit], SWISS[suit])
}
RANK_LETTERS = {"b": 4, "u": 5, "o": 6, "j": 5, "q": 6, "k": 7, "a": 8}
RANK_NAMES = RANK_LETTERS | {str(number): number - 6 for number in range(6, 15)}
YES, NO = ("yes", "true", "1"), ("no", "false", "0", "")
MOST_POINTS = 30_000
BEST_WEIS = 300
LONGEST = 2000  # characters


# --- reading ---------------------------------------------------------------------------------------------------------


def read(game: Game, text: str) -> Position:
    """The position that is written; what the seat does not know is filled in at random, and fits what it knows."""
    parts = _parts(text)
    seat = _number("seat", parts.get("seat") or "1", 1, 4) - 1
    hand, trick, played = (_cards(parts.get(name, "")) for name in ("hand", "trick", "played"))
    shown, called = _weis(parts.get("weis", "")), _called(parts.get("called", ""))
    _each_once([*hand, *trick, *played])
    pushed = _pushed(parts.get("push", ""))
    chosen = _chosen(parts["mode"]) if parts.get("mode") else None
    if chosen is None and (trick or played):
        raise InvalidMove(say("Schieber Jass: cards have been played, so write which mode it is: mode=hearts"))
    if len(played) % 4 or len(trick) > 3:
        phrase = "Schieber Jass: tricks in played=… have four cards each, the one on the table (trick=…) up to three"
        raise InvalidMove(say(phrase))
    order = _order(chosen, played, trick)
    starter = (seat - order[-1] - (2 if chosen is None and pushed else 0)) % 4
    owners = [(starter + place) % 4 for place in order[:-1]]
    mine = [card for card, owner in zip([*played, *trick], owners, strict=True) if owner == seat]
    if len(hand) + len(mine) != 9:
        phrase = "Schieber Jass: seat {seat} has played {count} cards and so holds {left}, but hand=… has {given}"
        given = {"seat": seat + 1, "count": len(mine), "left": 9 - len(mine), "given": len(hand)}
        raise InvalidMove(say(phrase, **given))
    position = game.opening()
    state = position.state
    state["starter"] = starter
    game.call(clear_table_at, state)
    limit = int(state["limit"][0])
    latest = limit or 10_000
    state["deals"] = _number("deal", parts["deal"], 1, latest) - 1 if parts.get("deal") else min(starter, latest - 1)
    state["points"][0] = _points(parts.get("points", ""))
    held = [0, 0, 0, 0]
    for card, owner in zip([*played, *trick], owners, strict=True):
        held[owner] |= 1 << card
    held[seat] |= sum(1 << card for card in hand)
    for owner, cards in shown.items():
        held[owner] |= cards
    state["hands"][0] = held
    for owner, best in called.items():
        if not state["rules"][0] & ANNOUNCED or owner not in (*owners, seat) or chosen is None:
            raise InvalidMove(say("Schieber Jass: seat {seat} cannot have announced a Weis", seat=owner + 1))
        state["called"][0][owner] = best
    _play(position, chosen, pushed, [*played, *trick])
    return _filled(position, seat)


def _parts(text: str) -> dict[str, str]:
    if len(text) > LONGEST:
        raise InvalidMove(say("Schieber Jass: a position is written in at most {most} characters", most=LONGEST))
    parts: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in re.split(r"[;\n]", text))):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            phrase = "Schieber Jass: '{part}' says nothing of a position; write for example hand=h6 hJ …; mode=hearts"
            raise InvalidMove(say(phrase, part=quoted(part)))
        if name.lower() not in KEYS:
            raise InvalidMove(str(UnknownName(say("part of a position"), name, KEYS)))
        if name.lower() in parts:
            raise InvalidMove(say("Schieber Jass: {name}=… is there twice", name=name.lower()))
        parts[name.lower()] = value
    if "hand" not in parts:
        raise InvalidMove(say("Schieber Jass: a position needs the cards of the seat that must decide: hand=h6 hJ …"))
    return parts


def _cards(text: str) -> list[int]:
    return [_card(word) for word in re.split(r"[\s,/|]+", text) if word]


def _card(word: str) -> int:
    """'hJ', 'H11', '♥J' or 'RosenU' -> the card."""
    small = word.lower()
    for rank, number in RANK_NAMES.items():
        suit = SUIT_NAMES.get(small.removesuffix(rank).rstrip("-")) if small.endswith(rank) else None
        if suit is not None:
            return 9 * suit + number
    phrase = "Schieber Jass: '{name}' is no card; cards are h, d, c or s and a rank: h6 … h10 hJ … hA"
    raise InvalidMove(say(phrase, name=quoted(word)))


def _each_once(cards: list[int]) -> None:
    for number, card in enumerate(cards):
        if card in cards[:number]:
            raise InvalidMove(say("Schieber Jass: {card} is there twice", card=CARDS[card]))


def _chosen(text: str) -> int:
    """The action that chose the mode."""
    small = text.lower()
    if small in SUIT_NAMES:
        return FIRST_MODE + SUIT_NAMES[small]
    if small in SLALOMS:
        return FIRST_SLALOM + SLALOMS.index(small)
    if small not in MODES:
        raise InvalidMove(str(UnknownName(say("mode"), text, (*MODES, *SLALOMS))))
    return FIRST_MODE + MODES.index(small)


def _mode_of(chosen: int, trick: int) -> int:
    """The mode of a trick; the first is 0."""
    if chosen < FIRST_SLALOM:
        return chosen - FIRST_MODE
    return OBEABE + (chosen - FIRST_SLALOM + trick) % 2


def _pushed(text: str) -> bool:
    if text.lower() not in (*YES, *NO):
        raise InvalidMove(say("Schieber Jass: push=… takes yes or no, not '{text}'", text=quoted(text)))
    return text.lower() in YES


def _number(name: str, text: str, low: int, high: int) -> int:
    number = whole_number(text)
    if number is None or not low <= number <= high:
        phrase = "Schieber Jass: {name}=… takes a whole number from {low} to {high}, not '{text}'"
        raise InvalidMove(say(phrase, name=name, low=low, high=high, text=quoted(text)))
    return number


def _points(text: str) -> tuple[int, int]:
    found = [_number("points", part, 0, MOST_POINTS) for part in text.split(":")] if text else [0, 0]
    if len(found) != 2:
        raise InvalidMove(say("Schieber Jass: points=… takes those of both teams, as in 120:85"))
    return found[0], found[1]


def _weis(text: str) -> dict[int, int]:
    """'2 h6 h7 h8, 4 sJ sQ sK' -> the cards that seats have shown."""
    shown: dict[int, int] = {}
    for part in filter(None, (part.split() for part in text.split(","))):
        shown[_number("weis", part[0], 1, 4) - 1] = sum(1 << card for card in {_card(word) for word in part[1:]})
    return shown


def _called(text: str) -> dict[int, int]:
    """'2 20, 4 50' -> the points that seats have announced."""
    called: dict[int, int] = {}
    for part in filter(None, (part.split() for part in text.split(","))):
        if len(part) != 2:
            phrase = "Schieber Jass: called=… takes seats and the points they announced, as in 2 20, 4 50"
            raise InvalidMove(say(phrase))
        called[_number("called", part[0], 1, 4) - 1] = _number("called", part[1], 20, BEST_WEIS)
    return called


def _order(chosen: int | None, played: list[int], trick: list[int]) -> list[int]:
    """Who played each card and who is next, counted from the seat that began."""
    leader, order = 0, []
    for first in range(0, len(played), 4):
        four = played[first : first + 4]
        mode = _mode_of(chosen or FIRST_MODE, first // 4)
        powers = [int(POWERS[36 * (4 * mode + four[0] // 9) + card]) for card in four]
        order += [(leader + place) % 4 for place in range(4)]
        leader = (leader + powers.index(max(powers))) % 4
    return [*order, *((leader + place) % 4 for place in range(len(trick) + 1))]


def _play(position: Position, chosen: int | None, pushed: bool, cards: list[int]) -> None:
    """Play from the deal to the position. Everybody holds what he is known to play: whoever does not follow a suit that
    he plays later is found out."""
    if pushed:
        position.apply(PUSH)
    if chosen is None:
        return
    position.apply(chosen)
    for number, card in enumerate(cards):
        try:
            position.apply(card)
        except SpielwerkError as problem:
            phrase = "Schieber Jass: {card} cannot have been played as card {number} of the deal: {problem}"
            raise InvalidMove(say(phrase, card=CARDS[card], number=number + 1, problem=problem)) from problem


def _filled(position: Position, seat: int) -> Position:
    """The same with hands that fit for everybody else."""
    if position.actors != (seat,):
        raise InvalidMove(say("Schieber Jass: the deal is over in this position"))
    view = position.view(seat)
    found = Position(position.game, view.imagine(spawn(0)).state, position.seed)
    state = found.state[0]
    sizes = [int(state["hands"][other]).bit_count() + int(state["played"][other]).bit_count() for other in range(4)]
    weis_fit = not state["called"].any() or found.game.call(weis_agrees_at, found.state)
    if sizes != [9] * 4 or found.game.call(lacking_at, found.state) or not weis_fit:
        raise InvalidMove(say("Schieber Jass: no cards of the other seats fit what has been played"))
    return found


# --- writing ---------------------------------------------------------------------------------------------------------


def write(view: View) -> str:
    """What the seat of a view knows, as `read` reads it. Only for the seat that must decide."""
    s = view.state[0]
    if view.actors != (view.seat,):
        raise SpielwerkError(say("Schieber Jass: a position is written by the seat that must decide"))
    tricks, in_trick = int(s["tricks"]), int(s["in_trick"])
    cards = [CARDS[int(card)] for card in s["history"][: 4 * tricks + in_trick]]
    before = s["points"].astype(np.int64) - s["gained"]
    shown = [f"{other + 1} {hand_text(int(s['shown'][other]))}" for other in range(4) if s["shown"][other]]
    called = [f"{other + 1} {int(s['called'][other])}" for other in range(4) if s["called"][other]]
    parts = {
        "hand": hand_text(int(s["hands"][view.seat])),
        "mode": _mode_text(s),
        "played": " / ".join(" ".join(cards[4 * number : 4 * number + 4]) for number in range(tricks)),
        "trick": " ".join(cards[4 * tricks :]),
        "push": "yes" if s["pushed"] else "",
        "seat": str(view.seat + 1),
        "points": f"{before[0]}:{before[1]}" if before.any() else "",
        "deal": str(int(s["deals"]) + 1),
        "called": ", ".join(called),
        "weis": ", ".join(shown),
    }
    return "; ".join(f"{name}={value}" for name, value in parts.items() if value)


def _mode_text(s: Any) -> str:
    mode = int(s["mode"])
    if s["slalom"]:
        return SLALOMS[(mode - OBEABE + int(s["tricks"])) % 2]
    return MODES[mode] if mode >= 0 else ""
