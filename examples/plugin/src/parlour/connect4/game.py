"""Connect Four: spec, notation, text picture."""

from typing import Any, ClassVar

import numpy as np
from spielwerk import Game, IllegalMove, InvalidMove, Look, Position, Rung, Spec, States, View

from parlour.connect4 import kernel
from parlour.connect4 import view as pictures

COLUMN_NAMES = tuple(str(column + 1) for column in range(kernel.COLUMNS))


class Connect4(Game):
    """Four in a line, by Howard Wexler and Ned Strongin (1974)."""

    spec = Spec(
        id="connect4",
        title="Connect Four",
        summary="Drop discs into seven columns; four in a line win.",
        seats=(2,),
        moves=COLUMN_NAMES,
        widest=kernel.COLUMNS,
        longest=kernel.CELLS,
        scale=1.0,
        objective="win",
        looks=(Look("discs", "discs", {"classic": "Red and yellow", "calm": "Blue and orange"}),),
        keys={name: name for name in COLUMN_NAMES},  # the number keys play the columns
        ladder=(
            Rung("easy", "centre:careful=false,mistakes=0.3"),
            Rung("medium", "centre"),
            Rung("hard", "mctse:iterations=2000"),
            Rung("strongest", "mctse:iterations=50000"),
        ),
    )
    State = kernel.State
    kernel: ClassVar[Any] = kernel

    def read(self, text: str) -> Position:
        """The position after the moves in `text`, the columns from 1 to 7: `4453`. Blanks do not matter."""
        position = self.opening()
        for number, move in enumerate("".join(text.split()), 1):
            try:
                position.apply(move)
            except (IllegalMove, InvalidMove) as problem:
                raise type(problem)(self.say("move {number}: {problem}", number=number, problem=problem)) from problem
        return position

    def move_name(self, action: int) -> str:
        return self.say("column {column}", column=action + 1)

    def text(self, view: View) -> str:
        return pictures.text(view)

    def svg(self, view: View) -> str:
        return pictures.svg(view)

    def came_from(self, before: View, after: View) -> dict[str, list[str]]:
        return pictures.came_from(before, after)

    def extras(self, finals: States) -> dict[str, Any]:
        """How long the matches were, and who won."""
        winners = finals["winner"]
        return {
            "moves": float(np.mean(finals["count"])),
            "first wins": float(np.mean(winners == 0)),
            "second wins": float(np.mean(winners == 1)),
            "draws": float(np.mean(winners < 0)),
        }
