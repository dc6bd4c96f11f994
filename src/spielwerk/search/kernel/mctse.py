"""Monte Carlo tree search with chance nodes ("MCTS Expectimax"), for any mixture of chance, hidden cards and seats.

Source: Kutsch (2017), chapter 5, algorithms 7 to 9. Selection follows UCT or UCTN; after the chosen action chance acts
anew in every iteration, and the search goes on in the child that stands for what then is seen, made if need be. With
hidden information every iteration imagines it anew and nodes stand for what the searching seat knows (information-set
search: Cowling, Powley and Whitehouse 2012, single observer). Every seat maximises its own worth; seats that decide at
once select independently (decoupled UCT).

It cannot bluff: seats other than the searcher act in the tree as if they knew the imagined world.
"""

from spielwerk.core.kernel.contract import actors, apply, evaluate, hide, imagine
from spielwerk.core.linker import kernel
from spielwerk.search.kernel.playout import settle
from spielwerk.search.kernel.tree import (
    EDGES,
    GROWN,
    ITERATIONS,
    NODE,
    NODES,
    NONE,
    SIBLING,
    STUCK,
    add_node,
    backup,
    choose_joint,
    lowest_edge,
)

NORMALISE_FROM = 100  # UCTN counts its first iterations like UCT, until the highest worth is known well enough


@kernel
def grow(
    tree, root, states, seat, iterations, tree_depth, max_edges, k, normalise, minimum, weights, depth, method, scale,
    scratch, rng, out
):  # fmt: skip
    """Grow the tree of `root` (a view of `seat`) by `iterations` iterations."""
    counts, views, words, nodes, edges, path, slot, top = tree
    joint = scratch.joint
    s = states[0]
    for _ in range(iterations):
        states[0] = root[0]
        imagine(s, seat, rng)
        uctn = normalise and counts[ITERATIONS] >= NORMALISE_FROM
        node = 0
        level = 0
        path[0, NODE] = 0
        who = actors(s)
        while who > 0 and level < tree_depth:
            may_grow = counts[EDGES] < max_edges
            found = choose_joint(
                counts, nodes, edges, path, slot, top, s, who, node, level, k, uctn, may_grow, scratch, rng
            )
            if found == STUCK:
                break
            apply(s, joint)
            who = settle(s, rng)
            node = child_seen(counts, views, words, nodes, edges, path, states, seat, level)
            level += 1
            if node == NONE:  # no room for another node: the edge still learns from this iteration
                break
            path[level, NODE] = node
            if found == GROWN:
                break
        evaluate(states, 0, weights, depth, method, scale, scratch, rng, out)
        backup(counts, nodes, edges, path, top, level if node == NONE else level + 1, level, minimum, out)


@kernel
def child_seen(counts, views, words, nodes, edges, path, states, seat, level):
    """The child of the chosen edge that stands for what `seat` now sees of states[0]; made if it is new, NONE if there
    is no room for it."""
    fresh = counts[NODES]
    views[fresh] = states[0]
    hide(views[fresh], seat)
    edge = lowest_edge(path, level)
    child = edges[edge].child
    while child != NONE:
        same = True
        for i in range(words.shape[1]):
            if words[child, i] != words[fresh, i]:
                same = False
                break
        if same:
            return child
        child = nodes[child, SIBLING]
    if fresh >= nodes.shape[0]:
        return NONE
    return add_node(counts, nodes, edges, path, edge, level)
