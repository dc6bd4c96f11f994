"""One client of a table: asking with a time limit."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from spielwerk.bridges.jass_challenge.messages import BadMessage, Data, encode, expect
from spielwerk.bridges.line import Line, Socket

T = TypeVar("T")


class Gone(Exception):
    """The client is no longer there."""


class Late(Exception):
    """The client did not answer in time."""


class Connection(Line):
    """A client, or with a `maker` a bot of the server that another client asked for."""

    def __init__(
        self, socket: Socket, cut: Callable[[], None], address: str = "", maker: "Connection | None" = None
    ) -> None:
        super().__init__(socket, cut, address)
        self.maker = maker
        self.name = ""
        self._answer: asyncio.Future[str | bytes] | None = None

    def send(self, kind: str, data: Data = None) -> None:
        self.post(encode(kind, data))

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

    def hear(self, text: str | bytes) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(text)
        else:
            self.unasked(text)

    def gone(self) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(Gone())
        super().gone()


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


__all__ = ["BadMessage", "Connection", "Gone", "Late", "PipeEnd", "pipe"]
