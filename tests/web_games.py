"""Small games for the tests of the web app: one with hidden cards, one in which all seats decide at once, one for a
single seat with moments.

cards      two seats get three of the cards 1 to 6 each; three tricks, the higher card takes a point and leads
laps       one seat walks or runs twice, then chance adds some points; what a lap brought must be seen; three laps
numbers    three seats name a number from 1 to 3 at once, three times; who alone names the highest gets it as points
"""

from types import SimpleNamespace

import numpy as np

from spielwerk.core.errors import InvalidMove
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel
from spielwerk.core.moment import Moment
from spielwerk.core.position import States, View
from spielwerk.core.spec import Spec

CardState = np.dtype(
    [
        ("dealt", np.int8),  # 0 = not yet
        ("hands", np.uint8, 2),  # bit set of the cards 0..5; 255 = not known to the one who looks
        ("led", np.int8),  # card on the table, -1 = none
        ("turn", np.int8),  # seat that decides
        ("points", np.int8, 2),
        ("played", np.int8),  # cards so far
        ("out", np.uint8),  # bit set of the cards that were played
    ]
)
UNKNOWN = 255


@kernel
def cards_start(s, seats, options):
    s.led = -1


@kernel
def cards_actors(s):
    if s.dealt == 0:
        return 0
    return -1 if s.played == 6 else 1 << s.turn


@kernel
def cards_legal(s, seat, out):
    count = 0
    for card in range(6):
        if (s.hands[seat] >> card) & 1:
            out[count] = card
            count += 1
    return count


@kernel
def cards_apply(s, joint):
    seat = s.turn
    card = joint[seat]
    if s.hands[seat] != UNKNOWN:
        s.hands[seat] &= ~(1 << card) & 63
    s.out |= 1 << card
    s.played += 1
    if s.led < 0:
        s.led = card
        s.turn = 1 - seat
        return
    winner = seat if card > s.led else 1 - seat
    s.points[winner] += 1
    s.turn = winner
    s.led = -1


@kernel
def cards_chance(s, rng):
    free = np.uint8(63)
    hand = np.uint8(0)
    for _ in range(3):
        while True:
            card = below(rng, 6)
            if (free >> card) & 1:
                break
        free &= ~(1 << card) & 63
        hand |= 1 << card
    s.hands[0] = hand
    s.hands[1] = free
    s.dealt = 1


@kernel
def cards_score(s, out):
    out[0] = s.points[0]
    out[1] = s.points[1]


@kernel
def cards_hide(s, seat):
    for other in range(2):
        if other != seat:
            s.hands[other] = UNKNOWN


@kernel
def cards_imagine(s, seat, rng):
    unseen = ~s.out & 63 & ~s.hands[seat]
    s.hands[1 - seat] = unseen


class Cards(Game):
    spec = Spec(
        id="cards",
        title="Three tricks",
        summary="Three cards each; the higher card takes the trick.",
        seats=(2,),
        moves=("one", "two", "three", "four", "five", "six"),
        widest=6,
        longest=8,
        scale=3.0,
        objective="win",
        chance=True,
        hidden=True,
        ladder=(("easy", "random"), ("strongest", "mc:iterations=20")),
    )
    State = CardState
    compiled = False
    kernel = SimpleNamespace(
        start=cards_start,
        actors=cards_actors,
        legal=cards_legal,
        apply=cards_apply,
        chance=cards_chance,
        score=cards_score,
        hide=cards_hide,
        imagine=cards_imagine,
    )

    def chance_text(self, before: States, after: States) -> str:
        return "|".join("".join(str(c + 1) for c in range(6) if int(hand) >> c & 1) for hand in after["hands"][0])

    def chance_apply(self, states: States, text: str) -> None:
        hands = [sum(1 << (int(c) - 1) for c in part if c in "123456") for part in text.split("|")]
        if len(hands) != 2 or hands[0] + hands[1] != 63 or hands[0].bit_count() != 3 or states["dealt"][0]:
            raise InvalidMove(f"'{text}' is no deal; write for example 135|246")
        states["hands"][0] = hands
        states["dealt"][0] = 1


NumberState = np.dtype([("rounds", np.int8), ("points", np.int16, 3), ("last", np.int8, 3)])


@kernel
def numbers_start(s, seats, options):
    return


@kernel
def numbers_actors(s):
    return -1 if s.rounds == 3 else 7


@kernel
def numbers_legal(s, seat, out):
    for i in range(3):
        out[i] = i
    return 3


@kernel
def numbers_apply(s, joint):
    best = max(joint[0], joint[1], joint[2])
    ties = 0
    for seat in range(3):
        s.last[seat] = joint[seat]
        if joint[seat] == best:
            ties += 1
    for seat in range(3):
        if joint[seat] == best and ties == 1:
            s.points[seat] += best + 1
    s.rounds += 1


@kernel
def numbers_chance(s, rng):
    return


@kernel
def numbers_score(s, out):
    for seat in range(3):
        out[seat] = s.points[seat]


class Numbers(Game):
    spec = Spec(
        id="numbers",
        title="Lonely number",
        summary="All name a number at once; who alone names the highest gets it.",
        seats=(3,),
        moves=("1", "2", "3"),
        widest=3,
        longest=3,
        scale=9.0,
        objective="win",
        simultaneous=True,
        ladder=(("easy", "random"), ("strongest", "mc:iterations=20")),
        keys={"x": "2", "ArrowUp": "3"},
        swipes={"left": "1"},
    )
    State = NumberState
    compiled = False
    kernel = SimpleNamespace(
        start=numbers_start,
        actors=numbers_actors,
        legal=numbers_legal,
        apply=numbers_apply,
        chance=numbers_chance,
        score=numbers_score,
    )


LapState = np.dtype([("steps", np.int8), ("laps", np.int8), ("points", np.int16)])


@kernel
def laps_start(s, seats, options):
    return


@kernel
def laps_actors(s):
    if s.steps == 2:
        return 0
    return -1 if s.laps == 3 else 1


@kernel
def laps_legal(s, seat, out):
    out[0] = 0
    out[1] = 1
    return 2


@kernel
def laps_apply(s, joint):
    s.steps += 1
    s.points += joint[0] + 1


@kernel
def laps_chance(s, rng):
    s.points += below(rng, 3)
    s.laps += 1
    s.steps = 0


@kernel
def laps_score(s, out):
    out[0] = s.points


class Laps(Game):
    spec = Spec(
        id="laps",
        title="Three laps",
        summary="Walk or run twice around.",
        seats=(1,),
        moves=("walk", "run"),
        widest=2,
        longest=9,
        scale=9.0,
        chance=True,
        ladder=(("easy", "random"), ("strongest", "mc:iterations=20")),
    )
    State = LapState
    compiled = False
    kernel = SimpleNamespace(
        start=laps_start,
        actors=laps_actors,
        legal=laps_legal,
        apply=laps_apply,
        chance=laps_chance,
        score=laps_score,
    )

    def chance_text(self, before: States, after: States) -> str:
        return f"+{int(after['points'][0] - before['points'][0])}"

    def chance_apply(self, states: States, text: str) -> None:
        if text not in ("+0", "+1", "+2") or states["steps"][0] != 2:
            raise InvalidMove(f"'{text}' cannot happen; write +0, +1 or +2 after two steps")
        states["points"][0] += int(text)
        states["laps"][0] += 1
        states["steps"][0] = 0

    def moment(self, before: View, after: View) -> Moment | None:
        if after.state["steps"][0] != 2:
            return None
        lap, points = int(after.state["laps"][0]) + 1, int(after.state["points"][0])
        return Moment(5.0, f"Lap {lap} is run", (("", "you"), ("points", str(points))))

    def news(self, before: View, after: View) -> list[str]:
        return [f"{int(after.state['points'][0])} points so far"] if after.state["steps"][0] == 2 else []


GAMES = (Cards, Numbers, Laps)
