"""Compiled code on disk: a cache that cannot be written or read stops nobody, and people are told what compiles."""

import os
import pty
import resource
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from spielwerk.core.cache import on_compile
from tiny_games import CompiledClaim
compiled = []
with on_compile(compiled.append):
    position = CompiledClaim().new(1)
    print(position.actors, len(compiled))
"""
LIBRARY_CALL = "from tiny_games import CompiledClaim; print(CompiledClaim().new(1).actors)"


def no_room():
    """No file may grow: every write fails, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def run(cache, program=PROGRAM, preexec_fn=None, **more):
    environment = {**os.environ, "SPIELWERK_CACHE": str(cache), "PYTHONPATH": str(Path(__file__).parent), **more}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, preexec_fn=preexec_fn
    )
    assert done.returncode == 0, done.stderr
    return done


def compilations(done):
    return int(done.stdout.split()[-1])


def test_a_full_disk_stops_nobody_and_is_told_once(tmp_path):
    done = run(tmp_path / "cache", preexec_fn=no_room)
    assert compilations(done) > 1
    assert done.stderr.count("nothing can be kept in the cache") == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "SPIELWERK_CACHE" in done.stderr


def test_a_folder_that_cannot_be_made_stops_nobody(tmp_path):
    (tmp_path / "cache").write_text("this is a file")
    done = run(tmp_path / "cache")
    assert compilations(done) > 1
    assert done.stderr.count("nothing can be kept in the cache") == 1


def test_what_a_cache_holds_is_used_even_if_it_cannot_be_written(tmp_path):
    assert compilations(run(tmp_path)) > 1
    again = run(tmp_path, preexec_fn=no_room)
    assert (compilations(again), again.stderr) == (0, "")


@pytest.mark.parametrize("damage", [b"", b"\x00" * 100, None])
def test_entries_that_are_damaged_are_compiled_again(tmp_path, damage):
    first = compilations(run(tmp_path))
    for file in tmp_path.rglob("*.nb?"):
        file.write_bytes(file.read_bytes()[:50] if damage is None else damage)
    assert compilations(run(tmp_path)) == first
    assert compilations(run(tmp_path)) == 0


# --- telling people --------------------------------------------------------------------------------------------------


def shown_in_a_terminal(cache, **more):
    """What a library call writes to a standard error that is a terminal, and to standard output."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "SPIELWERK_CACHE": str(cache), "PYTHONPATH": str(Path(__file__).parent), **more}
    done = subprocess.run(
        [sys.executable, "-c", LIBRARY_CALL], env=environment, stdout=subprocess.PIPE, stderr=theirs, text=True
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # so ends a terminal
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    assert done.returncode == 0, said
    return said.decode(), done.stdout


def test_a_library_call_that_compiles_says_so_once_in_a_terminal(tmp_path):
    said, out = shown_in_a_terminal(tmp_path)
    assert said.count("spielwerk: compiling") == 1 and str(tmp_path) in said
    assert out == "(0, 1, 2)\n"
    assert shown_in_a_terminal(tmp_path)[0] == "", "nothing compiles any more"


def test_a_library_call_is_quiet_where_nobody_looks_or_wants_it(tmp_path):
    assert shown_in_a_terminal(tmp_path / "quiet", SPIELWERK_QUIET="1")[0] == ""
    assert run(tmp_path / "pipe", LIBRARY_CALL).stderr == ""


def test_programs_hear_of_every_compilation_through_logging(tmp_path):
    program = f"import logging; logging.basicConfig(level='INFO'); {LIBRARY_CALL}"
    said = run(tmp_path, program).stderr
    assert "INFO:spielwerk:compiling actors_at_" in said
