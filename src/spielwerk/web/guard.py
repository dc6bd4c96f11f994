"""What stands before every request: host, origin, size, rate and number of connections; and the headers that guard the
page. A request that is refused costs the server next to nothing."""

import ipaddress
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spielwerk.core.words import number
from spielwerk.web.errors import retry_after, whole_seconds
from spielwerk.web.language import say
from spielwerk.web.limits import Limits, Rates, Visitor, address_of
from spielwerk.web.store import opens

log = logging.getLogger("spielwerk.web")

ANY_ADDRESS = "any address"  # among the hosts: names are refused, but every address in digits is allowed
VISITOR = "spielwerk.visitor"  # where the scope of a request has the visitor
MOVED = 421  # misdirected request
AT_ONCE = 1.0  # seconds after which who has too many connections may try again

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
    """'[::1]:2048' -> '::1', 'Play.Example.org.:80' -> 'play.example.org'."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower().rstrip(".")


def is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def answers_to(host: str, hosts: tuple[str, ...]) -> bool:
    """Whether a server with these names answers to a Host header. A page of another site that lets its name point to
    this machine (DNS rebinding) comes under its own name; under an address in digits it cannot come."""
    name = host_name(host)
    return not hosts or name in hosts or (ANY_ADDRESS in hosts and is_address(name))


def same_origin(headers: Headers) -> bool:
    """Whether a request comes from our own pages, or from no page at all."""
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2].lower() == headers.get("host", "").lower()


class Refusal(NamedTuple):
    status: int
    detail: str
    wait: float | None = None  # seconds

    def response(self) -> JSONResponse:
        headers = None if self.wait is None else retry_after(self.wait)
        return JSONResponse({"detail": self.detail}, self.status, headers)


class Guard:
    """Checks every request, and says who the visitor is. `admin` is the digest of the token of who runs the server."""

    def __init__(self, app: ASGIApp, limits: Limits, admin: str | None = None) -> None:
        self.app, self.limits, self.admin = app, limits, admin
        self.changes = Rates(limits.requests_per_second, limits.burst)
        self.looks = Rates(limits.looks_per_second, limits.looks_at_once)
        self._open: Counter[str] = Counter()  # connections by visitor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        visitor = Visitor(address_of(scope.get("client")), opens(headers.get("x-admin-token"), self.admin))
        scope[VISITOR] = visitor
        refusal = self._refusal(scope, headers, visitor)
        if scope["type"] == "websocket" and refusal is not None:
            await receive()
            if "websocket.http.response" in scope.get("extensions", {}):
                await refusal.response()(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 4403, "reason": refusal.detail[:100]})
            return
        with self._counted(visitor):
            if scope["type"] == "websocket":
                await self.app(scope, receive, send)
            else:
                await self._answer(scope, receive, send, refusal)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, refusal: Refusal | None) -> None:
        answered = False

        async def guarded_send(message: Message) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                answered = True
                out = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    out.setdefault(name, value)
            await send(message)

        body = None if refusal is not None else await self._body(receive)
        if refusal is None and body is None:
            refusal = Refusal(413, say("a request may have {most} bytes at most", most=number(self.limits.body)))
        if refusal is not None:
            await refusal.response()(scope, receive, guarded_send)
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
            await Refusal(500, detail).response()(scope, receive, guarded_send)

    @contextmanager
    def _counted(self, visitor: Visitor) -> Iterator[None]:
        self._open[visitor.address] += 1
        try:
            yield
        finally:
            self._open[visitor.address] -= 1
            if not self._open[visitor.address]:
                del self._open[visitor.address]

    def _refusal(self, scope: Scope, headers: Headers, visitor: Visitor) -> Refusal | None:
        host = headers.get("host", "")
        if not answers_to(host, self.limits.hosts):
            phrase = "this server does not answer to the name '{host}'; who runs it can allow it with --allow-host"
            return Refusal(MOVED, say(phrase, host=host_name(host)[:100]))
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD", "OPTIONS")
        if changes and not same_origin(headers):
            return Refusal(403, say("requests from other sites are not answered"))
        if visitor.in_charge:
            return None
        if self._open[visitor.address] >= self.limits.connections:
            detail = say(
                "too many connections at once; close a page or wait {seconds} s", seconds=whole_seconds(AT_ONCE)
            )
            return Refusal(429, detail, AT_ONCE)
        wait = (self.changes if changes else self.looks).wait(visitor.address)
        if wait:
            return Refusal(429, say("too many requests; wait {seconds} s", seconds=whole_seconds(wait)), wait)
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
