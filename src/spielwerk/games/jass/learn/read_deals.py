"""Deals from records of matches and from logs of the challenge's server (the format is in deals.py).

The server writes a log of every game of a tournament if it is started with TOURNAMENT_LOGGING: a JSON list of all that
it sent and received, `{"broadcast": true, "messageType": "BROADCAST_STICH", "data": …}`. What it announced to everybody
is enough to know a deal.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielwerk.core.errors import BadJson, SpielwerkError
from spielwerk.core.files import from_json
from spielwerk.core.match import Record, positions, table_of
from spielwerk.games.jass.cards import factors
from spielwerk.games.jass.game import Jass
from spielwerk.games.jass.kernel.table import DEAL, OBEABE, OVER, UNDEUFE
from spielwerk.games.jass.learn import say
from spielwerk.games.jass.learn.deals import (
    MOST_PLAYERS,
    Deals,
    Header,
    Row,
    arrays_of,
    finished,
    is_folder,
    keep,
    require_plain_modes,
)
from spielwerk.games.jass.learn.describe_deals import survey
from spielwerk.games.jass.learn.kernel.deals import NOBODY, DealArrays
from spielwerk.learn.run import Report

COLOURS = ("HEARTS", "DIAMONDS", "CLUBS", "SPADES")


@dataclass
class Found:
    """Deals as they are read."""

    rows: list[Row]
    names: list[str]
    incomplete: int = 0

    def number_of(self, name: str) -> int:
        """The number of a player; beyond MOST_PLAYERS nobody is told apart."""
        if name not in self.names:
            if len(self.names) >= MOST_PLAYERS:
                return NOBODY
            self.names.append(name)
        return self.names.index(name)


def read(sources: Iterable[Path], variant: str, folder: Path, report: Report) -> Header:
    """The deals of records (`.json`), of game logs of the challenge's server (`.json`), and of transcripts of its
    messages (`.jsonl`), files or folders of them. What did not end is counted and left out."""
    if is_folder(folder):
        raise SpielwerkError(say("{folder} holds other deals; choose another folder", folder=folder))
    files = [file for source in sources for file in ([source] if source.is_file() else sorted(_files_in(source)))]
    if not files:
        raise SpielwerkError(say("there is nothing to read: name records or logs (*.json, *.jsonl)"))
    game, found = Jass(4, variant), Found([], [])
    require_plain_modes(game)
    for number, file in enumerate(files, 1):
        try:
            _read_file(file, game, found)
        except SpielwerkError as problem:
            raise SpielwerkError(say("{file}: {problem}", file=file, problem=problem)) from problem
        report(
            number / len(files),
            say("{deals} {deals:deal|deals} of {files} {files:file|files}", deals=len(found.rows), files=number),
        )
    if not found.rows:
        raise SpielwerkError(say("none of the deals that were read came to its end"))
    deals = Deals(Header(game.variant, found.names, 0, incomplete=found.incomplete), arrays_of(found.rows, False))
    legal = survey(deals).broken == 0
    if not legal.any():
        raise SpielwerkError(say("all deals that were read break the rules of {variant}", variant=game.variant))
    deals.header.incomplete += int((~legal).sum())
    return keep(folder, Deals(deals.header, DealArrays(*(array[legal] for array in deals.arrays))))


def _files_in(folder: Path) -> Iterator[Path]:
    for pattern in ("*.json", "*.jsonl"):
        yield from folder.glob(pattern)


def _read_file(file: Path, game: Jass, found: Found) -> None:
    try:
        data = file.read_bytes()
    except OSError as problem:
        raise SpielwerkError(problem.strerror or str(problem)) from problem
    if file.suffix == ".jsonl":
        told = (_message_of_transcript(line) for line in data.splitlines() if line.strip())
        _read_messages((message for message in told if message is not None), found)
    elif data.lstrip()[:1] == b"[":
        _read_messages(map(_message_of_log, _parsed(data, list[dict[str, Any]])), found)
    else:
        _read_record(Record.load(file), game, found)


def _read_record(record: Record, game: Jass, found: Found) -> None:
    table = table_of(record.header)
    if not isinstance(table, Jass):
        raise SpielwerkError(say("a record of {game}, not of Jass; leave it out", game=table.spec.id))
    require_plain_modes(table)
    if factors(table.options) != factors(game.options):
        phrase = "its modes count otherwise than in {variant}; read it with --variant {other}"
        raise SpielwerkError(say(phrase, variant=game.variant, other=table.variant))
    seats = [found.number_of(name) for name in record.header.agents]
    starter, before = 0, 0
    for position in positions(table, record):
        state = position.state[0]
        tricks = int(state["tricks"])
        if state["mode"] < 0:
            starter = int(state["starter"])
        if tricks == 9 and before == 8 and state["phase"] in (DEAL, OVER):
            found.rows.append(finished(position, starter, seats))
        before = tricks
    if 0 < before < 9:
        found.incomplete += 1


def _parsed(data: bytes, kind: Any) -> Any:
    try:
        return from_json(data, kind)
    except BadJson as problem:
        raise SpielwerkError(say("it cannot be read: {problem}", problem=problem)) from problem


def _message_of_log(entry: dict[str, Any]) -> tuple[str, Any]:
    """Of a game log (TOURNAMENT_LOGGING): what the server sent to all."""
    return (str(entry.get("messageType")) if entry.get("broadcast") else "", entry.get("data"))


def _message_of_transcript(line: bytes) -> tuple[str, Any] | None:
    """Of a transcript, one frame a line: `{"dir": "S>C", "client": "*", "msg": {"type": …, "data": …}}`."""
    entry = _parsed(line, dict[str, Any])
    message = entry.get("msg")
    if entry.get("client") != "*" or not isinstance(message, dict):
        return None
    return str(message.get("type")), message.get("data")


def _read_messages(messages: Iterable[tuple[str, Any]], found: Found) -> None:
    """Deals as a server announced them. The starter of the n-th deal of a game is seat n modulo 4; a game begins with
    its teams."""
    seats = [NOBODY] * 4
    number, pushed, mode, cards = 0, 0, -1, list[int]()
    for kind, data in messages:
        if kind == "BROADCAST_TEAMS":
            found.incomplete += bool(cards)
            seats, number, pushed, mode, cards = _seats_of(data, found), 0, 0, -1, []
        elif kind == "BROADCAST_TRUMPF":
            chosen = data.get("mode") if isinstance(data, dict) else None
            if chosen == "SCHIEBE":
                pushed = 1
            elif chosen == "TRUMPF":
                mode = COLOURS.index(data["trumpfColor"]) if data.get("trumpfColor") in COLOURS else -1
            else:
                mode = {"OBEABE": OBEABE, "UNDEUFE": UNDEUFE}.get(str(chosen), -1)
        elif kind == "BROADCAST_STICH":
            cards += _trick_of(data)
        elif kind == "BROADCAST_GAME_FINISHED":
            if len(cards) == 36 and mode >= 0:
                found.rows.append(Row(number % 4, pushed, mode, cards, seats))
            else:
                found.incomplete += 1
            number, pushed, mode, cards = number + 1, 0, -1, []
    found.incomplete += bool(cards)


def _seats_of(data: Any, found: Found) -> list[int]:
    seats = [NOBODY] * 4
    for team in data if isinstance(data, list) else []:
        players = team.get("players") if isinstance(team, dict) else None
        for player in players if isinstance(players, list) else []:
            seat = player.get("seatId") if isinstance(player, dict) else None
            if isinstance(seat, int) and seat in range(4):
                seats[seat] = found.number_of(str(player.get("name")))
    return seats


def _trick_of(data: Any) -> list[int]:
    """The cards of a trick, [] if it cannot be read."""
    played = data.get("playedCards") if isinstance(data, dict) else None
    cards = []
    for card in played if isinstance(played, list) else []:
        number, colour = (card.get("number"), card.get("color")) if isinstance(card, dict) else (None, None)
        if not isinstance(number, int) or number not in range(6, 15) or colour not in COLOURS:
            return []
        cards.append(9 * COLOURS.index(str(colour)) + number - 6)
    return cards if len(cards) == 4 else []
