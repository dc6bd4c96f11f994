"""Monte Carlo tree search as the thesis' framework had it, flaw included.

Source: Kutsch (2017), chapter 4, algorithms 2 to 6, and 4.4 for the flaw: a node keeps the one successor that chance
happened to produce when the node was made, and never sees another. In games of chance the tree therefore covers a
sliver of what can happen, and in games with hidden information it searches the one world that it imagined first. In
games with neither this is ordinary UCT. Kept because the thesis is about this flaw; use `mctse` to play well.
"""

from spielwerk.core.instructions import stopped
from spielwerk.core.kernel.contract import actors, apply, evaluate, imagine
from spielwerk.core.linker import kernel
from spielwerk.search.kernel.playout import settle
from spielwerk.search.kernel.tree import (
    EDGE,
    FIRST_EDGE,
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


@kernel
def grow(tree, root, states, seat, iterations, growth, leaf):
    """Grow the tree of `root` (a view of `seat`) by so many iterations. What the sign cuts short does not count."""
    counts, views, path = tree.counts, tree.views, tree.path
    joint, rng = leaf.scratch.joint, leaf.rng
    s = states[0]
    if counts[ITERATIONS] == 0:
        views[0] = root[0]
        imagine(views[0], seat, rng)
    for _ in range(iterations):
        states[0] = views[0]
        node = 0
        level = 0
        path[0, NODE] = 0
        who = actors(s)
        while who > 0 and level < growth.tree_depth:
            found = choose_joint(tree, s, who, node, level, growth, growth.rule, True, leaf.scratch, rng)
            if found == STUCK:
                break
            node = child_kept(tree, level)
            if node == NONE:
                apply(s, joint)
                settle(s, rng)
                if counts[NODES] < tree.nodes.shape[0]:
                    views[counts[NODES]] = states[0]
                    node = add_node(tree, lowest_edge(path, level), level)
            else:
                states[0] = views[node]
            level += 1
            if node == NONE:  # no room for another node: the edge still learns from this iteration
                break
            who = actors(s)
            path[level, NODE] = node
            if found == GROWN:
                break
        evaluate(states, 0, leaf)
        if stopped(leaf.scratch.sign):
            return
        backup(tree, level if node == NONE else level + 1, level, False, leaf.value)


@kernel
def child_kept(tree, level):
    """The child that was made when this joint action was first tried here, NONE if it is new."""
    nodes, edges, path = tree.nodes, tree.edges, tree.path
    seats = path.shape[1] - 1
    child = edges[lowest_edge(path, level)].child
    while child != NONE:
        same = True
        for seat in range(seats):
            edge = path[level, EDGE + seat]
            action = NONE if edge == NONE else edges[edge].action
            if nodes[child, FIRST_EDGE + seats + seat] != action:
                same = False
                break
        if same:
            return child
        child = nodes[child, SIBLING]
    return NONE
