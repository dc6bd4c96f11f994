"""Gradient steps of a plain network over sparse rows, compiled: forward, backward and Adam (Kingma and Ba 2015).

Plain is a chain of dense layers and activations that work in place, as `nets.kernel.forward` runs it. Everything is
made of one loop that adds rows of weights (`add_rows`): the layers, what flows back through them (with the weights
turned round), and the slopes of the weights (with the batch in the place of the inputs). Zeros cost nothing in any of
them, and of the first layer only the rows of inputs that are not 0 are touched.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.linker import contracted, kernel, outlined
from spielwerk.nets.kernel.forward import (
    BIAS,
    DENSE,
    FIELDS,
    LEAKY_RELU,
    OP,
    RELU,
    SIGMOID,
    SIZE,
    SOURCE,
    TANH,
    TARGET,
    UNITS,
    WEIGHT,
    add_rows,
    run,
)

FIRST_DECAY, SECOND_DECAY, TINY = 0.9, 0.999, 1e-8  # of Adam, as torch has them
PLAIN = (DENSE, RELU, LEAKY_RELU, TANH, SIGMOID)  # operations that can be learned here


class Learned(NamedTuple):
    """The weights, all in one row as the forward pass has them, and what Adam keeps of each."""

    operations: NDArray[np.int64]
    values: NDArray[np.float32]
    slopes: NDArray[np.float32]
    means: NDArray[np.float32]  # of the slopes
    squares: NDArray[np.float32]  # of the slopes, their mean
    steps: NDArray[np.int64]  # [1] so far


class Bench(NamedTuple):
    """Room for one batch."""

    layers: NDArray[np.float32]  # [batch * floats of the forward pass]
    back: NDArray[np.float32]  # [batch * widest] what flows back
    further: NDArray[np.float32]  # the same, of the layer before
    turned: NDArray[np.float32]  # [widest * widest] the weights of a layer, turned round
    column: NDArray[np.float32]  # [batch]
    places: NDArray[np.int64]  # [widest or batch, and one more]


@kernel
def descend(rows, order, batch, rate, by_logit, learned, bench):
    """Go through the rows in this order, a step for every batch; returns the sum of the losses."""
    total = 0.0
    for first in range(0, order.shape[0], batch):
        chosen = order[first : first + batch]
        total += slopes_of(rows, chosen, by_logit, learned, bench)
        step(rate, learned)
    return total


@kernel
def slopes_of(rows, chosen, by_logit, learned, bench):
    """Add the slopes of the mean loss over the chosen rows; returns the sum of their losses. The loss is the squared
    error, or the cross-entropy of a chance to win whose logit the network gives."""
    operations, values = learned.operations, learned.values
    count = operations.shape[0] // FIELDS
    batch = chosen.shape[0]
    floats = bench.layers.shape[0] // bench.column.shape[0]
    answer = operations[(count - 1) * FIELDS + TARGET]
    loss = 0.0
    for b in range(batch):
        layers = bench.layers[b * floats : (b + 1) * floats]
        read_row(rows, chosen[b], operations, values, layers)
        run(operations, values, 1, count, layers, bench.places)
        found, target = np.float64(layers[answer]), np.float64(rows.targets[chosen[b]])
        if by_logit:
            chance = 1.0 / (1.0 + math.exp(-found))
            bench.back[b] = (chance - target) / batch
            loss += max(found, 0.0) - found * target + math.log1p(math.exp(-abs(found)))
        else:
            bench.back[b] = 2.0 * (found - target) / batch
            loss += (found - target) ** 2
    flow_back(rows, chosen, floats, count, learned, bench)
    return loss


@kernel
def flow_back(rows, chosen, floats, count, learned, bench):
    operations = learned.operations
    batch = chosen.shape[0]
    back, further = bench.back, bench.further
    for number in range(count - 1, -1, -1):
        operation = operations[number * FIELDS : (number + 1) * FIELDS]
        if operation[OP] != DENSE:
            bend(operation, learned.values, floats, bench.layers, back[: batch * operation[SIZE]])
            continue
        size, units = operation[SIZE], operation[UNITS]
        weight, bias = operation[WEIGHT], operation[BIAS]
        add_up(back[: batch * units], learned.slopes[bias : bias + units])
        slopes = learned.slopes[weight : weight + size * units]
        if number == 0:
            add_first_slopes(rows, chosen, back, slopes, units)
            return
        for i in range(size):
            for b in range(batch):
                bench.column[b] = bench.layers[b * floats + operation[SOURCE] + i]
            add_rows(bench.column[:batch], back[: batch * units], slopes[i * units : (i + 1) * units], bench.places)
        turn(learned.values[weight : weight + size * units], size, units, bench.turned)
        for b in range(batch):
            reached = further[b * size : (b + 1) * size]
            for i in range(size):
                reached[i] = 0.0
            add_rows(back[b * units : (b + 1) * units], bench.turned[: units * size], reached, bench.places)
        back, further = further, back


@contracted
def read_row(rows, row, operations, values, layers):
    """The first layer of a stored row."""
    units, weight, bias = operations[UNITS], operations[WEIGHT], operations[BIAS]
    outputs = layers[operations[TARGET] : operations[TARGET] + units]
    for j in range(units):
        outputs[j] = values[bias + j]
    begin, ones, end, value = bounds(rows, row)
    n = begin
    while n + 4 <= ones:
        first = values[weight + np.int64(rows.places[n]) * units :][:units]
        second = values[weight + np.int64(rows.places[n + 1]) * units :][:units]
        third = values[weight + np.int64(rows.places[n + 2]) * units :][:units]
        fourth = values[weight + np.int64(rows.places[n + 3]) * units :][:units]
        for j in range(units):
            outputs[j] += first[j] + second[j] + third[j] + fourth[j]
        n += 4
    while n < end:
        first = values[weight + np.int64(rows.places[n]) * units :][:units]
        x = np.float32(1.0) if n < ones else rows.values[value + n - ones]
        for j in range(units):
            outputs[j] += x * first[j]
        n += 1


@kernel
def bounds(rows, row):
    """Where the places of a row begin, where those of its ones and all of them end, and where its values begin."""
    begin = rows.place_ends[row - 1] if row > 0 else 0
    value = rows.value_ends[row - 1] if row > 0 else 0
    end = rows.place_ends[row]
    return begin, end - (rows.value_ends[row] - value), end, value


@contracted
def add_first_slopes(rows, chosen, back, slopes, units):
    for b in range(chosen.shape[0]):
        flow = back[b * units : (b + 1) * units]
        begin, ones, end, value = bounds(rows, chosen[b])
        for n in range(begin, end):
            place = np.int64(rows.places[n])
            x = np.float32(1.0) if n < ones else rows.values[value + n - ones]
            slope = slopes[place * units : (place + 1) * units]
            for j in range(units):
                slope[j] += x * flow[j]


@kernel
def bend(operation, values, floats, layers, back):
    """What flows back through an activation, whose answers stand in the layers."""
    op, size = operation[OP], operation[SIZE]
    slope = values[operation[WEIGHT]] if op == LEAKY_RELU else np.float32(0.0)
    one = np.float32(1.0)
    for b in range(back.shape[0] // size):
        flow = back[b * size : (b + 1) * size]
        answers = layers[b * floats + operation[SOURCE] :][:size]
        if op == TANH:
            for i in range(size):
                flow[i] *= one - answers[i] * answers[i]
        elif op == SIGMOID:
            for i in range(size):
                flow[i] *= answers[i] * (one - answers[i])
        else:
            for i in range(size):
                if answers[i] <= 0.0:
                    flow[i] *= slope


@kernel
def add_up(back, slopes):
    units = slopes.shape[0]
    for b in range(back.shape[0] // units):
        flow = back[b * units : (b + 1) * units]
        for j in range(units):
            slopes[j] += flow[j]


@kernel
def turn(weights, size, units, out):
    for i in range(size):
        for j in range(units):
            out[j * size + i] = weights[i * units + j]


@outlined
def step(rate, learned):
    """A step of Adam; the slopes are 0 again after it."""
    learned.steps[0] += 1
    number = np.float64(learned.steps[0])
    one, first, second = np.float32(1.0), np.float32(FIRST_DECAY), np.float32(SECOND_DECAY)
    width = np.float32(rate / (1.0 - FIRST_DECAY**number))
    spread = np.float32(1.0 / math.sqrt(1.0 - SECOND_DECAY**number))
    tiny = np.float32(TINY)
    values, slopes, means, squares = learned.values, learned.slopes, learned.means, learned.squares
    for i in range(values.shape[0]):
        slope = slopes[i]
        mean = first * means[i] + (one - first) * slope
        square = second * squares[i] + (one - second) * slope * slope
        values[i] -= width * mean / (np.float32(math.sqrt(square)) * spread + tiny)
        means[i] = mean
        squares[i] = square
        slopes[i] = np.float32(0.0)
