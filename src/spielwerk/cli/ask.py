"""spielwerk ask: here is my position, what is the move?"""

import json
import sys
from collections.abc import Iterable, Iterator
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from spielwerk.cli.app import LOOK_HELP, app
from spielwerk.cli.options import Game, Seats, Seed, Thinking, Variant, count, whole

COMMENT = "#"


@app.command()
def ask(
    game: Game,
    position: Annotated[
        str,
        typer.Argument(
            help="a position in the game's notation, a file with one per line (# begins a remark), or a record file; "
            "- reads one position per line"
        ),
    ],
    agent: Annotated[
        list[str] | None,
        typer.Option(help="who is asked; default: the strongest of the game; several are shown beside each other"),
    ] = None,
    at: Annotated[int | None, count("in a record: after so many events; default: last decision", 0)] = None,
    seat: Annotated[int | None, whole("whose move, from 1; default: the first that must decide", 1, 1000)] = None,
    seats: Seats = None,
    variant: Variant = None,
    seconds: Thinking = None,
    seed: Seed = 0,
    every: Annotated[
        bool, typer.Option("--all", help="of a network: all illegal moves, however unlikely it holds them")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object per position and agent")] = False,
    look: Annotated[str | None, typer.Option(help=LOOK_HELP)] = None,
) -> None:
    """Ask an agent for the best move in a position; prints the value of every legal move.

    For example: spielwerk ask 2048 "2 4 8 16/. 2 . 4/. . . ./. . . ." or
    spielwerk ask jass "hand=h6 h9 hJ dA c10 sQ sK; mode=hearts; played=d6 dK d7 d10 / d8 d9 dQ dJ; trick=c6 cA".
    `spielwerk rules GAME` describes the notation of a game that has one; others take the record of a match.
    Of a network (--agent net:model=RUN) it prints all that it says: the probability of every move, legal or not, before
    and after illegal ones are masked, Q values, and what the position is worth.
    """
    from spielwerk.arena.warming import TRIFLE
    from spielwerk.cli.answers import Answer, show_answer, show_beside
    from spielwerk.core import registry
    from spielwerk.core.clock import Budget
    from spielwerk.core.kernel.rng import spawn
    from spielwerk.core.looks import choose_looks

    if look is not None:
        choose_looks(registry.game_class(game), look)
    ladder = registry.game_class(game).spec.ladder
    advisers = [registry.agent(each) for each in agent or [ladder[-1].agent if ladder else "mctse"]]
    for number, asked in enumerate(_positions(game, position, at, seats, variant), 1):
        view = _deciding(asked, seat)
        answers = []
        for adviser in advisers:
            adviser.require(asked.game)
            if number == 1:  # compile, or load what is compiled: that is no thinking time
                adviser.decide(view, TRIFLE, spawn(seed, 1 + view.seat))
            decision = adviser.decide(view, Budget(seconds), spawn(seed, 1 + view.seat))
            seen = adviser.look(view, spawn(seed, 1 + view.seat)) if hasattr(adviser, "look") else None
            answers.append(Answer(adviser.spec, decision, seen))
        if as_json:
            for answer in answers:
                print(json.dumps({"position": number, **_told(view, answer)}), flush=True)
        elif len(answers) == 1:
            show_answer(view, answers[0], every)
        else:
            show_beside(view, answers, every)


def _deciding(asked: Any, seat: int | None) -> Any:
    """What the seat that is asked about knows."""
    from spielwerk.core.errors import SpielwerkError
    from spielwerk.core.words import seat_numbers

    title = asked.game.spec.title
    if asked.over:
        raise SpielwerkError(f"{title}: the match is over in this position, there is no move")
    if not asked.actors:
        raise SpielwerkError(f"{title}: chance is next in this position, nobody has to move")
    asker = asked.actors[0] if seat is None else seat - 1
    if asker not in asked.actors:
        deciding = seat_numbers(asked.actors)
        raise SpielwerkError(f"{title}: seat {seat} has nothing to decide here; deciding are {deciding}")
    return asked.view(asker)


# --- positions -------------------------------------------------------------------------------------------------------


def _positions(game: str, text: str, at: int | None, seats: int | None, variant: str | None) -> Iterator[Any]:
    from spielwerk.core import registry

    if text == "-":
        yield from _lines(registry.game(game, seats, variant), sys.stdin)
    elif not _is_file(text):
        yield registry.game(game, seats, variant).read(text)
    elif Path(text).read_bytes().lstrip()[:1] == b"{":
        yield _of_record(game, text, at)
    else:
        with Path(text).open(encoding="utf-8", errors="replace") as lines:
            yield from _lines(registry.game(game, seats, variant), lines)


def _lines(table: Any, lines: Iterable[str]) -> Iterator[Any]:
    """One position per line; a mistake names the line."""
    from spielwerk.core.errors import SpielwerkError

    for number, line in enumerate(lines, 1):
        text = line.partition(COMMENT)[0].strip()
        if not text:
            continue
        try:
            yield table.read(text)
        except SpielwerkError as problem:
            raise SpielwerkError(f"line {number}: {problem}") from problem


def _of_record(game: str, file: str, at: int | None) -> Any:
    from spielwerk.core import match
    from spielwerk.core.errors import SpielwerkError

    record = match.Record.load(file)
    if record.header.game != game:
        raise SpielwerkError(f"{file} is the record of a match of {record.header.game}, not of {game}")
    found = list(match.positions(match.table_of(record.header), record))
    if at is not None:
        if not 0 <= at < len(found):
            raise SpielwerkError(f"{file} has events 1 to {len(found) - 1}, not {at}")
        return found[at]
    deciding = [place for place in found if place.actors]
    if not deciding:
        raise SpielwerkError(f"nobody decides anything in {file}")
    return deciding[-1]


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # a position may be longer than the name of a file
        return False


# --- answers as data -------------------------------------------------------------------------------------------------


def _told(view: Any, answer: Any) -> dict[str, Any]:
    moves, decision = view.game.spec.moves, answer.decision
    values = decision.values or (None,) * len(view.legal)
    known = [value if value is not None and isfinite(value) else None for value in values]  # None: never tried
    return {
        "move": moves[decision.action],
        "values": {moves[action]: value for action, value in zip(view.legal, known, strict=True)},
        "unit": decision.unit,
        **({"within": decision.within} if decision.within else {}),
        "seat": view.seat,
        "agent": answer.spec,
        **({"network": _network(view, answer.seen)} if answer.seen else {}),
    }


def _network(view: Any, seen: Any) -> dict[str, Any]:
    """All that a network says; what it does not say is left out."""
    from spielwerk.search.net_look import of_every_action

    moves = view.game.spec.moves
    actions = {
        moves[said.action]: {
            name: value for name, value in said._asdict().items() if name != "action" and value is not None
        }
        for said in of_every_action(view, seen)
    }
    worth = {} if seen.value is None else {"value": seen.value}
    return {**worth, **({"unit": seen.unit} if seen.unit else {}), "actions": actions}
