"""A move to fall back on: quick, computed from the state alone, and good enough to live on for a round."""

from spielwerk.bridges.spe_ed.messages import SENT, Heard
from spielwerk.games.speed.kernel.rules import FASTEST, JUMP_EVERY, JUMP_FROM

STEPS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}
AROUND = ("up", "right", "down", "left")
ORDER = ("change_nothing", "turn_left", "turn_right", "slow_down", "speed_up")


def safe_action(state: Heard, rounds: int) -> int:
    """The first action that does not die at once on the board as it is, preferably one that leaves room for another
    step; going on straight if there is none. `rounds` have been played."""
    lasting = [action for action in ORDER if _room(state, action, rounds) == 2]
    living = [action for action in ORDER if _room(state, action, rounds) == 1]
    return SENT.index((lasting or living or ["change_nothing"])[0])


def _room(state: Heard, action: str, rounds: int) -> int:
    """0: dies at once; 1: every cell around the end of the move is filled; 2: there is a way on."""
    me = state.players[str(state.you)]
    turn = {"turn_left": -1, "turn_right": 1}.get(action, 0)
    speed = me.speed + {"speed_up": 1, "slow_down": -1}.get(action, 0)
    if not 1 <= speed <= FASTEST:
        return 0
    step_x, step_y = STEPS[AROUND[(AROUND.index(me.direction) + turn) % 4]]
    jump = (rounds + 1) % JUMP_EVERY == 0 and speed >= JUMP_FROM
    x, y = me.x, me.y
    for step in range(speed):
        x, y = x + step_x, y + step_y
        if not (0 <= x < state.width and 0 <= y < state.height):
            return 0
        if state.cells[y][x] != 0 and not (jump and 0 < step < speed - 1):
            return 0
    around = ((x + dx, y + dy) for dx, dy in STEPS.values())
    own = {(x - step_x * back, y - step_y * back) for back in range(speed)}
    free = (
        0 <= a < state.width and 0 <= b < state.height and state.cells[b][a] == 0 and (a, b) not in own
        for a, b in around
    )
    return 2 if any(free) else 1
