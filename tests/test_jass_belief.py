"""dmcts with a network: how likely worlds are, that they come as often, and what is tried and dropped."""

from collections import Counter

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.core.clock import Budget
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.core.linker import specialise
from spielwerk.core.models import write_arrays
from spielwerk.games.jass.players.dmcts import Result
from spielwerk.games.jass.players.kernel.dmcts import (
    NOBODY,
    PROPOSED,
    STATES,
    STRANGE,
    WORLD,
    Sums,
    believe,
    how_likely,
)
from spielwerk.nets.description import Dense, Description, Head, Relu
from spielwerk.nets.network import encode, fresh, load_network
from spielwerk.search.net_look import look

pytestmark = pytest.mark.xdist_group("jass_belief")


def opinionated(path, seed):
    """A network with strong opinions, which it has drawn at random."""
    made = fresh(Description("jass", "standard", 583, {"policy": Head(43)}, (Dense(16), Relu())), seed)
    arrays = {name: array * (60.0 if name == "policy.0.weight" else 1.0) for name, array in made.arrays.items()}
    write_arrays(path, encode(type(made)(made.description, arrays)))
    return str(path)


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    return opinionated(tmp_path_factory.mktemp("net") / "net.npz", seed=4)


@pytest.fixture(scope="module")
def other_net(tmp_path_factory):
    return opinionated(tmp_path_factory.mktemp("net") / "other.npz", seed=5)


def played(game, seed, decisions):
    """Random play; returns the position and what was done, (seat, action) each."""
    position, rng, done = game.new(seed), spawn(seed, 9), []
    for _ in range(decisions):
        seat = position.actors[0]
        legal = position.legal(seat)
        done.append((seat, legal[pick(rng, len(legal))]))
        position.play({seat: done[-1][1]})
    return position, done


def by_hand(game, networks, position, done, seat):
    """The same deal again, with all hands as they are now: how likely the others' actions were, each by the network of
    its team."""
    again = game.opening().settle()
    again.state["hands"][0] = position.state["hands"][0] | position.state["played"][0]
    total = 0.0
    for who, action in done:
        view = again.view(who)
        if who != seat and len(view.legal) > 1:
            total += np.log(look(networks[who % 2], view, spawn(1)).after[action])
        again.apply({who: action})
    return total


def bound(net, game, strength=1.0, strangers="none"):
    text = f"dmcts:network={net},belief={strength},proposals=3,opponent_model={strangers},opponent_prior=0.4"
    return sw.agent(text).bind(game)


@pytest.mark.parametrize("variant", ["server-deal", "schieber-deal"])
def test_how_likely_a_world_is_follows_from_what_everybody_did(net, other_net, variant):
    game = sw.game("jass", variant=variant)
    ours, theirs = load_network(game, net), load_network(game, other_net)
    parts = bound(net, game, strangers=other_net)
    like = specialise(how_likely, game, **parts.functions)
    for seed, decisions in ((1, 1), (2, 2), (3, 9), (4, 17), (5, 30)):
        position, done = played(game, seed, decisions)
        seat = position.actors[0]
        states = game.states(STATES)
        states[PROPOSED] = position.view(seat).imagine(spawn(seed)).state[0]
        position.state["hands"][0] = states[PROPOSED]["hands"]
        for strangers in (NOBODY, 0, 1):
            view, scratch = position.view(seat).state, game.scratch(parts.room)
            found = like(view, states, seat, strangers, parts.belief, scratch, -np.inf)
            judges = [theirs if team == strangers else ours for team in (0, 1)]
            assert found == pytest.approx(by_hand(game, judges, position, done, seat), abs=1e-3)


def test_worlds_come_as_often_as_they_are_likely(net, other_net):
    """With two cards in every hand there are ninety ways at most to deal the six that are hidden, and the opponents are
    of one kind or of the other."""
    game = sw.game("jass", variant="server-deal")
    ours, theirs = load_network(game, net), load_network(game, other_net)
    position, done = played(game, 6, 27)
    while position.state["in_trick"][0]:
        seat = position.actors[0]
        done.append((seat, position.legal(seat)[0]))
        position.play({seat: done[-1][1]})
    assert position.state["tricks"][0] == 7
    seat, parts = position.actors[0], bound(net, game, strength=0.7, strangers=other_net)
    draw = specialise(believe, game, **parts.functions)
    view, states, rng = position.view(seat).state, game.states(STATES), spawn(3)
    scratch = game.scratch(parts.room)
    seen, count = Counter(), 4000
    for _ in range(count):
        draw(view, states, seat, parts.belief, scratch, rng)
        seen[tuple(states[WORLD]["hands"].tolist()), bool(parts.belief.facts[STRANGE])] += 1
    worlds, weights = list(seen), []
    for hands, strange in worlds:
        position.state["hands"][0] = hands
        judges = [theirs if strange and team != seat % 2 else ours for team in (0, 1)]
        weights.append(np.log(0.4 if strange else 0.6) + 0.7 * by_hand(game, judges, position, done, seat))
    expected = np.exp(np.array(weights) - max(weights))
    expected /= expected.sum()
    found = np.array([seen[world] for world in worlds]) / count
    assert len(worlds) > 5 and expected.max() > 3 * expected.min()
    assert {strange for _, strange in worlds} == {False, True}
    assert np.abs(found - expected).max() < 0.05


def test_opponents_of_another_kind_change_the_search_only_as_far_as_they_are_likely(net, other_net):
    game = sw.game("jass", variant="server-deal")
    position, _ = played(game, 2, 14)
    view = position.view(position.actors[0])

    def values(options):
        return sw.agent(f"dmcts:worlds=48,{options}").decide(view, Budget(), spawn(1)).values

    believing = f"network={net},belief=1,exact=0"
    alone = values(believing)
    assert values(f"{believing},opponent_model={other_net},opponent_prior=0") == alone
    assert values(f"{believing},opponent_model={other_net},opponent_prior=1") != alone


def test_how_the_opponents_play_tells_of_what_kind_they_are():
    """After a few tricks against a network that imitates javabot, and against our own."""
    game = sw.game("jass", variant="server-deal")
    agent = sw.agent("dmcts:preset=challenge,worlds=96")

    def believed(opponents):
        found = []
        for seed in range(6):
            position = game.new(seed)
            players = [sw.agent("net"), sw.agent(opponents)] * 2
            while position.state["tricks"][0] < 5 or position.actors[0] % 2:
                seat = position.actors[0]
                rule = players[seat].policy(game)
                position.play({seat: rule.act(position.view(seat), spawn(seed, seat))})
            view = position.view(position.actors[0])
            if len(view.legal) > 1:
                decision = agent.decide(view, Budget(), spawn(seed))
                found.append(decision.notes["chance of opponents of the other kind"])
        assert len(found) > 3 and all(0.0 <= share <= 1.0 for share in found)
        return np.mean(found)

    assert believed("net") < 0.5 < believed("net:model=net-jass-javabot")


def test_belief_prior_and_dropping_change_the_search_and_not_its_form(net):
    game = sw.game("jass", variant="server-deal")
    view = played(game, 8, 6)[0]
    view = view.view(view.actors[0])
    plain = sw.agent("dmcts:worlds=64").decide(view, Budget(), spawn(1))
    assert set(plain.visits) == {64}
    believed = sw.agent(f"dmcts:worlds=64,network={net},belief=1").decide(view, Budget(), spawn(1))
    assert set(believed.visits) == {64} and believed.values != plain.values
    dropped = sw.agent("dmcts:worlds=64,drop=1").decide(view, Budget(), spawn(1))
    assert max(dropped.visits) == 64 and min(dropped.visits) < 64
    assert dropped.visits[view.legal.index(dropped.action)] == 64
    few = sw.agent(f"dmcts:worlds=16,network={net},prior=0.999").decide(view, Budget(), spawn(1))
    assert sorted(few.visits)[-2:] == [0, 16]
    likeliest = int(np.nanargmax(look(load_network(game, net), view, spawn(1)).after))
    assert few.action == likeliest
    for text in (f"network={net},belief=1,drop=2", f"network={net},playouts=(net:model={net}),prior=0.01"):
        one, two = (sw.agent(f"dmcts:worlds=40,threads={n},{text}").decide(view, Budget(), spawn(1)) for n in (1, 2))
        assert one == two


def added_up(leads):
    """Sums over worlds [worlds, actions]; nan = not tried any more."""
    leads = np.array(leads)
    gaps = leads[:, :, None] - leads[:, None, :]
    tried = ~np.isnan(leads)
    return Sums(
        np.nansum(leads, axis=0), np.nansum(leads**2, axis=0), np.nansum(gaps, axis=0), np.nansum(gaps**2, axis=0),
        tried.sum(axis=0),
    )  # fmt: skip


def test_an_action_is_dropped_by_the_spread_of_differences():
    """Two actions whose leads go up and down together differ surely, if always by the same."""
    leads = [[50.0, 45.0, 60.0], [-50.0, -55.0, -70.0], [10.0, 5.0, 25.0]]
    found = Result.from_sums(added_up(leads), 3, 3)
    assert found.mean.tolist() == pytest.approx([10 / 3, -5 / 3, 5.0]) and found.best == 2
    gap = np.array(leads)[:, 2] - np.array(leads)[:, 0]
    assert found.behind[0] == pytest.approx(gap.mean() / (gap.std() / 3**0.5))
    assert found.behind[1] > found.behind[0] and found.behind[2] == 0
    believed = Result.from_sums(added_up(leads), 1, 3)  # the same world three times is no more evidence than once
    assert believed.error == pytest.approx(found.error * 3**0.5)


def test_a_dropped_action_that_was_lucky_early_is_not_the_best():
    """Everything went well in the first two worlds; the first action was dropped after them."""
    leads = [[90.0, 95.0, 60.0], [80.0, 95.0, 70.0], [np.nan, -10.0, -20.0], [np.nan, -20.0, -30.0]]
    found = Result.from_sums(added_up(leads), 4, 3)
    assert found.best == 1 and np.isfinite(found.behind).all()
    assert found.mean.tolist() == pytest.approx([40.0 - 10.0, 40.0, 20.0])  # ten behind the best where both were tried


def test_a_search_whose_first_world_takes_longer_than_its_time_answers(net):
    game = sw.game("jass", variant="server-deal")
    position, _ = played(game, 8, 30)
    view = position.view(position.actors[0])
    agent = sw.agent(f"dmcts:network={net},belief=1,proposals=10000")
    agent.decide(view, Budget(playouts=1, seconds=0.001), spawn(1))
    decision = agent.decide(view, Budget(seconds=0.002), spawn(1))
    assert decision.action in view.legal


def test_another_agent_can_choose_the_mode_and_leaves_the_cards_to_the_search(net):
    game = sw.game("jass", variant="server-deal")
    chooser = sw.agent(f"net:model={net}")
    split = sw.agent(f"dmcts:worlds=16,modes=({chooser.spec})")
    searched = sw.agent("dmcts:worlds=16")
    differ = 0
    for seed in range(20):
        position = game.new(seed)
        view = position.view(position.actors[0])
        chosen = split.decide(view, Budget(), spawn(1)).action
        assert chosen == chooser.decide(view, Budget(), spawn(1)).action
        differ += chosen != searched.decide(view, Budget(), spawn(1)).action
    assert differ > 0
    position, _ = played(game, 8, 6)
    view = position.view(position.actors[0])
    assert split.decide(view, Budget(), spawn(1)) == searched.decide(view, Budget(), spawn(1))


def test_what_needs_a_policy_says_so(tmp_path):
    game = sw.game("jass", variant="server-deal")
    path = tmp_path / "q.npz"
    write_arrays(path, encode(fresh(Description("jass", "186", 186, {"q": Head(43)}), seed=1)))
    for text in ("belief=1", "prior=0.1"):
        assert "policy" in str(sw.agent(f"dmcts:network={path},{text}").why_not(game))
    assert "missing.npz" in str(sw.agent("dmcts:modes=(net:model=missing.npz)").why_not(game))
