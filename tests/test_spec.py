"""What games declare for people: variants, options, looks and teams."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import spielwerk as sw
from spielwerk import testing
from spielwerk.core import registry
from spielwerk.core.errors import SpielwerkError, UnknownName
from spielwerk.core.looks import choose_looks, looking, read_looks
from spielwerk.core.match import Record, replay
from spielwerk.core.spec import Look, Option, Spec, Variant
from spielwerk.core.words import speaking
from spielwerk.games.jass.cards import SUITS, SWISS, mode_name
from spielwerk.games.jass.kernel.table import FACTORS
from spielwerk.games.jass.view import SWISS_SHAPES
from tiny_games import Whisper

GOLDEN = Path(__file__).parent / "golden"


# --- options and variants --------------------------------------------------------------------------------------------


def test_the_kind_of_an_option_follows_from_what_it_can_be() -> None:
    assert Option("weis", 0, 0, 1, "runs count").kind == "switch"
    assert Option("layout", 0, 0, 2, "the sheet", "sheet", ("pad", "mixed numbers", "striped")).kind == "choice"
    assert Option("target", 2500, 1, 10_000, "points to win").kind == "number"
    assert Option("side", 0, 0, 1, "who begins", "side", ("left", "right")).kind == "choice"


@pytest.mark.parametrize(
    ("game", "written", "kept"),
    [("qwixx", "layout=striped", "official,layout=2"), ("qwixx", "layout=Shuffled", "official,layout=1"),
     ("qwixx", "layout=2", "official,layout=2"), ("qwixx", "late_end=yes", "official,late_end=1"),
     ("qwixx", "same_turn_lock=off", "official,same_turn_lock=0"), ("jass", "schieber,stoeck=no", "schieber,stoeck=0"),
     ("jass", "schieber,stoeck=true", "schieber"),
     ("jass", "schieber,weis=as-in-old-books", "schieber,weis=1")],
)  # fmt: skip
def test_switches_and_choices_can_be_written_as_words(game: str, written: str, kept: str) -> None:
    assert registry.game(game, variant=written).variant == kept


@pytest.mark.parametrize(
    ("game", "written", "said"),
    [("qwixx", "layout=stripes", "takes one of pad, shuffled, striped, not 'stripes'"),
     ("qwixx", "layout=3", "goes from 0 to 2"), ("jass", "stoeck=perhaps", "takes one of no, yes, not 'perhaps'"),
     ("jass", "target=much", "takes a whole number, not 'much'"), ("jass", "dekc=1", "unknown rule option")],
)  # fmt: skip
def test_other_words_are_refused_with_what_is_possible(game: str, written: str, said: str) -> None:
    with pytest.raises(SpielwerkError, match=said):
        registry.game(game, variant=written)


def test_names_with_blanks_are_written_with_hyphens() -> None:
    option = Option("layout", 0, 5, 6, "the sheet", "sheet", ("as usual", "Mixed numbers"))
    assert option.words == ("as-usual", "mixed-numbers")
    assert [option.number(text) for text in ("as usual", "mixed-numbers", "6", "7", "red")] == [5, 6, 6, 7, None]


def test_a_variant_is_told_in_words() -> None:
    jass, qwixx = registry.game_class("jass"), registry.game_class("qwixx")
    assert jass.variant_name("server,match_bonus=0,stoeck=1") == "Tournament server, match bonus 0, with Stöck"
    assert jass.variant_name("schieber,stoeck=0,deck=1") == "Schieber, without Stöck"
    assert qwixx.variant_name("official,layout=2") == "Official, sheet: striped"
    assert jass.variant_name("gone,stoeck=1") == "gone, with Stöck"  # a match of an older version
    assert jass.variant_sets("schieber-deal") == [
        "deals 1", "multiplied modes", "Weis: as today", "Stöck", "claiming", "announcing",
    ]  # fmt: skip
    with speaking("de"):
        assert jass.variant_name("schieber,stoeck=0") == "Schieber, ohne Stöck"
        assert qwixx.variant_name("official,layout=2") == "Offiziell, Zettel: gestreift"


@pytest.mark.parametrize("name", registry.game_names())
def test_every_variant_and_option_has_a_name_and_a_sentence(name: str) -> None:
    game = registry.game_class(name)
    testing.words.check_names(game())
    for variant in game.spec.variants.values():
        assert len(variant.help.split()) > 2, "a sentence, not a word"
        assert not variant.help.endswith(".")
    assert game.say.languages, "who speaks German says all of it in German: check_words"


def named(**changes: object) -> type[Whisper]:
    return type("Named", (Whisper,), {"spec": replace(Whisper.spec, **changes), "__module__": Whisper.__module__})


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"variants": {"open": Variant("Open", "")}}, "variant open needs a title and a sentence"),
     ({"options": (Option("size", 0, 0, 1, "rows"),)}, "option size needs a title and a sentence"),
     ({"options": (Option("size", 0, 0, 2, "rows", "size", ("a", "b")),)}, "needs 3 different choices"),
     ({"variants": {"open": Variant("Open", "for all", {"size": 1})}}, "sets \\['size'\\], which are no options"),
     ({"offered": "open"}, "'open' is offered, which is no variant"),
     ({"looks": (Look("deck", "", {"a": "A", "b": "B"}),)}, "look deck needs a title"),
     ({"looks": (Look("deck", "deck", {"a": "A"}),)}, "look deck needs a title and two choices"),
     ({"options": (Option("size", 0, 0, 1, "rows", "size"),), "retired": ("size",)}, "cannot be options and retired"),
     ({"chance": False, "luck": "dice"}, "it can bring no dice")],
)  # fmt: skip
def test_the_suite_finds_what_people_could_not_read(changes: dict[str, object], said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        testing.words.check_names(named(**changes)())


def test_people_are_offered_schieber_and_programs_get_the_server_rules() -> None:
    spec = registry.game_class("jass").spec
    assert spec.offered == "schieber" and registry.game("jass").variant == "server"
    assert (spec.values("schieber")["weis"], spec.values("schieber")["stoeck"]) == (2, 1)


# --- options that are no rules any more ------------------------------------------------------------------------------


@pytest.mark.parametrize("deck", [0, 1])
@pytest.mark.parametrize("path", sorted(GOLDEN.glob("jass-*.json")), ids=lambda path: path.stem)
def test_an_old_record_with_a_deck_replays_byte_for_byte(path: Path, deck: int) -> None:
    plain = Record.load(path)
    written = json.loads(path.read_text())
    written["header"]["variant"] += f",deck={deck}"
    old = Record.from_json(json.dumps(written))
    assert old.header.variant.endswith(f"deck={deck}")
    with looking({"deck": "swiss"}):
        again = replay(old)
    assert [one.state.tobytes() for one in again] == [one.state.tobytes() for one in replay(plain)]
    assert again[0].game.variant == replay(plain)[0].game.variant


def test_a_retired_option_is_accepted_and_changes_nothing() -> None:
    old, new = registry.game("jass", variant="server,deck=1,target=1000"), registry.game("jass", variant="target=1000")
    assert old.variant == new.variant == "server,target=1000"
    assert np.array_equal(old.options, new.options)
    assert "deck" not in {option.name for option in old.spec.options}


# --- looks -----------------------------------------------------------------------------------------------------------


def test_a_look_follows_from_the_context() -> None:
    jass = registry.game_class("jass")
    assert jass.look("deck") == "french"
    with looking({"deck": "swiss"}):
        assert jass.looks() == ("swiss",)
        with looking({"jass.deck": "french", "deck": "swiss"}):
            assert jass.look("deck") == "french", "what is said for the game counts more"
        with looking({"qwixx.deck": "swiss", "jass.deck": "tarot"}):
            assert jass.look("deck") == "french", "what is unknown is the default"
    assert jass.look("deck") == "french"
    assert read_looks("jass.deck=swiss, colours = safe,nonsense,=x") == {"jass.deck": "swiss", "colours": "safe"}


def test_a_look_that_is_asked_for_must_be_known() -> None:
    jass = registry.game("jass")
    with looking({}):
        choose_looks(jass, "deck=swiss")
        assert jass.look("deck") == "swiss"
        for text, said in (
            ("dek=swiss", "did you mean 'deck'"),
            ("deck=tarot", "known are french, swiss"),
            ("swiss", "unknown look of jass"),
        ):
            with pytest.raises(UnknownName, match=said):
                choose_looks(jass, text)
    assert jass.look("deck") == "french"


def test_the_swiss_suits_that_count_twice_are_schellen_and_schilten() -> None:
    doubled = [suit for suit in range(4) if FACTORS[suit] == 2]
    assert {SUITS[suit] for suit in doubled} == {"clubs", "spades"}
    assert {SWISS[suit] for suit in doubled} == {"Schellen", "Schilten"}
    assert {SWISS[suit] for suit in range(4) if FACTORS[suit] == 1} == {"Rosen", "Eichel"}
    bell, shield = "#f1c40f", "#f4f0df"  # the brass of a Schelle, the field of a Schilt
    shown = {sign for suit in doubled for sign in (bell, shield) if sign in SWISS_SHAPES[suit]}
    assert shown == {bell, shield}
    acorn = SWISS_SHAPES[SWISS.index("Eichel")]
    assert "#4f7d3a" in acorn and bell not in acorn


def test_the_picture_doubles_the_suits_that_the_rules_double() -> None:
    game = registry.game("jass", variant="multipliers")
    for mode in range(4):
        position = game.new(1)
        position.play(SUITS[mode])
        for deck, name in (("french", SUITS[mode]), ("swiss", SWISS[mode])):
            with looking({"deck": deck}):
                assert (f">{name} ×2<" in position.svg) == (FACTORS[mode] == 2)
                assert f">{name}" in position.svg
                assert mode_name(mode, deck == "swiss") == name


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_rules_say_which_swiss_suits_count_twice(language: str) -> None:
    twice, once = {"en": ("twice", "once"), "de": ("doppelt", "einfach")}[language]
    with speaking(language):
        text = registry.game_class("jass").rules()
    for suit, times in (("Rosen", once), ("Eichel", once), ("Schellen", twice), ("Schilten", twice)):
        assert f"| {suit} | {times} |" in text
    [row] = [line for line in text.splitlines() if line.startswith("| `multipliers`")]
    assert "Schellen" in row and "Schilten" in row and "Rosen" not in row


def test_two_decks_show_one_match() -> None:
    game = registry.game("jass", variant="server-deal")
    position = game.new(5)
    french, state = (position.text, position.svg, game.move_name(27)), position.state.tobytes()
    with looking({"deck": "swiss"}):
        assert game.move_name(27) == "Schilten 6" and game.move_text(27) == "Schi6" and game.move_text(42) == "push"
        assert game.move_text(37) == "Eichel"
        swiss = (position.text, position.svg, game.move_name(27))
        assert "Schi" in swiss[0] and not any(card in swiss[0].split() for card in game.spec.moves)
    assert all(one != other for one, other in zip(french, swiss, strict=True))
    assert (position.text, position.svg, game.move_name(27)) == french and position.state.tobytes() == state


def test_qwixx_has_colours_for_colour_blind_eyes() -> None:
    position = sw.game("qwixx").new(1)
    usual = position.svg
    with looking({"colours": "safe"}):
        assert position.svg != usual
        assert not {"#b3202c", "#1f7a3a"} & {position.svg[place : place + 7] for place in range(len(position.svg))}
        assert position.text == sw.game("qwixx").new(1).text


# --- teams -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", registry.game_names())
def test_teams_are_known_before_anything_is_compiled(name: str) -> None:
    kind = registry.game_class(name)
    for seats in kind.spec.seats:
        table = kind(seats)
        assert table.teams == table.new(1).teams
        assert not table.interpreted.compiled


def test_who_plays_with_whom() -> None:
    assert sw.game("jass").teams == (0, 1, 0, 1)
    assert sw.game("qwixx", seats=3).teams == (0, 1, 2)


def test_a_spec_without_variants_has_one_that_people_can_read() -> None:
    [(name, variant)] = Spec("x", "X", "x", (1,), ("a",), 1, 1, 1.0).variants.items()
    assert (name, variant.title) == ("standard", "Standard") and variant.help
