"""Networks: description, arrays, the compiled forward pass against torch, rules and evaluations made of them."""

import numpy as np
import pytest
import torch

import spielwerk as sw
from spielwerk.core import registry
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError, Unfit
from spielwerk.core.files import from_json
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import specialise
from spielwerk.core.models import load, write_arrays
from spielwerk.core.running import run_many
from spielwerk.nets.description import (
    Conv,
    Dense,
    Description,
    Dropout,
    Gru,
    Head,
    LayerNorm,
    LeakyRelu,
    Relu,
    Residual,
    Sigmoid,
    Tanh,
    read_description,
)
from spielwerk.nets.module import NetworkModule, masked
from spielwerk.nets.network import KIND, Network, decode, encode, fresh, load_network
from spielwerk.search.net_look import features_of, look
from spielwerk.search.net_model import evaluation, rule
from tiny_games import Claim, CompiledNim, Hush, Nim

LAYERS = {
    "dense": (10, (Dense(7),)),
    "wide": (200, (Dense(129), Relu(), Dense(33))),
    "relu": (10, (Dense(7), Relu())),
    "leaky_relu": (10, (Dense(7), LeakyRelu(0.1))),
    "tanh": (10, (Dense(7), Tanh())),
    "sigmoid": (10, (Dense(7), Sigmoid())),
    "dropout": (10, (Dense(7), Dropout(0.5))),
    "layer_norm": (10, (Dense(7), LayerNorm())),
    "residual": (10, (Dense(8), Residual((Dense(5), Relu(), Dense(8))), Residual((LayerNorm(), Relu())))),
    "gru": (45, (Gru(5, steps=9),)),
    "gru and a rest": (51, (Gru(5, steps=9, rest=6), Dense(4))),
    "conv": (105, (Conv(5, 7, 3, filters=6),)),
    "conv and a rest": (109, (Conv(5, 7, 3, filters=6, rest=4), Relu(), Conv(5, 7, 6, filters=2, size=5, rest=4))),
}


def described(inputs, layers, **more):
    heads = {"policy": Head(6), "value": Head(1, layers=(Tanh(), Dense(3), Relu()))}
    return Description("any", "bits", inputs, heads, layers, **more)


def noisy(description, seed=1):
    """A network in which biases are not 0 and nothing is small."""
    network, noise = fresh(description, seed), np.random.default_rng(seed)
    for array in network.arrays.values():
        array += noise.normal(size=array.shape) * 0.5 / np.sqrt(len(array))
    return network


@pytest.mark.parametrize("layers", LAYERS)
def test_compiled_and_torch_agree(layers):
    inputs, made = LAYERS[layers]
    network = noisy(described(inputs, made))
    noise = np.random.default_rng(2)
    rows = (noise.normal(size=(20, inputs)) * (noise.random((20, inputs)) < 0.6)).astype(np.float32)
    rows[:5, 5:20] = 0.0  # steps of a recurrent cell that have not happened
    with torch.no_grad():
        wanted = NetworkModule(network).eval()(torch.from_numpy(rows))
    for name, found in network.outputs(rows).items():
        assert np.abs(found - wanted[name].numpy()).max() < 1e-5


def test_a_recurrent_cell_is_that_of_torch():
    network = noisy(Description("any", "bits", 12, {"value": Head(1)}, (Gru(5, steps=3),)))
    theirs = torch.nn.GRU(4, 5, batch_first=True)
    arrays = network.arrays
    with torch.no_grad():
        theirs.weight_ih_l0.copy_(torch.from_numpy(arrays["layers.0.weight"].T))
        theirs.weight_hh_l0.copy_(torch.from_numpy(arrays["layers.0.hidden"].T))
        theirs.bias_ih_l0.copy_(torch.from_numpy(arrays["layers.0.bias"]))
        theirs.bias_hh_l0.copy_(torch.from_numpy(arrays["layers.0.hidden_bias"]))
        row = torch.randn(1, 12, generator=torch.Generator().manual_seed(1))
        state = theirs(row.reshape(1, 3, 4))[1][0]
        wanted = state @ torch.from_numpy(arrays["value.0.weight"]) + torch.from_numpy(arrays["value.0.bias"])
    assert np.abs(network.outputs(row.numpy())["value"] - wanted.numpy()).max() < 1e-5


def test_dropout_is_for_training_only():
    module = NetworkModule(noisy(described(10, (Dense(64), Dropout(0.5)))))
    row = torch.ones(1, 10)
    assert torch.equal(module.eval()(row)["policy"], module.eval()(row)["policy"])
    assert not torch.equal(module.train()(row)["policy"], module.train()(row)["policy"])


def test_a_module_gives_its_arrays_back():
    network = noisy(described(*LAYERS["gru and a rest"]))
    back = NetworkModule(network).network()
    assert back.arrays.keys() == network.arrays.keys()
    assert all(np.array_equal(back.arrays[name], network.arrays[name]) for name in network.arrays)


def test_descriptions_and_models_survive_writing(tmp_path):
    network = noisy(described(*LAYERS["conv and a rest"], judges="afterstates", seats=2))
    assert read_description(network.description.json()) == network.description
    write_arrays(tmp_path / "net.npz", encode(network))
    with np.load(tmp_path / "net.npz", allow_pickle=False) as file:
        back = decode(dict(file))
    assert back.description == network.description
    assert np.array_equal(back.outputs(np.ones(109))["policy"], network.outputs(np.ones(109))["policy"])


def test_masked_actions_have_probability_zero():
    logits = torch.tensor([[5.0, 1.0, 2.0], [1.0, 1.0, 1.0]])
    legal = torch.tensor([[False, True, True], [False, False, False]])
    chances = torch.softmax(masked(logits, legal), 1)
    assert chances[0, 0] == 0.0
    assert chances[1].tolist() == pytest.approx([1 / 3] * 3)


BAD_LAYERS = {
    "residual": ((Residual((Dense(4),)),), "as many numbers as they take: 10, not 4"),
    "steps": ((Gru(4, steps=3),), "10 numbers do not make 3 equal steps"),
    "grid": ((Conv(3, 3, 1, filters=2),), "takes 9 numbers, not 10"),
    "even": ((Conv(2, 5, 1, filters=2, size=4),), "odd, not 4"),
    "huge": ((Dense(1_000_000), Dense(1_000_000)), "too large"),
}


@pytest.mark.parametrize("bad", BAD_LAYERS)
def test_layers_that_do_not_fit_are_named(bad):
    layers, reason = BAD_LAYERS[bad]
    with pytest.raises(SpielwerkError, match=reason):
        described(10, layers)


def test_damaged_networks_are_named(tmp_path):
    game = Nim()
    network = fresh(policy_for(game), 1)
    arrays = encode(network)
    cases = {
        "description": {**arrays, "description": np.frombuffer(b'{"game": "nim"', np.uint8)},
        "shape": {**arrays, "policy.0.weight": np.zeros((3, 3), np.float32)},
        "missing": {name: array for name, array in arrays.items() if name != "policy.0.bias"},
        "not finite": {**arrays, "policy.0.bias": np.full(9, np.nan, np.float32)},
    }
    for name, damaged in cases.items():
        path = tmp_path / f"{name}.npz"
        write_arrays(path, damaged)
        with pytest.raises(SpielwerkError) as problem:
            load(KIND, game, str(path))
        assert "\n" not in str(problem.value), name


# --- in a game -------------------------------------------------------------------------------------------------------


def policy_for(game, *layers, heads=None, **more):
    [(name, encoding), *_] = game.encodings.items()
    heads = heads or {"policy": Head(game.spec.actions)}
    return Description(game.spec.id, name, encoding.size, heads, layers, **more)


def liking(game, action, size=5.0):
    """A network that likes one action best, whatever it sees."""
    network = fresh(policy_for(game), 1)
    network.arrays["policy.0.weight"][:] = 0.0
    network.arrays["policy.0.bias"][:] = np.arange(game.spec.actions) * 0.01
    network.arrays["policy.0.bias"][action] = size
    return network


def agent_with(network, tmp_path, options=""):
    path = tmp_path / "net.npz"
    write_arrays(path, encode(network))
    return registry.agent(f"net:model={path}{options}")


def test_illegal_actions_are_never_played(tmp_path):
    game = Nim()
    agent = agent_with(liking(game, 8), tmp_path)  # three of the last heap, as long as there are three
    [match] = run_many(game, [agent, agent], [1])
    assert match.log[0] == 8
    assert 8 not in match.log[1:]


def test_a_temperature_draws_by_the_policy(tmp_path):
    game = Nim()
    agent = agent_with(liking(game, 8, 2.0), tmp_path, ",temperature=1")
    view = game.new().view(0)
    wanted = look(load_network(game, agent.model), view, spawn(1)).after
    counts = np.zeros(game.spec.actions)
    for n in range(2000):
        counts[agent.decide(view, Budget(), spawn(n, 7)).action] += 1
    assert np.abs(counts / 2000 - wanted).max() < 0.04
    assert wanted[8] > 0.4


def test_compiled_and_interpreted_play_the_same(tmp_path):
    logs = []
    for game in (Nim(), CompiledNim()):
        network = noisy(policy_for(game, Dense(16), Relu()))
        agent = agent_with(network, tmp_path)
        logs.append([match.log.tolist() for match in run_many(game, [agent] * 2, range(5))])
    assert logs[0] == logs[1]


def test_a_value_network_plays_what_leaves_most(tmp_path):
    game = Claim()
    heads = {"value": Head(1, unit="points", scale=2.0)}
    network = noisy(policy_for(game, Dense(16), Relu(), heads=heads, judges="afterstates"))
    agent = agent_with(network, tmp_path)
    position = game.new(3)
    view = position.view(1)
    decision = agent.decide(view, Budget(), spawn(1, 2))
    seen = look(network, view, spawn(1, 2))
    assert decision.action == view.legal[int(np.argmax(seen.left[list(view.legal)]))]


def test_what_an_action_leaves_is_worked_out_exactly(tmp_path):
    """One seat decides at a time, so what is left is certain: the same numbers without any shortcut."""
    game = Nim()
    network = noisy(policy_for(game, Dense(24), Relu(), heads={"value": Head(1, unit="win")}, judges="afterstates"))
    position = game.new()
    seen = look(network, position.view(0), spawn(5))
    for action in position.legal(0):
        left = position.copy().apply(action)
        logit = float(network.outputs(features_of(network, left.view(0)))["value"][0, 0])
        assert seen.left[action] == pytest.approx(1 / (1 + np.exp(-logit)), abs=1e-5)


def test_networks_see_no_hidden_cards(tmp_path):
    game = Hush()
    network = noisy(policy_for(game, Dense(16), Relu(), heads={"policy": Head(7), "value": Head(1, unit="win")}))
    position = game.new(4)
    seat = position.actors[0]
    made, view = rule(network, game), position.view(seat)
    ask = specialise(entry.policy_at, game, policy=made.function)
    chosen = {
        ask(state, seat, made.weights, game.scratch(made.room), spawn(1))
        for state in (position.state, view.state, view.imagine(spawn(9)).state)
    }
    assert len(chosen) == 1


def test_a_prior_leads_the_tree(tmp_path):
    game = Nim()
    path = tmp_path / "net.npz"
    write_arrays(path, encode(liking(game, 4, 3.0)))
    search = registry.agent(f"mctse:selection=puct,iterations=60,k=50,evaluation=net@{path}")
    view = game.new().view(0)
    decision = search.decide(view, Budget(), spawn(1, 1))
    assert max(zip(decision.visits, view.legal, strict=True))[1] == 4


def test_values_lead_the_tree(tmp_path):
    """The exact value of Nim as a network would be long; that the units and sides are right is seen near the end."""
    game = Nim()
    heads = {"value": Head(1, unit="win")}
    path = tmp_path / "net.npz"
    for judges in ("positions", "afterstates"):
        write_arrays(path, encode(fresh(policy_for(game, Dense(8), Relu(), heads=heads, judges=judges), 1)))
        position = game.new()
        for move in ("3 of heap 3", "3 of heap 1", "3 of heap 2"):
            position.play(move)
        for agent in (f"mctse:iterations=100,evaluation=net@{path}", f"expectimax:depth=2,evaluation=net@{path}"):
            decision = registry.agent(agent).decide(position.view(1), Budget(), spawn(1, 1))
            assert game.spec.moves[decision.action] == "1 of heap 3", (judges, agent)  # leaves 1 and 1


# --- bad input -------------------------------------------------------------------------------------------------------


def test_a_network_of_another_game_is_refused(tmp_path):
    agent = agent_with(fresh(policy_for(Nim()), 1), tmp_path)
    reason = agent.why_not(Hush())
    assert reason is not None and "plays nim, not hush" in reason


def test_a_network_with_other_inputs_is_refused(tmp_path):
    game = sw.game("qwixx", 2)
    network = fresh(policy_for(game), 1)
    with pytest.raises(Unfit, match="takes 445 inputs"):
        network.encoding(sw.game("qwixx", 3))


def test_a_missing_head_is_named(tmp_path):
    agent = agent_with(fresh(policy_for(Nim()), 1), tmp_path, ",by=value")
    assert "no value head, only policy" in str(agent.why_not(Nim()))


def test_another_objective_is_refused(tmp_path):
    game = Nim()
    path = tmp_path / "net.npz"
    heads = {"value": Head(1, unit="win")}
    write_arrays(path, encode(fresh(policy_for(game, heads=heads), 1)))
    search = registry.agent(f"mctse:objective=points,evaluation=net@{path}")
    assert "objective=win" in str(search.why_not(game))
    assert evaluation(game, str(path)).objective == "win"


def test_layers_are_read_from_json():
    layers = from_json(b'[{"kind": "conv", "rows": 2, "columns": 2, "channels": 1, "filters": 3}]', tuple[Conv, ...])
    assert layers == (Conv(2, 2, 1, 3),)
    assert isinstance(fresh(described(4, layers), 1), Network)
