"""spe_ed: spec, notation, text picture, statistics."""

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from spielwerk.core.errors import InvalidMove, SpielwerkError, quoted
from spielwerk.core.game import Game
from spielwerk.core.moment import Moment
from spielwerk.core.position import Position, States, View
from spielwerk.core.profile import ProfilePart
from spielwerk.core.spec import Look, Option, Rung, Spec, Variant
from spielwerk.games.speed import moments
from spielwerk.games.speed import view as pictures
from spielwerk.games.speed.kernel import features as inputs
from spielwerk.games.speed.kernel import rules as kernel

DIRECTIONS = ("up", "right", "down", "left")
ACTIONS = ("turn_left", "turn_right", "slow_down", "speed_up", "change_nothing", "no_answer")
KEYS = {  # as the driver sees it
    "ArrowLeft": "turn_left",
    "a": "turn_left",
    "ArrowRight": "turn_right",
    "d": "turn_right",
    "ArrowUp": "speed_up",
    "w": "speed_up",
    "ArrowDown": "slow_down",
    "s": "slow_down",
    " ": "change_nothing",
    "x": "change_nothing",
}
SMALLEST_SIDE = 8  # so that every start zone has some cells

SIZE = re.compile(r"(\d{1,3})x(\d{1,3})")
PLACE = re.compile(r"(\d{1,3}),(\d{1,3}) (up|right|down|left)")


class Speed(Game):
    """The game of the informatiCup 2021: trails on a grid, all move at once, and every sixth round fast ones jump."""

    spec = Spec(
        id="speed",
        title="spe_ed",
        summary="Draw a trail and do not hit any; all move at once, and every sixth round fast players jump.",
        seats=(2, 3, 4, 5, 6),
        moves=ACTIONS,
        widest=len(ACTIONS),
        longest=kernel.CELLS + kernel.MOST_SEATS + 1,  # every move fills a cell, or it is the last of its seat
        scale=float(kernel.MOST_SEATS - 1),
        objective="win",
        options=(
            Option("width", 0, 0, kernel.LONGEST_SIDE, "columns of the board; 0 = drawn", "width"),
            Option("height", 0, 0, kernel.LONGEST_SIDE, "rows of the board; 0 = drawn", "height"),
            Option("shortest", 41, SMALLEST_SIDE, kernel.LONGEST_SIDE, "least side of a drawn board", "least side"),
            Option(
                "longest", 80, SMALLEST_SIDE, kernel.LONGEST_SIDE, "greatest side of a drawn board", "greatest side"
            ),
            Option("any_start", 0, 0, 1, "start on any cell in any direction", "start anywhere"),
            Option("no_answer", 0, 0, 1, "a player may fail to answer and is out then", "unheard players"),
        ),
        variants={
            "official": Variant("Official", "as on the server of the competition: 41 to 80 cells a side"),
            "small": Variant("Small", "20 to 25 cells a side, over in minutes", {"shortest": 20, "longest": 25}),
            "any-start": Variant("Start anywhere", "any cell and direction to start from", {"any_start": 1}),
        },
        offered="small",
        chance=True,
        luck="starts",
        simultaneous=True,
        features=inputs.SIZE,
        looks=(
            Look("colours", "colours", {"bright": "Bright", "safe": "For colour-blind eyes"}),
            Look("overlay", "map", {"none": "None", "territory": "Territory", "danger": "Danger"}),
        ),
        keys=KEYS,
        idle="change_nothing",
        ladder=(
            Rung("beginner", "safe", 97.8, 0.9),
            Rung("easy", "blunder:agent=(longest),share=0.01", 82.8, 4.6),
            Rung("medium", "blunder:agent=(area),share=0.0015", 78.6, 4.1),
            Rung("hard", "blunder:agent=(territory:leaves=40),share=0.004", 70.8, 6.4),
            Rung("strongest", "territory"),
        ),
        swipes={"left": "turn_left", "right": "turn_right", "up": "speed_up", "down": "slow_down"},
    )
    State = kernel.State
    kernel: ClassVar[Any] = kernel

    def __init__(self, seats: int | None = None, variant: str | None = None) -> None:
        super().__init__(seats, variant)
        width, height, shortest, longest = (int(number) for number in self.options[:4])
        if shortest > longest:
            phrase = "spe_ed: shortest={shortest} is above longest={longest}; swap them"
            raise SpielwerkError(self.say(phrase, shortest=shortest, longest=longest))
        for side in (width, height):
            if 0 < side < SMALLEST_SIDE:
                phrase = (
                    "spe_ed: a side of {side} cells is too short; it takes {least} to {most}, or 0 to have it drawn"
                )
                most = kernel.LONGEST_SIDE
                raise SpielwerkError(self.say(phrase, side=side, least=SMALLEST_SIDE, most=most))

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        return super().functions | {"features": inputs.features}

    # --- notation ----------------------------------------------------------------------------------------------------

    def chance_text(self, before: States, after: States) -> str:
        """The size of the board, then column, row and direction of every seat: `60x45; 12,7 down; 50,3 left`."""
        s = after[0]
        places = (f"{s['x'][seat]},{s['y'][seat]} {DIRECTIONS[s['direction'][seat]]}" for seat in range(self.seats))
        return "; ".join([f"{s['width']}x{s['height']}", *places])

    def chance_apply(self, states: States, text: str) -> None:
        size, *places = (part.strip() for part in text.split(";"))
        sides, found = SIZE.fullmatch(size), [PLACE.fullmatch(place) for place in places]
        if sides is None or None in found or len(found) != self.seats:
            phrase = "spe_ed: '{text}' is no start; write for example '60x45; 12,7 down; 50,3 left', one place a seat"
            raise InvalidMove(self.say(phrase, text=quoted(text)))
        width, height = int(sides[1]), int(sides[2])
        given_width, given_height = (int(number) for number in self.options[:2])
        fits = given_width in (0, width) and given_height in (0, height)
        if not fits or not all(1 <= side <= kernel.LONGEST_SIDE for side in (width, height)):
            phrase = "spe_ed: a board of {width} by {height} cells is not possible at this table"
            raise InvalidMove(self.say(phrase, width=width, height=height))
        starts = [(int(place[1]), int(place[2]), DIRECTIONS.index(place[3])) for place in found if place]
        cells = {(x, y) for x, y, _ in starts}
        if len(cells) < self.seats or not all(x < width and y < height for x, y in cells):
            phrase = "spe_ed: '{text}' has two players on one cell, or one beside the board"
            raise InvalidMove(self.say(phrase, text=quoted(text)))
        states["width"][0], states["height"][0] = width, height
        for seat, (x, y, direction) in enumerate(starts):
            self.call(kernel.set_out_at, states, seat, x, y, direction)
        self.call(kernel.begin_at, states)

    def heard(self, event: str, seat: int) -> str:
        size = SIZE.match(event)
        return self.say("a board of {width} by {height} cells", width=size[1], height=size[2]) if size else event

    def move_name(self, action: int) -> str:
        return self.say(ACTIONS[action].replace("_", " "))

    # --- pictures ----------------------------------------------------------------------------------------------------

    def text(self, view: View) -> str:
        return pictures.text(view)

    def svg(self, view: View) -> str:
        return pictures.svg(view)

    def moment(self, before: View, after: View) -> Moment | None:
        return moments.moment(before, after)

    def news(self, before: View, after: View) -> list[str]:
        return moments.news(before, after)

    def won_by_nobody(self, position: Position) -> bool:
        return position.over and not position.state["alive"][0]

    # --- statistics --------------------------------------------------------------------------------------------------

    def extras(self, finals: States) -> dict[str, Any]:
        """Rounds per match, matches that nobody won, and what put seats out."""
        seats = self.seats
        out, why = finals["out"][:, :seats], finals["why"][:, :seats]
        return {
            "rounds": float(np.mean(finals["rounds"])),
            "won by nobody": float(np.mean(finals["alive"] == 0)),
            "out by a crash": float(np.mean(why == kernel.BY_CRASH)),
            "out by the border": float(np.mean(why == kernel.BY_BORDER)),
            "out by their speed": float(np.mean(why == kernel.BY_SPEED)),
            "round of going out": float(np.mean(out[out > 0])) if (out > 0).any() else 0.0,
        }

    def profile(self, finals: States, seats: Sequence[int]) -> list[ProfilePart]:
        """Places, what put the seat out, and how it drove at the end."""
        rows, say = np.arange(len(finals)), self.say
        out, why = finals["out"][rows, seats], finals["why"][rows, seats]
        alive = finals["alive"] >> np.asarray(seats) & 1
        reasons = (kernel.BY_CRASH, kernel.BY_BORDER, kernel.BY_SPEED, kernel.UNHEARD)
        ends = ((alive == 1), *(why == reason for reason in reasons))
        labels = tuple(say(label) for label in ("won", "crash", "border", "speed", "no answer"))
        others = finals["out"][:, : self.seats]
        lasted = np.where(out == 0, finals["rounds"], out)
        outlived = ((others > 0) & ((out == 0)[:, None] | (others < out[:, None]))).sum(axis=1)
        trail = (finals["cells"] == np.asarray(seats)[:, None] + 1).sum(axis=1)
        means = (lasted.mean(), outlived.mean(), trail.mean())
        return [
            ProfilePart(say("How it ended"), labels, tuple(float(np.mean(end)) for end in ends), share=True),
            ProfilePart(
                say("On the way"),
                (say("rounds"), say("players outlived"), say("cells drawn")),
                tuple(float(mean) for mean in means),
            ),
        ]
