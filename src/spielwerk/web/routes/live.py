"""A match while it is played: one WebSocket per viewer."""

import asyncio
import logging
import sqlite3
from contextlib import suppress
from typing import Any

import msgspec
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from spielwerk.core import registry
from spielwerk.core.errors import IllegalMove, SpielwerkError
from spielwerk.web import messages
from spielwerk.web.driving import NOTICE
from spielwerk.web.errors import UNWRITTEN, Conflict, Forbidden, Missing, TooMuch, told
from spielwerk.web.language import say
from spielwerk.web.limits import Rates, Visitor
from spielwerk.web.routes.common import Here, Services, Who
from spielwerk.web.store import opens
from spielwerk.web.telling import Live, Viewer

log = logging.getLogger("spielwerk.web")
LONGEST = 10_000  # characters of a message
NO_MESSAGE = "this is no message: send JSON objects with a type and what belongs to it"

router = APIRouter()


class Nonsense(SpielwerkError):
    """What is no message at all."""


def shows(token: object, kept: str | None) -> bool:
    return isinstance(token, str) and opens(token, kept)


@router.websocket("/api/matches/{match}/live")
async def watch(socket: WebSocket, match: str, here: Here, who: Who) -> None:
    await socket.accept()
    await Conversation(here, socket, match[:40], who).hold()


class Conversation:
    """One WebSocket: first `hello` with the seats' tokens, then scenes one way and choices the other."""

    def __init__(self, here: Services, socket: WebSocket, match: str, who: Visitor) -> None:
        self.hall, self.admin, self.socket, self.match, self.who = here.hall, here.admin, socket, match, who
        self.rates = Rates(per_second=20, burst=60)

    async def hold(self) -> None:
        live: Live | None = None
        viewer: Viewer | None = None
        sender: asyncio.Task[None] | None = None
        try:
            hello = await asyncio.wait_for(self._next(), 10)
            live = await self._live()
            tokens = hello.get("tokens")
            tokens = [str(token) for token in tokens[:16]] if isinstance(tokens, list) else []
            control, seen = hello.get("control"), hello.get("seen")
            viewer = Viewer(
                self.hall.held_seats(live.table, tokens),
                shows(control, live.table.header.control) or shows(hello.get("admin"), self.admin),
                seen if type(seen) is int else None,
                self.who.address,
            )
            await self.hall.join(live, viewer)
            sender = asyncio.create_task(self._send(viewer))
            while True:
                message = await self._next()
                try:
                    await self._answer(live, viewer, message)
                except SpielwerkError as problem:
                    await self._refuse(problem)
                except sqlite3.Error as problem:
                    await self._not_now(problem)
        except sqlite3.Error as problem:
            await self._not_now(problem)
            with suppress(RuntimeError):
                await self.socket.close(1011)  # the page comes back by itself
        except Nonsense as problem:
            log.warning("match %s: a message that is none: %s", self.match, problem)
            await self._refuse(problem)
            with suppress(RuntimeError):
                await self.socket.close(1003)
        except SpielwerkError as problem:
            await self._refuse(problem)
            with suppress(RuntimeError):
                await self.socket.close(4404 if isinstance(problem, Missing) else 4403)
        except (WebSocketDisconnect, TimeoutError, RuntimeError, ConnectionError) as gone:
            log.debug("match %s goes on without a browser that has gone: %r", self.match, gone)
        except Exception:
            log.exception("match %s cannot be shown", self.match)
            await self._refuse(Missing(say("this match cannot be shown; the server's log says why")))
            with suppress(RuntimeError):
                await self.socket.close(1011)
        finally:
            if sender is not None:
                sender.cancel()
            if live is not None and viewer is not None:
                live.viewers.discard(viewer)

    async def _live(self) -> Live:
        """The match; meanwhile the viewer is told what is being prepared."""
        loading = asyncio.ensure_future(self.hall.live(self.match))
        sent = None
        try:
            while not (await asyncio.wait([loading], timeout=NOTICE))[0]:
                header = (await self.hall.stored(self.match)).header
                game = await self.hall.work(registry.game, header.game, header.seats, header.variant)
                message = self.hall.preparer.progress(game, self.hall.needs(game, header))
                if message != sent:
                    await self.socket.send_json(message)
                sent = message
        finally:
            if not loading.done():
                loading.cancel()  # of this viewer; the table is loaded all the same
        return await loading

    async def _next(self) -> dict[str, Any]:
        """The next message. What is none at all costs the connection."""
        while True:
            received = await self.socket.receive()
            if received["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(received.get("code") or 1000)
            if not self.rates.allows(""):
                raise TooMuch(say("too many messages"))
            text = received.get("text")
            if text is None:
                raise Nonsense(say(NO_MESSAGE))
            try:
                message = msgspec.json.decode(text[:LONGEST])
            except (ValueError, RecursionError):
                raise Nonsense(say(NO_MESSAGE)) from None
            if isinstance(message, dict):
                return message

    async def _send(self, viewer: Viewer) -> None:
        with suppress(RuntimeError, WebSocketDisconnect, ConnectionError):
            while True:
                await self.socket.send_text(await viewer.next())

    async def _not_now(self, problem: sqlite3.Error) -> None:
        log.error("match %s: %s", self.match, problem)
        await self._refuse(TooMuch(say(UNWRITTEN)))

    async def _refuse(self, problem: SpielwerkError) -> None:
        kind = "refused" if isinstance(problem, Forbidden | Missing) else "problem"
        with suppress(RuntimeError, WebSocketDisconnect, ConnectionError):
            await self.socket.send_json({"type": kind, "detail": told(problem)})

    async def _answer(self, live: Live, viewer: Viewer, message: dict[str, Any]) -> None:
        hall, kind = self.hall, message.get("type")
        seat: Any = message.get("seat")
        if type(seat) is not int and kind != "pace":
            raise SpielwerkError(say(NO_MESSAGE))
        if kind in ("act", "undo", "resign") and seat not in viewer.held:
            raise Forbidden(say("this seat can only be played with its own token"))
        if kind == "act":
            action, number = message.get("action"), message.get("number")
            if type(action) is not int or not (number is None or type(number) is int):
                raise SpielwerkError(say("an action is a number"))
            live.who = self.who.address
            try:
                await hall.act(live, seat, action, number)
            except (Conflict, IllegalMove):
                if not live.table.header.countdown:  # against the clock nobody is told off for being late
                    raise
        elif kind == "undo":
            await hall.undo(live)
        elif kind == "resign":
            await hall.resign(live, seat)
        elif kind == "look":
            viewer.seat = seat
            await hall.tell(live, viewer)
        elif kind == "pace":
            if not viewer.control:
                raise Forbidden(say("only who started a match between agents may pause it or change its speed"))
            try:
                wanted = messages.Pace.model_validate({key: message.get(key) for key in ("paused", "seconds")})
            except ValidationError:
                raise SpielwerkError(say(NO_MESSAGE)) from None
            hall.set_pace(live, wanted.paused, wanted.seconds)
        else:
            raise SpielwerkError(say("unknown message; types are act, undo, resign, look and pace"))
