"""Pictures of spe_ed."""

from spielwerk.core.position import View
from spielwerk.core.words import seat_number
from spielwerk.games.speed.kernel.rules import PLAYING

ARROWS = "^>v<"


def text(view: View) -> str:
    """The board: trails as the numbers of their players, heads as arrows, crashes as X; then a line for every seat."""
    s, game = view.state[0], view.game
    width, height = int(s["width"]), int(s["height"])
    cells = s["cells"][: width * height].reshape(height, width)
    rows = [["X" if cell < 0 else "." if cell == 0 else str(cell) for cell in row] for row in cells]
    lines = []
    for seat in range(game.seats if s["phase"] >= PLAYING else 0):
        x, y = int(s["x"][seat]), int(s["y"][seat])
        alive = bool(s["alive"] >> seat & 1)
        if alive:
            rows[y][x] = ARROWS[int(s["direction"][seat])]
        phrase = "player {seat}: speed {speed}" if alive else "player {seat}: out in round {round}"
        lines.append(game.say(phrase, seat=seat_number(seat), speed=int(s["speed"][seat]), round=int(s["out"][seat])))
    return "\n".join(["".join(row) for row in rows] + [game.say("round {round}", round=int(s["rounds"])), *lines])
