"""spielwerk ask: here is my position, what is the move?"""

import json
import sys
from collections.abc import Iterator
from math import inf, isfinite
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from spielwerk.cli.app import LOOK_HELP, app, console
from spielwerk.cli.options import Game, Seats, Seed, Thinking, Variant, count, whole


@app.command()
def ask(
    game: Game,
    position: Annotated[
        str, typer.Argument(help="a position in the game's notation, or a record file; - reads one position per line")
    ],
    agent: Annotated[str | None, typer.Option(help="who is asked; default: the strongest of the game")] = None,
    at: Annotated[int | None, count("in a record: after so many events; default: last decision", 0)] = None,
    seat: Annotated[int | None, whole("whose move, from 1; default: the first that must decide", 1, 1000)] = None,
    seats: Seats = None,
    variant: Variant = None,
    seconds: Thinking = None,
    seed: Seed = 0,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object per position")] = False,
    look: Annotated[str | None, typer.Option(help=LOOK_HELP)] = None,
) -> None:
    """Ask an agent for the best move in a position; prints the value of every legal move.

    For example: spielwerk ask 2048 "2 4 8 16/. 2 . 4/. . . ./. . . ." or
    spielwerk ask jass "hand=h6 h9 hJ dA c10 sQ sK; mode=hearts; played=d6 dK d7 d10 / d8 d9 dQ dJ; trick=c6 cA".
    `spielwerk rules GAME` describes the notation of a game that has one; others take the record of a match.
    """
    from spielwerk.core import registry
    from spielwerk.core.clock import Budget
    from spielwerk.core.errors import SpielwerkError
    from spielwerk.core.kernel.rng import spawn
    from spielwerk.core.looks import choose_looks
    from spielwerk.core.words import seat_numbers

    if look is not None:
        choose_looks(registry.game_class(game), look)
    spec = registry.game_class(game).spec
    adviser = registry.agent(agent or (spec.ladder[-1].agent if spec.ladder else "mctse"))
    for asked in _positions(game, position, at, seats, variant):
        if asked.over:
            raise SpielwerkError(f"{spec.title}: the match is over in this position, there is no move")
        if not asked.actors:
            raise SpielwerkError(f"{spec.title}: chance is next in this position, nobody has to move")
        asker = asked.actors[0] if seat is None else seat - 1
        if asker not in asked.actors:
            deciding = seat_numbers(asked.actors)
            raise SpielwerkError(f"{spec.title}: seat {seat} has nothing to decide here; deciding are {deciding}")
        adviser.require(asked.game)
        view = asked.view(asker)
        decision = adviser.decide(view, Budget(seconds), spawn(seed, 1 + asker))
        if as_json:
            print(json.dumps(_answer(view, decision, adviser.spec)), flush=True)
        else:
            _show(view, decision, adviser.spec)


def _positions(game: str, text: str, at: int | None, seats: int | None, variant: str | None) -> Iterator[Any]:
    from spielwerk.core import match, registry
    from spielwerk.core.errors import SpielwerkError

    if text != "-" and _is_file(text):
        record = match.Record.load(text)
        if record.header.game != game:
            raise SpielwerkError(f"{text} is the record of a match of {record.header.game}, not of {game}")
        table = match.table_of(record.header)
        found = list(match.positions(table, record))
        if at is not None:
            if not 0 <= at < len(found):
                raise SpielwerkError(f"{text} has events 1 to {len(found) - 1}, not {at}")
            yield found[at]
            return
        deciding = [place for place in found if place.actors]
        if not deciding:
            raise SpielwerkError(f"nobody decides anything in {text}")
        yield deciding[-1]
        return
    table = registry.game(game, seats, variant)
    if text == "-":
        for line in sys.stdin:
            if line.strip():
                yield table.read(line)
        return
    yield table.read(text)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:  # a position may be longer than the name of a file
        return False


def _answer(view: Any, decision: Any, spec: str) -> dict[str, Any]:
    moves = view.game.spec.moves
    values = decision.values or (None,) * len(view.legal)
    known = [value if value is not None and isfinite(value) else None for value in values]  # None: never tried
    return {
        "move": moves[decision.action],
        "values": {moves[action]: value for action, value in zip(view.legal, known, strict=True)},
        "unit": decision.unit,
        **({"within": decision.within} if decision.within else {}),
        "seat": view.seat,
        "agent": spec,
    }


def _show(view: Any, decision: Any, spec: str) -> None:
    answer = _answer(view, decision, spec)
    console.print(view.text, highlight=False, markup=False)
    table = Table("", "move", f"{decision.unit} {decision.within}".strip(), box=None, pad_edge=False)
    ranked = sorted(answer["values"].items(), key=lambda item: -inf if item[1] is None else item[1], reverse=True)
    for move, value in ranked:
        shown = "" if value is None else f"{value:,.1f}" if decision.unit in ("points", "lead") else f"{value:.4f}"
        table.add_row("→" if move == answer["move"] else "", view.game.move_text(view.game.action(move)), shown)
    console.print(table)
    console.print(f"{spec} plays {view.game.move_text(decision.action)}", highlight=False, markup=False)
