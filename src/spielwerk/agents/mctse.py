"""mctse: Monte Carlo tree search with chance nodes (Kutsch 2017, chapter 5)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from spielwerk.agents.common import (
    MOST_EDGES,
    TREE_DEPTH,
    Final,
    Objective,
    bind,
    choose_finally,
    only_action,
    playout_depth,
    room_for_nodes,
    tree_levels,
    why_unbound,
)
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import Budget
from spielwerk.core.game import Game
from spielwerk.core.kernel.rng import Rng
from spielwerk.core.linker import specialise
from spielwerk.core.position import View
from spielwerk.core.ranges import DEPTH, ITERATIONS, WEIGHT, Range
from spielwerk.search.kernel.mctse import grow
from spielwerk.search.kernel.tree import PUCT, UCB, UCT, UCTN, Growth, new_tree

SELECTIONS = {"uct": UCT, "uctn": UCTN, "ucb": UCB, "puct": PUCT}


@dataclass(frozen=True)
class MctsExpectimax(Agent):
    """Monte Carlo tree search with chance nodes; every seat maximises; hidden things are imagined anew each time."""

    name: ClassVar[str] = "mctse"
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "kutsch": {
            "rollout_depth": "150", "tree_depth": "10", "max_nodes": "500", "selection": "uctn",
            "k": "1.4142135623730951", "final": "max",
        }
    }  # fmt: skip

    iterations: Annotated[int, ITERATIONS, "iterations per decision"] = 3500
    rollout_depth: Annotated[int | None, DEPTH, "most decisions of a playout; none = to the end"] = None
    tree_depth: Annotated[int | None, TREE_DEPTH, "most decisions inside the tree; none = as deep as it grows"] = None
    max_nodes: Annotated[
        int | None, Range(1, 100_000_000), "most actions that the tree may hold; none = as many as it tries"
    ] = None
    k: Annotated[float, WEIGHT, "weight of exploration"] = 0.7
    selection: Annotated[
        Literal["ucb", "puct", "uct", "uctn"],
        "uct takes values as they are, uctn divides them by the best playout, ucb puts them between the worst and the "
        "best, and so does puct, which follows the prior of the evaluation, if it has one",
    ] = "ucb"
    backup: Annotated[Literal["mean", "minimum"], "what an action is worth: the mean or the lowest of its playouts"] = (
        "mean"
    )
    final: Annotated[Final, "which child is played"] = "robust"
    caution: Annotated[float, WEIGHT, "the constant of the secure child"] = 1.0
    method: Annotated[
        Literal[1, 2], "2: a playout that ended is worth one less (one seat only); 1: points as they are"
    ] = 1
    objective: Annotated[Objective, "what is maximised; game = what the game suggests"] = "game"
    evaluation: Annotated[str, "what judges a leaf: playout or another evaluation, as name or name@source"] = "playout"
    playouts: Annotated[Agent | None, "agent whose compiled policy plays the playouts; none = random"] = None

    def why_not(self, game: Game) -> str | None:
        return why_unbound(game, self.objective, self.evaluation, self.playouts)

    def decide(self, view: View, budget: Budget, rng: Rng) -> Decision:
        forced = only_action(view)
        if forced:
            return forced
        game, view = view.game, view.game.horizon(view)
        binding = bind(game, self.objective, self.evaluation, self.playouts)
        search = specialise(grow, game, **binding.functions)
        wanted = budget.playouts or self.iterations
        method = self.method if game.seats == 1 else 1
        with budget.watch() as sign:
            nodes = room_for_nodes(2 * wanted, sign)
            rule, widest = SELECTIONS[self.selection], game.spec.widest
            most = nodes * (widest if rule == PUCT else 1)
            edges = min(min(most, self.max_nodes or most) * game.seats, MOST_EDGES) + widest
            depth = tree_levels(game, self.tree_depth, nodes)
            tree, states = new_tree(game, nodes, edges, depth + 1), game.states(1)
            growth = Growth(depth, self.max_nodes or edges, rule, self.k, self.backup == "minimum", binding.prior)
            leaf = binding.leaf(game, playout_depth(game, self.rollout_depth), method, rng, sign)

            def more(iterations: int) -> None:
                search(tree, view.state, states, view.seat, iterations, growth, leaf)

            return choose_finally(view, tree, more, wanted, sign, self.final, self.caution, binding, leaf)
