"""Four tiny games in plain Python, to prove the contract on more than the product's games.

Whisper: two seats, six hidden cards, three tricks. Chance deals; the leader plays a card, the other answers; the higher
card takes the trick (one point) and leads. Hidden information, one actor.

Hush: three seats, seven hidden cards, two tricks; one card stays under the table. Hidden information, several worlds to
imagine.

Claim: three seats, three rounds. A die (1, 2 or 3, enumerable) gives the round its value; all seats name a number from
1 to 3 at the same moment; whoever alone named the highest number that nobody else named gets it times the value.
Simultaneous moves with chance.

Nim: two seats, heaps of 3, 4 and 5. A seat takes one, two or three from one heap; who takes the last one wins. Neither
chance nor hidden information.
"""

from types import SimpleNamespace

import numpy as np

from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel
from spielwerk.core.spec import Spec

NOBODY, UNKNOWN = -1, -1


# --- Whisper ---------------------------------------------------------------------------------------------------------


@kernel
def whisper_start(s, seats, options):
    s.dealt = 0
    s.table = UNKNOWN
    for seat in range(2):
        for card in range(6):
            s.hands[seat, card] = 0


@kernel
def whisper_actors(s):
    if s.dealt == 0:
        return 0
    if s.tricks == 3:
        return -1
    return 1 << s.turn


@kernel
def whisper_legal(s, seat, out):
    count = 0
    for card in range(6):
        if s.hands[seat, card] == 1:
            out[count] = card
            count += 1
    return count


@kernel
def whisper_apply(s, joint):
    card = joint[s.turn]
    s.hands[s.turn, card] = 0
    s.played[card] = 1
    if s.table == UNKNOWN:
        s.table = card
        s.turn = 1 - s.turn
        return
    if card < s.table:
        s.turn = 1 - s.turn
    s.points[s.turn] += 1
    s.table = UNKNOWN
    s.tricks += 1


@kernel
def whisper_chance(s, rng):
    left = 6
    for _ in range(3):
        nth = below(rng, left)
        for card in range(6):
            if s.hands[0, card] == 0:
                if nth == 0:
                    s.hands[0, card] = 1
                    break
                nth -= 1
        left -= 1
    for card in range(6):
        s.hands[1, card] = 1 - s.hands[0, card]
    s.dealt = 1


@kernel
def whisper_score(s, out):
    for seat in range(2):
        out[seat] = s.points[seat]


@kernel
def whisper_hide(s, seat):
    """A hand that is not one's own becomes: 2 = a card of which it is unknown who holds it."""
    for other in range(2):
        if other != seat and s.dealt == 1:
            for card in range(6):
                if s.played[card] == 0 and (seat == -1 or s.hands[seat, card] == 0):
                    s.hands[other, card] = 2
                elif s.played[card] == 0:
                    s.hands[other, card] = 0


@kernel
def whisper_imagine(s, seat, rng):
    """With two seats the unknown cards are all the other's."""
    for card in range(6):
        if s.hands[1 - seat, card] == 2:
            s.hands[1 - seat, card] = 1


class Whisper(Game):
    spec = Spec(
        id="whisper",
        title="Whisper",
        summary="Three tricks with six hidden cards.",
        seats=(2,),
        moves=tuple(f"card {card + 1}" for card in range(6)),
        widest=3,
        longest=8,
        scale=3.0,
        objective="win",
        chance=True,
        hidden=True,
    )
    State = np.dtype(
        [
            ("hands", np.int8, (2, 6)),  # 1 = in the hand, 0 = not, 2 = unknown
            ("played", np.int8, (6,)),
            ("points", np.int8, (2,)),
            ("table", np.int8),  # the card that was led, -1 = none
            ("turn", np.int8),
            ("tricks", np.int8),
            ("dealt", np.int8),
        ]
    )
    kernel = SimpleNamespace(
        start=whisper_start,
        actors=whisper_actors,
        legal=whisper_legal,
        apply=whisper_apply,
        chance=whisper_chance,
        score=whisper_score,
        hide=whisper_hide,
        imagine=whisper_imagine,
    )
    compiled = False

    def chance_text(self, before, after):
        return "seat 0 gets " + " ".join(str(card + 1) for card in range(6) if after["hands"][0, 0, card])

    def chance_apply(self, states, text):
        cards = [int(card) - 1 for card in text.removeprefix("seat 0 gets ").split()]
        for card in range(6):
            states["hands"][0, 0, card] = card in cards
            states["hands"][0, 1, card] = card not in cards
        states["dealt"][0] = 1


class CompiledWhisper(Whisper):
    """The same rules, compiled."""

    compiled = True


# --- Hush ------------------------------------------------------------------------------------------------------------

CARDS = 7


@kernel
def hush_start(s, seats, options):
    s.best = UNKNOWN


@kernel
def hush_actors(s):
    if s.dealt == 0:
        return 0
    if s.tricks == 2:
        return -1
    return 1 << s.turn


@kernel
def hush_legal(s, seat, out):
    count = 0
    for card in range(CARDS):
        if s.hands[seat, card] == 1:
            out[count] = card
            count += 1
    return count


@kernel
def hush_apply(s, joint):
    card = joint[s.turn]
    s.hands[s.turn, card] = 0
    s.left[s.turn] -= 1
    s.played[card] = 1
    if card > s.best:
        s.best = card
        s.winner = s.turn
    s.in_trick += 1
    s.turn = (s.turn + 1) % 3
    if s.in_trick == 3:
        s.points[s.winner] += 1
        s.turn = s.winner
        s.best = UNKNOWN
        s.in_trick = 0
        s.tricks += 1


@kernel
def hush_chance(s, rng):
    for seat in range(3):
        s.left[seat] = 2
        for card in range(CARDS):
            s.hands[seat, card] = 2
    hush_imagine(s, -1, rng)
    s.dealt = 1


@kernel
def hush_score(s, out):
    for seat in range(3):
        out[seat] = s.points[seat]


@kernel
def hush_hide(s, seat):
    """A hand that is not one's own becomes: 2 = a card of which it is unknown who holds it."""
    for other in range(3):
        if other != seat and s.dealt == 1:
            for card in range(CARDS):
                if s.played[card] == 0:
                    s.hands[other, card] = 0 if seat >= 0 and s.hands[seat, card] == 1 else 2


@kernel
def hush_imagine(s, seat, rng):
    """Every other seat gets as many of the unknown cards as it must have; what it is known to hold stays."""
    for other in range(3):
        if other != seat:
            missing = np.int64(s.left[other])
            for card in range(CARDS):
                missing -= s.hands[other, card] == 1
            for _ in range(missing):
                hush_give(s, other, below(rng, hush_free(s, other)))
    for other in range(3):
        for card in range(CARDS):
            if s.hands[other, card] == 2:
                s.hands[other, card] = 0


@kernel
def hush_is_free(s, seat, card):
    """Whether the seat may hold the card and nobody is known to."""
    return s.hands[seat, card] == 2 and s.hands[0, card] != 1 and s.hands[1, card] != 1 and s.hands[2, card] != 1


@kernel
def hush_free(s, seat):
    count = 0
    for card in range(CARDS):
        count += hush_is_free(s, seat, card)
    return count


@kernel
def hush_give(s, seat, nth):
    """The seat gets the nth of the cards that it may hold."""
    for card in range(CARDS):
        if hush_is_free(s, seat, card):
            if nth == 0:
                s.hands[seat, card] = 1
                return
            nth -= 1


class Hush(Game):
    spec = Spec(
        id="hush",
        title="Hush",
        summary="Two tricks with seven hidden cards.",
        seats=(3,),
        moves=tuple(f"card {card + 1}" for card in range(CARDS)),
        widest=2,
        longest=7,
        scale=2.0,
        objective="win",
        chance=True,
        hidden=True,
    )
    State = np.dtype(
        [
            ("hands", np.int8, (3, CARDS)),  # 1 = in the hand, 0 = not, 2 = unknown
            ("played", np.int8, (CARDS,)),
            ("left", np.int8, (3,)),  # cards in the hand
            ("points", np.int8, (3,)),
            ("best", np.int8),  # highest card of the trick, -1 = none
            ("winner", np.int8),  # who played it
            ("in_trick", np.int8),
            ("turn", np.int8),
            ("tricks", np.int8),
            ("dealt", np.int8),
        ]
    )
    kernel = SimpleNamespace(
        start=hush_start,
        actors=hush_actors,
        legal=hush_legal,
        apply=hush_apply,
        chance=hush_chance,
        score=hush_score,
        hide=hush_hide,
        imagine=hush_imagine,
    )
    compiled = False

    def chance_text(self, before, after):
        hands = after["hands"][0]
        return " | ".join(" ".join(str(card + 1) for card in range(CARDS) if hands[seat, card]) for seat in range(3))

    def chance_apply(self, states, text):
        for seat, cards in enumerate(text.split(" | ")):
            for card in cards.split():
                states["hands"][0, seat, int(card) - 1] = 1
            states["left"][0, seat] = 2
        states["dealt"][0] = 1


class CompiledHush(Hush):
    """The same rules, compiled."""

    compiled = True


# --- Claim -----------------------------------------------------------------------------------------------------------


@kernel
def claim_start(s, seats, options):
    s.rounds = 3


@kernel
def claim_actors(s):
    if s.value > 0:
        return 7
    if s.rounds == 0:
        return -1
    return 0


@kernel
def claim_legal(s, seat, out):
    for number in range(3):
        out[number] = number
    return 3


@kernel
def claim_apply(s, joint):
    for number in range(2, -1, -1):
        owner = NOBODY
        for seat in range(3):
            if joint[seat] == number:
                owner = seat if owner == NOBODY else 3
        if 0 <= owner < 3:
            s.points[owner] += (number + 1) * s.value
            break
    s.value = 0
    s.rounds -= 1


@kernel
def claim_chance(s, rng):
    s.value = 1 + below(rng, 3)


@kernel
def claim_score(s, out):
    for seat in range(3):
        out[seat] = s.points[seat]


@kernel
def claim_outcomes(s, ids, probs):
    for value in range(3):
        ids[value] = value + 1
        probs[value] = 1 / 3
    return 3


@kernel
def claim_happen(s, outcome):
    s.value = outcome


class Claim(Game):
    spec = Spec(
        id="claim",
        title="Claim",
        summary="Name the highest number that nobody else names.",
        seats=(3,),
        moves=("one", "two", "three"),
        widest=3,
        longest=6,
        scale=27.0,
        objective="win",
        chance=True,
        simultaneous=True,
        outcomes=3,
    )
    State = np.dtype([("points", np.int64, (3,)), ("rounds", np.int8), ("value", np.int8)])
    kernel = SimpleNamespace(
        start=claim_start,
        actors=claim_actors,
        legal=claim_legal,
        apply=claim_apply,
        chance=claim_chance,
        score=claim_score,
        outcomes=claim_outcomes,
        happen=claim_happen,
    )
    compiled = False


class CompiledClaim(Claim):
    """The same rules, compiled."""

    compiled = True


# --- Nim -------------------------------------------------------------------------------------------------------------


@kernel
def nim_start(s, seats, options):
    for heap in range(3):
        s.heaps[heap] = 3 + heap


@kernel
def nim_actors(s):
    if s.heaps[0] + s.heaps[1] + s.heaps[2] == 0:
        return -1
    return 1 << s.turn


@kernel
def nim_legal(s, seat, out):
    count = 0
    for heap in range(3):
        for taken in range(1, min(s.heaps[heap], 3) + 1):
            out[count] = 3 * heap + taken - 1
            count += 1
    return count


@kernel
def nim_apply(s, joint):
    action = joint[s.turn]
    s.heaps[action // 3] -= 1 + action % 3
    s.turn = 1 - s.turn


@kernel
def nim_chance(s, rng):
    """Nothing is left to chance."""


@kernel
def nim_score(s, out):
    for seat in range(2):
        out[seat] = 1 if nim_actors(s) < 0 and s.turn != seat else 0


class Nim(Game):
    spec = Spec(
        id="nim",
        title="Nim",
        summary="Who takes the last one wins.",
        seats=(2,),
        moves=tuple(f"{taken} of heap {heap}" for heap in (1, 2, 3) for taken in (1, 2, 3)),
        widest=9,
        longest=12,
        scale=1.0,
        objective="win",
    )
    State = np.dtype([("heaps", np.int8, (3,)), ("turn", np.int8)])
    kernel = SimpleNamespace(
        start=nim_start,
        actors=nim_actors,
        legal=nim_legal,
        apply=nim_apply,
        chance=nim_chance,
        score=nim_score,
    )
    compiled = False


class CompiledNim(Nim):
    """The same rules, compiled."""

    compiled = True
