"""The search tree that DommeAI keeps between rounds: it gives what a new one gives, and sees farther."""

import numpy as np
import pytest

from speed_queue import LEGAL, decided
from spielwerk import testing
from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import specialise
from spielwerk.games.speed.players.kept import EMPTY, TREES, KeptTrees
from spielwerk.games.speed.players.kernel.dommeai import new_space
from spielwerk.games.speed.players.kernel.kept import choose_keeping, new_tree


def rounds_of(agent, seed, seats, variant, most=60):
    """The views of all decisions of a match with the agent on every seat, and what it decided."""
    position = registry.game("speed", seats, variant).new(seed)
    while not position.over and most:
        most -= 1
        moves = {}
        for seat in position.actors:
            view = position.view(seat)
            decision = agent.decide(view, Budget(), spawn(0))
            yield view, decision
            moves[seat] = decision.action
        position.play(moves)


@pytest.mark.parametrize("seed, seats, variant", [(0, 2, "small"), (1, 3, "shortest=8,longest=12"), (2, 6, "small")])
def test_a_kept_tree_gives_the_values_of_a_new_one(seed, seats, variant):
    """Also next to enemies, whose possible moves are other cells in every round, and with the strategies."""
    keeping, kept, seen = registry.agent("dommeai:levels=4,keep=yes"), 0, 0
    for view, decision in rounds_of(keeping, seed, seats, variant):
        anew = decided(view, "dommeai:levels=4")
        assert (decision.action, decision.values, decision.visits) == (anew.action, anew.values, anew.visits)
        assert (decision.notes["depth"], decision.notes["nodes"]) == (anew.notes["depth"], anew.notes["nodes"])
        assert decision.notes["new nodes"] + decision.notes["nodes kept"] == anew.notes["nodes"]
        seen, kept = seen + 1, kept + (decision.notes["nodes kept"] > 0)
    assert kept > seen / 2


def test_a_kept_tree_goes_on_where_it_stopped():
    """With so many new nodes in every round it never sees less far than a search that begins anew, and soon farther."""
    keeping = registry.agent("dommeai:nodes=3000,keep=yes")
    farther = 0
    for view, decision in rounds_of(keeping, 4, 2, "small", most=30):
        anew = decided(view, "dommeai:nodes=3000")
        assert decision.notes["depth"] >= anew.notes["depth"]
        deep = decided(view, f"dommeai:levels={max(decision.notes['depth'], 1)}")
        assert decision.values == deep.values
        farther += decision.notes["depth"] > anew.notes["depth"]
    assert farther > 0


def test_a_plan_is_not_forgotten_when_the_next_limit_is_short():
    position = registry.game("speed", 2, "width=60,height=60").new(3)
    agent = registry.agent("dommeai:keep=yes")
    view = position.view(0)
    long = agent.decide(view, Budget(playouts=200_000), spawn(0))
    after = position.play({0: long.action, 1: "change_nothing"}).view(0)
    short = agent.decide(after, Budget(playouts=2000), spawn(0))
    forgetful = decided(after, "dommeai", Budget(playouts=2000))
    assert forgetful.notes["depth"] < short.notes["depth"] == long.notes["depth"] - 1
    assert short.values == decided(after, f"dommeai:levels={short.notes['depth']}").values


def test_a_tree_of_another_board_is_not_taken_up():
    game = registry.game("speed", 2, "width=20,height=20")
    agent = registry.agent("dommeai:levels=3,keep=yes,gamma=0.4")
    one = game.opening(0).happen("20x20; 3,3 down; 15,3 left")
    agent.decide(one.view(0), Budget(), spawn(0))
    other = game.opening(0).happen("20x20; 3,3 down; 15,9 left")
    for position in (one, other):
        position.play({0: "speed_up", 1: "change_nothing"})
    assert agent.decide(one.view(0), Budget(), spawn(0)).notes["next move"] in LEGAL
    for position, kept in ((one, True), (other, False)):
        after = TREES.find(agent.spec, position.view(0))
        assert (after is not EMPTY) == (kept and int(position.state["speed"][0, 0]) == 2)


def test_kept_trees_have_a_bound():
    trees = KeptTrees(most=1000)
    game = registry.game("speed", 2, "width=20,height=20")
    for column in range(3, 12):
        view = game.opening(0).happen(f"20x20; {column},3 down; 15,15 left").view(0)
        agent = registry.agent("dommeai:levels=4,keep=yes")
        settings, tree = agent.settings(new_space(), 4), new_tree(10_000)
        sign = np.zeros(1, np.int64)
        call = specialise(choose_keeping, game)
        action = call(view.state, 0, settings, EMPTY.tree, EMPTY.root, tree, sign)
        trees.keep("dommeai", view, int(action), tree)
        assert 0 < trees.heads <= 1000
    assert 1 <= len(trees) < 9


def test_a_full_tree_answers_from_its_finished_levels():
    view = registry.game("speed", 2, "width=60,height=60").new(3).view(0)
    found = decided(view, "dommeai:keep=yes,memory=2000,nodes=1000000")
    assert found.notes["cut short"]
    assert found.values == decided(view, f"dommeai:levels={found.notes['depth']}").values


def test_who_keeps_a_tree_behaves_as_agents_do():
    game = registry.game("speed", 2, "small")
    agent = registry.agent("dommeai:nodes=500,keep=yes,memory=5000")
    testing.check_agent(agent, game, seed=1, most=6)
    testing.check_match(agent, game, seed=2)
    assert agent.policy(game) is None
