"""What a network looks like: its input, its layers and its heads, as JSON.

    {"game": "jass", "encoding": "186", "inputs": 186,
     "layers": [{"kind": "dense", "units": 560}, {"kind": "relu"}],
     "heads": {"policy": {"outputs": 43}}}

Layers follow each other. All of them take and give a plain row of numbers; a convolution and a recurrent cell read it
as a grid or as steps in time, and hand on the last `rest` numbers as they are. Heads all begin at the last layer.

A value is what a seat's points or lead will still *grow* by, in shares of `scale`, or its share of the win, as a logit.
It is of the position in which the seat decides, or of what a move leaves, before chance acts (an afterstate).
"""

from collections.abc import Iterator, Mapping
from math import prod
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

from spielwerk.core.errors import SpielwerkError
from spielwerk.core.files import from_json
from spielwerk.core.words import Words

say = Words.beside(__file__)

Unit = Literal["points", "lead", "win"]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
LARGEST = 100_000_000  # parameters


class Dense(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="dense"):
    """All to all. Inputs that are 0 cost nothing."""

    units: Count


class Relu(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="relu"):
    pass


class LeakyRelu(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="leaky_relu"):
    slope: float = 0.01


class Tanh(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="tanh"):
    pass


class Sigmoid(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="sigmoid"):
    pass


class Dropout(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="dropout"):
    """Numbers that are left out at random, in training only."""

    rate: Annotated[float, Meta(ge=0.0, lt=1.0)] = 0.5


class LayerNorm(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="layer_norm"):
    pass


class Residual(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="residual"):
    """Layers whose result is added to what went in."""

    layers: tuple["Layer", ...]


class Gru(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="gru"):
    """A gated recurrent cell that reads the input in so many steps and gives its last state. Steps that are all 0 have
    not happened and change nothing."""

    units: Count
    steps: Count
    rest: Annotated[int, Meta(ge=0)] = 0


class Conv(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="conv"):
    """A convolution over a grid, cell by cell, channels innermost; beyond the edge everything is 0."""

    rows: Count
    columns: Count
    channels: Count
    filters: Count
    size: Annotated[int, Meta(ge=1, le=15)] = 3
    rest: Annotated[int, Meta(ge=0)] = 0


Layer = Dense | Relu | LeakyRelu | Tanh | Sigmoid | Dropout | LayerNorm | Residual | Gru | Conv


class Head(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One thing that a network says. `policy` gives logits and `q` values of the actions from `first` on."""

    outputs: Count
    layers: tuple[Layer, ...] = ()  # of this head alone, before its outputs
    first: Annotated[int, Meta(ge=0)] = 0
    unit: Unit = "points"  # of q and value
    scale: Annotated[float, Meta(gt=0.0)] = 1.0  # points that count as 1


class Description(Struct, frozen=True, omit_defaults=True):
    game: str
    encoding: str
    inputs: Count
    heads: Mapping[Literal["policy", "q", "value"], Head]
    layers: tuple[Layer, ...] = ()
    judges: Literal["positions", "afterstates"] = "positions"
    seats: int = 0  # at tables with so many it was trained; 0 = it does not matter
    notes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.heads:
            raise SpielwerkError(say("a network needs a head: policy, q or value"))
        size = sum(prod(shape) for shape in self.parameters().values())
        if size > LARGEST:
            phrase = "a network of {size} parameters is too large; the most is {most}"
            raise SpielwerkError(say(phrase, size=size, most=LARGEST))

    @property
    def width(self) -> int:
        """How many numbers the last layer gives to the heads."""
        return width_after(self.layers, self.inputs)

    def parameters(self) -> dict[str, tuple[int, ...]]:
        """The arrays of the network by name, with their shapes."""
        found = dict(_shapes("layers", self.layers, self.inputs))
        for name, head in self.heads.items():
            found |= dict(_shapes(name, (*head.layers, Dense(head.outputs)), self.width))
        return found

    def json(self) -> bytes:
        return msgspec.json.encode(self)


def read_description(text: bytes) -> Description:
    return from_json(text, Description)


def width_after(layers: tuple[Layer, ...], width: int) -> int:
    """How many numbers come out of layers into which `width` go; an error if they do not fit."""
    for layer in layers:
        width = _width_after(layer, width)
    return width


def _width_after(layer: Layer, width: int) -> int:
    if isinstance(layer, Dense):
        return layer.units
    if isinstance(layer, Gru):
        if width <= layer.rest or (width - layer.rest) % layer.steps:
            phrase = "{numbers} numbers do not make {steps} equal steps and a rest of {rest}"
            raise SpielwerkError(say(phrase, numbers=width, steps=layer.steps, rest=layer.rest))
        return layer.units + layer.rest
    if isinstance(layer, Conv):
        wanted = layer.rows * layer.columns * layer.channels + layer.rest
        if width != wanted:
            phrase = (
                "a convolution over {rows} x {columns} cells with {channels} channels takes {wanted} numbers, "
                "not {numbers}"
            )
            shape = {"rows": layer.rows, "columns": layer.columns, "channels": layer.channels}
            raise SpielwerkError(say(phrase, **shape, wanted=wanted, numbers=width))
        if layer.size % 2 == 0:
            raise SpielwerkError(say("the size of a convolution is odd, not {size}", size=layer.size))
        return layer.rows * layer.columns * layer.filters + layer.rest
    if isinstance(layer, Residual):
        after = width_after(layer.layers, width)
        if after != width:
            phrase = "the layers of a residual block give as many numbers as they take: {before}, not {after}"
            raise SpielwerkError(say(phrase, before=width, after=after))
    return width


def _shapes(path: str, layers: tuple[Layer, ...], width: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Weights are [in, out]: the forward pass goes through them row by row."""
    for number, layer in enumerate(layers):
        name = f"{path}.{number}"
        if isinstance(layer, Dense):
            yield f"{name}.weight", (width, layer.units)
            yield f"{name}.bias", (layer.units,)
        elif isinstance(layer, LayerNorm):
            yield f"{name}.weight", (width,)
            yield f"{name}.bias", (width,)
        elif isinstance(layer, Residual):
            yield from _shapes(name, layer.layers, width)
        elif isinstance(layer, Gru):
            step = (width - layer.rest) // layer.steps
            yield f"{name}.weight", (step, 3 * layer.units)  # reset, update, new
            yield f"{name}.hidden", (layer.units, 3 * layer.units)
            yield f"{name}.bias", (3 * layer.units,)
            yield f"{name}.hidden_bias", (3 * layer.units,)
        elif isinstance(layer, Conv):
            yield f"{name}.weight", (layer.size, layer.size, layer.channels, layer.filters)
            yield f"{name}.bias", (layer.filters,)
        width = _width_after(layer, width)
