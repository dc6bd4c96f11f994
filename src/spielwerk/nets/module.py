"""A network as a torch module, for training. The only file of `nets` that needs torch."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from spielwerk.nets.description import (
    Conv,
    Dense,
    Description,
    Dropout,
    Gru,
    Layer,
    LayerNorm,
    LeakyRelu,
    Relu,
    Residual,
    Sigmoid,
)
from spielwerk.nets.network import Network


class NetworkModule(nn.Module):
    """The layers and heads of a description. Its parameters have the names and shapes of the network's arrays."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.description: Description = network.description
        self.arrays = nn.ParameterDict(
            {_key(name): nn.Parameter(torch.from_numpy(array.copy())) for name, array in network.arrays.items()}
        )

    def forward(self, inputs: Tensor) -> dict[str, Tensor]:
        """What every head says to a batch of inputs [batch, inputs]: [batch, outputs]."""
        made = self.description
        x = self._layers("layers", made.layers, inputs)
        return {name: self._layers(name, (*head.layers, Dense(head.outputs)), x) for name, head in made.heads.items()}

    def network(self) -> Network:
        """What has been learned so far."""
        return Network(self.description, {_name(key): _plain(value) for key, value in self.arrays.items()})

    def load(self, network: Network) -> None:
        with torch.no_grad():
            for name, array in network.arrays.items():
                self.arrays[_key(name)].copy_(torch.from_numpy(array))

    def _layers(self, path: str, layers: tuple[Layer, ...], x: Tensor) -> Tensor:
        for number, layer in enumerate(layers):
            x = self._layer(f"{path}.{number}", layer, x)
        return x

    def _layer(self, name: str, layer: Layer, x: Tensor) -> Tensor:
        if isinstance(layer, Dense):
            return torch.addmm(self._array(name, "bias"), x, self._array(name, "weight"))
        if isinstance(layer, Relu):
            return functional.relu(x)
        if isinstance(layer, LeakyRelu):
            return functional.leaky_relu(x, layer.slope)
        if isinstance(layer, Sigmoid):
            return torch.sigmoid(x)
        if isinstance(layer, Dropout):
            return functional.dropout(x, layer.rate, self.training)
        if isinstance(layer, LayerNorm):
            return functional.layer_norm(x, x.shape[1:], self._array(name, "weight"), self._array(name, "bias"))
        if isinstance(layer, Residual):
            return x + self._layers(name, layer.layers, x)
        if isinstance(layer, Gru):
            return self._recur(name, layer, x)
        if isinstance(layer, Conv):
            return self._convolve(name, layer, x)
        return torch.tanh(x)

    def _recur(self, name: str, layer: Gru, x: Tensor) -> Tensor:
        batch, width = x.shape
        steps = x[:, : width - layer.rest].reshape(batch, layer.steps, -1)
        weight, hidden = self._array(name, "weight").t(), self._array(name, "hidden").t()
        bias, hidden_bias = self._array(name, "bias"), self._array(name, "hidden_bias")
        state = x.new_zeros(batch, layer.units)
        for number in range(layer.steps):
            given = steps[:, number]
            after = torch.gru_cell(given, state, weight, hidden, bias, hidden_bias)
            happened = (given != 0).any(dim=1, keepdim=True)
            state = torch.where(happened, after, state)
        return torch.cat([state, x[:, width - layer.rest :]], dim=1)

    def _convolve(self, name: str, layer: Conv, x: Tensor) -> Tensor:
        used = layer.rows * layer.columns * layer.channels
        grid = x[:, :used].reshape(-1, layer.rows, layer.columns, layer.channels).permute(0, 3, 1, 2)
        weight = self._array(name, "weight").permute(3, 2, 0, 1)
        found = functional.conv2d(grid, weight, self._array(name, "bias"), padding=layer.size // 2)
        return torch.cat([found.permute(0, 2, 3, 1).flatten(1), x[:, used:]], dim=1)

    def _array(self, name: str, part: str) -> Tensor:
        found: Tensor = self.arrays[_key(f"{name}.{part}")]
        return found


def _key(name: str) -> str:
    """torch forbids dots in names."""
    return name.replace(".", "/")


def _name(key: str) -> str:
    return key.replace("/", ".")


def _plain(value: Tensor) -> NDArray[np.float32]:
    return value.detach().cpu().numpy().astype(np.float32).copy()


def masked(logits: Tensor, legal: Tensor) -> Tensor:
    """Logits in which an illegal action has probability 0. Rows without a legal action stay as they are."""
    some = legal.any(dim=1, keepdim=True)
    return torch.where(legal | ~some, logits, torch.finfo(logits.dtype).min)
