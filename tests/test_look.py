"""Looking into networks: on the command line, over the web app's API, and as players and judges inside dmcts."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

import spielwerk as sw
from spielwerk.cli.app import app
from spielwerk.core.clock import Budget
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel.rng import pick, spawn
from spielwerk.core.match import play
from spielwerk.core.models import write_arrays
from spielwerk.nets.description import Dense, Description, Head, Relu
from spielwerk.nets.network import encode, fresh
from test_web_api import begin, open_client

HAND = "hand=h6 h8 h9 hJ hA d9 d10 s8 s10"
BOARD = "2 4 8 16/. 2 . 4/. . . ./. . . ."
pytestmark = pytest.mark.xdist_group("jass")


def network(folder: Path, game: str, heads: dict[Any, Head], encoding: str = "standard", **more: Any) -> Path:
    """A run folder with a network that has learned nothing, but is sure of itself."""
    table = sw.game(game)
    inputs = table.encodings[encoding].size
    made = fresh(Description(game, encoding, inputs, heads, (Dense(16), Relu()), **more), 1)
    noise = np.random.default_rng(1)
    for array in made.arrays.values():
        array += noise.normal(size=array.shape).astype(np.float32) / np.sqrt(len(array))
    folder.mkdir(parents=True, exist_ok=True)
    write_arrays(folder / "model.npz", encode(made))
    config = {"game": game, "learner": "cmaes", "seats": table.seats, "variant": table.variant, "seed": 0}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def both_heads(actions: int, unit: str = "lead") -> dict[Any, Head]:
    return {"policy": Head(actions), "value": Head(1, unit=unit, scale=50.0)}  # type: ignore[arg-type]


def asked(*arguments: object, text: str = "") -> str:
    found = CliRunner().invoke(app, ["ask", *map(str, arguments)], input=text)
    if found.exception and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found.stdout


# --- the command line ------------------------------------------------------------------------------------------------


def test_every_action_before_and_after_the_mask(tmp_path):
    run = network(tmp_path / "run", "jass", both_heads(43))
    answer = json.loads(asked("jass", HAND, "--agent", f"net:model={run}", "--json"))
    said = answer["network"]
    actions = said["actions"]
    assert next(iter(actions)) == answer["move"] and len(actions) == 43
    assert sum(one["before"] for one in actions.values()) == pytest.approx(1.0)
    assert sum(one["after"] for one in actions.values()) == pytest.approx(1.0)
    legal = [move for move, one in actions.items() if one["legal"]]
    assert sorted(legal) == sorted(["hearts", "diamonds", "clubs", "spades", "obeabe", "undeufe", "push"])
    assert legal == list(actions)[:7]
    assert all(one["after"] == 0.0 for move, one in actions.items() if move not in legal)
    assert (said["unit"], isinstance(said["value"], float)) == ("lead", True)
    shown = asked("jass", HAND, "--agent", f"net:model={run}")
    assert "before the mask" in shown and "lead still to come" in shown and "--all shows" in shown
    assert all(f" {move} " in asked("jass", HAND, "--agent", f"net:model={run}", "--all") for move in actions)


def test_networks_beside_each_other_over_a_file_of_positions(tmp_path):
    """The manual test of trained networks by Eder and Kistler (2017): the same hands for several of them."""
    one = network(tmp_path / "one", "jass", {"policy": Head(36)}, "186")
    other = network(tmp_path / "other", "jass", {"q": Head(43, unit="lead", scale=60.0)})
    file = tmp_path / "hands.txt"
    file.write_text(f"# the hand of the thesis\n{HAND}\n\n{HAND}; mode=hearts  # and its first card\n")
    agents = ["--agent", f"net:model={one}", "--agent", f"net:model={other}", "--agent", "rules"]
    lines = [json.loads(line) for line in asked("jass", file, *agents, "--json").splitlines()]
    assert [line["position"] for line in lines] == [1, 1, 1, 2, 2, 2]
    assert [line["agent"].partition(":")[0] for line in lines] == ["net", "net", "rules"] * 2
    assert "before" not in lines[0]["network"]["actions"]["push"]  # that network knows cards only
    assert lines[4]["move"] == max(lines[4]["values"], key=lines[4]["values"].get)
    shown = asked("jass", file, *agents)
    assert "(1) before" in shown and "(2) lead" in shown and "(3) rules plays" in shown
    with pytest.raises(SpielwerkError, match=r"^line 2: .*'x' is no card"):
        asked("jass", "-", *agents, text=f"{HAND}\nhand=x\n")


def test_a_position_of_a_record(tmp_path):
    run = network(tmp_path / "run", "2048", {"value": Head(1, scale=100.0)}, judges="afterstates")
    play(sw.game("2048"), [sw.agent("random")], seed=2).save(tmp_path / "match.json")
    answer = json.loads(asked("2048", tmp_path / "match.json", "--at", 4, "--agent", f"net:model={run}", "--json"))
    known = {move: one["left"] for move, one in answer["network"]["actions"].items() if one["legal"]}
    assert known == pytest.approx(answer["values"]) and answer["network"]["unit"] == "points"


# --- the web app -----------------------------------------------------------------------------------------------------


@pytest.fixture
def client(tmp_path):
    network(tmp_path / "runs/jass-one", "jass", both_heads(43))
    network(tmp_path / "runs/2048-one", "2048", {"q": Head(4, scale=10.0)})
    (tmp_path / "runs/broken").mkdir()
    (tmp_path / "runs/broken/config.json").write_text("{")
    (tmp_path / "runs/broken/model.npz").write_bytes(b"nothing")
    with open_client(tmp_path) as found:
        yield found


def test_a_seat_asks_a_network_and_others_cannot(client: TestClient):
    *shipped, listed = client.get("/api/games/jass/networks").json()
    assert (listed["name"], listed["heads"]) == ("run/jass-one", ["policy", "value"])
    assert "model/net-jass-server" in {one["name"] for one in shipped}
    assert all(one["name"].startswith("model/net-jass-") for one in shipped)
    started, [seat] = begin(client, "jass", "me", "random", "random", "random", seed=6)
    match = started["match"]
    url = f"/api/matches/{match}/network?network=run/jass-one&seat=0"
    found = client.get(url, headers=seat.headers).json()
    assert len(found["actions"]) == 43 and found["best"] == found["actions"][0]["action"]
    assert found["notation"].startswith("hand=")
    assert client.get(url).status_code == 403
    assert client.get(f"{url}&number=1").status_code == 409  # a match between people is shown when it is over
    for name in ("run/none", "run/broken", "../jass-one", "run/../runs/jass-one", "run/2048-one"):
        answer = client.get(f"/api/matches/{match}/network?network={name}&seat=0", headers=seat.headers)
        assert (answer.status_code, "no such network" in answer.json()["detail"]) == (404, True)


def test_the_same_answer_whatever_is_hidden(client: TestClient):
    """Of what is written only what the seat knows counts; the rest is imagined anew and must not matter."""

    def asked_for(**more: str) -> Any:
        return client.get("/api/games/jass/network", params={"network": "run/jass-one", **more}).json()

    one, two = (asked_for(position=f"{HAND}; mode=hearts") for _ in range(2))
    assert one == two and "svg" in one
    early = asked_for()
    again = asked_for(position=early["notation"])
    assert again["actions"] == early["actions"] and again["value"] == early["value"]


def test_positions_of_a_record_and_what_cannot_be_read(client: TestClient):
    record = play(sw.game("2048"), [sw.agent("random")], seed=2)
    match = client.post("/api/records", content=record.to_json()).json()["match"]
    url = f"/api/matches/{match}/network?network=run/2048-one&seat=0"
    deciding = next(i for i, event in enumerate(record.events) if not isinstance(event, str))
    said = client.get(f"{url}&number={deciding}").json()
    assert [one["q"] for one in said["actions"] if one["legal"]] == sorted(
        (one["q"] for one in said["actions"] if one["legal"]), reverse=True
    )
    assert client.get(f"{url}&number={len(record.events)}").status_code == 409  # it is over
    german = {"accept-language": "de"}
    wrong = client.get("/api/games/2048/network?network=run/2048-one&position=x", headers=german)
    assert wrong.status_code == 400 and isinstance(wrong.json()["detail"], str)
    assert "Netz" in client.get("/api/games/2048/network?network=none", headers=german).json()["detail"]
    assert next(run for run in client.get("/api/runs").json() if run["name"] == "2048-one")["network"] is True


# --- inside a search -------------------------------------------------------------------------------------------------


def decisions(spec: str, deals: int, variant: str) -> str:
    """A digest of what an agent thinks of every action in every position of some random deals."""
    game, agent, rng = sw.game("jass", variant=variant), sw.agent(spec), spawn(7)
    said = []
    for seed in range(deals):
        position, number = game.new(seed), 0
        while not position.over:
            seat = position.actors[0]
            view = position.view(seat)
            decision = agent.decide(view, Budget(), spawn(seed, number))
            said.append([decision.action, decision.values, decision.visits])
            position.play({seat: view.legal[pick(rng, len(view.legal))]})
            number += 1
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]


@pytest.mark.parametrize(
    ("variant", "digest"), [("server-deal", "ec58bd950002a153"), ("schieber-deal,announce=0", "d0b1fe7ccd6be280")]
)
def test_dmcts_without_a_network_decides_as_ever(variant, digest):
    """As it always did; with a Stöck, as since one that is still to come counts in the exact solver."""
    assert decisions("dmcts:worlds=12", 3, variant) == digest


def test_dmcts_with_networks(tmp_path):
    run = network(tmp_path / "run", "jass", both_heads(43))
    view = sw.game("jass").read(f"{HAND}; mode=hearts").view(0)
    plain = sw.agent("dmcts:worlds=8").decide(view, Budget(), spawn(1))
    for options in (f"evaluation=net@{run}", f"playouts=(net:model={run})"):
        agent = sw.agent(f"dmcts:worlds=8,{options}")
        decision = agent.decide(view, Budget(), spawn(1))
        assert decision == sw.agent(f"dmcts:worlds=8,threads=2,{options}").decide(view, Budget(), spawn(1))
        assert decision.visits == (8,) * 9 and decision.unit == "lead"
        assert decision.values != plain.values
    whole = sw.agent(f"dmcts:worlds=8,tricks=9,evaluation=net@{run}").decide(view, Budget(), spawn(1))
    assert whole.values == plain.values  # all is played and solved before the network is asked


def test_dmcts_refuses_what_cannot_judge_or_play(tmp_path):
    game = sw.game("jass")
    policy = network(tmp_path / "policy", "jass", {"policy": Head(43)})
    wins = network(tmp_path / "wins", "jass", both_heads(43, "win"))
    for run in (policy, wins):
        assert "does not judge in points" in str(sw.agent(f"dmcts:evaluation=net@{run}").why_not(game))
    assert "no compiled policy" in str(sw.agent("dmcts:playouts=(dmcts)").why_not(game))
