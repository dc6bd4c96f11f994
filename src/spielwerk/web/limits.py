"""What a visitor may ask of the server: sizes, numbers, times and rates; and the headers that guard the page."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spielwerk.core.words import number
from spielwerk.web.language import say

log = logging.getLogger("spielwerk.web")


@dataclass(frozen=True)
class Limits:
    body: Annotated[int, "bytes of a request"] = 4 << 20
    matches: Annotated[int, "unfinished matches of the last day"] = 20_000
    store: Annotated[int, "bytes of all matches together; then no new one begins"] = 16 << 30
    tables: Annotated[int, "matches in memory; idle ones make room"] = 2_000
    viewers: Annotated[int, "WebSocket connections of one match"] = 64
    thinking: Annotated[float, "seconds for one decision"] = 20.0
    hint: Annotated[float, "seconds for a hint"] = 1.2
    review: Annotated[float, "seconds for a whole review"] = 60.0
    review_decisions: Annotated[int, "most decisions of a review; of longer matches an even sample is judged"] = 1000
    requests_per_second: Annotated[float, "of one address that change something"] = 20.0
    burst: Annotated[int, "requests that may come at once"] = 100
    looks_per_second: Annotated[float, "of one address that change nothing"] = 200.0
    looks_at_once: Annotated[int, "requests that may come at once and change nothing"] = 2000
    jobs: Annotated[int, "evaluations and tournaments that wait or run"] = 8
    any_agent: Annotated[bool, "agents may be written out; else only those of the ladders"] = True
    hosts: Annotated[tuple[str, ...], "names under which the server may be asked; empty = any"] = ()


class Rates:
    """A token bucket per address."""

    def __init__(
        self, per_second: float, burst: int, most: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.per_second, self.burst, self.most, self.clock = per_second, burst, most, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address -> (tokens, when)

    def allows(self, address: str) -> bool:
        now = self.clock()
        tokens, when = self._buckets.pop(address, (float(self.burst), now))
        tokens = min(self.burst, tokens + (now - when) * self.per_second)
        allowed = tokens >= 1
        self._buckets[address] = (tokens - 1 if allowed else tokens, now)
        while len(self._buckets) > self.most:
            self._buckets.popitem(last=False)
        return allowed


HEADERS = {
    "content-security-policy": (
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


def host_name(host: str) -> str:
    """'[::1]:2048' -> '::1'."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def same_origin(headers: Headers) -> bool:
    """Whether a request comes from our own pages, or from no page at all."""
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == headers.get("host", "")


class Guard:
    """Checks host, origin, size and rate of every request, and adds the headers that guard the page."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app, self.limits = app, limits
        self.changes = Rates(limits.requests_per_second, limits.burst)
        self.looks = Rates(limits.looks_per_second, limits.looks_at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refusal is None:
                await self.app(scope, receive, send)
            else:
                await receive()
                await send({"type": "websocket.close", "code": 4403, "reason": refusal[1]})
            return

        answered = False

        async def guarded_send(message: Message) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                answered = True
                out = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    out.setdefault(name, value)
            await send(message)

        if refusal is not None:
            status, detail = refusal
            await JSONResponse({"detail": detail}, status)(scope, receive, guarded_send)
            return
        body = await self._body(receive)
        if body is None:
            detail = say("a request may have {most} bytes at most", most=number(self.limits.body))
            await JSONResponse({"detail": detail}, 413)(scope, receive, guarded_send)
            return
        given = False

        async def replayed() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        try:
            await self.app(scope, replayed, guarded_send)
        except Exception:
            if answered:
                raise
            log.exception("%s %s cannot be answered", scope["method"], scope["path"])
            detail = say("something went wrong; the server's log says why")
            await JSONResponse({"detail": detail}, 500)(scope, receive, guarded_send)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        if self.limits.hosts and host_name(headers.get("host", "")) not in self.limits.hosts:
            return 403, say("this server answers only under its own name")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD", "OPTIONS")
        if changes and not same_origin(headers):
            return 403, say("requests from other sites are not answered")
        client = scope.get("client")
        rates = self.changes if changes else self.looks
        if not rates.allows(client[0] if client else ""):
            return 429, say("too many requests; wait a moment")
        return None

    async def _body(self, receive: Receive) -> bytes | None:
        """The whole body, None if it is too long."""
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return b"".join(parts)
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self.limits.body:
                return None
            if not message.get("more_body", False):
                return b"".join(parts)
