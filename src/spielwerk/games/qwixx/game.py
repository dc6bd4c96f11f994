"""Qwixx: spec, notation, text picture, statistics."""

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from spielwerk.core.errors import InvalidMove
from spielwerk.core.game import Game
from spielwerk.core.moment import Moment
from spielwerk.core.position import States, View
from spielwerk.core.spec import Look, Option, Rung, Spec, Variant
from spielwerk.core.words import seat_number
from spielwerk.games.qwixx import moments
from spielwerk.games.qwixx import view as pictures
from spielwerk.games.qwixx.kernel import features as inputs
from spielwerk.games.qwixx.kernel import rules as kernel
from spielwerk.games.qwixx.layouts import COLOURS, LAYOUTS

ROLLED = re.compile(r"([1-6])\+([1-6]) red ([1-6]) yellow ([1-6]) green ([1-6]) blue ([1-6])")
BEGINS = re.compile(r"seat ([0-4]) begins")

SHEETS = tuple(layout.name for layout in LAYOUTS)
STUDY = {"late_closing": 1, "late_end": 1, "same_turn_lock": 0, "passive_misthrow": 1}


class Qwixx(Game):
    """The dice game by Steffen Benndorf (2012): everybody crosses the white sum, the active seat one more."""

    spec = Spec(
        id="qwixx",
        title="Qwixx",
        summary="Cross numbers from left to right in four rows; everybody may use the white dice of every roll.",
        seats=(2, 1, 3, 4, 5),
        moves=("pass", *(f"{colour} {number}" for colour in COLOURS for number in range(2, 13)), "misthrow"),
        widest=9,
        longest=3 * kernel.MOST_SEATS * 48 + 1,  # every turn fills a cell or a misthrow of the active seat's sheet
        scale=100.0,
        objective="margin",
        options=(
            Option("late_closing", 0, 0, 1, "a row closes at the end of the turn, not at once", "late closing"),
            Option("late_end", 0, 0, 1, "the match ends at the end of the turn, not at once", "late end"),
            Option("same_turn_lock", 1, 0, 1, "a white cross helps to lock a row in the same turn", "quick lock"),
            Option("passive_misthrow", 0, 0, 1, "others than the roller may take a misthrow, too", "misthrows for all"),
            Option("layout", 0, 0, len(LAYOUTS) - 1, "what is printed on the sheets", "sheet", SHEETS),
        ),
        variants={
            "official": Variant("Official", "as the rules in the box have it"),
            "study": Variant("Study", "as in Janetzki's thesis: all is settled at the end of the turn", STUDY),
            "late-end": Variant("Late end", "everybody finishes the last turn", {"late_end": 1}),
            "shuffled": Variant("Mixed numbers", "the numbers of every row are mixed", {"layout": 1}),
            "striped": Variant("Striped", "colours change within the rows", {"layout": 2}),
        },
        looks=(Look("colours", "colours", {"box": "As in the box", "safe": "For colour-blind eyes"}),),
        chance=True,
        luck="dice",
        simultaneous=True,
        ladder=(
            Rung("beginner", "gap:k=4", 98.4, 0.2),
            Rung("easy", "gap:k=3", 59.4, 0.7),
            Rung("medium", "alphaqwixx", 59.9, 0.9),
            Rung("hard", "gap:endgame=true", 59.8, 0.8),
            Rung("strongest", "pairvalue:samples=32", 59.0, 3.4),
        ),
    )
    State = kernel.State
    kernel: ClassVar[Any] = kernel

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        return super().functions | {"features": inputs.features}

    @property
    def features(self) -> int:
        return inputs.SEAT * self.seats + inputs.TABLE

    def chance_text(self, before: States, after: States) -> str:
        """Who begins (`seat 1 begins`), then the dice: `3+5 red 2 yellow 6 green 1 blue 4`."""
        if before["active"][0] < 0:
            return f"seat {int(after['active'][0])} begins"
        white = "+".join(str(int(die)) for die in after["white"][0])
        dice = (f"{colour} {int(die)}" for colour, die in zip(COLOURS, after["coloured"][0], strict=True))
        return " ".join([white, *dice])

    def chance_apply(self, states: States, text: str) -> None:
        if states["active"][0] < 0:
            found = BEGINS.fullmatch(text)
            if found is None or int(found[1]) >= self.seats:
                phrase = "Qwixx: '{text}' does not say who begins; write for example 'seat 0 begins'"
                raise InvalidMove(self.say(phrase, text=text))
            self.call(kernel.begin_at, states, int(found[1]))
            return
        found = ROLLED.fullmatch(text)
        if found is None:
            phrase = "Qwixx: '{text}' is no roll; write for example '3+5 red 2 yellow 6 green 1 blue 4'"
            raise InvalidMove(self.say(phrase, text=text))
        dice = [int(die) for die in found.groups()]
        states["white"][0] = dice[:2]
        states["coloured"][0] = dice[2:]
        self.call(kernel.begin_turn_at, states)

    def heard(self, event: str, seat: int) -> str:
        begins, rolled = BEGINS.fullmatch(event), ROLLED.fullmatch(event)
        if begins:
            return self.say("seat {seat} begins", seat=seat_number(int(begins[1])))
        if not rolled:
            return event
        dice = [self._cell_name(colour, int(die)) for colour, die in zip(COLOURS, rolled.groups()[2:], strict=True)]
        return ", ".join([self.say("white {first} + {second}", first=rolled[1], second=rolled[2]), *dice])

    def move_name(self, action: int) -> str:
        colour, _, number = self.spec.moves[action].partition(" ")
        return self._cell_name(colour, int(number)) if number else self.say(colour)

    def _cell_name(self, colour: str, number: int) -> str:
        return self.say("{colour} {number}", colour=self.say(colour), number=number)

    def text(self, view: View) -> str:
        return pictures.text(view)

    def svg(self, view: View) -> str:
        return pictures.svg(view)

    def moment(self, before: View, after: View) -> Moment | None:
        return moments.moment(before, after)

    def news(self, before: View, after: View) -> list[str]:
        return moments.news(before, after)

    def spread(self, view: View, expected: float) -> float:
        """Of the lead over the best other: 30 points with two seats to 20 with five; of the points alone 25."""
        return 25.0

    def extras(self, finals: States) -> dict[str, Any]:
        """Turns per match, how matches ended, crosses and misthrows per sheet."""
        sheets = self.seats
        misthrows = finals["penalties"][:, :sheets]
        closed = finals["closed"]
        rows_closed = sum(closed >> row & 1 for row in range(kernel.ROWS))
        return {
            "turns": float(np.mean(finals["turns"])),
            "crosses": float(finals["count"][:, :sheets].sum(axis=2).mean()),
            "misthrows": float(misthrows.mean()),
            "ended by misthrows": float(np.mean((misthrows >= kernel.MOST_PENALTIES).any(axis=1))),
            "ended by closed rows": float(np.mean(rows_closed >= 2)),
        }

    def groups(self, view: View) -> dict[str, int]:
        return {"turn": int(view.state["turns"][0]) // 5}
