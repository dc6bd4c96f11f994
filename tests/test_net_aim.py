"""A network of points at a table for several: it plays for its own points, or for the lead over the best other."""

import numpy as np
import pytest

import spielwerk as sw
from spielwerk.agents.net import NetAgent
from spielwerk.core.models import write_arrays
from spielwerk.nets.description import Dense, Description, Head, Relu, Unit
from spielwerk.nets.network import encode, fresh
from spielwerk.search.net_look import features_of, look
from spielwerk.search.net_model import aims_at_lead

SCALE = 300.0


def network(game, unit: Unit = "points"):
    inputs = game.encodings["own"].size
    head = {"value": Head(1, unit=unit, scale=SCALE if unit != "win" else 1.0)}
    return fresh(Description("clever", "own", inputs, head, (Dense(8), Relu()), judges="afterstates"), seed=2)


@pytest.fixture(scope="module", params=[2, 3])
def game(request):
    return sw.game("clever", seats=request.param)


def expected(position, net, seat):
    """What a network says that a seat has at the end."""
    [answer] = net.outputs(features_of(net, position.view(seat)))["value"][0]
    return position.score[seat] + SCALE * answer


def test_the_lead_is_that_over_the_best_other(game):
    position, net = game.new(3), network(game)
    [seat] = position.actors
    own, lead = (look(net, position.view(seat), sw.spawn(1), aim) for aim in ("own", "lead"))
    assert (own.unit, lead.unit) == ("points", "lead")
    for action in position.legal(seat):
        after = position.copy().apply({seat: action})
        points = [expected(after, net, other) for other in range(game.seats)]
        assert own.left[action] == pytest.approx(points[seat], abs=0.01)
        best = max(value for other, value in enumerate(points) if other != seat)
        assert lead.left[action] == pytest.approx(points[seat] - best, abs=0.01)


def test_what_the_game_is_about_decides(game):
    points, lead = network(game), network(game, "lead")
    assert aims_at_lead(points, game) and aims_at_lead(points, game, "lead") and not aims_at_lead(points, game, "own")
    assert not aims_at_lead(lead, game), "it counts leads already"
    assert not aims_at_lead(points, sw.game("clever", seats=1)), "nobody else sits there"


def test_decisions_values_and_compiled_matches_agree(game, tmp_path):
    write_arrays(tmp_path / "net.npz", encode(network(game)))
    view = game.new(3)
    view = view.view(view.actors[0])
    for aim, unit in (("auto", "lead"), ("lead", "lead"), ("own", "points")):
        decision = NetAgent(model=str(tmp_path / "net.npz"), aim=aim).decide(view, sw.Budget(), sw.spawn(1))
        assert decision.unit == unit and decision.action == view.legal[int(np.argmax(decision.values))]
    search = f"expectimax:depth=1,evaluation=net@{tmp_path / 'net.npz'}"
    found = sw.agent(search).decide(view, sw.Budget(), sw.spawn(1))
    assert found.unit == "margin" and found.action == decision_of(view, tmp_path, "lead")
    with pytest.raises(sw.SpielwerkError, match="objective=margin"):
        sw.agent(f"{search},objective=points").require(game)


def decision_of(view, folder, aim):
    return NetAgent(model=str(folder / "net.npz"), aim=aim).decide(view, sw.Budget(), sw.spawn(1)).action
