"""The board of spe_ed as SVG, in units of cells: trails, crashes, heads, where one's own moves end, and two maps that
may lie over it: territory (who is there first) and danger (where others can be next, and which own moves kill)."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.position import View
from spielwerk.core.words import seat_number
from spielwerk.games.speed import drawing
from spielwerk.games.speed.drawing import PALETTES, Palette, crosses, grid, strokes
from spielwerk.games.speed.kernel import maps, rules
from spielwerk.games.speed.kernel.rules import CHANGE_NOTHING, CRASHED, JUMP_EVERY, PLAYING, SETTING_UP, STEP_X, STEP_Y

ARROWHEAD = "M0-.95.72.6 0 .3-.72.6z"  # drives up


class Fate(NamedTuple):
    """What becomes of an action if nobody else moved."""

    kind: int  # STILL_IN, BY_SPEED, BY_BORDER or BY_CRASH
    x: int  # where the move ends, or first hits something
    y: int
    jumps: bool


@dataclass(frozen=True)
class Situation:
    """A view in plain numbers, with what the pictures need to know of it."""

    view: View

    @cached_property
    def width(self) -> int:
        return int(self.view.state["width"][0])

    @cached_property
    def height(self) -> int:
        return int(self.view.state["height"][0])

    @property
    def set_up(self) -> bool:
        return int(self.view.state["phase"][0]) != SETTING_UP

    @property
    def playing(self) -> bool:
        return int(self.view.state["phase"][0]) == PLAYING

    @property
    def rounds(self) -> int:
        return int(self.view.state["rounds"][0])

    @property
    def to_jump(self) -> int:
        """Rounds up to the next in which fast players jump; 1 = the one that is decided now."""
        return JUMP_EVERY - self.rounds % JUMP_EVERY

    @cached_property
    def cells(self) -> NDArray[np.int8]:
        cells: NDArray[np.int8] = self.view.state["cells"][0][: self.width * self.height]
        return cells.reshape(self.height, self.width)

    def alive(self, seat: int) -> bool:
        return bool(int(self.view.state["alive"][0]) >> seat & 1)

    def of(self, name: str, seat: int) -> int:
        """A field of the state that every seat has."""
        return int(self.view.state[name][0][seat])

    @property
    def drives(self) -> bool:
        """Whether the seat that looks has something to decide."""
        return self.view.seat >= 0 and self.playing and self.alive(self.view.seat)

    @cached_property
    def palette(self) -> Palette:
        return PALETTES[self.view.game.look("colours")]

    @cached_property
    def overlay(self) -> str:
        return self.view.game.look("overlay")

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """Of every cell: the seat that is there first, or maps.NOBODY, maps.CONTESTED."""
        count = self.width * self.height
        owner, rounds = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.view.game.call(maps.territory_at, self.view.state, owner, rounds, np.zeros(2 * count, np.int64))
        return owner.reshape(self.height, self.width)

    @cached_property
    def fates(self) -> tuple[Fate, ...]:
        """What becomes of the five actions of the seat that looks."""
        found, place = [], np.zeros(3, np.int64)
        for action in range(CHANGE_NOTHING + 1):
            kind = int(self.view.game.call(maps.fate_at, self.view.state, self.view.seat, action, place))
            found.append(Fate(kind, int(place[0]), int(place[1]), bool(place[2])))
        return tuple(found)

    @cached_property
    def reached(self) -> NDArray[np.int64]:
        """Of every cell: with how many actions of others their next move touches it."""
        count = np.zeros(self.width * self.height, np.int64)
        for seat in range(self.view.game.seats):
            if self.alive(seat) and seat != self.view.seat:
                self.view.game.call(maps.reach_at, self.view.state, seat, count)
        return count.reshape(self.height, self.width)


def board(now: Situation) -> str:
    """Everything on the board, one unit a cell."""
    width, height = now.width, now.height
    ground = f'<rect width="{width}" height="{height}" fill="{drawing.BOARD}"/>'
    parts = [ground, _maps_below(now), _trails(now)]
    parts.append(f'<path d="{grid(width, height)}" stroke="{drawing.GRID}" stroke-width=".1" fill="none"/>')
    parts += [_maps_above(now), _crashes(now), _targets(now)]
    parts += [_head(now, seat) for seat in _drawn_last(now)]
    line = max(width, height) / 400
    around = f"M{-line / 2:.2g} {-line / 2:.2g}h{width + line:.3g}v{height + line:.3g}h{-width - line:.3g}z"
    parts.append(f'<path d="{around}" stroke="{drawing.EDGE}" stroke-width="{line:.2g}" fill="none"/>')
    return "".join(parts)


def _drawn_last(now: Situation) -> list[int]:
    """The seats that are still in, the one that looks on top."""
    return sorted(
        (seat for seat in range(now.view.game.seats) if now.alive(seat)), key=lambda seat: seat == now.view.seat
    )


def _cells(drawn: str, colour: str, opacity: float = 1.0) -> str:
    if not drawn:
        return ""
    faint = "" if opacity == 1.0 else f' opacity="{opacity:g}"'
    return f'<g stroke="{colour}" fill="none" shape-rendering="crispEdges"{faint}>{drawn}</g>'


def _trails(now: Situation) -> str:
    """What everybody has drawn; the trails of those who are out are pale."""
    return "".join(
        _cells(strokes(now.cells == seat + 1), now.palette.trail[seat], 1.0 if now.alive(seat) else 0.5)
        for seat in range(now.view.game.seats)
    )


def _crashes(now: Situation) -> str:
    crashed = now.cells == CRASHED
    if not crashed.any():
        return ""
    marks = f'<path d="{crosses(crashed)}" stroke="{drawing.HALO}" stroke-width=".2" fill="none"/>'
    return _cells(strokes(crashed), drawing.INK) + marks


def _head(now: Situation, seat: int) -> str:
    """An arrow on the head, and behind it the number of the player."""
    x, y, direction = now.of("x", seat) + 0.5, now.of("y", seat) + 0.5, now.of("direction", seat)
    radius = badge_radius(now)
    arrow = max(0.62, 0.6 * radius)
    back = radius + 0.55
    at_x = min(max(x - back * STEP_X[direction], 0.7 * radius), now.width - 0.7 * radius)
    at_y = min(max(y - back * STEP_Y[direction], 0.7 * radius), now.height - 0.7 * radius)
    colour, ink = now.palette.trail[seat], now.palette.ink[seat]
    own = seat == now.view.seat
    ring = f'stroke="{drawing.INK if own else drawing.HALO}" stroke-width="{radius * (0.28 if own else 0.14):.2g}"'
    name = now.view.game.say("player {seat}: speed {speed}", seat=seat_number(seat), speed=now.of("speed", seat))
    return (
        f'<g data-piece="head-{seat + 1}" role="img" aria-label="{name}"><title>{name}</title>'
        f'<circle cx="{at_x:.3g}" cy="{at_y:.3g}" r="{radius:.3g}" fill="{colour}" {ring}/>'
        f'<text x="{at_x:.3g}" y="{at_y + 0.48 * radius:.3g}" text-anchor="middle" {drawing.FONT} '
        f'font-size="{1.35 * radius:.3g}" font-weight="700" fill="{ink}">{seat + 1}</text>'
        f'<path transform="translate({x:g} {y:g}) rotate({90 * direction}) scale({arrow:.3g})" d="{ARROWHEAD}" '
        f'fill="{drawing.INK}" stroke="{drawing.HALO}" stroke-width=".22" paint-order="stroke"/></g>'
    )


def badge_radius(now: Situation) -> float:
    """In cells: on a large board a number covers several."""
    return max(0.75, max(now.width, now.height) / 42)


def _targets(now: Situation) -> str:
    """Where the moves of the seat that looks would end: a dot, and a ring where it would land after a jump."""
    if not now.drives:
        return ""
    drawn = []
    size = max(0.3, 0.3 * badge_radius(now))
    for fate in dict.fromkeys(now.fates):
        if fate.kind != rules.STILL_IN:
            continue
        x, y = fate.x + 0.5, fate.y + 0.5
        if fate.jumps:
            drawn.append(
                f'<circle cx="{x:g}" cy="{y:g}" r="{2.2 * size:.3g}" fill="none" stroke="{drawing.INK}" '
                f'stroke-width="{0.45 * size:.3g}" stroke-dasharray="{0.8 * size:.3g} {0.5 * size:.3g}" data-lands=""/>'
            )
        drawn.append(f'<circle cx="{x:g}" cy="{y:g}" r="{0.8 * size:.3g}" fill="{drawing.PALE}"/>')
    return "".join(drawn)


# --- maps ------------------------------------------------------------------------------------------------------------


def _maps_below(now: Situation) -> str:
    """Territory, below the trails: every free cell in the colour of who is there first, grey where several are."""
    if now.overlay != "territory" or not now.set_up:
        return ""
    drawn = [_cells(strokes(now.owners == seat), now.palette.trail[seat], 0.32) for seat in range(now.view.game.seats)]
    return "".join(drawn) + _cells(strokes(now.owners == maps.CONTESTED), drawing.PALE, 0.45)


def _maps_above(now: Situation) -> str:
    """Danger: cells that others may touch next, darker where more of their actions lead, and the ends of own moves that
    kill."""
    if now.overlay != "danger" or not now.playing:
        return ""
    free = now.cells == 0
    drawn = _cells(strokes(free & (now.reached == 1)), drawing.DANGER, 0.35)
    drawn += _cells(strokes(free & (now.reached > 1)), drawing.DANGER, 0.6)
    if not now.drives:
        return drawn
    deadly = np.zeros((now.height, now.width), np.bool_)
    for fate in now.fates:
        if fate.kind in (rules.BY_BORDER, rules.BY_CRASH):
            deadly[fate.y, fate.x] = True
    return drawn + f'<path d="{crosses(deadly)}" stroke="{drawing.DANGER}" stroke-width=".26" fill="none"/>'
