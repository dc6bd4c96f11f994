"""Two ways to take gradient steps over the same rows: compiled code for plain networks, torch for all."""

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.linker import alone
from spielwerk.core.memory import on_lines
from spielwerk.learn.kernel.descent import PLAIN, Bench, Learned, descend
from spielwerk.learn.netlearner import Arrays, device_of, optimiser_of, restore_training, training_arrays
from spielwerk.learn.run import Device
from spielwerk.learn.tdvalue_rows import Rows
from spielwerk.nets.kernel.forward import BIAS, DENSE, FIELDS, OP, SIZE, UNITS, WEIGHT
from spielwerk.nets.network import Network

THREADS = 1  # of torch on the processor: the others play meanwhile


class Update(Protocol):
    """Somebody who has a network and makes it better."""

    def network(self) -> Network: ...

    def learn(self, rows: Rows, order: NDArray[np.int64], batch: int, rate: float) -> float:
        """A gradient step for every batch of rows, in this order; returns the mean loss, not a number if weights are
        not finite any more."""

    def arrays(self) -> Arrays:
        """All that it needs to go on."""

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None: ...


def is_plain(network: Network) -> bool:
    """Whether a network is a chain of dense layers and activations, which compiled code can learn."""
    operations = network.plan.program.operations[OP::FIELDS]
    return len(network.description.heads) == 1 and operations[0] == DENSE and set(operations.tolist()) <= set(PLAIN)


class CompiledUpdate:
    """Adam in compiled code."""

    def __init__(self, network: Network, by_logit: bool, batch: int) -> None:
        self.description, self.by_logit = network.description, by_logit
        plan = network.plan
        program = plan.program
        values, slopes, means, squares = (on_lines(program.values.size, np.float32) for _ in range(4))
        values[:] = program.values
        self.learned = Learned(program.operations, values, slopes, means, squares, np.zeros(1, np.int64))
        table = program.operations.reshape(-1, FIELDS)
        dense = table[table[:, OP] == DENSE]
        self._spots = [(int(row[WEIGHT]), int(row[SIZE]), int(row[UNITS]), int(row[BIAS])) for row in dense]
        inner = [size * units for _, size, units, _ in self._spots[1:]]
        widest = max(
            max(size for _, size, _, _ in self._spots[1:]) if inner else 1, 1, *(u for _, _, u, _ in self._spots)
        )
        self.bench = Bench(
            layers=on_lines(batch * plan.room.floats, np.float32),
            back=on_lines(batch * widest, np.float32),
            further=on_lines(batch * widest, np.float32),
            turned=on_lines(max(inner, default=1), np.float32),
            column=on_lines(batch, np.float32),
            places=np.zeros(max(plan.room.integers, batch + 1), np.int64),
        )

    def network(self) -> Network:
        found: dict[str, NDArray[np.float32]] = {}
        names = [name.removesuffix(".weight") for name in self.description.parameters() if name.endswith(".weight")]
        values = self.learned.values
        for name, (weight, size, units, bias) in zip(names, self._spots, strict=True):
            found[f"{name}.weight"] = values[weight : weight + size * units].reshape(size, units).copy()
            found[f"{name}.bias"] = values[bias : bias + units].copy()
        return Network(self.description, found)

    def learn(self, rows: Rows, order: NDArray[np.int64], batch: int, rate: float) -> float:
        run = alone(descend)
        total = float(run(rows, order, batch, rate, self.by_logit, self.learned, self.bench))
        return total / len(order) if np.isfinite(self.learned.values).all() else math.nan

    def arrays(self) -> Arrays:
        kept = self.learned
        return {"values": kept.values, "means": kept.means, "squares": kept.squares, "steps": kept.steps}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        for name, kept in self.arrays().items():
            kept[:] = arrays[name]


class TorchUpdate:
    """Adam by torch, on any device, for any network."""

    def __init__(self, network: Network, by_logit: bool, device: Device) -> None:
        import torch

        from spielwerk.nets.module import NetworkModule

        torch.set_num_threads(THREADS)
        self.device, self.by_logit = device_of(device), by_logit
        self.module = NetworkModule(network).to(self.device)
        self.optimiser = optimiser_of("adam", self.module, 1e-3)

    def network(self) -> Network:
        return self.module.network()

    def learn(self, rows: Rows, order: NDArray[np.int64], batch: int, rate: float) -> float:
        import torch
        from torch.nn import functional

        for group in self.optimiser.param_groups:
            group["lr"] = rate
        loss_of = functional.binary_cross_entropy_with_logits if self.by_logit else functional.mse_loss
        size = self.module.description.inputs
        self.module.train()
        total = 0.0
        for first in range(0, len(order), batch):
            chosen = order[first : first + batch]
            inputs = torch.from_numpy(rows.inputs(chosen, size)).to(self.device)
            targets = torch.from_numpy(rows.targets[chosen]).to(self.device)
            self.optimiser.zero_grad()
            loss = loss_of(self.module(inputs)["value"][:, 0], targets)
            loss.backward()
            self.optimiser.step()
            total += float(loss.detach()) * len(chosen)
        finite = all(bool(torch.isfinite(array).all()) for array in self.module.parameters())
        return total / len(order) if finite else math.nan

    def arrays(self) -> Arrays:
        return training_arrays(self.module, self.optimiser)

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        restore_training(arrays, self.module, self.optimiser)
