"""The backend ray: a cluster of two workers on this machine plays what threads play, and survives a worker's death."""

import json
import os
import signal
from pathlib import Path

import pytest

from spielwerk import SpielwerkError, evaluate, game
from spielwerk.arena.crews import Cluster
from spielwerk.cli import main
from spielwerk.learn import gather, run

GAMES = 60


@pytest.fixture
def cluster():
    import ray

    yield Cluster(2)
    ray.shutdown()


def wait_for(crew, call):
    while not crew.finished([call], 60):
        pass
    return crew.result(call)


def test_a_cluster_plays_the_same_matches(cluster, tmp_path, capfd):
    def die_once(mark):  # inside, so that a worker needs no module of the tests
        if not Path(mark).exists():
            Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return "played again"

    def refuse():
        raise SpielwerkError("take something else")

    assert wait_for(cluster, cluster.give(die_once, str(tmp_path / "mark"))) == "played again"
    with pytest.raises(SpielwerkError, match=r"^take something else$"):
        wait_for(cluster, cluster.give(refuse))
    alone = evaluate("2048", "random", games=GAMES, seed=3)
    capfd.readouterr()
    arguments = ["evaluate", "2048", "random", "--games", str(GAMES), "--seed", "3", "--workers", "2"]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--backend", "ray", "--json"])
    printed = json.loads(capfd.readouterr().out)  # nothing else stands on standard output
    assert not ended.value.code
    assert (printed["mean"], printed["histogram"]) == (alone.mean, alone.histogram)
    endless = cluster.give(lambda: signal.pause())
    cluster.leave([endless])
    with pytest.raises(SpielwerkError, match="lost a match"):
        wait_for(cluster, endless)


def test_a_cluster_makes_the_same_data_to_learn_from(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(gather, "COMPILED_ROWS", 300)
    source = gather.Source("random", (), 0.1, "standard", 0, 4, "points", "action", 1.0, 7)
    made = {}
    for backend, workers in (("threads", 1), ("ray", 2)):
        limits, folder = run.Limits(threads=workers, backend=backend), tmp_path / backend
        count = gather.Gathering(game("2048"), source, folder, None, 1500, limits, lambda *_: None).from_matches()
        made[backend] = [(folder / f"{number:05}.npz").read_bytes() for number in range(count)]
    looped, asked = (make(game("2048"), source, [11]) for make in (gather._compiled, gather._asked))
    assert len(asked["action"]) > 50
    assert all((looped[name] == asked[name]).all() for name in asked)  # compiled, and decision by decision
    assert len(made["ray"]) > 3
    assert made["ray"] == made["threads"]
