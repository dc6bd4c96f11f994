"""The forward pass of a network: a short program over one row of numbers, the same compiled code for every network.

Layers go through their inputs one by one and add to all outputs at once: weights are read in the order in which they
lie in memory, and an input that is 0 costs nothing (most inputs of a game are, and half of what a ReLU gives). Four
inputs are added at a time, so that outputs are loaded and stored less often.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.instructions import array_at, call_at
from spielwerk.core.linker import address_of, contracted, kernel, outlined

# an operation is a row of numbers: what it does, then places in the row of numbers, then places among the values
OP, SOURCE, SIZE, TARGET, UNITS, WEIGHT, BIAS, HIDDEN, HIDDEN_BIAS, STEPS, ROWS, COLUMNS = range(12)
FIELDS = 12
DENSE, RELU, LEAKY_RELU, TANH, SIGMOID, NORM, COPY, ADD, GRU, CONV = range(10)
EPSILON = 1e-5  # of layer normalisation, as torch has it


class Program(NamedTuple):
    """A network as the forward pass wants it."""

    operations: NDArray[np.int64]  # [n * FIELDS]
    values: NDArray[np.float32]  # all weights and biases
    address: int  # of the compiled forward pass


@kernel
def forward(net, begin, end, floats, places):
    """Do the operations from number `begin` up to `end`. The input stands at the beginning of `floats`; `places` has
    room for as many numbers as the widest layer takes."""
    call_at(net.address, (net.operations, net.values, begin, end, floats, places))


@kernel
def entry(operations, all_operations, values, all_values, begin, end, floats, all_floats, places, all_places):
    """What stands at the address of a program."""
    run(
        array_at(operations, (all_operations,)),
        array_at(values, (all_values,)),
        begin,
        end,
        array_at(floats, (all_floats,)),
        array_at(places, (all_places,)),
    )


def forward_address() -> int:
    """Where the forward pass stands, compiled once for all games and networks."""
    return address_of(run, entry, np.int64, np.float32, int, int, np.float32, np.int64)


@kernel
def run(operations, values, begin, end, floats, places):
    for number in range(begin, end):
        operation = operations[number * FIELDS : (number + 1) * FIELDS]
        op = operation[OP]
        source, size = operation[SOURCE], operation[SIZE]
        target, units = operation[TARGET], operation[UNITS]
        inputs = floats[source : source + size]
        outputs = floats[target : target + units]
        if op == DENSE:
            biases = values[operation[BIAS] : operation[BIAS] + units]
            for j in range(units):
                outputs[j] = biases[j]
            weights = values[operation[WEIGHT] : operation[WEIGHT] + size * units]
            if units == 1:
                outputs[0] += product(inputs, weights)
            else:
                add_rows(inputs, weights, outputs, places)
        elif op == RELU:
            for i in range(size):
                inputs[i] = inputs[i] if inputs[i] > np.float32(0.0) else np.float32(0.0)
        elif op == LEAKY_RELU:
            slope = values[operation[WEIGHT]]
            for i in range(size):
                inputs[i] = inputs[i] if inputs[i] > np.float32(0.0) else slope * inputs[i]
        elif op == TANH:
            for i in range(size):
                inputs[i] = math.tanh(inputs[i])
        elif op == SIGMOID:
            for i in range(size):
                inputs[i] = squeezed(inputs[i])
        elif op == NORM:
            normalise(inputs, values[operation[WEIGHT] :], values[operation[BIAS] :])
        elif op == COPY:
            for i in range(size):
                outputs[i] = inputs[i]
        elif op == ADD:
            for i in range(size):
                outputs[i] += inputs[i]
        elif op == GRU:
            recur(inputs, operation, values, floats, outputs, places)
        elif op == CONV:
            convolve(inputs, operation, values, outputs)


@outlined
@contracted
def add_rows(inputs, weights, outputs, places):
    """Add every input times its row of weights to the outputs."""
    units = outputs.shape[0]
    zero = np.float32(0.0)
    count = 0
    for i in range(inputs.shape[0]):
        places[count] = i
        if inputs[i] != zero:
            count += 1
    n = 0
    while n + 4 <= count:
        a, b, c, d = places[n], places[n + 1], places[n + 2], places[n + 3]
        x, y, z, t = inputs[a], inputs[b], inputs[c], inputs[d]
        first = weights[a * units : (a + 1) * units]
        second = weights[b * units : (b + 1) * units]
        third = weights[c * units : (c + 1) * units]
        fourth = weights[d * units : (d + 1) * units]
        for j in range(units):
            outputs[j] += x * first[j] + y * second[j] + z * third[j] + t * fourth[j]
        n += 4
    while n < count:
        a = places[n]
        x = inputs[a]
        first = weights[a * units : (a + 1) * units]
        for j in range(units):
            outputs[j] += x * first[j]
        n += 1


@contracted
def product(inputs, weights):
    """The sum of all inputs times their weights, as eight sums side by side."""
    zero = np.float32(0.0)
    a, b, c, d, e, f, g, h = zero, zero, zero, zero, zero, zero, zero, zero
    size = inputs.shape[0]
    i = 0
    while i + 8 <= size:
        a += inputs[i] * weights[i]
        b += inputs[i + 1] * weights[i + 1]
        c += inputs[i + 2] * weights[i + 2]
        d += inputs[i + 3] * weights[i + 3]
        e += inputs[i + 4] * weights[i + 4]
        f += inputs[i + 5] * weights[i + 5]
        g += inputs[i + 6] * weights[i + 6]
        h += inputs[i + 7] * weights[i + 7]
        i += 8
    while i < size:
        a += inputs[i] * weights[i]
        i += 1
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@kernel
def squeezed(x):
    return np.float32(1.0) / (np.float32(1.0) + np.float32(math.exp(-x)))


@kernel
def normalise(inputs, weight, bias):
    size = inputs.shape[0]
    mean = np.float32(0.0)
    for i in range(size):
        mean += inputs[i]
    mean /= size
    spread = np.float32(0.0)
    for i in range(size):
        spread += (inputs[i] - mean) ** 2
    factor = np.float32(1.0 / math.sqrt(spread / size + EPSILON))
    for i in range(size):
        inputs[i] = (inputs[i] - mean) * factor * weight[i] + bias[i]


@outlined
def recur(inputs, operation, values, floats, state, places):
    """A gated recurrent unit over all steps; behind its state there is room for six times as many numbers."""
    units, steps = operation[UNITS], operation[STEPS]
    step = inputs.shape[0] // steps
    room = operation[TARGET] + units
    seen = floats[room : room + 3 * units]
    kept = floats[room + 3 * units : room + 6 * units]
    weight = values[operation[WEIGHT] : operation[WEIGHT] + 3 * step * units]
    hidden = values[operation[HIDDEN] : operation[HIDDEN] + 3 * units * units]
    for j in range(units):
        state[j] = 0.0
    for number in range(steps):
        given = inputs[number * step : (number + 1) * step]
        happened = False
        for i in range(step):
            if given[i] != 0.0:
                happened = True
        if not happened:
            continue
        for j in range(3 * units):
            seen[j] = values[operation[BIAS] + j]
            kept[j] = values[operation[HIDDEN_BIAS] + j]
        add_rows(given, weight, seen, places)
        add_rows(state, hidden, kept, places)
        for j in range(units):
            reset = squeezed(seen[j] + kept[j])
            update = squeezed(seen[units + j] + kept[units + j])
            new = np.float32(math.tanh(seen[2 * units + j] + reset * kept[2 * units + j]))
            state[j] = (np.float32(1.0) - update) * new + update * state[j]


@outlined
@contracted
def convolve(inputs, operation, values, outputs):
    """Every cell adds to the cells around it."""
    rows, columns, size = operation[ROWS], operation[COLUMNS], operation[STEPS]
    cells = rows * columns
    channels, filters = inputs.shape[0] // cells, outputs.shape[0] // cells
    reach = size // 2
    for cell in range(cells):
        for j in range(filters):
            outputs[cell * filters + j] = values[operation[BIAS] + j]
    for cell in range(cells):
        row, column = cell // columns, cell % columns
        for channel in range(channels):
            x = inputs[cell * channels + channel]
            if x == 0.0:
                continue
            for down in range(size):
                to_row = row + reach - down
                if to_row < 0 or to_row >= rows:
                    continue
                for right in range(size):
                    to_column = column + reach - right
                    if to_column < 0 or to_column >= columns:
                        continue
                    at = operation[WEIGHT] + ((down * size + right) * channels + channel) * filters
                    weights = values[at : at + filters]
                    to = (to_row * columns + to_column) * filters
                    reached = outputs[to : to + filters]
                    for j in range(filters):
                        reached[j] += x * weights[j]
