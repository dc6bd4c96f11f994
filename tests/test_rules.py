"""The written rules of a game: beside its class, in the language that is spoken, in the terminal and over the API."""

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import spielwerk.web
from spielwerk import testing
from spielwerk.cli import main
from spielwerk.core import registry
from spielwerk.core.game import Game
from spielwerk.core.words import catalogue, speaking
from spielwerk.web.app import create_app
from spielwerk.web.store import MatchStore
from tiny_games import Whisper

WEB = Path(spielwerk.web.__file__).parent


@pytest.fixture
def foreign(tmp_path: Path) -> Iterator[type[Game]]:
    """A registered game of a third party, in a folder of its own."""
    (tmp_path / "foreign_whisper.py").write_text(
        "from dataclasses import replace\nfrom tiny_games import Whisper\n\n\n"
        "class Foreign(Whisper):\n    spec = replace(Whisper.spec, id='foreign', title='Foreign')\n"
    )
    spec = importlib.util.spec_from_file_location("foreign_whisper", tmp_path / "foreign_whisper.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules["foreign_whisper"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    registry.register(module.Foreign)
    yield module.Foreign
    registry.unregister(module.Foreign)
    del sys.modules["foreign_whisper"]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(
        create_app(MatchStore(tmp_path / "matches.sqlite"), None, tmp_path, tmp_path / "r.sqlite")
    ) as found:
        yield found


def terminal(*arguments: str) -> int | str | None:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    return stopped.value.code


@pytest.mark.parametrize("name", registry.game_names())
def test_every_game_has_rules_of_one_shape_in_every_language(name: str) -> None:
    """Headings, items and rows are the same in a translation: who changes a rule changes it everywhere."""
    game = registry.game_class(name)
    rules = game.rules()
    assert rules.startswith("# ")
    for language in game.say.languages:
        with speaking(language):
            assert shape(game.rules()) == shape(rules)


def shape(markdown: str) -> list[str]:
    """How the lines begin that are no plain text: '#', '##', '-', '1.', '|'."""
    return re.findall(r"^(#+|-|\d+\.|\|)(?= )", markdown, re.MULTILINE)


def test_rules_are_in_the_language_that_is_spoken(foreign: type[Game], tmp_path: Path) -> None:
    assert foreign.rules() == ""
    (tmp_path / "rules.md").write_text("# Whisper with six cards")
    with speaking("de"):
        assert foreign.rules() == "# Whisper with six cards"
        (tmp_path / "rules.de.md").write_text("# Flüstern mit sechs Karten", "utf-8")
        assert foreign.rules() == "# Flüstern mit sechs Karten"
    assert foreign.rules() == "# Whisper with six cards"
    assert Whisper.rules() == ""  # of another folder


def test_the_terminal_shows_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert terminal("rules", "2048") in (0, None)
    shown = capsys.readouterr().out
    assert "Gabriele Cirulli" in shown and "1. The board" not in shown  # the number has a column of its own
    assert max(len(line) for line in shown.splitlines()) <= 100


def test_the_terminal_says_in_one_line_what_is_missing(foreign: type[Game], capsys: pytest.CaptureFixture[str]) -> None:
    for name, said in (("qwix", "did you mean 'qwixx'"), ("foreign", "foreign comes without written rules")):
        assert terminal("rules", name) == 2
        problem = capsys.readouterr().err
        assert said in problem and problem.count("\n") == 1


def test_the_api_tells_rules(client: TestClient, foreign: type[Game], tmp_path: Path) -> None:
    missing = client.get("/api/games/foreign/rules")
    assert (missing.status_code, missing.json()) == (404, {"detail": "Foreign comes without written rules"})
    assert client.get("/api/games/foreign").json()["has_rules"] is False
    (tmp_path / "rules.md").write_text("# Six cards")
    english = {"title": "Foreign", "text": "# Six cards", "language": "en"}
    assert client.get("/api/games/foreign/rules", headers={"Accept-Language": "de"}).json() == english
    (tmp_path / "rules.de.md").write_text("# Sechs Karten")
    assert client.get("/api/games/foreign").json()["has_rules"] is True
    assert client.get("/api/games/foreign/rules").json() == english
    german = client.get("/api/games/foreign/rules", headers={"Accept-Language": "de"}).json()
    assert (german["text"], german["language"]) == ("# Sechs Karten", "de")
    assert client.get("/api/games/nothing/rules").status_code == 404
    assert client.get("/rules/foreign").headers["content-type"].startswith("text/html")


def test_the_api_tells_keys_and_swipes(client: TestClient, foreign: type[Game]) -> None:
    sliding, other = (client.get(f"/api/games/{game}").json() for game in ("2048", "foreign"))
    assert sliding["keys"]["ArrowUp"] == sliding["keys"]["w"] == "up" and len(sliding["keys"]) == 8
    assert sliding["swipes"] == {"up": "up", "down": "down", "left": "left", "right": "right"}
    assert (other["keys"], other["swipes"]) == ({}, {})


def test_the_routes_say_nothing_that_the_catalogue_of_the_web_app_lacks() -> None:
    said = testing.phrases_in(WEB / "routes")
    assert len(said) > 5
    assert said <= set(catalogue(WEB, "de"))
