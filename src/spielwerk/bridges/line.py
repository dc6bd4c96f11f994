"""One client's connection: everything it says is heard in order, and nobody ever waits for a slow reader."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from websockets.exceptions import ConnectionClosed

LONGEST_QUEUE = 5000  # messages that a client may leave unread before it is cut off
LARGEST_QUEUE = 8 << 20  # characters of them
LONGEST_REASON = 120  # bytes; a frame that closes a connection holds no more


class Socket(Protocol):
    """What a line uses of a WebSocket."""

    def __aiter__(self) -> AsyncIterator[str | bytes]: ...

    async def send(self, text: str, /) -> None: ...

    async def close(self, code: int = 1000, reason: str = "") -> None: ...


class Line:
    """A client; `cut` ends its connection without a word."""

    def __init__(self, socket: Socket, cut: Callable[[], None], address: str = "") -> None:
        self.socket = socket
        self.address = address
        self.closed = asyncio.Event()
        self.unasked: Callable[[str | bytes], None] = lambda text: None  # what is done with messages nobody asked for
        self.left: Callable[[], None] = lambda: None  # what is done when the client leaves
        self._cut = cut
        self._queue: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue()
        self._unsent = 0  # characters in the queue

    def post(self, text: str) -> None:
        """Send; a client that does not read is cut off."""
        if self.closed.is_set():
            return
        self._queue.put_nowait(text)
        self._unsent += len(text)
        if self._queue.qsize() > LONGEST_QUEUE or self._unsent > LARGEST_QUEUE:
            self.cut()

    def close(self, reason: str) -> None:
        """Close when everything is sent."""
        if not self.closed.is_set():
            self._queue.put_nowait((1000, reason.encode()[:LONGEST_REASON].decode(errors="ignore")))

    def cut(self) -> None:
        """End the connection at once; what was not sent is lost."""
        self.gone()
        self._cut()

    async def serve(self) -> None:
        """Read and write until the connection ends."""
        writer = asyncio.create_task(self._write())
        try:
            with contextlib.suppress(ConnectionClosed):  # an unclean end is an end
                async for text in self.socket:
                    self.hear(text)
        finally:
            self.gone()
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await writer

    def hear(self, text: str | bytes) -> None:
        self.unasked(text)

    async def _write(self) -> None:
        while True:
            item = await self._queue.get()
            try:
                if isinstance(item, tuple):
                    await self.socket.close(*item)
                    return
                self._unsent -= len(item)
                await self.socket.send(item)
            except ConnectionClosed:
                return

    def gone(self) -> None:
        """The client is no longer there."""
        if not self.closed.is_set():
            self.closed.set()
            self.left()


def brief(thing: object, most: int = 80) -> str:
    """What strangers sent as one short line that does no harm to a terminal."""
    text = "".join(sign if sign.isprintable() else "?" for sign in str(thing)[: most + 1])
    return text if len(text) <= most else text[: most - 1] + "…"
