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
from spielwerk.core.errors import SpielwerkError
from spielwerk.web import messages
from spielwerk.web.errors import UNWRITTEN, Conflict, Forbidden, Missing, TooMuch
from spielwerk.web.hall import Hall
from spielwerk.web.language import say
from spielwerk.web.limits import Rates
from spielwerk.web.routes.common import Here
from spielwerk.web.store import opens
from spielwerk.web.telling import Live, Viewer

log = logging.getLogger("spielwerk.web")
NO_MESSAGE = "this is no message: send JSON objects with a type and what belongs to it"

router = APIRouter()


@router.websocket("/api/matches/{match}/live")
async def watch(socket: WebSocket, match: str, here: Here) -> None:
    await socket.accept()
    await Conversation(here.hall, socket, match).hold()


class Conversation:
    """One WebSocket: first `hello` with the seats' tokens, then scenes one way and choices the other."""

    def __init__(self, hall: Hall, socket: WebSocket, match: str) -> None:
        self.hall, self.socket, self.match = hall, socket, match
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
                isinstance(control, str) and opens(control, live.table.header.control),
                seen if type(seen) is int else None,
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
        done, _ = await asyncio.wait([loading], timeout=0.25)
        if not done:
            stored = await self.hall.stored(self.match)
            game = registry.game_class(stored.header.game)
            await self.socket.send_json({"type": "preparing", "title": game.say(game.spec.title)})
        return await loading

    async def _next(self) -> dict[str, Any]:
        while True:
            text = await self.socket.receive_text()
            if not self.rates.allows(""):
                raise TooMuch(say("too many messages"))
            try:
                message = msgspec.json.decode(text[:10_000])
            except (msgspec.DecodeError, RecursionError):
                raise Conflict(say(NO_MESSAGE)) from None
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
            await self.socket.send_json({"type": kind, "detail": str(problem)})

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
            await hall.act(live, seat, action, number)
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
