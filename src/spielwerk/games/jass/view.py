"""Schieber Jass as text and SVG: the table with four hands, the trick, trump, score slate and the last trick.

The seat that looks sits at the bottom, the next one to its right (Jass is played counter-clockwise). The cards are
French or Swiss-German, as who looks has chosen (the look `deck`).
"""

from functools import cache

import numpy as np

from spielwerk.core.position import Position, View
from spielwerk.core.svg import dark_style, narrow
from spielwerk.core.words import seat_number, seat_numbers
from spielwerk.games.jass.cards import (
    CARDS,
    SWISS,
    SWISS_CARDS,
    card_name,
    cards_of,
    choice_name,
    factors,
    hand_text,
    mode_name,
    rank_letter,
    say,
    slalom_factor,
)
from spielwerk.games.jass.kernel.table import (
    ANNOUNCE,
    CLAIM,
    DEAL,
    FIRST_MODE,
    FIRST_SLALOM,
    OBEABE,
    OVER,
    PUSH,
    UNDEUFE,
)
from spielwerk.games.jass.kernel.weis import weis_of

WIDE, HIGH = 720, 700  # narrow, so that cards and words stay large on a phone
MIDDLE, LEFT, RIGHT = WIDE / 2, 62, WIDE - 62
CARD_WIDE, CARD_HIGH = 74, 112
FONT = "Helvetica, Arial, sans-serif"
RED, BLACK = "#c0392b", "#1f2a30"
DARK = {
    "#1e5b43": "#163a2c",
    "#27724f": "#1b4a36",
    "#123a2b": "#0b2219",
    "#fffdf6": "#d6d0c2",
    RED: "#9c2519",
    "#ffd866": "#d8b13c",
    "#8e2f2f": "#6e2626",
    "#f3e9d2": "#b3a88f",
}
NARROW_HIGH, NARROW_CARD, NARROW_STEP, IN_A_LINE = 900, 1.45, 138, 5  # on a phone the hand has two lines

FRENCH = ("\N{BLACK HEART SUIT}", "\N{BLACK DIAMOND SUIT}", "\N{BLACK CLUB SUIT}", "\N{BLACK SPADE SUIT}")
# Rosen, Eichel, Schellen and Schilten as paths in a square from -50 to 50.
SWISS_SHAPES = (
    '<g fill="#d9a400" stroke="#7a5c00" stroke-width="3"><circle cy="-24" r="17"/><circle cx="23" cy="-7" r="17"/>'
    '<circle cx="14" cy="20" r="17"/><circle cx="-14" cy="20" r="17"/><circle cx="-23" cy="-7" r="17"/></g>'
    '<circle r="15" fill="#c0392b" stroke="#7a1f14" stroke-width="3"/>',
    '<path d="M-24 -6Q-24 34 0 46Q24 34 24 -6Z" fill="#c98b3b" stroke="#6b4413" stroke-width="3"/>'
    '<path d="M-30 -6Q-26 -34 0 -34Q26 -34 30 -6Z" fill="#4f7d3a" stroke="#2f4d20" stroke-width="3"/>'
    '<path d="M0 -34V-47" stroke="#2f4d20" stroke-width="6"/>',
    '<circle cy="4" r="34" fill="#f1c40f" stroke="#8a6d00" stroke-width="4"/><path d="M-34 4H34" stroke="#8a6d00" '
    'stroke-width="4"/><circle cy="18" r="6" fill="#8a6d00"/><path d="M0 24V38" stroke="#8a6d00" stroke-width="5"/>'
    '<path d="M-8 -30Q0 -46 8 -30" fill="none" stroke="#8a6d00" stroke-width="5"/>',
    '<path d="M-32 -40H32V2Q32 30 0 46Q-32 30 -32 2Z" fill="#f4f0df" stroke="#1f2a30" stroke-width="4"/>'
    '<path d="M0 -40V46M-32 -4H32" stroke="#c0392b" stroke-width="9"/>',
)


# --- what lies where -------------------------------------------------------------------------------------------------


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


def in_the_middle(view: View | Position) -> list[tuple[int, int]]:
    """(card, seat) of the cards in the middle of the table: the trick that is played, or else the one just finished."""
    s = view.state[0]
    cards, first = trick_on_table(view), int(s["leader"])
    if not cards:
        cards, first = last_trick(view), int(s["last_leader"])
    return [(card, (first + number) % 4) for number, card in enumerate(cards)]


def cards_held(view: View, seat: int) -> int:
    """How many cards a seat holds; that is known to everybody."""
    s = view.state[0]
    known = int(s["hands"][seat]).bit_count()
    return known or (9 - int(s["played"][seat]).bit_count() if s["phase"] not in (0, 4) else 0)


def deal_number(view: View | Position) -> int:
    """The deal whose cards lie on the table or were played last; the first is 1."""
    s = view.state[0]
    claimed = int(s["rules"]) & CLAIM and max(s["points"]) >= s["target"]  # then the deal is not counted as finished
    finished = s["phase"] in (DEAL, OVER) and s["tricks"] == 9 and not claimed
    return int(s["deals"]) + (not finished)


def own_weis(view: View) -> tuple[int, int]:
    """What the seat that looks could announce: the points of its best Weis, and the cards of all."""
    s = view.state[0]
    best, _, cards = weis_of(np.int64(s["hands"][view.seat]), int(s["mode"]), int(s["rules"]))
    return int(best) >> 16, int(cards)


def is_swiss(view: View) -> bool:
    """Whether the cards are drawn and called Swiss-German."""
    return view.game.look("deck") == "swiss"


def came_from(before: View, after: View) -> dict[str, list[str]]:
    """A card that was face down in a hand is the last of that hand's backs."""
    deal = deal_number(after)
    hidden = [seat for seat in range(4) if not before.state[0]["hands"][seat]]
    before_in_sight = {card for card, _ in in_the_middle(before)} | set(last_trick(before))
    return {
        f"{deal}-{CARDS[card]}": [f"{deal}-{_back_name(seat, cards_held(after, seat))}"]
        for card, seat in in_the_middle(after)
        if seat in hidden and card not in before_in_sight
    }


def _back_name(seat: int, number: int) -> str:
    return f"back-{seat}-{number}"


def team_name(team: int, between: str) -> str:
    """The two seats of a team."""
    return seat_numbers((team, team + 2), between)


# --- text ------------------------------------------------------------------------------------------------------------


def text(view: View) -> str:
    s = view.state[0]
    mode, swiss = int(s["mode"]), is_swiss(view)
    names = SWISS_CARDS if swiss else CARDS
    lines = [
        say("deal {deal}, trick {trick}", deal=deal_number(view), trick=min(int(s["tricks"]) + 1, 9))
        + (f", {say('Slalom')}" if s["slalom"] else "")
        + f", {mode_name(mode, swiss) if mode >= 0 else say('mode not chosen')}"
        + (f", {say('pushed')}" if s["pushed"] else "")
    ]
    actors = view.actors
    on_table = {(int(s["leader"]) + i) % 4: names[card] for i, card in enumerate(trick_on_table(view))}
    for seat in range(4):
        mark = ">" if seat in actors else " "
        name = say("seat {seat}", seat=seat_number(seat))
        played = f"{on_table.get(seat, '-'):>{6 if swiss else 3}}"
        called = f"   {_called(int(s['called'][seat]))}" if s["called"][seat] else ""
        lines.append(f"{mark} {name}  {played}   {hand_text(int(s['hands'][seat]), names)}{called}")
    phrase = "seats {seats}: {points} {points:point|points} ({gained} in this deal)"
    teams = [(team_name(team, "+"), int(s["points"][team]), int(s["gained"][team])) for team in range(2)]
    lines.append(", ".join(say(phrase, seats=seats, points=points, gained=gained) for seats, points, gained in teams))
    return "\n".join(lines)


def _called(points: int) -> str:
    return say("announces {points}", points=points)


# --- SVG -------------------------------------------------------------------------------------------------------------


def svg(view: View) -> str:
    s = view.state[0]
    swiss = is_swiss(view)
    bottom = max(view.seat, 0)
    drawn = [
        f'<rect width="{WIDE}" height="{HIGH}" rx="18" fill="#1e5b43" {narrow(height=NARROW_HIGH)}/>',
        f'<ellipse cx="{MIDDLE}" cy="318" rx="206" ry="150" fill="#27724f"/>',
        _announcement(view, swiss),
        _slate(view, bottom),
        _last_trick(view, bottom, swiss),
    ]
    for place in range(4):
        drawn.append(_seat(view, (bottom + place) % 4, place, swiss))
    for card, seat in in_the_middle(view):
        x, y = ((MIDDLE, 380), (MIDDLE + 104, 318), (MIDDLE, 256), (MIDDLE - 104, 318))[(seat - bottom) % 4]
        drawn.append(_card(card, x, y, swiss))
    if view.legal and view.legal[0] >= FIRST_MODE:
        drawn.append(_choices(view, swiss))
    if ANNOUNCE in view.legal:
        drawn.append(_announce_button(view, swiss))
    first, second = (int(points) for points in s["points"])
    deal = deal_number(view)  # in the name of every piece: no card glides from one deal into the next
    pieces = "".join(drawn).replace('data-piece="', f'data-piece="{deal}-')
    label = say("Schieber Jass, {first} to {second} {second:point|points}", first=first, second=second)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{label}" '
        f'font-family="{FONT}" class="jass" {narrow(viewBox=f"0 0 {WIDE} {NARROW_HIGH}")}>'
        f"{dark_style('jass', DARK)}{pieces}</svg>"
    )


def _suit(suit: int, x: float, y: float, size: float, swiss: bool, light: bool = False) -> str:
    if swiss:
        return f'<g transform="translate({x} {y}) scale({size / 100})">{SWISS_SHAPES[suit]}</g>'
    fill = ("#ff9d8f" if suit < 2 else "#ffffff") if light else (RED if suit < 2 else BLACK)
    return (
        f'<text x="{x}" y="{y + size * 0.35:.1f}" text-anchor="middle" font-size="{size}" fill="{fill}">'
        f"{FRENCH[suit]}</text>"
    )


def _card(card: int, x: float, y: float, swiss: bool, scale: float = 1.0, dim: bool = False) -> str:
    """A card face up, its centre at (x, y)."""
    fade = ' opacity="0.55"' if dim else ""
    place = f'transform="translate({x:.1f} {y:.1f}) scale({scale})"{fade}'
    return f'<g data-piece="{CARDS[card]}" {place}>{_face(card, swiss, rank_letter(card % 9, swiss))}</g>'


@cache
def _face(card: int, swiss: bool, letter: str) -> str:
    """A card face up, its centre at the origin."""
    suit, rank = divmod(card, 9)
    ink = BLACK if swiss else (RED if suit < 2 else BLACK)
    left, top = -CARD_WIDE / 2, -CARD_HIGH / 2
    parts = [
        f'<rect x="{left}" y="{top}" width="{CARD_WIDE}" height="{CARD_HIGH}" rx="8" fill="#fffdf6" stroke="#8a8371"/>',
        f'<text x="{left + 8}" y="{top + 25}" font-size="22" font-weight="700" fill="{ink}">{letter}</text>',
        _suit(suit, left + 17, top + 40, 20, swiss),
    ]
    if rank in (5, 6, 7):  # J, Q, K: a big letter; Ober above, Under below as on Swiss cards
        shift = {5: 26, 6: -4, 7: 10}[rank]
        parts.append(
            f'<text x="6" y="{shift + 12}" text-anchor="middle" font-size="44" font-family="Georgia, serif" '
            f'font-weight="700" fill="{ink}">{letter}</text>'
        )
        parts.append(_suit(suit, 14, -26 if rank == 5 else 36, 28, swiss))
    else:
        parts.append(_suit(suit, 6, 14, 46, swiss))
    return "".join(parts)


@cache
def _back(name: str, x: float, y: float, turned: bool) -> str:
    """A card face down; its name says whose it is and how many lie before it, never which card it is."""
    wide, high = (0.6 * side for side in ((CARD_HIGH, CARD_WIDE) if turned else (CARD_WIDE, CARD_HIGH)))
    return (
        f'<rect data-piece="{name}" x="{x - wide / 2:.1f}" y="{y - high / 2:.1f}" width="{wide:.1f}" '
        f'height="{high:.1f}" rx="5" '
        f'fill="#8e2f2f" stroke="#f3e9d2" stroke-width="2"/>'
    )


def _seat(view: View, seat: int, place: int, swiss: bool) -> str:
    """A hand and a name plate; places are 0 bottom, 1 right, 2 top, 3 left."""
    s = view.state[0]
    acting = seat in view.actors
    x, y = ((MIDDLE, 526), (RIGHT, 470), (MIDDLE, 158), (LEFT, 470))[place]
    phrase = "Seat {seat} (partner)" if view.seat >= 0 and seat == (view.seat + 2) % 4 else "Seat {seat}"
    said = [say("Seat {seat} (you)" if seat == view.seat else phrase, seat=seat_number(seat))]
    if s["phase"] != 0:
        chooser = (int(s["starter"]) + 2 * int(s["pushed"])) % 4
        if seat == int(s["starter"]) and s["pushed"]:
            said.append(say("pushed"))
        elif seat == chooser and s["mode"] >= 0:
            said.append(say("chose"))
    if s["shown"][seat]:
        said.append(say("Weis {cards}", cards=shown_cards(int(s["shown"][seat]), swiss)))
    fill, ink = ("#ffd866", "#33290a") if acting else ("#123a2b", "#dfeee6")
    label = " · ".join(said)
    wide = 30 + 8.6 * len(label)
    left = min(max(x - wide / 2, 6), WIDE - wide - 6)
    plate = (
        f'<rect x="{left:.0f}" y="{y - 13}" width="{wide:.0f}" height="26" rx="13" fill="{fill}"/>'
        f'<text x="{left + wide / 2:.0f}" y="{y + 5}" text-anchor="middle" font-size="16" fill="{ink}">{label}</text>'
    )
    if s["called"][seat] and not s["shown"][seat]:
        plate += _badge(_called(int(s["called"][seat])), left + (0 if place & 1 else wide + 8), y - (place & 1) * 34)
    cards = list(cards_of(int(s["hands"][seat])))
    if place == 0 and cards:
        return plate + _own_hand(view, seat, cards, swiss)
    held = cards_held(view, seat)
    parts = [plate]
    for number in range(held):
        offset = (number - (held - 1) / 2) * (20 if place & 1 else 22)
        cx, cy = ((MIDDLE + offset, 600), (RIGHT, 318 + offset), (MIDDLE + offset, 96), (LEFT, 318 + offset))[place]
        if cards:
            parts.append(_card(cards[number], cx, cy, swiss, 0.6))
        else:
            parts.append(_back(_back_name(seat, number), cx, cy, bool(place & 1)))
    return "".join(parts)


def _badge(label: str, left: float, y: float) -> str:
    """What a seat has announced, above its plate or to the right of it."""
    wide = 26 + 8.2 * len(label)
    left = min(left, WIDE - wide - 6)
    return (
        f'<rect x="{left:.0f}" y="{y - 13}" width="{wide:.0f}" height="26" rx="13" fill="#123a2b" stroke="#ffd866" '
        f'stroke-width="2"/><text x="{left + wide / 2:.0f}" y="{y + 5}" text-anchor="middle" font-size="16" '
        f'fill="#ffd866">{label}</text>'
    )


def shown_cards(cards: int, swiss: bool) -> str:
    """Cards on the table, suit by suit: '♥ 6 7 8'."""
    suits: dict[int, list[str]] = {}
    for card in cards_of(cards):
        suits.setdefault(card // 9, []).append(rank_letter(card % 9, swiss))
    return " ".join(" ".join([(SWISS if swiss else FRENCH)[suit], *ranks]) for suit, ranks in suits.items())


def _own_hand(view: View, seat: int, cards: list[int], swiss: bool) -> str:
    legal = view.legal if seat == view.seat else ()
    parts = []
    for number, card in enumerate(cards):
        x = MIDDLE + (number - (len(cards) - 1) / 2) * 78
        moved = _narrow_place(number, len(cards), x)
        if card in legal:
            name = card_name(card, swiss)
            parts.append(
                f'<g data-action="{card}" role="button" tabindex="0" aria-label="{name}" {moved}><title>{name}'
                f'</title><rect x="{x - 40}" y="554" width="80" height="118" rx="11" fill="#ffd866"/>'
                f"{_card(card, x, 613, swiss)}</g>"
            )
        else:
            parts.append(f"<g {moved}>{_card(card, x, 619, swiss, dim=bool(legal) and legal[0] < 36)}</g>")
    return "".join(parts)


def _narrow_place(number: int, cards: int, x: float) -> str:
    """Where a card of the own hand, which lies at `x`, is on a narrow page: large, five in a line."""
    line, column = divmod(number, IN_A_LINE)
    in_line = min(cards - IN_A_LINE * line, IN_A_LINE)
    to = MIDDLE + NARROW_STEP * (column - (in_line - 1) / 2), 636 + 172 * line
    return narrow(transform=f"translate({to[0]:.1f} {to[1]}) scale({NARROW_CARD}) translate({-x:.1f} -613)")


def _announcement(view: View, swiss: bool) -> str:
    """The mode that is played, beside the trick."""
    s = view.state[0]
    mode = int(s["mode"])
    if mode < 0:
        return ""
    options = view.game.options
    factor = slalom_factor(options) if s["slalom"] else factors(options)[mode]
    name, title = mode_name(mode, swiss), choice_name(mode, swiss)
    if s["slalom"]:
        name, title = say("Slalom"), say("Slalom, now {mode}", mode=name)
    name += f" ×{factor}" if factor > 1 else ""
    glyph = _suit(mode, 150, 196, 40, swiss, light=True) if mode < 4 else _arrow(mode, 150, 196)
    return (
        f'<g><title>{title}</title><circle cx="150" cy="196" r="30" fill="#123a2b"/>{glyph}'
        f'<text x="150" y="246" text-anchor="middle" font-size="17" fill="#dfeee6">{name}</text></g>'
    )


def _arrow(mode: int, x: float, y: float) -> str:
    """Obeabe points down (from the top), undeufe up."""
    flip = 1 if mode == 4 else -1
    return (
        f'<path transform="translate({x} {y}) scale(1 {flip})" d="M0 -18V14M-11 3L0 16L11 3" fill="none" '
        f'stroke="#ffffff" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"/>'
    )


def _slate(view: View, bottom: int) -> str:
    s = view.state[0]
    side = bottom & 1
    rows = []
    for line, team in enumerate((side, 1 - side)):
        y = 80 + 34 * line
        seats = team_name(team, " + ")
        who = say("{seats} (you)", seats=seats) if view.seat >= 0 and line == 0 else seats
        rows.append(
            f'<text x="494" y="{y}" font-size="16">{who}</text>'
            f'<text x="634" y="{y}" font-size="21" text-anchor="end" font-weight="700">{int(s["points"][team])}</text>'
            f'<text x="694" y="{y}" font-size="16" text-anchor="end">+{int(s["gained"][team])}</text>'
        )
    count = say("deal {deal}, trick {trick}", deal=deal_number(view), trick=min(int(s["tricks"]) + 1, 9))
    if s["limit"]:
        goal = say("one deal") if s["limit"] == 1 else say("{deals} deals", deals=int(s["limit"]))
    else:
        goal = say("to {target}", target=int(s["target"]))
    return (
        f'<g fill="#eef3ee"><rect x="478" y="14" width="230" height="122" rx="8" fill="#2b2f33" stroke="#8a6a43" '
        f'stroke-width="7"/><text x="494" y="46" font-size="15" fill="#b9c2bd">{count} · '
        f"{goal}</text>{''.join(rows)}</g>"
    )


def _last_trick(view: View, bottom: int, swiss: bool) -> str:
    """The trick before lies with the seat that took it."""
    cards = last_trick(view)
    if not cards or not trick_on_table(view):
        return ""
    x, y = ((186, 524), (RIGHT - 6, 516), (178, 96), (LEFT + 6, 516))[(int(view.state["leader"][0]) - bottom) % 4]
    return "".join(_card(card, x + 26 * (number - 1.5), y, swiss, 0.42) for number, card in enumerate(cards))


def _choices(view: View, swiss: bool) -> str:
    """Buttons for the modes and the push."""
    parts = [f'<text x="{MIDDLE}" y="222" text-anchor="middle" font-size="17" fill="#ffffff">{say("Choose")}</text>']
    actions = [*(action for action in view.legal if action != PUSH), *(view.legal.count(PUSH) * [PUSH])]
    in_row = 4 if len(actions) <= 8 else 5
    for number, action in enumerate(actions):
        row, column = divmod(number, in_row)
        missing = in_row - min(len(actions) - in_row * row, in_row)
        x, y = MIDDLE + 92 * (column - (in_row - 1 - missing) / 2), 274 + 94 * row
        parts.append(_choice(view, action, x, y, swiss))
    return "".join(parts)


def _choice(view: View, action: int, x: float, y: float, swiss: bool) -> str:
    label, mode, factor = view.game.move_name(action), action - FIRST_MODE, 1
    if action == PUSH:
        name = label
        glyph = (
            f'<path transform="translate({x} {y - 10})" d="M-16 0H12M2 -11L14 0L2 11" fill="none" stroke="#ffffff" '
            f'stroke-width="5" stroke-linecap="round" stroke-linejoin="round"/>'
        )
    elif action >= FIRST_SLALOM:
        first = OBEABE + action - FIRST_SLALOM
        name, factor = say("Slalom"), slalom_factor(view.game.options)
        glyph = _arrow(first, x - 14, y - 10) + _arrow(OBEABE + UNDEUFE - first, x + 14, y - 10)
    else:
        name, factor = mode_name(mode, swiss), factors(view.game.options)[mode]
        glyph = _suit(mode, x, y - 8, 36, swiss, light=True) if mode < OBEABE else _arrow(mode, x, y - 10)
    times = f'<text x="{x + 38}" y="{y - 26}" text-anchor="end" font-size="15" fill="#ffd866">×{factor}</text>'
    return (
        f'<g data-action="{action}" role="button" tabindex="0" aria-label="{label}"><title>{label}</title>'
        f'<rect x="{x - 43}" y="{y - 43}" width="86" height="86" rx="12" fill="#123a2b" stroke="#ffd866" '
        f'stroke-width="2"/>{glyph}<text x="{x}" y="{y + 31}" text-anchor="middle" font-size="17" fill="#ffffff">'
        f"{name}</text>{times if factor > 1 else ''}</g>"
    )


def _announce_button(view: View, swiss: bool) -> str:
    """Announce the own Weis, on the place of the card that is to be played; who plays a card instead is silent."""
    points, cards = own_weis(view)
    label, shown = say("Announce Weis: {points}", points=points), shown_cards(cards, swiss)
    wide = max(230, 40 + 9.5 * len(shown))
    return (
        f'<g data-action="{ANNOUNCE}" role="button" tabindex="0" aria-label="{label}"><title>{label}</title>'
        f'<rect x="{MIDDLE - wide / 2:.0f}" y="382" width="{wide:.0f}" height="86" rx="14" fill="#123a2b" '
        f'stroke="#ffd866" stroke-width="4"/><text x="{MIDDLE}" y="418" text-anchor="middle" font-size="21" '
        f'font-weight="700" fill="#ffd866">{label}</text><text x="{MIDDLE}" y="448" text-anchor="middle" '
        f'font-size="18" fill="#ffffff">{shown}</text></g>'
    )
