"""Single positions per second through a network: our compiled forward pass, torch and onnxruntime, on one core.

    python benchmarks/nets.py

All three get the same network and the same inputs, one row at a time, by turns in one run. Ours is measured as it is
used, from compiled code, and also called from Python, as the others are. Needs spielwerk[learn], onnx and onnxruntime.
"""

import time
from collections.abc import Callable
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

from spielwerk.core.linker import alone, kernel
from spielwerk.nets.description import Dense, Description, Head, Layer, Relu
from spielwerk.nets.kernel.forward import forward
from spielwerk.nets.network import Network, fresh

SHAPES = ((186, 560, 1680, 180, 36), (200, 128, 128, 1))
ROUNDS, SECONDS, ROWS = 7, 0.4, 64
SET = 0.2  # share of the inputs that are 1


@kernel
def many(net, last, at, rows, floats, places):
    total = np.float32(0.0)
    for number in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            floats[i] = rows[number, i]
        forward(net, 0, last, floats, places)
        total += floats[at]
    return total


def network(shape: tuple[int, ...]) -> Network:
    layers: list[Layer] = []
    for units in shape[1:-1]:
        layers += [Dense(units), Relu()]
    made = Description("any", "any", shape[0], {"policy": Head(shape[-1])}, tuple(layers))
    return fresh(made, 1)


def onnx_session(net: Network) -> Callable[[np.ndarray], object]:
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    names = [name.removesuffix(".weight") for name in net.arrays if name.endswith(".weight")]
    nodes, tensors, at = [], [], "x"
    for number, name in enumerate(names):
        arrays = [f"{name}.{part}" for part in ("weight", "bias")]
        tensors += [numpy_helper.from_array(net.arrays[full], full) for full in arrays]
        nodes.append(helper.make_node("Gemm", [at, f"{name}.weight", f"{name}.bias"], [f"g{number}"]))
        at = f"g{number}"
        if number + 1 < len(names):
            nodes.append(helper.make_node("Relu", [at], [f"r{number}"]))
            at = f"r{number}"
    size, outputs = net.description.inputs, net.description.heads["policy"].outputs
    graph = helper.make_graph(
        nodes, "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, size])],
        [helper.make_tensor_value_info(at, TensorProto.FLOAT, [1, outputs])],
        tensors,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda row: session.run(None, {"x": row})[0]


def torch_module(net: Network) -> Callable[[np.ndarray], object]:
    import torch

    from spielwerk.nets.module import NetworkModule

    torch.set_num_threads(1)
    names = [name.removesuffix(".weight") for name in net.arrays if name.endswith(".weight")]
    layers: list[torch.nn.Module] = []
    for name in names:
        weight = torch.from_numpy(net.arrays[f"{name}.weight"])
        layer = torch.nn.Linear(*weight.shape)
        layer.weight.data, layer.bias.data = weight.t().contiguous(), torch.from_numpy(net.arrays[f"{name}.bias"])
        layers += [layer, torch.nn.ReLU()]
    plain = torch.nn.Sequential(*layers[:-1]).eval()
    ours = NetworkModule(net).eval()
    probe = torch.rand(3, net.description.inputs)
    assert torch.allclose(plain(probe), ours(probe)["policy"], atol=1e-5)

    def run(row: np.ndarray) -> object:
        with torch.inference_mode():
            return plain(torch.from_numpy(row))

    return run


def rate(run: Callable[[], object]) -> float:
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < SECONDS:
        run()
        done += ROWS
    return done / (time.perf_counter() - began)


def ways(net: Network, rows: np.ndarray) -> dict[str, Callable[[], object]]:
    """The same rows through the same network, one at a time."""
    floats = np.zeros(net.plan.room.floats, np.float32)
    places = np.zeros(net.plan.room.integers, np.int64)
    inside, one, program = alone(many), alone(forward), net.plan.program
    at = net.plan.spots["policy"].at
    session, module = onnx_session(net), torch_module(net)
    assert np.allclose(net.outputs(rows)["policy"][5], np.asarray(session(rows[5:6]))[0], atol=1e-4)

    def from_python() -> None:
        for row in rows:
            floats[: len(row)] = row
            one(program, 0, net.plan.count, floats, places)

    def called(function: Callable[[np.ndarray], object]) -> None:
        for number in range(ROWS):
            function(rows[number : number + 1])

    return {
        "compiled": lambda: inside(program, net.plan.count, at, rows, floats, places),
        "python": from_python,
        "onnxruntime": lambda: called(session),
        "torch": lambda: called(module),
    }


def main() -> None:
    table = Table("network", "compiled", "from Python", "onnxruntime", "torch", "÷ onnxruntime", "÷ torch")
    for shape in SHAPES:
        rows = (np.random.default_rng(1).random((ROWS, shape[0])) < SET).astype(np.float32)
        measured = ways(network(shape), rows)
        rates: dict[str, list[float]] = {name: [] for name in measured}
        for _ in range(ROUNDS):
            for name, way in measured.items():
                rates[name].append(rate(way))
        found = [f"{median(values):,.0f}/s" for values in rates.values()]
        for other in ("onnxruntime", "torch"):
            found.append(f"{median(a / b for a, b in zip(rates['compiled'], rates[other], strict=True)):.2f}")
        table.add_row("-".join(map(str, shape)), *found)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
