"""What the search agents share: how a search is bound to objective, evaluation and playout policy; final choices."""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spielwerk.agents.words import say
from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision
from spielwerk.core.clock import spend
from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.game import Game
from spielwerk.core.kernel.contract import Leaf, Room
from spielwerk.core.kernel.objective import OBJECTIVES
from spielwerk.core.kernel.rng import Rng, pick
from spielwerk.core.position import View
from spielwerk.core.ranges import Range
from spielwerk.core.signs import StopSign, now
from spielwerk.search.kernel.playout import uniform_policy
from spielwerk.search.kernel.tree import FIRST_EDGE, ITERATIONS, NODES, NONE, Tree

Objective = Literal["game", "points", "win", "margin"]
Final = Literal["max", "robust", "robust-max", "secure"]


MOST_NODES = 200_000
MOST_EDGES = 4_000_000  # 256 MB
MOST_BYTES = 1 << 29  # of the states that a tree keeps
NODES_PER_SECOND = 200_000  # more than any search makes; a tree has room for what its time allows
DEEPEST_TREE = 1000  # decisions
TREE_DEPTH = Range(1, DEEPEST_TREE)
CHUNK = 64  # iterations by which a tree grows on until robust and max child agree


def playout_depth(game: Game, given: int | None) -> int:
    """The most decisions of a playout; by default it goes on to the end."""
    return game.spec.longest if given is None else given


def room_for_nodes(wanted: int, sign: StopSign, size: int = 1) -> int:
    """The most nodes of a tree that so many would fill, or that is grown until the sign; each keeps `size` bytes."""
    timed = 0 if sign.ends is None else min(NODES_PER_SECOND * max(sign.ends - now(), 0.0), MOST_NODES)
    return min(max(wanted, int(timed)) + 2, MOST_NODES, MOST_BYTES // size)


def tree_levels(game: Game, given: int | None, nodes: int) -> int:
    """The most decisions inside a tree; by default as many as it can hold."""
    return min(game.spec.longest, nodes, DEEPEST_TREE) if given is None else given


class Binding(NamedTuple):
    """What a template is specialised with, and the arguments that go with it."""

    functions: dict[str, Callable[..., Any]]
    weights: Any
    room: Room
    objective: str
    scale: float
    additive: bool  # whether the evaluation is points so far plus what is to come
    prior: bool  # whether it says how likely each action is

    def shown(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Worth as people read it: points or chance to win."""
        return values * self.scale if self.objective == "points" else values

    def leaf(self, game: Game, depth: int, method: int, rng: Rng, sign: StopSign | None = None) -> Leaf:
        """What the evaluation is given; a playout goes on for `depth` decisions, or until the sign."""
        prior = np.zeros((game.seats, game.spec.actions if self.prior else 0))
        scratch = game.scratch(self.room, sign)
        return Leaf(self.weights, depth, method, self.scale, scratch, rng, np.zeros(game.seats), prior)


def bind(game: Game, objective: Objective, evaluation: str, playouts: Agent | None) -> Binding:
    chosen = registry.evaluation(evaluation, game)
    name = (chosen.objective or game.objective) if objective == "game" else objective
    if chosen.objective and name != chosen.objective:
        phrase = "{evaluation} knows what is best for objective={known}, not for {wanted}; leave objective out"
        raise Unfit(say(phrase, evaluation=evaluation, known=chosen.objective, wanted=name))
    policy, weights, room = uniform_policy, chosen.weights, chosen.room
    if playouts is not None:
        if evaluation != "playout":
            raise Unfit(say("a playout agent needs evaluation=playout, not {evaluation}", evaluation=evaluation))
        playouts.require(game)
        rule = playouts.policy(game)
        if rule is None:
            phrase = "{agent} has no compiled policy for {game}, so it cannot play playouts"
            raise Unfit(say(phrase, agent=playouts.name, game=game.title))
        policy, weights, room = rule.function, rule.weights, rule.room
    functions = {"worth": OBJECTIVES[name], "evaluate": chosen.function, "policy": policy}
    return Binding(functions, weights, room, name, game.spec.scale, chosen.additive, chosen.prior)


def why_unbound(game: Game, objective: Objective, evaluation: str, playouts: Agent | None) -> str | None:
    """Why a search with these options cannot play `game`; None if it can."""
    try:
        bind(game, objective, evaluation, playouts)
    except SpielwerkError as problem:
        return str(problem)
    return None


def only_action(view: View) -> Decision | None:
    """The shortcut for a seat that has no choice."""
    legal = view.legal
    return Decision(legal[0], notes={"forced": True}) if len(legal) == 1 else None


@contextmanager
def threads_for(count: int, sign: StopSign) -> Iterator[ThreadPoolExecutor]:
    """Threads for one decision. If it is broken off, by Ctrl-C for example, they come to an end."""
    with ThreadPoolExecutor(count) as pool:
        try:
            yield pool
        except BaseException:
            sign.set()
            raise


def nothing_found(view: View, rng: Rng) -> Decision:
    """What is left to an agent that was stopped before it knew anything."""
    return Decision(view.legal[pick(rng, len(view.legal))], notes={"stopped": True})


class RootStatistics(NamedTuple):
    values: NDArray[np.float64]  # [legal] nan where never tried
    visits: NDArray[np.int64]
    error: NDArray[np.float64]


def root_statistics(tree: Tree, seat: int, legal: tuple[int, ...]) -> RootStatistics:
    """Mean worth, visits and standard error of every legal action at the root."""
    values = np.full(len(legal), np.nan)
    visits = np.zeros(len(legal), np.int64)
    error = np.full(len(legal), np.inf)
    number = tree.nodes[0, FIRST_EDGE + seat]
    while number != NONE:
        edge = tree.edges[number]
        i = legal.index(int(edge["action"]))
        visits[i] = edge["visits"]
        if visits[i]:
            values[i] = edge["value"]
            error[i] = math.sqrt(edge["spread"]) / visits[i]
        number = edge["next"]
    return RootStatistics(values, visits, error)


def final_choice(root: RootStatistics, rule: Final, caution: float) -> int | None:
    """The index of the chosen action (Chaslot 2010, p. 25); None if robust and max child differ under robust-max."""
    values = np.where(np.isnan(root.values), -np.inf, root.values)
    visits = np.maximum(root.visits, 1)
    if rule == "max":
        return int(np.argmax(values))
    if rule == "robust":
        return int(np.argmax(root.visits))
    if rule == "secure":
        return int(np.argmax(values - caution / np.sqrt(visits)))
    most = np.flatnonzero(root.visits == root.visits.max())
    both = most[values[most] == values.max()]
    return int(both[0]) if len(both) else None


def choose_finally(
    view: View,
    tree: Tree,
    more: Callable[[int], None],
    iterations: int,
    sign: StopSign,
    rule: Final,
    caution: float,
    binding: Binding,
    leaf: Leaf,
) -> Decision:
    """Grow the tree until the sign or by so many iterations, and decide. Under robust-max it may grow on, at most as
    much again."""

    def grown(iterations: int) -> int:
        before = int(tree.counts[ITERATIONS])
        more(iterations)
        return int(tree.counts[ITERATIONS]) - before

    if sign.ends is None:
        more(iterations)
    else:
        spend(sign.ends, grown, len(view.legal), sign)
    if tree.counts[ITERATIONS] == 0:
        return nothing_found(view, leaf.rng)
    legal = view.legal
    root = root_statistics(tree, view.seat, legal)
    chosen = final_choice(root, rule, caution)
    extra = 0
    while chosen is None and extra < iterations and not sign.is_set():
        more(CHUNK)
        extra += CHUNK
        root = root_statistics(tree, view.seat, legal)
        chosen = final_choice(root, rule, caution)
    if chosen is None:
        chosen = int(np.argmax(root.visits))
    return Decision(
        legal[chosen],
        values=tuple(float(value) for value in binding.shown(root.values)),
        visits=tuple(int(count) for count in root.visits),
        error=tuple(float(value) for value in binding.shown(root.error)),
        unit="worth" if leaf.method == 2 else binding.objective,
        within=view.game.spec.horizon,
        notes={"nodes": int(tree.counts[NODES]), "iterations": int(tree.counts[ITERATIONS])},
    )
