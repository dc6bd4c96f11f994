"""Flat Monte Carlo: try every legal action equally often, play on at random, take the best average.

Source: Kutsch (2017), chapter 3, algorithm 1. The playouts are cut into blocks with random streams of their own, so
that the answer does not depend on who computes which block. Every iteration imagines what is hidden once and tries all
actions in that same world. Seats that decide at the same moment follow the playout policy. It keeps no tree, so more
iterations make the averages exact but never teach it that opponents choose well.
"""

from spielwerk.core.instructions import stopped
from spielwerk.core.kernel.contract import evaluate, imagine, legal
from spielwerk.core.kernel.rng import branch
from spielwerk.core.linker import kernel
from spielwerk.search.kernel.playout import play_first


@kernel
def monte_carlo(root, states, seat, first_block, sizes, key, actions, leaf, sums, squares, visits):
    """Play sizes[b] playouts per legal action for every block b from `first_block` on, with the block's own stream.

    The worth and its square are added up per block and action in sums[b] and squares[b], visits[b] counts. The playout
    that the sign cuts short does not count.
    """
    rng, out = leaf.rng, leaf.value
    count = legal(root[0], seat, actions)
    for block in range(sizes.shape[0]):
        branch(key, first_block + block, rng)
        for _ in range(sizes[block]):
            states[1] = root[0]
            imagine(states[1], seat, rng)
            for i in range(count):
                states[0] = states[1]
                play_first(states[0], seat, actions[i], leaf.weights, leaf.scratch, rng)
                evaluate(states, 0, leaf)
                if stopped(leaf.scratch.sign):
                    return count
                sums[block, i] += out[seat]
                squares[block, i] += out[seat] * out[seat]
                visits[block, i] += 1
    return count


@kernel
def monte_carlo_paired(root, states, seat, first_block, sizes, key, actions, leaf, sums, squares, visits):
    """The same with common random numbers: in every iteration all actions meet the same dice, as long as they lead to
    equally many draws. Differences between actions become clear much sooner."""
    rng, out = leaf.rng, leaf.value
    count = legal(root[0], seat, actions)
    for block in range(sizes.shape[0]):
        branch(key, first_block + block, rng)
        for _ in range(sizes[block]):
            states[1] = root[0]
            imagine(states[1], seat, rng)
            common = rng[0]
            for i in range(count):
                rng[0] = common
                states[0] = states[1]
                play_first(states[0], seat, actions[i], leaf.weights, leaf.scratch, rng)
                evaluate(states, 0, leaf)
                if stopped(leaf.scratch.sign):
                    return count
                sums[block, i] += out[seat]
                squares[block, i] += out[seat] * out[seat]
                visits[block, i] += 1
    return count
