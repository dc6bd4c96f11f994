"""Learning from decisions: the data are right and the same for everybody, runs survive kills, rules are learned."""

import json
import shutil
import sys
from dataclasses import dataclass, replace
from typing import ClassVar

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

import spielwerk as sw
from spielwerk.arena.evaluate import evaluate
from spielwerk.cli.app import app
from spielwerk.core import registry
from spielwerk.core.agent import Agent, Decision, Policy
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.kernel import entry
from spielwerk.core.kernel.contract import legal
from spielwerk.core.kernel.rng import spawn
from spielwerk.core.linker import kernel, specialise
from spielwerk.core.match import play
from spielwerk.core.spec import Rung
from spielwerk.learn import decisions, gather, imitate, imitation, netlearner
from spielwerk.learn import run as runs
from spielwerk.learn.decisions import Decisions, held_out, packed, split
from spielwerk.learn.gather import Source, make_shard
from spielwerk.learn.netlearner import Diverged
from spielwerk.nets.network import load_network
from spielwerk.search.net_look import features_of, look
from tiny_games import Claim, Hush, Nim, Whisper

pytestmark = pytest.mark.xdist_group("imitate")


@kernel
def sage_policy(s, seat, weights, scratch, rng):
    """The first move after which heaps modulo 4 cancel out; if there is none, the first."""
    actions = scratch.actions
    for i in range(legal(s, seat, actions)):
        left = 0
        for heap in range(3):
            taken = 1 + actions[i] % 3 if actions[i] // 3 == heap else 0
            left ^= (s.heaps[heap] - taken) % 4
        if left == 0:
            return actions[i]
    return actions[0]


@dataclass(frozen=True)
class Sage(Agent):
    """Plays Nim perfectly."""

    name: ClassVar[str] = "sage"

    def decide(self, view, budget, rng):
        rule = specialise(entry.policy_at, view.game, policy=sage_policy)
        action = int(rule(view.state, view.seat, 0, view.game.scratch(), rng))
        wise = tuple(9 if legal == action else 1 for legal in view.legal)
        return Decision(action, visits=wise, values=tuple(map(float, wise)))

    def policy(self, game):
        return Policy(sage_policy, 0)


@pytest.fixture(autouse=True)
def known():
    things = (Sage, Nim, Claim, Hush, Whisper)
    for thing in things:
        registry.register(thing)
    yield
    for thing in things:
        registry.unregister(thing)


class Killed(Exception):
    """Stands for a kill: nobody saves anything."""


def killer(reports):
    left = iter(range(reports))

    def report(done, line):
        if next(left, None) is None:
            raise Killed

    return report


def source_of(game, teacher="random", opponents=(), noise=0.3, unit="lead", target="action", **more):
    encoding = next(iter(game.encodings))
    wanted = {"first": 0, "actions": game.spec.actions, "temperature": 2.0, "seed": 5} | more
    return Source(teacher, opponents, noise, encoding, unit=unit, target=target, **wanted)


SMALL = (
    "imitate:teacher=sage,network=64,games=500,noise=0.6,batch=64,epochs=20,learning_rate=0.01,tests=3,test_games=10,"
    "patience=0"
)


# --- data ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["lead", "points", "win"])
@pytest.mark.parametrize("game", [Claim(), Hush(), Whisper(), Nim()], ids=lambda game: game.spec.id)
def test_the_compiled_loop_writes_what_agents_say_when_asked(game, unit):
    """Two ways to the same rows: the loop over policies, and agents that are asked through their views."""
    source = source_of(game, opponents=("random", "blunder:agent=(random)"), unit=unit)
    seeds = list(range(12))
    looped, asked = gather._compiled(game, source, seeds), gather._asked(game, source, seeds)
    assert len(looped["action"]) >= 12
    assert looped.keys() == asked.keys()
    for name in looped:
        assert looped[name].dtype == asked[name].dtype
        assert np.array_equal(looped[name], asked[name]), name


def test_packed_inputs_come_back_exactly(tmp_path):
    noise = np.random.default_rng(3)
    inputs = np.where(noise.random((40, 19)) < 0.6, noise.integers(0, 2, (40, 19)), noise.normal(size=(40, 19)))
    game = Nim()
    shard = make_shard(game, source_of(game), 0, 30)
    rows = inputs.astype(np.float32)[: len(shard["action"])]
    arrays = {name: array[: len(rows)] if name in ("legal", "action", "seat", "match", "worth") else array
              for name, array in shard.items()} | packed(rows)  # fmt: skip
    gather.keep_shard(tmp_path, 0, arrays)
    found = Decisions.load(tmp_path, 1, 19, game.spec.actions)
    some = np.array([7, 0, 31])
    assert np.array_equal(found.batch(some).inputs, rows[some])
    assert (found.batch(some).legal.sum(axis=1) > 1).all()  # forced decisions are not kept


def test_noise_changes_what_is_played_and_not_what_is_learned():
    game = Nim()
    shard = make_shard(game, source_of(game, "sage", noise=1.0), 0, 50)
    inputs = np.unpackbits(shard["ones"], axis=1)[:, :24].reshape(-1, 3, 8)
    heaps = (inputs * (1 << np.arange(8))).sum(axis=2)
    taken = np.zeros_like(heaps)
    taken[np.arange(len(heaps)), shard["action"] // 3] = 1 + shard["action"] % 3
    lost = np.bitwise_xor.reduce(heaps % 4, axis=1) == 0
    assert 0 < lost.sum() < len(lost)
    assert (np.bitwise_xor.reduce((heaps - taken) % 4, axis=1)[~lost] == 0).all()


def test_whole_matches_are_held_out_and_nothing_is_shown_twice(tmp_path, monkeypatch):
    game = Hush()
    monkeypatch.setattr(decisions, "FEWEST", 10)
    gather.keep_shard(tmp_path, 0, make_shard(game, source_of(game), 0, 250))
    found = Decisions.load(tmp_path, 1, game.features, game.spec.actions)
    parts = split(found, 0.25)
    matches = found.arrays["match"]
    assert not set(matches[parts.training]) & set(matches[parts.validation])
    assert parts.unseen and parts.duplicates > 0
    assert len(parts.training) + len(parts.validation) + parts.duplicates == len(found)
    shown = {row.tobytes() for row in found.batch(parts.training).inputs}
    assert not any(row.tobytes() in shown for row in found.batch(parts.validation).inputs)
    assert held_out(1000, 0.25)[:250].tolist() == held_out(250, 0.25).tolist()


def test_visits_and_values_are_learned_as_shares(tmp_path):
    game = Nim()
    for target, best in (("visits", 9.0), ("values", np.exp(4.0))):
        source = source_of(game, "sage", target=target)
        gather.keep_shard(tmp_path, 0, make_shard(game, source, 0, 20))
        batch = Decisions.load(tmp_path, 1, game.features, game.spec.actions).batch(np.array([5, 2, 9]))
        wanted = best / (best + batch.legal.sum(axis=1) - 1)
        assert np.allclose(batch.target.max(axis=1), wanted)
        assert np.array_equal(batch.target.argmax(axis=1), batch.action)
        assert np.allclose(batch.target.sum(axis=1), 1.0) and not batch.target[~batch.legal].any()


# --- runs ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """A run that nobody disturbs."""
    for thing in (Sage, Nim):
        registry.register(thing)
    folder = tmp_path_factory.mktemp("imitate") / "whole"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(gather, "COMPILED_ROWS", 500)
        return runs.train(Nim(), runs.learner(SMALL), folder, seed=4)


def test_it_learns_a_rule_perfectly(learned):
    rows = learned.rows()
    assert rows[-2]["accuracy"] == rows[-2]["accuracy_all"] == 1.0
    assert rows[-1]["kept_accuracy"] > 0.9
    network = load_network(Nim(), str(learned.path))
    assert network.description.heads["value"].unit == "win"
    view = Nim().new().view(0)
    assert look(network, view, spawn(0)).after.argmax() == Sage().decide(view, None, spawn(0)).action
    assert sw.evaluate(Nim(), f"net:model={learned.path}", opponents="sage", games=40, opening=3).win_share > 0.3
    assert (learned.path / "curve.png").is_file() and any((learned.path / "tensorboard").iterdir())
    assert learned.rows()[0]["unseen"] is False  # so few positions: all were seen, and the log says so


def test_a_killed_run_ends_like_one_that_was_not(learned, tmp_path, monkeypatch):
    """Killed while it makes data, while it learns and after tests; other threads make the data."""
    monkeypatch.setattr(gather, "COMPILED_ROWS", 500)
    monkeypatch.setattr(imitation, "TELL_SECONDS", 0.0)
    folder = tmp_path / "killed"
    with pytest.raises(Killed):
        runs.train(Nim(), runs.learner(SMALL), folder, seed=4, report=killer(3))
    (folder / "data" / ".00003.npz.99").write_bytes(b"half a shard")
    for reports, between in ((30, 1e-9), (300, 0.3)):
        monkeypatch.setattr(imitation, "SAVE_SECONDS", between)
        with pytest.raises(Killed):
            runs.resume(folder, report=killer(reports))
    found = runs.resume(folder)
    for name in ("model.npz", "validation.npz"):
        assert (folder / name).read_bytes() == (learned.path / name).read_bytes()
    assert found.rows() == learned.rows()
    assert runs.resume(folder).rows() == learned.rows()  # nothing is left to learn


def test_data_are_the_same_for_any_number_of_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(gather, "COMPILED_ROWS", 60)
    shards = []
    for threads in (1, 3):
        limits, folder = runs.Limits(threads=threads), tmp_path / str(threads)
        made = gather.Gathering(Nim(), source_of(Nim()), folder, None, 500, limits, lambda *_: None)
        count = made.from_matches()
        assert count > 3
        shards.append([(folder / f"{number:05}.npz").read_bytes() for number in range(count)])
    assert shards[0] == shards[1]


def test_a_shard_that_was_taken_away_is_made_again(learned, tmp_path):
    shutil.copytree(learned.path, tmp_path / "run")
    shard = tmp_path / "run" / "data" / "00000.npz"
    before = shard.read_bytes()
    shard.unlink()
    (tmp_path / "run" / "progress.json").unlink()
    runs.resume(tmp_path / "run")
    assert shard.read_bytes() == before


def test_validation_may_count_decisions_that_training_shows_too(learned):
    shards = len(list((learned.path / "data").glob("[0-9]*.npz")))
    known = Decisions.load(learned.path / "data", shards, Nim().features, Nim.spec.actions)
    seldom, all_of_them = split(known, 0.1), split(known, 0.1, validate_seen=True)
    assert seldom.duplicates == all_of_them.duplicates > 0
    out = held_out(known.matches, 0.1)[known.arrays["match"]]
    assert len(all_of_them.validation) == out.sum() and not all_of_them.unseen


def test_a_run_that_turns_nan_keeps_its_best(tmp_path):
    options = "teacher=sage,network=linear,games=40,optimiser=sgd,learning_rate=100,weight_decay=10,test_games=5"
    with pytest.raises(Diverged, match="lower learning_rate"):
        runs.train(Nim(), runs.learner(f"imitate:{options}"), tmp_path / "run", seed=4)
    load_network(Nim(), str(tmp_path / "run"))


def test_records_are_learned_from(tmp_path):
    game = Nim()
    (tmp_path / "records").mkdir()
    for seed in range(30):
        agents = [registry.agent("sage"), registry.agent("random")]
        play(game, agents if seed % 2 else agents[::-1], seed).save(tmp_path / "records" / f"{seed:02}.json")
    options = f"imitate:records={tmp_path / 'records'},imitated=sage,network=16,epochs=2,tests=1,test_games=5"
    run = runs.train(game, runs.learner(options), tmp_path / "run")
    network = load_network(game, str(run.path))
    first = run.rows()[0]
    assert first["matches"] == 30 and first["decisions"] > 50
    shard = np.load(run.path / "data" / "00000.npz")
    assert all(len(set(shard["seat"][shard["match"] == n])) == 1 for n in set(shard["match"]))
    assert features_of(network, game.new().view(0)).size == game.features
    fewer = runs.train(game, runs.learner(f"{options},games=10"), tmp_path / "fewer")
    assert fewer.rows()[0]["matches"] == 10
    (tmp_path / "records" / "99.json").write_text("{}")
    with pytest.raises(SpielwerkError, match=r"99\.json: this is no record"):
        runs.train(game, runs.learner(options), tmp_path / "other")


@pytest.mark.parametrize(
    "options, said",
    [
        ("teacher=sage,actions=5-2", "write the first and the last id"),
        ("teacher=sage,actions=0-9", "as 0-8"),
        ("teacher=rules", "rules cannot play"),
        ("records=nowhere", "no such file or folder"),
        ("teacher=random,target=visits", "does not say the visits"),
        ("teacher=sage,games=1", "too few"),
        ("teacher=sage,encoding=nonsense", "encoding of nim"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_a_sentence(options, said, tmp_path):
    with pytest.raises(SpielwerkError, match=said):
        runs.train(Nim(), runs.learner(f"imitate:{options}"), tmp_path / "run")


def test_without_torch_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SpielwerkError, match=r"needs torch: pip install 'spielwerk\[learn\]'"):
        runs.train(Nim(), runs.learner("imitate"), tmp_path / "run")


def test_the_thesis_preset_is_that_of_the_thesis():
    learner = runs.learner("imitate", "thesis-186")
    jass = sw.game("jass", variant="server-deal")
    source = learner.source(jass, 0)
    assert (source.encoding, source.first, source.actions) == ("186", 0, 36)
    assert json.loads(json.dumps(learner.spec)) == runs.learner(learner.spec).spec
    assert learner.player("RUN") == "net:model=RUN,otherwise=(rules)"


@pytest.mark.parametrize(
    ("game", "teacher"),
    [("2048", "blunder:agent=(ntuple),share=0.0015"), ("qwixx", "gap:endgame=true"), ("jass", "rules")],
)
def test_the_teacher_by_default_is_quick(game, teacher):
    assert imitate.strongest(registry.game(game)).spec == registry.agent(teacher).spec


def test_a_run_without_a_network_says_how_to_go_on(tmp_path):
    run = str(tmp_path / "run")
    for how in (["train", "jass", "imitate", "--out", run], ["train", "--resume", run]):
        said = CliRunner().invoke(app, [*how, "--seconds", "0.001"]).stdout
        assert f"nothing to play with yet; go on with: spielwerk train --resume {run}" in said.replace("\n", "")
        assert "play with it" not in said and "nothing was left to learn" not in said


def test_random_play_is_no_teacher(monkeypatch):
    monkeypatch.setattr(Nim, "spec", replace(Nim.spec, ladder=(Rung("easy", "random"),)))
    assert imitate.strongest(Nim()).name == "mctse"


def test_actions_that_a_search_never_tried_are_not_likely():
    source = source_of(Nim(), target="values")
    decision = Decision(0, values=(4.0, float("nan"), 2.0))
    likely = gather.shares(decision, source)
    assert likely[1] == 0.0 and likely.sum() == pytest.approx(1.0)
    assert likely[0] / likely[2] == pytest.approx(np.exp(2.0 / source.temperature))


@pytest.mark.parametrize("kept", ["play", "loss"])
def test_what_is_kept_is_the_best_in_play_or_by_its_loss(kept, learned, tmp_path, monkeypatch):
    """Held-out matches get worse from test to test here, whatever the loss does. The run is stopped on its way."""
    worse, steps, learn = iter(range(-1, -100, -1)), [], imitation.Training._learn

    def evaluated(*given, **options):
        return msgspec.structs.replace(evaluate(*given, **options), mean=float(next(worse)))

    def counted(training):
        learn(training)
        steps.append(training.run.counters["step"])

    monkeypatch.setattr(netlearner, "evaluate", evaluated)
    monkeypatch.setattr(imitation.Training, "_learn", counted)
    monkeypatch.setattr(runs.Limits, "reached", property(lambda limits: len(steps) == 40))
    run = runs.train(Nim(), runs.learner(f"{SMALL},kept={kept},tested_by=points"), tmp_path / "run", seed=4)
    assert steps[-1] == 40 and [row["step"] for row in run.rows() if "held_out" in row] == [0, 40]
    steps.append(40)
    run = runs.resume(run.path)
    tests = [row for row in run.rows() if "held_out" in row]
    assert len(tests) == 5 and {row["measure"] for row in tests} == {"points"}
    model, lowest = (load_network(Nim(), str(run.path / name)).arrays for name in ("model.npz", "validation.npz"))
    same = all(np.array_equal(model[name], array) for name, array in lowest.items())
    assert same is (kept == "loss")
    assert [row["best"] for row in tests][:2] == [True, kept == "loss"]
