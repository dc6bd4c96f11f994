"""A third party's package: examples/plugin is built, installed and played, and nothing else learns of it.

It is installed into a folder of its own that only these processes see, so that the other tests keep to our own games.
"""

import ast
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import spielwerk
from test_web_browser import Visitor, browser  # noqa: F401 (a fixture)
from web_server import Server

PLUGIN = Path(__file__).parent.parent / "examples" / "plugin"

pytestmark = pytest.mark.xdist_group("plugin")  # installed once


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the package is installed, without a network."""
    folder = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    options = ["--no-deps", "--no-build-isolation", "--no-compile", "--target", str(folder), str(PLUGIN)]
    done = subprocess.run([*pip, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def environment(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are started find the package."""
    monkeypatch.setenv("PYTHONPATH", str(installed))


def run(*command: str, folder: Path | None = None) -> str:
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=folder, env=os.environ)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_everything_is_in_the_package(installed: Path) -> None:
    files = {path.relative_to(installed).as_posix() for path in (installed / "parlour").rglob("*") if path.is_file()}
    sources = {path.relative_to(PLUGIN / "src").as_posix() for path in (PLUGIN / "src").rglob("*") if path.is_file()}
    assert files == {path for path in sources if "__pycache__" not in path}
    assert {
        f"parlour/{game}/{name}" for game in ("connect4", "leduc") for name in ("rules.md", "words.de.toml")
    } < files


def test_all_that_it_needs_comes_from_spielwerk_itself() -> None:
    """What is imported from deeper inside may move; the public names are there and say what they are."""
    imported = set()
    for file in PLUGIN.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "spielwerk":
                imported |= {(node.module, name.name) for name in node.names}
    assert {module for module, _ in imported} == {"spielwerk", "spielwerk.contract"}
    for module, name in imported:
        assert name in importlib.import_module(module).__all__
    assert all(getattr(spielwerk, name).__doc__ for name in spielwerk.__all__)


@pytest.mark.usefixtures("environment")
def test_its_own_tests_pass_on_what_is_installed() -> None:
    assert "passed" in run("pytest", "-q", "-p", "no:cacheprovider", "tests", folder=PLUGIN)


@pytest.mark.usefixtures("environment")
def test_the_command_line_knows_it() -> None:
    listed = run("spielwerk", "games")
    assert "Connect Four" in listed
    assert "Leduc hold'em" in listed
    described = run("spielwerk", "agents", "leduc")
    assert "cannot play Leduc hold'em: it plays Connect Four only" in described


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize(
    ("game", "agents"), [("connect4", "centre,mctse:iterations=50"), ("leduc", "mctse:iterations=50")]
)
def test_a_match_is_played_in_the_terminal(game: str, agents: str, tmp_path: Path) -> None:
    record = str(tmp_path / "record.json")
    played = run("spielwerk", "play", game, "--agents", agents, "--seed", "1", "--quiet", "--record", record)
    assert played.strip()
    run("spielwerk", "replay", record, "--check")


@pytest.mark.usefixtures("environment")
def test_gymnasium_knows_it() -> None:
    code = "import gymnasium, spielwerk.bridges; print(gymnasium.make('spielwerk/leduc-v0').reset(seed=1)[1]['seat'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ)
    assert done.stdout.strip() == "0", done.stderr


@pytest.mark.usefixtures("environment")
def test_worker_processes_find_it() -> None:
    command = ("evaluate", "connect4", "centre:mistakes=0.1", "--games", "4", "--workers", "2", "--json")
    assert json.loads(run("spielwerk", *command, "--backend", "processes"))["games"] == 4


@pytest.fixture(scope="module")
def server(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])]))
        with Server(tmp_path_factory.mktemp("web")) as running:
            yield running


@pytest.mark.parametrize(("game", "variant", "said"), [("connect4", None, "wins"), ("leduc", "match", "Hand 20 of 20")])
def test_a_match_is_played_by_clicking(
    browser: Any,  # noqa: F811
    server: Server,
    game: str,
    variant: str | None,
    said: str,
) -> None:
    visitor = Visitor(browser, server)
    visitor.start(game, variant)
    visitor.play_on()
    assert visitor.over
    assert said in visitor.page.locator(".board svg.picture-svg").get_attribute("aria-label")
    visitor.close()
    assert visitor.mistakes == []


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are started find a package whose games cannot be loaded."""
    (tmp_path / "wreck.py").write_text("import a_package_that_nobody_has\n")
    (tmp_path / "shallow.py").write_text("")
    info = tmp_path / "wreck-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wreck\nVersion: 1\n")
    points = ["wreck = wreck:Game", "shallow = shallow:Missing", "gone = wreckage.game:Game"]
    (info / "entry_points.txt").write_text("[spielwerk.games]\n" + "\n".join(points))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.mark.usefixtures("broken")
def test_a_package_that_cannot_be_loaded_stops_no_other() -> None:
    command = [sys.executable, "-m", "spielwerk", "games"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0 and "Qwixx" in done.stdout and "wreck" not in done.stdout
    told = done.stderr.splitlines()
    assert len(told) == 3 and all(line.startswith("left out: ") for line in told)
    assert "game 'wreck' needs a package that is not installed: No module named 'a_package_that_nobody_has'" in told[2]
    assert "(shallow:Missing of the package wreck) cannot be loaded: AttributeError" in told[1]
    assert "(wreckage.game:Game of the package wreck) cannot be loaded: ModuleNotFoundError" in told[0]
    played = subprocess.run([*command[:3], "play", "shallow"], capture_output=True, text=True, env=os.environ)
    assert played.returncode == 2 and played.stderr.startswith("error: game 'shallow' (shallow:Missing")
