"""Linking and compiling: two games never share code, an edited function is noticed, mistakes are named."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from spielwerk.core import linker as kernels
from spielwerk.core.kernel.contract import legal
from spielwerk.core.linker import kernel, specialise
from tiny_games import Claim, CompiledClaim, CompiledWhisper, Whisper


@kernel
def helper(x):
    return x + CONSTANT


CONSTANT = 5


@kernel
def ask_twice(states, seat, out):
    return legal(states[0], seat, out) + helper(seat)


@kernel
def asks_policy(states):
    return unbound(states)


@kernels.stub
def unbound(states):
    """Never bound in these tests."""


def not_marked(x):
    return x


@kernel
def calls_not_marked(states):
    return not_marked(1)


def test_the_same_text_gives_each_game_its_own_code():
    out = np.zeros(8, np.int64)
    results = {}
    for game in (CompiledWhisper(), CompiledClaim()):
        text = specialise(ask_twice, game)
        results[game.spec.id] = text(game.new(1).state, 0, out)
        assert game.link_name in text.__qualname__
    assert specialise(ask_twice, CompiledWhisper()) is not specialise(ask_twice, CompiledClaim())
    assert results == {"whisper": 3 + 5, "claim": 3 + 5}


def test_compiled_and_interpreted_games_agree_on_whole_matches():
    from spielwerk import agent, play

    for plain, compiled in ((Whisper(), CompiledWhisper()), (Claim(), CompiledClaim())):
        for spec in ("random", "greedy", "mctse:iterations=40,rollout_depth=5"):
            players = [agent(spec)] * plain.seats
            assert play(plain, players, seed=9) == play(compiled, players, seed=9)


def test_the_digest_notices_code_constants_and_callees():
    def digest():
        linker = kernels._Linker({"legal": helper}, "table", True)
        return linker.digest(ask_twice)

    before = digest()
    assert digest() == before
    code = helper.__code__
    try:
        helper.__code__ = (lambda x: x - CONSTANT).__code__
        assert digest() != before, "an edit in a called function goes unnoticed"
    finally:
        helper.__code__ = code
    try:
        helper.__defaults__ = (3,)
        assert digest() != before, "an edit of a default goes unnoticed"
    finally:
        helper.__defaults__ = None
    global CONSTANT
    CONSTANT = 6
    try:
        assert digest() != before, "an edit of a constant goes unnoticed"
    finally:
        CONSTANT = 5
    assert digest() == before


def test_an_edited_file_is_noticed_and_an_unchanged_one_loaded(tmp_path):
    """Two processes share a cache folder; the second edits a file that the text only calls."""
    (tmp_path / "rules.py").write_text(
        "from spielwerk.core.linker import kernel\n@kernel\ndef add(x):\n    return x + 1\n"
    )
    (tmp_path / "asking.py").write_text(
        textwrap.dedent(
            """
            import sys
            import numpy as np
            from spielwerk.core.linker import kernel, on_compile, specialise
            from spielwerk.games.twenty48.game import Twenty48
            from rules import add

            @kernel
            def ask(x):
                return add(x) * 2

            compiled = []
            with on_compile(compiled.append):
                answer = specialise(ask, Twenty48())(20)
            print(answer, len(compiled))
            """
        )
    )

    def run():
        done = subprocess.run(
            [sys.executable, "asking.py"],
            cwd=tmp_path,
            env={**os.environ, "SPIELWERK_CACHE": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split()

    assert run() == ["42", "2"]
    assert run() == ["42", "0"], "unchanged code was compiled again"
    (tmp_path / "rules.py").write_text(
        "from spielwerk.core.linker import kernel\n@kernel\ndef add(x):\n    return x + 9\n"
    )
    answer, compiled = run()
    assert answer == "58", "old code ran after an edit"
    assert int(compiled) > 0


def test_a_missing_binding_is_named():
    with pytest.raises(TypeError, match=r"needs 'unbound'.*whisper.*specialise"):
        specialise(asks_policy, CompiledWhisper())


def test_an_unmarked_function_is_named():
    with pytest.raises(TypeError, match="not_marked, which is not marked @kernel"):
        specialise(calls_not_marked, CompiledWhisper())


def test_closures_are_refused():
    def outer():
        inside = 3

        @kernel
        def inner(states):
            return inside

        return inner

    with pytest.raises(TypeError, match="closure"):
        specialise(outer(), CompiledClaim())


def test_a_large_table_is_refused(monkeypatch):
    monkeypatch.setitem(globals(), "CONSTANT", np.zeros(200_000))
    with pytest.raises(TypeError, match="over 1 MB"):
        specialise(helper, CompiledClaim())


def test_clean_deletes_what_was_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("SPIELWERK_CACHE", str(tmp_path))
    kept = tmp_path / "kernels" / "some"
    kept.mkdir(parents=True)
    (kept / "code.nbc").write_bytes(b"x")
    assert kernels.clean() == 1
    assert not kept.exists()
