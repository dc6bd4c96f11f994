"""Ganz schön clever: spec, notation, text picture, statistics."""

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

from spielwerk.core.encoding import Encoding
from spielwerk.core.errors import InvalidMove
from spielwerk.core.game import Game
from spielwerk.core.moment import Moment
from spielwerk.core.position import States, View
from spielwerk.core.profile import ProfilePart
from spielwerk.core.spec import Look, Option, Rung, Spec, Variant
from spielwerk.core.words import seat_number
from spielwerk.games.clever import moments, profile
from spielwerk.games.clever import view as pictures
from spielwerk.games.clever.kernel import features as inputs
from spielwerk.games.clever.kernel import rules as kernel
from spielwerk.games.clever.kernel import terms, thesis
from spielwerk.games.clever.sheets import AREAS, BONUSES, DICE, SHEETS

LETTERS = "wybgop"  # of the dice in the notation of rolls
ROLLED = re.compile(r"((?:[wybgop][1-6] ?)+)(?:tray ([wybgop]{3}))?")
BEGINS = re.compile(r"seat ([0-3]) begins")
DRAWN = re.compile(r"bonus (.+)")
PLACES = tuple(f"{row}-{column}" for row in range(1, 5) for column in range(1, 5))

THESIS = {
    "wasted_picks": 0,
    "random_tray": 1,
    "short_end": terms.AT_ONCE,
    "drawn_bonus": 1,
    "loose_green": 1,
    "loose_purple": 1,
    "stale_roll": 1,
    "every_step": 1,
}


def _moves() -> tuple[str, ...]:
    """What people write, by action: `yellow 1-3` is the yellow die in row 1, column 3 of its area."""
    moves = ["pass", "re-roll"]
    moves += [f"yellow {place}" for place in PLACES]
    moves += [f"white yellow {place}" for place in PLACES]
    for area in AREAS[1:]:
        moves += [area, f"white {area}"]
    moves += [f"X yellow {place}" for place in PLACES]
    moves += [f"X blue {place}" for place in PLACES[:12]]
    moves += ["X green", "orange 4", "orange 5", "orange 6", "purple 6"]
    moves += ["free yellow", "free blue"]
    moves += [f"waste {die}" for die in DICE]
    return tuple(moves)


class Clever(Game):
    """The dice game by Wolfgang Warsch (2018): every die that is picked sends the lower ones to the others."""

    spec = Spec(
        id="clever",
        title="Ganz schön clever",
        summary="Pick dice and mark their numbers in five areas; bonuses lead to bonuses, lower dice go to the others.",
        seats=(1, 2, 3, 4),
        moves=_moves(),
        widest=28,
        longest=1000,
        scale=300.0,
        objective="margin",
        options=(
            Option(
                "sheet", 0, 0, len(SHEETS) - 1, "what is printed on the sheets", "sheet", tuple(s.name for s in SHEETS)
            ),
            Option("wasted_picks", 1, 0, 1, "a die that fits nowhere may be picked", "wasted picks"),
            Option("random_tray", 0, 0, 1, "alone, any three dice lie on the tray, not the lowest", "random tray"),
            Option(
                "short_end",
                0,
                0,
                terms.AT_ONCE,
                "the match ends with the last pick, without +1 and tray",
                "short end",
                ("no", "after its bonuses", "at once"),
            ),
            Option("drawn_bonus", 0, 0, 1, "the bonus of the fourth round is drawn, not chosen", "drawn bonus"),
            Option("loose_green", 0, 0, 1, "green takes many numbers that are too low", "loose green"),
            Option("loose_purple", 0, 0, 1, "in purple the higher of both dice counts for both", "loose purple"),
            Option("stale_roll", 0, 0, 1, "a round without +1 before it begins with old dice", "stale dice"),
            Option("every_step", 0, 0, 1, "one is asked where there is no choice, too", "every step"),
            Option(
                "yellow_dice", 0, 0, 4, "the yellow area alone with so many dice; 0 = the whole game", "yellow dice"
            ),
        ),
        variants={
            "official": Variant("Official", "as the rules in the box have it"),
            "harvest": Variant("Harvest sheet", "another sheet: other numbers, early bonuses", {"sheet": 1}),
            "thesis": Variant("Thesis", "as the engine of Schubert's thesis plays it", THESIS),
            "yellow": Variant(
                "Yellow alone", "ten rolls for the yellow area, as in Schubert's prototype", {"yellow_dice": 2}
            ),
        },
        looks=(Look("colours", "colours", {"box": "As in the box", "safe": "For colour-blind eyes"}),),
        chance=True,
        luck="dice",
        simultaneous=True,
        outcomes=terms.MOST_OUTCOMES,
        ladder=(
            Rung("beginner", "greedy", 103.0, 0.6),
            Rung("easy", "mc:iterations=20", 147.8, 5.3),
            Rung("medium", "blunder:agent=(net),share=0.2", 186.9, 2.4),
            Rung("hard", "blunder:agent=(net),share=0.1", 235.2, 2.3),
            Rung("strongest", "expectimax:samples=32,nodes=5000,evaluation=net", 297.9, 0.8),
        ),
        ladder_measure="{figure} points on average",
    )
    State = terms.State
    kernel: ClassVar[Any] = kernel

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        return super().functions | {"features": inputs.features}

    @property
    def features(self) -> int:
        return inputs.SEAT * self.seats + inputs.TABLE

    @property
    def encodings(self) -> dict[str, Encoding]:
        own = Encoding(inputs.OWN, inputs.own_features)
        return super().encodings | {"own": own, "thesis": Encoding(thesis.SIZE, thesis.thesis)}

    @property
    def objective(self) -> str:
        """Alone one plays for points."""
        return "points" if self.seats == 1 else super().objective

    @classmethod
    def recorded_variant(cls, variant: str, edition: int) -> str:
        """Up to the second edition `thesis` took the bonuses of the last pick."""
        name, *changed = variant.split(",")
        if edition > 2 or name != "thesis" or any(part.startswith("short_end=") for part in changed):
            return variant
        return ",".join([name, *changed, "short_end=1"])

    # --- notation of chance ------------------------------------------------------------------------------------------

    def chance_text(self, before: States, after: States) -> str:
        """Who begins (`seat 1 begins`), a drawn bonus (`bonus blue X`), or the dice that were rolled (`w3 y5 b2 g6 o1
        p4`); alone also the tray (`… tray ybo`)."""
        phase = int(before["phase"][0])
        if phase == terms.BEGIN:
            return f"seat {int(after['first'][0])} begins"
        if phase == terms.DRAW:
            return f"bonus {BONUSES[int(after['drawn'][0])]}"
        numbers, tray = after["last"][0], int(after["last_tray"][0])
        dice = [f"{letter}{int(number)}" for letter, number in zip(LETTERS, numbers, strict=True) if number]
        if tray:
            dice.append("tray " + "".join(letter for die, letter in enumerate(LETTERS) if tray >> die & 1))
        return " ".join(dice)

    def chance_apply(self, states: States, text: str) -> None:
        phase = int(states["phase"][0])
        if phase == terms.BEGIN:
            begins = BEGINS.fullmatch(text)
            if begins is None or int(begins[1]) >= self.seats:
                phrase = "Clever: '{text}' does not say who begins; write for example 'seat 0 begins'"
                raise InvalidMove(self.say(phrase, text=text))
            self.call(kernel.begin_at, states, int(begins[1]))
        elif phase == terms.DRAW:
            drawn = DRAWN.fullmatch(text)
            if drawn is None or drawn[1] not in [BONUSES[kind] for kind in terms.DRAWN]:
                phrase = "Clever: '{text}' does not say which bonus is drawn; write for example 'bonus blue X'"
                raise InvalidMove(self.say(phrase, text=text))
            self.call(kernel.draw_bonus_at, states, BONUSES.index(drawn[1]))
        else:
            self._roll(states, text)

    def _roll(self, states: States, text: str) -> None:
        """Let dice show what a roll in our notation says."""
        rolling, alone = int(states["rolling"][0]), int(states["phase"][0]) == terms.TRAY_ROLL
        wanted = [letter for die, letter in enumerate(LETTERS) if rolling >> die & 1]
        found = ROLLED.fullmatch(text)
        dice = {die[0]: int(die[1]) for die in found[1].split()} if found is not None else {}
        tray = set(found[2] or "") if found is not None else set()
        if found is None or list(dice) != wanted or len(tray) != (3 if alone else 0):
            example = " ".join(f"{letter}{1 + place}" for place, letter in enumerate(wanted))
            example += " tray wyb" if alone else ""
            phrase = "Clever: '{text}' is no roll of these dice; write for example '{example}'"
            raise InvalidMove(self.say(phrase, text=text, example=example))
        if tray and not int(states["random_tray"][0]):
            lying = [dice[letter] for letter in tray]
            if max(lying) > min(number for letter, number in dice.items() if letter not in tray):
                raise InvalidMove(self.say("Clever: the tray of '{text}' does not hold the lowest dice", text=text))
        for letter, number in dice.items():
            states["dice"][0][LETTERS.index(letter)] = number
        self.call(kernel.rolled_at, states, sum(1 << LETTERS.index(letter) for letter in tray))

    def heard(self, event: str, seat: int) -> str:
        begins, drawn, found = BEGINS.fullmatch(event), DRAWN.fullmatch(event), ROLLED.fullmatch(event)
        if begins:
            return self.say("seat {seat} begins", seat=seat_number(int(begins[1])))
        if drawn:
            return self.say("bonus: {bonus}", bonus=self.say(drawn[1]))
        if not found:
            return event
        named = {letter: self.say(die) for letter, die in zip(LETTERS, DICE, strict=True)}
        said = ", ".join(f"{named[die[0]]} {die[1]}" for die in found[1].split())
        if not found[2]:
            return said
        return self.say("{dice}; on the tray {tray}", dice=said, tray=", ".join(named[letter] for letter in found[2]))

    # --- names of moves ----------------------------------------------------------------------------------------------

    def move_name(self, action: int) -> str:
        """A die and where it is marked; a place of a grid by its row and column and what is printed there."""
        if action in (terms.PASS, terms.AGAIN):
            return self.say(self.spec.moves[action])
        if action >= terms.WASTE:
            return self.say("waste the {die} die", die=self.say(DICE[action - terms.WASTE]))
        if action >= terms.FREE_YELLOW:
            return self.say("an X in {area}", area=self.say(AREAS[action - terms.FREE_YELLOW]))
        if action >= terms.X_IN_GREEN:
            return self.say(self.spec.moves[action])
        if action >= terms.X_IN_YELLOW:
            return self.say("X: {cell}", cell=self._cell_name(action - terms.X_IN_YELLOW))
        if action >= terms.IN_BLUE:
            area, by_white = AREAS[1 + (action - terms.IN_BLUE) // 2], (action - terms.IN_BLUE) % 2
            return (
                self.say("white die in {area}", area=self.say(area))
                if by_white
                else self.say("{area} die", area=self.say(area))
            )
        cell = self._cell_name((action - terms.IN_YELLOW) % len(PLACES))
        return self.say("white die: {cell}", cell=cell) if action >= terms.WHITE_IN_YELLOW else cell

    def _cell_name(self, place: int) -> str:
        """A place of yellow, or after those one of blue: 'yellow 3 (row 1)'."""
        sheet = SHEETS[int(self.options[0])]
        area, number = (
            ("yellow", sheet.yellow[place]) if place < len(PLACES) else ("blue", sheet.blue[place - len(PLACES)])
        )
        if area == "blue":
            return self.say("{area} {number}", area=self.say(area), number=number)
        return self.say("{area} {number}, row {row}", area=self.say(area), number=number, row=1 + place // 4)

    # --- pictures ----------------------------------------------------------------------------------------------------

    def text(self, view: View) -> str:
        return pictures.text(view)

    def svg(self, view: View) -> str:
        return pictures.svg(view)

    def moment(self, before: View, after: View) -> Moment | None:
        return moments.moment(before, after)

    def news(self, before: View, after: View) -> list[str]:
        return moments.news(before, after)

    # --- statistics --------------------------------------------------------------------------------------------------

    def spread(self, view: View, expected: float) -> float:
        """Measured: 22 points of strong play alone, 31 of the lead between two."""
        return 22.0 if self.seats == 1 else 31.0

    def extras(self, finals: States) -> dict[str, Any]:
        """Per sheet: points and cells of every area, foxes and what they bring, re-rolls and +1 that were used. Alone
        also how often each step of the rating was reached."""
        counted = profile.of_every_seat(self, finals)
        found = {f"{area} points": float(counted.points[:, i].mean()) for i, area in enumerate(AREAS)}
        found |= {f"{area} cells": float(counted.cells[:, i].mean()) for i, area in enumerate(AREAS)}
        if self._prototype:
            return {name: value for name, value in found.items() if name.startswith("yellow")}
        found["foxes"] = float(counted.foxes.mean())
        found["fox points"] = float(counted.by_foxes.mean())
        for name, spent in (("re-rolls", counted.rerolls), ("+1", counted.extras)):
            found[f"{name} used"] = float(spent.sum(axis=1).mean())
        if self.seats == 1:
            found |= dict(zip(profile.SCALE, profile.ratings(counted.totals), strict=True))
        return found

    def profile(self, finals: States, seats: Sequence[int]) -> list[ProfilePart]:
        return profile.parts(self, finals, seats)

    @property
    def _prototype(self) -> bool:
        return bool(self.options[[option.name for option in self.spec.options].index("yellow_dice")])

    def groups(self, view: View) -> dict[str, int]:
        return {"round": int(view.state["rounds"][0])}
