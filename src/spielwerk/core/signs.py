"""Stop signs: whoever works for long looks at one, in compiled code too; whoever wants no more sets it.

A sign is one number in memory, 0 as long as work goes on. Searches, playouts and whole matches look at it with
`core.instructions.stopped` after every playout and every few decisions, which costs next to nothing. `sign.set()` stops
them from any thread; an agent then answers with the best it has found so far, a match ends with `Stopped`. A sign with
an end is set by one thread of alarms when its time is up. `interruptible` lets Ctrl-C set all signs.
"""

import signal
import socket
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from heapq import heapify, heappop, heappush
from itertools import count

import numpy as np
from numpy.typing import NDArray

GOING_ON, STOPPED, OUT_OF_TIME = 0, 1, 2  # what stands on a sign
LAST_CHANCE = 0.05  # seconds for an agent whose time was up before it had found anything
LONGEST_WAIT = 3600.0  # seconds
MANY = 1000  # alarms, from which on those that nobody waits for are thrown away

_changing = threading.RLock()
now = time.monotonic


class StopSign:
    """Tells others to stop. Set with another sign, its `parent`, and when the clock of `now` shows `ends`."""

    def __init__(self, parent: "StopSign | None" = None, ends: float | None = None) -> None:
        self.cell: NDArray[np.int64] = np.zeros(1, np.int64)
        self.ends = ends
        self._parent = parent  # whoever keeps this sign keeps the chain
        self._children: weakref.WeakSet[StopSign] | None = None  # made for the first: most signs have none
        with _changing:
            if parent is None:
                _signs.add(self)
            else:
                if parent._children is None:
                    parent._children = weakref.WeakSet()
                parent._children.add(self)
                self.cell[0] = parent.cell[0]
        if ends is not None and not self.is_set():
            _alarms.add(self, ends)

    def __reduce__(self) -> tuple[type["StopSign"], tuple[()]]:
        """In another process it is a sign that nobody sets."""
        return StopSign, ()

    def set(self, reason: int = STOPPED) -> None:
        """Whoever looks at this sign stops; from any thread, once and for all."""
        with _changing:
            if self.cell[0] != STOPPED:
                self.cell[0] = reason
            for child in list(self._children or ()):
                child.set(reason)

    def is_set(self) -> bool:
        return bool(self.cell[0] != GOING_ON)

    @property
    def wanted(self) -> bool:
        """Whether the answer still is; not if somebody stopped the work, rather than the clock."""
        return bool(self.cell[0] != STOPPED)

    def last_chance(self) -> bool:
        """A moment more if only the time was up, for who has found nothing yet; returns whether there is one."""
        with _changing:
            if self.cell[0] != OUT_OF_TIME:
                return False
            self.cell[0] = GOING_ON
        _alarms.add(self, now() + LAST_CHANCE)
        return True

    def __enter__(self) -> "StopSign":
        return self

    def __exit__(self, *problem: object) -> None:
        """Whatever still works for it, in other threads, has no reason to."""
        self.set()


class _Alarms:
    """One thread that sets signs when their time is up."""

    def __init__(self) -> None:
        self._changed = threading.Condition(_changing)
        self._due: list[tuple[float, int, weakref.ref[StopSign]]] = []
        self._numbers = count()
        self._wakes = 0.0
        self._thread: threading.Thread | None = None

    def add(self, sign: StopSign, ends: float) -> None:
        with self._changed:
            heappush(self._due, (ends, next(self._numbers), weakref.ref(sign)))
            if len(self._due) > MANY:
                self._due = [alarm for alarm in self._due if (found := alarm[2]()) and not found.is_set()]
                heapify(self._due)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._watch, name="alarms", daemon=True)
                self._thread.start()
            elif ends < self._wakes:
                self._changed.notify()

    def _watch(self) -> None:
        with self._changed:
            while True:
                while self._due and self._due[0][0] <= now():
                    sign = heappop(self._due)[2]()
                    if sign is not None:
                        sign.set(OUT_OF_TIME)
                wait = min(self._due[0][0] - now(), LONGEST_WAIT) if self._due else LONGEST_WAIT
                self._wakes = now() + wait
                self._changed.wait(max(wait, 0.0))


_signs: weakref.WeakSet[StopSign] = weakref.WeakSet()  # those without a parent
_alarms = _Alarms()


def stop_all() -> None:
    """Set all signs that there are. Work that begins later is not stopped."""
    with _changing:
        for sign in list(_signs):
            sign.set()


class _Interrupts:
    """Ctrl-C: where it may be heard, and whether it waits until then."""

    held = 0  # how many of the main thread's doings must not be left in the middle
    waiting = False
    heard = False

    def handle(self, *received: object) -> None:
        """What Python does at a Ctrl-C, always in the main thread. A second one waits for nothing."""
        self.heard = True
        if self.held and not self.waiting:
            self.waiting = True
        else:
            raise KeyboardInterrupt


_interrupts = _Interrupts()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Meanwhile Ctrl-C waits: what compiles or loads code crashes where it is left in the middle."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _interrupts.held += 1
    try:
        yield
    finally:
        _interrupts.held -= 1
        if _interrupts.waiting and not _interrupts.held:
            _interrupts.waiting = False
            raise KeyboardInterrupt


def interrupted() -> bool:
    """Whether there was a Ctrl-C since `interruptible` began."""
    return _interrupts.heard


@contextmanager
def interruptible() -> Iterator[None]:
    """Meanwhile Ctrl-C reaches compiled code, too. Python raises KeyboardInterrupt only after a call has returned:
    here a thread hears of the signal at once and sets all signs, so that it does. For the main thread of a program."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    receiver, sender = socket.socketpair()
    sender.setblocking(False)

    def listen() -> None:
        with receiver:
            while heard := receiver.recv(64):
                if signal.SIGINT in heard:
                    stop_all()

    threading.Thread(target=listen, name="interrupts", daemon=True).start()
    before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:  # whoever ignores Ctrl-C, or does something else then, goes on doing so
        signal.signal(signal.SIGINT, _interrupts.handle)
    _interrupts.heard = _interrupts.waiting = False
    try:
        yield
    finally:
        if handler is signal.default_int_handler:
            signal.signal(signal.SIGINT, handler)
        signal.set_wakeup_fd(before)
        sender.close()
