"""One client's connection: asking with a time limit, sending without ever waiting for a slow reader."""

import asyncio
import contextlib
from collections.abc import Callable

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from spielwerk.bridges.jass_challenge.messages import BadMessage, Data, encode, expect

LONGEST_QUEUE = 5000  # messages that a client may leave unread before it is cut off


class Gone(Exception):
    """The client is no longer there."""


class Late(Exception):
    """The client did not answer in time."""


class Connection:
    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket
        self.name = ""
        self.closed = asyncio.Event()
        self.unasked: Callable[[str | bytes], None] = lambda text: None  # what is done with messages nobody asked for
        self.left: Callable[[], None] = lambda: None  # what is done when the client leaves
        self._answer: asyncio.Future[str | bytes] | None = None
        self._queue: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue()

    def post(self, text: str) -> None:
        """Send; a client that does not read is cut off."""
        if self.closed.is_set():
            return
        self._queue.put_nowait(text)
        if self._queue.qsize() > LONGEST_QUEUE:
            self._gone()
            self.socket.transport.abort()

    def send(self, kind: str, data: Data = None) -> None:
        self.post(encode(kind, data))

    def close(self, reason: str) -> None:
        """Close when everything is sent."""
        if not self.closed.is_set():
            self._queue.put_nowait((1000, reason))

    async def ask(self, kind: str, data: Data, answer: str, seconds: float | None = None) -> Data:
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
        return expect(text, answer)

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


__all__ = ["BadMessage", "Connection", "Gone", "Late"]
