"""Flat Monte Carlo: try every legal action equally often, play on at random, take the best average.

Source: Kutsch (2017), chapter 3, algorithm 1. Every iteration imagines what is hidden once and tries all actions in
that same world. Seats that decide at the same moment follow the playout policy. It keeps no tree, so more iterations
make the averages exact but never teach it that opponents choose well.
"""

from spielwerk.core.contract import evaluate, imagine, legal
from spielwerk.core.kernel import kernel
from spielwerk.search.playout import play_first


@kernel
def monte_carlo(root, states, seat, iterations, actions, weights, depth, method, scale, scratch, rng, out, sums, squares):
    """Add the worth of `iterations` playouts per legal action, and its square, to sums and squares."""
    count = legal(root[0], seat, actions)
    for _ in range(iterations):
        states[1] = root[0]
        imagine(states[1], seat, rng)
        for i in range(count):
            states[0] = states[1]
            play_first(states[0], seat, actions[i], weights, scratch, rng)
            evaluate(states, 0, weights, depth, method, scale, scratch, rng, out)
            sums[i] += out[seat]
            squares[i] += out[seat] * out[seat]
    return count
