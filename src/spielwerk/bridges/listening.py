"""What the servers of all protocols have in common: a port, how many may come, work beside work, and going on whatever
happens to one client."""

import asyncio
import logging
import socket as sockets
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Coroutine
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Self

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from spielwerk.bridges import Report
from spielwerk.bridges.line import brief
from spielwerk.core.errors import SpielwerkError

KEEP_ALIVE = {"TCP_KEEPIDLE": 20, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}  # seconds, seconds, questions


class Guests:
    """How many connections there are, in all and by address, from their first byte to their last."""

    def __init__(self, most: int, most_per_address: int) -> None:
        self.most = most
        self.most_per_address = most_per_address
        self._by_address: Counter[str] = Counter()

    def why_not(self, address: str) -> str | None:
        """Why the newest connection from an address is refused; None if it is welcome."""
        if self._by_address.total() > self.most:
            return f"the server has {_connections(self.most)} already"
        if self._by_address[address] > self.most_per_address:
            return f"your address has {_connections(self.most_per_address)} already"
        return None

    def too_many(self, address: str) -> bool:
        """Whether there are so many that nobody is told why."""
        return self._by_address.total() > 2 * self.most or self._by_address[address] > 2 * self.most_per_address

    def came(self, address: str) -> None:
        self._by_address[address] += 1

    def went(self, address: str) -> None:
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]


class Listener(ABC):
    """A server on one port, as a context: `async with SomeServer(options, report) as server`. A subclass supplies
    `_admit`, `_serve` and, if everything must be compiled first, `_prepare`."""

    largest: int  # bytes of a message to the server; more closes the connection
    ping: float | None  # seconds between two pings

    def __init__(self, host: str, port: int, guests: Guests, report: Report = lambda line: None) -> None:
        self.host = host
        self.guests = guests
        self.report = report
        self.tasks: set[asyncio.Task[None]] = set()
        self._wished_port = port
        self._server: Server | None = None

    @property
    def port(self) -> int:
        assert self._server is not None
        port: int = next(iter(self._server.sockets)).getsockname()[1]
        return port

    @property
    def url(self) -> str:
        return f"ws://{self.host}:{self.port}"

    async def __aenter__(self) -> Self:
        await self._prepare()
        try:
            self._server = await serve(
                self._converse,
                self.host,
                self._wished_port,
                process_request=self._admit,
                process_response=self._answered,
                create_connection=self._counted(),
                max_size=self.largest,
                ping_interval=self.ping,
                compression=None,
                logger=self._logger(),
            )
        except OSError as problem:
            raise SpielwerkError(
                f"cannot listen on {self.host}:{self._wished_port}: {problem.strerror}; choose another --port"
            ) from problem
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _prepare(self) -> None:  # noqa: B027 (most have nothing to do)
        """What must be done before anybody may come."""

    @abstractmethod
    def _admit(self, socket: ServerConnection, request: Request) -> Awaitable[Response | None] | Response | None:
        """The answer to a request that does not become a conversation; None if it does."""

    def _answered(self, socket: ServerConnection, request: Request, response: Response) -> Response | None:
        """Called before an answer is sent; may give another one instead."""
        return None

    async def _converse(self, socket: ServerConnection) -> None:
        """websockets 13.0 comes here with requests that were refused or answered otherwise, too."""
        if socket.response is not None and socket.response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            await self._serve(socket)

    @abstractmethod
    async def _serve(self, socket: ServerConnection) -> None:
        """One conversation."""

    def _counted(self) -> type[ServerConnection]:
        """Connections that are counted; far too many are cut off before they say a word."""
        guests = self.guests

        class Counted(ServerConnection):
            guest: str

            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                super().connection_made(transport)
                self.guest = address_of(self)
                keep_alive(transport.get_extra_info("socket"))
                guests.came(self.guest)
                if guests.too_many(self.guest):
                    self.transport.abort()

            def connection_lost(self, exc: Exception | None) -> None:
                guests.went(self.guest)
                super().connection_lost(exc)

        return Counted

    def _logger(self) -> logging.Logger:
        """What goes wrong with a connection becomes one line of the report, without a traceback."""
        handler = logging.Handler()
        handler.emit = lambda record: self.report(brief(record.getMessage()))  # type: ignore[method-assign]
        logger = logging.Logger("server", logging.WARNING)
        logger.addHandler(handler)
        return logger

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a coroutine beside everything else; its failure is reported and stays its own."""

        async def guarded() -> None:
            try:
                await work
            except Exception as problem:
                self.trouble(problem)

        task = asyncio.create_task(guarded())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        task.add_done_callback(lambda task: work.close())  # if it was cancelled before it began
        return task

    def trouble(self, problem: object) -> None:
        self.report(f"internal error, the server goes on: {brief(repr(problem), 200)}")


def _connections(count: int) -> str:
    return "one connection" if count == 1 else f"{count} connections"


def keep_alive(socket: sockets.socket) -> None:
    """Ask the other end now and then whether it is there: one that lost its power or its network says no goodbye."""
    with suppress(OSError):
        socket.setsockopt(sockets.SOL_SOCKET, sockets.SO_KEEPALIVE, 1)
        for name, value in KEEP_ALIVE.items():
            if hasattr(sockets, name):  # not every system lets one choose
                socket.setsockopt(sockets.IPPROTO_TCP, getattr(sockets, name), value)


def address_of(socket: ServerConnection) -> str:
    place = socket.remote_address
    return str(place[0]) if place else ""
