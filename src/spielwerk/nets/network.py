"""Networks as objects and as models of the kind `net`: a description and its arrays."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.encoding import Encoding
from spielwerk.core.errors import BadJson, SpielwerkError, Unfit
from spielwerk.core.game import Game
from spielwerk.core.kernel.contract import Room
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import alone
from spielwerk.core.memory import on_lines
from spielwerk.core.models import Arrays, Kind, load
from spielwerk.nets.description import (
    Conv,
    Dense,
    Description,
    Dropout,
    Gru,
    Head,
    Layer,
    LayerNorm,
    LeakyRelu,
    Relu,
    Residual,
    Sigmoid,
    Tanh,
    read_description,
    say,
    width_after,
)
from spielwerk.nets.kernel import forward as passes
from spielwerk.nets.kernel.forward import FIELDS, Program

ACTIVATIONS = {Relu: passes.RELU, Tanh: passes.TANH, Sigmoid: passes.SIGMOID}
MASK = (1 << 64) - 1


@dataclass(frozen=True, eq=False)
class Network:
    """A description with its arrays."""

    description: Description
    arrays: dict[str, NDArray[np.float32]]

    def __post_init__(self) -> None:
        for name, shape in self.description.parameters().items():
            found = self.arrays.get(name)
            if found is None or found.shape != shape:
                phrase = "the network has no array {name} of the shape {shape}"
                raise SpielwerkError(say(phrase, name=name, shape=" x ".join(map(str, shape))))
            if not np.isfinite(found).all():
                phrase = "the array {name} of the network holds numbers that are not finite; train it again"
                raise SpielwerkError(say(phrase, name=name))

    @cached_property
    def plan(self) -> "Plan":
        return Plan(self)

    @property
    def size(self) -> int:
        """How many parameters it has."""
        return sum(array.size for array in self.arrays.values())

    def head(self, name: str) -> Head:
        head = self.description.heads.get(name)  # type: ignore[call-overload]
        if head is None:
            phrase = "this network has no {wanted} head, only {found}; train one that has"
            raise Unfit(say(phrase, wanted=name, found=", ".join(self.description.heads)))
        found: Head = head
        return found

    def encoding(self, game: Game) -> Encoding:
        """The encoding of `game` that the network was trained on; an error if it is made for something else."""
        return encoding_for(self.description, game)

    def outputs(self, inputs: NDArray[Any]) -> dict[str, NDArray[np.float32]]:
        """What every head says to rows of inputs: the plain reference, and what pages show."""
        rows = np.atleast_2d(np.asarray(inputs, np.float32))
        found: dict[str, list[NDArray[np.float32]]] = {name: [] for name in self.description.heads}
        plan, floats = self.plan, on_lines(self.plan.room.floats, np.float32)
        places = np.zeros(self.plan.room.integers, np.int64)
        run = alone(passes.forward)
        for row in rows:
            floats[: len(row)] = row
            run(plan.program, 0, plan.count, floats, places)
            for name, spot in plan.spots.items():
                found[name].append(floats[spot.at : spot.at + spot.count].copy())
        return {name: np.array(values) for name, values in found.items()}


def encoding_for(made: Description, game: Game) -> Encoding:
    """The encoding of `game` that the network was trained on; an error if it is made for something else."""
    if made.game != game.spec.id:
        phrase = "this network plays {found}, not {game}; train one for it"
        raise Unfit(say(phrase, found=made.game, game=game.spec.id))
    encoding = game.encodings.get(made.encoding)
    if encoding is None:
        phrase = "this network reads the encoding '{encoding}', which {game} does not have; it has {known}"
        known = ", ".join(game.encodings)
        raise Unfit(say(phrase, encoding=made.encoding, game=game.title, known=known))
    if encoding.size != made.inputs:
        phrase = "this network takes {inputs} inputs; {game} ({variant}, {seats} {seats:seat|seats}) has {found}"
        raise Unfit(
            say(
                phrase,
                inputs=made.inputs,
                game=game.title,
                variant=game.variant,
                seats=game.seats,
                found=encoding.size,
            )
        )
    for name, head in made.heads.items():
        if name != "value" and head.first + head.outputs > game.spec.actions:
            phrase = "this network knows {outputs} actions; {game} has {actions}"
            outputs = head.first + head.outputs
            raise Unfit(say(phrase, outputs=outputs, game=game.title, actions=game.spec.actions))
    return encoding


# --- models ----------------------------------------------------------------------------------------------------------


def encode(network: Network) -> dict[str, NDArray[Any]]:
    description = np.frombuffer(network.description.json(), np.uint8)
    return {"description": description, **network.arrays}


def decode(arrays: Arrays) -> Network:
    description = _description(arrays["description"])
    names = description.parameters()
    return Network(description, {name: arrays[name].astype(np.float32) for name in names})


def description_in(path: Path) -> Description:
    """What a model file describes; its other arrays are not read. Raises one of UNREADABLE if it is none."""
    with np.load(path) as file:
        return _description(file["description"])


def _description(letters: NDArray[Any]) -> Description:
    try:
        return read_description(letters.tobytes())
    except BadJson as problem:
        raise ValueError(say("its description cannot be read: {problem}", problem=problem)) from problem


KIND = Kind("net", decode, "spielwerk train {game} imitate --variant {variant}", kept=8)


def load_network(game: Game, source: str | None) -> Network:
    """The network of a run folder, a file or a name, which must be one for `game`."""
    network = load(KIND, game, source).content
    network.encoding(game)
    return network


# --- new networks ----------------------------------------------------------------------------------------------------


def fresh(description: Description, seed: int) -> Network:
    """A network that has learned nothing: weights as He et al. (2015) draw them, last layers small, biases 0."""
    generator = np.random.default_rng(int(spawn(seed, 0x4E45)[0]) & MASK)
    arrays: dict[str, NDArray[np.float32]] = {}
    last = {f"{name}.{len(head.layers)}" for name, head in description.heads.items()}
    for name, shape in description.parameters().items():
        place, _, part = name.rpartition(".")
        if part.endswith("bias"):
            array = np.zeros(shape)
        elif len(shape) == 1:  # of a layer norm
            array = np.ones(shape)
        else:
            gain = 0.01 if place in last else math.sqrt(2.0)
            array = generator.standard_normal(shape) * gain / math.sqrt(prod(shape[:-1]))
        arrays[name] = array.astype(np.float32)
    return Network(description, arrays)


# --- the compiled program --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spot:
    """Where the answer of a head stands, and which operations lead to it from the last common layer."""

    at: int
    count: int
    begin: int
    end: int


class Plan:
    """A network lowered to a program of the forward pass: `trunk` operations for all heads, then those of each."""

    def __init__(self, network: Network) -> None:
        self._operations: list[list[int]] = []
        self._values: list[NDArray[np.float32]] = []
        made = network.description
        self._filled, self._floats, self._widest = 0, 0, made.inputs
        self._arrays = network.arrays
        self._room(made.inputs)
        at = self._lower("layers", made.layers, 0, made.inputs)
        self.trunk = len(self._operations)
        self.spots: dict[str, Spot] = {}
        for name, head in made.heads.items():
            begin = len(self._operations)
            source = at
            if head.layers and not isinstance(head.layers[0], Dense):  # it works in place: not on what others need
                source = self._room(made.width)
                self._add(passes.COPY, at, made.width, source, made.width)
            end_at = self._lower(name, (*head.layers, Dense(head.outputs)), source, made.width)
            self.spots[name] = Spot(end_at, head.outputs, begin, len(self._operations))
        values = on_lines(self._filled, np.float32)
        if self._values:
            np.concatenate(self._values, out=values)
        self.count = len(self._operations)
        operations = np.array(self._operations, np.int64).ravel()
        self.program = Program(operations, values, passes.forward_address())
        self.room = Room(floats=self._floats, integers=max(self._widest + 1, 64))

    def _room(self, count: int) -> int:
        at = self._floats
        self._floats += -(-count // 16) * 16
        return at

    def _keep(self, array: Any) -> int:
        at = self._filled
        flat = np.ascontiguousarray(array, np.float32).ravel()
        padded = np.zeros(-(-flat.size // 16) * 16, np.float32)
        padded[: flat.size] = flat
        self._values.append(padded)
        self._filled += padded.size
        return at

    def _add(self, *fields: int) -> None:
        self._operations.append([*fields, *[0] * (FIELDS - len(fields))])
        self._widest = max(self._widest, fields[passes.SIZE])

    def _lower(self, path: str, layers: tuple[Layer, ...], at: int, width: int) -> int:
        """Append the operations of layers that begin with `width` numbers at place `at`; returns where they end."""
        for number, layer in enumerate(layers):
            at = self._lower_one(f"{path}.{number}", layer, at, width)
            width = width_after((layer,), width)
        return at

    def _lower_one(self, name: str, layer: Layer, at: int, width: int) -> int:
        arrays = self._arrays
        if isinstance(layer, Dense):
            target = self._room(layer.units)
            weight, bias = self._keep(arrays[f"{name}.weight"]), self._keep(arrays[f"{name}.bias"])
            self._add(passes.DENSE, at, width, target, layer.units, weight, bias)
            return target
        if isinstance(layer, Dropout):
            return at
        if isinstance(layer, LeakyRelu):
            self._add(passes.LEAKY_RELU, at, width, at, width, self._keep([layer.slope]))
            return at
        if isinstance(layer, LayerNorm):
            weight, bias = self._keep(arrays[f"{name}.weight"]), self._keep(arrays[f"{name}.bias"])
            self._add(passes.NORM, at, width, at, width, weight, bias)
            return at
        if isinstance(layer, Residual):
            inner = self._room(width)
            self._add(passes.COPY, at, width, inner, width)
            end = self._lower(name, layer.layers, inner, width)
            self._add(passes.ADD, end, width, at, width)
            return at
        if isinstance(layer, Gru):
            return self._lower_gru(name, layer, at, width)
        if isinstance(layer, Conv):
            cells = layer.rows * layer.columns
            target = self._room(cells * layer.filters + layer.rest)
            weight, bias = self._keep(arrays[f"{name}.weight"]), self._keep(arrays[f"{name}.bias"])
            self._add(
                passes.CONV, at, cells * layer.channels, target, cells * layer.filters, weight, bias,
                0, 0, layer.size, layer.rows, layer.columns,
            )  # fmt: skip
            self._pass_on(at + cells * layer.channels, target + cells * layer.filters, layer.rest)
            return target
        self._add(ACTIVATIONS[type(layer)], at, width, at, width)
        return at

    def _lower_gru(self, name: str, layer: Gru, at: int, width: int) -> int:
        state = self._room(7 * layer.units)
        parts = [self._keep(self._arrays[f"{name}.{part}"]) for part in ("weight", "bias", "hidden", "hidden_bias")]
        self._add(passes.GRU, at, width - layer.rest, state, layer.units, *parts, layer.steps)
        self._widest = max(self._widest, layer.units)
        if not layer.rest:
            return state
        target = self._room(layer.units + layer.rest)
        self._pass_on(state, target, layer.units)
        self._pass_on(at + width - layer.rest, target + layer.units, layer.rest)
        return target

    def _pass_on(self, source: int, target: int, count: int) -> None:
        if count:
            self._add(passes.COPY, source, count, target, count)


def layers_of(description: Description) -> Iterator[Layer]:
    """All layers, those inside residual blocks and heads too."""

    def inside(layers: tuple[Layer, ...]) -> Iterator[Layer]:
        for layer in layers:
            yield layer
            if isinstance(layer, Residual):
                yield from inside(layer.layers)

    yield from inside(description.layers)
    for head in description.heads.values():
        yield from inside(head.layers)
