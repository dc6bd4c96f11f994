"""A run folder: everything about one training run, safe against being killed at any moment.

    config.json     game, variant, seats, learner spec, seed, versions; written once
    log.jsonl       one JSON object a line, appended as the run goes on
    progress.json   how far it is, and whether it has ended; written every second or so
    checkpoint/     the newest complete checkpoint (replaced as a whole, never half written)
    curve.png       the learning curve
    model.npz       in checkpoint/ or here: the model, if the learner makes one (see core.models)

Who works on a run holds a lock on its folder, which ends with the process however that ends.

A learner is a frozen dataclass like an agent: its fields are its options, `Annotated[…, "help"]` is their help.
`train` must continue from the folder's checkpoint if there is one; the command line only calls it.
"""

import json
import os
import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from spielwerk.arena.workers import Backend
from spielwerk.core import registry
from spielwerk.core.agent import Configured, parse_spec
from spielwerk.core.errors import BadJson, SpielwerkError
from spielwerk.core.files import from_own_json, write_atomically
from spielwerk.core.game import Game
from spielwerk.core.match import versions
from spielwerk.core.models import UNREADABLE, Arrays, Kind
from spielwerk.learn.words import say

Report = Callable[[float, str], None]  # (done between 0 and 1, a line of figures such as "1.4 M moves/s, mean 51,288")
Curve = tuple[str, str, list[tuple[str, list[float], list[float]]]]  # label of x, label of y, lines as (label, xs, ys)

Device = Literal["auto", "cpu", "cuda", "mps"]
MOST_THREADS = 256
UNTOUCHED = frozenset({"config.json", "lock", "progress.json", "tensorboard", "first.npz", "opponent.npz", "curve.png"})
DIARY = 1.0  # seconds between two writings of progress.json


class Begun(msgspec.Struct):
    """What every config.json says."""

    game: str
    variant: str
    seats: int
    learner: str
    seed: Annotated[int, msgspec.Meta(ge=0)]
    threads: Annotated[int, msgspec.Meta(ge=1)] = 1


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def config_file(self) -> Path:
        return self.path / "config.json"

    @property
    def log_file(self) -> Path:
        return self.path / "log.jsonl"

    @property
    def progress_file(self) -> Path:
        return self.path / "progress.json"

    def progress(self) -> dict[str, Any] | None:
        """done (0 to 1), line (of figures), at (time) and ended (True: nobody works on it); None if nobody ever did."""
        try:
            return from_own_json(self.progress_file.read_bytes(), dict[str, Any])
        except (OSError, BadJson):
            return None

    @property
    def checkpoint(self) -> Path | None:
        """The newest complete checkpoint, None if there is none yet. Who only reads changes nothing: somebody else may
        just be writing."""
        current, fresh, old = self._places
        if current.is_dir():
            return current
        if (fresh / "complete").exists():  # the old one has made room already
            return fresh
        return old if old.is_dir() else None

    @property
    def _places(self) -> tuple[Path, Path, Path]:
        return self.path / "checkpoint", self.path / "checkpoint.new", self.path / "checkpoint.old"

    def create(self, config: Mapping[str, Any]) -> None:
        if self.config_file.exists():
            phrase = "{folder} already holds a run; continue it with --resume {folder}"
            raise SpielwerkError(say(phrase, folder=self.path))
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            write_atomically(self.config_file, json.dumps(dict(config), indent=2).encode())
        except OSError as problem:
            phrase = "{folder} cannot be made a run folder: {problem}; choose another one"
            raise SpielwerkError(say(phrase, folder=self.path, problem=problem)) from problem

    def config(self) -> dict[str, Any]:
        try:
            read = from_own_json(self.config_file.read_bytes(), dict[str, Any])
            msgspec.convert(read, Begun)
        except (FileNotFoundError, NotADirectoryError):
            phrase = "{folder} holds no run: there is no config.json in it"
            raise SpielwerkError(say(phrase, folder=self.path)) from None
        except (OSError, BadJson) as problem:
            said = problem.strerror if isinstance(problem, OSError) else problem
            raise self._unreadable(said) from problem
        except msgspec.ValidationError as problem:
            raise self._unreadable(problem) from problem
        return read

    def _unreadable(self, problem: object) -> SpielwerkError:
        phrase = "{file} cannot be read: {problem}; it is damaged or not that of a run: begin another one"
        return SpielwerkError(say(phrase, file=self.config_file, problem=problem))

    @property
    def is_untouched(self) -> bool:
        """Whether nothing has come of the run yet."""
        return {file.name for file in self.path.iterdir()} <= UNTOUCHED

    def game(self) -> Game:
        """The table that it learns to play at."""
        config = self.config()
        return registry.game(config["game"], config["seats"], config["variant"])

    def learner(self) -> "Learner":
        """The learner of the run. Options that an older version wrote are read by their present names."""
        config = self.config()
        name, options = parse_spec(config["learner"])
        found = registry.learner_class(name)
        made: Learner = found.build(
            {found.renamed.get(key, key): text for key, text in options.items()}, registry.agent
        )
        return made

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Only one process at a time works on a run: two would mix their checkpoints."""
        with (self.path / "lock").open("w") as file:
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    phrase = "another process is training in {folder}; wait until it ends"
                    raise SpielwerkError(say(phrase, folder=self.path)) from None
            yield

    def log(self, **figures: Any) -> None:
        """Append one line of figures."""
        with self.log_file.open("ab+") as file:
            if file.tell() > 0:
                file.seek(-1, os.SEEK_END)
                if file.read() != b"\n":  # a line that a kill cut off stays by itself
                    file.write(b"\n")
            file.write(json.dumps(figures).encode() + b"\n")

    def rows(self) -> list[dict[str, Any]]:
        """The lines of the log; a last line that was cut off by a kill is dropped."""
        rows: list[dict[str, Any]] = []
        if self.log_file.exists():
            for line in self.log_file.read_bytes().splitlines():
                with suppress(BadJson):
                    rows.append(from_own_json(line, dict[str, Any]))
        return rows

    def damage(self) -> str:
        """What is wrong with the log or the progress file, which are read as far as possible; empty if nothing is."""
        written = self.log_file.read_bytes() if self.log_file.exists() else b""
        whole = written[: written.rfind(b"\n") + 1].splitlines()  # a kill may have cut off the rest
        lost = len(whole) - sum(self._is_row(line) for line in whole)
        if lost:
            phrase = "{file}: {lost} {lost:line is|lines are} damaged and left out"
            return say(phrase, file=self.log_file, lost=lost)
        if self.progress_file.exists() and self.progress() is None:
            return say("{file} is damaged and left out", file=self.progress_file)
        return ""

    @staticmethod
    def _is_row(line: bytes) -> bool:
        try:
            from_own_json(line, dict[str, Any])
        except BadJson:
            return False
        return True

    def forget_rows(self, lost: Callable[[Mapping[str, Any]], bool]) -> None:
        """Take lines out of the log that tell of what a kill has undone (and the one that it cut off)."""
        if self.log_file.exists():
            kept = [json.dumps(row) + "\n" for row in self.rows() if not lost(row)]
            write_atomically(self.log_file, "".join(kept).encode())

    @contextmanager
    def new_checkpoint(self) -> Iterator[Path]:
        """A folder to fill; it takes the place of the old checkpoint when the block ends without an error."""
        current, fresh, old = self._places
        found = self.checkpoint
        if found is not None and found != current:
            found.rename(current)
        for left_over in (fresh, old):
            shutil.rmtree(left_over, ignore_errors=True)
        fresh.mkdir(parents=True)
        try:
            yield fresh
            (fresh / "complete").touch()
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        if current.exists():
            current.rename(old)
        fresh.rename(current)
        shutil.rmtree(old, ignore_errors=True)


@dataclass(frozen=True)
class Learned:
    """What a run has learned, as a model that can be shipped."""

    kind: Kind[Any]
    arrays: Arrays
    agent: str  # that plays with it, with {model} in the place of its name
    seats: tuple[int, ...] = ()  # with which it can be played; none named = all
    opponents: str | None = None  # against whom it is measured; None = it plays on all seats
    what: str = ""
    matches: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Learner(Configured, ABC):
    """Somebody who learns. Subclass it, give it a `name`, options as fields, `train`, and presets if it has some."""

    renamed: ClassVar[Mapping[str, str]] = {}  # what options were called in older versions -> what they are called now
    trims: ClassVar[tuple[str, ...]] = ()  # ways to make its models smaller

    @abstractmethod
    def train(self, game: Game, run: RunFolder, limits: "Limits", report: Report) -> None:
        """Train until done or until `limits` says stop, from the newest checkpoint of `run` if there is one."""

    def agent(self, run: RunFolder) -> str:
        """The spec of the agent that plays with what was learned."""
        raise SpielwerkError(say("{learner} does not make an agent", learner=self.name))

    def model(self, game: Game, run: RunFolder, trim: Mapping[str, str]) -> Learned:
        """What was learned, as a model; `trim` says what is left out, by the names in `trims`."""
        phrase = "{learner} makes no model; what it has learned is in the agent itself: {agent}"
        raise SpielwerkError(say(phrase, learner=self.name, agent=self.agent(run)))

    def why_not(self, game: Game) -> str | None:
        """Why this learner cannot learn `game`; None if it can."""
        return None

    def require_device(self, device: Device) -> None:
        """An error if it would learn on a device that is not there."""

    def curve(self, run: RunFolder) -> Curve:
        """The learning curve, which is drawn into curve.png."""
        return "", "", []


@dataclass(frozen=True)
class Limits:
    """When to stop, and what to use."""

    ends: float | None = None  # on the clock of time.monotonic()
    threads: int = 1
    seed: int = 0
    device: Device = "auto"  # of networks; self-play stays on the processor
    backend: Backend = "auto"  # who plays matches that are learned from

    @property
    def reached(self) -> bool:
        return self.ends is not None and time.monotonic() >= self.ends


def train(
    game: Game,
    learner: Learner,
    out: str | Path,
    seed: int = 0,
    seconds: float | None = None,
    threads: int = 1,
    report: Report = lambda done, line: None,
    device: Device = "auto",
    backend: Backend = "auto",
) -> RunFolder:
    """Start a run in a new folder."""
    _require_threads(threads)
    if seed < 0:
        raise SpielwerkError(say("seeds start at 0, not {seed}", seed=seed))
    reason = learner.why_not(game)
    if reason:
        phrase = "{learner} cannot learn {game}: {reason}"
        raise SpielwerkError(say(phrase, learner=learner.name, game=game.title, reason=reason))
    learner.require_device(device)
    ends = _end(seconds)
    run = RunFolder(out)
    run.create(
        {
            "game": game.spec.id,
            "variant": game.variant,
            "seats": game.seats,
            "learner": learner.spec,
            "seed": seed,
            "threads": threads,
            "versions": versions(),
        }
    )
    try:
        return _go_on(game, learner, run, Limits(ends, threads, seed, device, backend), report)
    except SpielwerkError:
        if run.is_untouched:  # refused before anything was learned: the name is free again
            shutil.rmtree(run.path)
        raise


def resume(
    folder: str | Path,
    seconds: float | None = None,
    threads: int | None = None,
    report: Report = lambda done, line: None,
    device: Device = "auto",
    backend: Backend = "auto",
) -> RunFolder:
    """Continue a run where its newest checkpoint left it."""
    run = RunFolder(folder)
    config, game, taught = begun(run)
    chosen = config.get("threads", 1) if threads is None else threads
    _require_threads(chosen)
    limits = Limits(_end(seconds), chosen, config["seed"], device, backend)
    return _go_on(game, taught, run, limits, report)


def begun(run: RunFolder) -> tuple[dict[str, Any], Game, Learner]:
    """What a run was begun with: its config, the game and the learner."""
    config = run.config()
    return config, run.game(), run.learner()


def _require_threads(threads: int) -> None:
    if not 1 <= threads <= MOST_THREADS:
        raise SpielwerkError(say("threads go from 1 to {most}, not {threads}", most=MOST_THREADS, threads=threads))


def _end(seconds: float | None) -> float | None:
    if seconds is None:
        return None
    if not seconds >= 0.0:
        raise SpielwerkError(say("seconds start at 0, not {seconds}", seconds=f"{seconds:g}"))
    return time.monotonic() + seconds


def _go_on(game: Game, learner: Learner, run: RunFolder, limits: Limits, report: Report) -> RunFolder:
    try:
        with run.alone():
            diary = Diary(run, report)
            try:
                learner.train(game, run, limits, diary)
            finally:
                diary.close()
                draw(learner, run)
    except BrokenPipeError:  # of the reader of the report, not of the folder
        raise
    except OSError as problem:
        phrase = "{folder} cannot be written: {problem}; its last checkpoint is kept: make room, then --resume {folder}"
        raise SpielwerkError(say(phrase, folder=run.path, problem=problem)) from problem
    return run


class Diary:
    """A report that is also written to the run's folder, so that others can see how far it is."""

    def __init__(self, run: RunFolder, report: Report) -> None:
        self._run, self._report = run, report
        self._done, self._line, self._written = 0.0, "", -DIARY
        self._write(ended=False)

    def __call__(self, done: float, line: str) -> None:
        self._done, self._line = done, line
        if time.monotonic() - self._written >= DIARY:
            self._write(ended=False)
        self._report(done, line)

    def close(self) -> None:
        self._write(ended=True)

    def _write(self, ended: bool) -> None:
        figures = {"done": self._done, "line": self._line, "at": time.time(), "ended": ended}
        write_atomically(self._run.progress_file, json.dumps(figures).encode())
        self._written = time.monotonic()


def curve(learner: Learner, run: RunFolder) -> Curve:
    """The learning curve of a run; an error that says so if its log is not that of such a learner."""
    try:
        return learner.curve(run)
    except (LookupError, TypeError, ValueError) as problem:
        phrase = "{file} has lines that {learner} does not write ({problem}); take them out"
        said = say(phrase, file=run.log_file, learner=learner.name, problem=f"{type(problem).__name__}: {problem}")
        raise SpielwerkError(said) from problem


@contextmanager
def reading_checkpoint(folder: Path) -> Iterator[None]:
    """What is wrong with a checkpoint that is read becomes an error that says which it is, and what to do."""
    try:
        yield
    except UNREADABLE as problem:
        phrase = "the checkpoint {folder} cannot be read: {problem}; take it away to begin the run anew"
        raise SpielwerkError(say(phrase, folder=folder, problem=problem)) from problem


def draw(learner: Learner, run: RunFolder) -> Path | None:
    """Draw the learning curve into curve.png."""
    across, up, lines = curve(learner, run)
    if not any(len(xs) for _, xs, _ in lines):
        return None
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    for label, xs, ys in lines:
        axes.plot(xs, ys, label=label)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
    if len(lines) > 1:
        axes.legend()
    path = run.path / "curve.png"
    figure.savefig(path, dpi=120)
    return path


def learner(spec: str, preset: str | None = None) -> Learner:
    """The learner written as `name:key=value,…`; what the text says goes before what the preset says."""
    name, options = parse_spec(spec)
    found = registry.learner_class(name)
    for old in options.keys() & found.renamed.keys():
        phrase = "{learner}: option {old} is now called {new}"
        raise SpielwerkError(say(phrase, learner=name, old=old, new=found.renamed[old]))
    if preset is not None:
        options = {"preset": preset, **options}
    made: Learner = found.build(options, registry.agent)
    return made
