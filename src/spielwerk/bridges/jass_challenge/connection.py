"""One client's connection: asking with a time limit, sending without ever waiting for a slow reader."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Protocol, TypeVar

from websockets.exceptions import ConnectionClosed

from spielwerk.bridges.jass_challenge.messages import BadMessage, Data, encode, expect

LONGEST_QUEUE = 5000  # messages that a client may leave unread before it is cut off
LONGEST_REASON = 120  # bytes; a frame that closes a connection holds no more

T = TypeVar("T")


class Gone(Exception):
    """The client is no longer there."""


class Late(Exception):
    """The client did not answer in time."""


class Socket(Protocol):
    """What a connection uses of a WebSocket."""

    def __aiter__(self) -> AsyncIterator[str | bytes]: ...

    async def send(self, text: str, /) -> None: ...

    async def close(self, code: int = 1000, reason: str = "") -> None: ...


class Connection:
    """A client, or with a `maker` a bot of the server that another client asked for; `cut` ends it without a word."""

    def __init__(
        self, socket: Socket, cut: Callable[[], None], address: str = "", maker: "Connection | None" = None
    ) -> None:
        self.socket = socket
        self.address = address
        self.maker = maker
        self.name = ""
        self.closed = asyncio.Event()
        self.unasked: Callable[[str | bytes], None] = lambda text: None  # what is done with messages nobody asked for
        self.left: Callable[[], None] = lambda: None  # what is done when the client leaves
        self._cut = cut
        self._answer: asyncio.Future[str | bytes] | None = None
        self._queue: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue()

    def post(self, text: str) -> None:
        """Send; a client that does not read is cut off."""
        if self.closed.is_set():
            return
        self._queue.put_nowait(text)
        if self._queue.qsize() > LONGEST_QUEUE:
            self._gone()
            self._cut()

    def send(self, kind: str, data: Data = None) -> None:
        self.post(encode(kind, data))

    def close(self, reason: str) -> None:
        """Close when everything is sent."""
        if not self.closed.is_set():
            self._queue.put_nowait((1000, reason.encode()[:LONGEST_REASON].decode(errors="ignore")))

    async def ask(
        self, kind: str, data: Data, answer: str, parse: Callable[[Data], T], seconds: float | None = None
    ) -> T:
        """Ask and wait for an answer of a type. Raises Gone, Late or BadMessage."""
        if self.closed.is_set():
            raise Gone
        self._answer = asyncio.get_running_loop().create_future()
        self.send(kind, data)
        try:
            text = await (asyncio.wait_for(self._answer, seconds) if seconds else self._answer)
        except TimeoutError:
            raise Late from None
        finally:
            self._answer = None
        if self.closed.is_set():  # it has answered and left
            raise Gone
        return parse(expect(text, answer))

    async def serve(self) -> None:
        """Read and write until the connection ends."""
        writer = asyncio.create_task(self._write())
        try:
            async for text in self.socket:
                if self._answer is not None and not self._answer.done():
                    self._answer.set_result(text)
                else:
                    self.unasked(text)
        except ConnectionClosed:
            pass  # an unclean end is an end
        finally:
            self._gone()
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await writer

    async def _write(self) -> None:
        while True:
            item = await self._queue.get()
            try:
                if isinstance(item, tuple):
                    await self.socket.close(*item)
                    return
                await self.socket.send(item)
            except ConnectionClosed:
                return

    def _gone(self) -> None:
        if self.closed.is_set():
            return
        self.closed.set()
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(Gone())
        self.left()


# --- within the process ----------------------------------------------------------------------------------------------


class PipeEnd:
    """One end of a connection within the process, used like a WebSocket."""

    def __init__(self) -> None:
        self.other: PipeEnd
        self._inbox: asyncio.Queue[str | None] = asyncio.Queue()

    async def send(self, text: str, /) -> None:
        self.other._inbox.put_nowait(text)

    async def close(self, code: int = 1000, reason: str = "") -> None:
        self.cut()

    def cut(self) -> None:
        for end in (self, self.other):
            end._inbox.put_nowait(None)

    async def __aiter__(self) -> AsyncIterator[str | bytes]:
        while (text := await self._inbox.get()) is not None:
            yield text


def pipe() -> tuple[PipeEnd, PipeEnd]:
    one, other = PipeEnd(), PipeEnd()
    one.other, other.other = other, one
    return one, other


__all__ = ["BadMessage", "Connection", "Gone", "Late", "PipeEnd", "Socket", "pipe"]
