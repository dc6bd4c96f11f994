"""Replay memory: transitions of several steps, in few bytes.

Inputs of networks are mostly 0 and 1. Rows are kept as bits; a column in which another number has been seen is kept as
numbers from then on. A legal action is one bit.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Arrays = dict[str, NDArray[Any]]


class PackedRows:
    """Rows of numbers, mostly 0 and 1, that are written and read by their places."""

    def __init__(self, capacity: int, width: int) -> None:
        self.width = width
        self.bits = np.zeros((capacity, -(-width // 8)), np.uint8)
        self.columns = np.zeros(0, np.int64)  # those in which there is more than 0 and 1
        self.numbers = np.zeros((capacity, 0), np.float32)

    def put(self, places: NDArray[np.int64], rows: NDArray[Any]) -> None:
        plain = (rows == 0) | (rows == 1)
        if not plain.all():
            new = np.setdiff1d(np.flatnonzero(~plain.all(axis=0)), self.columns)
            if len(new):
                so_far = np.unpackbits(self.bits, axis=1, count=self.width)[:, new]
                self.columns = np.concatenate([self.columns, new])
                self.numbers = np.hstack([self.numbers, so_far.astype(np.float32)])
        self.bits[places] = np.packbits(rows != 0, axis=1)
        if len(self.columns):
            self.numbers[places] = rows[:, self.columns]

    def get(self, places: NDArray[np.int64]) -> Floats:
        rows = np.unpackbits(self.bits[places], axis=1, count=self.width).astype(np.float32)
        if len(self.columns):
            rows[:, self.columns] = self.numbers[places]
        return rows


class Transitions(NamedTuple):
    """What was seen, done and gained, and where one was `discount` later; a discount of 0: the episode was over."""

    seen: Floats  # [count, inputs]
    actions: NDArray[np.int64]  # [count]
    gains: Floats  # [count] discounted sum of the rewards of some steps
    after: Floats  # [count, inputs]
    legal: Flags  # [count, actions] afterwards
    discounts: Floats  # [count] of the value of what came after


class Replay:
    """The last transitions, the oldest of which make room for new ones."""

    def __init__(self, capacity: int, inputs: int, actions: int) -> None:
        self.capacity, self.filled, self.next = capacity, 0, 0
        self.seen, self.after = PackedRows(capacity, inputs), PackedRows(capacity, inputs)
        self.legal = PackedRows(capacity, actions)
        self.actions = np.zeros(capacity, np.int64)
        self.gains = np.zeros(capacity, np.float32)
        self.discounts = np.zeros(capacity, np.float32)

    def add(self, made: Transitions) -> None:
        count = len(made.actions)
        places = (self.next + np.arange(count)) % self.capacity
        self.seen.put(places, made.seen)
        self.after.put(places, made.after)
        self.legal.put(places, made.legal)
        self.actions[places], self.gains[places], self.discounts[places] = made.actions, made.gains, made.discounts
        self.next = (self.next + count) % self.capacity
        self.filled = min(self.filled + count, self.capacity)

    def draw(self, count: int, generator: np.random.Generator) -> Transitions:
        """So many transitions, each of them any."""
        places = generator.integers(self.filled, size=count)
        return Transitions(
            self.seen.get(places),
            self.actions[places],
            self.gains[places],
            self.after.get(places),
            self.legal.get(places) != 0,
            self.discounts[places],
        )

    def arrays(self) -> Arrays:
        """All that is remembered, for a checkpoint."""
        kept: Arrays = {"replay/counts": np.array([self.filled, self.next])}
        for name in ("actions", "gains", "discounts"):
            kept[f"replay/{name}"] = getattr(self, name)[: self.filled]
        for name in ("seen", "after", "legal"):
            rows: PackedRows = getattr(self, name)
            kept[f"replay/{name}/bits"] = rows.bits[: self.filled]
            kept[f"replay/{name}/columns"] = rows.columns
            kept[f"replay/{name}/numbers"] = rows.numbers[: self.filled]
        return kept

    def restore(self, kept: Arrays) -> None:
        self.filled, self.next = map(int, kept["replay/counts"])
        for name in ("actions", "gains", "discounts"):
            getattr(self, name)[: self.filled] = kept[f"replay/{name}"]
        for name in ("seen", "after", "legal"):
            rows: PackedRows = getattr(self, name)
            rows.columns = kept[f"replay/{name}/columns"]
            rows.numbers = np.zeros((self.capacity, len(rows.columns)), np.float32)
            rows.bits[: self.filled] = kept[f"replay/{name}/bits"]
            rows.numbers[: self.filled] = kept[f"replay/{name}/numbers"]


class Pending:
    """Steps that are not yet `steps` old, of many environments that go on together (n-step returns; Sutton and Barto
    2018, 7.1). When an episode ends, what is left of it is complete at once, with as many steps as there were."""

    def __init__(self, steps: int, gamma: float, count: int, inputs: int) -> None:
        self.steps, self.gamma, self.time = steps, gamma, 0
        self.seen = np.zeros((steps, count, inputs), np.float32)  # the step of time t is at t % steps
        self.actions = np.zeros((steps, count), np.int64)
        self.gains = np.zeros((steps, count), np.float32)
        self.open = np.zeros((steps, count), bool)

    def push(
        self,
        seen: Floats,
        actions: NDArray[np.int64],
        rewards: Floats,
        after: Floats,
        legal: Flags,
        ended: Flags,
        cut: Flags,
    ) -> Transitions:
        """Take one step of every environment; returns the transitions that it completes. `after` and `legal` are those
        of the last position where an episode was cut off, which has a value, while the end of one has none."""
        now = self.time % self.steps
        self.seen[now], self.actions[now], self.gains[now], self.open[now] = seen, actions, 0.0, True
        parts: list[Transitions] = []
        for age in range(min(self.steps, self.time + 1) - 1, -1, -1):
            at = (self.time - age) % self.steps
            self.gains[at] += self.gamma**age * rewards
            complete = self.open[at] & (ended | cut | (age == self.steps - 1))
            if complete.any():
                self.open[at, complete] = False
                discounts = np.where(ended[complete], 0.0, self.gamma ** (age + 1)).astype(np.float32)
                chosen = (self.seen[at, complete], self.actions[at, complete], self.gains[at, complete])
                parts.append(Transitions(*chosen, after[complete], legal[complete], discounts))
        self.time += 1
        if len(parts) == 1:
            return parts[0]
        if not parts:
            none = np.zeros(len(rewards), bool)
            return Transitions(seen[none], actions[none], rewards[none], after[none], legal[none], rewards[none])
        return Transitions(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def arrays(self) -> Arrays:
        kept: Arrays = {"pending/time": np.array(self.time)}
        return kept | {f"pending/{name}": getattr(self, name) for name in ("seen", "actions", "gains", "open")}

    def restore(self, kept: Arrays) -> None:
        self.time = int(kept["pending/time"])
        for name in ("seen", "actions", "gains", "open"):
            getattr(self, name)[:] = kept[f"pending/{name}"]
