"""Leduc hold'em as text and SVG: the table seen from the seat that looks, which sits at the bottom."""

from html import escape

from spielwerk import View, dark_style, seat_number

from parlour.leduc.cards import CARDS, card_name, rank_letter
from parlour.leduc.kernel import BET, CALL, CHECK, DEAL, FOLD, NONE, OVER, RAISE, SECOND

WIDE, HIGH = 720, 640
MIDDLE = WIDE // 2
CARD_WIDE, CARD_HIGH = 96, 138
RED, BLACK, GOLD, LIGHT, SHADE = "#c0392b", "#1f2a30", "#ffd866", "#eef3ee", "#123a2b"
SIGNS = ("\N{BLACK HEART SUIT}", "\N{BLACK SPADE SUIT}")
CHIPS = (RED, "#33659c")  # of the seats
CENTRED, END, BOLD = 'text-anchor="middle"', 'text-anchor="end"', 'font-weight="600"'
FELT, OVAL, RIM, FACE, BACK = "#1e5b43", "#246b4a", "#185038", "#fffdf6", "#8e2f2f"
DARK = {  # what the colours become on a dark page
    FELT: "#163a2c",
    OVAL: "#1b4a36",
    RIM: "#102c21",
    SHADE: "#0b2219",
    FACE: "#d6d0c2",
    RED: "#9c2519",
    GOLD: "#d8b13c",
    BACK: "#6e2626",
}
FILLS = {FOLD: "#7a2f2f", CHECK: SHADE, CALL: SHADE, BET: "#8a5c0c", RAISE: "#8a5c0c"}  # of the buttons


# --- what lies where -------------------------------------------------------------------------------------------------


def between_hands(view: View) -> bool:
    """Whether the hand before still lies on the table: the match is over, or nothing has been dealt yet."""
    return int(view.state["phase"][0]) in (DEAL, OVER)


def card_of(view: View, seat: int) -> int:
    """The card in front of a seat; negative: none, or not known."""
    return int(view.state["shown" if between_hands(view) else "cards"][0][seat])


def board_of(view: View) -> int:
    return int(view.state["shown_board" if between_hands(view) else "board"][0])


def last_action(view: View, seat: int) -> int:
    """What a seat did last in this betting round; NONE = nothing yet."""
    s = view.state[0]
    late = int(int(s["phase"]) == SECOND)
    first = int(s["hand"]) & 1
    done = [int(action) for place, action in enumerate(s["betting"][late]) if (first + place) % 2 == seat]
    return next((action for action in reversed(done) if action != NONE), NONE)


def headline(view: View) -> str:
    s, say = view.state[0], view.game.say
    hands = int(s["hands"])
    counted = say("Hand {number} of {hands}", number=min(int(s["hand"]) + 1, hands), hands=hands)
    if view.actors:
        return f"{counted} · {say('seat {seat} decides', seat=seat_number(view.actors[0]))}"
    return f"{counted} · {result_of_last_hand(view)}" if view.over else counted


def result_of_last_hand(view: View) -> str:
    """How the hand before ended; empty if there is none."""
    s, say = view.state[0], view.game.say
    if int(s["hand"]) == 0:
        return ""
    gain, shown = int(s["gain"]), int(s["shown"][0]) != NONE
    if gain == 0:
        return say("the pot is split")
    seat = seat_number(0 if gain > 0 else 1)
    if not shown:
        return say("seat {seat} wins {chips}, the other folded", seat=seat, chips=abs(gain))
    return say("seat {seat} wins {chips}", seat=seat, chips=abs(gain))


# --- text ------------------------------------------------------------------------------------------------------------


def text(view: View) -> str:
    s, say = view.state[0], view.game.say
    board = board_of(view)
    pot = say("pot {chips}", chips=int(s["paid"].sum()))
    lines = [headline(view), f"{say('open card')} {CARDS[board] if board >= 0 else '-'}, {pot}"]
    for seat in range(2):
        card = card_of(view, seat)
        did = last_action(view, seat)
        mark = ">" if seat in view.actors else " "
        words = say("seat {seat}: {chips} {chips:chip|chips}", seat=seat_number(seat), chips=f"{view.score[seat]:+.0f}")
        said = f"  {view.game.move_name(did)}" if did != NONE else ""
        lines.append(f"{mark} {words}  {CARDS[card] if card >= 0 else '??'}  {int(s['paid'][seat])}{said}")
    last = result_of_last_hand(view)
    return "\n".join([*lines, say("before: {result}", result=last)] if last and not view.over else lines)


# --- SVG -------------------------------------------------------------------------------------------------------------


def svg(view: View) -> str:
    bottom = max(view.seat, 0)
    drawn = [
        f'<rect width="{WIDE}" height="{HIGH}" rx="18" fill="{FELT}"/>',
        f'<rect x="70" y="188" width="{WIDE - 140}" height="184" rx="92" fill="{OVAL}" stroke="{RIM}" '
        f'stroke-width="6"/>',
        _words(24, 40, 26, headline(view)),
        _seat(view, 1 - bottom, 114, 0.8),
        _seat(view, bottom, 464, 1.0),
        _card("board", board_of(view), MIDDLE, 280, 1.0),
        _pot(view),
        _paid(view, 1 - bottom, 224),
        _paid(view, bottom, 336),
        _hand_before(view, bottom),
    ]
    drawn += [_button(view, place, action) for place, action in enumerate(view.legal)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" role="img" '
        f'aria-label="{escape(view.game.title)}: {escape(headline(view))}" font-family="Helvetica, Arial, sans-serif" '
        f'class="leduc">{dark_style("leduc", DARK)}{"".join(drawn)}</svg>'
    )


def _words(x: float, y: float, size: int, words: str, ink: str = LIGHT, look: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="{ink}" {look}>{escape(words)}</text>'


def _seat(view: View, seat: int, y: float, scale: float) -> str:
    """A card, on its right who holds it and the chips won so far, on its left what was done last."""
    say = view.game.say
    name = say("Seat {seat} (you)" if seat == view.seat else "Seat {seat}", seat=seat_number(seat))
    chips = say("{chips} {chips:chip|chips}", chips=f"{view.score[seat]:+.0f}".replace("-", "\N{MINUS SIGN}"))
    fill, ink = (GOLD, "#33290a") if seat in view.actors else (SHADE, LIGHT)
    did = last_action(view, seat)
    parts = [
        _card(f"card-{seat}", card_of(view, seat), MIDDLE, y, scale),
        f'<rect x="{MIDDLE + 84}" y="{y - 38}" width="210" height="76" rx="16" fill="{fill}"/>',
        _words(MIDDLE + 104, y - 6, 25, name, ink, BOLD),
        _words(MIDDLE + 104, y + 24, 23, chips, ink),
    ]
    if did != NONE:
        parts.append(_words(MIDDLE - 66, y + 8, 26, view.game.move_name(did), look=f'{END} font-style="italic"'))
    return "".join(parts)


def _card(piece: str, card: int, x: float, y: float, scale: float) -> str:
    """A card with its middle at (x, y): face up, face down if it is not known, or an empty place."""
    left, top = -CARD_WIDE / 2, -CARD_HIGH / 2
    shape = f'<rect x="{left}" y="{top}" width="{CARD_WIDE}" height="{CARD_HIGH}" rx="10"'
    place = f'transform="translate({x} {y}) scale({scale})"'
    if card == NONE:
        edge = f'stroke="{LIGHT}" stroke-opacity="0.4" stroke-width="2" stroke-dasharray="7 7"'
        return f'<g {place}>{shape} fill="none" {edge}/></g>'
    if card < 0:
        back = f'{shape} fill="{BACK}" stroke="#f3e9d2" stroke-width="4"/>'
        return f'<g data-piece="{piece}" {place}>{back}<path d="M0 -44L30 0L0 44L-30 0Z" fill="#a94a43"/></g>'
    ink, sign = (RED, BLACK)[card % 2], SIGNS[card % 2]
    return (
        f'<g data-piece="{piece}" {place}><title>{escape(card_name(card))}</title>'
        f'{shape} fill="{FACE}" stroke="#8a8371" stroke-width="2"/>'
        f'<text x="{left + 11}" y="{top + 34}" font-size="30" font-weight="700" fill="{ink}">{rank_letter(card)}</text>'
        f'<text x="{left + 11}" y="{top + 62}" font-size="26" fill="{ink}">{sign}</text>'
        f'<text x="12" y="42" text-anchor="middle" font-size="72" fill="{ink}">{sign}</text></g>'
    )


def _pot(view: View) -> str:
    pot = int(view.state["paid"][0].sum())
    if not pot:
        return ""
    words = _words(MIDDLE + 150, 272, 24, view.game.say("pot"), look=CENTRED)
    return words + _words(MIDDLE + 150, 312, 36, str(pot), GOLD, f"{CENTRED} {BOLD}")


def _paid(view: View, seat: int, y: float) -> str:
    """What a seat has put into the pot: a chip for each, and their number."""
    paid = int(view.state["paid"][0][seat])
    if not paid:
        return ""
    chips = "".join(
        f'<circle data-piece="chip-{seat}-{number}" cx="{MIDDLE - 82 - 13 * number}" cy="{y}" r="15" '
        f'fill="{CHIPS[seat]}" stroke="#fff6e0" stroke-width="3"/>'
        for number in range(paid)
    )
    return chips + _words(MIDDLE - 96 - 13 * paid, y + 9, 26, str(paid), look=END)


def _hand_before(view: View, bottom: int) -> str:
    """How the hand before ended, small in the corner: the next one is dealt at once."""
    result = result_of_last_hand(view)
    if not result or between_hands(view):
        return ""
    s, say = view.state[0], view.game.say
    drawn = [_words(24, 74, 20, say("before: {result}", result=result))]
    if int(s["shown"][0]) != NONE:
        cards = int(s["shown"][1 - bottom]), int(s["shown_board"]), int(s["shown"][bottom])
        drawn += [_card(f"before-{place}", card, 50 + 54 * place, 126, 0.5) for place, card in enumerate(cards)]
    return "".join(drawn)


def _button(view: View, place: int, action: int) -> str:
    wide, gap = 196, 18
    left = MIDDLE - (len(view.legal) * (wide + gap) - gap) / 2 + place * (wide + gap)
    name = view.game.move_name(action)
    return (
        f'<g data-action="{action}" role="button" tabindex="0" aria-label="{escape(name)}">'
        f'<rect x="{left:.0f}" y="544" width="{wide}" height="88" rx="16" fill="{FILLS[action]}" stroke="{GOLD}" '
        f'stroke-width="2"/>{_words(left + wide / 2, 598, 28, name, "#ffffff", f"{CENTRED} {BOLD}")}</g>'
    )
