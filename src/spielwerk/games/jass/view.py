"""Schieber Jass as text and SVG."""

from spielwerk.core.game import Position, View
from spielwerk.games.jass.cards import CARDS, MODES, hand_text


def text(view: View) -> str:
    s = view.state[0]
    mode = int(s["mode"])
    lines = [
        f"deal {int(s['deals']) + (not view.over)}, trick {min(int(s['tricks']) + 1, 9)}, "
        + (MODES[mode] if mode >= 0 else "mode not chosen")
        + (", pushed" if s["pushed"] else "")
    ]
    actors = view.actors
    on_table = {(int(s["leader"]) + i) % 4: CARDS[card] for i, card in enumerate(trick_on_table(view))}
    for seat in range(4):
        mark = ">" if seat in actors else " "
        lines.append(f"{mark} seat {seat}  {on_table.get(seat, '-'):>3}   {hand_text(int(s['hands'][seat]))}")
    points, gained = s["points"], s["gained"]
    lines.append(f"seats 0+2: {points[0]} points ({gained[0]} in this deal), seats 1+3: {points[1]} ({gained[1]})")
    return "\n".join(lines)


def trick_on_table(view: View | Position) -> list[int]:
    """The cards on the table in order of play."""
    s = view.state[0]
    first = 4 * int(s["tricks"])
    return [int(card) for card in s["history"][first : first + int(s["in_trick"])]]


def last_trick(view: View | Position) -> list[int]:
    """The cards of the trick before, in order of play."""
    s = view.state[0]
    first = 4 * (int(s["tricks"]) - 1)
    return [int(card) for card in s["history"][first : first + 4]] if first >= 0 else []


def svg(view: View) -> str:
    raise NotImplementedError
