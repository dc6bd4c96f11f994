"""Monte Carlo tree search with chance nodes ("MCTS Expectimax"), for any mixture of chance, hidden cards and seats.

Source: Kutsch (2017), chapter 5, algorithms 7 to 9. Selection follows UCT or UCTN; after the chosen action chance acts
anew in every iteration, and the search goes on in the child that stands for what then is seen, made if need be. With
hidden information every iteration imagines it anew and nodes stand for what the searching seat knows (information-set
search: Cowling, Powley and Whitehouse 2012, single observer). Every seat maximises its own worth; seats that decide at
once select independently (decoupled UCT).

It cannot bluff: seats other than the searcher act in the tree as if they knew the imagined world.
"""

from spielwerk.core.contract import actors, apply, evaluate, hide, imagine, legal
from spielwerk.core.kernel import kernel
from spielwerk.search.playout import settle
from spielwerk.search.tree import EDGES, ITERATIONS, NODES, NONE, add_node, backup, choose_edge, lowest_edge

NORMALISE_FROM = 100  # UCTN counts its first iterations like UCT, until the highest worth is known well enough


@kernel
def grow(
    tree,
    root,
    states,
    seat,
    iterations,
    tree_depth,
    max_edges,
    k,
    normalise,
    minimum,
    weights,
    depth,
    method,
    scale,
    scratch,
    rng,
    out,
):
    """Grow the tree of `root` (a view of `seat`) by `iterations` iterations."""
    seats = out.shape[0]
    s = states[0]
    for _ in range(iterations):
        states[0] = root[0]
        imagine(s, seat, rng)
        uctn = normalise and tree.counts[ITERATIONS] >= NORMALISE_FROM
        node = 0
        level = 0
        tree.path_node[0] = 0
        who = actors(s)
        while who > 0 and level < tree_depth:
            may_grow = tree.counts[EDGES] < max_edges
            grown = False
            stuck = False
            for p in range(seats):
                tree.path_edge[level, p] = NONE
                if (who >> p) & 1:
                    count = legal(s, p, scratch.actions)
                    edge = choose_edge(tree, node, p, count, scratch.actions, k, uctn, may_grow, rng)
                    if edge == NONE:
                        stuck = True
                        break
                    grown = grown or tree.edge_visits[edge] == 0
                    tree.path_edge[level, p] = edge
                    scratch.joint[p] = tree.edge_action[edge]
            if stuck:
                break
            apply(s, scratch.joint)
            who = settle(s, rng)
            node = child_seen(tree, states, seat, level)
            level += 1
            if node == NONE:  # no room for another node: the edge still learns from this iteration
                break
            tree.path_node[level] = node
            if grown:
                break
        evaluate(states, 0, weights, depth, method, scale, scratch, rng, out)
        backup(tree, level if node == NONE else level + 1, level, minimum, out)


@kernel
def child_seen(tree, states, seat, level):
    """The child of the chosen edge that stands for what `seat` now sees of states[0]; made if it is new."""
    fresh = tree.counts[NODES]
    if fresh >= tree.views.shape[0]:
        return NONE
    tree.views[fresh] = states[0]
    hide(tree.views[fresh], seat)
    edge = lowest_edge(tree, level)
    child = tree.edge_child[edge]
    while child != NONE:
        same = True
        for i in range(tree.words.shape[1]):
            if tree.words[child, i] != tree.words[fresh, i]:
                same = False
                break
        if same:
            return child
        child = tree.node_sibling[child]
    return add_node(tree, edge, level)
