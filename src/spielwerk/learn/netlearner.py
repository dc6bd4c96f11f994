"""What all learners of neural networks share: options, held-out matches, the best network, checkpoints, figures.

A learner asks `NetRun` for these. `model.npz` in the run folder is the best network so far by held-out matches: the
same seeds for every test, which no training match uses, with rotated seats. It is what `net:model=RUN` plays. The
checkpoint holds what training needs to go on (`state.npz`, `state.json`), never pickled.

A loss that is not a number ends the run: its best network stays, and the error says what to change.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from spielwerk.arena.evaluate import evaluate
from spielwerk.core import registry
from spielwerk.core.agent import Agent, as_option
from spielwerk.core.encoding import Encoding
from spielwerk.core.errors import BadJson, SpielwerkError, UnknownName
from spielwerk.core.files import from_json, from_own_json, write_atomically
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import seed_of, spawn
from spielwerk.core.models import read_arrays, write_arrays
from spielwerk.core.ranges import SHARE, THREADS, Range
from spielwerk.core.running import run_many
from spielwerk.learn.run import Curve, Device, Learned, Learner, Limits, RunFolder, reading_checkpoint
from spielwerk.learn.tensorboard import figure_writer
from spielwerk.learn.words import say
from spielwerk.nets.description import (
    Dense,
    Description,
    Dropout,
    Head,
    Layer,
    LayerNorm,
    LeakyRelu,
    Relu,
    Sigmoid,
    Tanh,
    Unit,
    width_after,
)
from spielwerk.nets.network import KIND, Network, decode, encode, fresh, load_network

if TYPE_CHECKING:
    import torch

    from spielwerk.nets.module import NetworkModule

ACTIVATIONS: dict[str, Layer] = {"relu": Relu(), "leaky_relu": LeakyRelu(), "tanh": Tanh(), "sigmoid": Sigmoid()}
UNIT_OF_OBJECTIVE: dict[str, Unit] = {"points": "points", "margin": "lead", "win": "win"}
PROBED = 100  # random matches from which the scale of points follows
ABOVE_RANDOM = 10.0  # times what random play gets is within reach
HELD_OUT = 0x4845  # the stream of the seeds of held-out matches
Arrays = dict[str, NDArray[Any]]
TestedBy = Annotated[
    Literal["auto", "points", "wins"],
    "figure of the held-out matches that decides which network is kept; auto = the share of wins where the game is "
    "about winning, or about the lead and test_opponents are given, else points",
]


@dataclass(frozen=True)
class NetLearner(Learner):
    """Somebody who trains a network."""

    encoding: Annotated[str, "how the game is told to the network, by name; auto = the first that the game has"] = (
        "auto"
    )
    network: Annotated[
        str, "units of the hidden layers, as 256-256; linear = none; or a JSON file with a list of layers"
    ] = "256-256"
    activation: Annotated[Literal["relu", "leaky_relu", "tanh", "sigmoid"], "of the hidden layers"] = "relu"
    norm: Annotated[bool, "normalise every hidden layer"] = False
    dropout: Annotated[float, SHARE, "share of the hidden units that are left out in training"] = 0.0
    warm_start: Annotated[str | None, "run folder, file or name of a network to begin with; none = a fresh one"] = None
    learning_rate: Annotated[float, Range(1e-9, 100.0), "step width of the optimiser"] = 1e-3
    torch_threads: Annotated[int, THREADS, "threads of the optimiser; another number rounds otherwise"] = 1
    test_games: Annotated[int, Range(1, 10_000_000), "held-out matches per test"] = 400
    test_opponents: Annotated[Agent | None, "agent on the other seats in held-out matches; none = random play"] = None
    tested_by: TestedBy = "auto"

    def why_not(self, game: Game) -> str | None:
        try:
            require_torch()
            self.require_network(game)
            if self.test_opponents is not None and game.seats > 1:
                self.test_opponents.require(game)
        except SpielwerkError as problem:
            return str(problem)
        return None

    def require_device(self, device: Device) -> None:
        if device not in ("auto", "cpu"):
            device_of(device)

    # --- the network -------------------------------------------------------------------------------------------------

    def require_network(self, game: Game) -> None:
        """An error if the options do not describe a network for `game`."""
        layers = self.hidden_layers()
        width_after(layers, self.encoding_of(game)[1].size)
        if not self._sizes and (self.activation, self.norm, self.dropout) != ("relu", False, 0.0):
            phrase = "activation, norm and dropout go with units, as 256-256; network={network} says all that it has"
            raise SpielwerkError(say(phrase, network=self.network))
        if self.warm_start is not None:
            load_network(game, self.warm_start)

    @property
    def _sizes(self) -> list[int]:
        """The units of the hidden layers; none if a file says what they are, or if there is none."""
        sizes = self.network.split("-")
        return (
            [int(size) for size in sizes]
            if all(size.isdecimal() and 0 < int(size) <= 1_000_000 for size in sizes)
            else []
        )

    def encoding_of(self, game: Game) -> tuple[str, Encoding]:
        known = game.encodings
        name = next(iter(known)) if self.encoding == "auto" else self.encoding
        if name not in known:
            raise UnknownName(say("encoding of {game}", game=game.spec.id), name, known)
        return name, known[name]

    def hidden_layers(self) -> tuple[Layer, ...]:
        """What the options say: `256-256`, or a file of layers."""
        if self.network == "linear":
            return ()
        if not self._sizes:
            return self._layers_of_file()
        layers: list[Layer] = []
        for size in self._sizes:
            layers.append(Dense(size))
            if self.norm:
                layers.append(LayerNorm())
            layers.append(ACTIVATIONS[self.activation])
            if self.dropout:
                layers.append(Dropout(self.dropout))
        return tuple(layers)

    def _layers_of_file(self) -> tuple[Layer, ...]:
        try:
            return from_json(Path(self.network).read_bytes(), tuple[Layer, ...])
        except (OSError, BadJson) as problem:
            phrase = "network={network} is neither numbers of units, as 256-256, nor a file of layers: {problem}"
            said = problem.strerror if isinstance(problem, OSError) else problem
            raise SpielwerkError(say(phrase, network=self.network, problem=said)) from problem

    def describe(
        self, game: Game, heads: Mapping[Any, Head], judges: Literal["positions", "afterstates"] = "positions"
    ) -> Description:
        name, encoding = self.encoding_of(game)
        return Description(game.spec.id, name, encoding.size, heads, self.hidden_layers(), judges, game.seats)

    def first_network(self, game: Game, description: Description, seed: int) -> Network:
        """A fresh network, or that of `warm_start`, which must be of the same kind."""
        if self.warm_start is None:
            return fresh(description, seed)
        found = load_network(game, self.warm_start)
        if _kind_of(found.description) != _kind_of(description):
            phrase = "warm_start={source}: that network is of another kind; take its layers, heads, encoding and unit"
            raise SpielwerkError(say(phrase, source=self.warm_start))
        arrays = dict(found.arrays)
        for name, head in description.heads.items():  # answers count in shares of the scale
            last, ratio = f"{name}.{len(head.layers)}", found.description.heads[name].scale / head.scale
            if name != "policy" and head.unit != "win" and ratio != 1.0:
                arrays |= {
                    f"{last}.{part}": arrays[f"{last}.{part}"] * np.float32(ratio) for part in ("weight", "bias")
                }
        return Network(description, arrays)

    # --- what was learned --------------------------------------------------------------------------------------------

    def player(self, model: object) -> str:
        """The agent that plays with a network."""
        return f"net:model={as_option(model)}"

    def agent(self, run: RunFolder) -> str:
        return self.player(run.path)

    def model(self, game: Game, run: RunFolder, trim: Mapping[str, str]) -> Learned:
        path = run.path / "model.npz"
        if not path.is_file():
            phrase = "{folder} has no network yet, the first test is still to come; go on with --resume {folder}"
            raise SpielwerkError(say(phrase, folder=run.path))
        return Learned(
            kind=KIND,
            arrays=read_arrays(path),
            agent=self.player("{model}"),
            seats=(game.seats,),
            opponents=None if game.seats == 1 else (self.test_opponents.spec if self.test_opponents else "random"),
            what=say("a neural network, learned by {learner}", learner=self.name),
        )

    def curve(self, run: RunFolder) -> Curve:
        return held_out_curve(run)


def _kind_of(description: Description) -> object:
    """What two networks have in common if the one can go on as the other."""
    made = description
    heads = {name: (head.outputs, _lasting(head.layers), head.first, head.unit) for name, head in made.heads.items()}
    return made.encoding, made.inputs, made.judges, _lasting(made.layers), heads


def _lasting(layers: tuple[Layer, ...]) -> tuple[object, ...]:
    """Layers without what acts in training only, by their places, which name the arrays."""
    return tuple(None if isinstance(layer, Dropout) else layer for layer in layers)


def begun_with(run: RunFolder, make: Callable[[], Network]) -> Network:
    """The network that a run began with: made once and kept, whatever becomes of the files that it was made from."""
    path = run.path / "first.npz"
    if path.is_file():
        with reading_checkpoint(path):
            return decode(read_arrays(path))
    network = make()
    write_arrays(path, encode(network))
    return network


def held_out_curve(run: RunFolder) -> Curve:
    """What held-out matches said as training went on."""
    rows = [row for row in run.rows() if "held_out" in row]
    steps = [float(row["step"]) for row in rows]
    lines = [(say("held-out matches"), steps, [float(row["held_out"]) for row in rows])]
    return say("step"), str(rows[-1]["measure"]) if rows else "", lines


def unit_of(game: Game) -> Unit:
    """What values are by default: what the game's own objective counts."""
    return UNIT_OF_OBJECTIVE[game.objective]


def usual_scale(game: Game) -> float:
    """Points that count as 1, so that values are about 1: the game's own scale, unless that is far beyond what is
    played."""
    agents = [registry.agent("random")] * game.seats
    scores = np.array([played.scores for played in run_many(game, agents, range(PROBED))])
    reached = float(np.abs(scores).mean())
    return min(game.spec.scale, ABOVE_RANDOM * reached) if reached > 0.0 else game.spec.scale


class Tested(Protocol):
    """What a run asks of its learner."""

    @property
    def name(self) -> str: ...

    @property
    def learning_rate(self) -> float | str: ...

    def player(self, model: object) -> str: ...

    @property
    def test_games(self) -> int: ...

    @property
    def test_opponents(self) -> Agent | None: ...

    @property
    def tested_by(self) -> Literal["auto", "points", "wins"]: ...


class Diverged(SpielwerkError):
    """Training has turned into numbers that are none."""


@dataclass
class Test:
    """What held-out matches said of a network."""

    figure: float
    low: float
    high: float
    measure: str
    best: bool


@dataclass
class NetRun:
    """The run folder of somebody who trains a network, or another model that held-out matches judge."""

    learner: Tested
    game: Game
    folder: RunFolder
    limits: Limits
    best: float = -math.inf
    counters: dict[str, Any] = field(default_factory=dict)  # how far training is; kept in every checkpoint
    tested: int = -1  # the step of the last test

    def __post_init__(self) -> None:
        self.writer = figure_writer(self.folder.path / "tensorboard")

    def close(self) -> None:
        self.writer.close()

    # --- going on ----------------------------------------------------------------------------------------------------

    def restore(self) -> Arrays | None:
        """The arrays of the newest checkpoint, None if there is none; the counters and the log are as they were."""
        checkpoint = self.folder.checkpoint
        if checkpoint is None:
            self.folder.forget_rows(lambda row: True)
            return None
        with reading_checkpoint(checkpoint):
            try:
                kept = from_own_json((checkpoint / "state.json").read_bytes(), dict[str, Any])
            except BadJson as problem:
                raise ValueError(str(problem)) from problem
            arrays = read_arrays(checkpoint / "state.npz")
            self.counters, self.best = kept["counters"], float(kept["best"])
            self.tested = int(kept.get("tested", -1))
        step = self.counters.get("step", 0)
        self.folder.forget_rows(lambda row: row.get("step", 0) > step)
        return arrays

    def save(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Make a checkpoint of all that training needs to go on."""
        with self.folder.new_checkpoint() as fresh_folder:
            write_arrays(fresh_folder / "state.npz", dict(arrays))
            kept = {"counters": self.counters, "best": self.best, "tested": self.tested}
            write_atomically(fresh_folder / "state.json", json.dumps(kept).encode())

    # --- figures -----------------------------------------------------------------------------------------------------

    def log(self, **figures: float) -> None:
        """A line of the log and of TensorBoard, at the present step."""
        step = int(self.counters.get("step", 0))
        self.folder.log(step=step, **figures)
        self.writer.add(step, {f"{self.learner.name}/{name}": value for name, value in figures.items()})

    def require_finite(self, loss: float) -> None:
        if not math.isfinite(loss):
            phrase = (
                "{learner}: the loss is not a number any more after {step} steps; the best network so far, if one was "
                "tested, stays in {folder}. Begin again with a lower learning_rate (now {rate})"
            )
            step, rate = self.counters.get("step", 0), self.learner.learning_rate
            text = say(phrase, learner=self.learner.name, step=step, folder=self.folder.path, rate=rate)
            raise Diverged(text)

    def test(self, network: Network, rank: float | None = None, **more: float) -> Test:
        """Play held-out matches with a network; if it is the best so far, by their figure or by `rank`, it becomes the
        run's model."""
        return self.judge(encode(network), rank, **more)

    def judge(self, arrays: Mapping[str, NDArray[Any]], rank: float | None = None, **more: float) -> Test:
        """The same for whatever the learner's `player` plays with."""
        path = self.folder.path / "candidate.npz"
        write_arrays(path, arrays)
        game, learner = self.game, self.learner
        others = None if game.seats == 1 else learner.test_opponents or registry.agent("random")
        found = evaluate(
            game,
            learner.player(path),
            opponents=others,
            games=learner.test_games * game.seats if others else learner.test_games,
            seed=seed_of(spawn(self.limits.seed, HELD_OUT)) >> 11,
            workers=self.limits.threads,
            backend="threads",
        )
        chosen = learner.test_opponents is not None  # random play loses always: a share of wins would say nothing
        by_wins = others is not None and (game.objective == "win" or (game.objective == "margin" and chosen))
        if learner.tested_by != "auto":
            by_wins = learner.tested_by == "wins" and found.win_share is not None
        figure = found.win_share if by_wins and found.win_share is not None else found.mean
        interval = (found.win_ci95 if by_wins else found.ci95) or (figure, figure)
        measure = say("share of wins") if by_wins else say("points")
        rank = figure if rank is None else rank
        better = rank >= self.best  # of equals the newest: against weak opponents many are
        if better:
            self.best = rank
            path.replace(self.folder.path / "model.npz")
        else:
            path.unlink()
        self.tested = step = int(self.counters.get("step", 0))
        row = {"held_out": figure, "low": interval[0], "high": interval[1], **more}
        self.folder.log(step=step, measure=measure, best=better, **row)
        self.writer.add(step, {f"{learner.name}/{name}": float(value) for name, value in row.items()})
        return Test(figure, *interval, measure, better)

    def judge_where_it_stops(
        self, arrays: Callable[[], Mapping[str, NDArray[Any]]], rank: Callable[[], float | None] = lambda: None
    ) -> None:
        """Who is told to stop says what was reached there, unless that was tested already."""
        if self.tested != self.counters.get("step", 0):
            self.judge(arrays(), rank())

    def best_network(self) -> Network | None:
        path = self.folder.path / "model.npz"
        return decode(read_arrays(path)) if path.is_file() else None


# --- torch -----------------------------------------------------------------------------------------------------------


def require_torch() -> None:
    try:
        import torch  # noqa: F401
    except ImportError:
        raise SpielwerkError(say("training networks needs torch: pip install 'spielwerk[learn]'")) from None


def device_of(wanted: str) -> "torch.device":
    """The accelerator if torch finds one, or what is asked for."""
    import torch

    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if wanted == "auto":
        return torch.device(next(name for name in ("cuda", "mps", "cpu") if there[name]))
    if not there.get(wanted):
        found = ", ".join(name for name, is_there in there.items() if is_there)
        raise SpielwerkError(say("torch finds no {wanted} here, only {found}", wanted=wanted, found=found))
    return torch.device(wanted)


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """torch on so many threads. Sums round otherwise with another number of them, so it belongs to the options of a
    learner: the same seed learns the same, whatever the number of cores."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def optimiser_of(
    name: Literal["adam", "adamw", "sgd", "rmsprop"], module: "NetworkModule", learning_rate: float, decay: float = 0.0
) -> "torch.optim.Optimizer":
    import torch

    parameters = module.parameters()
    if name == "sgd":
        return torch.optim.SGD(parameters, learning_rate, weight_decay=decay)
    if name == "rmsprop":
        return torch.optim.RMSprop(parameters, learning_rate, weight_decay=decay)
    kind = torch.optim.AdamW if name == "adamw" else torch.optim.Adam
    return kind(parameters, learning_rate, weight_decay=decay)


def training_arrays(module: "NetworkModule", optimiser: "torch.optim.Optimizer") -> Arrays:
    """The weights of a module and the memory of its optimiser, as plain arrays."""
    arrays: Arrays = {f"weights/{name}": array for name, array in module.network().arrays.items()}
    for number, memory in optimiser.state_dict()["state"].items():
        for key, value in memory.items():
            arrays[f"optimiser/{number}/{key}"] = np.asarray(value.detach().cpu() if hasattr(value, "cpu") else value)
    return arrays


def restore_training(arrays: Mapping[str, NDArray[Any]], module: "NetworkModule", optimiser: Any) -> None:
    """The inverse of `training_arrays`."""
    import torch

    weights = {name.removeprefix("weights/"): array for name, array in arrays.items() if name.startswith("weights/")}
    module.load(Network(module.description, weights))
    memories: dict[int, dict[str, Any]] = {}
    for name, array in arrays.items():
        if name.startswith("optimiser/"):
            _, number, key = name.split("/")
            memories.setdefault(int(number), {})[key] = torch.from_numpy(np.array(array))
    optimiser.load_state_dict({**optimiser.state_dict(), "state": memories})
