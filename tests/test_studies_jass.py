"""The experiments of Eder and Kistler (2017) with Jass: they train, draw, and put the published figures beside ours."""

from itertools import pairwise

import numpy as np
import pytest

from spielwerk.core.errors import SpielwerkError
from spielwerk.learn import run as runs
from spielwerk.learn.netlearner import Diverged
from spielwerk.learn.run import RunFolder
from spielwerk.nets.network import load_network
from spielwerk.studies.eder_kistler import STUDY, hybrid, networks, outlook, prototypes, reinforcement, supervised
from spielwerk.studies.training import trained

pytestmark = pytest.mark.xdist_group("jass_studies")


def quiet(done, line):
    assert 0.0 <= done <= 1.0 + 1e-9


@pytest.fixture
def tiny(monkeypatch):
    """Networks that have learned next to nothing, of a few deals."""
    monkeypatch.setitem(networks.DEALS, "quick", 40)
    monkeypatch.setitem(networks.STEPS, "quick", 12)
    monkeypatch.setattr(networks, "THREADS", 1)
    monkeypatch.setitem(reinforcement.ROUNDS, "quick", 2)
    monkeypatch.setitem(reinforcement.MODE_ROUNDS, "quick", 2)
    monkeypatch.setitem(prototypes.ROUNDS, "quick", 2)
    monkeypatch.setitem(reinforcement.PAIRS, "quick", 4)
    monkeypatch.setattr(
        reinforcement,
        "CARDS",
        reinforcement.CARDS.replace("envs=256", "envs=8").replace("test_games=1000", "test_games=4"),
    )
    monkeypatch.setattr(hybrid, "CARDS", reinforcement.CARDS.replace("envs=256", "envs=8"))
    monkeypatch.setitem(hybrid.ROUNDS, "quick", (1, 2))
    monkeypatch.setitem(hybrid.BETTER, "quick", (20, 600, 16, 4))
    monkeypatch.setattr(hybrid, "PAIRS", {"quick": 4})
    monkeypatch.setattr(outlook, "PAIRS", {"quick": 4})
    monkeypatch.setitem(prototypes.GAMES, "quick", 2)
    monkeypatch.setitem(prototypes.AGAINST_JAVABOT, "quick", 2)
    monkeypatch.setitem(prototypes.HABIT_DEALS, "quick", 30)


LAYERS = {  # tables 2.6.3 to 2.6.13 and the lists of experiments 1, 4, 9 and 10
    "SL_42_1": "42-38-36", "SL_150_1, 50": "150-50-36", "SL_150_1, 200": "150-200-36", "SL_150_2": "150-200-100-36",
    "SL_150_7": "150-220-340-500-340-220-150-80-36", "SL_150_9": "150-220-340-500-760-500-340-220-150-80-36",
    "SL_186_2": "186-420-186-36", "SL_186_5_Faktor1.5": "186-280-180-120-80-53-36",
    "SL_186_3_Faktor2": "186-300-150-70-36", "SL_186_3_Faktor3": "186-560-180-60-36",
    "SL_186_5_2Mio": "186-560-1680-560-180-60-36", "SL_186_7_20Mio": "186-560-1680-5040-1680-560-180-60-36",
}  # fmt: skip
SIZES = {  # weights and biases of the thesis' tables
    "SL_42_1": 42 * 38 + 38 + 38 * 36 + 36,
    "SL_186_3_1Mio": 1_353_840 + 560 + 1680 + 180 + 36,  # its equation 2.4, and the biases
    "SL_37_1_relu_adam_cc": 37 * 37 + 37 + 37 * 7 + 7,
}


@pytest.mark.parametrize("number", [1, 2, 9])
def test_an_experiment_trains_draws_and_compares(tiny, tmp_path, number):
    (tmp_path / "out").mkdir()
    found = STUDY.parts[f"supervised-{number}"](quiet, tmp_path / "out", "quick")
    rows = found[f"experiment {number}"]
    assert [row["network"] for row in rows] == supervised.EXPERIMENTS[number][1]
    for row in rows:
        assert 0.0 <= row["accuracy"] <= row["with mask"] <= 1.0
        assert row["real choices"] <= row["real choices, mask"] + 1e-9
        assert row["weights"] == SIZES.get(row["network"], row["weights"])
    assert (tmp_path / "out" / "curves.png").stat().st_size > 10_000
    if number < 9:
        chance = float(found["who has learned nothing"].split()[-1])
        assert 0.11 < chance < 0.5 and "0.0270" in found["who has learned nothing"]
    if number == 9:
        check = {row["choice"]: row for row in found["manual check"]}
        assert check["push"]["SL_37_1, all pushes, published"] == 0.401
        assert sum(row["SL_37_1, two thirds"] for row in check.values()) == pytest.approx(1.0, abs=0.01)


def test_a_network_that_says_the_same_of_all_cards_has_the_loss_at_which_the_thesis_stopped():
    said, played = np.full(36, 1 / 36), np.eye(36)[7]
    assert np.square(said - played).mean() == pytest.approx(supervised.NOTHING, rel=1e-9)
    assert round(supervised.NOTHING, 3) == 0.027


def test_every_network_of_the_thesis_is_in_an_experiment_and_has_its_size():
    named = {name for _, names in supervised.EXPERIMENTS.values() for name in names}
    assert named == set(networks.NETWORKS)
    for name, net in networks.NETWORKS.items():
        layers = f"{net.encoding}-{net.hidden}-{7 if net.actions == networks.MODES else 36}"
        usual = "37-37-7" if name.startswith("SL_37") else "186-560-1680-180-36"
        assert layers == LAYERS.get(name, usual), name
        wanted = "adam" if "adam" in name else "sgd"
        assert (net.optimiser, net.rate) == (wanted, 0.0001 if name.endswith("lr0.0001") else 0.005), name
        loss = "cross_entropy" if name.endswith("_cc") else "mse" if layers.endswith("-7") else "mse_outputs"
        assert net.loss == ("mse" if name.endswith("adam_mse") else loss), name
    game = networks.table()
    for name, wanted in (("SL_186_3_1Mio", 1_353_840), ("SL_186_7_20Mio", 19_958_400)):
        net = networks.NETWORKS[name]
        sizes = [int(net.encoding), *map(int, net.hidden.split("-")), 36]
        weights = sum(one * other for one, other in pairwise(sizes))
        assert weights == pytest.approx(wanted, rel=0.05)
    assert game.variant == "server-deal"


def test_deals_are_made_once_and_others_can_be_named(tiny, tmp_path):
    made = networks.deals_for(tmp_path / "out", "quick", None, quiet)
    before = (made / "00000.npz").stat().st_mtime_ns
    assert networks.deals_for(tmp_path / "other", "quick", None, quiet) == made
    assert (made / "00000.npz").stat().st_mtime_ns == before
    assert networks.deals_for(tmp_path / "out", "quick", made, quiet) == made
    with pytest.raises(SpielwerkError, match="spielwerk data make jass"):
        networks.deals_for(tmp_path / "out", "quick", tmp_path, quiet)
    (tmp_path / "report").mkdir()
    numbers = STUDY.parts["data"](quiet, tmp_path / "report", "quick")
    assert numbers["quantity"][0] == {"what": "deals", "here": 40, "thesis": 133_652}


def found_in(part, tmp_path):
    """The rows of a part of reinforcement learning."""
    out = tmp_path / part
    out.mkdir()
    rows = next(iter(STUDY.parts[f"reinforcement-{part}"](quiet, out, "quick").values()))
    assert part == "modes" or (out / "loss.png").stat().st_size > 5000
    return rows


def test_reinforcement_learning(tiny, tmp_path):
    rows = found_in("1", tmp_path)
    assert [row["learned against"] for row in rows] == ["nobody yet", "random", "rules", "itself"]
    assert RunFolder(tmp_path / "1" / "itself").game().variant == "server-deal,match_bonus=0"


@pytest.mark.slow
def test_trump_networks_with_each_reward(tiny, tmp_path):
    networks_of = [row["network"] for row in found_in("modes", tmp_path)]
    assert networks_of == ["36-36-6, SGD"] * 2 + ["37-37-7, Adam"] * 4
    assert load_network(networks.table(), str(tmp_path / "modes" / "reward-0")).head("q").outputs == 6


@pytest.mark.slow
def test_other_parts_of_reinforcement_learning(tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(reinforcement.PAIRS, "quick", 2)
    assert [len(found_in(part, tmp_path)) for part in ("2", "3", "rewards")] == [4, 4, 3]
    for part, variant in (("2", "server-deal,match_bonus=0"), ("3", "server-deal")):
        assert RunFolder(tmp_path / part / "itself").game().variant == variant
    hundreds, points, clipped = (row["largest gradient"] for row in found_in("clipping", tmp_path))
    assert points > 2 * hundreds > 0.0 and clipped > 0.0


@pytest.mark.slow
def test_a_run_that_ends_in_nan_is_told(tiny, tmp_path, monkeypatch):
    def diverging(folder, *given):
        run = trained(folder, *given)
        if folder.name == "points-1-rate-0.001":
            raise Diverged("the loss is not a number any more")
        return run

    monkeypatch.setattr(reinforcement, "trained", diverging)
    rows = STUDY.parts["reinforcement-rewards"](quiet, tmp_path, "quick")["rewards"]
    assert [row["came to its end"][:3] for row in rows] == ["no:", "yes", "yes"]
    assert all(row["rounds"] == 2 and row["largest gradient"] > 0 for row in rows)


def test_the_hybrid_begins_as_the_supervised_network(tiny, tmp_path):
    (tmp_path / "out").mkdir()
    runs, _ = networks.networks([hybrid.START], tmp_path / "out", "quick", None, quiet)
    policy = load_network(networks.table(), str(runs[hybrid.START].path))
    same = hybrid.as_returns(policy, 1.0)
    inputs = np.random.default_rng(1).integers(0, 2, (5, 186)).astype(np.float32)
    assert np.array_equal(policy.outputs(inputs)["policy"], same.outputs(inputs)["q"])
    small = hybrid.as_returns(policy, 0.05).outputs(inputs)["q"]
    assert small == pytest.approx(0.05 * same.outputs(inputs)["q"], abs=1e-5)
    right, size = hybrid.agreement(policy, runs[hybrid.START])
    assert 0.0 < right < 1.0 and hybrid.agreement(same, runs[hybrid.START]) == (right, size)


@pytest.mark.slow
def test_the_outlook_compares_inputs_memory_and_dropout(tiny, tmp_path):
    (tmp_path / "out").mkdir()
    found = STUDY.parts["outlook"](quiet, tmp_path / "out", "quick")
    rows = {row["network"]: row for row in found["outlook"]}
    assert list(rows) == list(networks.OUTLOOK) == ["186", "186, dropout 0.2", "1302", "recurrent"]
    assert rows["recurrent"]["weights"] < rows["186"]["weights"] == SIZES["SL_186_3_1Mio"] < rows["1302"]["weights"]
    assert rows["186"]["lead over 186"] == "+0.0 (+0.0 … +0.0)"
    networks_of = tmp_path / "eder-kistler-networks-quick"
    assert load_network(networks.table(), str(networks_of / "recurrent")).description.layers[0].steps == 9
    assert networks.OUTLOOK["186, dropout 0.2"].dropout == 0.2
    assert (tmp_path / "out" / "curves.png").stat().st_size > 10_000


def test_habits_of_agents(tiny, tmp_path):
    found = STUDY.parts["habits"](quiet, tmp_path, "quick", agents="random,rules")
    assert len(found["habits"]) == 12 and set(found["habits"][0]) == {"habit", "random", "rules"}
    again = STUDY.parts["habits"](quiet, tmp_path, "quick", agents="rules,random")  # deals are kept by agent
    assert again["habits"][3] == found["habits"][3]


def test_networks_that_learned_from_other_deals_are_kept_apart(tmp_path):
    ours, other = tmp_path / "eder-kistler-deals-quick", tmp_path / "elsewhere" / "deals, old"
    assert networks.mark_of(ours, tmp_path / "hybrid") == ""
    mark = networks.mark_of(other, tmp_path / "hybrid")
    assert len(mark) == 9 and mark != networks.mark_of(tmp_path / "third" / "deals", tmp_path / "hybrid")
    spec = networks.NETWORKS["SL_42_1"].learner(other, "quick", "38")
    assert runs.learner(spec).records == str(other)  # a comma in a path is none between options


@pytest.mark.slow
def test_the_tournament_of_the_prototypes(tiny, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    found = STUDY.parts["prototypes"](quiet, out, "quick")
    assert {row["prototype"] for row in found["tournament"]} == {*prototypes.PLACES, "Random"}
    assert (out / "tournament.png").stat().st_size > 5000
    (tmp_path / "hybrid").mkdir()
    rows = STUDY.parts["hybrid"](quiet, tmp_path / "hybrid", "quick")["hybrid"]
    assert len(rows) == 8 and rows[0]["points per deal"].startswith("+0.0")
    (tmp_path / "better").mkdir()
    assert STUDY.parts["hybrid-better"](quiet, tmp_path / "better", "quick")["hybrid over supervised"]
