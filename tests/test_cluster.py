"""The backend ray: a cluster of two workers on this machine plays what threads play, and survives a worker's death."""

import json
import os
import signal
from pathlib import Path

import pytest

from spielwerk import SpielwerkError, evaluate
from spielwerk.arena.crews import Cluster
from spielwerk.cli import main

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
