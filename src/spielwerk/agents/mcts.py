"""mcts: Monte Carlo tree search with the flaw that the thesis is about (Kutsch 2017, chapter 4)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from spielwerk.agents.common import (
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
from spielwerk.core.ranges import DEPTH, ITERATIONS, WEIGHT
from spielwerk.search.kernel.mcts import grow
from spielwerk.search.kernel.tree import UCB, UCT, Growth, new_tree


@dataclass(frozen=True)
class Mcts(Agent):
    """Plain UCT as in the thesis' framework: a node keeps the one random successor it saw first."""

    name: ClassVar[str] = "mcts"
    presets: ClassVar[dict[str, dict[str, str]]] = {
        "kutsch": {
            "rollout_depth": "150",
            "tree_depth": "10",
            "selection": "uct",
            "k": "1.4142135623730951",
            "final": "max",
        }
    }

    iterations: Annotated[int, ITERATIONS, "iterations per decision"] = 3500
    rollout_depth: Annotated[int | None, DEPTH, "most decisions of a playout; none = to the end"] = None
    tree_depth: Annotated[int | None, TREE_DEPTH, "most decisions inside the tree; none = as deep as it grows"] = None
    selection: Annotated[
        Literal["ucb", "uct"], "uct takes values as they are, ucb puts them between the worst and the best so far"
    ] = "ucb"
    k: Annotated[float, WEIGHT, "weight of exploration"] = 0.7
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
            nodes = room_for_nodes(wanted, sign, game.states(1).itemsize)
            edges = nodes * game.seats
            depth = tree_levels(game, self.tree_depth, nodes)
            tree, states = new_tree(game, nodes, edges, depth + 1, whole=True), game.states(1)
            growth = Growth(depth, edges, UCT if self.selection == "uct" else UCB, self.k, minimum=False, prior=False)
            leaf = binding.leaf(game, playout_depth(game, self.rollout_depth), method, rng, sign)

            def more(iterations: int) -> None:
                search(tree, view.state, states, view.seat, iterations, growth, leaf)

            return choose_finally(view, tree, more, wanted, sign, self.final, self.caution, binding, leaf)
