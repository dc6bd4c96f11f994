"""The tree that `mcts` and `mctse` grow: plain arrays, so that it can be grown further at any time.

A node stands for what the searching seat knows after a move (its view), an edge for one action of one seat at a node.
Where several seats decide at once, each has its own edges and selects on its own (decoupled selection); the children
of a node hang on the edge of the lowest deciding seat. Values are per seat; an edge keeps the value of its own seat.

Four rules select among the edges of a seat:

UCT   the mean worth and k * sqrt(log(visits of the node) / visits), every action once first (Kocsis, Szepesvari 2006)
UCB   the same with values between the lowest and the highest worth so far, so that k fits every game
UCTN  the same with values divided by the highest worth so far (Kutsch 2017, 5.4)
PUCT  the mean worth between the lowest and the highest so far, and k * prior * sqrt(visits of the node) / (1 + visits)
      (Rosin 2011, in the form of Silver et al. 2017). An action without visits counts as the mean of its node. Where
      the evaluation gives no prior, all actions are equally likely.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.core.game import Game
from spielwerk.core.kernel.contract import legal
from spielwerk.core.kernel.rng import FIRST, GOLDEN, below, mix
from spielwerk.core.linker import kernel
from spielwerk.core.position import States

NODES, EDGES, ITERATIONS = 0, 1, 2  # places in Tree.counts
VISITS, SIBLING, FIRST_EDGE = 0, 1, 2  # columns of Tree.nodes; the joint action that led here follows the edges
NODE, EDGE = 0, 1  # columns of Tree.path
LOW, HIGH = 0, 1  # rows of Tree.range
NONE, ILLEGAL = -1, -2
STUCK, KNOWN, GROWN = 0, 1, 2  # what `choose_joint` found
UCT, UCTN, UCB, PUCT = 0, 1, 2, 3  # Growth.rule
LARGE = 2048  # bytes of a state from which on a tree keeps hashes of views, not views

Edge = np.dtype(
    [
        ("action", np.int64),
        ("visits", np.int64),
        ("seen", np.int64),  # how often the node was visited while the action was legal
        ("value", np.float64),  # mean (or lowest) worth for the seat that acts
        ("spread", np.float64),  # sum of squared deviations from the mean
        ("next", np.int64),  # next edge of the same node and seat, -1 = none
        ("child", np.int64),  # first child, -1 = none
        ("prior", np.float64),  # how likely the action is before any search; PUCT only
    ]
)


class Tree(NamedTuple):
    counts: NDArray[np.int64]  # [3] nodes used, edges used, iterations done
    views: States  # [nodes + 1] mctse: the view of the searching seat (of large states only one, to look at); mcts: the
    # one state that it saw first
    words: NDArray[np.uint64]  # [as views, n] the same memory, for comparing
    hashes: NDArray[np.uint64]  # [nodes] of the views
    nodes: NDArray[np.int64]  # [nodes, 2 + 2 seats] visits, next sibling, first edge per seat, joint action per seat
    edges: NDArray[np.void]  # [edges] of Edge
    path: NDArray[np.int64]  # [levels, 1 + seats] node, and the edge of every seat
    slot: NDArray[np.int64]  # [actions] work space: the edge of a legal action, NONE, or ILLEGAL
    range: NDArray[np.float64]  # [2, seats] the lowest and the highest worth that any evaluation gave


class Growth(NamedTuple):
    """How a tree grows."""

    tree_depth: int  # most decisions inside the tree
    max_edges: int  # no edges are added beyond so many
    rule: int  # UCT, UCTN, UCB or PUCT
    k: float  # weight of exploration
    minimum: bool  # an edge keeps the lowest worth instead of the mean
    prior: bool  # whether the evaluation gives a prior


def new_tree(game: Game, nodes: int, edges: int, levels: int, whole: bool = False) -> Tree:
    """`whole`: keep states as they are, however large."""
    large = game.states(1).itemsize >= LARGE and not whole
    views = game.states(1 if large else nodes + 1)
    seats = game.seats
    table = np.zeros((nodes, 2 + 2 * seats), np.int64)  # memory that the tree does not grow into is never touched
    table[0, SIBLING:] = NONE
    return Tree(
        counts=np.array([1, 0, 0]),
        views=views,
        words=np.asarray(views).view(np.ndarray).view(np.uint64).reshape(len(views), -1),
        hashes=np.zeros(nodes, np.uint64),
        nodes=table,
        edges=np.zeros(edges, Edge).view(type(views)),
        path=np.full((levels + 1, 1 + seats), NONE),
        slot=np.full(game.spec.actions, ILLEGAL),
        range=np.array([[np.inf] * seats, [-np.inf] * seats]),
    )


# --- selection -------------------------------------------------------------------------------------------------------


@kernel
def choose_joint(tree, s, who, node, level, growth, rule, may_grow, scratch, rng):
    """Every acting seat chooses its edge at `node`; the actions are put into scratch.joint, the edges into the path.

    Returns STUCK if an action is untried but the tree may not grow, GROWN if an edge is new, else KNOWN.
    """
    path, edges = tree.path, tree.edges
    found = KNOWN
    for p in range(path.shape[1] - 1):
        path[level, EDGE + p] = NONE
        if (who >> p) & 1:
            count = legal(s, p, scratch.actions)
            if rule == PUCT:
                edge = choose_by_prior(tree, node, p, count, scratch.actions, growth.k, may_grow)
            else:
                edge = choose_by_bound(tree, node, p, count, scratch.actions, growth.k, rule, may_grow, rng)
            if edge == NONE:
                return STUCK
            if edges[edge].visits == 0:
                found = GROWN
            path[level, EDGE + p] = edge
            scratch.joint[p] = edges[edge].action
    return found


@kernel
def find_edges(tree, node, seat, count, actions):
    """Write the edge of every legal action into tree.slot, NONE where there is none; returns how many have none."""
    slot, edges = tree.slot, tree.edges
    for i in range(count):
        slot[actions[i]] = NONE
    untried = count
    edge = tree.nodes[node, FIRST_EDGE + seat]
    while edge != NONE:
        if slot[edges[edge].action] == NONE:
            slot[edges[edge].action] = edge
            edges[edge].seen += 1
            untried -= 1
        edge = edges[edge].next
    return untried


@kernel
def choose_by_bound(tree, node, seat, count, actions, k, rule, may_grow, rng):
    """The edge that `seat` follows at `node`: an untried action at random, else the best by UCT, UCTN or UCB.

    Returns NONE if an action is untried but the tree may not grow.
    """
    slot, edges = tree.slot, tree.edges
    untried = find_edges(tree, node, seat, count, actions)
    best = NONE
    if untried > 0:
        if may_grow and tree.counts[EDGES] < edges.shape[0]:
            skip = below(rng, untried)
            for i in range(count):
                if slot[actions[i]] == NONE:
                    if skip == 0:
                        best = add_edge(tree, node, seat, actions[i], 0.0)
                        break
                    skip -= 1
    else:
        low = tree.range[LOW, seat] if rule == UCB else 0.0
        width = 1.0 if rule == UCT else tree.range[HIGH, seat] - low
        factor = 1.0 / width if width > 0.0 else 1.0
        highest = -np.inf
        seen = 1
        log_seen = 0.0
        for i in range(count):
            edge = slot[actions[i]]
            if edges[edge].seen != seen:  # without hidden information it is the same for all edges
                seen = edges[edge].seen
                log_seen = math.log(seen)
            bound = (edges[edge].value - low) * factor + k * math.sqrt(log_seen / edges[edge].visits)
            if bound > highest:
                highest = bound
                best = edge
    for i in range(count):
        slot[actions[i]] = ILLEGAL
    return best


@kernel
def choose_by_prior(tree, node, seat, count, actions, k, may_grow):
    """The edge that `seat` follows at `node`: the best by PUCT. Actions that are legal here for the first time (what is
    hidden was imagined otherwise before) join with an equal share.

    Returns NONE if an action has no edge but the tree may not grow.
    """
    slot, edges = tree.slot, tree.edges
    untried = find_edges(tree, node, seat, count, actions)
    best = NONE
    if untried == 0 or (may_grow and tree.counts[EDGES] + untried <= edges.shape[0]):
        visits = 0
        total = 0.0
        for i in range(count):
            if slot[actions[i]] == NONE:
                slot[actions[i]] = add_edge(tree, node, seat, actions[i], 1.0 / count)
            edge = slot[actions[i]]
            visits += edges[edge].visits
            total += edges[edge].value * edges[edge].visits
        usual = total / visits if visits > 0 else 0.0
        low = tree.range[LOW, seat]
        width = tree.range[HIGH, seat] - low
        factor = 1.0 / width if width > 0.0 else 0.0
        highest = -np.inf
        for i in range(count):
            edge = slot[actions[i]]
            value = edges[edge].value if edges[edge].visits > 0 else usual
            explore = k * edges[edge].prior * math.sqrt(edges[edge].seen) / (1.0 + edges[edge].visits)
            bound = (value - low) * factor + explore
            if bound > highest:
                highest = bound
                best = edge
    for i in range(count):
        slot[actions[i]] = ILLEGAL
    return best


# --- growing ---------------------------------------------------------------------------------------------------------


@kernel
def add_edge(tree, node, seat, action, prior):
    edges, nodes = tree.edges, tree.nodes
    edge = tree.counts[EDGES]
    tree.counts[EDGES] += 1
    edges[edge].action = action
    edges[edge].seen = nodes[node, VISITS] + 1
    edges[edge].prior = prior
    edges[edge].child = NONE
    edges[edge].next = nodes[node, FIRST_EDGE + seat]
    nodes[node, FIRST_EDGE + seat] = edge
    return edge


@kernel
def open_node(tree, s, who, node, growth, scratch):
    """Give a new node all its edges at once, equally likely, before it is evaluated. For PUCT."""
    for p in range(tree.path.shape[1] - 1):
        if (who >> p) & 1 and tree.nodes[node, FIRST_EDGE + p] == NONE:
            count = legal(s, p, scratch.actions)
            if tree.counts[EDGES] + count > min(growth.max_edges, tree.edges.shape[0]):
                return
            for i in range(count):
                edge = add_edge(tree, node, p, scratch.actions[i], 1.0 / count)
                tree.edges[edge].seen = 0


@kernel
def take_prior(tree, node, prior):
    """Give the edges of a node what the evaluation holds likely, as shares of 1; what is not likely at all stays so."""
    edges = tree.edges
    for p in range(tree.path.shape[1] - 1):
        total = 0.0
        edge = tree.nodes[node, FIRST_EDGE + p]
        while edge != NONE:
            total += prior[p, edges[edge].action]
            edge = edges[edge].next
        edge = tree.nodes[node, FIRST_EDGE + p]
        while edge != NONE and total > 0.0:
            edges[edge].prior = prior[p, edges[edge].action] / total
            edge = edges[edge].next


@kernel
def add_node(tree, edge, level):
    """A new child of `edge`, reached by the joint action of the path at `level`."""
    nodes, edges, path = tree.nodes, tree.edges, tree.path
    node = tree.counts[NODES]
    tree.counts[NODES] += 1
    nodes[node, SIBLING] = edges[edge].child
    edges[edge].child = node
    seats = path.shape[1] - 1
    for seat in range(seats):
        chosen = path[level, EDGE + seat]
        nodes[node, FIRST_EDGE + seat] = NONE
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
def digest(words, row):
    """A hash of a view by its bytes."""
    hashed = GOLDEN
    for i in range(words.shape[1]):
        hashed = (hashed ^ words[row, i]) * FIRST
        hashed = hashed ^ (hashed >> np.uint64(32))
    return mix(hashed)


@kernel
def backup(tree, node_levels, edge_levels, minimum, value):
    """Give the worth `value` to the nodes on the first `node_levels` and the edges on the first `edge_levels`."""
    nodes, edges, path = tree.nodes, tree.edges, tree.path
    for seat in range(value.shape[0]):
        if value[seat] > tree.range[HIGH, seat]:
            tree.range[HIGH, seat] = value[seat]
        if value[seat] < tree.range[LOW, seat]:
            tree.range[LOW, seat] = value[seat]
    for level in range(node_levels):
        nodes[path[level, NODE], VISITS] += 1
    for level in range(edge_levels):
        for seat in range(value.shape[0]):
            edge = path[level, EDGE + seat]
            if edge == NONE:
                continue
            edges[edge].visits += 1
            difference = value[seat] - edges[edge].value
            if minimum:
                if edges[edge].visits == 1 or difference < 0.0:
                    edges[edge].value = value[seat]
            else:
                edges[edge].value += difference / edges[edge].visits
                edges[edge].spread += difference * (value[seat] - edges[edge].value)
    tree.counts[ITERATIONS] += 1
