"""What a spe_ed server answers to plain HTTP: the time service, a page to watch, pictures, logs and records."""

import asyncio
import gzip
import re
from collections.abc import Awaitable
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from websockets.datastructures import Headers
from websockets.http11 import Response

from spielwerk.bridges.spe_ed.messages import time_text
from spielwerk.core.position import View

if TYPE_CHECKING:
    from spielwerk.bridges.spe_ed.server import SpeedServer

PAGE = Path(__file__).parent / "watch.html"
GAME = re.compile(r"/games/(\d{1,9})\.(svg|json|record\.json)", re.ASCII)
GZIP = re.compile(r"\s*gzip\s*(;\s*q\s*=\s*(1|0\.0*[1-9]).*)?\s*")  # not q=0, which refuses it
OWN_ONLY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'"
)


def time_service(seconds: float) -> Response:
    """The server's time: whole seconds as text, and the milliseconds beyond them."""
    known = {"time": time_text(seconds), "milliseconds": int(seconds * 1000) % 1000}
    return _response(msgspec.json.encode(known), "application/json", {"Access-Control-Allow-Origin": "*"})


def answer(server: "SpeedServer", path: str, asked: Headers) -> Response | Awaitable[Response]:
    """What is at a path; `asked` has the headers of the request."""
    if path == "/":
        return _response(PAGE.read_bytes(), "text/html; charset=utf-8", {"Content-Security-Policy": OWN_ONLY})
    if path == "/games.json":
        return _response(msgspec.json.encode(_listed(server)), "application/json")
    found = GAME.fullmatch(path)
    if found is None:
        return _missing("there is nothing here; the game is at /spe_ed?key=KEY, the page to watch at /\n")
    number, kind = int(found[1]), found[2]
    if kind == "svg":
        return _picture(server, number)
    return _file(server.folder / f"{number:05d}.{kind}", takes_gzip(asked))


def _listed(server: "SpeedServer") -> dict[str, Any]:
    running = []
    for number, match in server.matches.items():
        s = match.position.state[0]
        running.append(
            {
                "number": number,
                "round": match.rounds,
                "size": f"{s['width']} × {s['height']}",
                "players": len(match.players),
                "in": int(s["alive"]).bit_count(),
            }
        )
    finished = [
        {"number": g.number, "names": g.names, "winner": g.winner, "rounds": g.rounds, "size": g.size}
        for g in reversed(server.results.finished)
    ]
    waiting = None if server.lobby is None else {"players": len(server.lobby.players), "seats": server.lobby.seats}
    return {"running": running, "finished": finished, "waiting": waiting}


async def _picture(server: "SpeedServer", number: int) -> Response:
    """The board as it is now, or as it was at the end."""
    views = [game.last for game in server.results.finished if game.number == number]
    if number in server.matches:
        views.append(server.matches[number].position.view(-1))
    if not views:
        return _missing("this game is not known\n")
    return _response(await _drawn(server, number, views[-1]), "image/svg+xml; charset=utf-8")


async def _drawn(server: "SpeedServer", number: int, view: View) -> bytes:
    """The picture of a round, drawn once however many look at it."""
    rounds = int(view.state["rounds"][0])
    known = server.pictures.get(number)
    if known is None or known[0] != rounds:
        drawing = asyncio.ensure_future(asyncio.to_thread(lambda: view.game.svg(view).encode()))
        known = server.pictures[number] = (rounds, drawing)
        while len(server.pictures) > 2 * server.options.at_once:
            server.pictures.pop(next(iter(server.pictures)))
    return await asyncio.shield(known[1])


def takes_gzip(asked: Headers) -> bool:
    """Whether who asks can read what is compressed."""
    return any(GZIP.fullmatch(word) for line in asked.get_all("Accept-Encoding") for word in line.lower().split(","))


async def _file(path: Path, small: bool) -> Response:
    try:
        body = await asyncio.to_thread(lambda: gzip.compress(path.read_bytes(), 1) if small else path.read_bytes())
    except OSError:
        return _missing("this file is not there; a game has a log and a record when it is over\n")
    return _response(body, "application/json", {"Content-Encoding": "gzip"} if small else None)


def _missing(text: str) -> Response:
    return _response(text.encode(), "text/plain; charset=utf-8", status=HTTPStatus.NOT_FOUND)


def _response(
    body: bytes, kind: str, more: dict[str, str] | None = None, status: HTTPStatus = HTTPStatus.OK
) -> Response:
    headers = Headers(
        {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Connection": "close",
            "Cache-Control": "no-store",
            **(more or {}),
        }
    )
    return Response(status.value, status.phrase, headers, body)
