"""Plans that `territory` keeps from round to round, so that a short limit does not undo what a long one found.

An agent has no memory of its own: a plan lies here, under what the agent will know of itself when it needs it (its
options, the table, the round, and where its move leads). A plan is a suggestion: the search of the new round looks at
it first and drops it if it has become deadly.
"""

import threading
from collections import OrderedDict

from spielwerk.core.position import View
from spielwerk.games.speed.kernel.rules import SLOW_DOWN, SPEED_UP, STEP_X, STEP_Y, TURN_LEFT, TURN_RIGHT

MOST = 1024
Key = tuple[str | int, ...]


class Plans:
    """The plans of all agents of a process; those that were not used for the longest time go first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._plans: OrderedDict[Key, tuple[int, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._plans)

    def find(self, spec: str, view: View) -> tuple[int, ...]:
        """The actions that were planned from here on."""
        s, seat = view.state[0], view.seat
        head = tuple(int(s[name][seat]) for name in ("x", "y", "direction", "speed"))
        with self._lock:
            return self._plans.pop(_key(spec, view, int(s["rounds"]), head), ())

    def keep(self, spec: str, view: View, action: int, plan: tuple[int, ...]) -> None:
        """Keep what is planned for the rounds after this action."""
        if not plan:
            return
        s, seat = view.state[0], view.seat
        x, y, direction, speed = (int(s[name][seat]) for name in ("x", "y", "direction", "speed"))
        direction = (direction + {TURN_LEFT: 3, TURN_RIGHT: 1}.get(action, 0)) & 3
        speed += {SPEED_UP: 1, SLOW_DOWN: -1}.get(action, 0)
        head = (x + speed * int(STEP_X[direction]), y + speed * int(STEP_Y[direction]), direction, speed)
        with self._lock:
            self._plans[_key(spec, view, int(s["rounds"]) + 1, head)] = plan
            while len(self._plans) > self._most:
                self._plans.popitem(last=False)


def _key(spec: str, view: View, rounds: int, head: tuple[int, ...]) -> Key:
    s = view.state[0]
    return (spec, view.seat, view.game.seats, int(s["width"]), int(s["height"]), rounds, *head)
