"""spielwerk solve jass: what an open deal is worth if all four play perfectly, and which cards are best.

A question is written `MODE: HAND | HAND | HAND | HAND`, hands with the same number of cards from 1 to 9, and if need be
the leader: `spades leader=2: sJ s9 | h6 h7 | dA dK | c6 c7`. Without a question a random deal of six cards each is
solved.
"""

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from spielwerk.core.clock import Stopped, StopSign
from spielwerk.core.errors import InvalidMove
from spielwerk.core.game import Game
from spielwerk.core.linker import kernel, specialise
from spielwerk.core.position import Position
from spielwerk.games.jass.cards import CARDS, MODES, cards_of, hand_text, say, set_of
from spielwerk.games.jass.kernel.solve import Memory, new_memory, solve_state
from spielwerk.games.jass.kernel.table import ALL, PLAY

Report = Callable[[float, str], None]


@kernel
def solve_at(states, guess, memory):  # type: ignore[no-untyped-def]
    memory.age[0] += 1
    return solve_state(states[0], guess, memory)


def lead(position: Position, memory: Memory, guess: int = 0) -> int:
    """The lead of seats 0 and 2 over seats 1 and 3 from here to the end of the deal, in card points."""
    value = int(specialise(solve_at, position.game)(position.state, guess, memory))
    if memory.sign[0]:
        raise Stopped
    return value


def open_deal(game: Game, question: str) -> Position:
    """The position that a question describes."""
    head, colon, tail = question.partition(":")
    mode, _, rest = head.strip().partition(" ")
    leader = rest.strip().removeprefix("leader=") or "0"
    if not colon or mode not in MODES or leader not in ("0", "1", "2", "3"):
        modes = ", ".join(MODES)
        phrase = "Schieber Jass: write MODE [leader=0..3]: HAND | HAND | HAND | HAND; modes are {modes}"
        raise InvalidMove(say(phrase, modes=modes))
    hands = [set_of(part) for part in tail.split("|")]
    counts = {hand.bit_count() for hand in hands}
    if len(hands) != 4 or len(counts) != 1 or not 1 <= min(counts) <= 9 or sum(hands).bit_count() != 4 * min(counts):
        raise InvalidMove(say("Schieber Jass: an open deal has four hands with equally many different cards"))
    position = game.opening()
    state = position.state
    tricks = 9 - min(counts)
    gone = list(cards_of(int(ALL) & ~sum(hands)))
    for seat in range(4):  # who played what does not matter any more
        state["played"][0][seat] = sum(1 << card for card in gone[seat * tricks : (seat + 1) * tricks])
    state["history"][0][: len(gone)] = gone
    state["hands"][0] = hands
    state["mode"], state["phase"], state["tricks"] = MODES.index(mode), PLAY, tricks
    state["turn"] = state["leader"] = int(leader)
    if tricks:
        state["taken"][0] = 1  # both teams have scored: no match bonus
    return position


def random_question(seed: int, cards: int) -> str:
    rng = random.Random(seed)
    deck = rng.sample(range(36), 4 * cards)
    hands = [sum(1 << card for card in deck[cards * i : cards * (i + 1)]) for i in range(4)]
    return f"{rng.choice(MODES)}: " + " | ".join(hand_text(hand) for hand in hands)


def solver(game: Game, question: str | None, report: Report) -> dict[str, Any]:
    """The value of every card of the leader, the best line, and the points of both teams under perfect play."""
    question = question or random_question(0, 6)
    position = open_deal(game, question)
    stop = StopSign()  # Ctrl-C sets it
    memory = new_memory(20, stop)
    report(0.1, say("searching"))
    value = lead(position, memory)
    seat = position.actors[0]
    cards = {}
    for number, action in enumerate(position.legal(seat)):
        report(0.1 + 0.9 * number / 9, CARDS[action])
        cards[CARDS[action]] = _value_of(position, action, memory, value)
    sign = 1 if seat % 2 == 0 else -1
    best = max(cards, key=lambda card: sign * cards[card])
    return {
        "question": question,
        "lead of seats 0 and 2": value,
        "best card": best,
        "lead by card": cards,
        "line": " ".join(_line(position, memory)),
        "positions": int(memory.age[1]),
    }


def _value_of(position: Position, action: int, memory: Memory, guess: int) -> int:
    after = position.copy()
    before = _score(after)
    after.apply(action)
    gained = _score(after) - before
    return gained + (lead(after, memory, guess - gained) if _cards_left(after) else 0)


def _line(position: Position, memory: Memory) -> list[str]:
    """One perfect line to the end."""
    line, position = [], position.copy()
    while _cards_left(position):
        seat = position.actors[0]
        sign = 1 if seat % 2 == 0 else -1
        action = max(position.legal(seat), key=lambda action: sign * _value_of(position, action, memory, 0))
        position.apply(action)
        line.append(CARDS[action])
    return line


def _cards_left(position: Position) -> bool:
    return bool(np.any(position.state["hands"]))


def _score(position: Position) -> int:
    """The lead in this deal so far, not multiplied."""
    state = position.state[0]
    bonus = [int(state["bonus"]) * int(state["tricks"] == 9 and state["taken"][1 - side] == 0) for side in range(2)]
    return int(state["taken"][0]) - int(state["taken"][1]) + bonus[0] - bonus[1]
