"""TensorBoard: figures of a run as event files, if the package is installed (extra `learn`)."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol


class FigureWriter(Protocol):
    def add(self, step: int, figures: Mapping[str, float]) -> None: ...

    def close(self) -> None: ...


class NoWriter:
    """Stands in where TensorBoard is not installed."""

    def add(self, step: int, figures: Mapping[str, float]) -> None:
        """Nothing to write to."""

    def close(self) -> None:
        """Nothing to close."""


class EventFiles:
    def __init__(self, folder: Path) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self.event, self.summary = Event, Summary
        self.writer = EventFileWriter(str(folder))

    def add(self, step: int, figures: Mapping[str, float]) -> None:
        values = [self.summary.Value(tag=tag, simple_value=float(value)) for tag, value in figures.items()]
        self.writer.add_event(self.event(wall_time=time.time(), step=step, summary=self.summary(value=values)))

    def close(self) -> None:
        self.writer.close()


def figure_writer(folder: Path) -> FigureWriter:
    """Writes figures below `folder`; `tensorboard --logdir FOLDER` shows them."""
    try:
        return EventFiles(folder)
    except ImportError:
        return NoWriter()
