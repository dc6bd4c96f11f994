"""Monte Carlo tree search as the thesis' framework had it, flaw included.

Source: Kutsch (2017), chapter 4, algorithms 2 to 6, and 4.4 for the flaw: a node keeps the one successor that chance
happened to produce when the node was made, and never sees another. In games of chance the tree therefore covers a
sliver of what can happen, and in games with hidden information it searches the one world that it imagined first. In
games with neither this is ordinary UCT. Kept because the thesis is about this flaw; use `mctse` to play well.
"""

from spielwerk.core.contract import actors, apply, evaluate, imagine, legal
from spielwerk.core.kernel import kernel
from spielwerk.search.playout import settle
from spielwerk.search.tree import ITERATIONS, NODES, NONE, add_node, backup, choose_edge, lowest_edge


@kernel
def grow(tree, root, states, seat, iterations, tree_depth, k, weights, depth, method, scale, scratch, rng, out):
    """Grow the tree of `root` (a view of `seat`) by `iterations` iterations."""
    seats = out.shape[0]
    s = states[0]
    if tree.counts[ITERATIONS] == 0:
        tree.views[0] = root[0]
        imagine(tree.views[0], seat, rng)
    for _ in range(iterations):
        states[0] = tree.views[0]
        node = 0
        level = 0
        tree.path_node[0] = 0
        who = actors(s)
        while who > 0 and level < tree_depth:
            grown = False
            stuck = False
            for p in range(seats):
                tree.path_edge[level, p] = NONE
                if (who >> p) & 1:
                    count = legal(s, p, scratch.actions)
                    edge = choose_edge(tree, node, p, count, scratch.actions, k, False, True, rng)
                    if edge == NONE:
                        stuck = True
                        break
                    grown = grown or tree.edge_visits[edge] == 0
                    tree.path_edge[level, p] = edge
                    scratch.joint[p] = tree.edge_action[edge]
            if stuck:
                break
            child = child_kept(tree, level)
            if child == NONE:
                if tree.counts[NODES] >= tree.views.shape[0]:
                    break
                apply(s, scratch.joint)
                settle(s, rng)
                tree.views[tree.counts[NODES]] = states[0]
                child = add_node(tree, lowest_edge(tree, level), level)
            else:
                states[0] = tree.views[child]
            who = actors(s)
            node = child
            level += 1
            tree.path_node[level] = node
            if grown:
                break
        evaluate(states, 0, weights, depth, method, scale, scratch, rng, out)
        backup(tree, level + 1, level, False, out)


@kernel
def child_kept(tree, level):
    """The child that was made when this joint action was first tried here, NONE if it is new."""
    child = tree.edge_child[lowest_edge(tree, level)]
    while child != NONE:
        same = True
        for seat in range(tree.node_joint.shape[1]):
            edge = tree.path_edge[level, seat]
            action = NONE if edge == NONE else tree.edge_action[edge]
            if tree.node_joint[child, seat] != action:
                same = False
                break
        if same:
            return child
        child = tree.node_sibling[child]
    return NONE
