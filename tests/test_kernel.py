"""Linking and compiling: two games never share code, an edited function is noticed, mistakes are named."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from spielwerk.core import cache
from spielwerk.core import linker as kernels
from spielwerk.core.errors import KernelError
from spielwerk.core.instructions import work_space
from spielwerk.core.kernel.contract import legal
from spielwerk.core.linker import alone, kernel, specialise
from tiny_games import Claim, CompiledClaim, CompiledWhisper, Whisper, claim_legal


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
        linker = kernels._Linker({"legal": claim_legal}, "table", True)
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


@pytest.mark.parametrize(
    ("setting", "value"), [("OPT", 1), ("LOOP_VECTORIZE", 0), ("SLP_VECTORIZE", 1), ("BOUNDSCHECK", 1)]
)
def test_the_digest_notices_how_it_is_compiled(setting, value, monkeypatch):
    def digest():
        return kernels._Linker({}, "table", True).digest(helper)

    before = digest()
    monkeypatch.setattr(kernels.config, setting, value)
    assert digest() != before


def test_the_digest_notices_another_compiler(monkeypatch):
    def digest():
        return kernels._Linker({}, "table", True).digest(helper)

    before = digest()
    monkeypatch.setattr(kernels.llvmlite, "__version__", "0.0")
    assert digest() != before


def test_what_is_linked_side_by_side_is_compiled_so_whenever_it_is_called():
    settings = []
    plain = specialise(helper, CompiledWhisper())
    with kernels.side_by_side():
        vectorised = specialise(helper, CompiledWhisper())
        assert specialise(helper, CompiledWhisper()) is vectorised
    assert vectorised is not plain
    assert vectorised.__qualname__ != plain.__qualname__
    with kernels.on_compile(lambda name: settings.append((name, kernels.config.SLP_VECTORIZE))):
        assert vectorised(np.uint8(1)) == plain(np.uint8(1)) == 6
    assert all(setting == (name == vectorised.__qualname__) for name, setting in settings)


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
    with pytest.raises(KernelError, match=r"needs 'unbound'.*whisper.*specialise"):
        specialise(asks_policy, CompiledWhisper())


def test_an_unmarked_function_is_named():
    line = calls_not_marked.__code__.co_firstlineno + 2
    said = rf"test_kernel.py:{line}: calls_not_marked calls not_marked.*write @kernel above def not_marked"
    with pytest.raises(KernelError, match=said):
        specialise(calls_not_marked, CompiledWhisper())


def test_closures_are_refused():
    def outer():
        inside = 3

        @kernel
        def inner(states):
            return inside

        return inner

    with pytest.raises(KernelError, match="closure"):
        specialise(outer(), CompiledClaim())


def test_a_large_table_is_refused(monkeypatch):
    monkeypatch.setitem(globals(), "CONSTANT", np.zeros(200_000))
    with pytest.raises(KernelError, match=r"test_kernel.py:\d+: .*over 1 MB"):
        specialise(helper, CompiledClaim())


# --- mistakes in the functions of a game -----------------------------------------------------------------------------


@kernel
def listing_legal(s, seat, out):
    cards = [0]
    cards.append(seat)
    return len(cards)


@kernel
def comprehending_legal(s, seat, out):
    return sum([card * card for card in range(seat)])


@kernel
def allocating_legal(s, seat, out):
    cards = np.zeros(3, np.int64)
    return cards[0]


@kernel
def misspelling_legal(s, seat, out):
    return s.hnads[seat, 0]


@kernel
def writing_legal(s, seat, out):
    s.trun = seat
    return 0


@kernel
def misspelt_helper(s):
    return s.tirck


@kernel
def calling_legal(s, seat, out):
    return misspelt_helper(s)


@kernel
def nameless_legal(s, seat, out):
    return CONSTNAT  # noqa: F821


@kernel
def modular_legal(s, seat, out):
    return np.abss(seat)


@kernel
def confused_legal(s, seat, out):
    return seat + "x"


@kernel
def curt_legal(s, seat):
    return 0


def with_functions(**functions):
    given = SimpleNamespace(**{**vars(CompiledWhisper.kernel), **functions})
    return type("Mistaken", (CompiledWhisper,), {"kernel": given})()


@pytest.mark.parametrize(
    ("function", "line", "said"),
    [
        (listing_legal, 2, "kernels allocate nothing: use a buffer of the scratch"),
        (comprehending_legal, 2, "kernels allocate nothing"),
        (allocating_legal, 2, "kernels allocate nothing"),
        (misspelling_legal, 2, "'hnads', which is no field of the State; did you mean hands"),
        (writing_legal, 2, "'trun', which is no field of the State; did you mean turn"),
        (nameless_legal, 2, "'CONSTNAT', which is defined nowhere; did you mean CONSTANT"),
        (modular_legal, 2, "module 'numpy' has no attribute 'abss'"),
        (confused_legal, 2, "this does not compile"),
        (curt_legal, 0, r"curt_legal\(s, seat\) stands in for legal\(s, seat, out\)"),
    ],
)
def test_a_mistake_is_named_with_its_place(function, line, said):
    position = with_functions(legal=function).new(1)
    place = rf"^\S+test_kernel.py:{function.__code__.co_firstlineno + line}: "
    with pytest.raises(KernelError, match=place + ".*" + said) as caught:
        position.legal(position.actors[0])
    assert "\n" not in str(caught.value)


def test_a_mistake_in_a_called_function_is_named_there():
    position = with_functions(legal=calling_legal).new(1)
    place = rf"test_kernel.py:{misspelt_helper.__code__.co_firstlineno + 2}: misspelt_helper uses 'tirck'"
    with pytest.raises(KernelError, match=place):
        position.legal(position.actors[0])


def test_a_missing_function_is_named():
    game = with_functions()
    del game.kernel.score
    with pytest.raises(KernelError, match=r"Whisper: the kernel of Mistaken lacks score\(s, out\)"):
        game.new(1)


def test_a_dispatcher_is_called_directly():
    """Nothing stands between a caller and compiled code."""
    assert type(specialise(helper, CompiledWhisper())).__module__.startswith("numba.")


def test_clean_deletes_what_was_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("SPIELWERK_CACHE", str(tmp_path))
    kept = tmp_path / "kernels" / "some"
    kept.mkdir(parents=True)
    (kept / "code.nbc").write_bytes(b"x")
    assert cache.clean() == 1
    assert not kept.exists()


def test_a_cache_that_names_a_record_which_is_gone_is_compiled_anew(tmp_path):
    """A NamedTuple among the arguments is part of the key of an entry, by the name of its class."""
    module = """
import sys
from typing import NamedTuple
from spielwerk import kernel, specialise
from tiny_games import CompiledClaim

class {name}(NamedTuple):
    value: int

@kernel
def doubled(record):
    return 2 * record.value

print(specialise(doubled, CompiledClaim())({name}(21)))
"""
    environment = {**os.environ, "SPIELWERK_CACHE": str(tmp_path), "PYTHONPATH": str(Path(__file__).parent)}
    for name in ("Before", "After"):
        (tmp_path / "records.py").write_text(module.format(name=name))
        done = subprocess.run(
            [sys.executable, "-c", "import records"], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.stdout == "42\n", done.stderr


@kernel
def square_sum(count):
    places = work_space(100)
    for i in range(100):
        places[i] = i * count
    total = 0
    for i in range(100):
        total += np.int64(places[99 - i]) * count
    return total


@kernel
def square_sums(calls):
    """Asks for the same room again and again: the stack must not grow with every call."""
    total = 0
    for n in range(calls):
        total += square_sum(n & 7)
    return total


def test_work_space_is_there_for_one_call():
    compiled = alone(square_sums)
    assert compiled(8) == square_sums(8) == 4950 * sum(n * n for n in range(8))
    assert compiled(800_000) == 100_000 * compiled(8)  # 160 MB if nothing were given back
