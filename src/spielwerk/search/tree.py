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
from spielwerk.core.kernel import kernel
from spielwerk.core.rng import below

NODES, EDGES, ITERATIONS = 0, 1, 2  # places in Tree.counts
NONE, ILLEGAL = -1, -2


class Tree(NamedTuple):
    counts: NDArray[np.int64]  # [3] nodes used, edges used, iterations done
    views: States  # [nodes] mctse: the view of the searching seat; mcts: the one state it saw first
    words: NDArray[np.uint64]  # [nodes, n] the same memory, for comparing
    node_visits: NDArray[np.int64]  # [nodes]
    node_edges: NDArray[np.int64]  # [nodes, seats] first edge of the seat, -1 = none
    node_sibling: NDArray[np.int64]  # [nodes] next child of the same edge, -1 = none
    node_joint: NDArray[np.int64]  # [nodes, seats] the joint action that led here
    edge_action: NDArray[np.int64]  # [edges]
    edge_visits: NDArray[np.int64]  # [edges]
    edge_seen: NDArray[np.int64]  # [edges] how often the node was visited while the action was legal
    edge_value: NDArray[np.float64]  # [edges] mean (or lowest) worth for the seat that acts
    edge_spread: NDArray[np.float64]  # [edges] sum of squared deviations from the mean
    edge_next: NDArray[np.int64]  # [edges] next edge of the same node and seat
    edge_child: NDArray[np.int64]  # [edges] first child
    path_node: NDArray[np.int64]  # [levels]
    path_edge: NDArray[np.int64]  # [levels, seats]
    slot: NDArray[np.int64]  # [actions] work space: the edge of a legal action, NONE, or ILLEGAL
    top: NDArray[np.float64]  # [seats] the highest worth that any evaluation gave


def new_tree(game: Game, nodes: int, edges: int, levels: int) -> Tree:
    views = game.states(nodes)
    seats = game.seats
    return Tree(
        counts=np.array([1, 0, 0]),
        views=views,
        words=np.asarray(views).view(np.ndarray).view(np.uint64).reshape(nodes, -1),
        node_visits=np.zeros(nodes, np.int64),
        node_edges=np.full((nodes, seats), NONE),
        node_sibling=np.full(nodes, NONE),
        node_joint=np.full((nodes, seats), NONE),
        edge_action=np.zeros(edges, np.int64),
        edge_visits=np.zeros(edges, np.int64),
        edge_seen=np.zeros(edges, np.int64),
        edge_value=np.zeros(edges),
        edge_spread=np.zeros(edges),
        edge_next=np.full(edges, NONE),
        edge_child=np.full(edges, NONE),
        path_node=np.zeros(levels + 1, np.int64),
        path_edge=np.full((levels + 1, seats), NONE),
        slot=np.full(game.spec.actions, ILLEGAL),
        top=np.full(seats, -np.inf),
    )


@kernel
def choose_edge(tree, node, seat, count, actions, k, normalise, may_grow, rng):
    """The edge that `seat` follows at `node`: an untried action at random, else the best by UCT.

    Returns NONE if an action is untried but the tree may not grow. With `normalise` (UCTN) values are divided by the
    highest worth seen so far, where that is positive.
    """
    slot = tree.slot
    for i in range(count):
        slot[actions[i]] = NONE
    untried = count
    edge = tree.node_edges[node, seat]
    while edge != NONE:
        if slot[tree.edge_action[edge]] == NONE:
            slot[tree.edge_action[edge]] = edge
            tree.edge_seen[edge] += 1
            untried -= 1
        edge = tree.edge_next[edge]
    best = NONE
    if untried > 0:
        if may_grow and tree.counts[EDGES] < tree.edge_action.shape[0]:
            skip = below(rng, untried)
            for i in range(count):
                if slot[actions[i]] == NONE:
                    if skip == 0:
                        best = add_edge(tree, node, seat, actions[i])
                        break
                    skip -= 1
    else:
        divisor = 1.0
        if normalise and tree.top[seat] > 0.0:
            divisor = tree.top[seat]
        highest = -np.inf
        seen = 1
        log_seen = 0.0
        for i in range(count):
            edge = slot[actions[i]]
            if tree.edge_seen[edge] != seen:  # without hidden information it is the same for all edges
                seen = tree.edge_seen[edge]
                log_seen = math.log(seen)
            explore = k * math.sqrt(log_seen / tree.edge_visits[edge])
            bound = tree.edge_value[edge] / divisor + explore
            if bound > highest:
                highest = bound
                best = edge
    for i in range(count):
        slot[actions[i]] = ILLEGAL
    return best


@kernel
def add_edge(tree, node, seat, action):
    edge = tree.counts[EDGES]
    tree.counts[EDGES] += 1
    tree.edge_action[edge] = action
    tree.edge_seen[edge] = tree.node_visits[node] + 1
    tree.edge_next[edge] = tree.node_edges[node, seat]
    tree.node_edges[node, seat] = edge
    return edge


@kernel
def add_node(tree, edge, level):
    """Turn the prepared view behind the last node into a child of `edge`."""
    node = tree.counts[NODES]
    tree.counts[NODES] += 1
    tree.node_sibling[node] = tree.edge_child[edge]
    tree.edge_child[edge] = node
    for seat in range(tree.node_joint.shape[1]):
        chosen = tree.path_edge[level, seat]
        tree.node_joint[node, seat] = NONE if chosen == NONE else tree.edge_action[chosen]
    return node


@kernel
def lowest_edge(tree, level):
    """The edge of the lowest deciding seat at a level of the path."""
    for seat in range(tree.path_edge.shape[1]):
        if tree.path_edge[level, seat] != NONE:
            return tree.path_edge[level, seat]
    return NONE


@kernel
def backup(tree, nodes, edges, minimum, out):
    """Give the worth `out` to the first `nodes` nodes and `edges` levels of edges on the path."""
    for seat in range(out.shape[0]):
        if out[seat] > tree.top[seat]:
            tree.top[seat] = out[seat]
    for i in range(nodes):
        tree.node_visits[tree.path_node[i]] += 1
    for i in range(edges):
        for seat in range(out.shape[0]):
            edge = tree.path_edge[i, seat]
            if edge == NONE:
                continue
            tree.edge_visits[edge] += 1
            difference = out[seat] - tree.edge_value[edge]
            if minimum:
                if tree.edge_visits[edge] == 1 or difference < 0.0:
                    tree.edge_value[edge] = out[seat]
            else:
                tree.edge_value[edge] += difference / tree.edge_visits[edge]
                tree.edge_spread[edge] += difference * (out[seat] - tree.edge_value[edge])
    tree.counts[ITERATIONS] += 1
