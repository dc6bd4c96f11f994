"""The tree that `mcts` and `mctse` grow: plain arrays, so that it can be grown further at any time.

A node stands for what the searching seat knows after a move (its view), an edge for one action of one seat at a node.
Where several seats decide at once, each has its own edges and selects on its own (decoupled selection); the children
of a node hang on the edge of the lowest deciding seat. Values are per seat; an edge keeps the value of its own seat.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.game import Game, States
from spielwerk.core.kernel.contract import legal
from spielwerk.core.kernel.rng import below
from spielwerk.core.linker import kernel

NODES, EDGES, ITERATIONS = 0, 1, 2  # places in Tree.counts
VISITS, SIBLING, FIRST_EDGE = 0, 1, 2  # columns of Tree.nodes; the joint action that led here follows the edges
NODE, EDGE = 0, 1  # columns of Tree.path
NONE, ILLEGAL = -1, -2
STUCK, KNOWN, GROWN = 0, 1, 2  # what `choose_joint` found

Edge = np.dtype(
    [
        ("action", np.int64),
        ("visits", np.int64),
        ("seen", np.int64),  # how often the node was visited while the action was legal
        ("value", np.float64),  # mean (or lowest) worth for the seat that acts
        ("spread", np.float64),  # sum of squared deviations from the mean
        ("next", np.int64),  # next edge of the same node and seat, -1 = none
        ("child", np.int64),  # first child, -1 = none
    ]
)


class Tree(NamedTuple):
    """Kernels take these arrays one by one: reaching into a tuple costs more than a step of the search."""

    counts: NDArray[np.int64]  # [3] nodes used, edges used, iterations done
    views: States  # [nodes + 1] mctse: the view of the searching seat; mcts: the one state it saw first; one to compare
    words: NDArray[np.uint64]  # [nodes + 1, n] the same memory, for comparing
    nodes: NDArray[np.int64]  # [nodes, 2 + 2 seats] visits, next sibling, first edge per seat, joint action per seat
    edges: NDArray[np.void]  # [edges] of Edge
    path: NDArray[np.int64]  # [levels, 1 + seats] node, and the edge of every seat
    slot: NDArray[np.int64]  # [actions] work space: the edge of a legal action, NONE, or ILLEGAL
    top: NDArray[np.float64]  # [seats] the highest worth that any evaluation gave


def new_tree(game: Game, nodes: int, edges: int, levels: int) -> Tree:
    views = game.states(nodes + 1)
    seats = game.seats
    table = np.full((nodes, 2 + 2 * seats), NONE)
    table[:, VISITS] = 0
    made = np.zeros(edges, Edge)
    made["next"] = NONE
    made["child"] = NONE
    return Tree(
        counts=np.array([1, 0, 0]),
        views=views,
        words=np.asarray(views).view(np.ndarray).view(np.uint64).reshape(nodes + 1, -1),
        nodes=table,
        edges=made.view(type(views)),
        path=np.full((levels + 1, 1 + seats), NONE),
        slot=np.full(game.spec.actions, ILLEGAL),
        top=np.full(seats, -np.inf),
    )


@kernel
def choose_edge(counts, nodes, edges, slot, top, node, seat, count, actions, k, normalise, may_grow, rng):
    """The edge that `seat` follows at `node`: an untried action at random, else the best by UCT.

    Returns NONE if an action is untried but the tree may not grow. With `normalise` (UCTN) values are divided by the
    highest worth seen so far, where that is positive.
    """
    for i in range(count):
        slot[actions[i]] = NONE
    untried = count
    edge = nodes[node, FIRST_EDGE + seat]
    while edge != NONE:
        if slot[edges[edge].action] == NONE:
            slot[edges[edge].action] = edge
            edges[edge].seen += 1
            untried -= 1
        edge = edges[edge].next
    best = NONE
    if untried > 0:
        if may_grow and counts[EDGES] < edges.shape[0]:
            skip = below(rng, untried)
            for i in range(count):
                if slot[actions[i]] == NONE:
                    if skip == 0:
                        best = add_edge(counts, nodes, edges, node, seat, actions[i])
                        break
                    skip -= 1
    else:
        factor = 1.0
        if normalise and top[seat] > 0.0:
            factor = 1.0 / top[seat]
        highest = -np.inf
        seen = 1
        log_seen = 0.0
        for i in range(count):
            edge = slot[actions[i]]
            if edges[edge].seen != seen:  # without hidden information it is the same for all edges
                seen = edges[edge].seen
                log_seen = math.log(seen)
            bound = edges[edge].value * factor + k * math.sqrt(log_seen / edges[edge].visits)
            if bound > highest:
                highest = bound
                best = edge
    for i in range(count):
        slot[actions[i]] = ILLEGAL
    return best


@kernel
def choose_joint(counts, nodes, edges, path, slot, top, s, who, node, level, k, normalise, may_grow, scratch, rng):
    """Every acting seat chooses its edge at `node`; the actions are put into scratch.joint, the edges into the path.

    Returns STUCK if an action is untried but the tree may not grow, GROWN if an edge is new, else KNOWN.
    """
    found = KNOWN
    for p in range(path.shape[1] - 1):
        path[level, EDGE + p] = NONE
        if (who >> p) & 1:
            count = legal(s, p, scratch.actions)
            edge = choose_edge(
                counts, nodes, edges, slot, top, node, p, count, scratch.actions, k, normalise, may_grow, rng
            )
            if edge == NONE:
                return STUCK
            if edges[edge].visits == 0:
                found = GROWN
            path[level, EDGE + p] = edge
            scratch.joint[p] = edges[edge].action
    return found


@kernel
def add_edge(counts, nodes, edges, node, seat, action):
    edge = counts[EDGES]
    counts[EDGES] += 1
    edges[edge].action = action
    edges[edge].seen = nodes[node, VISITS] + 1
    edges[edge].next = nodes[node, FIRST_EDGE + seat]
    nodes[node, FIRST_EDGE + seat] = edge
    return edge


@kernel
def add_node(counts, nodes, edges, path, edge, level):
    """Turn the prepared view behind the last node into a child of `edge`."""
    node = counts[NODES]
    counts[NODES] += 1
    nodes[node, SIBLING] = edges[edge].child
    edges[edge].child = node
    seats = path.shape[1] - 1
    for seat in range(seats):
        chosen = path[level, EDGE + seat]
        nodes[node, FIRST_EDGE + seats + seat] = NONE if chosen == NONE else edges[chosen].action
    return node


@kernel
def lowest_edge(path, level):
    """The edge of the lowest deciding seat at a level of the path."""
    for seat in range(path.shape[1] - 1):
        if path[level, EDGE + seat] != NONE:
            return path[level, EDGE + seat]
    return NONE


@kernel
def backup(counts, nodes, edges, path, top, node_levels, edge_levels, minimum, out):
    """Give the worth `out` to the nodes on the first `node_levels` and the edges on the first `edge_levels`."""
    for seat in range(out.shape[0]):
        if out[seat] > top[seat]:
            top[seat] = out[seat]
    for level in range(node_levels):
        nodes[path[level, NODE], VISITS] += 1
    for level in range(edge_levels):
        for seat in range(out.shape[0]):
            edge = path[level, EDGE + seat]
            if edge == NONE:
                continue
            edges[edge].visits += 1
            difference = out[seat] - edges[edge].value
            if minimum:
                if edges[edge].visits == 1 or difference < 0.0:
                    edges[edge].value = out[seat]
            else:
                edges[edge].value += difference / edges[edge].visits
                edges[edge].spread += difference * (out[seat] - edges[edge].value)
    counts[ITERATIONS] += 1
