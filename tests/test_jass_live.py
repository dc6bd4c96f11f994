"""A client that learns while it plays on a server."""

import asyncio

import numpy as np
import pytest

import spielwerk as sw
from jass_bots import hosting, run
from spielwerk.bridges.jass_challenge.client import JassJoining
from spielwerk.bridges.jass_challenge.learning import new_pupil, one_deal, place_of, played_at
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel.rng import spawn
from spielwerk.learn import run as runs
from spielwerk.learn.live import Pupil
from spielwerk.learn.policygradient import Learned, PolicyGradient
from spielwerk.nets.network import load_network

pytestmark = pytest.mark.xdist_group("jass_live")
SMALL = (
    "policygradient:rule=returns,encoding=150,network=16,actions=0-35,otherwise=(rules),envs=6,batch_size=32,"
    "reward_scale=100,objective=margin,learning_rate=0.01,test_games=4,gamma=0.95,epsilon=0,final_epsilon=0"
)


@pytest.fixture
def game():
    return sw.game("jass", variant="server-deal")


def test_a_seat_remembers_what_it_did_and_learns_the_rest_of_the_deal(game, tmp_path, monkeypatch):
    """Returns by hand: the lead that every later trick brings, discounted from trick to trick."""
    pupil = Pupil(tmp_path / "run", game, SMALL, seed=1)
    seat = pupil.seat(place_of)
    position = game.new(3)
    leads = []
    while not position.over:
        who = position.actors[0]
        view = position.view(who)
        agent = seat if who == 0 else sw.agent("rules")
        if who == 0 and view.legal[0] < 36:
            leads.append(position.score[0] - position.score[1])
        position.play({who: agent.decide(view, Budget(), spawn(2, len(leads))).action})
    final = position.score[0] - position.score[1]
    noted = [seat.noted[place] for place in sorted(seat.noted)]
    assert [one.standing for one in noted] == leads and all(one.legal[one.action] for one in noted)
    assert len(noted) == 9  # also the cards that it had to play
    learned = []
    monkeypatch.setattr(
        PolicyGradient,
        "learn_from",
        lambda self, module, optimiser, played, run: learned.append(played) or Learned(0.0, 0.0),
    )
    pupil._learn([(noted, final)])
    rewards = np.diff([*leads, final]) / 100
    expected = [sum(0.95**k * reward for k, reward in enumerate(rewards[i:])) for i in range(len(rewards))]
    assert learned[0].returns == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("others", [0, 3, 9])
def test_what_somebody_else_played_in_its_place_is_not_learned(game, tmp_path, others):
    """A whole deal; in some tricks another card is played than the pupil said."""
    pupil = Pupil(tmp_path / "run", game, SMALL, seed=1)
    seat = pupil.seat(place_of)
    position, differs = game.new(5), 0
    while not position.over:
        who = position.actors[0]
        view = position.view(who)
        action = (seat if who == 0 else sw.agent("rules")).decide(view, Budget(), spawn(2)).action
        if who == 0 and action < 36 and len(view.legal) > 1 and differs < others:
            action = next(card for card in view.legal if card != action)
            differs += 1
        position.play({who: action})
    seat.ended(position.view(0), played_at(position.view(0)))
    learned = sum(len(decisions) for decisions, _ in pupil.waiting)
    assert learned == 9 - differs and not seat.noted and (differs > 0) == (others > 0)


def test_what_is_left_of_another_deal_is_not_learned(game, tmp_path):
    pupil = Pupil(tmp_path / "run", game, SMALL, seed=1)
    seat = pupil.seat(place_of)
    view = sw.game("jass").read("hand=h6 h9 hJ dA d10 c6 c7 sQ sK; mode=hearts; deal=5").view(0)
    seat.decide(view, Budget(), spawn(1))
    position = game.new(5)
    while not position.over:
        who = position.actors[0]
        position.play({who: sw.agent("rules").decide(position.view(who), Budget(), spawn(2)).action})
    seat.ended(position.view(0), played_at(position.view(0)))
    assert not pupil.waiting and not seat.noted


def play_on_a_server(folder):
    """One who learns and three rule players; returns what the first says of it."""

    async def game():
        async with hosting(variant="server,target=600") as server:
            rules = {"agent": sw.agent("rules"), "url": server.url, "session": "s", "hurry": 60.0}
            pupil = JassJoining(**rules, player="pupil", learn=str(folder))
            others = [JassJoining(**rules, player=f"p{i}") for i in range(3)]
            return await asyncio.gather(*(client.play() for client in (pupil, *others)))

    return run(game())[0]


def test_it_learns_over_the_real_protocol_and_goes_on_the_next_time(tmp_path):
    folder = tmp_path / "run"
    Pupil(folder, one_deal("server"), SMALL, seed=1).close()
    first = play_on_a_server(folder)
    assert first["games"] == 1 and first["learned"] >= 1 and first["refused"] == 0
    game = sw.game("jass", variant="server-deal")
    learned = load_network(game, str(folder))
    rows = [row for row in runs.RunFolder(folder).rows() if "loss" in row]
    assert len(rows) == first["learned"] and all(np.isfinite(row["loss"]) for row in rows)
    again = play_on_a_server(folder)
    assert again["learned"] > first["learned"]
    assert learned.description == load_network(game, str(folder)).description
    assert sw.agent(runs.RunFolder(folder).learner().agent(runs.RunFolder(folder))).why_not(game) is None


@pytest.mark.parametrize(
    ("variant", "wanted"),
    [("server", "server-deal"), ("server-deal", "server-deal,deals=1"), ("schieber-1000", "schieber-1000,deals=1")],
)
def test_every_variant_has_a_table_of_one_deal(variant, wanted):
    table = one_deal(variant)
    assert table.variant == sw.game("jass", variant=wanted).variant
    assert int(table.opening().state["limit"][0]) == 1


def test_a_run_of_another_learner_is_refused(game, tmp_path):
    spec = "imitate:teacher=rules,games=20,network=8,epochs=1,test_games=2,tests=1"
    folder = runs.train(game, runs.learner(spec), tmp_path / "run", seed=1).path
    with pytest.raises(SpielwerkError, match="policygradient"):
        new_pupil(str(folder), "server", sw.agent("rules"), 0)
    Pupil(tmp_path / "other", sw.game("jass", variant="hslu-deal"), SMALL, 0).close()
    with pytest.raises(SpielwerkError, match=r"hslu-deal.*name another folder"):
        new_pupil(str(tmp_path / "other"), "server", sw.agent("rules"), 0)
    held = new_pupil(str(tmp_path / "held"), "server", sw.agent("rules"), 0)
    with pytest.raises(SpielwerkError, match="another process"):
        new_pupil(str(tmp_path / "held"), "server", sw.agent("rules"), 0)
    held.run.close()
    with pytest.raises(SpielwerkError, match="no compiled policy"):
        new_pupil(str(tmp_path / "new"), "server", sw.agent("dmcts"), 0)
