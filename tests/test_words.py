"""Words in the reader's language: the mechanism, the catalogues that are shipped, and what never changes."""

import ast
import importlib.util
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import spielwerk.core.words as words
from spielwerk import testing
from spielwerk.agents.random import RandomAgent
from spielwerk.core import errors, registry
from spielwerk.core.clock import OutOfTime
from spielwerk.core.errors import SpielwerkError
from spielwerk.core.game import Game
from spielwerk.core.match import play
from spielwerk.core.words import Words, catalogue, language, number, overheard, places, speaking
from spielwerk.games.qwixx import solve as qwixx_solve
from spielwerk.games.qwixx.kernel.solve import PENALTIES, TABLE
from spielwerk.web import errors as web_errors
from tiny_games import Whisper

GERMAN = """
"{count} cards" = "{count} Karten"
"pass" = "passen"
"""
SOURCES = Path(words.__file__).parent.parent
SPEAKING = sorted({path.parent for path in SOURCES.rglob("words.*.toml")})
ENGLISH_ONLY = ("cli", "bridges", "studies")  # packages that say nothing through catalogues


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "words.de.toml").write_text(GERMAN)
    return tmp_path


def test_a_phrase_is_said_in_the_language_that_is_spoken(folder: Path) -> None:
    say = Words(folder)
    assert say("{count} cards", count=3) == "3 cards"
    with speaking("de-CH"):
        assert language() == "de"
        assert say("{count} cards", count=3) == "3 Karten"
        with speaking("en"):
            assert say("pass") == "pass"
        assert say("pass") == "passen"
    assert language() == "en"


def test_what_is_not_translated_is_said_in_english(folder: Path) -> None:
    with speaking("de"), overheard() as heard:
        assert Words(folder)("new {thing}", thing="tile") == "new tile"
        assert Words()("pass") == "pass"
        assert Words(folder)("{count} cards", count=1) == "1 Karten"
    assert heard == {"new {thing}": False, "pass": False, "{count} cards": True}
    with speaking("fr"):
        assert Words(folder)("pass") == "pass"


def test_another_language_is_one_more_file(folder: Path) -> None:
    assert Words(folder).languages == ("de",)
    (folder / "fr").mkdir()
    (folder / "fr" / "words.fr.toml").write_text('"pass" = "passer"')
    with speaking("fr"):
        assert Words(folder / "fr", folder)("pass") == "passer"
        assert Words(folder, folder / "fr")("pass") == "passer"


def test_every_thread_speaks_for_itself(folder: Path) -> None:
    said: list[str] = []
    with speaking("de"):
        thread = threading.Thread(target=lambda: said.append(Words(folder)("pass")))
        thread.start()
        thread.join()
    assert said == ["pass"]


def test_numbers_are_grouped_in_the_manner_of_the_language() -> None:
    assert number(3_932_156) == "3,932,156"
    with speaking("de"):
        assert number(3_932_156) == "3.932.156"


def test_the_places_of_a_phrase() -> None:
    assert places("{game}: seat {seat} may not play '{move}'") == {"game", "seat", "move"}
    assert places("pass") == set()


def test_a_place_chooses_between_one_and_many(folder: Path) -> None:
    (folder / "words.fr.toml").write_text('"{count} {count:card|cards}" = "{count} {count:carte|cartes}"')
    say = Words(folder)
    for count, said in (
        (0, "0 cards"),
        (1, "1 card"),
        (2, "2 cards"),
        ("+1", "+1 card"),
        ("-1", "-1 card"),
        ("11", "11 cards"),
    ):
        assert say("{count} {count:card|cards}", count=count) == said
    assert say("{count:seat is|seats are} {share:.1f}", count=1, share=0.25) == "seat is 0.2"
    assert places("{count} {count:card|cards}") == {"count"}


@pytest.mark.parametrize(("language", "one", "many"), [("en", "1 point", "0 points"), ("de", "1 Punkt", "0 Punkte")])
def test_one_point_is_one_point(language: str, one: str, many: str) -> None:
    """On the boards and in the terminal: a cross in Qwixx is worth a point."""
    position = registry.game("qwixx", seats=2).new(2)
    while max(position.score) < 1:
        position.play({seat: position.legal(seat)[seat - 1] for seat in position.actors})  # the other passes
    assert 1.0 in position.score and 0.0 in position.score
    with speaking(language):
        for picture in (position.text, position.svg):
            assert re.search(rf"\b{one}\b", picture) and re.search(rf"\b{many}\b", picture)
            assert f"{one}s" not in picture and f"{one}e" not in picture


def test_no_phrase_counts_in_the_plural_alone() -> None:
    """A number before a noun that people count: the phrase must know the word for one, too."""
    counted = "points|matches|events|seats|decisions|boards|states|positions|misthrows|chips"
    never_one = {
        "{matches} matches, only {distinct} different",
        "matches say nothing",
        "mean of the last {count} matches",
        "{wanted} matches are too many",
        "{figure} points",  # with an interval
    }
    found = [
        phrase
        for folder in SPEAKING
        for phrase in catalogue(folder, "de")
        if re.search(rf"\{{\w+\}} (M )?({counted})\b(?!/)", phrase) and not any(one in phrase for one in never_one)
    ]
    assert found == []


# --- games ---


@pytest.fixture
def german_game(tmp_path: Path) -> Iterator[type[Game]]:
    """A game of a third party, in a folder of its own, with a German catalogue beside it."""
    (tmp_path / "whisper_de.py").write_text(
        "from tiny_games import Whisper\n\n\nclass GermanWhisper(Whisper):\n    def text(self, view):\n"
        "        return self.say('{points} points', points=1)\n"
    )
    with speaking("de"), overheard() as heard:
        testing.spoken_facts(Whisper())
    lines = [f"{_quoted(phrase)} = {_quoted('deutsch ' + phrase)}" for phrase in heard]
    (tmp_path / "words.de.toml").write_text("\n".join(['"{points} points" = "{points} Punkte"', *lines]))
    spec = importlib.util.spec_from_file_location("whisper_de", tmp_path / "whisper_de.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules["whisper_de"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module.GermanWhisper
    del sys.modules["whisper_de"]


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _forget() -> None:
    words.catalogue.cache_clear()
    words._languages.cache_clear()


def test_a_complete_catalogue_passes(german_game: type[Game]) -> None:
    testing.check_words(german_game(), seed=1)
    with speaking("de"):
        assert german_game().title == f"deutsch {Whisper.spec.title}"
        assert german_game().new(1).text == "1 Punkte"
    assert german_game().title == Whisper.spec.title


def test_a_missing_phrase_is_found(german_game: type[Game], tmp_path: Path) -> None:
    file = tmp_path / "words.de.toml"
    file.write_text("\n".join(line for line in file.read_text().splitlines() if Whisper.spec.summary not in line))
    _forget()
    with pytest.raises(AssertionError, match="lacks"):
        testing.check_words(german_game(), seed=1)
    _forget()


def test_a_phrase_that_only_the_source_says_is_found(german_game: type[Game], tmp_path: Path) -> None:
    with (tmp_path / "whisper_de.py").open("a") as source:
        source.write("\n    def read(self, text):\n        raise ValueError(self.say('cannot read it'))\n")
    with pytest.raises(AssertionError, match="cannot read it"):
        testing.check_words(german_game(), seed=1)


def test_wrong_places_are_found(german_game: type[Game], tmp_path: Path) -> None:
    file = tmp_path / "words.de.toml"
    file.write_text(file.read_text().replace("{points} Punkte", "{punkte} Punkte"))
    _forget()
    with pytest.raises(AssertionError, match="different places"):
        testing.check_words(german_game(), seed=1)
    _forget()


def test_a_game_without_german_speaks_english() -> None:
    assert Whisper.say.languages == ()
    with speaking("de"):
        testing.check_game(Whisper(), seed=1)
        assert Whisper().title == Whisper.spec.title
        assert Whisper().new(1).svg


@pytest.mark.parametrize("folder", SPEAKING, ids=lambda folder: folder.name)
def test_every_catalogue_is_complete(folder: Path) -> None:
    testing.check_catalogues(Words(folder, SOURCES / "core"))


@pytest.fixture(scope="module")
def written() -> set[str]:
    """Every text that is written in a module of ours."""
    trees = (ast.parse(path.read_text("utf-8")) for path in SOURCES.rglob("*.py"))
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return {node.value for node in nodes if isinstance(node.value, str)}


@pytest.mark.parametrize("folder", SPEAKING, ids=lambda folder: folder.name)
def test_no_phrase_of_a_catalogue_is_left_over(folder: Path, written: set[str]) -> None:
    """Whatever is translated is said somewhere, or declared by a game."""
    with overheard() as heard:
        for name in registry.game_names():
            testing.spoken_facts(registry.game(name))
    for each in Words(folder).languages:
        assert set(words.catalogue(folder, each)) - set(heard) <= written


@pytest.mark.parametrize("name", registry.game_names())
def test_records_are_the_same_in_every_language(name: str) -> None:
    """Notation is no language: a match played in German gives the same record, and it replays in English."""
    variant = list(registry.game_class(name).spec.variants)[-1]
    game = registry.game(name, variant=variant)
    english = play(game, [RandomAgent()] * game.seats, seed=3)
    with speaking("de"):
        german = play(game, [RandomAgent()] * game.seats, seed=3)
        assert [game.action(move) for move in game.spec.moves] == list(range(game.spec.actions))
    assert german.to_json() == english.to_json()


def test_errors_are_said_in_the_reader_s_language() -> None:
    with speaking("de"), pytest.raises(SpielwerkError, match="Agent 'mcc' ist unbekannt: meintest du 'mc'"):
        registry.agent("mcc")
    with speaking("de"), pytest.raises(SpielwerkError, match="Plätze sind nicht möglich"):
        registry.game("2048", 3)


# --- nothing is said past the catalogues ---


def _errors() -> set[str]:
    """The names of the errors for people. Whoever writes kernels reads theirs in English, like the code."""
    kinds = [*vars(errors).values(), *vars(web_errors).values(), OutOfTime]
    found = {kind.__name__ for kind in kinds if isinstance(kind, type) and issubclass(kind, SpielwerkError)}
    return found - {errors.KernelError.__name__}


def _written_in(node: ast.expr) -> str:
    """The text of a literal, an f-string, or several of them put together; what is called may translate."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(map(_written_in, parts))
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            return _written_in(left) + _written_in(right)
    return ""


def _untranslated(source: str) -> list[str]:
    """What the errors of a module say in letters of their own instead of through a catalogue."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and node.args]
    names = _errors()
    raised = (call for call in calls if (getattr(call.func, "id", "") or getattr(call.func, "attr", "")) in names)
    texts = (_written_in(call.args[0]) for call in raised)
    return [text for text in texts if any(map(str.isalpha, text))]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("raise SpielwerkError('no such thing')", ["no such thing"]),
        ("raise errors.Unfit(f'{name} cannot' + ' play')", [" cannot play"]),
        ("raise UnknownName('colour', name, known)", ["colour"]),
        ("raise Missing('no match' if number else hint)", ["no match"]),
        ("raise InvalidMove(say('no such thing'))", []),
        ("raise InvalidMove(f'{title}: {nearest}')", []),
        ("raise KernelError('not marked')", []),
        ("raise ValueError('no such thing')", []),
    ],
)
def test_errors_past_the_catalogue_are_found(source: str, found: list[str]) -> None:
    assert _untranslated(source) == found


def test_every_error_goes_through_a_catalogue() -> None:
    files = [path for path in SOURCES.rglob("*.py") if path.relative_to(SOURCES).parts[0] not in ENGLISH_ONLY]
    found = {str(path.relative_to(SOURCES)): _untranslated(path.read_text("utf-8")) for path in files}
    assert {path: texts for path, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    ("name", "variant", "question"),
    [
        ("2048", "2x2", None),
        ("2048", "2x2", "2 4/8 ."),
        ("jass", None, "spades: sJ | sA | dA | c6"),
        ("qwixx", None, "red 2 3, misthrows 1"),
    ],
)
def test_what_a_solver_finds_has_german_labels(
    name: str, variant: str | None, question: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The labels are the same in every language (they are keys of JSON) and are said when they are shown."""
    monkeypatch.setattr(qwixx_solve, "solved", lambda game, report: np.zeros((TABLE, PENALTIES)))
    game, solver = registry.game(name, variant=variant), registry.solver(name)
    with speaking("de"), overheard() as heard:
        german = solver(game, question, lambda done, line: None)
        shown = set(map(game.say, german))
    assert [phrase for phrase, known in heard.items() if not known] == []
    assert len(shown) == len(german)
    assert german == solver(game, question, lambda done, line: None)
