"""spe_ed as text and as SVG: the board, beside it the rounds to the next jump, a card for every player and the actions
as keys of a steering pad. On a phone the actions are a row below the board, and the cards stand below them."""

from html import escape

from spielwerk.core.position import View
from spielwerk.core.svg import dark_style, narrow
from spielwerk.core.words import seat_number
from spielwerk.games.speed import drawing
from spielwerk.games.speed.board import Situation, board
from spielwerk.games.speed.drawing import DARK, FONT, fitting, words
from spielwerk.games.speed.kernel import rules
from spielwerk.games.speed.kernel.rules import (
    CHANGE_NOTHING,
    FASTEST,
    JUMP_EVERY,
    JUMP_FROM,
    NO_ANSWER,
    OVER,
    PLAYING,
    REASONS,
    SLOW_DOWN,
    SPEED_UP,
    TURN_LEFT,
    TURN_RIGHT,
)

ARROWS = "^>v<"

SIDE, PANEL, GAP = 640, 222, 16  # of the board on a wide page; of what stands beside it; between them
SLIM = 364  # of everything on a narrow page
HEAD, CARD, CARD_STEP = 86, 42, 46  # heights: what is said of the next jump, a card
SLIM_HEAD = 58
KEY_WIDTH, KEY_HEIGHT, KEY_GAP = 68, 54, 6

# action -> column and row of the pad, place in the row on a phone, drawing, word
PAD = {
    TURN_LEFT: (0, 1, 0, "M8 12V1q0-9-9-9h-6m6-6-6 6 6 6", "Left"),
    TURN_RIGHT: (2, 1, 4, "M-8 12V1q0-9 9-9h6m-6-6 6 6-6 6", "Right"),
    SLOW_DOWN: (1, 2, 1, "M-10 0h20", "Slower"),
    SPEED_UP: (1, 0, 3, "M-10 0h20M0-10v20", "Faster"),
    CHANGE_NOTHING: (1, 1, 2, "M0 12v-22m-8 8 8-8 8 8", "Straight on"),
}
KEYS = {TURN_LEFT: "← A", TURN_RIGHT: "→ D", SLOW_DOWN: "↓ S", SPEED_UP: "↑ W", CHANGE_NOTHING: "␣ X"}  # as in the Spec


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
        lines.append(said_of(Situation(view), seat))
    return "\n".join(["".join(row) for row in rows] + [headline(Situation(view)), *lines])


def said_of(now: Situation, seat: int) -> str:
    """One player in a line."""
    say, number = now.view.game.say, seat_number(seat)
    if now.alive(seat):
        return say("player {seat}: speed {speed}", seat=number, speed=now.of("speed", seat))
    phrase = "player {seat}: out in round {round} ({why})"
    return say(phrase, seat=number, round=now.of("out", seat), why=say(REASONS[now.of("why", seat)]))


def headline(now: Situation) -> str:
    """What is going on, in a sentence."""
    say = now.view.game.say
    if not now.set_up:
        return say("the starts are drawn")
    if int(now.view.state["phase"][0]) == OVER:
        return say("over in round {round}: {result}", round=now.rounds, result=result_said(now))
    said = say("round {round}", round=now.rounds + 1)
    return f"{said}, {jump_said(now)}"


def result_said(now: Situation) -> str:
    left = [seat for seat in range(now.view.game.seats) if now.alive(seat)]
    return (
        now.view.game.say("player {seat} wins", seat=seat_number(left[0])) if left else now.view.game.say("nobody wins")
    )


def jump_said(now: Situation) -> str:
    """When fast players jump."""
    say, ahead = now.view.game.say, now.to_jump - 1
    if ahead == 0:
        return say("now: jump from speed 3")
    return say("{ahead} {ahead:round|rounds} to the next jump", ahead=ahead)


# --- SVG -------------------------------------------------------------------------------------------------------------


def svg(view: View) -> str:
    now = Situation(view)
    seats = view.game.seats
    width, height = max(now.width, 1), max(now.height, 1)
    scale, slim_scale = SIDE / max(width, height), SLIM / max(width, height)
    left = GAP / 4 + (SIDE - scale * width) / 2
    slim_left = (SLIM - slim_scale * width) / 2
    keys = view.legal
    pad_top = HEAD + CARD_STEP * seats + 8
    panel_height = pad_top + (3 * (KEY_HEIGHT + KEY_GAP) if keys else 0) + (KEY_HEIGHT if NO_ANSWER in keys else 0)
    full = max(scale * height + GAP / 2, panel_height)
    slim_keys = SLIM_HEAD + slim_scale * height + 10
    slim_cards = slim_keys + (KEY_HEIGHT + 10 if keys else 0) + (KEY_HEIGHT + 6 if NO_ANSWER in keys else 0)
    slim_full = slim_cards + (seats + 1) // 2 * CARD_STEP
    drawn = []
    if now.set_up:
        moved = narrow(transform=f"translate({slim_left:.1f} {SLIM_HEAD}) scale({slim_scale:.4g})")
        placed = f'transform="translate({left:.1f} {GAP / 4}) scale({scale:.4g})"'
        drawn.append(f'<g data-cells="" {placed} {moved}>{board(now)}</g>')
    beside = SIDE + GAP
    drawn.append(f'<g transform="translate({beside} 0)" {narrow(transform="translate(0 0)")}>{_jump(now)}</g>')
    for seat in range(seats if now.set_up else 0):
        slim_at = f"translate({seat % 2 * (SLIM + GAP / 4) / 2:.0f} {slim_cards + seat // 2 * CARD_STEP:.0f})"
        place = f'transform="translate({beside} {HEAD + CARD_STEP * seat})" {narrow(transform=slim_at)}'
        drawn.append(f"<g {place}>{_card(now, seat)}</g>")
    first = sorted(keys, key=lambda action: action != CHANGE_NOTHING)  # what does least harm comes first by keyboard
    drawn += [_key(now, action, beside, pad_top, slim_keys) for action in first]
    room = narrow(viewBox=f"0 0 {SLIM} {slim_full:.0f}")
    said = escape(headline(now))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE + GAP + PANEL} {full:.0f}" role="img" '
        f'aria-label="spe_ed: {said}" class="spe_ed" data-still="" {room}>{dark_style("spe_ed", DARK)}'
        f"{''.join(drawn)}</svg>"
    )


def _jump(now: Situation) -> str:
    """The round, and how many there are to the next jump: a large number and a dot for every round of the six."""
    say = now.view.game.say
    if not now.playing:
        known = say("round {round}", round=now.rounds) if now.set_up else ""
        said = result_said(now) if now.set_up else headline(now)
        said = said[:1].upper() + said[1:]
        size = fitting(said, PANEL, 22)
        return words(0, 26, known, 15, drawing.FAINT, slim={"y": 18}) + words(
            0, 54, said, size, weight=700, slim={"y": 44}
        )
    ahead = now.to_jump - 1
    label = say("{ahead:round|rounds} to the next jump", ahead=ahead) if ahead else say("now: jump from speed 3")
    number = str(ahead) if ahead else "!"
    colour = drawing.WARNING if ahead == 0 else drawing.WORDS
    first, size = 46, 24
    dots = "".join(
        f'<circle cx="{first + 7 + size * place}" cy="70" r="6" fill="{_dot(now, place)}" stroke="{drawing.EDGE}"/>'
        for place in range(JUMP_EVERY)
    )
    room, slim = PANEL - first, fitting(label, SLIM - first, 17)
    return "".join(
        [
            words(0, 66, number, 62, colour, 700, slim={"font-size": 50, "y": 44}),
            words(first, 26, say("round {round}", round=now.rounds + 1), 15, drawing.FAINT, slim={"y": 20}),
            words(first, 50, label, fitting(label, room, 17), colour, 700, slim={"y": 42, "font-size": f"{slim:.3g}"}),
            f'<g {narrow(transform="translate(168 -56)")}>{dots}</g>',
        ]
    )  # fmt: skip


def _dot(now: Situation, place: int) -> str:
    """The rounds of the six that are over are dark, the sixth is the jump."""
    if place < now.rounds % JUMP_EVERY:
        return drawing.FAINT
    return drawing.DANGER if place == JUMP_EVERY - 1 else drawing.BOARD


def _card(now: Situation, seat: int) -> str:
    """A player: number, whether it is the one who looks, speed, or why it is out; and the size of its territory."""
    say, number, own = now.view.game.say, seat_number(seat), seat == now.view.seat
    alive = now.alive(seat)
    name = say("player {seat} (you)" if own else "player {seat}", seat=number)
    name = name[:1].upper() + name[1:]
    slim = (SLIM - GAP / 4) / 2 - 1
    fill, edge = (drawing.OWN, drawing.WORDS) if own else (drawing.CARD, drawing.LINE)
    drawn = [
        f'<rect x="1" y="1" width="{PANEL - 2}" height="{CARD - 2}" rx="9" fill="{fill}" stroke="{edge}" '
        f'stroke-width="{2 if own else 1}" {narrow(width=f"{slim - 1:g}")}/>',
        f'<g opacity="{1 if alive else 0.55}"><circle cx="21" cy="21" r="13" fill="{now.palette.trail[seat]}"/>'
        f'<text x="21" y="26.5" text-anchor="middle" {FONT} font-size="15" font-weight="700" '
        f'fill="{now.palette.ink[seat]}">{number}</text></g>',
        words(42, 17, name, 13.5, weight=700),
    ]
    if alive:
        speed = now.of("speed", seat)
        said = say("speed {speed}", speed=speed)
        drawn += [words(42, 33, said, 12.5), _gauge(speed)]
    else:
        said = say("out, round {round}: {why}", round=now.of("out", seat), why=say(REASONS[now.of("why", seat)]))
        drawn.append(
            words(
                42,
                33,
                said,
                fitting(said, PANEL - 50, 12.5),
                slim={"font-size": f"{fitting(said, slim - 46, 12.5):.3g}"},
            )
        )
    if now.overlay == "territory" and alive:
        cells = say("{cells} {cells:cell|cells}", cells=int((now.owners == seat).sum()))
        drawn.append(
            words(PANEL - 10, 17, cells, 12.5, drawing.FAINT, anchor="end", slim={"x": slim - 8, "font-size": 11})
        )
    return "".join(drawn)


def _gauge(speed: int) -> str:
    """Ten bars for the speed; from the third on one can jump."""
    full = "".join(f"M{6.4 * bar:.3g} 0v{9 if bar >= JUMP_FROM - 1 else 6}" for bar in range(speed))
    rest = "".join(f"M{6.4 * bar:.3g} 0v{9 if bar >= JUMP_FROM - 1 else 6}" for bar in range(speed, FASTEST))
    moved = narrow(transform="translate(105 34) scale(1 -1)")
    return (
        f'<g transform="translate(130 34) scale(1 -1)" {moved} stroke-width="3.6"><path d="{full}" '
        f'stroke="{drawing.WORDS}"/><path d="{rest}" stroke="{drawing.LINE}"/></g>'
    )


def _key(now: Situation, action: int, beside: float, top: float, slim_top: float) -> str:
    """One action of the one who looks. Where danger is shown, what kills for certain is marked."""
    game = now.view.game
    name = game.move_name(action)
    if action == NO_ANSWER:
        place = f"translate({beside} {top + 3 * (KEY_HEIGHT + KEY_GAP):.0f})"
        slim = f"translate(0 {slim_top + KEY_HEIGHT + 6:.0f})"
        wide = 3 * KEY_WIDTH + 2 * KEY_GAP
        inside = words(wide / 2, 33, name, 16, anchor="middle")
        label, edge = name, f'stroke="{drawing.LINE}" stroke-width="1.5"'
    else:
        column, row, slot, shape, word = PAD[action]
        place = f"translate({beside + column * (KEY_WIDTH + KEY_GAP)} {top + row * (KEY_HEIGHT + KEY_GAP):.0f})"
        slim = f"translate({slot * (KEY_WIDTH + KEY_GAP)} {slim_top:.0f})"
        wide = KEY_WIDTH
        deadly = now.overlay == "danger" and now.drives and now.fates[action].kind != rules.STILL_IN
        said = game.say(word)
        label = f"{name} ({KEYS[action]})" + (f": {game.say('deadly')}" if deadly else "")
        inside = (
            f'<path transform="translate({KEY_WIDTH / 2:g} 21) scale(.9)" d="{shape}" fill="none" '
            f'stroke="{drawing.INK}" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/>'
            + words(KEY_WIDTH / 2, 48, said, fitting(said, KEY_WIDTH - 6, 11.5), anchor="middle")
            + words(KEY_WIDTH - 4, 12, KEYS[action], 9.5, drawing.FAINT, anchor="end", slim={"opacity": 0})
        )
        edge = f'stroke="{drawing.DANGER if deadly else drawing.LINE}" stroke-width="{3 if deadly else 1.5}"'
    label = escape(label)
    return (
        f'<g data-action="{action}" role="button" tabindex="0" aria-label="{label}" transform="{place}" '
        f"{narrow(transform=slim)}><title>{label}</title>"
        f'<rect width="{wide}" height="{KEY_HEIGHT}" rx="10" fill="{drawing.BUTTON}" {edge}/>{inside}</g>'
    )
