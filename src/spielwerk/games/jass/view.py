"""Schieber Jass as text and SVG."""

from spielwerk.core.game import View
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
    on_table = {(int(s["leader"]) + i) % 4: CARDS[card] for i, card in enumerate(s["trick"]) if card >= 0}
    for seat in range(4):
        mark = ">" if seat in actors else " "
        lines.append(f"{mark} seat {seat}  {on_table.get(seat, '-'):>3}   {hand_text(int(s['hands'][seat]))}")
    points, gained = s["points"], s["gained"]
    lines.append(f"seats 0+2: {points[0]} points ({gained[0]} in this deal), seats 1+3: {points[1]} ({gained[1]})")
    return "\n".join(lines)


def svg(view: View) -> str:
    raise NotImplementedError
