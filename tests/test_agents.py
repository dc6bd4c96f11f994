"""How agents are written, and what the search agents do."""

import math
import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import ClassVar, get_args

import numpy as np
import pytest

from spielwerk import Agent, Budget, Decision, agent, agent_names, game, spawn, speaking
from spielwerk.agents.common import MOST_NODES, RootStatistics, bind, final_choice, room_for_nodes, root_statistics
from spielwerk.agents.mc import MonteCarlo
from spielwerk.agents.vote import Vote
from spielwerk.core.agent import option_help, parse_spec, split_specs
from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.kernel.rng import seed_of
from spielwerk.core.linker import specialise
from spielwerk.core.registry import agent_class, learner_class, learner_names
from spielwerk.core.running import run_many
from spielwerk.search.kernel.mcts import grow as grow_mcts
from spielwerk.search.kernel.mctse import grow
from spielwerk.search.kernel.tree import NODES, UCB, UCTN, VISITS, Growth, new_tree
from tiny_games import Claim, Whisper

GAME = game("2048")


def decide(spec, position, seed=1, seat=0, **budget):
    return agent(spec).decide(position.view(seat), Budget(**budget), spawn(seed))


def test_specs_are_read_and_written_back():
    for spec in (
        "random",
        "mc:iterations=5",
        "mctse:iterations=350,selection=uct,final=robust-max",
        "mc:playouts=(greedy)",
        "vote:agents=(mctse:iterations=10,k=0.5)*3+(mc:iterations=2)",
        "mctse:iterations=5,evaluation=(kutsch@runs/a,b/best.json)",
        "vote:agents=(vote:agents=(random)*2+(mc:playouts=(greedy)))*2",
    ):
        assert agent(agent(spec).spec) == agent(spec)
        assert agent(spec).spec == spec
    assert agent("vote:agents=(((mc:playouts=((greedy)))))*2").spec == "vote:agents=(mc:playouts=(greedy))*2"


def test_lists_of_specs_are_split():
    text = "random,mc:iterations=10,rollout_depth=5,greedy,vote:agents=(mc:iterations=2,threads=1)*2"
    assert split_specs(text) == [
        "random",
        "mc:iterations=10,rollout_depth=5",
        "greedy",
        "vote:agents=(mc:iterations=2,threads=1)*2",
    ]
    assert parse_spec("mc:a=(b:c=1,d=2),e=3") == ("mc", {"a": "b:c=1,d=2", "e": "3"})


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mcs", "did you mean 'mcts'|did you mean 'mc'"),
        ("mc:iteration=3", "did you mean 'iterations'"),
        ("mc:iterations=many", "takes a whole number, not 'many'"),
        ("mctse:final=best", "takes one of max, robust, robust-max, secure"),
        ("mc:iterations", "write key=value"),
        ("mc:iterations=0", "mc: option iterations goes from 1 to 1000000000, not 0"),
        ("vote", "needs agents"),
        ("vote:agents=(mc", "parentheses do not match"),
        ("vote:agents=mc)", "parentheses do not match"),
        ("mc:iterations=5,iterations=6", "option iterations twice"),
        ("mctse:k=nan", "takes a number, not 'nan'"),
        ("mctse:k=inf", "mctse: option k goes from 0 to 1000000, not inf"),
        ("mc:iterations=100000000000000000000", "iterations goes from 1 to 1000000000, not 100000000000000000000"),
        ("mctse:evaluation=kutch", None),
    ],
)
def test_mistakes_are_named_with_the_remedy(spec, said):
    with pytest.raises(SpielwerkError, match=said or "did you mean 'kutsch'"):
        decide(spec, GAME.new(1))


def test_every_option_has_a_help_text():
    for name in agent_names():
        for option in option_help(agent_class(name)).values():
            assert option.help, f"{name}: option {option.name} has no help"


def numbers(kind):
    """The options that are numbers."""
    for option in option_help(kind).values():
        if {int, float} & {option.type, *get_args(option.type)}:
            yield option


def test_every_number_has_a_range_and_its_default_lies_in_it():
    for kind in (*map(agent_class, agent_names()), *map(learner_class, learner_names())):
        for option in numbers(kind):
            assert option.range is not None, f"{kind.name}: option {option.name} has no range"
            assert option.range.low < option.range.high
            assert option.default is None or option.range.low <= option.default <= option.range.high


@pytest.mark.parametrize("name", agent_names())
def test_numbers_outside_their_range_are_refused_in_one_line(name):
    for option in numbers(agent_class(name)):
        for value in (option.range.low - 1, option.range.high + 1, 10**30):
            said = f"^{name}: option {option.name} goes from .* to .*, not .*$"
            with pytest.raises(SpielwerkError, match=said):
                agent(f"{name}:{option.name}={value}" + (",agents=(mc)" if name == "vote" else ""))


def test_an_agent_made_in_python_is_checked_too():
    with pytest.raises(SpielwerkError, match=r"^mc: option threads goes from 1 to 64, not 9000000$"):
        MonteCarlo(threads=9_000_000)
    with speaking("de"), pytest.raises(SpielwerkError, match="threads geht von 1 bis 64, nicht 9000000"):
        agent("mc:threads=9000000")


def test_tables_of_many_threads_have_a_limit():
    with pytest.raises(SpielwerkError, match="64 threads have tables of at most 262144 entries each"):
        agent("expectimax:threads=64,table=1000000")


def test_a_single_action_is_played_at_once():
    position = GAME.new(1)
    position.state["moves"][0] = 0b0100
    for spec in ("mc", "mcts", "mctse", "expectimax", "vote:agents=(mc)*3"):
        decision = decide(spec, position)
        assert decision.action == 2
        assert decision.notes == {"forced": True}


def test_more_threads_give_the_same_answer():
    position = GAME.new(3)
    one = decide("mc:iterations=50", position)
    assert one == decide("mc:iterations=50,threads=2", position)
    assert one == decide("mc:iterations=50,threads=3", position)
    voters = "agents=(mctse:iterations=20,rollout_depth=5)*5"
    assert decide(f"vote:{voters}", position) == decide(f"vote:{voters},threads=3", position)


def test_threads_do_not_share_the_work_space_of_a_playout_agent():
    """The weights of greedy are where it writes the points of its actions."""
    seen = []

    @dataclass(frozen=True)
    class Noted(type(agent("greedy"))):
        def policy(self, game):
            seen.append(super().policy(game))
            return seen[-1]

    player = replace(agent("mc:iterations=600,rollout_depth=30,threads=4"), playouts=Noted())
    view = GAME.new(3).view(0)
    decision = player.decide(view, Budget(), spawn(1))
    assert len({id(policy.weights) for policy in seen}) >= 4
    assert decision == replace(player, threads=1).decide(view, Budget(), spawn(1))


def test_a_time_budget_is_used_and_ends():
    position = GAME.new(3)
    for spec in ("mc", "mctse", "mcts"):
        decide(spec, position, playouts=4)  # compiles, which is not to count
        decision = decide(spec, position, seconds=0.1)
        assert decision.action in position.legal(0)
        assert sum(decision.visits) > 4


def test_the_budget_of_playouts_replaces_the_option():
    position = GAME.new(3)
    assert decide("mc:iterations=1000", position, playouts=7).visits == (7,) * len(position.legal(0))
    assert sum(decide("mctse:iterations=1000", position, playouts=60).visits) == 60


def test_method_two_prefers_being_alive():
    """With the thesis' second method a playout that ended costs 1, which no points can outweigh."""
    position = GAME.new(3)
    alive = decide("mc:iterations=20,rollout_depth=2,method=2", position)
    points = decide("mc:iterations=20,rollout_depth=2,method=1", position)
    assert alive.unit == "worth"
    assert points.unit == "points"
    long = decide("mc:iterations=20,rollout_depth=5000,method=2", position)
    assert all(value < 0 for value in long.values), "all playouts end, so all cost 1"


def test_monte_carlo_finds_the_merge():
    from test_2048 import board_of

    position = board_of([[2, 4, 8, 16], [4, 8, 16, 32], [8, 16, 32, 64], [512, 512, 2, 4]])
    for spec in ("mc:iterations=200", "mctse:iterations=800", "expectimax:depth=2", "greedy"):
        assert decide(spec, position).action in (2, 3), f"{spec} misses the merge of 512 in\n{position.text}"


def test_expectimax_is_exact_on_a_tiny_board():
    """2x2: the values by brute force over all spawns and moves, written down independently."""
    table = game("2048", variant="2x2")
    position = table.new(4)

    depth, exact, end = 5, {}, 0.0

    def limited(position, plies):
        if position.over:
            return position.score[0] - end
        if plies == 0:
            return position.score[0]
        return max(limited_after(position, action, plies) for action in position.legal(0))

    def limited_after(position, action, plies):
        moved = position.copy().apply(action)
        if plies == 1:
            return moved.score[0]
        key = (int(moved.state["board"][0]), int(moved.state["score"][0]), plies)
        if key not in exact:
            total = 0.0
            for cell in range(16):
                inside = int(moved.state["inside"][0]) >> 4 * cell & 1
                if inside and not int(moved.state["board"][0]) >> 4 * cell & 15:
                    for tile, chance in ((2, 0.9), (4, 0.1)):
                        name = f"{'abcd'[cell % 4]}{cell // 4 + 1}={tile}"
                        total += chance * limited(moved.copy().happen(name), plies - 1)
            empty = sum(
                int(moved.state["inside"][0]) >> 4 * c & 1 and not int(moved.state["board"][0]) >> 4 * c & 15
                for c in range(16)
            )
            exact[key] = total / empty
        return exact[key]

    for method, end_costs in ((1, 0.0), (2, table.spec.scale)):  # by the second method 1, which is the scale
        end = end_costs
        exact.clear()
        expected = [limited_after(position, action, depth) for action in position.legal(0)]
        for room in (0, 4096):
            decision = decide(f"expectimax:depth={depth},table={room},method={method}", position)
            assert decision.values == pytest.approx(expected), position.text
            assert decision.unit == {1: "points", 2: "worth"}[method]


def test_mcts_keeps_one_successor_and_mctse_many():
    position = GAME.new(5)
    flawed = decide("mcts:iterations=400,tree_depth=1", position)
    assert flawed.notes["nodes"] == 1 + len(position.legal(0)), "one node per action is the flaw"
    whole = decide("mctse:iterations=400,tree_depth=1", position)
    assert whole.notes["nodes"] > 3 * len(position.legal(0))


def test_the_number_of_actions_in_the_tree_is_limited():
    position = GAME.new(5)
    small = decide("mctse:iterations=500,max_nodes=20", position)
    large = decide("mctse:iterations=500,max_nodes=5000", position)
    assert small.notes["nodes"] < large.notes["nodes"]
    assert sum(small.visits) == sum(large.visits) == 500


def test_uct_visits_evenly_and_uctn_prefers_the_better():
    """Table 1 of the thesis: with points divided by 3,932,156 plain UCT visits all actions equally often."""
    position = GAME.new(8)
    uct = decide("mctse:iterations=2000,selection=uct,max_nodes=500", position).visits
    uctn = decide("mctse:iterations=2000,selection=uctn,max_nodes=500", position).visits
    assert max(uct) - min(uct) <= 0.02 * max(uct)
    assert max(uctn) - min(uctn) > 0.05 * max(uctn)


def test_the_minimum_backup_keeps_the_lowest_playout():
    position = GAME.new(8)
    low = decide("mctse:iterations=300,backup=minimum", position)
    mean = decide("mctse:iterations=300,backup=mean", position)
    assert max(low.values) < min(mean.values)


def test_final_choices():
    root = RootStatistics(np.array([0.5, 0.9, 0.6]), np.array([100, 4, 100]), np.zeros(3))
    assert final_choice(root, "max", 1.0) == 1
    assert final_choice(root, "robust", 1.0) == 0
    assert final_choice(root, "secure", 1.0) == 2  # 0.6 - 0.1 beats 0.5 - 0.1 and 0.9 - 0.5
    assert final_choice(root, "robust-max", 1.0) is None
    agreed = RootStatistics(np.array([0.5, math.nan, 0.6]), np.array([90, 0, 100]), np.zeros(3))
    assert final_choice(agreed, "robust-max", 1.0) == 2


def test_robust_max_searches_on_until_both_agree():
    position = GAME.new(8)
    for seed in range(20):
        decision = decide("mctse:iterations=150,final=robust-max", position, seed=seed)
        chosen = position.legal(0).index(decision.action)
        assert decision.visits[chosen] == max(decision.visits)
        if decision.notes["iterations"] < 300:  # it did not give up
            assert decision.values[chosen] == max(decision.values)


def test_votes_are_counted_until_they_are_decided():
    voters = agent("vote:agents=(random)*7")
    for seed in range(40):
        position = GAME.new(seed)
        common = seed_of(spawn(seed, 5))
        ballots = [agent("random").decide(position.view(0), Budget(), spawn(common, i)).action for i in range(7)]
        votes = Counter(ballots)
        decision = voters.decide(position.view(0), Budget(), spawn(seed, 5))
        assert votes[decision.action] == max(votes.values())
        counted = sum(decision.visits)
        assert decision.visits == tuple(Counter(ballots[:counted])[action] for action in position.legal(0))
        first, second, *_ = *sorted(decision.visits, reverse=True), 0
        assert counted == 7 or first - second > 7 - counted


@dataclass(frozen=True)
class Watched(Agent):
    """Plays the first action and writes down until when it may think."""

    name: ClassVar[str] = "watched"
    allowed: ClassVar[list[Budget]] = []

    def decide(self, view, budget, rng):
        self.allowed.append(budget)
        return Decision(view.legal[len(self.allowed) % 2])


def test_voters_share_the_time():
    Watched.allowed.clear()
    now = time.monotonic()
    Vote((Watched(),) * 4).decide(GAME.new(3).view(0), Budget(deadline=now + 1000), spawn(1))
    offered = [budget.ends() - now for budget in Watched.allowed]  # nobody uses any of it
    assert offered == pytest.approx([1000 / 4, 1000 / 3, 1000 / 2, 1000], abs=60)


def test_a_full_tree_still_learns_in_its_nodes():
    binding = bind(GAME, "game", "playout", None)
    tree = new_tree(GAME, nodes=40, edges=600, levels=6)
    growth = Growth(5, 600, UCTN, 1.0, minimum=False, prior=False)
    search = specialise(grow, GAME, **binding.functions)
    root, states, leaf = GAME.new(5).state, GAME.states(1), binding.leaf(GAME, 20, 1, spawn(2))

    def more(iterations):
        search(tree, root, states, 0, iterations, growth, leaf)
        return int(tree.nodes[1:, VISITS].sum())

    before = more(300)
    assert tree.counts[NODES] == 40
    assert more(300) > before
    assert tree.nodes[0, VISITS] == 600


def test_a_full_tree_of_mcts_still_learns_in_its_edges():
    binding = bind(GAME, "game", "playout", None)
    tree, growth = new_tree(GAME, 5, 600, 6, whole=True), Growth(5, 600, UCB, 0.7, minimum=False, prior=False)
    search = specialise(grow_mcts, GAME, **binding.functions)
    search(tree, GAME.new(5).state, GAME.states(1), 0, 300, growth, binding.leaf(GAME, 20, 1, spawn(2)))
    assert tree.counts[NODES] == 5
    visits = root_statistics(tree, 0, GAME.new(5).legal(0)).visits
    assert visits.sum() == 300 and visits.min() > 0


def test_a_tree_has_room_for_what_its_time_allows():
    assert room_for_nodes(100, Budget().watch()) == 102
    assert room_for_nodes(100, Budget(seconds=0.0).watch()) == 102
    assert 100 < room_for_nodes(100, Budget(seconds=0.1).watch()) <= 20_002
    assert room_for_nodes(100, Budget(seconds=60).watch()) == MOST_NODES
    assert room_for_nodes(100_000, Budget().watch(), size=1 << 20) == 512, "states of a megabyte each"


def test_playouts_by_an_agent_need_a_compiled_policy():
    position = GAME.new(8)
    assert decide("mc:iterations=5,playouts=(greedy)", position).action in position.legal(0)
    with pytest.raises(Unfit, match="no compiled policy"):
        decide("mc:iterations=5,playouts=(mc)", position)
    with pytest.raises(Unfit, match="rules cannot play 2048"):
        decide("mc:iterations=5,playouts=(rules)", position)


@pytest.mark.parametrize("name", ["mc", "mcts", "mctse", "expectimax"])
def test_a_search_says_before_the_match_what_is_wrong(name):
    assert "did you mean 'kutsch'" in agent(f"{name}:evaluation=kutch").why_not(GAME)
    assert "2048 only" in agent(f"{name}:evaluation=kutsch").why_not(game("qwixx"))
    if name != "expectimax":
        assert "no compiled policy" in agent(f"{name}:playouts=(mc)").why_not(GAME)
        assert "needs evaluation=playout" in agent(f"{name}:playouts=(random),evaluation=standing").why_not(GAME)
    assert agent(name).why_not(GAME) is None


def test_search_takes_the_certain_trick_with_hidden_cards():
    """Whisper: the leader with the highest card left wins the last trick whatever the other holds."""
    table = Whisper()
    for seed in range(200):
        position = table.new(seed)
        if position.legal(0) == (3, 4, 5):
            break
    for spec in ("mctse:iterations=300,rollout_depth=10", "mc:iterations=100,rollout_depth=10"):
        decision = decide(spec, position)
        assert max(decision.values) == pytest.approx(1.0), f"{spec} does not see that seat 0 wins every trick"


def test_search_mixes_where_all_choose_at_once():
    """Claim: a seat that always names three against two others who might too still has a chance; values are shares."""
    decision = decide("mctse:iterations=600,rollout_depth=10", Claim().new(1))
    assert all(0 <= value <= 1 for value in decision.values)
    assert sum(decision.visits) == 600


def test_expectimax_looks_less_far_where_it_would_need_too_many_nodes():
    board = game("2048")
    position = board.new(3)
    plain, shallow = agent("expectimax:depth=2"), agent("expectimax:depth=1")
    few, many = agent("expectimax:depth=2,nodes=3"), agent("expectimax:depth=2,nodes=100000")
    for _ in range(20):
        view = position.view(0)
        found = [one.decide(view, Budget(), spawn(1)) for one in (plain, many, shallow, few)]
        assert found[0].values == found[1].values and found[0].notes["depth"] == 2
        assert found[2].values == found[3].values and found[3].notes["depth"] == 1
        position.play(found[0].action)
    for one, other in ((plain, many), (shallow, few)):
        played = [run_many(board, [each], [5])[0] for each in (one, other)]
        assert played[0].scores == played[1].scores
