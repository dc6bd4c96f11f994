"""Ganz schön clever as the environment of Schubert's thesis: its 247 actions, its 85 numbers, its rewards.

    0 .. 60     cells: yellow 16, blue 12, green, orange and purple 11 each; by the die of the colour, or by a bonus
    61 .. 121   the same cells, by the white die
    122 .. 243  the same again, for a die of the tray or a +1
    244         re-roll        245  pass        246  nothing fits (the forced no-op)

Points are rewards as they come, those of foxes come at the end, and the forced no-op costs 1. So what was written for
the thesis' code runs here: `gymnasium.make("spielwerk/clever-thesis-v0")`. Learners of ours need no such numbering and
take `spielwerk/clever-v0` with `variant="thesis", encoding="thesis"`.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from spielwerk.core.errors import SpielwerkError
from spielwerk.envs.single import GameEnv, Observation
from spielwerk.envs.task import whole_action
from spielwerk.games.clever import sheets
from spielwerk.games.clever.kernel import terms, thesis
from spielwerk.games.clever.sheets import GRID

ID = "spielwerk/clever-thesis-v0"
BLUE, GREEN, ORANGE, PURPLE = 16, 28, 39, 50  # first cells; those of yellow begin at 0
CELLS = 61
BY_WHITE, ONCE_MORE = CELLS, 2 * CELLS
REROLL, PASS, NOTHING_FITS = 244, 245, 246
ACTIONS = 247
HIGHEST = np.array(
    [6] * 16 + [12] * 12 + [1] * 11 + [6] * 22 + [6] * 6 + [1] * 6 + [6, 3, 7, 7, 5] + [4] * 7, np.float32
)  # what can be seen; the lowest is always 0


class CleverThesisEnv(GameEnv):
    """One match of the variant `thesis`. The other options are those of `GameEnv`, where they make sense: `illegal` and
    `penalty` say what an action does that `action_masks` does not allow."""

    def __init__(
        self,
        *,
        variant: str = "thesis",
        render_mode: str | None = None,
        illegal: str = "random",
        penalty: float = 1.0,
    ) -> None:
        super().__init__(
            "clever",
            seats=1,
            variant=variant,
            render_mode=render_mode,
            encoding="thesis",
            illegal=illegal,
            penalty=penalty,
        )
        start = self.game.opening().state
        if start["wasted_picks"][0] or not start["drawn_bonus"][0] or start["yellow_dice"][0]:
            raise SpielwerkError(
                f"the thesis numbers no wasted picks, free choices or prototypes, so not {variant}; take variant=thesis"
            )
        self.observation_space = spaces.Box(np.zeros_like(HIGHEST), HIGHEST, dtype=np.float32)
        self.action_space = spaces.Discrete(ACTIONS)
        self._areas = np.zeros((1, 5), np.int64)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        number, position, options = whole_action(self.game, action), self.seating.position, self.task.options
        meant = {} if position.over else self._meant()
        if number not in meant and not position.over and options.illegal == "raise":
            possible = ", ".join(map(str, sorted(meant)))
            raise SpielwerkError(f"action {number} is not possible now; possible are {possible}")
        forced, before = NOTHING_FITS in meant, self._marked()
        observation, reward, over, cut, info = super().step(meant.get(number, -1))
        if not info["illegal"] or options.illegal == "random":
            total = int(position.score[0]) if over else self._marked()
            reward = float(total - before - forced)
        return observation, reward, over, cut, info

    def action_masks(self) -> NDArray[np.bool_]:
        """What may be done, in the numbers of the thesis."""
        out = np.zeros(ACTIONS, np.bool_)
        if not self.seating.position.over:
            out[list(self._meant())] = True
        return out

    def _info(self, **more: Any) -> dict[str, Any]:
        return super()._info(**more) | {"action_mask": self.action_masks().astype(np.int8)}

    def _marked(self) -> int:
        """The points of the areas, without foxes."""
        self.game.call(thesis.areas_of, self.seating.position.state, 0, self._areas)
        return int(self._areas.sum())

    def _meant(self) -> dict[int, int]:
        """Every action of the thesis that is possible, and which of ours it is. Of several numbers that are owed to
        orange the lowest goes first."""
        position = self.seating.position
        legal, state = position.legal(0), position.state[0]
        meant: dict[int, int] = {}
        for action in legal:
            meant.setdefault(_number(action, state, len(legal)), action)
        return meant


def _number(action: int, state: Any, count: int) -> int:
    """An action of ours, one of `count` legal ones, in the numbers of the thesis."""
    picking = bool(state["phase"] == terms.PICK)
    if action == terms.PASS:
        return NOTHING_FITS if picking and count == 1 else PASS
    if action == terms.AGAIN:
        return REROLL
    if action >= terms.X_IN_YELLOW:
        return _cell_of_bonus(action, state)
    if action < terms.IN_BLUE:
        cell, by_white = (action - terms.IN_YELLOW) % GRID, action >= terms.WHITE_IN_YELLOW
    else:
        area, by_white = 1 + (action - terms.IN_BLUE) // 2, (action - terms.IN_BLUE) % 2 == 1
        cell = _next_cell(area, state) if area != sheets.BLUE else BLUE + _blue_place(state)
    return cell + (BY_WHITE if by_white else 0) + (0 if picking else ONCE_MORE)


def _cell_of_bonus(action: int, state: Any) -> int:
    if action < terms.X_IN_GREEN:  # places of yellow, then those of blue
        return action - terms.X_IN_YELLOW
    if action == terms.X_IN_GREEN:
        return _next_cell(sheets.GREEN, state)
    return _next_cell(sheets.PURPLE if action == terms.BONUS_IN_PURPLE else sheets.ORANGE, state)


def _next_cell(area: int, state: Any) -> int:
    """The first empty cell of an area that is filled from left to right."""
    first, count = {
        sheets.GREEN: (GREEN, "green"),
        sheets.ORANGE: (ORANGE, "orange_count"),
        sheets.PURPLE: (PURPLE, "purple_count"),
    }[area]
    return first + int(state[count][0])


def _blue_place(state: Any) -> int:
    total = int(state["dice"][terms.BLUE_DIE]) + int(state["dice"][terms.WHITE_DIE])
    return int(sheets.BLUE_PLACES[int(state["sheet"]), total, 0])
