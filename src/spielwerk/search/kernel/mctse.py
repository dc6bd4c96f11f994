"""Monte Carlo tree search with chance nodes ("MCTS Expectimax"), for any mixture of chance, hidden cards and seats.

Source: Kutsch (2017), chapter 5, algorithms 7 to 9. Selection follows UCT, UCTN or PUCT; after the chosen action chance
acts anew in every iteration, and the search goes on in the child that stands for what then is seen, made if need be.
With hidden information every iteration imagines it anew and nodes stand for what the searching seat knows
(information-set search: Cowling, Powley and Whitehouse 2012, single observer). Every seat maximises its own worth;
seats that decide at once select independently (decoupled UCT).

It cannot bluff: seats other than the searcher act in the tree as if they knew the imagined world.
"""

import numpy as np

from spielwerk.core.instructions import stopped
from spielwerk.core.kernel.contract import actors, apply, evaluate, hide, imagine, key
from spielwerk.core.linker import kernel
from spielwerk.search.kernel.playout import settle
from spielwerk.search.kernel.tree import (
    EDGES,
    GROWN,
    ITERATIONS,
    NODE,
    NODES,
    NONE,
    PUCT,
    SIBLING,
    STUCK,
    UCT,
    UCTN,
    VISITS,
    add_node,
    backup,
    choose_joint,
    digest,
    lowest_edge,
    open_node,
    take_prior,
)

NORMALISE_FROM = 100  # UCTN counts its first iterations like UCT, until the highest worth is known well enough


@kernel
def grow(tree, root, states, seat, iterations, growth, leaf):
    """Grow the tree of `root` (a view of `seat`) by so many iterations. What the sign cuts short does not count."""
    counts, nodes, path = tree.counts, tree.nodes, tree.path
    joint, rng = leaf.scratch.joint, leaf.rng
    s = states[0]
    for _ in range(iterations):
        states[0] = root[0]
        imagine(s, seat, rng)
        rule = UCT if growth.rule == UCTN and counts[ITERATIONS] < NORMALISE_FROM else growth.rule
        node = 0
        level = 0
        path[0, NODE] = 0
        who = actors(s)
        while who > 0 and level < growth.tree_depth:
            if rule == PUCT and nodes[node, VISITS] == 0:
                break
            may_grow = counts[EDGES] < growth.max_edges
            found = choose_joint(tree, s, who, node, level, growth, rule, may_grow, leaf.scratch, rng)
            if found == STUCK:
                break
            apply(s, joint)
            who = settle(s, rng)
            node = child_seen(tree, states, seat, level)
            level += 1
            if node == NONE:  # no room for another node: the edge still learns from this iteration
                break
            path[level, NODE] = node
            if found == GROWN:
                break
        fresh = rule == PUCT and who > 0 and node != NONE and nodes[node, VISITS] == 0
        if fresh:
            open_node(tree, s, who, node, growth, leaf.scratch)
        evaluate(states, 0, leaf)
        if stopped(leaf.scratch.sign):
            return
        if fresh and growth.prior:
            take_prior(tree, node, leaf.prior)
        backup(tree, level if node == NONE else level + 1, level, growth.minimum, leaf.value)


@kernel
def child_seen(tree, states, seat, level):
    """The child of the chosen edge that stands for what `seat` now sees of states[0]; made if it is new, NONE if there
    is no room for it."""
    views, words, hashes, nodes, edges = tree.views, tree.words, tree.hashes, tree.nodes, tree.edges
    fresh = tree.counts[NODES]
    kept = views.shape[0] > 1
    row = fresh if kept else 0
    views[row] = states[0]
    hide(views[row], seat)
    hashed = key(views[row])
    if hashed == np.uint64(0):
        hashed = digest(words, row)
    edge = lowest_edge(tree.path, level)
    child = edges[edge].child
    while child != NONE:
        if hashes[child] == hashed:
            same = True
            if kept:
                for i in range(words.shape[1]):
                    if words[child, i] != words[row, i]:
                        same = False
                        break
            if same:
                return child
        child = nodes[child, SIBLING]
    if fresh >= nodes.shape[0]:
        return NONE
    hashes[fresh] = hashed
    return add_node(tree, edge, level)
